//! Pruning rounds as runs: train → score the links → mask → retrain, R times, each round a run
//! folder of its own; the last one is the folder that was asked for.

use super::run::{LoadedRun, PrunedFrom, RunError, RunResult, Target, TrainJob, train_run};
use crate::math::SimRng;
use crate::network::files::{create_folder, write_atomic};
use crate::network::kernel::{FeatureMaps, Objective, feature_maps};
use crate::network::{Mask, PixelInputs, Weights};
use crate::prune::{
    EdgeContext, EdgeScores, GuardReport, MaskChange, Method, Orphans, PruneError, Retrain, Rule,
    prune,
};
use crate::train::{StopReason, TrainConfig, TrainObserver, init};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// What is done to a trained run.
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
}

/// `pruning.json` of a round: the mask explained.
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
    /// What the guards did.
    pub guards: GuardReport,
    /// Score of every link that was a candidate, higher = keep.
    pub scores: EdgeScores,
    /// The difference to the mask before.
    pub change: MaskChange,
}

/// Why pruning failed.
#[derive(Debug, thiserror::Error)]
pub enum PruneRunError {
    /// The method refuses.
    #[error(transparent)]
    Prune(#[from] PruneError),
    /// A run folder is at fault.
    #[error(transparent)]
    Run(#[from] RunError),
    /// The initial weights cannot be drawn.
    #[error(transparent)]
    Init(#[from] crate::train::InitError),
}

/// Prunes and retrains a finished run into `out`; rounds before the last go to `out/round-{k}`.
///
/// Returns the result of the last round that was made and the records of all. A round that is
/// done is not computed again; with `resume`, an unfinished one goes on.
///
/// # Errors
/// The rule cannot be met, the method lacks something, or a folder is at fault.
pub fn prune_run(
    parent: &LoadedRun,
    plan: &PrunePlan,
    out: &Path,
    resume: bool,
    observer: &mut dyn TrainObserver,
) -> Result<(RunResult, Vec<RoundRecord>), PruneRunError> {
    let network = &parent.network;
    let inputs = PixelInputs::full(parent.config.size, parent.config.coords);
    // The init of the parent's surviving attempt: what rewinding goes back to.
    let attempt = parent.result.train.collapses.len() as u64;
    let mut rng = SimRng::new(parent.config.train.seed, "init", attempt);
    let all = Mask::all(network.weight_count());
    let initial = init(network, &all, &parent.config.train.init, &mut rng)?;
    let untrained_maps = feature_maps(network, &initial, &inputs);

    let (mut mask, mut weights) = (parent.mask.clone(), parent.weights.clone());
    let mut records = Vec::new();
    let mut last = None;
    for (k, &rule) in plan.rules.iter().enumerate() {
        let round = k + 1;
        let folder = match round == plan.rules.len() {
            true => out.to_path_buf(),
            false => out.join(format!("round-{round}")),
        };
        let maps: FeatureMaps = feature_maps(network, &weights, &inputs);
        let mut objective = Objective::new(network, &mask, &inputs, &parent.target.rgb);
        let mut gradient = vec![0.0; network.weight_count()];
        objective.loss_and_gradient(&weights.0, &mut gradient);
        let mut context = EdgeContext::new(network, &weights, &mask)
            .with_maps(&maps)
            .with_gradient(&gradient)
            .with_untrained_maps(&untrained_maps);
        if let Some(evolved) = &plan.evolved {
            context = context.with_evolved(evolved);
        }
        let mut rng = SimRng::new(plan.train.seed, "prune", round as u64);
        let pruned = prune(plan.method, rule, Orphans::Drop, &context, &mut rng)?;
        let fresh: Option<Weights> = match plan.retrain {
            Retrain::Finetune => None,
            Retrain::Reinit => {
                let mut rng = SimRng::new(plan.train.seed, "init", 1000 + round as u64);
                Some(init(network, &pruned.live, &plan.train.init, &mut rng)?)
            }
            Retrain::Rewind { .. } => Some(initial.clone()),
        };
        let start = plan
            .retrain
            .weights(&pruned.weights, fresh.as_ref(), &pruned.live)?;
        let record = RoundRecord {
            round,
            method: plan.method.to_string(),
            rule: rule_text(rule),
            kept: pruned.kept,
            alive: pruned.alive,
            guards: pruned.guards,
            scores: pruned.scores.clone(),
            change: MaskChange::between(&mask, &pruned.mask)?,
        };
        let target = Target {
            name: parent.config.target.clone(),
            picture: parent.target.clone(),
        };
        let mut job = TrainJob::new(
            plan.method.name(),
            &target,
            parent.config.coords,
            (network.clone(), pruned.live.clone()),
            Some(start),
            parent.genome.as_ref(),
            plan.train.clone(),
        );
        job.config.pruned = Some(PrunedFrom {
            parent: parent.result.run_id.clone(),
            round,
            method: record.method.clone(),
            rule: record.rule.clone(),
            retrain: retrain_text(plan.retrain),
            kept: pruned.kept,
        });
        let result = train_run(&folder, job, resume, observer)?;
        let json = serde_json::to_vec(&record).expect("a record is plain data");
        create_folder(&folder).map_err(RunError::from)?;
        write_atomic(&folder.join("pruning.json"), &json).map_err(RunError::from)?;
        records.push(record);
        let stopped = result.train.stop == StopReason::Interrupted;
        last = Some(result);
        if stopped {
            break;
        }
        let done = super::run::load_run(&folder)?;
        (mask, weights) = (pruned.mask, done.weights);
    }
    let last = last.ok_or_else(|| RunError::Folder {
        path: PathBuf::from(out),
        problem: "expected at least one round, found none".into(),
    })?;
    Ok((last, records))
}

fn rule_text(rule: Rule) -> String {
    match rule {
        Rule::Threshold(t) => format!("threshold:{t}"),
        Rule::Budget(k) => format!("budget:{k}"),
        Rule::Fraction(p) => format!("fraction:{p}"),
        Rule::Layerwise { hidden, output } => format!("layerwise:{hidden},{output}"),
    }
}

fn retrain_text(retrain: Retrain) -> String {
    match retrain {
        Retrain::Finetune => "finetune".into(),
        Retrain::Rewind { step } => format!("rewind:{step}"),
        Retrain::Reinit => "reinit".into(),
    }
}
