//! Pruning rounds as runs: train → score the links → mask → retrain, R times, each round a run
//! folder of its own; the last one is the folder that was asked for.

mod given;
mod origin;
mod sparse;
mod swarm;

pub use self::given::given_run;
use self::origin::Origin;
use self::sparse::TopK;
use super::run::{
    LoadedRun, PrunedFrom, RunError, RunResult, Target, TrainJob, constrained_run, load_mask,
    load_run, train_run,
};
use crate::math::SimRng;
use crate::network::files::{create_folder, write_atomic};
use crate::network::kernel::{FeatureMaps, Objective, feature_maps, render};
use crate::network::{Mask, Picture, PixelInputs, Weights};
use crate::prune::method::SparseTraining;
use crate::prune::swarm::SwarmError;
use crate::prune::{
    EdgeContext, EdgeScores, GuardReport, MaskChange, Method, Need, Orphans, PruneError, Retrain,
    Rule, prune,
};
use crate::score::Fit;
use crate::train::{Constraint, StopReason, TrainConfig, TrainObserver, TrainReport, init};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::sync::Arc;

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
    /// What the round took.
    #[serde(default)]
    pub cost: Cost,
    /// `swarm`: MSE of the best masked network after each move. Empty otherwise.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub search: Vec<f64>,
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
    /// The swarm cannot begin or go on.
    #[error(transparent)]
    Swarm(#[from] SwarmError),
    /// The run's own training cannot be gone back to.
    #[error("run {run}: expected {expected}; found {found}")]
    Origin {
        /// Its id.
        run: String,
        /// What was expected of it.
        expected: String,
        /// What it is.
        found: String,
    },
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

/// What a round works on.
struct RoundInputs<'a> {
    run: &'a LoadedRun,
    plan: &'a PrunePlan,
    inputs: &'a PixelInputs,
    number: usize,
    rule: Rule,
    mask: &'a Mask,
    weights: &'a Weights,
    folder: &'a Path,
}

/// What a round leaves: the record and the mask that the next round may choose from.
struct Round {
    result: RunResult,
    done: Option<(RoundRecord, Mask)>,
}

/// Prunes and retrains a finished run into `out`; rounds before the last go to `out/round-{k}`.
///
/// Returns the result of the last round that was made and the records of all. A round that is
/// done is not computed again; with `resume`, an unfinished one goes on. Interrupted, the result
/// says so and the unfinished round has a record only if its links were chosen.
///
/// `sparse-training` takes of the run its wiring, target and the weights training began from (at
/// the step of [`Retrain::Rewind`], or new ones with [`Retrain::Reinit`]), not what it learned.
/// `swarm` searches around the run's weights, then retrains the best as any other method does.
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
    let inputs = PixelInputs::full(parent.config.size, parent.config.coords);
    let mut origin = Origin::of(parent);
    let (mut mask, mut weights) = (parent.model.mask.clone(), parent.model.weights.clone());
    let mut records = Vec::new();
    let mut last = None;
    for (k, &rule) in plan.rules.iter().enumerate() {
        let number = k + 1;
        let folder = match number == plan.rules.len() {
            true => out.to_path_buf(),
            false => out.join(format!("round-{number}")),
        };
        let inputs = RoundInputs {
            run: parent,
            plan,
            inputs: &inputs,
            number,
            rule,
            mask: &mask,
            weights: &weights,
            folder: &folder,
        };
        let round = match plan.method {
            Method::SparseTraining(SparseTraining { min_inputs }) => {
                train_sparse(&inputs, min_inputs, &mut origin, resume, observer)?
            }
            _ => choose_and_retrain(&inputs, &mut origin, resume, observer)?,
        };
        let stopped = round.result.train.stop == StopReason::Interrupted;
        last = Some(round.result);
        let Some((record, kept)) = round.done else {
            break;
        };
        create_folder(&folder).map_err(RunError::from)?;
        let json = serde_json::to_vec(&record).expect("a record is plain data");
        write_atomic(&folder.join("pruning.json"), &json).map_err(RunError::from)?;
        records.push(record);
        if stopped {
            break;
        }
        (mask, weights) = (kept, load_run(&folder)?.model.weights);
    }
    let last = last.ok_or_else(|| RunError::Folder {
        path: PathBuf::from(out),
        problem: "expected at least one round, found none".into(),
    })?;
    Ok((last, records))
}

