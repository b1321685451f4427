//! A worker's way through a study: each cell of its shard that is not finished, and that no other worker has, is
//! computed.

use super::collect::{count_missing, write_record};
use super::study::{
    CellState, CellStudy, Failure, claim, failure_path, lease_folder, names, read_failure,
    without_path, write,
};
use crate::lease::{BEAT, Leases};
use crate::record::RecordError;
use crate::shard::Shard;
use crate::workers::{Ask, News, Outcome, StudyObserver, Task, work_through};
use picloom_base::files::{WriteError, write_atomic};
use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Workers that die with a cell, one after the other, before it counts as failed.
pub(crate) const DEATHS: usize = 5;

/// The leases and the shard of a process.
pub struct Worker {
    /// The cells it has.
    pub leases: Arc<Leases>,
    /// The cells it may take.
    pub shard: Shard,
}

impl Worker {
    /// One that takes any cell.
    pub fn new() -> Self {
        Worker { leases: Arc::new(Leases::new(BEAT)), shard: Shard::ALL }
    }
}

impl Default for Worker {
    fn default() -> Self {
        Worker::new()
    }
}

/// The result of a worker's pass through a study.
#[derive(Clone, Debug, PartialEq)]
pub struct Worked<R> {
    /// Cells it computed.
    pub done: usize,
    /// Cells of its shard that failed while it worked.
    pub failed: usize,
    /// Cells of other shards that are neither finished nor failed.
    pub missing: usize,
    /// The record, which is written once no cell is missing.
    pub record: Option<R>,
}

/// The state of a shard after one pass through it.
#[derive(Default)]
struct Pass {
    done: usize,
    failed: usize,
    /// Cells that another worker has.
    elsewhere: Vec<usize>,
}

/// Works through the worker's shard until each of its cells is finished or has failed, here or elsewhere; waits
/// for cells that other workers have. Each failed cell is tried once more. If no cell of the study is
/// missing then, writes `RUNS/STUDY/study.json` and `rows.csv.gz`. `None` if the observer stopped it.
///
/// # Errors
/// Files cannot be written or are damaged, threads not started: then no cell is held any more. A failing
/// cell is no error: the record says why.
pub(crate) fn work<S: CellStudy>(
    study: &S,
    runs: &Path,
    worker: &Worker,
    observer: &mut dyn StudyObserver,
) -> Result<Option<Worked<S::Record>>, RecordError> {
    let folder = claim(runs, study.name())?;
    // A cell is tried again that failed before this worker began, not one that fails meanwhile elsewhere.
    let failures = names(&folder.join("failed")).into_iter().filter_map(|name| {
        let id = name.strip_suffix(".json")?.to_string();
        Some((read_failure(&folder, &id)?.tries, id))
    });
    let tried: BTreeMap<String, u32> = failures.map(|(tries, id)| (id, tries)).collect();
    let gives_up = |id: &str| {
        let tries = read_failure(&folder, id).map_or(0, |failure| failure.tries);
        tries > tried.get(id).copied().unwrap_or(0)
    };
    let mut share: Vec<usize> = (0..study.count()).filter(|n| worker.shard.has(*n)).collect();
    let (mut done, mut failed) = (0, 0);
    let (mut patience, mut is_waiting) = (Patience::default(), false);
    loop {
        let Some(went) = pass(study, &folder, &share, worker, &gives_up, observer)? else {
            return Ok(None);
        };
        (done, failed) = (done + went.done, failed + went.failed);
        share = went.elsewhere;
        if share.is_empty() {
            break;
        }
        if went.done + went.failed > 0 || !is_waiting {
            patience = Patience::default();
            observer.waits(share.len());
        }
        is_waiting = true;
        if !patience.wait(observer) {
            return Ok(None);
        }
    }
    let missing = match worker.shard == Shard::ALL {
        true => 0,
        false => count_missing(study, &folder)?,
    };
    let record = if missing == 0 { Some(write_record(study, runs)?) } else { None };
    Ok(Some(Worked { done, failed, missing, record }))
}

/// `work` of one that takes any cell; `None` if the observer stopped it.
///
/// # Errors
/// As `work`.
pub fn run_cells<S: CellStudy>(
    study: &S,
    runs: &Path,
    observer: &mut dyn StudyObserver,
) -> Result<Option<S::Record>, RecordError> {
    Ok(work(study, runs, &Worker::new(), observer)?.and_then(|worked| worked.record))
}

