//! Somebody's program that does a part of the work: files in, files out (docs/PLUGINS.md).
//!
//! In: a command and what it is to read. Out: what it wrote into its folder, or why there is nothing. It is known by its
//! text and by a hash of its files, so that a record says what was run. A program that fails, or takes too long, is a
//! refusal; one that runs when somebody asks to stop is ended with all that it has started.

use super::choice::options;
use super::files::read_plain;
use super::hash::sha256_hex;
use super::process::began;
use super::refusal::Refusal;
use super::settings::texts;
use super::text::json_flaw;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::BTreeSet;
use std::convert::Infallible;
use std::fs::File;
use std::io::{ErrorKind, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::str::FromStr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// A text that is kept until the program ends, so that settings which hold it can be copied.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Word(&'static str);

impl Word {
    /// The text.
    pub fn text(self) -> &'static str {
        self.0
    }

    fn of(text: &str) -> Self {
        static KNOWN: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
        let mut known = locked(&KNOWN);
        if let Some(found) = known.get(text) {
            return Word(found);
        }
        let kept: &'static str = Box::leak(text.to_string().into_boxed_str());
        known.insert(kept);
        Word(kept)
    }
}

impl Serialize for Word {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.0)
    }
}

impl<'de> Deserialize<'de> for Word {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        String::deserialize(from).map(|text| Word::of(&text))
    }
}

impl FromStr for Word {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(Word::of(text))
    }
}

impl std::fmt::Display for Word {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0)
    }
}

texts!(Word);

options! {
    /// A program of one's own, with its limits. As text the command comes last and needs no name:
    /// `cmd:timeout=60,./mine.py --share 0.3`.
    #[derive(Copy)]
    pub struct Command {
        /// The program and its arguments, parted by blanks; the folder of its files is added as the last argument.
        command: Word = Word::default(), value: "COMMAND", unless: "none";
        /// Seconds that it may take for one answer.
        timeout: f64 = 600.0, range: Range::positive_to(1e9), value: "SECONDS", source: "ours";
        /// First 16 digits of the SHA-256 of its files; it is filled in when the command is first run.
        #[serde(skip_serializing_if = "Word::is_empty")]
        sha256: Word = Word::default(), unless: "filled in";
    }
}