/// A round of every method that chooses among trained links.
fn choose_and_retrain(
    round: &RoundInputs<'_>,
    origin: &mut Origin<'_>,
    resume: bool,
    observer: &mut dyn TrainObserver,
) -> Result<Round, PruneRunError> {
    let (run, plan) = (round.run, round.plan);
    let network = &run.model.network;
    let needs = plan.method.row().needs;
    let mut cost = Cost::default();
    let mut search = Vec::new();
    let mut weights = round.weights.clone();
    if let Method::Swarm(settings) = plan.method {
        let Some(found) = swarm::search(round, settings, resume, observer)? else {
            return Ok(interrupted(round));
        };
        (weights, search) = (found.weights, found.losses);
        (cost.choosing, cost.judged) = (found.gradients, found.judged);
    }
    let maps: FeatureMaps = feature_maps(network, &weights, round.inputs);
    let mut context = EdgeContext::new(network, &weights, round.mask).with_maps(&maps);
    let mut gradient = Vec::new();
    if needs.contains(&Need::Gradient) {
        gradient = vec![0.0; network.weight_count()];
        Objective::new(network, round.mask, round.inputs, &run.target.rgb)
            .loss_and_gradient(&weights.0, &mut gradient);
        cost.choosing += 1;
    }
    if !gradient.is_empty() {
        context = context.with_gradient(&gradient);
    }
    let untrained_maps;
    if needs.contains(&Need::UntrainedMaps) {
        untrained_maps = feature_maps(network, &origin.untrained()?, round.inputs);
        context = context.with_untrained_maps(&untrained_maps);
    }
    if let Some(evolved) = &plan.evolved {
        context = context.with_evolved(evolved);
    }
    let mut rng = SimRng::new(plan.train.seed, "prune", round.number as u64);
    let pruned = prune(plan.method, round.rule, Orphans::Drop, &context, &mut rng)?;
    let replayed = origin.gradients;
    let Some(other) = start_weights(round, origin, &pruned.live, observer)? else {
        return Ok(interrupted(round));
    };
    cost.choosing += origin.gradients - replayed;
    let start = plan.retrain.weights(&pruned.weights, other.as_ref(), &pruned.live)?;
    let job = job(round, plan.retrain, &pruned.live, start, pruned.kept);
    let result = train_run(round.folder, job, resume, observer)?;
    cost.training = result.train.evaluations;
    let record = RoundRecord {
        round: round.number,
        method: plan.method.to_string(),
        rule: rule_text(round.rule),
        kept: pruned.kept,
        alive: pruned.alive,
        guards: pruned.guards,
        scores: pruned.scores,
        change: MaskChange::between(round.mask, &pruned.mask)?,
        cost,
        search,
    };
    Ok(Round { result, done: Some((record, pruned.mask)) })
}

/// The weights to rewind to, or new ones; `None` inside for finetuning. `None` outside if interrupted.
fn start_weights(
    round: &RoundInputs<'_>,
    origin: &mut Origin<'_>,
    live: &Mask,
    observer: &mut dyn TrainObserver,
) -> Result<Option<Option<Weights>>, PruneRunError> {
    let plan = round.plan;
    Ok(match plan.retrain {
        Retrain::Finetune => Some(None),
        Retrain::Reinit => {
            let mut rng = SimRng::new(plan.train.seed, "init", 1000 + round.number as u64);
            let drawn = init(&round.run.model.network, live, &plan.train.init, &mut rng)?;
            Some(Some(drawn))
        }
        Retrain::Rewind { step } => origin.at(step, observer)?.map(Some),
    })
}

