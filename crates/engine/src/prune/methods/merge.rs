//! SP-merge: units of a layer that draw the same picture become one \[ours\].
//!
//! Two units of a layer with the same activation are a pair; the pair with the highest
//! |cos(a_r, a_k)| is merged first (ties: lower indices), as long as that is at least τ, or until at most K
//! links are left. The unit with the larger map stays (tie: the lower index): a_k ≈ c·a_r with
//! c = ⟨a_k, a_r⟩/‖a_r‖² is folded into its outgoing weights, w_ir ← w_ir + c·w_ik, and k goes with all its
//! links. A removed link r → i is reopened when k → i was kept: the count never rises.
//!
//! Structured: `Budget(K)` gives the first count ≤ K. A pair in a graph merges only where the survivor
//! has every link it would need.

use super::similarity::{gram, squared_norms};
use crate::base::SimRng;
use crate::base::choice::options;
use crate::network::kernel::FeatureMaps;
use crate::network::{Mask, Weights};
use crate::prune::context::{EdgeContext, EdgeScores, PruneError};
use crate::prune::guard::leaving;
use crate::prune::round::{Pruned, Prunes, Round, finish};
use crate::prune::select::Rule;

/// The outcome of merging.
#[derive(Clone, Debug, PartialEq)]
pub struct Merged {
    /// Links left.
    pub mask: Mask,
    /// Weights with the folds; 0 where removed.
    pub weights: Weights,
    /// Of each link: 1 − the |cos| at which its source or target was merged away, 1 where kept.
    pub scores: EdgeScores,
    /// (removed unit, the unit it went into, |cos|), in order.
    pub merges: Vec<(usize, usize, f64)>,
}

/// Merges by `Threshold(τ)` on |cos| (τ in (0, 1] makes sense) or down to a `Budget(K)`. Fractions are of
/// the (W,) `candidates`; the context's mask is the live part of them.
///
/// # Errors
/// `Unreachable` when no pair is left above the budget; `Unsupported` for layerwise fractions.
pub fn merge(
    context: &EdgeContext,
    maps: &FeatureMaps,
    rule: Rule,
    candidates: &[bool],
) -> Result<Merged, PruneError> {
    const NAME: &str = "sp-merge";
    let network = context.network;
    let (tau, budget) = rule.structured_goal(NAME, context, candidates)?;
    let mut mask = context.mask.0.clone();
    let mut weights: Vec<f64> = (0..mask.len()).map(|i| context.weight(i)).collect();
    let mut merged_at: Vec<Option<f64>> = vec![None; mask.len()];
    let norms = squared_norms(maps);
    let leaving = leaving(context.network);

    // Candidate pairs, best first; the maps do not change, so neither does their order.
    let mut pairs: Vec<(f64, usize, usize, f64)> = Vec::new();
    for layer in 1..=network.depth() {
        let units: Vec<usize> = (network.inputs.len()..network.units.len())
            .filter(|&u| network.units[u].layer == layer && !network.outputs.contains(&Some(u)))
            .collect();
        let gram = gram(maps, &units);
        for (a, &j) in units.iter().enumerate() {
            for (b, &k) in units.iter().enumerate().skip(a + 1) {
                if network.units[j].activation != network.units[k].activation {
                    continue;
                }
                let norm = (norms[j] * norms[k]).sqrt();
                let (stays, goes) = if norms[k] > norms[j] { (k, j) } else { (j, k) };
                let inner = gram[(a, b)];
                let cos = if norm > 0.0 {
                    (inner.abs() / norm).min(1.0)
                } else if norm.is_nan() || inner.is_nan() {
                    return Err(PruneError::NotFinite {
                        method: NAME,
                        link: network.units[j].links.start,
                        found: f64::NAN,
                    });
                } else {
                    0.0
                };
                let fold = if norms[stays] > 0.0 { inner / norms[stays] } else { 0.0 };
                pairs.push((cos, stays, goes, fold));
            }
        }
    }
    pairs.sort_by(|a, b| {
        let key = |p: &(f64, usize, usize, f64)| (p.1.min(p.2), p.1.max(p.2));
        b.0.total_cmp(&a.0).then(key(a).cmp(&key(b)))
    });

    let mut gone = vec![false; network.units.len()];
    // A unit that had no links before the round takes no part in it.
    for u in network.inputs.len()..gone.len() {
        gone[u] = !network.units[u].links.clone().any(|i| mask[i])
            && !leaving[u].iter().any(|&i| mask[i]);
    }
    let mut merges = Vec::new();
    let mut count = mask.iter().filter(|&&m| m).count();
    for (cos, stays, goes, fold) in pairs {
        if count <= budget || cos < tau {
            break;
        }
        if gone[stays] || gone[goes] {
            continue;
        }
        // Where each outgoing link of the unit that goes lands.
        let landing: Option<Vec<(usize, usize)>> = leaving[goes]
            .iter()
            .filter(|&&i| mask[i])
            .map(|&i| {
                leaving[stays]
                    .iter()
                    .find(|&&j| network.links[j].target == network.links[i].target)
                    .map(|&j| (i, j))
            })
            .collect();
        let Some(landing) = landing else { continue };
        for (from, to) in landing {
            weights[to] += fold * weights[from];
            mask[to] = true;
        }
        for i in network.units[goes].links.clone().chain(leaving[goes].iter().copied()) {
            if mask[i] {
                merged_at[i] = Some(cos);
            }
            mask[i] = false;
            weights[i] = 0.0;
        }
        gone[goes] = true;
        merges.push((goes, stays, cos));
        count = mask.iter().filter(|&&m| m).count();
    }
    if count > budget && tau == f64::NEG_INFINITY {
        return Err(PruneError::unreachable(NAME, count, budget));
    }
    let scores = EdgeScores(
        (0..mask.len())
            .map(|i| {
                (context.mask.0[i] || mask[i]).then(|| merged_at[i].map_or(1.0, |cos| 1.0 - cos))
            })
            .collect(),
    );
    Ok(Merged {
        mask: Mask(mask),
        weights: Weights(weights.into_iter().map(|w| w as f32).collect()),
        scores,
        merges,
    })
}

options! {
    /// `sp-merge`: no options.
    #[derive(Copy)]
    pub struct SpMerge {}
}

impl SpMerge {
    fn merged(round: &Round) -> Result<Merged, PruneError> {
        merge(&round.context, round.maps()?, round.rule, &round.candidates.0)
    }
}

impl Prunes for SpMerge {
    fn scores(&self, round: &Round, _: &mut SimRng) -> Result<EdgeScores, PruneError> {
        Ok(SpMerge::merged(round)?.scores)
    }

    fn prune(&self, round: &Round, _: &mut SimRng) -> Result<Pruned, PruneError> {
        let Merged { mask, weights, scores, .. } = SpMerge::merged(round)?;
        Ok(finish(round.context.network, mask, weights, scores, None))
    }
}
