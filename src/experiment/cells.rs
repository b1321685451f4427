//! Studies made of small cells: each cell is one file, named by a hash of its resolved config,
//! written whole or not at all, and never computed again.
//!
//! In: a [`CellStudy`] (its cells and how one is computed). Out: `RUNS/STUDY/cells/ID.json` of every
//! cell and `RUNS/STUDY/record.json`. Cells are started in the study's order, as many at a time as
//! there are worker threads; what comes out does not depend on how many, nor on interruptions.

use super::spec::SpecError;
use super::study::Progress;
use crate::network::files::{WriteError, create_folder, write_atomic};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Instant;

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

/// Watches a study. What is computed does not depend on it.
pub trait CellObserver: Send {
    /// A cell has been finished, found finished, or has failed (then `error` says why).
    fn cell(&mut self, _progress: &Progress, _label: &str, _error: Option<&str>) {}

    /// Now and then. Returns false to stop.
    fn going_on(&mut self) -> bool {
        true
    }
}

/// Watches nothing.
impl CellObserver for () {}

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
    /// Worker threads cannot be started.
    #[error("cannot start worker threads: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
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
    let digest = Sha256::digest(format!("{}\n{json}", S::FORMAT));
    digest[..8].iter().map(|b| format!("{b:02x}")).collect()
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
    observer: &mut dyn CellObserver,
) -> Result<Option<S::Record>, CellError> {
    let folder = study_folder(study, runs);
    create_folder(&folder.join("cells"))?;
    let cells = study.cells();
    let mut ids = std::collections::BTreeSet::new();
    let unique: Vec<&S::Cell> = cells
        .iter()
        .filter(|cell| ids.insert(cell_id::<S>(cell)))
        .collect();
    let mut progress = Progress {
        total: unique.len(),
        ..Progress::default()
    };
    let mut waiting = Vec::new();
    for cell in unique {
        if let CellOutcome::Done(_) = state(study, runs, cell)? {
            progress.done += 1;
            progress.found += 1;
            observer.cell(&progress, &study.label(cell), None);
        } else {
            waiting.push(cell);
        }
    }
    let workers = rayon::current_num_threads().min(waiting.len()).max(1);
    let threads = (rayon::current_num_threads() / workers).max(1);
    let pools: Vec<_> = (0..workers)
        .map(|_| rayon::ThreadPoolBuilder::new().num_threads(threads).build())
        .collect::<Result<_, _>>()?;
    let shared = Shared {
        study,
        folder: &folder,
        waiting: &waiting,
        next: AtomicUsize::new(0),
        stopped: AtomicBool::new(false),
        watched: Mutex::new(Watched {
            observer,
            progress,
            failure: None,
            made: 0.0,
            left: waiting.iter().map(|cell| study.cost(cell)).sum(),
            started: Instant::now(),
        }),
    };
    std::thread::scope(|scope| {
        for pool in &pools {
            scope.spawn(|| pool.install(|| shared.work()));
        }
    });
    let watched = shared.watched.into_inner().expect("no worker panicked");
    if let Some(error) = watched.failure {
        return Err(error.into());
    }
    if shared.stopped.into_inner() {
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

/// What the workers share.
struct Shared<'a, S: CellStudy> {
    study: &'a S,
    folder: &'a Path,
    waiting: &'a [&'a S::Cell],
    next: AtomicUsize,
    stopped: AtomicBool,
    watched: Mutex<Watched<'a>>,
}

struct Watched<'a> {
    observer: &'a mut dyn CellObserver,
    progress: Progress,
    failure: Option<WriteError>,
    made: f64,
    left: f64,
    started: Instant,
}

impl<S: CellStudy> Shared<'_, S> {
    /// Takes cell after cell until none is left or somebody asked to stop.
    fn work(&self) {
        while self.going_on() {
            let Some(cell) = self.waiting.get(self.next.fetch_add(1, Ordering::Relaxed)) else {
                return;
            };
            let id = cell_id::<S>(cell);
            let work = self.folder.join("work").join(&id);
            let error = match self.study.compute(cell, &work, &|| self.going_on()) {
                Ok(None) => {
                    self.stopped.store(true, Ordering::Relaxed);
                    return;
                }
                Ok(Some(outcome)) => {
                    let file = CellFile {
                        format: S::FORMAT.to_string(),
                        config: *cell,
                        outcome,
                    };
                    self.write(&cell_path(self.folder, &id), &file);
                    let _ = std::fs::remove_file(failure_path(self.folder, &id));
                    None
                }
                Err(error) => {
                    let prefix = format!("{}{}", self.folder.display(), std::path::MAIN_SEPARATOR);
                    let failure = Failure {
                        cell: self.study.label(cell),
                        error: error.replace(&prefix, ""),
                    };
                    self.write(&failure_path(self.folder, &id), &failure);
                    Some(failure.error)
                }
            };
            let mut watched = self.watched.lock().expect("no worker panicked");
            let cost = self.study.cost(cell);
            watched.finished(cost, &self.study.label(cell), error.as_deref());
        }
    }

    fn going_on(&self) -> bool {
        if self.stopped.load(Ordering::Relaxed) {
            return false;
        }
        let mut watched = self.watched.lock().expect("no worker panicked");
        let on = watched.observer.going_on();
        if !on {
            self.stopped.store(true, Ordering::Relaxed);
        }
        on
    }

    fn write(&self, path: &Path, value: &impl Serialize) {
        let mut json = serde_json::to_vec(value).expect("a cell is plain data");
        json.push(b'\n');
        let folder = path.parent().expect("a file in a folder");
        if let Err(error) = create_folder(folder).and_then(|()| write_atomic(path, &json)) {
            let mut watched = self.watched.lock().expect("no worker panicked");
            watched.failure.get_or_insert(error);
            self.stopped.store(true, Ordering::Relaxed);
        }
    }
}

impl Watched<'_> {
    fn finished(&mut self, cost: f64, label: &str, error: Option<&str>) {
        self.made += cost;
        self.left -= cost;
        let rate = self.started.elapsed().as_secs_f64() / self.made;
        self.progress.seconds_left = Some((rate * self.left).max(0.0));
        match error {
            None => self.progress.done += 1,
            Some(_) => self.progress.failed += 1,
        }
        self.observer.cell(&self.progress, label, error);
    }
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
    let text = std::fs::read_to_string(path).map_err(|source| SpecError::Read {
        path: path.to_path_buf(),
        source,
    })?;
    let fail = |problem: String| SpecError::Toml {
        path: path.to_path_buf(),
        problem,
    };
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
    let mut parts: Vec<String> = head
        .iter()
        .map(|(key, value)| format!("\"{key}\": {value}"))
        .collect();
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
