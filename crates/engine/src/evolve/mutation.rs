//! Mutation operators. Each says what it did or why it could not; a genome it could not change
//! is unchanged, and a genome it changed is still acyclic.
//!
//! References: Stanley & Miikkulainen 2002 §3.1; Secretan et al. 2008; numbers in `config`.

use super::start::{fixed_nodes, readable};
use super::{
    EvolveConfig, InnovationTracker, MutationConfig, MutationScheme, Open, Perturbation, SplitRule,
};
use crate::base::SimRng;
use crate::genome::{ConnectionGene, Genome, InnovationId, Input, NodeGene, NodeId, Output, Role};
use crate::math::Activation;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// A mutation that was made, and its effect.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mutation {
    /// Weights moved or were drawn anew.
    Weights {
        /// Number of links concerned, at least 1.
        changed: usize,
    },
    /// A new link.
    AddedLink {
        /// Its number.
        innovation: InnovationId,
        /// Where from.
        source: NodeId,
        /// Where to.
        target: NodeId,
    },
    /// A node put on a link.
    AddedNode {
        /// The new node.
        node: NodeId,
        /// The link it was put on.
        split: InnovationId,
    },
    /// Activations were redrawn.
    Activations {
        /// The nodes concerned, at least 1, each now computing something else.
        changed: Vec<NodeId>,
    },
    /// A link was removed, and hidden nodes that it left without use.
    DeletedLink {
        /// Its number.
        innovation: InnovationId,
        /// Hidden nodes that went with it.
        orphans: Vec<NodeId>,
    },
    /// A hidden node was removed with its links, and hidden nodes that it left without use.
    DeletedNode {
        /// The node.
        node: NodeId,
        /// Hidden nodes that went with it.
        orphans: Vec<NodeId>,
    },
}

/// Why a mutation did nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NoMutation {
    /// There is no link to work on.
    #[error("no link to work on")]
    NoLink,
    /// There is no hidden node to work on.
    #[error("no hidden node to work on")]
    NoHiddenNode,
    /// Every pair that may be joined without a cycle is joined already.
    #[error("every possible pair is linked already")]
    Saturated,
    /// The genome has reached `mutation.max_hidden` or `mutation.max_links`.
    #[error("the genome has reached its size limit")]
    SizeLimit,
    /// Every candidate is the last link of an output.
    #[error("an output would lose its last link")]
    LastLink,
    /// There is only one activation to draw from.
    #[error("no other activation to draw")]
    OneActivation,
    /// [`MutationScheme::Each`]: no operator was drawn.
    #[error("no operator was drawn")]
    NotDrawn,
}

/// Mutates `genome` as `config` says: one operator, or each with its own probability.
///
/// `slider` ∈ [0, 1] sets the width of weight changes, σ = `width_low` + slider · `width_span`. Only nodes
/// that are `open`, and links into them, are changed; mirrors and backgrounds of first genomes never are. Returns what was done, in order.
///
/// # Errors
/// The reason of the drawn operator (the last refused one under [`MutationScheme::Each`]); the
/// genome is unchanged.
pub fn mutate(
    genome: &mut Genome,
    config: &EvolveConfig,
    slider: f64,
    open: &Open,
    innovations: &mut InnovationTracker,
    rng: &mut SimRng,
) -> Result<Vec<Mutation>, NoMutation> {
    let m = &config.mutation;
    let open = &open.without(fixed_nodes(genome), genome);
    let inputs = readable(config, genome);
    // Structure first, so that new links are moved by a weight mutation of the same child.
    let rates = [m.add_node, m.add_link, m.delete_link, m.delete_node, m.activation, m.weights];
    let mut operate = |operator: usize, rng: &mut SimRng| match operator {
        0 => add_node(genome, m, open, innovations, rng),
        1 => add_link(genome, m, &inputs, open, innovations, rng),
        2 => delete_link(genome, open, rng),
        3 => delete_node(genome, open, rng),
        4 => mutate_activations(genome, m, open, rng),
        _ => mutate_weights(genome, m, slider, open, rng),
    };
    match m.scheme {
        MutationScheme::One => {
            let operator = rng.weighted(&rates).ok_or(NoMutation::NotDrawn)?;
            operate(operator, rng).map(|done| vec![done])
        }
        MutationScheme::Each => {
            let (mut done, mut refused) = (Vec::new(), NoMutation::NotDrawn);
            for (operator, &rate) in rates.iter().enumerate() {
                if rng.chance(rate) {
                    match operate(operator, rng) {
                        Ok(mutation) => done.push(mutation),
                        Err(reason) => refused = reason,
                    }
                }
            }
            if done.is_empty() { Err(refused) } else { Ok(done) }
        }
    }
}

