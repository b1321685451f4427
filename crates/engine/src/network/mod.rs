//! From genome to picture: a flat, topological, immutable [`Network`] and its [`Weights`].
//!
//! In: a genome, or an arch string. Out: pictures, feature maps, losses and gradients. It does
//! not know about optimizers, runs or files of runs.
//!
//! Dimension letters: P pixels, U units, I inputs, O outputs (3), W weights, L hidden layers.

pub mod arch;
mod arrays;
pub mod canvas;
mod compile;
mod condition;
pub mod coords;
pub mod export;
pub mod family;
pub mod kernel;
mod layerize;
mod model;
pub mod npz;
pub mod palette;
mod pickle;
pub mod picture;
pub mod picture_file;
pub mod reference;
mod trained_wiring;
pub mod transform;
pub mod weight_files;

pub use arch::{Arch, LARGEST_NETWORK};
pub(crate) use arrays::Arrays;
pub use canvas::{Canvas, Framing, Point, Size};
pub use compile::compile;
pub(crate) use compile::{link_genes, unit_nodes, with_weights};
pub use coords::{Coords, Frame, PixelInputs};
pub use layerize::{Layered, layered_arch, layerize};
pub use model::{Model, Wiring, holdable, read_genome, wirable};
pub use picture::{Picture, Squaring};
pub use trained_wiring::TrainedWiring;
pub use transform::Transform;

use crate::genome::Input;
use crate::math::Activation;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// A unit: sums its links, applies its activation.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Unit {
    /// Applied to the weighted sum. Input units have `Identity` and no links.
    pub activation: Activation,
    /// 0 for inputs; layered: hidden layers 1..=L, head L + 1; graph: longest path from the inputs.
    pub layer: usize,
    /// Its incoming links, a range of [`Network::links`] (and of every weight vector).
    pub links: Range<usize>,
}

/// A connection that carries a weight. Its index is the index of its weight.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Link {
    /// Unit whose value is read.
    pub source: usize,
    /// Unit whose sum it enters.
    pub target: usize,
}

/// One fully connected block of a layered network: `out × in` weights, row-major, beginning at
/// `offset` of the flat weight vector; `sources` and `targets` are unit ranges.
///
/// Read column-major (as nalgebra does) the same numbers are the `in × out` kernel of flax.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DenseBlock {
    /// First weight.
    pub offset: usize,
    /// Units that feed it (the previous layer).
    pub sources: Range<usize>,
    /// Units of this layer.
    pub targets: Range<usize>,
}

impl DenseBlock {
    /// Its weights, a range of the flat vector.
    pub fn weights(&self) -> Range<usize> {
        self.offset..self.offset + self.sources.len() * self.targets.len()
    }
}

/// A compiled, immutable network: units in topological order, its I inputs first.
///
/// Invariants: `units[..I]` are the inputs in the order of `inputs`; every link's source comes
/// before its target; links are sorted by target, then source; `units[u].links` is where `u`'s are.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Network {
    /// Inputs that units 0..I read: x, y, d, bias or those that its arch names, then the factors of a conditional network. (FER
    /// calls this order y, x, d, b because its `y` runs along the columns; its weight files fit
    /// this order, see `tests/archive/training.rs`.)
    pub inputs: Vec<Input>,
    /// All units, inputs first.
    pub units: Vec<Unit>,
    /// All links; W = `links.len()`.
    pub links: Vec<Link>,
    /// Units that draw hue, saturation and brightness; `None` draws 0 (a grey graph).
    pub outputs: [Option<usize>; 3],
    /// Layered networks: the blocks, first layer to head (L + 1 of them). Graphs: empty.
    pub blocks: Vec<DenseBlock>,
    /// Layered networks: their arch.
    pub arch: Option<Arch>,
}

impl Network {
    /// Number of factors: 0 for a network of one picture.
    pub fn factors(&self) -> usize {
        self.inputs.iter().filter(|input| input.is_factor()).count()
    }

    /// Number of weights, W.
    pub fn weight_count(&self) -> usize {
        self.links.len()
    }

    /// True for a layered network (dense blocks), false for a graph.
    pub fn is_layered(&self) -> bool {
        self.arch.is_some()
    }

    /// Number of layers after the inputs: L + 1 for layered networks, the depth for graphs.
    pub fn depth(&self) -> usize {
        self.units.iter().map(|u| u.layer).max().unwrap_or(0)
    }
}

/// The flat weight vector of a network: `weights.0[i]` belongs to `network.links[i]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Weights(pub Vec<f32>);

/// Which links are kept: one flag a weight. Removed links have weight 0 and gradient 0.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Mask(pub Vec<bool>);

impl Mask {
    /// A mask that keeps all of `count` links.
    pub fn all(count: usize) -> Self {
        Mask(vec![true; count])
    }

    /// The mask of the non-zero weights.
    pub fn non_zero(weights: &Weights) -> Self {
        Mask(weights.0.iter().map(|&w| w != 0.0).collect())
    }

    /// Number of links kept.
    pub fn kept(&self) -> usize {
        self.0.iter().filter(|&&k| k).count()
    }

    /// Sets the removed weights to exactly 0.
    pub fn apply(&self, weights: &mut Weights) {
        for (w, &keep) in weights.0.iter_mut().zip(&self.0) {
            if !keep {
                *w = 0.0;
            }
        }
    }
}
