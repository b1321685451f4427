//! A study is a table of cells: each is a config named by a hash of itself, is computed alone in the
//! study's folder, leaves what it found whole or not at all, and is never computed again.
//!
//! In: a [`CellStudy`] (its cells and how one is computed). Out: `RUNS/STUDY/cells/ID.json` of every
//! cell, `RUNS/STUDY/failed/ID.json` of those that could not be computed, `record.json` and
//! `rows.csv`. Cells are started in the study's order, as many at a time as there are worker
//! threads; what comes out does not depend on how many, nor on interruptions. A cell that failed
//! does not stop the others and is tried again by the next run.

use super::folder::Holding;
use super::record::{Record, RecordError};
use super::workers::{Ask, Outcome, StudyObserver, Task, work_through};
use crate::math::hash::short_id;
use crate::network::files::{WriteError, create_folder, read_text, write_atomic};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// A study that is a list of cells.
pub trait CellStudy: Sync {
    /// The resolved config of a cell: all that its outcome depends on.
    type Cell: Serialize + Clone + Sync;
    /// What a cell leaves. Equal cells leave equal bytes.
    type Outcome: Serialize + DeserializeOwned + Send;
    /// What the figures are drawn from.
    type Record: Record;

    /// What cells are called, for people.
    const CELLS: &'static str = "cells";

    /// Name of the study: its folder under `runs/` and `figures/`.
    fn name(&self) -> &str;

    /// The profile.
    fn profile(&self) -> &str;

    /// The cells, in order. The same cell may be there twice; it is computed once.
    fn cells(&self) -> Cow<'_, [Self::Cell]>;

    /// Name of a cell's files: a hash of its config.
    fn id(&self, cell: &Self::Cell) -> String {
        let json = serde_json::to_string(cell).expect("a config is plain data");
        short_id(format!("{}\n{json}", Self::Record::FORMAT))
    }

    /// A cell in a few words, for people.
    fn label(&self, cell: &Self::Cell) -> String;

    /// About how long a cell takes, in seconds of one core.
    fn cost(&self, _cell: &Self::Cell) -> f64 {
        1.0
    }

    /// Cells worked on at a time, at most; each has its share of the threads.
    fn at_a_time(&self) -> usize {
        usize::MAX
    }

    /// Computes a cell; `None` if `ask` said no. `folder` is the study's: what is in progress goes
    /// to [`work_folder`].
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
        let file = CellFile { format: Self::Record::FORMAT.into(), config: cell, outcome };
        write(&cell_path(folder, &self.id(cell)), &file)
    }

    /// The record, from one outcome (or error) a cell, in the order of [`cells`](Self::cells).
    fn record(&self, outcomes: Vec<Result<Self::Outcome, String>>) -> Self::Record;

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
        /// What it left all the same.
        outcome: Option<O>,
    },
    /// Begun and interrupted.
    Begun,
    /// Not begun.
    Waiting,
}

#[derive(Serialize, Deserialize)]
struct CellFile<C, O> {
    format: String,
    config: C,
    outcome: O,
}

#[derive(Serialize, Deserialize)]
struct Failure {
    cell: String,
    error: String,
}

/// The folder of a study.
pub fn study_folder<S: CellStudy + ?Sized>(study: &S, runs: &Path) -> PathBuf {
    runs.join(study.name())
}

/// The folder of what a cell has in progress.
pub fn work_folder(folder: &Path, id: &str) -> PathBuf {
    folder.join("work").join(id)
}

fn cell_path(folder: &Path, id: &str) -> PathBuf {
    folder.join("cells").join(format!("{id}.json"))
}

fn failure_path(folder: &Path, id: &str) -> PathBuf {
    folder.join("failed").join(format!("{id}.json"))
}

fn read_cell<S: CellStudy + ?Sized>(
    study: &S,
    cell: &S::Cell,
    folder: &Path,
) -> Result<CellState<S::Outcome>, RecordError> {
    let id = study.id(cell);
    let path = cell_path(folder, &id);
    let damaged = |found: String| RecordError::Damaged {
        path: path.clone(),
        expected: "a finished cell; delete the file to compute it again".into(),
        found,
    };
    let text = match read_text(&path) {
        Ok(text) => text,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
            return Ok(unfinished(folder, &id, work_folder(folder, &id).exists()));
        }
        Err(e) => return Err(damaged(e.to_string())),
    };
    let outcome = if text.starts_with('[') {
        // Version 0.1 kept the rows of a chain of networks without their config.
        serde_json::from_str(&text).map_err(|e| damaged(e.to_string()))?
    } else {
        let file: CellFile<Value, S::Outcome> =
            serde_json::from_str(&text).map_err(|e| damaged(e.to_string()))?;
        let config = serde_json::to_value(cell).expect("a config is plain data");
        if file.format != S::Record::FORMAT || file.config != config {
            return Err(damaged(format!("the cell {}", file.config)));
        }
        file.outcome
    };
    Ok(match study.flaw(&outcome) {
        None => CellState::Done(outcome),
        Some(error) => CellState::Failed { error, outcome: Some(outcome) },
    })
}

/// The state of a cell that left nothing.
pub(super) fn unfinished<O>(folder: &Path, id: &str, is_begun: bool) -> CellState<O> {
    let failure = std::fs::read(failure_path(folder, id)).ok();
    match failure.and_then(|bytes| serde_json::from_slice::<Failure>(&bytes).ok()) {
        Some(Failure { error, .. }) => CellState::Failed { error, outcome: None },
        None if is_begun => CellState::Begun,
        None => CellState::Waiting,
    }
}

/// A message with paths from the study's folder on.
pub(super) fn without_path(message: &str, folder: &Path) -> String {
    message.replace(&format!("{}{}", folder.display(), std::path::MAIN_SEPARATOR), "")
}

