//! The training loop: steps until a reason to stop, restarts after a collapse, and can be
//! interrupted and resumed at any step to the same bits.

use super::config::{GOAL_EVERY, RETRY_LR, TrainConfig};
use super::init::init;
use super::optimizer::{Evaluate, Layout, Optimizer};
use super::penalty::{Penalty, WeightCost};
use crate::base::clock::Stopwatch;
use crate::base::refusal::Refusal;
use crate::base::{SimRng, real};
use crate::network::kernel::{Isa, Objective};
use crate::network::{Mask, Network, Picture, PixelInputs, Weights};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A condition on the weights after every step, and the rate at which they move until it holds:
/// training that chooses its own links. Functions of their arguments only, so that a run can be
/// resumed.
pub trait Constraint: std::fmt::Debug + Send + Sync {
    /// Factor on the learning rate of the step that is made after `step` steps.
    fn lr_factor(&self, step: u64) -> f64;

    /// Changes the (W,) weights that `step` steps have led to. Weights that are not finite stay as
    /// they are: the next step reports them.
    fn project(&self, step: u64, weights: &mut Weights);

    /// True when, after `step` steps, a target loss or a plateau may end training.
    fn settled(&self, step: u64) -> bool;

    /// From the last weights: the links that stay, and those of them that are drawn with.
    fn finish(&self, weights: &Weights) -> (Mask, Mask);
}

/// A training problem: the network, its links, the pixels and the target.
#[derive(Clone, Debug)]
pub struct Problem {
    /// The wiring.
    pub network: Network,
    /// Links that may be non-zero, (W,).
    pub mask: Mask,
    /// All pixels of the target, (P,).
    pub inputs: PixelInputs,
    /// The picture to draw, P pixels.
    pub target: Picture,
    /// Begin from these weights instead of random ones; there are no restarts then.
    pub start: Option<Weights>,
}

/// A loss below this is a perfect fit, of a picture of one colour too: f32 colours are not finer.
const PERFECT: f64 = 1e-12;

/// Why a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "reason")]
pub enum StopReason {
    /// All steps were made.
    StepLimit,
    /// The loss reached the target loss.
    TargetLoss,
    /// The loss no longer fell, or L-BFGS found no step that lowers it.
    Plateau,
    /// The picture became one colour and stayed so, in every attempt.
    Collapsed,
    /// Loss or gradient were not finite.
    Diverged {
        /// Step of the attempt.
        step: u64,
        /// The loss there; `None` if it was not finite.
        loss: Option<f64>,
    },
    /// Somebody asked to stop; the state can be resumed.
    Interrupted,
}

impl StopReason {
    /// Attempts before the last of a training that ended so, of which this many attempts collapsed.
    pub fn attempts_before(self, collapsed: usize) -> usize {
        collapsed.saturating_sub(usize::from(self == StopReason::Collapsed))
    }
}

/// Where a training stands that is not finished.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unfinished {
    /// Steps made in this attempt.
    pub step: u64,
    /// Steps of a whole attempt.
    pub steps: u64,
}

impl std::fmt::Display for Unfinished {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "step {} of {}", self.step, self.steps)
    }
}

/// An attempt that ended as a constant picture.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Collapse {
    /// Attempt number, from 0: also the index of its init stream.
    pub attempt: u32,
    /// Step at which it was noticed.
    pub step: u64,
    /// Gradient evaluations of the attempt.
    pub evaluations: u64,
    /// Loss there.
    pub loss: f64,
}

/// The first weights of a training at or above an R². A level that one step leaps over is not
/// reached: its weights would fit better than it says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reached {
    /// The level asked for, a value of [`TrainConfig::checkpoints`].
    pub level: f64,
    /// R² there, ≥ `level`.
    pub r2: f64,
    /// Steps of the attempt that led there.
    pub step: u64,
    /// The weights there, (W,).
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub weights: Option<Weights>,
}

/// A logged step.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LogLine {
    /// Attempt number, from 0.
    pub attempt: u32,
    /// Steps made before this one.
    pub step: u64,
    /// Plain MSE before the step (of the minibatch, if one is used); NaN (in JSON null) where it diverged.
    #[serde(deserialize_with = "crate::base::text::number_or_null")]
    pub loss: f64,
    /// L2 norm of its gradient, before any normalising; NaN or null as the loss.
    #[serde(deserialize_with = "crate::base::text::number_or_null")]
    pub grad_norm: f64,
    /// Learning rate of the step.
    pub lr: f64,
    /// Gradient evaluations made before this step, in this attempt.
    pub evaluations: u64,
    /// Wall time of training so far, over all attempts and resumptions.
    pub seconds: f64,
}

