//! Historical markings: equal structure that arises in one generation gets equal numbers.
//!
//! Reference: Stanley & Miikkulainen 2002 §3.2 ("by keeping a list of the innovations that
//! occurred in the current generation …").

use crate::genome::{Genome, InnovationId, NodeId};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The numbers of a node put on a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Split {
    /// The new node.
    pub node: NodeId,
    /// The link into it.
    pub incoming: InnovationId,
    /// The link out of it.
    pub outgoing: InnovationId,
}

/// Hands out node and innovation numbers. One per run; call
/// `begin_generation` between generations.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct InnovationTracker {
    next_node: u32,
    next_innovation: u64,
    // As lists: JSON keys are texts.
    #[serde(with = "super::stored::pairs")]
    links: BTreeMap<(NodeId, NodeId), InnovationId>,
    #[serde(with = "super::stored::pairs")]
    splits: BTreeMap<InnovationId, Vec<Split>>,
}

impl InnovationTracker {
    /// A tracker whose numbers begin above those of all `genomes`.
    pub fn after<'a>(genomes: impl IntoIterator<Item = &'a Genome>) -> Self {
        let mut tracker = InnovationTracker::default();
        for genome in genomes {
            tracker.next_node = tracker.next_node.max(genome.next_node_id().0);
            let next = genome.connections().next_back().map_or(0, |c| c.innovation.0 + 1);
            tracker.next_innovation = tracker.next_innovation.max(next);
        }
        tracker
    }

    /// True if all its numbers lie above those of `genomes`.
    pub(super) fn is_above<'a>(&self, genomes: impl IntoIterator<Item = &'a Genome>) -> bool {
        let least = InnovationTracker::after(genomes);
        self.next_node >= least.next_node && self.next_innovation >= least.next_innovation
    }

    /// Forgets the structures of the generation that ended; numbers are never used again.
    pub(crate) fn begin_generation(&mut self) {
        self.links.clear();
        self.splits.clear();
    }

    /// The number of a link `source → target` in `genome`: the one another genome got for the same
    /// pair in this generation, if free in this genome, else a new one.
    pub(crate) fn link(&mut self, genome: &Genome, source: NodeId, target: NodeId) -> InnovationId {
        if let Some(&known) = self.links.get(&(source, target))
            && genome.connection(known).is_none()
        {
            return known;
        }
        let fresh = self.fresh_innovation();
        self.links.insert((source, target), fresh);
        fresh
    }

    /// The numbers of a node put on link `split` of `genome`: those another genome got for the
    /// same link in this generation, if this genome does not have them yet, else new ones.
    pub(crate) fn split(&mut self, genome: &Genome, split: InnovationId) -> Split {
        let known = self.splits.get(&split).into_iter().flatten();
        let free = known.into_iter().find(|s| {
            genome.node(s.node).is_none()
                && genome.connection(s.incoming).is_none()
                && genome.connection(s.outgoing).is_none()
        });
        if let Some(&found) = free {
            return found;
        }
        let (incoming, outgoing) = (self.fresh_innovation(), self.fresh_innovation());
        let fresh = Split { node: self.fresh_node(), incoming, outgoing };
        self.splits.entry(split).or_default().push(fresh);
        fresh
    }

    /// A node id that nothing has.
    pub(super) fn fresh_node(&mut self) -> NodeId {
        let fresh = NodeId(self.next_node);
        self.next_node += 1;
        fresh
    }

    /// An innovation number that nothing has.
    pub(super) fn fresh_innovation(&mut self) -> InnovationId {
        let fresh = InnovationId(self.next_innovation);
        self.next_innovation += 1;
        fresh
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::SimRng;
    use crate::evolve::{EvolveConfig, Preset, first_genome};

    #[test]
    fn equal_structure_shares_its_numbers_within_a_generation_only() {
        let config = EvolveConfig::preset(Preset::Neat);
        let genome = first_genome(&config, &mut SimRng::new(1, "test", 0));
        let mut tracker = InnovationTracker::after([&genome]);
        let link = genome.connections().next().unwrap().innovation;
        let (a, b) = (tracker.split(&genome, link), tracker.split(&genome, link));
        assert_eq!(a, b);
        assert_eq!(a.node, genome.next_node_id());
        let pair = (NodeId(0), NodeId(9));
        let x = tracker.link(&genome, pair.0, pair.1);
        assert_eq!(x, tracker.link(&genome, pair.0, pair.1));
        tracker.begin_generation();
        assert_ne!(a, tracker.split(&genome, link));
        assert_ne!(x, tracker.link(&genome, pair.0, pair.1));
    }
}
