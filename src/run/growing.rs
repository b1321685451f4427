//! Grows a network into a folder, stage by stage, and goes on where it was stopped. The finished folder is that of a
//! training run on the grown graph; beside it lies `history.csv`, one row a stage.

use super::job::pixels;
use super::load::{LOG, MaskFile, checkpoint_of_another, write_target};
use super::training::marker;
use super::{
    Manifest, RunConfig, RunError, RunResult, Target, TrainJob, finished, parse_json, to_json,
};
use crate::base::files::{create_folder, write_atomic};
use crate::genome;
use crate::network::weight_files::to_safetensors;
use crate::network::{Coords, Mask, Picture, compile, kernel};
use crate::score::Fit;
use crate::train::grow::{GrowConfig, GrowState, Grown, Growth, Progress, Stage};
use crate::train::{TrainConfig, TrainObserver, TrainReport};
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;
use std::path::Path;
use std::time::Instant;

/// The state of an unfinished growth.
const GROWTH: &str = "growth.json";

/// A growth that is ready to begin.
#[derive(Clone, Debug)]
pub struct GrowJob {
    /// Its resolved config.
    pub config: RunConfig,
    grow: GrowConfig,
    target: Picture,
}

/// The state of a growth, of which run, and its wall time so far.
#[derive(Serialize, Deserialize)]
struct Saved {
    run: String,
    seconds: f64,
    state: GrowState,
}

impl GrowJob {
    /// Resolves a growth. `train` holds the settings of every stage, but for its steps.
    ///
    /// # Errors
    /// A setting outside its range.
    pub fn new(
        arm: &str,
        target: &Target,
        coords: Coords,
        grow: GrowConfig,
        train: TrainConfig,
    ) -> Result<Self, RunError> {
        let train = TrainConfig { steps: grow.steps, ..train };
        let size = target.picture.width;
        let inputs = pixels(size, coords, target.conditions());
        let first = Growth::new(inputs, target.trained().clone(), grow.clone(), train.clone())?;
        let network = compile(&first.state().own.genome).0;
        let mask = Mask::all(network.weight_count());
        let job = TrainJob::new(arm, target, coords, (network, mask), None, None, train);
        let config = RunConfig { grown: Some(grow.clone()), ..job.config };
        Ok(GrowJob { config, grow, target: target.trained().clone() })
    }
}

/// Grows a job into `folder`, or returns its result if it is done; `stage_done` is told each stage. With `resume` it goes
/// on from the last stage in the folder.
///
/// An interrupted growth returns none, and leaves its finished stages.
///
/// # Errors
/// The folder cannot be written or holds something else, or an unfinished growth without `resume`; the observer says
/// that nothing may be written.
pub fn grow_run(
    folder: &Path,
    job: &GrowJob,
    resume: bool,
    observer: &mut dyn TrainObserver,
    stage_done: &mut dyn FnMut(&GrowState),
) -> Result<Option<RunResult>, RunError> {
    let GrowJob { config, grow, target } = job;
    if let Some(result) = finished(folder, config, resume)? {
        return Ok(Some(result));
    }
    let (path, id) = (folder.join(GROWTH), config.run_id());
    if path.exists() && !resume {
        return Err(RunError::Unfinished(folder.to_path_buf()));
    }
    let inputs = config.inputs();
    let (picture, train) = (target.clone(), config.train.clone());
    let (mut growth, before) = match path.exists() {
        true => {
            let Saved { run, seconds, state } = parse_json(&path)?;
            if run != id {
                return Err(checkpoint_of_another(&path, &id, &run).into());
            }
            (Growth::resume(inputs, picture, grow.clone(), train, state)?, seconds)
        }
        false => (Growth::new(inputs, picture, grow.clone(), train)?, 0.0),
    };
    let taken_over = || RunError::TakenOver(folder.to_path_buf());
    if !observer.may_write() {
        return Err(taken_over());
    }
    marker(config).write(folder)?;
    create_folder(&folder.join("images"))?;
    let text = toml::to_string(config).expect("a config is plain data");
    write_atomic(&folder.join("config.toml"), text.as_bytes())?;
    write_target(folder, target)?;
    let begun = Instant::now();
    loop {
        let progress = growth.stage(observer)?;
        if !observer.may_write() {
            return Err(taken_over());
        }
        if progress == Progress::Interrupted {
            return Ok(None);
        }
        stage_done(growth.state());
        let Grown { genome, stages, .. } = &growth.state().own;
        write_atomic(&folder.join("history.csv"), history(stages).as_bytes())?;
        write_atomic(&folder.join("genome.json"), genome::to_json(genome).as_bytes())?;
        let seconds = before + begun.elapsed().as_secs_f64();
        let saved = Saved { run: id.clone(), seconds, state: growth.state().clone() };
        write_atomic(&path, &serde_json::to_vec(&saved).expect("a state is plain data"))?;
        if let Progress::Done(_) = progress {
            let result = write_result(folder, job, &saved)?;
            let _ = std::fs::remove_file(&path);
            return Ok(Some(result));
        }
    }
}

