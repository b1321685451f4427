//! The work of a job, by the library's own functions.

use super::job::{Drawn, Job, RUNS, Work};
use crate::base::folder::FolderKind;
use crate::base::hash::sha256_of_floats;
use crate::base::lock::FolderLock;
use crate::experiment::evolution::{
    Ancestors, EvolutionConfig, EvolutionJob, EvolutionObserver, EvolutionResult, GenerationRecord,
    SearchKind, StopCause, evolve,
};
use crate::experiment::prune_run;
use crate::genome::{self, Genome};
use crate::network::{Coords, Model, Squaring, Weights, Wiring};
use crate::page::NetworkRequest;
use crate::prune::schedule::Aim;
use crate::prune::{Method, PrunePlan};
use crate::run::{
    LoadedRun, RunResult, Target, TrainJob, load_run, load_target, shipped, train_run,
};
use crate::studio::answer::Rejection;
use crate::studio::builtin::Builtin;
use crate::studio::state::Studio;
use crate::train::{LogLine, StopReason, TrainConfig, TrainObserver, TrainState};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Largest picture that is trained on, and most steps.
const LARGEST: usize = 512;
const MOST_STEPS: u64 = 10_000_000;
/// Time between two pictures of a training.
const PICTURE_EVERY: Duration = Duration::from_millis(250);

/// Refuses impossible work before anything is written, and returns a hash of its network and
/// picture, because the file behind an id may change.
///
/// # Errors
/// If the work is impossible: what was expected and what was found.
pub(super) fn check(studio: &Studio, work: &Work) -> Result<String, Rejection> {
    if let Work::Evolve { .. } = work {
        let job = evolution(studio, work)?;
        return Ok(job.config.target_sha256.unwrap_or_default());
    }
    let loaded = studio.network(&work.network())?;
    let mut content = super::score::content(&loaded);
    match work {
        Work::Evolve { .. } => {}
        Work::Train { id, wiring, size, target, .. } => {
            if !(8..=LARGEST).contains(size) {
                let why = format!("size: expected 8 to {LARGEST} pixels, found {size}");
                return Err(Rejection::bad(why));
            }
            train_config(work).map_err(Rejection::bad)?;
            if loaded.source.genome.is_none() && *wiring != Wiring::Graph {
                let why = format!(
                    "wiring: expected graph, that of {id}, which is no genome; found {wiring}"
                );
                return Err(Rejection::bad(why));
            }
            if let Some(id) = target {
                let target = target_of(studio, id, *size, loaded.source.coords)?;
                content += &sha256_of_floats(&target.picture.rgb);
            }
        }
        Work::Prune { id, .. } => {
            let run = parent_of(studio, id)?;
            prune_plan(work, &run.model, &run.config.train).map_err(Rejection::bad)?;
        }
    }
    Ok(content)
}

/// The run that is pruned: of a folder, or the one that comes with the program.
fn parent_of(studio: &Studio, id: &str) -> Result<LoadedRun, Rejection> {
    match studio.builtin(id) {
        Some(Builtin::Trained) => shipped::run().map_err(Rejection::failed),
        _ => load_run(&studio.root.whole(id)?).map_err(Rejection::bad),
    }
}

/// Why a training failed though it came to an end, and what helps; `None` if it did not fail.
pub(super) fn failure_of(result: &RunResult) -> Option<String> {
    let train = &result.train;
    match train.stop {
        StopReason::Diverged { step, .. } => {
            Some(format!("training diverged at step {step}; take a smaller learning rate"))
        }
        StopReason::Collapsed => Some(format!(
            "training collapsed into one colour at step {}, in each of {} attempts; take a smaller learning rate",
            train.steps,
            train.collapses.len()
        )),
        _ => None,
    }
}

/// The picture of a target by its id: a file, a genome of the root or one of the program.
pub(in crate::studio) fn target_of(
    studio: &Studio,
    id: &str,
    size: usize,
    coords: Coords,
) -> Result<Target, Rejection> {
    let target = match studio.builtin(id) {
        Some(Builtin::Genome(text)) => {
            let genome = genome::from_json(text).map_err(Rejection::failed)?;
            Target::of_genome(&genome, Path::new(id), size, coords)
        }
        _ => load_target(&studio.root.path(id)?, size, coords, Some(Squaring::Crop)),
    };
    // By its id, so that what comes of it is the same wherever the root lies.
    Ok(Target { name: id.into(), ..target.map_err(Rejection::bad)? })
}

