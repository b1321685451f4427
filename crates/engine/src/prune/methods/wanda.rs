//! Wanda: weight times the norm of its input (Sun, Liu, Bair, Kolter 2023).
//!
//! score = |w_ij|·‖x_j‖₂, x_j the map of the parent over the P pixels. Compared within each output row
//! (the published default; here with an exact K: ⌊K·fan_in_i/N⌋ and what is left over by largest remainder),
//! within each layer, or over the whole network. Layers are pruned in sequence: the next layer's x
//! comes from the layers already pruned. A global comparison needs all scores at once, so it uses the
//! unpruned activations.

use super::similarity::squared_norms;
use crate::base::SimRng;
use crate::base::choice::options;
use crate::network::Network;
use crate::network::kernel::FeatureMaps;
use crate::prune::context::{EdgeContext, EdgeScores, LAST, PruneError};
use crate::prune::round::{Prunes, Round};
use crate::prune::select::{Quotas, Rule, Scope, above, sizes, top};
use rayon::prelude::*;

/// (W,) Wanda scores. With `sequential` and a scope within layers, selection by `rule` is made
/// layer by layer and each layer's activations are computed again from the links selected so far.
/// Counts are of the (W,) `candidates`; the context's mask is the live part of them.
///
/// # Errors
/// As `Rule::quotas`.
pub(crate) fn scores(
    context: &EdgeContext,
    maps: &FeatureMaps,
    rule: Rule,
    scope: Scope,
    sequential: bool,
    candidates: &[bool],
) -> Result<EdgeScores, PruneError> {
    let network = context.network;
    let norms: Vec<f64> = squared_norms(maps).iter().map(|n| n.sqrt()).collect();
    let score = |i: usize, norms: &[f64]| context.weight(i).abs() * norms[network.links[i].source];
    if !sequential || scope == Scope::Global {
        return Ok(EdgeScores::of(context.mask, |i| score(i, &norms)));
    }
    let quotas = rule.quotas(network, candidates, scope)?;
    let mut norms = norms;
    let mut now = maps.clone();
    let mut values = vec![0.0; network.weight_count()];
    let none = vec![false; network.weight_count()];
    for layer in 1..=network.depth() {
        let inside: Vec<bool> = network
            .links
            .iter()
            .zip(candidates)
            .map(|(l, &m)| m && network.units[l.target].layer == layer)
            .collect();
        for i in (0..inside.len()).filter(|&i| inside[i]) {
            values[i] = if context.mask.0[i] { score(i, &norms) } else { LAST };
        }
        let kept = match (&quotas, rule) {
            (Some(quotas), _) => top(&values, &inside, &within(quotas, candidates, &inside), &none),
            (None, Rule::Threshold(tau)) => above(&values, &inside, tau),
            (None, _) => inside.clone(),
        };
        // (units of the layer, P): their maps from the links selected so far.
        let units: Vec<usize> = (network.inputs.len()..network.units.len())
            .filter(|&u| network.units[u].layer == layer)
            .collect();
        let fresh: Vec<Vec<f32>> =
            units.par_iter().map(|&u| unit_map(context, &kept, &now, u)).collect();
        for (&u, map) in units.iter().zip(&fresh) {
            now.values[u * now.pixels..(u + 1) * now.pixels].copy_from_slice(map);
            norms[u] = super::similarity::dot(map, map).sqrt();
        }
    }
    Ok(EdgeScores::of(context.mask, |i| values[i]))
}

/// The quotas of the parts inside one layer, 0 for the others. A part that also lies in other layers (a
/// graph's outputs stand at several depths) gets its share here, rounded down.
fn within(quotas: &Quotas, candidates: &[bool], inside: &[bool]) -> Quotas {
    let mut all = sizes(&quotas.group, candidates);
    let mut here = sizes(&quotas.group, inside);
    all.resize(quotas.quota.len(), 0);
    here.resize(quotas.quota.len(), 0);
    for (g, share) in here.iter_mut().enumerate() {
        *share = (quotas.quota[g] * *share).checked_div(all[g]).unwrap_or(0);
    }
    Quotas { group: quotas.group.clone(), quota: here }
}

/// (P,) map of a unit from the maps of its sources along `kept` links, summed in f64.
fn unit_map(context: &EdgeContext, kept: &[bool], maps: &FeatureMaps, unit: usize) -> Vec<f32> {
    let network: &Network = context.network;
    let mut z = vec![0.0f64; maps.pixels];
    for i in network.units[unit].links.clone().filter(|&i| kept[i]) {
        let w = context.weight(i);
        for (z, &x) in z.iter_mut().zip(maps.unit(network.links[i].source)) {
            *z += w * f64::from(x);
        }
    }
    let activation = network.units[unit].activation;
    z.into_iter().map(|z| activation.value(z) as f32).collect()
}

options! {
    /// Options of `wanda`.
    #[derive(Copy)]
    pub struct Wanda {
        /// Within what scores are compared: the links of one output, of a layer, or all.
        scope: Scope = Scope::Row, source: "Sun et al.";
        /// Pass pruned activations on to the next layer.
        sequential: bool = true, source: "Sun et al.";
    }
}

impl Prunes for Wanda {
    fn scores(&self, round: &Round, _: &mut SimRng) -> Result<EdgeScores, PruneError> {
        let (maps, candidates) = (round.maps()?, &round.candidates.0);
        scores(&round.context, maps, round.rule, self.scope, self.sequential, candidates)
    }

    fn quotas(&self, round: &Round, _: &mut SimRng) -> Result<Option<Quotas>, PruneError> {
        round.rule.quotas(round.context.network, &round.candidates.0, self.scope)
    }
}
