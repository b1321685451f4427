//! Everything that decides a training run, with its defaults: the `fer` recipe.

use super::init::Init;
use super::optimizer::{GradientRule, OptimizerConfig};
use super::penalty::Penalty;
use super::schedule::Schedule;
use crate::base::refusal::Refusal;
use crate::base::settings::{Settings, settings};

settings! {
    /// Settings of a training run. The default is FER's recipe (METHODS §3).
    #[derive(Clone, Debug, PartialEq)]
    #[serde(deny_unknown_fields, default)]
    pub struct TrainConfig: flags "Training" {
        /// Optimizer steps of one attempt.
        steps: u64 = 100_000, source: "FER";
        /// Seed of the initial weights, minibatches and subsamples.
        seed: u64 = 0;
        /// What is done to the gradient before the optimizer sees it: normalize (by its L2 norm), raw, or
        /// clip-norm:C.
        gradient: GradientRule = GradientRule::Normalize, source: "FER";
        /// A cost that training lowers together with the error of the picture: l1 or l2 (size of the weights), length
        /// (of the links), tv (total variation of the units' maps) or orthogonality (of the maps). Its strength is set
        /// as in l1:strength=1e-4.
        ///
        /// [`Penalty`]: added to the gradient; losses and goals are those of the picture alone.
        #[serde(skip_serializing_if = "Option::is_none")]
        penalty: Option<Penalty> = None, unless: "none";
        /// The gradient of each step is taken at weights with normal noise of this standard deviation.
        ///
        /// Drawn anew each step, for weights that may be non-zero; the weights themselves stay without. The loss of the
        /// weights is looked at every [`GOAL_EVERY`] steps where a goal needs it. \[ours\], after An 1996.
        #[serde(skip_serializing_if = "Option::is_none")]
        weight_noise: Option<f64> = None, range: Range::at_least(0.0), value: "SIGMA", unless: "none";
        /// Log every N steps.
        log_every: u64 = 10, range: Range::at_least(1.0), value: "STEPS";
        /// Pixels of a minibatch, drawn anew each step without replacement from those that training may see.
        ///
        /// Not with L-BFGS and CMA-ES, whose pairs and covariance belong to one fixed loss.
        #[serde(skip_serializing_if = "Option::is_none")]
        batch: Option<usize> = None, range: Range::at_least(1.0), value: "PIXELS", unless: "all";
        /// Pictures of a minibatch where a family is learned: whole conditions, drawn anew each step without replacement.
        ///
        /// In place of `batch`, whose pixels are of all conditions. Not with L-BFGS and CMA-ES.
        #[serde(skip_serializing_if = "Option::is_none")]
        batch_conditions: Option<usize> = None, range: Range::at_least(1.0), value: "PICTURES", unless: "all";
        /// Pixels that training may see at all, drawn once.
        ///
        /// A control (METHODS §8).
        #[serde(skip_serializing_if = "Option::is_none")]
        subsample: Option<usize> = None, range: Range::at_least(1.0), value: "PIXELS", unless: "all";
        /// Stop at this loss; with --batch, that of all pixels is looked at every 50 steps.
        ///
        /// Of all pixels that training may see, every [`GOAL_EVERY`] steps; so it is for `plateau`.
        #[serde(skip_serializing_if = "Option::is_none")]
        target_loss: Option<f64> = None, range: Range::at_least(0.0), value: "LOSS";
        /// Steps at the loss of the best constant colour after which an attempt has collapsed.
        ///
        /// \[ours\] The loss has been that of the best constant colour (within 0.01 %), or the gradient's norm is
        /// below 1e-12; with minibatches, that it has been for so many steps.
        collapse_after: u64 = 500, range: Range::at_least(1.0), value: "STEPS", source: "ours";
        /// New attempts after a collapse into one colour, each from the next stream of initial weights.
        restarts: u32 = 5, source: "ours";
        /// Keep the weights that first reach these R², rising: 0.9,0.95,0.97,0.99 (reached-R2.safetensors).
        ///
        /// So that networks can be compared at equal fit ([`Reached`](super::Reached)). R² is that of the
        /// pixels that training may see; with minibatches it is asked for as `target_loss` is.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        checkpoints: Vec<f64> = Vec::new(), range: Range::INSIDE, value: "R2";
        /// After a collapse the next attempt has the learning rate of the one before times this; 1: the same rate.
        ///
        /// \[ours\] At most `restarts` times; [`RETRY_LR`] where nothing is said. With 1 a training from given weights
        /// ends as collapsed, for the same steps would collapse again; and so it does where they have no slope at all.
        #[serde(skip_serializing_if = "Option::is_none")]
        retry_lr: Option<f64> = None, range: Range::SOME_SHARE, value: "FACTOR", unless: "0.5", source: "ours";
        /// Optimizer; settings as muon:steps=20. lbfgs searches its own rate along the raw gradient, and
        /// cma-es takes losses only: --lr, --schedule and --gradient do not act on them.
        optimizer: OptimizerConfig = OptimizerConfig::default(), source: "FER";
        /// Learning rate and its course.
        schedule: Schedule;
        /// How the weights begin.
        init: Init;
        /// Stops when the loss no longer falls. Default none.
        #[serde(skip_serializing_if = "Option::is_none")]
        plateau: Option<Plateau>;
    }
}

