//! The marker of a folder, `picloom.json`, which says what the folder holds and is written first. A
//! command checks it before it fills a folder, so that nothing is computed for a folder that holds
//! something else, and nothing is overwritten.

use crate::files::{LARGEST_CONFIG, WriteError, create_folder, open_plain, read_text, write_json};
use crate::refusal::Refusal;
use serde::{Deserialize, Serialize};
use std::io::Read;
use std::path::Path;

pub use crate::files::MARKER;

/// Name of the session file in the folder of its sheets, where no other is named.
pub const SESSION_FILE: &str = "session.toml";

/// The file of a study's head.
pub const STUDY: &str = "study.json";

/// Files that tell what a folder without a marker holds: a result that lies outside of its run store, as
/// those under `figures/` do, or something that is not ours.
const UNMARKED: [(&str, FolderKind); 3] = [
    (STUDY, FolderKind::Study),
    ("claims.json", FolderKind::WholeStudy),
    ("config.toml", FolderKind::Foreign),
];

/// The contents of a folder, as the commands of this program leave it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[allow(missing_docs)]
pub enum FolderKind {
    Training,
    Pruning,
    Evolution,
    Session,
    Comparison,
    /// The cells or the record of a study.
    Study,
    /// The results of the parts of a study, in folders of their own.
    WholeStudy,
    Sweep,
    Card,
    JudgeSheets,
    JudgeReport,
    /// Pictures of a family.
    Family,
    /// A page that needs no server.
    Site,
    /// Files that are not ours, or a marker that cannot be read.
    #[serde(skip)]
    Foreign,
}

impl FolderKind {
    /// The kind of `folder`; `None` if it is not there, or holds nothing of ours.
    pub fn of(folder: &Path) -> Option<FolderKind> {
        Marker::read(folder).map(|marker| marker.kind)
    }

    /// True for a training, with or without pruning before it.
    pub fn is_run(self) -> bool {
        matches!(self, FolderKind::Training | FolderKind::Pruning)
    }

    /// True for results of studies and of comparisons.
    pub fn is_study(self) -> bool {
        matches!(self, FolderKind::Study | FolderKind::WholeStudy | FolderKind::Comparison)
    }

    /// Refuses a folder that holds anything but this.
    ///
    /// # Errors
    /// If it does, with what it holds.
    pub fn ensure(self, folder: &Path) -> Result<(), Refusal> {
        Marker::new(self).ensure(folder)
    }

    /// Refuses a folder for those of studies that holds a run, a session or the like itself.
    ///
    /// # Errors
    /// If it does, with what it holds.
    pub fn ensure_store(folder: &Path) -> Result<(), Refusal> {
        match Marker::read(folder) {
            Some(found) if !matches!(found.kind, Self::WholeStudy | Self::Comparison) => {
                Err(mismatch(folder, "studies", &found))
            }
            _ => Ok(()),
        }
    }

    /// Refuses the folder of a study in a store, all of which is the study's, if it is a link, holds something else, or has
    /// no marker and more than cells, their pictures and leases that were copied there.
    ///
    /// # Errors
    /// If so, with what it holds.
    pub fn ensure_study(folder: &Path) -> Result<(), Refusal> {
        if folder.is_symlink() {
            let refusal = Refusal::new(folder.display(), "a folder of a study", "a link");
            return Err(refusal.advising("remove it, or choose another place").as_failure());
        }
        Self::Study.ensure(folder)?;
        match folder.join(MARKER).exists() {
            true => Ok(()),
            false => Self::Study.ensure_only(&["cells", "views", "leases"], folder),
        }
    }

    /// Refuses a folder without a marker that holds somebody's files, where this kind begins a folder of its own with its
    /// marker. (A pruning marks that of its rounds after the first; tables and reports are put beside other files.)
    fn ensure_empty(self, folder: &Path) -> Result<(), Refusal> {
        match self {
            Self::Training | Self::Evolution | Self::Family | Self::Site => {
                self.ensure_only(&[], folder)
            }
            // Its networks may be trained before by `experiment run`, into `runs/`.
            Self::Comparison => self.ensure_only(&["runs"], folder),
            // A session begins with its script and the genomes that it names.
            Self::Session => self.ensure_only(&[".toml", "ancestors"], folder),
            _ => Ok(()),
        }
    }

    /// Refuses a folder with other files than `own`.
    fn ensure_only(self, own: &[&str], folder: &Path) -> Result<(), Refusal> {
        // What the shell and file managers put there. A link is refused or replaced where it is written to.
        let any = [".log", ".out", ".err", "desktop.ini", "Thumbs.db"];
        let is_free = |name: &str| {
            name.starts_with('.') || own.iter().chain(&any).any(|end| name.ends_with(end))
        };
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let entries = entries.filter(|entry| !entry.path().is_symlink());
        let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
        let mut others: Vec<String> = names.filter(|name| !is_free(name)).collect();
        others.sort();
        let Some(first) = others.first() else { return Ok(()) };
        let expected = format!("a new or empty folder, or one of {}", self.says());
        Err(Refusal::new(folder.display(), expected, format!("one with other files ({first})"))
            .advising("choose another place, or move them")
            .as_failure())
    }

