//! Weight sweeps (METHODS §6.1): every chosen weight, both signs, by a fixed amount or by the
//! amount that changes the picture by a fixed effect.
//!
//! `effect` [ours, default]: the RMSE between the two pictures. Matching it removes a confound:
//! deep nets and nets with large weights are simply more sensitive to a fixed δ.

use crate::math::SimRng;
use crate::network::kernel::{Perturber, render};
use crate::network::{Network, Picture, PixelInputs, Weights};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// How far a weight is moved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Delta {
    /// By this amount, up and down (the paper).
    Fixed(f64),
    /// Until the RMSE between the pictures is this, ± 15 % \[ours\]. Default: 0.18.
    Effect(f64),
}

impl Delta {
    /// Largest |δ| that is tried to reach an effect.
    pub const LARGEST: f64 = 16.0;
    /// Relative width of the window about the wanted effect.
    pub const TOLERANCE: f64 = 0.15;
    /// A weight that cannot reach this share of the effect is silent.
    pub const SILENT_BELOW: f64 = 0.60;
}

impl Default for Delta {
    fn default() -> Self {
        Delta::Effect(0.18)
    }
}

impl fmt::Display for Delta {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Delta::Fixed(d) => write!(f, "fixed:{d}"),
            Delta::Effect(e) => write!(f, "effect:{e}"),
        }
    }
}

/// A text that is no perturbation size.
#[derive(Debug, thiserror::Error)]
#[error("expected fixed:D (D > 0) or effect:E (0 < E < 1), found {0:?}")]
pub struct ParseDeltaError(String);

impl FromStr for Delta {
    type Err = ParseDeltaError;

    fn from_str(text: &str) -> Result<Self, ParseDeltaError> {
        let fail = || ParseDeltaError(text.to_string());
        let (kind, number) = text.split_once(':').ok_or_else(fail)?;
        let number: f64 = number.parse().map_err(|_| fail())?;
        match kind {
            "fixed" if number.is_finite() && number > 0.0 => Ok(Delta::Fixed(number)),
            "effect" if number > 0.0 && number < 1.0 => Ok(Delta::Effect(number)),
            _ => Err(fail()),
        }
    }
}

/// Which of the non-zero weights are perturbed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Selection {
    /// Every non-zero weight.
    All,
    /// This many, drawn at random within each layer in proportion to its non-zero weights.
    Sample(usize),
    /// These link numbers (a zero weight may be asked for by name).
    Links(Vec<usize>),
}

/// A text that is no selection of weights.
#[derive(Debug, thiserror::Error)]
#[error("expected all, a number of weights, or link numbers such as 0,17,42; found {0:?}")]
pub struct ParseSelectionError(String);

impl FromStr for Selection {
    type Err = ParseSelectionError;

    fn from_str(text: &str) -> Result<Self, ParseSelectionError> {
        let fail = || ParseSelectionError(text.to_string());
        if text == "all" {
            return Ok(Selection::All);
        }
        let numbers: Vec<usize> = text
            .trim_end_matches(',')
            .split(',')
            .map(|part| part.trim().parse().map_err(|_| fail()))
            .collect::<Result<_, _>>()?;
        match numbers.as_slice() {
            [0] if !text.contains(',') => Err(fail()),
            // One number is a sample size; "17," is the one link 17.
            &[count] if !text.contains(',') => Ok(Selection::Sample(count)),
            _ => Ok(Selection::Links(numbers)),
        }
    }
}

impl Selection {
    /// The chosen links of `network`, ascending.
    pub fn links(&self, network: &Network, weights: &Weights, rng: &mut SimRng) -> Vec<usize> {
        let non_zero: Vec<usize> = (0..weights.0.len()).filter(|&i| weights.0[i] != 0.0).collect();
        let mut chosen = match self {
            Selection::All => non_zero,
            Selection::Links(links) => links.clone(),
            Selection::Sample(count) => stratified(network, non_zero, *count, rng),
        };
        chosen.sort_unstable();
        chosen.dedup();
        chosen
    }
}

