//! Pearson's r, Spearman's ρ, and its permutation test.

use super::{checked_pairs, constant, normal_quantile, too_few};
use crate::SimRng;
use crate::real;
use crate::refusal::Refusal;
use serde::{Deserialize, Serialize};

/// Pearson's product-moment correlation, in [−1, 1], n ≥ 2.
///
/// # Errors
/// Unequal lengths, fewer than 2 pairs, a constant sample, a NaN or an infinity.
pub fn pearson(x: &[f64], y: &[f64]) -> Result<f64, Refusal> {
    checked_pairs("correlation", x, y, 2)?;
    let n = x.len() as f64;
    let (mx, my) = (x.iter().sum::<f64>() / n, y.iter().sum::<f64>() / n);
    let (mut xx, mut yy, mut xy) = (0.0, 0.0, 0.0);
    for (a, b) in x.iter().zip(y) {
        xx += (a - mx) * (a - mx);
        yy += (b - my) * (b - my);
        xy += (a - mx) * (b - my);
    }
    if xx == 0.0 || yy == 0.0 {
        return Err(constant("correlation"));
    }
    Ok((xy / (xx * yy).sqrt()).clamp(-1.0, 1.0))
}

/// Ranks from 1; equal values share the mean of their ranks.
pub fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    let mut found = vec![0.0; values.len()];
    let mut first = 0;
    for group in order.chunk_by(|&a, &b| values[a] == values[b]) {
        let shared = first as f64 + (group.len() + 1) as f64 / 2.0;
        for &i in group {
            found[i] = shared;
        }
        first += group.len();
    }
    found
}

/// Spearman's ρ: Pearson's r of the ranks, ties averaged. In [−1, 1].
///
/// # Errors
/// As [`pearson`].
pub fn spearman(x: &[f64], y: &[f64]) -> Result<f64, Refusal> {
    checked_pairs("Spearman", x, y, 2)?;
    pearson(&ranks(x), &ranks(y))
}

/// The 95 % interval of Spearman's ρ of n pairs: Fisher's z with the error √((1 + ρ²/2)/(n − 3)) [Bonett & Wright 2000].
/// `None` with fewer than four pairs; at ρ = ±1 it is that point.
pub fn spearman_interval(rho: f64, n: usize) -> Option<(f64, f64)> {
    let freedom = n.checked_sub(3).filter(|freedom| *freedom > 0)? as f64;
    if rho.abs() >= 1.0 {
        return Some((rho, rho));
    }
    let half = normal_quantile(0.975) * ((1.0 + rho * rho / 2.0) / freedom).sqrt();
    let z = real::ln((1.0 + rho) / (1.0 - rho)) / 2.0;
    Some((real::tanh(z - half), real::tanh(z + half)))
}

/// Which results count as at least as extreme as the observed one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tail {
    /// |ρ| at least the observed |ρ|.
    TwoSided,
    /// ρ at least the observed ρ.
    Greater,
    /// ρ at most the observed ρ.
    Less,
}

/// The outcome of a permutation test.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PermutationTest {
    /// The observed statistic.
    pub statistic: f64,
    /// p, in (0, 1].
    pub p: f64,
    /// Rearrangements looked at.
    pub permutations: usize,
    /// True if those are all there are.
    pub exact: bool,
}

/// Spearman's ρ with its permutation p. n ≤ 9: all n! pairings, exact. Above: `draws` seeded
/// shuffles, p = (1 + hits)/(1 + draws) (Phipson & Smyth 2010: never 0).
///
/// The smallest two-sided p is 2/n!: four targets can never give less than .083.
///
/// # Errors
/// As [`pearson`]; no draws with n > 9.
pub fn spearman_test(
    x: &[f64],
    y: &[f64],
    tail: Tail,
    draws: usize,
    rng: &mut SimRng,
) -> Result<PermutationTest, Refusal> {
    let observed = spearman(x, y)?;
    let (rx, ry) = (ranks(x), ranks(y));
    // ρ is an increasing affine function of Σ rx·ry: the centred, scaled sum is compared.
    let n = rx.len();
    let middle = (n as f64 + 1.0) / 2.0;
    let cx: Vec<f64> = rx.iter().map(|r| r - middle).collect();
    let mut cy: Vec<f64> = ry.iter().map(|r| r - middle).collect();
    let dot = |y: &[f64]| cx.iter().zip(y).map(|(a, b)| a * b).sum::<f64>();
    let bar = dot(&cy);
    // Ranks are halves, so the sums are exact and differ by at least ¼.
    let extreme = |value: f64| match tail {
        Tail::TwoSided => value.abs() >= bar.abs() - 1e-6,
        Tail::Greater => value >= bar - 1e-6,
        Tail::Less => value <= bar + 1e-6,
    };
    let mut hits = 0usize;
    if n <= 9 {
        let mut total = 0usize;
        each_permutation(&mut cy, &mut |y| {
            total += 1;
            hits += usize::from(extreme(dot(y)));
        });
        return Ok(PermutationTest {
            statistic: observed,
            p: hits as f64 / total as f64,
            permutations: total,
            exact: true,
        });
    }
    if draws == 0 {
        return Err(too_few("permutation draws", 1, 0));
    }
    for _ in 0..draws {
        rng.shuffle(&mut cy);
        hits += usize::from(extreme(dot(&cy)));
    }
    Ok(PermutationTest {
        statistic: observed,
        p: (1 + hits) as f64 / (1 + draws) as f64,
        permutations: draws,
        exact: false,
    })
}

