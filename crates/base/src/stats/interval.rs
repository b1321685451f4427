//! Intervals: Wilson for proportions, Student's t for means and paired differences; the sign-flip test.

use super::describe::{mean, standard_error};
use super::special::{normal_cdf, normal_quantile, student_cdf, student_quantile};
use super::{Interval, checked, checked_level, checked_pairs, too_few};
use crate::SimRng;
use crate::refusal::Refusal;
use serde::{Deserialize, Serialize};

/// Wilson score interval of `successes` out of `trials` ≥ 1.
///
/// (p̂ + z²/2n ± z√(p̂(1−p̂)/n + z²/4n²)) / (1 + z²/n), inside [0, 1]; the estimate is p̂.
/// Source: E. B. Wilson, *Probable inference*, JASA 22, 1927.
///
/// # Errors
/// No trials, more successes than trials, a level outside (0, 1).
pub fn wilson(successes: usize, trials: usize, level: f64) -> Result<Interval, Refusal> {
    checked_level(level)?;
    if trials == 0 {
        return Err(too_few("Wilson interval", 1, 0));
    }
    if successes > trials {
        return Err(Refusal::new(
            "successes",
            "no more than the trials",
            (successes as f64).to_string(),
        ));
    }
    let z = normal_quantile(0.5 + level / 2.0);
    let n = trials as f64;
    let p = successes as f64 / n;
    let scale = 1.0 / (1.0 + z * z / n);
    let centre = (p + z * z / (2.0 * n)) * scale;
    let half = z * (p * (1.0 - p) / n + z * z / (4.0 * n * n)).sqrt() * scale;
    Ok(Interval {
        estimate: p,
        low: if successes == 0 { 0.0 } else { centre - half },
        high: if successes == trials { 1.0 } else { centre + half },
    })
}

/// Student-t interval of the mean: x̄ ± t_{(1+level)/2, n−1}·s/√n, n ≥ 2.
///
/// # Errors
/// Fewer than 2 values, a NaN or an infinity, a level outside (0, 1).
pub fn mean_interval(values: &[f64], level: f64) -> Result<Interval, Refusal> {
    checked_level(level)?;
    let half =
        standard_error(values)? * student_quantile(0.5 + level / 2.0, (values.len() - 1) as f64);
    let estimate = mean(values)?;
    Ok(Interval { estimate, low: estimate - half, high: estimate + half })
}

/// Mean of aᵢ − bᵢ over pairs (same target and seed, two arms), with its t interval and test.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PairedDifference {
    /// Mean difference and its Student-t interval.
    pub difference: Interval,
    /// Pairs.
    pub n: usize,
    /// t = mean / standard error; ±∞ when every difference is the same non-zero number, 0 when
    /// every difference is 0.
    pub t: f64,
    /// Two-sided p of "the mean difference is 0", in [0, 1].
    pub p: f64,
}

/// Paired t comparison of `a` with `b`, n ≥ 2 pairs.
///
/// Source: Student, *The probable error of a mean*, Biometrika 6, 1908.
///
/// # Errors
/// Unequal lengths, fewer than 2 pairs, a NaN or an infinity, a level outside (0, 1).
pub fn paired_difference(a: &[f64], b: &[f64], level: f64) -> Result<PairedDifference, Refusal> {
    checked_pairs("paired difference", a, b, 2)?;
    let d: Vec<f64> = a.iter().zip(b).map(|(a, b)| a - b).collect();
    let difference = mean_interval(&d, level)?;
    let error = standard_error(&d)?;
    let t = if difference.estimate == 0.0 { 0.0 } else { difference.estimate / error };
    let p = 2.0 * student_cdf(-t.abs(), (d.len() - 1) as f64);
    Ok(PairedDifference { difference, n: d.len(), t, p: p.min(1.0) })
}

/// Differences above which the sum of flipped signs is taken as normal.
const MANY: usize = 10_000;

