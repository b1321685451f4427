//! The spec of training studies, their rows, and the names of what is made of them.

use picloom::base::text::{nan, number_or_null};
use picloom::experiment::curve::Curve;
use picloom::experiment::target_spec::TargetSpec;
use picloom::network::Wiring;
use picloom::study::columns;
use picloom::study::grid::{GridRecord, GridRow, axis};
use picloom::train::{GradientRule, OptimizerConfig, StopReason};
use serde::{Deserialize, Deserializer, Serialize};

/// A training study. Paths are relative to the folder that holds the spec's folder.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Training {
    /// Side of the pictures in pixels, 2 to 4096.
    pub size: usize,
    /// Optimizer steps of every run, ≥ 1.
    #[serde(deserialize_with = "axis::count")]
    pub steps: u64,
    /// Seeds of every grid: initial weights are the same wherever wiring and seed are.
    #[serde(deserialize_with = "axis::values")]
    pub seeds: Vec<u64>,
    /// Learning rates of every grid, > 0.
    #[serde(deserialize_with = "axis::rates")]
    pub lrs: Vec<f64>,
    /// Steps between logged losses, ≥ 1. Default 10.
    #[serde(default = "ten", deserialize_with = "axis::count")]
    pub log_every: u64,
    /// The gradient rule. Default: FER's, which divides the gradient by its norm.
    #[serde(default)]
    pub gradient: GradientRule,
    /// How each target's genome is wired; a target with an `arch` is dense only.
    #[serde(deserialize_with = "axis::values")]
    pub wirings: Vec<Wiring>,
    /// The targets, each with its source.
    pub targets: Vec<TargetSpec>,
    /// The grids.
    pub grids: Vec<Optimizers>,
}

fn ten() -> u64 {
    10
}
/// Its record.
pub(crate) type TrainingRecord = GridRecord<Training>;

/// One run of the record.
pub(crate) type RunRow = GridRow<Training>;

/// Optimizers × learning rates × seeds.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Optimizers {
    /// Its name, for people.
    pub name: String,
    /// Optimizers as text: `adam`, `muon:steps=20`.
    #[serde(deserialize_with = "optimizers")]
    pub optimizers: Vec<OptimizerConfig>,
    /// Instead of the study's.
    pub lrs: Option<Vec<f64>>,
    /// Instead of the study's.
    pub seeds: Option<Vec<u64>>,
    /// Instead of the study's.
    pub steps: Option<u64>,
}

fn optimizers<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<OptimizerConfig>, D::Error> {
    let texts: Vec<String> = axis::values(from)?;
    let parsed = texts.iter().map(|text| text.parse());
    parsed.collect::<Result<_, _>>().map_err(serde::de::Error::custom)
}

columns! {
    /// Which run.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub struct RunKey {
        /// Name of the target.
        pub target: String,
        /// `graph`, `layerized` or `dense`.
        pub wiring: String,
        /// The optimizer as text.
        pub optimizer: String,
        /// Learning rate; empty for L-BFGS.
        pub lr: Option<f64>,
        /// Seed of the initial weights.
        pub seed: u64,
        /// Hash of its config.
        pub run_id: String,
    }
}

columns! {
    /// The result of a run.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub struct RowResult {
        /// Why training ended.
        #[serde(flatten)]
        pub reason: StopReason,
        /// Links that may be non-zero.
        pub kept: usize,
        /// Steps of the last attempt.
        pub steps: u64,
        /// Gradient evaluations of all attempts.
        pub evaluations: u64,
        /// Plain MSE after the last step; NaN (in JSON null) of a run that diverged.
        #[serde(deserialize_with = "number_or_null", default = "nan")]
        pub final_loss: f64,
        /// Median of the losses logged in the last tenth of the steps: a constant rate makes the very last loss
        /// noisy. NaN or null as the loss.
        #[serde(deserialize_with = "number_or_null", default = "nan")]
        pub late_loss: f64,
        /// R² to the target after the last step, ≤ 1.
        pub r2: f64,
        /// Attempts that collapsed; the last one too, if it is why training ended.
        pub collapses: usize,
        /// Loss while training.
        pub curve: Curve,
    }
}

impl RowResult {
    /// Whether attempts collapsed before the one that this is of.
    pub(crate) fn began_again(&self) -> bool {
        self.reason.attempts_before(self.collapses) > 0
    }
}
