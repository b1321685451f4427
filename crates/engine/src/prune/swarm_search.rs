//! The swarm as a way to choose links \[ours\]: networks near the parent look for weights whose
//! strongest K draw the target best.
//!
//! Particle 0 is the parent, the others are the parent with each weight times 1 + σ·N(0, 1). Each is
//! masked by |w| under the round's rule, with the guards, and trained a little on its own mask. Then
//! the swarm moves ([`crate::prune::swarm`], units aligned); the utility of a particle is −MSE of what
//! |w| under the same rule leaves of it, so the best one is a network of exactly K links. One that
//! draws a single colour counts as the worst: it could not be trained.
//!
//! A [`Search`] is handed to the keeper as it goes: while it runs, all that it needs to go on to the
//! same bits; when it is done, its answer.

use super::apply::prune;
use super::context::{EdgeContext, PruneError};
use super::guard::Orphans;
use super::keep::{Choosing, Keeper};
use super::methods::{Magnitude, Method};
use super::round::Pruned;
use super::swarm::{Found, Search, Settings, Swarm, SwarmConfig};
use crate::base::SimRng;
use crate::base::hash::{json_id, sha256_of_floats};
use crate::network::kernel::render;
use crate::network::{Picture, Weights};
use crate::train::{
    LogLine, Problem, StopReason, TrainConfig, TrainObserver, TrainReport, TrainState, Trainer,
};
use std::time::{Duration, Instant};

/// Wall time between checkpoints of the moving swarm.
const CHECKPOINT_EVERY: Duration = Duration::from_secs(10);

/// A picture whose values vary less than this is one colour.
const ONE_COLOUR: f64 = 1e-8;

/// Searches, or goes on, or reads the answer; `None` if the observer interrupted.
pub(super) fn search<K: Keeper>(
    round: &Choosing<'_>,
    settings: Settings,
    keeper: &mut K,
) -> Result<Option<Found>, K::Error> {
    let Settings { moves, spread, .. } = settings;
    let key = key(round, settings);
    let mut saved = match keeper.load_search(round.number, &key)? {
        Some(search) => search,
        None => Search {
            key,
            particles: Vec::new(),
            gradients: 0,
            losses: Vec::new(),
            swarm: None,
            found: None,
        },
    };
    if let Some(found) = saved.found {
        return Ok(Some(found));
    }

    let mut state = None;
    while saved.particles.len() < settings.particles {
        let start = particle(round, saved.particles.len(), spread)?;
        let (trainer, report) = train(round, &start, settings.steps, keeper.steps())?;
        if report.stop == StopReason::Interrupted {
            keeper.save_search(round.number, &saved)?;
            return Ok(None);
        }
        saved.gradients += report.all_evaluations();
        let trained = &trainer.state().weights;
        let good = trained.0.iter().all(|w| w.is_finite());
        saved.particles.push(if good { trained.clone() } else { start.weights.clone() });
        state = Some(trainer.state().clone());
        keeper.save_search(round.number, &saved)?;
    }
    // The observer is asked between moves, too; what it sees is the last particle's training.
    let state: TrainState = match state {
        Some(state) => state,
        None => train(round, &particle(round, 0, spread)?, 0, &mut ())?.0.state().clone(),
    };

    let (mut swarm, mut rng) = match saved.swarm.take() {
        Some(pair) => pair,
        None => {
            let mut rng = SimRng::new(round.plan.train.seed, "swarm", round.number as u64);
            let config = SwarmConfig::default();
            let network = &round.trained.model.network;
            let swarm = Swarm::new(network, &saved.particles, config, &mut rng)
                .map_err(|refusal| PruneError::from(refusal.as_failure()))?;
            (swarm, rng)
        }
    };
    let mut last_save = Instant::now();
    while (swarm.rounds() as usize) < moves {
        let utilities = swarm
            .ask()
            .iter()
            .map(|weights| utility(round, weights))
            .collect::<Result<Vec<f64>, PruneError>>()?;
        swarm
            .tell(&round.trained.model.network, &utilities, &mut rng)
            .map_err(|refusal| PruneError::from(refusal.as_failure()))?;
        let best = swarm.best().map_or(f64::MIN, |(_, utility)| utility);
        saved.losses.push(-best);
        keeper.steps().logged(&LogLine {
            attempt: 0,
            step: swarm.rounds(),
            loss: -best,
            grad_norm: 0.0,
            lr: 0.0,
            evaluations: saved.gradients,
            seconds: state.seconds,
        });
        let go_on = keeper.steps().step_done(&state);
        if !go_on || last_save.elapsed() >= CHECKPOINT_EVERY {
            saved.swarm = Some((swarm.clone(), rng.clone()));
            keeper.save_search(round.number, &saved)?;
            last_save = Instant::now();
        }
        if !go_on {
            return Ok(None);
        }
    }
    let (weights, _) = swarm.best().expect("it was told at least once");
    let found = Found {
        weights,
        losses: std::mem::take(&mut saved.losses),
        gradients: saved.gradients,
        judged: settings.particles as u64 * moves as u64,
    };
    keeper.save_search(
        round.number,
        &Search { particles: Vec::new(), swarm: None, found: Some(found.clone()), ..saved },
    )?;
    Ok(Some(found))
}