/// Moves each weight with probability `link_rate` by N(0, σ) or U(−σ, σ), or draws it anew (share
/// `redraw_rate`); one weight if none was drawn. Results are clamped to ±`weight_limit`.
///
/// # Errors
/// [`NoMutation::NoLink`].
pub(crate) fn mutate_weights(
    genome: &mut Genome,
    config: &MutationConfig,
    slider: f64,
    open: &Open,
    rng: &mut SimRng,
) -> Result<Mutation, NoMutation> {
    let links: Vec<(InnovationId, f64)> = genome
        .connections()
        .filter(|c| open.has(c.target))
        .map(|c| (c.innovation, c.weight))
        .collect();
    let width = config.width_low + slider * config.width_span;
    let mut drawn: Vec<_> =
        links.iter().filter(|_| rng.chance(config.link_rate)).copied().collect();
    if drawn.is_empty() {
        drawn.push(*rng.choose(&links).ok_or(NoMutation::NoLink)?);
    }
    for &(innovation, weight) in &drawn {
        let moved = if rng.chance(config.redraw_rate) {
            rng.uniform_in(-config.new_weight, config.new_weight)
        } else {
            weight
                + match config.perturbation {
                    Perturbation::Normal => width * rng.normal(),
                    Perturbation::Uniform => rng.uniform_in(-width, width),
                }
        };
        let limit = config.weight_limit;
        genome
            .set_weight(innovation, moved.clamp(-limit, limit))
            .expect("a finite weight of a link that is there");
    }
    Ok(Mutation::Weights { changed: drawn.len() })
}

/// Joins a random pair that may be joined: not joined yet, not into an input, not from an input
/// outside `inputs`, no cycle. The weight is U(−`new_weight`, `new_weight`).
///
/// Cost: a few path searches; if none of 48 random pairs will do, all are enumerated, O(N·E/64).
///
/// # Errors
/// [`NoMutation::Saturated`], [`NoMutation::SizeLimit`].
pub fn add_link(
    genome: &mut Genome,
    config: &MutationConfig,
    inputs: &[Input],
    open: &Open,
    innovations: &mut InnovationTracker,
    rng: &mut SimRng,
) -> Result<Mutation, NoMutation> {
    if genome.connections().len() >= config.max_links {
        return Err(NoMutation::SizeLimit);
    }
    let sources: Vec<NodeId> = genome
        .nodes()
        .filter(|n| match n.role {
            Role::Input(input) => inputs.contains(&input),
            Role::Hidden => true,
            Role::Output(_) => config.outputs_feed,
        })
        .map(|n| n.id)
        .collect();
    let targets: Vec<NodeId> = genome
        .nodes()
        .filter(|n| !matches!(n.role, Role::Input(_)) && open.has(n.id))
        .map(|n| n.id)
        .collect();
    if sources.is_empty() || targets.is_empty() {
        return Err(NoMutation::Saturated);
    }

    let mut pair = None;
    for _ in 0..48 {
        let source = sources[rng.below(sources.len())];
        let target = targets[rng.below(targets.len())];
        if source != target
            && genome.connection_between(source, target).is_none()
            && !genome.reaches(target, source)
        {
            pair = Some((source, target));
            break;
        }
    }
    let (source, target) = match pair {
        Some(found) => found,
        None => {
            *rng.choose(&open_pairs(genome, &sources, &targets)).ok_or(NoMutation::Saturated)?
        }
    };
    let innovation = innovations.link(genome, source, target);
    let weight = rng.uniform_in(-config.new_weight, config.new_weight);
    genome
        .add_connection(ConnectionGene::new(innovation, source, target, weight))
        .expect("the pair is open");
    Ok(Mutation::AddedLink { innovation, source, target })
}

