//! Structural compositionality: is each part of the picture drawn by a subnetwork of its own?
//!
//! For a picture made of known parts (regions of pixels over a background colour), and a trained
//! network with frozen weights w: for each part a mask is learned so that the masked network draws
//! *that part alone on the background*. Mask by continuous sparsification: w·σ(βs)/σ(βs₀) (so it
//! starts from the trained network), β growing exponentially from 1 to 200, loss = MSE +
//! λ·Σσ(βs)/W; in the end m = 1{s > 0}, without the links that are then on no path from an input
//! to an output.
//! Sub = w·m, Abl = w·(1 − m). Accuracy of part j in a picture, Acc_j = clip(1 − E_j(picture)/
//! E_j(background), 0, 1), E_j the squared error to the target within region j.
//! D_sub = Acc_i(Sub_i) − mean_{j≠i} Acc_j(Sub_i); D_abl the same for Abl_i.
//! SC = mean over parts of (D_sub − D_abl)/2, in [−1, 1]. Compositional: D_sub > 0 *and* D_abl < 0.
//! Controls: masks with as many links in every layer, at random.
//!
//! In: a picture (P, 3), regions (P,) of at least two parts, weights and mask (W,). Out: SC, and D_sub, D_abl and a
//! mask (W,) a part.
//! Cost a part: 300 gradients over P pixels (the mask), 22 drawings (Sub and Abl of it and of ten controls).
//!
//! Sources: Lepori, Serre & Pavlick, *Break it down: evidence for structural compositionality in
//! neural networks*, NeurIPS 2023; Savarese, Silva & Maire, *Winning the lottery with continuous
//! sparsification*, 2020. The mapping from subroutines to parts of a picture, Acc_j, and dividing
//! the penalty by W, dividing by σ(βs₀) at every β (Savarese et al.: by σ(s₀)), and leaving dead links
//! out are \[ours\].
//!
//! **What it does not mean:** a mask is *found by optimisation*: in an overparametrised network a
//! subnetwork that draws the part may be built rather than discovered. D_abl guards against that,
//! the random masks show the floor; D_sub alone proves nothing.

use picloom::base::{SimRng, real};
use picloom::network::kernel::{Objective, render};
use picloom::network::{Mask, Network, PixelInputs, Weights};
use picloom::prune::alive;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// How masks are learned.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct MaskConfig {
    /// Steps of Adam on s. More steps, better masks. Default 300.
    pub steps: usize,
    /// Adam's learning rate on s. Default 0.1.
    pub lr: f64,
    /// Last β; the first is 1. Default 200 \[src Lepori\].
    pub last_beta: f64,
    /// λ, weight of the mean mask value against the MSE. Larger masks fewer links in. Default 0.002.
    pub penalty: f64,
    /// Where every s starts, above 0: the further, the longer a link can be argued about before β
    /// settles it. The first network is the trained one whatever it is. Default 0.3.
    pub start: f64,
    /// Random masks a part for the control. Default 10.
    pub controls: usize,
}

impl Default for MaskConfig {
    fn default() -> Self {
        MaskConfig {
            steps: 300,
            lr: 0.1,
            last_beta: 200.0,
            penalty: 0.002,
            start: 0.3,
            controls: 10,
        }
    }
}

/// A picture whose parts are known.
#[derive(Clone, Debug, PartialEq)]
pub struct PartedPicture {
    /// (P, 3) interleaved rgb in [0, 1].
    pub rgb: Vec<f32>,
    /// Colour where there is no part.
    pub background: [f32; 3],
    /// Name and (P,) region of each part. Regions may not overlap.
    pub parts: Vec<(String, Vec<bool>)>,
}

/// One part's subnetwork.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PartResult {
    /// The part.
    pub part: String,
    /// Links in its mask.
    pub kept: usize,
    /// D_sub in [−1, 1]: above 0 if the subnetwork draws its part rather than the others.
    pub d_sub: f64,
    /// D_abl in [−1, 1]: below 0 if without it the others remain and the part does not.
    pub d_abl: f64,
    /// Mean (D_sub − D_abl)/2 of the random masks.
    pub control: f64,
    /// The mask.
    pub mask: Mask,
}

/// Structural compositionality of one network on one picture.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StructuralCompositionality {
    /// SC in [−1, 1].
    pub sc: f64,
    /// The same of the random masks.
    pub control: f64,
    /// Parts with D_sub > 0 and D_abl < 0.
    pub compositional_parts: usize,
    /// Accuracy of each part in the whole network's picture: if that is low, the rest means
    /// little.
    pub whole: Vec<f64>,
    /// Each part's subnetwork.
    pub parts: Vec<PartResult>,
}

