//! Whole files or none: temporary file in the same folder, fsync, rename.

use super::process::{lives, place};
pub use crate::genome::{read_plain, read_text};
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{PoisonError, RwLock, RwLockWriteGuard};

/// Held shared by every write under way.
static WRITES: RwLock<()> = RwLock::new(());

/// Why a file could not be written. What stood at the path before still stands.
#[derive(Debug, thiserror::Error)]
#[error("{path}: cannot write: {source}")]
pub struct WriteError {
    /// The file that was to be written.
    pub path: PathBuf,
    /// What the system said.
    pub source: std::io::Error,
}

/// Writes `bytes` to `path` so that a reader sees the old file or the whole new one, and so that
/// the new one survives a crash.
///
/// # Errors
/// The folder is missing or not writable, or the disk is full; the old file is untouched.
pub fn write_atomic(path: &Path, bytes: &[u8]) -> Result<(), WriteError> {
    write_atomic_with(path, |file| file.write_all(bytes))
}

/// [`write_atomic`] of what `fill` writes.
///
/// # Errors
/// As there; what `fill` says.
pub fn write_atomic_with(
    path: &Path,
    fill: impl FnOnce(&mut File) -> std::io::Result<()>,
) -> Result<(), WriteError> {
    let fail = |source| WriteError { path: path.to_path_buf(), source };
    let name = path.file_name().and_then(|n| n.to_str()).ok_or_else(|| {
        fail(std::io::Error::new(
            std::io::ErrorKind::InvalidInput,
            "expected a file name, found none",
        ))
    })?;
    let temporary = path.with_file_name(temporary_name(name));
    let _under_way = WRITES.read().unwrap_or_else(PoisonError::into_inner);
    let written = (|| {
        // Also to be read: who keeps a handle may go on with the file.
        let mut options = File::options();
        let mut file =
            options.read(true).write(true).create(true).truncate(true).open(&temporary)?;
        fill(&mut file)?;
        file.sync_all()?;
        std::fs::rename(&temporary, path)
    })();
    if let Err(source) = written {
        let _ = std::fs::remove_file(&temporary);
        return Err(fail(source));
    }
    // The rename itself is durable once the folder is synced; not every system can sync a folder.
    if let Some(folder) = path.parent().filter(|p| !p.as_os_str().is_empty())
        && let Ok(folder) = File::open(folder)
    {
        let _ = folder.sync_all();
    }
    Ok(())
}

/// Creates a folder and its parents.
///
/// # Errors
/// The system refuses; the message has the path.
pub fn create_folder(path: &Path) -> Result<(), WriteError> {
    std::fs::create_dir_all(path).map_err(|source| WriteError { path: path.to_path_buf(), source })
}

/// Waits for the writes under way; new ones wait until the answer is dropped. For a process that
/// ends itself: none of its files is left half-written then, not even a temporary one.
pub fn without_writes() -> RwLockWriteGuard<'static, ()> {
    WRITES.write().unwrap_or_else(PoisonError::into_inner)
}

/// Removes the temporary files of processes that died writing, in `folder` and all below it, but
/// for folders that `is_busy`.
pub fn remove_leftovers(folder: &Path, is_busy: &dyn Fn(&Path) -> bool) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        match entry.file_type() {
            Ok(kind) if kind.is_dir() && !is_busy(&path) => remove_leftovers(&path, is_busy),
            Ok(kind) if kind.is_file() && entry.file_name().to_str().is_some_and(is_leftover) => {
                let _ = std::fs::remove_file(path);
            }
            _ => {}
        }
    }
}

/// `.NAME.PLACE-COUNT.PROCESS.tmp`: no two writes have the same, wherever they are.
fn temporary_name(name: &str) -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    format!(".{name}.{}-{count}.{}.tmp", place(), std::process::id())
}

/// True for the name of a temporary file of [`write_atomic`] whose process was here and is certainly dead.
fn is_leftover(name: &str) -> bool {
    let parts = || {
        let (rest, process) = name.strip_prefix('.')?.strip_suffix(".tmp")?.rsplit_once('.')?;
        let (of, count) = rest.rsplit_once('.')?.1.split_once('-')?;
        Some((of, count.parse::<u64>().ok()?, process.parse().ok()?))
    };
    parts().is_some_and(|(of, _, process)| of == place() && lives(process, None) == Some(false))
}
