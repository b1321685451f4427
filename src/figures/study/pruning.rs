//! Every pruning method at equal counts.

use super::board::{Block, Board, MapBoard, Row, map_sheet, sweep, verdicts};
use super::data::{self, arms, look, named, over_targets, says, spoken, what};
use super::wirings::{MAPS_NOTE, UNITS, facts, score_axis, shown, tiles_or_blank};
use super::{DrawError, Drawing, Sources, some};
use crate::experiment::claims::effects::{Effect, Group as Networks, fit_score};
use crate::experiment::networks::record::NetworksRecord;
use crate::figures::axis::Axis;
use crate::figures::charts::{
    Bars, Estimate, Frame, Grid, Group, Heatmap, Mark, Panel, Plot, Point, Rule, Series, grid,
    heatmap,
};
use crate::figures::style::{self, Marker, fixed, number};
use crate::math::stats::mean;

const STUDY: &str = "pruning";

/// The methods whose lines and clouds are drawn; the others are in the score's figure.
const RIVALS: [&str; 9] =
    ["evolved", "dense", "sp", "imp", "wanda", "taylor", "magnitude", "random", "sp-layer-counts"];

/// Mean kept and alive links of a group over all its networks, in whole links.
fn links(record: &NetworksRecord, group: Networks<'_>) -> Option<(f64, f64)> {
    let targets = record.targets();
    let results: Vec<_> = targets
        .iter()
        .flat_map(|t| data::rows(record, t, group))
        .filter_map(|row| row.result.as_ref())
        .collect();
    let kept = mean(&results.iter().map(|r| r.kept as f64).collect::<Vec<_>>()).ok()?;
    let alive = mean(&results.iter().map(|r| r.alive as f64).collect::<Vec<_>>()).ok()?;
    Some((kept, alive))
}

/// The levels of a record that are pruned.
fn levels(record: &NetworksRecord) -> Vec<usize> {
    let levels: std::collections::BTreeSet<usize> =
        record.rows.iter().map(|r| r.level).filter(|l| *l > 0).collect();
    levels.into_iter().collect()
}

/// Mean score of a group, whatever its fit, for groups in which no network is fit.
fn unfit(record: &NetworksRecord, group: Networks<'_>) -> Option<Estimate> {
    let scores: Vec<f64> = record
        .targets()
        .into_iter()
        .filter_map(|t| mean(&data::cell(record, t, group, |r| r.score()).unfit).ok())
        .collect();
    Some(Estimate::new(mean(&scores).ok()?).seeds(scores).faint(true))
}

pub(super) fn score(sources: &Sources) -> Result<Drawing, DrawError> {
    let record = sources.networks(STUDY)?;
    let levels = some(levels(&record), STUDY, "pruned networks")?;
    let mut panels = Vec::new();
    let mut most = 0;
    for &level in &levels {
        let mut groups = Vec::new();
        for (arm, at) in arms(&record) {
            if at != 0 && at != level {
                continue;
            }
            let networks = Networks::of(&arm, at);
            let estimate = over_targets(&record, networks, fit_score)
                .or_else(|| unfit(&record, networks))
                .map(|e| {
                    let (fit, asked) = data::learned(&record, networks);
                    let counts = match links(&record, networks) {
                        Some((kept, alive)) => {
                            format!("{}/{}", number(kept.round(), 6), number(alive.round(), 6))
                        }
                        None => "–".into(),
                    };
                    e.coloured(look(&arm).1).text(format!("{counts} · {fit}/{asked}"))
                });
            groups.push(Group { name: look(&arm).0, estimates: vec![estimate] });
        }
        most = most.max(groups.len());
        let rules = ["evolved", "dense"].into_iter().filter_map(|arm| {
            let e = over_targets(&record, Networks::of(arm, 0), fit_score)?;
            Some(Rule::new(e.value, "").coloured(look(arm).1))
        });
        panels.push(Panel::Bars(Bars {
            frame: Frame::new(format!("level {level}")),
            value: score_axis(1.5),
            series: vec![("".into(), style::INK, Marker::Circle)],
            groups,
            mark: Mark::Dot,
            lying: true,
            rules: rules.collect(),
            texts_at: Some(1.04),
            ..Bars::default()
        }));
    }
    let columns = panels.len();
    let svg = grid(&Grid {
        frame: Frame::new("Compositional score by pruning method, at equal counts")
            .subtitle(what(&record))
            .note("Marks: mean over targets (seeds averaged within each, networks that learned their picture only), whiskers 95 % t-intervals over targets, rings targets. Hollow: no network learned its picture; no mark: nothing could be judged. Right: links kept/alive · networks that learned their picture. Broken lines: evolved and dense.")
            .sized(620 * columns.min(3) as u32, 190 + 26 * most as u32),
        columns,
        panels,
        share_x: false,
        share_y: true,
    });
    let pairs = |rival| [1, 2].map(|l| (Networks::of("sp", l), Networks::of(rival, l)));
    let parts: Vec<String> = ["imp", "wanda", "taylor", "magnitude", "random", "sp-layer-counts"]
        .into_iter()
        .filter(|rival| data::exists(&record, Networks::of(rival, 1)))
        .map(|rival| {
            let name = format!("sp − {rival}");
            says(&Effect::paired(name, &record, &pairs(rival), fit_score))
        })
        .collect();
    let says = match parts.is_empty() {
        true => String::new(),
        false => {
            format!("Paired by target, seed and level, both networks fit: {}.", parts.join("; "))
        }
    };
    Ok(Drawing { svg, says })
}

