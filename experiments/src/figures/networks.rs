//! The words and estimates that every chart of a networks record needs, and the check that there is something to draw.

use picloom::base::stats::{mean, mean_interval};
use picloom::experiment::depth::Sweep;
use picloom::experiment::networks::record::{NetworkRow, NetworksRecord};
use picloom::figures::charts::Point;
use picloom::figures::style::{self, number};
use std::collections::BTreeSet;

/// A drawn figure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Drawing {
    /// The SVG.
    pub svg: String,
    /// Its numbers, in a sentence or two; may be empty.
    pub says: String,
}

impl From<String> for Drawing {
    fn from(svg: String) -> Self {
        Drawing { svg, says: String::new() }
    }
}

/// The record holds nothing of what a figure shows.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{study}/rows.csv.gz: expected {expected}, found none")]
pub(crate) struct Nothing {
    /// The study.
    pub study: String,
    /// The thing that is missing.
    pub expected: String,
}

/// Fails if there is nothing of what is to be drawn.
pub(super) fn some<T>(found: Vec<T>, study: &str, expected: &str) -> Result<Vec<T>, Nothing> {
    match found.is_empty() {
        true => Err(Nothing { study: study.into(), expected: expected.into() }),
        false => Ok(found),
    }
}

/// A row of the map: its name, arm and level.
pub(super) type Level = (String, (&'static str, usize));

/// The rows of the map: dense, then SP's levels by the share they keep.
pub(super) fn levels(record: &NetworksRecord) -> Vec<Level> {
    let levels = sorted(record.rows.iter().filter(|r| r.arm == Sweep::SP.arm).map(|r| r.level));
    let share = |level: usize| {
        let of = |r: &NetworkRow| {
            let result = r.result.as_ref()?;
            (r.arm == Sweep::SP.arm && r.level == level)
                .then(|| result.kept as f64 / result.links as f64)
        };
        let shares: Vec<f64> = record.rows.iter().filter_map(of).collect();
        mean(&shares).map_or(format!("level {level}"), |share| style::percent(share, 0))
    };
    let pruned = levels.into_iter().map(|level| (share(level), (Sweep::SP.arm, level)));
    std::iter::once(("100 %".into(), ("dense", 0))).chain(pruned).collect()
}

/// Values of which an interval is drawn, at least: Student's t of three is so wide that the three dots
/// themselves say more.
pub(super) const FEWEST: usize = 4;

/// Mean with its 95 % Student-t interval (`None` with fewer than [`FEWEST`] values) and the values
/// behind it; `None` without values.
pub(super) fn estimate(values: &[f64]) -> Option<Point> {
    let mut estimate = Point::value(mean(values).ok()?).seeds(values.iter().copied());
    let found = mean_interval(values, 0.95).ok().filter(|_| values.len() >= FEWEST);
    estimate.y_interval = found.map(|i| (i.low, i.high));
    Some(estimate)
}

/// Mean of values that do not count: hollow, without an interval.
pub(super) fn hollow(values: &[f64]) -> Option<Point> {
    estimate(values).map(|e| Point { y_interval: None, ..e }.hollow(true))
}

/// The distinct values, in the order of their first time.
pub(super) fn distinct<T: PartialEq>(all: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut found = Vec::new();
    for one in all {
        if !found.contains(&one) {
            found.push(one);
        }
    }
    found
}

/// The distinct values, in order of size.
pub(super) fn sorted<T: Ord>(all: impl IntoIterator<Item = T>) -> Vec<T> {
    all.into_iter().collect::<BTreeSet<_>>().into_iter().collect()
}

/// A target's name as people write it.
pub(super) fn spoken(name: &str) -> String {
    name.replace(['_', '-'], " ")
}

/// The seeds of a record in words.
fn seeds(record: &NetworksRecord) -> String {
    match sorted(record.rows.iter().filter_map(|r| r.seed)).len() {
        0 => "no seeds".into(),
        1 => "one seed".into(),
        n => format!("{n} seeds"),
    }
}

/// Size, steps, seeds, judge and profile, for the line under a title.
pub(super) fn what(record: &NetworksRecord) -> String {
    let judge = record.judge.split(" fitted").next().unwrap_or("");
    let sample = match record.sample {
        Some(n) => format!("{n} weights perturbed in each network"),
        None => "every weight perturbed".into(),
    };
    format!(
        "{0}² pixels, {1} steps, {2}, {sample}, judge {judge}, profile {3}",
        record.size,
        number(record.steps as f64, 6),
        seeds(record),
        record.profile
    )
}
