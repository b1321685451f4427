//! Reads what a run's folder holds: the finished run, a mask, the logged steps.

use super::{RunConfig, RunError, RunResult, is_genome, json_of, parse_json, parse_toml};
use crate::base::files::{
    LARGEST_STATE, WriteError, of_json_lines, read_plain, read_text, write_atomic,
};
use crate::base::folder::{FolderKind, Marker};
use crate::base::names::did_you_mean;
use crate::base::refusal::Refusal;
use crate::genome::{self, BUILTIN, Genome};
use crate::network::kernel::render;
use crate::network::npz::{read_npz, write_npz};
use crate::network::weight_files::read_weights;
use crate::network::{Arch, Mask, Model, Network, Picture, Weights, compile};
use crate::score::Fit;
use crate::train::{LogLine, StopReason, TrainConfig, TrainReport, TrainState};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Largest `target.npz` that is read, in bytes: a target of 4096² pixels, and some.
const LARGEST_TARGET: u64 = 256 << 20;

/// `mask.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MaskFile {
    format: String,
    arch: Option<Arch>,
    links: usize,
    kept: Vec<usize>,
}

impl MaskFile {
    pub(super) fn of(config: &RunConfig, mask: &Mask) -> Self {
        let kept = (0..mask.0.len()).filter(|&i| mask.0[i]).collect();
        MaskFile {
            format: "picloom-mask/1".into(),
            arch: config.arch.clone(),
            links: mask.0.len(),
            kept,
        }
    }
}

/// Reads a mask file for `network`.
///
/// # Errors
/// Not a mask, or one of another arch.
pub fn load_mask(path: &Path, network: &Network) -> Result<Mask, RunError> {
    mask_of(parse_json(path)?, path, network)
}

/// The mask for `network` in the text of a mask file; errors name it `path`.
///
/// # Errors
/// As [`load_mask`].
pub fn mask_from_json(text: &str, path: &Path, network: &Network) -> Result<Mask, RunError> {
    mask_of(json_of(path, text)?, path, network)
}

fn mask_of(file: MaskFile, path: &Path, network: &Network) -> Result<Mask, RunError> {
    let arch = |a: &Option<Arch>| a.as_ref().map_or("a graph".to_string(), ToString::to_string);
    if file.arch != network.arch || file.links != network.weight_count() {
        let (of, links) = (arch(&network.arch), network.weight_count());
        let found = format!("one of {} ({} links)", arch(&file.arch), file.links);
        return Err(RunError::folder(path, format!("a mask of {of} ({links} links)"), found));
    }
    let mut mask = Mask(vec![false; file.links]);
    for i in file.kept {
        *mask.0.get_mut(i).ok_or_else(|| {
            RunError::folder(path, format!("link numbers below {}", file.links), i)
        })? = true;
    }
    Ok(mask)
}

/// Training settings from a TOML file: keys of [`TrainConfig`], alone or as `[train]` in the
/// `config.toml` of a run. Keys that are not there have their defaults.
///
/// # Errors
/// Not readable, no TOML, unknown keys, values of the wrong type.
pub(crate) fn read_train_config(path: &Path) -> Result<TrainConfig, RunError> {
    let mut table: toml::Table = parse_toml(path)?;
    let settings = table.remove("train").unwrap_or(toml::Value::Table(table));
    TrainConfig::deserialize(settings).map_err(|e| {
        let error = e.to_string().trim().replace('\n', " ");
        Refusal::other_text("training settings", error).in_file(path).into()
    })
}

/// A run read back from its folder.
#[derive(Clone, Debug)]
pub struct LoadedRun {
    /// Its config.
    pub config: RunConfig,
    /// Its result.
    pub result: RunResult,
    /// Its network, the links that may be non-zero, and the trained weights.
    pub model: Model,
    /// The weights its training began from, where they were given (none: drawn from its seed).
    pub start: Option<Weights>,
    /// Its target, in float.
    pub target: Picture,
    /// The genome of a graph wiring.
    pub genome: Option<Genome>,
    /// The genome that draws its target.
    pub evolved: Option<Genome>,
}

/// Loads a finished run.
///
/// # Errors
/// The folder is no finished run, or its files do not fit together.
pub fn load_run(folder: &Path) -> Result<LoadedRun, RunError> {
    load(folder, false)
}

/// Loads a run; one that is not finished as its checkpoint has it: its result then says that it was interrupted, and after
/// how many steps.
///
/// # Errors
/// The folder is no run, or has neither a result nor a checkpoint, or its files do not fit together.
pub(crate) fn load_run_so_far(folder: &Path) -> Result<LoadedRun, RunError> {
    load(folder, true)
}

/// Refuses what is no folder of a run, and says what it is.
fn ensure_run(folder: &Path) -> Result<(), Refusal> {
    let kind = FolderKind::of(folder);
    if kind.is_some_and(FolderKind::is_run) {
        return Ok(());
    }
    let (found, advice) = match kind {
        _ if is_genome(folder) => ("a genome".into(), "train it first: picloom train --genome"),
        Some(kind) => (kind.says().to_string(), ""),
        None if folder.is_dir() => ("a folder without one".into(), ""),
        None if folder.exists() => ("a file".into(), ""),
        None => {
            let name = folder.to_string_lossy();
            let hint = did_you_mean(&name, BUILTIN.iter().map(|(name, _)| *name));
            (format!("no folder of this name{hint}"), "")
        }
    };
    let expected = "the folder of a run, as train and prune write one";
    Err(Refusal::new(folder.display(), expected, found).advising(advice).as_failure())
}

