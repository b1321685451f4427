//! Plans: studies as files of cells that any scheduler can hand out.
//!
//! In: specs. Out: `plan.jsonl`, a line that says what it is and then one line a cell
//! ([`Line`]). Then: shares of it worked through on as many machines as there are
//! ([`work`]), with one folder between them; how far they are ([`status`]); the records, with the bytes of a
//! run on one machine ([`collect`]); scripts for schedulers ([`emit`]).
//!
//! A plan carries the specs and the files they name (not those of an archive, which are other people's:
//! workers need `PICLOOM_ARCHIVE` then, as the planner did). A worker unpacks them into the store and
//! resolves the specs there, so that it needs the plan and the store and nothing else; what it resolves must
//! have the hash that the plan has of its cells, or it refuses to work.
//!
//! What depends on each other is inside one cell (a pruning and its parent). One dependency is between
//! studies: a study whose depths another's record predicts. Its part of the plan names the other
//! (`after`), its cells have no id yet, and workers come to them once the other's cells are over.

pub mod emit;
mod error;
mod estimate;
mod files;
mod share;
mod state;
mod work;

pub use error::PlanError;
pub use estimate::{Estimate, wall};
pub use files::Carried;
pub use share::Share;
pub use state::{Failed, PlanStatus, Running, status};
pub use work::{Ended, collect, work};

use super::depth::record_path;
use super::kinds::{Kind, Line, Study, decided_by, read_study, read_undecided};
use super::record::STUDY;
use super::spec::{Places, Spec, SpecError, SpecFile, Title};
use super::whole::WholeSpec;
use crate::math::hash::{hex, json_id};
use crate::network::files::{WriteError, write_atomic_with};
use files::{Packer, stays_inside, unpack};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::{Component, Path, PathBuf};

/// Kind and version of a plan.
pub const FORMAT: &str = "picloom-plan/1";

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The first line of a plan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// [`FORMAT`].
    pub format: String,
    /// Version of the crate that made it; no other works on it.
    pub version: String,
    /// Cells of all parts.
    pub cells: usize,
    /// About how long they take, in seconds of one core.
    pub core_seconds: f64,
    /// The studies, in the order they are worked on.
    pub parts: Vec<Part>,
    /// Specs, and the files that they name.
    pub files: Vec<Carried>,
}

/// A study of a plan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Part {
    /// Its name: its folder in the store.
    pub study: String,
    /// Its kind.
    pub kind: String,
    /// Its profile.
    pub profile: String,
    /// Its spec, one of the plan's files.
    pub spec: String,
    /// Cells.
    pub cells: usize,
    /// About how long they take, in seconds of one core.
    pub core_seconds: f64,
    /// SHA-256 of its cells' lines.
    pub sha256: String,
    /// The study of this plan whose record decides its cells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
}

/// True for the name of a folder right below another.
fn is_folder_name(name: &str) -> bool {
    let mut parts = Path::new(name).components();
    let is_plain = matches!(parts.next(), Some(Component::Normal(part)) if part == name);
    is_plain && parts.next().is_none() && !name.contains(|c: char| c.is_control() || c == '\\')
}

/// The specs of the parts of a study that is made of others; else the spec itself.
fn parts_of(spec: &Path) -> Result<Vec<PathBuf>, SpecError> {
    match Title::read(spec)?.kind == WholeSpec::KIND {
        true => Ok(WholeSpec::read(spec)?.part_paths(spec)),
        false => Ok(vec![spec.to_path_buf()]),
    }
}

/// Counts the cells of a study and hashes them.
#[derive(Default)]
struct Tally {
    cells: usize,
    core_seconds: f64,
    hash: Sha256,
}

impl Tally {
    fn of(study: &dyn Study, is_decided: bool) -> Self {
        let mut tally = Tally::default();
        lines(study, is_decided, &mut |line| {
            tally.cells += 1;
            tally.core_seconds += line.core_seconds;
            tally.hash.update(serde_json::to_vec(&line).expect("a line is plain data"));
        });
        tally
    }

    fn sha256(self) -> String {
        hex(&self.hash.finalize())
    }
}

/// The lines of a study; before it is decided which cells it has, they have numbers only.
fn lines(study: &dyn Study, is_decided: bool, show: &mut dyn FnMut(Line)) {
    let mut number = 0;
    study.lines(&mut |line| {
        number += 1;
        show(match is_decided {
            true => line,
            false => Line {
                cell: None,
                label: format!("{} {number}", line.study),
                config: Value::Null,
                ..line
            },
        });
    });
}

/// A plan and its studies.
pub struct Planned {
    /// Its first line.
    pub plan: Plan,
    /// The studies of its parts.
    pub studies: Vec<Box<dyn Study>>,
}

