//! From differences to a mean with an interval, a p and a verdict.

use super::spec::{Basis, ContrastSpec, Rule};
use picloom_base::SimRng;
use picloom_base::stats::{
    Tail, mean, mean_interval, normal_quantile, random_groups, ranks, spearman_interval,
    spearman_test, student_cdf, student_quantile, variance,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Draws of the permutation test of a correlation where not all orders can be gone through.
const DRAWS: usize = 20_000;

/// Differences of every unit: one for each seed, or one for each pair.
pub(super) type Values = Vec<(String, Vec<f64>)>;

/// The level of a test.
const SURE: f64 = 0.05;

/// Below this a number is what rounding leaves of 0.
const NOISE: f64 = 1e-12;

/// The pairs of networks behind an effect.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counts {
    /// Those that were compared.
    pub pairs: usize,
    /// Those that could not be.
    pub missing: usize,
    /// Those of them in which a network did not learn its picture.
    pub unfit: usize,
}

/// The value of a network, and those of the networks that it is compared with.
pub(crate) type Block = (f64, Vec<f64>);

/// Two networks that could be compared.
pub(super) struct Pair {
    pub networks: [usize; 2],
    pub value: f64,
    /// Standard errors of the two networks' own values.
    pub errors: [f64; 2],
}

/// The part of an effect that comes from one unit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct UnitEffect {
    /// The unit: a target, unless the contrast says otherwise.
    pub unit: String,
    /// Mean difference within the unit.
    pub value: f64,
    /// Differences behind it: seeds with `mixed`, pairs with `student`.
    pub count: usize,
}

/// The verdict of a rule on an effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The rule holds.
    Supported,
    /// An effect of the margin is excluded.
    SmallerThanMargin,
    /// The effect has the other sign, or lies outside the margin of an equivalence.
    Contradicted,
    /// Neither.
    Inconclusive,
}

impl Verdict {
    /// In words.
    pub fn text(self) -> &'static str {
        match self {
            Verdict::Supported => "supported",
            Verdict::SmallerThanMargin => "smaller than the margin",
            Verdict::Contradicted => "contradicted",
            Verdict::Inconclusive => "inconclusive",
        }
    }
}

/// The effect of one pair of groups on one basis.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Found {
    /// The contrast.
    pub id: String,
    /// `sp − imp`.
    pub name: String,
    /// The measure.
    pub of: String,
    /// The basis, as a spec writes it.
    pub basis: Basis,
    /// Mean over units; `None` without data.
    pub estimate: Option<f64>,
    /// Lower end of the 95 % interval; `None` with fewer than two units.
    pub low: Option<f64>,
    /// Upper end.
    pub high: Option<f64>,
    /// p of "no effect", two-sided, over units: below .05 where the interval excludes 0. Of a rank correlation over units it
    /// is the permutation p. `None` without an interval.
    pub p: Option<f64>,
    /// p of a permutation within units that the rule asks for beside the interval: of the signs of (unit, seed), or of the
    /// labels of blocks. `None` where there is none.
    #[serde(default)]
    pub permuted: Option<f64>,
    /// Its parts, in the table's order.
    pub units: Vec<UnitEffect>,
    /// Units that have both groups and no pair that can be compared.
    pub without: Vec<String>,
    /// Pairs that were compared.
    #[serde(default)]
    pub pairs: usize,
    /// Pairs that could not be compared.
    pub missing: usize,
    /// Those of them in which a network did not learn its picture.
    #[serde(default)]
    pub unfit: usize,
    /// Standard deviation between units.
    pub between: Option<f64>,
    /// Standard deviation within a unit.
    pub within: Option<f64>,
    /// By the contrast's rule and margin.
    pub verdict: Verdict,
    /// Whether the interval excludes 0.
    pub differs_from_0: bool,
}

impl Found {
    /// Units at random, a mixed model over their values.
    pub(super) fn mixed(
        spec: &ContrastSpec,
        name: &str,
        basis: &Basis,
        values: Values,
        counts: Counts,
        permuted: Option<f64>,
    ) -> Self {
        let groups: Vec<Vec<f64>> = values.iter().map(|unit| unit.1.clone()).collect();
        let mixed = random_groups(&groups, 0.95).ok();
        let one = || groups.iter().find_map(|group| mean(group).ok());
        let mut found = Found::empty(spec, name, basis, values, counts);
        found.estimate = mixed.map(|m| m.mean.estimate).or_else(one);
        (found.low, found.high) = mixed.map(|m| (m.mean.low, m.mean.high)).unzip();
        (found.between, found.within) = (mixed.map(|m| m.between), mixed.and_then(|m| m.within));
        found.permuted = permuted;
        found.decided(spec)
    }

