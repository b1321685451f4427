//! One training run in one folder: content-addressed, atomic, resumable.
//!
//! `config.toml` is written first and `result.json` last: a folder with a result is done and is
//! never computed again. In between, `checkpoint.json` and `metrics.jsonl` let it go on to the
//! same bits after any interruption. Wall times are in `manifest.json` and `metrics.jsonl` only.

use crate::genome::{self, Genome};
use crate::network::files::{WriteError, create_folder, write_atomic};
use crate::network::kernel;
use crate::network::npz::{read_npz, write_npz};
use crate::network::weight_files::{read_weights, to_safetensors};
use crate::network::{
    Arch, Coords, Mask, Network, Picture, PixelInputs, Weights, compile, layerize,
};
use crate::score::Fit;
use crate::train::{
    Constraint, LogLine, Problem, StopReason, TrainConfig, TrainError, TrainObserver, TrainReport,
    TrainState, Trainer,
};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Where a network's links come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Wiring {
    /// The genome's own graph.
    Graph,
    /// The layered twin, only the links that the evolved network uses (its non-zero weights).
    Layerized,
    /// The layered twin, every link.
    Dense,
}

impl std::str::FromStr for Wiring {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "graph" => Ok(Wiring::Graph),
            "layerized" => Ok(Wiring::Layerized),
            "dense" => Ok(Wiring::Dense),
            _ => Err(format!(
                "expected wiring graph, layerized or dense, found {text:?}"
            )),
        }
    }
}

/// The network, the mask and the evolved weights of a genome's wiring.
pub fn resolve_wiring(genome: &Genome, wiring: Wiring) -> (Network, Mask, Weights) {
    if wiring == Wiring::Graph {
        let (network, weights) = compile(genome);
        return (network, Mask::all(weights.0.len()), weights);
    }
    let layered = layerize(genome);
    let mask = match wiring {
        Wiring::Layerized => Mask::non_zero(&layered.weights),
        _ => Mask::all(layered.weights.0.len()),
    };
    (layered.network, mask, layered.weights)
}

/// A picture to draw, and where it came from.
#[derive(Clone, Debug)]
pub struct Target {
    /// The path as given.
    pub name: String,
    /// The picture at the size of the run.
    pub picture: Picture,
}

/// Reads a target: a picture file (resampled to `size`²), or a genome, which is rendered in float.
///
/// # Errors
/// The file is neither.
pub fn load_target(path: &Path, size: usize, coords: Coords) -> Result<Target, RunError> {
    let name = path.display().to_string();
    let picture = match path.extension().and_then(|e| e.to_str()) {
        Some("json" | "xml" | "zip") => {
            let genome = genome::read(path)?;
            let (network, weights) = compile(&genome);
            kernel::picture(&network, &weights, size, coords)
        }
        _ => Picture::read(path)?.resized(size),
    };
    Ok(Target { name, picture })
}

/// The canonical, resolved config of a training run; its hash is the run's id.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunConfig {
    /// What the run is, for people: `graph`, `layerized`, `dense`, `sp`, ….
    pub arm: String,
    /// Path of the target as given.
    pub target: String,
    /// SHA-256 of the target's float pixels.
    pub target_sha256: String,
    /// Side of the picture in pixels.
    pub size: usize,
    /// Coordinate convention.
    pub coords: Coords,
    /// Arch of a layered network; none for a graph (its genome is in the folder).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arch: Option<Arch>,
    /// SHA-256 of topology and mask.
    pub wiring_sha256: String,
    /// SHA-256 of the start weights, if training begins from given ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_sha256: Option<String>,
    /// What the wiring was pruned from, if it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pruned: Option<PrunedFrom>,
    /// Training settings.
    pub train: TrainConfig,
}

/// A round of pruning, as the config of its retraining run keeps it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PrunedFrom {
    /// Id of the dense run.
    pub parent: String,
    /// Round, from 1.
    pub round: usize,
    /// Method and its settings.
    pub method: String,
    /// Threshold or budget.
    pub rule: String,
    /// Where retraining starts.
    pub retrain: String,
    /// Links kept by the rule; the mask of the run holds those of them that are alive.
    pub kept: usize,
}