/// Everything that changes during training. Serialised, it is a checkpoint.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrainState {
    /// Attempt number, from 0.
    #[serde(deserialize_with = "crate::base::text::count::<31, _, _>")]
    pub attempt: u32,
    /// Steps made in this attempt.
    #[serde(deserialize_with = "crate::base::text::count::<53, _, _>")]
    pub step: u64,
    /// Gradient evaluations in this attempt; of an evolution strategy losses, forward passes only.
    #[serde(deserialize_with = "crate::base::text::count::<53, _, _>")]
    pub evaluations: u64,
    /// The weights now, (W,).
    pub weights: Weights,
    /// Attempts that collapsed.
    pub collapses: Vec<Collapse>,
    /// Wall time so far, in seconds.
    pub seconds: f64,
    /// Levels of R² reached in this attempt, rising, with their weights.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub reached: Vec<Reached>,
    #[serde(deserialize_with = "crate::base::text::count::<53, _, _>")]
    constant_for: u64,
    best_loss: f64,
    #[serde(deserialize_with = "crate::base::text::count::<53, _, _>")]
    best_step: u64,
    optimizer: Optimizer,
}

impl TrainState {
    /// Keeps the weights `before` this step, of this loss, where they are the first to reach a level.
    fn keep_level(&mut self, levels: &[f64], r2: f64, before: &[f32]) {
        let highest = self.reached.last().map_or(0.0, |reached| reached.level);
        let Some(&level) = levels.iter().rev().find(|level| r2 >= **level) else { return };
        if level > highest {
            let weights = Some(Weights(before.to_vec()));
            self.reached.push(Reached { level, r2, step: self.step, weights });
        }
    }
}

/// The outcome of a training run. Free of wall times: equal runs give equal reports.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrainReport {
    /// Why it ended.
    #[serde(flatten)]
    pub stop: StopReason,
    /// Steps of the last attempt.
    pub steps: u64,
    /// Gradient evaluations of the last attempt; of an evolution strategy losses, forward passes only.
    pub evaluations: u64,
    /// Plain MSE over all pixels, after the last step; NaN (in JSON null) of a run that diverged.
    #[serde(deserialize_with = "crate::base::text::number_or_null")]
    pub final_loss: f64,
    /// Attempts that collapsed; the last one too, if it is why training ended.
    pub collapses: Vec<Collapse>,
    /// A remark of the optimizer, if it could not be itself here.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub note: Option<String>,
    /// Levels of R² that the last attempt reached, rising, without their weights.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub reached: Vec<Reached>,
}

impl TrainReport {
    /// The attempts before the last, which gave the weights. All of them collapsed.
    pub fn earlier(&self) -> &[Collapse] {
        &self.collapses[..self.stop.attempts_before(self.collapses.len())]
    }

    /// Gradient evaluations of all attempts.
    pub fn all_evaluations(&self) -> u64 {
        self.evaluations + self.earlier().iter().map(|c| c.evaluations).sum::<u64>()
    }
}

/// Watches training. The algorithm does not depend on it.
pub trait TrainObserver {
    /// A step that is due to be logged.
    fn logged(&mut self, _line: &LogLine) {}

    /// After every step. Returns false to interrupt.
    fn step_done(&mut self, _state: &TrainState) -> bool {
        true
    }

    /// Before a file of the training is written. Returns false once another worker has taken the training over:
    /// then nothing is written any more.
    fn may_write(&mut self) -> bool {
        true
    }
}

/// Watches nothing.
impl TrainObserver for () {}

/// The loss as the optimizer of a step sees it: at weights with noise, its slope with that of a penalty.
struct Paid<'a> {
    objective: &'a mut Objective,
    cost: Option<&'a WeightCost>,
    /// (W,), or empty.
    noise: &'a [f32],
    moved: &'a mut Vec<f32>,
}

impl Paid<'_> {
    /// The objective, and the weights it is asked about.
    fn at<'s>(&'s mut self, weights: &'s [f32]) -> (&'s mut Objective, &'s [f32]) {
        if self.noise.is_empty() {
            return (self.objective, weights);
        }
        self.moved.clear();
        self.moved.extend(weights.iter().zip(self.noise).map(|(w, noise)| w + noise));
        (self.objective, self.moved)
    }
}

impl Evaluate<f32> for Paid<'_> {
    fn loss(&mut self, weights: &[f32]) -> f64 {
        let (objective, weights) = self.at(weights);
        objective.loss(weights)
    }

    fn loss_and_gradient(&mut self, weights: &[f32], gradient: &mut [f32]) -> f64 {
        let (objective, at) = self.at(weights);
        let loss = objective.loss_and_gradient(at, gradient);
        if let Some(cost) = self.cost {
            cost.add_slope(weights, gradient);
        }
        loss
    }
}

