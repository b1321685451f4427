//! A way from one genome to another: every point on it is a genome (METHODS §1) `[ours]`.
//!
//! Nodes of common descent are one node on the way, links between them one link. Weights go along a straight line;
//! a link that one end lacks has weight 0 there.

use super::{
    ConnectionGene, Genome, InnovationId, Input, Marking, NodeGene, NodeId, Output, Palette, Role,
};
use crate::base::refusal::Refusal;
use crate::math::Activation;
use std::collections::BTreeMap;

/// A way from a genome to another one.
///
/// ```
/// use picloom_engine::genome::{Morph, from_json};
///
/// let moth = from_json(include_str!("../../../../genomes/bred_moth.json"))?;
/// let morph = Morph::new(&moth, &moth)?;
/// assert_eq!(morph.at(1.0), moth);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Morph {
    ends: [Genome; 2],
    /// The genes of both.
    between: Genome,
    /// Weights at both ends of each link of `between`, which has the innovation numbers 0, 1, …
    weights: Vec<[f64; 2]>,
}

/// The identity of a node while morphing; nodes of both ends with one key are one node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    Input(Input),
    Output(Output),
    /// A hidden node with an origin in a Picbreeder file.
    Marked(Marking),
    Hidden(NodeId),
    /// A node of one end alone, where the ends are not matched.
    Of(usize, NodeId),
}

impl Key {
    fn matched(node: &NodeGene) -> Key {
        match (node.role, node.marking) {
            (Role::Input(input), _) => Key::Input(input),
            (Role::Output(output), _) => Key::Output(output),
            (Role::Hidden, Some(marking)) => Key::Marked(marking),
            (Role::Hidden, None) => Key::Hidden(node.id),
        }
    }

    fn apart(end: usize, node: &NodeGene) -> Key {
        match node.role {
            Role::Input(input) => Key::Input(input),
            _ => Key::Of(end, node.id),
        }
    }
}

impl Morph {
    /// The way from `from` to `to`. Hidden nodes are matched by their origin in a Picbreeder file, else by their id;
    /// inputs and outputs by what they read and draw; links by their two nodes. Where the genes of both together would
    /// close a cycle, nothing is matched but the inputs: the outputs of both are cross-faded. A grey genome is given
    /// the outputs of colour if the other one has them.
    ///
    /// # Errors
    /// An input has another activation in `to` than in `from`.
    pub fn new(from: &Genome, to: &Genome) -> Result<Self, Refusal> {
        let in_colour = from.is_colour() || to.is_colour();
        let ends = [from, to].map(|genome| match in_colour {
            true => genome.with_colour_outputs(),
            false => genome.clone(),
        });
        for input in Input::OF_PIXEL {
            let [a, b] = ends.each_ref().map(|genome| genome.input(input).activation);
            let expected = format!("the activation {a} in both genomes");
            Refusal::unless(a == b, format!("input {input}"), expected, b)?;
        }
        let matched = Union::of(&ends, |_, node| Key::matched(node)).genome();
        let (between, weights) = matched.unwrap_or_else(|_| {
            let mut union = Union::of(&ends, Key::apart);
            union.fade(&ends);
            union.genome().expect("two graphs side by side")
        });
        let ends = [from.clone(), to.clone()];
        Ok(Morph { ends, between, weights })
    }

    /// The palettes of both ends; on the way a picture is a mean of both.
    pub fn palettes(&self) -> [Palette; 2] {
        self.ends.each_ref().map(|genome| genome.palette)
    }

    /// The genome at `t` ∈ [0, 1]; the ends are the genomes themselves.
    pub fn at(&self, t: f64) -> Genome {
        if t <= 0.0 {
            return self.ends[0].clone();
        }
        if t >= 1.0 {
            return self.ends[1].clone();
        }
        let mut genome = self.between.clone();
        for (i, [a, b]) in self.weights.iter().enumerate() {
            let weight = (1.0 - t) * a + t * b;
            genome.set_weight(InnovationId(i as u64), weight).expect("a mean of finite weights");
        }
        genome
    }
}

/// The genes of both ends, put together.
#[derive(Default)]
struct Union {
    nodes: Vec<NodeGene>,
    /// Weights at both ends by source and target.
    links: BTreeMap<(NodeId, NodeId), [f64; 2]>,
    /// The node that others read, of each key of both.
    read: BTreeMap<Key, NodeId>,
    /// The nodes that links of a key enter.
    entered: BTreeMap<Key, Vec<NodeId>>,
}

