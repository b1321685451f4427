//! A study that is made of others: the list of its parts. What a program decides or draws once the parts are
//! there stands in the same spec, and is not read here.

use super::kinds::{Kind, decided_by, read_study, read_undecided};
use super::shard::Shard;
use super::spec::{Spec, SpecError, SpecFile, check_name};
use picloom_base::refusal::Refusal;
use serde::Deserialize;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// A study of parts. Other keys of its spec belong to whoever decides or draws it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct WholeSpec {
    /// Its name.
    pub name: String,
    /// The question, in one sentence.
    pub question: String,
    /// Specs of the parts, in the order they are run; relative to the folder that holds the spec.
    pub parts: Vec<PathBuf>,
}

impl Spec for WholeSpec {
    const KIND: &'static str = "study";

    fn check(&self) -> Result<(), Refusal> {
        check_name("name", &self.name)?;
        Refusal::unless(!self.parts.is_empty(), "parts", "at least one", "none")
    }
}

impl WholeSpec {
    /// The verified spec of a file.
    ///
    /// # Errors
    /// Of another kind, no parts.
    pub fn of(file: &SpecFile) -> Result<Self, SpecError> {
        Ok(file.spec(None)?.0)
    }

    /// The specs of the parts of the spec at `path`.
    pub(crate) fn part_paths(&self, path: &Path) -> Vec<PathBuf> {
        let folder = path.parent().unwrap_or(Path::new(""));
        self.parts.iter().map(|part| folder.join(part)).collect()
    }
}

/// A part of a study.
pub struct Part {
    /// Its spec.
    pub file: SpecFile,
    /// Its name.
    pub study: String,
    /// True if another part needs its record.
    pub decides: bool,
}

impl Part {
    /// The shard of the part for a worker with this shard of the whole: all cells of a part whose
    /// record others need, so that no worker waits for a shard that nobody has begun.
    pub fn shard(&self, shard: Shard) -> Shard {
        if self.decides { Shard::ALL } else { shard }
    }
}

/// The parts of the study that is at `path`, in the order they are run; any other study is its own only part. All of them
/// can be read in the profile, whether or not the records that they need are there.
///
/// # Errors
/// A spec cannot be used, or a study is there twice.
pub fn parts(
    kinds: &[Kind],
    path: &Path,
    profile: Option<&str>,
    runs: &Path,
) -> Result<Vec<Part>, SpecError> {
    let file = SpecFile::read(path)?;
    let files = match file.kind() == WholeSpec::KIND {
        true => {
            let paths = WholeSpec::of(&file)?.part_paths(path);
            paths.iter().map(|part| SpecFile::read(part)).collect::<Result<_, _>>()?
        }
        false => vec![file],
    };
    let (mut parts, mut deciders) = (Vec::<Part>::new(), BTreeSet::new());
    for file in files {
        let decider = decided_by(kinds, &file, profile)?;
        let study = match &decider {
            Some(_) => read_undecided(kinds, &file, profile, runs)?,
            None => read_study(kinds, &file, profile, runs)?,
        };
        let study = study.name().to_string();
        deciders.extend(decider);
        let is_new = parts.iter().all(|part| part.study != study);
        Refusal::unless(is_new, "parts", "each study once", format!("{study} again"))
            .map_err(|problem| problem.in_file(path))?;
        parts.push(Part { file, study, decides: false });
    }
    for part in &mut parts {
        part.decides = deciders.contains(&part.study);
    }
    Ok(parts)
}