fn load(folder: &Path, so_far: bool) -> Result<LoadedRun, RunError> {
    ensure_run(folder)?;
    let config: RunConfig = parse_toml(&folder.join("config.toml"))?;
    let is_finished = folder.join("result.json").exists();
    if !(is_finished || so_far && folder.join(CHECKPOINT).exists()) {
        let refusal = Refusal::new("", "a finished run", "one without result.json");
        return Err(refusal.advising("finish it with --resume").in_file(folder).into());
    }
    let (network, genome) = network_of(folder, &config)?;
    let fits = |z: &Vec<f64>| z.len() == network.factors() && z.iter().all(|v| v.abs() <= 1.0);
    if let Some(found) = config.conditions.iter().find(|z| !fits(z)) {
        let factors = network.factors();
        let expected =
            format!("conditions of {factors} numbers in [-1, 1], one a factor of the network");
        let path = folder.join("config.toml");
        return Err(RunError::folder(&path, expected, format!("{found:?}")));
    }
    let weights_path = folder.join("weights.safetensors");
    if is_finished && !weights_path.exists() {
        let expected = "the weights of a finished run";
        return Err(RunError::folder(&weights_path, expected, "no such file"));
    }
    let mask_path = folder.join("mask.json");
    let target = read_target(folder, config.size, config.conditions.len().max(1))?;
    let (weights, mask, result) = if is_finished {
        let weights = read_weights(&weights_path, &network)?;
        let result = parse_json(&folder.join("result.json"))?;
        (weights, load_mask(&mask_path, &network)?, result)
    } else {
        let state = state_of(folder, &network)?;
        // A training that chooses its own links has no mask yet.
        let mask = match mask_path.exists() {
            true => load_mask(&mask_path, &network)?,
            false => Mask::non_zero(&state.weights),
        };
        let inputs = config.inputs();
        let rgb = render(&network, &state.weights, &inputs);
        let drawn = Picture { rgb, ..target.clone() };
        let result = RunResult {
            run_id: config.run_id(),
            arm: config.arm.clone(),
            kept: mask.kept(),
            links: mask.0.len(),
            train: TrainReport {
                stop: StopReason::Interrupted,
                steps: state.step,
                evaluations: state.evaluations,
                final_loss: drawn.mse(&target),
                collapses: state.collapses,
                note: None,
                reached: state.reached,
            },
            fit: Fit::of(&drawn, &target),
        };
        (state.weights, mask, result)
    };
    let start_path = folder.join("start.safetensors");
    let start = if start_path.exists() { Some(read_weights(&start_path, &network)?) } else { None };
    let model = Model { network, mask, weights };
    let evolved = folder.join(EVOLVED);
    let evolved = if evolved.exists() { Some(genome::read(&evolved)?) } else { None };
    Ok(LoadedRun { config, result, model, start, target, genome, evolved })
}

/// A network where its factors have these values; errors name it `name`.
///
/// # Errors
/// Another number of values than factors.
pub(super) fn under(name: &str, model: &Model, z: &[f64]) -> Result<Model, Refusal> {
    let factors = model.network.factors();
    let expected = match factors {
        0 => "no values, for the network has no factors".to_string(),
        _ => format!("{factors} values, one a factor"),
    };
    Refusal::unless(z.len() == factors, format!("{name}, at"), expected, z.len())?;
    Ok(model.at(z))
}

/// Name of the file of the genome that draws a run's target.
pub(super) const EVOLVED: &str = "evolved.json";

/// Name of the file of a run's target.
const TARGET: &str = "target.npz";

/// Writes what a run in `folder` is to draw, in float.
pub(crate) fn write_target(folder: &Path, target: &Picture) -> Result<(), WriteError> {
    let shape = vec![target.height, target.width, 3];
    let bytes = write_npz(&[("target".into(), shape, target.rgb.clone())]);
    write_atomic(&folder.join(TARGET), &bytes)
}

/// Reads the target of the run in `folder`, at its size: `pictures` pictures, one below the other.
///
/// # Errors
/// If there is no such file, or it is damaged or of another size.
pub(crate) fn read_target(
    folder: &Path,
    size: usize,
    pictures: usize,
) -> Result<Picture, RunError> {
    let (path, height) = (folder.join(TARGET), pictures * size);
    let bytes = read_plain(&path, LARGEST_TARGET).map_err(RunError::reading(&path))?;
    let arrays = read_npz(&bytes).map_err(|refusal| refusal.in_file(&path))?;
    let target =
        arrays.get("target").filter(|a| a.shape == [height, size, 3]).ok_or_else(|| {
            let expected = format!("array \"target\" of shape ({height}, {size}, 3)");
            RunError::folder(&path, expected, "none")
        })?;
    let rgb = target.values.iter().map(|&v| v as f32).collect();
    Ok(Picture { width: size, height, rgb })
}

