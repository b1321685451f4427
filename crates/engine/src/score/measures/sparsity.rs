//! Compositional sparsity of a wiring: how few things each unit depends on, and how deep the
//! composition is.
//!
//! Poggio's notion: a function is compositionally sparse if it is a graph of constituent functions
//! each of few variables; effective dimension is the largest of those numbers. Source: Poggio,
//! *Compositional sparsity*, 2022; Danhofer et al. 2025. Reading it off a mask is \[ours\]: a unit's
//! variables are the different units its live links lead back to, **relays looked through**.
//!
//! A relay is an alive unit with exactly one live link and a linear activation (`cache`,
//! `identity`): it hands on its source up to a factor, composes nothing, and is what layerizing
//! inserts. So a genome and its layerized twin measure the same.
//!
//! In: a network, a mask (W,). Out: depths, counts and degrees, all from 0.
//! Cost: no drawing; a few passes over W links.
//!
//! What it does not mean: a sparse wiring *can* be compositional; nothing here says its parts mean
//! anything.

use crate::math::Activation;
use crate::network::{Mask, Network};
use crate::prune::alive;
use serde::{Deserialize, Serialize};

/// Depth and in-degrees of the alive part of a network.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CompositionalSparsity {
    /// Longest path from an input to an output, in units after the inputs, relays counted.
    pub depth: usize,
    /// The same with relays not counted: the DAG depth D of the composition.
    pub computing_depth: usize,
    /// Alive units after the inputs that are no relays.
    pub computing_units: usize,
    /// Alive links (on a path from an input to an output).
    pub alive_links: usize,
    /// Mean over computing units of the effective in-degree: different non-relay sources.
    /// 0 without computing units.
    pub mean_in_degree: f64,
    /// Largest effective in-degree: Poggio's effective dimension.
    pub max_in_degree: usize,
}

/// Compositional sparsity of `network` under `mask` (W flags).
///
/// # Panics
/// If the mask has not one flag a link.
pub fn compositional_sparsity(network: &Network, mask: &Mask) -> CompositionalSparsity {
    assert_eq!(mask.0.len(), network.links.len(), "one flag a link");
    let alive = alive(network, mask).0;
    let count = network.units.len();
    let (mut depth, mut computing) = (vec![0usize; count], vec![0usize; count]);
    // What a unit stands for: itself, or for a relay what its one source stands for.
    let mut stands_for: Vec<usize> = (0..count).collect();
    let mut in_degrees = Vec::new();
    for (u, unit) in network.units.iter().enumerate() {
        let sources: Vec<usize> =
            unit.links.clone().filter(|&i| alive[i]).map(|i| network.links[i].source).collect();
        if sources.is_empty() {
            continue;
        }
        let linear = matches!(unit.activation, Activation::Cache | Activation::Identity);
        let relay = linear && sources.len() == 1;
        depth[u] = 1 + sources.iter().map(|&s| depth[s]).max().unwrap_or(0);
        computing[u] =
            usize::from(!relay) + sources.iter().map(|&s| computing[s]).max().unwrap_or(0);
        if relay {
            stands_for[u] = stands_for[sources[0]];
        } else {
            let mut origins: Vec<usize> = sources.iter().map(|&s| stands_for[s]).collect();
            origins.sort_unstable();
            origins.dedup();
            in_degrees.push(origins.len());
        }
    }
    let at_outputs = |values: &[usize]| {
        let outputs = network.outputs.iter().flatten();
        outputs.map(|&o| values[o]).max().unwrap_or(0)
    };
    CompositionalSparsity {
        depth: at_outputs(&depth),
        computing_depth: at_outputs(&computing),
        computing_units: in_degrees.len(),
        alive_links: alive.iter().filter(|&&a| a).count(),
        mean_in_degree: if in_degrees.is_empty() {
            0.0
        } else {
            in_degrees.iter().sum::<usize>() as f64 / in_degrees.len() as f64
        },
        max_in_degree: in_degrees.iter().copied().max().unwrap_or(0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::Arch;

    /// The network of `arch` with only `wires` kept.
    fn masked(arch: &str, wires: &[(usize, usize)]) -> (Network, Mask) {
        let network = arch.parse::<Arch>().unwrap().network();
        let kept = network.links.iter().map(|l| wires.contains(&(l.source, l.target))).collect();
        (network, Mask(kept))
    }

    #[test]
    fn relays_are_looked_through_and_dead_links_ignored() {
        // Hidden: caches 4, 7; sines 5, 6 | 8, 9. y→4→7 relays y; x→5→8; 7→10 (head, hue);
        // 8 adds 4 (y) and 5; 6→9 has no input, and 1→6 is missing: dead.
        let (network, mask) = masked(
            "2;cache:1,sin:2",
            &[(0, 4), (1, 5), (4, 7), (4, 8), (5, 8), (6, 9), (9, 12), (7, 10), (8, 11), (7, 11)],
        );
        let found = compositional_sparsity(&network, &mask);
        // Computing: 5 {x}, 8 {y, 5}, head 11 {y, 8}. Head 10 relays y.
        assert_eq!(
            found,
            CompositionalSparsity {
                depth: 3,
                computing_depth: 3,
                computing_units: 3,
                alive_links: 8,
                mean_in_degree: 5.0 / 3.0,
                max_in_degree: 2,
            }
        );
    }

    #[test]
    fn a_dense_network_depends_on_everything() {
        let network = "3;gaussian:5".parse::<Arch>().unwrap().network();
        let found = compositional_sparsity(&network, &Mask::all(network.weight_count()));
        assert_eq!((found.depth, found.computing_depth), (4, 4));
        assert_eq!((found.computing_units, found.max_in_degree), (18, 5));
        // 5 units of 4 inputs; 10 hidden and 3 heads of 5.
        assert!((found.mean_in_degree - 85.0 / 18.0).abs() < 1e-12);
        let none = Mask(vec![false; network.weight_count()]);
        let empty = compositional_sparsity(&network, &none);
        assert_eq!((empty.depth, empty.mean_in_degree), (0, 0.0));
    }
}
