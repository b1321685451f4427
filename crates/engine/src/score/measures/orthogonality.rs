//! Feature orthogonality: how much the maps of a layer overlap.
//!
//! With n unit-norm maps f̂ᵢ (uncentred, over the pixels; copies with |cos| > .999 merged first,
//! silent maps left out) and G = f̂ᵢ·f̂ⱼ: interference I = mean of G²ᵢⱼ over i ≠ j, in [0, 1].
//! n vectors of rank d cannot go below the Welch bound (n − d)/(d(n − 1)); excess = I − bound ≥ 0.
//!
//! In: the maps of a layer, (maps, P). Out: counts, I, bound and excess in [0, 1].
//! Cost: no drawing; at most 1.5 maps² scalar products of P numbers, the eigenvalues of an (n, n) matrix.
//!
//! Sources: L. R. Welch, *Lower bounds on the maximum cross correlation of signals*, IEEE Trans. IT
//! 20, 1974; Elhage et al., *Toy models of superposition*, 2022. Merging (as in [`super::duplicates`]), and
//! d as the number of eigenvalues of G above n/10⁶, are \[ours\].
//!
//! **What it does not mean:** low interference is not compositionality. Raw orthogonality ranks
//! FER's SGD networks *above* the evolved ones on all three published targets (METHODS §7), so it
//! is always shown beside the evolved reference and same-count controls.

use super::maps::{classes, dot};
use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};

/// Eigenvalues of G below this share of n count as 0 when the rank is taken.
const RANK_TOLERANCE: f64 = 1e-6;

/// Overlap of the maps of one layer.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Orthogonality {
    /// Different, not silent maps: n.
    pub maps: usize,
    /// Maps dropped as copies of another.
    pub merged: usize,
    /// Maps that are zero everywhere.
    pub silent: usize,
    /// d, the numerical rank of the n maps.
    pub rank: usize,
    /// I in [0, 1]; 0 for fewer than two maps.
    pub interference: f64,
    /// The least I that n maps of rank d can have.
    pub welch: f64,
    /// I − welch, ≥ 0 up to rounding.
    pub excess: f64,
}

/// The Welch bound on mean squared overlap of n unit vectors in d dimensions:
/// max(0, (n − d)/(d(n − 1))); 0 for n < 2 or d = 0.
pub(crate) fn welch_bound(n: usize, d: usize) -> f64 {
    if n < 2 || d == 0 || n <= d {
        return 0.0;
    }
    (n - d) as f64 / (d * (n - 1)) as f64
}

/// Interference of the (n, P) maps of one layer.
///
/// # Panics
/// If the maps have different lengths.
pub fn orthogonality(maps: &[&[f32]]) -> Orthogonality {
    let first = classes(maps);
    let alone: Vec<&[f32]> = (0..maps.len()).filter(|&i| first[i] == i).map(|i| maps[i]).collect();
    let loud: Vec<&[f32]> = alone.iter().copied().filter(|m| dot(m, m) > 0.0).collect();
    let silent = maps.iter().filter(|m| dot(m, m) == 0.0).count();
    let n = loud.len();
    let norms: Vec<f64> = loud.iter().map(|m| dot(m, m).sqrt()).collect();
    let gram = DMatrix::from_fn(n, n, |i, j| {
        if i == j { 1.0 } else { dot(loud[i.min(j)], loud[i.max(j)]) / (norms[i] * norms[j]) }
    });
    let squares = gram.iter().map(|g| g * g).sum::<f64>() - n as f64;
    let interference = if n < 2 { 0.0 } else { (squares / (n * (n - 1)) as f64).max(0.0) };
    // nalgebra refuses the eigenvalues of an empty matrix.
    let rank = if n == 0 {
        0
    } else {
        let eigenvalues = gram.symmetric_eigenvalues();
        let counts = |e: &&f64| **e > RANK_TOLERANCE * n as f64;
        eigenvalues.iter().filter(counts).count()
    };
    let welch = welch_bound(n, rank);
    Orthogonality {
        maps: n,
        merged: maps.len() - silent - n,
        silent,
        rank,
        interference,
        welch,
        excess: interference - welch,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mercedes_star_meets_the_welch_bound() {
        // Three unit vectors at 120° in the plane: G = −½, I = ¼ = (3 − 2)/(2·2).
        let h = 3.0f32.sqrt() / 2.0;
        let maps: [&[f32]; 3] = [&[1.0, 0.0], &[-0.5, h], &[-0.5, -h]];
        let found = orthogonality(&maps);
        assert_eq!((found.maps, found.rank, found.merged), (3, 2, 0));
        assert!((found.interference - 0.25).abs() < 1e-6);
        assert_eq!(found.welch, 0.25);
        assert!(found.excess.abs() < 1e-6);
    }

    #[test]
    fn relays_are_merged_and_silent_maps_left_out() {
        // e1, −2·e1 (a relay with another sign), e2, nothing, and (e1 + e2): G² = 0, ½, ½.
        let maps: [&[f32]; 5] = [
            &[1.0, 0.0, 0.0],
            &[-2.0, 0.0, 0.0],
            &[0.0, 3.0, 0.0],
            &[0.0, 0.0, 0.0],
            &[1.0, 1.0, 0.0],
        ];
        let found = orthogonality(&maps);
        assert_eq!((found.maps, found.merged, found.silent), (3, 1, 1));
        assert!((found.interference - 1.0 / 3.0).abs() < 1e-12);
        assert!((found.excess - (1.0 / 3.0 - 0.25)).abs() < 1e-12);
    }

    #[test]
    fn orthogonal_maps_have_none_and_few_maps_no_bound() {
        let maps: [&[f32]; 2] = [&[1.0, 0.0], &[0.0, 1.0]];
        let found = orthogonality(&maps);
        assert_eq!((found.interference, found.welch), (0.0, 0.0));
        assert_eq!(orthogonality(&[]).interference, 0.0);
        assert_eq!(welch_bound(4, 4), 0.0);
        assert_eq!(welch_bound(5, 1), 1.0);
    }
}
