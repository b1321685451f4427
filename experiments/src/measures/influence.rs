//! Influence: do units act on the picture in ways of their own?
//!
//! With the doings D_i of the hidden units (the picture without the unit, less the picture; copies with |cos| > .999
//! merged): *influence orthogonality* 1 − mean over pairs of cos²(D_i, D_j); *redundancy*, the mean over units of the
//! largest |cos| with another unit. Both in [0, 1].
//!
//! In: (N, 3P) doings at 32². Out: two numbers, `None` with fewer than two different ones.
//! Cost: one drawing of 32² pixels a hidden unit ([`picloom::score::measures::silencing`]), at most 1.5 N² cosines of 3P numbers.
//!
//! Source: a public notebook (open-optimizer, 2026; METHODS §7) names both without a formula; these are \[ours\].
//!
//! **What it does not mean:** units on one path act alike in any network, and units of a fractured network can be
//! as different from each other as noise is.

use picloom::score::measures::cosine;
use picloom::score::measures::silencing::Silenced;
use rayon::prelude::*;

/// (N, N) |cos| of every pair of different doings.
fn likeness(silenced: &Silenced) -> Vec<Vec<f64>> {
    let different = silenced.different();
    let row = |a: &&[f32]| different.iter().map(|b| cosine(a, b).abs()).collect();
    different.par_iter().map(row).collect()
}

/// How units act on the picture.
pub(crate) struct Influence {
    /// 1 − mean squared cosine of pairs.
    pub orthogonality: f64,
    /// Mean largest |cosine| with another unit.
    pub redundancy: f64,
}

impl Influence {
    /// Of a network's units; `None` with fewer than two different ones.
    pub(crate) fn of(silenced: &Silenced) -> Option<Self> {
        let rows = likeness(silenced);
        let n = rows.len();
        let others = |i: usize| (0..n).filter(move |&j| j != i);
        let squares: f64 = (0..n)
            .flat_map(|i| others(i).map(move |j| (i, j)))
            .map(|(i, j)| rows[i][j].powi(2))
            .sum();
        let most = |i: usize| others(i).map(|j| rows[i][j]).fold(0.0, f64::max);
        (n > 1).then(|| Influence {
            orthogonality: 1.0 - squares / (n * (n - 1)) as f64,
            redundancy: (0..n).map(most).sum::<f64>() / n as f64,
        })
    }
}
