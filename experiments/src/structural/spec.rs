//! The spec of the structural study, and the names of what is made of it.

use crate::measures::structural::MaskConfig;
use picloom::network::Arch;
use picloom::study::grid::{GridRecord, GridRow, axis};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// `experiments/structural.toml` in one profile.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Structural {
    /// Side of the pictures in pixels.
    pub size: usize,
    /// The dense network.
    pub arch: Arch,
    /// Steps of the dense training.
    pub steps: u64,
    /// Steps after each round of pruning.
    pub retrain_steps: u64,
    /// Learning rate of all training.
    pub lr: f64,
    /// Share of the dense network's links that pruning keeps, in (0, 1).
    pub keep: f64,
    /// Rounds of pruning, ≥ 1.
    #[serde(deserialize_with = "axis::count")]
    pub rounds: usize,
    /// Seeds of training and of the random masks.
    #[serde(deserialize_with = "axis::values")]
    pub seeds: Vec<u64>,
    /// How masks are learned.
    pub mask: MaskConfig,
    /// λ of further masks of every network: does what is found depend on the penalty? Default: none.
    #[serde(default)]
    pub penalties: Vec<f64>,
    /// The pictures.
    pub targets: Vec<PartedTarget>,
}
/// Its record.
pub(crate) type StructuralRecord = GridRecord<Structural>;

/// One cell of the record.
pub(crate) type StructuralRow = GridRow<Structural>;

/// A picture with known parts.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PartedTarget {
    /// Its name in records and figures.
    pub name: String,
    /// The drawing of [`targets::ALL`](crate::targets::ALL) whose parts these are.
    pub drawing: String,
    /// A genome evolved for that drawing: the arm `evolved`.
    pub genome: Option<PathBuf>,
    /// The picture to draw. Default: the drawing.
    #[serde(default)]
    pub picture: Shown,
}

/// The picture to draw.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Shown {
    /// The drawing.
    #[default]
    Drawing,
    /// The genome's picture.
    Genome,
}
