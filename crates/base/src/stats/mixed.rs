//! A mean over groups whose members share a random part of their own: seeds within targets.

use super::describe::{mean, variance};
use super::special::student_quantile;
use super::{Interval, checked, checked_level};
use crate::refusal::Refusal;
use serde::{Deserialize, Serialize};

/// y_gi = μ + b_g + e_gi, estimated.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Mixed {
    /// μ with its interval.
    pub mean: Interval,
    /// Standard deviation of b, between groups.
    pub between: f64,
    /// Standard deviation of e, within a group; `None` if every group has one value.
    pub within: Option<f64>,
}

/// The mean over `groups` (empty ones do not count) with groups at random.
///
/// Variances by the moments of the analysis of variance; groups weighted by 1/(b² + e²/n_g); the
/// interval by Hartung and Knapp's variance and Student's t with groups − 1 degrees of freedom. With
/// groups of one size it is Student's interval of their means. Its error is not kept at or above that of the
/// variances, max(1, q): where three groups happen to agree it is narrow, and holds μ in 95 % of studies all the
/// same (a test asks this); with that guard it would in up to 100 %.
/// Sources: Searle, *Linear Models*, 1971; Hartung, Knapp, Stat. Med. 20, 2001.
///
/// # Errors
/// Fewer than two groups with values, a NaN or an infinity, a level outside (0, 1).
pub fn random_groups(groups: &[Vec<f64>], level: f64) -> Result<Mixed, Refusal> {
    checked_level(level)?;
    let groups: Vec<&Vec<f64>> = groups.iter().filter(|group| !group.is_empty()).collect();
    for group in &groups {
        checked("a mean over groups", group, 1)?;
    }
    let means = groups.iter().map(|group| mean(group)).collect::<Result<Vec<f64>, _>>()?;
    checked("a mean over groups", &means, 2)?;
    let k = means.len() as f64;
    let sizes: Vec<f64> = groups.iter().map(|group| group.len() as f64).collect();
    let total: f64 = sizes.iter().sum();
    let squares: f64 = groups
        .iter()
        .zip(&means)
        .map(|(group, m)| group.iter().map(|y| (y - m) * (y - m)).sum::<f64>())
        .sum();
    let within = (total > k).then(|| squares / (total - k));
    let grand = sizes.iter().zip(&means).map(|(n, m)| n * m).sum::<f64>() / total;
    let among = sizes.iter().zip(&means).map(|(n, m)| n * (m - grand) * (m - grand)).sum::<f64>();
    let size = (total - sizes.iter().map(|n| n * n).sum::<f64>() / total) / (k - 1.0);
    let between = match within {
        Some(within) => ((among / (k - 1.0) - within) / size).max(0.0),
        None => variance(&means)?,
    };
    let weight = |n: f64| 1.0 / (between + within.unwrap_or(0.0) / n).max(1e-300);
    let all: f64 = sizes.iter().map(|&n| weight(n)).sum();
    let estimate = sizes.iter().zip(&means).map(|(&n, m)| weight(n) * m).sum::<f64>() / all;
    let spread =
        sizes.iter().zip(&means).map(|(&n, m)| weight(n) / all * (m - estimate) * (m - estimate));
    let error = (spread.sum::<f64>() / (k - 1.0)).sqrt();
    let half = student_quantile(0.5 + level / 2.0, k - 1.0) * error;
    Ok(Mixed {
        mean: Interval { estimate, low: estimate - half, high: estimate + half },
        between: between.sqrt(),
        within: within.map(f64::sqrt),
    })
}

#[cfg(test)]
mod tests {
    use super::super::mean_interval;
    use super::*;
    use crate::SimRng;

    #[test]
    fn with_groups_of_one_size_it_is_students_interval_of_their_means() {
        let groups = [vec![0.1, 0.3], vec![0.5, 0.3], vec![0.2, 0.6], vec![]];
        let mixed = random_groups(&groups, 0.95).unwrap();
        let means = mean_interval(&[0.2, 0.4, 0.4], 0.95).unwrap();
        assert!((mixed.mean.estimate - means.estimate).abs() < 1e-12);
        assert!((mixed.mean.low - means.low).abs() < 1e-9, "{mixed:?} {means:?}");
        // Within: (.02 + .02 + .08)/3 = .04. Between: MSB = 2·.01333 = .02667 < .04, so none.
        assert!((mixed.within.unwrap() - 0.2).abs() < 1e-12);
        assert_eq!(mixed.between, 0.0);
        let single = random_groups(&[vec![0.2], vec![0.4], vec![0.4]], 0.95).unwrap();
        assert!((single.mean.high - means.high).abs() < 1e-9 && single.within.is_none());
    }

    #[test]
    fn few_groups_of_unequal_sizes_hold_the_mean_in_95_of_100_studies() {
        let mut rng = SimRng::new(7, "test", 0);
        for between in [0.0, 0.5, 3.0] {
            let held = (0..4000).filter(|_| {
                let groups = [1, 4, 2].map(|size| {
                    let own = between * rng.normal();
                    (0..size).map(|_| own + rng.normal()).collect()
                });
                let mean = random_groups(&groups, 0.95).unwrap().mean;
                mean.low <= 0.0 && 0.0 <= mean.high
            });
            let share = held.count() as f64 / 4000.0;
            // Two standard errors of 4 000 draws are .007; unequal weights cost about .01.
            assert!((0.93..0.965).contains(&share), "{between}: {share}");
        }
    }

    #[test]
    fn variances_come_out_and_a_large_group_does_not_outweigh_the_others_where_groups_differ() {
        // MSB of (0, 0), (1, 1): within 0, between 1/2: weights are equal whatever the sizes.
        let groups = [vec![0.0; 9], vec![1.0]];
        let mixed = random_groups(&groups, 0.95).unwrap();
        assert!((mixed.mean.estimate - 0.5).abs() < 1e-9);
        assert!((mixed.between * mixed.between - 0.5).abs() < 1e-9, "{mixed:?}");
        assert!(random_groups(&[vec![1.0, 2.0]], 0.95).is_err(), "one group");
    }
}
