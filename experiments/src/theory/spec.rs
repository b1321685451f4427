//! The spec of the theory study, and the names of what is made of it.

use crate::volume::sensitivity::Volume;
use picloom::study::grid::{GridRecord, axis};
use serde::{Deserialize, Serialize};

/// `experiments/theory.toml` in one profile.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Theory {
    /// Seed of all sampling.
    pub seed: u64,
    /// The literal readings.
    pub literal: LiteralSpec,
    /// Random masks at a fixed mean in-degree.
    pub random_mask: RandomMaskSpec,
    /// Theory against Monte Carlo.
    pub agreement: AgreementSpec,
    /// Values of METHODS §9.
    pub values: Vec<MethodsValue>,
    /// Fixed edge budgets.
    pub budget: Vec<BudgetSpec>,
    /// P = 1…6.
    pub sensitivity: SensitivitySpec,
}
/// Its record.
pub(crate) type TheoryRecord = GridRecord<Theory>;

/// Both literal readings at every width and needed depth.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub(crate) struct LiteralSpec {
    #[serde(deserialize_with = "axis::count")]
    pub parts: usize,
    #[serde(deserialize_with = "axis::counts")]
    pub widths: Vec<usize>,
    #[serde(deserialize_with = "axis::counts")]
    pub layers: Vec<usize>,
    /// D, of the expressivity gate.
    pub needed: Vec<f64>,
}

/// Random-mask modularity at a fixed mean in-degree.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub(crate) struct RandomMaskSpec {
    #[serde(deserialize_with = "axis::count")]
    pub parts: usize,
    #[serde(deserialize_with = "axis::counts")]
    pub widths: Vec<usize>,
    #[serde(deserialize_with = "axis::counts")]
    pub layers: Vec<usize>,
    #[serde(deserialize_with = "axis::above_zero")]
    pub degree: f64,
    #[serde(deserialize_with = "axis::count")]
    pub samples: usize,
}

/// Every combination, P ≤ W.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub(crate) struct AgreementSpec {
    #[serde(deserialize_with = "axis::counts")]
    pub widths: Vec<usize>,
    #[serde(deserialize_with = "axis::counts")]
    pub layers: Vec<usize>,
    #[serde(deserialize_with = "axis::counts")]
    pub parts: Vec<usize>,
    #[serde(deserialize_with = "axis::shares")]
    pub densities: Vec<f64>,
    #[serde(deserialize_with = "axis::count")]
    pub samples: usize,
}

/// A value that METHODS §9 gives.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub(crate) struct MethodsValue {
    pub width: usize,
    pub layers: usize,
    pub parts: usize,
    pub p: f64,
    /// E\[N\], if given.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub expected: Option<f64>,
    /// Pr.
    pub probability: f64,
    /// True if METHODS has it from sampling.
    #[serde(default)]
    pub approximate: bool,
}

/// Fixed edge budgets: every width with every number of edges.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub(crate) struct BudgetSpec {
    #[serde(deserialize_with = "axis::count")]
    pub parts: usize,
    #[serde(deserialize_with = "axis::counts")]
    pub widths: Vec<usize>,
    #[serde(deserialize_with = "axis::counts")]
    pub edges: Vec<usize>,
    #[serde(deserialize_with = "axis::counts")]
    pub layers: Vec<usize>,
    #[serde(deserialize_with = "axis::count")]
    pub samples: usize,
}

/// Volumes whose dependence on P is asked.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub(crate) struct SensitivitySpec {
    #[serde(deserialize_with = "axis::counts")]
    pub parts: Vec<usize>,
    #[serde(deserialize_with = "axis::counts")]
    pub layers: Vec<usize>,
    #[serde(deserialize_with = "axis::count")]
    pub samples: usize,
    /// Values of P at which budgets need more draws: there so many are made.
    #[serde(default)]
    pub rare_parts: Vec<usize>,
    #[serde(default)]
    pub rare_samples: usize,
    pub volumes: Vec<NamedVolume>,
}

/// A volume of [`SensitivitySpec`].
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub(crate) struct NamedVolume {
    pub name: String,
    #[serde(deserialize_with = "axis::count")]
    pub width: usize,
    pub volume: Volume,
}
