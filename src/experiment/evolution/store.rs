//! The folder of a run: what is appended, what is replaced whole, and how a run goes on.
//!
//! Each generation appends to `metrics.jsonl` and `lineage.jsonl` and then replaces
//! `checkpoint.json` (temporary file, fsync, rename), which says how long the two were and what was in them. A run
//! that died in between is cut back to those lengths, so a resumed run ends in the bytes of one that was never stopped.

use super::config::{EvolutionConfig, SearchKind};
use super::job::{EvolutionError, EvolutionJob};
use super::record::GenerationRecord;
use crate::base::files::{
    LARGEST_STATE, WriteError, open_log, read_plain, read_text, write_atomic,
};
use crate::base::hash::{hex, sha256_hex};
use crate::base::refusal::Refusal;
use crate::evolve::{Birth, Search};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

const FORMAT: &str = "picloom-evolution/1";

#[derive(Serialize)]
struct CheckpointOut<'a> {
    format: &'a str,
    config_hash: &'a str,
    config: &'a EvolutionConfig,
    evaluations: u64,
    metrics: Mark,
    lineage: Mark,
    search: &'a Search,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CheckpointIn {
    format: String,
    config_hash: String,
    config: EvolutionConfig,
    evaluations: u64,
    metrics: Mark,
    lineage: Mark,
    search: Search,
}

/// An open run folder.
#[derive(Debug)]
pub(super) struct Store {
    folder: PathBuf,
    config: EvolutionConfig,
    hash: String,
    metrics: Journal,
    lineage: Journal,
}

impl Store {
    /// True if the run in `folder` ended before its first checkpoint.
    pub(super) fn is_only_begun(folder: &Path) -> bool {
        folder.join("config.toml").exists() && !folder.join("checkpoint.json").exists()
    }

    /// A new folder; refused if it holds a run.
    pub(super) fn create(folder: &Path, job: &EvolutionJob) -> Result<Self, EvolutionError> {
        let config = &job.config;
        let checkpoint = folder.join("checkpoint.json");
        if checkpoint.exists() {
            return Err(EvolutionError::Occupied { path: checkpoint });
        }
        job.begin(folder)?;
        Ok(Store {
            folder: folder.to_path_buf(),
            config: config.clone(),
            hash: config.hash(),
            metrics: Journal::open(&folder.join("metrics.jsonl"), None)?,
            lineage: Journal::open(&folder.join("lineage.jsonl"), None)?,
        })
    }

    /// The folder of a run of this config, cut back to its checkpoint, and where it stood.
    pub(super) fn resume(
        folder: &Path,
        config: &EvolutionConfig,
    ) -> Result<(Self, Search, u64), EvolutionError> {
        let path = folder.join("checkpoint.json");
        let unreadable =
            |problem: String| EvolutionError::Checkpoint { path: path.clone(), problem };
        let text = read_text(&path, LARGEST_STATE)
            .map_err(|e| unreadable(format!("cannot read checkpoint: {e}")))?;
        let found: CheckpointIn = serde_json::from_str(&text)
            .map_err(|e| unreadable(format!("expected a {FORMAT} document, found: {e}")))?;
        if found.format != FORMAT {
            return Err(unreadable(format!(
                "expected format {FORMAT:?}, found {:?}",
                found.format
            )));
        }
        let hash = config.hash();
        if found.config_hash != hash {
            return Err(EvolutionError::OtherConfig {
                path,
                difference: difference(config, &found.config),
            });
        }
        let is_kind = match &found.search {
            Search::Target(_) => config.search == SearchKind::Target,
            Search::Novelty(_) => config.search == SearchKind::Novelty,
            Search::MapElites(s) => {
                config.search == SearchKind::MapElites && s.axes() == config.map_elites.axes
            }
        };
        let other = (!is_kind).then_some("the kind of search of its config");
        if let Some(expected) = other.or_else(|| found.search.flaw(&config.evolve, config.seed)) {
            return Err(Refusal::new(path.display(), expected, "others").as_failure().into());
        }
        // The same run may be resumed for more generations or a larger budget: say so in its config.
        let text = toml::to_string(config).expect("a config is plain data");
        write_atomic(&folder.join("config.toml"), text.as_bytes())?;
        let store = Store {
            folder: folder.to_path_buf(),
            config: config.clone(),
            hash,
            metrics: Journal::open(&folder.join("metrics.jsonl"), Some(&found.metrics))?,
            lineage: Journal::open(&folder.join("lineage.jsonl"), Some(&found.lineage))?,
        };
        Ok((store, found.search, found.evaluations))
    }