pub(super) fn by_target(sources: &Sources) -> Result<Drawing, DrawError> {
    let record = sources.networks(STUDY)?;
    let targets = record.targets();
    let arms = some(arms(&record), STUDY, "networks")?;
    let values: Vec<Vec<f64>> = arms
        .iter()
        .map(|(arm, level)| {
            let known = data::by_target(&record, Networks::of(arm, *level), fit_score);
            let of = |t: &&str| known.iter().find(|k| k.0 == **t).map_or(f64::NAN, |k| k.1);
            targets.iter().map(of).collect()
        })
        .collect();
    let svg = heatmap(&Heatmap {
        frame: Frame::new("Compositional score by pruning method and target")
            .subtitle(what(&record))
            .note("Means over the seeds that learned the picture; grey: none did, or the arm does not exist there.")
            .sized(
                (400 + 100 * targets.len() as u32).max(760),
                180 + 23 * arms.len() as u32,
            ),
        x: "target".into(),
        rows: arms.iter().map(|(a, l)| named(a, *l)).collect(),
        columns: targets.iter().map(|t| spoken(t)).collect(),
        values,
        value: Axis::new("score").range(0.0, 1.0),
        decimals: Some(2),
        ..Heatmap::default()
    });
    Ok(svg.into())
}

/// Columns and height of a grid of one panel a target.
fn panes(count: usize) -> (usize, u32) {
    let columns = count.clamp(1, 3);
    (columns, 190 + 290 * count.div_ceil(columns) as u32)
}

/// Rivals that are in a record.
fn rivals(record: &NetworksRecord) -> Vec<&'static str> {
    let there = |arm: &&str| record.rows.iter().any(|r| r.arm == *arm);
    RIVALS.into_iter().filter(there).collect()
}

pub(super) fn against_kept(sources: &Sources) -> Result<Drawing, DrawError> {
    let record = sources.networks(STUDY)?;
    let levels: Vec<usize> = std::iter::once(0).chain(levels(&record)).collect();
    let mut panels = Vec::new();
    for target in record.targets() {
        let point = |arm: &str, level: usize| -> Option<(Point, bool)> {
            let group = Networks::of(arm, level);
            let kept: Vec<f64> = data::rows(&record, target, group)
                .filter_map(|r| r.result.as_ref().map(|x| x.kept as f64))
                .collect();
            let cell = data::cell(&record, target, group, |r| r.score());
            let estimate = cell.estimate()?;
            let point = Point::new(mean(&kept).ok()?, estimate.value);
            Some((point, estimate.faint))
        };
        let mut series = Vec::new();
        for arm in rivals(&record) {
            let (label, colour, marker) = look(arm);
            let pruned = !matches!(arm, "evolved" | "dense");
            let mut points = Vec::new();
            for &level in &levels {
                // A pruned arm begins at the dense network.
                let from = if level == 0 && pruned { "dense" } else { arm };
                let one = point(from, level);
                points.extend(one.filter(|(_, faint)| from == arm || !faint));
            }
            let hollow: Vec<Point> = points
                .iter()
                .filter(|(p, faint)| *faint && p.y.is_finite())
                .map(|(p, _)| p.clone())
                .collect();
            let full: Vec<Point> = points.iter().filter(|p| !p.1).map(|p| p.0.clone()).collect();
            if !hollow.is_empty() {
                series.push(Series::cloud("", colour, marker, hollow).hollow());
            }
            let mut one = Series::cloud(label, colour, marker, full);
            if pruned {
                one.line = crate::figures::charts::Line::Solid;
                one.width = 1.8;
            }
            series.push(one);
        }
        panels.push(Panel::Plot(Plot {
            frame: Frame::new(spoken(target)),
            x: Axis::new("links kept").log(),
            y: Axis::new("compositional score").range(0.0, 1.0),
            series,
            ..Plot::default()
        }));
    }
    let panels = some(panels, STUDY, "networks")?;
    let (columns, height) = panes(panels.len());
    let svg = grid(&Grid {
        frame: Frame::new("Compositional score against the links kept")
            .subtitle(what(&record))
            .note("Means over the seeds that learned the picture, from the dense network over both levels; hollow: no seed learned it at that level. The other methods are in pruning-score.")
            .sized(1000, height),
        columns,
        panels,
        share_x: false,
        share_y: true,
    });
    Ok(svg.into())
}

