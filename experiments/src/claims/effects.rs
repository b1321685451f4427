//! Differences between arms, target by target: what the claims are decided on.
//!
//! The unit is a target: seeds (and levels of pruning) are averaged within it, so that many seeds of
//! one picture do not pass for many pictures. `\[ours\]`

use picloom::experiment::finding::Verdict;
use picloom::experiment::networks::record::{NetworkResult, NetworkRow, NetworksRecord};
use picloom::math::stats::{
    Interval, mean, mean_interval, normal_quantile, student_quantile, variance,
};
use serde::{Deserialize, Serialize};

/// Some networks of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Group<'a> {
    /// Name of the arm.
    pub arm: &'a str,
    /// Level of pruning; 0: not pruned.
    pub level: usize,
    /// Name of the way of training.
    pub variant: &'a str,
    /// Depth offset.
    pub offset: i64,
}

impl<'a> Group<'a> {
    /// Networks of `arm` at `level`, trained by the recipe at the reference depth.
    pub fn of(arm: &'a str, level: usize) -> Self {
        Group { arm, level, variant: super::BASE, offset: 0 }
    }

    pub(super) fn holds(&self, row: &NetworkRow) -> bool {
        row.arm == self.arm
            && row.level == self.level
            && row.offset == self.offset
            && row.variant == self.variant
    }
}

/// What is compared, of one network; none if it does not have it.
pub type Value = fn(&NetworkResult) -> Option<f64>;

pub use picloom::experiment::regime::points::fit_score;

/// One target's part of an effect.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TargetEffect {
    /// The target.
    pub target: String,
    /// Mean over its pairs.
    pub value: f64,
    /// Pairs: seeds, and levels of pruning.
    pub pairs: usize,
}

/// A mean over targets with its 95 % interval: Student's t over targets. Of scores it is never narrower than
/// what is known of their own errors allows ([`Effect::of_scores`]).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Effect {
    /// What is compared.
    pub name: String,
    /// Mean over targets; none without any.
    pub estimate: Option<f64>,
    /// Lower end of the interval; none with fewer than two targets.
    pub low: Option<f64>,
    /// Upper end.
    pub high: Option<f64>,
    /// Its parts.
    pub targets: Vec<TargetEffect>,
    /// Targets without a pair that counts.
    pub without: Vec<String>,
    /// True if the claim does not hang on it: its part is decided, or asked only where another holds.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub settled: bool,
}

impl Effect {
    /// From the values of each target: (target, values of its pairs).
    pub fn of(name: impl Into<String>, values: Vec<(String, Vec<f64>)>) -> Self {
        let (mut targets, mut without) = (Vec::new(), Vec::new());
        for (target, values) in values {
            match mean(&values) {
                Ok(value) => targets.push(TargetEffect { target, value, pairs: values.len() }),
                Err(_) => without.push(target),
            }
        }
        let each: Vec<f64> = targets.iter().map(|t| t.value).collect();
        let interval = mean_interval(&each, 0.95).ok();
        Effect { targets, without, ..Effect::plain(name, mean(&each).ok(), interval) }
    }

    /// One that is not a mean over targets.
    pub fn plain(
        name: impl Into<String>,
        estimate: Option<f64>,
        interval: Option<Interval>,
    ) -> Self {
        Effect {
            name: name.into(),
            estimate,
            low: interval.map(|i| i.low),
            high: interval.map(|i| i.high),
            targets: Vec::new(),
            without: Vec::new(),
            settled: false,
        }
    }

    /// For people: `estimate [low, high]`.
    pub fn text(&self) -> String {
        match (self.estimate, self.low, self.high) {
            (Some(e), Some(l), Some(h)) => format!("{e:.3} [{l:.3}, {h:.3}]"),
            (Some(e), ..) if self.targets.is_empty() => format!("{e:.3}"),
            (Some(e), ..) => format!("{e:.3} (one target)"),
            _ => "no data".into(),
        }
    }

    /// Standard error of the mean over targets, as its interval has it; none with fewer than two targets.
    fn error(&self) -> Option<f64> {
        let half = (self.high? - self.low?) / 2.0;
        (self.targets.len() > 1).then(|| half / student_quantile(0.975, self.freedom()))
    }

    /// Standard deviation of its targets, and what its interval is at least wide for the scores' own errors, of a
    /// mean over one target; none with fewer than two targets.
    fn spreads(&self) -> Option<(f64, f64)> {
        let half = (self.high? - self.low?) / 2.0;
        let each: Vec<f64> = self.targets.iter().map(|target| target.value).collect();
        let (spread, count) = (variance(&each).ok()?.sqrt(), each.len() as f64);
        let by_targets = student_quantile(0.975, self.freedom()) * spread / count.sqrt();
        // Whichever is larger made the interval.
        Some((spread, if half > by_targets + 1e-12 { half * count.sqrt() } else { 0.0 }))
    }