/// Calls `visit` with every permutation of `items`, n! times (Heap's algorithm, 1963).
fn each_permutation(items: &mut [f64], visit: &mut impl FnMut(&[f64])) {
    let n = items.len();
    let mut count = vec![0; n];
    visit(items);
    let mut i = 1;
    while i < n {
        if count[i] < i {
            items.swap(if i % 2 == 0 { 0 } else { count[i] }, i);
            visit(items);
            count[i] += 1;
            i = 1;
        } else {
            count[i] = 0;
            i += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heaps_algorithm_visits_each_order_once() {
        let mut seen = std::collections::BTreeSet::new();
        each_permutation(&mut [0.0, 1.0, 2.0, 3.0, 4.0], &mut |p| {
            seen.insert(p.iter().map(|&v| v as u8).collect::<Vec<_>>());
        });
        assert_eq!(seen.len(), 120);
    }

    #[test]
    fn four_points_in_order_have_p_two_in_twenty_four() {
        let mut rng = SimRng::new(1, "test", 0);
        let x = [1.0, 2.0, 3.0, 4.0];
        let y = [10.0, 11.0, 30.0, 40.0];
        let test = spearman_test(&x, &y, Tail::TwoSided, 0, &mut rng).unwrap();
        assert_eq!((test.statistic, test.p, test.exact), (1.0, 2.0 / 24.0, true));
        let one = spearman_test(&x, &y, Tail::Greater, 0, &mut rng).unwrap();
        assert_eq!(one.p, 1.0 / 24.0);
        let less = spearman_test(&x, &y, Tail::Less, 0, &mut rng).unwrap();
        assert_eq!(less.p, 1.0);
    }

    #[test]
    fn the_interval_of_a_correlation_is_bonett_and_wrights() {
        // ρ = .5, n = 28: z = .549306, error √(1.125/25) = .212132; tanh(.133535), tanh(.965077).
        let (low, high) = spearman_interval(0.5, 28).unwrap();
        assert!((low - 0.132747).abs() < 1e-5 && (high - 0.746533).abs() < 1e-5, "{low} {high}");
        assert_eq!(
            [spearman_interval(0.5, 3), spearman_interval(1.0, 9)],
            [None, Some((1.0, 1.0))]
        );
    }

    #[test]
    fn ties_share_their_ranks() {
        assert_eq!(ranks(&[3.0, 1.0, 3.0, 2.0]), [3.5, 1.0, 3.5, 2.0]);
        // Ranks 1, 2.5, 2.5, 4 against 1, 2, 3, 4: 4.5/√(4.5·5).
        let rho = spearman(&[1.0, 2.0, 2.0, 3.0], &[1.0, 2.0, 3.0, 4.0]).unwrap();
        assert!((rho - 4.5 / 22.5f64.sqrt()).abs() < 1e-14);
        assert!(spearman(&[1.0, 1.0], &[1.0, 2.0]).is_err());
    }

    #[test]
    fn beyond_nine_points_seeded_shuffles_are_used() {
        let x: Vec<f64> = (0..12).map(f64::from).collect();
        let run = |seed| {
            let mut rng = SimRng::new(seed, "test", 0);
            spearman_test(&x, &x, Tail::TwoSided, 2000, &mut rng).unwrap()
        };
        assert_eq!(run(3), run(3));
        assert_eq!(run(3).p, 1.0 / 2001.0);
        assert!(!run(3).exact);
    }
}
