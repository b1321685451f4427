//! What of a genome may change: everything, its colour, or everything but its colour \[ours\].
//!
//! Picbreeder's users asked for it: to keep a form and vary its colours, or the reverse. The border is
//! drawn by what a gene can reach. A node is *of the colour* if hue or saturation can be reached from it
//! (or it is one of them) and brightness cannot; a link is of the colour if its target is. Links that are
//! off count as links.

use crate::genome::{Genome, NodeId, Output};
use crate::math::names::names;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// What of the children may change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Parts {
    /// Everything.
    #[default]
    Both,
    /// Everything but what is of the colour.
    Structure,
    /// What is of the colour: the brightness of every pixel stays, to the bit.
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
}

impl Parts {
    /// True if everything may change.
    pub fn is_both(&self) -> bool {
        *self == Parts::Both
    }

    /// What of `genome` may change. A grey genome has nothing of the colour.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evolve::{Breeding, EvolveConfig, Preset, Selection};
    use crate::genome::to_json;
    use crate::network::{Coords, Model, Wiring};

    /// The brightness of every pixel, in bits.
    fn brightness(genome: &Genome) -> Vec<u32> {
        let model = Model::of_genome(genome, Wiring::Graph);
        let maps = model.maps(13, Coords::Fer);
        let unit = model.network.outputs[2].expect("every genome draws");
        maps.unit(unit).iter().map(|v| v.to_bits()).collect()
    }

    /// Genomes that have been bred for a while, so that there is something in every part.
    fn bred(seed: u64) -> Breeding {
        let mut config = EvolveConfig::preset(Preset::Picbreeder);
        config.mutation.delete_link = 2.0;
        config.mutation.delete_node = 2.0;
        let mut breeding = Breeding::new(config, seed, &[]);
        for step in 0..25 {
            let chosen = [(step * 7 + seed as usize) % 15, (step * 4 + 1) % 15];
            let chosen = if chosen[0] == chosen[1] { &chosen[..1] } else { &chosen[..] };
            breeding.select(Selection::of(chosen)).unwrap();
        }
        breeding
    }

    #[test]
    fn colour_alone_leaves_every_pixels_brightness_to_the_bit() {
        let mut changed = 0;
        for seed in 0..12 {
            let mut breeding = bred(seed);
            for step in 0..6 {
                let mut parent = breeding.genomes()[step].clone();
                parent.provenance = Default::default();
                let (before, text) = (brightness(&parent), to_json(&parent));
                let selection = Selection { parts: Parts::Colour, ..Selection::of(&[step]) };
                breeding.select(selection).unwrap();
                for child in breeding.genomes() {
                    assert_eq!(brightness(child), before, "seed {seed}, step {step}");
                }
                let differs = |child: &&Genome| to_json(child) != text;
                changed += breeding.genomes().iter().filter(differs).count();
            }
        }
        assert!(changed > 12 * 6 * 10, "{changed} children differ from their parent");
    }

    #[test]
    fn structure_leaves_what_is_of_the_colour() {
        let genes_of_colour = |genome: &Genome, of: &Open| -> Vec<String> {
            let links = genome.connections().filter(|c| of.has(c.target)).map(|c| format!("{c:?}"));
            let nodes = genome.nodes().filter(|n| of.has(n.id)).map(|n| format!("{n:?}"));
            links.chain(nodes).collect()
        };
        for seed in 0..8 {
            let mut breeding = bred(seed);
            // Deleting a node takes its links along, into whatever part.
            breeding.breeder.config.mutation.delete_node = 0.0;
            breeding.breeder.config.mutation.delete_link = 0.0;
            let parent = breeding.genomes()[3].clone();
            let colour = Parts::Colour.open(&parent);
            let before = genes_of_colour(&parent, &colour);
            let selection = Selection { parts: Parts::Structure, ..Selection::of(&[3, 5]) };
            breeding.select(selection).unwrap();
            let [mother, father] = [0, 1].map(|place| breeding.births()[place].id);
            let mut of_first = 0;
            for (child, birth) in breeding.genomes().iter().zip(breeding.births()).skip(2) {
                assert!(birth.parents == [mother] || birth.parents == [father]);
                if birth.parents == [mother] {
                    of_first += 1;
                    assert_eq!(genes_of_colour(child, &colour), before);
                }
            }
            assert!(of_first > 0);
        }
    }

    #[test]
    fn a_grey_genome_has_no_colour_to_change_and_says_so() {
        let mut config = EvolveConfig::preset(Preset::Picbreeder);
        config.start.colour = false;
        let mut breeding = Breeding::new(config, 1, &[]);
        let selection = Selection { parts: Parts::Colour, ..Selection::of(&[4]) };
        let error = breeding.select(selection).unwrap_err().to_string();
        assert_eq!(
            error,
            "expected colour genomes to change the colour of, found a grey one at place 4"
        );
        let all = breeding.genomes()[0].nodes().map(|n| n.id).collect();
        assert_eq!(Parts::Structure.open(&breeding.genomes()[0]), Open::Nodes(all));
    }
}
