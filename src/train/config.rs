//! Everything that decides a training run, with its defaults: the `fer` recipe.

use super::init::Init;
use super::optimizer::{GradientRule, OptimizerConfig};
use super::schedule::Schedule;
use crate::math::refusal::Refusal;
use serde::{Deserialize, Serialize};

/// Settings of a training run. The default is FER's recipe (METHODS §3).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TrainConfig {
    /// Optimizer steps of one attempt. FER: 100 000, the default.
    pub steps: u64,
    /// Seed of the initial weights, minibatches and subsamples. Default 0.
    pub seed: u64,
    /// What is done to the gradient before the optimizer sees it. FER: divided by its L2 norm.
    pub gradient: GradientRule,
    /// Metrics are logged at every step divisible by this, ≥ 1. Default 10.
    pub log_every: u64,
    /// Pixels of one minibatch, drawn anew each step without replacement from those that training
    /// may see; none = all. Default none. Not with L-BFGS, whose pairs belong to one fixed loss.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub batch: Option<usize>,
    /// Pixels that training may see at all, drawn once; none = all. Default none. A control (§8).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subsample: Option<usize>,
    /// Stops once the loss is at or below this. Default none. With minibatches the loss of all pixels
    /// that training may see is asked for, every [`GOAL_EVERY`] steps; so it is for `plateau`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target_loss: Option<f64>,
    /// Collapse \[ours\]: the loss has been that of the best constant colour (within 0.01 %) for this
    /// many steps, or the gradient's norm is below 1e-12; with minibatches, that it has been for so many
    /// steps. Default 500 steps.
    pub collapse_after: u64,
    /// Attempts after a collapse, each from the next init stream \[ours\]. Default 5.
    pub restarts: u32,
    /// R² levels, rising, in (0, 1), at which the weights are kept as training first reaches them
    /// ([`Reached`](super::Reached)), so that networks can be compared at equal fit. R² is that of the
    /// pixels that training may see; with minibatches it is asked for as `target_loss` is. Default none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub checkpoints: Vec<f64>,
    /// What a training that begins from given weights does after a collapse \[ours\]: it begins again
    /// from them, at most `restarts` times, with the learning rate multiplied by this, in (0, 1), each
    /// time. Default none: it ends as collapsed, for the same steps would collapse again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry_lr: Option<f64>,
    /// The optimizer. FER: Adam(0.9, 0.999, 1e-8), the default.
    pub optimizer: OptimizerConfig,
    /// Learning rate and its course. FER: constant 3e-3 (apple 3e-4), the default.
    pub schedule: Schedule,
    /// How the weights begin. FER: truncated normal of variance 1/fan_in, the default.
    pub init: Init,
    /// Stops when the loss no longer falls. Default none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plateau: Option<Plateau>,
}

/// Stops when the best loss has not fallen by a share of itself for a number of steps.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plateau {
    /// Steps to wait, ≥ 1.
    pub window: u64,
    /// Least relative improvement that counts, in [0, 1).
    pub improvement: f64,
}

/// Steps between two looks at the whole loss when minibatches are used \[ours\].
pub const GOAL_EVERY: u64 = 50;

impl Default for TrainConfig {
    fn default() -> Self {
        TrainConfig {
            steps: 100_000,
            seed: 0,
            gradient: GradientRule::Normalize,
            log_every: 10,
            batch: None,
            subsample: None,
            target_loss: None,
            collapse_after: 500,
            restarts: 5,
            checkpoints: Vec::new(),
            retry_lr: None,
            optimizer: OptimizerConfig::default(),
            schedule: Schedule::default(),
            init: Init::default(),
            plateau: None,
        }
    }
}

impl TrainConfig {
    /// Verifies every range; `pixels` is P of the target.
    ///
    /// # Errors
    /// The first setting outside its range.
    pub fn check(&self, pixels: usize) -> Result<(), Refusal> {
        let fail = |name: &str, expected: &str, found: String| {
            Err(Refusal::new(format!("training setting {name}"), expected, found))
        };
        if self.log_every == 0 {
            return fail("log_every", "at least 1", "0".into());
        }
        if self.collapse_after == 0 {
            return fail("collapse_after", "at least 1 step", "0".into());
        }
        let seen = self.subsample.unwrap_or(pixels);
        for (name, count, most) in
            [("subsample", self.subsample, pixels), ("batch", self.batch, seen)]
        {
            if let Some(count) = count
                && !(1..=most).contains(&count)
            {
                return fail(name, &format!("1 to {most} pixels"), count.to_string());
            }
        }
        if let (Some(count), OptimizerConfig::Lbfgs(_)) = (self.batch, &self.optimizer) {
            return fail("batch", "none with lbfgs, which needs one fixed loss", count.to_string());
        }
        if let Some(loss) = self.target_loss
            && !(loss.is_finite() && loss >= 0.0)
        {
            return fail("target_loss", "a number ≥ 0", loss.to_string());
        }
        if let Some(p) = self.plateau
            && !(p.window >= 1 && (0.0..1.0).contains(&p.improvement))
        {
            return fail("plateau", "window ≥ 1 and improvement in [0, 1)", format!("{p:?}"));
        }
        let rises = self.checkpoints.windows(2).all(|pair| pair[0] < pair[1]);
        if !rises || !self.checkpoints.iter().all(|&r2| r2 > 0.0 && r2 < 1.0) {
            let found = format!("{:?}", self.checkpoints);
            return fail("checkpoints", "rising R² in (0, 1)", found);
        }
        if let Some(factor) = self.retry_lr
            && !(factor > 0.0 && factor < 1.0)
        {
            return fail("retry_lr", "a factor in (0, 1)", factor.to_string());
        }
        Ok(())
    }
}
