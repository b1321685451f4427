//! Similarity of feature maps: SP, SP-signed, Gram matrices.
//!
//! The paper's text is not public: this is our reading of its captions \[ours\]. A link j → i stays
//! when the parent's picture is visible in the child's: |cos(a_j, a_i)| is high, a = the
//! post-activation map over the P pixels, not centred; the head uses raw h, s, v. All links count,
//! input layer and head included.
//!
//! Sums over pixels run in a fixed order on eight f64 lanes: same bits at any thread count.

use super::context::{EdgeContext, EdgeScores, PruneError};
use super::round::{Prunes, Round};
use crate::math::SimRng;
use crate::network::kernel::FeatureMaps;
use crate::network::{Mask, Network};
use nalgebra::DMatrix;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// ⟨a, b⟩ in f64, eight interleaved lanes then the tail.
pub fn dot(a: &[f32], b: &[f32]) -> f64 {
    let mut lanes = [0.0f64; 8];
    let (a8, b8) = (a.chunks_exact(8), b.chunks_exact(8));
    let tail: f64 =
        a8.remainder().iter().zip(b8.remainder()).map(|(x, y)| f64::from(*x) * f64::from(*y)).sum();
    for (x, y) in a8.zip(b8) {
        for k in 0..8 {
            lanes[k] += f64::from(x[k]) * f64::from(y[k]);
        }
    }
    lanes.iter().sum::<f64>() + tail
}

/// (U,) ‖a_u‖² of every map.
pub(super) fn squared_norms(maps: &FeatureMaps) -> Vec<f64> {
    (0..maps.units).into_par_iter().map(|u| dot(maps.unit(u), maps.unit(u))).collect()
}

/// |cos| from an inner product and two squared norms: in [0, 1], 0 where a map is all zero.
fn absolute_cosine(inner: f64, aa: f64, bb: f64) -> f64 {
    let norm = (aa * bb).sqrt();
    if norm > 0.0 {
        (inner.abs() / norm).min(1.0)
    } else if norm.is_nan() {
        f64::NAN
    } else {
        0.0
    }
}

/// (W,) |cos(a_source, a_target)| of every link of `mask`, in [0, 1]; a relay scores exactly 1.
pub fn link_cosines(network: &Network, mask: &Mask, maps: &FeatureMaps) -> EdgeScores {
    let norms = squared_norms(maps);
    EdgeScores(
        network
            .links
            .par_iter()
            .zip(&mask.0)
            .map(|(link, &kept)| {
                kept.then(|| {
                    let inner = dot(maps.unit(link.source), maps.unit(link.target));
                    absolute_cosine(inner, norms[link.source], norms[link.target])
                })
            })
            .collect(),
    )
}

/// (n, n) inner products ⟨a_j, a_k⟩ of the maps of `units`.
pub(super) fn gram(maps: &FeatureMaps, units: &[usize]) -> DMatrix<f64> {
    let n = units.len();
    let rows: Vec<Vec<f64>> = (0..n)
        .into_par_iter()
        .map(|j| (0..=j).map(|k| dot(maps.unit(units[j]), maps.unit(units[k]))).collect())
        .collect();
    DMatrix::from_fn(n, n, |j, k| rows[j.max(k)][j.min(k)])
}

/// The kept links into one unit: their sources' Gram matrix and weights, z = Σ w a.
pub(super) struct Inputs {
    /// (n,) kept links, ascending.
    pub links: Vec<usize>,
    /// (n, n) ⟨a_j, a_k⟩.
    pub gram: DMatrix<f64>,
    /// (n,) ⟨a_j, z⟩.
    pub onto_z: Vec<f64>,
    /// ‖z‖².
    pub z2: f64,
}

impl Inputs {
    /// |cos(a_j, z)| of the j-th kept link.
    pub fn relevance(&self, j: usize) -> f64 {
        absolute_cosine(self.onto_z[j], self.gram[(j, j)], self.z2)
    }

    /// |cos(a_j, a_k)| of two of them.
    pub fn redundancy(&self, j: usize, k: usize) -> f64 {
        absolute_cosine(self.gram[(j, k)], self.gram[(j, j)], self.gram[(k, k)])
    }
}

/// [`Inputs`] of every unit that has kept links. The Gram matrix of a layer is made once.
pub(super) fn inputs_of_units(context: &EdgeContext, maps: &FeatureMaps) -> Vec<Inputs> {
    let network = context.network;
    let mut result = Vec::new();
    let mut cache: Option<(Vec<usize>, DMatrix<f64>)> = None;
    for unit in network.units.iter().filter(|u| !u.links.is_empty()) {
        let sources: Vec<usize> =
            network.links[unit.links.clone()].iter().map(|l| l.source).collect();
        if cache.as_ref().is_none_or(|(of, _)| *of != sources) {
            let gram = gram(maps, &sources);
            cache = Some((sources, gram));
        }
        let Some((_, whole)) = &cache else { continue };
        let kept: Vec<usize> =
            (0..unit.links.len()).filter(|&j| context.mask.0[unit.links.start + j]).collect();
        if kept.is_empty() {
            continue;
        }
        let links: Vec<usize> = kept.iter().map(|j| unit.links.start + j).collect();
        let gram = DMatrix::from_fn(kept.len(), kept.len(), |j, k| whole[(kept[j], kept[k])]);
        let w: Vec<f64> = links.iter().map(|&i| context.weight(i)).collect();
        let onto_z: Vec<f64> = (0..kept.len())
            .map(|j| w.iter().enumerate().map(|(k, w)| w * gram[(j, k)]).sum())
            .collect();
        let z2: f64 = w.iter().zip(&onto_z).map(|(w, g)| w * g).sum();
        result.push(Inputs { links, gram, onto_z, z2 });
    }
    result
}

/// (W,) share_ij = w_ij⟨a_j, z_i⟩/‖z_i‖² of every kept link: how much of the unit's sum z_i = Σ w_ij a_j this
/// parent makes up, negative where it works against it. The shares of a unit sum to 1 (0 where z_i
/// is zero everywhere). \[ours\]
pub fn shares(context: &EdgeContext, maps: &FeatureMaps) -> EdgeScores {
    let mut scores = EdgeScores::of(context.mask, |_| 0.0);
    for unit in inputs_of_units(context, maps) {
        for (j, &link) in unit.links.iter().enumerate() {
            let share = context.weight(link) * unit.onto_z[j];
            scores.0[link] =
                Some(if unit.z2 > 0.0 || unit.z2.is_nan() { share / unit.z2 } else { 0.0 });
        }
    }
    scores
}

/// `sp`: no options.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sp {}

impl Prunes for Sp {
    fn scores(&self, round: &Round, _: &mut SimRng) -> Result<EdgeScores, PruneError> {
        Ok(link_cosines(round.context.network, round.context.mask, round.maps()?))
    }
}

/// Options of `sp-signed`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SpSigned {
    /// Rank by |share|: a parent that works against the child's sum counts as much. Default: false.
    pub absolute: bool,
}

impl Prunes for SpSigned {
    fn scores(&self, round: &Round, _: &mut SimRng) -> Result<EdgeScores, PruneError> {
        let shares = shares(&round.context, round.maps()?);
        Ok(if self.absolute { shares.map(f64::abs) } else { shares })
    }
}
