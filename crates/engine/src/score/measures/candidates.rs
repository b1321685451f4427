//! The measures of how a network is organised that the gate tries (METHODS §7), each taken by its name.
//!
//! In: a network at the size it is judged at, a judge. Out: a number a measure.
//! Which side of it should mean *more compositional* is said by the gate's spec.
//! Cost: of a skull-sized dense network at 64² with one thread `cheap` takes 1.7 s, `costly` 5.2 s
//! (docs/BENCHMARKS.md).

use super::attributes::Attributes;
use super::dci::{Dci, dci, sweep_importance};
use super::influence::Influence;
use super::silencing::Silenced;
use super::{
    axis_advantage, brittleness, effective_units, few_weight_edits, interaction, locality, unified,
    unit_edits,
};
use crate::base::SimRng;
use crate::network::transform::shuffled;
use crate::probe::{Delta, Selection, View, WeightSweep};
use crate::score::{Judge, JudgeError};
use std::collections::BTreeMap;

/// Weights that are moved for interaction and DCI.
const SWEPT: usize = 40;

/// A measure of organisation, in words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// Its key, as columns are named.
    pub key: &'static str,
    /// Its name for people.
    pub name: &'static str,
    /// Its meaning, in a sentence.
    pub says: &'static str,
    /// Which values can be.
    pub range: &'static str,
}

/// Those that the gate recommends beside the score: docs/MEASURE.md says why.
pub(crate) const RECOMMENDED: [&str; 1] = ["disentanglement"];

macro_rules! candidates {
    ($($key:literal, $name:literal, $range:literal, $says:literal;)*) => {
        /// Every candidate.
        pub const CANDIDATES: &[Candidate] =
            &[$(Candidate { key: $key, name: $name, says: $says, range: $range }),*];
    };
}

candidates! {
    "axis_advantage", "axis advantage", "−1 to 1",
        "How much cleaner the pictures are after changing one weight than along random directions.";
    "unit_axis_advantage", "axis advantage of units", "−1 to 1",
        "The same for the weights into one unit.";
    "scaling_advantage", "axis advantage of scaling", "−1 to 1",
        "How much cleaner the pictures are after making one unit louder than a mixture of its layer.";
    "effective_units", "effective units a pixel", "1 to units",
        "How many units a pixel hangs on.";
    "contribution_gini", "Gini of contributions", "0 to 1",
        "How unequally the units contribute to a pixel.";
    "locality", "locality", "0 to 1",
        "How much of the picture a unit leaves alone.";
    "redundancy", "redundancy", "0 to 1",
        "How much what a unit does resembles what its likest other unit does.";
    "influence_orthogonality", "influence orthogonality", "0 to 1",
        "How different the things are that two units do to the picture.";
    "brittleness", "brittleness", "0 to ∞",
        "How far the picture moves when one weight does.";
    "relative_brittleness", "relative brittleness", "0 to ∞",
        "How far the picture moves when one weight changes by a share of itself.";
    "interaction", "two-weight interaction", "0 to ∞",
        "How far two changes together differ from the sum of both.";
    "unified", "unified", "−1 to 1",
        "How much more two parts that look alike hang on the same units than other places do.";
    "few_weight_edits", "few-weight edits", "−1 to 1",
        "How much better four weights reach an edit of a part than a random field of its spectrum.";
    "edits_of_parts", "edits of parts", "0 to 1",
        "R² that four weights reach of edits of parts.";
    "unit_edits", "unit edits", "−1 to 1",
        "How much better four units explain an edit of a part than four mixtures of the same units.";
    "disentanglement", "disentanglement", "0 to 1",
        "How far a weight moves one attribute of the picture only.";
    "completeness", "completeness", "0 to 1",
        "How far an attribute of the picture hangs on one weight.";
}

/// Measures by key. `None` if a measure is undefined for the network.
type Taken = Vec<(&'static str, Option<f64>)>;

/// Takes all candidates of a view's network; those that it has no number for are left out. The same at any thread
/// count.
///
/// # Errors
/// The judge could not judge a picture.
pub fn candidates(
    view: &View,
    judge: &dyn Judge,
    seed: u64,
) -> Result<BTreeMap<String, f64>, JudgeError> {
    let silenced = &Silenced::of(view);
    let taken = [cheap(view, silenced, seed), costly(view, silenced, judge, seed)?].concat();
    let is_taken = |of: &Candidate| taken.iter().any(|(key, _)| *key == of.key);
    assert!(CANDIDATES.iter().all(is_taken), "every candidate is taken");
    let finite = taken.into_iter().filter_map(|(key, value)| {
        Some((key.to_string(), value.filter(|value| value.is_finite())?))
    });
    Ok(finite.collect())
}

/// A recommended measure of a network.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Recommended {
    /// Its key.
    pub key: &'static str,
    /// The number, as [`candidates`] would take it.
    pub value: f64,
    /// Ends of its 95 % interval over the weights that are moved.
    pub interval: Option<(f64, f64)>,
}

