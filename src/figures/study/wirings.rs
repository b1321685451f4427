//! Evolved networks, their dense twins, and the evolved wiring trained from random weights.

use super::board::{Block, Board, MapBoard, Row, Tile, map_sheet, sweep, verdicts};
use super::data::{self, by_target, cell, look, over_targets, says, spoken, what};
use super::{DrawError, Drawing, Sources, some};
use crate::experiment::claims::effects::{Effect, Group as Networks, fit_score};
use crate::experiment::networks::record::{NetworkResult, NetworkRow, NetworksRecord, Views};
use crate::figures::axis::Axis;
use crate::figures::charts::{
    Bars, Frame, Grid, Group, Mark, Panel, Plot, Point, Series, bars, grid, plot,
};
use crate::figures::style::{self, Colour, percent};
use crate::math::real;
use crate::math::stats::wilson;
use std::rc::Rc;

const STUDY: &str = "wirings";

fn score(result: &NetworkResult) -> Option<f64> {
    result.score()
}

/// An axis of scores that ends at `end`, beyond 1 to leave room for words.
pub(super) fn score_axis(end: f64) -> Axis {
    let ticks = [0.0, 0.2, 0.4, 0.6, 0.8, 1.0].map(|v| (v, style::fixed(v, 1)));
    Axis::new("compositional score").range(0.0, end).names(ticks)
}

/// A network without seeds: the interval of its score over its judged perturbations.
fn over_perturbations(
    record: &NetworksRecord,
    target: &str,
    arm: Networks<'_>,
) -> Option<(f64, f64)> {
    let row = data::rows(record, target, arm).find(|row| row.seed.is_none())?;
    let result = row.result.as_ref()?;
    let interval = wilson(result.coherent, result.coherent + result.fractured, 0.95).ok()?;
    Some((interval.low, interval.high))
}

/// Groups of targets, then their mean, for these arms at one level and depth.
pub(super) fn score_bars(record: &NetworksRecord, arms: &[Networks<'_>], frame: Frame) -> Bars {
    let mut groups: Vec<Group> = Vec::new();
    for target in record.targets() {
        groups.push(Group {
            name: spoken(target),
            estimates: arms
                .iter()
                .map(|arm| {
                    let mut estimate = cell(record, target, *arm, score).estimate()?;
                    if let Some((low, high)) = over_perturbations(record, target, *arm) {
                        estimate = estimate.between(low, high).seeds([]);
                    }
                    Some(estimate)
                })
                .collect(),
        });
    }
    if groups.len() > 1 {
        groups.push(Group {
            name: "mean".into(),
            estimates: arms
                .iter()
                .map(|arm| {
                    let mean = over_targets(record, *arm, fit_score);
                    mean.map(|e| e.seeds([]))
                })
                .collect(),
        });
    }
    Bars {
        frame,
        value: score_axis(1.14),
        series: arms.iter().map(|arm| look(arm.arm)).collect(),
        groups,
        mark: Mark::Dot,
        ..Bars::default()
    }
}

/// What the parts of a [`score_bars`] chart mean.
pub(super) const SCORE_NOTE: &str = "Marks: mean over the seeds that learned the picture (R² ≥ 0.95); rings: seeds; whiskers: 95 % t-intervals over seeds, under “mean” over targets, cut at 0 and 1; of the evolved network, Wilson intervals over its perturbations. Hollow: no seed learned it; the score does not count. n/m: n of m seeds learned it.";

fn scores(
    sources: &Sources,
    arms: &[&str],
    title: &str,
) -> Result<(String, Rc<NetworksRecord>), DrawError> {
    let record = sources.networks(STUDY)?;
    let groups: Vec<Networks<'_>> = arms.iter().map(|arm| Networks::of(arm, 0)).collect();
    let there = groups.iter().copied().filter(|g| data::exists(&record, *g));
    let there = some(there.collect(), STUDY, &format!("one of the arms {}", arms.join(", ")))?;
    let frame = Frame::new(title)
        .subtitle(what(&record))
        .note(SCORE_NOTE)
        .sized(if arms.len() > 2 { 1000 } else { 860 }, 560);
    Ok((bars(&score_bars(&record, &there, frame)), record))
}

fn fits(record: &NetworksRecord, arms: &[&str]) -> String {
    let parts = arms.iter().map(|arm| {
        let (fit, asked) = data::learned(record, Networks::of(arm, 0));
        format!("{} {fit} of {asked}", look(arm).0)
    });
    format!("Learned their picture: {}.", parts.collect::<Vec<_>>().join(", "))
}

pub(super) fn evolved_against_dense(sources: &Sources) -> Result<Drawing, DrawError> {
    let arms = ["evolved", "dense"];
    let (svg, record) =
        scores(sources, &arms, "Evolved networks against dense networks of the same pictures")?;
    let pair = [(Networks::of("evolved", 0), Networks::of("dense", 0))];
    let effect = Effect::paired("score, evolved − dense", &record, &pair, fit_score);
    let says = format!("{}. {}", says(&effect), fits(&record, &arms[1..]));
    Ok(Drawing { svg, says })
}

pub(super) fn evolved_wiring_retrained(sources: &Sources) -> Result<Drawing, DrawError> {
    let arms = ["evolved", "dense", "graph", "layerized"];
    let (svg, record) = scores(sources, &arms, "The evolved wiring, trained from random weights")?;
    let [evolved, dense, graph, layerized] = arms.map(|arm| Networks::of(arm, 0));
    let parts = [
        ("score, evolved − layerized", evolved, layerized),
        ("layerized − dense", layerized, dense),
        ("graph − dense", graph, dense),
    ]
    .map(|(name, a, b)| says(&Effect::paired(name, &record, &[(a, b)], fit_score)));
    let says = format!("{}. {}", parts.join("; "), fits(&record, &arms[1..]));
    Ok(Drawing { svg, says })
}

/// The first row of an arm on a target whose pictures were kept.
pub(super) fn shown<'a>(
    record: &'a NetworksRecord,
    target: &'a str,
    group: Networks<'a>,
) -> Option<(&'a NetworkRow, &'a NetworkResult, &'a Views)> {
    data::rows(record, target, group).find_map(|row| {
        let result = row.result.as_deref()?;
        Some((row, result, result.views.as_ref()?))
    })
}

