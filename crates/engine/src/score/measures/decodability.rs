//! Linear decodability: what a straight line can read out of a layer's maps.
//!
//! For each per-pixel attribute y (P,), ridge regression on the maps X (P, n), each less its mean over
//! its deviation over all pixels (constant ones 0), and an intercept that is not shrunk:
//! β = argmin ‖y − Xβ‖² + λP'‖β‖², λ = 1e-3, P' the pixels that are fitted. The picture is cut into
//! 8 × 8 tiles; the tile of row r and column c belongs to fold (c + 2r) mod 5, and each fold is predicted
//! from the others (tiles, because neighbouring pixels are almost copies). R² = 1 − SSE/SST, the squared
//! errors of all folds over the squares about the mean of all pixels. R² ≤ 1; 0 is the mean's, below 0 worse.
//!
//! In: maps (n, P), attributes (K, P). Out: K numbers, `None` for an attribute that does not vary.
//! Cost: no drawing; P · n² products, and five solutions of n equations.
//!
//! Sources: Hoerl & Kennard 1970; Alain & Bengio, *Understanding intermediate layers using linear
//! classifier probes*, 2016. The tiles and λ are \[ours\].
//!
//! **What it does not mean:** decodable is not organised. FER's central warning is that a
//! fractured network may decode as well as the evolved one, so R² is only ever shown
//! beside the compositional score.

use nalgebra::{DMatrix, DVector};
use serde::{Deserialize, Serialize};

const RIDGE: f64 = 1e-3;
const FOLDS: usize = 5;
const TILE: usize = 8;

/// How well one attribute is read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Decoded {
    /// The attribute's name.
    pub attribute: String,
    /// Held-out R², ≤ 1; `None` for an attribute that does not vary.
    pub r2: Option<f64>,
}

/// R² of each attribute from the (n, P) `maps` of one layer; pixels row by row, `width` to a row.
///
/// # Panics
/// If a map or an attribute has another length than width · height.
pub fn decodability(
    maps: &[&[f32]],
    attributes: &[(String, Vec<f32>)],
    width: usize,
    height: usize,
) -> Vec<Decoded> {
    let pixels = width * height;
    let lengths = maps.iter().map(|m| m.len());
    let all = lengths.chain(attributes.iter().map(|a| a.1.len()));
    assert!(all.into_iter().all(|n| n == pixels), "one value a pixel");
    let fold: Vec<usize> = (0..pixels)
        .map(|p| {
            let (row, column) = (p / width / TILE, p % width / TILE);
            // A Latin step keeps a fold from being whole columns of tiles.
            (column + 2 * row) % FOLDS
        })
        .collect();
    let x = design(maps, pixels);
    let n = x.nrows();
    // Normal matrices of each fold, so that each training set is a difference.
    let mut normal = vec![DMatrix::<f64>::zeros(n, n); FOLDS];
    let mut mixed = vec![DMatrix::<f64>::zeros(n, attributes.len()); FOLDS];
    for (f, (normal, mixed)) in normal.iter_mut().zip(&mut mixed).enumerate() {
        let chosen: Vec<usize> = (0..pixels).filter(|&p| fold[p] == f).collect();
        let part = x.select_columns(&chosen);
        *normal = &part * part.transpose();
        for (a, (_, y)) in attributes.iter().enumerate() {
            let y = DVector::from_iterator(chosen.len(), chosen.iter().map(|&p| f64::from(y[p])));
            mixed.set_column(a, &(&part * y));
        }
    }
    let (all_normal, all_mixed) = (
        normal.iter().fold(DMatrix::zeros(n, n), |s, m| s + m),
        mixed.iter().fold(DMatrix::zeros(n, attributes.len()), |s, m| s + m),
    );
    let mut errors = vec![0.0; attributes.len()];
    for f in 0..FOLDS {
        let trained = fold.iter().filter(|&&k| k != f).count();
        if trained == 0 || trained == pixels {
            continue;
        }
        let mut left = &all_normal - &normal[f];
        for i in 0..n {
            // The intercept (last row) is not shrunk; the tiny ridge keeps silent maps solvable.
            left[(i, i)] += trained as f64 * if i + 1 < n { RIDGE } else { 1e-12 };
        }
        let right = &all_mixed - &mixed[f];
        let solved = left.cholesky().map(|c| c.solve(&right));
        for (p, _) in fold.iter().enumerate().filter(|(_, k)| **k == f) {
            for (a, (_, y)) in attributes.iter().enumerate() {
                let guess = solved.as_ref().map_or(0.0, |beta| beta.column(a).dot(&x.column(p)));
                let error = f64::from(y[p]) - guess;
                errors[a] += error * error;
            }
        }
    }
    attributes
        .iter()
        .zip(errors)
        .map(|((name, y), error)| {
            let mean = y.iter().map(|&v| f64::from(v)).sum::<f64>() / pixels.max(1) as f64;
            let spread: f64 =
                y.iter().map(|&v| (f64::from(v) - mean) * (f64::from(v) - mean)).sum();
            Decoded {
                attribute: name.clone(),
                r2: (spread > 1e-12 * pixels as f64).then(|| 1.0 - error / spread),
            }
        })
        .collect()
}