impl Union {
    fn of(ends: &[Genome; 2], key: impl Fn(usize, &NodeGene) -> Key) -> Self {
        let mut both: BTreeMap<Key, [Option<&NodeGene>; 2]> = BTreeMap::new();
        for (end, genome) in ends.iter().enumerate() {
            for node in genome.nodes() {
                both.entry(key(end, node)).or_default()[end] = Some(node);
            }
        }
        let mut union = Union::default();
        for (key, nodes) in both {
            let role = match key {
                Key::Input(input) => Role::Input(input),
                Key::Output(output) => Role::Output(output),
                _ => Role::Hidden,
            };
            let activations = nodes.map(|node| node.map(|node| node.activation));
            let entered = match activations {
                [Some(a), Some(b)] if a != b => {
                    // The mean of both functions of the same sum.
                    let mean = union.node(role, Activation::Identity);
                    let parts = [a, b].map(|activation| union.node(Role::Hidden, activation));
                    union.links.insert((parts[0], mean), [1.0, 0.0]);
                    union.links.insert((parts[1], mean), [0.0, 1.0]);
                    union.read.insert(key, mean);
                    parts.to_vec()
                }
                [a, b] => {
                    let activation = a.or(b).expect("a node of one of them");
                    let node = union.node(role, activation);
                    union.read.insert(key, node);
                    vec![node]
                }
            };
            union.entered.insert(key, entered);
        }
        for (end, genome) in ends.iter().enumerate() {
            let key = |id| key(end, genome.node(id).expect("links end at nodes"));
            for gene in genome.connections().filter(|gene| gene.enabled) {
                let source = union.read[&key(gene.source)];
                for &target in &union.entered[&key(gene.target)] {
                    union.links.entry((source, target)).or_default()[end] = gene.weight;
                }
            }
        }
        union
    }

    /// Gives ends that lie side by side outputs of their own: the means of theirs.
    fn fade(&mut self, ends: &[Genome; 2]) {
        // Each end draws its own picture all the way: only the outputs fade.
        for weights in self.links.values_mut() {
            *weights = [weights[0] + weights[1]; 2];
        }
        for output in [Output::Hue, Output::Saturation, Output::Brightness, Output::Ink] {
            let nodes = ends.each_ref().map(|genome| genome.output(output));
            if nodes.iter().all(Option::is_none) {
                continue;
            }
            let mean = self.node(Role::Output(output), Activation::Identity);
            for (end, node) in nodes.into_iter().enumerate() {
                let Some(node) = node else { continue };
                let mut weights = [0.0; 2];
                weights[end] = 1.0;
                self.links.insert((self.read[&Key::Of(end, node.id)], mean), weights);
            }
        }
    }

    fn node(&mut self, role: Role, activation: Activation) -> NodeId {
        let id = NodeId(self.nodes.len() as u32);
        self.nodes.push(NodeGene::new(id, role, activation));
        id
    }

