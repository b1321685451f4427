//! A study that is made of others: the list of its parts. What a program decides or draws once the parts are
//! there stands in the same spec, and is not read here.

use super::spec::{Spec, SpecError, SpecFile, check_name, read_spec};
use crate::math::refusal::Refusal;
use serde::Deserialize;
use std::path::{Path, PathBuf};

/// A study of parts. Other keys of its spec belong to whoever decides or draws it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct WholeSpec {
    /// Its name.
    pub name: String,
    /// What is asked, in one sentence.
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
    /// Reads and verifies the spec.
    ///
    /// # Errors
    /// Not readable, of another kind, no parts.
    pub fn read(path: &Path) -> Result<Self, SpecError> {
        Ok(read_spec(path, None)?.0)
    }

    /// The same of a spec that is read.
    ///
    /// # Errors
    /// As there.
    pub fn of(file: &SpecFile<'_>) -> Result<Self, SpecError> {
        Ok(file.spec(None)?.0)
    }

    /// The specs of the parts of the spec at `path`.
    pub fn part_paths(&self, path: &Path) -> Vec<PathBuf> {
        let folder = path.parent().unwrap_or(Path::new(""));
        self.parts.iter().map(|part| folder.join(part)).collect()
    }
}
