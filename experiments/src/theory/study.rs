//! The theory as a grid. A cell is one curve over depth, or one case in which theory and Monte Carlo meet; the
//! record holds them all.

use super::findings;
use super::record::{
    CurveKey, CurveValues, MeetingKey, MeetingValues, TheoryFound, TheoryKey, meetings, peaks,
};
use super::spec::{MethodsValue, Theory, TheoryRecord};
use crate::volume::literal::Reading;
use crate::volume::sample::{Estimate, direct, karp_luby};
use crate::volume::sensitivity::{Volume, curve};
use crate::volume::{VolumeError, exact, moment};
use picloom::base::stats::Interval;
use picloom::study::grid::Grid;
use picloom::study::record::six_digits;
use picloom::study::spec::SpecError;
use picloom::study::workers::Ask;
use serde::Serialize;
use std::path::Path;

/// One cell.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "cell")]
pub(crate) enum TheoryCell {
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
        /// The value of METHODS §9 for it; no part of the config.
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

/// The findings, for people.
fn summary(record: &TheoryRecord) -> String {
    let mut text = String::from("METHODS §9          theirs      exact     direct [95 %]\n");
    for (row, v) in meetings(record) {
        let Some(m) = &row.methods else { continue };
        let d = v.direct.probability;
        text += &format!(
            "({}, {}, {}, {:<4}) {}{:>12.6e} {:>12} {:.6e} [{:.6e}, {:.6e}]\n",
            row.width,
            row.layers,
            row.parts,
            row.p,
            if m.approximate { "≈" } else { " " },
            m.probability,
            v.exact.map_or("–".into(), |e| format!("{e:.6e}")),
            d.estimate,
            d.low,
            d.high
        );
    }
    text += "\nfixed budget: best depth (depths whose intervals reach it)\n";
    for (row, _, peak) in peaks(record, "budget") {
        if let Volume::Budget { edges } = row.volume {
            text += &format!(
                "W {:>3} K {edges:>3} P {}: L {} ({}–{}), {:.4}\n",
                row.width, row.parts, peak.layers, peak.from, peak.to, peak.value
            );
        }
    }
    text + "\n" + &findings::summary(record)
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

    fn check_found(_: &(), cell: &TheoryCell, found: &TheoryFound) -> Result<(), String> {
        let fits = match (cell, found) {
            (TheoryCell::Curve { layers, .. }, TheoryFound::Curve(values)) => {
                let CurveValues { depths, value, low, high, samples } = values;
                let lengths = [value.len(), low.len(), high.len(), samples.len()];
                depths == layers && lengths.iter().all(|length| *length == depths.len())
            }
            (TheoryCell::Meeting { .. }, TheoryFound::Meeting(_)) => true,
            _ => false,
        };
        let what = match found {
            TheoryFound::Curve(_) => "a curve over other depths, or with gaps",
            TheoryFound::Meeting(_) => "a meeting of theory and Monte Carlo",
        };
        if fits { Ok(()) } else { Err(what.into()) }
    }

    fn summary(record: &TheoryRecord) -> String {
        summary(record)
    }
}
