//! Genome → graph network: the genes as they are, no relays.

use super::{Link, Network, Unit, Weights};
use crate::genome::{Genome, Input, NodeId, Output, Role};
use std::collections::{BTreeMap, BTreeSet};

/// Compiles the expressed part of a genome: enabled links between nodes from which an output can
/// be reached. Output nodes keep their own activation; a grey genome draws h = s = 0.
///
/// Units are ordered by depth, then node id; the four inputs come first. The genome is not changed.
pub fn compile(genome: &Genome) -> (Network, Weights) {
    let depths = genome.depths();
    let useful = useful_nodes(genome);
    let mut order: Vec<NodeId> = genome
        .nodes()
        .filter(|n| !matches!(n.role, Role::Input(_)) && useful.contains(&n.id))
        .map(|n| n.id)
        .collect();
    order.sort_by_key(|id| (depths[id], *id));

    let mut place: BTreeMap<NodeId, usize> = BTreeMap::new();
    let mut units = Vec::with_capacity(4 + order.len());
    for (u, input) in Input::ALL.into_iter().enumerate() {
        let node = genome.input(input);
        place.insert(node.id, u);
        units.push(Unit { activation: node.activation, layer: 0, links: 0..0 });
    }
    for (k, id) in order.iter().enumerate() {
        place.insert(*id, 4 + k);
    }

    let mut incoming: BTreeMap<NodeId, Vec<(usize, f64)>> = BTreeMap::new();
    for c in genome.connections().filter(|c| c.enabled && useful.contains(&c.target)) {
        incoming.entry(c.target).or_default().push((place[&c.source], c.weight));
    }
    let (mut links, mut weights) = (Vec::new(), Vec::new());
    for id in &order {
        let target = units.len();
        let first = links.len();
        let mut sources = incoming.remove(id).unwrap_or_default();
        sources.sort_by_key(|(source, _)| *source);
        for (source, weight) in sources {
            links.push(Link { source, target });
            weights.push(weight as f32);
        }
        let activation = genome.node(*id).expect("ordered nodes exist").activation;
        // A hidden node that no link enters still stands after the inputs: it is a constant.
        units.push(Unit { activation, layer: depths[id].max(1), links: first..links.len() });
    }

    let draw = |output: Output| genome.output(output).map(|n| place[&n.id]);
    let outputs = [
        draw(Output::Hue),
        draw(Output::Saturation),
        draw(Output::Brightness).or_else(|| draw(Output::Ink)),
    ];
    (
        Network { inputs: Input::ALL, units, links, outputs, blocks: Vec::new(), arch: None },
        Weights(weights),
    )
}

/// Outputs, and nodes from which an enabled path leads to an output.
pub(super) fn useful_nodes(genome: &Genome) -> BTreeSet<NodeId> {
    let mut useful: BTreeSet<NodeId> =
        genome.nodes().filter(|n| matches!(n.role, Role::Output(_))).map(|n| n.id).collect();
    for id in genome.topological_order().into_iter().rev() {
        let feeds =
            genome.connections().any(|c| c.enabled && c.source == id && useful.contains(&c.target));
        if feeds {
            useful.insert(id);
        }
    }
    useful
}