/// Score and fit of a network, for the line under its name.
pub(super) fn facts(result: &NetworkResult) -> String {
    let score = match result.score() {
        Some(score) => format!("score {}", style::fixed(score, 2)),
        None => "no score".into(),
    };
    let fit = if result.fit { "" } else { ", not learned" };
    format!("{score}, R² {}{fit}", style::fixed(result.r2, 2))
}

/// Targets shown on a sheet, at most.
pub(super) const TARGETS: usize = 4;
/// Changed weights shown of each network.
pub(super) const CHANGES: usize = 8;

/// Similarity-pruned networks of the same target, where another study kept pictures of one.
fn pruned_elsewhere(
    sources: &Sources,
    target: &str,
    maps: bool,
) -> Option<(&'static str, Rc<NetworksRecord>)> {
    ["pruning", "depth"].into_iter().find_map(|study| {
        let record = sources.networks(study).ok()?;
        let views = shown(&record, target, Networks::of("sp", 1))?.2;
        let good = !maps || views.maps.is_some();
        good.then(|| (study, record.clone()))
    })
}

pub(super) fn perturbation_sheets(sources: &Sources) -> Result<Drawing, DrawError> {
    let record = sources.networks(STUDY)?;
    let (mut blocks, mut counted) = (Vec::new(), Vec::new());
    let mut row = |study: &str, arm: &str, found: (&NetworkRow, &NetworkResult, &Views)| {
        let (label, tone, _) = look(arm);
        let tiles = sweep(sources, study, found.2, CHANGES)?;
        let verdicts: Vec<bool> = found.2.changes.iter().map(|c| c.coherent).collect();
        counted.push((arm.to_string(), verdicts));
        Ok(Row { label, sub: facts(found.1), tone: Some(tone), tiles })
    };
    for target in record.targets() {
        let mut rows = Vec::new();
        for arm in ["evolved", "dense", "graph", "layerized"] {
            if let Some(found) = shown(&record, target, Networks::of(arm, 0)) {
                rows.push(row(STUDY, arm, found)?);
            }
        }
        if rows.is_empty() || blocks.len() == TARGETS {
            continue;
        }
        if let Some((study, other)) = pruned_elsewhere(sources, target, false)
            && let Some(found) = shown(&other, target, Networks::of("sp", 1))
        {
            rows.push(row(study, "sp", found)?);
        }
        blocks.push(Block { heading: spoken(target), rows });
    }
    let blocks = some(blocks, STUDY, "pictures of changed weights (views)")?;
    let svg = Board {
        title: "One weight changed at a time".into(),
        subtitle: what(&record),
        note: format!(
            "First the network's own picture, then its picture with one weight changed so far that the picture changes by an RMSE of {}; weights of all layers, first layer first. First seed of each arm.",
            style::number(record.effect, 2)
        ),
        legend: verdicts(),
        heads: vec![(0, 1, "draws".into()), (1, CHANGES, "one weight changed".into())],
        blocks,
        pane: 58.0,
        apart: vec![1],
    }
    .draw();
    let mut parts: Vec<String> = Vec::new();
    for arm in ["evolved", "dense", "graph", "layerized", "sp"] {
        let all: Vec<bool> =
            counted.iter().filter(|c| c.0 == arm).flat_map(|c| c.1.iter().copied()).collect();
        if !all.is_empty() {
            let good = all.iter().filter(|c| **c).count();
            parts.push(format!("{} {good} of {}", look(arm).0, all.len()));
        }
    }
    let says = format!("Coherent among the changes kept as pictures: {}.", parts.join(", "));
    Ok(Drawing { svg, says })
}

