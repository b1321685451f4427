//! Optimizers: how weights move on a gradient (METHODS §4). One file a family, one row each in
//! [`OptimizerConfig::TABLE`].
//!
//! In: weights, a mask, a rate and a function that gives loss and gradient. Out: new weights and a
//! [`Step`]. An optimizer does not know networks or pictures: only how many weights there are and
//! which of them form matrices ([`Layout`]).
//!
//! State and weights are stored as `T` (f32; f64 for the reference), every element's arithmetic is
//! f64. All but `lbfgs` (its history), `muon` (inside nalgebra's products) and `cma-es` (its matrices)
//! allocate nothing in a step. To add an optimizer: a file with its config and state, a row in `config.rs`, an arm in
//! [`Optimizer::new`], and a trace in `tests/oracle`.

pub(crate) mod adam;
pub(crate) mod adam_scalar;
mod cma_constants;
pub(crate) mod cma_es;
pub mod config;
mod first_order;
pub(crate) mod lbfgs;
mod line_search;
pub(crate) mod lion;
pub(crate) mod muon;
mod noise;
pub(crate) mod normalized_momentum;
pub(crate) mod openai_es;
pub(crate) mod orthogonal;
pub(crate) mod rmsprop;
mod rule;
pub(crate) mod sam;
pub(crate) mod sgd;
mod step;

pub use adam::{AdamConfig, AdamQConfig, AdamWConfig};
pub use adam_scalar::AdamScalarConfig;
pub use cma_es::CmaEsConfig;
pub use config::{OptimizerConfig, Row};
pub use lbfgs::LbfgsConfig;
pub use lion::LionConfig;
pub use muon::{MuonConfig, Orthogonalizer};
pub use normalized_momentum::NormalizedMomentumConfig;
pub use openai_es::OpenAiEsConfig;
pub use orthogonal::{newton_schulz, polar_factor};
pub use rmsprop::RmsPropConfig;
pub use rule::GradientRule;
pub use sam::{SamBase, SamConfig};
pub use sgd::SgdConfig;
pub(crate) use step::Evaluate;
pub use step::{Layout, MatrixShape, Scalar, Step};

use crate::base::refusal::Refusal;
use crate::network::Mask;
use adam::Adam;
use adam_scalar::AdamScalar;
use cma_es::CmaEs;
use first_order::FirstOrder;
use lbfgs::Lbfgs;
use lion::Lion;
use muon::Muon;
use noise::Noise;
use normalized_momentum::NormalizedMomentum;
use openai_es::OpenAiEs;
use rmsprop::RmsProp;
use sam::Sam;
use serde::{Deserialize, Serialize};
use sgd::Sgd;
use step::{Closure, mask_and_norm, settle};

/// An optimizer with its state. Serialising it in mid-run and reading it back continues to the
/// same bits.
///
/// ```
/// use picloom_engine::network::Mask;
/// use picloom_engine::train::optimizer::{GradientRule, Layout, Optimizer, OptimizerConfig};
/// let config: OptimizerConfig = "adam".parse()?;
/// let mut optimizer = Optimizer::new(&config, &Layout::vector(1))?;
/// let mut w = [1.0f32];
/// let mut loss = |w: &[f32], g: &mut [f32]| { g[0] = 2.0 * w[0]; f64::from(w[0] * w[0]) };
/// let step = optimizer.step(&mut w, &Mask::all(1), 0.1, GradientRule::Raw, &mut loss);
/// assert_eq!((step.loss, step.gradient_norm, step.evaluations), (1.0, 2.0, 1));
/// assert!((w[0] - 0.9).abs() < 1e-6); // Adam's first step is the rate against the sign
/// # Ok::<(), picloom_engine::base::refusal::Refusal>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Optimizer<T: Scalar = f32> {
    config: OptimizerConfig,
    layout: Layout,
    method: Method<T>,
    #[serde(skip)]
    gradient: Vec<T>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "", rename_all = "lowercase")]
enum Method<T: Scalar> {
    FirstOrder(FirstOrder<T>),
    Sam(Sam<T>),
    Lbfgs(Lbfgs<T>),
    CmaEs(CmaEs<T>),
    OpenAiEs(OpenAiEs<T>),
}

impl<T: Scalar> Optimizer<T> {
    /// A fresh optimizer, its buffers allocated.
    ///
    /// # Errors
    /// If a setting is outside its range.
    pub fn new(config: &OptimizerConfig, layout: &Layout) -> Result<Self, Refusal> {
        config.check()?;
        let n = layout.weights;
        let first = Method::FirstOrder;
        let method = match config.clone() {
            OptimizerConfig::Sgd(c) => first(FirstOrder::Sgd(Sgd::new(c, n))),
            OptimizerConfig::Adam(c) => first(FirstOrder::Adam(Adam::new(c, 0.0, n))),
            OptimizerConfig::AdamW(c) => {
                first(FirstOrder::Adam(Adam::new(c.adam(), c.weight_decay, n)))
            }
            OptimizerConfig::RmsProp(c) => first(FirstOrder::RmsProp(RmsProp::new(c, n))),
            OptimizerConfig::Lion(c) => first(FirstOrder::Lion(Lion::new(c, n))),
            OptimizerConfig::Muon(c) => first(FirstOrder::Muon(Muon::new(c, layout))),
            OptimizerConfig::Sam(c) => Method::Sam(Sam::new(&c, n)),
            OptimizerConfig::Lbfgs(c) => Method::Lbfgs(Lbfgs::new(c, n)),
            OptimizerConfig::AdamQ(c) => {
                first(FirstOrder::Adam(Adam::new(c.adam(), 0.0, n).with_exponent(c.q)))
            }
            OptimizerConfig::AdamScalar(c) => first(FirstOrder::AdamScalar(AdamScalar::new(c, n))),
            OptimizerConfig::NormalizedMomentum(c) => {
                first(FirstOrder::NormalizedMomentum(NormalizedMomentum::new(c, n)))
            }
            OptimizerConfig::CmaEs(c) => Method::CmaEs(CmaEs::new(c)),
            OptimizerConfig::OpenAiEs(c) => Method::OpenAiEs(OpenAiEs::new(c, n)),
        };
        Ok(Optimizer {
            config: config.clone(),
            layout: layout.clone(),
            method,
            gradient: vec![T::default(); n],
        })
    }

