//! Charts of a record of networks, whatever its study: score by depth, score by depth and kept share; and the words
//! and estimates that every chart of such a record needs.

use super::axis::Axis;
use super::charts::{Figure, Heat, Look, Panel, Point, Rule, Series, Spread};
use super::style::{self, Marker, number};
use crate::base::stats::{mean, mean_interval};
use crate::experiment::depth::{DepthPoint, Sweep, depth_curves};
use crate::experiment::networks::record::{NetworkResult, NetworkRow, NetworksRecord};
use crate::experiment::networks::spec::BASE;
use std::collections::BTreeSet;

/// A drawn figure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drawing {
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
pub struct Nothing {
    /// The study.
    pub study: String,
    /// The thing that is missing.
    pub expected: String,
}

/// Fails if there is nothing of what is to be drawn.
pub fn some<T>(found: Vec<T>, study: &str, expected: &str) -> Result<Vec<T>, Nothing> {
    match found.is_empty() {
        true => Err(Nothing { study: study.into(), expected: expected.into() }),
        false => Ok(found),
    }
}

/// A depth counts if more than half of its seeds learned the picture.
fn at_depth(point: &DepthPoint) -> Option<(f64, Point)> {
    let found = match point.scores.len() > point.unfit {
        true => estimate(&point.scores).map(cut),
        false => hollow(&point.all),
    };
    Some((point.layers as f64, found?))
}

/// Score by depth of every target of a record.
///
/// # Errors
/// It has no networks by depth.
pub fn score_by_depth_of(record: &NetworksRecord) -> Result<Drawing, Nothing> {
    let arms = [("dense", Sweep::DENSE), ("sp", Sweep::SP)];
    let curves = arms.map(|(arm, sweep)| (arm, depth_curves(record, sweep)));
    let (mut panels, mut parts) = (Vec::new(), Vec::new());
    for target in record.targets() {
        let (x, y) = (Axis::new("hidden layers L").whole(), Axis::new("compositional score"));
        let mut panel = Panel::new(spoken(target), x, y.range(0.0, 1.0), Vec::new());
        let mut depths = Vec::new();
        for (arm, curves) in &curves {
            let Some(curve) = curves.iter().find(|c| c.target == target) else {
                continue;
            };
            let points = curve.points.iter().filter_map(at_depth);
            panel.series.push(Series::course(look(arm), points, Spread::Band));
            depths.push(match curve.chosen {
                Some(chosen) => {
                    let rule = Rule::new(chosen as f64, format!("{chosen}"));
                    panel.x_rules.push(rule.coloured(look(arm).1));
                    format!("{arm} {chosen}{}", if curve.at_edge() { " (end)" } else { "" })
                }
                None => format!("{arm} none"),
            });
        }
        parts.push(format!("{} {}", spoken(target), depths.join(", ")));
        panels.push(panel);
    }
    let panels = some(panels, &record.study, "networks by depth")?;
    let figure = Figure::new("Compositional score by depth")
        .subtitle(what(record))
        .note("Lines: mean over the seeds that learned the picture (R² ≥ 0.95); rings: seeds, where they are too few (three or fewer) for a band of 95 % t-intervals. Hollow: depths at which half the seeds or fewer learned it; they do not count. Broken lines: optimal depth by the one-standard-error rule (the shallowest within one standard error of the best).")
        .multiples(3, 1000, 195)
        .shared(false, true);
    let says = format!(
        "Optimal depth by the one-standard-error rule (“end”: the best is the shallowest or deepest depth that counts, so no peak is shown): {}.",
        parts.join("; ")
    );
    Ok(Drawing { svg: figure.draw(&panels), says })
}

