//! The theory as a study: `experiments/theory.toml`. A cell is one curve over depth, or one case in
//! which theory and Monte Carlo meet; the record holds them all.

use super::record::{CurveRow, CurveValues, MeetingRow, MeetingValues, TheoryRecord};
use crate::volume::literal::Reading;
use crate::volume::sample::{Estimate, direct, karp_luby};
use crate::volume::sensitivity::{Volume, table};
use crate::volume::{VolumeError, exact, moment};
use picloom::experiment::cells::CellStudy;
use picloom::experiment::record::{Record, six_digits};
use picloom::experiment::spec::{Spec, SpecError, SpecFile, check_name};
use picloom::experiment::workers::Ask;
use picloom::math::refusal::Refusal;
use picloom::math::stats::Interval;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;

/// What `experiments/theory.toml` says in one profile.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TheorySpec {
    /// Name of the study.
    pub name: String,
    /// What is asked.
    pub question: String,
    /// Decision rules by claim, written before the runs.
    pub rules: BTreeMap<String, String>,
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

impl Spec for TheorySpec {
    const KIND: &'static str = "theory";

    fn check(&self) -> Result<(), Refusal> {
        check_name("name", &self.name)?;
        let (literal, mask, met) = (&self.literal, &self.random_mask, &self.agreement);
        let budgets = self.budget.iter();
        let lists = [
            ("literal, widths", &literal.widths),
            ("literal, layers", &literal.layers),
            ("random_mask, widths", &mask.widths),
            ("random_mask, layers", &mask.layers),
            ("agreement, widths", &met.widths),
            ("agreement, layers", &met.layers),
            ("agreement, parts", &met.parts),
            ("sensitivity, parts", &self.sensitivity.parts),
            ("sensitivity, layers", &self.sensitivity.layers),
        ];
        let of_budgets = budgets.clone().flat_map(|b| {
            [
                ("budget, widths", &b.widths),
                ("budget, edges", &b.edges),
                ("budget, layers", &b.layers),
            ]
        });
        for (key, list) in lists.into_iter().chain(of_budgets) {
            let fits = !list.is_empty() && !list.contains(&0);
            Refusal::unless(fits, key, "numbers of at least 1", format!("{list:?}"))?;
        }
        let numbers = [
            ("literal, parts", literal.parts),
            ("random_mask, parts", mask.parts),
            ("random_mask, samples", mask.samples),
            ("agreement, samples", met.samples),
            ("sensitivity, samples", self.sensitivity.samples),
        ];
        let of_budgets =
            budgets.flat_map(|b| [("budget, parts", b.parts), ("budget, samples", b.samples)]);
        let of_volumes = self.sensitivity.volumes.iter().map(|v| ("volumes, width", v.width));
        for (key, number) in numbers.into_iter().chain(of_budgets).chain(of_volumes) {
            Refusal::unless(number > 0, key, "a number of at least 1", "0")?;
        }
        let degree = mask.degree > 0.0 && mask.degree.is_finite();
        let found = mask.degree.to_string();
        Refusal::unless(degree, "random_mask, degree", "a number above 0", found)?;
        let densities =
            !met.densities.is_empty() && met.densities.iter().all(|p| *p > 0.0 && *p <= 1.0);
        let found = format!("{:?}", met.densities);
        Refusal::unless(densities, "agreement, densities", "shares in (0, 1]", found)
    }
}

/// Both literal readings at every width and needed depth.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct LiteralSpec {
    pub parts: usize,
    pub widths: Vec<usize>,
    pub layers: Vec<usize>,
    /// D, of the expressivity gate.
    pub needed: Vec<f64>,
}

/// Random-mask modularity at a fixed mean in-degree.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct RandomMaskSpec {
    pub parts: usize,
    pub widths: Vec<usize>,
    pub layers: Vec<usize>,
    pub degree: f64,
    pub samples: usize,
}

/// Every combination, P ≤ W.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct AgreementSpec {
    pub widths: Vec<usize>,
    pub layers: Vec<usize>,
    pub parts: Vec<usize>,
    pub densities: Vec<f64>,
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
    pub parts: usize,
    pub widths: Vec<usize>,
    pub edges: Vec<usize>,
    pub layers: Vec<usize>,
    pub samples: usize,
}

