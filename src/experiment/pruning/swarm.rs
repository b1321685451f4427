//! The swarm as a way to choose links \[ours\]: networks near the parent look for weights whose
//! strongest K draw the target best.
//!
//! Particle 0 is the parent, the others are the parent with each weight times 1 + σ·N(0, 1). Each is
//! masked by |w| under the round's rule, with the guards, and trained a little on its own mask. Then
//! the swarm moves ([`crate::prune::swarm`], units aligned); the utility of a particle is −MSE of what
//! |w| under the same rule leaves of it, so the best one is a network of exactly K links. One that
//! draws a single colour counts as the worst: it could not be trained.
//!
//! `swarm.json` in the round's folder holds the search: while it runs, all that it needs to go on to
//! the same bits; when it is done, its answer.

use super::{PruneRunError, RoundInputs};
use crate::experiment::run::{RunError, hex, parse_json};
use crate::math::SimRng;
use crate::network::files::{create_folder, write_atomic};
use crate::network::kernel::render;
use crate::network::{Picture, Weights};
use crate::prune::method::Magnitude;
use crate::prune::swarm::{Settings, Swarm, SwarmConfig};
use crate::prune::{EdgeContext, Method, Orphans, PruneError, Pruned, prune};
use crate::train::{LogLine, Problem, StopReason, TrainConfig, TrainObserver, TrainState, Trainer};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::time::{Duration, Instant};

/// What the search found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Found {
    /// (W,) the swarm's best network before masking.
    pub(super) weights: Weights,
    /// MSE of the best network, masked, after each move.
    pub(super) losses: Vec<f64>,
    /// Gradient evaluations, all of them in the particles' training.
    pub(super) gradients: u64,
    /// Masked networks that were drawn and judged.
    pub(super) judged: u64,
}

/// `swarm.json`.
#[derive(Serialize, Deserialize)]
struct Saved {
    /// Hash of all that decides the search.
    key: String,
    /// Particles that are trained.
    particles: Vec<Weights>,
    gradients: u64,
    losses: Vec<f64>,
    swarm: Option<(Swarm, SimRng)>,
    found: Option<Found>,
}

/// Wall time between checkpoints of the moving swarm.
const CHECKPOINT_EVERY: Duration = Duration::from_secs(10);

/// A picture whose values vary less than this is one colour.
const ONE_COLOUR: f64 = 1e-8;

