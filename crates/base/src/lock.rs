//! One process at a time in a folder: an advisory lock that its holder's death releases.
//!
//! The lock is the system's, on the file `.lock` in the folder; what the file says is only who holds
//! it. Good on one machine: a file system shared over a network may not pass such locks on, and one
//! that knows none leaves the work unguarded.

use super::files::{WriteError, create_folder, has_other_names, hidden_beside, open_own};
use std::fs::{File, TryLockError};
use std::io::{ErrorKind, Read, Seek, Write};
use std::path::{Path, PathBuf};

/// Name of the lock's file in a folder.
const NAME: &str = ".lock";

/// Longest note of a holder that is read.
const LONGEST_NOTE: u64 = 1 << 16;

/// A folder (or file) that no other process works in until this is dropped or the process ends.
#[derive(Debug)]
pub struct FolderLock {
    path: PathBuf,
    /// The topmost folder that was made for it; removed again if nothing came into it.
    made: Option<PathBuf>,
    /// Closed last: that releases it.
    _file: File,
}

/// Why a folder cannot be worked in.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// Another process is at work there.
    #[error(
        "{place}: expected that nobody else works there, found {holder}; wait for its end, or choose another place"
    )]
    Held {
        /// The folder or file.
        place: PathBuf,
        /// Process and command, as it wrote them down.
        holder: String,
    },
    /// The lock's file cannot be made.
    #[error(transparent)]
    Write(#[from] WriteError),
}

impl FolderLock {
    /// Takes the lock of a folder, which is made if it is missing.
    ///
    /// # Errors
    /// Somebody holds it, this process included; the file cannot be made.
    pub fn take(folder: &Path) -> Result<Self, LockError> {
        let path = folder.join(NAME);
        let made = make(folder)?;
        // What is there may be a file, or a link.
        create_folder(folder)?;
        Ok(FolderLock { _file: hold(&path, folder)?, path, made })
    }

    /// Takes the lock of a file that is read, changed and written back: `.NAME.lock` beside it, in a folder that is made if
    /// it is missing.
    ///
    /// # Errors
    /// As [`take`](Self::take).
    pub fn of_file(file: &Path) -> Result<Self, LockError> {
        let path = hidden_beside(file, NAME);
        let made = file.parent().map_or(Ok(None), make)?;
        Ok(FolderLock { _file: hold(&path, file)?, path, made })
    }
}

/// Makes a folder with those that it is in, and returns the topmost of those that were missing.
fn make(folder: &Path) -> Result<Option<PathBuf>, WriteError> {
    let missing = |path: &&Path| !path.as_os_str().is_empty() && !path.exists();
    let made = folder.ancestors().take_while(missing).last().map(Path::to_path_buf);
    if made.is_some() {
        create_folder(folder)?;
    }
    Ok(made)
}

impl Drop for FolderLock {
    fn drop(&mut self) {
        if !cfg!(unix) {
            // An open file may not be removable, and `is_current` cannot tell: it stays.
            return;
        }
        let _ = std::fs::remove_file(&self.path);
        if let Some(top) = &self.made {
            // Only what is empty goes.
            let ours = self.path.ancestors().skip(1).take_while(|path| path.starts_with(top));
            for folder in ours {
                if std::fs::remove_dir(folder).is_err() {
                    break;
                }
            }
        }
    }
}

/// The locked file at `path`, which guards `place`.
fn hold(path: &Path, place: &Path) -> Result<File, LockError> {
    let fail = |source| WriteError { path: path.to_path_buf(), source };
    loop {
        let mut file = open_own(path).map_err(fail)?;
        match file.try_lock() {
            Ok(()) if !is_current(&file, path) => continue,
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut text = String::new();
                let _ = file.take(LONGEST_NOTE).read_to_string(&mut text);
                let holder = match text.trim() {
                    "" => "another process".to_string(),
                    text => text.to_string(),
                };
                return Err(LockError::Held { place: place.to_path_buf(), holder });
            }
            Err(TryLockError::Error(e)) if e.kind() == ErrorKind::Unsupported => {}
            Err(TryLockError::Error(e)) => return Err(fail(e).into()),
        }
        // A snapshot of hard links has the file, too: it stays the snapshot's.
        if has_other_names(&file).map_err(fail)? {
            std::fs::remove_file(path).map_err(fail)?;
            continue;
        }
        let line: Vec<_> = std::env::args_os().map(|a| a.to_string_lossy().into_owned()).collect();
        let holder = format!("process {}: {}\n", std::process::id(), line.join(" "));
        let written = file.set_len(0).and_then(|()| file.rewind());
        written.and_then(|()| file.write_all(holder.as_bytes())).map_err(fail)?;
        return Ok(file);
    }
}

/// True if `file` still lies at `path`: who held it removes it, and one that was opened before that
/// guards nothing.
#[cfg(unix)]
fn is_current(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let id = |data: std::io::Result<std::fs::Metadata>| data.ok().map(|m| (m.dev(), m.ino()));
    let ours = id(file.metadata());
    ours.is_some() && ours == id(std::fs::symlink_metadata(path))
}

#[cfg(not(unix))]
fn is_current(_file: &File, _path: &Path) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_held_by_one_and_free_and_clean_after_it() {
        let around = tempfile::tempdir().unwrap();
        let folder = around.path().join("a/b");
        let held = FolderLock::take(&folder).unwrap();
        let error = FolderLock::take(&folder).unwrap_err().to_string();
        let holder = format!("found process {}: ", std::process::id());
        assert!(error.contains(&holder) && error.contains("a/b: expected"), "{error}");
        drop(held);
        assert!(!around.path().join("a").exists(), "what was made for the lock alone");
        let again = FolderLock::take(&folder).unwrap();
        std::fs::write(folder.join("x"), "").unwrap();
        drop(again);
        let left: Vec<_> = std::fs::read_dir(&folder).unwrap().collect();
        assert_eq!(left.len(), 1);
    }

    #[test]
    fn a_file_has_a_lock_of_its_own() {
        let folder = tempfile::tempdir().unwrap();
        let session = folder.path().join("session.toml");
        let _folder = FolderLock::take(folder.path()).unwrap();
        let held = FolderLock::of_file(&session).unwrap();
        let error = FolderLock::of_file(&session).unwrap_err().to_string();
        assert!(error.contains("session.toml: expected"), "{error}");
        drop(held);
        let within = FolderLock::of_file(&folder.path().join("none/s.toml")).unwrap();
        assert!(folder.path().join("none").exists());
        drop(within);
        assert!(!folder.path().join("none").exists(), "what was made for the lock alone");
    }
}
