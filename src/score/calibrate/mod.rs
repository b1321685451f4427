//! Calibration: is a judge right? In: labelled perturbations. Out: a fitted model with where it
//! came from, and agreement (AUC, κ, confusion table, reliability), per target and with each
//! target left out. It does not know who labelled; a judge is only as good as the labels.

mod answers;
mod labels;
mod logistic;
mod networks;
mod report;
mod sheets;

pub use answers::{
    Answer, KeyRow, ViewerAgreement, merge, read_answers, read_key, viewer_agreement,
};
pub use labels::{LabelError, LabelRow, LabelSet, judge_rows, measure_rows, read_labels};
pub use logistic::{FitError, Labelled, Logistic, fit};
pub use networks::{Kappas, Part, ScoreErrors, Seen, Viewers, WithinNetworks, network_means};
pub use report::{Agreement, Mistake, ReliabilityBin, Report};
pub use sheets::{
    Drawer, DrawerRecord, NumberedPairs, Pair, PairSettings, Pick, STRATA, SheetsRecord,
};

use super::dl::{DlModel, LeftOut, Provenance, SetRecord, Term, Version};
use super::judge::{Judge, Label, Verdict};
use serde::Serialize;
use std::collections::BTreeMap;

/// Weight in the fit of a picture whose viewer was in doubt.
const UNSURE: f64 = 0.5;

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

/// Fits the embedded judge to labelled sets, with leave-one-target-out evaluation; without a `ridge` with
/// its version's.
///
/// Rows whose viewer was in doubt count half. Rows whose picture is the base itself are left out: they are
/// coherent by definition. `date` and `command` go into the model's provenance.
///
/// # Errors
/// Pictures cannot be read; one label only (also with a target left out); λ ≤ 0.
pub fn calibrate(
    sets: &[LabelSet],
    version: Version,
    ridge: Option<f64>,
    date: &str,
    command: &str,
) -> Result<Calibration, CalibrationError> {
    let ridge = ridge.unwrap_or(version.ridge());
    let rows: Vec<&LabelRow> = sets.iter().flat_map(|s| &s.rows).collect();
    let examples: Vec<Example> = rows
        .iter()
        .zip(measure_rows(&rows, version)?)
        .filter_map(|(row, features)| {
            let weight = if row.unsure { UNSURE } else { 1.0 };
            let positive = row.label == Label::Fractured;
            Some(Example { row, labelled: Labelled { x: features?, positive, weight } })
        })
        .collect();
    let all: Vec<&Example> = examples.iter().collect();
    let mut model = model_of(&all, version, ridge)?;
    let mut targets: Vec<&str> = all.iter().map(|e| e.row.target.as_str()).collect();
    let (in_order, truth): (Vec<&str>, Vec<Label>) =
        all.iter().map(|e| (e.row.target.as_str(), e.row.label)).unzip();
    targets.sort_unstable();
    targets.dedup();
    let labelled: Vec<&LabelRow> = all.iter().map(|e| e.row).collect();
    let report = |name: &str, verdicts: &[Verdict], blind: &[f64]| {
        let found = Report::of(name, "labels", &in_order, &truth, verdicts);
        let within = within(&labelled, verdicts, blind);
        let mistakes = report::mistakes(&labelled, verdicts);
        found.map(|found| Report { within, mistakes, ..found }).ok_or(CalibrationError::Empty)
    };
    let own: Vec<Verdict> = all.iter().map(|e| e.verdict(&model)).collect();
    let own_blind = blind(&labelled, &own);
    let in_sample = report("dl, on the pictures it was fitted to", &own, &own_blind)?;

    let mut left_out = None;
    if targets.len() > 1 {
        let judged = without_own_target(&all, &targets, version, ridge)?;
        // The same recipe, told of each picture only what is true of its network.
        let means = network_features(&all);
        let means: Vec<&Example> = means.iter().collect();
        let told: Vec<f64> = without_own_target(&means, &targets, version, ridge)?
            .iter()
            .map(|v| v.p_fractured)
            .collect();
        left_out = Some(report("dl, fitted without the target", &judged, &told)?);
    }
    let scores = left_out.as_ref().and_then(|r| r.within.as_ref()?.scores);
    model.between_networks = scores.map(|s| s.between);
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

/// What a model fitted on all other targets says of each example, in order.
fn without_own_target(
    all: &[&Example],
    targets: &[&str],
    version: Version,
    ridge: f64,
) -> Result<Vec<Verdict>, CalibrationError> {
    let mut verdicts: Vec<Option<Verdict>> = vec![None; all.len()];
    for &target in targets {
        let others: Vec<&Example> =
            all.iter().copied().filter(|e| e.row.target != target).collect();
        let without = model_of(&others, version, ridge)
            .map_err(|source| CalibrationError::LeftOut { target: target.to_string(), source })?;
        for (verdict, example) in verdicts.iter_mut().zip(all) {
            if example.row.target == target {
                *verdict = Some(example.verdict(&without));
            }
        }
    }
    Ok(verdicts.into_iter().flatten().collect())
}

/// The examples with the mean features of their networks.
fn network_features<'a>(all: &[&Example<'a>]) -> Vec<Example<'a>> {
    let mut sums: BTreeMap<_, (Vec<f64>, f64)> = BTreeMap::new();
    for e in all {
        let (sum, count) =
            sums.entry(e.row.drawer()).or_insert_with(|| (vec![0.0; e.labelled.x.len()], 0.0));
        sum.iter_mut().zip(&e.labelled.x).for_each(|(sum, x)| *sum += x);
        *count += 1.0;
    }
    let mean = |e: &&Example<'a>| {
        let (sum, count) = &sums[&e.row.drawer()];
        let x = sum.iter().map(|sum| sum / count).collect();
        Example { row: e.row, labelled: Labelled { x, ..e.labelled.clone() } }
    };
    all.iter().map(mean).collect()
}