/// Why it could not be measured.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum StructuralError {
    /// One part has nothing to be told apart from.
    #[error("structural compositionality: expected at least 2 parts, found {0}")]
    TooFewParts(usize),
    /// A part's region does not fit, is empty, or overlaps another.
    #[error(
        "part {part:?}: expected a region of {expected} pixels, not empty, without overlap; found {found}"
    )]
    Region {
        /// The part.
        part: String,
        /// P.
        expected: usize,
        /// The error in the region.
        found: String,
    },
    /// A part that looks like the background.
    #[error("part {0:?}: expected colours that differ from the background, found none")]
    Invisible(String),
}

/// Learns a mask for each part and measures what subnetworks and ablations draw.
///
/// `mask` (W,): links that exist; the others stay out of every mask. The network and its weights
/// are not changed. Random controls draw from `rng`.
///
/// # Errors
/// Fewer than two parts; regions that are empty, overlap or have another size; a part of the
/// background's colour.
///
/// # Panics
/// If weights, mask or picture are those of another network or size.
pub fn structural_compositionality(
    network: &Network,
    weights: &Weights,
    mask: &Mask,
    inputs: &PixelInputs,
    picture: &PartedPicture,
    config: &MaskConfig,
    rng: &mut SimRng,
) -> Result<StructuralCompositionality, StructuralError> {
    let judge = PartJudge::new(picture, inputs.pixels())?;
    let draw = |keep: &dyn Fn(usize) -> bool| {
        let mut masked = weights.clone();
        for (i, w) in masked.0.iter_mut().enumerate() {
            if !(mask.0[i] && keep(i)) {
                *w = 0.0;
            }
        }
        judge.accuracies(&render(network, &masked, inputs))
    };
    let gap = |accuracy: &[f64], part: usize| {
        let others: f64 = accuracy.iter().sum::<f64>() - accuracy[part];
        accuracy[part] - others / (accuracy.len() - 1) as f64
    };
    let measure = |found: &Mask, part: usize| {
        let sub = gap(&draw(&|i| found.0[i]), part);
        let abl = gap(&draw(&|i| !found.0[i]), part);
        (sub, abl)
    };
    let mut parts = Vec::with_capacity(picture.parts.len());
    for (k, (name, region)) in picture.parts.iter().enumerate() {
        let alone: Vec<f32> = (0..inputs.pixels())
            .flat_map(|p| {
                let own = [0, 1, 2].map(|c| picture.rgb[3 * p + c]);
                if region[p] { own } else { picture.background }
            })
            .collect();
        let found = learn_mask(network, weights, mask, inputs, &alone, config);
        let (d_sub, d_abl) = measure(&found, k);
        let control = (0..config.controls)
            .map(|_| {
                let (sub, abl) = measure(&random_like(network, mask, &found, rng), k);
                (sub - abl) / 2.0
            })
            .sum::<f64>()
            / config.controls.max(1) as f64;
        parts.push(PartResult {
            part: name.clone(),
            kept: found.kept(),
            d_sub,
            d_abl,
            control,
            mask: found,
        });
    }
    let n = parts.len() as f64;
    Ok(StructuralCompositionality {
        sc: parts.iter().map(|p| (p.d_sub - p.d_abl) / 2.0).sum::<f64>() / n,
        control: parts.iter().map(|p| p.control).sum::<f64>() / n,
        compositional_parts: parts.iter().filter(|p| p.d_sub > 0.0 && p.d_abl < 0.0).count(),
        whole: draw(&|_| true),
        parts,
    })
}

