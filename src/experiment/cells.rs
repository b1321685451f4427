//! Studies made of small cells: each cell is one file, named by a hash of its resolved config,
//! written whole or not at all, and never computed again.
//!
//! In: a [`CellStudy`] (its cells and how one is computed). Out: `RUNS/STUDY/cells/ID.json` of every
//! cell and `RUNS/STUDY/record.json`. Cells are started in the study's order, as many at a time as
//! there are worker threads; what comes out does not depend on how many, nor on interruptions.

use super::spec::SpecError;
use super::workers::{self, Ask, Outcome, StudyObserver, WorkError, work_through};
use crate::math::hash::short_id;
use crate::network::files::{WriteError, create_folder, write_atomic};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// A study that is a list of cells.
pub trait CellStudy: Sync {
    /// The resolved config of a cell: all that its outcome depends on.
    type Cell: Serialize + Sync;
    /// What a cell leaves. Equal cells leave equal bytes.
    type Outcome: Serialize + DeserializeOwned + Clone + Send;
    /// What the figures are drawn from.
    type Record: CellRecord;

    /// Kind and version of the outcome, part of every id: `picloom-theory/1`.
    const FORMAT: &'static str;

    /// Name of the study: its folder under `runs/` and `figures/`.
    fn name(&self) -> &str;

    /// The profile.
    fn profile(&self) -> &str;

    /// The cells, in order. The same cell may be there twice; it is computed once.
    fn cells(&self) -> Vec<Self::Cell>;

    /// A cell in a few words, for people.
    fn label(&self, cell: &Self::Cell) -> String;

    /// About how long a cell takes, in any unit.
    fn cost(&self, _cell: &Self::Cell) -> f64 {
        1.0
    }

    /// Computes a cell; `None` if `going_on` said no. `folder` may hold work in progress.
    ///
    /// # Errors
    /// Why it has no outcome, in words, without machine paths.
    fn compute(
        &self,
        cell: &Self::Cell,
        folder: &Path,
        going_on: &(dyn Fn() -> bool + Sync),
    ) -> Result<Option<Self::Outcome>, String>;

    /// The record, from one outcome (or error) a cell, in the order of [`cells`](Self::cells).
    fn record(&self, outcomes: Vec<Result<Self::Outcome, String>>) -> Self::Record;
}

/// A record as text.
pub trait CellRecord {
    /// The bytes of `record.json`.
    fn to_json(&self) -> String;
    /// A table, one row a result.
    fn to_csv(&self) -> String;
    /// What came out, for people.
    fn summary(&self) -> String;
}

/// Why a study has no record.
#[derive(Debug, thiserror::Error)]
pub enum CellError {
    /// A file cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// A file is not what it should be.
    #[error("{path}: expected {expected}, found: {problem}")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What it should be.
        expected: &'static str,
        /// What is wrong.
        problem: String,
    },
    /// The cells cannot be worked through.
    #[error(transparent)]
    Work(#[from] WorkError),
    /// Some cells are neither finished nor failed.
    #[error(
        "study {study}, profile {profile}: expected {total} finished cells in {folder}, found {done}; go on with `picloom experiment run`"
    )]
    Unfinished {
        /// Name of the study.
        study: String,
        /// The profile.
        profile: String,
        /// Folder of its cells.
        folder: PathBuf,
        /// Cells.
        total: usize,
        /// Cells finished or failed.
        done: usize,
    },
}

/// The state of a cell, read from its file.
#[derive(Clone, Debug, PartialEq)]
pub enum CellOutcome<O> {
    /// Finished.
    Done(O),
    /// Failed, with the reason; tried again by the next run.
    Failed(String),
    /// Not finished.
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

/// First 16 hex digits of the SHA-256 of the format and the canonical JSON of a config.
pub fn cell_id<S: CellStudy>(cell: &S::Cell) -> String {
    let json = serde_json::to_string(cell).expect("a config is plain data");
    short_id(format!("{}\n{json}", S::FORMAT))
}

/// The folder of a study.
pub fn study_folder<S: CellStudy>(study: &S, runs: &Path) -> PathBuf {
    runs.join(study.name())
}

fn cell_path(folder: &Path, id: &str) -> PathBuf {
    folder.join("cells").join(format!("{id}.json"))
}

fn failure_path(folder: &Path, id: &str) -> PathBuf {
    folder.join("failed").join(format!("{id}.json"))
}

/// The state of a cell.
///
/// # Errors
/// Its file is damaged or of another config.
pub fn state<S: CellStudy>(
    study: &S,
    runs: &Path,
    cell: &S::Cell,
) -> Result<CellOutcome<S::Outcome>, CellError> {
    let folder = study_folder(study, runs);
    let id = cell_id::<S>(cell);
    let path = cell_path(&folder, &id);
    let damaged = |problem: String| CellError::Damaged {
        path: path.clone(),
        expected: "a finished cell; delete the file to compute it again",
        problem,
    };
    match std::fs::read_to_string(&path) {
        Ok(text) => {
            let file: CellFile<serde_json::Value, S::Outcome> =
                serde_json::from_str(&text).map_err(|e| damaged(e.to_string()))?;
            let config = serde_json::to_value(cell).expect("a config is plain data");
            if file.format != S::FORMAT || file.config != config {
                return Err(damaged(format!("the cell {}", file.config)));
            }
            Ok(CellOutcome::Done(file.outcome))
        }
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
            let failure = std::fs::read(failure_path(&folder, &id)).ok();
            let failure = failure.and_then(|b| serde_json::from_slice::<Failure>(&b).ok());
            Ok(failure.map_or(CellOutcome::Waiting, |f| CellOutcome::Failed(f.error)))
        }
        Err(e) => Err(damaged(e.to_string())),
    }
}

