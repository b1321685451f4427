//! Figures of the structural study, drawn from its record.

use super::data::{distinct, estimate, hollow};
use super::theory::looks;
use super::{DrawError, some};
use crate::measures::structural::MaskConfig;
use crate::structural::arm as networks;
use crate::structural::findings::{at_every_penalty, of_arm, sp_against};
use crate::structural::{ArmOutcome, PartOutcome, StructuralRecord, arm_at, penalties};
use picloom::figures::axis::Axis;
use picloom::figures::charts::{Dots, Figure, Group, Panel, Point, Rule, Series, Spread};
use picloom::figures::style::{self, Arm, Colour, Marker, PALETTE};

const ARMS: [&str; 4] = ["evolved", "dense", "magnitude", "sp"];

fn present(record: &StructuralRecord) -> Vec<&'static Arm> {
    looks(ARMS.into_iter().filter(|name| networks(record, name).next().is_some()))
}

/// Mean over the parts of a network.
fn over_parts(arm: &ArmOutcome, value: impl Fn(&PartOutcome) -> f64) -> f64 {
    arm.parts.iter().map(value).sum::<f64>() / arm.parts.len().max(1) as f64
}

const SUB: Colour = PALETTE[0];
const ABL: Colour = PALETTE[1];
const LEARNED: Colour = PALETTE[5];
const RANDOM: Colour = PALETTE[10];

pub(super) fn by_arm(record: &StructuralRecord) -> Result<String, DrawError> {
    let arms = present(record);
    let fit = |arm: &Arm, value: &dyn Fn(&ArmOutcome) -> f64| -> Vec<f64> {
        let all = networks(record, arm.key).filter(|(_, a)| a.fit());
        all.map(|(_, a)| value(a)).collect()
    };
    let groups = |values: &[&dyn Fn(&ArmOutcome) -> f64]| -> Vec<Group> {
        arms.iter()
            .map(|arm| Group {
                name: arm.short.to_string(),
                estimates: values.iter().map(|v| estimate(&fit(arm, v))).collect(),
            })
            .collect()
    };
    let counts: Vec<String> = arms
        .iter()
        .map(|arm| {
            let all = networks(record, arm.key).count();
            let fit = networks(record, arm.key).filter(|(_, a)| a.fit()).count();
            format!("{} {fit} of {all}", arm.short)
        })
        .collect();
    let dense = of_arm(record, "dense");
    let pair = sp_against(record, "dense");
    let said = |found: &crate::finding::Finding, what: &str| {
        found.interval.map_or(String::new(), |i| {
            format!(
                " {what} {}: {}.",
                style::interval(i.estimate, i.low, i.high, 2),
                found.verdict.text()
            )
        })
    };
    let accuracy = Dots {
        title: "accuracy on the part minus on the others".into(),
        value: Axis::new("D"),
        series: vec![
            ("D_sub: part's subnetwork".into(), SUB, Marker::Circle),
            ("D_abl: network without it".into(), ABL, Marker::Square),
        ],
        groups: groups(&[&|a| over_parts(a, |p| p.d_sub), &|a| over_parts(a, |p| p.d_abl)]),
        bars: true,
        ..Dots::default()
    };
    let sc = Dots {
        title: "SC = mean (D_sub − D_abl)/2".into(),
        value: Axis::new("SC"),
        series: vec![
            ("learned masks".into(), LEARNED, Marker::Diamond),
            ("random masks, same counts".into(), RANDOM, Marker::Cross),
        ],
        groups: groups(&[&|a| a.sc, &|a| a.control]),
        bars: true,
        ..Dots::default()
    };
    Ok(Figure::new("Do parts of a picture live in subnetworks of their own?")
            .subtitle("A mask is learned that draws one part alone (Sub); the network without it should draw the others (Abl)")
            .note(format!(
                "Rings: one network (target, seed), mean over its parts; whiskers: 95 % intervals (Student). Only networks with R² ≥ 0.95: {}.{}{}",
                counts.join(", "),
                said(&dense, "Dense: SC − random, and most parts with D_sub > 0 and D_abl < 0 (C13):"),
                said(&pair, "SP more separable than dense, paired difference:")
            ))
            .multiples(2, 1000, 310)
            .draw(&[accuracy.panel(), sc.panel()]))
}

