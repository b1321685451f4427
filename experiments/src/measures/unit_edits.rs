//! Unit edits: do a layer's units reach edits of parts better than mixtures of the same units do?
//!
//! The edits of [`super::few_weight_edits`]. For each, the share that four directions explain to first order (orthogonal
//! matching pursuit on the change of the picture a unit of each direction), once from the directions that make a single
//! unit louder, once from as many random mixtures within the same layers ([`super::scaling`]; three draws). The measure is
//! the mean over edits of the first less the second, in [−1, 1].
//!
//! In: a network at 32². Out: a number.
//! Cost: eight drawings of 32² pixels a living hidden unit (two a direction, for units and three draws of mixtures);
//! for each of at most 12 edits four passes over these (N, 3P) changes, four times.
//!
//! Source: \[ours\].
//!
//! **What it does not mean:** only what scaling a unit does is asked, to first order; a unit may mean something that scaling
//! does not show. Networks with one unit a layer have no mixtures and no number.

use super::few_weight_edits::{edits_of, explained};
use super::scaling::{Direction, Layers};
use picloom::base::SimRng;
use picloom::probe::{Change, View};
use picloom::score::measures::silencing::Silenced;
use rayon::prelude::*;

/// Directions that an edit may use.
const COUNT: usize = 4;
/// Draws of mixtures.
const DRAWS: usize = 3;
/// Half the step of a direction.
const STEP: f64 = 1.0 / 128.0;

/// Of a network's own picture; `None` if it has no parts, or no layer with two living units.
pub(crate) fn unit_edits(silenced: &Silenced, rng: &mut SimRng) -> Option<f64> {
    let view = &silenced.view;
    let layers = Layers::of(view)?;
    let (units, edits) = (layers.units(), edits_of(view.picture()));
    if units.is_empty() || edits.is_empty() {
        return None;
    }
    let reached = |directions: &[Direction]| reached(view, directions, &edits);
    let single: Vec<Direction> = units.iter().map(|&unit| layers.unit(unit)).collect();
    let mixed: f64 = (0..DRAWS)
        .map(|_| {
            let mixtures: Vec<Direction> =
                units.iter().map(|(layer, _)| layers.mixture(*layer, rng)).collect();
            reached(&mixtures)
        })
        .sum();
    Some(reached(&single) - mixed / DRAWS as f64)
}

/// (N, 3P) change of the picture a unit of each direction.
///
/// # Panics
/// If a direction has a link that the network has not.
pub(crate) fn changes_along(view: &View, directions: &[Direction]) -> Vec<Vec<f32>> {
    directions
        .par_iter()
        .map_init(
            || view.painter(),
            |painter, direction| {
                let mut at = |t: f64| {
                    let by = direction.iter().map(|&(link, v)| Change::By { link, delta: t * v });
                    painter.draw_all(by).rgb.clone()
                };
                let (up, down) = (at(STEP), at(-STEP));
                up.iter().zip(&down).map(|(a, b)| (a - b) / (2.0 * STEP) as f32).collect()
            },
        )
        .collect()
}

/// Mean share that four of these directions explain of `edits`, each (3P,).
///
/// # Panics
/// As [`changes_along`].
pub(crate) fn reached(view: &View, directions: &[Direction], edits: &[Vec<f64>]) -> f64 {
    let changes = changes_along(view, directions);
    let of: Vec<f64> = edits.par_iter().map(|edit| explained(&changes, edit, COUNT)).collect();
    of.iter().sum::<f64>() / of.len() as f64
}
