//! Breeding sessions in files: the reader and the writer of command, studio and Python; and breeding by
//! script, in which a session is read, moved about in, bred on from, and its sheet drawn.
//!
//! Each call of [`breed`] leaves the file, the numbered sheet and its genomes, so that a person (or a
//! program that can look) chooses on the sheet, calls again, and repeats.

use super::config::SHEET_PIXEL;
use super::config::SearchKind;
use super::inputs::{Ancestors, ancestor_file};
use super::sheet::{draw, genome_sheet};
use super::store::first_difference;
use crate::base::files::{
    LARGEST_CONFIG, LARGEST_STATE, WriteError, create_folder, read_plain, read_text, write_atomic,
};
pub use crate::base::folder::SESSION_FILE;
use crate::base::folder::{FolderKind, Marker};
use crate::base::memory;
use crate::base::refusal::Refusal;
use crate::base::text::{path_text, path_texts, portable};
use crate::evolve::{Breeding, BreedingError, Selection, Session, SessionError};
use crate::genome::{Genome, ReadGenomeError, to_json};
use crate::network::Coords;
use std::path::{Path, PathBuf};

/// Side of the picture beside a kept genome in pixels.
const KEPT: usize = 512;

/// A request to a session.
#[derive(Clone, Debug, Default)]
pub struct BreedRequest {
    /// Go to this sheet first.
    pub sheet: Option<usize>,
    /// Then go back over this many selections.
    pub undo: usize,
    /// Then go on over this many, where one came from last.
    pub redo: usize,
    /// Then select. Without `roll` of the request, the first that this selection was not bred with.
    pub selection: Option<Selection>,
    /// Another number draws other children from the same selection.
    pub roll: Option<u64>,
    /// Genomes to keep of the sheet that then lies there: place and name.
    pub save: Vec<(usize, String)>,
    /// Cell side of the sheet in pixels.
    pub cell: usize,
    /// Coordinate convention of the sheet.
    pub coords: Coords,
}

/// The result of a breeding call.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct BreedReport {
    /// Number of the sheet now to choose from.
    pub at: usize,
    /// Selections that led to it.
    pub generation: u64,
    /// Sheets in the session.
    pub sheets: usize,
    /// Genomes on it.
    pub genomes: usize,
    /// The sheet.
    #[serde(serialize_with = "path_text")]
    pub sheet: PathBuf,
    /// The session file.
    #[serde(serialize_with = "path_text")]
    pub session: PathBuf,
    /// Files of the genomes kept.
    #[serde(serialize_with = "path_texts")]
    pub saved: Vec<PathBuf>,
}

