//! Genome → layered network that draws the same picture (FER's layerizing, METHODS §1).
//!
//! A node's layer is its longest path from the inputs; relay units (`cache`) carry a value from
//! its layer to its last reader, and outputs to the end; every hidden layer has the same block of
//! units, as large for each activation as the neediest layer; the head is linear.

use super::compile::{layers as layers_of, useful_nodes};
use super::{Arch, Network, Weights};
use crate::genome::{Genome, Inputs, NodeId, Output};
use crate::math::Activation;
use std::collections::{BTreeMap, BTreeSet};

/// A layered network with the evolved weights, and where each node went.
#[derive(Clone, Debug)]
pub struct Layered {
    /// The dense network; most of its weights are 0.
    pub network: Network,
    /// Evolved weights, 1 on relay links, 0 elsewhere.
    pub weights: Weights,
    /// Unit of each node in the layer where it computes (inputs: the first units).
    pub units: BTreeMap<NodeId, usize>,
}

impl Layered {
    /// The arch string's value.
    pub fn arch(&self) -> &Arch {
        self.network.arch.as_ref().expect("layerizing gives an arch")
    }

    /// Number of non-zero weights.
    pub fn nonzero(&self) -> usize {
        self.weights.0.iter().filter(|&&w| w != 0.0).count()
    }
}

/// The arch of the network that [`layerize`] makes, without making it: that of a long genome may be
/// too large to hold.
pub fn layered_arch(genome: &Genome) -> Arch {
    let genome = genome.with_colour_outputs();
    let Places { placed, last, layers, .. } = Places::of(&genome);
    arch_of(&genome, &placed, &last, layers)
}

/// Where the nodes of a colour genome stand.
struct Places {
    placed: BTreeMap<NodeId, usize>,
    useful: BTreeSet<NodeId>,
    outputs: [NodeId; 3],
    /// The last layer in which a node's value must stand.
    last: BTreeMap<NodeId, usize>,
    layers: usize,
}

impl Places {
    fn of(genome: &Genome) -> Self {
        let placed = layers_of(genome);
        let layer_of = |id: NodeId| placed[&id];
        let useful = useful_nodes(genome);
        let outputs = [Output::Hue, Output::Saturation, Output::Brightness]
            .map(|o| genome.output(o).expect("colour outputs were added").id);
        let layers = outputs.iter().map(|&id| layer_of(id)).max().expect("three outputs");
        let mut last: BTreeMap<NodeId, usize> =
            useful.iter().map(|&id| (id, layer_of(id))).collect();
        for c in genome.connections().filter(|c| c.enabled && useful.contains(&c.target)) {
            let reader = layer_of(c.target);
            let entry = last.entry(c.source).or_insert_with(|| layer_of(c.source));
            *entry = (*entry).max(reader - 1);
        }
        for id in outputs {
            last.insert(id, layers);
        }
        Places { placed, useful, outputs, last, layers }
    }
}

/// As many units of each activation as the neediest layer has, nodes and relays of others.
fn arch_of(
    genome: &Genome,
    placed: &BTreeMap<NodeId, usize>,
    last: &BTreeMap<NodeId, usize>,
    layers: usize,
) -> Arch {
    // By activation: how many more units each layer needs than the one before.
    let mut more: BTreeMap<Activation, Vec<isize>> = BTreeMap::new();
    let mut stand = |activation, from: usize, to: usize| {
        if from <= to {
            let more = more.entry(activation).or_insert_with(|| vec![0; layers + 2]);
            more[from] += 1;
            more[to + 1] -= 1;
        }
    };
    for (id, &end) in last {
        let own = placed[id];
        if own > 0 {
            stand(genome.node(*id).expect("ids come from the genome").activation, own, own);
        }
        stand(Activation::Cache, own + 1, end);
    }
    let need = |more: &Vec<isize>| {
        let units = more.iter().scan(0, |units, step| {
            *units += step;
            Some(*units)
        });
        units.max().unwrap_or(0) as usize
    };
    let needs = Activation::ALL.iter().filter_map(|a| Some((*a, need(more.get(a)?))));
    let block = needs.filter(|(_, n)| *n > 0).collect();
    let own = genome.inputs().into_iter().filter(|input| !input.is_factor()).collect();
    let inputs = Inputs::new(own).expect("x, y, d and bias are among them, each once");
    Arch { layers, block, inputs, factors: genome.factors() }
}

