//! Mean, variance, standard error, median, quantiles.

use super::checked;
use crate::refusal::Refusal;

/// Arithmetic mean Σx/n, n ≥ 1.
///
/// # Errors
/// An empty sample, a NaN or an infinity.
pub fn mean(values: &[f64]) -> Result<f64, Refusal> {
    checked("mean", values, 1)?;
    Ok(values.iter().sum::<f64>() / values.len() as f64)
}

/// Unbiased variance Σ(x − x̄)²/(n − 1), n ≥ 2, two passes.
///
/// # Errors
/// Fewer than 2 values, a NaN or an infinity.
pub fn variance(values: &[f64]) -> Result<f64, Refusal> {
    checked("variance", values, 2)?;
    let centre = mean(values)?;
    let squares: f64 = values.iter().map(|v| (v - centre) * (v - centre)).sum();
    Ok(squares / (values.len() - 1) as f64)
}

/// Standard error of the mean, √(variance/n), n ≥ 2.
///
/// # Errors
/// Fewer than 2 values, a NaN or an infinity.
pub fn standard_error(values: &[f64]) -> Result<f64, Refusal> {
    Ok((variance(values)? / values.len() as f64).sqrt())
}

/// Median: the middle value, or the mean of the two middle values.
///
/// # Errors
/// An empty sample, a NaN or an infinity.
pub fn median(values: &[f64]) -> Result<f64, Refusal> {
    quantile(values, 0.5)
}

/// Quantile `q` in [0, 1] by linear interpolation between order statistics at (n − 1)q:
/// type 7 of Hyndman & Fan, *Sample quantiles in statistical packages*, 1996 (numpy's default).
///
/// # Errors
/// An empty sample, a NaN or an infinity, `q` outside [0, 1].
pub fn quantile(values: &[f64], q: f64) -> Result<f64, Refusal> {
    checked("quantile", values, 1)?;
    if !(0.0..=1.0).contains(&q) {
        return Err(Refusal::new("quantile", "a fraction from 0 to 1", q.to_string()));
    }
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    Ok(of_sorted(&sorted, q))
}

/// `quantile` of finite values already in ascending order.
pub(super) fn of_sorted(sorted: &[f64], q: f64) -> f64 {
    let at = (sorted.len() - 1) as f64 * q;
    let below = at.floor() as usize;
    let above = (below + 1).min(sorted.len() - 1);
    let part = at - below as f64;
    sorted[below] + part * (sorted[above] - sorted[below])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_of_a_hand_sample() {
        let x = [2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0];
        assert_eq!(mean(&x), Ok(5.0));
        assert_eq!(variance(&x), Ok(32.0 / 7.0));
        assert_eq!(standard_error(&x), Ok((32.0f64 / 7.0 / 8.0).sqrt()));
        assert_eq!(median(&x), Ok(4.5));
        assert_eq!(quantile(&x, 0.0), Ok(2.0));
        assert_eq!(quantile(&x, 1.0), Ok(9.0));
        // (n − 1)q = 6.3: between the 7th (7) and the 8th (9).
        assert!((quantile(&x, 0.9).unwrap() - 7.6).abs() < 1e-12);
    }

    #[test]
    fn samples_without_a_value_are_refused() {
        assert!(mean(&[]).is_err());
        assert!(variance(&[1.0]).is_err());
        assert!(median(&[1.0, f64::NAN]).is_err());
        assert!(quantile(&[1.0], 1.5).is_err());
        let message = mean(&[0.0, f64::INFINITY]).unwrap_err().to_string();
        assert_eq!(message, "mean: expected finite numbers, found inf at index 1");
    }
}
