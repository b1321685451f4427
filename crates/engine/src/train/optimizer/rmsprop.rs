//! RMSprop: `v = αv + (1-α)g²; b = μb + g/(√v + ε); w -= lr·b`.
//!
//! Torch's constants and order (α .99, ε outside the root, no centring). optax and Keras differ:
//! α .9, and optax puts ε inside. References: Tieleman & Hinton 2012; `torch.optim.RMSprop`.

use super::step::Scalar;
use crate::base::choice::options;
use serde::{Deserialize, Serialize};

options! {
    /// Settings of RMSprop.
    pub struct RmsPropConfig {
        /// α, memory of the mean square.
        alpha: f64 = 0.99, range: Range::RATE, source: "torch";
        /// ε, added to the root of the mean square.
        epsilon: f64 = 1e-8, range: Range::POSITIVE, source: "torch";
        /// μ, memory of the steps.
        momentum: f64 = 0.0, range: Range::RATE, source: "torch";
    }
}

/// State of RMSprop: v and b, (W,) each.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub(crate) struct RmsProp<T: Scalar> {
    config: RmsPropConfig,
    pub(super) square: Vec<T>,
    pub(super) momentum: Vec<T>,
}

impl<T: Scalar> RmsProp<T> {
    pub(super) fn new(config: RmsPropConfig, weights: usize) -> Self {
        RmsProp {
            config,
            square: vec![T::default(); weights],
            momentum: vec![T::default(); weights],
        }
    }

    /// One update. `weights`, `gradient`: (W,).
    pub(super) fn update(&mut self, weights: &mut [T], gradient: &[T], lr: f64) {
        let RmsPropConfig { alpha, epsilon, momentum } = self.config;
        let state = self.square.iter_mut().zip(&mut self.momentum);
        for ((w, &g), (v, b)) in weights.iter_mut().zip(gradient).zip(state) {
            let g = g.wide();
            let square = alpha * v.wide() + (1.0 - alpha) * g * g;
            let direction = momentum * b.wide() + g / (square.sqrt() + epsilon);
            *v = T::narrow(square);
            *b = T::narrow(direction);
            *w = T::narrow(w.wide() - lr * direction);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_steps_by_hand() {
        // α = 3/4, g = 2 then 2: v = 1, 1.75; directions 2/(1 + ε), 2/(√1.75 + ε).
        let config = RmsPropConfig { alpha: 0.75, epsilon: 0.5, momentum: 0.0 };
        let mut rmsprop = RmsProp::<f64>::new(config, 1);
        let mut w = [0.0];
        rmsprop.update(&mut w, &[2.0], 1.0);
        assert!((w[0] + 2.0 / 1.5).abs() < 1e-15);
        rmsprop.update(&mut w, &[2.0], 1.0);
        assert!((w[0] + 2.0 / 1.5 + 2.0 / (1.75f64.sqrt() + 0.5)).abs() < 1e-15);
    }
}
