//! Trains a job into its folder, with checkpoints, and goes on where it was stopped.
//!
//! An attempt logs to a file of its own, which takes the place of the last attempt's (`metrics.part.jsonl`). A worker that
//! was overtaken still appends to the file that it opened, which nobody reads. A checkpoint and a log fit if the
//! log has each line up to the checkpoint's step, whoever wrote it: all attempts make the same steps.

use super::load::{LOG, MaskFile, PART, reached_file, write_target};
use super::{Manifest, RunConfig, RunError, RunResult, TrainJob, parse_json, to_json};
use crate::genome;
use crate::math::refusal::Refusal;
use crate::network::files::{
    WriteError, create_folder, open_plain, write_atomic, write_atomic_with,
};
use crate::network::weight_files::to_safetensors;
use crate::network::{Picture, kernel};
use crate::run::folder::{FolderKind, Marker};
use crate::score::Fit;
use crate::train::{Constraint, LogLine, StopReason, TrainObserver, TrainState, Trainer};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The result of the run in `folder` if it is done and of this config.
///
/// # Errors
/// The folder holds a run of another config, or damaged files.
pub fn finished(folder: &Path, config: &RunConfig) -> Result<Option<RunResult>, RunError> {
    marker(config).ensure(folder)?;
    let result = folder.join("result.json");
    if result.exists() { parse_json(&result).map(Some) } else { Ok(None) }
}

/// The marker of the folder of a run.
fn marker(config: &RunConfig) -> Marker {
    let is_pruning = config.pruned.is_some();
    let kind = if is_pruning { FolderKind::Pruning } else { FolderKind::Training };
    Marker::new(kind).about(config.run_id(), &config.arm)
}

/// Trains a job into `folder`, or returns its result if it is done.
///
/// With `resume`, goes on from the folder's checkpoint (from the beginning if there is none, or if lines of its log are
/// missing).
/// An interrupted run returns a result with [`StopReason::Interrupted`] and leaves a checkpoint,
/// but no `result.json`.
///
/// # Errors
/// The folder cannot be written, holds another run, its checkpoint or something else, or an unfinished run without
/// `resume`; the observer says that nothing may be written.
pub fn train_run(
    folder: &Path,
    job: TrainJob,
    resume: bool,
    observer: &mut dyn TrainObserver,
) -> Result<RunResult, RunError> {
    constrained_run(folder, job, None, resume, observer)
}

/// [`train_run`] under a constraint, whose last word on the links is the run's mask; all that it
/// keeps, dead or alive, is in `kept.json`.
///
/// # Errors
/// As [`train_run`].
pub(crate) fn constrained_run(
    folder: &Path,
    job: TrainJob,
    constraint: Option<Arc<dyn Constraint>>,
    resume: bool,
    observer: &mut dyn TrainObserver,
) -> Result<RunResult, RunError> {
    let ended = attempt(folder, job, constraint, resume, observer);
    // Nobody needs them beside a result: this attempt's, an earlier one's, or that of a worker which took the run over.
    if matches!(ended, Ok(_) | Err(RunError::TakenOver(_))) && folder.join("result.json").exists() {
        remove_parts(folder);
    }
    ended
}

