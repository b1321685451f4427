//! R rounds of: score the links → mask → retrain.

use super::apply::prune;
use super::context::{EdgeContext, EdgeScores, Pattern, PruneError};
use super::guard::GuardReport;
use super::keep::{Choosing, Keeper, Links, Retrained, RoundJob};
use super::methods::{Method, Need};
use super::origin::Origin;
use super::plan::{Cost, PrunePlan, RoundRecord, Trained};
use super::retrain::{MaskChange, Retrain};
use super::sparse_training::TopK;
use super::swarm_search;
use crate::base::SimRng;
use crate::base::command::CommandError;
use crate::base::refusal::Refusal;
use crate::network::kernel::{Objective, feature_maps};
use crate::network::{Mask, Weights};
use crate::train::{Constraint, Problem, TrainObserver, init};
use std::sync::Arc;

/// Prunes and retrains a trained network; returns the records of the rounds, and the links and
/// weights after the last one (none if it was interrupted).
///
/// Interrupted, an unfinished round has a record only if its links were chosen.
///
/// `sparse-training` takes of the network its wiring, target and the weights training began from (at
/// the step of [`Retrain::Rewind`], or new ones with [`Retrain::Reinit`]), not what it learned.
/// `swarm` searches around the network's weights, then retrains the best as any other method does.
///
/// # Errors
/// The rule cannot be met, the method lacks something, or the keeper fails.
pub fn rounds<K: Keeper>(
    trained: &Trained,
    plan: &PrunePlan,
    keeper: &mut K,
) -> Result<(Vec<RoundRecord>, Option<Links>), K::Error> {
    if plan.rules.is_empty() {
        return Err(PruneError::from(Refusal::new("", "at least one round", "none")).into());
    }
    let method = plan.method.found().map_err(PruneError::from)?;
    let plan = &PrunePlan { method, ..plan.clone() };
    let mut origin = Origin::of(trained);
    let (mut mask, mut weights) = (trained.model.mask.clone(), trained.model.weights.clone());
    let (mut records, mut last) = (Vec::new(), None);
    for (k, &rule) in plan.rules.iter().enumerate() {
        let number = k + 1;
        let round = Choosing { trained, plan, number, rule, mask: &mask, weights: &weights };
        let found = match plan.method {
            Method::SparseTraining(options) => {
                train_sparse(&round, options.min_inputs, &mut origin, keeper)?
            }
            _ => choose_and_retrain(&round, &mut origin, keeper)?,
        };
        last = None;
        let Some((record, retrained)) = found else { break };
        keeper.round(&record)?;
        let kept = round_mask(&mask, &record);
        records.push(record);
        let Some(links) = retrained.done else { break };
        (mask, weights) = (kept, links.weights.clone());
        last = Some(links);
    }
    Ok((records, last))
}

/// The mask after a round: that before it, with the change of its record.
pub fn round_mask(before: &Mask, record: &RoundRecord) -> Mask {
    let mut mask = before.clone();
    for &i in &record.change.removed {
        mask.0[i] = false;
    }
    for &i in &record.change.reopened {
        mask.0[i] = true;
    }
    mask
}

type Found = Option<(RoundRecord, Retrained)>;

/// Runs a round of a method that chooses among trained links; `None` if it was interrupted before
/// they were chosen.
fn choose_and_retrain<K: Keeper>(
    round: &Choosing<'_>,
    origin: &mut Origin<'_>,
    keeper: &mut K,
) -> Result<Found, K::Error> {
    let (trained, plan) = (round.trained, round.plan);
    let (network, inputs) = (&trained.model.network, &trained.inputs);
    let needs = plan.method.row().needs;
    let mut cost = Cost::default();
    let mut losses = Vec::new();
    let mut weights = round.weights.clone();
    if let Method::Swarm(settings) = plan.method {
        let Some(found) = swarm_search::search(round, settings, keeper)? else {
            keeper.interrupted(unchosen(round));
            return Ok(None);
        };
        (weights, losses) = (found.weights, found.losses);
        (cost.choosing, cost.judged) = (found.gradients, found.judged);
    }
    let maps = needs.contains(&Need::Maps).then(|| feature_maps(network, &weights, inputs));
    let mut context = EdgeContext::new(network, &weights, round.mask);
    context.maps = maps.as_ref();
    let mut gradient = vec![0.0; network.weight_count()];
    if needs.contains(&Need::Gradient) {
        Objective::new(network, round.mask, inputs, &trained.target.rgb)
            .loss_and_gradient(&weights.0, &mut gradient);
        cost.choosing += 1;
        context = context.with_gradient(&gradient);
    }
    let untrained_maps;
    if needs.contains(&Need::UntrainedMaps) {
        untrained_maps = feature_maps(network, &origin.untrained()?, inputs);
        context = context.with_untrained_maps(&untrained_maps);
    }
    if let Some(evolved) = &plan.evolved {
        context = context.with_evolved(evolved);
    }
    let (masks, seed) = (&plan.pattern, plan.train.seed);
    if !masks.is_empty() {
        context = context.with_pattern(Pattern { masks, round: round.number - 1, seed });
    }
    let mut rng = SimRng::new(seed, "prune", round.number as u64);
    let pruned = match prune(plan.method, round.rule, plan.orphans, &context, &mut rng) {
        Err(PruneError::Command(CommandError::Stopped)) => {
            keeper.interrupted(unchosen(round));
            return Ok(None);
        }
        pruned => pruned?,
    };
    let replayed = origin.gradients;
    let start = start_weights(round, plan.retrain, origin, &pruned.live, keeper.steps())?;
    let Some(other) = start else {
        keeper.interrupted(unchosen(round));
        return Ok(None);
    };
    cost.choosing += origin.gradients - replayed;
    let start = plan.retrain.weights(&pruned.weights, other.as_ref(), &pruned.live)?;
    let retrained = keeper.train(job(round, plan.retrain, &pruned.live, start, pruned.kept))?;
    cost.training = retrained.report.all_evaluations();
    let record = RoundRecord {
        round: round.number,
        method: plan.method.to_string(),
        rule: round.rule.to_string(),
        kept: pruned.kept,
        alive: pruned.alive,
        guards: pruned.guards,
        scores: pruned.scores,
        change: MaskChange::between(round.mask, &pruned.mask)?,
        cost,
        search: losses,
    };
    Ok(Some((record, retrained)))
}