/// The judge's own mean over each picture's network, as P(fractured).
fn blind(rows: &[&LabelRow], verdicts: &[Verdict]) -> Vec<f64> {
    let p: Vec<f64> = verdicts.iter().map(|v| v.p_fractured).collect();
    let networks: Vec<String> = rows.iter().map(|row| network_of(row)).collect();
    network_means(&p, &networks.iter().map(String::as_str).collect::<Vec<_>>())
}

fn network_of(row: &LabelRow) -> String {
    let (target, network, base) = row.drawer();
    format!("{target} {network} {}", base.display())
}

/// Agreement within networks of verdicts and of those of a judge that knows the network only.
fn within(rows: &[&LabelRow], verdicts: &[Verdict], blind: &[f64]) -> Option<WithinNetworks> {
    let is = |label: Label| label == Label::Fractured;
    let seen: Vec<Seen> = rows
        .iter()
        .zip(verdicts)
        .zip(blind)
        .map(|((row, verdict), &blind)| Seen {
            network: network_of(row),
            fractured: is(row.label),
            sure: !row.unsure,
            second: row.second.map(is),
            weight: row.weight,
            p: verdict.p_fractured,
            blind,
        })
        .collect();
    WithinNetworks::of(&seen)
}

/// Compares a judge with the labels.
///
/// # Errors
/// A picture cannot be read or judged.
pub fn test_judge(sets: &[LabelSet], judge: &dyn Judge) -> Result<Report, CalibrationError> {
    let rows: Vec<&LabelRow> = sets.iter().flat_map(|s| &s.rows).collect();
    let truth: Vec<Label> = rows.iter().map(|r| r.label).collect();
    let verdicts = judge_rows(&rows, judge)?;
    let report = compared(&rows, &judge.name(), "labels", &truth, &verdicts)?;
    let within = within(&rows, &verdicts, &blind(&rows, &verdicts));
    Ok(Report { within, mistakes: report::mistakes(&rows, &verdicts), ..report })
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
    let truth: Vec<Label> = judge_rows(&rows, against)?.iter().map(Verdict::likelier).collect();
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
    row: &'a LabelRow,
    labelled: Labelled,
}

impl Example<'_> {
    fn verdict(&self, model: &DlModel) -> Verdict {
        Verdict::from_probability(model.probability(&self.labelled.x))
    }
}

/// A model without provenance.
fn model_of(examples: &[&Example], version: Version, ridge: f64) -> Result<DlModel, FitError> {
    let rows: Vec<Labelled> = examples.iter().map(|e| e.labelled.clone()).collect();
    let fitted = fit(&rows, ridge, version.clip(), version.knots())?;
    Ok(DlModel {
        version,
        terms: version
            .names()
            .iter()
            .enumerate()
            .map(|(j, name)| Term {
                feature: (*name).to_string(),
                mean: fitted.means[j],
                spread: fitted.spreads[j],
                weight: fitted.weights[j],
                above: fitted.above[j].clone(),
            })
            .collect(),
        intercept: fitted.intercept,
        between_networks: None,
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
