//! What a folder holds, told by its files. Whoever is about to fill a folder asks first, so that
//! nothing is computed for a folder that holds something else, and nothing is written over.

use crate::network::files::{WriteError, create_folder, write_atomic};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::io::Read;
use std::path::{Path, PathBuf};

/// The file of a study's head.
pub const STUDY: &str = "study.json";

/// What the commands of this program leave in a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Holding {
    Training,
    Pruning,
    Evolution,
    Session,
    Comparison,
    Study,
    /// The results of the parts of a study, in folders of their own.
    WholeStudy,
    Sweep,
    Card,
    JudgeSheets,
    JudgeReport,
    /// A site that the studio has exported.
    Site,
    /// A `config.toml` that is not ours.
    Foreign,
}

/// Files that tell what a folder holds, the first that is there; `config.toml`, which several kinds have,
/// is looked into.
const MARKS: [(&str, Holding); 13] = [
    ("pruning.json", Holding::Pruning),
    ("swarm.json", Holding::Pruning),
    ("round-1/config.toml", Holding::Pruning),
    ("round-1/swarm.json", Holding::Pruning),
    ("key.csv", Holding::JudgeSheets),
    ("session.toml", Holding::Session),
    ("lineage.jsonl", Holding::Session),
    ("subject.json", Holding::Comparison),
    ("claims.json", Holding::WholeStudy),
    ("sweep.json", Holding::Sweep),
    ("card.json", Holding::Card),
    ("report.json", Holding::JudgeReport),
    ("data/library.js", Holding::Site),
];

impl Holding {
    /// What `folder` holds; none if it is not there, or holds nothing of ours.
    pub fn of(folder: &Path) -> Option<Holding> {
        if let Ok(text) = std::fs::read_to_string(folder.join("config.toml")) {
            return Some(of_config(&text));
        }
        if let Some((_, holding)) = MARKS.iter().find(|(file, _)| folder.join(file).exists()) {
            return Some(*holding);
        }
        if ["cells", "failed", "leases", "work"].iter().any(|part| folder.join(part).is_dir()) {
            return Some(Holding::Study);
        }
        folder.join(STUDY).exists().then_some(Holding::Study)
    }

    /// Refuses a folder that holds anything but this.
    ///
    /// # Errors
    /// What it holds.
    pub fn ask(self, folder: &Path) -> Result<(), OtherHolding> {
        match Holding::of(folder) {
            Some(found) if found != self => Err(OtherHolding {
                path: folder.to_path_buf(),
                expected: self.says().into(),
                found: found.says().into(),
            }),
            _ => Ok(()),
        }
    }

    /// Refuses a folder for those of studies that holds a run, a session or the like itself.
    ///
    /// # Errors
    /// What it holds.
    pub fn ask_store(folder: &Path) -> Result<(), OtherHolding> {
        match Holding::of(folder) {
            None | Some(Holding::WholeStudy | Holding::Comparison) => Ok(()),
            Some(found) => Err(OtherHolding {
                path: folder.to_path_buf(),
                expected: "studies".into(),
                found: found.says().into(),
            }),
        }
    }

    fn says(self) -> &'static str {
        match self {
            Holding::Training => "a training run",
            Holding::Pruning => "a pruning run",
            Holding::Evolution => "an evolution run",
            Holding::Session => "a breeding session",
            Holding::Comparison => "a comparison",
            Holding::Study => "the cells or the record of a study",
            Holding::WholeStudy => "the results of a whole study",
            Holding::Sweep => "a weight sweep",
            Holding::Card => "the card of a network",
            Holding::JudgeSheets => "pictures to be labelled",
            Holding::JudgeReport => "the report of a judge",
            Holding::Site => "a site of the studio",
            Holding::Foreign => "a config.toml that is none of ours, or is damaged",
        }
    }
}

fn of_config(text: &str) -> Holding {
    let Ok(config) = text.parse::<toml::Table>() else {
        return Holding::Foreign;
    };
    let has = |key: &str| config.contains_key(key);
    match (has("target_sha256") && has("train"), has("pruned")) {
        (true, true) => Holding::Pruning,
        (true, false) => Holding::Training,
        _ if has("search") && has("evolve") => Holding::Evolution,
        _ => Holding::Foreign,
    }
}

/// A folder holds something else.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{path}: expected a new folder, or one of {expected}, found {found}; choose another --out")]
pub struct OtherHolding {
    /// The folder.
    pub path: PathBuf,
    /// What it may hold.
    pub expected: String,
    /// What it holds.
    pub found: String,
}

/// A file is something else.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{path}: expected a new file, or {expected}, found another file; choose another name")]
pub struct OtherFile {
    path: PathBuf,
    expected: &'static str,
}

impl OtherFile {
    /// Refuses to write over the file at `path` unless a text like this one is in its first 64 kB.
    ///
    /// # Errors
    /// It is there, and something else.
    pub fn unless(path: &Path, expected: &'static str, mark: &str) -> Result<(), OtherFile> {
        let mut head = Vec::new();
        let Ok(file) = std::fs::File::open(path) else { return Ok(()) };
        // What cannot be read is a folder, or says so when it is written.
        let Ok(_) = file.take(65536).read_to_end(&mut head) else { return Ok(()) };
        match head.is_empty() || String::from_utf8_lossy(&head).contains(mark) {
            true => Ok(()),
            false => Err(OtherFile { path: path.to_path_buf(), expected }),
        }
    }
}

/// What a comparison compares: its folder holds one and no other. `subject.json`, written first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subject {
    format: String,
    name: String,
    sha256: String,
}

impl Subject {
    /// A name for people, and a hash of what it is.
    pub fn new(name: &str, sha256: String) -> Self {
        Subject { format: "picloom-subject/1".into(), name: name.into(), sha256 }
    }

    /// Refuses the folder of a comparison of something else.
    ///
    /// # Errors
    /// What it compares.
    pub fn claim(&self, folder: &Path) -> Result<(), OtherHolding> {
        let read = |name: &str| -> Option<Value> {
            serde_json::from_str(&std::fs::read_to_string(folder.join(name)).ok()?).ok()
        };
        let same = |value: &Value, other: &str| value.as_str().is_none_or(|text| text == other);
        let Some(subject) = read("subject.json") else { return Ok(()) };
        let (found, is_ours) = (subject["name"].clone(), same(&subject["sha256"], &self.sha256));
        match is_ours {
            true => Ok(()),
            false => Err(OtherHolding {
                path: folder.to_path_buf(),
                expected: format!("a comparison of {}", self.name),
                found: match found.as_str() {
                    Some(name) if name == self.name => {
                        format!("one of {name} as it was before it changed")
                    }
                    name => format!("one of {}", name.unwrap_or("something else")),
                },
            }),
        }
    }

    /// Writes `subject.json`.
    ///
    /// # Errors
    /// The folder cannot be written.
    pub fn write(&self, folder: &Path) -> Result<(), WriteError> {
        create_folder(folder)?;
        let json = serde_json::to_string_pretty(self).expect("a subject is plain data") + "\n";
        write_atomic(&folder.join("subject.json"), json.as_bytes())
    }
}
