//! A folder, command lines that run in it, and what comes of them.

use super::whole::assert_whole;
use picloom::genome::{Genome, to_json};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// The program, and the repository, whose files begin with `ROOT/` in a line.
pub(crate) use super::{ROOT, program};

/// A folder of its own, in which the program is run.
pub(crate) struct Place {
    folder: TempDir,
    /// For what the program writes for a while.
    temporary: TempDir,
}

/// How a program ended, and what it said.
#[derive(Debug)]
pub(crate) struct Said {
    pub code: Option<i32>,
    pub out: String,
    pub error: String,
}

impl From<Output> for Said {
    fn from(output: Output) -> Self {
        let [out, error] =
            [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
        assert!(!error.contains("panicked"), "{error}");
        Said { code: output.status.code(), out, error }
    }
}

impl Said {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|e| panic!("{e}: {self:?}"))
    }
}

impl Place {
    pub(crate) fn new() -> Self {
        let [folder, temporary] = [(); 2].map(|()| tempfile::tempdir().unwrap());
        Place { folder, temporary }
    }

    /// With copies of these files of the repository, by their names alone.
    pub(crate) fn with(files: &[&str]) -> Self {
        let place = Place::new();
        for file in files {
            let from = Path::new(ROOT).join(file);
            std::fs::copy(&from, place.path().join(from.file_name().unwrap())).unwrap();
        }
        place
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn at(&self, name: &str) -> PathBuf {
        self.path().join(name)
    }

    #[track_caller]
    pub(crate) fn bytes(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.at(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    }

    #[track_caller]
    pub(crate) fn text(&self, name: &str) -> String {
        String::from_utf8(self.bytes(name)).unwrap()
    }

    /// The JSON of a file.
    #[track_caller]
    pub(crate) fn record(&self, name: &str) -> Value {
        serde_json::from_slice(&self.bytes(name)).unwrap()
    }

    /// Writes a file, and the folders that it stands in.
    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        let path = self.at(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }

    /// Copies the files of a folder, here or anywhere, that are wanted by name into another.
    pub(crate) fn copy(&self, from: &str, to: &str, is_wanted: impl Fn(&str) -> bool) {
        for entry in std::fs::read_dir(self.at(from)).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap();
            if path.is_file() && is_wanted(name) {
                self.write(&format!("{to}/{name}"), std::fs::read(&path).unwrap());
            }
        }
    }

    /// These files of a folder, between blanks, are whole.
    #[track_caller]
    pub(crate) fn whole(&self, folder: &str, names: &str) {
        names.split(' ').for_each(|name| assert_whole(&self.at(folder).join(name)));
    }

    /// The number of entries in the folder, or in a folder inside it; 0 if that is not there.
    pub(crate) fn count(&self, name: &str) -> usize {
        std::fs::read_dir(self.at(name)).map_or(0, Iterator::count)
    }

    /// The number of temporary files that were left.
    #[cfg(unix)]
    pub(crate) fn leftovers(&self) -> usize {
        std::fs::read_dir(self.temporary.path()).unwrap().count()
    }

    /// The program with the words of this line.
    pub(crate) fn command(&self, line: &str) -> Command {
        let mut command = Command::new(program());
        command.args(words(line)).current_dir(self.path()).env("TMPDIR", self.temporary.path());
        command.env_remove("PICLOOM_ARCHIVE").env_remove("NO_COLOR").env_remove("COLUMNS");
        command
    }

    pub(crate) fn run(&self, line: &str) -> Said {
        self.command(line).output().unwrap().into()
    }

    /// Ends with this code.
    #[track_caller]
    pub(crate) fn says(&self, line: &str, code: i32) -> Said {
        let said = self.run(line);
        assert_eq!(said.code, Some(code), "{line}: {said:?}");
        said
    }

    #[track_caller]
    pub(crate) fn done(&self, line: &str) -> Said {
        self.says(line, 0)
    }

    /// Succeeds, and answers in JSON.
    #[track_caller]
    pub(crate) fn json(&self, line: &str) -> Value {
        self.done(&format!("{line} --json")).json()
    }

    /// Ends with this code and without a result: the message, which has these parts.
    #[track_caller]
    pub(crate) fn refused(&self, line: &str, code: i32, parts: &[&str]) -> String {
        let Said { out, error, .. } = self.says(line, code);
        assert_eq!(out, "", "{line} printed a result");
        for part in parts {
            assert!(error.contains(part), "{line}: {part} in {error}");
        }
        error
    }
}

/// The entries of an array.
#[track_caller]
pub(crate) fn list(value: &Value) -> &Vec<Value> {
    value.as_array().unwrap_or_else(|| panic!("no array: {value}"))
}

/// Has a document these keys with these values, and below them the same?
pub(crate) fn has(found: &Value, wanted: &Value) -> bool {
    let Value::Object(keys) = wanted else { return found == wanted };
    keys.iter().all(|(key, wanted)| has(&found[key], wanted))
}

/// A document has these keys with these values, and below them the same.
#[track_caller]
pub(crate) fn assert_has(found: &Value, wanted: Value) {
    assert!(has(found, &wanted), "{found} has not {wanted}");
}

/// A genome without where it is from.
pub(crate) fn plain(genome: &Genome) -> String {
    let mut genome = genome.clone();
    genome.provenance = Default::default();
    to_json(&genome)
}

/// Waits until it is so.
#[cfg(unix)]
#[track_caller]
pub(crate) fn until(what: &str, is_so: impl Fn() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed().as_secs() < 60, "{what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// A line as a shell splits it: by spaces, but for quoted parts, without a comment.
pub(crate) fn words(line: &str) -> Vec<String> {
    let mut words = vec![];
    let (mut word, mut quote) = (String::new(), None);
    for c in line.chars().chain([' ']) {
        match (quote, c) {
            (None, '#') if word.is_empty() => break,
            (None, ' ') if word.is_empty() => {}
            (None, ' ') => {
                words.push(std::mem::take(&mut word).replace("ROOT/", &format!("{ROOT}/")));
            }
            (None, '"' | '\'') => quote = Some(c),
            (Some(q), c) if q == c => quote = None,
            _ => word.push(c),
        }
    }
    words
}

/// Sends a signal to a process.
#[cfg(unix)]
#[track_caller]
pub(crate) fn signal(id: u32, name: &str) {
    let sent = Command::new("kill").args([name, &id.to_string()]).status().unwrap();
    assert!(sent.success(), "{name} to {id}");
}
