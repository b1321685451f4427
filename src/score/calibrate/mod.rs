//! Calibration: is a judge right? In: labelled perturbations. Out: a fitted model with where it
//! came from, and agreement (AUC, κ, confusion table, reliability), per target and with each
//! target left out. It does not know who labelled; a judge is only as good as the labels.

mod answers;
mod labels;
mod logistic;
mod report;
mod sheets;

pub use answers::{
    Answer, KeyRow, ViewerAgreement, merge, read_answers, read_key, viewer_agreement,
};
pub use labels::{LabelError, LabelRow, LabelSet, judge_rows, measure_rows, read_labels};
pub use logistic::{FitError, Logistic, fit};
pub use report::{Agreement, ReliabilityBin, Report};
pub use sheets::{
    Drawer, DrawerRecord, NumberedPairs, Pair, PairSettings, Pick, STRATA, SheetsRecord,
};

use super::dl::{DlModel, FORMAT, Features, LeftOut, Provenance, SetRecord, Term};
use super::judge::{Judge, Label, Verdict};
use serde::Serialize;

/// Default ridge λ of the fit. From .001 to .3 the left-out κ moves by .02 (skull, and all pooled)
/// and .05 (butterfly) \[measured on the archive's and the own labels\].
pub const RIDGE: f64 = 0.02;

/// A fitted judge and how well it does.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Calibration {
    /// The model, fitted on everything.
    pub model: DlModel,
    /// The model on the pictures it was fitted to: flattering.
    pub in_sample: Report,
    /// Every target judged by a model fitted on the other targets only; none with one target.
    pub left_out: Option<Report>,
}

