//! Components of a trained network's wiring: the numbers to hold against the theory's
//! ([`super::components`]).
//!
//! In: a layered network, a mask (W,). Out: counts from 0, density in [0, 1]; `None` for a graph.
//! Cost: no drawing; a few passes over W links.
//!
//! What it does not mean: a wiring with P components *can* hold P independent parts; nothing here
//! says that it does.

use super::components::Components;
use crate::network::{Mask, Network};
use crate::prune::alive;
use serde::{Deserialize, Serialize};

/// The trained counterpart of the theory: the same counts on one layered network and its mask.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NetworkModules {
    /// W.
    pub width: usize,
    /// L.
    pub layers: usize,
    /// Share of the (L − 1)·W² edges between hidden layers that the mask keeps: the p to compare
    /// with. 0 when L = 1.
    pub density: f64,
    /// Components of the kept hidden edges, dead units included: the largest P with a labelling.
    pub least_touching: usize,
    /// Components among *alive* units and links that cover every hidden layer.
    pub spanning: usize,
    /// True if every output hangs on an input.
    pub outputs_driven: bool,
}

impl NetworkModules {
    /// Counts for a layered `network` under `mask` (W flags, one a link); `None` for a graph.
    ///
    /// # Panics
    /// If the mask has not one flag a link.
    pub fn of(network: &Network, mask: &Mask) -> Option<Self> {
        let arch = network.arch.as_ref()?;
        let (width, layers) = (arch.width(), arch.layers);
        assert_eq!(mask.0.len(), network.links.len(), "one flag a link");
        let (alive, inputs) = (alive(network, mask).0, network.inputs.len());
        let hidden = |keep: &[bool]| -> Vec<(usize, usize)> {
            network
                .links
                .iter()
                .zip(keep)
                .filter(|(link, keep)| {
                    **keep && link.source >= inputs && network.units[link.target].layer <= layers
                })
                .map(|(link, _)| (link.source - inputs, link.target - inputs))
                .collect()
        };
        let kept = hidden(&mask.0);
        let mut lives = vec![false; layers * width];
        for (link, _) in network.links.iter().zip(&alive).filter(|(_, a)| **a) {
            for unit in [link.source, link.target] {
                if (inputs..inputs + layers * width).contains(&unit) {
                    lives[unit - inputs] = true;
                }
            }
        }
        let slots = (layers - 1) * width * width;
        Some(NetworkModules {
            width,
            layers,
            density: if slots == 0 { 0.0 } else { kept.len() as f64 / slots as f64 },
            least_touching: Components::of(layers, width, |_| true, kept).least_touching(),
            spanning: Components::of(layers, width, |u| lives[u], hidden(&alive)).spanning(),
            outputs_driven: network
                .outputs
                .iter()
                .flatten()
                .all(|&output| network.units[output].links.clone().any(|link| alive[link])),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::Arch;

    #[test]
    fn a_hand_made_network_has_two_modules() {
        // Two hidden layers of 3: units 4–6, 7–9. Kept: x→4→7→h, d→5→8→s, bias→8, 8→v; 6 and 9 dead.
        let network = "2;sin:3".parse::<Arch>().unwrap().network();
        let wires = [(1, 4), (4, 7), (7, 10), (2, 5), (5, 8), (8, 11), (8, 12)];
        let mask =
            Mask(network.links.iter().map(|l| wires.contains(&(l.source, l.target))).collect());
        let found = NetworkModules::of(&network, &mask).unwrap();
        assert_eq!((found.width, found.layers), (3, 2));
        assert_eq!(found.spanning, 2);
        // Dead units are components too: {4,7}, {5,8}, {6}, {9}: three touch each layer.
        assert_eq!(found.least_touching, 3);
        assert!((found.density - 2.0 / 9.0).abs() < 1e-15);
        assert!(found.outputs_driven);
        let full = NetworkModules::of(&network, &Mask::all(network.weight_count())).unwrap();
        assert_eq!((full.spanning, full.least_touching), (1, 1));
    }
}