/// Writes what a finished training run has; `result.json` last.
fn write_result(folder: &Path, job: &GrowJob, saved: &Saved) -> Result<RunResult, RunError> {
    let (config, own) = (&job.config, &saved.state.own);
    let (network, weights) = compile(&own.genome);
    let mask = Mask::all(network.weight_count());
    let inputs = config.inputs();
    let rgb = kernel::render(&network, &weights, &inputs);
    let drawn = Picture { rgb, ..job.target.clone() };
    let fit = Fit::of(&drawn, &job.target);
    let result = RunResult {
        run_id: saved.run.clone(),
        arm: config.arm.clone(),
        kept: mask.kept(),
        links: mask.0.len(),
        train: TrainReport {
            stop: own.stop.expect("it has ended").as_training(),
            steps: own.steps(),
            evaluations: own.stages.iter().map(|stage| stage.evaluations).sum(),
            final_loss: drawn.mse(&job.target),
            collapses: Vec::new(),
            note: None,
            reached: Vec::new(),
        },
        fit,
    };
    let text = [("command", "picloom grow"), ("run", result.run_id.as_str())];
    write_atomic(&folder.join("images/drawn.png"), &drawn.to_png(&text))?;
    write_atomic(&folder.join("images/target.png"), &job.target.to_png(&text))?;
    let plain = serde_json::to_vec(&network).expect("plain data");
    write_atomic(&folder.join("network.json"), &plain)?;
    write_atomic(&folder.join("weights.safetensors"), &to_safetensors(&network, &weights))?;
    write_atomic(&folder.join("mask.json"), &to_json(&MaskFile::of(config, &mask)))?;
    let mut log = Vec::new();
    for line in &own.log {
        log.extend(serde_json::to_vec(line).expect("a log line is plain data"));
        log.push(b'\n');
    }
    write_atomic(&folder.join(LOG), &log)?;
    write_atomic(&folder.join("manifest.json"), &to_json(&Manifest::here(saved.seconds)))?;
    write_atomic(&folder.join("result.json"), &to_json(&result))?;
    Ok(result)
}

/// The stages as a table: what was added where (ids of nodes), its promise, and the network after it.
fn history(stages: &[Stage]) -> String {
    let ids = |list: &[genome::NodeId]| {
        list.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
    };
    let number = |value: Option<f64>| value.map_or(String::new(), |value| value.to_string());
    let mut text =
        String::from("stage,added,from,to,promise,fall,links,units,mse,r2,steps,evaluations\n");
    for (k, stage) in stages.iter().enumerate() {
        let Stage { links, units, loss, r2, steps, evaluations, .. } = stage;
        let (added, from, to) = (stage.added.name(), ids(&stage.from), ids(&stage.to));
        let (promise, fall) = (number(stage.promise), number(stage.fall));
        let _ = writeln!(
            text,
            "{k},{added},{from},{to},{promise},{fall},{links},{units},{loss},{r2},{steps},{evaluations}"
        );
    }
    text
}
