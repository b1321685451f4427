//! What the cells left, as one record, and how far they are.

use super::study::{CellState, CellStudy, study_folder};
use crate::experiment::record::{Record, RecordError};
use serde::Serialize;
use std::path::Path;

/// Writes `RUNS/STUDY/study.json` and `rows.csv.gz` of a study whose cells are all finished or failed.
///
/// # Errors
/// As [`collect_cells`]; files cannot be written.
pub fn write_record<S: CellStudy>(study: &S, runs: &Path) -> Result<S::Record, RecordError> {
    let folder = study_folder(study, runs);
    let record = collect_cells(study, runs)?;
    study.pictures(&record, &folder, &folder)?;
    record.save(&folder)?;
    // If it is empty.
    let _ = std::fs::remove_dir(folder.join("leases"));
    Ok(record)
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

/// The record of the cells that are finished so far: to look at, not to decide on.
///
/// # Errors
/// A cell's file is damaged.
pub fn so_far<S: CellStudy>(study: &S, runs: &Path) -> Result<S::Record, RecordError> {
    let outcomes = outcomes(study, runs)?.into_iter();
    let outcomes = outcomes.map(|left| left.unwrap_or_else(|| Err(UNFINISHED.to_string())));
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
