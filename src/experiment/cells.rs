//! A study is a table of cells: each is a config named by a hash of itself, is computed alone in the
//! study's folder, leaves what it found whole or not at all, and is never computed again.
//!
//! In: a [`CellStudy`] (its cells and how one is computed). Out: `RUNS/STUDY/cells/ID.json` of every
//! cell, `RUNS/STUDY/failed/ID.json` of those that could not be computed, `record.json` and
//! `rows.csv`. Cells are started in the study's order, as many at a time as there are worker
//! threads; what comes out does not depend on how many, nor on interruptions. A cell that failed
//! does not stop the others and is tried again by the next run.
//!
//! The engine is [`pass`]: it goes once through a share of the cells and does those that are not
//! finished and that no other worker has ([`super::lease`]), on this machine or another. A whole study
//! on one machine ([`run_cells`]) and the shares of a plan on many ([`super::plan`]) are passes.

use super::folder::Holding;
use super::lease::{BEAT, Leases};
use super::record::{Record, RecordError};
use super::workers::{Ask, News, Outcome, StudyObserver, Task, work_through};
use crate::math::hash::short_id;
use crate::network::files::{WriteError, create_folder, read_text, write_atomic};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

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

    /// The number of cells.
    fn count(&self) -> usize;

    /// Targets of its spec that have no cells, for their files are in an archive that is not here.
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
        let json = serde_json::to_string(cell).expect("a config is plain data");
        short_id(format!("{}\n{json}", Self::Record::FORMAT))
    }

    /// A cell in a few words, for people.
    fn label(&self, cell: &Self::Cell) -> String;

    /// About how long a cell takes, in seconds of one core.
    fn cost(&self, _cell: &Self::Cell) -> f64 {
        1.0
    }

    /// The part of that which a training step takes; none if a cell trains nothing, or in several ways.
    fn step_cost(&self, _cell: &Self::Cell) -> Option<f64> {
        None
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

    /// Whether a record was made as this study makes its own; if not, what this study has and what the record has.
    ///
    /// # Errors
    /// It was not, or this kind of study cannot tell.
    fn is_of(&self, _record: &Self::Record) -> Result<(), (String, String)> {
        Err(("rows that can be taken over".into(), Self::Record::FORMAT.into()))
    }

    /// What such a record has of a cell; none if it does not hold it whole.
    fn known(&self, _cell: &Self::Cell, _records: &[Self::Record]) -> Option<Self::Outcome> {
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
    /// How often it was tried; once, where version 0.1 did not say.
    #[serde(default = "once")]
    tries: u32,
}

fn once() -> u32 {
    1
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

fn read_failure(folder: &Path, id: &str) -> Option<Failure> {
    serde_json::from_slice(&std::fs::read(failure_path(folder, id)).ok()?).ok()
}

/// The folder of the lease of a cell.
pub fn lease_folder(folder: &Path, id: &str) -> PathBuf {
    folder.join("leases").join(id)
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
    match read_failure(folder, id) {
        Some(Failure { error, .. }) => CellState::Failed { error, outcome: None },
        None if is_begun => CellState::Begun,
        None => CellState::Waiting,
    }
}

/// A message with paths from the study's folder on.
pub(super) fn without_path(message: &str, folder: &Path) -> String {
    message.replace(&format!("{}{}", folder.display(), std::path::MAIN_SEPARATOR), "")
}

/// Times a cell of a plan is tried before it is set aside.
pub const TRIES: u32 = 3;

/// Workers that die with a cell, one after the other, before it is set aside.
pub const DEATHS: u32 = 5;

/// What a process works with.
pub struct Worker {
    /// The cells it has.
    pub leases: Arc<Leases>,
    /// Times a cell is tried before it is set aside; none: without end.
    pub tries: Option<u32>,
}

impl Worker {
    /// One that tries every cell that is not finished.
    pub fn new() -> Self {
        Worker { leases: Arc::new(Leases::new(BEAT)), tries: None }
    }
}

impl Default for Worker {
    fn default() -> Self {
        Worker::new()
    }
}

/// What a pass came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pass {
    /// The observer stopped it.
    pub is_stopped: bool,
    /// Cells computed.
    pub done: usize,
    /// Cells that another worker has.
    pub elsewhere: Vec<usize>,
    /// Cells that failed, and may be tried again.
    pub failed: Vec<usize>,
    /// Cells that failed too often.
    pub aside: usize,
}

/// The names in a folder; none if it is not there.
pub(super) fn names(folder: &Path) -> BTreeSet<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}

