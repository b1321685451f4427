//! Describes in words how a child's genes differ from its parent's.

use crate::base::text::fixed;
use crate::genome::{Genome, NodeId, Role};

/// The differences of `child` from `parent`, one a line, structure first, then weights by how far they
/// moved: `add node 12 (sin)`, `add link x → 12`, `weight of 12 → hue: 0.31 → −0.02`.
///
/// Nodes and links are told apart by their numbers, so the two must be of one lineage.
pub fn changes(parent: &Genome, child: &Genome) -> Vec<String> {
    let mut lines = Vec::new();
    for node in child.nodes() {
        match parent.node(node.id) {
            None => lines.push(format!("add node {} ({})", name(child, node.id), node.activation)),
            Some(before) if before.activation != node.activation => lines.push(format!(
                "node {}: {} → {}",
                name(child, node.id),
                before.activation,
                node.activation
            )),
            Some(_) => {}
        }
    }
    for node in parent.nodes().filter(|node| child.node(node.id).is_none()) {
        lines.push(format!("remove node {} ({})", name(parent, node.id), node.activation));
    }
    let mut moved = Vec::new();
    for link in child.connections() {
        let ends = format!("{} → {}", name(child, link.source), name(child, link.target));
        let Some(before) = parent.connection(link.innovation) else {
            lines.push(format!("add link {ends}"));
            continue;
        };
        if before.enabled != link.enabled {
            lines.push(format!("switch link {ends} {}", if link.enabled { "on" } else { "off" }));
        }
        if before.weight != link.weight {
            let line = format!(
                "weight of {ends}: {} → {}",
                fixed(before.weight, 2),
                fixed(link.weight, 2)
            );
            moved.push(((link.weight - before.weight).abs(), line));
        }
    }
    for link in parent.connections().filter(|link| child.connection(link.innovation).is_none()) {
        let ends = format!("{} → {}", name(parent, link.source), name(parent, link.target));
        lines.push(format!("remove link {ends}"));
    }
    moved.sort_by(|a, b| b.0.total_cmp(&a.0));
    lines.extend(moved.into_iter().map(|(_, line)| line));
    lines
}

/// Label of a node: the name of its input or output, else its number.
fn name(genome: &Genome, node: NodeId) -> String {
    match genome.node(node).map(|node| node.role) {
        Some(Role::Input(input)) => input.to_string(),
        Some(Role::Output(output)) => output.name().into(),
        _ => node.0.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::genome::{ConnectionGene, InnovationId, NodeGene, from_json};
    use crate::math::Activation;

    #[test]
    fn every_kind_of_change_is_told_once_and_equal_genomes_have_none() {
        let parent = from_json(include_str!("../../../../genomes/bred_moth.json")).unwrap();
        assert!(changes(&parent, &parent).is_empty());
        let mut child = parent.clone();
        let links: Vec<ConnectionGene> = child.connections().cloned().collect();
        let ink = child.output(crate::genome::Output::Ink).unwrap().id;
        let new = child.next_node_id();
        child.set_weight(links[0].innovation, links[0].weight + 0.5).unwrap();
        child.set_weight(links[1].innovation, links[1].weight - 1.5).unwrap();
        child.set_enabled(links[2].innovation, false).unwrap();
        child.remove_connection(links[3].innovation).unwrap();
        child.add_node(NodeGene::new(new, Role::Hidden, Activation::Cos)).unwrap();
        let link = ConnectionGene::new(InnovationId(99_999), NodeId(0), new, 1.0);
        child.add_connection(link).unwrap();
        let was = parent.output(crate::genome::Output::Ink).unwrap().activation;
        let other = if was == Activation::Tanh { Activation::Sin } else { Activation::Tanh };
        child.set_activation(ink, other).unwrap();
        let told = changes(&parent, &child);
        let ends = |c: &ConnectionGene| {
            format!("{} → {}", name(&parent, c.source), name(&parent, c.target))
        };
        assert_eq!(told.len(), 7, "{told:#?}");
        for line in [
            format!("add node {} (cos)", new.0),
            format!("node ink: {was} → {other}"),
            format!("add link x → {}", new.0),
            format!("switch link {} off", ends(&links[2])),
            format!("remove link {}", ends(&links[3])),
        ] {
            assert!(told.contains(&line), "{line} in {told:#?}");
        }
        // The weight that moved most comes first.
        assert!(told[5].starts_with(&format!("weight of {}: ", ends(&links[1]))));
        assert!(told[6].starts_with(&format!("weight of {}: ", ends(&links[0]))));
        // Backwards it is the reverse.
        assert!(changes(&child, &parent).contains(&format!("remove node {} (cos)", new.0)));
    }
}