    fn genome(self) -> Result<(Genome, Vec<[f64; 2]>), Refusal> {
        let links = self.links.keys().enumerate().map(|(i, &(source, target))| {
            ConnectionGene::new(InnovationId(i as u64), source, target, 0.0)
        });
        let genome = Genome::new(self.nodes, links.collect(), Default::default())?;
        Ok((genome, self.links.into_values().collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::genome::from_json;

    fn genome(name: &str) -> Genome {
        let path = format!("{}/../../genomes/{name}.json", env!("CARGO_MANIFEST_DIR"));
        from_json(&std::fs::read_to_string(path).unwrap()).unwrap()
    }

    /// Inputs and ink, hidden nodes with these ids and activations, links with these weights.
    fn small(hidden: &[(u32, Activation)], links: &[(u32, u32, f64)]) -> Genome {
        let inputs = Input::OF_PIXEL.iter().zip(0..).map(|(&input, id)| {
            NodeGene::new(NodeId(id), Role::Input(input), Activation::Identity)
        });
        let ink = NodeGene::new(NodeId(4), Role::Output(Output::Ink), Activation::Identity);
        let hidden = hidden
            .iter()
            .map(|&(id, activation)| NodeGene::new(NodeId(id), Role::Hidden, activation));
        let links = links.iter().zip(0..).map(|(&(source, target, weight), i)| {
            ConnectionGene::new(InnovationId(i), NodeId(source), NodeId(target), weight)
        });
        let nodes = inputs.chain([ink]).chain(hidden).collect();
        Genome::new(nodes, links.collect(), Default::default()).unwrap()
    }

    /// Returns ink at x = `x`, all other inputs being 0.
    fn ink(genome: &Genome, x: f64) -> f64 {
        let mut values = BTreeMap::from([(NodeId(0), x)]);
        let mut sums: BTreeMap<NodeId, f64> = BTreeMap::new();
        for id in genome.topological_order() {
            let node = genome.node(id).unwrap();
            let value = match node.role {
                Role::Input(Input::X) => x,
                Role::Input(_) => 0.0,
                _ => node.activation.value(sums.get(&id).copied().unwrap_or(0.0)),
            };
            values.insert(id, value);
            for gene in genome.connections().filter(|gene| gene.source == id && gene.enabled) {
                *sums.entry(gene.target).or_default() += gene.weight * value;
            }
        }
        values[&genome.output(Output::Ink).unwrap().id]
    }

    #[test]
    fn what_both_have_goes_straight_and_what_one_has_fades() {
        let (sin, tanh) = (Activation::Sin, Activation::Tanh);
        let a = small(&[(7, sin)], &[(0, 7, 1.0), (7, 4, 2.0), (0, 4, 0.5)]);
        let b =
            small(&[(7, sin), (8, tanh)], &[(0, 7, 3.0), (7, 4, -2.0), (0, 8, 1.0), (8, 4, 4.0)]);
        let morph = Morph::new(&a, &b).unwrap();
        for t in [0.25, 0.5, 0.9] {
            let x = 0.7;
            let shared = (2.0 - 4.0 * t) * sin.value((1.0 + 2.0 * t) * x);
            let faded = (1.0 - t) * 0.5 * x + t * 4.0 * tanh.value(t * x);
            assert!((ink(&morph.at(t), x) - shared - faded).abs() < 1e-12, "{t}");
        }
        // Another activation: the mean of both functions.
        let c = small(&[(7, tanh)], &[(0, 7, 1.0), (7, 4, 2.0), (0, 4, 0.5)]);
        let morph = Morph::new(&a, &c).unwrap();
        let mean = 2.0 * (0.75 * sin.value(0.7) + 0.25 * tanh.value(0.7)) + 0.35;
        assert!((ink(&morph.at(0.25), 0.7) - mean).abs() < 1e-12);
    }

    #[test]
    fn a_disabled_link_counts_as_none() {
        let a = small(&[], &[(0, 4, 1.0)]);
        let mut b = a.clone();
        b.set_enabled(InnovationId(0), false).unwrap();
        let morph = Morph::new(&a, &b).unwrap();
        assert!((ink(&morph.at(0.25), 2.0) - 1.5).abs() < 1e-12);
    }

    #[test]
    fn where_both_together_close_a_cycle_the_outputs_are_faded() {
        let (sin, tanh) = (Activation::Sin, Activation::Tanh);
        let hidden = [(7, sin), (8, tanh)];
        let a = small(&hidden, &[(0, 7, 1.0), (7, 8, 1.0), (8, 4, 1.0)]);
        let b = small(&hidden, &[(0, 8, 1.0), (8, 7, 1.0), (7, 4, 1.0)]);
        let morph = Morph::new(&a, &b).unwrap();
        for t in [0.25, 0.5] {
            let mean = (1.0 - t) * ink(&a, 0.7) + t * ink(&b, 0.7);
            assert!((ink(&morph.at(t), 0.7) - mean).abs() < 1e-12, "{t}");
        }
    }

    #[test]
    fn the_ends_are_the_genomes_and_the_way_leads_to_them() {
        for (a, b) in [("bred_moth", "bred_skull"), ("bred_skull", "mask"), ("mask", "bred_moth")] {
            let (a, b) = (genome(a), genome(b));
            let morph = Morph::new(&a, &b).unwrap();
            assert_eq!((morph.at(0.0), morph.at(1.0)), (a.clone(), b.clone()));
            for t in [1e-9, 0.5, 1.0 - 1e-9] {
                morph.at(t).check().unwrap();
            }
        }
    }

    #[test]
    fn another_activation_of_an_input_is_refused() {
        let a = small(&[], &[(0, 4, 1.0)]);
        let mut b = a.clone();
        b.set_activation(NodeId(0), Activation::Sin).unwrap();
        let refused = Morph::new(&a, &b).unwrap_err().to_string();
        assert!(refused.starts_with("input x: expected the activation identity"), "{refused}");
    }
}