pub(super) fn against_loss(sources: &Sources) -> Result<Drawing, DrawError> {
    let record = sources.networks(STUDY)?;
    let mut panels = Vec::new();
    for target in record.targets() {
        let mut series = Vec::new();
        for arm in rivals(&record).into_iter().filter(|arm| *arm != "evolved") {
            let (label, colour, marker) = look(arm);
            let (mut fit, mut unfit) = (Vec::new(), Vec::new());
            for row in record.rows.iter().filter(|r| r.target == target && r.arm == arm) {
                let Some(result) = row.result.as_ref() else {
                    continue;
                };
                let Some(score) = result.score() else {
                    continue;
                };
                let point = Point::new(result.mse, score);
                if result.fit { fit.push(point) } else { unfit.push(point) }
            }
            series.push(Series::cloud("", colour, marker, unfit).hollow());
            series.push(Series::cloud(label, colour, marker, fit));
        }
        panels.push(Panel::Plot(Plot {
            frame: Frame::new(spoken(target)),
            x: Axis::new("loss").unit("MSE").log(),
            y: Axis::new("compositional score").range(0.0, 1.0),
            series,
            ..Plot::default()
        }));
    }
    let panels = some(panels, STUDY, "networks")?;
    let (columns, height) = panes(panels.len());
    let stop = match record.target_r2 {
        Some(r2) => format!(" Training ended at R² = {}.", fixed(r2, 2)),
        None => String::new(),
    };
    let svg = grid(&Grid {
        frame: Frame::new("Compositional score against the loss")
            .subtitle(what(&record))
            .note(format!("One mark a network: every seed and both levels. Hollow: networks that did not learn their picture (R² < 0.95); their score does not count.{stop}"))
            .sized(1000, height),
        columns,
        panels,
        share_x: false,
        share_y: true,
    });
    Ok(svg.into())
}

pub(super) fn maps(sources: &Sources) -> Result<Drawing, DrawError> {
    let record = sources.networks(STUDY)?;
    let mut rows = Vec::new();
    for target in record.targets() {
        let mut panels = Vec::new();
        for (arm, level) in arms(&record) {
            let found = shown(&record, target, Networks::of(&arm, level));
            let Some((_, result, views)) = found else {
                continue;
            };
            if let Some(maps) = &views.maps {
                let sheet = map_sheet(sources, STUDY, maps, UNITS)?;
                panels.push((named(&arm, level), facts(result), look(&arm).1, sheet));
            }
        }
        // Three panels a row can be read.
        let mut heading = spoken(target);
        while !panels.is_empty() && rows.len() < 4 {
            let rest = panels.split_off(panels.len().min(3));
            rows.push((std::mem::take(&mut heading), panels));
            panels = rest;
        }
    }
    let svg = MapBoard {
        title: "Maps of the units before and after pruning".into(),
        subtitle: what(&record),
        note: MAPS_NOTE.into(),
        rows: some(rows, STUDY, "maps of units (views)")?,
        most: UNITS,
    }
    .draw();
    Ok(svg.into())
}

/// Changed weights beside each pruned network's picture.
const CHANGES: usize = 3;

pub(super) fn pictures(sources: &Sources) -> Result<Drawing, DrawError> {
    let record = sources.networks(STUDY)?;
    let pictured = |target: &&str| {
        let mut rows = record.rows.iter().filter(|row| row.target == *target);
        rows.any(|row| row.result.as_ref().is_some_and(|r| r.views.is_some()))
    };
    let targets: Vec<&str> =
        record.targets().into_iter().filter(pictured).take(super::wirings::TARGETS).collect();
    let arms = arms(&record);
    let mut rows = Vec::new();
    for (arm, level) in &arms {
        let mut row = Row {
            label: look(arm).0,
            sub: if *level > 0 { format!("level {level}") } else { String::new() },
            tone: Some(look(arm).1),
            tiles: Vec::new(),
        };
        for target in &targets {
            let tiles = match shown(&record, target, Networks::of(arm, *level)) {
                Some((_, _, views)) => sweep(sources, STUDY, views, CHANGES)?,
                None => Vec::new(),
            };
            row.tiles.extend(tiles_or_blank(tiles, CHANGES + 1));
        }
        if row.tiles.iter().any(Option::is_some) {
            rows.push(row);
        }
    }
    let rows = some(rows, STUDY, "pictures of pruned networks (views)")?;
    let wide = CHANGES + 1;
    let svg = Board {
        title: "What pruned networks draw, and with one weight changed".into(),
        subtitle: what(&record),
        note: "Of each target: the network's own picture, then three with one weight changed. First seed.".into(),
        legend: verdicts(),
        heads: targets
            .iter()
            .enumerate()
            .map(|(i, t)| (i * wide, wide, spoken(t)))
            .collect(),
        blocks: vec![Block { heading: String::new(), rows }],
        pane: 44.0,
        apart: (1..targets.len()).map(|i| i * wide).collect(),
    }
    .draw();
    Ok(svg.into())
}
