//! Every kind of study, by the `kind` of its spec: what can be done with one, whatever it is.

use super::cells::{self, CellStudy, Status};
use super::networks::{NetworksSpec, NetworksStudy};
use super::record::{Record, RecordError};
use super::reevolution::{ReevolutionSpec, ReevolutionStudy};
use super::spec::{Problem, Spec, SpecError, Title};
use super::structural::{StructuralSpec, StructuralStudy};
use super::theory::study::{TheorySpec, TheoryStudy};
use super::training::{TrainingSpec, TrainingStudy};
use super::workers::StudyObserver;
use super::xor::{XorSpec, XorStudy};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Reads the spec at a path in a profile; records of other studies are under the folder of runs.
type Read = fn(&Path, Option<&str>, &Path) -> Result<Box<dyn Study>, SpecError>;

/// Every kind of study that is a table of cells. A new one is a [`CellStudy`] and a row here.
pub const KINDS: &[(&str, Read)] = &[
    (TrainingSpec::KIND, |path, profile, _| Ok(Box::new(TrainingStudy::read(path, profile)?))),
    (NetworksSpec::KIND, |path, profile, runs| {
        Ok(Box::new(NetworksStudy::read(path, profile, runs)?))
    }),
    (TheorySpec::KIND, |path, profile, _| Ok(Box::new(TheoryStudy::read(path, profile)?))),
    (StructuralSpec::KIND, |path, profile, _| Ok(Box::new(StructuralStudy::read(path, profile)?))),
    (XorSpec::KIND, |path, profile, _| Ok(Box::new(XorStudy::read(path, profile)?))),
    (ReevolutionSpec::KIND, |path, profile, _| {
        Ok(Box::new(ReevolutionStudy::read(path, profile)?))
    }),
];

/// The study of a spec, of whatever kind.
///
/// # Errors
/// Not readable, of no known kind, or what its kind says.
pub fn read_study(
    path: &Path,
    profile: Option<&str>,
    runs: &Path,
) -> Result<Box<dyn Study>, SpecError> {
    let kind = Title::read(path)?.kind;
    match KINDS.iter().find(|(name, _)| *name == kind) {
        Some((_, read)) => read(path, profile, runs),
        None => {
            let names: Vec<&str> = KINDS.iter().map(|k| k.0).collect();
            let (key, expected) = ("kind".into(), format!("one of {}", names.join(", ")));
            Err(Problem { key, expected, found: format!("{kind:?}") }.at(path))
        }
    }
}

/// What can be done with a study, whatever its kind: every [`CellStudy`] is one.
pub trait Study {
    /// Name of the study: its folder under `runs/` and `figures/`.
    fn name(&self) -> &str;

    /// The profile.
    fn profile(&self) -> &str;

    /// What its cells are called.
    fn called(&self) -> &'static str;

    /// The number of its cells.
    fn count(&self) -> usize;

    /// Computes what is not finished; none if the observer stopped it.
    ///
    /// # Errors
    /// As [`cells::run_cells`].
    fn run(
        &self,
        runs: &Path,
        observer: &mut dyn StudyObserver,
    ) -> Result<Option<Collected>, RecordError>;

    /// Counts its cells by their state.
    ///
    /// # Errors
    /// A cell's file is damaged.
    fn status(&self, runs: &Path) -> Result<Status, RecordError>;

    /// What its cells left; with `beside`, the record's pictures are put into that folder.
    ///
    /// # Errors
    /// As [`cells::collect_cells`].
    fn collect(&self, runs: &Path, beside: Option<&Path>) -> Result<Collected, RecordError>;
}

/// A record as text.
#[derive(Clone, Debug, PartialEq)]
pub struct Collected {
    /// The study's folder.
    pub folder: PathBuf,
    /// The bytes of `record.json`.
    pub record: String,
    /// The table.
    pub table: String,
    /// What came out, for people.
    pub summary: String,
    /// What came out, for programs.
    pub findings: Value,
}

fn collected<S: CellStudy>(study: &S, runs: &Path, record: &S::Record) -> Collected {
    Collected {
        folder: cells::study_folder(study, runs),
        record: record.to_json(),
        table: record.to_csv(),
        summary: record.summary(),
        findings: record.findings(),
    }
}

impl<S: CellStudy> Study for S {
    fn name(&self) -> &str {
        CellStudy::name(self)
    }

    fn profile(&self) -> &str {
        CellStudy::profile(self)
    }

    fn called(&self) -> &'static str {
        S::CELLS
    }

    fn count(&self) -> usize {
        self.cells().len()
    }

    fn run(
        &self,
        runs: &Path,
        observer: &mut dyn StudyObserver,
    ) -> Result<Option<Collected>, RecordError> {
        let record = cells::run_cells(self, runs, observer)?;
        Ok(record.map(|record| collected(self, runs, &record)))
    }

    fn status(&self, runs: &Path) -> Result<Status, RecordError> {
        cells::status(self, runs)
    }

    fn collect(&self, runs: &Path, beside: Option<&Path>) -> Result<Collected, RecordError> {
        let record = cells::collect_cells(self, runs)?;
        if let Some(to) = beside {
            self.pictures(&record, &cells::study_folder(self, runs), to)?;
        }
        Ok(collected(self, runs, &record))
    }
}