    /// The same with the random streams of `seed` and `attempt`, before the first step. Only the evolution
    /// strategies draw any; unseeded they use those of seed 0, attempt 0.
    pub fn seeded(mut self, seed: u64, attempt: u32) -> Self {
        match &mut self.method {
            Method::CmaEs(method) => method.noise = Noise::new(seed, attempt),
            Method::OpenAiEs(method) => method.noise = Noise::new(seed, attempt),
            Method::FirstOrder(_) | Method::Sam(_) | Method::Lbfgs(_) => {}
        }
        self
    }

    /// This saved state, if it is one of `config` on `layout`.
    ///
    /// # Errors
    /// If it was saved under other settings, for another network, or is damaged.
    pub fn resume(self, config: &OptimizerConfig, layout: &Layout) -> Result<Self, Refusal> {
        let differs = |expected: String, found: String| {
            Err(Refusal::new("saved optimizer state", expected, found).as_failure())
        };
        if self.config != *config {
            return differs(config.to_string(), self.config.to_string());
        }
        if self.layout != *layout {
            let text =
                |l: &Layout| format!("{} weights in {} matrices", l.weights, l.matrices.len());
            return differs(text(layout), text(&self.layout));
        }
        let lengths = match &self.method {
            Method::FirstOrder(m) => m.lengths(),
            Method::Sam(m) => m.base.lengths(),
            Method::Lbfgs(m) => m.lengths(),
            Method::CmaEs(m) => m.wrong_length(layout.weights).into_iter().collect(),
            Method::OpenAiEs(m) => m.base.lengths(),
        };
        if let Some(n) = lengths.iter().find(|&&n| n != layout.weights) {
            let text = |n: usize| format!("vectors of {n} numbers");
            return differs(text(layout.weights), text(*n));
        }
        Ok(self)
    }

    /// A sentence for the record when the method cannot be itself on this network: Muon without
    /// matrices to orthogonalise is Adam.
    pub fn note(&self) -> Option<String> {
        match &self.config {
            OptimizerConfig::Muon(c) if c.chosen(&self.layout).is_empty() => Some(format!(
                "muon: no matrices to orthogonalise here; all {} weights are trained by its Adam",
                self.layout.weights
            )),
            _ => None,
        }
    }

    /// One step: evaluates, masks the gradient, applies `rule`, moves the weights.
    ///
    /// `weights`: (W,), already masked; the removed ones stay exactly 0. `lr`: this step's rate (not
    /// used by L-BFGS and CMA-ES, which find their own). `rule` acts on the gradient that moves the
    /// weights (L-BFGS: none, its curvature needs the raw one; CMA-ES: none). The weights and the state stay as they are
    /// when loss or gradient are not finite, and when `rule` has to normalise a zero gradient: the
    /// caller sees both in the [`Step`].
    ///
    /// # Panics
    /// If `weights` or `mask` are not W long.
    pub fn step(
        &mut self,
        weights: &mut [T],
        mask: &Mask,
        lr: f64,
        rule: GradientRule,
        evaluate: &mut dyn FnMut(&[T], &mut [T]) -> f64,
    ) -> Step {
        self.step_on(weights, mask, lr, rule, &mut Closure::new(evaluate))
    }

    /// As [`Optimizer::step`], on an objective that can give a loss without its gradient.
    ///
    /// # Panics
    /// As [`Optimizer::step`].
    pub(crate) fn step_on(
        &mut self,
        weights: &mut [T],
        mask: &Mask,
        lr: f64,
        rule: GradientRule,
        evaluate: &mut dyn Evaluate<T>,
    ) -> Step {
        let n = self.layout.weights;
        assert_eq!((weights.len(), mask.0.len()), (n, n), "one weight a link");
        self.gradient.resize(n, T::default()); // only grows after a resume
        let gradient = &mut self.gradient;
        match &mut self.method {
            Method::FirstOrder(method) => {
                let loss = evaluate.loss_and_gradient(weights, gradient);
                let gradient_norm = mask_and_norm(gradient, mask);
                let step = Step { loss, gradient_norm, evaluations: 1, stuck: false };
                if step.is_finite() && rule.apply(gradient, gradient_norm) {
                    method.update(weights, gradient, mask, lr);
                    settle(weights, mask);
                }
                step
            }
            Method::Sam(method) => method.step(weights, gradient, mask, lr, rule, evaluate),
            Method::Lbfgs(method) => method.step(weights, gradient, mask, evaluate),
            Method::CmaEs(method) => method.step(weights, mask, evaluate),
            Method::OpenAiEs(method) => method.step(weights, gradient, mask, lr, rule, evaluate),
        }
    }
}
