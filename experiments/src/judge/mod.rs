//! The embedded judge: fitting it to labelled pictures, and how right a judge is within networks.
//!
//! Where clean networks give clean pictures and damaged ones damaged pictures, a judge that only tells the two
//! kinds of network apart agrees with the labels as well as one that looks. So every report has, beside κ and AUC
//! over all pictures, what a judge knows *within* networks ([`within`]).

pub(crate) mod draw;
pub(crate) mod figures;
pub(crate) mod logistic;
pub(crate) mod within;

use logistic::{FitError, Labelled, fit_logistic};
use picloom::base::stats::Interval;
use picloom::score::dl::features::NAMES;
use picloom::score::dl::{DlModel, FORMAT, LeftOut, Provenance, SetRecord, Term};
use picloom::score::labels::{LabelRow, LabelSet, Report, judge_rows, measure_rows, no_pictures};
use picloom::score::{Judge, JudgeError, Label, Verdict};
use serde::Serialize;
use std::collections::BTreeMap;
use within::{Seen, WithinNetworks, network_means, network_of};

/// Ridge λ of the shipped model: of a few, the one with the best log loss with targets left out.
pub(crate) const RIDGE: f64 = 0.005;
/// Weight in the fit of a picture whose viewer was in doubt.
const UNSURE: f64 = 0.5;

/// Agreement of a judge with labels, over all pictures and within networks.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct FullReport {
    /// Over all pictures and by target.
    #[serde(flatten)]
    pub report: Report,
    /// Within networks.
    pub within: WithinNetworks,
    /// The verdicts, in order.
    #[serde(skip)]
    pub verdicts: Vec<Verdict>,
}

/// A fitted judge, and how well models of the same recipe do on targets that they have not seen.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Fitted {
    /// The model, fitted on everything.
    pub model: DlModel,
    /// Every target judged by a model fitted on the other targets only.
    pub left_out: FullReport,
}

/// Why nothing was fitted.
#[derive(Debug, thiserror::Error)]
pub(crate) enum JudgeFitError {
    /// The labels.
    #[error(transparent)]
    Labels(#[from] JudgeError),
    /// The fit, of the whole or without one target.
    #[error("cannot fit{}: {source}", without.as_ref().map(|t| format!(" without target {t}")).unwrap_or_default())]
    Fit {
        /// The target left out; `None` for the whole.
        without: Option<String>,
        /// Why.
        source: FitError,
    },
}

/// A labelled picture with what the judge measures of it.
struct Example<'a> {
    row: &'a LabelRow,
    labelled: Labelled,
}

/// All labelled pictures of the sets.
pub(crate) fn rows_of(sets: &[LabelSet]) -> Vec<&LabelRow> {
    sets.iter().flat_map(|s| &s.rows).collect()
}

/// Fits the embedded judge to labelled sets of two targets or more, with leave-one-target-out evaluation.
///
/// Rows whose viewer was in doubt count half. Rows whose picture is the base itself are left out: they are
/// clean by definition. `date` and `command` go into the model's provenance.
///
/// # Errors
/// Pictures cannot be read; one label only (also with a target left out); λ ≤ 0.
pub(crate) fn fit(
    sets: &[LabelSet],
    ridge: f64,
    date: &str,
    command: &str,
) -> Result<Fitted, JudgeFitError> {
    let rows = rows_of(sets);
    let measured = rows.iter().zip(measure_rows(&rows)?);
    let examples: Vec<Example> = measured
        .filter_map(|(&row, features)| {
            let weight = if row.unsure { UNSURE } else { 1.0 };
            let positive = row.label == Label::Damaged;
            Some(Example { row, labelled: Labelled { x: features?, positive, weight } })
        })
        .collect();
    let all: Vec<&Example> = examples.iter().collect();
    let judged = without_own_target(&all, ridge)?;
    // The same recipe, told of each picture only what is true of its network.
    let means = network_features(&all);
    let told = without_own_target(&means.iter().collect::<Vec<_>>(), ridge)?;
    let told: Vec<f64> = told.iter().map(|v| v.p_damaged).collect();
    let rows: Vec<&LabelRow> = all.iter().map(|e| e.row).collect();
    let left_out = full_report("dl, fitted without the target", &rows, judged, &told)?;

    let mut model =
        model_of(&all, ridge).map_err(|source| JudgeFitError::Fit { without: None, source })?;
    model.between_networks = left_out.within.scores.map(|s| s.between);
    let estimate = |i: Option<Interval>| i.map(|i| i.estimate);
    let targets = left_out.report.targets.iter().map(|(target, a)| LeftOut {
        target: target.clone(),
        kappa: estimate(a.kappa),
        auc: estimate(a.auc),
    });
    model.provenance = Provenance {
        date: date.to_string(),
        command: command.to_string(),
        picloom: env!("CARGO_PKG_VERSION").to_string(),
        ridge,
        sets: sets.iter().map(set_record).collect(),
        left_out: targets.collect(),
    };
    Ok(Fitted { model, left_out })
}

