//! Penalties: a cost that training lowers together with the error of the picture. One row each in
//! [`Penalty::TABLE`].
//!
//! A penalty depends on the weights, or on the maps of hidden units. Its gradient is added to the gradient of
//! the loss. Losses, goals and records stay those of the picture alone. Removed links cost nothing.

use crate::base::choice::{choices, options};
use crate::network::kernel::MapCost;
use crate::network::{Mask, Network};

/// A row of [`Penalty::TABLE`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PenaltyRow {
    /// The name used in configs and on the command line.
    pub name: &'static str,
    /// The cost, with its strength λ.
    pub formula: &'static str,
    /// Where it comes from.
    pub source: &'static str,
}

options! {
    /// Strength of a penalty.
    #[derive(Copy)]
    pub struct Strength {
        /// λ, factor on the penalty.
        strength: f64 = 1e-3, range: Range::at_least(0.0), source: "ours";
    }

    /// Options of `length`.
    #[derive(Copy)]
    pub struct Length {
        /// λ, factor on the penalty.
        strength: f64 = 1e-3, range: Range::at_least(0.0), source: "Liu et al.";
        /// Distance of neighbouring layers, where a layer is 1 wide.
        step: f64 = 0.1, range: Range::at_least(0.0), source: "ours";
    }
}

choices! {
    /// A penalty, with its strength. As text `l1:strength=1e-4`.
    #[derive(Copy)]
    pub enum Penalty, "penalty", rows PenaltyRow;

    /// Size of the weights.
    L1(Strength) "l1" {
        formula: "λ Σ|w|",
        source: "Tibshirani 1996",
    }
    /// Squares of the weights: weight decay that goes through the optimizer (coupled).
    L2(Strength) "l2" {
        formula: "λ/2 Σw²",
        source: "Krogh & Hertz 1991; torch's weight_decay of Adam",
    }
    /// Size of the weights times the length of their links: units stand evenly in their layer, which is 1 wide.
    Length(Length) "length" {
        formula: "λ Σ|w|·(|Δ in the layer| + step·layers)",
        source: "Liu, Gan, Tegmark 2023 (BIMT), without its swaps",
    }
    /// Total variation of the maps of hidden units, over x and y in [-1, 1].
    Variation(Strength) "tv" {
        formula: "λ · mean over hidden units and pixels of |∂h/∂x| + |∂h/∂y|",
        source: "Rudin, Osher, Fatemi 1992; on maps ours",
    }
    /// Overlap of the maps of hidden units in a layer.
    Orthogonality(Strength) "orthogonality" {
        formula: "λ · mean over layers and pairs of cos²(hᵢ, hⱼ)",
        source: "Cogswell et al. 2016, with cosines; ours",
    }
}

impl Penalty {
    /// The part that is a cost of maps, with its strength, on a picture of `side`² pixels.
    pub(super) fn of_maps(&self, side: usize) -> Option<(MapCost, f64)> {
        match self {
            Penalty::Variation(options) => {
                Some((MapCost::TotalVariation { side }, options.strength))
            }
            Penalty::Orthogonality(options) => Some((MapCost::Overlap, options.strength)),
            _ => None,
        }
    }

    /// The part that is a cost of weights.
    pub(super) fn of_weights(&self, network: &Network, mask: &Mask) -> Option<WeightCost> {
        let count = network.weight_count();
        let (strength, factors, square) = match self {
            Penalty::L1(options) => (options.strength, vec![1.0; count], false),
            Penalty::L2(options) => (options.strength, vec![1.0; count], true),
            Penalty::Length(options) => (options.strength, lengths(network, options.step), false),
            _ => return None,
        };
        let factors = factors.iter().zip(&mask.0);
        let factors = factors.map(|(f, kept)| if *kept { (strength * f) as f32 } else { 0.0 });
        Some(WeightCost { factors: factors.collect(), square })
    }
}

/// (W,) |Δ in the layer| + step · layers between its ends.
fn lengths(network: &Network, step: f64) -> Vec<f64> {
    let mut in_layer = vec![0usize; network.depth() + 1];
    let order: Vec<usize> = network
        .units
        .iter()
        .map(|unit| {
            in_layer[unit.layer] += 1;
            in_layer[unit.layer] - 1
        })
        .collect();
    let place = |u: usize| (order[u] as f64 + 0.5) / in_layer[network.units[u].layer] as f64;
    let length = |source: usize, target: usize| {
        let layers = network.units[target].layer.abs_diff(network.units[source].layer);
        (place(source) - place(target)).abs() + step * layers as f64
    };
    network.links.iter().map(|link| length(link.source, link.target)).collect()
}

