//! Training loss and score by optimizer, and Muon by its Newton–Schulz steps.

use super::data::{Group as Networks, distinct};
use super::pictures::{ChangeSheet, OWN_FIRST, pictured};
use super::{DrawError, Drawing, Sources};
use crate::training::newton_schulz::muon_arm;
use crate::training::{RunRow, TrainingRecord};
use picloom::experiment::curve::Curve;
use picloom::figures::axis::Axis;
use picloom::figures::charts::{Figure, Panel, Series};
use picloom::figures::plot::geometric_mean;
use picloom::figures::style::{Colour, PALETTE, number, superscript};
use picloom::train::StopReason;

/// Name in records, label, colour, broken line: the optimizers in the order of every figure.
const OPTIMIZERS: [(&str, &str, Colour, bool); 8] = [
    ("sgd", "SGD", PALETTE[10], false),
    ("rmsprop", "RMSprop", PALETTE[3], false),
    ("adam", "Adam", PALETTE[0], false),
    ("adamw", "AdamW", PALETTE[4], true),
    ("sam", "SAM", PALETTE[1], false),
    ("lion", "Lion", PALETTE[2], false),
    ("muon", "Muon", PALETTE[5], false),
    ("lbfgs", "L-BFGS", PALETTE[11], true),
];

const SCORES: &str = "optimizer_scores";
/// Pruned networks of each optimizer.
const PRUNED: [&str; 3] = ["sp", "sp-muon", "sp-muon-20"];

/// Draws the pictures of SP's networks of three optimizers, unchanged and with one weight changed.
pub(super) fn pictures(sources: &Sources) -> Result<Drawing, DrawError> {
    let record = sources.networks(SCORES)?;
    let title = "Three optimizers: what SP's networks draw with one weight changed";
    let note = "About a quarter of the links, trained and retrained by the same optimizer.";
    let sheet = ChangeSheet { title, note: format!("{note}{OWN_FIRST}"), ..ChangeSheet::default() };
    sheet.draw(sources, &record, &|target| {
        let of = |arm: &str| pictured(sources, SCORES, target, Networks::of(arm, 1));
        PRUNED.into_iter().filter_map(of).collect()
    })
}

/// The panels of a loss figure.
struct Panels<'a> {
    record: &'a TrainingRecord,
    targets: Vec<&'a str>,
    rates: Vec<f64>,
}

impl<'a> Panels<'a> {
    fn of(record: &'a TrainingRecord) -> Self {
        let targets = distinct(record.rows.iter().map(|row| row.target.as_str()));
        let rates = distinct(record.rows.iter().filter_map(|row| row.lr));
        Panels { record, targets, rates }
    }

    /// The curves of one arm in one panel; an arm without a rate is in every panel.
    fn curves(&self, target: &str, lr: f64, arm: &dyn Fn(&RunRow) -> bool) -> Vec<&'a Curve> {
        self.record
            .rows
            .iter()
            .filter(|row| row.target == target && row.lr.is_none_or(|r| r == lr) && arm(row))
            .filter_map(|row| row.result.as_ref().map(|result| &result.curve))
            .collect()
    }

    /// The longest run, in steps.
    fn steps(&self) -> f64 {
        let results = self.record.rows.iter().filter_map(|row| row.result.as_ref());
        results.map(|r| r.steps).max().unwrap_or(1) as f64
    }

    /// Rows of targets, columns of rates.
    fn grid(&self, figure: Figure, x: &Axis, series: &dyn Fn(&str, f64) -> Vec<Series>) -> String {
        let mut panels = Vec::new();
        for target in &self.targets {
            for &lr in &self.rates {
                let title = format!("{target}, rate {}", rate(lr));
                let y = Axis::new("loss (MSE)").log();
                panels.push(Panel::new(title, x.clone(), y, series(target, lr)));
            }
        }
        figure.multiples(self.rates.len(), 1200, 230).shared(true, true).draw(&panels)
    }

    fn seeds(&self) -> String {
        let mut seeds: Vec<u64> = self.record.rows.iter().map(|row| row.seed).collect();
        seeds.sort_unstable();
        seeds.dedup();
        match seeds.len() {
            1 => "One seed".into(),
            n => format!("Geometric means over {n} seeds"),
        }
    }

    fn what(&self) -> String {
        let size: usize = self.record.note("size").unwrap_or_default();
        format!(
            "{size}² pixels, {} steps, dense networks, normalised gradients; the arms of a seed begin from the same weights, until one collapses",
            number(self.steps(), 6)
        )
    }

    /// How many runs did not keep the shared initial weights, of those shown.
    fn restarts(&self, shown: &dyn Fn(&RunRow) -> bool) -> String {
        let rows = self.record.rows.iter().filter(|row| shown(row));
        let results: Vec<_> = rows.filter_map(|row| row.result.as_ref()).collect();
        let again = results.iter().filter(|r| r.began_again()).count();
        let never = results.iter().filter(|r| r.reason == StopReason::Collapsed);
        match (again, never.count()) {
            (0, 0) => "No run collapsed.".into(),
            (again, never) => format!(
                "{again} of {} runs collapsed into one colour and began again from other weights; {}.",
                results.len(),
                match never {
                    0 => "none ended so".into(),
                    never => format!("{never} ended so, and stay in the mean at their last loss"),
                }
            ),
        }
    }
}