/// Computes every cell that is not finished under `runs` and writes `RUNS/STUDY/record.json`;
/// `None` if the observer stopped it.
///
/// # Errors
/// Files cannot be written or are damaged, threads not started. A failing cell is no error: the
/// record says why.
pub fn run_cells<S: CellStudy>(
    study: &S,
    runs: &Path,
    observer: &mut dyn StudyObserver,
) -> Result<Option<S::Record>, CellError> {
    let folder = study_folder(study, runs);
    create_folder(&folder.join("cells"))?;
    let cells = study.cells();
    let mut ids = std::collections::BTreeSet::new();
    let unique: Vec<&S::Cell> =
        cells.iter().filter(|cell| ids.insert(cell_id::<S>(cell))).collect();
    let (mut found, mut waiting) = (Vec::new(), Vec::new());
    for cell in unique {
        let task = Task { study, cell };
        match state(study, runs, cell)? {
            CellOutcome::Done(_) => found.push(task),
            _ => waiting.push(task),
        }
    }
    let completed = work_through(
        &found.iter().collect::<Vec<_>>(),
        &waiting.iter().collect::<Vec<_>>(),
        |task, ask| compute(task, &folder, ask),
        observer,
    )?;
    if !completed {
        return Ok(None);
    }
    let record = collect_cells(study, runs)?;
    write_atomic(&folder.join("record.json"), record.to_json().as_bytes())?;
    Ok(Some(record))
}

/// The record of a study whose cells are all finished or failed.
///
/// # Errors
/// Some are not, or are damaged.
pub fn collect_cells<S: CellStudy>(study: &S, runs: &Path) -> Result<S::Record, CellError> {
    let cells = study.cells();
    let mut outcomes = Vec::with_capacity(cells.len());
    for cell in &cells {
        match state(study, runs, cell)? {
            CellOutcome::Done(outcome) => outcomes.push(Ok(outcome)),
            CellOutcome::Failed(error) => outcomes.push(Err(error)),
            CellOutcome::Waiting => {}
        }
    }
    if outcomes.len() < cells.len() {
        return Err(CellError::Unfinished {
            study: study.name().into(),
            profile: study.profile().into(),
            folder: study_folder(study, runs),
            total: cells.len(),
            done: outcomes.len(),
        });
    }
    Ok(study.record(outcomes))
}

/// A cell of a study, to be worked on.
struct Task<'a, S: CellStudy> {
    study: &'a S,
    cell: &'a S::Cell,
}

impl<S: CellStudy> workers::Cell for Task<'_, S> {
    fn label(&self) -> String {
        self.study.label(self.cell)
    }

    fn cost(&self) -> f64 {
        self.study.cost(self.cell)
    }
}

/// Computes one cell and writes its file, or one that says why it has none.
fn compute<S: CellStudy>(
    task: &Task<'_, S>,
    folder: &Path,
    ask: &Ask<'_, '_>,
) -> Result<Outcome, WriteError> {
    let id = cell_id::<S>(task.cell);
    let work = folder.join("work").join(&id);
    match task.study.compute(task.cell, &work, &|| ask.going_on()) {
        Ok(None) => Ok(Outcome::Interrupted),
        Ok(Some(outcome)) => {
            let file = CellFile { format: S::FORMAT.to_string(), config: task.cell, outcome };
            write(&cell_path(folder, &id), &file)?;
            let _ = std::fs::remove_file(failure_path(folder, &id));
            Ok(Outcome::Done)
        }
        Err(error) => {
            let prefix = format!("{}{}", folder.display(), std::path::MAIN_SEPARATOR);
            let failure =
                Failure { cell: task.study.label(task.cell), error: error.replace(&prefix, "") };
            write(&failure_path(folder, &id), &failure)?;
            Ok(Outcome::Failed(failure.error))
        }
    }
}

