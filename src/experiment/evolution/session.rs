//! Breeding by script: a session file is replayed, one more selection appended, the next sheet drawn.
//!
//! Each call leaves the file, the numbered sheet and its genomes, so that a person (or a program
//! that can look) chooses on the sheet, calls again, and repeats.

use super::SearchKind;
use super::finish::signed;
use super::sheet::{draw, genome_sheet};
use super::store::first_difference;
use crate::evolve::{Breeding, BreedingError, Selection, Session, SessionError};
use crate::genome::{self, Genome, ReadGenomeError, to_json};
use crate::math::hash::short_id;
use crate::math::refusal::Refusal;
use crate::network::Coords;
use crate::network::files::{WriteError, create_folder, read_text, write_atomic};
use crate::run::folder::{FolderKind, Marker};
use std::path::{Path, PathBuf};

/// Name of the session file in the folder of its sheets, where no other is named.
pub const SESSION_FILE: &str = "session.toml";
/// Side of the picture beside a kept genome in pixels.
const KEPT: usize = 512;

/// What to do with a session.
#[derive(Clone, Debug, Default)]
pub struct BreedRequest {
    /// Take back this many selections first.
    pub undo: usize,
    /// Then select.
    pub selection: Option<Selection>,
    /// Genomes to keep of the sheet that then lies there: place and name.
    pub save: Vec<(usize, String)>,
    /// Cell side of the sheet in pixels.
    pub cell: usize,
    /// Coordinate convention of the sheet.
    pub coords: Coords,
}

/// What a breeding call left behind.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct BreedReport {
    /// Selections taken back.
    pub undone: usize,
    /// Number of the sheet now to choose from.
    pub generation: u64,
    /// Genomes on it.
    pub genomes: usize,
    /// The sheet.
    pub sheet: PathBuf,
    /// The session file.
    pub session: PathBuf,
    /// Files of the genomes kept.
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
        /// What the system said.
        source: std::io::Error,
    },
    /// The session file cannot be replayed.
    #[error("{path}: {source}")]
    Session {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        source: SessionError,
    },
    /// The session has branches, which a line of selections would lose.
    #[error(
        "{0}: expected a session without branches, found a tree of the studio; go on in `picloom studio`"
    )]
    Tree(PathBuf),
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
    /// More selections to take back than there are.
    #[error("{path}: expected at most {made} selections to take back, found {asked}")]
    Undo {
        /// The file.
        path: PathBuf,
        /// Selections there are.
        made: usize,
        /// Selections to take back.
        asked: usize,
    },
    /// A genome cannot be kept under this name.
    #[error("{path}: expected {expected}, found {found}")]
    Name {
        /// The file it would be.
        path: PathBuf,
        /// What was expected.
        expected: &'static str,
        /// What was found.
        found: String,
    },
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

