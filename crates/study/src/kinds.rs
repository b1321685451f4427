//! Kinds of study, by the `kind` of a spec: what can be done with a study, whatever kind it is.

use super::analysis::Analysis;
use super::cells::{self, CellStudy, Status, Worker};
use super::record::{Record, RecordError};
use super::spec::{SpecError, SpecFile};
use super::workers::StudyObserver;
use picloom_base::files::create_folder;
use picloom_base::refusal::Refusal;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Reads a spec of a kind in a profile; results of other studies are under the folder of runs.
pub(crate) type Read = fn(&SpecFile, Option<&str>, &Path) -> Result<Box<dyn Study>, SpecError>;

/// Reads a spec whose cells another study's record decides, before that record is there.
pub(crate) type ReadUndecided = fn(&SpecFile, Option<&str>) -> Result<Box<dyn Study>, SpecError>;

/// The name of the study whose record decides the cells of a spec.
pub(crate) type DecidedBy = fn(&SpecFile, Option<&str>) -> Result<Option<String>, SpecError>;

/// A kind of study. A program hands those it has to whoever reads specs.
#[derive(Clone, Copy)]
pub struct Kind {
    /// Its `kind` in specs.
    pub name: &'static str,
    /// Reads a spec of it.
    pub read: Read,
    /// Where another study's record may decide its cells: which one does, and with as many cells as can be said before.
    pub decided: Option<(DecidedBy, ReadUndecided)>,
}

impl Kind {
    /// The kind of a spec.
    ///
    /// # Errors
    /// It is none of `kinds`.
    fn of(kinds: &[Kind], file: &SpecFile) -> Result<Kind, SpecError> {
        let kind = file.kind();
        kinds.iter().find(|known| known.name == kind).copied().ok_or_else(|| {
            let names: Vec<&str> = kinds.iter().map(|k| k.name).collect();
            let expected = format!("one of {}", names.join(", "));
            Refusal::new("kind", expected, format!("{kind:?}")).in_file(file.path()).into()
        })
    }
}

/// The study of a spec, of any of these kinds.
///
/// # Errors
/// Not readable, of none of the kinds, or what its kind says.
pub fn read_study(
    kinds: &[Kind],
    file: &SpecFile,
    profile: Option<&str>,
    runs: &Path,
) -> Result<Box<dyn Study>, SpecError> {
    (Kind::of(kinds, file)?.read)(file, profile, runs)
}

/// Makes a study's folder in a store, with the rules that its result is going to be decided by.
///
/// # Errors
/// As [`cells::claim`]; the rules cannot be written.
pub fn begin(study: &dyn Study, rules: &Analysis, runs: &Path) -> Result<PathBuf, RecordError> {
    let folder = cells::claim(runs, study.name())?;
    rules.fix_rules(&folder, study.profile())?;
    Ok(folder)
}

/// The study whose record decides the cells of a spec; `None` if there is no such study.
///
/// # Errors
/// The spec is not valid.
pub(crate) fn decided_by(
    kinds: &[Kind],
    file: &SpecFile,
    profile: Option<&str>,
) -> Result<Option<String>, SpecError> {
    match Kind::of(kinds, file)?.decided {
        Some((decided_by, _)) => decided_by(file, profile),
        None => Ok(None),
    }
}

/// [`read_study`], of a spec whose deciding record need not be there; the count of cells is then an estimate.
///
/// # Errors
/// As [`read_study`].
pub(crate) fn read_undecided(
    kinds: &[Kind],
    file: &SpecFile,
    profile: Option<&str>,
    runs: &Path,
) -> Result<Box<dyn Study>, SpecError> {
    match Kind::of(kinds, file)?.decided {
        Some((_, read)) => read(file, profile),
        None => read_study(kinds, file, profile, runs),
    }
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
    /// As `cells::work`.
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
pub(crate) type Worked = cells::Worked<Finished>;

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
        cells::save(self, &record, (&cells::study_folder(self, runs), to), missing)?;
        Ok(missing)
    }
}