fn write(path: &Path, value: &impl Serialize) -> Result<(), WriteError> {
    let mut json = serde_json::to_vec(value).expect("a cell is plain data");
    json.push(b'\n');
    create_folder(path.parent().expect("a file in a folder"))?;
    write_atomic(path, &json)
}

/// A record file of a given format.
///
/// # Errors
/// Not readable, or of another format.
pub fn read_record<R: DeserializeOwned>(path: &Path, format: &str) -> Result<R, CellError> {
    let fail = |problem: String| CellError::Damaged {
        path: path.to_path_buf(),
        expected: "a record of a study",
        problem,
    };
    let text = std::fs::read_to_string(path).map_err(|e| fail(e.to_string()))?;
    let value: serde_json::Value = serde_json::from_str(&text).map_err(|e| fail(e.to_string()))?;
    if value["format"] != format {
        let found = &value["format"];
        return Err(fail(format!("format {found}, expected {format:?}")));
    }
    serde_json::from_value(value).map_err(|e| fail(e.to_string()))
}

/// The spec at `path` in a profile: the spec's own numbers (`standard`), or these with the tables
/// under `[profiles.NAME]` laid over them (arrays are replaced whole). Returns the spec and the
/// name of the profile.
///
/// # Errors
/// Not readable, of another kind, no such profile, unknown keys.
pub fn read_spec<T: DeserializeOwned>(
    path: &Path,
    kind: &str,
    profile: Option<&str>,
) -> Result<(T, String), SpecError> {
    let text = std::fs::read_to_string(path)
        .map_err(|source| SpecError::Read { path: path.to_path_buf(), source })?;
    let fail = |problem: String| SpecError::Toml { path: path.to_path_buf(), problem };
    let mut table: toml::Table =
        toml::from_str(&text).map_err(|e: toml::de::Error| fail(e.to_string()))?;
    let found = table.remove("kind");
    if found.as_ref().and_then(toml::Value::as_str) != Some(kind) {
        let found = found.map_or("no kind".to_string(), |kind| kind.to_string());
        return Err(fail(format!("kind {found}, expected {kind:?}")));
    }
    let profiles = match table.remove("profiles") {
        Some(toml::Value::Table(profiles)) => profiles,
        Some(other) => return Err(fail(format!("profiles = {other}, expected tables"))),
        None => toml::Table::new(),
    };
    let standard = super::spec::STANDARD;
    let name = profile.unwrap_or(standard);
    match profiles.get(name) {
        Some(toml::Value::Table(changes)) => lay_over(&mut table, changes),
        None if name == standard => {}
        _ => {
            let known: Vec<_> = profiles.keys().map(String::as_str).collect();
            return Err(SpecError::Value {
                path: path.to_path_buf(),
                key: "profile".into(),
                expected: format!("{standard} or one of {}", known.join(", ")),
                found: format!("{name:?}"),
            });
        }
    }
    let spec = table.try_into().map_err(|e| fail(e.to_string()))?;
    Ok((spec, name.to_string()))
}

fn lay_over(base: &mut toml::Table, changes: &toml::Table) {
    for (key, value) in changes {
        match (base.get_mut(key), value) {
            (Some(toml::Value::Table(old)), toml::Value::Table(new)) => lay_over(old, new),
            _ => {
                base.insert(key.clone(), value.clone());
            }
        }
    }
}

/// `{` + one line a field + the rows, one a line + `}`: small in git, and readable as a diff.
pub fn record_json(head: &[(&str, serde_json::Value)], rows: &[(&str, Vec<String>)]) -> String {
    let mut parts: Vec<String> =
        head.iter().map(|(key, value)| format!("\"{key}\": {value}")).collect();
    for (key, rows) in rows {
        parts.push(format!("\"{key}\": [\n{}\n]", rows.join(",\n")));
    }
    format!("{{\n{}\n}}\n", parts.join(",\n"))
}

/// One row of a record as JSON.
pub fn row_json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("records are plain data")
}

/// A number with six significant digits: what a record keeps of it.
pub fn six_digits(value: f64) -> f64 {
    format!("{value:.5e}").parse().unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn profiles_are_laid_over_the_standard_numbers() {
        let mut base: toml::Table = toml::from_str("a = 1\n[b]\nc = [1, 2]\nd = 3").unwrap();
        lay_over(&mut base, &toml::from_str("[b]\nc = [9]").unwrap());
        let expected: toml::Table = toml::from_str("a = 1\n[b]\nc = [9]\nd = 3").unwrap();
        assert_eq!(base, expected);
    }

    #[test]
    fn records_keep_six_digits() {
        assert_eq!(six_digits(0.123_456_789), 0.123_457);
        assert_eq!(six_digits(2.251_264_796e-4), 2.251_26e-4);
        assert_eq!(six_digits(0.0), 0.0);
        assert!(six_digits(f64::NAN).is_nan());
    }
}