    /// Student's t over the means of units, never narrower than the values' own errors allow.
    pub(super) fn student(
        spec: &ContrastSpec,
        name: &str,
        basis: &Basis,
        units: Vec<(String, Vec<Pair>)>,
        counts: Counts,
        has_errors: bool,
    ) -> Self {
        let own: Vec<f64> = units
            .iter()
            .filter(|(_, pairs)| !pairs.is_empty())
            .map(|(_, pairs)| own_variance(pairs))
            .collect();
        let values = |pairs: Vec<Pair>| pairs.iter().map(|pair| pair.value).collect();
        let values: Values = units.into_iter().map(|(unit, pairs)| (unit, values(pairs))).collect();
        let mut found = Found::empty(spec, name, basis, values, counts);
        let means: Vec<f64> = found.units.iter().map(|unit| unit.value).collect();
        let interval = mean_interval(&means, 0.95).ok();
        found.estimate = mean(&means).ok();
        (found.low, found.high) = interval.map(|i| (i.low, i.high)).unzip();
        found.between = variance(&means).ok().map(f64::sqrt);
        if let (true, Some(e), Some(low), Some(high)) =
            (has_errors, found.estimate, found.low, found.high)
        {
            let half = normal_quantile(0.975) * own.iter().sum::<f64>().sqrt() / own.len() as f64;
            (found.low, found.high) = (Some(low.min(e - half)), Some(high.max(e + half)));
        }
        found.decided(spec)
    }

    /// Spearman's ρ over units of the means of their points.
    pub(super) fn correlation(
        spec: &ContrastSpec,
        name: &str,
        basis: &Basis,
        units: Vec<(String, Vec<(f64, f64)>)>,
    ) -> Self {
        let mut means = Vec::new();
        let values = units.into_iter().map(|(unit, points)| {
            let of =
                |side: fn(&(f64, f64)) -> f64| mean(&points.iter().map(side).collect::<Vec<_>>());
            let y = of(|point| point.1).ok();
            means.extend(of(|point| point.0).ok().zip(y));
            (unit, y.into_iter().collect())
        });
        let mut found = Found::empty(spec, name, basis, values.collect(), Counts::default());
        let (x, y): (Vec<f64>, Vec<f64>) = means.into_iter().unzip();
        let mut rng = SimRng::new(0, "correlation", 0);
        if let Ok(test) = spearman_test(&x, &y, Tail::TwoSided, DRAWS, &mut rng) {
            (found.estimate, found.p) = (Some(test.statistic), Some(test.p));
            found.permuted = found.p;
            (found.low, found.high) = spearman_interval(test.statistic, x.len()).unzip();
        }
        found.decided(spec)
    }

    fn empty(
        spec: &ContrastSpec,
        name: &str,
        basis: &Basis,
        values: Values,
        Counts { pairs, missing, unfit }: Counts,
    ) -> Self {
        let (mut units, mut without) = (Vec::new(), Vec::new());
        for (unit, values) in values {
            match mean(&values) {
                Ok(value) => units.push(UnitEffect { unit, value, count: values.len() }),
                Err(_) => without.push(unit),
            }
        }
        Found {
            id: spec.id.clone(),
            name: name.to_string(),
            of: spec.of.to_string(),
            basis: basis.clone(),
            estimate: None,
            low: None,
            high: None,
            p: None,
            permuted: None,
            units,
            without,
            pairs,
            missing,
            unfit,
            between: None,
            within: None,
            verdict: Verdict::Inconclusive,
            differs_from_0: false,
        }
    }

    fn decided(mut self, spec: &ContrastSpec) -> Self {
        for end in [&mut self.low, &mut self.high, &mut self.estimate].into_iter().flatten() {
            *end = if end.abs() < NOISE { 0.0 } else { *end };
        }
        let interval = self.low.zip(self.high);
        let differs_from_0 = matches!(interval, Some((low, high)) if low > 0.0 || high < 0.0);
        self.p = self.p.or_else(|| self.p_of_interval());
        let p = if spec.asks_p() { self.permuted } else { Some(0.0) };
        let verdict = match (spec.rule, self.estimate) {
            (Rule::Sign, Some(estimate)) if estimate > 0.0 => Verdict::Supported,
            _ => verdict(spec.rule, spec.margin, interval, p),
        };
        Found { verdict, differs_from_0, ..self }
    }