    fn freedom(&self) -> f64 {
        self.targets.len() as f64 - 1.0
    }

    /// The smallest effect that four of five studies find, two-sided at 5 %, with as many targets that
    /// vary as much; none with fewer than two.
    pub fn visible(&self) -> Option<f64> {
        let tails = [0.975, 0.8].map(|p| student_quantile(p, self.freedom()));
        Some((tails[0] + tails[1]) * self.error()?)
    }

    /// Targets that vary as much which an interval of ± `margin` takes; none with fewer than two now, or if
    /// it takes more than ten thousand.
    pub fn targets_for(&self, margin: f64) -> Option<usize> {
        let (spread, own) = self.spreads()?;
        let half = |m: usize| {
            (student_quantile(0.975, m as f64 - 1.0) * spread).max(own) / (m as f64).sqrt()
        };
        (2..=10_000).find(|m| half(*m) <= margin)
    }

    /// value(a) − value(b), paired by target and seed. An arm without seeds (the evolved network)
    /// is paired with every seed of the other.
    pub fn paired(
        name: impl Into<String>,
        record: &NetworksRecord,
        pairs: &[(Group<'_>, Group<'_>)],
        value: Value,
    ) -> Self {
        Self::paired_by(name, record, |_| pairs.to_vec(), value)
    }

    /// The same with pairs of its own for every target, from its rows.
    fn paired_by<'a>(
        name: impl Into<String>,
        record: &NetworksRecord,
        pairs_of: impl Fn(&[&NetworkRow]) -> Vec<(Group<'a>, Group<'a>)>,
        value: Value,
    ) -> Self {
        let values = record
            .targets()
            .into_iter()
            .filter_map(|target| {
                let rows = rows_of(record, target);
                let pairs = pairs_of(&rows);
                let asked = |g: &Group<'_>| rows.iter().any(|r| g.holds(r));
                // A target on which one of the arms does not exist is no missing value.
                let exists = pairs.iter().any(|(a, b)| asked(a) && asked(b));
                exists.then(|| {
                    let differences = pairs.iter().flat_map(|p| differences(&rows, *p, value));
                    (target.to_string(), differences.collect())
                })
            })
            .collect();
        Effect::of(name, values)
    }

    /// [`paired`](Self::paired) for the scores of fit networks. Targets that happen to agree do not make the
    /// scores better than they are: the interval reaches at least 1.96 standard errors of the scores
    /// themselves (weights not moved, and the judge) to either side.
    pub fn of_scores(
        name: impl Into<String>,
        record: &NetworksRecord,
        pairs: &[(Group<'_>, Group<'_>)],
    ) -> Self {
        Self::of_scores_by(name, record, pairs, fit_score)
    }

    /// The same for those scores that `score` lets count.
    pub fn of_scores_by(
        name: impl Into<String>,
        record: &NetworksRecord,
        pairs: &[(Group<'_>, Group<'_>)],
        score: Value,
    ) -> Self {
        Self::of_scores_each(name, record, |_| pairs.to_vec(), score)
    }

    /// The same with pairs of its own for every target, from its rows.
    pub(super) fn of_scores_each<'a>(
        name: impl Into<String>,
        record: &NetworksRecord,
        pairs_of: impl Fn(&[&NetworkRow]) -> Vec<(Group<'a>, Group<'a>)>,
        score: Value,
    ) -> Self {
        let mut effect = Effect::paired_by(name, record, &pairs_of, score);
        let variance: f64 = effect
            .targets
            .iter()
            .map(|t| {
                let rows = rows_of(record, &t.target);
                own_variance(&rows, &pairs_of(&rows), score)
            })
            .sum();
        let half = normal_quantile(0.975) * variance.sqrt() / effect.targets.len() as f64;
        if let (Some(e), Some(low), Some(high)) = (effect.estimate, effect.low, effect.high) {
            effect.low = Some(low.min(e - half));
            effect.high = Some(high.max(e + half));
        }
        effect
    }
}

fn rows_of<'a>(record: &'a NetworksRecord, target: &str) -> Vec<&'a NetworkRow> {
    record.rows.iter().filter(|r| r.target == target).collect()
}