/// Searches, or goes on, or reads the answer; `None` if the observer interrupted.
pub(super) fn search(
    round: &RoundInputs<'_>,
    settings: Settings,
    resume: bool,
    observer: &mut dyn TrainObserver,
) -> Result<Option<Found>, PruneRunError> {
    let Settings { moves, spread, .. } = settings;
    round.plan.method.check().map_err(PruneError::from)?;
    let key = key(round, settings);
    let path = round.folder.join("swarm.json");
    let mut saved = if path.exists() {
        let saved: Saved = parse_json(&path)?;
        if saved.key != key {
            return Err(RunError::folder(
                round.folder,
                format!(
                    "expected the swarm {key} of this plan, found swarm {}; choose another --out",
                    saved.key
                ),
            )
            .into());
        }
        if saved.found.is_none() && !resume {
            return Err(RunError::folder(
                round.folder,
                "found an unfinished run; expected --resume to go on, or another --out",
            )
            .into());
        }
        saved
    } else {
        Saved {
            key,
            particles: Vec::new(),
            gradients: 0,
            losses: Vec::new(),
            swarm: None,
            found: None,
        }
    };
    if let Some(found) = saved.found {
        return Ok(Some(found));
    }
    create_folder(round.folder).map_err(RunError::from)?;
    let save = |saved: &Saved| -> Result<(), PruneRunError> {
        let json = serde_json::to_vec(saved).expect("a swarm is plain data");
        write_atomic(&path, &json).map_err(RunError::from)?;
        Ok(())
    };

    let mut state = None;
    while saved.particles.len() < settings.particles {
        let start = particle(round, saved.particles.len(), spread)?;
        let (trainer, stop) = train(round, &start, settings.steps, observer)?;
        if stop == StopReason::Interrupted {
            save(&saved)?;
            return Ok(None);
        }
        saved.gradients += trainer.state().evaluations;
        let trained = &trainer.state().weights;
        let good = trained.0.iter().all(|w| w.is_finite());
        saved.particles.push(match good {
            true => trained.clone(),
            false => start.weights.clone(),
        });
        state = Some(trainer.state().clone());
        save(&saved)?;
    }
    // The observer is asked between moves, too; what it sees is the last particle's training.
    let state: TrainState = match state {
        Some(state) => state,
        None => train(round, &particle(round, 0, spread)?, 0, &mut Silent)?.0.state().clone(),
    };

    let (mut swarm, mut rng) = match saved.swarm.take() {
        Some(pair) => pair,
        None => {
            let mut rng = SimRng::new(round.plan.train.seed, "swarm", round.number as u64);
            let config = SwarmConfig::default();
            let swarm = Swarm::new(&round.run.model.network, &saved.particles, config, &mut rng)?;
            (swarm, rng)
        }
    };
    let mut last_save = Instant::now();
    while (swarm.rounds() as usize) < moves {
        let utilities = swarm
            .ask()
            .iter()
            .map(|weights| utility(round, weights))
            .collect::<Result<Vec<f64>, PruneRunError>>()?;
        swarm.tell(&round.run.model.network, &utilities, &mut rng)?;
        let best = swarm.best().map_or(f64::MIN, |(_, utility)| utility);
        saved.losses.push(-best);
        observer.logged(&LogLine {
            attempt: 0,
            step: swarm.rounds(),
            loss: -best,
            grad_norm: 0.0,
            lr: 0.0,
            evaluations: saved.gradients,
            seconds: state.seconds,
        });
        let go_on = observer.step_done(&state);
        if !go_on || last_save.elapsed() >= CHECKPOINT_EVERY {
            saved.swarm = Some((swarm.clone(), rng.clone()));
            save(&saved)?;
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
    save(&Saved { particles: Vec::new(), swarm: None, found: Some(found.clone()), ..saved })?;
    Ok(Some(found))
}

fn key(round: &RoundInputs<'_>, settings: Settings) -> String {
    let bytes: Vec<u8> = round
        .weights
        .0
        .iter()
        .flat_map(|w| w.to_le_bytes())
        .chain(round.mask.0.iter().map(|&k| u8::from(k)))
        .collect();
    let text = format!(
        "{} {} {:?} {settings:?} {}",
        round.run.result.run_id,
        round.number,
        round.rule,
        serde_json::to_string(&round.plan.train).expect("a config is plain data"),
    );
    hex(&Sha256::new().chain_update(text).chain_update(bytes).finalize())[..16].to_string()
}

/// Where a particle begins: masked, with the guards.
fn particle(round: &RoundInputs<'_>, number: usize, spread: f64) -> Result<Pruned, PruneRunError> {
    let mut weights = round.weights.clone();
    if number > 0 {
        let index = ((round.number as u64) << 32) | number as u64;
        let mut rng = SimRng::new(round.plan.train.seed, "particle", index);
        for w in &mut weights.0 {
            *w = (f64::from(*w) * (1.0 + spread * rng.normal())) as f32;
        }
    }
    Ok(masked(round, &weights)?)
}

/// What |w| leaves of a network under the round's rule.
fn masked(round: &RoundInputs<'_>, weights: &Weights) -> Result<Pruned, PruneError> {
    let context = EdgeContext::new(&round.run.model.network, weights, round.mask);
    // |w| draws no random numbers.
    let mut rng = SimRng::new(0, "swarm-mask", 0);
    let rule = round.rule;
    prune(Method::Magnitude(Magnitude {}), rule, Orphans::Drop, &context, &mut rng)
}

/// −MSE of the masked network; the least number where it draws nothing finite, or one colour: such a
/// picture may be near the target, but has no gradient to go on with.
fn utility(round: &RoundInputs<'_>, weights: &Weights) -> Result<f64, PruneRunError> {
    let pruned = match masked(round, weights) {
        Err(PruneError::NotFinite { .. }) => return Ok(f64::MIN),
        other => other?,
    };
    let target = &round.run.target;
    let drawn = Picture {
        width: target.width,
        height: target.height,
        rgb: render(&round.run.model.network, &pruned.weights, round.inputs),
    };
    let mse = drawn.mse(target);
    let alive = mse.is_finite() && drawn.variance() > ONE_COLOUR;
    Ok(if alive { -mse } else { f64::MIN })
}

/// Trains a particle on its own mask.
fn train(
    round: &RoundInputs<'_>,
    start: &Pruned,
    steps: u64,
    observer: &mut dyn TrainObserver,
) -> Result<(Trainer, StopReason), PruneRunError> {
    let problem = Problem {
        network: round.run.model.network.clone(),
        mask: start.live.clone(),
        inputs: round.inputs.clone(),
        target: round.run.target.clone(),
        start: Some(start.weights.clone()),
    };
    let config = TrainConfig {
        steps: steps.min(round.plan.train.steps),
        target_loss: None,
        plateau: None,
        ..round.plan.train.clone()
    };
    let mut trainer = Trainer::new(problem, config).map_err(RunError::from)?;
    let stop = trainer.run(observer).stop;
    Ok((trainer, stop))
}

struct Silent;

impl TrainObserver for Silent {}
