//! The table of optimizers: one row each, by which it is named, parsed, checked and documented.

use super::adam::{AdamConfig, AdamWConfig};
use super::lbfgs::LbfgsConfig;
use super::lion::LionConfig;
use super::muon::MuonConfig;
use super::rmsprop::RmsPropConfig;
use super::sam::SamConfig;
use super::sgd::SgdConfig;
use crate::math::choice::choices;
use crate::math::refusal::Refusal;

/// One row of [`OptimizerConfig::TABLE`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// The name used in configs and on the command line.
    pub name: &'static str,
    /// The update of one weight `w` with gradient `g` at rate `lr`.
    pub formula: &'static str,
    /// Where the definition and its constants come from.
    pub source: &'static str,
    /// Loss-and-gradient evaluations of one step.
    pub evaluations: &'static str,
}

choices! {
    /// Which optimizer, with its settings; every setting has a default.
    ///
    /// In files a table with its `name`, e.g. `{ name = "adam", beta1 = 0.9 }`; unknown settings
    /// are refused. As text `name` or `name:setting=value,…`, e.g. `muon:steps=20`.
    pub enum OptimizerConfig, "optimizer", rows Row;

    /// Gradient descent, with momentum and Nesterov's look-ahead as options.
    Sgd(SgdConfig) "sgd" {
        formula: "m = μm + g; w -= lr·m (nesterov: w -= lr·(g + μm))",
        source: "Sutskever et al. 2013, in torch's form",
        evaluations: "1",
    }
    /// Adam; the `fer` recipe's.
    Adam(AdamConfig) "adam" {
        formula: "m = β₁m + (1-β₁)g; v = β₂v + (1-β₂)g²; w -= lr·m̂/(√v̂ + ε)",
        source: "Kingma & Ba 2015; ε outside the root as in torch and optax",
        evaluations: "1",
    }
    /// Adam with decoupled weight decay.
    AdamW(AdamWConfig) "adamw" {
        formula: "w -= lr·(m̂/(√v̂ + ε) + λw)",
        source: "Loshchilov & Hutter 2019; λ as in torch",
        evaluations: "1",
    }
    /// RMSprop, torch's.
    RmsProp(RmsPropConfig) "rmsprop" {
        formula: "v = αv + (1-α)g²; b = μb + g/(√v + ε); w -= lr·b",
        source: "Tieleman & Hinton 2012; α .99 and ε outside the root as in torch",
        evaluations: "1",
    }
    /// Lion: the sign of an interpolated momentum.
    Lion(LionConfig) "lion" {
        formula: "w -= lr·(sign(β₁m + (1-β₁)g) + λw); m = β₂m + (1-β₂)g",
        source: "Chen et al. 2023",
        evaluations: "1",
    }
    /// Sharpness-aware minimisation around a first-order base.
    Sam(SamConfig) "sam" {
        formula: "step of the base with the gradient at w + ρ·g/‖g‖",
        source: "Foret et al. 2021",
        evaluations: "2",
    }
    /// Limited-memory BFGS with a strong Wolfe line search; takes the raw gradient and no learning rate.
    Lbfgs(LbfgsConfig) "lbfgs" {
        formula: "w += t·d, d = -H·g by the two-loop recursion, t by strong Wolfe search",
        source: "Nocedal & Wright 2006, algorithms 7.4, 3.5 and 3.6",
        evaluations: "1 or more, counted",
    }
    /// Momentum orthogonalised matrix by matrix.
    Muon(MuonConfig) "muon" {
        formula: "m = μm + (1-μ)g; w -= lr·√max(1, out/in)·orthogonalize(μm + (1-μ)g)",
        source: "Jordan et al. 2024; Newton-Schulz in f64",
        evaluations: "1",
    }
}

impl Default for OptimizerConfig {
    /// Adam with its default settings, as in the `fer` recipe.
    fn default() -> Self {
        OptimizerConfig::Adam(AdamConfig::default())
    }
}

/// Why there is no such optimizer.
#[derive(Debug, thiserror::Error, PartialEq)]
pub enum OptimizerError {
    /// No optimizer, or a setting outside its range.
    #[error("{0}")]
    Choice(#[from] Refusal),
    /// A saved state that belongs to another optimizer or network.
    #[error("saved optimizer state: expected {expected}, found {found}")]
    State {
        /// What this run needs.
        expected: String,
        /// What the state is for.
        found: String,
    },
}
