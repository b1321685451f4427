//! Lion: `w -= lr·(sign(β₁m + (1-β₁)g) + λw); m = β₂m + (1-β₂)g`, sign(0) = 0.
//!
//! Every live weight moves by exactly lr a step, so its rate is usually 3–10 times below Adam's.
//! Reference: Chen et al. 2023, "Symbolic Discovery of Optimization Algorithms".

use super::step::Scalar;
use crate::base::choice::options;
use serde::{Deserialize, Serialize};

options! {
    /// Settings of Lion.
    pub struct LionConfig {
        /// β₁, weight of the memory in the direction.
        beta1: f64 = 0.9, range: Range::RATE, source: "Chen et al., optax";
        /// β₂, memory.
        beta2: f64 = 0.99, range: Range::RATE, source: "Chen et al., optax";
        /// λ; a step shrinks every weight by rate × λ.
        weight_decay: f64 = 0.0, range: Range::at_least(0.0), source: "Chen et al.'s algorithm; optax has 1e-3";
    }
}

/// State of Lion: m, (W,).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub(crate) struct Lion<T: Scalar> {
    config: LionConfig,
    pub(super) momentum: Vec<T>,
}

impl<T: Scalar> Lion<T> {
    pub(super) fn new(config: LionConfig, weights: usize) -> Self {
        Lion { config, momentum: vec![T::default(); weights] }
    }

    /// One update. `weights`, `gradient`: (W,).
    pub(super) fn update(&mut self, weights: &mut [T], gradient: &[T], lr: f64) {
        let LionConfig { beta1, beta2, weight_decay } = self.config;
        for ((w, &g), m) in weights.iter_mut().zip(gradient).zip(&mut self.momentum) {
            let (g, moment, old) = (g.wide(), m.wide(), w.wide());
            let mixed = beta1 * moment + (1.0 - beta1) * g;
            let sign = if mixed > 0.0 {
                1.0
            } else if mixed < 0.0 {
                -1.0
            } else {
                0.0
            };
            *m = T::narrow(beta2 * moment + (1.0 - beta2) * g);
            *w = T::narrow(old - lr * (sign + weight_decay * old));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_steps_by_hand() {
        // β₁ = β₂ = 1/2; g = 4, -1, -9: mixed 2, (2-1)/2 = .5, (.5-9)/2 < 0.
        let config = LionConfig { beta1: 0.5, beta2: 0.5, weight_decay: 0.0 };
        let mut lion = Lion::<f64>::new(config, 2);
        let mut w = [0.0, 5.0];
        let mut path = Vec::new();
        for g in [4.0, -1.0, -9.0] {
            lion.update(&mut w, &[g, 0.0], 0.25);
            path.push(w[0]);
        }
        assert_eq!(path, [-0.25, -0.5, -0.25]);
        assert_eq!(w[1], 5.0, "no gradient, no step");
    }
}
