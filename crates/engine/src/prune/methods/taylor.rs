//! Taylor / LLM-Pruner: whole units, by the first-order change of the loss.
//!
//! Ma, Fang, Wang, *LLM-Pruner* (2023); Molchanov et al. 2019. The group of a hidden unit k is its
//! incoming column and outgoing row; with s the salience of a weight,
//! I_k = Σ|s| over the group, or with `vectorize` |Σ s| of the incoming plus |Σ s| of the outgoing weights
//! (LLM-Pruner's vector-wise estimate, one vector a matrix).
//!
//! | order | s | LLM-Pruner's name |
//! |---|---|---|
//! | `first` | w·g | `param_first` |
//! | `second` | w²·h | `param_second` |
//! | `mixed` | w·g − ½w²·h | `param_mix` |
//!
//! g = ∂L/∂w, h = g² (LLM-Pruner's Fisher approximation for one batch). Units go by rising I_k (ties: the lower index) until at most K
//! links are left. By default I_k is ranked once, as LLM-Pruner does; `update` ranks again after every unit,
//! over the links still there.
//!
//! The count reached depends on the order. On FER's SGD skull, 5478 links, K = 1404, gradient of the
//! MSE against the evolved network's float render, `second` ranked once reaches **1397**, the caption's
//! number; `first` 1399, `first` with `vectorize` 1391; with `update` 1386 to 1401 \[measured\].
//!
//! A unit stays when its removal would cut an output off from the inputs (guard).

use crate::base::SimRng;
use crate::base::choice::options;
use crate::base::names::names;
use crate::network::Mask;
use crate::prune::context::{EdgeContext, EdgeScores, PruneError};
use crate::prune::guard::{leaving, reach};
use crate::prune::round::{Pruned, Prunes, Round, finish};
use crate::prune::select::Rule;
use serde::{Deserialize, Serialize};

/// Which Taylor term.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// w·g.
    First,
    /// w²·h.
    Second,
    /// w·g − ½w²·h.
    Mixed,
}

/// The outcome of structured removal.
#[derive(Clone, Debug, PartialEq)]
pub struct Removed {
    /// Links left.
    pub mask: Mask,
    /// I_k of the link's hidden unit: the smaller of its source's and its target's.
    pub scores: EdgeScores,
    /// Units removed, in order, with I_k at that moment.
    pub units: Vec<(usize, f64)>,
}

/// (U,) I_k of every hidden unit over the links of `mask`; 0 for inputs and outputs.
///
/// # Errors
/// No gradient in the context.
pub fn importance(
    context: &EdgeContext,
    mask: &[bool],
    vectorize: bool,
    order: Order,
) -> Result<Vec<f64>, PruneError> {
    let gradient = context
        .gradient
        .ok_or_else(|| PruneError::missing("taylor", "the gradient of the loss"))?;
    let network = context.network;
    let salience: Vec<f64> = (0..mask.len())
        .map(|i| {
            let (w, g) = (context.weight(i), f64::from(gradient[i]));
            let h = g * g;
            match order {
                Order::First => w * g,
                Order::Second => w * w * h,
                Order::Mixed => w * g - 0.5 * w * w * h,
            }
        })
        .collect();
    let reduce = |links: &mut dyn Iterator<Item = usize>| -> f64 {
        let kept = links.filter(|&i| mask[i]).map(|i| salience[i]);
        if vectorize { kept.sum::<f64>().abs() } else { kept.map(f64::abs).sum() }
    };
    let leaving = leaving(context.network);
    Ok((0..network.units.len())
        .map(|u| {
            if u < network.inputs.len() || network.outputs.contains(&Some(u)) {
                0.0
            } else {
                reduce(&mut network.units[u].links.clone())
                    + reduce(&mut leaving[u].iter().copied())
            }
        })
        .collect())
}

