//! Collects the outcomes of cells into one record, and counts the finished ones.

use super::study::{CellState, CellStudy, lease_folder, names, study_folder};
use crate::lease::Holder;
use crate::record::{MACHINE, Record, RecordError};
use picloom_base::files::{WriteError, remove_leftovers, write_atomic};
use picloom_base::refusal::Refusal;
use serde::Serialize;
use std::path::Path;

/// Writes `RUNS/STUDY/study.json` and `rows.csv.gz` of a study whose cells are all finished or failed.
///
/// # Errors
/// As [`collect_cells`]; files cannot be written.
pub(crate) fn write_record<S: CellStudy>(study: &S, runs: &Path) -> Result<S::Record, RecordError> {
    let folder = study_folder(study, runs);
    let record = collect_cells(study, runs)?;
    study.pictures(&record, &folder, &folder)?;
    save(study, &record, (&folder, &folder), 0)?;
    // Of workers that were killed while they wrote; then the folder of leases, if it is empty.
    for part in ["", "cells", "failed", "views"] {
        remove_leftovers(&folder.join(part));
    }
    let _ = std::fs::remove_dir(folder.join("leases"));
    Ok(record)
}

/// Writes a record into `to` with how it was made; the cells left theirs in `from`.
pub(crate) fn save<S: CellStudy>(
    study: &S,
    record: &S::Record,
    (from, to): (&Path, &Path),
    missing: usize,
) -> Result<(), WriteError> {
    record.save_made(to, missing, study.made())?;
    match study.machine(record, from) {
        Some(machine) => write_atomic(&to.join(MACHINE), format!("{machine:#}\n").as_bytes()),
        None => Ok(()),
    }
}

/// The record of a study whose cells are all finished or failed.
///
/// # Errors
/// Some are not, or are damaged.
pub fn collect_cells<S: CellStudy>(study: &S, runs: &Path) -> Result<S::Record, RecordError> {
    let (outcomes, total) = (outcomes(study, runs)?, study.count());
    let done = outcomes.iter().flatten().count();
    if done < total {
        let at = format!("study {}, profile {}", study.name(), study.profile());
        let folder = study_folder(study, runs);
        let expected = format!("{total} finished {} in {}", S::CELLS, folder.display());
        let refusal = Refusal::new(at, expected, done.to_string()).as_failure();
        return Err(refusal.advising("go on with the command `run`").into());
    }
    Ok(study.record(outcomes.into_iter().flatten().collect()))
}

/// The outcome of a cell, or its error; `None` if it is neither finished nor failed.
type Left<S> = Option<Result<<S as CellStudy>::Outcome, String>>;

/// The outcome of each cell, in order.
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
                CellState::Waiting => None,
            })
        })
        .collect()
}

/// Cells that are neither finished nor failed.
pub(super) fn count_missing<S: CellStudy>(study: &S, folder: &Path) -> Result<usize, RecordError> {
    let mut missing = 0;
    for cell in study.cells() {
        let state = study.state(&cell, folder)?;
        missing += usize::from(matches!(state, CellState::Waiting));
    }
    Ok(missing)
}

/// The record of the cells that are finished or have failed, and how many are missing: to look at, not to decide on.
///
/// # Errors
/// A cell's file is damaged.
pub fn so_far<S: CellStudy>(study: &S, runs: &Path) -> Result<(S::Record, usize), RecordError> {
    let outcomes = outcomes(study, runs)?;
    let missing = outcomes.iter().filter(|left| left.is_none()).count();
    let named = |left: Left<S>| left.unwrap_or_else(|| Err(UNFINISHED.to_string()));
    Ok((study.record(outcomes.into_iter().map(named).collect()), missing))
}

/// The error in a record [so far](so_far) for cells that are still to be computed.
const UNFINISHED: &str = "not computed yet";

/// How far a study is.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Status {
    /// Name of the study.
    pub study: String,
    /// The profile.
    pub profile: String,
    /// The name of its cells.
    #[serde(skip)]
    pub cells: &'static str,
    /// Cells.
    pub total: usize,
    /// Finished.
    pub done: usize,
    /// Worked on.
    pub held: Vec<HeldCell>,
    /// To be worked on: begun and interrupted, or not begun.
    pub free: usize,
    /// Failed, with the reasons.
    pub failed: Vec<FailedCell>,
    /// Networks that are to be trained for the cells that are not finished; of other kinds of study, those cells.
    pub to_make: usize,
    /// About how long what is left of them takes, in seconds of one core.
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

/// A cell that a worker has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct HeldCell {
    /// The cell in a few words.
    pub cell: String,
    /// Its id.
    pub id: String,
    /// The machine.
    pub host: String,
    /// Number of the process there.
    pub process: u32,
    /// True if it is certainly dead; another worker takes over.
    pub is_dead: bool,
}

/// Counts the cells of a study by their state. A failed cell that is tried again is held.
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
        held: Vec::new(),
        free: 0,
        failed: Vec::new(),
        to_make: 0,
        core_seconds_left: 0.0,
    };
    let leased = names(&folder.join("leases"));
    for cell in study.cells() {
        let state = study.state(&cell, &folder)?;
        if matches!(state, CellState::Done(_)) {
            status.done += 1;
            continue;
        }
        let (to_make, seconds) = study.left(&cell, &folder);
        status.to_make += to_make;
        status.core_seconds_left += seconds;
        let (label, id) = (study.label(&cell), study.id(&cell));
        let lease = leased.contains(&id).then(|| lease_folder(&folder, &id));
        match (lease.and_then(|lease| Holder::of(&lease)), state) {
            (Some(holder), _) => status.held.push(HeldCell {
                cell: label,
                id,
                is_dead: holder.is_gone(),
                host: holder.host,
                process: holder.process,
            }),
            (None, CellState::Failed { error, .. }) => {
                status.failed.push(FailedCell { cell: label, id, error });
            }
            _ => status.free += 1,
        }
    }
    Ok(status)
}
