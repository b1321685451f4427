//! The record of the structural study: its rows and its files.

use super::{Shown, findings};
use picloom::experiment::record::Record;
use picloom::score::FIT_GATE;
use picloom::score::measures::structural::MaskConfig;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// One network measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ArmOutcome {
    /// `evolved`, `dense`, `magnitude` or `sp`.
    pub arm: String,
    /// λ its masks were learned with; none: the study's own.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub penalty: Option<f64>,
    /// Links that may be non-zero.
    pub kept: usize,
    /// R² to the picture.
    pub r2: f64,
    /// SC in [−1, 1].
    pub sc: f64,
    /// The same of random masks with as many links in every layer.
    pub control: f64,
    /// Its parts.
    pub parts: Vec<PartOutcome>,
}

impl ArmOutcome {
    /// True if R² ≥ [`FIT_GATE`]: a network that has not learned its picture is shown, not counted.
    pub fn fit(&self) -> bool {
        self.r2 >= FIT_GATE
    }

    /// Parts with D_sub > 0 and D_abl < 0.
    pub fn compositional_parts(&self) -> usize {
        self.parts.iter().filter(|p| p.is_compositional()).count()
    }
}

/// One part of one network.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PartOutcome {
    /// Its name.
    pub part: String,
    /// Pixels of its region.
    pub pixels: usize,
    /// Accuracy of the part in the whole network's picture, in [0, 1].
    pub whole: f64,
    /// Links of its subnetwork.
    pub kept: usize,
    /// D_sub in [−1, 1].
    pub d_sub: f64,
    /// D_abl in [−1, 1].
    pub d_abl: f64,
    /// Mean (D_sub − D_abl)/2 of the random masks.
    pub control: f64,
}

impl PartOutcome {
    /// True if D_sub > 0 and D_abl < 0: its subnetwork draws it, and takes it along.
    pub fn is_compositional(&self) -> bool {
        self.d_sub > 0.0 && self.d_abl < 0.0
    }
}

/// A row of the record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StructuralRow {
    /// The target.
    pub target: String,
    /// `drawing` or `genome`.
    pub picture: Shown,
    /// Seed.
    pub seed: u64,
    /// The arms measured; empty if the cell failed.
    pub arms: Vec<ArmOutcome>,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub error: Option<String>,
}

/// The record of the structural study.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StructuralRecord {
    /// `picloom-structural/1`.
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
    /// How masks were learned.
    pub mask: MaskConfig,
    /// One row a cell.
    pub cells: Vec<StructuralRow>,
}

impl StructuralRecord {
    /// Every measured network of an arm with its target and seed, in order.
    pub fn arm<'a>(
        &'a self,
        arm: &str,
    ) -> impl Iterator<Item = (&'a StructuralRow, &'a ArmOutcome)> + use<'a> {
        self.arm_at(arm, None)
    }

    /// The same with masks learned at another penalty.
    pub fn arm_at<'a>(
        &'a self,
        arm: &str,
        penalty: Option<f64>,
    ) -> impl Iterator<Item = (&'a StructuralRow, &'a ArmOutcome)> + use<'a> {
        let arm = arm.to_string();
        self.cells
            .iter()
            .flat_map(|row| row.arms.iter().map(move |a| (row, a)))
            .filter(move |(_, a)| a.arm == arm && a.penalty == penalty)
    }

    /// The other penalties, rising.
    pub fn penalties(&self) -> Vec<f64> {
        let mut found: Vec<f64> = Vec::new();
        for arm in self.cells.iter().flat_map(|row| &row.arms) {
            found.extend(arm.penalty.filter(|p| !found.contains(p)));
        }
        found.sort_by(f64::total_cmp);
        found
    }
}

impl Record for StructuralRecord {
    const FORMAT: &'static str = "picloom-structural/1";

    const LISTS: &'static [&'static str] = &["cells"];

    const COLUMNS: &'static [(&'static str, &'static str)] = &[
        ("target", "Name of the target."),
        ("seed", "Seed of the network."),
        ("arms", "Every measured network with its parts, as JSON."),
        ("error", "Why there is no result."),
    ];

    fn summary(&self) -> String {
        let mut text = format!(
            "{:<22} {:>4} {:<10} {:>5} {:>7} {:>7} {:>8} {:>6}\n",
            "target", "seed", "arm", "kept", "R²", "SC", "control", "parts"
        );
        for row in &self.cells {
            for arm in row.arms.iter().filter(|arm| arm.penalty.is_none()) {
                text += &format!(
                    "{:<22} {:>4} {:<10} {:>5} {:>7.4} {:>7.3} {:>8.3} {:>4}/{}{}\n",
                    row.target,
                    row.seed,
                    arm.arm,
                    arm.kept,
                    arm.r2,
                    arm.sc,
                    arm.control,
                    arm.compositional_parts(),
                    arm.parts.len(),
                    if arm.fit() { "" } else { "  unfit" }
                );
            }
        }
        for finding in findings::all(self) {
            text += &format!("\n{}", finding.text());
            for note in &finding.notes {
                text += &format!("\n  {note}");
            }
        }
        text
    }
}