/// Removes hidden units by rising importance. Fractions are of the (W,) `candidates`; the context's
/// mask is the live part of them.
///
/// # Errors
/// No gradient; a score that is not finite; `Unreachable` when only units are left that the outputs need.
pub fn remove_units(
    context: &EdgeContext,
    rule: Rule,
    vectorize: bool,
    order: Order,
    update: bool,
    candidates: &[bool],
) -> Result<Removed, PruneError> {
    let network = context.network;
    let (tau, budget) = rule.structured_goal("taylor", context, candidates)?;
    let mut mask = context.mask.0.clone();
    let first = importance(context, &mask, vectorize, order)?;
    if let Some(unit) = first.iter().position(|i| !i.is_finite()) {
        return Err(PruneError::NotFinite {
            method: "taylor",
            link: network.units[unit].links.start,
            found: first[unit],
        });
    }
    let hidden = |u: usize| u >= network.inputs.len() && !network.outputs.contains(&Some(u));
    let scores = EdgeScores::of(context.mask, |i| {
        let link = network.links[i];
        let ends = [link.source, link.target]
            .into_iter()
            .filter(|&u| hidden(u))
            .map(|u| first[u])
            .fold(f64::INFINITY, f64::min);
        // A link from an input straight to an output belongs to no group and never goes.
        if ends.is_finite() { ends } else { f64::MAX }
    });

    let leaving = leaving(context.network);
    let links_of = |u: usize| network.units[u].links.clone().chain(leaving[u].iter().copied());
    let fed = |mask: &[bool]| -> Vec<bool> {
        let reach = reach(network, mask);
        network.outputs.map(|o| o.is_some_and(|o| reach.from_input[o])).to_vec()
    };
    let before = fed(&mask);
    let mut left: Vec<usize> = (network.inputs.len()..network.units.len())
        .filter(|&u| hidden(u) && links_of(u).any(|i| mask[i]))
        .collect();
    let mut rank = first;
    let mut units = Vec::new();
    let mut count = mask.iter().filter(|&&m| m).count();
    while count > budget {
        if update {
            rank = importance(context, &mask, vectorize, order)?;
        }
        left.sort_by(|&a, &b| rank[a].total_cmp(&rank[b]).then(a.cmp(&b)));
        let mut removed = None;
        for (place, &u) in left.iter().enumerate() {
            if rank[u] >= tau && tau > f64::NEG_INFINITY {
                break;
            }
            let mut without = mask.clone();
            for i in links_of(u) {
                without[i] = false;
            }
            if fed(&without) == before {
                removed = Some((place, u, without));
                break;
            }
        }
        match removed {
            Some((place, u, without)) => {
                left.remove(place);
                units.push((u, rank[u]));
                mask = without;
                count = mask.iter().filter(|&&m| m).count();
            }
            None if tau > f64::NEG_INFINITY => break,
            None => {
                return Err(PruneError::unreachable("taylor", count, budget));
            }
        }
    }
    Ok(Removed { mask: Mask(mask), scores, units })
}

options! {
    /// Options of `taylor`.
    #[derive(Copy)]
    pub struct Taylor {
        /// |Σ s| of each vector in place of Σ|s|.
        vectorize: bool = false, source: "LLM-Pruner";
        /// Which Taylor term: w·g, w²·h, or both.
        order: Order = Order::First, source: "LLM-Pruner";
        /// Rank again after every unit.
        update: bool = false, source: "LLM-Pruner";
    }
}

names! { Order, "order": First "first", Second "second", Mixed "mixed" }

impl Taylor {
    fn removed(&self, round: &Round) -> Result<Removed, PruneError> {
        let Taylor { vectorize, order, update } = *self;
        let candidates = &round.candidates.0;
        remove_units(&round.context, round.rule, vectorize, order, update, candidates)
    }
}

impl Prunes for Taylor {
    fn scores(&self, round: &Round, _: &mut SimRng) -> Result<EdgeScores, PruneError> {
        Ok(self.removed(round)?.scores)
    }

    fn prune(&self, round: &Round, _: &mut SimRng) -> Result<Pruned, PruneError> {
        let Removed { mask, scores, .. } = self.removed(round)?;
        let weights = round.context.weights.clone();
        Ok(finish(round.context.network, mask, weights, scores, None))
    }
}
