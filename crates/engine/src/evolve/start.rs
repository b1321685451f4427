//! The first generation.

use super::{Background, EvolveConfig};
use crate::base::SimRng;
use crate::genome::{
    ConnectionGene, Genome, InnovationId, Input, NodeGene, NodeId, Output, Provenance, Role,
};
use crate::math::Activation;

/// Weight from a coordinate to its mirror: 2·e^(−(1.5x)²) − 1 falls from 1 in the middle to −0.79 at the edge.
const MIRROR: f64 = 1.5;
/// The unit of the background hears 3·d − 3: it begins where a circle through the half of the picture ends.
const EDGE: f64 = 3.0;
/// Label of that unit.
const BACKGROUND: &str = "background";

/// A first genome: usable inputs fully connected to the outputs, through `start.hidden` hidden
/// nodes if there are any. Weights U(−`new_weight`, `new_weight`); with `start.grey`, 0 into hue
/// and saturation; without it, the bias leads to both where hidden nodes stand between.
///
/// A symmetry puts a mirror in the place of a coordinate: a hidden node `|x|`, gaussian of x alone. A background is a
/// hidden node, relu(3d − 3), that turns brightness off towards the edges, or turns it up and saturation off; other
/// hidden nodes then compute something bounded.
///
/// Node ids: inputs from 0, outputs next, then hidden, then mirrors, then the background; innovation numbers by position:
/// all first genomes of one config align gene for gene.
pub fn first_genome(config: &EvolveConfig, rng: &mut SimRng) -> Genome {
    let start = &config.start;
    let draw =
        |list: &[Activation], rng: &mut SimRng| *rng.choose(list).expect("validated: not empty");

    let mut nodes: Vec<NodeGene> = start
        .nodes()
        .enumerate()
        .map(|(i, input)| NodeGene::new(NodeId(i as u32), Role::Input(input), Activation::Identity))
        .collect();
    let id = |input: Input| {
        NodeId(start.nodes().position(|own| own == input).expect("one of the nodes") as u32)
    };
    // What brightness computes if it is to end in black, or in white.
    let brightness = match start.background {
        Background::Free => start.brightness.clone(),
        Background::Dark => vec![Activation::Relu],
        Background::Light => vec![Activation::Identity],
    };
    let outputs: Vec<(Output, &[Activation])> = if start.colour {
        vec![
            (Output::Hue, &start.hue),
            (Output::Saturation, &start.saturation),
            (Output::Brightness, &brightness),
        ]
    } else {
        vec![(Output::Ink, &brightness)]
    };
    let mut add = |role, activation, label: &str| {
        let mut node = NodeGene::new(NodeId(nodes.len() as u32), role, activation);
        node.labels = if label.is_empty() { Vec::new() } else { vec![label.into()] };
        nodes.push(node);
        NodeId(nodes.len() as u32 - 1)
    };
    let drawn: Vec<(NodeId, Output)> = outputs
        .iter()
        .map(|(output, list)| (add(Role::Output(*output), draw(list, rng), ""), *output))
        .collect();
    // What a background has to outweigh is bounded.
    let bounded = |activation: &&Activation| start.background.is_free() || activation.is_bounded();
    let mut inner: Vec<Activation> =
        config.mutation.activations.iter().filter(bounded).copied().collect();
    if inner.is_empty() {
        inner = vec![Activation::Sin];
    }
    let hidden: Vec<NodeId> =
        (0..start.hidden).map(|_| add(Role::Hidden, draw(&inner, rng), "")).collect();
    let mirrors: Vec<(NodeId, NodeId)> = start
        .mirrors()
        .into_iter()
        .map(|of| (id(of), add(Role::Hidden, Activation::Gaussian, &mirror_of(of))))
        .collect();
    let background =
        (!start.background.is_free()).then(|| add(Role::Hidden, Activation::Relu, BACKGROUND));

    let seen = start.nodes().filter(|input| start.sees(*input));
    let usable: Vec<NodeId> = seen.map(id).chain(mirrors.iter().map(|m| m.1)).collect();
    let outputs = || drawn.iter().map(|d| d.0);
    let mut pairs = Vec::new();
    if hidden.is_empty() {
        pairs.extend(outputs().flat_map(|t| usable.iter().map(move |&s| (s, t))));
    } else {
        pairs.extend(hidden.iter().flat_map(|&t| usable.iter().map(move |&s| (s, t))));
        pairs.extend(outputs().flat_map(|t| hidden.iter().map(move |&s| (s, t))));
    }
    let range = config.mutation.new_weight;
    let is_colour = |output| matches!(output, Output::Hue | Output::Saturation);
    let mut links: Vec<(NodeId, NodeId, f64)> = pairs
        .into_iter()
        .map(|(source, target)| {
            let weight = rng.uniform_in(-range, range);
            let quiet = start.grey && drawn.iter().any(|d| d.0 == target && is_colour(d.1));
            (source, target, if quiet { 0.0 } else { weight })
        })
        .collect();
    if start.colour && !start.grey && !hidden.is_empty() && start.sees(Input::Bias) {
        // A colour to begin with, which the hidden nodes vary.
        let bias = id(Input::Bias);
        for (target, output) in &drawn {
            match output {
                Output::Hue => links.push((bias, *target, rng.uniform_in(-range, range))),
                Output::Saturation if start.background != Background::Light => {
                    links.push((bias, *target, rng.uniform_in(0.0, range)));
                }
                _ => {}
            }
        }
    }
    let limit = config.mutation.weight_limit;
    let (falls, edge) = (MIRROR.min(limit), EDGE.min(limit));
    links.extend(mirrors.into_iter().map(|(of, mirror)| (of, mirror, falls)));
    if let Some(background) = background {
        let [d, bias] = [Input::D, Input::Bias].map(id);
        links.extend([(d, background, edge), (bias, background, -edge)]);
        let sign = if start.background == Background::Light { 1.0 } else { -1.0 };
        for (target, output) in drawn.iter().filter(|d| d.1 != Output::Hue) {
            let weight = if *output == Output::Saturation { -edge } else { sign * edge };
            links.push((background, *target, weight));
        }
    }
    let gene = |(i, (source, target, weight)): (usize, (NodeId, NodeId, f64))| {
        ConnectionGene::new(InnovationId(i as u64), source, target, weight)
    };
    let connections = links.into_iter().enumerate().map(gene).collect();
    let mut genome = Genome::new(nodes, connections, Provenance::default())
        .expect("a layered start breaks no invariant");
    genome.palette = start.palette;
    genome
}

