//! `edge_scores` and `prune`: the one door to every method.

use super::context::{EdgeContext, EdgeScores, PruneError};
use super::guard::{GuardReport, Orphans, alive, guard_budget, guard_selection};
use super::method::Method;
use super::select::{Quotas, Rule, Scope, above, layer_of_links, sizes};
use super::sparse_training::SparseTraining;
use super::{merge, mrmr, similarity, taylor, wanda};
use crate::math::SimRng;
use crate::network::{Mask, Weights};
use serde::{Deserialize, Serialize};

/// What a round of pruning leaves.
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
    /// What the guards did.
    pub guards: GuardReport,
}

/// A score for every kept link; higher = keep. `rule` matters only to methods that select while
/// they score (`wanda` in sequence) or score whole units.
///
/// # Errors
/// A part of the context is missing, or belongs to another network; a score is not finite.
pub fn edge_scores(
    method: Method,
    rule: Rule,
    context: &EdgeContext,
    rng: &mut SimRng,
) -> Result<EdgeScores, PruneError> {
    context.check()?;
    let live = alive(context.network, context.mask);
    let candidates = &context.mask.0;
    let context = &EdgeContext { mask: &live, ..*context };
    let name = method.name();
    let (network, mask) = (context.network, context.mask);
    let magnitude = || EdgeScores::of(mask, |i| context.weight(i).abs());
    let scores = match method {
        Method::Sp {} => similarity::link_cosines(network, mask, context.need_maps(name)?),
        Method::SpSigned { absolute } => {
            let mut shares = similarity::shares(context, context.need_maps(name)?);
            if absolute {
                for share in shares.0.iter_mut().flatten() {
                    *share = share.abs();
                }
            }
            shares
        }
        Method::SpMrmr { redundancy } => {
            if !(redundancy > 0.0 && redundancy <= 1.0) {
                return Err(PruneError::OutOfRange {
                    what: "the redundancy threshold",
                    range: "(0, 1]",
                    found: redundancy,
                });
            }
            mrmr::scores(context, context.need_maps(name)?, redundancy)
        }
        Method::SpMerge {} => {
            merge::merge(context, context.need_maps(name)?, rule, candidates)?.scores
        }
        Method::Imp {} | Method::Magnitude {} | Method::Swarm { .. } => magnitude(),
        Method::Wanda { scope, sequential } => {
            wanda::scores(context, context.need_maps(name)?, rule, scope, sequential, candidates)?
        }
        Method::Taylor { vectorize, order, update } => {
            taylor::remove_units(context, rule, vectorize, order, update, candidates)?.scores
        }
        Method::Random {} | Method::SpLayerCounts {} => {
            // One draw a link, kept or not: a link's score does not depend on the mask.
            let draws: Vec<f64> = mask.0.iter().map(|_| rng.uniform()).collect();
            EdgeScores::of(mask, |i| draws[i])
        }
        Method::SpInverted {} => {
            let mut cosines = similarity::link_cosines(network, mask, context.need_maps(name)?);
            for cosine in cosines.0.iter_mut().flatten() {
                *cosine = 1.0 - *cosine;
            }
            cosines
        }
        Method::SpUntrained {} => similarity::link_cosines(
            network,
            mask,
            context.untrained_maps.ok_or(PruneError::Missing {
                method: name,
                what: "the feature maps of the untrained network",
            })?,
        ),
        Method::SpPermuted {} => {
            let cosines = similarity::link_cosines(network, mask, context.need_maps(name)?);
            similarity::permuted(network, cosines, rng)
        }
        Method::Evolved {} => {
            let evolved = need_evolved(context)?;
            EdgeScores::of(mask, |i| f64::from(u8::from(evolved.0[i])))
        }
        Method::SparseTraining { min_inputs } => {
            SparseTraining::row_bumped(context, min_inputs, magnitude())
        }
    };
    scores.dense(name)?;
    Ok(scores)
}

