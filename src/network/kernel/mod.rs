//! The fast pass over pixels: rendering, losses and gradients, perturbations (METHODS §3, §6).
//!
//! In: a network, weights, pixel inputs. Out: pictures, feature maps, MSE losses with gradients,
//! pictures under changed weights. All f32, the same bits at any thread count. It does not know
//! about optimizers or runs. The slow f64 oracle is [`super::reference`].

mod objective;
mod perturb;

pub use objective::Objective;
pub use perturb::{PerturbScratch, Perturber};

use super::{Coords, Network, Picture, PixelInputs, Weights};
use crate::math::color::hsv_to_rgb;
use rayon::prelude::*;

/// Pixels a tile.
const TILE: usize = 256;

/// Post-activation values of every unit at every pixel, unit-major.
#[derive(Clone, Debug, PartialEq)]
pub struct FeatureMaps {
    /// Number of units, U (inputs included).
    pub units: usize,
    /// Number of pixels, P.
    pub pixels: usize,
    /// (U, P) values: `values[unit * pixels + pixel]`.
    pub values: Vec<f32>,
}

impl FeatureMaps {
    /// (P,) values of one unit.
    pub fn unit(&self, unit: usize) -> &[f32] {
        &self.values[unit * self.pixels..(unit + 1) * self.pixels]
    }
}

/// (P, 3) interleaved rgb in [0, 1] of every pixel. `weights` is (W,).
pub fn render(network: &Network, weights: &Weights, inputs: &PixelInputs) -> Vec<f32> {
    let mut rgb = vec![0.0; 3 * inputs.pixels()];
    rgb.par_chunks_mut(3 * TILE)
        .enumerate()
        .for_each(|(tile, out)| {
            let range = tile * TILE..tile * TILE + out.len() / 3;
            let (a, _) = forward(network, &weights.0, inputs, range);
            colours(network, &a, out);
        });
    rgb
}

/// The `size`² picture of a network.
pub fn picture(network: &Network, weights: &Weights, size: usize, coords: Coords) -> Picture {
    Picture {
        width: size,
        height: size,
        rgb: render(network, weights, &PixelInputs::full(size, coords)),
    }
}

/// Post-activation values of every unit, inputs included. `weights` is (W,).
pub fn feature_maps(network: &Network, weights: &Weights, inputs: &PixelInputs) -> FeatureMaps {
    let pixels = inputs.pixels();
    let (a, _) = forward(network, &weights.0, inputs, 0..pixels);
    FeatureMaps {
        units: network.units.len(),
        pixels,
        values: a,
    }
}

/// (a, z) of a range of pixels, each (U, n).
fn forward(
    network: &Network,
    weights: &[f32],
    inputs: &PixelInputs,
    range: std::ops::Range<usize>,
) -> (Vec<f32>, Vec<f32>) {
    assert_eq!(weights.len(), network.weight_count(), "one weight a link");
    let n = range.len();
    let mut a = vec![0.0f32; network.units.len() * n];
    let mut z = a.clone();
    for (u, unit) in network.units.iter().enumerate() {
        let row = &mut z[u * n..(u + 1) * n];
        if u < 4 {
            row.copy_from_slice(&inputs.plane(network.inputs[u])[range.clone()]);
        }
        for i in unit.links.clone() {
            let source = network.links[i].source;
            if weights[i] != 0.0 {
                for (z, x) in row.iter_mut().zip(&a[source * n..(source + 1) * n]) {
                    *z += weights[i] * x;
                }
            }
        }
        for (a, z) in a[u * n..(u + 1) * n].iter_mut().zip(row) {
            *a = unit.activation.value(f64::from(*z)) as f32;
        }
    }
    (a, z)
}

/// Writes (n, 3) rgb from (U, n) activations.
fn colours(network: &Network, a: &[f32], out: &mut [f32]) {
    let n = out.len() / 3;
    for (p, rgb) in out.chunks_exact_mut(3).enumerate() {
        let [h, s, v] = network
            .outputs
            .map(|unit| unit.map_or(0.0, |u| f64::from(a[u * n + p])));
        for (out, value) in rgb.iter_mut().zip(hsv_to_rgb(h, s, v)) {
            *out = value as f32;
        }
    }
}
