//! Two-weight interaction: do two changes together do what each does alone?
//!
//! For pairs of non-zero weights, each moved until the picture changes by RMSE .18: ι = ‖Δ_ab − Δ_a − Δ_b‖/(‖Δ_a‖ +
//! ‖Δ_b‖), Δ the change of the picture, mean over pairs. 0: changes add up; 1 and more: the second undoes or
//! transforms the first.
//!
//! Range: [0, ∞). In: a view, its sweep. Out: a number, `None` if no pair can be formed.
//! Cost: after the sweep of 40 weights three drawings of P pixels a pair, 60 pairs.
//!
//! Source: METHODS §7 \[ours\].
//!
//! **What it does not mean:** two changes of one part interact in any network, and changes far apart in the picture
//! add up in any.

use picloom::base::SimRng;
use picloom::probe::{Change, Perturbation, View, WeightSweep};
use rayon::prelude::*;

/// Pairs of weights.
const PAIRS: usize = 60;

/// ι of three changes of one picture.
pub(crate) fn of_changes(both: &[f32], a: &[f32], b: &[f32]) -> f64 {
    let norm = |values: &mut dyn Iterator<Item = f64>| values.map(|v| v * v).sum::<f64>().sqrt();
    let apart = both.iter().zip(a.iter().zip(b));
    let apart = norm(&mut apart.map(|(c, (a, b))| f64::from(*c) - f64::from(*a) - f64::from(*b)));
    let [a, b] = [a, b].map(|side| norm(&mut side.iter().map(|v| f64::from(*v))));
    apart / (a + b)
}

/// Mean ι over pairs of different weights of a sweep; `None` if fewer than two can change the
/// picture so far.
pub(crate) fn interaction(view: &View, sweep: &WeightSweep, rng: &mut SimRng) -> Option<f64> {
    let moved: Vec<_> = sweep.perturbations.iter().filter(|p| !p.silent).collect();
    let mut pairs = Vec::new();
    for _ in 0..8 * PAIRS {
        let (a, b) = rng.choose(&moved).zip(rng.choose(&moved))?;
        if a.link != b.link && pairs.len() < PAIRS {
            pairs.push((*a, *b));
        }
    }
    let found: Vec<f64> = pairs
        .par_iter()
        .map_init(
            || view.painter(),
            |painter, (a, b)| {
                let by = |p: &Perturbation| Change::By { link: p.link, delta: p.delta };
                let mut less = |changes: Vec<Change>| -> Vec<f32> {
                    let drawn = painter.draw_all(changes).rgb.iter().zip(&view.picture().rgb);
                    drawn.map(|(now, before)| now - before).collect()
                };
                let both = less(vec![by(a), by(b)]);
                of_changes(&both, &less(vec![by(a)]), &less(vec![by(b)]))
            },
        )
        .collect();
    (!found.is_empty()).then(|| found.iter().sum::<f64>() / found.len() as f64)
}
