//! The one reader of files that others may have made: only plain files, and never more of one than the caller
//! can mean. A pipe or a device in the place of a file would wait or go on for ever.

use std::fs::{File, Metadata};
use std::io::{Error, ErrorKind, Read};
use std::path::Path;

/// Bound in bytes of texts that say what something is: configs, markers, heads of records, specs.
pub const LARGEST_CONFIG: u64 = 64 << 20;

/// Bound in bytes of texts that grow with the work: checkpoints, records, logs, sessions.
pub const LARGEST_STATE: u64 = 4 << 30;

/// Opens a plain file to be read. Links are followed.
///
/// # Errors
/// The system refuses, or it is no plain file.
pub fn open_plain(path: &Path) -> std::io::Result<File> {
    // Asked before it is opened, because opening some devices does something, and again afterwards, because
    // another file may have taken the name.
    ensure_plain(&std::fs::metadata(path)?)?;
    let mut options = File::options();
    options.read(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(
        &mut options,
        libc::O_NONBLOCK | libc::O_CLOEXEC | libc::O_NOCTTY,
    );
    let file = options.open(path)?;
    ensure_plain(&file.metadata()?)?;
    Ok(file)
}

/// Reads a whole plain file of at most `largest` bytes, and no more even if it grows meanwhile.
///
/// # Errors
/// The system refuses, it is no plain file, or it is larger.
pub fn read_plain(path: &Path, largest: u64) -> std::io::Result<Vec<u8>> {
    let refuse = |found: String| {
        let text = format!("expected a file of at most {largest} bytes, found {found}");
        Err(Error::new(ErrorKind::InvalidInput, text))
    };
    let file = open_plain(path)?;
    let size = file.metadata()?.len();
    if size > largest {
        return refuse(format!("{size} bytes"));
    }
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(size as usize).map_err(|e| Error::new(ErrorKind::OutOfMemory, e))?;
    file.take(largest + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > largest {
        return refuse("more".into());
    }
    Ok(bytes)
}

/// Reads a text file as [`read_plain`] does.
///
/// # Errors
/// As there; it is no UTF-8.
pub fn read_text(path: &Path, largest: u64) -> std::io::Result<String> {
    let bytes = read_plain(path, largest)?;
    String::from_utf8(bytes).map_err(|e| Error::new(ErrorKind::InvalidData, e.utf8_error()))
}

/// Refuses everything but a plain file.
///
/// # Errors
/// If it is something else, with its kind in the message.
pub(crate) fn ensure_plain(found: &Metadata) -> std::io::Result<()> {
    let kind = found.file_type();
    if kind.is_file() {
        return Ok(());
    }
    let name = match kind {
        _ if kind.is_dir() => "a folder",
        _ if kind.is_symlink() => "a link",
        #[cfg(unix)]
        _ if std::os::unix::fs::FileTypeExt::is_fifo(&kind) => "a pipe",
        #[cfg(unix)]
        _ if std::os::unix::fs::FileTypeExt::is_socket(&kind) => "a socket",
        _ => "a device",
    };
    let text = format!("expected a plain file, found {name}");
    Err(Error::new(ErrorKind::InvalidInput, text))
}