/// The mask 1{s > 0} under which the network draws `target` (P, 3) best, by continuous
/// sparsification. Deterministic.
fn learn_mask(
    network: &Network,
    weights: &Weights,
    mask: &Mask,
    inputs: &PixelInputs,
    target: &[f32],
    config: &MaskConfig,
) -> Mask {
    let count = network.weight_count();
    let links = mask.kept().max(1) as f64;
    let mut objective = Objective::new(network, mask, inputs, target);
    let mut s = vec![config.start; count];
    let (mut first, mut second) = (vec![0.0; count], vec![0.0; count]);
    let mut masked = vec![0.0f32; count];
    let mut gradient = vec![0.0f32; count];
    let (b1, b2) = (0.9, 0.999);
    let (mut b1t, mut b2t) = (1.0, 1.0);
    for step in 0..config.steps {
        let part = step as f64 / (config.steps - 1).max(1) as f64;
        let beta = real::pow(config.last_beta, part);
        let sigmoid = |s: f64| 1.0 / (1.0 + real::exp(-beta * s));
        // Divided by where it starts, so that the first network is the trained one, not one with
        // every weight shrunk (ten such layers draw nothing). As β grows the divisor becomes 1.
        let whole = sigmoid(config.start);
        let soft: Vec<f64> = s.iter().map(|&s| sigmoid(s)).collect();
        for i in 0..count {
            masked[i] = (f64::from(weights.0[i]) * soft[i] / whole) as f32;
        }
        objective.loss_and_gradient(&masked, &mut gradient);
        b1t *= b1;
        b2t *= b2;
        for i in (0..count).filter(|&i| mask.0[i]) {
            let slope = beta * soft[i] * (1.0 - soft[i]);
            let g = (f64::from(gradient[i]) * f64::from(weights.0[i]) / whole
                + config.penalty / links)
                * slope;
            first[i] = b1 * first[i] + (1.0 - b1) * g;
            second[i] = b2 * second[i] + (1.0 - b2) * g * g;
            let (m, v) = (first[i] / (1.0 - b1t), second[i] / (1.0 - b2t));
            s[i] -= config.lr * m / (v.sqrt() + 1e-8);
        }
    }
    let found = Mask((0..count).map(|i| mask.0[i] && s[i] > 0.0).collect());
    // A link on no path draws nothing here, and no gradient ever told its s so: it is no part of
    // the subnetwork, and must not be cut from the ablated one [ours].
    alive(network, &found)
}

/// A mask with as many links as `like` into every layer, drawn from those of `mask`.
fn random_like(network: &Network, mask: &Mask, like: &Mask, rng: &mut SimRng) -> Mask {
    let mut layers: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for i in (0..network.weight_count()).filter(|&i| mask.0[i]) {
        let layer = network.units[network.links[i].target].layer;
        layers.entry(layer).or_default().push(i);
    }
    let mut found = Mask(vec![false; network.weight_count()]);
    for links in layers.values_mut() {
        let count = links.iter().filter(|&&i| like.0[i]).count();
        rng.shuffle(links);
        for &i in &links[..count] {
            found.0[i] = true;
        }
    }
    found
}

/// Errors of the background picture per part, and the parts themselves.
struct PartJudge<'a> {
    picture: &'a PartedPicture,
    blank: Vec<f64>,
}

impl<'a> PartJudge<'a> {
    fn new(picture: &'a PartedPicture, pixels: usize) -> Result<Self, StructuralError> {
        assert_eq!(picture.rgb.len(), 3 * pixels, "rgb of every pixel");
        if picture.parts.len() < 2 {
            return Err(StructuralError::TooFewParts(picture.parts.len()));
        }
        let mut taken = vec![false; pixels];
        for (part, region) in &picture.parts {
            let wrong = if region.len() != pixels {
                Some(format!("{} pixels", region.len()))
            } else if !region.contains(&true) {
                Some("an empty one".to_string())
            } else if region.iter().zip(&taken).any(|(r, t)| *r && *t) {
                Some("an overlap".to_string())
            } else {
                None
            };
            if let Some(found) = wrong {
                return Err(StructuralError::Region {
                    part: part.clone(),
                    expected: pixels,
                    found,
                });
            }
            for (t, r) in taken.iter_mut().zip(region) {
                *t |= *r;
            }
        }
        let plain = picture.background.repeat(pixels);
        let judge = PartJudge { picture, blank: Vec::new() };
        let blank: Vec<f64> = (0..picture.parts.len()).map(|k| judge.error(&plain, k)).collect();
        match blank.iter().position(|&e| e <= 0.0) {
            Some(k) => Err(StructuralError::Invisible(picture.parts[k].0.clone())),
            None => Ok(PartJudge { picture, blank }),
        }
    }

    /// Squared error to the target within part `k`.
    fn error(&self, rgb: &[f32], k: usize) -> f64 {
        let region = &self.picture.parts[k].1;
        (0..region.len())
            .filter(|&p| region[p])
            .flat_map(|p| 3 * p..3 * p + 3)
            .map(|i| f64::from(rgb[i] - self.picture.rgb[i]))
            .map(|e| e * e)
            .sum()
    }

    /// Acc of every part in a picture.
    fn accuracies(&self, rgb: &[f32]) -> Vec<f64> {
        (0..self.blank.len())
            .map(|k| (1.0 - self.error(rgb, k) / self.blank[k]).clamp(0.0, 1.0))
            .collect()
    }
}