impl RunConfig {
    /// The first 16 hex digits of the SHA-256 of the canonical JSON of this config.
    pub fn run_id(&self) -> String {
        let json = serde_json::to_string(self).expect("a config is plain data");
        hex(&Sha256::digest(json))[..16].to_string()
    }
}

/// A run that is ready to be trained.
#[derive(Clone, Debug)]
pub struct TrainJob {
    /// Its resolved config.
    pub config: RunConfig,
    /// Network, mask, pixels, target, start.
    pub problem: Problem,
    /// The genome of a graph wiring, kept in the folder so that the run can be loaded.
    pub genome: Option<Genome>,
}

impl TrainJob {
    /// Resolves a job. `genome` is needed for graph wirings only.
    pub fn new(
        arm: &str,
        target: &Target,
        coords: Coords,
        (network, mask): (Network, Mask),
        start: Option<Weights>,
        genome: Option<&Genome>,
        train: TrainConfig,
    ) -> Self {
        let size = target.picture.width;
        let floats = |values: &[f32]| {
            let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
            hex(&Sha256::digest(bytes))
        };
        let mut wiring = Sha256::new();
        for unit in &network.units {
            wiring.update(unit.activation.name());
            wiring.update((unit.links.len() as u64).to_le_bytes());
        }
        for (link, kept) in network.links.iter().zip(&mask.0) {
            wiring.update((link.source as u64).to_le_bytes());
            wiring.update([u8::from(*kept)]);
        }
        let config = RunConfig {
            arm: arm.to_string(),
            target: target.name.clone(),
            target_sha256: floats(&target.picture.rgb),
            size,
            coords,
            arch: network.arch.clone(),
            wiring_sha256: hex(&wiring.finalize()),
            start_sha256: start.as_ref().map(|w| floats(&w.0)),
            pruned: None,
            train,
        };
        let problem = Problem {
            network,
            mask,
            inputs: PixelInputs::full(size, coords),
            target: target.picture.clone(),
            start,
        };
        TrainJob {
            config,
            problem,
            genome: genome.cloned(),
        }
    }
}

/// `result.json` of a training run. Equal runs give equal bytes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunResult {
    /// Hash of the config.
    pub run_id: String,
    /// What the run is.
    pub arm: String,
    /// Links that may be non-zero.
    pub kept: usize,
    /// All links, W.
    pub links: usize,
    /// Why it ended, steps, losses, collapses.
    pub train: TrainReport,
    /// MSE and R² to the target.
    pub fit: Fit,
}

/// `manifest.json`: the circumstances of a run, which do not enter its result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// Version of this crate.
    pub version: String,
    /// Commit it was built from, if known at run time (`PICLOOM_COMMIT`).
    pub commit: Option<String>,
    /// Instruction sets the kernel could choose from.
    pub cpu: Vec<String>,
    /// Worker threads.
    pub threads: usize,
    /// Wall time of training, over all resumptions, in seconds.
    pub seconds: f64,
}

impl Manifest {
    /// Of this process; `seconds` of wall time.
    pub fn here(seconds: f64) -> Self {
        #[cfg(target_arch = "x86_64")]
        let cpu = [
            ("avx512f", is_x86_feature_detected!("avx512f")),
            ("avx2", is_x86_feature_detected!("avx2")),
            ("fma", is_x86_feature_detected!("fma")),
        ]
        .into_iter()
        .filter(|(_, has)| *has)
        .map(|(name, _)| name.to_string())
        .collect();
        #[cfg(not(target_arch = "x86_64"))]
        let cpu = vec![std::env::consts::ARCH.to_string()];
        Manifest {
            version: env!("CARGO_PKG_VERSION").to_string(),
            commit: std::env::var("PICLOOM_COMMIT").ok(),
            cpu,
            threads: rayon::current_num_threads(),
            seconds,
        }
    }
}

