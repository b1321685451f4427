//! Trains a job into its folder, with checkpoints, and goes on where it was stopped.
//!
//! An attempt logs to a file of its own, which takes the place of the last attempt's (`metrics.part.jsonl`). A worker that
//! was overtaken still appends to the file that it opened, which nobody reads. A checkpoint and a log fit if the
//! log has each line up to the checkpoint's step, whoever wrote it: all attempts make the same steps.

use super::load::{
    CHECKPOINT, Checkpoint, EVOLVED, LOG, MaskFile, PART, checkpoint_of_another, reached_file,
    write_target,
};
use super::{Manifest, RunConfig, RunError, RunResult, TrainJob, parse_json, parse_toml};
use crate::base::files::{
    WriteError, create_folder, open_plain, write_atomic, write_atomic_with, write_json,
};
use crate::base::folder::{FolderKind, Marker};
use crate::base::refusal::Refusal;
use crate::genome;
use crate::network::weight_files::to_safetensors;
use crate::network::{Picture, kernel};
use crate::score::Fit;
use crate::train::{Constraint, LogLine, StopReason, TrainObserver, TrainState, Trainer};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The result of the run in `folder` if it is done and of this config. With `resume` the folder may also hold the
/// beginning of this run: one that differs in having fewer steps.
///
/// # Errors
/// The folder holds another run, or damaged files.
pub(crate) fn finished(
    folder: &Path,
    config: &RunConfig,
    resume: bool,
) -> Result<Option<RunResult>, RunError> {
    let result = folder.join("result.json");
    match marker(config).ensure(folder) {
        Ok(()) if result.exists() => parse_json(&result).map(Some),
        Ok(()) => Ok(None),
        Err(refusal) => prolonged(folder, config, resume, refusal).map(|()| None),
    }
}

/// Refuses the run in `folder`, which is not that of `config`, unless it is its beginning: says which settings differ.
fn prolonged(
    folder: &Path,
    config: &RunConfig,
    resume: bool,
    refusal: Refusal,
) -> Result<(), RunError> {
    let kind = FolderKind::of(folder);
    let found = kind.filter(|_| kind == Some(marker(config).kind));
    let found = found.and_then(|_| parse_toml::<RunConfig>(&folder.join("config.toml")).ok());
    let Some(found) = found else { return Err(refusal.into()) };
    let differs = config.differences(&found);
    if differs.is_empty() {
        return Err(refusal.into());
    }
    let (now, before) = (config.train.steps, found.train.steps);
    let is_longer = now > before && config.pruned.is_none() && *config == found.with_steps(now);
    let stop = parse_json::<RunResult>(&folder.join("result.json")).ok().map(|r| r.train.stop);
    let why = match stop {
        _ if !is_longer => "choose another --out".to_string(),
        _ if config.train.schedule.needs_total() => format!(
            "with a cosine schedule the rate of every step depends on how many there are, so these are not the first {before} of {now}; choose another --out"
        ),
        Some(stop) if stop != StopReason::StepLimit => {
            "it ended before its last step, so more steps change nothing".into()
        }
        _ if !folder.join(CHECKPOINT).exists() => {
            "its last state was not kept, so it cannot go on; choose another --out".into()
        }
        _ if !resume => format!("add --resume to go on to {now} steps, or choose another --out"),
        _ => return Ok(()),
    };
    let list = |side: usize| {
        let one = |row: &[String; 3]| format!("{} {}", row[0], row[side]);
        differs.iter().map(one).collect::<Vec<_>>().join(", ")
    };
    let expected = format!("a new folder, or one of a run with {}", list(1));
    let refusal = Refusal::new(folder.display(), expected, format!("a run with {}", list(2)));
    Err(refusal.advising(why).as_failure().into())
}

/// The marker of the folder of a run.
pub(super) fn marker(config: &RunConfig) -> Marker {
    let is_pruning = config.pruned.is_some();
    let kind = if is_pruning { FolderKind::Pruning } else { FolderKind::Training };
    Marker::new(kind).about(config.run_id(), &config.arm)
}