/// A search towards a picture, by the program's own settings.
fn evolution(studio: &Studio, work: &Work) -> Result<EvolutionJob, Rejection> {
    let Work::Evolve { id, generations, size, seed } = work else {
        return Err(Rejection::failed("expected a search"));
    };
    let mut config = EvolutionConfig::new(SearchKind::Target.stored().preset());
    config.generations = *generations;
    config.size = *size;
    config.seed = *seed;
    config.target = Some(id.clone());
    config.validate().map_err(Rejection::bad)?;
    let target = target_of(studio, id, *size, config.coords)?;
    config.target_sha256 = Some(sha256_of_floats(&target.picture.rgb));
    Ok(EvolutionJob { config, target: Some(target.picture), ancestors: Ancestors::default() })
}

fn checked_steps(steps: u64) -> Result<u64, String> {
    match (1..=MOST_STEPS).contains(&steps) {
        true => Ok(steps),
        false => Err(format!("steps: expected 1 to {MOST_STEPS}, found {steps}")),
    }
}

/// The settings of a training: the defaults, over them what was asked for.
fn train_config(work: &Work) -> Result<TrainConfig, String> {
    let Work::Train { steps, size, optimizer, lr, seed, .. } = work else {
        return Err("expected a training".into());
    };
    let mut config =
        TrainConfig { steps: checked_steps(*steps)?, seed: *seed, ..Default::default() };
    if let Some(optimizer) = optimizer {
        config.optimizer = optimizer.parse().map_err(|e| format!("optimizer: {e}"))?;
    }
    config.schedule.lr = lr.unwrap_or(config.schedule.lr);
    config.check(size * size).map_err(|e| e.to_string())?;
    Ok(config)
}

fn prune_plan(work: &Work, model: &Model, train: &TrainConfig) -> Result<PrunePlan, String> {
    let Work::Prune { method, budget, threshold, steps, .. } = work else {
        return Err("expected a pruning".into());
    };
    let method: Method = method.parse().map_err(|e| format!("method: {e}"))?;
    if matches!(method, Method::Cmd(_)) {
        // Whoever reaches the page, or wrote the job's file, runs no program of this machine.
        return Err(
            "method: expected one of this program, found a command; `picloom prune` runs it".into(),
        );
    }
    let (budget, threshold) = (*budget, threshold.iter().copied().collect());
    let aim = Aim { method, budget, threshold, ..Aim::default() };
    let steps = checked_steps(steps.unwrap_or(train.steps))?;
    aim.plan(model, TrainConfig { steps, ..train.clone() }).map_err(|e| e.to_string())
}

/// Does the work: true if it is done, false if it was stopped.
pub(super) fn run(studio: &Studio, job: &Job) -> Result<bool, String> {
    match &job.work {
        Work::Train { .. } => train(studio, job),
        Work::Prune { .. } => prune(studio, job),
        Work::Evolve { .. } => evolved(studio, job),
    }
}

/// `Display` of an error.
fn told(error: impl std::fmt::Display) -> String {
    error.to_string()
}

/// The folder of a job's run, made if it is missing.
fn folder_of(studio: &Studio, job: &Job) -> Result<PathBuf, String> {
    let id = format!("{RUNS}/{}", job.name);
    studio.root.made(&id).and_then(|_| studio.root.whole(&id)).map_err(|e| e.why())
}

fn train(studio: &Studio, job: &Job) -> Result<bool, String> {
    let Work::Train { wiring, target, size, .. } = &job.work else {
        return Err("expected a training".into());
    };
    let config = train_config(&job.work)?;
    let loaded = studio.network(&job.work.network()).map_err(|e| e.why())?;
    let source = &loaded.source;
    let Model { network, mask, .. } = source.model.clone();
    let target = match (target, &source.target) {
        (Some(id), _) => target_of(studio, id, *size, source.coords).map_err(|e| e.why())?,
        (None, Some(picture)) => Target::of_picture(
            source.config.as_ref().map_or_else(String::new, |run| run.target.clone()),
            picture.resized(*size),
        ),
        // What it draws itself, a genome as it was evolved.
        (None, None) => {
            let model = match &source.genome {
                Some(genome) => Model::of_genome(genome, Wiring::Graph),
                None => source.model.clone(),
            };
            Target::of_picture(job.work.id().to_string(), model.picture(*size, source.coords))
        }
    };
    let arm = if source.trained { "retrained" } else { wiring.name() };
    let genome = source.genome.as_ref().filter(|_| network.arch.is_none());
    let variance = target.picture.variance();
    let drawn = Drawn { network: network.clone(), coords: source.coords, variance };
    let mut made =
        TrainJob::new(arm, &target, source.coords, (network, mask), None, genome, config);
    // So that it can be made longer.
    made.keeps_state = true;
    let folder = folder_of(studio, job)?;
    FolderKind::Training.ensure(&folder).map_err(told)?;
    let _lock = FolderLock::take(&folder).map_err(told)?;
    let mut watch = Watch::new(job, drawn);
    let result = train_run(&folder, made, true, &mut watch).map_err(told)?;
    ended(studio, job, &result)
}

