//! A round, as a method sees it, what a method may do with it, and what it leaves.

use super::context::{EdgeContext, EdgeScores, PruneError, threshold_above};
use super::guard::{GuardReport, Orphans, alive, guard_budget, guard_selection};
use super::select::{Quotas, Rule, Scope, above};
use crate::base::SimRng;
use crate::network::kernel::FeatureMaps;
use crate::network::{Mask, Network, Weights};
use serde::{Deserialize, Serialize};

/// The outcome of a round of pruning.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pruned {
    /// (W,) links kept: what is counted, and the candidates of the next round.
    pub mask: Mask,
    /// (W,) links kept and alive, on a path from an input to an output: what is trained and drawn.
    /// For `evolved` the whole mask.
    pub live: Mask,
    /// (W,) the trained weights on `live`, 0 elsewhere; refitted (`sp-mrmr`) or folded (`sp-merge`).
    pub weights: Weights,
    /// Score of every live candidate: explains the mask.
    pub scores: EdgeScores,
    /// Links in the mask.
    pub kept: usize,
    /// Links on a path from an input to an output.
    pub alive: usize,
    /// The counts of the guards.
    pub guards: GuardReport,
}

/// A round, as a method sees it.
pub(super) struct Round<'a> {
    /// Name of the method, for messages.
    pub name: &'static str,
    /// The inputs of the method; the mask is the live part of the candidates.
    pub context: EdgeContext<'a>,
    /// (W,) links kept so far.
    pub candidates: &'a Mask,
    /// How many stay.
    pub rule: Rule,
    /// How links on no path are treated.
    pub orphans: Orphans,
}

impl<'a> Round<'a> {
    /// The maps of the trained network, or an error that names the method.
    pub(super) fn maps(&self) -> Result<&'a FeatureMaps, PruneError> {
        let what = "the feature maps of the trained network";
        self.context.maps.ok_or_else(|| PruneError::missing(self.name, what))
    }
}

/// The steps of a round that a method defines. Most only score; the rest is the same for all.
pub(super) trait Prunes {
    /// A score for every live link; higher = keep. The rule matters only to methods that select while
    /// they score, or that score whole units.
    fn scores(&self, round: &Round, rng: &mut SimRng) -> Result<EdgeScores, PruneError>;

    /// How many links of which part stay; `None` for a threshold.
    fn quotas(&self, round: &Round, _: &mut SimRng) -> Result<Option<Quotas>, PruneError> {
        round.rule.quotas(round.context.network, &round.candidates.0, Scope::Global)
    }

    /// (W,) the weights that `mask` is retrained from.
    fn weights(&self, round: &Round, _mask: &Mask) -> Result<Weights, PruneError> {
        Ok(round.context.weights.clone())
    }

    /// The whole round: scores, selection by the rule, guards.
    fn prune(&self, round: &Round, rng: &mut SimRng) -> Result<Pruned, PruneError> {
        let scores = self.scores(round, rng)?;
        let dense = scores.dense(round.name)?;
        let (network, candidates) = (round.context.network, &round.candidates.0);
        let (mask, guards) = match (self.quotas(round, rng)?, round.rule) {
            (Some(quotas), _) => guard_budget(network, &dense, candidates, &quotas, round.orphans)?,
            (None, Rule::Threshold(tau)) => {
                let selected = above(&dense, &round.context.mask.0, tau);
                if !selected.contains(&true) {
                    return Err(threshold_above(&dense, candidates, tau));
                }
                guard_selection(network, &dense, candidates, selected)
            }
            (None, _) => guard_selection(network, &dense, candidates, candidates.clone()),
        };
        let mask = Mask(mask);
        let weights = self.weights(round, &mask)?;
        Ok(finish(network, mask, weights, scores, Some(guards)))
    }
}

/// Makes the outcome of a round from the chosen `mask` and these weights.
pub(super) fn finish(
    network: &Network,
    mask: Mask,
    mut weights: Weights,
    scores: EdgeScores,
    guards: Option<GuardReport>,
) -> Pruned {
    let live = alive(network, &mask);
    live.apply(&mut weights);
    let (kept, alive) = (mask.kept(), live.kept());
    // Methods that see to the outputs themselves report only their orphans.
    let guards = guards.unwrap_or(GuardReport {
        selected: kept,
        orphan_links: kept - alive,
        ..GuardReport::default()
    });
    Pruned { kept, alive, mask, live, weights, scores, guards }
}