/// Layerizes a genome (a grey one with colour outputs added, see
/// [`Genome::with_colour_outputs`]).
///
/// L is the depth of the deepest output. Nodes that reach no output are dropped. A genome of
/// unknown origin is read by [`read_genome`](super::read_genome), which refuses one whose
/// network would be too large, or whose inputs have an activation that a file of the network would lose.
pub fn layerize(genome: &Genome) -> Layered {
    let genome = genome.with_colour_outputs();
    let Places { placed, useful, outputs, last, layers } = Places::of(&genome);
    let layer_of = |id: NodeId| placed[&id];
    let arch = arch_of(&genome, &placed, &last, layers);

    // Who stands in each hidden layer, as (activation, node): computed there, or relayed.
    let mut standing: Vec<Vec<(Activation, NodeId)>> = vec![Vec::new(); layers + 1];
    for (&id, &end) in &last {
        let own = layer_of(id);
        let activation = genome.node(id).expect("ids come from the genome").activation;
        for (layer, list) in standing.iter_mut().enumerate().take(end + 1).skip(1) {
            match layer.cmp(&own) {
                std::cmp::Ordering::Less => {}
                std::cmp::Ordering::Equal => list.push((activation, id)),
                std::cmp::Ordering::Greater => list.push((Activation::Cache, id)),
            }
        }
    }
    let mut network = arch.network();
    // An arch has no activations of inputs: a network with them is refused where files are read.
    for (u, input) in network.inputs.iter().copied().enumerate() {
        network.units[u].activation = genome.input(input).activation;
    }

    // place[layer][node]: the unit that holds the node's value in that layer.
    let mut place: Vec<BTreeMap<NodeId, usize>> = vec![BTreeMap::new(); layers + 1];
    for (u, input) in network.inputs.iter().copied().enumerate() {
        place[0].insert(genome.input(input).id, u);
    }
    for layer in 1..=layers {
        let mut next: BTreeMap<Activation, usize> = BTreeMap::new();
        let mut first = network.blocks[layer - 1].targets.start;
        for &(activation, count) in &arch.block {
            next.insert(activation, first);
            first += count;
        }
        standing[layer].sort();
        for &(activation, id) in &standing[layer] {
            let unit = next.get_mut(&activation).expect("the block has what every layer needs");
            place[layer].insert(id, *unit);
            *unit += 1;
        }
    }

    let mut weights = Weights(vec![0.0; network.weight_count()]);
    let mut set = |layer: usize, source: usize, target: usize, value: f32| {
        let block = &network.blocks[layer - 1];
        let row = target - block.targets.start;
        weights.0[block.offset + row * block.sources.len() + (source - block.sources.start)] =
            value;
    };
    for layer in 1..=layers {
        for &(activation, id) in &standing[layer] {
            if layer_of(id) < layer {
                debug_assert_eq!(activation, Activation::Cache);
                set(layer, place[layer - 1][&id], place[layer][&id], 1.0);
            }
        }
    }
    for c in genome.connections().filter(|c| c.enabled && useful.contains(&c.target)) {
        let layer = layer_of(c.target);
        set(layer, place[layer - 1][&c.source], place[layer][&c.target], c.weight as f32);
    }
    for (o, id) in outputs.into_iter().enumerate() {
        set(
            layers + 1,
            place[layers][&id],
            network.outputs[o].expect("layered networks draw in colour"),
            1.0,
        );
    }
    let units = last
        .keys()
        .map(|&id| (id, place[layer_of(id)].get(&id).copied()))
        .filter_map(|(id, u)| Some((id, u?)))
        .collect();
    Layered { network, weights, units }
}