/// Why a run could not be made or loaded.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// A file could not be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// A genome could not be read.
    #[error(transparent)]
    Genome(#[from] genome::ReadGenomeError),
    /// A picture could not be read.
    #[error(transparent)]
    Picture(#[from] crate::network::picture::PictureError),
    /// Weights could not be read.
    #[error(transparent)]
    Weights(#[from] crate::network::weight_files::ReadWeightsError),
    /// Training cannot begin.
    #[error(transparent)]
    Train(#[from] TrainError),
    /// A file of the folder is not what it should be.
    #[error("{path}: {problem}")]
    Folder {
        /// The file or folder.
        path: PathBuf,
        /// What was expected, what was found, what to do.
        problem: String,
    },
}

impl RunError {
    pub(super) fn folder(path: &Path, problem: impl Into<String>) -> Self {
        RunError::Folder {
            path: path.to_path_buf(),
            problem: problem.into(),
        }
    }
}

/// The result of the run in `folder` if it is done and of this config.
///
/// # Errors
/// The folder holds a run of another config, or damaged files.
pub fn finished(folder: &Path, config: &RunConfig) -> Result<Option<RunResult>, RunError> {
    let path = folder.join("config.toml");
    if !path.exists() {
        return Ok(None);
    }
    let found: RunConfig = parse_toml(&path)?;
    if found != *config {
        return Err(RunError::folder(
            folder,
            format!(
                "expected run {} (arm {}), found the folder of run {} (arm {}); choose another --out",
                config.run_id(),
                config.arm,
                found.run_id(),
                found.arm
            ),
        ));
    }
    let result = folder.join("result.json");
    if result.exists() {
        parse_json(&result).map(Some)
    } else {
        Ok(None)
    }
}

/// Trains a job into `folder`, or returns its result if it is done.
///
/// With `resume`, goes on from the folder's checkpoint (from the beginning if there is none).
/// An interrupted run returns a result with [`StopReason::Interrupted`] and leaves a checkpoint,
/// but no `result.json`.
///
/// # Errors
/// The folder cannot be written, holds another run, or an unfinished one without `resume`.
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
pub(super) fn constrained_run(
    folder: &Path,
    job: TrainJob,
    constraint: Option<Arc<dyn Constraint>>,
    resume: bool,
    observer: &mut dyn TrainObserver,
) -> Result<RunResult, RunError> {
    if let Some(result) = finished(folder, &job.config)? {
        return Ok(result);
    }
    let checkpoint_path = folder.join("checkpoint.json");
    if checkpoint_path.exists() && !resume {
        return Err(RunError::folder(
            folder,
            "found an unfinished run; expected --resume to go on, or another --out",
        ));
    }
    create_folder(&folder.join("images"))?;
    let config_text = toml::to_string(&job.config).expect("a config is plain data");
    write_atomic(&folder.join("config.toml"), config_text.as_bytes())?;
    if let Some(genome) = &job.genome {
        write_atomic(
            &folder.join("genome.json"),
            genome::to_json(genome).as_bytes(),
        )?;
    }
    let target = &job.problem.target;
    let shape = vec![target.height, target.width, 3];
    write_atomic(
        &folder.join("target.npz"),
        &write_npz(&[("target".into(), shape, target.rgb.clone())]),
    )?;

    if let Some(start) = &job.problem.start {
        write_atomic(
            &folder.join("start.safetensors"),
            &to_safetensors(&job.problem.network, start),
        )?;
    }

    let mut trainer;
    let mut metrics_bytes = 0;
    if checkpoint_path.exists() {
        let checkpoint: Checkpoint = parse_json(&checkpoint_path)?;
        metrics_bytes = checkpoint.metrics_bytes;
        trainer = Trainer::resume(job.problem, job.config.train.clone(), checkpoint.state)?;
    } else {
        trainer = Trainer::new(job.problem, job.config.train.clone())?;
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
    recorder.metrics.sync_all().map_err(|source| WriteError {
        path: folder.join("metrics.jsonl"),
        source,
    })?;
    drop(recorder);

    let (problem, state) = (trainer.problem(), trainer.state());
    let size = job.config.size;
    let (mut mask, mut weights) = (problem.mask.clone(), state.weights.clone());
    if let Some(constraint) = &constraint {
        let (kept, live) = constraint.finish(&weights);
        live.apply(&mut weights);
        mask = live;
        if train.stop != StopReason::Interrupted {
            write_atomic(
                &folder.join("kept.json"),
                &to_json(&MaskFile::of(&job.config, &kept)),
            )?;
        }
    }
    let rgb = kernel::render(&problem.network, &weights, &problem.inputs);
    let drawn = Picture {
        width: size,
        height: size,
        rgb,
    };
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
    let text = [
        ("command", "picloom train"),
        ("run", result.run_id.as_str()),
    ];
    write_atomic(&folder.join("images/drawn.png"), &drawn.to_png(&text))?;
    write_atomic(
        &folder.join("images/target.png"),
        &problem.target.to_png(&text),
    )?;
    write_atomic(
        &folder.join("weights.safetensors"),
        &to_safetensors(&problem.network, &weights),
    )?;
    write_atomic(
        &folder.join("mask.json"),
        &to_json(&MaskFile::of(&job.config, &mask)),
    )?;
    write_atomic(
        &folder.join("manifest.json"),
        &to_json(&Manifest::here(state.seconds)),
    )?;
    write_atomic(&folder.join("result.json"), &to_json(&result))?;
    let _ = std::fs::remove_file(&checkpoint_path);
    Ok(result)
}

/// `mask.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct MaskFile {
    format: String,
    arch: Option<Arch>,
    links: usize,
    kept: Vec<usize>,
}

impl MaskFile {
    fn of(config: &RunConfig, mask: &Mask) -> Self {
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
    let file: MaskFile = parse_json(path)?;
    let arch = |a: &Option<Arch>| {
        a.as_ref()
            .map_or("a graph".to_string(), ToString::to_string)
    };
    if file.arch != network.arch || file.links != network.weight_count() {
        return Err(RunError::folder(
            path,
            format!(
                "expected a mask of {} ({} links), found one of {} ({} links)",
                arch(&network.arch),
                network.weight_count(),
                arch(&file.arch),
                file.links
            ),
        ));
    }
    let mut mask = Mask(vec![false; file.links]);
    for i in file.kept {
        *mask.0.get_mut(i).ok_or_else(|| {
            RunError::folder(
                path,
                format!("expected link numbers below {}, found {i}", file.links),
            )
        })? = true;
    }
    Ok(mask)
}

/// A finished run read back from its folder.
#[derive(Clone, Debug)]
pub struct LoadedRun {
    /// Its config.
    pub config: RunConfig,
    /// Its result.
    pub result: RunResult,
    /// Its network.
    pub network: Network,
    /// Its mask.
    pub mask: Mask,
    /// Its trained weights.
    pub weights: Weights,
    /// The weights its training began from, where they were given (none: drawn from its seed).
    pub start: Option<Weights>,
    /// Its target, in float.
    pub target: Picture,
    /// The genome of a graph wiring.
    pub genome: Option<Genome>,
}

/// Loads a finished run.
///
/// # Errors
/// The folder is no finished run, or its files do not fit together.
pub fn load_run(folder: &Path) -> Result<LoadedRun, RunError> {
    let config_path = folder.join("config.toml");
    if !config_path.exists() {
        return Err(RunError::folder(
            folder,
            "expected a run folder with a config.toml, found none",
        ));
    }
    let config: RunConfig = parse_toml(&config_path)?;
    if !folder.join("result.json").exists() {
        return Err(RunError::folder(
            folder,
            "expected a finished run, found one without result.json; finish it with --resume",
        ));
    }
    let result = parse_json(&folder.join("result.json"))?;
    let genome_path = folder.join("genome.json");
    let genome = if genome_path.exists() {
        Some(genome::read(&genome_path)?)
    } else {
        None
    };
    let network = match (&config.arch, &genome) {
        (Some(arch), _) => arch.network(),
        (None, Some(genome)) => compile(genome).0,
        (None, None) => {
            return Err(RunError::folder(
                folder,
                "expected an arch in config.toml or a genome.json, found neither",
            ));
        }
    };
    let weights_path = folder.join("weights.safetensors");
    if !weights_path.exists() {
        return Err(RunError::folder(
            &weights_path,
            "expected the weights of a finished run, found no such file",
        ));
    }
    let weights = read_weights(&weights_path, &network)?;
    let mask = load_mask(&folder.join("mask.json"), &network)?;
    let start_path = folder.join("start.safetensors");
    let start = match start_path.exists() {
        true => Some(read_weights(&start_path, &network)?),
        false => None,
    };
    let target_path = folder.join("target.npz");
    let bytes = std::fs::read(&target_path)
        .map_err(|e| RunError::folder(&target_path, format!("cannot read target: {e}")))?;
    let arrays = read_npz(&bytes).map_err(|e| RunError::folder(&target_path, e.to_string()))?;
    let target = arrays
        .get("target")
        .filter(|a| a.shape == [config.size, config.size, 3])
        .ok_or_else(|| {
            RunError::folder(
                &target_path,
                format!(
                    "expected array \"target\" of shape ({0}, {0}, 3)",
                    config.size
                ),
            )
        })?;
    let target = Picture {
        width: config.size,
        height: config.size,
        rgb: target.values.iter().map(|&v| v as f32).collect(),
    };
    Ok(LoadedRun {
        config,
        result,
        network,
        mask,
        weights,
        start,
        target,
        genome,
    })
}

/// The logged steps of a run.
///
/// # Errors
/// There is no `metrics.jsonl`, or a line of it is damaged.
pub fn read_metrics(folder: &Path) -> Result<Vec<LogLine>, RunError> {
    let path = folder.join("metrics.jsonl");
    let text = std::fs::read_to_string(&path)
        .map_err(|e| RunError::folder(&path, format!("cannot read: {e}")))?;
    text.lines()
        .enumerate()
        .map(|(i, line)| {
            serde_json::from_str(line).map_err(|e| {
                RunError::folder(
                    &path,
                    format!("line {}: expected a logged step, found: {e}", i + 1),
                )
            })
        })
        .collect()
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
        let opened = (|| {
            let mut file = std::fs::OpenOptions::new()
                .create(true)
                .truncate(false)
                .write(true)
                .open(&path)?;
            file.set_len(metrics_bytes)?;
            std::io::Seek::seek(&mut file, std::io::SeekFrom::End(0))?;
            Ok(file)
        })();
        let metrics = opened.map_err(|source| WriteError { path, source })?;
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
        self.metrics
            .sync_all()
            .map_err(|source| WriteError { path, source })?;
        let checkpoint = Checkpoint {
            metrics_bytes: self.metrics_bytes,
            state: state.clone(),
        };
        let json = serde_json::to_vec(&checkpoint).expect("a state is plain data");
        write_atomic(&self.folder.join("checkpoint.json"), &json)
    }
}

impl TrainObserver for Recorder<'_> {
    fn logged(&mut self, line: &LogLine) {
        let mut json = serde_json::to_vec(line).expect("a log line is plain data");
        json.push(b'\n');
        if let Err(source) = self.metrics.write_all(&json) {
            self.failure.get_or_insert(WriteError {
                path: self.folder.join("metrics.jsonl"),
                source,
            });
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

fn to_json(value: &impl Serialize) -> Vec<u8> {
    let mut json = serde_json::to_vec_pretty(value).expect("records are plain data");
    json.push(b'\n');
    json
}

pub(super) fn parse_json<T: serde::de::DeserializeOwned>(path: &Path) -> Result<T, RunError> {
    let text = std::fs::read_to_string(path)
        .map_err(|e| RunError::folder(path, format!("cannot read: {e}")))?;
    serde_json::from_str(&text)
        .map_err(|e| RunError::folder(path, format!("expected a file of this program, found: {e}")))
}

fn parse_toml<T: serde::de::DeserializeOwned>(path: &Path) -> Result<T, RunError> {
    let text = std::fs::read_to_string(path)
        .map_err(|e| RunError::folder(path, format!("cannot read: {e}")))?;
    toml::from_str(&text).map_err(|e| {
        RunError::folder(
            path,
            format!("expected a config of this program, found: {}", e.message()),
        )
    })
}

pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}