fn key(round: &Choosing<'_>, settings: Settings) -> String {
    let (trained, train) = (&round.trained.name, &round.plan.train);
    let weights = sha256_of_floats(&round.weights.0);
    json_id(&(trained, round.number, round.rule, settings, train, weights, &round.mask))
}

/// Where a particle begins: masked, with the guards.
fn particle(round: &Choosing<'_>, number: usize, spread: f64) -> Result<Pruned, PruneError> {
    let mut weights = round.weights.clone();
    if number > 0 {
        let index = ((round.number as u64) << 32) | number as u64;
        let mut rng = SimRng::new(round.plan.train.seed, "particle", index);
        for w in &mut weights.0 {
            *w = (f64::from(*w) * (1.0 + spread * rng.normal())) as f32;
        }
    }
    masked(round, &weights)
}

/// Prunes a network by |w| under the round's rule.
fn masked(round: &Choosing<'_>, weights: &Weights) -> Result<Pruned, PruneError> {
    let context = EdgeContext::new(&round.trained.model.network, weights, round.mask);
    // |w| draws no random numbers.
    let mut rng = SimRng::new(0, "swarm-mask", 0);
    let rule = round.rule;
    prune(Method::Magnitude(Magnitude {}), rule, Orphans::Drop, &context, &mut rng)
}

/// −MSE of the masked network; the least number where it draws nothing finite, or one colour: such a
/// picture may be near the target, but has no gradient to go on with.
fn utility(round: &Choosing<'_>, weights: &Weights) -> Result<f64, PruneError> {
    let pruned = match masked(round, weights) {
        Err(PruneError::NotFinite { .. }) => return Ok(f64::MIN),
        other => other?,
    };
    let target = &round.trained.target;
    let drawn = Picture {
        width: target.width,
        height: target.height,
        rgb: render(&round.trained.model.network, &pruned.weights, &round.trained.inputs),
    };
    let mse = drawn.mse(target);
    let alive = mse.is_finite() && drawn.variance() > ONE_COLOUR;
    Ok(if alive { -mse } else { f64::MIN })
}

/// Trains a particle on its own mask.
fn train(
    round: &Choosing<'_>,
    start: &Pruned,
    steps: u64,
    observer: &mut dyn TrainObserver,
) -> Result<(Trainer, TrainReport), PruneError> {
    let problem = Problem {
        network: round.trained.model.network.clone(),
        mask: start.live.clone(),
        inputs: round.trained.inputs.clone(),
        target: round.trained.target.clone(),
        start: Some(start.weights.clone()),
    };
    let config = TrainConfig {
        steps: steps.min(round.plan.train.steps),
        target_loss: None,
        plateau: None,
        ..round.plan.train.clone()
    };
    let mut trainer = Trainer::new(problem, config)?;
    let report = trainer.run(observer);
    Ok((trainer, report))
}
