//! The theory as a study: `experiments/theory.toml`. A cell is one curve over depth, or one case in
//! which theory and Monte Carlo meet; the record holds them all.

use super::record::{
    CurveKey, CurveValues, MeetingKey, MeetingValues, TheoryFound, TheoryKey, summary,
};
use crate::volume::literal::Reading;
use crate::volume::sample::{Estimate, direct, karp_luby};
use crate::volume::sensitivity::{Volume, curve};
use crate::volume::{VolumeError, exact, moment};
use picloom::experiment::grid::{Grid, GridRecord, GridStudy, axis};
use picloom::experiment::record::six_digits;
use picloom::experiment::spec::SpecError;
use picloom::experiment::workers::Ask;
use picloom::math::stats::Interval;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// What `experiments/theory.toml` says in one profile.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Theory {
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

/// The study in one profile.
pub type TheoryStudy = GridStudy<Theory>;

/// Its record.
pub type TheoryRecord = GridRecord<Theory>;

/// Both literal readings at every width and needed depth.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct LiteralSpec {
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
pub struct RandomMaskSpec {
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
pub struct AgreementSpec {
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
pub struct MethodsValue {
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
pub struct BudgetSpec {
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
pub struct SensitivitySpec {
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
pub struct NamedVolume {
    pub name: String,
    #[serde(deserialize_with = "axis::count")]
    pub width: usize,
    pub volume: Volume,
}

/// One cell.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "cell")]
pub enum TheoryCell {
    /// A ratio over depth.
    Curve {
        /// Which curve of the table; no part of the config.
        #[serde(skip)]
        of: (&'static str, String),
        /// Which ratio.
        volume: Volume,
        /// W.
        width: usize,
        /// P.
        parts: usize,
        /// The depths.
        layers: Vec<usize>,
        /// Masks drawn for each sampled point.
        samples: usize,
        /// Seed.
        seed: u64,
    },
    /// Theory and Monte Carlo in one place.
    Meeting {
        /// What METHODS §9 gives for it; no part of the config.
        #[serde(skip)]
        methods: Option<MethodsValue>,
        /// W.
        width: usize,
        /// L.
        layers: usize,
        /// P.
        parts: usize,
        /// Edge probability.
        p: f64,
        /// Masks drawn by each estimator.
        samples: usize,
        /// Seed.
        seed: u64,
    },
}

impl Theory {
    fn curves(&self) -> Vec<TheoryCell> {
        let curve = |of, volume, width, parts, layers: &[usize], samples| TheoryCell::Curve {
            of,
            volume,
            width,
            parts,
            layers: layers.to_vec(),
            samples,
            seed: self.seed,
        };
        let mut found = Vec::new();
        let s = &self.literal;
        for reading in [Reading::Choices, Reading::Distinct] {
            for &needed in &s.needed {
                for &width in &s.widths {
                    let volume = Volume::Literal { reading, needed };
                    let of = ("literal", String::new());
                    found.push(curve(of, volume, width, s.parts, &s.layers, 0));
                }
            }
        }
        let s = &self.random_mask;
        for &width in &s.widths {
            let volume = Volume::ModularDegree { degree: s.degree };
            let of = ("random-mask", String::new());
            found.push(curve(of, volume, width, s.parts, &s.layers, s.samples));
        }
        for s in &self.budget {
            for &width in &s.widths {
                for &edges in &s.edges {
                    let volume = Volume::Budget { edges };
                    let of = ("budget", String::new());
                    let cell = curve(of, volume, width, s.parts, &s.layers, s.samples);
                    if !found.contains(&cell) {
                        found.push(cell);
                    }
                }
            }
        }
        let s = &self.sensitivity;
        for v in &s.volumes {
            for &parts in &s.parts {
                let is_rare =
                    matches!(v.volume, Volume::Budget { .. }) && s.rare_parts.contains(&parts);
                let samples = if is_rare { s.rare_samples } else { s.samples };
                let of = ("parts", v.name.clone());
                found.push(curve(of, v.volume, v.width, parts, &s.layers, samples));
            }
        }
        found
    }

