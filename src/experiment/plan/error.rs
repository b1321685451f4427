//! What can be wrong with a plan.

use crate::experiment::record::RecordError;
use crate::experiment::spec::SpecError;
use crate::network::files::WriteError;
use std::path::{Path, PathBuf};

/// Why a plan cannot be made or worked on.
#[derive(Debug, thiserror::Error)]
pub enum PlanError {
    /// A spec cannot be used.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// A study cannot be worked on, or has no record.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// A file cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// Something is not what it should be.
    #[error("{path}: expected {expected}, found {found}")]
    Refused {
        /// The plan, a file that it carries, or a folder of the store.
        path: PathBuf,
        /// What it should be.
        expected: String,
        /// What it is, and what to do.
        found: String,
    },
}

impl PlanError {
    pub(super) fn refused(
        path: &Path,
        expected: impl Into<String>,
        found: impl Into<String>,
    ) -> Self {
        let (expected, found) = (expected.into(), found.into());
        PlanError::Refused { path: path.to_path_buf(), expected, found }
    }
}
