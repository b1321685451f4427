//! Kinds of study, by the `kind` of a spec: what can be done with a study, whatever kind it is.

use super::cells::{self, CellStudy, Status, Worker};
use super::networks::{NetworksSpec, NetworksStudy};
use super::record::{Record, RecordError};
use super::spec::{Spec, SpecError, SpecFile};
use super::workers::StudyObserver;
use crate::base::files::create_folder;
use crate::base::refusal::Refusal;
use serde_json::Value;
use std::path::Path;

/// Resolves a spec in a profile; results of other studies are under the folder of runs.
pub type Read = fn(&SpecFile<'_>, Option<&str>, &Path) -> Result<Box<dyn Study>, SpecError>;

/// A kind of study: its name in specs, and what reads a spec of it.
pub type Kind = (&'static str, Read);

/// The kinds of study that this crate has. A program with others of its own hands these in together with
/// them; a new one is a [`CellStudy`] and a row.
pub const KINDS: [Kind; 1] = [(NetworksSpec::KIND, |file, profile, runs| {
    Ok(Box::new(NetworksStudy::of(file, profile, runs)?))
})];

/// The study of a spec, of any of these kinds.
///
/// # Errors
/// Not readable, of none of the kinds, or what its kind says.
pub fn read_study(
    kinds: &[Kind],
    file: &SpecFile<'_>,
    profile: Option<&str>,
    runs: &Path,
) -> Result<Box<dyn Study>, SpecError> {
    let kind = file.kind();
    match kinds.iter().find(|(name, _)| *name == kind) {
        Some((_, read)) => read(file, profile, runs),
        None => {
            let names: Vec<&str> = kinds.iter().map(|k| k.0).collect();
            let expected = format!("one of {}", names.join(", "));
            Err(Refusal::new("kind", expected, format!("{kind:?}")).in_file(file.path()).into())
        }
    }
}

/// The study whose record decides the cells of a spec; `None` if there is no such study.
///
/// # Errors
/// The spec is not valid.
pub fn decided_by(file: &SpecFile<'_>, profile: Option<&str>) -> Result<Option<String>, SpecError> {
    match file.kind() == NetworksSpec::KIND {
        true => Ok(file.spec::<NetworksSpec>(profile)?.0.depth_from),
        false => Ok(None),
    }
}

/// [`read_study`] of one that another's record decides, before that is there: with as many cells as it is
/// going to have, as far as can be said.
///
/// # Errors
/// As [`read_study`].
pub fn read_undecided(
    file: &SpecFile<'_>,
    profile: Option<&str>,
) -> Result<Box<dyn Study>, SpecError> {
    Ok(Box::new(NetworksStudy::of_undecided(file, profile)?))
}

/// The operations on a study, whatever its kind: every [`CellStudy`] is one.
pub trait Study: Sync {
    /// Name of the study: its folder under `runs/` and `figures/`.
    fn name(&self) -> &str;

    /// The profile.
    fn profile(&self) -> &str;

    /// The name of its cells.
    fn called(&self) -> &'static str;

    /// The number of its cells.
    fn count(&self) -> usize;

    /// Targets without cells, as [`CellStudy::left_out`] says.
    fn left_out(&self) -> &[String];

    /// Works through the worker's shard; `None` if the observer stopped it.
    ///
    /// # Errors
    /// As [`cells::work`].
    fn work(
        &self,
        runs: &Path,
        worker: &Worker,
        observer: &mut dyn StudyObserver,
    ) -> Result<Option<Worked>, RecordError>;

    /// Counts its cells by their state.
    ///
    /// # Errors
    /// A cell's file is damaged.
    fn status(&self, runs: &Path) -> Result<Status, RecordError>;

    /// Writes what its finished cells left, the table and `study.json` with the pictures beside them, into a folder,
    /// and says how many cells are missing there.
    ///
    /// # Errors
    /// As [`cells::so_far`]; files cannot be written.
    fn collect(&self, runs: &Path, to: &Path) -> Result<usize, RecordError>;
}

/// The result of a worker's pass through a study, whatever its kind.
pub type Worked = cells::Worked<Finished>;

/// The findings of a record.
#[derive(Clone, Debug, PartialEq)]
pub struct Finished {
    /// The findings, for people.
    pub summary: String,
    /// The findings, for programs.
    pub findings: Value,
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
        CellStudy::count(self)
    }

    fn left_out(&self) -> &[String] {
        CellStudy::left_out(self)
    }

    fn work(
        &self,
        runs: &Path,
        worker: &Worker,
        observer: &mut dyn StudyObserver,
    ) -> Result<Option<Worked>, RecordError> {
        let worked = cells::work(self, runs, worker, observer)?;
        Ok(worked.map(|worked| Worked {
            done: worked.done,
            failed: worked.failed,
            missing: worked.missing,
            record: worked
                .record
                .map(|record| Finished { summary: record.summary(), findings: record.findings() }),
        }))
    }

    fn status(&self, runs: &Path) -> Result<Status, RecordError> {
        cells::status(self, runs)
    }

    fn collect(&self, runs: &Path, to: &Path) -> Result<usize, RecordError> {
        let (record, missing) = cells::so_far(self, runs)?;
        create_folder(to)?;
        self.pictures(&record, &cells::study_folder(self, runs), to)?;
        record.save_without(to, missing)?;
        Ok(missing)
    }
}