/// Units shown of a layer.
pub(super) const UNITS: usize = 12;

pub(super) fn feature_maps(sources: &Sources) -> Result<Drawing, DrawError> {
    let record = sources.networks(STUDY)?;
    let mut rows = Vec::new();
    for target in record.targets() {
        let mut panels = Vec::new();
        let mut panel = |study: &str, arm: &str, found: (&NetworkRow, &NetworkResult, &Views)| {
            let Some(maps) = &found.2.maps else {
                return Ok(());
            };
            let (label, colour, _) = look(arm);
            let sheet = map_sheet(sources, study, maps, UNITS)?;
            panels.push((label, facts(found.1), colour, sheet));
            Ok(())
        };
        for arm in ["evolved", "dense"] {
            if let Some(found) = shown(&record, target, Networks::of(arm, 0)) {
                panel(STUDY, arm, found)?;
            }
        }
        if let Some((study, other)) = pruned_elsewhere(sources, target, true)
            && let Some(found) = shown(&other, target, Networks::of("sp", 1))
        {
            panel(study, "sp", found)?;
        }
        if !panels.is_empty() && rows.len() < 3 {
            rows.push((spoken(target), panels));
        }
    }
    let svg = MapBoard {
        title: "Maps of the units, layer by layer".into(),
        subtitle: what(&record),
        note: MAPS_NOTE.into(),
        rows: some(rows, STUDY, "maps of units (views)")?,
        most: UNITS,
    }
    .draw();
    Ok(svg.into())
}

/// What a sheet of maps shows.
pub(super) const MAPS_NOTE: &str = "One row a layer from the first hidden layer down to hue, saturation and brightness; at most 12 alive units of each. Grey places: units without a path to the picture. Right: alive units of all in the layer.";

/// (decoded, score) of the evolved and of the dense networks of a target.
type Ends = [Option<(f64, f64)>; 2];

