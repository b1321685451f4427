//! Further measures (METHODS §7): one file each, with formula, range, source, and what it does
//! **not** mean.
//!
//! In: feature maps, pictures, weights. Out: numbers. None of them is the compositional score;
//! they stand beside it, with the evolved reference and same-count controls.
//!
//! | file | measure | range |
//! |---|---|---|
//! | [`orthogonality`] | interference of a layer's maps, Welch bound, excess | 0…1 |
//! | [`roughness`] | how wrinkled maps are | 0… |
//! | [`duplicates`] | share of units that repeat another | 0…1 |
//! | [`symmetry`] | share of a sweep's change that keeps the mirror symmetry | 0…1 |
//! | [`fan_in`] | effective number of inputs a unit listens to | 1…fan-in |
//! | [`reuse`] | mean live out-degree | 0… |
//! | [`modularity`] | modules, Newman's Q, its z-score | −½…1 |
//! | [`dci`] | disentanglement and completeness of weights × attributes | 0…1 |
//! | [`label_agreement`] | do links people labelled alike act alike? | AUC |
//! | [`decodability`] | what a linear probe reads from the maps | R² ≤ 1 |
//! | [`mechanisms`] | sharpness, Hessian trace, gradient noise, norm at a network | 0… |
//! | [`function`] | modules of units that do the same to the picture, and whether links keep to them | −1…1 |
//! | [`modules`] | components of a mask, the theory's counts on a trained network | 0… |
//! | [`sparsity`] | depth and in-degrees of the alive wiring | 0… |
//! | [`structural`] | are parts of the picture drawn by separable subnetworks? | −1…1 |
//!
//! [`summary`] takes them together for records and cards. [`attributes`] holds what `dci` and `decodability` measure on pictures.

use crate::probe::{View, WeightSweep};
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub mod attributes;
pub mod components;
pub mod dci;
pub mod decodability;
pub mod duplicates;
pub mod fan_in;
pub mod function;
pub mod label_agreement;
pub mod mechanisms;
pub mod modularity;
pub mod modules;
pub mod orthogonality;
pub mod reuse;
pub mod roughness;
pub mod sparsity;
pub mod structural;
pub mod summary;
pub mod symmetry;

/// Takes a measure of a sweep: what a record keeps of it, and its rows.
pub type OfSweep = fn(&View, &WeightSweep) -> (Value, Vec<Measure>);

/// The measures of a sweep, by the names under which a card keeps them.
pub const OF_SWEEPS: [(&str, OfSweep); 2] =
    [("symmetry", symmetry::of_sweep), ("dci", dci::of_sweep)];

/// One number of a network, with what to compare it with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Measure {
    /// Short name for records, words joined by `-`.
    pub key: String,
    /// Name for people.
    pub name: String,
    /// The number; none if this network has no such number.
    pub value: Option<f64>,
    /// Which values can be, e.g. `0 to 1`.
    pub range: String,
    /// The same number of the same network with its weights shuffled within layers; none if it was
    /// not taken.
    pub shuffled: Option<f64>,
    /// The same number of the evolved network behind a trained one; none if there is none.
    pub evolved: Option<f64>,
    /// What the number is compared with, in words.
    pub reference: String,
}

impl Measure {
    /// A number that is compared with nothing but its `reference`.
    pub fn alone(
        key: &str,
        name: &str,
        value: Option<f64>,
        range: &str,
        reference: impl Into<String>,
    ) -> Self {
        let (key, name, range) = (key.into(), name.into(), range.into());
        let reference = reference.into();
        Measure { key, name, value, range, shuffled: None, evolved: None, reference }
    }
}

/// What a record keeps.
fn kept(found: &impl Serialize) -> Value {
    serde_json::to_value(found).expect("a measure is plain data")
}

/// Two maps with |cosine| above this are one map: a relay and its source differ by f32 rounding.
pub const SAME_MAP: f64 = 0.999;

/// Σ aᵢbᵢ in f64, in order.
fn dot(a: &[f32], b: &[f32]) -> f64 {
    a.iter().zip(b).map(|(&a, &b)| f64::from(a) * f64::from(b)).sum()
}

/// cos(a, b), uncentred, in [−1, 1]; 0 if either is all zero.
fn cosine(a: &[f32], b: &[f32]) -> f64 {
    let norms = (dot(a, a) * dot(b, b)).sqrt();
    if norms == 0.0 { 0.0 } else { (dot(a, b) / norms).clamp(-1.0, 1.0) }
}

/// Classes of equal maps: for each map the index of the first one with |cos| > [`SAME_MAP`]
/// (itself if there is none, or if it is all zero and no earlier map is).
///
/// # Panics
/// If the maps have different lengths.
fn classes(maps: &[&[f32]]) -> Vec<usize> {
    let squares: Vec<f64> = maps.iter().map(|m| dot(m, m)).collect();
    let mut first: Vec<usize> = Vec::with_capacity(maps.len());
    for (i, map) in maps.iter().enumerate() {
        assert_eq!(map.len(), maps[0].len(), "maps over the same pixels");
        let same = (0..i).filter(|&j| first[j] == j).find(|&j| {
            let norms = (squares[i] * squares[j]).sqrt();
            if norms == 0.0 {
                squares[i] == squares[j]
            } else {
                dot(map, maps[j]).abs() / norms > SAME_MAP
            }
        });
        first.push(same.unwrap_or(i));
    }
    first
}
