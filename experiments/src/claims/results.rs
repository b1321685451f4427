//! The results that the ledger is made of, and what verdicts and values have in common.

use crate::finding::Verdict;
use picloom::base::refusal::Refusal;
use picloom::study::contrast::Tables;
use picloom::study::record::{Record, RecordError, STUDY, damaged, study_of};
use std::path::{Path, PathBuf};

/// Why there is no ledger.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LedgerError {
    /// A result cannot be read.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// A table cannot be read.
    #[error("{0}")]
    Table(Refusal),
}

/// The results of the study's parts in a folder, each read when it is asked for.
pub(crate) struct Results {
    folder: PathBuf,
    parts: Vec<String>,
    pub(super) tables: Tables,
}

impl Results {
    /// Those in `FOLDER/PART` of the parts of a study.
    pub(crate) fn below(folder: &Path, parts: Vec<String>) -> Self {
        let tables = Tables::below([folder.to_path_buf()]);
        Results { folder: folder.to_path_buf(), parts, tables }
    }

    /// Parts without a result.
    pub(crate) fn missing(&self) -> Vec<&str> {
        let parts = self.parts.iter().map(String::as_str);
        parts.filter(|part| !self.folder.join(part).join(STUDY).exists()).collect()
    }

    /// True if no part has a result.
    pub(crate) fn is_empty(&self) -> bool {
        self.missing().len() == self.parts.len()
    }

    /// The folder of a part's result, if it is there.
    ///
    /// # Errors
    /// Another part's result is in its place; a study of one's own may be.
    pub(crate) fn of(&self, part: &str) -> Result<Option<PathBuf>, RecordError> {
        let path = self.folder.join(part);
        if !path.join(STUDY).exists() {
            return Ok(None);
        }
        match study_of(&path).filter(|other| other != part && self.parts.contains(other)) {
            Some(other) => {
                Err(damaged(&path, format!("a record of {part}"), format!("one of {other}")))
            }
            None => Ok(Some(path)),
        }
    }

    /// The record of a part, if it is there.
    ///
    /// # Errors
    /// It cannot be read.
    pub(crate) fn record<R: Record>(&self, part: &str) -> Result<Option<R>, RecordError> {
        self.of(part)?.map(|path| R::read(&path)).transpose()
    }
}

/// The table of a part's result, relative to the ledger.
pub(super) fn path(part: &str) -> String {
    format!("{part}/rows.csv.gz")
}

/// Supported if all are; not supported if one is not; else inconclusive.
pub(super) fn all_of(verdicts: &[Verdict]) -> Verdict {
    match () {
        () if verdicts.contains(&Verdict::NotSupported) => Verdict::NotSupported,
        () if verdicts.iter().all(|v| *v == Verdict::Supported) => Verdict::Supported,
        () => Verdict::Inconclusive,
    }
}

/// An estimate with the ends of its interval, as far as they are known.
pub(crate) type Valued = (Option<f64>, Option<(f64, f64)>);

/// `−0.095 [−0.132, −0.058]`.
pub(crate) fn difference((estimate, ends): Valued) -> String {
    let three = |x: f64| picloom::base::text::fixed(x, 3);
    match (estimate, ends) {
        (Some(e), Some((l, h))) => format!("{} [{}, {}]", three(e), three(l), three(h)),
        (Some(e), None) => three(e),
        (None, _) => "no data".into(),
    }
}