/// Goes once through the cells of these numbers and computes those that are not finished; `None` if
/// the observer stopped it.
fn pass<S: CellStudy>(
    study: &S,
    folder: &Path,
    share: &[usize],
    worker: &Worker,
    gives_up: &(dyn Fn(&str) -> bool + Sync),
    observer: &mut dyn StudyObserver,
) -> Result<Option<Pass>, RecordError> {
    let mut ids = BTreeSet::new();
    let [failed, leased] = ["failed", "leases"].map(|part| names(&folder.join(part)));
    let (mut found, mut waiting) = (Vec::new(), Vec::new());
    for &number in share {
        let cell = study.cell(number);
        let id = study.id(&cell);
        if ids.contains(&id) {
            continue;
        }
        match study.state(&cell, folder)? {
            CellState::Done(_) => {
                // Whoever finished it may have died before it cleared up.
                if failed.contains(&format!("{id}.json")) {
                    let _ = std::fs::remove_file(failure_path(folder, &id));
                }
                if leased.contains(&id) {
                    let _ = std::fs::remove_dir_all(lease_folder(folder, &id));
                }
                found.push(number);
            }
            _ => waiting.push(number),
        }
        ids.insert(id);
    }
    let seen = Mutex::new(Pass::default());
    let task = |number: usize| {
        let cell = study.cell(number);
        Task { label: study.label(&cell), cost: study.cost(&cell) }
    };
    let work = |number: usize, ask: Ask<'_>| {
        let cell = study.cell(number);
        let outcome = compute(study, &cell, folder, worker, gives_up, ask)?;
        let mut seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
        match outcome {
            Outcome::Done => seen.done += 1,
            Outcome::Failed(_) => seen.failed += 1,
            Outcome::Elsewhere => seen.elsewhere.push(number),
            Outcome::Interrupted | Outcome::Found => {}
        }
        Ok(outcome)
    };
    let went = work_through([&found, &waiting], task, study.at_a_time(), work, observer)?;
    let mut pass = seen.into_inner().unwrap_or_else(PoisonError::into_inner);
    pass.elsewhere.sort_unstable();
    Ok(went.then_some(pass))
}

/// Waiting for others: a tenth of a second, then twice as long each time, up to a second.
#[derive(Default)]
struct Patience {
    tenths: u32,
}

impl Patience {
    /// Waits; false if the observer stopped it.
    fn wait(&mut self, observer: &mut dyn StudyObserver) -> bool {
        self.tenths = (2 * self.tenths).clamp(1, 10);
        (0..self.tenths).all(|_| {
            std::thread::sleep(Duration::from_millis(100));
            observer.going_on()
        })
    }
}

/// Computes one cell, if no other worker has it, and keeps what it left, or says why it left nothing.
fn compute<S: CellStudy>(
    study: &S,
    cell: &S::Cell,
    folder: &Path,
    worker: &Worker,
    gives_up: &(dyn Fn(&str) -> bool + Sync),
    ask: Ask<'_>,
) -> Result<Outcome, WriteError> {
    let id = study.id(cell);
    let Some(lease) = worker.leases.take(&lease_folder(folder, &id))? else {
        return Ok(Outcome::Elsewhere);
    };
    // Since the look at all cells another worker may have finished it, or given up.
    match study.state(cell, folder) {
        Ok(CellState::Done(_)) => return Ok(Outcome::Found),
        Ok(CellState::Failed { error, .. }) if gives_up(&id) => {
            return Ok(Outcome::Failed(error));
        }
        _ => {}
    }
    let fail = |error: String| {
        let tries = 1 + read_failure(folder, &id).map_or(0, |failure| failure.tries);
        let failure = Failure { cell: study.label(cell), error: error.clone(), tries };
        write(&failure_path(folder, &id), &failure)?;
        Ok(Outcome::Failed(error))
    };
    if lease.deaths() >= DEATHS {
        let error = format!(
            "{} workers died with it, one after the other: killed, or out of memory",
            lease.deaths()
        );
        return fail(error);
    }
    let going_on = |news: News<'_>| ask.tell(news) && lease.is_held();
    let may_write = || lease.confirm();
    let left = unbroken(|| study.compute(cell, folder, Ask::new(&going_on).writing(&may_write)));
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
                Some(error) => fail(error),
                None => {
                    let _ = std::fs::remove_file(failure_path(folder, &id));
                    Ok(Outcome::Done)
                }
            }
        }
        Err(error) => {
            takes_files(folder)?;
            fail(without_path(&error, folder))
        }
    }
}

/// Runs the work and catches a panic. A panic is a fault of this program: the cell has failed, the
/// others go on.
fn unbroken<T>(work: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message");
        Err(format!("a fault in picloom, please report it: {text}"))
    })
}

/// Refuses a folder that takes no more files: a cell that failed there is not at fault.
fn takes_files(folder: &Path) -> Result<(), WriteError> {
    let probe = folder.join(".probe");
    write_atomic(&probe, &[0; 1 << 16])?;
    let _ = std::fs::remove_file(probe);
    Ok(())
}