    /// Student's p of the estimate with the interval's error and degrees of freedom.
    fn p_of_interval(&self) -> Option<f64> {
        let (estimate, freedom) = (self.estimate?, self.units.len() as f64 - 1.0);
        let half = (self.high? - self.low?) / 2.0;
        if estimate == 0.0 || half <= 0.0 {
            return Some(if estimate == 0.0 { 1.0 } else { 0.0 });
        }
        let t = estimate.abs() / half * student_quantile(0.975, freedom);
        Some(2.0 * (1.0 - student_cdf(t, freedom)))
    }

    /// For people, in a line: `sp − imp: −0.095 [−0.132, −0.058], p 0.000, 13 units`.
    pub fn text(&self) -> String {
        let three = |x: f64| picloom_base::text::fixed(x, 3);
        let effect = match (self.estimate, self.low, self.high) {
            (Some(e), Some(l), Some(h)) => format!("{} [{}, {}]", three(e), three(l), three(h)),
            (Some(e), ..) if self.units.len() == 1 => format!("{} (one unit)", three(e)),
            (Some(e), ..) => format!("{} (too few units for an interval)", three(e)),
            _ if self.missing == 0 && self.without.is_empty() && self.units.is_empty() => {
                "no data, for no unit has a network in both groups: are the values spelled as in the table, and do `by`, `pair` or `where` keep the groups apart?"
                    .into()
            }
            _ if self.missing == 0 => {
                "no data, for no two networks of a unit agree in the columns of `pair`".into()
            }
            _ if self.unfit == self.missing => {
                "no data: in no pair did both networks learn their picture (`fit`)".into()
            }
            _ if self.unfit > 0 => format!(
                "no data: a network did not learn its picture in {} pairs, in the others {} has no number",
                self.unfit, self.of
            ),
            _ => format!("no data: in no pair do both networks have a number in {}", self.of),
        };
        let p = match self.p {
            Some(p) if p < 0.001 => ", p < 0.001".into(),
            Some(p) => format!(", p {p:.3}"),
            None => String::new(),
        };
        let pairs = match (self.pairs, self.missing) {
            (0, 0) => String::new(),
            (pairs, 0) => format!(", {pairs} pairs"),
            (pairs, missing) => format!(", {pairs} pairs, {missing} more not comparable"),
        };
        let (name, units, verdict) = (&self.name, self.units.len(), self.verdict_text());
        format!("{name}: {effect}{p}, {units} units{pairs}: {verdict}")
    }

    /// The verdict, and why it is none where the interval alone would give one.
    pub fn verdict_text(&self) -> String {
        let verdict = self.verdict.text();
        match (self.verdict, self.differs_from_0, self.permuted) {
            (Verdict::SmallerThanMargin, true, _) => format!("{verdict}, differs from 0"),
            (Verdict::Inconclusive, true, Some(p)) if p >= SURE => format!(
                "{verdict}, for the signs of its parts are not uneven enough (their p {})",
                picloom_base::text::fixed(p, 3)
            ),
            _ => verdict.into(),
        }
    }

    /// The smallest effect that four of five such studies would find, two-sided at 5 %; `None` with
    /// fewer than two units.
    pub fn visible(&self) -> Option<f64> {
        let freedom = self.units.len() as f64 - 1.0;
        let half = (self.high? - self.low?) / 2.0;
        let error = (freedom > 0.0).then(|| half / student_quantile(0.975, freedom))?;
        let tails = [0.975, 0.8].map(|p| student_quantile(p, freedom));
        Some((tails[0] + tails[1]) * error)
    }
}

/// Applies a rule to an interval. Without an interval, or without the p that the rule needs, it
/// decides only what an interval alone excludes.
pub fn verdict(rule: Rule, margin: f64, interval: Option<(f64, f64)>, p: Option<f64>) -> Verdict {
    let Some((low, high)) = interval else { return Verdict::Inconclusive };
    let is_sure = p.is_some_and(|p| p < SURE);
    match rule {
        Rule::Greater if low > 0.0 && is_sure => Verdict::Supported,
        Rule::Greater | Rule::Sign if high < 0.0 => Verdict::Contradicted,
        Rule::Greater | Rule::Sign if high < margin => Verdict::SmallerThanMargin,
        Rule::Smaller if high < 0.0 && is_sure => Verdict::Supported,
        Rule::Smaller if low > 0.0 => Verdict::Contradicted,
        Rule::Smaller if low > -margin => Verdict::SmallerThanMargin,
        Rule::Equivalent if -margin < low && high < margin => Verdict::Supported,
        Rule::Equivalent if low > margin || high < -margin => Verdict::Contradicted,
        Rule::Above if low > margin && is_sure => Verdict::Supported,
        Rule::Above if high < 0.0 => Verdict::Contradicted,
        Rule::Above if high < margin => Verdict::SmallerThanMargin,
        Rule::Different if is_sure && (low > 0.0 || high < 0.0) => Verdict::Supported,
        Rule::Different if -margin < low && high < margin => Verdict::SmallerThanMargin,
        _ => Verdict::Inconclusive,
    }
}