pub(super) fn by_part(record: &StructuralRecord) -> Result<String, DrawError> {
    let arms = present(record);
    let targets = distinct(record.rows.iter().map(|row| row.target.as_str()));
    let panels: Vec<Panel> = targets
        .iter()
        .map(|target| {
            let own = |arm: &Arm| -> Vec<&ArmOutcome> {
                let all = networks(record, arm.key).filter(|(row, _)| row.target == *target);
                all.map(|(_, a)| a).collect()
            };
            let names: Vec<&str> = arms
                .iter()
                .flat_map(|arm| own(arm))
                .next()
                .map_or(Vec::new(), |a| a.parts.iter().map(|p| p.part.as_str()).collect());
            let groups = names
                .iter()
                .enumerate()
                .map(|(k, name)| Group {
                    name: name.to_string(),
                    estimates: arms
                        .iter()
                        .map(|arm| {
                            let networks = own(arm);
                            let part = |a: &ArmOutcome| {
                                let p = &a.parts[k];
                                (p.d_sub - p.d_abl) / 2.0 - p.control
                            };
                            let fit: Vec<f64> =
                                networks.iter().filter(|a| a.fit()).map(|a| part(a)).collect();
                            let all: Vec<f64> = networks.iter().map(|a| part(a)).collect();
                            // Without whiskers: their units are parts, not networks.
                            match fit.is_empty() {
                                true => hollow(&all),
                                false => estimate(&fit).map(|e| Point { y_interval: None, ..e }),
                            }
                        })
                        .collect(),
                })
                .collect();
            let dots = Dots {
                title: target.to_string(),
                value: Axis::new("SC − random").range(-0.5, 1.0),
                series: Dots::arms(arms.iter().copied()),
                groups,
                rules: vec![Rule::new(0.0, "")],
                ..Dots::default()
            };
            dots.panel()
        })
        .collect();
    let figure = Figure::new("Structural compositionality, part by part")
        .subtitle("(D_sub − D_abl)/2 minus that of random masks with as many links in every layer; above 0: more separable than chance")
        .note("Mean over seeds; small rings: seeds. Hollow: no network of that arm reached R² ≥ 0.95, so it is shown and not counted. “evolved …”: the picture is what the evolved genome draws, parts by the drawing it was evolved for.");
    Ok(figure.multiples(4, 1240, 240).shared(false, true).draw(&panels))
}

/// A number of a part of an arm.
type OfPart = fn(&PartOutcome, &ArmOutcome) -> f64;

/// The quantities drawn against the penalty, with their units: mean over a network's parts.
const BY_PENALTY: [(&str, &str, OfPart); 4] = [
    ("D_sub: part's subnetwork", "D_sub", |p, _| p.d_sub),
    ("D_abl: network without it", "D_abl", |p, _| p.d_abl),
    ("parts with D_sub > 0 and D_abl < 0", "share", |p, _| {
        f64::from(u8::from(p.is_compositional()))
    }),
    ("links in a part's mask", "share of the network's", |p, a| p.kept as f64 / a.kept as f64),
];

pub(super) fn by_penalty(record: &StructuralRecord) -> Result<String, DrawError> {
    let others = some(penalties(record), "structural", "masks learned at several penalties")?;
    let own = record.note::<MaskConfig>("mask").unwrap_or_default().penalty;
    let mut at: Vec<(f64, Option<f64>)> =
        others.into_iter().map(|p| (p, Some(p))).chain([(own, None)]).collect();
    at.sort_by(|a, b| a.0.total_cmp(&b.0));
    let ticks: Vec<(f64, String)> =
        (0..).zip(&at).map(|(i, p)| (f64::from(i), p.0.to_string())).collect();
    let panels = BY_PENALTY.iter().map(|(title, unit, of)| {
        let series = present(record).into_iter().map(|arm| {
            let points = (0..).zip(&at).filter_map(|(i, (_, penalty))| {
                let fit = arm_at(record, arm.key, *penalty).filter(|(_, a)| a.fit());
                let values: Vec<f64> = fit.map(|(_, a)| over_parts(a, |p| of(p, a))).collect();
                Some((f64::from(i), estimate(&values)?))
            });
            Series::course((arm.short.into(), arm.colour, arm.marker), points, Spread::Whiskers)
        });
        let x = Axis::new("penalty λ").named(ticks.clone());
        Panel::new(*title, x, Axis::new(*unit).include(0.0), series.collect())
    });
    let decided = at_every_penalty(record);
    let other = decided.notes.last().filter(|note| note.contains('λ'));
    let figure = Figure::new("Does it depend on how small the masks are made?")
        .subtitle("The masks of every part learned anew under other penalties on the links they hold")
        .note(format!(
            "Mean over networks (target, seed) with R² ≥ 0.95, of means over their parts; whiskers: 95 % intervals (Student). The study's own λ is {}. C13: {}{}.",
            own,
            decided.verdict.text(),
            other.map_or(String::new(), |note| format!(", {note}"))
        ));
    let panels: Vec<Panel> = panels.collect();
    Ok(figure.multiples(2, 1000, 195).shared(true, false).draw(&panels))
}
