//! Ridge logistic regression by Newton's method: the smallest model that turns a few features
//! into a probability. Rows may weigh more or less; standardised features are cut and bent as the embedded judge's are.

use nalgebra::{DMatrix, DVector};
use picloom::base::real;
use picloom::score::dl::{CLIP, KNOTS};

/// A fitted model on standardised features.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Logistic {
    /// Mean of each feature.
    pub means: Vec<f64>,
    /// Population standard deviation of each feature, > 0.
    pub spreads: Vec<f64>,
    /// Weight of each standardised feature.
    pub weights: Vec<f64>,
    /// Weight of what each standardised feature is above each knot, feature by feature.
    pub above: Vec<[f64; KNOTS.len()]>,
    /// Constant.
    pub intercept: f64,
}

/// Why nothing could be fitted.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub(crate) enum FitError {
    /// One class only.
    #[error("expected pictures of both labels, found {clean} clean and {damaged} damaged")]
    OneClass {
        /// Rows labelled clean.
        clean: usize,
        /// Rows labelled damaged.
        damaged: usize,
    },
    /// A ridge that is not positive.
    #[error("expected a ridge above 0, found {0}")]
    Ridge(f64),
}

/// Newton steps, at most. The loss is convex and the ridge bounds it: ten are enough.
const STEPS: usize = 25;
/// Ridge of the intercept: only keeps the system regular.
const INTERCEPT_RIDGE: f64 = 1e-6;

/// One labelled row.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Labelled {
    /// Features.
    pub x: Vec<f64>,
    /// True for damaged.
    pub positive: bool,
    /// How much it counts, > 0.
    pub weight: f64,
}

/// Minimises the weighted mean log-loss + λ/2·Σ weight² over `rows`; features are standardised by their
/// weighted means and spreads and cut to ± [`CLIP`]. Beside each x stands max(0, x − knot) for every one of the
/// [`KNOTS`], with a weight of its own.
///
/// Deterministic: sums run in the order of the rows.
///
/// # Errors
/// One class only, or λ ≤ 0.
pub(crate) fn fit_logistic(rows: &[&Labelled], ridge: f64) -> Result<Logistic, FitError> {
    let damaged = rows.iter().filter(|r| r.positive).count();
    let clean = rows.len() - damaged;
    if damaged == 0 || clean == 0 {
        return Err(FitError::OneClass { clean, damaged });
    }
    if !(ridge > 0.0 && ridge.is_finite()) {
        return Err(FitError::Ridge(ridge));
    }
    let (total, k) = (rows.iter().map(|r| r.weight).sum::<f64>(), rows[0].x.len());
    let mean =
        |of: &dyn Fn(&Labelled) -> f64| rows.iter().map(|r| r.weight * of(r)).sum::<f64>() / total;
    let means: Vec<f64> = (0..k).map(|j| mean(&|r| r.x[j])).collect();
    let spreads: Vec<f64> = (0..k)
        .map(|j| mean(&|r| (r.x[j] - means[j]) * (r.x[j] - means[j])).sqrt() + 1e-9)
        .collect();
    let x = |i: usize, j: usize| ((rows[i].x[j] - means[j]) / spreads[j]).clamp(-CLIP, CLIP);
    // Columns: features, what they are above the first knot, the next, …, and 1.
    let all = k * (1 + KNOTS.len());
    let column = |i: usize, j: usize| match j {
        j if j < k => x(i, j),
        j if j < all => (x(i, j % k) - KNOTS[j / k - 1]).max(0.0),
        _ => 1.0,
    };
    let design: Vec<DVector<f64>> =
        (0..rows.len()).map(|i| DVector::from_fn(all + 1, |j, _| column(i, j))).collect();
    let penalty = DVector::from_fn(all + 1, |j, _| if j < all { ridge } else { INTERCEPT_RIDGE });
    let mut weights = DVector::zeros(all + 1);
    for _ in 0..STEPS {
        let mut gradient = penalty.component_mul(&weights);
        let mut hessian = DMatrix::from_diagonal(&penalty);
        for (row, labelled) in design.iter().zip(rows) {
            let share = labelled.weight / total;
            let p = 1.0 / (1.0 + real::exp(-row.dot(&weights)));
            gradient.axpy((p - f64::from(u8::from(labelled.positive))) * share, row, 1.0);
            // Cholesky's decomposition reads the lower triangle only.
            for j in 0..=all {
                let by = row[j] * (p * (1.0 - p) * share);
                let lower = hessian.column_mut(j).data.into_slice_mut();
                lower[j..].iter_mut().zip(&row.as_slice()[j..]).for_each(|(h, v)| *h += by * v);
            }
        }
        let step =
            hessian.cholesky().expect("ridge > 0 keeps the Hessian positive").solve(&gradient);
        weights -= &step;
        if step.amax() < 1e-12 {
            break;
        }
    }
    let above = |j: usize| std::array::from_fn(|knot| weights[(knot + 1) * k + j]);
    Ok(Logistic {
        intercept: weights[all],
        above: (0..k).map(above).collect(),
        weights: weights.as_slice()[..k].to_vec(),
        means,
        spreads,
    })
}
