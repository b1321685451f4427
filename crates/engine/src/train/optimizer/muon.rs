//! Muon: momentum orthogonalised matrix by matrix,
//! `m = μm + (1-μ)g; u = μm + (1-μ)g; w -= lr·√max(1, out/in)·orthogonalize(u)`.
//!
//! Weights outside the chosen matrices (first layer and head with `hidden`; everything in a graph
//! wiring, which has no matrices) are trained by Adam. With a mask the driver masks the gradient
//! before the momentum and the weights after the update. No weight decay.
//! Reference: Jordan et al. 2024, <https://kellerjordan.github.io/posts/muon/>. optax corrects u for
//! the bias of m (another mixture of m and g in the first steps when `nesterov`); we follow Jordan.

use super::adam::{Adam, AdamConfig};
use super::orthogonal::{NewtonSchulz, polar_factor};
use super::step::{Layout, MatrixShape, Scalar};
use crate::base::choice::options;
use crate::base::names::names;
use serde::{Deserialize, Serialize};
use std::ops::Range;

options! {
    /// Settings of Muon.
    pub struct MuonConfig {
        /// μ, memory of the gradients.
        momentum: f64 = 0.95, range: Range::RATE, source: "Jordan";
        /// Orthogonalise `μm + (1-μ)g` instead of `m`.
        nesterov: bool = true, source: "Jordan";
        /// Newton–Schulz steps; exact-polar makes none.
        ///
        /// The paper goes to 20.
        steps: usize = 5, range: Range::between(0.0, 100.0), source: "Jordan";
        /// How the momentum is orthogonalised.
        orthogonalizer: Orthogonalizer = Orthogonalizer::NewtonSchulz, source: "Jordan";
        /// Which matrices: all, or hidden, all but the first layer and the head, which Adam trains.
        matrices: MuonMatrices = MuonMatrices::All, source: "optax; Jordan: hidden";
        /// Adam for the other weights.
        adam: AdamConfig;
        /// Factor on the learning rate for the weights under Adam.
        adam_rate: f64 = 1.0, range: Range::POSITIVE, source: "optax: one rate";
    }
}

/// How Muon orthogonalises.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Orthogonalizer {
    /// `steps` of the quintic iteration: singular values near 1, not at 1.
    NewtonSchulz,
    /// U·Vᵀ of the singular value decomposition: singular values exactly 1. Tells "more steps" from "orthogonal".
    ExactPolar,
}

/// Which matrices Muon takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum MuonMatrices {
    /// Every layer.
    All,
    /// All but the first layer and the head, which Adam trains (Jordan).
    Hidden,
}

names! { Orthogonalizer, "orthogonalizer": NewtonSchulz "newton-schulz", ExactPolar "exact-polar" }
names! { MuonMatrices, "choice of matrices": All "all", Hidden "hidden" }

impl MuonConfig {
    /// The matrices of `layout` that Muon takes, in order.
    pub(super) fn chosen<'a>(&self, layout: &'a Layout) -> &'a [MatrixShape] {
        let all = &layout.matrices[..];
        match self.matrices {
            MuonMatrices::All => all,
            MuonMatrices::Hidden => all.get(1..all.len().saturating_sub(1)).unwrap_or(&all[..0]),
        }
    }
}

/// State of Muon: m (W,), and Adam's for the other weights.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub(crate) struct Muon<T: Scalar> {
    config: MuonConfig,
    pub(super) momentum: Vec<T>,
    pub(super) adam: Adam<T>,
    matrices: Vec<MatrixShape>,
    others: Vec<Range<usize>>,
    #[serde(skip)]
    work: Vec<NewtonSchulz>,
}

impl<T: Scalar> Muon<T> {
    pub(super) fn new(config: MuonConfig, layout: &Layout) -> Self {
        let matrices = config.chosen(layout).to_vec();
        let mut others = Vec::new();
        let mut next = 0;
        for matrix in &matrices {
            let range = matrix.weights();
            if next < range.start {
                others.push(next..range.start);
            }
            next = range.end;
        }
        if next < layout.weights {
            others.push(next..layout.weights);
        }
        let mut muon = Muon {
            adam: Adam::new(config.adam.clone(), 0.0, layout.weights),
            config,
            momentum: vec![T::default(); layout.weights],
            matrices,
            others,
            work: Vec::new(),
        };
        muon.prepare();
        muon
    }

    /// Makes the work space, at construction or after a resume.
    fn prepare(&mut self) {
        if self.work.len() != self.matrices.len() {
            self.work = self.matrices.iter().map(|m| NewtonSchulz::new(m.rows, m.cols)).collect();
        }
    }

    /// One update. `weights`, `gradient`: (W,).
    pub(super) fn update(&mut self, weights: &mut [T], gradient: &[T], lr: f64) {
        self.prepare();
        let mu = self.config.momentum;
        for (matrix, work) in self.matrices.iter().zip(&mut self.work) {
            let range = matrix.weights();
            let momentum = &mut self.momentum[range.clone()];
            let gradient = &gradient[range.clone()];
            for (m, &g) in momentum.iter_mut().zip(gradient) {
                *m = T::narrow(mu * m.wide() + (1.0 - mu) * g.wide());
            }
            let direction = |k: usize| {
                let m = momentum[k].wide();
                if self.config.nesterov { mu * m + (1.0 - mu) * gradient[k].wide() } else { m }
            };
            let factor = lr * (matrix.rows as f64 / matrix.cols as f64).max(1.0).sqrt();
            let weights = &mut weights[range];
            work.load(direction);
            match self.config.orthogonalizer {
                Orthogonalizer::NewtonSchulz => work.run(self.config.steps),
                Orthogonalizer::ExactPolar => work.replace(polar_factor),
            }
            work.unload(|k, u| weights[k] = T::narrow(weights[k].wide() - factor * u));
        }
        self.adam.tick();
        for range in &self.others {
            let lr = lr * self.config.adam_rate;
            self.adam.update_range(weights, gradient, lr, range.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{GradientRule, Optimizer, OptimizerConfig};
    use super::*;
    use crate::network::Mask;

    #[test]
    fn the_first_step_on_a_column_is_that_of_its_one_singular_value() {
        // A 2 × 1 matrix has one singular value, 1 once normalised; its direction is g/‖g‖ = (.6, .8).
        let column =
            Layout { weights: 2, matrices: vec![MatrixShape { offset: 0, rows: 2, cols: 1 }] };
        // One quintic step takes 1 to 3.4445 − 4.7750 + 2.0315.
        for (text, size) in [("muon:steps=1", 0.701), ("muon:orthogonalizer=exact-polar", 1.0)] {
            let config: OptimizerConfig = text.parse().unwrap();
            let mut muon = Optimizer::<f64>::new(&config, &column).unwrap();
            let mut w = [1.0, 1.0];
            let mut slope = |_: &[f64], g: &mut [f64]| {
                g.copy_from_slice(&[3.0, 4.0]);
                1.0
            };
            muon.step(&mut w, &Mask::all(2), 0.1, GradientRule::Raw, &mut slope);
            for (w, direction) in w.into_iter().zip([0.6, 0.8]) {
                // √(out/in) = √2.
                let expected = 1.0 - 0.1 * std::f64::consts::SQRT_2 * size * direction;
                assert!((w - expected).abs() < 1e-6, "{text}: {w}, {expected}");
            }
        }
    }
}