/// Why nothing was calibrated.
#[derive(Debug, thiserror::Error)]
pub enum CalibrationError {
    /// The labels.
    #[error(transparent)]
    Labels(#[from] LabelError),
    /// The fit.
    #[error("cannot fit: {0}")]
    Fit(#[from] FitError),
    /// A fit without one target.
    #[error("cannot fit without target {target}: {source}")]
    LeftOut {
        /// The target left out.
        target: String,
        /// Why.
        source: FitError,
    },
    /// No pictures.
    #[error("expected labelled pictures that differ from their base, found none")]
    Empty,
}

/// Fits the embedded judge to labelled sets, with leave-one-target-out evaluation.
///
/// `date` and `command` go into the model's provenance. Rows whose picture is the base itself are
/// left out: they are coherent by definition.
///
/// # Errors
/// Pictures cannot be read; one label only (also with a target left out); λ ≤ 0.
pub fn calibrate(
    sets: &[LabelSet],
    ridge: f64,
    date: &str,
    command: &str,
) -> Result<Calibration, CalibrationError> {
    let rows: Vec<&LabelRow> = sets.iter().flat_map(|s| &s.rows).collect();
    let examples: Vec<Example> = rows
        .iter()
        .zip(measure_rows(&rows)?)
        .filter_map(|(row, features)| {
            Some(Example { target: &row.target, label: row.label, features: features? })
        })
        .collect();
    let all: Vec<&Example> = examples.iter().collect();
    let mut model = model_of(&all, ridge)?;
    let mut targets: Vec<&str> = all.iter().map(|e| e.target).collect();
    let (in_order, truth): (Vec<&str>, Vec<Label>) =
        all.iter().map(|e| (e.target, e.label)).unzip();
    targets.sort_unstable();
    targets.dedup();
    let report = |name: &str, verdicts: &[Verdict]| {
        Report::of(name, "labels", &in_order, &truth, verdicts).ok_or(CalibrationError::Empty)
    };
    let own: Vec<Verdict> = all.iter().map(|e| e.verdict(&model)).collect();
    let in_sample = report("dl, on the pictures it was fitted to", &own)?;

    let mut left_out = None;
    if targets.len() > 1 {
        let mut verdicts: Vec<Option<Verdict>> = vec![None; all.len()];
        for &target in &targets {
            let others: Vec<&Example> =
                all.iter().copied().filter(|e| e.target != target).collect();
            let without = model_of(&others, ridge).map_err(|source| CalibrationError::LeftOut {
                target: target.to_string(),
                source,
            })?;
            for (verdict, example) in verdicts.iter_mut().zip(&all) {
                if example.target == target {
                    *verdict = Some(example.verdict(&without));
                }
            }
        }
        let verdicts: Vec<Verdict> = verdicts.into_iter().flatten().collect();
        left_out = Some(report("dl, fitted without the target", &verdicts)?);
    }
    model.provenance = Provenance {
        date: date.to_string(),
        command: command.to_string(),
        picloom: env!("CARGO_PKG_VERSION").to_string(),
        ridge,
        sets: sets.iter().map(set_record).collect(),
        left_out: left_out.iter().flat_map(left_out_record).collect(),
    };
    Ok(Calibration { model, in_sample, left_out })
}

/// Compares a judge with the labels.
///
/// # Errors
/// A picture cannot be read or judged.
pub fn test_judge(sets: &[LabelSet], judge: &dyn Judge) -> Result<Report, CalibrationError> {
    let rows: Vec<&LabelRow> = sets.iter().flat_map(|s| &s.rows).collect();
    let truth: Vec<Label> = rows.iter().map(|r| r.label).collect();
    let verdicts = judge_rows(&rows, judge)?;
    compared(&rows, &judge.name(), "labels", &truth, &verdicts)
}

/// Compares a judge with another, whose labels count as true.
///
/// # Errors
/// A picture cannot be read or judged.
pub fn compare_judges(
    sets: &[LabelSet],
    judge: &dyn Judge,
    against: &dyn Judge,
) -> Result<Report, CalibrationError> {
    let rows: Vec<&LabelRow> = sets.iter().flat_map(|s| &s.rows).collect();
    let truth: Vec<Label> = judge_rows(&rows, against)?.iter().map(|v| v.label).collect();
    let verdicts = judge_rows(&rows, judge)?;
    compared(&rows, &judge.name(), &against.name(), &truth, &verdicts)
}

fn compared(
    rows: &[&LabelRow],
    judge: &str,
    against: &str,
    truth: &[Label],
    verdicts: &[Verdict],
) -> Result<Report, CalibrationError> {
    let targets: Vec<&str> = rows.iter().map(|r| r.target.as_str()).collect();
    Report::of(judge, against, &targets, truth, verdicts).ok_or(CalibrationError::Empty)
}

struct Example<'a> {
    target: &'a str,
    label: Label,
    features: Features,
}

impl Example<'_> {
    fn verdict(&self, model: &DlModel) -> Verdict {
        Verdict::from_probability(model.probability(&self.features))
    }
}

/// A model without provenance.
fn model_of(examples: &[&Example], ridge: f64) -> Result<DlModel, FitError> {
    let rows: Vec<Vec<f64>> = examples.iter().map(|e| e.features.values().to_vec()).collect();
    let positive: Vec<bool> = examples.iter().map(|e| e.label == Label::Fractured).collect();
    let fitted = fit(&rows, &positive, ridge)?;
    Ok(DlModel {
        format: FORMAT.to_string(),
        terms: Features::NAMES
            .iter()
            .enumerate()
            .map(|(j, name)| Term {
                feature: (*name).to_string(),
                mean: fitted.means[j],
                spread: fitted.spreads[j],
                weight: fitted.weights[j],
            })
            .collect(),
        intercept: fitted.intercept,
        provenance: Provenance::default(),
    })
}

fn set_record(set: &LabelSet) -> SetRecord {
    let count = |label| set.rows.iter().filter(|r| r.label == label).count();
    SetRecord {
        file: set.file.clone(),
        sha256: set.sha256.clone(),
        coherent: count(Label::Coherent),
        fractured: count(Label::Fractured),
    }
}

fn left_out_record(report: &Report) -> Vec<LeftOut> {
    let estimate = |i: Option<crate::math::stats::Interval>| i.map(|i| i.estimate);
    report
        .targets
        .iter()
        .map(|(target, a)| LeftOut {
            target: target.clone(),
            kappa: estimate(a.kappa),
            auc: estimate(a.auc),
        })
        .collect()
}
