//! Networks as they are kept, opened from wherever that is: run folders, genomes, weights, targets, sweeps
//! that go on.
//!
//! A training run is one folder: content-addressed, atomic, resumable.
//! Its marker (`picloom.json`, see [`folder`](crate::base::folder)) and `config.toml` are written first and `result.json` last: a
//! folder with a result is done and is never computed again. In between, `checkpoint.json` and `metrics.part.jsonl` let it go
//! on to the same bits after any interruption. Wall times are in `manifest.json` and `metrics.jsonl` only.
//!
//! Two workers of a study may train the same run: one that was stopped and overtaken, or two whose cells share it. Each
//! appends to a log of its own and replaces all other files whole. Equal steps give equal files, so it does
//! not matter whose file is the last.

mod job;
mod load;
mod resumable_sweep;
pub mod shipped;
mod source;
mod svg;
mod training;

pub(crate) use job::is_genome_file;
pub use job::{FamilyTarget, PrunedFrom, RunConfig, Target, TrainJob, is_genome, load_target};
pub use load::{LoadedRun, load_checkpoint, load_mask, load_run, mask_from_json, read_metrics};
pub(crate) use load::{load_run_so_far, read_target, read_train_config, write_target};
pub use resumable_sweep::{resumable_sweep, resumable_sweep_until};
pub(crate) use source::SIZE;
pub use source::{LoadOptions, NetworkPath, Source};
pub use svg::read_picture;
pub(crate) use training::constrained_run;
pub(crate) use training::finished;
pub use training::train_run;

use crate::base::files::{LARGEST_CONFIG, LARGEST_STATE, WriteError, read_text};
use crate::base::refusal::Refusal;
use crate::score::Fit;
use crate::train::TrainReport;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// `result.json` of a training run. Equal runs give equal bytes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunResult {
    /// Hash of the config.
    pub run_id: String,
    /// The run's arm, for people.
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
pub(crate) struct Manifest {
    /// Version of this crate.
    pub version: String,
    /// Instruction sets the kernel could choose from.
    pub cpu: Vec<String>,
    /// Worker threads.
    pub threads: usize,
    /// Wall time of training, over all resumptions, in seconds.
    pub seconds: f64,
}

impl Manifest {
    /// Of this process; `seconds` of wall time.
    pub(crate) fn here(seconds: f64) -> Self {
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
    /// The genome of a target cannot be read, or its network cannot be held: a collection goes on without it.
    #[error("{0}")]
    Genome(#[source] Refusal),
    /// A file cannot be read, training cannot begin, or the folder holds something else.
    #[error("{0}")]
    Other(#[from] Refusal),
    /// Another worker has taken the run over: nothing more was written.
    #[error("{0}: another worker has taken this run over")]
    TakenOver(PathBuf),
    /// The folder holds a run that is not finished, and nobody asked to go on with it.
    #[error("{0}: found an unfinished run; expected --resume to go on, or another --out")]
    Unfinished(PathBuf),
}

impl RunError {
    /// A file or folder at `path` is not what it should be.
    pub(crate) fn folder(path: &Path, expected: impl Into<String>, found: impl ToString) -> Self {
        Refusal::new("", expected, found.to_string()).in_file(path).into()
    }

    /// The system does not let us read the file at `path`.
    fn reading(path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        |error| Refusal::unreadable(path, "a file", &error).into()
    }
}

pub(crate) fn parse_json<T: serde::de::DeserializeOwned>(path: &Path) -> Result<T, RunError> {
    let text = read_text(path, LARGEST_STATE).map_err(RunError::reading(path))?;
    json_of(path, &text)
}

/// Parses the text of the file at `path`.
pub(crate) fn json_of<T: serde::de::DeserializeOwned>(
    path: &Path,
    text: &str,
) -> Result<T, RunError> {
    serde_json::from_str(text)
        .map_err(|e| Refusal::other_text("a file of this program", e).in_file(path).into())
}

fn parse_toml<T: serde::de::DeserializeOwned>(path: &Path) -> Result<T, RunError> {
    let text = read_text(path, LARGEST_CONFIG).map_err(RunError::reading(path))?;
    toml::from_str(&text).map_err(|e| {
        Refusal::other_text("a config of this program", e.message()).in_file(path).into()
    })
}