/// Goes once through the cells of these numbers and does what is not finished under `runs`.
///
/// # Errors
/// Files cannot be written or are damaged, threads not started: then no cell is held any more. A failing
/// cell is no error.
pub fn pass<S: CellStudy>(
    study: &S,
    runs: &Path,
    share: &[usize],
    worker: &Worker,
    observer: &mut dyn StudyObserver,
) -> Result<Pass, RecordError> {
    let folder = study_folder(study, runs);
    Holding::Study.ask(&folder)?;
    create_folder(&folder)?;
    let mut pass = Pass::default();
    let mut ids = BTreeSet::new();
    let [failed, leased] = [folder.join("failed"), folder.join("leases")].map(|f| names(&f));
    let (mut found, mut waiting) = (Vec::new(), Vec::new());
    for &number in share {
        let cell = study.cell(number);
        let id = study.id(&cell);
        match study.state(&cell, &folder)? {
            _ if ids.contains(&id) => {}
            CellState::Done(_) => {
                // Whoever finished it may have died before it cleared up.
                if failed.contains(&format!("{id}.json")) {
                    let _ = std::fs::remove_file(failure_path(&folder, &id));
                }
                if leased.contains(&id) {
                    let _ = std::fs::remove_dir_all(lease_folder(&folder, &id));
                }
                found.push(number);
            }
            CellState::Failed { .. } if worker.gives_up(&folder, &id) => pass.aside += 1,
            _ => waiting.push(number),
        }
        ids.insert(id);
    }
    let seen = Mutex::new(pass);
    let task = |number: usize| {
        let cell = study.cell(number);
        Task { label: study.label(&cell), cost: study.cost(&cell) }
    };
    let work = |number: usize, ask: Ask<'_>| {
        let cell = study.cell(number);
        let outcome = compute(study, &cell, &folder, worker, ask)?;
        let mut seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
        match outcome {
            Outcome::Done => seen.done += 1,
            Outcome::Elsewhere => seen.elsewhere.push(number),
            Outcome::Failed(_) if worker.gives_up(&folder, &study.id(&cell)) => seen.aside += 1,
            Outcome::Failed(_) => seen.failed.push(number),
            Outcome::Interrupted | Outcome::Found => {}
        }
        Ok(outcome)
    };
    let went = work_through([&found, &waiting], task, study.at_a_time(), work, observer)?;
    let mut pass = seen.into_inner().unwrap_or_else(PoisonError::into_inner);
    pass.is_stopped = !went;
    pass.elsewhere.sort_unstable();
    pass.failed.sort_unstable();
    Ok(pass)
}

/// Computes every cell that is not finished under `runs` and writes `RUNS/STUDY/record.json` and
/// `rows.csv`; `None` if the observer stopped it. Cells that other workers have are waited for.
///
/// # Errors
/// Files cannot be written or are damaged, threads not started. A failing cell is no error: the
/// record says why.
pub fn run_cells<S: CellStudy>(
    study: &S,
    runs: &Path,
    observer: &mut dyn StudyObserver,
) -> Result<Option<S::Record>, RecordError> {
    let worker = Worker::new();
    let mut share: Vec<usize> = (0..study.count()).collect();
    let mut patience = Patience::default();
    loop {
        let pass = pass(study, runs, &share, &worker, observer)?;
        share = pass.elsewhere;
        if pass.is_stopped || (!share.is_empty() && !patience.wait(observer)) {
            return Ok(None);
        }
        if share.is_empty() {
            return write_record(study, runs).map(Some);
        }
    }
}