/// Draws `count` links, each layer of targets in proportion to its share (largest remainders).
fn stratified(network: &Network, links: Vec<usize>, count: usize, rng: &mut SimRng) -> Vec<usize> {
    if count >= links.len() {
        return links;
    }
    let mut layers: Vec<Vec<usize>> = vec![Vec::new(); network.depth() + 1];
    for &link in &links {
        layers[network.units[network.links[link].target].layer].push(link);
    }
    let exact = |layer: &Vec<usize>| count as f64 * layer.len() as f64 / links.len() as f64;
    let mut quota: Vec<usize> = layers.iter().map(|l| exact(l) as usize).collect();
    let mut by_remainder: Vec<usize> = (0..layers.len()).collect();
    by_remainder.sort_by(|&a, &b| {
        let remainder = |i: usize| exact(&layers[i]) - quota[i] as f64;
        remainder(b).total_cmp(&remainder(a)).then(a.cmp(&b))
    });
    let missing = count - quota.iter().sum::<usize>();
    for &layer in by_remainder.iter().take(missing) {
        quota[layer] += 1;
    }
    let mut chosen = Vec::with_capacity(count);
    for (layer, quota) in layers.iter_mut().zip(quota) {
        rng.shuffle(layer);
        chosen.extend(layer.iter().take(quota));
    }
    chosen
}

/// One weight moved one way.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Perturbation {
    /// The link whose weight is moved.
    pub link: usize,
    /// Layer of the link's target (1 = first hidden layer).
    pub layer: usize,
    /// The change of the weight, signed.
    pub delta: f64,
    /// Its effect: RMSE between the pictures, over pixels and channels, in [0, 1].
    pub rmse: f64,
    /// True if no |δ| ≤ 16 reaches 60 % of the wanted effect (`effect:` only). Not scored.
    pub silent: bool,
}

/// The perturbations of one network.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WeightSweep {
    /// `fixed:D` or `effect:E`.
    pub delta: String,
    /// Non-zero weights of the network.
    pub non_zero: usize,
    /// Weights that were perturbed; less than `non_zero` for a sample.
    pub weights: usize,
    /// Side of the picture in pixels.
    pub size: usize,
    /// By link, then negative before positive δ.
    pub perturbations: Vec<Perturbation>,
}

/// Perturbs each chosen weight downwards and upwards.
///
/// `inputs` are the pixels of a `size`² picture. The result does not depend on the number of
/// threads. `progress` is called with the number of weights done.
pub fn sweep(
    network: &Network,
    weights: &Weights,
    perturber: &Perturber,
    size: usize,
    links: &[usize],
    delta: Delta,
    progress: &(dyn Fn(usize) + Sync),
) -> WeightSweep {
    let effect = || {
        let mut scratch = perturber.scratch();
        move |link, value| perturber.rmse_with_weight(&mut scratch, link, value)
    };
    sweep_by(network, weights, size, links, delta, progress, effect)
}

/// The same with every picture drawn afresh: the plain way, to compare with.
///
/// Pictures have the bits of [`sweep`]'s; effects differ in the rounding of their sums.
pub fn sweep_afresh(
    network: &Network,
    weights: &Weights,
    inputs: &PixelInputs,
    size: usize,
    links: &[usize],
    delta: Delta,
) -> WeightSweep {
    let base = render(network, weights, inputs);
    let effect = || {
        let (mut changed, base) = (weights.clone(), &base);
        move |link: usize, value| {
            changed.0[link] = value;
            let picture = render(network, &changed, inputs);
            changed.0[link] = weights.0[link];
            let square = |(a, b): (&f32, &f32)| f64::from(a - b) * f64::from(a - b);
            let sum: f64 = picture.iter().zip(base).map(square).sum();
            (sum / base.len().max(1) as f64).sqrt()
        }
    };
    sweep_by(network, weights, size, links, delta, &|_| {}, effect)
}