pub(super) fn decodable_against_organised(sources: &Sources) -> Result<Drawing, DrawError> {
    let record = sources.networks(STUDY)?;
    let decoded = |r: &NetworkResult| r.measures.decoded.filter(|_| r.fit);
    let mut series = Vec::new();
    let mut points: Vec<(String, Ends)> =
        record.targets().into_iter().map(|t| (t.to_string(), [None, None])).collect();
    for (k, arm) in ["evolved", "dense"].into_iter().enumerate() {
        let group = Networks::of(arm, 0);
        let (x, y) = (by_target(&record, group, decoded), by_target(&record, group, fit_score));
        for (target, ends) in &mut points {
            let at = |v: &[(String, f64)]| v.iter().find(|p| p.0 == *target).map(|p| p.1);
            ends[k] = at(&x).zip(at(&y));
        }
    }
    for (_, ends) in &points {
        if let [Some(a), Some(b)] = ends {
            let mut line = Series::line("", Colour(190, 195, 202), [*a, *b]);
            line.width = 1.4;
            series.push(line);
        }
    }
    let mut any = false;
    for (k, arm) in ["evolved", "dense"].into_iter().enumerate() {
        let (label, colour, marker) = look(arm);
        let cloud: Vec<Point> = points
            .iter()
            .filter_map(|(target, ends)| {
                ends[k].map(|(x, y)| Point::new(x, y).label(spoken(target)))
            })
            .collect();
        any |= !cloud.is_empty();
        series.push(Series::cloud(label, colour, marker, cloud));
    }
    some(vec![(); usize::from(any)], STUDY, "fit networks with decoded attributes")?;
    let pair = [(Networks::of("evolved", 0), Networks::of("dense", 0))];
    let says = format!(
        "{}; {}.",
        says(&Effect::paired("decoded R², evolved − dense", &record, &pair, decoded)),
        says(&Effect::paired("score, evolved − dense", &record, &pair, fit_score))
    );
    let svg = plot(&Plot {
        frame: Frame::new("Equally decodable, unequally organised?")
            .subtitle(what(&record))
            .note("One mark a target and arm: mean over the seeds that learned the picture; lines join the two networks of a target. Decoded: held-out R² of ridge probes from the last hidden layer to attributes of the picture, mean over attributes.")
            .sized(860, 600),
        x: Axis::new("decoded attributes").unit("held-out R²"),
        y: Axis::new("compositional score").range(0.0, 1.0),
        series,
        ..Plot::default()
    });
    Ok(Drawing { svg, says })
}

/// The geometric mean of several loss curves where all are known.
fn averaged(curves: &[Vec<(u64, f64)>]) -> Vec<(f64, f64)> {
    let longest = curves.iter().max_by_key(|c| c.len());
    let Some(longest) = longest else {
        return Vec::new();
    };
    (0..longest.len())
        .map(|i| {
            // A run that ended early stays at its last loss.
            let held = curves.iter().filter_map(|c| c.get(i).or(c.last()));
            let logs: Vec<f64> = held.map(|p| real::ln(p.1.max(1e-12))).collect();
            (longest[i].0 as f64, real::exp(logs.iter().sum::<f64>() / logs.len().max(1) as f64))
        })
        .collect()
}

pub(super) fn raw_graph_loss(sources: &Sources) -> Result<Drawing, DrawError> {
    let record = sources.networks(STUDY)?;
    let arms = ["dense", "graph", "layerized"];
    let (mut panels, mut drawn) = (Vec::new(), 0);
    for target in record.targets() {
        let mut series = Vec::new();
        for arm in arms {
            let curves: Vec<Vec<(u64, f64)>> = data::rows(&record, target, Networks::of(arm, 0))
                .filter_map(|row| row.result.as_ref()?.train.as_ref())
                .map(|train| train.curve.by_steps().collect::<Vec<_>>())
                .filter(|curve| !curve.is_empty())
                .collect();
            let (label, colour, _) = look(arm);
            drawn += curves.len();
            if !curves.is_empty() {
                series.push(Series::line(label, colour, averaged(&curves)));
            }
        }
        panels.push(Panel::Plot(Plot {
            frame: Frame::new(spoken(target)),
            x: Axis::new("step"),
            y: Axis::new("loss").unit("MSE").log(),
            series,
            ..Plot::default()
        }));
    }
    some(vec![(); drawn], STUDY, "loss curves of trained networks")?;
    let columns = panels.len().clamp(1, 4);
    let rows = panels.len().div_ceil(columns) as u32;
    let shares = arms.map(|arm| {
        let (fit, asked) = data::learned(&record, Networks::of(arm, 0));
        let share = percent(fit as f64 / asked.max(1) as f64, 0);
        format!("{} {share} ({fit} of {asked})", look(arm).0)
    });
    let svg = grid(&Grid {
        frame: Frame::new(
            "Training the raw evolved graph, its links in layers, and the dense twin",
        )
        .subtitle(what(&record))
        .note("Geometric means over seeds, whether they learned the picture or not.")
        .sized(1000, 130 + 260 * rows),
        columns,
        panels,
        share_x: true,
        share_y: true,
    });
    let says = format!("Learned their picture (R² ≥ 0.95): {}.", shares.join(", "));
    Ok(Drawing { svg, says })
}

/// A row of a board for a network whose pictures were kept.
pub(super) fn tiles_or_blank(tiles: Vec<Option<Tile>>, columns: usize) -> Vec<Option<Tile>> {
    let mut tiles = tiles;
    tiles.resize_with(columns, || None);
    tiles
}