/// Why a breeding call failed. The session file is as it was.
#[derive(Debug, thiserror::Error)]
pub enum BreedError {
    /// The session file cannot be read.
    #[error("{path}: cannot read session: {source}")]
    Read {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// The session file cannot be replayed.
    #[error("{path}: {source}")]
    Session {
        /// The file.
        path: PathBuf,
        /// The error in it.
        source: Box<SessionError>,
    },
    /// Settings were given, and the session has others.
    #[error(
        "{path}: the session here has other settings: {difference}; leave them out, or choose another --out and --script"
    )]
    OtherSettings {
        /// The file.
        path: PathBuf,
        /// The first key that differs.
        difference: String,
    },
    /// Fewer sheets lie that way.
    #[error("{path}: expected at most {most} sheets to go {way}, found {asked}")]
    Way {
        /// The file.
        path: PathBuf,
        /// Back or on.
        way: &'static str,
        /// Sheets there are that way.
        most: usize,
        /// Sheets to go.
        asked: usize,
    },
    /// A genome cannot be kept under this name.
    #[error("{path}: expected {expected}, found {found}")]
    Name {
        /// The file it would be.
        path: PathBuf,
        /// The name that is allowed.
        expected: &'static str,
        /// The name or file that was found.
        found: String,
    },
    /// The machine has no memory for the sheet.
    #[error("{0}")]
    Memory(#[source] Refusal),
    /// The folder holds something else.
    #[error(transparent)]
    Other(#[from] Refusal),
    /// The new selection cannot be.
    #[error(transparent)]
    Selection(#[from] BreedingError),
    /// An ancestor cannot be read.
    #[error(transparent)]
    Genome(#[from] ReadGenomeError),
    /// A file cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
}

/// Reads a session without breeding it.
///
/// # Errors
/// The file cannot be read, or is no session.
pub fn read_session(path: &Path) -> Result<Session, BreedError> {
    let text = read_text(path, LARGEST_STATE)
        .map_err(|source| BreedError::Read { path: path.to_path_buf(), source })?;
    Session::from_toml(&text).map_err(|source| BreedError::Session {
        path: path.to_path_buf(),
        source: Box::new(source),
    })
}

/// Reads a session and breeds its sheets; with the genomes that it began from. `ancestor` finds their files, as
/// [`ancestor_file`] does.
///
/// # Errors
/// A file that cannot be read or is none, a session that cannot be bred.
pub fn open(
    path: &Path,
    ancestor: impl Fn(&str) -> PathBuf,
) -> Result<(Breeding, Ancestors), BreedError> {
    let (session, ancestors) = named(read_session(path)?, ancestor)?;
    Ok((bred(path, session, &ancestors)?, ancestors))
}

/// A session that names its ancestors as they are kept, with their genomes.
fn named(
    session: Session,
    ancestor: impl Fn(&str) -> PathBuf,
) -> Result<(Session, Ancestors), ReadGenomeError> {
    let ancestors = Ancestors::read(&session.ancestors, ancestor)?;
    Ok((Session { ancestors: ancestors.names.clone(), ..session }, ancestors))
}

fn bred(path: &Path, session: Session, ancestors: &Ancestors) -> Result<Breeding, BreedError> {
    Breeding::new(session, &ancestors.genomes).map_err(|source| BreedError::Session {
        path: path.to_path_buf(),
        source: Box::new(source),
    })
}

/// Writes a session. Who may not be alone holds [`FolderLock::of_file`](crate::base::lock::FolderLock::of_file).
///
/// # Errors
/// The file cannot be written.
pub fn save(breeding: &Breeding, path: &Path) -> Result<(), WriteError> {
    write_atomic(path, breeding.session().to_toml().as_bytes())
}

/// Opens the session at `script`, applies `request`, writes the session back, and leaves in `folder`:
/// `sheet.png` (numbered), `sheets/NNN.png`, `genomes/NN.json` of the sheet, `lineage.jsonl` of all
/// selected on the way to it, and the genomes to keep with their pictures.
///
/// `asked` is the session without selections that the caller's settings make of the one that is there,
/// or anew: one that is there must be as it is asked for.
///
/// # Errors
/// Files that cannot be read or written, another session or something else in the folder, other
/// settings, a selection that cannot be, a name that is taken; the session file is as it was.
pub fn breed(
    script: &Path,
    asked: impl FnOnce(Option<&Session>) -> Session,
    folder: &Path,
    request: &BreedRequest,
) -> Result<BreedReport, BreedError> {
    FolderKind::Session.ensure(folder)?;
    let own = folder.join(SESSION_FILE);
    if own.exists() && std::fs::canonicalize(&own).ok() != std::fs::canonicalize(script).ok() {
        let expected = format!("a new folder, or that of the session {}", script.display());
        let found = format!("the session {}", own.display());
        return Err(Refusal::new(folder.display(), expected, found)
            .advising("choose another --out")
            .as_failure()
            .into());
    }
    let named = |session| named(session, |name| ancestor_file(script, name));
    // A link to nothing is no missing file: reading it says so.
    let (session, ancestors) = if script.symlink_metadata().is_ok() {
        let found = named(read_session(script)?)?;
        same_settings(script, &named(asked(Some(&found.0)))?.0, &found.0)?;
        found
    } else {
        named(asked(None))?
    };
    let population = session.config.reproduction.population;
    let factors = [(request.cell.saturating_mul(request.cell), "pixels"), (population, "pictures")];
    memory::ensure("population, cell", &factors, SHEET_PIXEL).map_err(BreedError::Memory)?;
    let mut breeding = bred(script, session, &ancestors)?;
    if let Some(sheet) = request.sheet {
        breeding.go_to(sheet)?;
    }
    for (way, asked) in [("back", request.undo), ("on", request.redo)] {
        for most in 0..asked {
            let gone = if way == "back" { breeding.undo() } else { breeding.redo() };
            if !gone {
                return Err(BreedError::Way { path: script.to_path_buf(), way, most, asked });
            }
        }
    }
    if let Some(selection) = request.selection.clone() {
        breeding.select(match request.roll {
            Some(roll) => Selection { roll, ..selection },
            None => breeding.rolled(selection),
        })?;
    }

    let session_name = portable(script);
    let hash = breeding.session().settings_hash();
    let (at, now) = (breeding.at(), breeding.now());
    let mut kept = Vec::new();
    for (place, name) in &request.save {
        let mut genome = breeding.keep(at, *place, name)?;
        genome.provenance.notes.insert("session".into(), session_name.clone());
        let path = free(folder, name, &genome)?;
        if kept.iter().any(|(other, _)| *other == path) {
            let expected = "a name for each genome";
            return Err(BreedError::Name { path, expected, found: "it twice".into() });
        }
        kept.push((path, genome));
    }

    let sheets = folder.join("sheets");
    let genomes = folder.join("genomes");
    Marker::new(FolderKind::Session).about(&hash, &session_name).write(folder)?;
    create_folder(&sheets)?;
    create_folder(&genomes)?;
    for (i, (genome, birth)) in now.genomes().iter().zip(now.births()).enumerate() {
        let genome = birth.sign(genome, SearchKind::Interactive.name(), &hash);
        let path = genomes.join(format!("{i:02}.json"));
        write_atomic(&path, to_json(&genome).as_bytes())?;
    }
    let sheet = genome_sheet(now.genomes(), 5, request.cell, request.coords);
    let png = sheet.to_png(&[("picloom session", &hash)]);
    write_atomic(&sheets.join(format!("{at:03}.png")), &png)?;
    let path = folder.join("sheet.png");
    write_atomic(&path, &png)?;
    let line = |birth| serde_json::to_string(&birth).expect("a birth is plain data") + "\n";
    let lineage: String = breeding.lineage().into_iter().map(line).collect();
    write_atomic(&folder.join("lineage.jsonl"), lineage.as_bytes())?;
    for (path, genome) in &kept {
        let picture = draw(genome, KEPT, request.coords).to_png(&[("picloom session", &hash)]);
        // In this order: cut off between the two, the same line goes on.
        write_atomic(path, to_json(genome).as_bytes())?;
        write_atomic(&path.with_extension("png"), &picture)?;
    }
    ancestors.keep(script.parent().unwrap_or(Path::new("")))?;
    // Last: the selection counts once everything that shows it is there.
    save(&breeding, script)?;
    Ok(BreedReport {
        at,
        generation: now.generation(),
        sheets: breeding.last() + 1,
        genomes: now.genomes().len(),
        sheet: path,
        session: script.to_path_buf(),
        saved: kept.into_iter().map(|(path, _)| path).collect(),
    })
}

fn same_settings(path: &Path, asked: &Session, found: &Session) -> Result<(), BreedError> {
    let table = |session: &Session| {
        let settings = Session { step: Vec::new(), at: None, ..session.clone() };
        toml::Table::try_from(settings).expect("a session is plain data")
    };
    match first_difference("", &table(asked), &table(found)) {
        None => Ok(()),
        Some(difference) => Err(BreedError::OtherSettings { path: path.to_path_buf(), difference }),
    }
}

/// The file of a genome to keep: of a plain name that nothing else has.
fn free(folder: &Path, name: &str, genome: &Genome) -> Result<PathBuf, BreedError> {
    let plain = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
    let refused = |path: PathBuf, expected, found: &str| {
        Err(BreedError::Name { path, expected, found: found.into() })
    };
    if name.is_empty() || !name.chars().all(plain) {
        let expected = "a name of letters, digits, - and _";
        return refused(folder.to_path_buf(), expected, &format!("{name:?}"));
    }
    let path = folder.join(format!("{name}.json"));
    if name == "sheet" {
        return refused(
            path.with_extension("png"),
            "a name that nothing here has",
            "that of the sheet",
        );
    }
    // The same genome may be kept once more.
    if read_plain(&path, LARGEST_CONFIG).is_ok_and(|there| there == to_json(genome).as_bytes()) {
        return Ok(path);
    }
    for taken in [path.with_extension("png"), path.clone()] {
        if taken.exists() {
            return refused(taken, "a name that nothing here has", "such a file");
        }
    }
    Ok(path)
}