/// A training run in progress.
pub struct Trainer {
    problem: Problem,
    config: TrainConfig,
    objective: Objective,
    weight_cost: Option<WeightCost>,
    constant_loss: f64,
    /// The units of a minibatch: pixels, or whole pictures.
    drawn: Vec<u32>,
    /// Pixels of each.
    block: usize,
    before: Vec<f32>,
    /// (W,) noise of this step, and weights with it; empty without.
    noisy: Vec<f32>,
    moved: Vec<f32>,
    state: TrainState,
    constraint: Option<Arc<dyn Constraint>>,
}

impl Trainer {
    /// Prepares a run from its beginning.
    ///
    /// # Errors
    /// A setting outside its range, or a mask or start of another length.
    pub fn new(problem: Problem, config: TrainConfig) -> Result<Self, Refusal> {
        Self::build(problem, config, None)
    }

    /// Continues from a checkpoint of the same problem and config.
    ///
    /// # Errors
    /// As [`Trainer::new`]; the checkpoint is of another network or optimizer.
    pub fn resume(
        problem: Problem,
        config: TrainConfig,
        state: TrainState,
    ) -> Result<Self, Refusal> {
        Self::build(problem, config, Some(state))
    }

    fn build(
        problem: Problem,
        config: TrainConfig,
        state: Option<TrainState>,
    ) -> Result<Self, Refusal> {
        let count = problem.network.weight_count();
        let length = |what: &str, found: usize| {
            Refusal::unless(found == count, what, format!("{count} weights"), found)
                .map_err(Refusal::as_failure)
        };
        length("mask", problem.mask.0.len())?;
        if let Some(start) = &problem.start {
            length("start weights", start.0.len())?;
        }
        config.check(problem.inputs.pixels())?;
        let is_one = problem.target.width == problem.target.height;
        if let (Some(Penalty::Variation(_)), false) = (&config.penalty, is_one) {
            let expected =
                "another one, for pictures under several conditions have no common neighbours";
            return Err(Refusal::new("training setting penalty", expected, "tv"));
        }
        config.optimizer.check_links(problem.mask.kept())?;
        let layout = Layout::of(&problem.network);
        let state = match state {
            Some(mut state) => {
                length("checkpoint", state.weights.0.len())?;
                state.optimizer = state.optimizer.resume(&config.optimizer, &layout)?;
                state
            }
            None => attempt(&problem, &config, &layout, 0)?,
        };

        // The pixels that training may see, and their best constant colour.
        let (mut inputs, mut target) = (problem.inputs.clone(), problem.target.clone());
        if let Some(count) = config.subsample {
            let mut pixels: Vec<u32> = (0..inputs.pixels() as u32).collect();
            SimRng::new(config.seed, "subsample", 0).shuffle(&mut pixels);
            pixels.truncate(count);
            pixels.sort_unstable();
            inputs = inputs.gather(&pixels);
            target = Picture {
                width: count,
                height: 1,
                rgb: pixels
                    .iter()
                    .flat_map(|&p| target.rgb[3 * p as usize..][..3].to_vec())
                    .collect(),
            };
        }
        let (network, mask) = (&problem.network, &problem.mask);
        let penalty = config.penalty.as_ref();
        let objective = match penalty.and_then(|penalty| penalty.of_maps(problem.target.width)) {
            Some(cost) => {
                Objective::with_map_cost(network, mask, &inputs, &target.rgb, cost, Isa::best())
            }
            None => Objective::new(network, mask, &inputs, &target.rgb),
        };
        // Of a family one picture lies below the other.
        let picture = problem.target.width.pow(2).min(inputs.pixels());
        let block = if config.batch_conditions.is_some() { picture } else { 1 };
        let most = inputs.pixels() / picture;
        if let Some(count) = config.batch_conditions.filter(|count| *count > most) {
            let expected = format!("1 to {most}, the pictures that training sees");
            let count = count.to_string();
            return Err(Refusal::new("training setting batch_conditions", expected, count));
        }
        Ok(Trainer {
            weight_cost: penalty.and_then(|penalty| penalty.of_weights(network, mask)),
            noisy: vec![0.0; config.weight_noise.map_or(0, |_| count)],
            moved: Vec::new(),
            drawn: (0..(inputs.pixels() / block) as u32).collect(),
            block,
            before: vec![0.0; count],
            constant_loss: target.variance(),
            problem,
            config,
            objective,
            state,
            constraint: None,
        })
    }

