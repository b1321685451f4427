//! Effective units: how many units a pixel hangs on, and how unequally.
//!
//! With contribution maps C_i(p) = ‖f(p) − f(p) without unit i‖ over the N hidden units that do something: effective
//! units of a pixel (ΣC)²/ΣC², in [1, N]; Gini coefficient of its C, in [0, 1). Both are means over pixels with
//! ΣC > .01 \[ours\].
//!
//! In: (N, P) maps at P = 32². Out: two numbers, `None` if no pixel depends on any unit.
//! Cost: one drawing of 32² pixels a hidden unit ([`picloom::score::measures::silencing`]); for Gini the N numbers of a pixel are sorted.
//!
//! Source: K. Xu, UT Austin 2026, second-hand (METHODS §7): 7 to 10 effective units with NEAT, 83 to 92 with SGD.
//!
//! **What it does not mean:** it counts units, and copies of a unit count. A network with fewer units has fewer
//! effective ones, however they are organised.

use picloom::score::measures::silencing::Silenced;

/// Least sum of contributions of a pixel that counts.
const LEAST: f64 = 0.01;

/// Effective units of a pixel, on average. `None` if no pixel depends on any unit.
pub(crate) fn effective_units(silenced: &Silenced) -> Option<f64> {
    over_pixels(&silenced.contributions(), |column| {
        let sum: f64 = column.iter().sum();
        sum * sum / column.iter().map(|c| c * c).sum::<f64>()
    })
}

/// Gini coefficient of a pixel's contributions, on average. `None` if no pixel depends on any unit.
pub(crate) fn contribution_gini(silenced: &Silenced) -> Option<f64> {
    over_pixels(&silenced.contributions(), gini)
}

/// Gini coefficient of non-negative numbers whose sum is above 0: 0 if all are equal.
pub(crate) fn gini(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    let n = values.len() as f64;
    let weighted: f64 = values.iter().enumerate().map(|(i, v)| (i + 1) as f64 * v).sum();
    2.0 * weighted / (n * values.iter().sum::<f64>()) - (n + 1.0) / n
}

/// Mean of `of` over the pixels that hang on some unit; it may sort the (N,) column.
fn over_pixels(maps: &[Vec<f64>], of: impl Fn(&mut [f64]) -> f64) -> Option<f64> {
    let pixels = maps.first()?.len();
    let mut found = Vec::new();
    for p in 0..pixels {
        let mut column: Vec<f64> = maps.iter().map(|map| map[p]).collect();
        if column.iter().sum::<f64>() > LEAST {
            found.push(of(&mut column));
        }
    }
    (!found.is_empty()).then(|| found.iter().sum::<f64>() / found.len() as f64)
}
