//! The numbers of `picloom genome info` that come from the genome alone.

use super::{Genome, Role};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Counts and depths of a genome.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GenomeInfo {
    /// Nodes of every role.
    pub nodes: usize,
    /// Hidden nodes.
    pub hidden: usize,
    /// Connections, zero weights and disabled ones too.
    pub links: usize,
    /// Disabled connections among them.
    pub disabled: usize,
    /// Longest path from an input to an output, in links (enabled connections).
    pub depth: usize,
    /// Generations of selection behind the genome, if its file says so.
    pub age: Option<u64>,
    /// Names of the outputs.
    pub outputs: Vec<String>,
    /// Nodes of each activation.
    pub activations: BTreeMap<String, usize>,
    /// Always true: a `Genome` cannot hold a cycle. Printed because other readers find false
    /// cycles in the same files when they drop the branch from a node's key.
    pub acyclic: bool,
    /// Human labels and the number of nodes and links that carry each.
    pub labels: BTreeMap<String, usize>,
}

impl GenomeInfo {
    /// Counts of `genome`.
    pub fn of(genome: &Genome) -> Self {
        let depths = genome.depths();
        let mut activations = BTreeMap::new();
        let mut labels = BTreeMap::new();
        for node in genome.nodes() {
            *activations.entry(node.activation.name().to_string()).or_insert(0) += 1;
        }
        for label in genome
            .nodes()
            .flat_map(|n| &n.labels)
            .chain(genome.connections().flat_map(|c| &c.labels))
        {
            *labels.entry(label.clone()).or_insert(0) += 1;
        }
        let outputs: Vec<_> =
            genome.nodes().filter(|n| matches!(n.role, Role::Output(_))).collect();
        GenomeInfo {
            nodes: genome.nodes().len(),
            hidden: genome.nodes().filter(|n| n.role == Role::Hidden).count(),
            links: genome.connections().len(),
            disabled: genome.connections().filter(|c| !c.enabled).count(),
            depth: outputs.iter().map(|n| depths[&n.id]).max().unwrap_or(0),
            age: genome.provenance.generations,
            outputs: outputs
                .iter()
                .filter_map(|n| match n.role {
                    Role::Output(o) => Some(o.name().to_string()),
                    _ => None,
                })
                .collect(),
            activations,
            acyclic: true,
            labels,
        }
    }
}

impl Genome {
    /// Longest path from the inputs to each node, in enabled links. Inputs have depth 0, and so
    /// have nodes that no input reaches.
    pub(crate) fn depths(&self) -> BTreeMap<super::NodeId, usize> {
        let mut depths: BTreeMap<_, _> = self.nodes().map(|n| (n.id, 0)).collect();
        let order = self.topological_order();
        let mut incoming: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for c in self.connections().filter(|c| c.enabled) {
            incoming.entry(c.target).or_default().push(c.source);
        }
        for id in order {
            let depth = incoming
                .get(&id)
                .map_or(0, |sources| sources.iter().map(|s| depths[s] + 1).max().unwrap_or(0));
            depths.insert(id, depth);
        }
        depths
    }
}