/// The network of a run, and the genome of a graph wiring.
fn network_of(folder: &Path, config: &RunConfig) -> Result<(Network, Option<Genome>), RunError> {
    let path = folder.join("genome.json");
    let genome = if path.exists() { Some(genome::read(&path)?) } else { None };
    let network = match (&config.arch, &genome) {
        (Some(arch), _) => arch.network(),
        (None, Some(genome)) => compile(genome).0,
        (None, None) => {
            let expected = "an arch in config.toml or a genome.json";
            return Err(RunError::folder(folder, expected, "neither"));
        }
    };
    Ok((network, genome))
}

/// The network of an unfinished run as its checkpoint has it, with the run's config.
///
/// # Errors
/// There is no checkpoint, or the folder's files do not fit together.
pub fn load_checkpoint(folder: &Path) -> Result<(Model, RunConfig), RunError> {
    let config: RunConfig = parse_toml(&folder.join("config.toml"))?;
    let (network, _) = network_of(folder, &config)?;
    let weights = state_of(folder, &network)?.weights;
    Ok((Model::new(network, weights), config))
}

/// Refuses the checkpoint at `path`, which is not that of the run with this id.
pub(super) fn checkpoint_of_another(path: &Path, id: &str, found: &str) -> Refusal {
    let (expected, found) = (format!("a checkpoint of run {id}"), format!("one of run {found}"));
    Refusal::new(path.display(), expected, found).as_failure()
}

/// Name of the file of a run's state: of an unfinished one, and of one that keeps its last.
pub(super) const CHECKPOINT: &str = "checkpoint.json";

/// A run's state.
#[derive(Deserialize)]
pub(super) struct Checkpoint {
    /// Id of the run whose state it is.
    pub run: String,
    /// Steps of that run.
    pub steps: u64,
    /// The state.
    pub state: TrainState,
}

/// The state of the run in a folder, which is of the run that the folder's marker names or of its beginning.
fn state_of(folder: &Path, network: &Network) -> Result<TrainState, RunError> {
    let config: RunConfig = parse_toml(&folder.join("config.toml"))?;
    let path = folder.join(CHECKPOINT);
    let Checkpoint { run, steps, state } = parse_json(&path)?;
    let id = Marker::read(folder).and_then(|marker| marker.id).unwrap_or_default();
    if run != id && run != config.with_steps(steps).run_id() {
        return Err(checkpoint_of_another(&path, &id, &run).into());
    }
    let (found, expected) = (state.weights.0.len(), network.weight_count());
    if found != expected {
        return Err(RunError::folder(&path, format!("{expected} weights"), found));
    }
    Ok(state)
}

/// Name of the file of the weights that first reached an R².
pub(super) fn reached_file(level: f64) -> String {
    format!("reached-{level}.safetensors")
}

impl LoadedRun {
    /// A network of one picture, and the picture. Of a conditional network that where its factors are `z`, by default the
    /// first condition it was trained under; no picture where `z` is none of its conditions.
    ///
    /// # Errors
    /// Another number of values than factors.
    pub fn shown_at(&self, z: Option<&[f64]>) -> Result<(Model, Option<Picture>), Refusal> {
        let conditions = &self.config.conditions;
        let Some(z) = z.or(conditions.first().map(Vec::as_slice)) else {
            return Ok((self.model.clone(), Some(self.target.clone())));
        };
        let model = under(&self.config.target, &self.model, z)?;
        let place = conditions.iter().position(|own| own == z);
        Ok((model, place.map(|i| self.target.stacked(i))))
    }

    /// The network when its training in `folder` first reached this R²; `None` if it never did.
    ///
    /// # Errors
    /// If the weights' file cannot be read.
    pub(crate) fn reached(&self, folder: &Path, level: f64) -> Result<Option<Model>, RunError> {
        if !self.result.train.reached.iter().any(|reached| reached.level == level) {
            return Ok(None);
        }
        let weights = read_weights(&folder.join(reached_file(level)), &self.model.network)?;
        Ok(Some(Model { weights, ..self.model.clone() }))
    }
}

/// Name of the file of a finished run's logged steps.
pub(super) const LOG: &str = "metrics.jsonl";

/// Name of the file of an unfinished run's logged steps.
pub(super) const PART: &str = "metrics.part.jsonl";

/// The logged steps of a run, of an unfinished one those so far.
///
/// # Errors
/// There is no `metrics.jsonl` and no `metrics.part.jsonl`, or a line is damaged.
pub fn read_metrics(folder: &Path) -> Result<Vec<LogLine>, RunError> {
    ensure_run(folder)?;
    let [whole, part] = [LOG, PART].map(|name| folder.join(name));
    let path = if !whole.exists() && part.exists() { part } else { whole };
    let text = read_text(&path, LARGEST_STATE).map_err(RunError::reading(&path))?;
    Ok(of_json_lines(&text, "a logged step").map_err(|refusal| refusal.in_file(&path))?)
}
