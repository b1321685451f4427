//! Flatness, noise and norm at equal fit, against dense networks.

use super::data::{estimate, look, what};
use super::{DrawError, Drawing, Sources, some};
use crate::measures::mechanisms::Mechanisms;
use picloom::base::real;
use picloom::base::stats::mean;
use picloom::experiment::networks::record::{NetworkRow, NetworksRecord};
use picloom::figures::axis::Axis;
use picloom::figures::charts::{Figure, Panel, Series, Spread};

const STUDY: &str = "mechanisms";

/// A number of a network.
type Measure = fn(&Mechanisms) -> f64;

/// The measures that are compared, with their names for people.
const MEASURES: [(&str, Measure); 5] = [
    ("sharpness", |m| m.sharpness),
    ("trace of the Hessian", |m| m.hessian_trace),
    ("variance of pixels' gradients", |m| m.gradient_variance),
    ("squared norm", |m| m.norm),
    ("PAC-Bayes bound, √(norm · trace)", Mechanisms::pac_bayes),
];

/// Networks that are compared with dense ones: arm, level, name, and the arm whose colour they have.
const COMPARED: [(&str, usize, &str, &str); 3] = [
    ("sp", 2, "SP at a quarter", "sp"),
    ("layer-counts", 2, "its counts at random", "sp-layer-counts"),
    ("noise-40", 0, "evolved, shaken", "evolved"),
];

/// log₂ of a measure over that of the dense network of the same target and seed, where both first reached
/// `level`; a target's seeds averaged.
fn ratios(
    record: &NetworksRecord,
    (arm, pruned): (&str, usize),
    level: f64,
    of: Measure,
) -> Vec<f64> {
    let at = |row: &NetworkRow| {
        let reached = &row.result.as_ref()?.reached;
        let there = reached.iter().find(|at| at.level == level)?;
        // A curvature may come out below 0 by its error: then there is no ratio.
        Some(of(&Mechanisms::of_record(&there.mechanisms))).filter(|value| *value > 0.0)
    };
    let find = |target: &str, arm: &str, pruned: usize, seed: Option<u64>| {
        record.rows.iter().find(|row| {
            row.target == target && row.arm == arm && row.level == pruned && row.seed == seed
        })
    };
    let of_target = |target: &str| {
        let own = record.rows.iter().filter(|r| r.target == target && r.arm == arm);
        let found: Vec<f64> = own
            .filter(|row| row.level == pruned)
            .filter_map(|row| {
                let dense = at(find(target, "dense", 0, row.seed)?)?;
                Some(real::ln(at(row)? / dense) / std::f64::consts::LN_2)
            })
            .collect();
        mean(&found).ok()
    };
    record.targets().into_iter().filter_map(of_target).collect()
}

pub(super) fn against_dense(sources: &Sources) -> Result<Drawing, DrawError> {
    let record = sources.networks(STUDY)?;
    let ticks: Vec<(f64, String)> = (0..)
        .zip(&record.checkpoints)
        .map(|(i, level)| (f64::from(i), format!("{level:.2}")))
        .collect();
    let (mut panels, mut says) = (Vec::new(), Vec::new());
    for (name, of) in MEASURES {
        let mut series = Vec::new();
        for (beside, (arm, pruned, label, like)) in [-0.1, 0.0, 0.1].into_iter().zip(COMPARED) {
            let (_, colour, marker) = look(like);
            let points = (0..).zip(&record.checkpoints).filter_map(|(i, &level)| {
                let values = ratios(&record, (arm, pruned), level, of);
                Some((f64::from(i) + beside, estimate(&values)?))
            });
            let points: Vec<_> = points.collect();
            if let Some((i, last)) = points.last() {
                let level = record.checkpoints[i.round() as usize];
                says.push(format!("{name}, {label}: ×{:.2} at {level:.2}", exp2(last.y)));
            }
            series.push(Series::course((label.into(), colour, marker), points, Spread::Whiskers));
        }
        let x = Axis::new("R² first reached")
            .named(ticks.clone())
            .range(-0.3, ticks.len() as f64 - 0.7);
        let y = Axis::new("log₂ of the ratio to dense").include(0.0);
        panels.push(Panel::new(name, x, y, series));
    }
    some(says.clone(), STUDY, "networks measured on their way")?;
    let figure = Figure::new("What gradient descent feels, at equal fit")
        .subtitle(what(&record))
        .note("Each network against the dense one of the same target and seed where both first reached an R²; mean over targets with 95 % t-intervals, of fewer than four targets each instead. 0: as the dense network.");
    let says = format!("Ratios to dense networks: {}.", says.join("; "));
    Ok(Drawing { svg: figure.multiples(2, 1000, 195).shared(true, false).draw(&panels), says })
}

fn exp2(log: f64) -> f64 {
    real::exp(log * std::f64::consts::LN_2)
}
