//! Kinds of study, by the `kind` of a spec: what can be done with a study, whatever kind it is.

use super::cells::{self, CellStudy, Pass, Status, Worker};
use super::depth_sweep::DepthSweep;
use super::networks::{NetworksSpec, NetworksStudy};
use super::record::{Record, RecordError};
use super::single::{Compare, Regime, Settings, single};
use super::spec::{Spec, SpecError, SpecFile};
use super::workers::StudyObserver;
use crate::math::refusal::Refusal;
use crate::network::files::create_folder;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Resolves a spec in a profile; results of other studies are under the folder of runs.
pub type Read = fn(&SpecFile<'_>, Option<&str>, &Path) -> Result<Box<dyn Study>, SpecError>;

/// A kind of study: its name in specs, and what reads a spec of it.
pub type Kind = (&'static str, Read);

/// The kinds of study that this crate has. A program with others of its own hands these in together with
/// them; a new one is a [`CellStudy`] and a row.
pub const KINDS: [Kind; 4] = [
    (NetworksSpec::KIND, |file, profile, runs| {
        Ok(Box::new(NetworksStudy::of(file, profile, runs)?))
    }),
    (Compare::KIND, |file, profile, _| Ok(Box::new(single::<Compare>(file, profile)?))),
    (DepthSweep::KIND, |file, profile, _| Ok(Box::new(single::<DepthSweep>(file, profile)?))),
    (Regime::KIND, |file, profile, _| Ok(Box::new(single::<Regime>(file, profile)?))),
];

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

/// The study whose record decides the cells of a spec; none: no other does.
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

/// A cell as a line of a plan: all that its outcome depends on, besides the inputs it names.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// The study.
    pub study: String,
    /// Its id: a hash of the config. None as long as a record that is still to come decides it.
    pub cell: Option<String>,
    /// The cell in a few words.
    pub label: String,
    /// About how long it takes, in seconds of one core.
    pub core_seconds: f64,
    /// The resolved config.
    pub config: Value,
}

/// What can be done with a study, whatever its kind: every [`CellStudy`] is one.
pub trait Study: Sync {
    /// Name of the study: its folder under `runs/` and `figures/`.
    fn name(&self) -> &str;

    /// The profile.
    fn profile(&self) -> &str;

    /// What its cells are called.
    fn called(&self) -> &'static str;

    /// The number of its cells.
    fn count(&self) -> usize;

    /// Targets without cells, as [`CellStudy::left_out`] says.
    fn left_out(&self) -> &[String];

    /// Computes what is not finished, and says what came out, also for programs; none if the observer
    /// stopped it.
    ///
    /// # Errors
    /// As [`cells::run_cells`].
    fn run(
        &self,
        runs: &Path,
        observer: &mut dyn StudyObserver,
    ) -> Result<Option<(Finished, Value)>, RecordError>;

    /// What a training step of a cell takes, as [`CellStudy::step_cost`] has it.
    fn step_cost(&self, number: usize) -> Option<f64>;

    /// Shows every cell, in order.
    fn lines(&self, show: &mut dyn FnMut(Line));

    /// Goes once through the cells of these numbers.
    ///
    /// # Errors
    /// As [`cells::pass`].
    fn pass(
        &self,
        runs: &Path,
        share: &[usize],
        worker: &Worker,
        observer: &mut dyn StudyObserver,
    ) -> Result<Pass, RecordError>;

    /// Writes the record and the table into the study's folder.
    ///
    /// # Errors
    /// As [`cells::write_record`].
    fn finish(&self, runs: &Path) -> Result<Finished, RecordError>;

    /// Counts its cells by their state.
    ///
    /// # Errors
    /// A cell's file is damaged.
    fn status(&self, runs: &Path) -> Result<Status, RecordError>;

    /// Writes what its cells left, the table and `study.json` with the pictures beside them, into a folder; with
    /// `so_far` also if cells are still to come.
    ///
    /// # Errors
    /// As [`cells::collect_cells`]; files cannot be written.
    fn collect(&self, runs: &Path, to: &Path, so_far: bool) -> Result<(), RecordError>;
}

/// A study whose record is written.
#[derive(Clone, Debug, PartialEq)]
pub struct Finished {
    /// The study's folder.
    pub folder: PathBuf,
    /// What came out, for people.
    pub summary: String,
}

fn finished<S: CellStudy>(study: &S, runs: &Path, record: &S::Record) -> Finished {
    Finished { folder: cells::study_folder(study, runs), summary: record.summary() }
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

    fn run(
        &self,
        runs: &Path,
        observer: &mut dyn StudyObserver,
    ) -> Result<Option<(Finished, Value)>, RecordError> {
        let record = cells::run_cells(self, runs, observer)?;
        Ok(record.map(|record| (finished(self, runs, &record), record.findings())))
    }

    fn step_cost(&self, number: usize) -> Option<f64> {
        CellStudy::step_cost(self, &self.cell(number))
    }

    fn lines(&self, show: &mut dyn FnMut(Line)) {
        for cell in self.cells() {
            show(Line {
                study: CellStudy::name(self).into(),
                cell: Some(self.id(&cell)),
                label: self.label(&cell),
                core_seconds: self.cost(&cell),
                config: serde_json::to_value(cell.as_ref()).expect("a config is plain data"),
            });
        }
    }

    fn pass(
        &self,
        runs: &Path,
        share: &[usize],
        worker: &Worker,
        observer: &mut dyn StudyObserver,
    ) -> Result<Pass, RecordError> {
        cells::pass(self, runs, share, worker, observer)
    }

    fn finish(&self, runs: &Path) -> Result<Finished, RecordError> {
        let record = cells::write_record(self, runs)?;
        Ok(finished(self, runs, &record))
    }

    fn status(&self, runs: &Path) -> Result<Status, RecordError> {
        cells::status(self, runs)
    }

    fn collect(&self, runs: &Path, to: &Path, so_far: bool) -> Result<(), RecordError> {
        let left = match so_far {
            true => cells::so_far(self, runs)?,
            false => cells::collect_cells(self, runs)?,
        };
        create_folder(to)?;
        self.pictures(&left, &cells::study_folder(self, runs), to)?;
        Ok(left.save(to)?)
    }
}
