//! Area under the ROC curve, with DeLong's interval.

use super::correlate::ranks;
use super::describe::{mean, variance};
use super::interval::wilson;
use super::special::normal_quantile;
use super::{Interval, checked, checked_level};
use crate::refusal::Refusal;

/// P(score of a positive > score of a negative) + ½P(equal), in [0, 1].
///
/// The Mann–Whitney statistic from ranks; m ≥ 1 positives, n ≥ 1 negatives. O((m + n) log).
///
/// # Errors
/// No positives, no negatives, a NaN or an infinity.
pub(crate) fn auc(positives: &[f64], negatives: &[f64]) -> Result<f64, Refusal> {
    checked("AUC positives", positives, 1)?;
    checked("AUC negatives", negatives, 1)?;
    let all: Vec<f64> = positives.iter().chain(negatives).copied().collect();
    let (m, n) = (positives.len() as f64, negatives.len() as f64);
    let sum: f64 = ranks(&all)[..positives.len()].iter().sum();
    Ok((sum - m * (m + 1.0) / 2.0) / (m * n))
}

/// AUC with DeLong's interval: A ± z√(s²₁₀/m + s²₀₁/n), cut to [0, 1]; m, n ≥ 2.
///
/// s²₁₀ and s²₀₁ are the variances of the structural components (the share of negatives below
/// each positive, of positives above each negative). At A = 0 or 1 that variance is 0, which no
/// finite sample warrants: there the inner end is Wilson's for min(m, n) of min(m, n) \[ours\].
///
/// Source: DeLong, DeLong & Clarke-Pearson, Biometrics 44, 1988. Observations must be
/// independent; for pairs built from shared items it is too narrow.
///
/// # Errors
/// Fewer than 2 positives or negatives, a NaN or an infinity, a level outside (0, 1).
pub fn auc_delong(positives: &[f64], negatives: &[f64], level: f64) -> Result<Interval, Refusal> {
    checked_level(level)?;
    checked("AUC positives", positives, 2)?;
    checked("AUC negatives", negatives, 2)?;
    let estimate = auc(positives, negatives)?;
    let least = positives.len().min(negatives.len());
    if estimate == 1.0 || estimate == 0.0 {
        let edge = wilson(if estimate == 1.0 { least } else { 0 }, least, level)?;
        return Ok(Interval { estimate, ..edge });
    }
    let beaten = |score: f64, others: &[f64]| {
        let wins: f64 = others
            .iter()
            .map(|&o| {
                if score > o {
                    1.0
                } else if score == o {
                    0.5
                } else {
                    0.0
                }
            })
            .sum();
        wins / others.len() as f64
    };
    let v10: Vec<f64> = positives.iter().map(|&s| beaten(s, negatives)).collect();
    let v01: Vec<f64> = negatives.iter().map(|&s| 1.0 - beaten(s, positives)).collect();
    let spread =
        variance(&v10)? / positives.len() as f64 + variance(&v01)? / negatives.len() as f64;
    let half = normal_quantile(0.5 + level / 2.0) * spread.sqrt();
    debug_assert!((mean(&v10)? - estimate).abs() < 1e-9);
    Ok(Interval { estimate, low: (estimate - half).max(0.0), high: (estimate + half).min(1.0) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn six_scores_by_hand() {
        // Pairs won: .8 beats 3; .4 beats .1 and .3, ties .4: 2.5; .35 beats .1, .3: 2 → 7.5/9.
        let (p, n) = ([0.8, 0.4, 0.35], [0.1, 0.3, 0.4]);
        assert!((auc(&p, &n).unwrap() - 7.5 / 9.0).abs() < 1e-15);
        // Components 1, 5/6, 2/3 and 1, 1, 1/2: variances 1/36 and 1/12 over 3: 1/27.
        let i = auc_delong(&p, &n, 0.95).unwrap();
        let half = 1.959_963_984_540_054 / 27.0f64.sqrt();
        assert!((i.low - (7.5 / 9.0 - half)).abs() < 1e-12);
        assert_eq!(i.high, 1.0);
        assert!((auc(&n, &p).unwrap() + auc(&p, &n).unwrap() - 1.0).abs() < 1e-15);
        assert!(auc(&[], &n).is_err());
    }

    #[test]
    fn perfect_separation_still_has_an_interval() {
        let (p, n) = ([4.0, 5.0, 6.0], [1.0, 2.0, 3.0]);
        let i = auc_delong(&p, &n, 0.95).unwrap();
        assert_eq!((i.estimate, i.high), (1.0, 1.0));
        assert!((i.low - wilson(3, 3, 0.95).unwrap().low).abs() < 1e-15);
    }
}
