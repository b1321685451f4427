//! Effective fan-in: how many inputs a unit really listens to.
//!
//! Shares sⱼ = |wⱼ|·‖aⱼ‖₂/Σₖ|wₖ|·‖aₖ‖₂ over a unit's links (the size of each contribution, as in
//! Wanda), H = −Σ sⱼ ln sⱼ; effective fan-in = exp H, from 1 (one input does all) to the number of
//! live links (all alike).
//!
//! In: weights (W,), maps (U, P). Out: (U,) numbers, `None` for inputs; their mean.
//! Cost: no drawing; U · P products for the norms, W for the shares.
//!
//! Source: exp H is Hill's number of order 1 (Hill 1973); its use here is \[ours\].
//!
//! **What it does not mean:** few inputs is not modular (the few may be the same for every unit),
//! and contributions may cancel: sizes know no signs.

use super::maps::dot;
use crate::base::real;
use crate::network::kernel::FeatureMaps;
use crate::network::{Network, Weights};
use serde::{Deserialize, Serialize};

/// Effective fan-in of every unit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FanIn {
    /// (U,) exp H; `None` for inputs and for units to which nothing contributes.
    pub units: Vec<Option<f64>>,
    /// Mean over the units that have one; 0 if none has.
    pub mean: f64,
}

/// exp H of non-negative sizes; `None` if they sum to 0.
pub(crate) fn effective_number(sizes: &[f64]) -> Option<f64> {
    let total: f64 = sizes.iter().sum();
    if total <= 0.0 {
        return None;
    }
    let entropy: f64 =
        sizes.iter().filter(|&&s| s > 0.0).map(|s| -(s / total) * real::ln(s / total)).sum();
    Some(real::exp(entropy))
}

/// Effective fan-in of the units of `network`, from weights (W,) and feature maps (U, P).
///
/// # Panics
/// If weights or maps are those of another network.
pub fn effective_fan_in(network: &Network, weights: &Weights, maps: &FeatureMaps) -> FanIn {
    assert_eq!(weights.0.len(), network.weight_count(), "one weight a link");
    assert_eq!(maps.units, network.units.len(), "one map a unit");
    let norms: Vec<f64> = (0..maps.units).map(|u| dot(maps.unit(u), maps.unit(u)).sqrt()).collect();
    let units: Vec<Option<f64>> = network
        .units
        .iter()
        .map(|unit| {
            let sizes: Vec<f64> = unit
                .links
                .clone()
                .map(|i| f64::from(weights.0[i].abs()) * norms[network.links[i].source])
                .collect();
            effective_number(&sizes)
        })
        .collect();
    let found: Vec<f64> = units.iter().flatten().copied().collect();
    FanIn {
        mean: if found.is_empty() { 0.0 } else { found.iter().sum::<f64>() / found.len() as f64 },
        units,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::Arch;

    #[test]
    fn equal_shares_count_in_full_and_a_single_one_as_one() {
        assert!((effective_number(&[2.0, 2.0, 2.0]).unwrap() - 3.0).abs() < 1e-12);
        assert!((effective_number(&[0.0, 5.0]).unwrap() - 1.0).abs() < 1e-12);
        assert_eq!(effective_number(&[0.0]), None);
        // Shares ½, ¼, ¼: H = 1.5 ln 2.
        let mixed = effective_number(&[2.0, 1.0, 1.0]).unwrap();
        assert!((mixed - 8.0f64.sqrt()).abs() < 1e-12);
    }

    #[test]
    fn contributions_weigh_by_the_size_of_the_map() {
        // 1;sin:1: links y, x, d, bias → 4 → 5, 6, 7. Maps of norm 3, 1, 1, 0.
        let network = "1;sin:1".parse::<Arch>().unwrap().network();
        let maps = FeatureMaps {
            units: 8,
            pixels: 1,
            values: vec![3.0, 1.0, -1.0, 0.0, 0.5, 0.0, 0.0, 0.0],
        };
        let weights = Weights(vec![1.0, -3.0, 0.0, 9.0, 2.0, 0.0, 1.0]);
        let found = effective_fan_in(&network, &weights, &maps);
        // Contributions 3, 3, 0, 0: two inputs. Hue hears one, saturation none, brightness one.
        assert!((found.units[4].unwrap() - 2.0).abs() < 1e-12);
        assert_eq!(found.units[0], None);
        assert_eq!(found.units[6], None);
        assert!((found.mean - 4.0 / 3.0).abs() < 1e-12);
    }
}