/// One attempt at a run.
fn attempt(
    folder: &Path,
    job: TrainJob,
    constraint: Option<Arc<dyn Constraint>>,
    resume: bool,
    observer: &mut dyn TrainObserver,
) -> Result<RunResult, RunError> {
    let checkpoint_path = folder.join(CHECKPOINT);
    if let Some(result) = finished(folder, &job.config)? {
        return Ok(result);
    }
    if checkpoint_path.exists() && !resume {
        return Err(RunError::Unfinished(folder.to_path_buf()));
    }
    // Settings are refused before anything is written.
    let (id, config) = (job.config.run_id(), job.config.train.clone());
    let mut begun = None;
    if checkpoint_path.exists() {
        let Checkpoint { run, state } = parse_json(&checkpoint_path)?;
        if run != id {
            let advice = "choose another --out, or remove the checkpoint to begin anew";
            let refusal = checkpoint_of_another(&checkpoint_path, &id, &run);
            return Err(refusal.advising(advice).into());
        }
        begun = LogUpTo::find(folder, &state, config.log_every).map(|log| (state, log));
    }
    let (mut trainer, log) = match begun {
        Some((state, log)) => (Trainer::resume(job.problem, config, state)?, Some(log)),
        None => (Trainer::new(job.problem, config)?, None),
    };
    let taken_over = || RunError::TakenOver(folder.to_path_buf());
    if !observer.may_write() {
        return Err(taken_over());
    }
    marker(&job.config).write(folder)?;
    create_folder(&folder.join("images"))?;
    let config_text = toml::to_string(&job.config).expect("a config is plain data");
    write_atomic(&folder.join("config.toml"), config_text.as_bytes())?;
    if let Some(genome) = &job.genome {
        write_atomic(&folder.join("genome.json"), genome::to_json(genome).as_bytes())?;
        let network = serde_json::to_vec(&trainer.problem().network).expect("plain data");
        write_atomic(&folder.join("network.json"), &network)?;
    }
    write_target(folder, &trainer.problem().target)?;
    if let Some(start) = &trainer.problem().start {
        write_atomic(
            &folder.join("start.safetensors"),
            &to_safetensors(&trainer.problem().network, start),
        )?;
    }
    if let Some(constraint) = &constraint {
        trainer = trainer.constrained(constraint.clone());
    }
    let mut recorder = Recorder::open(folder, &id, log, observer)?;
    let train = trainer.run(&mut recorder);
    if let Some(error) = recorder.failure.take() {
        return Err(error);
    }
    if train.stop == StopReason::Interrupted {
        recorder.save_checkpoint(trainer.state())?;
    } else if recorder.inner.may_write() {
        recorder.save_log()?;
    } else {
        return Err(taken_over());
    }

    let (problem, state) = (trainer.problem(), trainer.state());
    let size = job.config.size;
    let (mut mask, mut weights) = (problem.mask.clone(), state.weights.clone());
    if let Some(constraint) = &constraint {
        let (kept, live) = constraint.finish(&weights);
        live.apply(&mut weights);
        mask = live;
        if train.stop != StopReason::Interrupted {
            write_atomic(&folder.join("kept.json"), &to_json(&MaskFile::of(&job.config, &kept)))?;
        }
    }
    let rgb = kernel::render(&problem.network, &weights, &problem.inputs);
    let drawn = Picture { width: size, height: size, rgb };
    let result = RunResult {
        run_id: id,
        arm: job.config.arm.clone(),
        kept: mask.kept(),
        links: mask.0.len(),
        fit: Fit::of(&drawn, &problem.target),
        train,
    };
    if result.train.stop == StopReason::Interrupted {
        return Ok(result);
    }
    let text = [("command", "picloom train"), ("run", result.run_id.as_str())];
    write_atomic(&folder.join("images/drawn.png"), &drawn.to_png(&text))?;
    write_atomic(&folder.join("images/target.png"), &problem.target.to_png(&text))?;
    write_atomic(&folder.join("weights.safetensors"), &to_safetensors(&problem.network, &weights))?;
    for reached in &state.reached {
        let weights = reached.weights.as_ref().expect("a state has the weights of its levels");
        let file = to_safetensors(&problem.network, weights);
        write_atomic(&folder.join(reached_file(reached.level)), &file)?;
    }
    write_atomic(&folder.join("mask.json"), &to_json(&MaskFile::of(&job.config, &mask)))?;
    write_atomic(&folder.join("manifest.json"), &to_json(&Manifest::here(state.seconds)))?;
    write_atomic(&folder.join("result.json"), &to_json(&result))?;
    Ok(result)
}

/// Removes what a run that is finished needs no more.
fn remove_parts(folder: &Path) {
    for name in [CHECKPOINT, PART] {
        let _ = std::fs::remove_file(folder.join(name));
    }
}

/// Name of the file of an unfinished run's state.
const CHECKPOINT: &str = "checkpoint.json";

#[derive(Serialize, Deserialize)]
struct Checkpoint {
    /// Id of the run whose state it is.
    run: String,
    state: TrainState,
}

/// Refuses the checkpoint at `path`, which is not that of the run with this id.
pub(super) fn checkpoint_of_another(path: &Path, id: &str, found: &str) -> Refusal {
    let (expected, found) = (format!("a checkpoint of run {id}"), format!("one of run {found}"));
    Refusal::new(path.display(), expected, found).as_failure()
}

/// The beginning of an unfinished run's log: all lines up to a state of the run.
struct LogUpTo {
    file: File,
    bytes: u64,
}

