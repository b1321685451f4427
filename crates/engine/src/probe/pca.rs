//! Principal components of feature maps: the few pictures that the units of a layer share.
//!
//! For the n maps F (n, P) of a layer, centred over the pixels: covariance C = F Fᵀ/P (n, n),
//! C vₖ = λₖ vₖ, λ₁ ≥ λ₂ ≥ …. Component k is the map Σᵢ vₖᵢ fᵢ (P,), its explained share
//! λₖ/Σλ ∈ [0, 1]. The sign is that which makes the largest |vₖᵢ| positive.
//!
//! Source: Pearson 1901; used as a view of a network's inside by Kumar et al. 2025 (FER). Maps are
//! centred and not scaled, so that loud units count for more.
//!
//! **What it does not mean:** few components say that a layer is redundant, not that its units are
//! organised.

use super::View;
use nalgebra::{DMatrix, SymmetricEigen};
use serde::{Deserialize, Serialize};

/// One component.
#[derive(Clone, Debug, PartialEq)]
pub struct Component {
    /// λₖ/Σλ, in [0, 1].
    pub share: f64,
    /// (n,) vₖ, of length 1.
    pub loadings: Vec<f64>,
    /// (P,) Σᵢ vₖᵢ fᵢ of the centred maps.
    pub map: Vec<f32>,
}

/// The leading components of a set of maps.
#[derive(Clone, Debug, PartialEq)]
pub struct Pca {
    /// Maps, n.
    pub maps: usize,
    /// Σλ: the summed variance of the maps.
    pub variance: f64,
    /// Components that explain a share above 10⁻⁹, largest first, at most as many as asked for.
    pub components: Vec<Component>,
}

/// The part of a layer's components that goes into a record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PcaRecord {
    /// The layer (1 = first hidden layer; the last is the outputs').
    pub layer: usize,
    /// Its maps, n.
    pub maps: usize,
    /// Their summed variance.
    pub variance: f64,
    /// Explained shares, largest first.
    pub shares: Vec<f64>,
}

/// The first `count` components of the (n, P) `maps`.
///
/// # Panics
/// If the maps have different lengths.
pub(crate) fn pca(maps: &[&[f32]], count: usize) -> Pca {
    let n = maps.len();
    let pixels = maps.first().map_or(0, |m| m.len());
    assert!(maps.iter().all(|m| m.len() == pixels), "maps of one size");
    if n == 0 || pixels == 0 {
        return Pca { maps: n, variance: 0.0, components: Vec::new() };
    }
    let centred: Vec<Vec<f64>> = maps
        .iter()
        .map(|map| {
            let mean = map.iter().map(|&v| f64::from(v)).sum::<f64>() / pixels as f64;
            map.iter().map(|&v| f64::from(v) - mean).collect()
        })
        .collect();
    let mut covariance = DMatrix::zeros(n, n);
    for i in 0..n {
        for j in 0..=i {
            let sum: f64 = centred[i].iter().zip(&centred[j]).map(|(a, b)| a * b).sum();
            covariance[(i, j)] = sum / pixels as f64;
            covariance[(j, i)] = sum / pixels as f64;
        }
    }
    let variance = covariance.trace();
    let eigen = SymmetricEigen::new(covariance);
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&a, &b| eigen.eigenvalues[b].total_cmp(&eigen.eigenvalues[a]).then(a.cmp(&b)));
    let components = order
        .into_iter()
        .take(count)
        .filter(|&k| variance > 0.0 && eigen.eigenvalues[k] > 1e-9 * variance)
        .map(|k| {
            let mut loadings: Vec<f64> = eigen.eigenvectors.column(k).iter().copied().collect();
            let largest = loadings
                .iter()
                .copied()
                .reduce(|a, b| if b.abs() > a.abs() + 1e-12 { b } else { a });
            if largest.is_some_and(|v| v < 0.0) {
                loadings.iter_mut().for_each(|v| *v = -*v);
            }
            let map = (0..pixels)
                .map(|p| {
                    let value: f64 = loadings.iter().zip(&centred).map(|(v, f)| v * f[p]).sum();
                    value as f32
                })
                .collect();
            Component { share: eigen.eigenvalues[k] / variance, loadings, map }
        })
        .collect();
    Pca { maps: n, variance, components }
}

