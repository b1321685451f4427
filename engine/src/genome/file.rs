//! Files from strangers: only plain ones, and no more of them than can be meant.

use std::io::{Error, ErrorKind, Read};
use std::path::Path;

/// Largest text file that is read, in bytes: a checkpoint of the largest network.
const LARGEST_TEXT: u64 = 4 << 30;

/// Reads a text file as [`read_plain`] does.
///
/// # Errors
/// As there; it is no UTF-8.
pub fn read_text(path: &Path) -> std::io::Result<String> {
    let bytes = read_plain(path, LARGEST_TEXT)?;
    String::from_utf8(bytes).map_err(|e| Error::new(ErrorKind::InvalidData, e.utf8_error()))
}

/// Reads a whole file of at most `largest` bytes: no device, pipe or folder, and no more than was
/// asked for even if the file grows meanwhile.
///
/// # Errors
/// The system refuses, it is no plain file, or it is larger.
pub fn read_plain(path: &Path, largest: u64) -> std::io::Result<Vec<u8>> {
    let refuse = |text: String| Err(Error::new(ErrorKind::InvalidInput, text));
    // Asked before it is opened: opening a pipe waits for its writer.
    if !std::fs::metadata(path)?.is_file() {
        return refuse("expected a plain file, found a folder or device".into());
    }
    let mut bytes = Vec::new();
    std::fs::File::open(path)?.take(largest + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > largest {
        return refuse(format!("expected a file of at most {largest} bytes, found more"));
    }
    Ok(bytes)
}