    /// The same run under a constraint.
    pub fn constrained(self, constraint: Arc<dyn Constraint>) -> Self {
        Trainer { constraint: Some(constraint), ..self }
    }

    /// The state now: serialise it for a checkpoint.
    pub fn state(&self) -> &TrainState {
        &self.state
    }

    /// The problem.
    pub fn problem(&self) -> &Problem {
        &self.problem
    }

    /// Trains until there is a reason to stop. After `Interrupted`, calling it again goes on.
    pub fn run(&mut self, observer: &mut dyn TrainObserver) -> TrainReport {
        let started = Stopwatch::start();
        let before = self.state.seconds;
        let stop = loop {
            self.state.seconds = before + started.seconds();
            if let Some(stop) = self.step(observer) {
                if stop == StopReason::Collapsed && self.try_again() {
                    continue;
                }
                break stop;
            }
            // After the last step nothing is left to interrupt.
            if !observer.step_done(&self.state) && self.state.step < self.config.steps {
                break StopReason::Interrupted;
            }
        };
        self.state.seconds = before + started.seconds();
        let report = self.report(stop);
        // No step looks at the weights that the last one led to.
        if stop == StopReason::StepLimit && !report.final_loss.is_finite() {
            let stop = StopReason::Diverged { step: self.state.step, loss: None };
            return TrainReport { stop, ..report };
        }
        report
    }

    /// One step, or the reason why none is made.
    fn step(&mut self, observer: &mut dyn TrainObserver) -> Option<StopReason> {
        let Trainer {
            config,
            state,
            objective,
            problem,
            constraint,
            weight_cost,
            noisy,
            moved,
            ..
        } = self;
        if state.step >= config.steps {
            return Some(StopReason::StepLimit);
        }
        let settled = constraint.as_ref().is_none_or(|c| c.settled(state.step));
        // The loss at the weights before the step that decides about goals; `None` if not due.
        let kept = config.target_loss.is_some() || !config.checkpoints.is_empty();
        let wanted = kept || config.plateau.is_some();
        let mut judged = None;
        // The loss of a step is that of all pixels, at the weights that it leaves.
        let part = config.batch.or(config.batch_conditions);
        let is_whole = part.is_none() && config.weight_noise.is_none();
        if !is_whole && wanted && state.step.is_multiple_of(GOAL_EVERY) {
            objective.select(None);
            judged = Some(objective.loss(&state.weights.0));
        }
        // Keyed by step: a resumed run draws the same pixels and noise.
        let index = (u64::from(state.attempt) << 48) | state.step;
        if let Some(sigma) = config.weight_noise {
            let mut rng = SimRng::new(config.seed, "weight noise", index);
            for (noise, kept) in noisy.iter_mut().zip(&problem.mask.0) {
                *noise = if *kept { (sigma * rng.normal()) as f32 } else { 0.0 };
            }
        }
        if let Some(count) = part {
            let mut rng = SimRng::new(config.seed, "batch", index);
            for (i, p) in self.drawn.iter_mut().enumerate() {
                *p = i as u32;
            }
            for i in 0..count {
                let j = i + rng.below(self.drawn.len() - i);
                self.drawn.swap(i, j);
            }
            let chosen = &self.drawn[..count];
            match self.block as u32 {
                1 => objective.select(Some(chosen)),
                block => {
                    let pixels = chosen.iter().flat_map(|&i| i * block..(i + 1) * block);
                    objective.select(Some(&pixels.collect::<Vec<u32>>()));
                }
            }
        }
        let mut lr = config.schedule.lr(state.step as usize, config.steps as usize);
        if let Some(constraint) = constraint {
            lr *= constraint.lr_factor(state.step);
        }
        if state.attempt > 0 {
            let factor = config.retry_lr.unwrap_or(RETRY_LR);
            lr *= real::pow(factor, f64::from(state.attempt));
        }
        if kept {
            self.before.copy_from_slice(&state.weights.0);
        }
        let step = state.optimizer.step_on(
            &mut state.weights.0,
            &problem.mask,
            lr,
            config.gradient,
            &mut Paid { objective, cost: weight_cost.as_ref(), noise: noisy, moved },
        );
        if let Some(constraint) = constraint {
            constraint.project(state.step + 1, &mut state.weights);
        }
        if state.step % config.log_every == 0 || !step.is_finite() {
            observer.logged(&LogLine {
                attempt: state.attempt,
                step: state.step,
                loss: step.loss,
                grad_norm: step.gradient_norm,
                lr,
                evaluations: state.evaluations,
                seconds: state.seconds,
            });
        }
        state.evaluations += step.evaluations as u64;
        if !step.is_finite() {
            let loss = step.loss.is_finite().then_some(step.loss);
            return Some(StopReason::Diverged { step: state.step, loss });
        }
        // A minibatch may lie where the picture has no slope: only many of them in a row are a collapse.
        let is_off = step.loss > PERFECT;
        let flat = step.gradient_norm < 1e-12 && is_off;
        let constant = match is_whole {
            true => is_off && (step.loss - self.constant_loss).abs() <= 1e-4 * self.constant_loss,
            false => flat,
        };
        state.constant_for = if constant { state.constant_for + 1 } else { 0 };
        // An evolution strategy that found no direction widens its search.
        let ends = flat && is_whole && config.optimizer.follows_gradient();
        if ends || state.constant_for >= config.collapse_after {
            return Some(StopReason::Collapsed);
        }
        if is_whole {
            judged = Some(step.loss);
        }
        if let Some(loss) = judged.filter(|_| !config.checkpoints.is_empty()) {
            let r2 = 1.0 - loss / self.constant_loss;
            state.keep_level(&config.checkpoints, r2, &self.before);
        }
        if settled && judged.is_some_and(|loss| config.target_loss.is_some_and(|goal| loss <= goal))
        {
            // The loss belongs to the weights before the step: those reached the goal.
            state.weights.0.copy_from_slice(&self.before);
            return Some(StopReason::TargetLoss);
        }
        if settled && step.stuck {
            return Some(StopReason::Plateau);
        }
        if let (Some(plateau), Some(loss)) = (config.plateau, judged) {
            // While links still go, the loss may rise: the wait begins when they are chosen.
            if !settled {
                state.best_loss = f64::MAX;
            }
            if loss < state.best_loss * (1.0 - plateau.improvement) {
                state.best_loss = loss;
                state.best_step = state.step;
            }
            if state.step - state.best_step >= plateau.window {
                // The weights have moved once more.
                state.step += 1;
                return Some(StopReason::Plateau);
            }
        }
        state.step += 1;
        None
    }

