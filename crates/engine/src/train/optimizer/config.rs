//! The table of optimizers: one row each, by which it is named, parsed, checked and documented.

use super::adam::{AdamConfig, AdamQConfig, AdamWConfig};
use super::adam_scalar::AdamScalarConfig;
use super::cma_es::{CmaEsConfig, MOST_LINKS};
use super::lbfgs::LbfgsConfig;
use super::lion::LionConfig;
use super::muon::MuonConfig;
use super::normalized_momentum::NormalizedMomentumConfig;
use super::openai_es::OpenAiEsConfig;
use super::rmsprop::RmsPropConfig;
use super::sam::SamConfig;
use super::sgd::SgdConfig;
use crate::base::choice::choices;
use crate::base::refusal::Refusal;

/// One row of [`OptimizerConfig::TABLE`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// The name used in configs and on the command line.
    pub name: &'static str,
    /// The update of one weight `w` with gradient `g` at rate `lr`.
    pub formula: &'static str,
    /// Where the definition and its constants come from.
    pub source: &'static str,
    /// Loss-and-gradient evaluations of one step; of an evolution strategy losses, forward passes only.
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
    /// Adam with an exponent, from momentum (q = 0) to Adam (q = 1).
    AdamQ(AdamQConfig) "adam-q" {
        formula: "w -= lr·m̂/(√v̂ + ε)^q",
        source: "ours; Chen et al. 2020 (Padam) with q = 2p, without AMSGrad",
        evaluations: "1",
    }
    /// Adam with one second moment for all weights.
    AdamScalar(AdamScalarConfig) "adam-scalar" {
        formula: "m = β₁m + (1-β₁)g; v = β₂v + (1-β₂)‖g‖²/n; w -= lr·m̂/(√v̂ + ε), n living links",
        source: "ours; Ward et al. 2019 (AdaGrad-Norm) with Adam's moments",
        evaluations: "1",
    }
    /// Momentum of which every step is one rate long.
    NormalizedMomentum(NormalizedMomentumConfig) "normalized-momentum" {
        formula: "m = μm + (1-μ)g; w -= lr·m/‖m‖",
        source: "Cutkosky & Mehta 2020",
        evaluations: "1",
    }
    /// Evolution strategy with a full covariance; takes losses only, no gradient and no learning rate.
    CmaEs(CmaEsConfig) "cma-es" {
        formula: "xᵢ = w + σ·√C·zᵢ; w += σ·Σwᵢyᵢ over the best half; σ and C adapt",
        source: "Hansen 2016, arXiv:1604.00772, with negative weights",
        evaluations: "population + 1, losses only",
    }
    /// Evolution strategy that estimates a gradient from ranks of losses.
    OpenAiEs(OpenAiEsConfig) "openai-es" {
        formula: "step of the base with g = 1/(2Nσ)·Σ(r(w + σεᵢ) - r(w - σεᵢ))·εᵢ, r centred ranks",
        source: "Salimans et al. 2017",
        evaluations: "2 population + 1, losses only",
    }
}

impl OptimizerConfig {
    /// False for the evolution strategies, which see losses only.
    pub fn follows_gradient(&self) -> bool {
        !matches!(self, OptimizerConfig::CmaEs(_) | OptimizerConfig::OpenAiEs(_))
    }

    /// Refuses a number of living links that the method cannot handle.
    ///
    /// # Errors
    /// More than 2000 with `cma-es`.
    pub(crate) fn check_links(&self, living: usize) -> Result<(), Refusal> {
        let holds = living <= MOST_LINKS || !matches!(self, OptimizerConfig::CmaEs(_));
        let expected = format!(
            "at most {MOST_LINKS} living links with cma-es, whose covariance has their square; \
             prune the network, or choose openai-es"
        );
        Refusal::unless(holds, "training setting optimizer", &expected, living)
    }
}

impl Default for OptimizerConfig {
    /// Adam with its default settings, as in the `fer` recipe.
    fn default() -> Self {
        OptimizerConfig::Adam(AdamConfig::default())
    }
}
