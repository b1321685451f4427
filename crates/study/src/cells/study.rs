//! The trait of a study of cells, and the files of a cell.

use crate::record::{Record, RecordError};
use crate::workers::Ask;
use picloom_base::files::{
    LARGEST_CONFIG, LARGEST_STATE, WriteError, create_folder, read_plain, read_text, write_atomic,
};
use picloom_base::folder::FolderKind;
use picloom_base::hash::{canonical_json, short_id};
use picloom_base::refusal::Refusal;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// A study that is a list of cells.
pub trait CellStudy: Sync {
    /// The resolved config of a cell: all that its outcome depends on.
    type Cell: Serialize + Clone + Sync;
    /// The outcome of a cell. Equal cells have equal bytes.
    type Outcome: Serialize + DeserializeOwned + Send;
    /// The source of the figures.
    type Record: Record;

    /// The name of cells, for people.
    const CELLS: &'static str = "cells";

    /// Name of the study: its folder under `runs/` and `figures/`.
    fn name(&self) -> &str;

    /// The profile.
    fn profile(&self) -> &str;

    /// The number of cells.
    fn count(&self) -> usize;

    /// Targets of its spec that have no cells, each with the reason.
    fn left_out(&self) -> &[String] {
        &[]
    }

    /// The cell of a number below [`count`](Self::count). The same cell may be there twice; it is
    /// computed once.
    fn cell(&self, number: usize) -> Cow<'_, Self::Cell>;

    /// The cells, in order.
    fn cells(&self) -> impl Iterator<Item = Cow<'_, Self::Cell>> {
        (0..self.count()).map(|number| self.cell(number))
    }

    /// Name of a cell's files: a hash of its config.
    fn id(&self, cell: &Self::Cell) -> String {
        hashed_id::<Self::Record>(cell)
    }

    /// A cell in a few words, for people.
    fn label(&self, cell: &Self::Cell) -> String;

    /// About how long a cell takes, in seconds of one core.
    fn cost(&self, _cell: &Self::Cell) -> f64 {
        1.0
    }

    /// What a cell that is not finished has left to do in the study's `folder`: networks to train (or 1), and about how
    /// long it takes in seconds of one core. Default: all of it.
    fn left(&self, cell: &Self::Cell, _folder: &Path) -> (usize, f64) {
        (1, self.cost(cell))
    }

    /// Cells worked on at a time, at most; each has its share of the threads.
    fn at_a_time(&self) -> usize {
        usize::MAX
    }

    /// Computes a cell; `None` if `ask` said no. `folder` is the study's: what is in progress goes
    /// to `work_folder`.
    ///
    /// # Errors
    /// Why it has no outcome, in words.
    fn compute(
        &self,
        cell: &Self::Cell,
        folder: &Path,
        ask: Ask<'_>,
    ) -> Result<Option<Self::Outcome>, String>;

    /// Why an outcome is not whole: the cell is tried again by the next run, and what it has stands
    /// in the record until then.
    fn flaw(&self, _outcome: &Self::Outcome) -> Option<String> {
        None
    }

    /// Refuses an outcome that this cell cannot have: its file is damaged, or holds another cell's.
    /// Default: accepts all.
    ///
    /// # Errors
    /// If it does, with a description of the outcome that was found.
    fn check_outcome(&self, _cell: &Self::Cell, _outcome: &Self::Outcome) -> Result<(), String> {
        Ok(())
    }

    /// The state of a cell in the study's `folder`. Default: what its file says.
    ///
    /// # Errors
    /// Its file is damaged or of another config.
    fn state(
        &self,
        cell: &Self::Cell,
        folder: &Path,
    ) -> Result<CellState<Self::Outcome>, RecordError> {
        read_cell(self, cell, folder)
    }

    /// Keeps what a cell left. Default: in its file.
    ///
    /// # Errors
    /// The file cannot be written.
    fn keep(
        &self,
        cell: &Self::Cell,
        outcome: Self::Outcome,
        folder: &Path,
    ) -> Result<(), WriteError> {
        write_cell::<Self>(cell, outcome, &cell_path(folder, &self.id(cell)))
    }

    /// The record, from one outcome (or error) a cell, in the order of [`cells`](Self::cells).
    fn record(&self, outcomes: Vec<Result<Self::Outcome, String>>) -> Self::Record;

    /// How it is made, by name, for `study.json`. Default: nothing.
    fn made(&self) -> Map<String, Value> {
        Map::new()
    }

    /// The machine and the time that the cells of a record took, for `machine.json`; they left theirs in `folder`.
    /// Default: nothing.
    fn machine(&self, _record: &Self::Record, _folder: &Path) -> Option<Value> {
        None
    }

    /// Puts pictures that the record names beside it in `to`; the cells left theirs in the study's
    /// folder, `from`.
    ///
    /// # Errors
    /// A file cannot be read or written.
    fn pictures(
        &self,
        _record: &Self::Record,
        _from: &Path,
        _to: &Path,
    ) -> Result<(), RecordError> {
        Ok(())
    }
}

