//! Locality: is what a unit does confined to a part of the picture?
//!
//! 1 − exp(H(q_i))/P, q_i = C_i/ΣC_i the share of each of the P pixels in the unit's contribution, H its entropy;
//! mean over the hidden units that do something. 0: every unit acts everywhere alike; near 1: on single pixels.
//!
//! In: (N, P) maps at P = 32². Out: a number in [0, 1), `None` if no unit changes the picture.
//! Cost: one drawing of 32² pixels a hidden unit ([`picloom::score::measures::silencing`]); N · P logarithms.
//!
//! Source: a public notebook (open-optimizer, 2026; METHODS §7) names it without a formula; this one is \[ours\].
//!
//! **What it does not mean:** a part may be spread over the picture (an outline, a texture), and a scrap is local.

use picloom::base::real;
use picloom::score::measures::silencing::Silenced;

/// Mean locality, in [0, 1); `None` if no unit changes the picture.
pub(crate) fn locality(silenced: &Silenced) -> Option<f64> {
    let found: Vec<f64> = silenced.contributions().iter().map(|map| of_map(map)).collect();
    (!found.is_empty()).then(|| found.iter().sum::<f64>() / found.len() as f64)
}

/// Of one contribution map whose sum is above 0.
pub(crate) fn of_map(map: &[f64]) -> f64 {
    let sum: f64 = map.iter().sum();
    let shares = map.iter().filter(|c| **c > 0.0).map(|c| c / sum);
    let entropy: f64 = shares.map(|q| -q * real::ln(q)).sum();
    1.0 - real::exp(entropy) / map.len() as f64
}