/// Variance of the mean of a unit's differences, from the networks' own errors: a network that is in many pairs errs in
/// all of them alike.
fn own_variance(pairs: &[Pair]) -> f64 {
    let mut coefficients: BTreeMap<usize, (f64, f64)> = BTreeMap::new();
    for pair in pairs {
        for ((network, error), sign) in pair.networks.iter().zip(pair.errors).zip([1.0, -1.0]) {
            let entry = coefficients.entry(*network).or_insert((0.0, error));
            entry.0 += sign;
        }
    }
    let count = pairs.len() as f64;
    coefficients.values().map(|(c, error)| (c / count * error).powi(2)).sum()
}

/// The least-squares slope through (x, y); `None` with fewer than three points or equal x.
pub fn slope(points: &[(f64, f64)]) -> Option<f64> {
    if points.len() < 3 {
        return None;
    }
    let count = points.len() as f64;
    let (mx, my) = (
        points.iter().map(|p| p.0).sum::<f64>() / count,
        points.iter().map(|p| p.1).sum::<f64>() / count,
    );
    let xx: f64 = points.iter().map(|p| (p.0 - mx) * (p.0 - mx)).sum();
    let xy: f64 = points.iter().map(|p| (p.0 - mx) * (p.1 - my)).sum();
    (xx > 1e-12).then(|| xy / xx)
}

/// Pearson's r of both numbers' ranks, which are taken and centred within each group; `None` with
/// fewer than four points in groups of two or more, or without spread. With one group it is
/// Spearman's ρ.
pub fn rank_correlation(groups: impl Iterator<Item = Vec<(f64, f64)>>) -> Option<f64> {
    let (mut count, mut xx, mut yy, mut xy) = (0, 0.0, 0.0, 0.0);
    for group in groups.filter(|group| group.len() > 1) {
        let (x, y): (Vec<f64>, Vec<f64>) = group.into_iter().unzip();
        // Ranks as shares, so that a large group does not count more than its points do.
        let middle = (x.len() + 1) as f64 / 2.0;
        for (a, b) in ranks(&x).into_iter().zip(ranks(&y)) {
            let (a, b) = ((a - middle) / x.len() as f64, (b - middle) / x.len() as f64);
            (xx, yy, xy) = (xx + a * a, yy + b * b, xy + a * b);
        }
        count += x.len();
    }
    (count >= 4 && xx > 0.0 && yy > 0.0).then(|| xy / (xx * yy).sqrt())
}

/// Two-sided permutation p of "the group does not matter": within each block every value is as
/// likely to be the first group's. (1 + hits)/(1 + draws); `None` without blocks.
pub fn block_p(blocks: &[Block], draws: u32, rng: &mut SimRng) -> Option<f64> {
    if blocks.is_empty() {
        return None;
    }
    // With the sum S of a block of n values, x less the mean of the others is (n·x − S)/(n − 1).
    let of = |x: f64, sum: f64, n: f64| (n * x - sum) / (n - 1.0);
    let sums: Vec<(f64, f64)> = blocks
        .iter()
        .map(|(first, others)| (first + others.iter().sum::<f64>(), 1.0 + others.len() as f64))
        .collect();
    let observed: f64 = blocks.iter().zip(&sums).map(|(b, &(sum, n))| of(b.0, sum, n)).sum();
    let hits = (0..draws)
        .filter(|_| {
            let drawn: f64 = blocks
                .iter()
                .zip(&sums)
                .map(|((first, others), &(sum, n))| {
                    let k = rng.below(others.len() + 1);
                    of(if k == 0 { *first } else { others[k - 1] }, sum, n)
                })
                .sum();
            drawn.abs() >= observed.abs() - 1e-12
        })
        .count();
    Some((1 + hits) as f64 / f64::from(1 + draws))
}