/// Volumes whose dependence on P is asked.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct SensitivitySpec {
    pub parts: Vec<usize>,
    pub layers: Vec<usize>,
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
    pub width: usize,
    pub volume: Volume,
}

/// One cell.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "cell")]
pub enum TheoryCell {
    /// A ratio over depth.
    Curve {
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

/// What a cell leaves.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "cell")]
pub enum TheoryOutcome {
    /// Of a curve.
    Curve(CurveValues),
    /// Of a meeting.
    Meeting(MeetingValues),
}

/// A theory study in one profile.
#[derive(Clone, Debug)]
pub struct TheoryStudy {
    spec: TheorySpec,
    profile: String,
    /// Every curve with its group and name.
    curves: Vec<(&'static str, String, TheoryCell)>,
    /// Every meeting, those of METHODS first.
    meetings: Vec<(Option<MethodsValue>, TheoryCell)>,
}

impl TheoryStudy {
    /// Reads the spec at `path` in a profile; `None` is `standard`.
    ///
    /// # Errors
    /// Not readable, of another kind, no such profile, unknown keys.
    pub fn read(path: &Path, profile: Option<&str>) -> Result<Self, SpecError> {
        Self::of(&SpecFile::read(path)?, profile)
    }

    /// The same of a spec that is read.
    ///
    /// # Errors
    /// As there.
    pub fn of(file: &SpecFile<'_>, profile: Option<&str>) -> Result<Self, SpecError> {
        let (spec, profile) = file.spec(profile)?;
        Ok(TheoryStudy::new(spec, profile))
    }

    /// The cells of a spec.
    pub fn new(spec: TheorySpec, profile: String) -> Self {
        TheoryStudy { curves: spec.curves(), meetings: spec.meetings(), spec, profile }
    }

    /// What the spec says.
    pub fn spec(&self) -> &TheorySpec {
        &self.spec
    }
}

impl TheorySpec {
    fn curves(&self) -> Vec<(&'static str, String, TheoryCell)> {
        let spec = self;
        let curve = |volume, width, parts, layers: &[usize], samples| TheoryCell::Curve {
            volume,
            width,
            parts,
            layers: layers.to_vec(),
            samples,
            seed: spec.seed,
        };
        let mut found = Vec::new();
        let s = &spec.literal;
        for reading in [Reading::Choices, Reading::Distinct] {
            for &needed in &s.needed {
                for &width in &s.widths {
                    let volume = Volume::Literal { reading, needed };
                    let cell = curve(volume, width, s.parts, &s.layers, 0);
                    found.push(("literal", String::new(), cell));
                }
            }
        }
        let s = &spec.random_mask;
        for &width in &s.widths {
            let volume = Volume::ModularDegree { degree: s.degree };
            let cell = curve(volume, width, s.parts, &s.layers, s.samples);
            found.push(("random-mask", String::new(), cell));
        }
        for s in &spec.budget {
            for &width in &s.widths {
                for &edges in &s.edges {
                    let volume = Volume::Budget { edges };
                    let cell = curve(volume, width, s.parts, &s.layers, s.samples);
                    if !found.iter().any(|f| f.0 == "budget" && f.2 == cell) {
                        found.push(("budget", String::new(), cell));
                    }
                }
            }
        }
        let s = &spec.sensitivity;
        for v in &s.volumes {
            for &parts in &s.parts {
                let is_rare =
                    matches!(v.volume, Volume::Budget { .. }) && s.rare_parts.contains(&parts);
                let samples = if is_rare { s.rare_samples } else { s.samples };
                let cell = curve(v.volume, v.width, parts, &s.layers, samples);
                found.push(("parts", v.name.clone(), cell));
            }
        }
        found
    }

    fn meetings(&self) -> Vec<(Option<MethodsValue>, TheoryCell)> {
        let s = &self.agreement;
        let meeting = |width, layers, parts, p| TheoryCell::Meeting {
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
            .map(|v| (Some(*v), meeting(v.width, v.layers, v.parts, v.p)))
            .collect();
        for &width in &s.widths {
            for &layers in &s.layers {
                for &parts in s.parts.iter().filter(|k| **k <= width) {
                    for &p in &s.densities {
                        found.push((None, meeting(width, layers, parts, p)));
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

fn outcome(cell: &TheoryCell) -> Result<TheoryOutcome, VolumeError> {
    match cell {
        TheoryCell::Curve { volume, width, parts, layers, samples, seed } => {
            let points = table(*volume, &[*width], layers, &[*parts], *samples, *seed)?;
            let six = |value: Option<f64>| value.map(six_digits);
            Ok(TheoryOutcome::Curve(CurveValues {
                layers: layers.clone(),
                value: points.iter().map(|p| six(p.value)).collect(),
                low: points.iter().map(|p| six(p.low)).collect(),
                high: points.iter().map(|p| six(p.high)).collect(),
                samples: points.iter().map(|p| p.samples).collect(),
            }))
        }
        &TheoryCell::Meeting { width, layers, parts, p, samples, seed } => {
            let exact = match exact::probability(width, layers, parts, p) {
                Ok(value) => Some(value),
                Err(VolumeError::TooLarge { .. }) => None,
                Err(error) => return Err(error),
            };
            let ln_expected = moment::ln_expected_labellings(width, layers, parts, p)?;
            Ok(TheoryOutcome::Meeting(MeetingValues {
                ln_expected,
                exact,
                direct: rounded(direct(width, layers, parts, p, samples, seed)?),
                karp_luby: rounded(karp_luby(width, layers, parts, p, samples, seed)?),
            }))
        }
    }
}

impl CellStudy for TheoryStudy {
    type Cell = TheoryCell;
    type Outcome = TheoryOutcome;
    type Record = TheoryRecord;

    fn name(&self) -> &str {
        &self.spec.name
    }

    fn profile(&self) -> &str {
        &self.profile
    }

    fn count(&self) -> usize {
        self.curves.len() + self.meetings.len()
    }

    /// Curves, then meetings.
    fn cell(&self, number: usize) -> Cow<'_, TheoryCell> {
        Cow::Borrowed(match number.checked_sub(self.curves.len()) {
            None => &self.curves[number].2,
            Some(meeting) => &self.meetings[meeting].1,
        })
    }

    fn label(&self, cell: &TheoryCell) -> String {
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

    fn cost(&self, cell: &TheoryCell) -> f64 {
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

    fn compute(
        &self,
        cell: &TheoryCell,
        _folder: &Path,
        ask: Ask<'_>,
    ) -> Result<Option<TheoryOutcome>, String> {
        if !ask.going_on() {
            return Ok(None);
        }
        outcome(cell).map(Some).map_err(|e| e.to_string())
    }

    fn record(&self, outcomes: Vec<Result<TheoryOutcome, String>>) -> TheoryRecord {
        let mut outcomes = outcomes.into_iter();
        let mut record = TheoryRecord {
            format: TheoryRecord::FORMAT.into(),
            study: self.spec.name.clone(),
            question: self.spec.question.clone(),
            rules: self.spec.rules.clone(),
            profile: self.profile.clone(),
            curves: Vec::new(),
            meetings: Vec::new(),
        };
        for &(group, ref name, ref cell) in &self.curves {
            let &TheoryCell::Curve { volume, width, parts, .. } = cell else {
                unreachable!("a curve");
            };
            let (values, error) = match outcomes.next() {
                Some(Ok(TheoryOutcome::Curve(values))) => (Some(values), None),
                Some(Err(error)) => (None, Some(error)),
                _ => (None, Some("the cell left something else".into())),
            };
            record.curves.push(CurveRow {
                group: group.into(),
                name: name.clone(),
                volume,
                width,
                parts,
                values,
                error,
            });
        }
        for &(methods, ref cell) in &self.meetings {
            let &TheoryCell::Meeting { width, layers, parts, p, .. } = cell else {
                unreachable!("a meeting");
            };
            let (values, error) = match outcomes.next() {
                Some(Ok(TheoryOutcome::Meeting(values))) => (Some(values), None),
                Some(Err(error)) => (None, Some(error)),
                _ => (None, Some("the cell left something else".into())),
            };
            record.meetings.push(MeetingRow { width, layers, parts, p, methods, values, error });
        }
        record
    }
}