/// Computes every cell that is not finished under `runs` and writes `RUNS/STUDY/record.json` and
/// `rows.csv`; `None` if the observer stopped it.
///
/// # Errors
/// Files cannot be written or are damaged, threads not started. A failing cell is no error: the
/// record says why.
pub fn run_cells<S: CellStudy>(
    study: &S,
    runs: &Path,
    observer: &mut dyn StudyObserver,
) -> Result<Option<S::Record>, RecordError> {
    let folder = study_folder(study, runs);
    Holding::Study.ask(&folder)?;
    create_folder(&folder)?;
    let cells = study.cells();
    let mut ids = BTreeSet::new();
    let (mut found, mut waiting) = (Vec::new(), Vec::new());
    for cell in cells.iter().filter(|cell| ids.insert(study.id(cell))) {
        let task = Task { label: study.label(cell), cost: study.cost(cell), cell };
        match study.state(cell, &folder)? {
            CellState::Done(_) => found.push(task),
            _ => waiting.push(task),
        }
    }
    let work = |cell: &&S::Cell, ask: Ask<'_>| compute(study, *cell, &folder, ask);
    if !work_through(&found, &waiting, study.at_a_time(), work, observer)? {
        return Ok(None);
    }
    let record = collect_cells(study, runs)?;
    study.pictures(&record, &folder, &folder)?;
    write_atomic(&folder.join("record.json"), record.to_json().as_bytes())?;
    write_atomic(&folder.join("rows.csv"), record.to_csv().as_bytes())?;
    Ok(Some(record))
}

/// Computes one cell and keeps what it left, or says why it left nothing.
fn compute<S: CellStudy>(
    study: &S,
    cell: &S::Cell,
    folder: &Path,
    ask: Ask<'_>,
) -> Result<Outcome, WriteError> {
    let failure = failure_path(folder, &study.id(cell));
    match study.compute(cell, folder, ask) {
        Ok(None) => Ok(Outcome::Interrupted),
        Ok(Some(outcome)) => {
            let flaw = study.flaw(&outcome);
            study.keep(cell, outcome, folder)?;
            let _ = std::fs::remove_file(failure);
            Ok(flaw.map_or(Outcome::Done, Outcome::Failed))
        }
        Err(error) => {
            let error = without_path(&error, folder);
            write(&failure, &Failure { cell: study.label(cell), error: error.clone() })?;
            Ok(Outcome::Failed(error))
        }
    }
}

fn write(path: &Path, value: &impl Serialize) -> Result<(), WriteError> {
    let mut json = serde_json::to_vec(value).expect("a cell is plain data");
    json.push(b'\n');
    create_folder(path.parent().expect("a file in a folder"))?;
    write_atomic(path, &json)
}

/// The record of a study whose cells are all finished or failed.
///
/// # Errors
/// Some are not, or are damaged.
pub fn collect_cells<S: CellStudy>(study: &S, runs: &Path) -> Result<S::Record, RecordError> {
    let (folder, cells) = (study_folder(study, runs), study.cells());
    let mut outcomes = Vec::with_capacity(cells.len());
    for cell in cells.iter() {
        match study.state(cell, &folder)? {
            CellState::Done(outcome) | CellState::Failed { outcome: Some(outcome), .. } => {
                outcomes.push(Ok(outcome));
            }
            CellState::Failed { error, outcome: None } => outcomes.push(Err(error)),
            CellState::Begun | CellState::Waiting => {}
        }
    }
    if outcomes.len() < cells.len() {
        return Err(RecordError::Unfinished {
            study: study.name().into(),
            profile: study.profile().into(),
            cells: S::CELLS,
            folder,
            total: cells.len(),
            done: outcomes.len(),
        });
    }
    Ok(study.record(outcomes))
}

/// How far a study is.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Status {
    /// Name of the study.
    pub study: String,
    /// The profile.
    pub profile: String,
    /// What its cells are called.
    #[serde(skip)]
    pub cells: &'static str,
    /// Cells.
    pub total: usize,
    /// Finished.
    pub done: usize,
    /// Begun and interrupted.
    pub begun: usize,
    /// Not begun.
    pub waiting: usize,
    /// Failed, with the reasons.
    pub failed: Vec<FailedCell>,
    /// About how long all cells that are not finished take, in seconds of one core.
    pub core_seconds_left: f64,
}

/// A cell that failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FailedCell {
    /// The cell in a few words.
    pub cell: String,
    /// Its id.
    pub id: String,
    /// Why it failed.
    pub error: String,
}

/// Counts the cells of a study by their state.
///
/// # Errors
/// A cell's file is damaged.
pub fn status<S: CellStudy>(study: &S, runs: &Path) -> Result<Status, RecordError> {
    let (folder, cells) = (study_folder(study, runs), study.cells());
    let mut status = Status {
        study: study.name().into(),
        profile: study.profile().into(),
        cells: S::CELLS,
        total: cells.len(),
        done: 0,
        begun: 0,
        waiting: 0,
        failed: Vec::new(),
        core_seconds_left: 0.0,
    };
    for cell in cells.iter() {
        let state = study.state(cell, &folder)?;
        if !matches!(state, CellState::Done(_)) {
            status.core_seconds_left += study.cost(cell);
        }
        match state {
            CellState::Done(_) => status.done += 1,
            CellState::Begun => status.begun += 1,
            CellState::Waiting => status.waiting += 1,
            CellState::Failed { error, .. } => {
                let (cell, id) = (study.label(cell), study.id(cell));
                status.failed.push(FailedCell { cell, id, error });
            }
        }
    }
    Ok(status)
}