/// The weights to rewind to, or new ones; `None` inside for finetuning. `None` outside if interrupted.
fn start_weights(
    round: &Choosing<'_>,
    retrain: Retrain,
    origin: &mut Origin<'_>,
    live: &Mask,
    observer: &mut dyn TrainObserver,
) -> Result<Option<Option<Weights>>, PruneError> {
    let train = &round.plan.train;
    Ok(match retrain {
        Retrain::Finetune => Some(None),
        Retrain::Reinit => {
            let mut rng = SimRng::new(train.seed, "init", 1000 + round.number as u64);
            Some(Some(init(&round.trained.model.network, live, &train.init, &mut rng)?))
        }
        Retrain::Rewind { step } => origin.at(step, observer)?.map(Some),
    })
}

/// Runs a round of weight-sparse training; `None` if it was interrupted.
fn train_sparse<K: Keeper>(
    round: &Choosing<'_>,
    min_inputs: usize,
    origin: &mut Origin<'_>,
    keeper: &mut K,
) -> Result<Found, K::Error> {
    let (network, plan) = (&round.trained.model.network, round.plan);
    let top = TopK::new(network, round.mask, round.rule, min_inputs, plan.train.steps)?;
    // There is nothing to go on from: it begins where the run began.
    let retrain = match plan.retrain {
        Retrain::Finetune => Retrain::Rewind { step: 0 },
        other => other,
    };
    let candidates = top.candidates().clone();
    let replayed = origin.gradients;
    let start = start_weights(round, retrain, origin, &candidates, keeper.steps())?;
    let Some(start) = start else {
        let stopped = RoundJob { retrain, ..unchosen(round) };
        keeper.interrupted(stopped);
        return Ok(None);
    };
    let start = retrain.weights(round.weights, start.as_ref(), &candidates)?;
    let job = job(round, retrain, &candidates, start, top.target());
    let top: Arc<dyn Constraint> = Arc::new(top);
    let retrained = keeper.train(RoundJob { constraint: Some(top), ..job })?;
    let Some(done) = &retrained.done else { return Ok(None) };
    let (count, alive) = (done.kept.kept(), done.live.kept());
    let size = |i: usize| candidates.0[i].then(|| f64::from(done.weights.0[i].abs()));
    let record = RoundRecord {
        round: round.number,
        method: plan.method.to_string(),
        rule: round.rule.to_string(),
        kept: count,
        alive,
        guards: GuardReport {
            selected: count,
            orphan_links: count - alive,
            ..GuardReport::default()
        },
        scores: EdgeScores((0..done.kept.0.len()).map(size).collect()),
        change: MaskChange::between(round.mask, &done.kept)?,
        cost: Cost {
            choosing: origin.gradients - replayed,
            training: retrained.report.all_evaluations(),
            judged: 0,
        },
        search: Vec::new(),
    };
    Ok(Some((record, retrained)))
}

/// The training of a round.
fn job(
    round: &Choosing<'_>,
    retrain: Retrain,
    mask: &Mask,
    start: Weights,
    kept: usize,
) -> RoundJob {
    let (trained, plan) = (round.trained, round.plan);
    RoundJob {
        number: round.number,
        problem: Problem {
            network: trained.model.network.clone(),
            mask: mask.clone(),
            inputs: trained.inputs.clone(),
            target: trained.target.clone(),
            start: Some(start),
        },
        config: plan.train.clone(),
        constraint: None,
        method: plan.method,
        rule: round.rule,
        retrain,
        kept,
    }
}

/// The job of a round that ended before its links were chosen: the network is still the one before it.
fn unchosen(round: &Choosing<'_>) -> RoundJob {
    let kept = round.mask.kept();
    job(round, round.plan.retrain, round.mask, round.weights.clone(), kept)
}