    /// Adds a generation and replaces the checkpoint. On failure the old checkpoint stands.
    pub(super) fn save(
        &mut self,
        record: &GenerationRecord,
        births: &[Birth],
        search: &Search,
        evaluations: u64,
    ) -> Result<(), WriteError> {
        self.metrics.append(&[record])?;
        self.lineage.append(births)?;
        let checkpoint = CheckpointOut {
            format: FORMAT,
            config_hash: &self.hash,
            config: &self.config,
            evaluations,
            metrics: self.metrics.mark(),
            lineage: self.lineage.mark(),
            search,
        };
        let json = serde_json::to_vec(&checkpoint).expect("a state is plain data, all finite");
        write_atomic(&self.folder.join("checkpoint.json"), &json)
    }
}

/// How a journal stood at a checkpoint.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Mark {
    bytes: usize,
    sha256: String,
}

/// A file that only grows, with one JSON document a line.
#[derive(Debug)]
struct Journal {
    path: PathBuf,
    file: File,
    bytes: usize,
    /// Hash of these bytes.
    hash: Sha256,
}

impl Journal {
    /// Opens or creates the file and cuts it back to where it stood at a checkpoint; without one, to nothing.
    fn open(path: &Path, stood: Option<&Mark>) -> Result<Self, EvolutionError> {
        let mut hash = Sha256::new();
        let bytes = stood.map_or(0, |mark| mark.bytes);
        if let Some(mark) = stood {
            let fail =
                |problem: String| EvolutionError::Checkpoint { path: path.to_path_buf(), problem };
            let all = read_plain(path, LARGEST_STATE).map_err(|error| fail(error.to_string()))?;
            let missing = format!("expected at least {bytes} bytes, found {}", all.len());
            let kept = all.get(..bytes).ok_or_else(|| fail(missing + ": lines are missing"))?;
            if sha256_hex(kept) != mark.sha256 {
                let expected = "expected the lines that were there at the checkpoint, found others";
                return Err(fail(expected.into()));
            }
            hash.update(kept);
        }
        let fail = |source| WriteError { path: path.to_path_buf(), source };
        let file = open_log(path, bytes as u64).map_err(fail)?;
        Ok(Journal { path: path.to_path_buf(), file, bytes, hash })
    }

    fn mark(&self) -> Mark {
        Mark { bytes: self.bytes, sha256: hex(&self.hash.clone().finalize()) }
    }

    fn append<T: Serialize>(&mut self, lines: &[T]) -> Result<(), WriteError> {
        let mut text = String::new();
        for line in lines {
            text += &serde_json::to_string(line).expect("records are plain data, all finite");
            text.push('\n');
        }
        self.file
            .write_all(text.as_bytes())
            .and_then(|()| self.file.sync_data())
            .map_err(|source| WriteError { path: self.path.clone(), source })?;
        self.bytes += text.len();
        self.hash.update(&text);
        Ok(())
    }
}

/// The first key in which two configs differ, as "key: expected …, found …".
pub(super) fn difference(ours: &EvolutionConfig, theirs: &EvolutionConfig) -> String {
    let table = |c: &EvolutionConfig| {
        let mut c = c.clone();
        c.generations = 1;
        c.budget = None;
        toml::Table::try_from(c).expect("a config is plain data")
    };
    first_difference("", &table(ours), &table(theirs))
        .unwrap_or_else(|| "made by another version".to_string())
}

/// The first key in which two tables differ, as "key: expected …, found …".
pub(super) fn first_difference(
    prefix: &str,
    ours: &toml::Table,
    theirs: &toml::Table,
) -> Option<String> {
    let keys: std::collections::BTreeSet<&String> = ours.keys().chain(theirs.keys()).collect();
    for key in keys {
        let name = format!("{prefix}{key}");
        match (ours.get(key), theirs.get(key)) {
            (Some(toml::Value::Table(a)), Some(toml::Value::Table(b))) => {
                if let Some(found) = first_difference(&format!("{name}."), a, b) {
                    return Some(found);
                }
            }
            (a, b) if a != b => {
                let text = |v: Option<&toml::Value>| match v {
                    Some(v) => v.to_string(),
                    None => "nothing".to_string(),
                };
                return Some(format!("{name}: expected {}, found {}", text(a), text(b)));
            }
            _ => {}
        }
    }
    None
}