settings! {
    /// Stops when the best loss has not fallen by a share of itself for a number of steps.
    #[derive(Clone, Copy, Debug, PartialEq)]
    #[serde(deny_unknown_fields, default)]
    pub struct Plateau: keys "Plateau" {
        /// Stop when the loss has not fallen by --least-fall of itself in this many steps.
        window as "plateau": u64 = 0, range: Range::at_least(1.0), value: "STEPS", unless: "none";
        /// Least relative fall of the loss that --plateau counts.
        improvement as "least_fall": f64 = 1e-3, range: Range::RATE, value: "SHARE", needs: "plateau";
    }
}

/// Learning rate of an attempt after a collapse, over that of the attempt before \[ours\]: deep dense networks that
/// collapse at .003 learn at .001.
pub(crate) const RETRY_LR: f64 = 0.5;

/// Steps between two looks at the whole loss when minibatches are used \[ours\].
pub const GOAL_EVERY: u64 = 50;

impl TrainConfig {
    /// Verifies every range; `pixels` is P of the target.
    ///
    /// # Errors
    /// The first setting outside its range.
    pub fn check(&self, pixels: usize) -> Result<(), Refusal> {
        let fail = |name: &str, expected: &str, found: String| {
            Err(Refusal::new(format!("training setting {name}"), expected, found))
        };
        self.check_ranges().map_err(|refusal| refusal.prefixed("training setting "))?;
        let seen = self.subsample.unwrap_or(pixels);
        for (name, count, most) in
            [("subsample", self.subsample, pixels), ("batch", self.batch, seen)]
        {
            if let Some(count) = count.filter(|count| *count > most) {
                return fail(name, &format!("1 to {most} pixels"), count.to_string());
            }
        }
        let fixed = matches!(self.optimizer, OptimizerConfig::Lbfgs(_) | OptimizerConfig::CmaEs(_));
        for (key, count) in [("batch", self.batch), ("batch_conditions", self.batch_conditions)] {
            if let Some(count) = count.filter(|_| fixed) {
                let name = self.optimizer.name();
                let expected = format!("none with {name}, which needs one fixed loss");
                return fail(key, &expected, count.to_string());
            }
        }
        if let Some(count) =
            self.batch_conditions.filter(|_| self.batch.or(self.subsample).is_some())
        {
            let expected = "none beside batch or subsample, which choose pixels";
            return fail("batch_conditions", expected, count.to_string());
        }
        // L-BFGS and evolution strategies read losses, and expect them of one function.
        let reads_losses = matches!(self.optimizer, OptimizerConfig::Lbfgs(_))
            || !self.optimizer.follows_gradient();
        if reads_losses && (self.penalty.is_some() || self.weight_noise.is_some()) {
            let name = if self.penalty.is_some() { "penalty" } else { "weight_noise" };
            let expected = format!("none with {}, which reads losses", self.optimizer.name());
            return fail(name, &expected, "one".into());
        }
        let part = self.batch.or(self.batch_conditions).or(self.subsample);
        if let (Some(Penalty::Variation(_)), Some(count)) = (&self.penalty, part) {
            let expected = "every pixel, for a pixel's neighbours count in the penalty tv";
            return fail("batch, batch_conditions or subsample", expected, count.to_string());
        }
        if let Some(penalty) = &self.penalty {
            penalty.check().map_err(|refusal| refusal.prefixed("training setting "))?;
        }
        if !self.checkpoints.windows(2).all(|pair| pair[0] < pair[1]) {
            return fail("checkpoints", "rising R² in (0, 1)", format!("{:?}", self.checkpoints));
        }
        Ok(())
    }
}
