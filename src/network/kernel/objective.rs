//! Loss and gradient of a network against a target picture.

use super::{TILE, forward};
use crate::math::color::hsv_to_rgb_with_gradient;
use crate::network::{Mask, Network, PixelInputs};
use rayon::prelude::*;

/// A fixed problem: network, mask, pixels and target. Everything it needs is allocated once.
#[derive(Clone, Debug)]
pub struct Objective {
    network: Network,
    mask: Mask,
    inputs: PixelInputs,
    target: Vec<f32>,
    selected: Option<Vec<u32>>,
}

impl Objective {
    /// `mask` is (W,), `target` is (P, 3) interleaved rgb in [0, 1].
    ///
    /// # Panics
    /// If the mask or the target has another length.
    pub fn new(network: &Network, mask: &Mask, inputs: &PixelInputs, target: &[f32]) -> Self {
        assert_eq!(mask.0.len(), network.weight_count(), "one flag a link");
        assert_eq!(target.len(), 3 * inputs.pixels(), "rgb of every pixel");
        Objective {
            network: network.clone(),
            mask: mask.clone(),
            inputs: inputs.clone(),
            target: target.to_vec(),
            selected: None,
        }
    }

    /// Uses only these pixels (indices into the full set, at most P of them) from now on; `None`:
    /// all of them again.
    ///
    /// # Panics
    /// If an index is not below P, or there are more than P.
    pub fn select(&mut self, pixels: Option<&[u32]>) {
        self.selected = pixels.map(<[u32]>::to_vec);
    }

    /// Mean over pixels and channels of (rgb − target)². Weights of masked links count as 0.
    pub fn loss(&mut self, weights: &[f32]) -> f64 {
        let mut gradient = vec![0.0; weights.len()];
        self.loss_and_gradient(weights, &mut gradient)
    }

    /// The loss, and its gradient (W,), not normalised: 0 at masked links.
    pub fn loss_and_gradient(&mut self, weights: &[f32], gradient: &mut [f32]) -> f64 {
        let weights: Vec<f32> = weights
            .iter()
            .zip(&self.mask.0)
            .map(|(&w, &keep)| if keep { w } else { 0.0 })
            .collect();
        let (inputs, target) = match &self.selected {
            None => (self.inputs.clone(), self.target.clone()),
            Some(pixels) => (
                self.inputs.gather(pixels),
                pixels
                    .iter()
                    .flat_map(|&p| (0..3).map(move |c| 3 * p as usize + c))
                    .map(|i| self.target[i])
                    .collect(),
            ),
        };
        let pixels = inputs.pixels();
        let tiles: Vec<(f64, Vec<f64>)> = (0..pixels.div_ceil(TILE))
            .into_par_iter()
            .map(|t| {
                let range = t * TILE..((t + 1) * TILE).min(pixels);
                tile(&self.network, &weights, &inputs, &target, range, pixels)
            })
            .collect();
        let mut loss = 0.0;
        let mut sum = vec![0.0; weights.len()];
        for (l, g) in tiles {
            loss += l;
            sum.iter_mut().zip(g).for_each(|(s, g)| *s += g);
        }
        for ((out, g), &keep) in gradient.iter_mut().zip(sum).zip(&self.mask.0) {
            *out = if keep { g as f32 } else { 0.0 };
        }
        loss
    }
}

fn tile(
    network: &Network,
    weights: &[f32],
    inputs: &PixelInputs,
    target: &[f32],
    range: std::ops::Range<usize>,
    pixels: usize,
) -> (f64, Vec<f64>) {
    let n = range.len();
    let (a, z) = forward(network, weights, inputs, range.clone());
    let scale = 1.0 / (3 * pixels) as f64;
    let mut loss = 0.0;
    let mut da = vec![0.0f32; a.len()];
    for p in 0..n {
        let [h, s, v] = network
            .outputs
            .map(|unit| unit.map_or(0.0, |u| f64::from(a[u * n + p])));
        let (rgb, jacobian) = hsv_to_rgb_with_gradient(h, s, v);
        for c in 0..3 {
            let error = rgb[c] - f64::from(target[3 * (range.start + p) + c]);
            loss += error * error * scale;
            for (o, unit) in network.outputs.iter().enumerate() {
                if let Some(u) = *unit {
                    da[u * n + p] += (2.0 * scale * error * jacobian[c][o]) as f32;
                }
            }
        }
    }
    let mut dw = vec![0.0; network.weight_count()];
    for (u, unit) in network.units.iter().enumerate().rev() {
        let dz: Vec<f32> = (u * n..(u + 1) * n)
            .map(|i| da[i] * unit.activation.derivative(f64::from(z[i])) as f32)
            .collect();
        for i in unit.links.clone() {
            let source = network.links[i].source;
            let from = source * n..(source + 1) * n;
            dw[i] = dz
                .iter()
                .zip(&a[from.clone()])
                .map(|(d, a)| f64::from(d * a))
                .sum();
            for (da, dz) in da[from].iter_mut().zip(&dz) {
                *da += weights[i] * dz;
            }
        }
    }
    (loss, dw)
}