impl LogUpTo {
    /// The part of the log in `folder` that a run at `state` has written; none if lines are missing.
    fn find(folder: &Path, state: &TrainState, log_every: u64) -> Option<Self> {
        #[derive(Deserialize)]
        struct Line {
            attempt: u32,
            step: u64,
        }
        let path = folder.join(PART);
        let mut log = BufReader::new(open_plain(&path).ok()?);
        let every = usize::try_from(log_every.max(1)).unwrap_or(usize::MAX);
        let lines =
            |attempt: u32, steps: u64| (0..steps).step_by(every).map(move |step| (attempt, step));
        let earlier = state.collapses.iter();
        let earlier = earlier.flat_map(|end| lines(end.attempt, end.step.saturating_add(1)));
        let (mut bytes, mut text) = (0, Vec::new());
        for expected in earlier.chain(lines(state.attempt, state.step)) {
            text.clear();
            bytes += log.read_until(b'\n', &mut text).ok()? as u64;
            let line: Line = serde_json::from_slice(text.strip_suffix(b"\n")?).ok()?;
            if (line.attempt, line.step) != expected {
                return None;
            }
        }
        Some(LogUpTo { file: log.into_inner(), bytes })
    }
}

/// Writes metrics and, now and then, checkpoints; passes everything on.
struct Recorder<'a> {
    folder: &'a Path,
    run: &'a str,
    log: File,
    last_checkpoint: Instant,
    failure: Option<RunError>,
    inner: &'a mut dyn TrainObserver,
}

/// Wall time between checkpoints.
const CHECKPOINT_EVERY: Duration = Duration::from_secs(10);

impl<'a> Recorder<'a> {
    /// Begins a log of this attempt's own with the lines of the one before.
    fn open(
        folder: &'a Path,
        run: &'a str,
        before: Option<LogUpTo>,
        inner: &'a mut dyn TrainObserver,
    ) -> Result<Self, WriteError> {
        let mut log = None;
        write_atomic_with(&folder.join(PART), |file| {
            if let Some(LogUpTo { file: mut before, bytes }) = before {
                before.rewind()?;
                std::io::copy(&mut before.take(bytes), file)?;
            }
            log = Some(file.try_clone()?);
            Ok(())
        })?;
        let log = log.expect("the file was filled");
        let last_checkpoint = Instant::now();
        Ok(Recorder { folder, run, log, last_checkpoint, failure: None, inner })
    }

    fn save_checkpoint(&mut self, state: &TrainState) -> Result<(), RunError> {
        self.last_checkpoint = Instant::now();
        if !self.inner.may_write() {
            return Err(RunError::TakenOver(self.folder.to_path_buf()));
        }
        // Another worker's cell has this run, too, and has finished it.
        if self.folder.join("result.json").exists() {
            return Ok(());
        }
        self.log.sync_all().map_err(|source| self.cannot_log(source))?;
        let checkpoint = Checkpoint { run: self.run.into(), state: state.clone() };
        let json = serde_json::to_vec(&checkpoint).expect("a state is plain data");
        Ok(write_atomic(&self.folder.join(CHECKPOINT), &json)?)
    }

    /// Puts the whole log where the log of a finished run lies.
    fn save_log(&mut self) -> Result<(), RunError> {
        let log = &mut self.log;
        Ok(write_atomic_with(&self.folder.join(LOG), |file| {
            log.rewind()?;
            std::io::copy(log, file)?;
            Ok(())
        })?)
    }

    fn cannot_log(&self, source: std::io::Error) -> WriteError {
        WriteError { path: self.folder.join(PART), source }
    }
}

impl TrainObserver for Recorder<'_> {
    fn logged(&mut self, line: &LogLine) {
        let mut json = serde_json::to_vec(line).expect("a log line is plain data");
        json.push(b'\n');
        if let Err(source) = self.log.write_all(&json) {
            let error = self.cannot_log(source).into();
            self.failure.get_or_insert(error);
        }
        self.inner.logged(line);
    }

    fn step_done(&mut self, state: &TrainState) -> bool {
        if self.last_checkpoint.elapsed() >= CHECKPOINT_EVERY
            && let Err(error) = self.save_checkpoint(state)
        {
            self.failure.get_or_insert(error);
        }
        self.inner.step_done(state) && self.failure.is_none()
    }

    fn may_write(&mut self) -> bool {
        self.inner.may_write()
    }
}
