//! Evolved networks, their dense twins, and the evolved wiring trained from random weights.

use super::board::{Block, Board, Row, sweep, verdicts};
use super::data::{self, Group as Networks, Value, cell, fit_score, look, spoken, what};
use super::pictures::{self, Pictured, pictured};
use super::{DrawError, Drawing, Sources, some};
use picloom::experiment::networks::record::NetworkRow;
use picloom::figures::axis::Axis;
use picloom::figures::charts::{Frame, Plot, Point, Series, plot};
use picloom::figures::drawers::{Multiples, Spread, course, geometric_mean, panel};
use picloom::figures::style::{self, Colour, percent};
use picloom::math::stats::mean;

const STUDY: &str = "wirings";

/// Score of evolved weights, shaken and trained on, by how much they were shaken.
pub(super) fn basin(sources: &Sources) -> Result<Drawing, DrawError> {
    let record = sources.networks(STUDY)?;
    let arms = some(record.noisy(), STUDY, "arms that start from evolved weights with noise")?;
    let ticks = (0..).zip(&arms).map(|(i, arm)| (f64::from(i), format!("{}", arm.0)));
    let ticks: Vec<(f64, String)> = ticks.collect();
    let mut series: Vec<Series> = Vec::new();
    // Less the same target's evolved network: other targets are learned at every noise.
    let less_evolved = |target: &str, arm: &str| {
        let of = |arm| mean(&cell(&record, target, Networks::of(arm, 0), fit_score).fit).ok();
        Some(of(arm)? - of("evolved")?)
    };
    for target in record.targets() {
        let points = (0..)
            .zip(&arms)
            .map(|(i, arm)| (f64::from(i), less_evolved(target, arm.1).unwrap_or(f64::NAN)));
        let pale = Colour::mix(style::GREY, style::PAPER, 0.45);
        series.push(Series { width: 1.0, ..Series::line("", pale, points) });
    }
    let means = (0..).zip(&arms).filter_map(|(i, arm)| {
        let all = record.targets().into_iter().filter_map(|target| less_evolved(target, arm.1));
        Some((f64::from(i), data::estimate(&all.collect::<Vec<f64>>())?))
    });
    let (_, colour, marker) = look("layerized");
    series.extend(course(("mean over targets".into(), colour, marker), means, Spread::Band));
    let learned = arms.iter().map(|arm| {
        let (fit, asked) = data::learned(&record, Networks::of(arm.1, 0));
        format!("{} {fit} of {asked}", arm.0)
    });
    let says = format!("Learned their picture: {}.", learned.collect::<Vec<_>>().join(", "));
    let chart = Plot {
        frame: Frame::new("How wide is the basin of an evolved network?")
            .subtitle(what(&record))
            .note("Evolved weights plus normal noise, trained on by the recipe; score less that of the evolved network. Thin lines: one target each, seeds that learned the picture (R² ≥ 0.95) averaged. Marked: mean over the targets that were learned with so much noise, with a 95 % t-interval (rings: targets, if three or fewer).")
            .sized(760, 520),
        x: Axis::new("noise, in root mean squares of the evolved weights").names(ticks),
        y: Axis::new("score − evolved").range(-0.5, 0.5),
        series,
        ..Plot::default()
    };
    Ok(Drawing { svg: plot(&chart), says })
}

/// Changed weights shown of each network.
const CHANGES: usize = 8;

/// A similarity-pruned network of the same target, where another study kept pictures of one and they lie
/// beside its record.
fn pruned_elsewhere(sources: &Sources, target: &str, maps: bool) -> Option<Pictured> {
    let found =
        ["pruning", "depth"].map(|study| pictured(sources, study, target, Networks::of("sp", 1)));
    found.into_iter().flatten().find(|one| {
        let there = sources.folder().join(one.study).join(&one.views.sweep).exists();
        there && (!maps || one.views.maps.is_some())
    })
}

pub(super) fn perturbation_sheets(sources: &Sources) -> Result<Drawing, DrawError> {
    const ARMS: [&str; 4] = ["evolved", "dense", "graph", "layerized"];
    let record = sources.networks(STUDY)?;
    let (mut blocks, mut counted) = (Vec::new(), Vec::<(String, bool)>::new());
    let mut without: Vec<String> = Vec::new();
    for target in record.targets() {
        let own =
            ARMS.iter().filter_map(|arm| pictured(sources, STUDY, target, Networks::of(arm, 0)));
        let mut networks: Vec<Pictured> = own.collect();
        if networks.is_empty() {
            without.push(spoken(target));
            continue;
        }
        networks.extend(pruned_elsewhere(sources, target, false));
        let mut rows = Vec::new();
        for one in networks {
            let tiles = sweep(sources, one.study, &one.views, CHANGES)?;
            counted.extend(one.views.changes.iter().map(|c| (one.arm.clone(), c.coherent)));
            rows.push(Row { label: one.label, sub: one.facts, tone: Some(one.tone), tiles });
        }
        blocks.push(Block { heading: spoken(target), rows });
    }
    let blocks = some(blocks, STUDY, "pictures of changed weights (views)")?;
    let svg = Board {
        title: "One weight changed at a time".into(),
        subtitle: what(&record),
        note: format!(
            "First the network's own picture, then its picture with one weight changed so far that the picture changes by an RMSE of {}; weights of all layers, first layer first. First seed of each arm.{}",
            style::number(record.effect, 2),
            match without.is_empty() {
                true => String::new(),
                false => format!(" No pictures are kept of {}.", without.join(", ")),
            }
        ),
        legend: verdicts(),
        heads: vec![(0, 1, "draws".into()), (1, CHANGES, "one weight changed".into())],
        blocks,
        pane: 50.0,
        apart: vec![1],
    }
    .draw();
    let mut parts: Vec<String> = Vec::new();
    for arm in ARMS.into_iter().chain(["sp"]) {
        let all: Vec<bool> = counted.iter().filter(|c| c.0 == arm).map(|c| c.1).collect();
        if !all.is_empty() {
            let good = all.iter().filter(|coherent| **coherent).count();
            parts.push(format!("{} {good} of {}", look(arm).0, all.len()));
        }
    }
    let says = format!("Coherent among the changes kept as pictures: {}.", parts.join(", "));
    Ok(Drawing { svg, says })
}

