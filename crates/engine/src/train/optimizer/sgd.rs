//! SGD: `m = μm + g; w -= lr·m`, or with Nesterov's look-ahead `w -= lr·(g + μm)`.
//!
//! Torch's form (no dampening). References: Sutskever et al. 2013; `torch.optim.SGD`.

use super::step::Scalar;
use crate::base::choice::options;
use crate::base::refusal::Refusal;
use serde::{Deserialize, Serialize};

options! {
    /// Settings of SGD.
    pub struct SgdConfig with look_ahead {
        /// μ, memory of the gradients; above 0 with `nesterov`.
        momentum: f64 = 0.0, range: Range::RATE, source: "torch";
        /// Use `g + μm` instead of `m`.
        nesterov: bool = false, source: "torch";
    }
}

impl SgdConfig {
    /// As torch asks.
    fn look_ahead(&self) -> Result<(), Refusal> {
        let holds = self.momentum > 0.0 || !self.nesterov;
        Refusal::unless(holds, "momentum", "a number above 0 with nesterov", self.momentum)
    }
}

/// State of SGD: m, (W,).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub(crate) struct Sgd<T: Scalar> {
    config: SgdConfig,
    pub(super) momentum: Vec<T>,
}

impl<T: Scalar> Sgd<T> {
    pub(super) fn new(config: SgdConfig, weights: usize) -> Self {
        Sgd { config, momentum: vec![T::default(); weights] }
    }

    /// One update. `weights`, `gradient`: (W,).
    pub(super) fn update(&mut self, weights: &mut [T], gradient: &[T], lr: f64) {
        let mu = self.config.momentum;
        for ((w, &g), m) in weights.iter_mut().zip(gradient).zip(&mut self.momentum) {
            let g = g.wide();
            let moment = mu * m.wide() + g;
            *m = T::narrow(moment);
            let direction = if self.config.nesterov { g + mu * moment } else { moment };
            *w = T::narrow(w.wide() - lr * direction);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_steps_by_hand() {
        // g = 1 then 2, μ = 1/2: m = 1, 2.5; w = 0 - .1 - .25.
        let config = SgdConfig { momentum: 0.5, nesterov: false };
        let mut sgd = Sgd::<f64>::new(config.clone(), 1);
        let mut w = [0.0];
        sgd.update(&mut w, &[1.0], 0.1);
        sgd.update(&mut w, &[2.0], 0.1);
        assert!((w[0] + 0.35).abs() < 1e-15, "{w:?}");

        // Nesterov: directions 1 + .5·1 = 1.5 and 2 + .5·2.5 = 3.25.
        let mut sgd = Sgd::<f64>::new(SgdConfig { nesterov: true, ..config }, 1);
        let mut w = [0.0];
        sgd.update(&mut w, &[1.0], 0.1);
        sgd.update(&mut w, &[2.0], 0.1);
        assert!((w[0] + 0.475).abs() < 1e-15, "{w:?}");
    }
}
