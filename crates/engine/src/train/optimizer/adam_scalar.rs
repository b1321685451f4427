//! Adam with one second moment for all weights:
//! `m = β₁m + (1-β₁)g; v = β₂v + (1-β₂)·‖g‖²/n; w -= lr·m̂/(√v̂ + ε)`, n = living links.
//!
//! v is a number: the mean over the living (masked-in) links of the squared gradient. So the step has
//! the direction of the momentum, and only its length adapts: the control that tells Adam's step
//! length from its scaling weight by weight. `[ours]`; AdaGrad-Norm (Ward et al. 2019) with Adam's
//! moments.

use super::step::Scalar;
use crate::base::choice::options;
use crate::base::real;
use crate::network::Mask;
use serde::{Deserialize, Serialize};

options! {
    /// Settings of Adam with one second moment.
    pub struct AdamScalarConfig {
        /// β₁, memory of the mean.
        beta1: f64 = 0.9, range: Range::RATE, source: "as adam";
        /// β₂, memory of the mean square.
        beta2: f64 = 0.999, range: Range::RATE, source: "as adam";
        /// ε, added to the root of the mean square.
        epsilon: f64 = 1e-8, range: Range::POSITIVE, source: "as adam";
    }
}

/// State of Adam with one second moment: t, m (W,), and v.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub(crate) struct AdamScalar<T: Scalar> {
    config: AdamScalarConfig,
    #[serde(deserialize_with = "crate::base::text::count::<53, _, _>")]
    steps: u64,
    pub(super) mean: Vec<T>,
    square: f64,
}

impl<T: Scalar> AdamScalar<T> {
    pub(super) fn new(config: AdamScalarConfig, weights: usize) -> Self {
        AdamScalar { config, steps: 0, mean: vec![T::default(); weights], square: 0.0 }
    }

    /// One update. `weights`, `gradient`: (W,), the gradient masked.
    pub(super) fn update(&mut self, weights: &mut [T], gradient: &[T], mask: &Mask, lr: f64) {
        self.steps += 1;
        let AdamScalarConfig { beta1, beta2, epsilon } = self.config;
        let t = self.steps as f64;
        let correct1 = 1.0 - real::pow(beta1, t);
        let correct2 = 1.0 - real::pow(beta2, t);
        let living = mask.kept().max(1);
        let sum: f64 = gradient.iter().map(|g| g.wide() * g.wide()).sum();
        self.square = (1.0 - beta2) * (sum / living as f64) + beta2 * self.square;
        let size = (self.square / correct2).sqrt() + epsilon;
        for ((w, &g), m) in weights.iter_mut().zip(gradient).zip(&mut self.mean) {
            let mean = (1.0 - beta1) * g.wide() + beta1 * m.wide();
            *m = T::narrow(mean);
            *w = T::narrow(w.wide() - lr * (mean / correct1 / size));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_steps_by_hand_over_the_living_links() {
        // Two of three links live. g = (3, 4), then (0, 2): ‖g‖²/2 = 12.5, 2.
        // β₁ = 1/2: m̂ = (3, 4), then (.75, 2)/.75. β₂ = 3/4: v = 3.125, then .5 + .75·3.125; v̂ = v/.4375.
        let config = AdamScalarConfig { beta1: 0.5, beta2: 0.75, epsilon: 1e-3 };
        let mut method = AdamScalar::<f64>::new(config, 3);
        let mask = Mask(vec![true, false, true]);
        let mut w = [0.0; 3];
        method.update(&mut w, &[3.0, 0.0, 4.0], &mask, 1.0);
        let first = 12.5f64.sqrt() + 1e-3;
        assert!((w[0] + 3.0 / first).abs() < 1e-15 && (w[2] + 4.0 / first).abs() < 1e-15, "{w:?}");
        method.update(&mut w, &[0.0, 0.0, 2.0], &mask, 1.0);
        let second = ((0.5 + 0.75 * 3.125) / 0.4375f64).sqrt() + 1e-3;
        assert!((w[0] + 3.0 / first + 0.75 / 0.75 / second).abs() < 1e-14, "{w:?}");
        assert!((w[2] + 4.0 / first + 2.0 / 0.75 / second).abs() < 1e-14, "{w:?}");
        assert_eq!(w[1], 0.0);
    }
}