/// Label of the mirror of a coordinate.
fn mirror_of(input: Input) -> String {
    format!("|{input}|")
}

/// Nodes that no mutation changes: mirrors and the background.
pub(super) fn fixed_nodes(genome: &Genome) -> impl Iterator<Item = NodeId> {
    let fixed = |node: &&NodeGene| {
        let says = |label: &str| node.labels.iter().any(|own| own == label);
        node.role == Role::Hidden
            && match node.activation {
                Activation::Gaussian => says("|x|") || says("|y|"),
                Activation::Relu => says(BACKGROUND),
                _ => false,
            }
    };
    genome.nodes().filter(fixed).map(|node| node.id)
}

/// The inputs among `start.inputs` that links of this genome may read: not a coordinate that has a mirror.
pub(super) fn readable(config: &EvolveConfig, genome: &Genome) -> Vec<Input> {
    let is_mirrored = |input: Input| {
        let label = mirror_of(input);
        fixed_nodes(genome)
            .any(|id| genome.node(id).is_some_and(|node| node.labels.contains(&label)))
    };
    let seen = genome.inputs().into_iter().filter(|input| config.start.sees(*input));
    seen.filter(|input| !is_mirrored(*input)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evolve::Preset;

    #[test]
    fn first_genomes_have_the_factors_that_links_may_read() {
        let mut config = EvolveConfig::preset(Preset::Picbreeder);
        config.start.inputs = vec![Input::X, Input::Y, Input::Bias, Input::Z1, Input::Z2];
        config.validate().unwrap();
        let genome = first_genome(&config, &mut SimRng::new(3, "test", 0));
        genome.check().unwrap();
        assert_eq!(genome.factors(), 2);
        let factor = genome.input(Input::Z2).id;
        assert!(genome.connections().any(|link| link.source == factor));
        assert_eq!(readable(&config, &genome), config.start.inputs);
        // z2 without z1 is none.
        config.start.inputs = vec![Input::X, Input::Z2];
        assert!(config.validate().is_err());
        config.start.inputs = vec![Input::X, Input::Z1, Input::Z3];
        assert!(config.validate().is_err());
    }

    #[test]
    fn functions_of_the_place_are_nodes_after_the_factors() {
        let mut config = EvolveConfig::preset(Preset::Picbreeder);
        config.start.inputs = ["abs(x)", "y", "z1"].map(|name| name.parse().unwrap()).to_vec();
        config.validate().unwrap();
        let genome = first_genome(&config, &mut SimRng::new(3, "test", 0));
        genome.check().unwrap();
        let function = genome.input(config.start.inputs[0]).id;
        assert_eq!((function, genome.factors()), (NodeId(5), 1));
        assert!(genome.connections().any(|link| link.source == function));
        assert!(!genome.connections().any(|link| link.source == genome.input(Input::X).id));
        let again = crate::genome::from_json(&crate::genome::to_json(&genome)).unwrap();
        assert_eq!(again, genome);
        assert!(crate::genome::to_picbreeder_xml(&genome).is_err());
        assert!(crate::genome::to_vlm_json(&genome).is_err());
        config.start.inputs.push(config.start.inputs[0]);
        assert!(config.validate().is_err());
        config.start.inputs.pop();
        config.start.symmetry = crate::evolve::Symmetry::LeftRight;
        assert!(config.validate().is_err());
    }

    #[test]
    fn picbreeder_starts_grey_through_one_hidden_node() {
        let config = EvolveConfig::preset(Preset::Picbreeder);
        let genome = first_genome(&config, &mut SimRng::new(3, "test", 0));
        assert_eq!((genome.nodes().len(), genome.connections().len()), (8, 7));
        let into = |o| genome.output(o).unwrap().id;
        for c in genome.connections() {
            let quiet = c.target == into(Output::Hue) || c.target == into(Output::Saturation);
            assert_eq!(c.weight == 0.0, quiet);
            assert!(c.weight.abs() <= 3.0);
        }
    }

    #[test]
    fn neat_starts_without_hidden_nodes_and_reads_only_the_usable_inputs() {
        let mut config = EvolveConfig::preset(Preset::Neat);
        config.start.colour = false;
        config.start.inputs = vec![Input::X, Input::Y, Input::Bias];
        let genome = first_genome(&config, &mut SimRng::new(3, "test", 0));
        assert_eq!((genome.nodes().len(), genome.connections().len()), (5, 3));
        let d = genome.input(Input::D).id;
        assert!(genome.connections().all(|c| c.source != d));
    }
}
