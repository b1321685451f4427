//! The record of the structural study: its rows.

use super::spec::{Shown, StructuralRecord, StructuralRow};
use picloom::score::FIT_GATE;
use picloom::study::columns;
use serde::{Deserialize, Serialize};

columns! {
    /// Which cell.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub struct StructuralKey {
        /// Name of the target.
        pub target: String,
        /// `drawing` or `genome`.
        pub picture: Shown,
        /// Seed of the networks.
        pub seed: u64,
    }
}

columns! {
    /// The result of a cell.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub struct Measured {
        /// Every measured network with its parts, as JSON.
        pub arms: Vec<ArmOutcome>,
    }
}

/// One network measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ArmOutcome {
    /// `evolved`, `dense`, `magnitude` or `sp`.
    pub arm: String,
    /// λ its masks were learned with; `None` for the study's own.
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
    pub(crate) fn fit(&self) -> bool {
        self.r2 >= FIT_GATE
    }

    /// Parts with D_sub > 0 and D_abl < 0.
    pub(crate) fn compositional_parts(&self) -> usize {
        self.parts.iter().filter(|p| p.is_compositional()).count()
    }
}

/// One part of one network.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PartOutcome {
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
    pub(crate) fn is_compositional(&self) -> bool {
        self.d_sub > 0.0 && self.d_abl < 0.0
    }
}

/// Every measured network of an arm with its target and seed, in order.
pub(crate) fn arm<'a>(
    record: &'a StructuralRecord,
    arm: &str,
) -> impl Iterator<Item = (&'a StructuralRow, &'a ArmOutcome)> + use<'a> {
    arm_at(record, arm, None)
}

/// The same with masks learned at another penalty.
pub(crate) fn arm_at<'a>(
    record: &'a StructuralRecord,
    arm: &str,
    penalty: Option<f64>,
) -> impl Iterator<Item = (&'a StructuralRow, &'a ArmOutcome)> + use<'a> {
    let arm = arm.to_string();
    every_arm(record).filter(move |(_, a)| a.arm == arm && a.penalty == penalty)
}

fn every_arm(record: &StructuralRecord) -> impl Iterator<Item = (&StructuralRow, &ArmOutcome)> {
    let of = |row| arms_of(row).iter().map(move |arm| (row, arm));
    record.rows.iter().flat_map(of)
}

fn arms_of(row: &StructuralRow) -> &[ArmOutcome] {
    row.result.as_ref().map_or(&[], |found| &found.arms)
}

/// The other penalties, rising.
pub(crate) fn penalties(record: &StructuralRecord) -> Vec<f64> {
    let mut found: Vec<f64> = Vec::new();
    for (_, arm) in every_arm(record) {
        found.extend(arm.penalty.filter(|p| !found.contains(p)));
    }
    found.sort_by(f64::total_cmp);
    found
}