/// Every pair of `sources` × `targets` that a link may join.
fn open_pairs(genome: &Genome, sources: &[NodeId], targets: &[NodeId]) -> Vec<(NodeId, NodeId)> {
    let order = genome.topological_order();
    let place: BTreeMap<NodeId, usize> = order.iter().enumerate().map(|(i, n)| (*n, i)).collect();
    let words = order.len().div_ceil(64);
    // below[i]: bit set of the nodes that node i reaches, itself included; last nodes first.
    let mut below = vec![vec![0u64; words]; order.len()];
    let mut outgoing: BTreeMap<NodeId, Vec<NodeId>> = BTreeMap::new();
    for c in genome.connections() {
        outgoing.entry(c.source).or_default().push(c.target);
    }
    for (i, node) in order.iter().enumerate().rev() {
        below[i][i / 64] |= 1 << (i % 64);
        for target in outgoing.get(node).into_iter().flatten() {
            let reached = below[place[target]].clone();
            for (word, more) in below[i].iter_mut().zip(reached) {
                *word |= more;
            }
        }
    }
    let mut open = Vec::new();
    for &source in sources {
        let s = place[&source];
        for &target in targets {
            let closes = below[place[&target]][s / 64] >> (s % 64) & 1 == 1;
            if !closes && genome.connection_between(source, target).is_none() {
                open.push((source, target));
            }
        }
    }
    open
}

/// Puts a new hidden node on a random enabled link. `SplitRule::Keep`: the link stays, both new
/// links have random weights; `SplitRule::Disable`: it is disabled, the new links have weight 1
/// and the old weight.
///
/// # Errors
/// [`NoMutation::NoLink`], [`NoMutation::SizeLimit`].
pub fn add_node(
    genome: &mut Genome,
    config: &MutationConfig,
    open: &Open,
    innovations: &mut InnovationTracker,
    rng: &mut SimRng,
) -> Result<Mutation, NoMutation> {
    let hidden = genome.nodes().filter(|n| n.role == Role::Hidden).count();
    if hidden >= config.max_hidden || genome.connections().len() + 2 > config.max_links {
        return Err(NoMutation::SizeLimit);
    }
    let links: Vec<&ConnectionGene> =
        genome.connections().filter(|c| c.enabled && open.has(c.target)).collect();
    let link = (*rng.choose(&links).ok_or(NoMutation::NoLink)?).clone();
    let split = innovations.split(genome, link.innovation);
    let activation = *rng.choose(&config.activations).expect("validated: not empty");
    let range = config.new_weight;
    let (incoming, outgoing) = match config.split {
        SplitRule::Keep => (rng.uniform_in(-range, range), rng.uniform_in(-range, range)),
        SplitRule::Disable => (1.0, link.weight),
    };
    genome
        .add_node(NodeGene::new(split.node, Role::Hidden, activation))
        .expect("the tracker's node is free here");
    for gene in [
        ConnectionGene::new(split.incoming, link.source, split.node, incoming),
        ConnectionGene::new(split.outgoing, split.node, link.target, outgoing),
    ] {
        genome.add_connection(gene).expect("a node on a link closes no cycle");
    }
    if config.split == SplitRule::Disable {
        genome.set_enabled(link.innovation, false).expect("the link is there");
    }
    Ok(Mutation::AddedNode { node: split.node, split: link.innovation })
}

