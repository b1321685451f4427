//! The first generation.

use super::EvolveConfig;
use crate::genome::{
    ConnectionGene, Genome, InnovationId, Input, NodeGene, NodeId, Output, Provenance, Role,
};
use crate::math::{Activation, SimRng};

/// A first genome: usable inputs fully connected to the outputs, through `start.hidden` hidden
/// nodes if there are any. Weights U(−`new_weight`, `new_weight`); with `start.grey`, 0 into hue
/// and saturation.
///
/// Node ids: inputs 0–3, outputs next, then hidden; innovation numbers by position: all first
/// genomes of one config align gene for gene.
pub fn first_genome(config: &EvolveConfig, rng: &mut SimRng) -> Genome {
    let start = &config.start;
    let draw =
        |list: &[Activation], rng: &mut SimRng| *rng.choose(list).expect("validated: not empty");

    let mut nodes: Vec<NodeGene> = Input::ALL
        .into_iter()
        .enumerate()
        .map(|(i, input)| NodeGene::new(NodeId(i as u32), Role::Input(input), Activation::Identity))
        .collect();
    let outputs: Vec<(Output, &[Activation])> = if start.colour {
        vec![
            (Output::Hue, &start.hue),
            (Output::Saturation, &start.saturation),
            (Output::Brightness, &start.brightness),
        ]
    } else {
        vec![(Output::Ink, &start.brightness)]
    };
    for (output, activations) in &outputs {
        let id = NodeId(nodes.len() as u32);
        nodes.push(NodeGene::new(id, Role::Output(*output), draw(activations, rng)));
    }
    for _ in 0..start.hidden {
        let id = NodeId(nodes.len() as u32);
        let activation = draw(&config.mutation.activations, rng);
        nodes.push(NodeGene::new(id, Role::Hidden, activation));
    }

    let usable: Vec<NodeId> = nodes
        .iter()
        .filter(|n| matches!(n.role, Role::Input(i) if start.inputs.contains(&i)))
        .map(|n| n.id)
        .collect();
    let ids = |wanted: fn(&Role) -> bool| -> Vec<NodeId> {
        nodes.iter().filter(|n| wanted(&n.role)).map(|n| n.id).collect()
    };
    let (hidden, drawn) = (ids(|r| *r == Role::Hidden), ids(|r| matches!(r, Role::Output(_))));
    let mut pairs = Vec::new();
    if hidden.is_empty() {
        pairs.extend(drawn.iter().flat_map(|&t| usable.iter().map(move |&s| (s, t))));
    } else {
        pairs.extend(hidden.iter().flat_map(|&t| usable.iter().map(move |&s| (s, t))));
        pairs.extend(drawn.iter().flat_map(|&t| hidden.iter().map(move |&s| (s, t))));
    }
    let range = config.mutation.new_weight;
    let connections = pairs
        .into_iter()
        .enumerate()
        .map(|(i, (source, target))| {
            let weight = rng.uniform_in(-range, range);
            let quiet = start.grey
                && matches!(
                    nodes[target.0 as usize].role,
                    Role::Output(Output::Hue | Output::Saturation)
                );
            let weight = if quiet { 0.0 } else { weight };
            ConnectionGene::new(InnovationId(i as u64), source, target, weight)
        })
        .collect();
    Genome::new(nodes, connections, Provenance::default())
        .expect("a layered start breaks no invariant")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evolve::Preset;

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
