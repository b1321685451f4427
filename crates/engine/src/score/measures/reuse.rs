//! Reuse: how many readers a live unit has.
//!
//! Mean number of alive outgoing links over alive hidden units (and outputs that others read), ≥ 1 whenever
//! there is one. A link
//! is alive if it is kept and on a path from an input to an output. Relays (`cache` units) are
//! counted apart, since layerizing makes them.
//!
//! In: a network, a mask (W,). Out: a count, two means and the largest number, all at least 0.
//! Cost: no drawing; a few passes over W links.
//!
//! Source: \[ours\]; reuse of parts is what FER holds against fracture.
//!
//! **What it does not mean:** a dense network reuses everything and organises nothing: compare at
//! equal numbers of live links.

use crate::math::Activation;
use crate::network::{Mask, Network};
use crate::prune::alive;
use serde::{Deserialize, Serialize};

/// Live out-degrees of hidden units.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reuse {
    /// Alive hidden units.
    pub units: usize,
    /// Mean alive out-degree over them; 0 without any.
    pub mean: f64,
    /// The same without `cache` units.
    pub mean_without_relays: f64,
    /// Largest out-degree.
    pub most: usize,
}

/// Reuse in `network` under `mask` (W flags).
///
/// # Panics
/// If the mask has not one flag a link.
pub fn reuse(network: &Network, mask: &Mask) -> Reuse {
    assert_eq!(mask.0.len(), network.links.len(), "one flag a link");
    let alive = alive(network, mask);
    let mut degree = vec![0usize; network.units.len()];
    for (link, _) in network.links.iter().zip(&alive.0).filter(|(_, a)| **a) {
        degree[link.source] += 1;
    }
    // An output that nothing else reads is no hidden unit; one that feeds others counts.
    let hidden: Vec<usize> =
        (network.inputs.len()..network.units.len()).filter(|&u| degree[u] > 0).collect();
    let mean = |units: &mut dyn Iterator<Item = usize>| {
        let (mut sum, mut count) = (0, 0);
        for u in units {
            sum += degree[u];
            count += 1;
        }
        if count == 0 { 0.0 } else { sum as f64 / f64::from(count) }
    };
    let relay = |u: usize| network.units[u].activation == Activation::Cache;
    Reuse {
        units: hidden.len(),
        mean: mean(&mut hidden.iter().copied()),
        mean_without_relays: mean(&mut hidden.iter().copied().filter(|&u| !relay(u))),
        most: hidden.iter().map(|&u| degree[u]).max().unwrap_or(0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::Arch;

    #[test]
    fn only_living_readers_count() {
        // Units 4 (cache), 5, 6 (sin) | 7 (cache), 8, 9 | heads 10–12.
        let network = "2;cache:1,sin:2".parse::<Arch>().unwrap().network();
        let wires =
            [(0, 4), (4, 7), (4, 8), (7, 10), (8, 10), (8, 11), (8, 12), (5, 9), (9, 12), (4, 9)];
        let mask =
            Mask(network.links.iter().map(|l| wires.contains(&(l.source, l.target))).collect());
        // 5 has no input: 5→9 is dead. Alive: 4 reads by 7, 8, 9; 7 by 10; 8 by three; 9 by 12.
        let found = reuse(&network, &mask);
        assert_eq!((found.units, found.most), (4, 3));
        assert_eq!(found.mean, 8.0 / 4.0);
        assert_eq!(found.mean_without_relays, 2.0);
        let none = Mask(vec![false; network.weight_count()]);
        assert_eq!(reuse(&network, &none).mean, 0.0);
    }
}
