//! Ridge logistic regression by Newton's method: the smallest model that turns a few features
//! into a probability. Rows may weigh more or less; standardised features are cut and bent as the embedded judge's are.

use nalgebra::{DMatrix, DVector};
use picloom::math::real;
use picloom::score::dl::{CLIP, KNOTS};

/// A fitted model on standardised features.
#[derive(Clone, Debug, PartialEq)]
pub struct Logistic {
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

/// Newton steps, at most. The loss is convex and the ridge bounds it: ten are enough.
const STEPS: usize = 25;
/// Ridge of the intercept: only keeps the system regular.
const INTERCEPT_RIDGE: f64 = 1e-6;

/// One labelled row.
#[derive(Clone, Debug, PartialEq)]
pub struct Labelled {
    /// Features.
    pub x: Vec<f64>,
    /// True for fractured.
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
pub fn fit_logistic(rows: &[&Labelled], ridge: f64) -> Result<Logistic, FitError> {
    let fractured = rows.iter().filter(|r| r.positive).count();
    let coherent = rows.len() - fractured;
    if fractured == 0 || coherent == 0 {
        return Err(FitError::OneClass { coherent, fractured });
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_bends_follows_what_a_straight_one_cannot_and_the_loss_is_flat_there() {
        // Fractured in the middle only.
        let rows: Vec<Labelled> = (-30..=30)
            .map(|i| Labelled {
                x: vec![f64::from(i)],
                positive: i32::abs(i) < 10,
                weight: if i % 3 == 0 { 0.5 } else { 1.0 },
            })
            .collect();
        let rows: Vec<&Labelled> = rows.iter().collect();
        let ridge = 1e-3;
        let bent = fit_logistic(&rows, ridge).unwrap();
        let x = |value: f64| ((value - bent.means[0]) / bent.spreads[0]).clamp(-CLIP, CLIP);
        let odds = |value: f64| {
            let above = bent.above[0].iter().zip(KNOTS).map(|(w, k)| w * (x(value) - k).max(0.0));
            bent.intercept + bent.weights[0] * x(value) + above.sum::<f64>()
        };
        let at = [0.0, 30.0, -30.0].map(odds);
        assert!(at[0] > 0.0 && at[1] < 0.0 && at[2] < 0.0, "{at:?}");
        let total: f64 = rows.iter().map(|r| r.weight).sum();
        let slope = |along: &dyn Fn(f64) -> f64| -> f64 {
            let part = |r: &&Labelled| {
                let p = 1.0 / (1.0 + real::exp(-odds(r.x[0])));
                r.weight * (p - f64::from(u8::from(r.positive))) * along(x(r.x[0])) / total
            };
            rows.iter().map(part).sum()
        };
        assert!((slope(&|x| x) + ridge * bent.weights[0]).abs() < 1e-9);
        assert!((slope(&|x| (x - KNOTS[1]).max(0.0)) + ridge * bent.above[0][1]).abs() < 1e-9);
    }

    #[test]
    fn one_class_and_no_ridge_are_refused() {
        let [clean, broken] =
            [false, true].map(|positive| Labelled { x: vec![0.0], positive, weight: 1.0 });
        let one = fit_logistic(&[&broken, &broken], 0.1);
        assert!(matches!(one, Err(FitError::OneClass { fractured: 2, .. })));
        assert_eq!(fit_logistic(&[&broken, &clean], 0.0), Err(FitError::Ridge(0.0)));
    }
}
