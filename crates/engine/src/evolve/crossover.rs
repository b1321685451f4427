//! Recombination: NEAT's aligned crossover and Picbreeder's union.
//!
//! References: Stanley & Miikkulainen 2002 §3.2 and Fig. 4; METHODS §2 for the union.

use crate::base::SimRng;
use crate::base::refusal::Refusal;
use crate::genome::{ConnectionGene, Genome, InnovationId, NodeGene, NodeId, Role};
use crate::math::Activation;
use std::collections::{BTreeMap, BTreeSet};

/// The union of all parents' genes (Picbreeder): matching weights averaged, matching activations
/// drawn uniformly among the parents that have the node; a link is enabled if any parent's is.
///
/// Genes of earlier parents come first: a later parent's link that would double a pair or close a
/// cycle is left out. Provenance is empty.
///
/// # Errors
/// No parents, or parents of different lineages.
pub fn crossover_union(parents: &[&Genome], rng: &mut SimRng) -> Result<Genome, Refusal> {
    let first = *parents.first().ok_or_else(|| Refusal::new("", "at least one parent", "none"))?;
    let mut child = first.clone();
    child.provenance = Default::default();
    let mut activations: BTreeMap<NodeId, Vec<Activation>> = BTreeMap::new();
    let mut weights: BTreeMap<InnovationId, (f64, f64, bool)> = BTreeMap::new();
    for parent in parents {
        same_lineage(&child, parent)?;
        for node in parent.nodes() {
            activations.entry(node.id).or_default().push(node.activation);
            if child.node(node.id).is_none() {
                child.add_node(node.clone()).expect("a hidden node with a free id");
            }
        }
        for gene in parent.connections() {
            if child.connection(gene.innovation).is_none() {
                // Refused if it doubles a pair or closes a cycle: the earlier parent's stands.
                let _ = child.add_connection(gene.clone());
            }
            let (sum, count, enabled) = weights.entry(gene.innovation).or_insert((0.0, 0.0, false));
            *sum += gene.weight;
            *count += 1.0;
            *enabled |= gene.enabled;
        }
    }
    for (id, choices) in activations {
        let drawn = if choices.windows(2).all(|pair| pair[0] == pair[1]) {
            choices[0]
        } else {
            choices[rng.below(choices.len())]
        };
        child.set_activation(id, drawn).expect("the node is there");
    }
    let kept: Vec<InnovationId> = child.connections().map(|c| c.innovation).collect();
    for innovation in kept {
        let (sum, count, enabled) = weights[&innovation];
        child.set_weight(innovation, sum / count).expect("a mean of finite weights is finite");
        child.set_enabled(innovation, enabled).expect("the link is there");
    }
    drop_unlinked(&mut child);
    Ok(child)
}

/// NEAT's crossover: matching genes from either parent at random, disjoint and excess genes from
/// `fitter`; from either with probability ½ each if the parents are `equal` in fitness. A gene
/// disabled in either parent stays disabled with probability `stay_disabled`.
///
/// With `equal`, genes of `fitter` come first: a link of `other` that would double a pair or close
/// a cycle is left out. Provenance is empty.
///
/// # Errors
/// Parents of different lineages.
pub fn crossover_aligned(
    fitter: &Genome,
    other: &Genome,
    equal: bool,
    stay_disabled: f64,
    rng: &mut SimRng,
) -> Result<Genome, Refusal> {
    same_lineage(fitter, other)?;
    let mut genes: Vec<ConnectionGene> = Vec::new();
    for gene in fitter.connections() {
        let matching = other.connection(gene.innovation);
        let mut inherited = match matching {
            Some(theirs) if rng.chance(0.5) => theirs.clone(),
            None if equal && rng.chance(0.5) => continue,
            _ => gene.clone(),
        };
        if !gene.enabled || matching.is_some_and(|m| !m.enabled) {
            inherited.enabled = !rng.chance(stay_disabled);
        }
        genes.push(inherited);
    }
    if equal {
        for gene in other.connections() {
            if fitter.connection(gene.innovation).is_none() && rng.chance(0.5) {
                let mut inherited = gene.clone();
                if !gene.enabled {
                    inherited.enabled = !rng.chance(stay_disabled);
                }
                genes.push(inherited);
            }
        }
    }

    let used: BTreeSet<NodeId> = genes.iter().flat_map(|g| [g.source, g.target]).collect();
    let mut nodes: BTreeMap<NodeId, NodeGene> = BTreeMap::new();
    for node in fitter.nodes().chain(other.nodes()) {
        if node.role != Role::Hidden || used.contains(&node.id) {
            let alternative = other.node(node.id).filter(|_| !nodes.contains_key(&node.id));
            let chosen = match alternative {
                Some(theirs) if theirs.activation != node.activation && rng.chance(0.5) => theirs,
                _ => node,
            };
            nodes.entry(node.id).or_insert_with(|| chosen.clone());
        }
    }
    let mut child = Genome::new(nodes.into_values().collect(), Vec::new(), Default::default())
        .expect("the parents' nodes are complete");
    child.palette = fitter.palette;
    for gene in genes {
        // Only `equal` parents can clash: the earlier gene stands.
        let _ = child.add_connection(gene);
    }
    drop_unlinked(&mut child);
    Ok(child)
}

