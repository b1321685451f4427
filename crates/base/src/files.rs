//! Files of this program: written whole or not at all, or made to grow; never through a link.

use super::plain::ensure_plain;
pub use super::plain::{LARGEST_CONFIG, LARGEST_STATE, open_plain, read_plain, read_text};
use super::process::{lives, place};
use crate::hash::short_id;
use crate::refusal::Refusal;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::collections::{BTreeSet, HashSet};
use std::ffi::OsString;
use std::fs::{DirEntry, File};
use std::io::{ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The temporary files of the writes under way. Held only for moments, but by [`end_writes`].
static WRITES: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// Age at which a temporary file is abandoned, whoever wrote it.
const ABANDONED: Duration = Duration::from_secs(24 * 60 * 60);

/// Longest name of a file in bytes, on the systems in use.
const LONGEST_NAME: usize = 255;

/// The file that says what a folder of this program holds.
pub const MARKER: &str = "picloom.json";

/// Why a file could not be written. What stood at the path before still stands.
#[derive(Debug, thiserror::Error)]
#[error("{path}: cannot write: {source}")]
pub struct WriteError {
    /// The file that was to be written.
    pub path: PathBuf,
    /// The system's error.
    pub source: std::io::Error,
}

/// Writes `bytes` to `path` so that a reader sees the old file or the whole new one, and so that
/// the new one survives a crash.
///
/// # Errors
/// The folder is missing or not writable, the disk is full, or a pipe or device has the name; the old file is
/// untouched.
pub fn write_atomic(path: &Path, bytes: &[u8]) -> Result<(), WriteError> {
    write_atomic_with(path, |file| file.write_all(bytes))
}

/// [`write_atomic`] of a value as indented JSON.
///
/// # Errors
/// As there.
///
/// # Panics
/// If the value is no plain data.
pub fn write_json(path: &Path, value: &impl Serialize) -> Result<(), WriteError> {
    let json = serde_json::to_string_pretty(value).expect("plain data") + "\n";
    write_atomic(path, json.as_bytes())
}

/// Values as JSON, one a line.
///
/// # Panics
/// If a value is no plain data.
pub fn json_lines<T: Serialize>(values: &[T]) -> String {
    let line = |value| serde_json::to_string(value).expect("plain data") + "\n";
    values.iter().map(line).collect()
}

/// The values of [`json_lines`]; `expected` is what each is.
///
/// # Errors
/// The first line that is none, in words.
pub fn of_json_lines<T: DeserializeOwned>(text: &str, expected: &str) -> Result<Vec<T>, Refusal> {
    let value = |(i, line): (usize, &str)| {
        let number = i + 1;
        serde_json::from_str(line).map_err(|error| {
            Refusal::other_text(expected, error).within(format!("line {number}")).as_failure()
        })
    };
    text.lines().enumerate().map(value).collect()
}

/// [`write_atomic`] of what `fill` writes.
///
/// # Errors
/// As there; what `fill` says.
pub fn write_atomic_with(
    path: &Path,
    fill: impl FnOnce(&mut File) -> std::io::Result<()>,
) -> Result<(), WriteError> {
    let replaced = replace(path, |_, file| fill(file));
    replaced.map(drop).map_err(|source| WriteError { path: path.to_path_buf(), source })
}

/// [`write_atomic`] of what `fill` writes to the path that it is given: for another program.
///
/// # Errors
/// As there; what `fill` says.
pub fn write_atomic_at(
    path: &Path,
    fill: impl FnOnce(&Path) -> std::io::Result<()>,
) -> Result<(), WriteError> {
    let replaced = replace(path, |temporary, _| fill(temporary));
    replaced.map(drop).map_err(|source| WriteError { path: path.to_path_buf(), source })
}

/// [`write_atomic`] of a file that is not there yet: of several who write it at the same time, one does.
///
/// # Errors
/// As there; something has the name, and the system's error is [`ErrorKind::AlreadyExists`].
pub fn write_new(path: &Path, bytes: &[u8]) -> Result<(), WriteError> {
    let name = |temporary: &Path| match std::fs::hard_link(temporary, path) {
        // Some file systems have no second name for a file: there the name is taken first.
        Err(e) if e.kind() != ErrorKind::AlreadyExists => {
            File::create_new(path).and_then(|_| std::fs::rename(temporary, path))
        }
        linked => linked.map(|()| drop(std::fs::remove_file(temporary))),
    };
    let made = put(path, |_, file| file.write_all(bytes), name);
    made.map(drop).map_err(|source| WriteError { path: path.to_path_buf(), source })
}

/// Refuses a path that a link leads out of a folder of this program: below a folder with a marker only folders are
/// written into. A folder that is a link itself may be chosen.
fn ensure_inside(folder: &Path) -> std::io::Result<()> {
    let is_marked = |above: &Path| above.join(MARKER).symlink_metadata().is_ok();
    let leads_out = |part: &&Path| {
        part.symlink_metadata().is_ok_and(|found| found.is_symlink())
            && part.ancestors().skip(1).any(is_marked)
    };
    match folder.ancestors().find(leads_out) {
        None => Ok(()),
        Some(link) => {
            let text = format!("expected a folder, found the link {}; remove it", link.display());
            Err(std::io::Error::new(ErrorKind::InvalidInput, text))
        }
    }
}

/// The folder of a file.
fn folder_of(file: &Path) -> &Path {
    file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Opens a file that is changed in place, or makes it. It is never another one that a link leads to.
///
/// # Errors
/// The system refuses, or it is no plain file.
pub fn open_own(path: &Path) -> std::io::Result<File> {
    own(path, false)
}

/// [`open_own`] of a file whose writes all go to its end.
fn own(path: &Path, append: bool) -> std::io::Result<File> {
    ensure_inside(folder_of(path))?;
    // Where the system cannot be told to follow no link, this must do.
    match std::fs::symlink_metadata(path) {
        Err(e) if e.kind() == ErrorKind::NotFound => {}
        found => ensure_plain(&found?)?,
    }
    let mut options = File::options();
    options.read(true).write(true).append(append).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(
        &mut options,
        libc::O_NOFOLLOW | libc::O_NONBLOCK | libc::O_CLOEXEC,
    );
    let file = options.open(path)?;
    ensure_plain(&file.metadata()?)?;
    Ok(file)
}

/// Opens a log, or makes it, cut to its first `bytes` bytes and ready to grow. A log with a second name, as a
/// snapshot of hard links gives it, is copied first: the snapshot stays as it was.
///
/// # Errors
/// As [`open_own`]; the log is shorter.
pub fn open_log(path: &Path, bytes: u64) -> std::io::Result<File> {
    let mut file = open_own(path)?;
    let found = file.metadata()?.len();
    if found < bytes {
        let text = format!("expected at least {bytes} bytes, found {found}: lines are missing");
        return Err(std::io::Error::new(ErrorKind::InvalidData, text));
    }
    if has_other_names(&file)? {
        file = replace(path, |_, own| std::io::copy(&mut file.take(bytes), own).map(drop))?;
    }
    file.set_len(bytes)?;
    file.seek(SeekFrom::End(0))?;
    Ok(file)
}

/// Opens a log to which several processes append whole lines, or makes it. One with a second name is copied first.
///
/// # Errors
/// As [`open_own`].
pub fn open_shared_log(path: &Path) -> std::io::Result<File> {
    let mut file = own(path, true)?;
    if has_other_names(&file)? {
        replace(path, |_, copy| std::io::copy(&mut file, copy).map(drop))?;
        file = own(path, true)?;
    }
    Ok(file)
}

/// True if a file has more than one name.
pub(crate) fn has_other_names(file: &File) -> std::io::Result<bool> {
    #[cfg(unix)]
    return Ok(std::os::unix::fs::MetadataExt::nlink(&file.metadata()?) > 1);
    #[cfg(not(unix))]
    return file.metadata().map(|_| false);
}

/// `.NAME` and an ending, beside a file of this name; of a long name a hash, so that the system takes it.
pub fn hidden_beside(file: &Path, ending: &str) -> PathBuf {
    let own = file.file_name().unwrap_or_default();
    let mut name = OsString::from(".");
    name.push(own);
    name.push(ending);
    if name.len() > LONGEST_NAME {
        name = format!(".{}{ending}", short_id(own.as_encoded_bytes())).into();
    }
    file.with_file_name(name)
}

/// Creates a folder and its parents. Below a folder with a marker none of them is a link.
///
/// # Errors
/// The system refuses, or there is such a link; the message has the path.
pub fn create_folder(path: &Path) -> Result<(), WriteError> {
    let made = ensure_inside(path).and_then(|()| std::fs::create_dir_all(path));
    made.map_err(|source| WriteError { path: path.to_path_buf(), source })
}

/// Ends all writing of a process that ends itself: waits `grace` for the writes under way, and removes the temporary
/// files of those that take longer. No write begins or returns afterwards.
pub fn end_writes(grace: Duration) {
    let begun = Instant::now();
    loop {
        let under_way = writes();
        if under_way.is_empty() || begun.elapsed() >= grace {
            for temporary in &*under_way {
                let _ = std::fs::remove_file(temporary);
            }
            std::mem::forget(under_way);
            return;
        }
        drop(under_way);
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn writes() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    WRITES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Puts a new file into the place of the one at `path` and returns it, still open.
fn replace(
    path: &Path,
    fill: impl FnOnce(&Path, &mut File) -> std::io::Result<()>,
) -> std::io::Result<File> {
    put(path, fill, |temporary| std::fs::rename(temporary, path))
}

/// Fills a temporary file beside `path`, lets `name` give it its name, and returns it, still open.
fn put(
    path: &Path,
    fill: impl FnOnce(&Path, &mut File) -> std::io::Result<()>,
    name: impl FnOnce(&Path) -> std::io::Result<()>,
) -> std::io::Result<File> {
    if path.file_name().is_none() {
        let text = "expected a file name, found none";
        return Err(std::io::Error::new(ErrorKind::InvalidInput, text));
    }
    // A link gives way to the file. A pipe or a device does not: `/dev/null` is everybody's.
    if let Ok(found) = std::fs::symlink_metadata(path)
        && !found.is_symlink()
    {
        ensure_plain(&found)?;
    }
    let folder = folder_of(path);
    ensure_inside(folder)?;
    remove_leftovers_once(folder);
    let (temporary, mut file) = temporary(folder)?;
    let written =
        fill(&temporary, &mut file).and_then(|()| file.sync_all()).and_then(|()| name(&temporary));
    writes().remove(&temporary);
    if let Err(source) = written {
        let _ = std::fs::remove_file(&temporary);
        return Err(source);
    }
    // The rename itself is durable once the folder is synced; not every system can sync a folder.
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
    Ok(file)
}

/// A new file `.picloom-PLACE-COUNT-PROCESS.tmp` in `folder`: no two writes have the same, wherever they are.
fn temporary(folder: &Path) -> std::io::Result<(PathBuf, File)> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let mut under_way = writes();
    loop {
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!(".picloom-{}-{count}-{}.tmp", place(), std::process::id());
        let path = folder.join(name);
        match File::options().read(true).write(true).create_new(true).open(&path) {
            // A dead process that had our number left it.
            Err(e) if e.kind() == ErrorKind::AlreadyExists => {}
            made => {
                let file = made?;
                under_way.insert(path.clone());
                return Ok((path, file));
            }
        }
    }
}

/// [`remove_leftovers`] before the first write of this process to a folder: whoever goes on with work that died in
/// a write writes that file again.
fn remove_leftovers_once(folder: &Path) {
    static SEEN: Mutex<Option<HashSet<PathBuf>>> = Mutex::new(None);
    let mut seen = SEEN.lock().unwrap_or_else(PoisonError::into_inner);
    let seen = seen.get_or_insert_default();
    if !seen.contains(folder) {
        // A study has many folders; to look twice does no harm.
        if seen.len() == 1024 {
            seen.clear();
        }
        seen.insert(folder.to_path_buf());
        remove_leftovers(folder);
    }
}

/// Removes the temporary files that dead processes of this program left in `folder` itself.
pub fn remove_leftovers(folder: &Path) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        if is_leftover(&entry) {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

/// True for a temporary file of a process that was here and is dead, or that nobody has written to for a day.
fn is_leftover(entry: &DirEntry) -> bool {
    let name = entry.file_name();
    let Some((of, process)) = name.to_str().and_then(writer) else { return false };
    let age = || entry.metadata().ok()?.modified().ok()?.elapsed().ok();
    entry.file_type().is_ok_and(|kind| kind.is_file())
        && (of == place() && lives(process, None) == Some(false)
            || age().is_some_and(|age| age > ABANDONED))
}

/// Place and number of the process that gave a file this name; `None` for a foreign name.
fn writer(name: &str) -> Option<(&str, u32)> {
    let mut parts = name.strip_prefix(".picloom-")?.strip_suffix(".tmp")?.split('-');
    let of =
        parts.next().filter(|of| of.len() == 16 && of.bytes().all(|b| b.is_ascii_hexdigit()))?;
    parts.next()?.parse::<u64>().ok()?;
    let process = parts.next()?.parse().ok()?;
    parts.next().is_none().then_some((of, process))
}
