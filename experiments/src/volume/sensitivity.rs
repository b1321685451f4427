//! How much the volume ratio depends on the number of parts P (claim C10).

use super::literal::{self, Reading};
use super::sample::Estimate;
use super::{VolumeError, budget, exact, moment, sample};
use serde::{Deserialize, Serialize};

/// Which volume ratio, with its own parameters.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "ratio", deny_unknown_fields)]
pub(crate) enum Volume {
    /// A literal reading, times the gate of a picture that needs depth `needed`.
    Literal {
        /// Which.
        reading: Reading,
        /// D.
        needed: f64,
    },
    /// Random-mask modularity: exact where that takes at most 6 units a layer; else Karp–Luby if
    /// E\[N\] < 1 and its table is not too large, else direct: a Karp–Luby sample has a relative
    /// variance of at most E\[N\]/Pr, a direct one 1/Pr.
    Modular {
        /// Edge probability.
        p: f64,
    },
    /// Random-mask modularity at a fixed mean in-degree: p = min(1, degree/W).
    ModularDegree {
        /// Expected links into a hidden unit.
        degree: f64,
    },
    /// Expected number of labellings E\[N\], an upper bound on `Modular`.
    Expected {
        /// Edge probability.
        p: f64,
    },
    /// Fixed edge budget.
    Budget {
        /// K.
        edges: usize,
    },
}

/// One point of a curve over depth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Point {
    /// L.
    pub layers: usize,
    /// The ratio; `None` where the family is empty (a budget larger than the slots).
    pub value: Option<f64>,
    /// 95 % interval of sampled values; equal to the value for exact ones.
    pub low: Option<f64>,
    /// Upper end.
    pub high: Option<f64>,
    /// Masks drawn; 0 for exact values.
    pub samples: usize,
}

/// The ratio of W units a layer and P parts at every depth. Sampled points use `samples` draws, streams keyed by
/// `seed` and the point's own parameters: a point does not depend on which others are asked for.
///
/// # Errors
/// A parameter out of range, or a point too large for its method.
pub(crate) fn curve(
    volume: Volume,
    width: usize,
    layers: &[usize],
    parts: usize,
    samples: usize,
    seed: u64,
) -> Result<Vec<Point>, VolumeError> {
    layers.iter().map(|&layers| point(volume, width, layers, parts, samples, seed)).collect()
}

fn point(
    volume: Volume,
    width: usize,
    layers: usize,
    parts: usize,
    samples: usize,
    seed: u64,
) -> Result<Point, VolumeError> {
    super::checked(width, layers, parts, 0.0)?;
    let exactly = |value: f64| {
        let value = Some(value);
        Point { layers, value, low: value, high: value, samples: 0 }
    };
    let sampled = |found: Option<Estimate>| Point {
        layers,
        value: found.map(|e| e.probability.estimate),
        low: found.map(|e| e.probability.low),
        high: found.map(|e| e.probability.high),
        samples: found.map_or(0, |e| e.samples),
    };
    let modular = |p: f64| {
        if width <= 6 {
            return Ok(exactly(exact::probability(width, layers, parts, p)?));
        }
        let rare = match moment::ln_expected_labellings(width, layers, parts, p) {
            Ok(ln_expected) => ln_expected < 0.0,
            Err(VolumeError::TooLarge { .. }) => false,
            Err(error) => return Err(error),
        };
        let direct = || sample::direct(width, layers, parts, p, samples, seed);
        match rare.then(|| sample::karp_luby(width, layers, parts, p, samples, seed)) {
            None | Some(Err(VolumeError::TooLarge { .. })) => direct(),
            Some(found) => found,
        }
        .map(|e| sampled(Some(e)))
    };
    match volume {
        Volume::Literal { reading, needed } => {
            Ok(exactly(literal::gated(reading, width, layers, parts, needed)))
        }
        Volume::Modular { p } => modular(p),
        Volume::ModularDegree { degree } => modular((degree / width as f64).min(1.0)),
        Volume::Expected { p } => {
            Ok(exactly(moment::expected_labellings(width, layers, parts, p)?))
        }
        Volume::Budget { edges } => {
            Ok(sampled(budget::probability(width, layers, edges, parts, samples, seed)?))
        }
    }
}