/// `effect` makes, for each thread, (link, value) → RMSE.
fn sweep_by<E: FnMut(usize, f32) -> f64>(
    network: &Network,
    weights: &Weights,
    size: usize,
    links: &[usize],
    delta: Delta,
    progress: &(dyn Fn(usize) + Sync),
    effect: impl Fn() -> E + Sync + Send,
) -> WeightSweep {
    let done = std::sync::atomic::AtomicUsize::new(0);
    let pairs: Vec<[Perturbation; 2]> = links
        .par_iter()
        .map_init(effect, |effect, &link| {
            let layer = network.units[network.links[link].target].layer;
            let weight = f64::from(weights.0[link]);
            let pair = [-1.0, 1.0].map(|sign| {
                let mut effect = |magnitude: f64| effect(link, (weight + sign * magnitude) as f32);
                let (magnitude, rmse, silent) = match delta {
                    Delta::Fixed(d) => (d, effect(d), false),
                    Delta::Effect(wanted) => reach(&mut effect, wanted),
                };
                Perturbation { link, layer, delta: sign * magnitude, rmse, silent }
            });
            progress(done.fetch_add(1, std::sync::atomic::Ordering::Relaxed) + 1);
            pair
        })
        .collect();
    WeightSweep {
        delta: delta.to_string(),
        non_zero: weights.0.iter().filter(|&&w| w != 0.0).count(),
        weights: links.len(),
        size,
        perturbations: pairs.into_iter().flatten().collect(),
    }
}

/// The magnitude whose effect is nearest to `wanted`: doubling until it is passed, then bisection.
/// Returns (magnitude, effect, silent).
fn reach(effect: &mut dyn FnMut(f64) -> f64, wanted: f64) -> (f64, f64, bool) {
    let distance = |rmse: f64| (rmse / wanted - 1.0).abs();
    let mut best = (0.0, 0.0);
    let mut try_at = |magnitude: f64, best: &mut (f64, f64)| {
        let rmse = effect(magnitude);
        if distance(rmse) < distance(best.1) {
            *best = (magnitude, rmse);
        }
        rmse
    };
    let (mut low, mut high) = (0.0, 1.0 / 64.0);
    loop {
        let rmse = try_at(high, &mut best);
        if distance(rmse) <= Delta::TOLERANCE {
            return (best.0, best.1, false);
        }
        if rmse > wanted {
            break;
        }
        if high >= Delta::LARGEST {
            return (best.0, best.1, best.1 < Delta::SILENT_BELOW * wanted);
        }
        low = high;
        high = (2.0 * high).min(Delta::LARGEST);
    }
    // 24 halvings resolve δ to the rounding of an f32; a jump in between has no better answer
    // than the nearest picture found.
    for _ in 0..24 {
        let middle = 0.5 * (low + high);
        let rmse = try_at(middle, &mut best);
        if distance(rmse) <= Delta::TOLERANCE {
            break;
        }
        if rmse > wanted { high = middle } else { low = middle }
    }
    (best.0, best.1, best.1 < Delta::SILENT_BELOW * wanted)
}

