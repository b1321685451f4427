//! Ridge logistic regression by Newton's method: the smallest model that turns a few features
//! into a probability.

use crate::math::real;
use nalgebra::{DMatrix, DVector};

/// A fitted model on standardised features.
#[derive(Clone, Debug, PartialEq)]
pub struct Logistic {
    /// Mean of each feature.
    pub means: Vec<f64>,
    /// Population standard deviation of each feature, > 0.
    pub spreads: Vec<f64>,
    /// Weight of each standardised feature.
    pub weights: Vec<f64>,
    /// Constant.
    pub intercept: f64,
}

/// Why nothing could be fitted.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum FitError {
    /// One class only.
    #[error(
        "expected pictures of both labels, found {coherent} coherent and {fractured} fractured"
    )]
    OneClass {
        /// Rows labelled coherent.
        coherent: usize,
        /// Rows labelled fractured.
        fractured: usize,
    },
    /// A ridge that is not positive.
    #[error("expected a ridge above 0, found {0}")]
    Ridge(f64),
}

/// Newton steps. The loss is convex and the ridge bounds it: ten are enough, the rest are free.
const STEPS: usize = 25;
/// Ridge of the intercept: only keeps the system regular.
const INTERCEPT_RIDGE: f64 = 1e-6;

/// Minimises mean log-loss + λ/2·Σ weight² over `rows` (n, features); `positive` is (n,).
///
/// Deterministic: sums run in the order of the rows.
///
/// # Errors
/// One class only, or λ ≤ 0.
pub fn fit(rows: &[Vec<f64>], positive: &[bool], ridge: f64) -> Result<Logistic, FitError> {
    let fractured = positive.iter().filter(|&&p| p).count();
    let coherent = positive.len() - fractured;
    if fractured == 0 || coherent == 0 {
        return Err(FitError::OneClass { coherent, fractured });
    }
    if !(ridge > 0.0 && ridge.is_finite()) {
        return Err(FitError::Ridge(ridge));
    }
    let (n, k) = (rows.len() as f64, rows[0].len());
    let means: Vec<f64> = (0..k).map(|j| rows.iter().map(|r| r[j]).sum::<f64>() / n).collect();
    let spreads: Vec<f64> = (0..k)
        .map(|j| {
            let squares: f64 = rows.iter().map(|r| (r[j] - means[j]) * (r[j] - means[j])).sum();
            (squares / n).sqrt() + 1e-9
        })
        .collect();
    // (n, k + 1), the last column 1.
    let design = DMatrix::from_fn(rows.len(), k + 1, |i, j| {
        if j < k { (rows[i][j] - means[j]) / spreads[j] } else { 1.0 }
    });
    let penalty = DVector::from_fn(k + 1, |j, _| if j < k { ridge } else { INTERCEPT_RIDGE });
    let mut weights = DVector::zeros(k + 1);
    for _ in 0..STEPS {
        let mut gradient = penalty.component_mul(&weights);
        let mut hessian = DMatrix::from_diagonal(&penalty);
        for (i, &positive) in positive.iter().enumerate() {
            let row = design.row(i).transpose();
            let p = 1.0 / (1.0 + real::exp(-row.dot(&weights)));
            gradient += &row * ((p - f64::from(u8::from(positive))) / n);
            hessian += &row * row.transpose() * (p * (1.0 - p) / n);
        }
        let step =
            hessian.cholesky().expect("ridge > 0 keeps the Hessian positive").solve(&gradient);
        weights -= step;
    }
    Ok(Logistic {
        means,
        spreads,
        intercept: weights[k],
        weights: weights.as_slice()[..k].to_vec(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gradient_is_zero_at_the_fit_and_the_sign_is_right() {
        let rows: Vec<Vec<f64>> =
            (0..40).map(|i| vec![f64::from(i), f64::from(i * 7 % 11)]).collect();
        let positive: Vec<bool> = (0..40).map(|i| i > 22 || i == 5).collect();
        let ridge = 0.05;
        let model = fit(&rows, &positive, ridge).unwrap();
        assert!(model.weights[0] > 1.0);
        for j in 0..2 {
            let slope: f64 = rows
                .iter()
                .zip(&positive)
                .map(|(row, &y)| {
                    let x = |j: usize| (row[j] - model.means[j]) / model.spreads[j];
                    let z = model.intercept + model.weights[0] * x(0) + model.weights[1] * x(1);
                    (1.0 / (1.0 + real::exp(-z)) - f64::from(u8::from(y))) * x(j) / 40.0
                })
                .sum();
            assert!((slope + ridge * model.weights[j]).abs() < 1e-9, "{slope}");
        }
    }

    #[test]
    fn one_class_and_no_ridge_are_refused() {
        let rows = vec![vec![0.0], vec![1.0]];
        assert!(matches!(
            fit(&rows, &[true, true], 0.1),
            Err(FitError::OneClass { fractured: 2, .. })
        ));
        assert_eq!(fit(&rows, &[true, false], 0.0), Err(FitError::Ridge(0.0)));
    }
}
