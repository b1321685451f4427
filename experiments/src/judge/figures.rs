//! Diagrams of a judge's report: reliability, the ROC curve, the worst mistakes.

use super::FullReport;
use picloom::base::refusal::Refusal;
use picloom::figures::axis::Axis;
use picloom::figures::charts::{Figure, Panel, Point, Series};
use picloom::figures::sheets::{Block, Pane, Sheet};
use picloom::figures::style::{self, CLEAN, DAMAGED, Marker, fixed, number};
use picloom::network::Picture;
use picloom::score::labels::{LabelRow, Report};
use picloom::score::{Label, Verdict};
use std::collections::BTreeMap;

/// Predicted probability against observed share, with Wilson's intervals and the counts beside
/// the points.
pub(crate) fn reliability(report: &Report) -> String {
    let pooled = &report.pooled;
    let points = pooled.reliability.iter().map(|bin| {
        Point::new(bin.probability, bin.damaged.estimate)
            .between(bin.damaged.low, bin.damaged.high)
            .label(format!("n = {}", bin.pictures))
    });
    let x = Axis::new("mean P(damaged) the judge gave").range(0.0, 1.0);
    let y = Axis::new("share truly damaged").range(0.0, 1.0);
    let cloud = Series::cloud("", DAMAGED, Marker::Circle, points);
    Figure::new("Does P(damaged) mean what it says?")
        .subtitle(format!(
            "{} against {}: n = {}, calibration error {}, Brier {}",
            report.judge,
            report.against,
            pooled.pictures,
            number(pooled.calibration_error, 2),
            number(pooled.brier, 2)
        ))
        .note(
            "Tenths of P(damaged). Whiskers: Wilson 95 % intervals, pictures taken as independent.",
        )
        .sized(720, 620)
        .draw(&[Panel { diagonal: true, ..Panel::new("", x, y, vec![cloud]) }])
}

/// The corners of the ROC curve of evidence, from (0, 0) to (1, 1): (clean, damaged) pictures called damaged,
/// as shares. Empty without pictures of both labels.
fn corners(judged: &[(&LabelRow, &Verdict)]) -> Vec<(f64, f64)> {
    let evidence = |label: Label| -> Vec<f64> {
        judged.iter().filter(|(r, _)| r.label == label).map(|(_, v)| v.evidence).collect()
    };
    let (clean, damaged) = (evidence(Label::Clean), evidence(Label::Damaged));
    if damaged.is_empty() || clean.is_empty() {
        return Vec::new();
    }
    let mut cuts = [&damaged[..], &clean].concat();
    cuts.sort_by(|a, b| b.total_cmp(a));
    cuts.dedup();
    let above = |values: &[f64], cut: f64| {
        values.iter().filter(|v| **v >= cut).count() as f64 / values.len() as f64
    };
    let corners = cuts.iter().map(|&c| (above(&clean, c), above(&damaged, c)));
    std::iter::once((0.0, 0.0)).chain(corners).collect()
}

/// The ROC curve over all pictures, and one for each target in grey.
pub(crate) fn roc(rows: &[&LabelRow], found: &FullReport) -> String {
    let (report, pooled) = (&found.report, &found.report.pooled);
    let judged: Vec<(&LabelRow, &Verdict)> = rows.iter().copied().zip(&found.verdicts).collect();
    let mut targets: BTreeMap<&str, Vec<(&LabelRow, &Verdict)>> = BTreeMap::new();
    judged.iter().for_each(|&(row, v)| targets.entry(&row.target).or_default().push((row, v)));
    let mut series: Vec<Series> = targets
        .values()
        .map(|judged| corners(judged))
        .filter(|corners| !corners.is_empty())
        .map(|corners| Series { width: 0.9, ..Series::line("", style::SILVER, corners) })
        .collect();
    series.push(Series::line("", DAMAGED, corners(&judged)));
    let auc = pooled
        .auc
        .map_or("none".to_string(), |a| format!("{:.3} [{:.3}, {:.3}]", a.estimate, a.low, a.high));
    let x = Axis::new("clean pictures called damaged").range(0.0, 1.0).percent();
    let y = Axis::new("damaged pictures called damaged").range(0.0, 1.0).percent();
    Figure::new("How well are damaged and clean pictures told apart?")
        .subtitle(format!(
            "{}, against {}: {} pictures, AUC {auc}",
            report.judge, report.against, pooled.pictures
        ))
        .note("Thick: all pictures. Grey: each target by itself.")
        .sized(720, 620)
        .draw(&[Panel { diagonal: true, ..Panel::new("", x, y, series) }])
}

/// Mistakes on the sheet.
const WORST: usize = 10;

/// The worst mistakes: base and changed picture side by side, framed by the label.
///
/// # Errors
/// A picture cannot be read.
pub(crate) fn worst_mistakes(rows: &[&LabelRow], found: &FullReport) -> Result<String, Refusal> {
    let pairs = rows.iter().zip(&found.verdicts);
    let mut wrong: Vec<_> = pairs.filter(|(row, v)| row.label != v.likelier()).collect();
    let far = |v: &Verdict| (v.p_damaged - 0.5).abs();
    wrong.sort_by(|a, b| far(b.1).total_cmp(&far(a.1)));
    let mut panes = Vec::new();
    for (row, verdict) in wrong.into_iter().take(WORST) {
        panes.push(Pane::new(Picture::read(&row.base)?, row.network.clone()));
        let doubt = if row.unsure { "?" } else { "" };
        let (said, colour) = match row.label {
            Label::Clean => ("clean", CLEAN),
            Label::Damaged => ("damaged", DAMAGED),
        };
        let caption = format!("{said}{doubt} P {}", fixed(verdict.p_damaged, 2));
        panes.push(Pane::new(Picture::read(&row.image)?, caption).bordered(colour));
    }
    Ok(Sheet {
        title: "The worst mistakes".into(),
        subtitle: format!(
            "{}: left the base, right the change; framed by the label (? in doubt), P is the judge's P(damaged)",
            found.report.judge
        ),
        legend: vec![
            (CLEAN, "labelled clean".into()),
            (DAMAGED, "labelled damaged".into()),
        ],
        blocks: vec![Block::of_panes("", &panes, 4)],
        pane: 128,
        ..Sheet::default()
    }
    .draw())
}