/// A row of the map: its name, arm and level.
pub type Level = (String, (&'static str, usize));

/// The rows of the map: dense, then SP's levels by the share they keep.
pub fn levels(record: &NetworksRecord) -> Vec<Level> {
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

/// Values of the networks at a place of a target's map, over seeds.
fn at(
    record: &NetworksRecord,
    target: &str,
    offset: i64,
    (arm, level): (&str, usize),
    value: fn(&NetworkResult) -> Option<f64>,
) -> Vec<f64> {
    let there = |r: &&NetworkRow| {
        (r.target.as_str(), r.offset, r.arm.as_str(), r.level) == (target, offset, arm, level)
            && r.variant == BASE
    };
    let rows = record.rows.iter().filter(there);
    rows.filter_map(|row| value(row.result.as_ref()?)).collect()
}

/// A value for each row and column of the map, or `none`.
fn matrix(
    rows: &[Level],
    columns: &[(String, i64)],
    value: impl Fn(&(&str, usize), &i64) -> Option<f64>,
    none: f64,
) -> Vec<Vec<f64>> {
    let cell = |row: &Level, column: &(String, i64)| value(&row.1, &column.1).unwrap_or(none);
    rows.iter().map(|row| columns.iter().map(|column| cell(row, column)).collect()).collect()
}

/// Score by depth and kept share of every target of a record, over the networks that learned their picture, with
/// their share. A place where none did is grey and hatched.
///
/// # Errors
/// It has no pruned networks.
pub fn regime_map_of(record: &NetworksRecord) -> Result<Drawing, Nothing> {
    let rows = levels(record);
    let (mut panels, mut parts) = (Vec::new(), Vec::new());
    let (mut any_counts, mut any_unfit, mut any_evolved) = (false, false, false);
    for target in record.targets() {
        let of_target = record.rows.iter().filter(|r| r.target == target && r.seed.is_some());
        let offsets = sorted(of_target.clone().map(|r| r.offset));
        let named = |offset: &i64| {
            let layers = of_target.clone().find(|r| r.offset == *offset).map_or(0, |r| r.layers);
            let mark = if *offset == 0 { "*" } else { "" };
            (format!("{layers}{mark}"), *offset)
        };
        let columns: Vec<(String, i64)> = offsets.iter().map(named).collect();
        let score = |place: &(&str, usize), offset: &i64| {
            mean(&at(record, target, *offset, *place, |r| r.score().filter(|_| r.fit))).ok()
        };
        let fit = |place: &(&str, usize), offset: &i64| {
            mean(&at(record, target, *offset, *place, |r| Some(f64::from(u8::from(r.fit))))).ok()
        };
        let (values, bars) =
            (matrix(&rows, &columns, score, f64::NAN), matrix(&rows, &columns, fit, 0.0));
        let places = || (0..rows.len()).flat_map(|r| (0..columns.len()).map(move |c| (r, c)));
        let is_made = |&(r, c): &(usize, usize)| {
            !at(record, target, columns[c].1, rows[r].1, |r| Some(r.r2)).is_empty()
        };
        let unfit = places().filter(|&(r, c)| bars[r][c] == 0.0).filter(is_made).collect();
        // The best place, unfit networks counted as 0.
        let best = places()
            .map(|(r, c)| ((r, c), values[r][c] * bars[r][c]))
            .filter(|(_, value)| *value > 0.0)
            .max_by(|a, b| a.1.total_cmp(&b.1));
        if let Some(((r, c), _)) = best {
            let (layers, share) = (columns[c].0.trim_end_matches('*'), &rows[r].0);
            parts.push(format!("{} {layers} layers, {share}", spoken(target)));
        }
        // The evolved network is one point, of no depth or share of these.
        let evolved = record.rows.iter().find(|r| r.target == target && r.arm == "evolved");
        let evolved = evolved.and_then(|row| row.result.as_ref()?.score());
        let evolved = evolved.map_or(String::new(), |score| format!(", evolved {score:.2}"));
        let heat = Heat {
            columns: columns.iter().map(|column| column.0.clone()).collect(),
            rows: rows.iter().map(|row| row.0.clone()).collect(),
            values,
            value: Axis::new("score").range(0.0, 1.0),
            decimals: Some(2),
            outlined: best.iter().map(|b| b.0).collect(),
            hatched: unfit,
            bars,
            ..Heat::default()
        };
        any_counts |= heat.bars.iter().flatten().any(|share| *share > 0.0);
        any_unfit |= !heat.hatched.is_empty();
        any_evolved |= !evolved.is_empty();
        let title = format!("{}{evolved}", spoken(target));
        panels.push(heat.panel(title, "hidden layers L", "links kept"));
    }
    let panels = some(panels, &record.study, "networks by depth and kept share")?;
    let columns = panels.len().min(2);
    let width = if columns == 1 { 640 } else { 1080 };
    // Only what occurs is explained.
    let note = [
        (
            true,
            "Dense networks and networks pruned by similarity (SP), at the end of training. *: reference depth.",
        ),
        (
            any_counts,
            "Numbers: mean score of the networks that learned the picture (R² ≥ 0.95). Bars: their share, whole width = all. Outlined: the highest score with unfit = 0.",
        ),
        (any_unfit, "Hatched grey: no network there learned the picture, so nothing counts."),
        (any_evolved, "Beside the picture's name the evolved network's score."),
    ];
    let note = note.into_iter().filter(|part| part.0).map(|part| part.1);
    let result = if any_counts { "" } else { ": no result" };
    let figure = Figure::new(format!("Compositional score by depth and kept share{result}"))
        .subtitle(what(record))
        .note(note.collect::<Vec<_>>().join(" "))
        .multiples(columns, width, 185);
    let says = match any_counts {
        true => format!("Highest score, unfit networks counted as 0: {}.", parts.join("; ")),
        false => "No network learned its picture, so nothing counts.".into(),
    };
    Ok(Drawing { svg: figure.draw(&panels), says })
}

/// A share cannot lie outside [0, 1]; neither is its interval drawn there.
pub fn cut(estimate: Point) -> Point {
    let end = |value: f64| value.clamp(0.0, 1.0);
    let y_interval = estimate.y_interval.map(|(low, high)| (end(low), end(high)));
    Point { y_interval, ..estimate }
}

/// Values of which an interval is drawn, at least: Student's t of three is so wide that the three dots
/// themselves say more.
pub const FEWEST: usize = 4;

/// Mean with its 95 % Student-t interval (`None` with fewer than [`FEWEST`] values) and the values
/// behind it; `None` without values.
pub fn estimate(values: &[f64]) -> Option<Point> {
    let mut estimate = Point::value(mean(values).ok()?).seeds(values.iter().copied());
    let found = mean_interval(values, 0.95).ok().filter(|_| values.len() >= FEWEST);
    estimate.y_interval = found.map(|i| (i.low, i.high));
    Some(estimate)
}

/// Mean of values that do not count: hollow, without an interval.
pub fn hollow(values: &[f64]) -> Option<Point> {
    estimate(values).map(|e| Point { y_interval: None, ..e }.hollow(true))
}

/// The distinct values, in the order of their first time.
pub fn distinct<T: PartialEq>(all: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut found = Vec::new();
    for one in all {
        if !found.contains(&one) {
            found.push(one);
        }
    }
    found
}

/// The distinct values, in order of size.
pub fn sorted<T: Ord>(all: impl IntoIterator<Item = T>) -> Vec<T> {
    all.into_iter().collect::<BTreeSet<_>>().into_iter().collect()
}

/// Label, colour and marker of an arm; of one the house style does not know, its own name.
pub fn look(arm: &str) -> Look {
    match style::arm(arm) {
        Some((_, a)) => (a.label.into(), a.colour, a.marker),
        None => (arm.replace('-', " "), style::GREY, Marker::Plus),
    }
}

/// A target's name as people write it.
pub fn spoken(name: &str) -> String {
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
pub fn what(record: &NetworksRecord) -> String {
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