/// Redraws the activation of each hidden (and output, if `output_activations`) node with
/// probability `activation_rate`; of one node if none was drawn. A redrawn node computes something
/// else than before.
///
/// # Errors
/// [`NoMutation::NoHiddenNode`], [`NoMutation::OneActivation`].
pub(crate) fn mutate_activations(
    genome: &mut Genome,
    config: &MutationConfig,
    open: &Open,
    rng: &mut SimRng,
) -> Result<Mutation, NoMutation> {
    let other = |now: Activation| -> Vec<Activation> {
        config.activations.iter().copied().filter(|a| *a != now).collect()
    };
    let nodes: Vec<(NodeId, Activation)> = genome
        .nodes()
        .filter(|n| match n.role {
            Role::Hidden => true,
            // Hue and saturation keep what makes colour readable unless the config lets them go.
            Role::Output(Output::Hue | Output::Saturation | Output::Brightness | Output::Ink) => {
                config.output_activations
            }
            Role::Input(_) => false,
        })
        .filter(|n| open.has(n.id))
        .map(|n| (n.id, n.activation))
        .collect();
    if nodes.is_empty() {
        return Err(NoMutation::NoHiddenNode);
    }
    let able: Vec<_> = nodes.into_iter().filter(|(_, a)| !other(*a).is_empty()).collect();
    let mut drawn: Vec<_> =
        able.iter().filter(|_| rng.chance(config.activation_rate)).copied().collect();
    if drawn.is_empty() {
        drawn.push(*rng.choose(&able).ok_or(NoMutation::OneActivation)?);
    }
    for &(id, now) in &drawn {
        let new = *rng.choose(&other(now)).expect("able nodes have another");
        genome.set_activation(id, new).expect("the node is there");
    }
    Ok(Mutation::Activations { changed: drawn.into_iter().map(|(id, _)| id).collect() })
}

/// Removes a random link, then hidden nodes that it leaves without a link in or out. An output keeps its
/// last enabled link.
///
/// # Errors
/// [`NoMutation::NoLink`], [`NoMutation::LastLink`].
pub(crate) fn delete_link(
    genome: &mut Genome,
    open: &Open,
    rng: &mut SimRng,
) -> Result<Mutation, NoMutation> {
    let mut links: Vec<InnovationId> =
        genome.connections().filter(|c| open.has(c.target)).map(|c| c.innovation).collect();
    if links.is_empty() {
        return Err(NoMutation::NoLink);
    }
    rng.shuffle(&mut links);
    for innovation in links {
        let mut without = genome.clone();
        let link = genome.connection(innovation).expect("the link is there");
        let ends = vec![link.source, link.target];
        without.remove_connection(innovation).expect("the link is there");
        let orphans = remove_orphans(&mut without, open, ends);
        if outputs_fed(genome) <= outputs_fed(&without) {
            *genome = without;
            return Ok(Mutation::DeletedLink { innovation, orphans });
        }
    }
    Err(NoMutation::LastLink)
}

/// Removes a random hidden node with its links, then hidden nodes that it leaves without a link in or out.
/// An output keeps its last enabled link.
///
/// # Errors
/// [`NoMutation::NoHiddenNode`], [`NoMutation::LastLink`].
pub(crate) fn delete_node(
    genome: &mut Genome,
    open: &Open,
    rng: &mut SimRng,
) -> Result<Mutation, NoMutation> {
    let mut hidden: Vec<NodeId> =
        genome.nodes().filter(|n| n.role == Role::Hidden && open.has(n.id)).map(|n| n.id).collect();
    if hidden.is_empty() {
        return Err(NoMutation::NoHiddenNode);
    }
    rng.shuffle(&mut hidden);
    for node in hidden {
        let mut without = genome.clone();
        let ends = neighbours(genome, node).into_iter().map(|end| end.1).collect();
        without.remove_node(node).expect("a hidden node");
        let orphans = remove_orphans(&mut without, open, ends);
        if outputs_fed(genome) <= outputs_fed(&without) {
            *genome = without;
            return Ok(Mutation::DeletedNode { node, orphans });
        }
    }
    Err(NoMutation::LastLink)
}

