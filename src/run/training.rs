//! Trains a job into its folder, with checkpoints, and goes on where it was stopped.

use super::load::{MaskFile, reached_file};
use super::{Manifest, RunConfig, RunError, RunResult, TrainJob, parse_json, to_json};
use crate::genome;
use crate::network::files::{WriteError, create_folder, open_log, write_atomic};
use crate::network::npz::write_npz;
use crate::network::weight_files::to_safetensors;
use crate::network::{Picture, kernel};
use crate::run::folder::{FolderKind, Marker};
use crate::score::Fit;
use crate::train::{Constraint, LogLine, StopReason, TrainObserver, TrainState, Trainer};
use serde::{Deserialize, Serialize};
use std::io::Write;
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
/// With `resume`, goes on from the folder's checkpoint (from the beginning if there is none).
/// An interrupted run returns a result with [`StopReason::Interrupted`] and leaves a checkpoint,
/// but no `result.json`.
///
/// # Errors
/// The folder cannot be written, holds another run or something else, or an unfinished run without
/// `resume`.
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
    let checkpoint_path = folder.join("checkpoint.json");
    if let Some(result) = finished(folder, &job.config)? {
        // A run that died right after its end left it.
        let _ = std::fs::remove_file(&checkpoint_path);
        return Ok(result);
    }
    if checkpoint_path.exists() && !resume {
        return Err(RunError::folder(
            folder,
            "found an unfinished run; expected --resume to go on, or another --out",
        ));
    }
    // Settings are refused before anything is written.
    let mut trainer;
    let mut metrics_bytes = 0;
    if checkpoint_path.exists() {
        let checkpoint: Checkpoint = parse_json(&checkpoint_path)?;
        metrics_bytes = checkpoint.metrics_bytes;
        let path = folder.join("metrics.jsonl");
        let found = std::fs::metadata(&path).map_or(0, |data| data.len());
        if found < metrics_bytes {
            let problem = format!(
                "expected at least {metrics_bytes} bytes, found {found}: lines are missing"
            );
            return Err(RunError::folder(&path, problem));
        }
        trainer = Trainer::resume(job.problem, job.config.train.clone(), checkpoint.state)?;
    } else {
        trainer = Trainer::new(job.problem, job.config.train.clone())?;
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
    let target = &trainer.problem().target;
    let shape = vec![target.height, target.width, 3];
    write_atomic(
        &folder.join("target.npz"),
        &write_npz(&[("target".into(), shape, target.rgb.clone())]),
    )?;

    if let Some(start) = &trainer.problem().start {
        write_atomic(
            &folder.join("start.safetensors"),
            &to_safetensors(&trainer.problem().network, start),
        )?;
    }
    if let Some(constraint) = &constraint {
        trainer = trainer.constrained(constraint.clone());
    }
    let mut recorder = Recorder::open(folder, metrics_bytes, observer)?;
    let train = trainer.run(&mut recorder);
    if let Some(error) = recorder.failure.take() {
        return Err(error.into());
    }
    if train.stop == StopReason::Interrupted {
        recorder.save_checkpoint(trainer.state())?;
    }
    recorder
        .metrics
        .sync_all()
        .map_err(|source| WriteError { path: folder.join("metrics.jsonl"), source })?;
    drop(recorder);

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
        run_id: job.config.run_id(),
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
    let _ = std::fs::remove_file(&checkpoint_path);
    Ok(result)
}

#[derive(Serialize, Deserialize)]
struct Checkpoint {
    metrics_bytes: u64,
    state: TrainState,
}

/// Writes metrics and, now and then, checkpoints; passes everything on.
struct Recorder<'a> {
    folder: &'a Path,
    metrics: std::fs::File,
    metrics_bytes: u64,
    last_checkpoint: Instant,
    failure: Option<WriteError>,
    inner: &'a mut dyn TrainObserver,
}

/// Wall time between checkpoints.
const CHECKPOINT_EVERY: Duration = Duration::from_secs(10);

impl<'a> Recorder<'a> {
    /// Opens `metrics.jsonl` and cuts off what was logged after the checkpoint.
    fn open(
        folder: &'a Path,
        metrics_bytes: u64,
        inner: &'a mut dyn TrainObserver,
    ) -> Result<Self, WriteError> {
        let path = folder.join("metrics.jsonl");
        let metrics =
            open_log(&path, metrics_bytes).map_err(|source| WriteError { path, source })?;
        Ok(Recorder {
            folder,
            metrics,
            metrics_bytes,
            last_checkpoint: Instant::now(),
            failure: None,
            inner,
        })
    }

    fn save_checkpoint(&mut self, state: &TrainState) -> Result<(), WriteError> {
        self.last_checkpoint = Instant::now();
        let path = self.folder.join("metrics.jsonl");
        self.metrics.sync_all().map_err(|source| WriteError { path, source })?;
        let checkpoint = Checkpoint { metrics_bytes: self.metrics_bytes, state: state.clone() };
        let json = serde_json::to_vec(&checkpoint).expect("a state is plain data");
        write_atomic(&self.folder.join("checkpoint.json"), &json)
    }
}

impl TrainObserver for Recorder<'_> {
    fn logged(&mut self, line: &LogLine) {
        let mut json = serde_json::to_vec(line).expect("a log line is plain data");
        json.push(b'\n');
        if let Err(source) = self.metrics.write_all(&json) {
            self.failure
                .get_or_insert(WriteError { path: self.folder.join("metrics.jsonl"), source });
        }
        self.metrics_bytes += json.len() as u64;
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
}