/// Σ fᵢ|wᵢ|, or Σ fᵢwᵢ²/2.
#[derive(Clone, Debug)]
pub(super) struct WeightCost {
    /// (W,) f, 0 for removed links.
    factors: Vec<f32>,
    square: bool,
}

impl WeightCost {
    /// Adds its slope to `gradient`, (W,). That of |w| at 0 is 0.
    pub(super) fn add_slope(&self, weights: &[f32], gradient: &mut [f32]) {
        let all = gradient.iter_mut().zip(weights).zip(&self.factors);
        if self.square {
            all.for_each(|((g, w), f)| *g += f * w);
        } else {
            all.for_each(|((g, w), f)| *g += if *w == 0.0 { 0.0 } else { f.copysign(*w) });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::SimRng;
    use crate::network::Arch;

    #[test]
    fn slopes_of_weight_costs_are_those_of_central_differences() {
        let network = "2;cache:2,sin:1".parse::<Arch>().unwrap().network();
        let mut mask = Mask::all(network.weight_count());
        mask.0[3] = false;
        let mut rng = SimRng::new(1, "test", 0);
        let mut weights: Vec<f32> = mask.0.iter().map(|_| rng.normal() as f32).collect();
        weights[3] = 0.0;
        for text in ["l1:strength=0.3", "l2:strength=0.3", "length:strength=0.3,step=0.2"] {
            let penalty: Penalty = text.parse().unwrap();
            let cost = |weights: &[f32]| -> f64 {
                let length = lengths(&network, 0.2);
                let each = weights.iter().zip(&length).map(|(&w, d)| match penalty {
                    Penalty::L1(_) => f64::from(w).abs(),
                    Penalty::L2(_) => f64::from(w).powi(2) / 2.0,
                    _ => f64::from(w).abs() * d,
                });
                0.3 * each.sum::<f64>()
            };
            let mut gradient = vec![0.5; weights.len()];
            penalty.of_weights(&network, &mask).unwrap().add_slope(&weights, &mut gradient);
            for i in (0..weights.len()).filter(|&i| mask.0[i]) {
                let at = |step: f32| {
                    let mut moved = weights.clone();
                    moved[i] += step;
                    cost(&moved)
                };
                let numeric = (at(1e-3) - at(-1e-3)) / 2e-3 + 0.5;
                assert!((numeric - f64::from(gradient[i])).abs() < 1e-3, "{text}: {numeric} {i}");
            }
            assert_eq!(gradient[3], 0.5, "{text}");
        }
    }

    #[test]
    fn a_link_is_as_long_as_its_ends_are_apart() {
        // Layers of 4, 3, 3 and 3 units, each 1 wide.
        let network = "2;cache:2,sin:1".parse::<Arch>().unwrap().network();
        let lengths = lengths(&network, 0.1);
        let of = |source: usize, target: usize| {
            let i = network.links.iter().position(|l| (l.source, l.target) == (source, target));
            lengths[i.unwrap()]
        };
        assert!((of(0, 4) - (1.0 / 6.0 - 1.0 / 8.0 + 0.1)).abs() < 1e-12);
        assert!((of(3, 4) - (7.0 / 8.0 - 1.0 / 6.0 + 0.1)).abs() < 1e-12);
        assert!((of(5, 8) - 0.1).abs() < 1e-12);
    }

    #[test]
    fn penalties_are_written_and_read_back() {
        for penalty in Penalty::all() {
            assert_eq!(penalty.to_string(), penalty.name());
        }
        for text in ["l1:strength=0.5", "length:step=0.3", "tv:strength=2e-5"] {
            let penalty: Penalty = text.parse().unwrap();
            assert_eq!(penalty.to_string().parse(), Ok(penalty));
        }
        assert!("l1:strength=-1".parse::<Penalty>().is_err());
        let error = "orthogonal".parse::<Penalty>().unwrap_err().to_string();
        assert!(error.contains("did you mean \"orthogonality\"?"), "{error}");
    }
}