/// Compares a judge with the labels.
///
/// # Errors
/// A picture cannot be read or judged.
pub(crate) fn report(sets: &[LabelSet], judge: &dyn Judge) -> Result<FullReport, JudgeError> {
    let rows = rows_of(sets);
    let verdicts = judge_rows(&rows, judge)?;
    let told = network_means(&rows, &verdicts);
    full_report(&judge.name(), &rows, verdicts, &told)
}

/// Of verdicts, and of P(damaged) of a judge that is `told` the network only.
fn full_report(
    judge: &str,
    rows: &[&LabelRow],
    verdicts: Vec<Verdict>,
    told: &[f64],
) -> Result<FullReport, JudgeError> {
    let truth: Vec<Label> = rows.iter().map(|row| row.label).collect();
    let report = Report::of(judge, "labels", rows, &truth, &verdicts).ok_or_else(no_pictures)?;
    let seen: Vec<Seen> = rows
        .iter()
        .zip(verdicts.iter().zip(told))
        .map(|(row, (verdict, &told))| Seen::of(row, verdict, told))
        .collect();
    let within = WithinNetworks::of(&seen).ok_or_else(no_pictures)?;
    Ok(FullReport { report, within, verdicts })
}

/// Judges each example, in order, by a model fitted on all other targets.
fn without_own_target(all: &[&Example], ridge: f64) -> Result<Vec<Verdict>, JudgeFitError> {
    let mut models = BTreeMap::new();
    for example in all {
        let target = &example.row.target;
        if !models.contains_key(target) {
            let others: Vec<&Example> =
                all.iter().copied().filter(|e| e.row.target != *target).collect();
            let without = model_of(&others, ridge)
                .map_err(|source| JudgeFitError::Fit { without: Some(target.clone()), source })?;
            models.insert(target, without);
        }
    }
    let verdict =
        |e: &&Example| Verdict::from_probability(models[&e.row.target].probability(&e.labelled.x));
    Ok(all.iter().map(verdict).collect())
}

/// The examples with the mean features of their networks.
fn network_features<'a>(all: &[&Example<'a>]) -> Vec<Example<'a>> {
    let mut sums: BTreeMap<String, (Vec<f64>, f64)> = BTreeMap::new();
    for e in all {
        let zero = || (vec![0.0; e.labelled.x.len()], 0.0);
        let (sum, count) = sums.entry(network_of(e.row)).or_insert_with(zero);
        sum.iter_mut().zip(&e.labelled.x).for_each(|(sum, x)| *sum += x);
        *count += 1.0;
    }
    let mean = |e: &&Example<'a>| {
        let (sum, count) = &sums[&network_of(e.row)];
        let x = sum.iter().map(|sum| sum / count).collect();
        Example { row: e.row, labelled: Labelled { x, ..e.labelled.clone() } }
    };
    all.iter().map(mean).collect()
}

/// A model without provenance.
fn model_of(examples: &[&Example], ridge: f64) -> Result<DlModel, FitError> {
    let rows: Vec<&Labelled> = examples.iter().map(|e| &e.labelled).collect();
    let fitted = fit_logistic(&rows, ridge)?;
    let term = |(j, name): (usize, &&str)| Term {
        feature: (*name).to_string(),
        mean: fitted.means[j],
        spread: fitted.spreads[j],
        weight: fitted.weights[j],
        above: fitted.above[j],
    };
    Ok(DlModel {
        format: FORMAT.into(),
        terms: NAMES.iter().enumerate().map(term).collect(),
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
        clean: count(Label::Clean),
        damaged: count(Label::Damaged),
    }
}
