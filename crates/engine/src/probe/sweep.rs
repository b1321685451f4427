//! Weight sweeps (METHODS §6.1): every chosen weight, both signs, by a fixed amount or by the
//! amount that changes the picture by a fixed effect.
//!
//! `effect` [ours, default]: the RMSE between the two pictures. Matching it removes a confound:
//! deep nets and nets with large weights are simply more sensitive to a fixed δ. The amount is
//! searched by drawing: one small step shows the slope, the straight line gives the first try, the secant
//! through logarithms the next; most weights need two or three drawings a sign ([`View::drawings`]).
//!
//! [`View::drawings`]: super::View::drawings

use super::change::Change;
use crate::base::refusal::Refusal;
use crate::base::settings::{Value, text_in_files, texts};
use crate::base::{SimRng, real};
use crate::network::Model;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// How far a weight is moved. In files its text: `effect:0.18`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Delta {
    /// By this amount, up and down (the paper).
    Fixed(f64),
    /// Until the RMSE between the pictures is this, ± 15 % \[ours\]. Default: [`Delta::EFFECT`].
    Effect(f64),
}

impl Delta {
    /// The usual effect, RMSE \[ours\].
    pub const EFFECT: f64 = 0.18;
    /// Largest |δ| that is tried to reach an effect.
    pub const LARGEST: f64 = 16.0;
    /// Largest δ that can be asked for: weights stay finite.
    pub const LARGEST_FIXED: f64 = 1e6;
    /// Relative width of the window about the wanted effect.
    pub const TOLERANCE: f64 = 0.15;
    /// A weight that cannot reach this share of the effect is silent.
    pub const SILENT_BELOW: f64 = 0.60;
}

impl Default for Delta {
    fn default() -> Self {
        Delta::Effect(Delta::EFFECT)
    }
}

texts!(Delta);
text_in_files!(Delta, Selection);

impl fmt::Display for Delta {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Delta::Fixed(d) => write!(f, "fixed:{d}"),
            Delta::Effect(e) => write!(f, "effect:{e}"),
        }
    }
}

impl FromStr for Delta {
    type Err = Refusal;

    fn from_str(text: &str) -> Result<Self, Refusal> {
        let fail = || {
            let expected = "fixed:D (0 < D ≤ 1000000) or effect:E (0 < E < 1)";
            Refusal::new("", expected, format!("{text:?}"))
        };
        let (kind, number) = text.split_once(':').ok_or_else(fail)?;
        let number: f64 = number.parse().map_err(|_| fail())?;
        match kind {
            "fixed" if number > 0.0 && number <= Delta::LARGEST_FIXED => Ok(Delta::Fixed(number)),
            "effect" if number > 0.0 && number < 1.0 => Ok(Delta::Effect(number)),
            _ => Err(fail()),
        }
    }
}

/// Which of the non-zero weights are perturbed.
/// In files its text: `all`, `120`, `0,17,42`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Selection {
    /// Every non-zero weight.
    All,
    /// This many, drawn at random within each layer in proportion to its non-zero weights.
    Sample(usize),
    /// These link numbers (a zero weight may be asked for by name).
    Links(Vec<usize>),
}

impl FromStr for Selection {
    type Err = Refusal;