/// Waiting for others: a tenth of a second, then twice as long each time, up to a second.
#[derive(Default)]
pub(super) struct Patience {
    tenths: u32,
}

impl Patience {
    /// Waits; false if the observer stopped it.
    pub(super) fn wait(&mut self, observer: &mut dyn StudyObserver) -> bool {
        self.tenths = (2 * self.tenths).clamp(1, 10);
        (0..self.tenths).all(|_| {
            std::thread::sleep(Duration::from_millis(100));
            observer.going_on()
        })
    }
}

/// Writes `RUNS/STUDY/record.json` and `rows.csv` of a study whose cells are all finished or failed.
///
/// # Errors
/// As [`collect_cells`]; files cannot be written.
pub fn write_record<S: CellStudy>(study: &S, runs: &Path) -> Result<S::Record, RecordError> {
    let folder = study_folder(study, runs);
    let record = collect_cells(study, runs)?;
    study.pictures(&record, &folder, &folder)?;
    record.save_json(&folder.join("record.json"))?;
    record.save_csv(&folder.join("rows.csv"))?;
    // If it is empty.
    let _ = std::fs::remove_dir(folder.join("leases"));
    Ok(record)
}

impl Worker {
    /// True for a cell that failed too often.
    fn gives_up(&self, folder: &Path, id: &str) -> bool {
        let tries = || read_failure(folder, id).map_or(0, |failure| failure.tries);
        self.tries.is_some_and(|most| tries() >= most)
    }
}

/// Computes one cell, if no other worker has it, and keeps what it left, or says why it left nothing.
fn compute<S: CellStudy>(
    study: &S,
    cell: &S::Cell,
    folder: &Path,
    worker: &Worker,
    ask: Ask<'_>,
) -> Result<Outcome, WriteError> {
    let id = study.id(cell);
    let Some(lease) = worker.leases.take(&lease_folder(folder, &id))? else {
        return Ok(Outcome::Elsewhere);
    };
    // Since the look at all cells another worker may have finished it, or given up.
    match study.state(cell, folder) {
        Ok(CellState::Done(_)) => return Ok(Outcome::Found),
        Ok(CellState::Failed { error, .. }) if worker.gives_up(folder, &id) => {
            return Ok(Outcome::Failed(error));
        }
        _ => {}
    }
    let fail = |error: String, tries: Option<u32>| {
        let tries = tries.unwrap_or(1 + read_failure(folder, &id).map_or(0, |f| f.tries));
        let failure = Failure { cell: study.label(cell), error: error.clone(), tries };
        write(&failure_path(folder, &id), &failure)?;
        Ok(Outcome::Failed(error))
    };
    if worker.tries.is_some() && lease.deaths() >= DEATHS {
        let error = format!(
            "{} workers died with it, one after the other: killed, or out of memory",
            lease.deaths()
        );
        return fail(error, worker.tries);
    }
    let going_on = |news: News<'_>| ask.tell(news) && lease.is_held();
    let left = study.compute(cell, folder, Ask::new(&going_on));
    if !lease.confirm() {
        return Ok(Outcome::Elsewhere);
    }
    match left {
        Ok(None) => Ok(Outcome::Interrupted),
        Ok(Some(outcome)) => {
            let flaw = study.flaw(&outcome);
            if flaw.is_some() {
                takes_files(folder)?;
            }
            study.keep(cell, outcome, folder)?;
            match flaw {
                Some(error) => fail(error, None),
                None => {
                    let _ = std::fs::remove_file(failure_path(folder, &id));
                    Ok(Outcome::Done)
                }
            }
        }
        Err(error) => {
            takes_files(folder)?;
            fail(without_path(&error, folder), None)
        }
    }
}

