//! The inputs of a search or a session, stored beside it: copies of genomes, the target's pixels.
//!
//! A path that leads down from the folder at hand is a name. Any other path is this machine's alone and is written
//! nowhere: a genome is then named by a hash of its content, `ancestors/ID.json`, and that file lies beside the config or
//! session. A target is named by its last part and known by the SHA-256 of its pixels, which `target.npz` has.

use super::config::EvolutionConfig;
use super::family::ShownFamily;
use crate::base::files::{WriteError, create_folder, write_atomic};
use crate::base::hash::{sha256_of_floats, short_id};
use crate::base::refusal::Refusal;
use crate::base::text::leads_down;
use crate::genome::{self, Genome, picked, to_json};
use crate::network::Picture;
use crate::run::read_target;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Folder of the copies.
const COPIES: &str = "ancestors";

/// The genomes that generation 0 begins from.
#[derive(Clone, Debug, Default)]
pub struct Ancestors {
    /// Their files, as configs and sessions name them.
    pub names: Vec<String>,
    /// The genomes.
    pub genomes: Vec<Genome>,
    /// Texts of the copies by their names.
    copies: BTreeMap<String, String>,
}

impl Ancestors {
    /// Reads these files where `find` says that they lie.
    ///
    /// # Errors
    /// The first that cannot be read, or is no genome.
    pub fn read(files: &[String], find: impl Fn(&str) -> PathBuf) -> Result<Self, Refusal> {
        let mut ancestors = Ancestors::default();
        for file in files {
            let genome = genome::read(&find(file))?;
            let text = to_json(&genome);
            let copy = format!("{COPIES}/{}.json", short_id(&text));
            let is_copied = *file == copy || !leads_down(Path::new(file));
            ancestors.names.push(if is_copied { copy.clone() } else { file.clone() });
            ancestors.genomes.push(genome);
            if is_copied {
                ancestors.copies.insert(copy, text);
            }
        }
        Ok(ancestors)
    }

    /// Writes the copies below `folder`, that of the config or session which names them.
    ///
    /// # Errors
    /// A file cannot be written.
    pub fn keep(&self, folder: &Path) -> Result<(), WriteError> {
        if !self.copies.is_empty() {
            create_folder(&folder.join(COPIES))?;
        }
        self.copies
            .iter()
            .try_for_each(|(copy, text)| write_atomic(&folder.join(copy), text.as_bytes()))
    }
}

/// The file of an ancestor that the session or config `of` names: below the working folder, or else below
/// a folder that it lies in.
pub fn ancestor_file(of: &Path, name: &str) -> PathBuf {
    let around = of.ancestors().skip(1).map(|folder| folder.join(name));
    let found =
        std::iter::once(PathBuf::from(name)).chain(around).find(|path| picked(path).0.exists());
    found.unwrap_or_else(|| name.into())
}

/// The target that the run in `folder` keeps, if it is the one that its config says.
pub(super) fn kept_target(
    config: &EvolutionConfig,
    folder: &Path,
    family: Option<&ShownFamily>,
) -> Option<Picture> {
    let sha256 = config.target_sha256.as_ref()?;
    let pictures = family.map_or(1, |family| family.conditions.seen.len());
    let target = read_target(folder, config.size, pictures).ok()?;
    (sha256_of_floats(&target.rgb) == *sha256).then_some(target)
}