/// The first `count` components of each layer after the inputs, over the units that reach the
/// picture: (layer, components). Layers without such a unit are left out.
pub fn layer_pca(view: &View, count: usize) -> Vec<(usize, Pca)> {
    let (network, maps, alive) = (&view.model().network, view.maps(), view.alive_units());
    (1..=network.depth())
        .filter_map(|layer| {
            let of: Vec<&[f32]> = (0..network.units.len())
                .filter(|&u| alive[u] && network.units[u].layer == layer)
                .map(|u| maps.unit(u))
                .collect();
            (!of.is_empty()).then(|| (layer, pca(&of, count)))
        })
        .collect()
}

impl Pca {
    /// Returns the part of it that goes into a record.
    pub fn record(&self, layer: usize) -> PcaRecord {
        PcaRecord {
            layer,
            maps: self.maps,
            variance: self.variance,
            shares: self.components.iter().map(|c| c.share).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_orthogonal_patterns_are_found_with_their_shares() {
        // a = 2·(1, −1, 1, −1), b = (1, 1, −1, −1), both on a constant: variances 4 and 1.
        let a: Vec<f32> = [1.0, -1.0, 1.0, -1.0].map(|v| 2.0 * v + 5.0).to_vec();
        let b: Vec<f32> = [1.0, 1.0, -1.0, -1.0].map(|v| v - 3.0).to_vec();
        let found = pca(&[&b, &a], 5);
        assert_eq!((found.maps, found.components.len()), (2, 2));
        assert!((found.variance - 5.0).abs() < 1e-12);
        let [first, second] = &found.components[..] else {
            panic!("two components");
        };
        assert!((first.share - 0.8).abs() < 1e-12 && (second.share - 0.2).abs() < 1e-12);
        assert_eq!(first.map, [2.0, -2.0, 2.0, -2.0]);
        assert_eq!(second.map, [1.0, 1.0, -1.0, -1.0]);
        assert!((first.loadings[1] - 1.0).abs() < 1e-12);
    }

    #[test]
    fn copies_and_their_negatives_are_one_component() {
        // f, −f, 3f: rank one; loadings (1, −1, 3)/√11, the largest positive.
        let f: Vec<f32> = vec![0.5, -0.25, -0.25, 0.0];
        let minus: Vec<f32> = f.iter().map(|v| -v).collect();
        let three: Vec<f32> = f.iter().map(|v| 3.0 * v).collect();
        let found = pca(&[&f, &minus, &three], 3);
        assert_eq!(found.components.len(), 1);
        let one = &found.components[0];
        assert!((one.share - 1.0).abs() < 1e-9);
        for (loading, expected) in one.loadings.iter().zip([1.0, -1.0, 3.0]) {
            assert!((loading - expected / 11.0f64.sqrt()).abs() < 1e-9);
        }
        assert!((f64::from(one.map[0]) - 0.5 * 11.0f64.sqrt()).abs() < 1e-6);
    }

    #[test]
    fn a_rank_deficient_set_is_rebuilt_from_its_components() {
        // Six maps in a space of two patterns: Σₖ vₖᵢ·componentₖ is the centred map again.
        let base = [[1.0f32, 2.0, -1.0, -2.0, 0.5, -0.5], [0.0, 1.0, 1.0, 0.0, -1.0, -1.0]];
        let mix = [(1.0, 0.0), (0.0, 1.0), (1.0, 1.0), (2.0, -1.0), (0.5, 3.0), (-1.0, 1.0)];
        let maps: Vec<Vec<f32>> = mix
            .iter()
            .map(|(a, b)| (0..6).map(|p| a * base[0][p] + b * base[1][p]).collect())
            .collect();
        let borrowed: Vec<&[f32]> = maps.iter().map(Vec::as_slice).collect();
        let found = pca(&borrowed, 6);
        assert_eq!(found.components.len(), 2);
        let shares: f64 = found.components.iter().map(|c| c.share).sum();
        assert!((shares - 1.0).abs() < 1e-9);
        for (i, map) in maps.iter().enumerate() {
            for p in 0..6 {
                let again: f64 =
                    found.components.iter().map(|c| c.loadings[i] * f64::from(c.map[p])).sum();
                assert!((again - f64::from(map[p])).abs() < 1e-5);
            }
        }
    }

    #[test]
    fn constant_maps_and_no_maps_have_no_component() {
        assert!(pca(&[&[0.3, 0.3]], 3).components.is_empty());
        assert_eq!(pca(&[], 3).maps, 0);
    }
}