/// One round: scores, selection by `rule`, guards.
///
/// Budgets are exact for every method that is not structured; a structured one meets them from
/// below and reports the count in [`Pruned::kept`]. Masks are functions of their inputs and do not
/// depend on threads.
///
/// # Errors
/// See [`PruneError`].
pub fn prune(
    method: Method,
    rule: Rule,
    orphans: Orphans,
    context: &EdgeContext,
    rng: &mut SimRng,
) -> Result<Pruned, PruneError> {
    context.check()?;
    let name = method.name();
    let network = context.network;
    let candidates = &context.mask.0;
    let live = alive(network, context.mask);
    let scored = &EdgeContext { mask: &live, ..*context };

    // Methods that do more than select links by score.
    match method {
        Method::SpMerge {} => {
            let merged = merge::merge(scored, context.need_maps(name)?, rule, candidates)?;
            let (mask, weights) = (merged.mask, merged.weights);
            return Ok(finish(context, mask, weights, merged.scores, None));
        }
        Method::Taylor { vectorize, order, update } => {
            let removed = taylor::remove_units(scored, rule, vectorize, order, update, candidates)?;
            let weights = context.weights.clone();
            return Ok(finish(context, removed.mask, weights, removed.scores, None));
        }
        Method::Evolved {} => {
            let evolved = need_evolved(context)?;
            let scores = edge_scores(method, rule, context, rng)?;
            let mask = Mask(evolved.0.iter().zip(candidates).map(|(&e, &c)| e && c).collect());
            // No guard touches it: the evolved network also computes with constants, units that no live
            // input reaches, and would draw another picture without them.
            let pruned = finish(context, mask, context.weights.clone(), scores, None);
            let mut weights = context.weights.clone();
            pruned.mask.apply(&mut weights);
            return Ok(Pruned { live: pruned.mask.clone(), weights, ..pruned });
        }
        _ => {}
    }

    let scores = edge_scores(method, rule, context, rng)?;
    let dense = scores.dense(name)?;
    let quotas = match method {
        Method::SpLayerCounts {} => {
            let sp = prune(Method::Sp {}, rule, orphans, context, rng)?;
            let group = layer_of_links(network);
            let mut quota = sizes(&group, &sp.mask.0);
            quota.resize(group.iter().max().map_or(0, |g| g + 1), 0);
            Some(Quotas { group, quota })
        }
        Method::Wanda { scope, .. } => rule.quotas(network, candidates, scope)?,
        Method::SparseTraining { min_inputs } => {
            match rule.quotas(network, candidates, Scope::Layer)? {
                Some(quotas) if !matches!(rule, Rule::Layerwise { .. }) => {
                    Some(SparseTraining::quotas(network, context.mask, quotas.total(), min_inputs)?)
                }
                quotas => quotas,
            }
        }
        _ => rule.quotas(network, candidates, Scope::Global)?,
    };
    let (mask, guards) = match (quotas, rule) {
        (Some(quotas), _) => guard_budget(network, &dense, candidates, &quotas, orphans)?,
        (None, Rule::Threshold(tau)) => {
            guard_selection(network, &dense, candidates, above(&dense, &live.0, tau))
        }
        (None, _) => guard_selection(network, &dense, candidates, candidates.clone()),
    };
    let mask = Mask(mask);
    let weights = match method {
        Method::SpMrmr { .. } => mrmr::refit(scored, context.need_maps(name)?, &mask),
        _ => context.weights.clone(),
    };
    Ok(finish(context, mask, weights, scores, Some(guards)))
}

fn need_evolved<'a>(context: &EdgeContext<'a>) -> Result<&'a Mask, PruneError> {
    context
        .evolved
        .ok_or(PruneError::Missing { method: "evolved", what: "the mask of the evolved network" })
}

fn finish(
    context: &EdgeContext,
    mask: Mask,
    mut weights: Weights,
    scores: EdgeScores,
    guards: Option<GuardReport>,
) -> Pruned {
    let live = alive(context.network, &mask);
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
