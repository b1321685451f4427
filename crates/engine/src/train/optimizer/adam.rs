//! Adam and its kin: `m = β₁m + (1-β₁)g; v = β₂v + (1-β₂)g²; w -= lr·(m̂/(√v̂ + ε)^q + λw)`,
//! m̂ = m/(1-β₁ᵗ), v̂ = v/(1-β₂ᵗ). Adam has q = 1 and λ = 0, AdamW q = 1, Adam with an exponent λ = 0.
//!
//! ε stands outside the root and decay is multiplied by the rate, as in torch and optax.
//! References: Kingma & Ba 2015; Loshchilov & Hutter 2019. Padam (Chen et al. 2020) has the exponent, q = 2p, and
//! AMSGrad's maximum, which we leave out; \[ours\] ε stands inside the power.

use super::step::Scalar;
use crate::base::choice::options;
use crate::base::real;
use serde::{Deserialize, Serialize};
use std::ops::Range;

options! {
    /// Settings of Adam.
    pub struct AdamConfig {
        /// β₁, memory of the mean.
        beta1: f64 = 0.9, range: Range::RATE, source: "Kingma & Ba, torch, optax, FER";
        /// β₂, memory of the mean square.
        beta2: f64 = 0.999, range: Range::RATE, source: "Kingma & Ba, torch, optax, FER";
        /// ε, added to the root of the mean square.
        epsilon: f64 = 1e-8, range: Range::POSITIVE, source: "Kingma & Ba, torch, optax, FER";
    }

    /// Settings of AdamW.
    pub struct AdamWConfig {
        /// β₁, memory of the mean.
        beta1: f64 = 0.9, range: Range::RATE, source: "torch, optax";
        /// β₂, memory of the mean square.
        beta2: f64 = 0.999, range: Range::RATE, source: "torch, optax";
        /// ε, added to the root of the mean square.
        epsilon: f64 = 1e-8, range: Range::POSITIVE, source: "torch, optax";
        /// λ; a step shrinks every weight by rate × λ.
        weight_decay: f64 = 0.01, range: Range::at_least(0.0), source: "torch; optax has 1e-4";
    }

    /// Settings of Adam with an exponent.
    pub struct AdamQConfig {
        /// q, exponent of the denominator: 1 is adam, 0 momentum with bias correction.
        q: f64 = 0.5, range: Range::SHARE, source: "ours: half way; Chen et al. (Padam) 0.25";
        /// β₁, memory of the mean.
        beta1: f64 = 0.9, range: Range::RATE, source: "as adam";
        /// β₂, memory of the mean square.
        beta2: f64 = 0.999, range: Range::RATE, source: "as adam";
        /// ε, added to the root of the mean square.
        epsilon: f64 = 1e-8, range: Range::POSITIVE, source: "as adam";
    }
}

impl AdamWConfig {
    pub(super) fn adam(&self) -> AdamConfig {
        AdamConfig { beta1: self.beta1, beta2: self.beta2, epsilon: self.epsilon }
    }
}

impl AdamQConfig {
    pub(super) fn adam(&self) -> AdamConfig {
        AdamConfig { beta1: self.beta1, beta2: self.beta2, epsilon: self.epsilon }
    }
}

/// State of Adam and its kin: t, and m and v, (W,) each.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub(crate) struct Adam<T: Scalar> {
    config: AdamConfig,
    weight_decay: f64,
    /// q, exponent of the denominator.
    exponent: f64,
    #[serde(deserialize_with = "crate::base::text::count::<53, _, _>")]
    steps: u64,
    pub(super) mean: Vec<T>,
    pub(super) square: Vec<T>,
}

impl<T: Scalar> Adam<T> {
    pub(super) fn new(config: AdamConfig, weight_decay: f64, weights: usize) -> Self {
        Adam {
            config,
            weight_decay,
            exponent: 1.0,
            steps: 0,
            mean: vec![T::default(); weights],
            square: vec![T::default(); weights],
        }
    }

    /// The same with another exponent of the denominator.
    pub(super) fn with_exponent(self, exponent: f64) -> Self {
        Adam { exponent, ..self }
    }

    /// One update. `weights`, `gradient`: (W,).
    pub(super) fn update(&mut self, weights: &mut [T], gradient: &[T], lr: f64) {
        self.tick();
        self.update_range(weights, gradient, lr, 0..weights.len());
    }