impl Word {
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Why a command gave no answer.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum CommandError {
    /// It is not there, failed, took too long, or wrote something else.
    #[error("{0}")]
    Failed(Box<Refusal>),
    /// Somebody asked to stop.
    #[error("stopped")]
    Stopped,
}

impl From<Refusal> for CommandError {
    fn from(refusal: Refusal) -> Self {
        CommandError::Failed(Box::new(refusal.as_failure()))
    }
}

/// Folders in which the files of commands are looked for, after the current one: those of specs.
static PLACES: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Processes that run now.
static RUNNING: Mutex<Vec<u32>> = Mutex::new(Vec::new());

/// Whether somebody asked to stop.
static STOPPED: AtomicBool = AtomicBool::new(false);

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Looks for the files of commands in this folder, too.
pub fn look_in(folder: &Path) {
    let mut places = locked(&PLACES);
    if !places.iter().any(|place| place == folder) {
        places.push(folder.to_path_buf());
    }
}

/// Ends every command that runs, and lets none begin.
pub fn stop_all() {
    STOPPED.store(true, Ordering::SeqCst);
    let running = locked(&RUNNING).clone();
    if !running.is_empty() {
        end(running.iter().map(|id| format!("-{id}")));
        end_marked(&mark());
    }
}

/// Ends processes by their numbers, and groups by theirs with a minus.
fn end(ids: impl Iterator<Item = String>) {
    let mut kill = std::process::Command::new("kill");
    let _ = kill.args(["-KILL", "--"]).args(ids).stderr(Stdio::null()).status();
}

/// The variable by which a process is known that a command has started, wherever it went.
const MARK: &str = "PICLOOM_COMMAND";

/// The beginning of its value in all commands of this process.
fn mark() -> String {
    let own = std::process::id();
    format!("{own}-{}-", began(own).unwrap_or(0))
}

/// Ends all processes whose mark begins so, where the system shows it: on Linux.
fn end_marked(mark: &str) {
    let sought = format!("{MARK}={mark}");
    let has_it = |environment: &[u8]| {
        environment.split(|&byte| byte == 0).any(|word| word.starts_with(sought.as_bytes()))
    };
    // While one is ended, it may start another.
    for _ in 0..20 {
        let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
        let is_marked = |path: &Path| std::fs::read(path.join("environ")).is_ok_and(|e| has_it(&e));
        let marked = entries.map(|entry| entry.path()).filter(|path| is_marked(path));
        let ids: Vec<String> =
            marked.filter_map(|path| Some(path.file_name()?.to_str()?.to_string())).collect();
        if ids.is_empty() {
            return;
        }
        end(ids.into_iter());
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// A program that works for this process. It ends with this value and with [`stop_all`], and so does what it has started.
pub struct Running {
    /// Its process.
    pub child: Child,
    mark: String,
}

impl Running {
    /// Starts it; `None` if somebody asked to stop.
    ///
    /// # Errors
    /// It cannot be started.
    pub fn start(command: &mut std::process::Command) -> std::io::Result<Option<Self>> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let mark = format!("{}{}-", mark(), NUMBER.fetch_add(1, Ordering::SeqCst));
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(command, 0);
        command.env(MARK, &mark);
        // Whoever stops all either sees this one, or it is not started.
        let mut running = locked(&RUNNING);
        if STOPPED.load(Ordering::SeqCst) {
            return Ok(None);
        }
        let child = command.spawn()?;
        running.push(child.id());
        Ok(Some(Running { child, mark }))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let id = self.child.id();
        // Its number is its own until it is waited for.
        if !matches!(self.child.try_wait(), Ok(Some(_))) {
            end(std::iter::once(format!("-{id}")));
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
        end_marked(&self.mark);
        locked(&RUNNING).retain(|other| *other != id);
    }
}

/// The file that a word of a command names, if it names one.
fn file_of(word: &str) -> Option<PathBuf> {
    let own = Path::new(word);
    let here = || std::iter::once(PathBuf::from("."));
    let below = locked(&PLACES).clone();
    here().chain(below).map(|place| place.join(own)).find(|path| path.is_file())
}

impl Command {
    /// Of this text, with the usual limits.
    #[cfg(test)]
    fn new(text: &str) -> Self {
        Command { command: Word::of(text), ..Command::default() }
    }

    /// For messages: `command ./mine.py`.
    fn place(&self) -> String {
        format!("command {}", self.command)
    }

    fn refuse(&self, expected: impl Into<String>, found: impl Into<String>) -> Refusal {
        Refusal::new(self.place(), expected, found)
    }

    /// The same with the hash of its files.
    ///
    /// # Errors
    /// No program, one that is not there, or its files are not those of the hash that it has.
    pub fn found(&self) -> Result<Self, Refusal> {
        let words: Vec<&str> = self.command.text().split_whitespace().collect();
        let Some(program) = words.first() else {
            let expected = "a program, as in cmd:./mine.py";
            return Err(Refusal::new("command", expected, "none"));
        };
        let is_script = |word: &&&str| {
            let ends = [".py", ".sh", ".r", ".R", ".jl", ".js", ".pl", ".rb"];
            !word.starts_with('-') && ends.iter().any(|end| word.ends_with(end))
        };
        let lacking = words.iter().skip(1).find(|word| is_script(word) && file_of(word).is_none());
        if let Some(script) = lacking {
            return Err(self.refuse(format!("a file {script}"), "none, here or beside the spec"));
        }
        let mut files: Vec<PathBuf> = words.iter().filter_map(|word| file_of(word)).collect();
        if files.is_empty() {
            let paths = std::env::var_os("PATH").unwrap_or_default();
            let mut all = std::env::split_paths(&paths).map(|folder| folder.join(program));
            let found = all.find(|path| path.is_file());
            files.push(found.ok_or_else(|| {
                self.refuse(
                    format!("a program {program}"),
                    "none in the current folder and on PATH",
                )
            })?);
        }
        let mut bytes = Vec::new();
        for path in &files {
            let read = std::fs::read(path);
            let hash = sha256_hex(read.map_err(|error| {
                self.refuse("a program that can be read", format!("{}: {error}", path.display()))
            })?);
            bytes.extend_from_slice(hash.as_bytes());
        }
        let sha256 = Word::of(&sha256_hex(bytes)[..16]);
        if !self.sha256.is_empty() && self.sha256 != sha256 {
            let [was, is] = [self.sha256, sha256].map(|hash| format!("files of the hash {hash}"));
            let advice = "they were changed: begin anew in another folder";
            return Err(self.refuse(was, is).advising(advice));
        }
        Ok(Command { sha256, ..*self })
    }

    /// Runs it on a folder that `fill` writes into, and returns what `read` finds there afterwards.
    ///
    /// # Errors
    /// It is not there, cannot be started, fails or takes too long; what `read` refuses; somebody asked to stop.
    pub fn run<T>(
        &self,
        fill: impl FnOnce(&Path) -> std::io::Result<()>,
        read: impl FnOnce(&Path) -> Result<T, Refusal>,
    ) -> Result<T, CommandError> {
        let found = self.found()?;
        let folder = Folder::new().and_then(|folder| fill(&folder.0).map(|()| folder));
        let folder =
            folder.map_err(|error| self.refuse("a folder for its files", format!("{error}")))?;
        found.ended(&folder.0)?;
        read(&folder.0).map_err(|refusal| refusal.within(self.place()).into())
    }

    /// Starts it and waits for its end.
    fn ended(&self, folder: &Path) -> Result<(), CommandError> {
        let words: Vec<&str> = self.command.text().split_whitespace().collect();
        let files: Vec<PathBuf> =
            words.iter().map(|word| file_of(word).unwrap_or_else(|| word.into())).collect();
        let said = folder.join("said.txt");
        let log = File::create(&said).and_then(|log| Ok((log.try_clone()?, log)));
        let (out, err) = log.map_err(|e| self.refuse("a file for its words", e.to_string()))?;
        let mut command = std::process::Command::new(&files[0]);
        command.args(&files[1..]).arg(folder).stdin(Stdio::null()).stdout(out).stderr(err);
        let mut running = match Running::start(&mut command) {
            Ok(Some(running)) => running,
            Ok(None) => return Err(CommandError::Stopped),
            Err(error) => {
                let advice = match error.kind() {
                    ErrorKind::PermissionDenied => {
                        "make it executable, or name what runs it: cmd:python3 mine.py"
                    }
                    _ => "name a program, as in cmd:./mine.py or cmd:python3 mine.py",
                };
                let expected = "a program that can be started";
                return Err(self.refuse(expected, error.to_string()).advising(advice).into());
            }
        };
        let ended = self.wait(&mut running.child);
        let last = || match last_words(&said) {
            text if text.is_empty() => text,
            text => format!(", and the words: {text}"),
        };
        match ended? {
            None => {
                let expected = format!("an answer within {} s", self.timeout);
                let found = format!("none{}", last());
                let advice = "give it longer with cmd:timeout=SECONDS,…";
                Err(self.refuse(expected, found).advising(advice).into())
            }
            Some(status) if status.success() => Ok(()),
            Some(status) => {
                Err(self.refuse("success (exit status 0)", format!("{status}{}", last())).into())
            }
        }
    }

    /// Waits for a process and returns its exit status, or `None` if it took too long.
    fn wait(&self, child: &mut Child) -> Result<Option<std::process::ExitStatus>, CommandError> {
        let (begun, mut pause) = (Instant::now(), Duration::from_millis(1));
        let limit = Duration::from_secs_f64(self.timeout);
        loop {
            let status = child.try_wait();
            let status = status.map_err(|e| self.refuse("its exit status", e.to_string()))?;
            let stopped = STOPPED.load(Ordering::SeqCst);
            if status.is_some() {
                return if stopped { Err(CommandError::Stopped) } else { Ok(status) };
            }
            if stopped || begun.elapsed() >= limit {
                return if stopped { Err(CommandError::Stopped) } else { Ok(None) };
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(20));
        }
    }
}

/// The end of a file of words, 600 characters at most.
fn last_words(said: &Path) -> String {
    let mut bytes = Vec::new();
    let _ = File::open(said).and_then(|mut file| {
        let most = file.metadata()?.len().min(4096);
        file.seek(SeekFrom::End(-(most as i64)))?;
        file.take(most).read_to_end(&mut bytes)
    });
    let text = String::from_utf8_lossy(&bytes);
    let skipped = text.trim().chars().count().saturating_sub(600);
    text.trim().chars().skip(skipped).collect()
}

/// Bytes that a number takes in an answer, with what stands around it, at the most.
const NUMBER: u64 = 64;

/// Reads an answer in JSON that needs no more than so many `numbers`. `expected` says what it is.
///
/// # Errors
/// It is not there, larger, or something else.
pub fn read_answer<T: DeserializeOwned>(
    path: &Path,
    numbers: usize,
    expected: &str,
) -> Result<T, Refusal> {
    let refuse = |found: String| Refusal::new("", expected, found);
    let text = read_plain(path, NUMBER * (numbers as u64 + 64)).map_err(|e| match e.kind() {
        ErrorKind::NotFound => refuse("none".into()),
        _ => refuse(format!("one that cannot be read: {e}")),
    })?;
    serde_json::from_slice(&text).map_err(|e| refuse(json_flaw(&text, &e)))
}

/// A folder for the files of one run; removed with it.
struct Folder(PathBuf);

impl Folder {
    fn new() -> std::io::Result<Self> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        loop {
            let number = NUMBER.fetch_add(1, Ordering::SeqCst);
            let name = format!("picloom-{}-{number}", std::process::id());
            let path = std::env::temp_dir().join(name);
            match std::fs::create_dir(&path) {
                Ok(()) => return Ok(Folder(path)),
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    /// A command that runs these lines of the shell, in a folder of its own.
    fn script(lines: &str) -> (tempfile::TempDir, Command) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mine.sh");
        std::fs::write(&path, lines).unwrap();
        let command = Command::new(&format!("sh {}", path.display()));
        (folder, command)
    }

    fn answer(command: Command) -> Result<String, CommandError> {
        let read = |folder: &Path| {
            std::fs::read_to_string(folder.join("answer"))
                .map_err(|_| Refusal::new("", "a file answer", "none"))
        };
        command.run(|folder| std::fs::write(folder.join("asked"), "4"), read)
    }

    #[test]
    fn a_command_reads_and_writes_files_in_its_folder() {
        let (_folder, command) = script("cp \"$1/asked\" \"$1/answer\"");
        assert_eq!(answer(command), Ok("4".into()));
        let found = command.found().unwrap();
        assert_eq!(found.sha256.text().len(), 16);
        assert_eq!(found.found(), Ok(found));
    }

    #[test]
    fn a_command_that_fails_hangs_or_is_not_there_is_refused_with_what_it_said() {
        let refused = |command: Command| answer(command).unwrap_err().to_string();
        let (_a, fails) = script("echo not so good >&2; exit 3");
        let said = refused(fails);
        assert!(said.contains("exit status: 3") && said.contains("not so good"), "{said}");
        let (_b, hangs) = script("sleep 60 & wait");
        let begun = Instant::now();
        let said = refused(Command { timeout: 0.2, ..hangs });
        assert!(said.contains("expected an answer within 0.2 s"), "{said}");
        assert!(begun.elapsed() < Duration::from_secs(20));
        let (_c, silent) = script("exit 0");
        assert!(refused(silent).contains("expected a file answer"));
        assert!(refused(Command::new("no-such-program-here")).contains("on PATH"));
        assert!(refused(Command::new(" ")).contains("a program, as in cmd:./mine.py"));
    }

    #[test]
    fn a_command_whose_files_were_changed_is_refused() {
        let (folder, command) = script("exit 0");
        let known = command.found().unwrap();
        std::fs::write(folder.path().join("mine.sh"), "exit 1").unwrap();
        assert!(known.found().unwrap_err().to_string().contains("they were changed"));
        assert_ne!(command.found().unwrap().sha256, known.sha256);
    }
}