    /// Makes the folder and writes its marker, if it has none.
    ///
    /// # Errors
    /// The folder cannot be written.
    pub fn mark(self, folder: &Path) -> Result<(), WriteError> {
        Marker::new(self).write(folder)
    }

    /// Its name, for people.
    pub fn says(self) -> &'static str {
        match self {
            Self::Training => "a training run",
            Self::Pruning => "a pruning run",
            Self::Evolution => "an evolution run",
            Self::Session => "a breeding session",
            Self::Comparison => "a comparison",
            Self::Study => "the cells or the record of a study",
            Self::WholeStudy => "the results of a whole study",
            Self::Sweep => "a weight sweep",
            Self::Card => "the card of a network",
            Self::JudgeSheets => "pictures to be labelled",
            Self::JudgeReport => "the report of a judge",
            Self::Family => "the pictures of a family",
            Self::Site => "a site",
            Self::Foreign => "files that are not ours, or a damaged picloom.json",
        }
    }
}

/// `picloom.json`: what the folder holds, and of what.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Marker {
    /// The kind of its contents.
    pub kind: FolderKind,
    /// The id of the run, or a hash of what the folder is about: it holds one and no other.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The name of that run or subject, for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub of: Option<String>,
}

impl Marker {
    /// Of a folder of this kind, whatever it is about.
    pub fn new(kind: FolderKind) -> Self {
        Marker { kind, id: None, of: None }
    }

    /// The same about something: its id, and what it is called.
    pub fn about(self, id: impl Into<String>, of: impl Into<String>) -> Self {
        Marker { id: Some(id.into()), of: Some(of.into()), ..self }
    }

    /// The marker of `folder`; `None` if it is not there, or holds nothing of ours.
    pub fn read(folder: &Path) -> Option<Marker> {
        let path = folder.join(MARKER);
        if path.exists() {
            let text = read_text(&path, LARGEST_CONFIG).unwrap_or_default();
            return Some(serde_json::from_str(&text).unwrap_or(Marker::new(FolderKind::Foreign)));
        }
        let (_, kind) = UNMARKED.iter().find(|(file, _)| folder.join(file).exists())?;
        Some(Marker::new(*kind))
    }

    /// Refuses a folder that holds something else, or the same of something else.
    ///
    /// # Errors
    /// If it does, with what it holds.
    pub fn ensure(&self, folder: &Path) -> Result<(), Refusal> {
        let other = |a: &Option<String>, b: &Option<String>| a.is_some() && b.is_some() && a != b;
        match Marker::read(folder) {
            Some(found) if found.kind != self.kind || other(&found.id, &self.id) => {
                Err(mismatch(folder, &self.says(), &found))
            }
            Some(_) => Ok(()),
            None => self.kind.ensure_empty(folder),
        }
    }

    /// Makes the folder and writes `picloom.json`, unless it already says as much.
    ///
    /// # Errors
    /// The folder cannot be written.
    pub fn write(&self, folder: &Path) -> Result<(), WriteError> {
        create_folder(folder)?;
        let path = folder.join(MARKER);
        let has_id = || Marker::read(folder).as_ref() == Some(self);
        if path.exists() && (self.id.is_none() || has_id()) {
            return Ok(());
        }
        write_json(&path, self)
    }

    fn says(&self) -> String {
        let kind = self.kind.says();
        match (&self.of, &self.id) {
            (Some(of), Some(id)) => format!("{kind} of {of} ({id})"),
            _ => kind.into(),
        }
    }
}

fn mismatch(folder: &Path, expected: &str, found: &Marker) -> Refusal {
    let expected = format!("a new folder, or one of {expected}");
    Refusal::new(folder.display(), expected, found.says())
        .advising("choose another --out")
        .as_failure()
}

/// Refuses to write over the file at `path` unless a text like this one is in its first 64 kB.
///
/// # Errors
/// It is there, and something else.
pub fn ensure_file(path: &Path, expected: &str, mark: &str) -> Result<(), Refusal> {
    let mut head = Vec::new();
    // What is not there or cannot be read is a folder or device, or says so when it is written.
    let Ok(file) = open_plain(path) else { return Ok(()) };
    let Ok(_) = file.take(65536).read_to_end(&mut head) else { return Ok(()) };
    if head.is_empty() || String::from_utf8_lossy(&head).contains(mark) {
        return Ok(());
    }
    Err(Refusal::new(path.display(), format!("a new file, or {expected}"), "another file")
        .advising("choose another name")
        .as_failure())
}
