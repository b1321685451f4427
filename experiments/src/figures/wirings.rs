//! Evolved networks, their dense twins, and the evolved wiring trained from random weights.

use super::data::Group as Networks;
use super::data::{self, look, spoken, what};
use super::pictures::{self, ChangeSheet, Pictured, pictured};
use super::{DrawError, Drawing, Sources, some};
use picloom::figures::axis::Axis;
use picloom::figures::charts::{Figure, Panel, Series};
use picloom::figures::plot::geometric_mean;
use picloom::figures::style::{self, percent};

const STUDY: &str = "wirings";

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
    let networks = |target: &str| -> Vec<Pictured> {
        let own = |arm: &&str| pictured(sources, STUDY, target, Networks::of(arm, 0));
        let mut networks: Vec<Pictured> = ARMS.iter().filter_map(own).collect();
        if !networks.is_empty() {
            networks.extend(pruned_elsewhere(sources, target, false));
        }
        networks
    };
    let kept: Vec<_> = record.targets().into_iter().map(|t| (t, networks(t))).collect();
    let without = kept.iter().filter(|one| one.1.is_empty()).map(|one| spoken(one.0));
    let without: Vec<String> = without.collect();
    let without = match without.is_empty() {
        true => String::new(),
        false => format!(" No pictures are kept of {}.", without.join(", ")),
    };
    let sheet = ChangeSheet {
        title: "One weight changed at a time",
        note: format!(
            "First the network's own picture, then its picture with one weight changed so far that the picture changes by an RMSE of {}; weights of all layers, first layer first. First seed of each arm.{without}",
            style::number(record.effect, 2)
        ),
        head: "draws",
        changes: 8,
        pane: 50,
        before: None,
    };
    let drawing = sheet.draw(sources, &record, &networks)?;
    let mut parts: Vec<String> = Vec::new();
    for arm in ARMS.into_iter().chain(["sp"]) {
        let own = kept.iter().flat_map(|one| &one.1).filter(|one| one.arm == arm);
        let all: Vec<bool> =
            own.flat_map(|one| one.views.changes.iter().map(|c| c.clean)).collect();
        if !all.is_empty() {
            let good = all.iter().filter(|clean| **clean).count();
            parts.push(format!("{} {good} of {}", look(arm).0, all.len()));
        }
    }
    let says = format!("Clean among the changes kept as pictures: {}.", parts.join(", "));
    Ok(Drawing { says, ..drawing })
}

pub(super) fn feature_maps(sources: &Sources) -> Result<Drawing, DrawError> {
    let record = sources.networks(STUDY)?;
    pictures::maps(sources, &record, "Maps of the units, layer by layer", 3, &|target| {
        let own =
            ["evolved", "dense"].map(|arm| pictured(sources, STUDY, target, Networks::of(arm, 0)));
        own.into_iter().flatten().chain(pruned_elsewhere(sources, target, true)).collect()
    })
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
        let y = Axis::new("loss (MSE)").log();
        panels.push(Panel::new(spoken(target), Axis::new("step"), y, series));
    }
    some(vec![(); drawn], STUDY, "loss curves of trained networks")?;
    let shares = arms.map(|arm| {
        let (fit, asked) = data::learned(&record, Networks::of(arm, 0));
        let share = percent(fit as f64 / asked.max(1) as f64, 0);
        format!("{} {share} ({fit} of {asked})", look(arm).0)
    });
    let figure =
        Figure::new("Training the raw evolved graph, its links in layers, and the dense twin")
            .subtitle(what(&record))
            .note("Geometric means over seeds, whether they learned the picture or not.")
            .multiples(4, 1000, 190)
            .shared(true, true);
    let says = format!("Learned their picture (R² ≥ 0.95): {}.", shares.join(", "));
    Ok(Drawing { svg: figure.draw(&panels), says })
}
