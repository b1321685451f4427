//! Plasticity: how much of what a conditional network was not trained on do a few weights teach it? (METHODS §11)
//!
//! The network's pictures under four seen conditions and a held-out one are taken together. The edit is what the held-out
//! picture lacks of the true one; the seen pictures are to stay as they are. *Reached*: R² of that edit after k = 1, 2, 4, 8
//! weights were changed, found as for [few-weight edits](super::few_weight_edits). 1: the new picture is there and the old
//! ones are unharmed; 0: no better than before. Mean over three held-out conditions at most, evenly spread over them. All at
//! 16². With the support `value` what is held out is a new value of a factor, with the others new combinations.
//!
//! In: a model, seen and held-out conditions with pictures of a multiple of 16² or any other size
//! (resampled). Out: R² for each k, in [0, 1]; `None` without held-out conditions, living weights,
//! or something to learn (mean square of the edit up to 1e-4 in the held-out picture).
//! Cost: two drawings of five pictures of 16² pixels a living weight, eight passes over these changes, at most 376 drawings.
//!
//! Source: \[ours\].
//!
//! **What it does not mean:** a network of more weights has more to choose from; compare at equal links. A network that
//! draws what was held out has nothing to learn, and no plasticity.

use super::few_weight_edits::{jacobian, reached};
use picloom::network::family::Conditioned;
use picloom::network::{Coords, Model};
use picloom::probe::View;
use picloom::score::JudgeError;
use picloom::score::measures::living;
use picloom::score::measures::own::{Column, Measures, Numbers, Subject};

/// Side of the pictures.
const SIDE: usize = 16;
/// Seen conditions whose pictures are to stay, at most.
const KEPT: usize = 4;
/// Held-out conditions, at most.
const TAUGHT: usize = 3;

/// Plasticity with four weights.
pub(crate) struct Plasticity;

impl Measures for Plasticity {
    fn key(&self) -> &'static str {
        "organisation"
    }

    fn columns(&self) -> &[Column] {
        &[Column {
            name: "plasticity",
            label: "plasticity",
            says: "R² of what was held out that four changed weights teach without harm to the rest, with `organisation`.",
            before: Some("fit"),
        }]
    }

    fn of(&self, network: &Subject<'_>) -> Result<Numbers, JudgeError> {
        let of = |(seen, held_out)| {
            let reached = plasticity(network.model, seen, held_out, network.view.coords())?;
            Some(("plasticity", reached[2]))
        };
        Ok(network.family.and_then(of).into_iter().collect())
    }
}

/// R² that 1, 2, 4 and 8 changed weights reach.
pub(crate) fn plasticity(
    model: &Model,
    seen: &Conditioned,
    held_out: &Conditioned,
    coords: Coords,
) -> Option<[f64; 4]> {
    let kept = spread(seen.conditions.len(), KEPT);
    let kept: Vec<Vec<f64>> = kept.map(|i| seen.conditions[i].clone()).collect();
    let of = |i: usize| {
        let conditions = [&[held_out.conditions[i].clone()], &kept[..]].concat();
        let view = View::under(model, SIDE, coords, &conditions);
        let links = living(&view);
        let wanted = held_out.picture(i).resized(SIDE);
        let mut edit = vec![0.0; view.picture().rgb.len()];
        for ((edit, wanted), drawn) in edit.iter_mut().zip(&wanted.rgb).zip(&view.picture().rgb) {
            *edit = f64::from(*wanted) - f64::from(*drawn);
        }
        let lacking = edit.iter().map(|v| v * v).sum::<f64>() / wanted.rgb.len() as f64;
        if links.is_empty() || lacking <= 1e-4 {
            return None;
        }
        let changes = jacobian(&view, &links);
        Some(reached(&view, &mut view.painter(), (&links, &changes), &edit))
    };
    let found: Vec<[f64; 4]> = spread(held_out.conditions.len(), TAUGHT).filter_map(of).collect();
    let mean = |k: usize| found.iter().map(|r| r[k]).sum::<f64>() / found.len() as f64;
    (!found.is_empty()).then(|| std::array::from_fn(mean))
}

/// At most `most` of `count` places, evenly spread.
pub(crate) fn spread(count: usize, most: usize) -> impl Iterator<Item = usize> {
    let taken = count.min(most);
    (0..taken).map(move |i| (2 * i + 1) * count / (2 * taken))
}
