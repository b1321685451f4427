//! The measures of how a network is organised that the gate tries (METHODS §7), but for disentanglement, which the
//! instrument recommends.
//!
//! In: a network at the size it is judged at, a judge. Out: a number a measure.
//! Which side of it should mean *more compositional* is said by the gate's spec.
//! Cost: of a skull-sized dense network at 64² with one thread `cheap` takes 1.7 s, `costly` 5.2 s.

use super::influence::Influence;
use super::{
    axis_advantage, brittleness, effective_units, few_weight_edits, interaction, locality, unified,
    unit_edits,
};
use picloom::base::SimRng;
use picloom::probe::View;
use picloom::score::measures::dci::dci_of;
use picloom::score::measures::disentanglement::{self, sweep};
use picloom::score::measures::own::{Column, Measures, Numbers, Subject};
use picloom::score::measures::silencing::Silenced;
use picloom::score::{Judge, JudgeError};

/// The candidates of the gate.
pub(crate) struct Candidates;

const fn column(name: &'static str, label: &'static str, says: &'static str) -> Column {
    Column { name, label, says, before: Some(disentanglement::KEY) }
}

/// Their columns, about the instrument's own.
const COLUMNS: [Column; 16] = [
    column(
        "axis_advantage",
        "axis advantage",
        "How much cleaner the pictures are after changing one weight than along random directions.",
    ),
    column(
        "unit_axis_advantage",
        "axis advantage of units",
        "The same for the weights into one unit.",
    ),
    column(
        "scaling_advantage",
        "axis advantage of scaling",
        "How much cleaner the pictures are after making one unit louder than a mixture of its layer.",
    ),
    column("effective_units", "effective units a pixel", "How many units a pixel hangs on."),
    column(
        "contribution_gini",
        "Gini of contributions",
        "How unequally the units contribute to a pixel.",
    ),
    column("locality", "locality", "How much of the picture a unit leaves alone."),
    column(
        "redundancy",
        "redundancy",
        "How much what a unit does resembles what its likest other unit does.",
    ),
    column(
        "influence_orthogonality",
        "influence orthogonality",
        "How different the things are that two units do to the picture.",
    ),
    column("brittleness", "brittleness", "How far the picture moves when one weight does."),
    column(
        "relative_brittleness",
        "relative brittleness",
        "How far the picture moves when one weight changes by a share of itself.",
    ),
    column(
        "interaction",
        "two-weight interaction",
        "How far two changes together differ from the sum of both.",
    ),
    column(
        "unified",
        "unified",
        "How much more two parts that look alike hang on the same units than other places do.",
    ),
    column(
        "few_weight_edits",
        "few-weight edits",
        "How much better four weights reach an edit of a part than a random field of its spectrum.",
    ),
    column("edits_of_parts", "edits of parts", "R² that four weights reach of edits of parts."),
    column(
        "unit_edits",
        "unit edits",
        "How much better four units explain an edit of a part than four mixtures of the same units.",
    ),
    Column {
        name: "completeness",
        label: "completeness",
        says: "How far an attribute of the picture hangs on one weight.",
        before: None,
    },
];

/// Measures by column. `None` if a measure is undefined for the network.
type Taken = Vec<(&'static str, Option<f64>)>;

impl Measures for Candidates {
    fn key(&self) -> &'static str {
        "organisation"
    }

    fn columns(&self) -> &[Column] {
        &COLUMNS
    }

    fn of(&self, network: &Subject<'_>) -> Result<Numbers, JudgeError> {
        let Subject { view, judge, seed, .. } = *network;
        let silenced = &Silenced::of(view);
        let taken = [cheap(view, silenced, seed), costly(view, silenced, judge, seed)?].concat();
        let finite = |value: Option<f64>| value.filter(|value| value.is_finite());
        Ok(taken.into_iter().filter_map(|(key, value)| Some((key, finite(value)?))).collect())
    }
}

/// Those that take at most a second or two.
fn cheap(view: &View, silenced: &Silenced, seed: u64) -> Taken {
    let rng = |purpose: &str| SimRng::new(seed, purpose, 0);
    let sweep = sweep(view, seed);
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
        ("completeness", Some(dci_of(view, &sweep).completeness)),
    ]
}

/// Axis advantages and few-weight edits, which take longer.
///
/// # Errors
/// The judge could not judge a picture.
fn costly(
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