/// A round of weight-sparse training.
fn train_sparse(
    round: &RoundInputs<'_>,
    min_inputs: usize,
    origin: &mut Origin<'_>,
    resume: bool,
    observer: &mut dyn TrainObserver,
) -> Result<Round, PruneRunError> {
    let (run, plan) = (round.run, round.plan);
    let top = TopK::new(&run.model.network, round.mask, round.rule, min_inputs, plan.train.steps)?;
    // There is nothing to go on from: it begins where the run began.
    let retrain = match plan.retrain {
        Retrain::Finetune => Retrain::Rewind { step: 0 },
        other => other,
    };
    let plan = &PrunePlan { retrain, ..plan.clone() };
    let round = &RoundInputs { plan, ..*round };
    let candidates = top.candidates().clone();
    let replayed = origin.gradients;
    let Some(start) = start_weights(round, origin, &candidates, observer)? else {
        return Ok(interrupted(round));
    };
    let start = retrain.weights(round.weights, start.as_ref(), &candidates)?;
    let job = job(round, retrain, &candidates, start, top.target());
    let top: Arc<dyn Constraint> = Arc::new(top);
    let result = constrained_run(round.folder, job, Some(top), resume, observer)?;
    if result.train.stop == StopReason::Interrupted {
        return Ok(Round { result, done: None });
    }
    let done = load_run(round.folder)?;
    let kept = load_mask(&round.folder.join("kept.json"), &run.model.network)?;
    let (count, alive) = (kept.kept(), done.model.mask.kept());
    let size = |i: usize| candidates.0[i].then(|| f64::from(done.model.weights.0[i].abs()));
    let record = RoundRecord {
        round: round.number,
        method: plan.method.to_string(),
        rule: rule_text(round.rule),
        kept: count,
        alive,
        guards: GuardReport {
            selected: count,
            orphan_links: count - alive,
            ..GuardReport::default()
        },
        scores: EdgeScores((0..kept.0.len()).map(size).collect()),
        change: MaskChange::between(round.mask, &kept)?,
        cost: Cost {
            choosing: origin.gradients - replayed,
            training: result.train.evaluations,
            judged: 0,
        },
        search: Vec::new(),
    };
    Ok(Round { result, done: Some((record, kept)) })
}

/// The training run of a round.
fn job(
    round: &RoundInputs<'_>,
    retrain: Retrain,
    mask: &Mask,
    start: Weights,
    kept: usize,
) -> TrainJob {
    let (run, plan) = (round.run, round.plan);
    let target = Target { name: run.config.target.clone(), picture: run.target.clone() };
    let mut job = TrainJob::new(
        plan.method.name(),
        &target,
        run.config.coords,
        (run.model.network.clone(), mask.clone()),
        Some(start),
        run.genome.as_ref(),
        plan.train.clone(),
    );
    job.config.pruned = Some(PrunedFrom {
        parent: run.result.run_id.clone(),
        round: round.number,
        method: plan.method.to_string(),
        rule: rule_text(round.rule),
        retrain: retrain.to_string(),
        kept,
    });
    job
}

/// A round that ended before its links were chosen: the network is still the one before it.
fn interrupted(round: &RoundInputs<'_>) -> Round {
    let target = &round.run.target;
    let drawn = Picture {
        width: target.width,
        height: target.height,
        rgb: render(&round.run.model.network, round.weights, round.inputs),
    };
    let fit = Fit::of(&drawn, target);
    let kept = round.mask.kept();
    let start = round.weights.clone();
    let job = job(round, round.plan.retrain, round.mask, start, kept);
    Round {
        result: RunResult {
            run_id: job.config.run_id(),
            arm: job.config.arm,
            kept,
            links: round.mask.0.len(),
            train: TrainReport {
                stop: StopReason::Interrupted,
                steps: 0,
                evaluations: 0,
                final_loss: drawn.mse(target),
                collapses: Vec::new(),
                note: None,
            },
            fit,
        },
        done: None,
    }
}

fn rule_text(rule: Rule) -> String {
    match rule {
        Rule::Threshold(t) => format!("threshold:{t}"),
        Rule::Budget(k) => format!("budget:{k}"),
        Rule::Fraction(p) => format!("fraction:{p}"),
        Rule::Layerwise { hidden, output } => format!("layerwise:{hidden},{output}"),
    }
}