/// Replays the session at `script`, applies `request`, writes the session back, and leaves in `folder`:
/// `sheet.png` (numbered), `sheets/NNN.png`, `genomes/NN.json` of the sheet, `lineage.jsonl` of all
/// selected, and the genomes to keep with their pictures. Sheets of selections taken back go.
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
    let refused = |source| BreedError::Session { path: script.to_path_buf(), source };
    let mut session = if script.exists() {
        let text = read_text(script)
            .map_err(|source| BreedError::Read { path: script.to_path_buf(), source })?;
        let found = Session::from_toml(&text).map_err(refused)?;
        same_settings(script, &asked(Some(&found)), &found)?;
        if found.is_tree() {
            return Err(BreedError::Tree(script.to_path_buf()));
        }
        found
    } else {
        asked(None)
    };
    let made = session.step.len();
    let Some(kept) = made.checked_sub(request.undo) else {
        let path = script.to_path_buf();
        return Err(BreedError::Undo { path, made, asked: request.undo });
    };
    session.step.truncate(kept);
    let ancestors: Vec<Genome> = session
        .ancestors
        .iter()
        .map(|path| genome::read(Path::new(path)))
        .collect::<Result<_, _>>()?;

    let steps = std::mem::take(&mut session.step);
    let mut breeding = session.replay(&ancestors).map_err(refused)?;
    let mut lineage = String::new();
    let tell = |breeding: &mut Breeding, step: Selection, lineage: &mut String| {
        let births = breeding.select(step)?;
        for birth in births {
            *lineage += &serde_json::to_string(&birth).expect("a birth is plain data");
            lineage.push('\n');
        }
        Ok::<(), BreedingError>(())
    };
    for (i, step) in steps.into_iter().enumerate() {
        tell(&mut breeding, step, &mut lineage)
            .map_err(|error| refused(SessionError::Step { step: i + 1, error }))?;
    }
    if let Some(selection) = &request.selection {
        tell(&mut breeding, selection.clone(), &mut lineage)?;
    }

    let session_name = script.display().to_string();
    let written = breeding.session(session.ancestors.clone());
    let text = written.to_toml();
    let hash = short_id(Session { step: Vec::new(), ..written }.to_toml());
    let mut kept = Vec::new();
    for (place, name) in &request.save {
        let mut genome = keep(&breeding, *place, name, &hash)?;
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
    for (i, (genome, birth)) in breeding.genomes().iter().zip(breeding.births()).enumerate() {
        let genome = signed(genome, SearchKind::Interactive, birth, &hash);
        let path = genomes.join(format!("{i:02}.json"));
        write_atomic(&path, to_json(&genome).as_bytes())?;
    }
    let sheet = genome_sheet(breeding.genomes(), 5, request.cell, request.coords);
    let png = sheet.to_png(&[("picloom session", &hash)]);
    let number = format!("{:03}.png", breeding.generation());
    write_atomic(&sheets.join(number), &png)?;
    let path = folder.join("sheet.png");
    write_atomic(&path, &png)?;
    write_atomic(&folder.join("lineage.jsonl"), lineage.as_bytes())?;
    for (path, genome) in &kept {
        let picture = draw(genome, KEPT, request.coords).to_png(&[("picloom session", &hash)]);
        // In this order: cut off between the two, the same line goes on.
        write_atomic(path, to_json(genome).as_bytes())?;
        write_atomic(&path.with_extension("png"), &picture)?;
    }
    // Last: the selection counts once everything that shows it is there.
    write_atomic(script, text.as_bytes())?;
    for taken_back in breeding.generation() + 1..=made as u64 {
        let _ = std::fs::remove_file(sheets.join(format!("{taken_back:03}.png")));
    }
    Ok(BreedReport {
        undone: request.undo,
        generation: breeding.generation(),
        genomes: breeding.genomes().len(),
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

/// The genome at a place of the sheet, named, and saying where it was. `hash` is that of the session's
/// settings.
///
/// # Errors
/// A place that is not on the sheet.
pub fn keep(
    breeding: &Breeding,
    place: usize,
    name: &str,
    hash: &str,
) -> Result<Genome, BreedingError> {
    let (genomes, births) = (breeding.genomes(), breeding.births());
    if place >= genomes.len() {
        return Err(BreedingError::NotOnSheet { last: genomes.len() - 1, found: place });
    }
    let mut genome = signed(&genomes[place], SearchKind::Interactive, &births[place], hash);
    genome.provenance.name = name.to_string();
    let notes = &mut genome.provenance.notes;
    notes.insert("sheet".into(), breeding.generation().to_string());
    notes.insert("place".into(), place.to_string());
    Ok(genome)
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
    if std::fs::read(&path).is_ok_and(|there| there == to_json(genome).as_bytes()) {
        return Ok(path);
    }
    for taken in [path.with_extension("png"), path.clone()] {
        if taken.exists() {
            return refused(taken, "a name that nothing here has", "such a file");
        }
    }
    Ok(path)
}