fn prune(studio: &Studio, job: &Job) -> Result<bool, String> {
    let parent = parent_of(studio, job.work.id()).map_err(|e| e.why())?;
    let plan = prune_plan(&job.work, &parent.model, &parent.config.train)?;
    job.state().steps = plan.train.steps;
    let drawn = Drawn {
        network: parent.model.network.clone(),
        coords: parent.config.coords,
        variance: parent.target.variance(),
    };
    let out = folder_of(studio, job)?;
    let _lock = FolderLock::take(&out).map_err(told)?;
    let mut watch = Watch::new(job, drawn);
    let (result, _) = prune_run(&parent, &plan, &out, true, &mut watch).map_err(told)?;
    ended(studio, job, &result)
}

fn evolved(studio: &Studio, job: &Job) -> Result<bool, String> {
    let search = evolution(studio, &job.work).map_err(|e| e.why())?;
    let folder = folder_of(studio, job)?;
    let _lock = FolderLock::take(&folder).map_err(told)?;
    let resume = folder.join("config.toml").exists();
    let mut watch = Generations { job, coords: search.config.coords };
    let result = evolve(&search, &folder, resume, &mut watch).map_err(told)?;
    let mut state = job.state();
    state.r2 = result.best_r2;
    state.best = best_of(studio, &folder);
    Ok(result.cause != StopCause::Interrupted)
}

/// The best genome of a search that has ended, by id.
pub(super) fn best_of(studio: &Studio, folder: &Path) -> Option<String> {
    let text = studio.root.text(&folder.join("result.json")).ok()??;
    let result: EvolutionResult = serde_json::from_str(&text).ok()?;
    studio.root.id(&folder.join(result.genomes.first()?))
}

/// Tells a search's job how far it is, and the search when to stop.
struct Generations<'a> {
    job: &'a Job,
    coords: Coords,
}

impl EvolutionObserver for Generations<'_> {
    fn generation(&mut self, record: &GenerationRecord, _seconds: f64) {
        let mut state = self.job.state();
        state.step = record.generation + 1;
        state.r2 = record.best_r2;
    }

    fn best(&mut self, genome: &Genome) {
        let Model { network, weights, .. } = Model::of_genome(genome, Wiring::Graph);
        let mut state = self.job.state();
        state.drawn =
            Some((Arc::new(Drawn { network, coords: self.coords, variance: 0.0 }), weights));
    }

    fn stop(&mut self) -> bool {
        self.job.is_stopped()
    }
}

/// Records the end of a run; true if it is finished.
fn ended(studio: &Studio, job: &Job, result: &RunResult) -> Result<bool, String> {
    job.state().r2 = Some(result.fit.r2);
    match (result.train.stop, failure_of(result)) {
        (StopReason::Interrupted, _) => Ok(false),
        (_, Some(why)) => Err(why),
        (_, None) => {
            // The last picture is the run's own.
            let asked = NetworkRequest::graph(format!("{RUNS}/{}", job.name));
            if let Ok(loaded) = studio.network(&asked) {
                let mut state = job.state();
                let weights = loaded.source.model.weights.clone();
                if let Some((_, drawn)) = &mut state.drawn {
                    *drawn = weights;
                }
            }
            Ok(true)
        }
    }
}

/// Tells the job how training goes, and training when to stop.
struct Watch<'a> {
    job: &'a Job,
    drawn: Arc<Drawn>,
    last: Instant,
}

impl<'a> Watch<'a> {
    fn new(job: &'a Job, drawn: Drawn) -> Self {
        Watch { job, drawn: Arc::new(drawn), last: Instant::now() - PICTURE_EVERY }
    }
}

impl TrainObserver for Watch<'_> {
    fn logged(&mut self, line: &LogLine) {
        self.job.logged(line, self.drawn.variance);
    }

    fn step_done(&mut self, state: &TrainState) -> bool {
        if self.last.elapsed() >= PICTURE_EVERY {
            self.last = Instant::now();
            let weights: Weights = state.weights.clone();
            let mut told = self.job.state();
            told.step = state.step;
            told.drawn = Some((self.drawn.clone(), weights));
        }
        !self.job.is_stopped()
    }
}