fn averaged(curves: &[&Curve], by_evaluations: bool) -> Vec<(f64, f64)> {
    let points = |curve: &&Curve| match by_evaluations {
        true => curve.by_evaluations().collect(),
        false => curve.by_steps().collect(),
    };
    geometric_mean(&curves.iter().map(points).collect::<Vec<_>>())
}

/// A learning rate: `5·10⁻³`.
fn rate(lr: f64) -> String {
    let text = format!("{lr:e}");
    let (mantissa, power) = text.split_once('e').expect("{:e} writes an e");
    let power = superscript(power.parse().expect("{:e} writes an integer power"));
    match mantissa {
        "1" => format!("10{power}"),
        _ => format!("{mantissa}·10{power}"),
    }
}

fn line(name: &str, colour: Colour, broken: bool, points: Vec<(f64, f64)>) -> Series {
    let series = Series { width: 2.0, ..Series::line(name, colour, points) };
    if broken { series.dashed() } else { series }
}

pub(super) fn optimizer_loss(record: &TrainingRecord, by_evaluations: bool) -> String {
    let panels = Panels::of(record);
    let (title, x) = if by_evaluations {
        (
            "Training loss by optimizer, against gradient evaluations",
            // SAM's second half lies beyond the budget of the others.
            Axis::new("gradient evaluations").range(0.0, panels.steps()),
        )
    } else {
        ("Training loss by optimizer", Axis::new("step"))
    };
    let figure = Figure::new(title).subtitle(panels.what()).note(format!(
        "{}. L-BFGS has no learning rate: it is the same line in every panel of a row. {}{}",
        panels.seeds(),
        panels.restarts(&|row| OPTIMIZERS.iter().any(|o| o.0 == row.optimizer)),
        if by_evaluations {
            " SAM takes two evaluations a step. Evaluations of attempts that collapsed count: a line begins where, on average, the last attempts do, and one that begins later counts until then with its first loss."
        } else {
            ""
        }
    ));
    panels.grid(figure, &x, &|target, lr| {
        OPTIMIZERS
            .iter()
            .map(|&(name, label, colour, broken)| {
                let curves = panels.curves(target, lr, &|row| row.optimizer == name);
                line(label, colour, broken, averaged(&curves, by_evaluations))
            })
            .filter(|series| !series.points.is_empty())
            .collect()
    })
}

/// The Newton–Schulz arms of a record in order, the exact polar factor last.
fn muon_arms(record: &TrainingRecord) -> Vec<(Option<usize>, String, Colour)> {
    let mut steps: Vec<usize> =
        record.rows.iter().filter_map(|row| muon_arm(row).flatten()).collect();
    steps.sort_unstable();
    steps.dedup();
    let last = steps.len().saturating_sub(1).max(1) as f64;
    let (pale, dark) = (Colour(170, 204, 236), Colour(8, 48, 107));
    let named = steps.iter().enumerate().map(|(i, &n)| {
        let plural = if n == 1 { "step" } else { "steps" };
        (Some(n), format!("{n} {plural}"), pale.mix(dark, i as f64 / last))
    });
    let exact = (None, "exact polar".to_string(), PALETTE[1]);
    named.chain([exact]).collect()
}

pub(super) fn muon_loss(record: &TrainingRecord) -> String {
    let panels = Panels::of(record);
    let figure = Figure::new("Muon's training loss by Newton–Schulz steps")
        .subtitle(panels.what())
        .note(format!(
            "{}. Exact polar: the momentum is orthogonalised by its singular value decomposition. {}",
            panels.seeds(),
            panels.restarts(&|row| muon_arm(row).is_some())
        ));
    let arms = muon_arms(record);
    panels.grid(figure, &Axis::new("step"), &|target, lr| {
        arms.iter()
            .map(|(n, label, colour)| {
                let curves = panels.curves(target, lr, &|row| muon_arm(row) == Some(*n));
                line(label, *colour, n.is_none(), averaged(&curves, false))
            })
            .filter(|series| !series.points.is_empty())
            .collect()
    })
}