/// The pictures of one link at `steps` weights from w − span to w + span (FER's strip).
pub fn strip(
    perturber: &Perturber,
    weights: &Weights,
    size: usize,
    link: usize,
    span: f64,
    steps: usize,
) -> Vec<Picture> {
    let mut scratch = perturber.scratch();
    (0..steps)
        .map(|k| {
            let t = if steps > 1 { 2.0 * k as f64 / (steps - 1) as f64 - 1.0 } else { 0.0 };
            let mut picture = Picture::filled(size, size, [0.0; 3]);
            let value = (f64::from(weights.0[link]) + span * t) as f32;
            perturber.with_weight(&mut scratch, link, value, &mut picture.rgb);
            picture
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::{Arch, Coords};

    #[test]
    fn effects_are_matched_and_silent_weights_are_named() {
        let network = "2;gaussian:2,sin:2".parse::<Arch>().unwrap().network();
        let mut rng = SimRng::new(4, "test", 0);
        let mut weights =
            Weights((0..network.weight_count()).map(|_| rng.normal() as f32).collect());
        // Cut everything out of unit 4: the weights into it draw nothing.
        for (i, link) in network.links.iter().enumerate() {
            if link.source == 4 {
                weights.0[i] = 0.0;
            }
        }
        let perturber = Perturber::new(&network, &weights, &PixelInputs::full(32, Coords::Fer));
        let links = Selection::All.links(&network, &weights, &mut rng);
        let swept = sweep(&network, &weights, &perturber, 32, &links, Delta::Effect(0.18), &|_| {});
        assert_eq!(swept.perturbations.len(), 2 * swept.non_zero);
        for p in &swept.perturbations {
            let into_cut = network.links[p.link].target == 4;
            assert!(!into_cut || p.silent, "{p:?}");
            assert!(p.silent || (p.rmse / 0.18 - 1.0).abs() < 0.4, "{p:?}");
        }
        assert!(swept.perturbations.iter().filter(|p| !p.silent).count() > 20);
    }

    #[test]
    fn drawing_every_picture_afresh_finds_the_same_perturbations() {
        let network = "3;gaussian:2,sin:3".parse::<Arch>().unwrap().network();
        let mut rng = SimRng::new(5, "test", 0);
        let weights = Weights((0..network.weight_count()).map(|_| rng.normal() as f32).collect());
        let inputs = PixelInputs::full(24, Coords::Fer);
        let perturber = Perturber::new(&network, &weights, &inputs);
        let links = Selection::Sample(12).links(&network, &weights, &mut rng);
        for delta in [Delta::Effect(0.1), Delta::Fixed(0.5)] {
            let swept = sweep(&network, &weights, &perturber, 24, &links, delta, &|_| {});
            let afresh = sweep_afresh(&network, &weights, &inputs, 24, &links, delta);
            assert_eq!(swept.perturbations.len(), 24);
            for (a, b) in swept.perturbations.iter().zip(&afresh.perturbations) {
                assert_eq!((a.link, a.delta, a.silent), (b.link, b.delta, b.silent));
                assert!((a.rmse - b.rmse).abs() <= 1e-5 * a.rmse, "{a:?} {b:?}");
            }
        }
    }

    #[test]
    fn samples_are_stratified_and_exact_in_number() {
        let network = "3;sin:5".parse::<Arch>().unwrap().network();
        let weights = Weights(vec![1.0; network.weight_count()]);
        let mut rng = SimRng::new(4, "test", 0);
        let links = Selection::Sample(40).links(&network, &weights, &mut rng);
        assert_eq!(links.len(), 40);
        // 20 + 25 + 25 + 15 weights: 40 of 85.
        for (block, share) in network.blocks.iter().zip([9.4, 11.8, 11.8, 7.1]) {
            let drawn = links.iter().filter(|l| block.weights().contains(l)).count() as f64;
            assert!((drawn - share).abs() <= 1.0);
        }
    }

    #[test]
    fn texts_parse_or_say_what_was_expected() {
        assert_eq!("effect:0.18".parse::<Delta>().unwrap(), Delta::Effect(0.18));
        assert_eq!("fixed:1".parse::<Delta>().unwrap(), Delta::Fixed(1.0));
        for bad in ["", "effect:0", "effect:2", "fixed:-1", "fixed:nan", "0.3"] {
            assert!(bad.parse::<Delta>().is_err(), "{bad}");
        }
        assert_eq!("7".parse::<Selection>().unwrap(), Selection::Sample(7));
        assert_eq!("7,".parse::<Selection>().unwrap(), Selection::Links(vec![7]));
        assert_eq!("1, 2".parse::<Selection>().unwrap(), Selection::Links(vec![1, 2]));
        assert!("some".parse::<Selection>().is_err());
    }
}
