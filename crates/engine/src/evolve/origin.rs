//! Ancestors of different origin, numbered so that they can be crossed `[ours]`.
//!
//! Equal numbers mean common descent within one session or file only. Genes of a later origin get numbers behind all
//! others, but for those that are the same: inputs and outputs, hidden nodes of one [`Marking`], links between such.

use super::InnovationTracker;
use crate::genome::{
    ConnectionGene, Genome, InnovationId, Marking, NodeGene, NodeId, Output, Role,
};
use crate::math::Activation;
use std::collections::{BTreeMap, BTreeSet};

/// The same genomes with numbers that mean one gene in all of them. Those of the first one's origin keep theirs. Among
/// genomes in colour a grey one is given hue and saturation.
pub(super) fn numbered_apart(ancestors: &[Genome]) -> Vec<Genome> {
    let in_colour = ancestors.iter().any(Genome::is_colour);
    let mut numbers =
        Numbers { tracker: InnovationTracker::after(ancestors), ..Numbers::default() };
    let mut origins: Vec<Origin> = Vec::new();
    let mut numbered = Vec::new();
    for genome in ancestors {
        let is_own = |origin: &Origin| origin.members.iter().all(|own| is_one_origin(own, genome));
        let place = origins.iter().position(is_own).unwrap_or_else(|| {
            origins.push(Origin::default());
            origins.len() - 1
        });
        numbered.push(numbers.apply(genome, &mut origins[place], place == 0, in_colour));
        origins[place].members.push(genome);
    }
    numbered
}

/// Genomes in which equal numbers mean the same gene, and the new numbers of their genes.
#[derive(Default)]
struct Origin<'a> {
    members: Vec<&'a Genome>,
    nodes: BTreeMap<NodeId, NodeId>,
    links: BTreeMap<InnovationId, InnovationId>,
}

/// The numbers that were given.
#[derive(Default)]
struct Numbers {
    tracker: InnovationTracker,
    roles: BTreeMap<Role, NodeId>,
    marked: BTreeMap<Marking, NodeId>,
    links: BTreeMap<(NodeId, NodeId), InnovationId>,
}

impl Numbers {
    fn apply(&mut self, genome: &Genome, of: &mut Origin, keep: bool, in_colour: bool) -> Genome {
        let mut used = BTreeSet::new();
        let mut nodes: Vec<NodeGene> = genome.nodes().cloned().collect();
        for node in &mut nodes {
            if in_colour {
                node.role = in_colours(node.role);
            }
            let same = match node.role {
                Role::Hidden => node.marking.and_then(|marking| self.marked.get(&marking)),
                role => self.roles.get(&role),
            };
            let known = of.nodes.get(&node.id).or(same).filter(|id| !used.contains(*id)).copied();
            let id =
                if keep { node.id } else { known.unwrap_or_else(|| self.tracker.fresh_node()) };
            used.insert(id);
            of.nodes.insert(node.id, id);
            if node.role != Role::Hidden {
                self.roles.entry(node.role).or_insert(id);
            } else if let Some(marking) = node.marking {
                self.marked.entry(marking).or_insert(id);
            }
            node.id = id;
        }
        let mut links: Vec<ConnectionGene> = genome.connections().cloned().collect();
        for link in &mut links {
            (link.source, link.target) = (of.nodes[&link.source], of.nodes[&link.target]);
            let known = of.links.get(&link.innovation).copied();
            let number = match keep {
                true => link.innovation,
                false => known.unwrap_or_else(|| self.link(link.source, link.target)),
            };
            of.links.insert(link.innovation, number);
            self.links.entry((link.source, link.target)).or_insert(number);
            link.innovation = number;
        }
        if in_colour && let Some(ink) = genome.output(Output::Ink) {
            for role in [Output::Hue, Output::Saturation].map(Role::Output) {
                let tracker = &mut self.tracker;
                let id = *self.roles.entry(role).or_insert_with(|| tracker.fresh_node());
                nodes.push(NodeGene::new(id, role, Activation::Identity));
                let ink = of.nodes[&ink.id];
                links.push(ConnectionGene::new(self.link(ink, id), ink, id, 0.0));
            }
        }
        let new = Genome::new(nodes, links, genome.provenance.clone());
        // Numbers that leave no room for others: it stays alone.
        let mut new = new.unwrap_or_else(|_| genome.clone());
        new.palette = genome.palette;
        new
    }

    fn link(&mut self, source: NodeId, target: NodeId) -> InnovationId {
        let tracker = &mut self.tracker;
        *self.links.entry((source, target)).or_insert_with(|| tracker.fresh_innovation())
    }
}

/// The role in a genome in colour.
fn in_colours(role: Role) -> Role {
    if role == Role::Output(Output::Ink) { Role::Output(Output::Brightness) } else { role }
}

/// True unless a number or a marking means different genes in the two.
fn is_one_origin(a: &Genome, b: &Genome) -> bool {
    let marked = |genome: &Genome| -> BTreeMap<_, _> {
        genome.nodes().filter_map(|node| Some((node.marking?, node.id))).collect()
    };
    let known = marked(a);
    let same_marks = marked(b).iter().all(|(m, id)| known.get(m).is_none_or(|own| own == id));
    let same_nodes = b.nodes().all(|node| {
        a.node(node.id).is_none_or(|own| {
            in_colours(own.role) == in_colours(node.role) && own.marking == node.marking
        })
    });
    let same_links = b.connections().all(|link| {
        a.connection(link.innovation)
            .is_none_or(|own| (own.source, own.target) == (link.source, link.target))
    });
    same_marks && same_nodes && same_links
}
