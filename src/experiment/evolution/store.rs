//! The folder of a run: what is appended, what is replaced whole, and how a run goes on.
//!
//! Each generation appends to `metrics.jsonl` and `lineage.jsonl` and then replaces
//! `checkpoint.json` (temporary file, fsync, rename), which says how long the two were and what was in them. A run
//! that died in between is cut back to those lengths, so a resumed run ends in the bytes of one that was never stopped.

use super::config::EvolutionConfig;
use super::job::{EvolutionError, EvolutionJob};
use super::record::GenerationRecord;
use crate::base::files::{
    LARGEST_STATE, WriteError, json_lines, open_log, read_plain, read_text, write_atomic,
};
use crate::base::hash::{hex, sha256_hex};
use crate::base::refusal::Refusal;
use crate::evolve::{Birth, Search};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::borrow::Cow;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

const FORMAT: &str = "picloom-evolution/1";

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Checkpoint<'a> {
    format: Cow<'a, str>,
    config_hash: Cow<'a, str>,
    config: Cow<'a, EvolutionConfig>,
    evaluations: u64,
    metrics: Mark,
    lineage: Mark,
    search: Cow<'a, Search>,
}

/// An open run folder.
pub(super) struct Store<'a> {
    folder: &'a Path,
    config: &'a EvolutionConfig,
    hash: String,
    metrics: Journal,
    lineage: Journal,
}

impl<'a> Store<'a> {
    /// The folder of a run of this job, where its search stands, and the genomes judged: a new folder, or with `resume`
    /// one that is cut back to its checkpoint. A run that ended before its first checkpoint begins anew.
    pub(super) fn open(
        folder: &'a Path,
        job: &'a EvolutionJob,
        resume: bool,
    ) -> Result<(Self, Search, u64), EvolutionError> {
        let (config, path) = (&job.config, folder.join("checkpoint.json"));
        let is_only_begun = || folder.join("config.toml").exists() && !path.exists();
        let found = match resume && !is_only_begun() {
            true => Some(read_checkpoint(&path, job)?),
            false if path.exists() => return Err(EvolutionError::occupied(folder)),
            false => None,
        };
        match &found {
            // The same run may be resumed for more generations or a larger budget: say so in its config.
            Some(_) => config.write(folder)?,
            None => job.begin(folder)?,
        }
        let journal = |name: &str, stood| Journal::open(&folder.join(name), stood);
        let store = Store {
            folder,
            config,
            hash: config.hash(),
            metrics: journal("metrics.jsonl", found.as_ref().map(|found| &found.metrics))?,
            lineage: journal("lineage.jsonl", found.as_ref().map(|found| &found.lineage))?,
        };
        Ok(match found {
            Some(found) => (store, found.search.into_owned(), found.evaluations),
            None => (store, job.search(), 0),
        })
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
        let checkpoint = Checkpoint {
            format: FORMAT.into(),
            config_hash: (&self.hash).into(),
            config: Cow::Borrowed(self.config),
            evaluations,
            metrics: self.metrics.mark(),
            lineage: self.lineage.mark(),
            search: Cow::Borrowed(search),
        };
        let json = serde_json::to_vec(&checkpoint).expect("a state is plain data, all finite");
        write_atomic(&self.folder.join("checkpoint.json"), &json)
    }
}

/// The checkpoint of a run of this job.
fn read_checkpoint(path: &Path, job: &EvolutionJob) -> Result<Checkpoint<'static>, EvolutionError> {
    let config = &job.config;
    let text = read_text(path, LARGEST_STATE)
        .map_err(|e| Refusal::unreadable(path, "a checkpoint", &e))?;
    let found: Checkpoint<'static> = serde_json::from_str(&text)
        .map_err(|e| Refusal::other_text(format!("a {FORMAT} document"), e).in_file(path))?;
    if found.format != FORMAT {
        let found = format!("{:?}", found.format);
        return Err(EvolutionError::file(path, format!("format {FORMAT:?}"), found));
    }
    if found.config_hash != config.hash() {
        return Err(EvolutionError::other_config(path, config, &found.config));
    }
    match found.search.inconsistency(&job.search()) {
        None => Ok(found),
        Some(expected) => Err(Refusal::new(path.display(), expected, "others").as_failure().into()),
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
            let fail = |expected: &str, found: String| EvolutionError::file(path, expected, found);
            let all = read_plain(path, LARGEST_STATE)
                .map_err(|error| Refusal::unreadable(path, "a journal", &error))?;
            let missing = || fail(&format!("at least {bytes} bytes"), all.len().to_string());
            let kept = all.get(..bytes).ok_or_else(missing)?;
            if sha256_hex(kept) != mark.sha256 {
                let expected = "the lines that were there at the checkpoint";
                return Err(fail(expected, "others".into()));
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
        let text = json_lines(lines);
        self.file
            .write_all(text.as_bytes())
            .and_then(|()| self.file.sync_data())
            .map_err(|source| WriteError { path: self.path.clone(), source })?;
        self.bytes += text.len();
        self.hash.update(&text);
        Ok(())
    }
}
