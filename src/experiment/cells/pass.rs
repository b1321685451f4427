//! A pass through cells: each that is not finished, and that no other worker has, is computed.

use super::collect::write_record;
use super::study::{
    CellState, CellStudy, Failure, failure_path, lease_folder, names, read_failure, study_folder,
    without_path, write,
};
use crate::experiment::lease::{BEAT, Leases};
use crate::experiment::record::RecordError;
use crate::experiment::workers::{Ask, News, Outcome, StudyObserver, Task, work_through};
use crate::network::files::{WriteError, write_atomic};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

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
    let marker = study.marker();
    marker.ensure(&folder)?;
    marker.write(&folder)?;
    let mut pass = Pass::default();
    let mut ids = BTreeSet::new();
    let [failed, leased] = ["failed", "leases"].map(|part| names(&folder.join(part)));
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

/// Computes every cell that is not finished under `runs` and writes `RUNS/STUDY/study.json` and
/// `rows.csv.gz`; `None` if the observer stopped it. Cells that other workers have are waited for.
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
pub(in crate::experiment) struct Patience {
    tenths: u32,
}

impl Patience {
    /// Waits; false if the observer stopped it.
    pub(in crate::experiment) fn wait(&mut self, observer: &mut dyn StudyObserver) -> bool {
        self.tenths = (2 * self.tenths).clamp(1, 10);
        (0..self.tenths).all(|_| {
            std::thread::sleep(Duration::from_millis(100));
            observer.going_on()
        })
    }
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
