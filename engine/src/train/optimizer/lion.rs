//! Lion: `w -= lr·(sign(β₁m + (1-β₁)g) + λw); m = β₂m + (1-β₂)g`, sign(0) = 0.
//!
//! Every live weight moves by exactly lr a step, so its rate is usually 3–10 times below Adam's.
//! Reference: Chen et al. 2023, "Symbolic Discovery of Optimization Algorithms".

use super::step::Scalar;
use crate::math::choice::Options;
use crate::math::refusal::Refusal;
use serde::{Deserialize, Serialize};

/// Settings of Lion.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LionConfig {
    /// β₁ in [0, 1), weight of the memory in the direction. Default 0.9 (paper, optax).
    pub beta1: f64,
    /// β₂ in [0, 1), memory. Default 0.99 (paper, optax).
    pub beta2: f64,
    /// λ ≥ 0. Default 0 (paper's algorithm; optax has 1e-3), as no other recipe here decays.
    pub weight_decay: f64,
}

impl Default for LionConfig {
    fn default() -> Self {
        LionConfig { beta1: 0.9, beta2: 0.99, weight_decay: 0.0 }
    }
}

impl Options for LionConfig {
    fn check(&self) -> Result<(), Refusal> {
        Refusal::unless_rate("beta1", self.beta1)?;
        Refusal::unless_rate("beta2", self.beta2)?;
        Refusal::unless_not_negative("weight_decay", self.weight_decay)
    }
}

/// State of Lion: m, (W,).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Lion<T: Scalar> {
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