    fn from_str(text: &str) -> Result<Self, Refusal> {
        let fail = || {
            let expected = "all, a number of weights, or link numbers such as 0,17,42";
            Refusal::new("", expected, format!("{text:?}"))
        };
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

impl Value for Selection {
    fn python() -> String {
        "int | str | Sequence[int]".into()
    }

    fn parse(text: &str) -> Result<Self, String> {
        text.parse().map_err(|error: Refusal| error.to_string())
    }

    fn of(value: &toml::Value) -> Result<Self, String> {
        match value {
            toml::Value::String(text) => Self::parse(text),
            toml::Value::Array(_) => Vec::<usize>::of(value).map(Selection::Links),
            count => Self::parse(&count.to_string()),
        }
    }

    fn toml(&self) -> Option<toml::Value> {
        self.text().map(toml::Value::String)
    }

    fn text(&self) -> Option<String> {
        Some(self.to_string())
    }
}

impl Selection {
    /// The chosen links of `model`, ascending. A sample is drawn from the stream `sweep-sample` of
    /// `seed`.
    ///
    /// # Errors
    /// A named link does not exist, or there is nothing to choose from.
    pub fn links(&self, model: &Model, seed: u64) -> Result<Vec<usize>, Refusal> {
        let links = self.draw(model, &mut SimRng::new(seed, "sweep-sample", 0));
        let count = model.weights.0.len();
        match links.iter().find(|&&link| link >= count) {
            Some(found) => {
                Err(Refusal::new("", format!("link numbers below {count}"), found.to_string()))
            }
            None if links.is_empty() => {
                let refusal = Refusal::new("", "a network with non-zero weights", "none to change");
                Err(refusal.as_failure())
            }
            None => Ok(links),
        }
    }

    /// The chosen links of `model`, ascending, drawn from `rng`; named ones are not looked up.
    pub fn draw(&self, model: &Model, rng: &mut SimRng) -> Vec<usize> {
        let weights = &model.weights.0;
        let non_zero: Vec<usize> = (0..weights.len()).filter(|&i| weights[i] != 0.0).collect();
        let mut chosen = match self {
            Selection::All => non_zero,
            Selection::Links(links) => links.clone(),
            Selection::Sample(count) => stratified(model, non_zero, *count, rng),
        };
        chosen.sort_unstable();
        chosen.dedup();
        chosen
    }
}

impl fmt::Display for Selection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Selection::All => f.write_str("all"),
            Selection::Sample(count) => write!(f, "{count}"),
            Selection::Links(links) => {
                let texts: Vec<String> = links.iter().map(usize::to_string).collect();
                // Of one link as it is read: a number alone is a sample's size.
                write!(f, "{}{}", texts.join(","), if links.len() == 1 { "," } else { "" })
            }
        }
    }
}

/// At most `count` of `items`, evenly spread, in their order.
pub fn spread<T>(items: &[T], count: usize) -> impl ExactSizeIterator<Item = &T> {
    let shown = items.len().min(count);
    (0..shown).map(move |k| &items[k * items.len() / shown])
}