/// Trains a job into `folder`, or returns its result if it is done.
///
/// With `resume`, goes on from the folder's checkpoint (from the beginning if there is none, or if lines of its log are
/// missing). A run that differs in having fewer steps is gone on with, too, where its state was kept
/// ([`TrainJob::keeps_state`]) and its rates do not depend on how many steps there are: to the bits of a run that had them
/// from the start.
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
    let keeps_state = job.keeps_state;
    let ended = attempt(folder, job, constraint, resume, observer);
    // Nobody needs them beside a result: this attempt's, an earlier one's, or that of a worker which took the run over.
    if matches!(ended, Ok(_) | Err(RunError::TakenOver(_))) && folder.join("result.json").exists() {
        let goes_on = ended.as_ref().map_or(true, |done| done.train.stop == StopReason::StepLimit);
        remove_parts(folder, keeps_state && goes_on);
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
    if let Some(result) = finished(folder, &job.config, resume)? {
        return Ok(result);
    }
    // Of a shorter run that is gone on with.
    let is_longer = folder.join("result.json").exists();
    if checkpoint_path.exists() && !resume {
        return Err(RunError::Unfinished(folder.to_path_buf()));
    }
    // Settings are refused before anything is written.
    let (id, config) = (job.config.run_id(), job.config.train.clone());
    let mut begun = None;
    if checkpoint_path.exists() {
        let Checkpoint { run, steps, mut state } = parse_json(&checkpoint_path)?;
        let is_beginning = steps < config.steps && !config.schedule.needs_total();
        if run != id && !(is_beginning && run == job.config.with_steps(steps).run_id()) {
            let advice = "choose another --out, or remove the checkpoint to begin anew";
            let refusal = checkpoint_of_another(&checkpoint_path, &id, &run);
            return Err(refusal.advising(advice).into());
        }
        if state.seconds == 0.0 {
            // The state of a finished run has no wall time, so that equal runs have equal files.
            let manifest = parse_json::<Manifest>(&folder.join("manifest.json"));
            state.seconds = manifest.map_or(0.0, |manifest| manifest.seconds);
        }
        begun = LogUpTo::find(folder, &state, config.log_every).map(|log| (state, log));
    }
    let (mut trainer, log) = match begun {
        Some((state, log)) => {
            let resumed = Trainer::resume(job.problem, config, state);
            let of_state = |refusal: Refusal| match refusal.is_usage {
                true => refusal,
                false => refusal.in_file(&checkpoint_path),
            };
            (resumed.map_err(of_state)?, Some(log))
        }
        None => (Trainer::new(job.problem, config)?, None),
    };
    let taken_over = || RunError::TakenOver(folder.to_path_buf());
    if !observer.may_write() {
        return Err(taken_over());
    }
    if is_longer {
        // It is unfinished from now on.
        let result = folder.join("result.json");
        std::fs::remove_file(&result)
            .map_err(|error| RunError::folder(&result, "a file that can be removed", error))?;
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
    if let Some(evolved) = &job.evolved {
        write_atomic(&folder.join(EVOLVED), genome::to_json(evolved).as_bytes())?;
    }
    write_target(folder, &trainer.problem().target)?;
    if let Some(start) = &trainer.problem().start {
        write_atomic(
            &folder.join("start.safetensors"),
            &to_safetensors(&trainer.problem().network, start),
        )?;
    }
    match &constraint {
        Some(constraint) => trainer = trainer.constrained(constraint.clone()),
        // The links that it chooses are known at its end.
        None => {
            let links = MaskFile::of(&job.config, &trainer.problem().mask);
            write_json(&folder.join("mask.json"), &links)?;
        }
    }
    let of = Of { run: &id, steps: job.config.train.steps };
    let mut recorder = Recorder::open(folder, of, log, observer)?;
    let train = trainer.run(&mut recorder);
    if let Some(error) = recorder.failure.take() {
        return Err(error);
    }
    if train.stop == StopReason::Interrupted {
        recorder.save_checkpoint(trainer.state())?;
    } else if recorder.inner.may_write() {
        recorder.save_log()?;
        if job.keeps_state && train.stop == StopReason::StepLimit {
            let mut state = trainer.state().clone();
            state.seconds = 0.0;
            recorder.save_checkpoint(&state)?;
        }
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
            write_json(&folder.join("kept.json"), &MaskFile::of(&job.config, &kept))?;
        }
    }
    let rgb = kernel::render(&problem.network, &weights, &problem.inputs);
    let drawn = Picture { width: size, height: problem.target.height, rgb };
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
    write_json(&folder.join("mask.json"), &MaskFile::of(&job.config, &mask))?;
    write_json(&folder.join("manifest.json"), &Manifest::here(state.seconds))?;
    write_json(&folder.join("result.json"), &result)?;
    Ok(result)
}

/// Removes what a run that is finished needs no more; its last state only if it is not kept.
fn remove_parts(folder: &Path, keeps_state: bool) {
    for name in [CHECKPOINT, PART].into_iter().filter(|name| !(keeps_state && *name == CHECKPOINT))
    {
        let _ = std::fs::remove_file(folder.join(name));
    }
}

#[derive(Serialize)]
struct Saved<'a> {
    #[serde(flatten)]
    of: Of<'a>,
    state: &'a TrainState,
}

/// The run whose state a checkpoint is.
#[derive(Clone, Copy, Serialize)]
struct Of<'a> {
    /// Its id.
    run: &'a str,
    /// Its steps: a longer run may begin with this state.
    steps: u64,
}

/// The beginning of an unfinished run's log: all lines up to a state of the run.
struct LogUpTo {
    file: File,
    bytes: u64,
}

impl LogUpTo {
    /// The part of the log in `folder` that a run at `state` has written; `None` if lines are
    /// missing.
    fn find(folder: &Path, state: &TrainState, log_every: u64) -> Option<Self> {
        /// Far more than a line has: what is no log of ours need not have any end of a line.
        const LONGEST_LINE: u64 = 1 << 16;
        #[derive(Deserialize)]
        struct Line {
            attempt: u32,
            step: u64,
        }
        // That of a finished run, if it is gone on with.
        let file = [PART, LOG].iter().find_map(|name| open_plain(&folder.join(name)).ok());
        let mut log = BufReader::new(file?);
        let every = usize::try_from(log_every.max(1)).unwrap_or(usize::MAX);
        let lines =
            |attempt: u32, steps: u64| (0..steps).step_by(every).map(move |step| (attempt, step));
        let earlier = state.collapses.iter();
        let earlier = earlier.flat_map(|end| lines(end.attempt, end.step.saturating_add(1)));
        let (mut bytes, mut text) = (0, Vec::new());
        for expected in earlier.chain(lines(state.attempt, state.step)) {
            text.clear();
            let mut line = log.by_ref().take(LONGEST_LINE);
            bytes += line.read_until(b'\n', &mut text).ok()? as u64;
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
    of: Of<'a>,
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
        of: Of<'a>,
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
        Ok(Recorder { folder, of, log, last_checkpoint, failure: None, inner })
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
        let json =
            serde_json::to_vec(&Saved { of: self.of, state }).expect("a state is plain data");
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
