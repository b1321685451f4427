//! Ids ↔ paths, and the wall around the root: the studio asks here before it opens anything.
//!
//! An id is a path below the root with `/` between its parts. One that is absolute, climbs or hides is refused, and so
//! is one that leads out of the root by a link. A folder's files may be links too: what is opened by its name in a
//! folder is asked for by [`Root::text`] and [`Root::marker`], a folder whose files the rooms to the left open by
//! [`Root::whole`].
//!
//! A race remains: a link that somebody puts there between the question and the opening is followed. Who can do that
//! writes to the folder while the studio reads it, as its user or with the user's leave.

use super::SESSIONS;
use super::answer::Rejection;
use crate::base::files::{LARGEST_STATE, create_folder, read_text};
use crate::base::folder::{MARKER, Marker};
use crate::base::refusal::Refusal;
use crate::genome::picked;
use std::fs::DirEntry;
use std::path::{Component, Path, PathBuf};

/// Longest id in bytes.
const LONGEST: usize = 1024;

/// Folders in a run's folder that are looked into: rounds of a pruning, and what they hold.
const DEEPEST: usize = 3;

/// The folder that is shown.
#[derive(Debug)]
pub(super) struct Root {
    /// As it was given: errors name files by it.
    folder: PathBuf,
    /// Without links.
    real: PathBuf,
}

impl Root {
    /// The root at `folder`.
    ///
    /// # Errors
    /// It is no folder.
    pub(super) fn new(folder: &Path) -> Result<Self, Refusal> {
        let fail = |found: String| Refusal::new("", "a folder", found).in_file(folder);
        let real = folder.canonicalize().map_err(|e| fail(e.to_string()))?;
        if !real.is_dir() {
            return Err(fail("a file".into()));
        }
        Ok(Root { folder: folder.to_path_buf(), real })
    }

    /// The folder as it was given.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Where the thing of this id lies; of one in a file of many, the file with `#` and its name.
    ///
    /// # Errors
    /// No id; nothing lies there; a link out of the root.
    pub(super) fn path(&self, id: &str) -> Result<PathBuf, Rejection> {
        let path = self.folder.join(plain(id)?);
        match self.inside(picked(&path).0)? {
            true => Ok(path),
            false => Err(Rejection::none(format!("{id}: expected a file or folder, found none"))),
        }
    }

    /// Where the thing of this id lies, of which all is going to be read: no file of it is a link out of the root.
    ///
    /// # Errors
    /// As [`path`](Self::path); the link.
    pub(super) fn whole(&self, id: &str) -> Result<PathBuf, Rejection> {
        let path = self.path(id)?;
        if path.is_dir() {
            self.all_inside(&path, DEEPEST)?;
        }
        Ok(path)
    }

    fn all_inside(&self, folder: &Path, depth: usize) -> Result<(), Rejection> {
        for entry in self.entries(folder) {
            let Ok(kind) = entry.file_type() else { continue };
            if kind.is_symlink() {
                self.inside(&entry.path())?;
            } else if kind.is_dir() && depth > 0 {
                self.all_inside(&entry.path(), depth - 1)?;
            }
        }
        Ok(())
    }

    /// True if there is something at this path below the folder, false if there is nothing.
    fn inside(&self, path: &Path) -> Result<bool, Rejection> {
        let Ok(real) = path.canonicalize() else { return Ok(false) };
        if real.starts_with(&self.real) {
            return Ok(true);
        }
        let shown = path.strip_prefix(&self.folder).unwrap_or(path).display();
        let why = format!("{shown}: expected a place below the root, found a link out of it");
        Err(Rejection::none(why))
    }

    /// Reads the file at a path below the folder; `None` if no file there can be read.
    ///
    /// # Errors
    /// If it lies outside of the root.
    pub(super) fn text(&self, path: &Path) -> Result<Option<String>, Rejection> {
        Ok(if self.inside(path)? { read_text(path, LARGEST_STATE).ok() } else { None })
    }

    /// The marker of a folder below the root; `None` also if the marker lies outside.
    pub(super) fn marker(&self, folder: &Path) -> Option<Marker> {
        self.inside(&folder.join(MARKER)).ok()?;
        Marker::read(folder)
    }

    /// The entries of a folder; empty if it lies outside.
    pub(super) fn entries(&self, folder: &Path) -> Vec<DirEntry> {
        let is_inside = self.inside(folder).unwrap_or(false);
        let entries = is_inside.then(|| std::fs::read_dir(folder).ok()).flatten();
        entries.into_iter().flatten().flatten().collect()
    }

    /// The folders in a folder, without links.
    pub(super) fn folders(&self, folder: &Path) -> Vec<PathBuf> {
        let is_folder = |entry: &DirEntry| entry.file_type().is_ok_and(|kind| kind.is_dir());
        self.entries(folder).iter().filter(|entry| is_folder(entry)).map(DirEntry::path).collect()
    }

    /// The folder of this id, made if it is missing.
    ///
    /// # Errors
    /// No id; it cannot be made; it lies outside the root.
    pub(super) fn made(&self, id: &str) -> Result<PathBuf, Rejection> {
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
        create_folder(&path).map_err(Rejection::unwritten)?;
        self.path(id)
    }

    /// The id of a path below the folder as given; `None` for any other, or one with a hidden part.
    pub(super) fn id(&self, path: &Path) -> Option<String> {
        let inside = path.strip_prefix(&self.folder).ok()?;
        let parts: Option<Vec<&str>> = inside.iter().map(|part| part.to_str()).collect();
        let id = parts?.join("/");
        plain(&id).is_ok().then_some(id)
    }

    /// The id of a file that a record names as it was given on a command line: one that lies below the root.
    pub(super) fn id_of_named(&self, name: &str) -> Option<String> {
        let real = [self.folder.join(name), PathBuf::from(name)]
            .iter()
            .find_map(|path| path.canonicalize().ok())?;
        let inside = self.folder.join(real.strip_prefix(&self.real).ok()?);
        self.id(&inside)
    }
}

/// The relative path of an id.
fn plain(id: &str) -> Result<PathBuf, Rejection> {
    let refused = |found: &str| {
        let shown: String = id.chars().take(80).collect();
        Err(Rejection::bad(format!("{shown:?}: expected a path below the root, found {found}")))
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
pub(super) fn session_id(name: &str) -> String {
    format!("{SESSIONS}/{name}.toml")
}

/// Splits the id of a genome on a sheet, a session's file with more behind it:
/// `…/NAME.toml/SHEET/PLACE`.
pub(super) fn place_of(id: &str) -> Option<(&str, usize, usize)> {
    let rest = id.strip_prefix(SESSIONS)?.strip_prefix('/')?;
    let [file, sheet, place] = rest.split('/').collect::<Vec<_>>()[..] else { return None };
    Some((file.strip_suffix(".toml")?, sheet.parse().ok()?, place.parse().ok()?))
}