/// Two-sided sign-flip permutation p of "the differences are symmetric about 0": the share of the
/// 2ⁿ sign patterns with |Σ ±dᵢ| ≥ |Σ dᵢ|. Exact where that is at most eleven times the `draws` (n ≤ 20 of 100 000); above,
/// so many seeded draws and (1 + hits)/(1 + draws); of more than 10 000 by the normal distribution of the sum. It is ≥ 2/2ⁿ, so three seeds can never give less than .25.
///
/// Source: Fisher, *The Design of Experiments*, 1935, §21.
///
/// # Errors
/// No differences, a NaN or an infinity.
pub fn sign_flip_p(differences: &[f64], draws: u32, rng: &mut SimRng) -> Result<f64, Refusal> {
    checked("sign-flip test", differences, 1)?;
    let n = differences.len();
    let scale: f64 = differences.iter().map(|d| d.abs()).sum();
    let observed = differences.iter().sum::<f64>().abs() - 1e-12 * scale;
    // Going through all patterns is worth ten times the draws.
    if n < 32 && 1u32 << n <= draws.saturating_mul(11) {
        let hits = (0..1u32 << n)
            .filter(|signs| {
                let sum: f64 = differences
                    .iter()
                    .enumerate()
                    .map(|(i, d)| if signs >> i & 1 == 1 { -d } else { *d })
                    .sum();
                sum.abs() >= observed
            })
            .count();
        return Ok(hits as f64 / f64::from(1u32 << n));
    }
    if n > MANY {
        let spread = differences.iter().map(|d| d * d).sum::<f64>().sqrt();
        let z = if spread > 0.0 { observed.max(0.0) / spread } else { 0.0 };
        return Ok(2.0 * normal_cdf(-z));
    }
    let hits = (0..draws)
        .filter(|_| {
            let sum: f64 = differences.iter().map(|d| if rng.chance(0.5) { -d } else { *d }).sum();
            sum.abs() >= observed
        })
        .count();
    Ok((1 + hits) as f64 / f64::from(1 + draws))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wilson_is_the_published_formula_and_stays_in_the_unit_interval() {
        // 81 of 263 at 95 % is Newcombe's example (Stat. Med. 17, 1998): .2553 to .3662.
        let i = wilson(81, 263, 0.95).unwrap();
        assert!((i.low - 0.2553).abs() < 5e-5 && (i.high - 0.3662).abs() < 5e-5);
        assert_eq!(wilson(0, 20, 0.95).unwrap().low, 0.0);
        let all = wilson(20, 20, 0.95).unwrap();
        // 20 of 20: low end n/(n + z²).
        let z = normal_quantile(0.975);
        assert!((all.low - 20.0 / (20.0 + z * z)).abs() < 1e-12);
        assert_eq!(all.high, 1.0);
        assert!(wilson(3, 2, 0.95).is_err());
        assert!(wilson(0, 0, 0.95).is_err());
        assert!(wilson(1, 2, 1.0).is_err());
    }

    #[test]
    fn three_pairs_by_hand() {
        // d = 1, 2, 3: mean 2, s = 1, se = 1/√3, t = 2√3; two degrees:
        // p = 1 − t/√(2 + t²) = 1 − √12/√14; t.975 = 4.302652729911275.
        let r = paired_difference(&[2.0, 4.0, 6.0], &[1.0, 2.0, 3.0], 0.95).unwrap();
        assert_eq!(r.difference.estimate, 2.0);
        assert!((r.t - 12.0f64.sqrt()).abs() < 1e-12);
        assert!((r.p - (1.0 - (12.0f64 / 14.0).sqrt())).abs() < 1e-12);
        let half = 4.302_652_729_911_275 / 3.0f64.sqrt();
        assert!((r.difference.high - 2.0 - half).abs() < 1e-9);
        let none = paired_difference(&[1.0, 1.0], &[1.0, 1.0], 0.95).unwrap();
        assert_eq!((none.t, none.p), (0.0, 1.0));
        let always = paired_difference(&[2.0, 2.0], &[1.0, 1.0], 0.95).unwrap();
        assert_eq!((always.p, always.difference.low), (0.0, 1.0));
    }

    #[test]
    fn three_seeds_cannot_be_significant_by_sign_flips() {
        let mut rng = SimRng::new(1, "test", 0);
        assert_eq!(sign_flip_p(&[1.0, 2.0, 3.0], 100_000, &mut rng), Ok(0.25));
        // 1, 1, −1: |sum| ≥ 1 always.
        assert_eq!(sign_flip_p(&[1.0, 1.0, -1.0], 100_000, &mut rng), Ok(1.0));
        let many = vec![1.0; 24];
        assert_eq!(sign_flip_p(&many, 100_000, &mut rng), Ok(1.0 / 100_001.0));
    }
}