pub(super) fn feature_maps(sources: &Sources) -> Result<Drawing, DrawError> {
    let record = sources.networks(STUDY)?;
    pictures::maps(sources, &record, "Maps of the units, layer by layer", 3, &|target| {
        let own =
            ["evolved", "dense"].map(|arm| pictured(sources, STUDY, target, Networks::of(arm, 0)));
        own.into_iter().flatten().chain(pruned_elsewhere(sources, target, true)).collect()
    })
}

pub(super) fn decodable_against_organised(sources: &Sources) -> Result<Drawing, DrawError> {
    const ARMS: [&str; 2] = ["evolved", "dense"];
    let record = sources.networks(STUDY)?;
    // As the claim: from as many components of every network, where the record has them.
    let has =
        |r: &NetworkRow| r.result.as_ref().is_some_and(|r| r.measures.decoded_components.is_some());
    let (from, decoded): (&str, Value) = match record.rows.iter().any(has) {
        true => ("the first 8 principal components of all hidden maps", |r| {
            r.measures.decoded_components.filter(|_| r.fit)
        }),
        false => ("the last hidden layer", |r| r.measures.decoded.filter(|_| r.fit)),
    };
    // (decoded, score) of both networks of a target.
    let ends = |target: &str| {
        ARMS.map(|arm| {
            let of = |value| mean(&cell(&record, target, Networks::of(arm, 0), value).fit).ok();
            of(decoded).zip(of(fit_score))
        })
    };
    let points: Vec<_> = record.targets().into_iter().map(|t| (t, ends(t))).collect();
    let joined = points.iter().filter_map(|(_, [a, b])| a.zip(*b));
    let mut series: Vec<Series> = joined
        .map(|(a, b)| Series { width: 1.4, ..Series::line("", Colour(190, 195, 202), [a, b]) })
        .collect();
    for (k, arm) in ARMS.into_iter().enumerate() {
        let (label, colour, marker) = look(arm);
        let cloud = points.iter().filter_map(|(target, ends)| {
            ends[k].map(|(x, y)| Point::new(x, y).label(spoken(target)))
        });
        series.push(Series::cloud(label, colour, marker, cloud));
    }
    let any = series.iter().any(|s| !s.points.is_empty());
    some(vec![(); usize::from(any)], STUDY, "fit networks with decoded attributes")?;
    let pair = [ARMS.map(|arm| Networks::of(arm, 0)).into()];
    let on_average =
        |name: &str, value| data::on_average(name, &data::differences(&record, &pair, value));
    let says = format!(
        "{}; {}.",
        on_average("decoded R², evolved − dense", decoded),
        on_average("score, evolved − dense", fit_score)
    );
    let svg = plot(&Plot {
        frame: Frame::new("Equally decodable, unequally organised?")
            .subtitle(what(&record))
            .note(format!("One mark a target and arm: mean over the seeds that learned the picture; lines join the two networks of a target. Decoded: held-out R² of ridge probes from {from} to attributes of the picture, mean over attributes."))
            .sized(860, 600),
        x: Axis::new("decoded attributes").unit("held-out R²"),
        y: Axis::new("compositional score").range(0.0, 1.0),
        series,
        ..Plot::default()
    });
    Ok(Drawing { svg, says })
}

pub(super) fn raw_graph_loss(sources: &Sources) -> Result<Drawing, DrawError> {
    let record = sources.networks(STUDY)?;
    let arms = ["dense", "graph", "layerized"];
    let (mut panels, mut drawn) = (Vec::new(), 0);
    for target in record.targets() {
        let mut series = Vec::new();
        for arm in arms {
            let trained = data::rows(&record, target, Networks::of(arm, 0))
                .filter_map(|row| row.result.as_ref()?.train.as_ref());
            let curves: Vec<Vec<(u64, f64)>> = trained
                .map(|train| train.curve.by_steps().collect::<Vec<_>>())
                .filter(|curve| !curve.is_empty())
                .collect();
            let (label, colour, _) = look(arm);
            drawn += curves.len();
            if !curves.is_empty() {
                series.push(Series::line(label, colour, geometric_mean(&curves)));
            }
        }
        let y = Axis::new("loss").unit("MSE").log();
        panels.push(panel(spoken(target), Axis::new("step"), y, series));
    }
    some(vec![(); drawn], STUDY, "loss curves of trained networks")?;
    let shares = arms.map(|arm| {
        let (fit, asked) = data::learned(&record, Networks::of(arm, 0));
        let share = percent(fit as f64 / asked.max(1) as f64, 0);
        format!("{} {share} ({fit} of {asked})", look(arm).0)
    });
    let frame =
        Frame::new("Training the raw evolved graph, its links in layers, and the dense twin")
            .subtitle(what(&record))
            .note("Geometric means over seeds, whether they learned the picture or not.");
    let size = Multiples { columns: 4, width: 1000, height: (130, 260), share: (true, true) };
    let says = format!("Learned their picture (R² ≥ 0.95): {}.", shares.join(", "));
    Ok(Drawing { svg: size.draw(frame, panels), says })
}
