//! Rounds of pruning ([`crate::prune::rounds`]) kept as runs: each round a folder of its own, the last
//! one the folder that was asked for.

use crate::base::files::write_atomic;
use crate::base::folder::FolderKind;
use crate::base::refusal::Refusal;
use crate::genome::Genome;
use crate::network::family::Conditioned;
use crate::network::kernel::render;
use crate::network::{Coords, Model, Picture, Weights};
use crate::prune::{
    Began, Keeper, Links, Method, PruneError, PrunePlan, Retrain, Retrained, RoundJob, RoundRecord,
    Search, Trained, rounds,
};
use crate::run::{
    LoadedRun, PrunedFrom, RunError, RunResult, Target, TrainJob, constrained_run, load_mask,
    load_run, parse_json,
};
use crate::score::Fit;
use crate::train::{StopReason, TrainConfig, TrainObserver, TrainReport};
use std::path::{Path, PathBuf};

/// Why pruning failed.
#[derive(Debug, thiserror::Error)]
pub enum PruneRunError {
    /// The rounds cannot begin or go on.
    #[error(transparent)]
    Rounds(#[from] PruneError),
    /// A run folder is at fault.
    #[error(transparent)]
    Run(#[from] RunError),
}

/// The start of runs of pruning.
#[derive(Clone, Debug)]
pub struct PruneParent {
    /// The network and its training; its name is the id of the run.
    pub trained: Trained,
    /// Path of the target, as given.
    pub target: String,
    /// Conditions of a family of pictures; empty for one picture.
    pub conditions: Vec<Vec<f64>>,
    /// Coordinate convention.
    pub coords: Coords,
    /// The genome of a graph wiring.
    pub genome: Option<Genome>,
    /// The genome that draws the target.
    pub evolved: Option<Genome>,
}

impl PruneParent {
    /// A finished run.
    pub fn of_run(run: &LoadedRun) -> Self {
        let config = &run.config;
        let pruned = config.pruned.as_ref();
        let method = pruned.map(|p| p.method.parse());
        PruneParent {
            trained: Trained {
                name: run.result.run_id.clone(),
                model: run.model.clone(),
                inputs: config.inputs(),
                target: run.target.clone(),
                train: config.train.clone(),
                steps: run.result.train.steps,
                attempt: run.result.train.earlier().len() as u32,
                began: match (&run.start, &config.start_sha256) {
                    (Some(start), _) => Began::Given(start.clone()),
                    (None, Some(_)) => Began::Lost,
                    (None, None) => Began::Drawn,
                },
                continues: pruned.is_some_and(|p| !began_untrained(&p.retrain)),
                moving_links: matches!(method, Some(Ok(Method::SparseTraining(_)))),
            },
            target: config.target.clone(),
            conditions: config.conditions.clone(),
            coords: config.coords,
            genome: run.genome.clone(),
            evolved: run.evolved.clone(),
        }
    }

    /// A layered network that came without a run. Its id is a hash of network, mask, weights and
    /// target, as of a run of no steps.
    ///
    /// `initial` are the weights before its training: without them there is nothing to rewind to, and
    /// `sp-untrained` and `sparse-training` refuse.
    pub fn given(model: Model, initial: Option<Weights>, target: &Target, coords: Coords) -> Self {
        let train = TrainConfig { steps: 0, ..TrainConfig::default() };
        let wiring = (model.network.clone(), model.mask.clone());
        let start = Some(model.weights.clone());
        let job = TrainJob::new("given", target, coords, wiring, start, None, train);
        PruneParent {
            trained: Trained {
                name: job.config.run_id(),
                model,
                inputs: job.problem.inputs,
                target: target.trained().clone(),
                train: job.config.train,
                steps: 0,
                attempt: 0,
                began: initial.map_or(Began::Lost, Began::Given),
                continues: false,
                moving_links: false,
            },
            target: target.name.clone(),
            conditions: target.conditions().to_vec(),
            coords,
            genome: None,
            evolved: target.genome.clone(),
        }
    }
}

/// Whether retraining of this kind begins from weights that no step was made on.
fn began_untrained(retrain: &str) -> bool {
    matches!(retrain.parse(), Ok(Retrain::Reinit | Retrain::Rewind { step: 0 }))
}

/// Prunes and retrains a finished run into `out`, see `prune_into`.
///
/// # Errors
/// As `prune_into`.
pub fn prune_run(
    parent: &LoadedRun,
    plan: &PrunePlan,
    out: &Path,
    resume: bool,
    observer: &mut dyn TrainObserver,
) -> Result<(RunResult, Vec<RoundRecord>), PruneRunError> {
    prune_into(&PruneParent::of_run(parent), plan, out, resume, observer)
}

/// Prunes and retrains a network into `out`; rounds before the last go to `out/round-{k}`.
///
/// Returns the result of the last round that was made and the records of all. A round that is
/// done is not computed again; with `resume`, an unfinished one goes on. Interrupted, the result
/// says so and the unfinished round has a record only if its links were chosen.
///
/// # Errors
/// The rule cannot be met, the method lacks something, or a folder is at fault.
pub(crate) fn prune_into(
    parent: &PruneParent,
    plan: &PrunePlan,
    out: &Path,
    resume: bool,
    observer: &mut dyn TrainObserver,
) -> Result<(RunResult, Vec<RoundRecord>), PruneRunError> {
    FolderKind::Pruning.ensure(out).map_err(RunError::from)?;
    let count = plan.rules.len();
    let mut folders = Folders { parent, rounds: count, out, resume, observer, last: None };
    let (records, _) = rounds(&parent.trained, plan, &mut folders)?;
    Ok((folders.last.expect("rounds tell of every one they begin"), records))
}

/// Folder of a round in that of all `rounds`.
pub(crate) fn round_folder(out: &Path, round: usize, rounds: usize) -> PathBuf {
    if round == rounds { out.to_path_buf() } else { out.join(format!("round-{round}")) }
}

/// Keeps rounds as run folders.
struct Folders<'a> {
    parent: &'a PruneParent,
    rounds: usize,
    out: &'a Path,
    resume: bool,
    observer: &'a mut dyn TrainObserver,
    /// The result of the round trained last.
    last: Option<RunResult>,
}

impl Folders<'_> {
    fn folder(&self, round: usize) -> PathBuf {
        round_folder(self.out, round, self.rounds)
    }

