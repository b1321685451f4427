//! Genome → graph network: the genes as they are, no relays.

use super::{Link, Network, Unit, Weights};
use crate::base::refusal::Refusal;
use crate::genome::{Genome, InnovationId, NodeId, Output, Role};
use std::collections::{BTreeMap, BTreeSet};

/// Compiles the expressed part of a genome: enabled links between nodes from which an output can
/// be reached. Output nodes keep their own activation; a grey genome draws h = s = 0.
///
/// Units are ordered by depth, then node id; the inputs come first. The genome is not changed.
pub fn compile(genome: &Genome) -> (Network, Weights) {
    let inputs = genome.inputs();
    let layers = layers(genome);
    let useful = useful_nodes(genome);
    let nodes = unit_nodes(genome);
    let place: BTreeMap<NodeId, usize> = nodes.iter().enumerate().map(|(u, id)| (*id, u)).collect();
    let (heads, order) = nodes.split_at(inputs.len());
    let mut units = Vec::with_capacity(nodes.len());
    for id in heads {
        let activation = genome.node(*id).expect("inputs exist").activation;
        units.push(Unit { activation, layer: 0, links: 0..0 });
    }

    let mut incoming: BTreeMap<NodeId, Vec<(usize, f64)>> = BTreeMap::new();
    for c in genome.connections().filter(|c| c.enabled && useful.contains(&c.target)) {
        incoming.entry(c.target).or_default().push((place[&c.source], c.weight));
    }
    let (mut links, mut weights) = (Vec::new(), Vec::new());
    for id in order {
        let target = units.len();
        let first = links.len();
        let mut sources = incoming.remove(id).unwrap_or_default();
        sources.sort_by_key(|(source, _)| *source);
        for (source, weight) in sources {
            links.push(Link { source, target });
            weights.push(weight as f32);
        }
        let activation = genome.node(*id).expect("ordered nodes exist").activation;
        units.push(Unit { activation, layer: layers[id], links: first..links.len() });
    }

    let draw = |output: Output| genome.output(output).map(|n| place[&n.id]);
    let outputs = [
        draw(Output::Hue),
        draw(Output::Saturation),
        draw(Output::Brightness).or_else(|| draw(Output::Ink)),
    ];
    (Network { inputs, units, links, outputs, blocks: Vec::new(), arch: None }, Weights(weights))
}

/// The node of each unit of [`compile`]'s network, in unit order.
pub(crate) fn unit_nodes(genome: &Genome) -> Vec<NodeId> {
    let (depths, useful) = (genome.depths(), useful_nodes(genome));
    let mut order: Vec<NodeId> = genome
        .nodes()
        .filter(|n| !matches!(n.role, Role::Input(_)) && useful.contains(&n.id))
        .map(|n| n.id)
        .collect();
    order.sort_by_key(|id| (depths[id], *id));
    let inputs = genome.inputs().into_iter();
    inputs.map(|input| genome.input(input).id).chain(order).collect()
}

/// The gene of each link of [`compile`]'s network, in link order.
pub(crate) fn link_genes(genome: &Genome) -> Vec<InnovationId> {
    let nodes = unit_nodes(genome);
    let gene = |link: &Link| {
        let gene = genome.connection_between(nodes[link.source], nodes[link.target]);
        gene.expect("a link is compiled from a gene").innovation
    };
    compile(genome).0.links.iter().map(gene).collect()
}

/// The genome with these (W,) weights of [`compile`]'s network. A weight that is the gene's own in f32
/// leaves the gene as it is.
///
/// # Errors
/// A weight is not finite.
///
/// # Panics
/// If the weights are not as many as the network's links.
pub(crate) fn with_weights(genome: &Genome, weights: &Weights) -> Result<Genome, Refusal> {
    let genes = link_genes(genome);
    assert_eq!(genes.len(), weights.0.len(), "one weight a link");
    let mut tuned = genome.clone();
    for (gene, &weight) in genes.into_iter().zip(&weights.0) {
        let own = genome.connection(gene).expect("its own gene").weight;
        if own as f32 != weight {
            tuned.set_weight(gene, f64::from(weight))?;
        }
    }
    Ok(tuned)
}

/// Layer of each node: 0 for inputs, else one more than the deepest it hears. A node that nothing
/// enters is a constant and computes in the first layer, after the inputs; what hears only
/// constants stands after them.
pub(super) fn layers(genome: &Genome) -> BTreeMap<NodeId, usize> {
    let mut sources: BTreeMap<NodeId, Vec<NodeId>> = BTreeMap::new();
    for c in genome.connections().filter(|c| c.enabled) {
        sources.entry(c.target).or_default().push(c.source);
    }
    let mut layers = BTreeMap::new();
    for id in genome.topological_order() {
        let layer = match genome.node(id).expect("ids come from the genome").role {
            Role::Input(_) => 0,
            _ => 1 + sources.get(&id).into_iter().flatten().map(|s| layers[s]).max().unwrap_or(0),
        };
        layers.insert(id, layer);
    }
    layers
}

/// Outputs, and nodes from which an enabled path leads to an output.
pub(super) fn useful_nodes(genome: &Genome) -> BTreeSet<NodeId> {
    let mut useful: BTreeSet<NodeId> =
        genome.nodes().filter(|n| matches!(n.role, Role::Output(_))).map(|n| n.id).collect();
    let mut targets: BTreeMap<NodeId, Vec<NodeId>> = BTreeMap::new();
    for c in genome.connections().filter(|c| c.enabled) {
        targets.entry(c.source).or_default().push(c.target);
    }
    for id in genome.topological_order().into_iter().rev() {
        if targets.get(&id).is_some_and(|targets| targets.iter().any(|t| useful.contains(t))) {
            useful.insert(id);
        }
    }
    useful
}
