//! Similarity of feature maps: SP, SP-signed, Gram matrices.
//!
//! The paper's text is not public: this is our reading of its captions \[ours\]. A link j → i stays
//! when the parent's picture is visible in the child's and the link carries it there:
//! |w_ij| ‖a_j‖ |cos(a_j, a_i)| is high, a = the post-activation map over the P pixels, not centred; the head uses raw
//! h, s, v. All links count, input layer and head included.
//!
//! It was chosen by two facts: the captions' counts of links, and that a network of so few links learns its picture.
//! Without the weight (`weighted = false`) no reading passes the second.
//!
//! Sums over pixels run in a fixed order on eight f64 lanes: same bits at any thread count.

use crate::base::SimRng;
use crate::base::choice::options;
use crate::base::names::names;
use crate::network::kernel::FeatureMaps;
use crate::network::{Mask, Network};
use crate::prune::context::{EdgeContext, EdgeScores, PruneError};
use crate::prune::round::{Prunes, Round};
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
pub(in crate::prune) fn squared_norms(maps: &FeatureMaps) -> Vec<f64> {
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
pub(crate) fn link_cosines(network: &Network, mask: &Mask, maps: &FeatureMaps) -> EdgeScores {
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
pub(in crate::prune) fn gram(maps: &FeatureMaps, units: &[usize]) -> DMatrix<f64> {
    let n = units.len();
    let rows: Vec<Vec<f64>> = (0..n)
        .into_par_iter()
        .map(|j| (0..=j).map(|k| dot(maps.unit(units[j]), maps.unit(units[k]))).collect())
        .collect();
    DMatrix::from_fn(n, n, |j, k| rows[j.max(k)][j.min(k)])
}

/// The kept links into one unit: their sources' Gram matrix and weights, z = Σ w a.
pub(in crate::prune) struct Inputs {
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
    pub(crate) fn relevance(&self, j: usize) -> f64 {
        absolute_cosine(self.onto_z[j], self.gram[(j, j)], self.z2)
    }

    /// |cos(a_j, a_k)| of two of them.
    pub(crate) fn redundancy(&self, j: usize, k: usize) -> f64 {
        absolute_cosine(self.gram[(j, k)], self.gram[(j, j)], self.gram[(k, k)])
    }
}

/// [`Inputs`] of every unit that has kept links. The Gram matrix of a layer is made once.
pub(in crate::prune) fn inputs_of_units(context: &EdgeContext, maps: &FeatureMaps) -> Vec<Inputs> {
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
pub(crate) fn shares(context: &EdgeContext, maps: &FeatureMaps) -> EdgeScores {
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

/// The quantities of parent and child that SP compares. The captions' counts cannot tell these
/// apart (METHODS §5); a = map after the activation, z = sum before it, j the parent, i the child.
/// \[ours\]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reading {
    /// |cos(a_j, a_i)|.
    CosMaps,
    /// |corr(a_j, a_i)|: the same of maps less their means.
    CorrMaps,
    /// |cos(a_j, z_i)|.
    CosSum,
    /// |corr(a_j, z_i)|.
    CorrSum,
    /// |w_ij|·‖a_j‖, root mean square: what the link carries, whatever the child is.
    Strength,
}

names! {
    Reading, "reading": CosMaps "cos-maps", CorrMaps "corr-maps", CosSum "cos-sum", CorrSum "corr-sum",
    Strength "strength"
}

impl Reading {
    fn is_default(&self) -> bool {
        *self == Reading::CosMaps
    }
}

options! {
    /// Options of `sp`.
    #[derive(Copy)]
    pub struct Sp {
        /// What is compared of parent and child: maps, sums, with their means or without, or what the link carries.
        #[serde(skip_serializing_if = "Reading::is_default")]
        reading: Reading = Reading::CosMaps, source: "ours";
        /// Times what the link carries, |w|·‖a‖ (root mean square).
        #[serde(skip_serializing_if = "Clone::clone")]
        weighted: bool = true, source: "ours";
        /// Links from the inputs stay.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        keep_inputs: bool = false, source: "ours";
    }

    /// Options of `sp-signed`.
    #[derive(Copy)]
    pub struct SpSigned {
        /// Rank by |share|: a parent that works against the child's sum counts as much.
        absolute: bool = false, source: "ours";
    }
}

/// Unit of the constant input, whose map has no correlation with anything.
const BIAS: usize = 3;

/// (W,) how similar parent and child of every kept link are, as `reading` has it; ≥ 0, and ≤ 1 but for
/// [`Reading::Strength`]. Centred readings say nothing of the bias: its links stay, with a score of 1.
pub fn similarities(context: &EdgeContext, maps: &FeatureMaps, reading: Reading) -> EdgeScores {
    let (network, mask) = (context.network, context.mask);
    match reading {
        Reading::CosMaps => link_cosines(network, mask, maps),
        Reading::Strength => strengths(context, maps),
        Reading::CorrMaps => bias_spared(network, link_cosines(network, mask, &centred(maps))),
        Reading::CosSum => to_sums(network, mask, maps, &sums(context, maps)),
        Reading::CorrSum => {
            let sums = centred(&sums(context, maps));
            bias_spared(network, to_sums(network, mask, &centred(maps), &sums))
        }
    }
}

/// (W,) |w_ij|·‖a_j‖ of every kept link, root mean square over pixels: what it carries.
fn strengths(context: &EdgeContext, maps: &FeatureMaps) -> EdgeScores {
    let norms = squared_norms(maps);
    let root = (maps.pixels as f64).sqrt();
    let norm = |i: usize| norms[context.network.links[i].source].sqrt() / root;
    EdgeScores::of(context.mask, |i| context.weight(i).abs() * norm(i))
}

/// The same with a score of 1 for kept links from the bias.
fn bias_spared(network: &Network, mut scores: EdgeScores) -> EdgeScores {
    for (score, link) in scores.0.iter_mut().zip(&network.links) {
        if link.source == BIAS && score.is_some() {
            *score = Some(1.0);
        }
    }
    scores
}

/// (U, P) the sums before the activation, z_i = Σ w_ij a_j over kept links; of an input its map.
fn sums(context: &EdgeContext, maps: &FeatureMaps) -> FeatureMaps {
    let values: Vec<Vec<f32>> = (0..maps.units)
        .into_par_iter()
        .map(|u| {
            let links = context.network.units[u].links.clone();
            if links.is_empty() {
                return maps.unit(u).to_vec();
            }
            let mut sum = vec![0.0f64; maps.pixels];
            for i in links.filter(|&i| context.mask.0[i]) {
                let (w, a) = (context.weight(i), maps.unit(context.network.links[i].source));
                sum.iter_mut().zip(a).for_each(|(z, &a)| *z += w * f64::from(a));
            }
            sum.into_iter().map(|z| z as f32).collect()
        })
        .collect();
    FeatureMaps { units: maps.units, pixels: maps.pixels, values: values.concat() }
}

/// (U, P) maps less their means; of a map that is constant but for rounding, zeros.
fn centred(maps: &FeatureMaps) -> FeatureMaps {
    let unit = |u: usize| -> Vec<f32> {
        let map = maps.unit(u);
        let mean = map.iter().map(|&a| f64::from(a)).sum::<f64>() / maps.pixels as f64;
        let constant = map.iter().all(|&a| (f64::from(a) - mean).abs() <= 1e-6 * mean.abs());
        let centre = |&a: &f32| if constant { 0.0 } else { (f64::from(a) - mean) as f32 };
        map.iter().map(centre).collect()
    };
    let values: Vec<Vec<f32>> = (0..maps.units).into_par_iter().map(unit).collect();
    FeatureMaps { units: maps.units, pixels: maps.pixels, values: values.concat() }
}

/// (W,) |cos(a_source, z_target)| of every kept link.
fn to_sums(network: &Network, mask: &Mask, maps: &FeatureMaps, sums: &FeatureMaps) -> EdgeScores {
    let (aa, zz) = (squared_norms(maps), squared_norms(sums));
    let score = |i: usize| {
        let link = network.links[i];
        let inner = dot(maps.unit(link.source), sums.unit(link.target));
        absolute_cosine(inner, aa[link.source], zz[link.target])
    };
    EdgeScores((0..mask.0.len()).into_par_iter().map(|i| mask.0[i].then(|| score(i))).collect())
}

impl Sp {
    /// |cos(a_j, a_i)| alone, which was SP's definition before it was asked to leave networks that live: the controls
    /// are controls of it.
    pub const COSINE: Sp = Sp { reading: Reading::CosMaps, weighted: false, keep_inputs: false };

    /// (W,) the score of every kept link, ≥ 0.
    pub fn link_scores(&self, context: &EdgeContext, maps: &FeatureMaps) -> EdgeScores {
        let mut scores = similarities(context, maps, self.reading);
        if self.weighted {
            let carried = strengths(context, maps);
            let pairs = scores.0.iter_mut().flatten().zip(carried.0.into_iter().flatten());
            pairs.for_each(|(score, carried)| *score *= carried);
        }
        if self.keep_inputs {
            let most = scores.0.iter().flatten().copied().fold(1.0, f64::max);
            let all = scores.0.iter_mut().zip(&context.network.links);
            let inputs =
                all.filter(|(_, link)| context.network.units[link.source].links.is_empty());
            inputs.filter_map(|(score, _)| score.as_mut()).for_each(|score| *score = most);
        }
        scores
    }
}

impl Prunes for Sp {
    fn scores(&self, round: &Round, _: &mut SimRng) -> Result<EdgeScores, PruneError> {
        Ok(self.link_scores(&round.context, round.maps()?))
    }
}

impl Prunes for SpSigned {
    fn scores(&self, round: &Round, _: &mut SimRng) -> Result<EdgeScores, PruneError> {
        let shares = shares(&round.context, round.maps()?);
        Ok(if self.absolute { shares.map(f64::abs) } else { shares })
    }
}
