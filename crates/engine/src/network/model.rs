//! A network as one value: its topology, the links that may carry a weight, and the weights.

use super::weight_files::read_weights;
use super::{Arch, LARGEST_NETWORK, Mask, Network, Weights, compile, layered_arch, layerize};
use crate::base::names::names;
use crate::base::refusal::Refusal;
use crate::genome::{self, Genome, NodeGene, Role};
use crate::math::Activation;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Where a network's links come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Wiring {
    /// The genome's own graph.
    #[default]
    Graph,
    /// The layered twin, only the links that the evolved network uses (its non-zero weights).
    Layerized,
    /// The layered twin, every link.
    Dense,
}

names! { Wiring, "wiring": Graph "graph", Layerized "layerized", Dense "dense" }

/// A network that can draw: what the rooms above hand to each other.
///
/// Mask and weights have one entry a link. Weights outside the mask are 0, but for a model whose
/// weights are only where training begins.
///
/// ```
/// use picloom_engine::genome::from_json;
/// use picloom_engine::network::{Coords, Model, Wiring};
///
/// let genome = from_json(include_str!("../../../../genomes/bred_moth.json"))?;
/// let graph = Model::of_genome(&genome, Wiring::Graph).picture(32, Coords::Fer);
/// let twin = Model::of_genome(&genome, Wiring::Layerized).picture(32, Coords::Fer);
/// assert!(graph.mse(&twin) < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// The topology.
    pub network: Network,
    /// (W,) links that may be non-zero.
    pub mask: Mask,
    /// (W,) weights.
    pub weights: Weights,
}

/// Reads a genome whose network in this wiring can be held in memory: that of a graph always can.
///
/// # Errors
/// As [`genome::read`]; a layered network of more than [`LARGEST_NETWORK`] weights, or of inputs
/// that have an activation of their own.
pub fn read_genome(path: &Path, wiring: Wiring) -> Result<Genome, Refusal> {
    wirable(genome::read(path)?, path, wiring)
}

/// A genome whose network in this wiring can be held in memory; an error names it `path`.
///
/// # Errors
/// As [`read_genome`].
pub fn wirable(genome: Genome, path: &Path, wiring: Wiring) -> Result<Genome, Refusal> {
    let genome = holdable(genome, path, wiring)?;
    let is_plain = |node: &&NodeGene| {
        !matches!(node.role, Role::Input(_))
            || matches!(node.activation, Activation::Identity | Activation::Cache)
    };
    if wiring != Wiring::Graph
        && let Some(node) = genome.nodes().find(|node| !is_plain(node))
    {
        let expected = "inputs without an activation of their own, which a layered network has not";
        let found = format!("{} at node {}", node.activation, node.id.0);
        return Err(unwirable(path, expected, found));
    }
    Ok(genome)
}

/// A genome whose network in this wiring can be held in memory; an error names it `path`.
///
/// # Errors
/// A layered network of more than [`LARGEST_NETWORK`] weights.
pub fn holdable(genome: Genome, path: &Path, wiring: Wiring) -> Result<Genome, Refusal> {
    if wiring == Wiring::Graph {
        return Ok(genome);
    }
    let arch = layered_arch(&genome);
    if arch.dense_params() > LARGEST_NETWORK {
        let expected =
            format!("a genome whose layered network has at most {LARGEST_NETWORK} weights");
        let (weights, layers, width) = (arch.dense_params(), arch.layers, arch.width());
        let found = format!("{weights} of {layers} layers of {width} units");
        return Err(unwirable(path, expected, found));
    }
    Ok(genome)
}

fn unwirable(path: &Path, expected: impl Into<String>, found: String) -> Refusal {
    Refusal::new("", expected, found).advising("take it as a graph").in_file(path)
}

impl Model {
    /// A network that keeps exactly its non-zero weights.
    pub fn new(network: Network, weights: Weights) -> Self {
        Model { mask: Mask::non_zero(&weights), network, weights }
    }

    /// A genome's network in one of its wirings, with the evolved weights.
    pub fn of_genome(genome: &Genome, wiring: Wiring) -> Self {
        let (network, weights) = match wiring {
            Wiring::Graph => compile(genome),
            _ => {
                let layered = layerize(genome);
                (layered.network, layered.weights)
            }
        };
        let mask = match wiring {
            Wiring::Layerized => Mask::non_zero(&weights),
            _ => Mask::all(weights.0.len()),
        };
        Model { network, mask, weights }
    }

    /// A layered network with the weights of a file (`.npz` or `.safetensors`); it keeps the
    /// non-zero ones.
    ///
    /// # Errors
    /// The file cannot be read, or its arrays are not those of `arch`.
    pub fn read(arch: &Arch, path: &Path) -> Result<Self, Refusal> {
        let network = arch.network();
        let weights = read_weights(path, &network)?;
        Ok(Model::new(network, weights))
    }

    /// Number of non-zero weights.
    pub fn non_zero(&self) -> usize {
        self.weights.0.iter().filter(|&&w| w != 0.0).count()
    }

    /// Layer of the target of a link: 1 = first hidden layer.
    ///
    /// # Panics
    /// If there is no such link.
    pub fn layer_of(&self, link: usize) -> usize {
        self.network.units[self.network.links[link].target].layer
    }
}