impl Planned {
    /// Plans the studies of these specs in a profile; of a whole study, its parts, each of one of `kinds`. Records that decide
    /// cells and are of no study of the plan are looked for under `runs`, then under `figures/`.
    ///
    /// # Errors
    /// A spec cannot be used, or stands there twice.
    pub fn new(
        kinds: &[Kind],
        specs: &[PathBuf],
        profile: Option<&str>,
        runs: &Path,
    ) -> Result<Self, PlanError> {
        let (mut parts, mut studies): (Vec<Part>, Vec<Box<dyn Study>>) = Default::default();
        let mut packer = Packer::default();
        for spec in specs {
            for spec in parts_of(spec)? {
                let file = SpecFile::read(&spec)?;
                let decider = decided_by(&file, profile)?;
                let after = decider.clone().filter(|d| parts.iter().any(|part| part.study == *d));
                let study = match &after {
                    Some(_) => read_undecided(&file, profile)?,
                    None => read_study(kinds, &file, profile, runs)?,
                };
                if parts.iter().any(|part| part.study == study.name()) {
                    let found = format!("a second study {}", study.name());
                    return Err(PlanError::refused(
                        &spec,
                        "studies with names of their own",
                        found,
                    ));
                }
                let carried = packer.add(&spec)?;
                if let (Some(decider), None) = (&decider, &after)
                    && let Some(record) = record_path(decider, runs, &Places::of(&spec).above)
                {
                    packer.add_record(&spec, decider, &record)?;
                }
                let tally = Tally::of(study.as_ref(), after.is_none());
                parts.push(Part {
                    study: study.name().into(),
                    kind: file.kind().into(),
                    profile: study.profile().into(),
                    spec: carried,
                    cells: tally.cells,
                    core_seconds: tally.core_seconds,
                    sha256: tally.sha256(),
                    after,
                });
                studies.push(study);
            }
        }
        let plan = Plan {
            format: FORMAT.into(),
            version: VERSION.into(),
            cells: parts.iter().map(|part| part.cells).sum(),
            core_seconds: parts.iter().map(|part| part.core_seconds).sum(),
            parts,
            files: packer.files(),
        };
        Ok(Planned { plan, studies })
    }

    /// Writes the plan. Equal specs and inputs give equal bytes.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), WriteError> {
        write_atomic_with(path, |file| {
            let mut to = BufWriter::new(file);
            let mut failure = None;
            serde_json::to_writer(&mut to, &self.plan)?;
            to.write_all(b"\n")?;
            for (part, study) in self.plan.parts.iter().zip(&self.studies) {
                lines(study.as_ref(), part.after.is_none(), &mut |line| {
                    let mut json = serde_json::to_vec(&line).expect("a line is plain data");
                    json.push(b'\n');
                    if failure.is_none() {
                        failure = to.write_all(&json).err();
                    }
                });
            }
            failure.map_or_else(|| to.flush(), Err)
        })
    }
}

impl Plan {
    /// Reads the first line of a plan.
    ///
    /// # Errors
    /// Not readable, no plan, or that of another version.
    pub fn read(path: &Path) -> Result<Self, PlanError> {
        let refused = |found: String| PlanError::refused(path, format!("a plan {FORMAT}"), found);
        let file = std::fs::File::open(path).map_err(|e| refused(e.to_string()))?;
        let mut line = String::new();
        BufReader::new(file).read_line(&mut line).map_err(|e| refused(e.to_string()))?;
        let value: Value = serde_json::from_str(&line).map_err(|e| refused(e.to_string()))?;
        if value["format"] != FORMAT {
            return Err(refused(format!("format {}", value["format"])));
        }
        if value["version"] != VERSION {
            let expected = format!("a plan of version {VERSION}, which this program is");
            let found =
                format!("one of {}; plan anew, or run that version everywhere", value["version"]);
            return Err(PlanError::refused(path, expected, found));
        }
        let plan: Plan = serde_json::from_value(value).map_err(|e| refused(e.to_string()))?;
        // Folders in the store, and words in scripts: a plan may come from anybody.
        let names = plan.parts.iter().flat_map(|part| [&part.study].into_iter().chain(&part.after));
        if let Some(name) = names.into_iter().find(|name| !is_folder_name(name)) {
            return Err(refused(format!("a study {name:?}, which is no name of a folder")));
        }
        match plan.parts.iter().find(|part| !stays_inside(Path::new(&part.spec))) {
            Some(part) => {
                Err(refused(format!("a spec {:?}, which is none of its files", part.spec)))
            }
            None => Ok(plan),
        }
    }

    /// A hash of it.
    pub fn id(&self) -> String {
        json_id(self)
    }

    /// The study of a part, resolved from the inputs of the plan; none as long as the record is not there
    /// that decides its cells.
    ///
    /// # Errors
    /// What is resolved is not what was planned.
    fn study(
        &self,
        kinds: &[Kind],
        part: &Part,
        store: &Path,
    ) -> Result<Option<Box<dyn Study>>, PlanError> {
        if part.after.as_ref().is_some_and(|d| !store.join(d).join(STUDY).exists()) {
            return Ok(None);
        }
        let spec = unpack(&self.files, store)?.join(&part.spec);
        let study = read_study(kinds, &SpecFile::read(&spec)?, Some(&part.profile), store)?;
        if part.after.is_none() {
            let tally = Tally::of(study.as_ref(), true);
            let cells = tally.cells;
            if tally.sha256() != part.sha256 {
                let expected = format!("the {} cells that were planned", part.cells);
                let found = format!(
                    "{cells}, not the same: PICLOOM_ARCHIVE must be set here as where it was planned; plan anew if inputs have changed"
                );
                return Err(PlanError::refused(&spec, expected, found));
            }
        }
        Ok(Some(study))
    }
}
