//! What was computed before, on another machine or in another profile, is not computed again.

use super::study::{CellState, CellStudy, Known, study_folder, taken, taken_path, write_cell};
use crate::experiment::folder::Holding;
use crate::experiment::record::{Record, RecordError};
use crate::network::files::create_folder;
use std::path::{Path, PathBuf};

/// What was taken over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Adopted {
    /// Cells taken whole.
    pub whole: usize,
    /// Cells of which a part was taken.
    pub in_part: usize,
    /// Networks of the records whose pictures are not beside them: they are named no more.
    pub pictures_lost: usize,
}

/// Takes what is not finished under `runs` over from records of the same study, made before on other
/// machines or in other profiles, whole or [so far](super::so_far), with the pictures beside them. Of what
/// several have, the first's is taken.
///
/// # Errors
/// A record cannot be read or is of another study; files are damaged or cannot be written.
pub fn adopt<S: CellStudy>(
    study: &S,
    runs: &Path,
    records: &[PathBuf],
) -> Result<Adopted, RecordError> {
    let mut adopted = Adopted::default();
    let mut before = Vec::new();
    for path in records {
        let mut record = S::Record::read(path)?;
        study.is_of(&record).map_err(|(expected, found)| RecordError::Elsewhere {
            path: path.into(),
            expected,
            found,
        })?;
        let beside = path.parent().unwrap_or(Path::new("."));
        adopted.pictures_lost += record.forget_pictures(&|file| !beside.join(file).exists());
        before.push((beside, record));
    }
    let folder = study_folder(study, runs);
    Holding::Study.ask(&folder)?;
    create_folder(&folder)?;
    for (beside, record) in &before {
        study.pictures(record, beside, &folder)?;
    }
    let before: Vec<S::Record> = before.into_iter().map(|(_, record)| record).collect();
    for cell in study.cells() {
        if matches!(study.state(&cell, &folder)?, CellState::Done(_)) {
            continue;
        }
        let path = taken_path(&folder, &study.id(&cell));
        match study.known(&cell, taken(study, &cell, &folder)?, &before) {
            Known::Whole(outcome) => {
                study.keep(&cell, outcome, &folder)?;
                let _ = std::fs::remove_file(path);
                adopted.whole += 1;
            }
            Known::Part(outcome) => {
                write_cell::<S>(&cell, outcome, &path)?;
                adopted.in_part += 1;
            }
            Known::Nothing => {}
        }
    }
    Ok(adopted)
}
