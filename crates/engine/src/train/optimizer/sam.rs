//! SAM: the step of a first-order base with the gradient taken at `w + ρ·g/‖g‖`.
//!
//! Two evaluations a step. The ascent uses the raw, masked gradient; the gradient rule acts on the
//! second one. A step whose second loss or gradient is not finite is not made, and says so. Reference: Foret et al. 2021, "Sharpness-Aware Minimization".

use super::adam::{Adam, AdamConfig};
use super::first_order::FirstOrder;
use super::rule::GradientRule;
use super::sgd::{Sgd, SgdConfig};
use super::step::{Evaluate, Scalar, Step, mask_and_norm, settle};
use crate::base::choice::{choices, options};
use crate::network::Mask;
use serde::{Deserialize, Serialize};

options! {
    /// Settings of SAM.
    pub struct SamConfig {
        /// ρ, radius of the ascent in weight space (L2).
        rho: f64 = 0.05, range: Range::at_least(0.0), source: "Foret et al.";
        /// What makes the step, named by base.name; a base without settings has its own defaults.
        base: SamBase = SamBase::Sgd(SgdConfig { momentum: 0.9, nesterov: false }), source: "Foret et al.";
    }
}

/// A row of [`SamBase::TABLE`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BaseRow {
    /// The name of the base.
    pub name: &'static str,
}

choices! {
    /// The first-order method inside SAM and OpenAI's evolution strategy.
    pub enum SamBase, "base", rows BaseRow;

    /// SGD.
    Sgd(SgdConfig) "sgd" {}
    /// Adam.
    Adam(AdamConfig) "adam" {}
}

impl SamBase {
    /// A fresh state of the base for W weights.
    pub(super) fn begin<T: Scalar>(&self, weights: usize) -> FirstOrder<T> {
        match self {
            SamBase::Sgd(base) => FirstOrder::Sgd(Sgd::new(base.clone(), weights)),
            SamBase::Adam(base) => FirstOrder::Adam(Adam::new(base.clone(), 0.0, weights)),
        }
    }
}

/// State of SAM: that of its base.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub(crate) struct Sam<T: Scalar> {
    rho: f64,
    pub(super) base: FirstOrder<T>,
    #[serde(skip)]
    ascended: Vec<T>,
}

impl<T: Scalar> Sam<T> {
    pub(super) fn new(config: &SamConfig, weights: usize) -> Self {
        Sam {
            rho: config.rho,
            base: config.base.begin(weights),
            ascended: vec![T::default(); weights],
        }
    }

    /// One step; `gradient` is scratch, (W,).
    pub(super) fn step(
        &mut self,
        weights: &mut [T],
        gradient: &mut [T],
        mask: &Mask,
        lr: f64,
        rule: GradientRule,
        evaluate: &mut dyn Evaluate<T>,
    ) -> Step {
        let loss = evaluate.loss_and_gradient(weights, gradient);
        let gradient_norm = mask_and_norm(gradient, mask);
        let mut step = Step { loss, gradient_norm, evaluations: 1, stuck: false };
        if !step.is_finite() {
            return step;
        }
        let mut norm = gradient_norm;
        if gradient_norm > 0.0 {
            self.ascended.resize(weights.len(), T::default());
            let stride = self.rho / gradient_norm;
            for ((up, &w), &g) in self.ascended.iter_mut().zip(&*weights).zip(&*gradient) {
                *up = T::narrow(w.wide() + stride * g.wide());
            }
            let ascended = evaluate.loss_and_gradient(&self.ascended, gradient);
            step.evaluations = 2;
            norm = mask_and_norm(gradient, mask);
            if !(ascended.is_finite() && norm.is_finite()) {
                (step.loss, step.gradient_norm) = (ascended, norm);
                return step;
            }
        }
        if rule.apply(gradient, norm) {
            self.base.update(weights, gradient, mask, lr);
            settle(weights, mask);
        }
        step
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Layout, Optimizer, OptimizerConfig};
    use super::*;

    /// One step of SAM, ρ = 0.5 over plain SGD, on `loss` from w = 1 at a rate of 0.1.
    fn step(loss: &mut dyn FnMut(&[f64], &mut [f64]) -> f64) -> (Step, f64) {
        let config =
            OptimizerConfig::Sam(SamConfig { rho: 0.5, base: SamBase::Sgd(SgdConfig::default()) });
        let mut optimizer = Optimizer::<f64>::new(&config, &Layout::vector(1)).unwrap();
        let mut w = [1.0];
        let step = optimizer.step(&mut w, &Mask::all(1), 0.1, GradientRule::Raw, loss);
        (step, w[0])
    }

    #[test]
    fn the_step_uses_the_slope_where_the_ascent_ends() {
        // L = w²: g(1) = 2, up by 0.5 to 1.5, g(1.5) = 3, w = 1 − 0.1 · 3.
        let (step, w) = step(&mut |w, g| {
            g[0] = 2.0 * w[0];
            w[0] * w[0]
        });
        assert_eq!((step.loss, step.gradient_norm, step.evaluations), (1.0, 2.0, 2));
        assert!((w - 0.7).abs() < 1e-15, "{w}");
    }

    #[test]
    fn an_ascent_into_nothing_is_reported_and_moves_nothing() {
        for (loss, slope) in [(1.0, f64::INFINITY), (f64::NAN, 1.0)] {
            let (step, w) = step(&mut |w, g| {
                let here = w[0] == 1.0;
                g[0] = if here { 2.0 } else { slope };
                if here { 1.0 } else { loss }
            });
            assert!(!step.is_finite() && step.evaluations == 2 && w == 1.0, "{step:?}");
        }
    }
}
