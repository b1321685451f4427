//! Pictures of a network when a few weights change, from stored base activations.

use super::render;
use crate::network::{Network, PixelInputs, Weights};

/// The base of a set of perturbations of one network: shared between threads.
#[derive(Clone, Debug)]
pub struct Perturber {
    network: Network,
    weights: Weights,
    inputs: PixelInputs,
    base: Vec<f32>,
}

/// Buffers of one thread, from [`Perturber::scratch`].
#[derive(Clone, Debug, Default)]
pub struct PerturbScratch {
    rgb: Vec<f32>,
}

impl Perturber {
    /// Stores what the network draws with `weights` (W,).
    pub fn new(network: &Network, weights: &Weights, inputs: &PixelInputs) -> Self {
        Perturber {
            network: network.clone(),
            weights: weights.clone(),
            inputs: inputs.clone(),
            base: render(network, weights, inputs),
        }
    }

    /// (P, 3) picture of the unchanged weights.
    pub fn base(&self) -> &[f32] {
        &self.base
    }

    /// Buffers for one thread.
    pub fn scratch(&self) -> PerturbScratch {
        PerturbScratch {
            rgb: vec![0.0; self.base.len()],
        }
    }

    /// Writes the (P, 3) picture when weight `link` becomes `value`.
    pub fn with_weight(
        &self,
        scratch: &mut PerturbScratch,
        link: usize,
        value: f32,
        out: &mut [f32],
    ) {
        self.with_weights(scratch, &[(link, value)], out);
    }

    /// Writes the (P, 3) picture when each `(link, value)` is set; later entries win.
    pub fn with_weights(
        &self,
        _scratch: &mut PerturbScratch,
        changes: &[(usize, f32)],
        out: &mut [f32],
    ) {
        let mut weights = self.weights.clone();
        for &(link, value) in changes {
            weights.0[link] = value;
        }
        out.copy_from_slice(&render(&self.network, &weights, &self.inputs));
    }

    /// Root mean squared difference, over pixels and channels, between the base picture and the
    /// one with weight `link` set to `value`: the `effect` of the change.
    pub fn rmse_with_weight(&self, scratch: &mut PerturbScratch, link: usize, value: f32) -> f64 {
        let mut rgb = std::mem::take(&mut scratch.rgb);
        self.with_weight(scratch, link, value, &mut rgb);
        let sum: f64 = rgb
            .iter()
            .zip(&self.base)
            .map(|(a, b)| f64::from(a - b) * f64::from(a - b))
            .sum();
        let rmse = (sum / rgb.len() as f64).sqrt();
        scratch.rgb = rgb;
        rmse
    }
}
