//! Theil–Sen: a straight line that a few wild points cannot tilt.

use super::describe::{median, of_sorted};
use super::special::normal_quantile;
use super::{Interval, checked_level, checked_pairs, constant};
use crate::refusal::Refusal;
use serde::{Deserialize, Serialize};

/// The line y = intercept + slope·x.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TheilSen {
    /// Median of the pairwise slopes, and Sen's rank interval for it.
    pub slope: Interval,
    /// Median of yᵢ − slope·xᵢ.
    pub intercept: f64,
}

/// Theil–Sen line through (xᵢ, yᵢ), n ≥ 2 with at least two different x.
///
/// Slope: median of (yⱼ − yᵢ)/(xⱼ − xᵢ) over pairs with xᵢ ≠ xⱼ. Intercept: median of the
/// residuals yᵢ − slope·xᵢ. Interval: Sen's normal approximation of Kendall's S, with ties.
/// With n = 2 or 3 the interval is the whole range of slopes. O(n² log n).
///
/// Sources: Theil 1950; P. K. Sen, *Estimates of the regression coefficient based on Kendall's
/// tau*, JASA 63, 1968.
///
/// # Errors
/// Unequal lengths, fewer than 2 points, all x equal, a NaN or an infinity.
pub fn theil_sen(x: &[f64], y: &[f64], level: f64) -> Result<TheilSen, Refusal> {
    checked_level(level)?;
    checked_pairs("Theil–Sen", x, y, 2)?;
    let n = x.len();
    let mut slopes = Vec::new();
    for i in 0..n {
        for j in i + 1..n {
            if x[i] != x[j] {
                slopes.push((y[j] - y[i]) / (x[j] - x[i]));
            }
        }
    }
    if slopes.is_empty() {
        return Err(constant("Theil–Sen x"));
    }
    slopes.sort_by(f64::total_cmp);
    let slope = of_sorted(&slopes, 0.5);
    let residuals: Vec<f64> = x.iter().zip(y).map(|(x, y)| y - slope * x).collect();
    let spread = (kendall_weight(n as f64) - tied(x) - tied(y)).max(0.0) / 18.0;
    let z = normal_quantile(0.5 + level / 2.0);
    let m = slopes.len() as f64;
    // Ranks (from 0) of the two slopes that bound the interval: (m ∓ zσ)/2, one inward below.
    let low = ((m - z * spread.sqrt()) / 2.0).round_ties_even() - 1.0;
    let high = ((m + z * spread.sqrt()) / 2.0).round_ties_even();
    Ok(TheilSen {
        slope: Interval {
            estimate: slope,
            low: slopes[low.max(0.0) as usize],
            high: slopes[high.min(m - 1.0) as usize],
        },
        intercept: median(&residuals)?,
    })
}

/// k(k − 1)(2k + 5).
fn kendall_weight(k: f64) -> f64 {
    k * (k - 1.0) * (2.0 * k + 5.0)
}

/// Σ over groups of equal values of k(k − 1)(2k + 5).
fn tied(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.chunk_by(|a, b| a == b).map(|group| kendall_weight(group.len() as f64)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_wild_point_does_not_tilt_the_line() {
        let x = [0.0, 1.0, 2.0, 3.0, 4.0];
        let y = [1.0, 3.0, 5.0, 7.0, 900.0];
        let line = theil_sen(&x, &y, 0.95).unwrap();
        // Six of the ten slopes are exactly 2; residuals 1, 1, 1, 1, 892.
        assert_eq!(line.slope.estimate, 2.0);
        assert_eq!(line.intercept, 1.0);
        assert_eq!(line.intercept + 10.0 * line.slope.estimate, 21.0);
    }

    #[test]
    fn points_above_one_another_have_no_line() {
        assert!(theil_sen(&[1.0, 1.0], &[0.0, 1.0], 0.95).is_err());
        assert!(theil_sen(&[1.0], &[0.0], 0.95).is_err());
        assert!(theil_sen(&[1.0, 2.0], &[0.0], 0.95).is_err());
    }
}