fn not_of_one_lineage(found: String) -> Refusal {
    Refusal::new("parents", "genomes of one lineage", found)
}

/// Numbers must mean the same genes in both, or there is nothing to align.
fn same_lineage(a: &Genome, b: &Genome) -> Result<(), Refusal> {
    for node in b.nodes() {
        let clash = match a.node(node.id) {
            Some(mine) => mine.role != node.role,
            None => node.role != Role::Hidden,
        };
        if clash {
            return Err(not_of_one_lineage(format!("node {:?} with different roles", node.id)));
        }
    }
    for gene in b.connections() {
        if let Some(mine) = a.connection(gene.innovation)
            && (mine.source, mine.target) != (gene.source, gene.target)
        {
            return Err(not_of_one_lineage(format!(
                "link {:?} between different nodes",
                gene.innovation
            )));
        }
    }
    Ok(())
}

/// Hidden nodes that no inherited link touches carry nothing.
fn drop_unlinked(genome: &mut Genome) {
    let used: BTreeSet<NodeId> = genome.connections().flat_map(|c| [c.source, c.target]).collect();
    let unused: Vec<NodeId> = genome
        .nodes()
        .filter(|n| n.role == Role::Hidden && !used.contains(&n.id))
        .map(|n| n.id)
        .collect();
    for id in unused {
        genome.remove_node(id).expect("a hidden node");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evolve::{EvolveConfig, InnovationTracker, Open, Preset, add_node, first_genome};

    /// A common ancestor with two children that each put a node on another link.
    fn family(preset: Preset) -> (Genome, Genome, SimRng) {
        let config = EvolveConfig::preset(preset);
        let mut rng = SimRng::new(9, "test", 0);
        let ancestor = first_genome(&config, &mut rng);
        let mut tracker = InnovationTracker::after([&ancestor]);
        let (mut a, mut b) = (ancestor.clone(), ancestor);
        while a.nodes().len() == b.nodes().len()
            && a.nodes().map(|n| n.id).eq(b.nodes().map(|n| n.id))
        {
            add_node(&mut a, &config.mutation, &Open::All, &mut tracker, &mut rng).unwrap();
            add_node(&mut b, &config.mutation, &Open::All, &mut tracker, &mut rng).unwrap();
        }
        (a, b, rng)
    }

    #[test]
    fn union_has_the_genes_of_both_and_averages_matching_weights() {
        let (mut a, mut b, mut rng) = family(Preset::Picbreeder);
        a.set_weight(InnovationId(0), 1.0).unwrap();
        b.set_weight(InnovationId(0), -3.0).unwrap();
        let child = crossover_union(&[&a, &b], &mut rng).unwrap();
        assert_eq!(child.connection(InnovationId(0)).unwrap().weight, -1.0);
        for gene in a.connections().chain(b.connections()) {
            assert!(child.connection(gene.innovation).is_some());
        }
        child.check().unwrap();
    }

    #[test]
    fn aligned_takes_excess_and_disjoint_from_the_fitter_only() {
        let (a, b, mut rng) = family(Preset::Neat);
        for _ in 0..20 {
            let child = crossover_aligned(&a, &b, false, 0.75, &mut rng).unwrap();
            assert!(
                child.connections().map(|c| c.innovation).eq(a.connections().map(|c| c.innovation))
            );
            child.check().unwrap();
        }
    }

    #[test]
    fn three_of_four_disabled_genes_stay_disabled() {
        let (a, b, mut rng) = family(Preset::Neat);
        let disabled = |g: &Genome| {
            let off = g.connections().find(|c| !c.enabled).unwrap();
            off.innovation
        };
        let watched = disabled(&a);
        let off = (0..4000)
            .filter(|_| {
                let child = crossover_aligned(&a, &b, false, 0.75, &mut rng).unwrap();
                !child.connection(watched).unwrap().enabled
            })
            .count();
        assert!((off as i64 - 3000).abs() < 120, "{off} of 4000");
    }

    #[test]
    fn strangers_are_refused() {
        let (a, b, mut rng) = family(Preset::Neat);
        let mut config = EvolveConfig::preset(Preset::Neat);
        config.start.colour = false;
        let grey = first_genome(&config, &mut rng);
        assert!(crossover_aligned(&a, &grey, false, 0.75, &mut rng).is_err());
        assert!(crossover_union(&[&grey, &b], &mut rng).is_err());
        assert!(crossover_union(&[], &mut rng).is_err());
    }
}