/// (n + 1, P): standardised maps (constant ones are 0), and ones.
fn design(maps: &[&[f32]], pixels: usize) -> DMatrix<f64> {
    let mut x = DMatrix::from_element(maps.len() + 1, pixels, 1.0);
    for (i, map) in maps.iter().enumerate() {
        let count = pixels.max(1) as f64;
        let mean = map.iter().map(|&v| f64::from(v)).sum::<f64>() / count;
        let square: f64 = map.iter().map(|&v| (f64::from(v) - mean) * (f64::from(v) - mean)).sum();
        let deviation = (square / count).sqrt();
        for (p, &v) in map.iter().enumerate() {
            x[(i, p)] = if deviation > 1e-9 { (f64::from(v) - mean) / deviation } else { 0.0 };
        }
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::SimRng;

    #[test]
    fn sums_of_maps_are_read_and_products_and_noise_are_not() {
        let (w, h) = (40, 40);
        let mut rng = SimRng::new(1, "test", 0);
        let u: Vec<f32> = (0..w * h).map(|_| rng.normal() as f32).collect();
        let v: Vec<f32> = (0..w * h).map(|_| rng.normal() as f32).collect();
        let noise: Vec<f32> = (0..w * h).map(|_| rng.normal() as f32).collect();
        let pick = |f: fn(f32, f32) -> f32| u.iter().zip(&v).map(|(&a, &b)| f(a, b)).collect();
        let found = decodability(
            &[&u, &v, &vec![0.3; w * h]],
            &[
                ("sum".into(), pick(|a, b| 2.0 * a - b + 7.0)),
                ("product".into(), pick(|a, b| a * b)),
                ("noise".into(), noise),
                ("constant".into(), vec![1.0; w * h]),
            ],
            w,
            h,
        );
        assert!(found[0].r2.unwrap() > 0.999_99, "{found:?}");
        assert!(found[1].r2.unwrap().abs() < 0.02, "{found:?}");
        assert!(found[2].r2.unwrap() < 0.01, "{found:?}");
        assert_eq!(found[3].r2, None);
    }

    #[test]
    fn half_the_variance_is_an_r2_of_a_half() {
        let (w, h) = (64, 64);
        let mut rng = SimRng::new(2, "test", 0);
        let u: Vec<f32> = (0..w * h).map(|_| rng.normal() as f32).collect();
        let y: Vec<f32> = u.iter().map(|&a| a + rng.normal() as f32).collect();
        let found = decodability(&[&u], &[("half".into(), y)], w, h);
        assert!((found[0].r2.unwrap() - 0.5).abs() < 0.03, "{found:?}");
    }
}
