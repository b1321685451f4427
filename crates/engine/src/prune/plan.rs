//! Rounds of pruning as data: what they begin from, what is done, what each one leaves.

use super::context::EdgeScores;
use super::guard::{GuardReport, Orphans};
use super::methods::Method;
use super::retrain::{MaskChange, Retrain};
use super::select::Rule;
use crate::network::{Mask, Model, Picture, PixelInputs, Weights};
use crate::train::TrainConfig;
use serde::{Deserialize, Serialize};

/// A trained network, and what is known of the training that made it.
#[derive(Clone, Debug)]
pub struct Trained {
    /// Its name in messages: the id of a run.
    pub name: String,
    /// The network.
    pub model: Model,
    /// Pixels it was trained on.
    pub inputs: PixelInputs,
    /// The picture that it should draw there.
    pub target: Picture,
    /// Settings of its training.
    pub train: TrainConfig,
    /// Steps it made.
    pub steps: u64,
    /// Number of the attempt that gave the weights, from 0: those before collapsed.
    pub attempt: u32,
    /// Where its training began.
    pub began: Began,
    /// True if its training went on from a pruned network: nothing behind it is untrained.
    pub continues: bool,
    /// True if its links were chosen while it trained, so that its steps cannot be made again.
    pub moving_links: bool,
}

/// Where a training began.
#[derive(Clone, Debug, PartialEq)]
pub enum Began {
    /// From weights drawn by the seed of its settings.
    Drawn,
    /// From these.
    Given(Weights),
    /// From weights that were not kept.
    Lost,
}

/// The rounds of pruning for a trained network.
#[derive(Clone, Debug)]
pub struct PrunePlan {
    /// Which links go.
    pub method: Method,
    /// One rule a round; R = `rules.len()`, ≥ 1.
    pub rules: Vec<Rule>,
    /// Where retraining starts.
    pub retrain: Retrain,
    /// Settings of each retraining (optimizer moments start at zero).
    pub train: TrainConfig,
    /// Non-zero links of the layered evolved network, for the control `evolved`.
    pub evolved: Option<Mask>,
    /// (W,) of every round, what another arm kept, for the controls `layer-counts` and `rewired`; empty
    /// for the other methods.
    pub pattern: Vec<Mask>,
    /// How links on no path are treated.
    pub orphans: Orphans,
}

impl PrunePlan {
    /// By a method as it was published, with links on no path dropped.
    pub fn new(method: Method, rules: Vec<Rule>, train: TrainConfig) -> Self {
        let retrain = method.retrain();
        let (evolved, pattern, orphans) = (None, Vec::new(), Orphans::Drop);
        PrunePlan { method, rules, retrain, train, evolved, pattern, orphans }
    }
}

/// A round: the mask explained.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RoundRecord {
    /// Round, from 1.
    pub round: usize,
    /// Method and its settings.
    pub method: String,
    /// The rule of this round.
    pub rule: String,
    /// Links kept, the count of the rule.
    pub kept: usize,
    /// Links kept that lie on a path from an input to an output: those are trained.
    pub alive: usize,
    /// The counts of the guards.
    pub guards: GuardReport,
    /// Score of every link that was a candidate, higher = keep.
    pub scores: EdgeScores,
    /// The difference to the mask before.
    pub change: MaskChange,
    /// The cost of the round.
    pub cost: Cost,
    /// `swarm`: MSE of the best masked network after each move. Empty otherwise.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub search: Vec<f64>,
}

/// Gradient evaluations and drawings a round took, the maps it read (one drawing each) not counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cost {
    /// Gradient evaluations to choose the links: `taylor` 1, `swarm` the training of its particles,
    /// late rewinding the steps that were made again. Those of a minibatch count as one.
    pub choosing: u64,
    /// Gradient evaluations of the training that followed; of `sparse-training`, which chooses while
    /// it trains, all of them.
    pub training: u64,
    /// Networks that were drawn and judged (`swarm`).
    pub judged: u64,
}