/// The state of a cell.
#[derive(Clone, Debug, PartialEq)]
pub enum CellState<O> {
    /// Finished.
    Done(O),
    /// Failed; tried again by the next run.
    Failed {
        /// Why.
        error: String,
        /// Its outcome, if it has one all the same.
        outcome: Option<O>,
    },
    /// Neither finished nor failed; it may have been begun.
    Waiting,
}

#[derive(Serialize, Deserialize)]
struct CellFile<C, O> {
    format: String,
    config: C,
    outcome: O,
}

#[derive(Serialize, Deserialize)]
pub(super) struct Failure {
    pub cell: String,
    pub error: String,
    /// How often it was tried.
    pub tries: u32,
}

/// The folder of a study.
pub fn study_folder<S: CellStudy + ?Sized>(study: &S, runs: &Path) -> PathBuf {
    runs.join(study.name())
}

/// Makes the folder of the study with this name in a store, and marks it.
///
/// # Errors
/// It is a link or holds something else, or the store does; it cannot be written.
pub fn claim(runs: &Path, name: &str) -> Result<PathBuf, RecordError> {
    let folder = runs.join(name);
    FolderKind::ensure_store(runs)?;
    FolderKind::ensure_study(&folder)?;
    FolderKind::Study.mark(&folder)?;
    Ok(folder)
}

/// The folder of what a cell has in progress.
pub(crate) fn work_folder(folder: &Path, id: &str) -> PathBuf {
    folder.join("work").join(id)
}

fn cell_path(folder: &Path, id: &str) -> PathBuf {
    folder.join("cells").join(format!("{id}.json"))
}

fn damaged(path: &Path, found: String) -> RecordError {
    let refusal = Refusal::new("", "a finished cell", found).in_file(path);
    refusal.advising("delete the file to compute it again").into()
}

/// The outcome that a cell's file holds.
fn outcome_of<S: CellStudy + ?Sized>(
    study: &S,
    cell: &S::Cell,
    path: &Path,
    text: &str,
) -> Result<S::Outcome, RecordError> {
    let damaged = |found: String| damaged(path, found);
    let file: CellFile<Value, S::Outcome> =
        serde_json::from_str(text).map_err(|e| damaged(e.to_string()))?;
    let config = serde_json::to_value(cell).expect("a config is plain data");
    if file.format != S::Record::FORMAT || file.config != config {
        return Err(damaged(format!("the cell {}", file.config)));
    }
    study.check_outcome(cell, &file.outcome).map_err(damaged)?;
    Ok(file.outcome)
}

pub(super) fn failure_path(folder: &Path, id: &str) -> PathBuf {
    folder.join("failed").join(format!("{id}.json"))
}

pub(super) fn read_failure(folder: &Path, id: &str) -> Option<Failure> {
    serde_json::from_slice(&read_plain(&failure_path(folder, id), LARGEST_CONFIG).ok()?).ok()
}

/// The folder of the lease of a cell.
pub(crate) fn lease_folder(folder: &Path, id: &str) -> PathBuf {
    folder.join("leases").join(id)
}

/// A hash of a cell's config.
pub(crate) fn hashed_id<R: Record>(cell: &impl Serialize) -> String {
    short_id(format!("{}\n{}", R::FORMAT, canonical_json(cell)))
}

/// The state of a cell, as its file says.
pub(super) fn read_cell<S: CellStudy + ?Sized>(
    study: &S,
    cell: &S::Cell,
    folder: &Path,
) -> Result<CellState<S::Outcome>, RecordError> {
    let id = study.id(cell);
    let path = cell_path(folder, &id);
    let text = match read_text(&path, LARGEST_STATE) {
        Ok(text) => text,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
            return Ok(unfinished(folder, &id));
        }
        Err(e) => return Err(damaged(&path, e.to_string())),
    };
    let outcome = outcome_of(study, cell, &path, &text)?;
    Ok(match study.flaw(&outcome) {
        None => CellState::Done(outcome),
        Some(error) => CellState::Failed { error, outcome: Some(outcome) },
    })
}

/// The state of a cell that left nothing.
fn unfinished<O>(folder: &Path, id: &str) -> CellState<O> {
    match read_failure(folder, id) {
        Some(Failure { error, .. }) => CellState::Failed { error, outcome: None },
        None => CellState::Waiting,
    }
}

/// The names in a folder; empty if it is not there.
pub(super) fn names(folder: &Path) -> BTreeSet<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}

/// A message with paths from the study's folder on.
pub fn without_path(message: &str, folder: &Path) -> String {
    message.replace(&format!("{}{}", folder.display(), std::path::MAIN_SEPARATOR), "")
}

pub(super) fn write_cell<S: CellStudy + ?Sized>(
    cell: &S::Cell,
    outcome: S::Outcome,
    path: &Path,
) -> Result<(), WriteError> {
    write(path, &CellFile { format: S::Record::FORMAT.into(), config: cell, outcome })
}

pub(super) fn write(path: &Path, value: &impl Serialize) -> Result<(), WriteError> {
    let mut json = serde_json::to_vec(value).expect("a cell is plain data");
    json.push(b'\n');
    create_folder(path.parent().expect("a file in a folder"))?;
    write_atomic(path, &json)
}