/// Variance of the mean of the differences of a target's pairs, from the scores' own errors: a network that
/// is in many pairs errs in all of them alike. 0 of records without intervals.
fn own_variance(rows: &[&NetworkRow], pairs: &[(Group<'_>, Group<'_>)], score: Value) -> f64 {
    let mut coefficients: Vec<(&NetworkRow, f64)> = Vec::new();
    let mut count = 0.0;
    for (a, b) in pairs {
        let of = |group: &Group<'_>| -> Vec<&NetworkRow> {
            let counts = |r: &&NetworkRow| r.result.as_ref().is_some_and(|x| score(x).is_some());
            rows.iter().copied().filter(|r| group.holds(r)).filter(counts).collect()
        };
        let (first, second) = (of(a), of(b));
        for x in &first {
            for y in second.iter().filter(|y| are_a_pair(x.seed, y.seed)) {
                count += 1.0;
                for (row, sign) in [(*x, 1.0), (*y, -1.0)] {
                    match coefficients.iter_mut().find(|(r, _)| std::ptr::eq(*r, row)) {
                        Some((_, c)) => *c += sign,
                        None => coefficients.push((row, sign)),
                    }
                }
            }
        }
    }
    let error =
        |row: &NetworkRow| row.result.as_ref().and_then(|x| x.score?.error()).unwrap_or(0.0);
    coefficients.iter().map(|(row, c)| (c / count * error(row)).powi(2)).sum()
}

fn are_a_pair(a: Option<u64>, b: Option<u64>) -> bool {
    a == b || a.is_none() || b.is_none()
}

fn differences(rows: &[&NetworkRow], (a, b): (Group<'_>, Group<'_>), value: Value) -> Vec<f64> {
    let of = |group: Group<'_>| -> Vec<(Option<u64>, f64)> {
        rows.iter()
            .filter(|r| group.holds(r))
            .filter_map(|r| r.result.as_ref().and_then(|x| value(x)).map(|v| (r.seed, v)))
            .collect()
    };
    let (first, second) = (of(a), of(b));
    let mut found = Vec::new();
    for (seed, value) in &first {
        for (other, against) in &second {
            if are_a_pair(*seed, *other) {
                found.push(value - against);
            }
        }
    }
    found
}

/// Supported if every interval lies above 0; not supported if one lies below `margin`, the smallest
/// effect that matters; else inconclusive. (All must hold: an intersection–union test, which needs
/// no correction for their number.)
pub fn all_above(effects: &[Effect], margin: f64) -> Verdict {
    if !effects.is_empty() && effects.iter().all(|e| e.low.is_some_and(|low| low > 0.0)) {
        Verdict::Supported
    } else if effects.iter().any(|e| e.high.is_some_and(|high| high < margin)) {
        Verdict::NotSupported
    } else {
        Verdict::Inconclusive
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn effect(values: &[f64]) -> Effect {
        let targets = values.iter().enumerate();
        Effect::of("e", targets.map(|(i, v)| (i.to_string(), vec![*v])).collect())
    }

    #[test]
    fn the_unit_is_the_target_and_the_interval_is_students() {
        // Targets 0.2, 0.4, 0.6 from 3, 1 and 2 pairs: mean 0.4, s = 0.2, t(.975, 2) = 4.302653.
        let e = Effect::of(
            "e",
            vec![
                ("a".into(), vec![0.1, 0.2, 0.3]),
                ("b".into(), vec![0.4]),
                ("c".into(), vec![0.5, 0.7]),
                ("d".into(), vec![]),
            ],
        );
        let half = 4.302_652_73 * 0.2 / 3f64.sqrt();
        assert!((e.estimate.unwrap() - 0.4).abs() < 1e-12);
        assert!((e.low.unwrap() - (0.4 - half)).abs() < 1e-6);
        assert_eq!(e.targets.iter().map(|t| t.pairs).sum::<usize>(), 6);
        assert_eq!(e.without, ["d"]);
    }

    #[test]
    fn a_verdict_needs_every_effect_above_zero_and_one_below_the_margin_decides_against_it() {
        let (good, bad, open) =
            (effect(&[0.4, 0.5, 0.45]), effect(&[-0.1, -0.11, -0.12]), effect(&[-0.5, 0.6, 0.3]));
        assert_eq!(all_above(&[good.clone(), good.clone()], 0.05), Verdict::Supported);
        assert_eq!(all_above(&[good.clone(), bad], 0.05), Verdict::NotSupported);
        assert_eq!(all_above(&[good, open], 0.05), Verdict::Inconclusive);
        assert_eq!(all_above(&[], 0.05), Verdict::Inconclusive);
        assert_eq!(all_above(&[effect(&[0.5])], 0.05), Verdict::Inconclusive, "one target");
    }
}
