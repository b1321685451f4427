//! Normalised momentum: `m = μm + (1-μ)g; w -= lr·m/‖m‖`.
//!
//! Every step is exactly lr long (L2 over all weights). Where m is 0 nothing moves. Differs from the
//! gradient rule `normalize`, which divides each gradient before it is averaged. Reference: Cutkosky &
//! Mehta 2020, "Momentum Improves Normalized SGD".

use super::step::Scalar;
use crate::base::choice::options;
use serde::{Deserialize, Serialize};

options! {
    /// Settings of normalised momentum.
    pub struct NormalizedMomentumConfig {
        /// μ, memory of the gradients.
        momentum: f64 = 0.9, range: Range::RATE, source: "Cutkosky & Mehta";
    }
}

/// State of normalised momentum: m, (W,).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub(crate) struct NormalizedMomentum<T: Scalar> {
    config: NormalizedMomentumConfig,
    pub(super) momentum: Vec<T>,
}

impl<T: Scalar> NormalizedMomentum<T> {
    pub(super) fn new(config: NormalizedMomentumConfig, weights: usize) -> Self {
        NormalizedMomentum { config, momentum: vec![T::default(); weights] }
    }

    /// One update. `weights`, `gradient`: (W,).
    pub(super) fn update(&mut self, weights: &mut [T], gradient: &[T], lr: f64) {
        let mu = self.config.momentum;
        for (m, &g) in self.momentum.iter_mut().zip(gradient) {
            *m = T::narrow(mu * m.wide() + (1.0 - mu) * g.wide());
        }
        let norm = self.momentum.iter().map(|m| m.wide() * m.wide()).sum::<f64>().sqrt();
        if norm == 0.0 {
            return;
        }
        for (w, m) in weights.iter_mut().zip(&self.momentum) {
            *w = T::narrow(w.wide() - lr * (m.wide() / norm));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_steps_by_hand_are_one_rate_long() {
        // μ = 1/2; g = (6, 8), then (-3, 0): m = (3, 4), then (0, 2).
        let mut method =
            NormalizedMomentum::<f64>::new(NormalizedMomentumConfig { momentum: 0.5 }, 2);
        let mut w = [0.0, 0.0];
        method.update(&mut w, &[6.0, 8.0], 0.1);
        assert!((w[0] + 0.06).abs() < 1e-15 && (w[1] + 0.08).abs() < 1e-15, "{w:?}");
        method.update(&mut w, &[-3.0, 0.0], 0.1);
        assert!((w[0] + 0.06).abs() < 1e-15 && (w[1] + 0.18).abs() < 1e-15, "{w:?}");
    }

    #[test]
    fn without_any_gradient_nothing_moves() {
        let mut method = NormalizedMomentum::<f64>::new(NormalizedMomentumConfig::default(), 1);
        let mut w = [2.0];
        method.update(&mut w, &[0.0], 0.1);
        assert_eq!(w, [2.0]);
    }
}