    /// Counts a step, before its `update_range`s.
    pub(super) fn tick(&mut self) {
        self.steps += 1;
    }

    /// The update of the weights in `range` only.
    pub(super) fn update_range(
        &mut self,
        weights: &mut [T],
        gradient: &[T],
        lr: f64,
        range: Range<usize>,
    ) {
        let AdamConfig { beta1, beta2, epsilon } = self.config;
        let t = self.steps as f64;
        let correct1 = 1.0 - real::pow(beta1, t);
        let correct2 = 1.0 - real::pow(beta2, t);
        let moments = self.mean[range.clone()].iter_mut().zip(&mut self.square[range.clone()]);
        let weights = weights[range.clone()].iter_mut().zip(&gradient[range]);
        for ((w, &g), (m, v)) in weights.zip(moments) {
            let g = g.wide();
            // optax's order of operations, each in f64: the `fer` recipe is chaotic enough to show any other.
            let mean = (1.0 - beta1) * g + beta1 * m.wide();
            let square = (1.0 - beta2) * (g * g) + beta2 * v.wide();
            *m = T::narrow(mean);
            *v = T::narrow(square);
            let size = (square / correct2).sqrt() + epsilon;
            let size = if self.exponent == 1.0 { size } else { real::pow(size, self.exponent) };
            let direction = mean / correct1 / size;
            let old = w.wide();
            *w = T::narrow(old - lr * (direction + self.weight_decay * old));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_step_is_the_rate_against_the_sign() {
        // m̂ = g, √v̂ = |g|: the step is lr·g/(|g| + ε).
        let mut adam = Adam::<f64>::new(AdamConfig::default(), 0.0, 3);
        let mut w = [1.0, 1.0, 1.0];
        adam.update(&mut w, &[2.0, -0.5, 0.0], 0.1);
        assert!((w[0] - (1.0 - 0.1 * 2.0 / (2.0 + 1e-8))).abs() < 1e-15);
        assert!((w[1] - (1.0 + 0.1 * 0.5 / (0.5 + 1e-8))).abs() < 1e-15);
        assert_eq!(w[2], 1.0);
    }

    #[test]
    fn two_steps_by_hand() {
        // β₁ = 1/2, β₂ = 3/4, g = 1 then 3: m = .5, 1.75; v = .25, 2.4375;
        // m̂₂ = 1.75/.75 = 7/3, v̂₂ = 2.4375/.4375 = 39/7.
        let config = AdamConfig { beta1: 0.5, beta2: 0.75, epsilon: 1e-3 };
        let mut adam = Adam::<f64>::new(config, 0.0, 1);
        let mut w = [0.0];
        adam.update(&mut w, &[1.0], 1.0);
        adam.update(&mut w, &[3.0], 1.0);
        let expected = -1.0 / 1.001 - (7.0 / 3.0) / ((39.0f64 / 7.0).sqrt() + 1e-3);
        assert!((w[0] - expected).abs() < 1e-15, "{} {expected}", w[0]);
    }

    #[test]
    fn decay_shrinks_a_weight_without_gradient() {
        let mut adam = Adam::<f64>::new(AdamConfig::default(), 0.5, 1);
        let mut w = [2.0];
        adam.update(&mut w, &[0.0], 0.1);
        assert!((w[0] - 1.9).abs() < 1e-15);
    }

    #[test]
    fn an_exponent_acts_on_the_denominator_by_hand() {
        // β₁ = 1/2, β₂ = 3/4, g = 1 then 3 as above: m̂ = 1, 7/3; v̂ = 1, 39/7.
        for q in [0.0, 0.5] {
            let config = AdamConfig { beta1: 0.5, beta2: 0.75, epsilon: 1e-3 };
            let mut method = Adam::<f64>::new(config, 0.0, 1).with_exponent(q);
            let mut w = [0.0];
            method.update(&mut w, &[1.0], 1.0);
            method.update(&mut w, &[3.0], 1.0);
            let second = (39.0f64 / 7.0).sqrt() + 1e-3;
            let by_hand = match q {
                0.0 => -1.0 - 7.0 / 3.0,
                _ => -1.0 / 1.001f64.sqrt() - (7.0 / 3.0) / second.sqrt(),
            };
            assert!((w[0] - by_hand).abs() < 1e-15, "{q}: {} {by_hand}", w[0]);
        }
    }
}