    /// Notes the collapse; true if another attempt begins.
    fn try_again(&mut self) -> bool {
        let loss = self.full_loss();
        let state = &mut self.state;
        let (attempt_number, step) = (state.attempt, state.step);
        state.collapses.push(Collapse {
            attempt: attempt_number,
            step,
            evaluations: state.evaluations,
            loss,
        });
        // Given weights without a slope have none at a lower rate either.
        let repeats =
            self.problem.start.is_some() && (self.config.retry_lr == Some(1.0) || step == 0);
        if repeats || attempt_number >= self.config.restarts {
            return false;
        }
        let layout = Layout::of(&self.problem.network);
        let Ok(mut next) = attempt(&self.problem, &self.config, &layout, attempt_number + 1) else {
            return false;
        };
        next.collapses = std::mem::take(&mut state.collapses);
        next.seconds = state.seconds;
        *state = next;
        true
    }

    /// Plain MSE over all pixels of the target with the weights now.
    fn full_loss(&mut self) -> f64 {
        let Problem { network, inputs, target, .. } = &self.problem;
        let rgb = crate::network::kernel::render(network, &self.state.weights, inputs);
        Picture { width: target.width, height: target.height, rgb }.mse(target)
    }

    fn report(&mut self, stop: StopReason) -> TrainReport {
        TrainReport {
            stop,
            steps: self.state.step,
            evaluations: self.state.evaluations,
            final_loss: self.full_loss(),
            collapses: self.state.collapses.clone(),
            note: self.state.optimizer.note(),
            reached: self
                .state
                .reached
                .iter()
                .map(|reached| Reached { weights: None, ..reached.clone() })
                .collect(),
        }
    }
}

/// The state at the beginning of an attempt.
fn attempt(
    problem: &Problem,
    config: &TrainConfig,
    layout: &Layout,
    attempt: u32,
) -> Result<TrainState, Refusal> {
    let mut weights = match &problem.start {
        Some(start) => start.clone(),
        None => {
            let mut rng = SimRng::new(config.seed, "init", u64::from(attempt));
            init(&problem.network, &problem.mask, &config.init, &mut rng)?
        }
    };
    problem.mask.apply(&mut weights);
    Ok(TrainState {
        attempt,
        step: 0,
        evaluations: 0,
        weights,
        collapses: Vec::new(),
        seconds: 0.0,
        reached: Vec::new(),
        constant_for: 0,
        best_loss: f64::MAX,
        best_step: 0,
        optimizer: Optimizer::new(&config.optimizer, layout)?.seeded(config.seed, attempt),
    })
}
