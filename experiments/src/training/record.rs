//! What a training study leaves: one row a run.

use super::newton_schulz::newton_schulz;
use picloom::experiment::curve::{Curve, surviving};
use picloom::experiment::record::Record;
use picloom::math::stats::median;
use picloom::math::text::{nan, number_or_null};
use picloom::run::RunResult;
use picloom::train::{LogLine, StopReason};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The record of a training study.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrainingRecord {
    /// `picloom-training/1`.
    pub format: String,
    /// Name of the study.
    pub study: String,
    /// What is asked.
    pub question: String,
    /// Decision rules by claim, as they stood in the spec.
    pub rules: BTreeMap<String, String>,
    /// The profile.
    pub profile: String,
    /// Side of the pictures in pixels.
    pub size: usize,
    /// One row a run, in the plan's order.
    pub runs: Vec<RunRow>,
}

/// One run of a study.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunRow {
    /// Hash of its config.
    pub run_id: String,
    /// Name of the target.
    pub target: String,
    /// `graph`, `layerized` or `dense`.
    pub wiring: String,
    /// The optimizer as text.
    pub optimizer: String,
    /// Learning rate; none for L-BFGS.
    pub lr: Option<f64>,
    /// Seed.
    pub seed: u64,
    /// What came out; none if the cell failed.
    pub result: Option<RowResult>,
    /// Why the cell failed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub error: Option<String>,
}

/// What came out of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RowResult {
    /// Why it ended.
    #[serde(flatten)]
    pub stop: StopReason,
    /// Links that may be non-zero.
    pub kept: usize,
    /// Steps of the last attempt.
    pub steps: u64,
    /// Gradient evaluations of all attempts.
    pub evaluations: u64,
    /// Plain MSE after the last step; NaN (in JSON null) of a run that diverged.
    #[serde(deserialize_with = "number_or_null", default = "nan")]
    pub final_loss: f64,
    /// Median of the losses logged in the last tenth of the steps: a constant rate makes the
    /// very last loss noisy. NaN or null as the loss.
    #[serde(deserialize_with = "number_or_null", default = "nan")]
    pub late_loss: f64,
    /// R² to the target after the last step, ≤ 1.
    pub r2: f64,
    /// Attempts that collapsed; the last one too, if it is why training ended.
    pub collapses: usize,
    /// Loss while training.
    pub curve: Curve,
}

/// Points of a thinned curve, before the last.
const POINTS: usize = 30;

pub(super) fn row_result(result: &RunResult, lines: &[LogLine]) -> RowResult {
    let train = &result.train;
    let lines = surviving(lines);
    let mut late: Vec<f64> = lines
        .iter()
        .filter(|line| 10 * line.step >= 9 * train.steps)
        .map(|line| line.loss)
        .collect();
    late.extend(Some(train.final_loss).filter(|loss| loss.is_finite()));
    let evaluations = train.all_evaluations();
    RowResult {
        stop: train.stop,
        kept: result.kept,
        steps: train.steps,
        evaluations,
        final_loss: train.final_loss,
        late_loss: median(&late).unwrap_or(train.final_loss),
        r2: result.fit.r2,
        collapses: train.collapses.len(),
        curve: Curve::of(&lines, train, POINTS).after(evaluations - train.evaluations),
    }
}

impl RowResult {
    /// Whether attempts collapsed before the one that this is of.
    pub fn began_again(&self) -> bool {
        self.stop.attempts_before(self.collapses) > 0
    }
}

impl Record for TrainingRecord {
    const FORMAT: &'static str = "picloom-training/1";

    const LISTS: &'static [&'static str] = &["runs"];

    const COLUMNS: &'static [(&'static str, &'static str)] = &[
        ("target", "Name of the target."),
        ("wiring", "graph, layerized or dense."),
        ("optimizer", "The optimizer."),
        ("lr", "Learning rate; empty for L-BFGS."),
        ("seed", "Seed of the initial weights."),
        ("run_id", "Hash of its config."),
        ("reason", "Why training ended."),
        ("steps", "Steps of the last attempt."),
        ("evaluations", "Gradient evaluations of all attempts."),
        ("final_loss", "MSE after the last step."),
        ("late_loss", "Median of the losses in the last tenth of the steps."),
        ("r2", "R² to the target, at most 1."),
        ("collapses", "Attempts that collapsed."),
        ("error", "Why there is no result."),
    ];

    /// Late losses by target, optimizer and rate, and the finding on Newton–Schulz steps.
    fn summary(&self) -> String {
        let mut text = format!(
            "{:<10} {:<32} {:>8} {:>6} {:>12} {:>8}\n",
            "target", "optimizer", "rate", "seed", "late loss", "R²"
        );
        for row in &self.runs {
            let lr = row.lr.map_or("-".into(), |lr| lr.to_string());
            let (loss, r2) = match &row.result {
                Some(r) => (format!("{:.3e}", r.late_loss), format!("{:.4}", r.r2)),
                None => ("failed".into(), String::new()),
            };
            text += &format!(
                "{:<10} {:<32} {lr:>8} {:>6} {loss:>12} {r2:>8}\n",
                row.target, row.optimizer, row.seed
            );
        }
        match newton_schulz(self) {
            Ok(found) => text + "\n" + &found.text(),
            Err(_) => text,
        }
    }

    fn findings(&self) -> Value {
        json!({ "runs": self.runs.len(), "newton_schulz": newton_schulz(self).ok() })
    }
}
