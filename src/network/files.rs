//! Whole files or none: temporary file in the same folder, fsync, rename.

pub use crate::genome::read_plain;
use std::io::Write;
use std::path::{Path, PathBuf};

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
    let fail = |source| WriteError { path: path.to_path_buf(), source };
    let name = path.file_name().and_then(|n| n.to_str()).ok_or_else(|| {
        fail(std::io::Error::new(
            std::io::ErrorKind::InvalidInput,
            "expected a file name, found none",
        ))
    })?;
    let temporary = path.with_file_name(format!(".{name}.{}.tmp", std::process::id()));
    let written = (|| {
        let mut file = std::fs::File::create(&temporary)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        std::fs::rename(&temporary, path)
    })();
    if let Err(source) = written {
        let _ = std::fs::remove_file(&temporary);
        return Err(fail(source));
    }
    // The rename itself is durable once the folder is synced; not every system can sync a folder.
    if let Some(folder) = path.parent().filter(|p| !p.as_os_str().is_empty())
        && let Ok(folder) = std::fs::File::open(folder)
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
