//! The parts of a genome that may change: everything, its colour, or everything but its colour
//! \[ours\].
//!
//! Picbreeder's users asked for it: to keep a form and vary its colours, or the reverse. The border is
//! drawn by what a gene can reach. A node is *of the colour* if hue or saturation can be reached from it
//! (or it is one of them) and brightness cannot; a link is of the colour if its target is. Links that are
//! off count as links.

use crate::base::names::names;
use crate::genome::{Genome, NodeId, Output};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The parts of the children that may change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Parts {
    /// Everything.
    #[default]
    Both,
    /// Everything but what is of the colour.
    Structure,
    /// The colour only: the brightness of every pixel stays, to the bit.
    Colour,
}

names! { Parts, "parts": Both "both", Structure "structure", Colour "colour" }

/// The nodes whose activation, and the links into them, may change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Open {
    /// All.
    All,
    /// These.
    Nodes(BTreeSet<NodeId>),
}

impl Open {
    /// True if `node` and the links into it may change.
    pub fn has(&self, node: NodeId) -> bool {
        match self {
            Open::All => true,
            Open::Nodes(nodes) => nodes.contains(&node),
        }
    }

    /// Of `genome`, the same without the nodes `fixed`.
    pub(super) fn without(&self, fixed: impl Iterator<Item = NodeId>, genome: &Genome) -> Open {
        let fixed: BTreeSet<NodeId> = fixed.collect();
        if fixed.is_empty() {
            return self.clone();
        }
        let open = genome.nodes().map(|node| node.id);
        Open::Nodes(open.filter(|id| self.has(*id) && !fixed.contains(id)).collect())
    }
}

impl Parts {
    /// True if everything may change.
    pub(crate) fn is_both(&self) -> bool {
        *self == Parts::Both
    }

    /// The genes of `genome` that may change. A grey genome has no genes of colour.
    pub fn open(self, genome: &Genome) -> Open {
        if self == Parts::Both {
            return Open::All;
        }
        let node = |output| genome.output(output).map(|node| node.id);
        let coloured = above(genome, &[node(Output::Hue), node(Output::Saturation)]);
        let bright = above(genome, &[node(Output::Brightness), node(Output::Ink)]);
        let colour = &coloured - &bright;
        match self {
            Parts::Colour => Open::Nodes(colour),
            _ => Open::Nodes(&genome.nodes().map(|node| node.id).collect() - &colour),
        }
    }
}

/// The nodes from which one of `ends` can be reached, these among them.
fn above(genome: &Genome, ends: &[Option<NodeId>]) -> BTreeSet<NodeId> {
    let mut found: BTreeSet<NodeId> = ends.iter().flatten().copied().collect();
    // Sources come before targets: one walk backwards meets every node after all that hear it.
    for &node in genome.topological_order().iter().rev() {
        if found.contains(&node) {
            found.extend(genome.connections().filter(|c| c.target == node).map(|c| c.source));
        }
    }
    found
}