/// Networks with shuffled weights that a recommended measure is compared with: one alone says little.
pub const SHUFFLES: u64 = 10;

/// Takes the recommended measures; empty for a network without links.
pub fn recommended(view: &View, seed: u64) -> Vec<Recommended> {
    let found = disentanglement(view, seed);
    let (key, value, interval) = (RECOMMENDED[0], found.disentanglement, found.interval());
    if value.is_finite() { vec![Recommended { key, value, interval }] } else { Vec::new() }
}

/// The null of each recommended measure: its mean over [`SHUFFLES`] networks of the same links,
/// their weights shuffled within layers. Takes ten times as long as the measures themselves.
pub fn nulls(view: &View, seed: u64) -> Vec<(&'static str, f64)> {
    let shuffled = |k: u64| {
        let model = shuffled(view.model(), seed.wrapping_add(k));
        disentanglement(&View::new(&model, view.size(), view.coords()), seed).disentanglement
    };
    let null = (0..SHUFFLES).map(shuffled).sum::<f64>() / SHUFFLES as f64;
    if null.is_finite() { vec![(RECOMMENDED[0], null)] } else { Vec::new() }
}

/// After the key of a measure: its mean over networks of the same links, their weights shuffled within layers.
pub const NULL: &str = "_shuffled";

/// How far a sample of weights moves one attribute of the picture each.
fn disentanglement(view: &View, seed: u64) -> Dci {
    let links = Selection::Sample(SWEPT).draw(view.model(), &mut SimRng::new(seed, "swept", 0));
    dci_of(view, &view.sweep(&links, Delta::default(), &|_| {}))
}

fn dci_of(view: &View, sweep: &WeightSweep) -> Dci {
    dci(&sweep_importance(view, sweep, &Attributes::of(view.picture())))
}

/// Those that take at most a second or two.
pub fn cheap(view: &View, silenced: &Silenced, seed: u64) -> Taken {
    let rng = |purpose: &str| SimRng::new(seed, purpose, 0);
    let links = Selection::Sample(SWEPT).draw(view.model(), &mut rng("swept"));
    let sweep = view.sweep(&links, Delta::default(), &|_| {});
    let attributes = dci_of(view, &sweep);
    let influence = Influence::of(silenced);
    vec![
        ("effective_units", effective_units::effective_units(silenced)),
        ("contribution_gini", effective_units::contribution_gini(silenced)),
        ("locality", locality::locality(silenced)),
        ("redundancy", influence.as_ref().map(|of| of.redundancy)),
        ("influence_orthogonality", influence.map(|of| of.orthogonality)),
        ("brittleness", brittleness::brittleness(silenced)),
        ("relative_brittleness", brittleness::relative_brittleness(silenced)),
        ("interaction", interaction::interaction(view, &sweep, &mut rng("interaction"))),
        ("unified", unified::unified(silenced, &mut rng("unified"))),
        ("unit_edits", unit_edits::unit_edits(silenced, &mut rng("unit-edits"))),
        ("disentanglement", Some(attributes.disentanglement)),
        ("completeness", Some(attributes.completeness)),
    ]
}

/// Axis advantages and few-weight edits, which take longer.
///
/// # Errors
/// The judge could not judge a picture.
pub fn costly(
    view: &View,
    silenced: &Silenced,
    judge: &dyn Judge,
    seed: u64,
) -> Result<Taken, JudgeError> {
    let rng = |purpose: &str| SimRng::new(seed, purpose, 0);
    let [axis, unit_axis, scaling] =
        axis_advantage::Axes::draw(view, &mut rng("axes")).advantages(view, judge)?;
    let edits = few_weight_edits::few_weight_edits(silenced, &mut rng("edits"));
    Ok(vec![
        ("axis_advantage", axis),
        ("unit_axis_advantage", unit_axis),
        ("scaling_advantage", scaling),
        ("few_weight_edits", edits.as_ref().map(|edits| edits.parts[2] - edits.controls[2])),
        ("edits_of_parts", edits.as_ref().map(|edits| edits.parts[2])),
    ])
}