/// Draws `count` links, each layer of targets in proportion to its share (largest remainders).
fn stratified(model: &Model, links: Vec<usize>, count: usize, rng: &mut SimRng) -> Vec<usize> {
    if count >= links.len() {
        return links;
    }
    let mut layers: Vec<Vec<usize>> = vec![Vec::new(); model.network.depth() + 1];
    for &link in &links {
        layers[model.layer_of(link)].push(link);
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
    /// True if no |δ| ≤ 16 was found that reaches 60 % of the wanted effect (`effect:` only). Not scored.
    pub silent: bool,
}

impl From<Perturbation> for Change {
    fn from(p: Perturbation) -> Self {
        Change::By { link: p.link, delta: p.delta }
    }
}

impl From<&Perturbation> for Change {
    fn from(p: &Perturbation) -> Self {
        Change::from(*p)
    }
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

/// A link moved downwards and upwards, and the drawings it took.
pub(super) struct Moved {
    pub pair: [Perturbation; 2],
    pub drawings: usize,
}

/// How the magnitude of a matched effect is found.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Search {
    /// From the slope, by secants.
    Secant,
    /// By doubling until it is passed, then halving: what the other is held to.
    Plain,
}

/// Perturbs each of `links` downwards and upwards. `effect` makes, for each thread, change → RMSE.
pub(super) fn search<E: FnMut(Change) -> f64>(
    model: &Model,
    links: &[usize],
    (delta, search): (Delta, Search),
    progress: &(dyn Fn(usize) + Sync),
    effect: impl Fn() -> E + Sync + Send,
) -> Vec<Moved> {
    let done = std::sync::atomic::AtomicUsize::new(0);
    let of_link = |effect: &mut E, &link: &usize| {
        let mut drawings = 0;
        let mut at = |delta| {
            drawings += 1;
            effect(Change::By { link, delta })
        };
        // The slope at zero is the same both ways, so one small step serves both.
        let probed = match delta {
            Delta::Effect(_) if search == Search::Secant => at(PROBE),
            _ => 0.0,
        };
        let pair = [-1.0, 1.0].map(|sign| {
            let mut at = |magnitude| at(sign * magnitude);
            let (magnitude, rmse, silent) = match delta {
                Delta::Fixed(d) => (d, at(d), false),
                Delta::Effect(wanted) if search == Search::Plain => reach_plainly(&mut at, wanted),
                Delta::Effect(wanted) => reach(&mut at, wanted, probed),
            };
            let layer = model.layer_of(link);
            Perturbation { link, layer, delta: sign * magnitude, rmse, silent }
        });
        progress(done.fetch_add(1, std::sync::atomic::Ordering::Relaxed) + 1);
        Moved { pair, drawings }
    };
    links.par_iter().map_init(effect, of_link).collect()
}

impl WeightSweep {
    pub(super) fn of(model: &Model, size: usize, delta: Delta, moved: Vec<Moved>) -> Self {
        WeightSweep {
            delta: delta.to_string(),
            non_zero: model.non_zero(),
            weights: moved.len(),
            size,
            perturbations: moved.into_iter().flat_map(|m| m.pair).collect(),
        }
    }
}

/// The small change of a weight that shows the slope of its effect, both ways.
const PROBE: f64 = 1.0 / 64.0;
/// Largest factor from one magnitude to the next: a jump over the first place where the effect is
/// reached would find another.
const GROWTH: f64 = 8.0;
/// Tries inside a bracket that follow the secant; then it is halved.
const SECANTS: usize = 4;
/// Tries inside a bracket in all: δ is resolved to the rounding of an f32 then, and a jump in between
/// has no better answer than the nearest picture found.
const TRIES: usize = 24;

/// The magnitude whose effect is nearest to `wanted`. A first guess comes from the effect `probed` of
/// [`PROBE`], of either sign: the straight line, then the secant through ln δ and ln effect. Returns
/// (magnitude, effect, silent).
fn reach(effect: &mut dyn FnMut(f64) -> f64, wanted: f64, probed: f64) -> (f64, f64, bool) {
    let distance = |rmse: f64| (rmse / wanted - 1.0).abs();
    let mut best = (0.0, 0.0);
    let mut try_at = |magnitude: f64, best: &mut (f64, f64)| {
        let rmse = effect(magnitude);
        if distance(rmse) < distance(best.1) {
            *best = (magnitude, rmse);
        }
        rmse
    };
    // The largest magnitude known to fall short and the least one known to pass, with their effects.
    let (mut low, mut high) = ((0.0, 0.0), None);
    let mut before = (PROBE, probed);
    let mut magnitude = PROBE * (wanted / probed).clamp(1.0 / 64.0, GROWTH);
    // Jumped over too much, perhaps, if the effect is not monotone: then in steps of two.
    let mut steps = false;
    let mut inside = 0;
    while inside < TRIES {
        let rmse = try_at(magnitude, &mut best);
        if distance(rmse) <= Delta::TOLERANCE {
            break;
        }
        if rmse > wanted {
            high = Some((magnitude, rmse));
        } else {
            low = (magnitude, rmse);
        }
        magnitude = match high {
            Some(high) => {
                inside += 1;
                if inside <= SECANTS { between(low, high, wanted) } else { 0.5 * (low.0 + high.0) }
            }
            None if magnitude >= Delta::LARGEST => {
                if steps || best.1 >= Delta::SILENT_BELOW * wanted {
                    break;
                }
                steps = true;
                PROBE
            }
            None if steps => (2.0 * magnitude).min(Delta::LARGEST),
            None => {
                let factor = growth(before, low, wanted);
                before = low;
                (magnitude * factor).min(Delta::LARGEST)
            }
        };
    }
    (best.0, best.1, best.1 < Delta::SILENT_BELOW * wanted)
}

/// The same by doubling until it is passed, then by halving.
fn reach_plainly(effect: &mut dyn FnMut(f64) -> f64, wanted: f64) -> (f64, f64, bool) {
    let distance = |rmse: f64| (rmse / wanted - 1.0).abs();
    let mut best = (0.0, 0.0);
    let (mut low, mut high, mut passed) = (0.0, PROBE, false);
    for _ in 0..TRIES + 11 {
        let magnitude = if passed { 0.5 * (low + high) } else { high };
        let rmse = effect(magnitude);
        if distance(rmse) < distance(best.1) {
            best = (magnitude, rmse);
        }
        if distance(rmse) <= Delta::TOLERANCE
            || (!passed && high >= Delta::LARGEST && rmse <= wanted)
        {
            break;
        }
        match (rmse > wanted, passed) {
            (true, _) => (high, passed) = (magnitude, true),
            (false, true) => low = magnitude,
            (false, false) => (low, high) = (magnitude, (2.0 * magnitude).min(Delta::LARGEST)),
        }
    }
    (best.0, best.1, best.1 < Delta::SILENT_BELOW * wanted)
}

/// Where the line through two points (magnitude, effect) of logarithms, one on either side of `wanted`,
/// passes it; well inside the two.
fn between(low: (f64, f64), high: (f64, f64), wanted: f64) -> f64 {
    if low.1 <= 0.0 || high.0 < PROBE * 1e-4 {
        return 0.5 * (low.0 + high.0);
    }
    let share = real::ln(wanted / low.1) / real::ln(high.1 / low.1);
    low.0 * real::exp(share.clamp(0.1, 0.9) * real::ln(high.0 / low.0))
}

/// The factor that the secant through two points (magnitude, effect) asks for to pass `wanted`, in 1.5 …
/// [`GROWTH`].
fn growth(before: (f64, f64), now: (f64, f64), wanted: f64) -> f64 {
    let slope = if before.1 > 0.0 && now.1 > before.1 && now.0 > before.0 {
        real::ln(now.1 / before.1) / real::ln(now.0 / before.0)
    } else {
        0.0
    };
    if now.1 <= 0.0 || slope <= 0.0 {
        return GROWTH;
    }
    real::exp(real::ln(wanted / now.1) / slope.min(2.0)).clamp(1.5, GROWTH)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::{Arch, Coords, Weights};
    use crate::probe::View;

    #[test]
    fn a_selection_reads_back_as_it_is_written() {
        for selection in [
            Selection::All,
            Selection::Sample(7),
            Selection::Links(vec![7]),
            Selection::Links(vec![0]),
            Selection::Links(vec![7, 3]),
        ] {
            let read: Selection = selection.to_string().parse().unwrap();
            assert_eq!(read, selection);
        }
    }

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
        let view = View::new(&Model::new(network, weights), 32, Coords::Fer);
        let links = Selection::All.links(view.model(), 0).unwrap();
        let swept = view.sweep(&links, Delta::Effect(0.18), &|_| {});
        assert_eq!(swept.perturbations.len(), 2 * swept.non_zero);
        for p in &swept.perturbations {
            let into_cut = view.model().network.links[p.link].target == 4;
            assert!(!into_cut || p.silent, "{p:?}");
            assert!(p.silent || (p.rmse / 0.18 - 1.0).abs() < 0.4, "{p:?}");
        }
        assert!(swept.perturbations.iter().filter(|p| !p.silent).count() > 20);
    }

    #[test]
    fn secants_reach_what_doubling_reaches_in_few_drawings() {
        let network = "3;gaussian:2,sin:3".parse::<Arch>().unwrap().network();
        let mut rng = SimRng::new(5, "test", 0);
        let weights = Weights((0..network.weight_count()).map(|_| rng.normal() as f32).collect());
        let view = View::new(&Model::new(network, weights), 24, Coords::Fer);
        let links = Selection::Sample(40).draw(view.model(), &mut rng);
        for delta in [Delta::Effect(0.1), Delta::Effect(0.25), Delta::Fixed(0.5)] {
            let swept = view.sweep(&links, delta, &|_| {});
            let plain = view.sweep_plainly(&links, delta);
            assert_eq!(swept.perturbations.len(), 80);
            let near = |p: &Perturbation| match delta {
                Delta::Effect(wanted) => (p.rmse / wanted - 1.0).abs() <= Delta::TOLERANCE,
                Delta::Fixed(_) => true,
            };
            for (a, b) in swept.perturbations.iter().zip(&plain.perturbations) {
                assert_eq!((a.link, a.silent, near(a)), (b.link, b.silent, near(b)), "{a:?} {b:?}");
                if delta == Delta::Fixed(0.5) {
                    assert_eq!(a.delta, b.delta);
                    assert!((a.rmse - b.rmse).abs() <= 1e-5 * a.rmse, "{a:?} {b:?}");
                }
            }
            let mut drawings = view.drawings(&links, delta);
            drawings.sort_unstable();
            assert!(drawings[drawings.len() / 2] <= 8, "both ways: {drawings:?}");
        }
    }

    #[test]
    fn whatever_the_response_the_effect_is_found_where_doubling_finds_it() {
        type Response = fn(f64) -> f64;
        let responses: [(&str, f64, Response); 8] = [
            ("linear", 0.3, |d| 0.2 * d),
            ("steep, the other sign flat", 0.02, |d| (60.0 * d).min(0.5)),
            ("flat, the other sign steep", 0.3, |d| 2.0 * d),
            ("saturates above", 0.1, |d| d / (1.0 + d)),
            ("saturates below", 0.001, |d| 0.09 * d / (1.0 + d)),
            ("a bump", 1e-6, |d| if (0.3..0.6).contains(&d) { 0.5 } else { 1e-4 * d }),
            ("nothing", 0.0, |_| 0.0),
            ("no number", f64::NAN, |_| f64::NAN),
        ];
        for (name, probed, response) in responses {
            let mut tries = 0;
            let mut counted = |d: f64| {
                tries += 1;
                assert!(d.is_nan() || d <= Delta::LARGEST, "{name}: {d}");
                response(d)
            };
            let (_, rmse, silent) = reach(&mut counted, 0.18, probed);
            let (_, plain, plainly_silent) = reach_plainly(&mut |d| response(d), 0.18);
            assert_eq!(silent, plainly_silent, "{name}: {rmse} {plain}");
            let near = |rmse: f64| (rmse / 0.18 - 1.0).abs() <= Delta::TOLERANCE;
            assert_eq!(near(rmse), near(plain), "{name}: {rmse} {plain}");
            assert!(tries <= 60, "{name}: {tries}");
        }
    }

    #[test]
    fn samples_are_stratified_and_exact_in_number() {
        let network = "3;sin:5".parse::<Arch>().unwrap().network();
        let weights = Weights(vec![1.0; network.weight_count()]);
        let links = Selection::Sample(40).links(&Model::new(network.clone(), weights), 4).unwrap();
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
        for bad in ["", "effect:0", "effect:2", "fixed:-1", "fixed:nan", "fixed:1e300", "0.3"] {
            assert!(bad.parse::<Delta>().is_err(), "{bad}");
        }
        assert_eq!("7".parse::<Selection>().unwrap(), Selection::Sample(7));
        assert_eq!("7,".parse::<Selection>().unwrap(), Selection::Links(vec![7]));
        assert_eq!("1, 2".parse::<Selection>().unwrap(), Selection::Links(vec![1, 2]));
        assert!("some".parse::<Selection>().is_err());
        for text in ["all", "7", "1,2"] {
            assert_eq!(text.parse::<Selection>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn links_that_are_not_there_and_empty_choices_are_refused() {
        let network = "1;sin:1".parse::<Arch>().unwrap().network();
        let count = network.weight_count();
        let zero = Model::new(network, Weights(vec![0.0; count]));
        assert!(Selection::All.links(&zero, 0).is_err());
        // A zero weight may be asked for by name.
        assert_eq!(Selection::Links(vec![1, 0]).links(&zero, 0), Ok(vec![0, 1]));
        let none = Selection::Links(vec![count]).links(&zero, 0);
        assert_eq!(none.unwrap_err().found, count.to_string());
    }
}
