//! Further measures (METHODS §7): one file each, with formula, shapes, range, source, cost, and what it does
//! **not** mean.
//!
//! In: feature maps, pictures, weights. Out: numbers. None of them is the compositional score;
//! they stand beside it, with the evolved reference and same-count controls.
//!
//! U units, W links, P pixels. Costs count *drawings*: pictures of the network with some weights changed, of which only
//! the units that feel the change are computed.
//!
//! | file | measure | range |
//! |---|---|---|
//! | [`orthogonality`] | interference of a layer's maps, Welch bound, excess | 0…1 |
//! | [`roughness`] | how wrinkled maps are | 0… |
//! | [`duplicates`] | share of units that repeat another | 0…1 |
//! | [`symmetry`] | share of a sweep's change that keeps the mirror symmetry | 0…1 |
//! | [`fan_in`] | effective number of inputs a unit listens to | 1…fan-in |
//! | [`effective_links`] | links the picture needs, links that weigh alike | 0…links |
//! | [`reuse`] | mean live out-degree | 0… |
//! | [`modularity`] | modules, Newman's Q, its z-score | −½…1 |
//! | [`disentanglement`] | how far a weight moves one attribute of the picture only | 0…1 |
//! | [`dci`] | disentanglement and completeness of weights × attributes | 0…1 |
//! | [`decodability`] | what a linear probe reads from the maps | R² ≤ 1 |
//! | [`function`] | modules of units that do the same to the picture, and whether links keep to them | −1…1 |
//! | [`modules`] | components of a mask, the theory's counts on a trained network | 0… |
//! | [`sparsity`] | depth and in-degrees of the alive wiring | 0… |
//! | [`recombination`] | are held-out combinations of factors drawn as well as seen ones? | −∞…∞ |
//! | [`one_coordinate`] | of a picture: R² of the best function of one linear coordinate | 0…1 |
//!
//! [`summary`] takes them together for records and cards. [`attributes`] holds what `dci` and `decodability` measure on
//! pictures. Other crates add their own measures by [`own`], a program by [`command`].

use crate::network::Mask;
use crate::probe::{View, WeightSweep};
use serde_json::Value;

pub mod attributes;
pub mod command;
pub mod components;
pub mod dci;
pub mod decodability;
pub mod disentanglement;
pub mod duplicates;
pub mod effective_links;
pub mod fan_in;
pub mod function;
mod maps;
mod measure;
pub mod modularity;
pub mod modules;
pub mod one_coordinate;
pub mod orthogonality;
pub mod own;
pub mod recombination;
pub mod reuse;
pub mod roughness;
pub mod silencing;
pub mod sparsity;
pub mod summary;
pub mod symmetry;

pub use maps::{cosine, dot};
pub use measure::Measure;

/// Links on a path of non-zero weights from an input to an output, ascending.
pub fn living(view: &View) -> Vec<usize> {
    let model = view.model();
    let alive = crate::prune::alive(&model.network, &Mask::non_zero(&model.weights));
    (0..alive.0.len()).filter(|&link| alive.0[link]).collect()
}

/// Takes a measure of a sweep: what a record keeps of it, and its rows.
pub(crate) type OfSweep = fn(&View, &WeightSweep) -> (Value, Vec<Measure>);

/// The measures of a sweep, by the names under which a card keeps them.
pub(crate) const OF_SWEEPS: [(&str, OfSweep); 2] =
    [("symmetry", symmetry::of_sweep), ("dci", dci::of_sweep)];