/// Refuses a folder that takes no more files: a cell that failed there is not at fault.
fn takes_files(folder: &Path) -> Result<(), WriteError> {
    let probe = folder.join(".probe");
    write_atomic(&probe, &[0; 1 << 16])?;
    let _ = std::fs::remove_file(probe);
    Ok(())
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
    let (outcomes, total) = (outcomes(study, runs)?, study.count());
    let done = outcomes.iter().flatten().count();
    if done < total {
        return Err(RecordError::Unfinished {
            study: study.name().into(),
            profile: study.profile().into(),
            cells: S::CELLS,
            folder: study_folder(study, runs),
            total,
            done,
        });
    }
    Ok(study.record(outcomes.into_iter().flatten().collect()))
}

/// What a cell left, or why it left nothing; none if it is neither finished nor failed.
type Left<S> = Option<Result<<S as CellStudy>::Outcome, String>>;

/// What each cell left, in order.
fn outcomes<S: CellStudy>(study: &S, runs: &Path) -> Result<Vec<Left<S>>, RecordError> {
    let folder = study_folder(study, runs);
    study
        .cells()
        .map(|cell| {
            Ok(match study.state(&cell, &folder)? {
                CellState::Done(outcome) | CellState::Failed { outcome: Some(outcome), .. } => {
                    Some(Ok(outcome))
                }
                CellState::Failed { error, outcome: None } => Some(Err(error)),
                CellState::Begun | CellState::Waiting => None,
            })
        })
        .collect()
}

/// Takes cells that are not finished under `runs` over from records of the same study, made before on other
/// machines or in other profiles, whole or [so far](so_far), with the pictures beside them; how many. What several have is
/// taken from the first.
///
/// # Errors
/// A record cannot be read, is of another study, or names pictures that are not there; files are damaged or cannot be written.
pub fn adopt<S: CellStudy>(
    study: &S,
    runs: &Path,
    records: &[PathBuf],
) -> Result<usize, RecordError> {
    let mut before = Vec::new();
    for path in records {
        let record = S::Record::read(path)?;
        study.is_of(&record).map_err(|(expected, found)| RecordError::Elsewhere {
            path: path.into(),
            expected,
            found,
        })?;
        before.push(record);
    }
    let folder = study_folder(study, runs);
    Holding::Study.ask(&folder)?;
    create_folder(&folder)?;
    for (path, record) in records.iter().zip(&before) {
        study.pictures(record, path.parent().unwrap_or(Path::new(".")), &folder)?;
    }
    let mut adopted = 0;
    for cell in study.cells() {
        if matches!(study.state(&cell, &folder)?, CellState::Done(_)) {
            continue;
        }
        if let Some(outcome) = study.known(&cell, &before) {
            study.keep(&cell, outcome, &folder)?;
            adopted += 1;
        }
    }
    Ok(adopted)
}

/// The record of the cells that are finished so far: to be gone on with elsewhere ([`adopt`]), not to be decided on.
///
/// # Errors
/// A cell's file is damaged.
pub fn so_far<S: CellStudy>(study: &S, runs: &Path) -> Result<S::Record, RecordError> {
    let none = || Err(UNFINISHED.to_string());
    let outcomes = outcomes(study, runs)?.into_iter().map(|o| o.unwrap_or_else(none));
    Ok(study.record(outcomes.collect()))
}

/// What stands in a record [so far](so_far) for cells that are to come.
const UNFINISHED: &str = "not computed yet";

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
    let folder = study_folder(study, runs);
    let mut status = Status {
        study: study.name().into(),
        profile: study.profile().into(),
        cells: S::CELLS,
        total: study.count(),
        done: 0,
        begun: 0,
        waiting: 0,
        failed: Vec::new(),
        core_seconds_left: 0.0,
    };
    for cell in study.cells() {
        let state = study.state(&cell, &folder)?;
        if !matches!(state, CellState::Done(_)) {
            status.core_seconds_left += study.cost(&cell);
        }
        match state {
            CellState::Done(_) => status.done += 1,
            CellState::Begun => status.begun += 1,
            CellState::Waiting => status.waiting += 1,
            CellState::Failed { error, .. } => {
                let (cell, id) = (study.label(&cell), study.id(&cell));
                status.failed.push(FailedCell { cell, id, error });
            }
        }
    }
    Ok(status)
}