    fn meetings(&self) -> Vec<TheoryCell> {
        let s = &self.agreement;
        let meeting = |methods, width, layers, parts, p| TheoryCell::Meeting {
            methods,
            width,
            layers,
            parts,
            p,
            samples: s.samples,
            seed: self.seed,
        };
        let mut found: Vec<_> = self
            .values
            .iter()
            .map(|v| meeting(Some(*v), v.width, v.layers, v.parts, v.p))
            .collect();
        for &width in &s.widths {
            for &layers in &s.layers {
                for &parts in s.parts.iter().filter(|k| **k <= width) {
                    for &p in &s.densities {
                        found.push(meeting(None, width, layers, parts, p));
                    }
                }
            }
        }
        found
    }
}

fn rounded(estimate: Estimate) -> Estimate {
    let Interval { estimate: value, low, high } = estimate.probability;
    Estimate {
        probability: Interval {
            estimate: six_digits(value),
            low: six_digits(low),
            high: six_digits(high),
        },
        ..estimate
    }
}

fn outcome(cell: &TheoryCell) -> Result<TheoryFound, VolumeError> {
    match cell {
        TheoryCell::Curve { volume, width, parts, layers, samples, seed, .. } => {
            let points = curve(*volume, *width, layers, *parts, *samples, *seed)?;
            let six = |value: Option<f64>| value.map(six_digits);
            Ok(TheoryFound::Curve(CurveValues {
                depths: layers.clone(),
                value: points.iter().map(|p| six(p.value)).collect(),
                low: points.iter().map(|p| six(p.low)).collect(),
                high: points.iter().map(|p| six(p.high)).collect(),
                samples: points.iter().map(|p| p.samples).collect(),
            }))
        }
        &TheoryCell::Meeting { width, layers, parts, p, samples, seed, .. } => {
            let exact = match exact::probability(width, layers, parts, p) {
                Ok(value) => Some(value),
                Err(VolumeError::TooLarge { .. }) => None,
                Err(error) => return Err(error),
            };
            let ln_expected = moment::ln_expected_labellings(width, layers, parts, p)?;
            Ok(TheoryFound::Meeting(MeetingValues {
                ln_expected,
                exact,
                direct: rounded(direct(width, layers, parts, p, samples, seed)?),
                karp_luby: rounded(karp_luby(width, layers, parts, p, samples, seed)?),
            }))
        }
    }
}

impl Grid for Theory {
    const KIND: &'static str = "theory";
    const FORMAT: &'static str = "picloom-theory/1";
    type Inputs = ();
    type Cell = TheoryCell;
    type Key = TheoryKey;
    type Found = TheoryFound;

    fn inputs(&self, _: &Path) -> Result<(), SpecError> {
        Ok(())
    }

    /// Curves, then meetings, those of METHODS first.
    fn cells(&self, _: &()) -> Vec<TheoryCell> {
        [self.curves(), self.meetings()].concat()
    }

    fn label(cell: &TheoryCell) -> String {
        match cell {
            TheoryCell::Curve { volume, width, parts, .. } => {
                let volume = match volume {
                    Volume::Literal { reading, needed } => {
                        format!("literal {reading:?}, D {needed}").to_lowercase()
                    }
                    Volume::Modular { p } => format!("random mask, p {p}"),
                    Volume::ModularDegree { degree } => format!("random mask, in-degree {degree}"),
                    Volume::Expected { p } => format!("E[N], p {p}"),
                    Volume::Budget { edges } => format!("{edges} edges"),
                };
                format!("{volume}, W {width}, P {parts}")
            }
            TheoryCell::Meeting { width, layers, parts, p, .. } => {
                format!("theory and Monte Carlo at W {width}, L {layers}, P {parts}, p {p}")
            }
        }
    }

    fn cost(cell: &TheoryCell) -> f64 {
        // Additions a second of one core.
        const ADDITIONS: f64 = 3e8;
        let additions = match cell {
            TheoryCell::Curve { volume, width, layers, samples, .. } => {
                let units: usize = layers.iter().map(|l| l * width).sum();
                match volume {
                    Volume::Budget { edges } => {
                        1.6 * (samples * (layers.len() * edges + units)) as f64
                    }
                    Volume::Modular { .. } | Volume::ModularDegree { .. } if *width > 6 => {
                        (samples * width * units) as f64
                    }
                    // Counted, not drawn.
                    _ => 1e6,
                }
            }
            TheoryCell::Meeting { width, layers, samples, .. } => {
                (3 * samples * layers * width.pow(3)) as f64
            }
        };
        additions / ADDITIONS
    }

    fn key(_: &(), cell: &TheoryCell) -> TheoryKey {
        match cell.clone() {
            TheoryCell::Curve { of: (group, name), volume, width, parts, .. } => {
                TheoryKey::Curve(CurveKey { group: group.into(), name, volume, width, parts })
            }
            TheoryCell::Meeting { methods, width, layers, parts, p, .. } => {
                TheoryKey::Meeting(MeetingKey { width, layers, parts, p, methods })
            }
        }
    }

    fn compute(
        _: &(),
        cell: &TheoryCell,
        _: &Path,
        _: Ask<'_>,
    ) -> Result<Option<TheoryFound>, String> {
        outcome(cell).map(Some).map_err(|e| e.to_string())
    }

    fn summary(record: &TheoryRecord) -> String {
        summary(record)
    }
}
