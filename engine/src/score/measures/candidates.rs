//! The measures of how a network is organised that the gate tries (METHODS §7), each taken by its name.
//!
//! In: a network at the size it is judged at, a judge. Out: a number a measure. `higher` says which side should mean
//! *more compositional*; whether it does is what the gate asks.

use super::attributes::Attributes;
use super::dci::{dci, sweep_importance};
use super::silencing::Silenced;
use super::{
    axis_advantage, brittleness, effective_units, few_weight_edits, influence, interaction,
    locality, unified, unit_edits,
};
use crate::math::SimRng;
use crate::probe::{Delta, Selection, View};
use crate::score::{Judge, JudgeError};
use std::collections::BTreeMap;

/// Weights that are moved for interaction and DCI.
const SWEPT: usize = 40;

/// What is said of a measure of organisation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// Its key, as columns are named.
    pub key: &'static str,
    /// Its name for people.
    pub name: &'static str,
    /// Whether more of it should mean more compositional.
    pub higher: bool,
    /// What it says, in a sentence.
    pub says: &'static str,
    /// Which values can be.
    pub range: &'static str,
}

macro_rules! candidates {
    ($($key:literal, $name:literal, $higher:literal, $range:literal, $says:literal;)*) => {
        /// Every candidate.
        pub const CANDIDATES: &[Candidate] =
            &[$(Candidate { key: $key, name: $name, higher: $higher, says: $says, range: $range }),*];
    };
}

candidates! {
    "axis_advantage", "axis advantage", true, "−1 to 1",
        "How much more coherent the pictures are after changing one weight than along random directions.";
    "unit_axis_advantage", "axis advantage of units", true, "−1 to 1",
        "The same for the weights into one unit.";
    "scaling_advantage", "axis advantage of scaling", true, "−1 to 1",
        "How much more coherent the pictures are after making one unit louder than a mixture of its layer.";
    "effective_units", "effective units a pixel", false, "1 to units",
        "How many units a pixel hangs on.";
    "contribution_gini", "Gini of contributions", true, "0 to 1",
        "How unequally the units contribute to a pixel.";
    "locality", "locality", true, "0 to 1",
        "How much of the picture a unit leaves alone.";
    "redundancy", "redundancy", false, "0 to 1",
        "How much what a unit does resembles what its likest other unit does.";
    "influence_orthogonality", "influence orthogonality", true, "0 to 1",
        "How different the things are that two units do to the picture.";
    "brittleness", "brittleness", false, "0 to ∞",
        "How far the picture moves when one weight does.";
    "relative_brittleness", "relative brittleness", false, "0 to ∞",
        "How far the picture moves when one weight changes by a share of itself.";
    "interaction", "two-weight interaction", false, "0 to ∞",
        "How far two changes together differ from the sum of both.";
    "unified", "unified", true, "−1 to 1",
        "How much more two parts that look alike hang on the same units than other places do.";
    "few_weight_edits", "few-weight edits", true, "−1 to 1",
        "How much better four weights reach an edit of a part than a random field of its spectrum.";
    "edits_of_parts", "edits of parts", true, "0 to 1",
        "R² that four weights reach of edits of parts.";
    "unit_edits", "unit edits", true, "−1 to 1",
        "How much better four units explain an edit of a part than four mixtures of the same units.";
    "disentanglement", "sweep DCI: disentanglement", true, "0 to 1",
        "How far a weight moves one attribute of the picture only.";
    "completeness", "sweep DCI: completeness", true, "0 to 1",
        "How far an attribute of the picture hangs on one weight.";
}

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
    let rng = |purpose: &str| SimRng::new(seed, purpose, 0);
    let silenced = &Silenced::of(view);
    let [axis, unit_axis, scaling] =
        axis_advantage::axis_advantages(view, judge, &mut rng("axes"))?;
    let links = Selection::Sample(SWEPT).draw(view.model(), &mut rng("swept"));
    let sweep = view.sweep(&links, Delta::default(), &|_| {});
    let attributes = dci(&sweep_importance(view, &sweep, &Attributes::of(view.picture())));
    let edits = few_weight_edits::few_weight_edits(silenced, &mut rng("edits"));
    let found = [
        axis,
        unit_axis,
        scaling,
        effective_units::effective_units(silenced),
        effective_units::contribution_gini(silenced),
        locality::locality(silenced),
        influence::redundancy(silenced),
        influence::influence_orthogonality(silenced),
        brittleness::brittleness(silenced),
        brittleness::relative_brittleness(silenced),
        interaction::interaction(view, &sweep, &mut rng("interaction")),
        unified::unified(silenced, &mut rng("unified")),
        edits.as_ref().map(|edits| edits.parts[2] - edits.controls[2]),
        edits.as_ref().map(|edits| edits.parts[2]),
        unit_edits::unit_edits(silenced, &mut rng("unit-edits")),
        Some(attributes.disentanglement),
        Some(attributes.completeness),
    ];
    assert_eq!(found.len(), CANDIDATES.len(), "one number a candidate");
    let named = CANDIDATES.iter().zip(found);
    let finite = named.filter_map(|(of, value)| Some((of.key, value.filter(|v| v.is_finite())?)));
    Ok(finite.map(|(key, value)| (key.to_string(), value)).collect())
}
