//! Adam with an exponent: `w -= lr·m̂/(√v̂ + ε)^q`, m̂ and v̂ as in Adam.
//!
//! q = 1 is Adam to the bit, q = 0 momentum with bias correction: q says how much of the step's size is
//! taken out weight by weight. Padam (Chen et al. 2020) is q = 2p with AMSGrad's maximum, which we leave
//! out. [ours] ε stands inside the power.

use super::step::Scalar;
use crate::math::choice::options;
use crate::math::real;
use serde::{Deserialize, Serialize};

options! {
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

/// State of Adam with an exponent: t, and m and v, (W,) each.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct AdamQ<T: Scalar> {
    config: AdamQConfig,
    #[serde(deserialize_with = "crate::math::text::count::<53, _, _>")]
    steps: u64,
    pub(super) mean: Vec<T>,
    pub(super) square: Vec<T>,
}

impl<T: Scalar> AdamQ<T> {
    pub(super) fn new(config: AdamQConfig, weights: usize) -> Self {
        let zeros = vec![T::default(); weights];
        AdamQ { config, steps: 0, mean: zeros.clone(), square: zeros }
    }

    /// One update. `weights`, `gradient`: (W,).
    pub(super) fn update(&mut self, weights: &mut [T], gradient: &[T], lr: f64) {
        self.steps += 1;
        let AdamQConfig { q, beta1, beta2, epsilon } = self.config;
        let t = self.steps as f64;
        let correct1 = 1.0 - real::pow(beta1, t);
        let correct2 = 1.0 - real::pow(beta2, t);
        let moments = self.mean.iter_mut().zip(&mut self.square);
        for ((w, &g), (m, v)) in weights.iter_mut().zip(gradient).zip(moments) {
            let g = g.wide();
            // Adam's order of operations, so that q = 1 gives its bits.
            let mean = (1.0 - beta1) * g + beta1 * m.wide();
            let square = (1.0 - beta2) * (g * g) + beta2 * v.wide();
            *m = T::narrow(mean);
            *v = T::narrow(square);
            let size = (square / correct2).sqrt() + epsilon;
            let size = if q == 1.0 { size } else { real::pow(size, q) };
            *w = T::narrow(w.wide() - lr * (mean / correct1 / size));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::adam::{Adam, AdamConfig};
    use super::*;

    fn path(q: f64) -> Vec<f32> {
        let mut method = AdamQ::<f32>::new(AdamQConfig { q, ..AdamQConfig::default() }, 2);
        let mut w = [1.0, -2.0];
        for k in 0..20 {
            let g = [0.3 - 0.1 * k as f32, w[1] * 0.7];
            method.update(&mut w, &g, 0.01);
        }
        w.to_vec()
    }

    #[test]
    fn an_exponent_of_one_has_adams_bits() {
        let mut adam = Adam::<f32>::new(AdamConfig::default(), 0.0, 2);
        let mut w = [1.0, -2.0];
        for k in 0..20 {
            let g = [0.3 - 0.1 * k as f32, w[1] * 0.7];
            adam.update(&mut w, &g, 0.01);
        }
        assert_eq!(path(1.0), w);
        assert_ne!(path(0.9), w);
    }

    #[test]
    fn two_steps_by_hand() {
        // β₁ = 1/2, β₂ = 3/4, g = 1 then 3 as in adam's test: m̂ = 1, 7/3; v̂ = 1, 39/7.
        for q in [0.0, 0.5] {
            let config = AdamQConfig { q, beta1: 0.5, beta2: 0.75, epsilon: 1e-3 };
            let mut method = AdamQ::<f64>::new(config, 1);
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