    /// Refuses to write once another worker has taken the pruning over.
    fn ensure_ours(&mut self) -> Result<(), RunError> {
        let taken_over = || RunError::TakenOver(self.out.to_path_buf());
        if self.observer.may_write() { Ok(()) } else { Err(taken_over()) }
    }

    /// The folder of a round, marked as one of a pruning run, as is the folder of all rounds.
    fn marked(&self, round: usize) -> Result<PathBuf, RunError> {
        let folder = self.folder(round);
        FolderKind::Pruning.mark(self.out)?;
        FolderKind::Pruning.mark(&folder)?;
        Ok(folder)
    }

    /// The training run of a round.
    fn job(&self, job: RoundJob) -> TrainJob {
        let parent = self.parent;
        let (name, pictures) = (parent.target.clone(), job.problem.target);
        let target = match parent.conditions.as_slice() {
            [] => Target::of_picture(name, pictures),
            conditions => {
                Target::of_seen(name, Conditioned { conditions: conditions.to_vec(), pictures })
            }
        };
        let mut run = TrainJob::new(
            job.method.name(),
            &target,
            parent.coords,
            (job.problem.network, job.problem.mask),
            job.problem.start,
            parent.genome.as_ref(),
            job.config,
        );
        run.evolved.clone_from(&parent.evolved);
        run.config.pruned = Some(PrunedFrom {
            parent: parent.trained.name.clone(),
            round: job.number,
            method: job.method.to_string(),
            rule: job.rule.to_string(),
            retrain: job.retrain.to_string(),
            kept: job.kept,
        });
        run
    }
}

impl Keeper for Folders<'_> {
    type Error = PruneRunError;

    fn steps(&mut self) -> &mut dyn TrainObserver {
        self.observer
    }

    fn train(&mut self, job: RoundJob) -> Result<Retrained, PruneRunError> {
        let (folder, constraint) = (self.folder(job.number), job.constraint.clone());
        let run = self.job(job);
        let result = constrained_run(&folder, run, constraint.clone(), self.resume, self.observer)?;
        // Not before: settings are refused before anything is written.
        FolderKind::Pruning.mark(self.out).map_err(RunError::from)?;
        let report = result.train.clone();
        self.last = Some(result);
        if report.stop == StopReason::Interrupted {
            return Ok(Retrained { report, done: None });
        }
        let Model { network, mask: live, weights } = load_run(&folder)?.model;
        let kept = match constraint {
            Some(_) => load_mask(&folder.join("kept.json"), &network)?,
            None => live.clone(),
        };
        Ok(Retrained { report, done: Some(Links { live, kept, weights }) })
    }

    fn round(&mut self, record: &RoundRecord) -> Result<(), PruneRunError> {
        self.ensure_ours()?;
        let folder = self.marked(record.round)?;
        let json = serde_json::to_vec(record).expect("a record is plain data");
        write_atomic(&folder.join("pruning.json"), &json).map_err(RunError::from)?;
        Ok(())
    }

    fn interrupted(&mut self, job: RoundJob) {
        let (problem, kept) = (&job.problem, job.kept);
        let weights = problem.start.as_ref().expect("a round begins from weights");
        let target = problem.target.clone();
        let rgb = render(&problem.network, weights, &problem.inputs);
        let drawn = Picture { rgb, ..target.clone() };
        let run = self.job(job);
        self.last = Some(RunResult {
            run_id: run.config.run_id(),
            arm: run.config.arm,
            kept,
            links: run.problem.mask.0.len(),
            train: TrainReport {
                stop: StopReason::Interrupted,
                steps: 0,
                evaluations: 0,
                final_loss: drawn.mse(&target),
                collapses: Vec::new(),
                note: None,
                reached: Vec::new(),
            },
            fit: Fit::of(&drawn, &target),
        });
    }

    /// `swarm.json` of the round.
    fn load_search(&mut self, round: usize, key: &str) -> Result<Option<Search>, PruneRunError> {
        let folder = self.folder(round);
        let path = folder.join("swarm.json");
        if !path.exists() {
            return Ok(None);
        }
        let saved: Search = parse_json(&path)?;
        if saved.key != key {
            let expected = format!("the swarm {key} of this plan");
            let refusal = Refusal::new(folder.display(), expected, format!("swarm {}", saved.key));
            return Err(
                RunError::from(refusal.advising("choose another --out").as_failure()).into()
            );
        }
        if !saved.is_done() && !self.resume {
            return Err(RunError::Unfinished(folder).into());
        }
        Ok(Some(saved))
    }

    fn save_search(&mut self, round: usize, search: &Search) -> Result<(), PruneRunError> {
        self.ensure_ours()?;
        let folder = self.marked(round)?;
        let json = serde_json::to_vec(search).expect("a swarm is plain data");
        write_atomic(&folder.join("swarm.json"), &json).map_err(RunError::from)?;
        Ok(())
    }
}