/// Number of outputs with an enabled link.
fn outputs_fed(genome: &Genome) -> usize {
    genome
        .nodes()
        .filter(|n| matches!(n.role, Role::Output(_)))
        .filter(|n| genome.connections().any(|c| c.enabled && c.target == n.id))
        .count()
}

/// Removes those `open` hidden nodes that lost a link, `touched`, and have none in or none out now, then those that lose
/// one by that, until there are none. Returns them. Constants, which never had a link in, stay.
pub(super) fn remove_orphans(
    genome: &mut Genome,
    open: &Open,
    touched: Vec<NodeId>,
) -> Vec<NodeId> {
    let mut removed = Vec::new();
    let mut touched: BTreeSet<NodeId> = touched.into_iter().collect();
    while let Some(id) = touched.pop_first() {
        let ends = neighbours(genome, id);
        let is_whole = ends.iter().any(|end| end.0) && ends.iter().any(|end| !end.0);
        let is_hidden = genome.node(id).is_some_and(|node| node.role == Role::Hidden);
        if is_hidden && open.has(id) && !is_whole {
            genome.remove_node(id).expect("a hidden node");
            removed.push(id);
            touched.extend(ends.into_iter().map(|end| end.1));
        }
    }
    removed
}

/// The nodes linked to one, with true for those that it hears.
fn neighbours(genome: &Genome, id: NodeId) -> Vec<(bool, NodeId)> {
    let ends = genome.connections().filter_map(|c| match (c.source == id, c.target == id) {
        (_, true) => Some((true, c.source)),
        (true, _) => Some((false, c.target)),
        _ => None,
    });
    ends.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evolve::{Preset, first_genome};

    fn start(preset: Preset) -> (EvolveConfig, Genome, InnovationTracker, SimRng) {
        let config = EvolveConfig::preset(preset);
        let mut rng = SimRng::new(5, "test", 0);
        let genome = first_genome(&config, &mut rng);
        let tracker = InnovationTracker::after([&genome]);
        (config, genome, tracker, rng)
    }

    #[test]
    fn neat_puts_a_node_on_a_link_without_changing_what_a_linear_net_draws() {
        let (config, mut genome, mut tracker, mut rng) = start(Preset::Neat);
        let Mutation::AddedNode { node, split } =
            add_node(&mut genome, &config.mutation, &Open::All, &mut tracker, &mut rng).unwrap()
        else {
            panic!("a node was added");
        };
        let old = genome.connection(split).unwrap().clone();
        assert!(!old.enabled);
        let between = |a, b| genome.connection_between(a, b).unwrap().weight;
        assert_eq!(between(old.source, node), 1.0);
        assert_eq!(between(node, old.target), old.weight);
    }

    #[test]
    fn picbreeder_keeps_the_link_it_splits() {
        let (config, mut genome, mut tracker, mut rng) = start(Preset::Picbreeder);
        add_node(&mut genome, &config.mutation, &Open::All, &mut tracker, &mut rng).unwrap();
        assert!(genome.connections().all(|c| c.enabled));
        assert_eq!(genome.connections().len(), 9);
    }

    #[test]
    fn a_full_genome_says_saturated_and_is_unchanged() {
        let (config, mut genome, mut tracker, mut rng) = start(Preset::Picbreeder);
        let m = &config.mutation;
        let mut added = 0;
        let reason = loop {
            match add_link(&mut genome, m, &Input::OF_PIXEL, &Open::All, &mut tracker, &mut rng) {
                Ok(_) => added += 1,
                Err(reason) => break reason,
            }
        };
        assert_eq!(reason, NoMutation::Saturated);
        // 4 inputs into 4 nodes, and the 6 forward pairs among those 4.
        assert_eq!(7 + added, 4 * 4 + 6);
        assert_eq!(genome.topological_order().len(), 8);
    }

    #[test]
    fn activation_mutation_always_changes_what_the_node_computes() {
        let (config, mut genome, _, mut rng) = start(Preset::Picbreeder);
        for _ in 0..200 {
            let before = genome.clone();
            let Mutation::Activations { changed } =
                mutate_activations(&mut genome, &config.mutation, &Open::All, &mut rng).unwrap()
            else {
                panic!("activations were redrawn");
            };
            assert!(!changed.is_empty());
            for id in changed {
                assert_ne!(
                    before.node(id).unwrap().activation,
                    genome.node(id).unwrap().activation
                );
            }
        }
    }

    #[test]
    fn deletion_leaves_each_output_its_last_link() {
        let (_, mut genome, _, mut rng) = start(Preset::Neat);
        let mut deleted = 0;
        let reason = loop {
            match delete_link(&mut genome, &Open::All, &mut rng) {
                Ok(_) => deleted += 1,
                Err(reason) => break reason,
            }
        };
        assert_eq!((deleted, reason), (9, NoMutation::LastLink));
        assert_eq!(outputs_fed(&genome), 3);
        assert_eq!(delete_node(&mut genome, &Open::All, &mut rng), Err(NoMutation::NoHiddenNode));
    }

    #[test]
    fn constants_elsewhere_survive_a_deletion_and_what_it_cuts_off_goes() {
        let (config, mut genome, mut tracker, mut rng) = start(Preset::Picbreeder);
        add_node(&mut genome, &config.mutation, &Open::All, &mut tracker, &mut rng).unwrap();
        // A constant: nothing leads to it.
        let (constant, output) = (
            genome.next_node_id(),
            genome.nodes().find(|n| matches!(n.role, Role::Output(_))).unwrap().id,
        );
        genome.add_node(NodeGene::new(constant, Role::Hidden, Activation::Cos)).unwrap();
        let number = InnovationId(genome.connections().map(|c| c.innovation.0).max().unwrap() + 1);
        genome.add_connection(ConnectionGene::new(number, constant, output, 1.0)).unwrap();
        for seed in 0..20 {
            let (mut one, mut rng) = (genome.clone(), SimRng::new(seed, "test", 0));
            let Ok(Mutation::DeletedLink { innovation, orphans }) =
                delete_link(&mut one, &Open::All, &mut rng)
            else {
                continue;
            };
            assert_eq!(one.node(constant).is_some(), innovation != number, "{innovation:?}");
            // Nothing hidden hangs in the air but the constant.
            for node in one.nodes().filter(|n| n.role == Role::Hidden && n.id != constant) {
                let hears = one.connections().any(|c| c.target == node.id);
                let leads = one.connections().any(|c| c.source == node.id);
                assert!(hears && leads, "{orphans:?}");
            }
        }
    }

    #[test]
    fn weights_move_by_the_slider_and_stay_within_the_limit() {
        let (config, genome, _, mut rng) = start(Preset::Picbreeder);
        let spread = |slider: f64, rng: &mut SimRng| {
            let (mut sum, mut n) = (0.0, 0);
            for _ in 0..400 {
                let mut child = genome.clone();
                mutate_weights(&mut child, &config.mutation, slider, &Open::All, rng).unwrap();
                for (a, b) in child.connections().zip(genome.connections()) {
                    assert!(a.weight.abs() <= 3.0);
                    if a.weight != b.weight {
                        sum += (a.weight - b.weight).abs();
                        n += 1;
                    }
                }
            }
            sum / n as f64
        };
        let (low, high) = (spread(0.0, &mut rng), spread(1.0, &mut rng));
        // E|N(0, 0.01)| = 0.008; the clamp at 3 shortens the wide one below 2·0.8.
        assert!((low - 0.008).abs() < 0.001, "{low}");
        assert!(high > 0.8 && high < 1.6, "{high}");
    }
}
