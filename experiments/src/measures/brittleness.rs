//! Brittleness: how far the picture moves when one weight does.
//!
//! Root mean square over living weights of ‖∂I/∂w‖, itself the root mean square over pixels and channels; by
//! differences of ± 1/128 at 32². Also for a relative change: ‖∂I/∂w‖ · |w|. Both ≥ 0.
//!
//! In: a network at 32². Out: two numbers, `None` without living weights.
//! Cost: two drawings of 32² pixels a living weight, for each of the two.
//!
//! Source: a public notebook (open-optimizer, 2026; METHODS §7); the mean over weights is \[ours\].
//!
//! **What it does not mean:** a network of few links has more of the picture on each. That ranks evolved networks as
//! more brittle than dense ones, whatever they mean.

use picloom::probe::Change;
use picloom::score::measures::silencing::Silenced;
use rayon::prelude::*;

/// Half the difference of a weight.
const STEP: f64 = 1.0 / 128.0;

/// Brittleness for a change of a weight by a number; `None` without living weights.
pub(crate) fn brittleness(silenced: &Silenced) -> Option<f64> {
    mean(silenced, |_| 1.0)
}

/// Brittleness for a change of a weight by a share of itself.
pub(crate) fn relative_brittleness(silenced: &Silenced) -> Option<f64> {
    mean(silenced, f64::from)
}

fn mean(silenced: &Silenced, scale: impl Fn(f32) -> f64 + Sync) -> Option<f64> {
    let view = &silenced.view;
    let links = picloom::score::measures::living(view);
    let squares: Vec<f64> = links
        .par_iter()
        .map_init(
            || view.painter(),
            |painter, &link| {
                let up = painter.draw(Change::By { link, delta: STEP }).clone();
                let down = painter.draw(Change::By { link, delta: -STEP });
                up.mse(down) / (2.0 * STEP).powi(2) * scale(view.model().weights.0[link]).powi(2)
            },
        )
        .collect();
    (!squares.is_empty()).then(|| (squares.iter().sum::<f64>() / squares.len() as f64).sqrt())
}
