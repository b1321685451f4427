//! Ids ↔ paths. An id is a path below the root with `/` between its parts; one that is absolute, climbs,
//! hides, or leads out of the root by a link is refused before anything is opened.

use super::SESSIONS;
use super::answer::Refusal;
use crate::network::files::{WriteError, create_folder};
use std::path::{Component, Path, PathBuf};

/// Longest id in bytes.
const LONGEST: usize = 1024;

/// The folder that is shown.
#[derive(Debug)]
pub struct Root {
    /// As it was given: errors name files by it.
    folder: PathBuf,
    /// Without links.
    real: PathBuf,
}

/// The root cannot be served.
#[derive(Debug, thiserror::Error)]
#[error("{path}: expected a folder, found {found}")]
pub struct RootError {
    path: PathBuf,
    found: String,
}

impl Root {
    /// The root at `folder`.
    ///
    /// # Errors
    /// It is no folder.
    pub fn new(folder: &Path) -> Result<Self, RootError> {
        let fail = |found: String| RootError { path: folder.to_path_buf(), found };
        let real = folder.canonicalize().map_err(|e| fail(e.to_string()))?;
        if !real.is_dir() {
            return Err(fail("a file".into()));
        }
        Ok(Root { folder: folder.to_path_buf(), real })
    }

    /// The folder as it was given.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Where the thing of this id lies.
    ///
    /// # Errors
    /// No id; nothing lies there; a link out of the root.
    pub fn path(&self, id: &str) -> Result<PathBuf, Refusal> {
        let path = self.folder.join(plain(id)?);
        let real = path
            .canonicalize()
            .map_err(|_| Refusal::none(format!("{id}: expected a file or folder, found none")))?;
        if !real.starts_with(&self.real) {
            let why = format!("{id}: expected a place below the root, found a link out of it");
            return Err(Refusal::none(why));
        }
        Ok(path)
    }

    /// The folder of this id, made if it is missing.
    ///
    /// # Errors
    /// No id; it cannot be made; it lies outside the root.
    pub fn made(&self, id: &str) -> Result<PathBuf, Refusal> {
        // What is there of it must be inside already: nothing is made beyond a link.
        let mut known = PathBuf::new();
        for part in plain(id)?.components() {
            known.push(part);
            let part = known.to_string_lossy().into_owned();
            if self.folder.join(&known).symlink_metadata().is_ok() {
                self.path(&part)?;
            }
        }
        let path = self.folder.join(plain(id)?);
        create_folder(&path).map_err(|e: WriteError| Refusal::failed(e))?;
        self.path(id)
    }

    /// The id of a path below the folder as it was given; none of any other, or of one with a hidden part.
    pub fn id(&self, path: &Path) -> Option<String> {
        let inside = path.strip_prefix(&self.folder).ok()?;
        let parts: Option<Vec<&str>> = inside.iter().map(|part| part.to_str()).collect();
        let id = parts?.join("/");
        plain(&id).is_ok().then_some(id)
    }

    /// The id of a file that a record names as it was given on a command line: one that lies below the root.
    pub fn id_of_named(&self, name: &str) -> Option<String> {
        let real = [self.folder.join(name), PathBuf::from(name)]
            .iter()
            .find_map(|path| path.canonicalize().ok())?;
        let inside = self.folder.join(real.strip_prefix(&self.real).ok()?);
        self.id(&inside)
    }
}

/// The relative path of an id.
fn plain(id: &str) -> Result<PathBuf, Refusal> {
    let refused = |found: &str| {
        let shown: String = id.chars().take(80).collect();
        Err(Refusal::bad(format!("{shown:?}: expected a path below the root, found {found}")))
    };
    if id.is_empty() || id.len() > LONGEST {
        return refused(&format!("one of {} bytes", id.len()));
    }
    if id.chars().any(|c| c.is_control() || c == '\\') {
        return refused("a control character or a backslash");
    }
    if id.split('/').any(|part| part.is_empty() || part.starts_with('.')) {
        return refused("an empty, hidden or climbing part");
    }
    let path = PathBuf::from(id);
    // On Windows a part can be a drive.
    if path.components().any(|part| !matches!(part, Component::Normal(_))) {
        return refused("an absolute path");
    }
    Ok(path)
}

/// The id of a session's file.
pub fn session_id(name: &str) -> String {
    format!("{SESSIONS}/{name}.toml")
}

/// What an id says that goes on below a session's file, `…/NAME.toml/SHEET/PLACE`: a genome on a sheet.
pub fn place_of(id: &str) -> Option<(&str, usize, usize)> {
    let rest = id.strip_prefix(SESSIONS)?.strip_prefix('/')?;
    let [file, sheet, place] = rest.split('/').collect::<Vec<_>>()[..] else { return None };
    Some((file.strip_suffix(".toml")?, sheet.parse().ok()?, place.parse().ok()?))
}
