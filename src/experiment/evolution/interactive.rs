//! Breeding sessions in files: the reader and the writer of command, studio and Python; and breeding by
//! script, in which a session is read, moved about in, bred on from, and its sheet drawn.
//!
//! Each call of [`breed`] leaves the file, the numbered sheet and its genomes, so that a person (or a
//! program that can look) chooses on the sheet, calls again, and repeats.

use super::config::{EvolutionConfig, SHEET_PIXEL};
use super::differs::first_difference;
use super::inputs::{Ancestors, ancestor_file};
use super::job::EvolutionError;
use super::kind::SearchKind;
use super::sheet::{draw, genome_sheet};
use super::stored::StoredSearch;
use crate::base::files::{
    LARGEST_CONFIG, LARGEST_STATE, WriteError, create_folder, json_lines, read_plain, read_text,
    write_atomic,
};
pub use crate::base::folder::SESSION_FILE;
use crate::base::folder::{FolderKind, Marker};
use crate::base::memory;
use crate::base::refusal::Refusal;
use crate::base::settings::settings;
use crate::base::text::{path_text, path_texts, portable};
use crate::evolve::{Breeding, EvolveConfig, Preset, Selection, Session, Sheet};
use crate::genome::{Genome, to_json};
use crate::network::Coords;
use std::path::{Path, PathBuf};

/// Side of the picture beside a kept genome in pixels.
const KEPT: usize = 512;

/// Selections from a session file.
pub(super) struct Interactive;

impl StoredSearch for Interactive {
    fn defaults(&self, preset: Preset) -> EvolutionConfig {
        let config = EvolutionConfig::new(preset);
        EvolutionConfig { evolve: EvolveConfig::of_session(preset), ..config }
    }

    fn is_looked_at(&self) -> bool {
        true
    }
}

/// The search that requests to sessions belong to.
const ONLY: &[&str] = &["interactive"];

settings! {
    /// A request to a session: where to go, then what to select.
    #[derive(Clone, Debug, PartialEq)]
    #[serde(deny_unknown_fields, default)]
    pub struct BreedRequest: flags "Breeding by hand (--search interactive)" {
        /// Session file to replay, and to write back with the new selection; made where there is none.
        script: Option<PathBuf> = None, value: "FILE", unless: "session.toml in --out", only: ONLY;
        /// Places on the sheet to breed from, e.g. 3,8.
        select: Vec<usize> = Vec::new(), only: ONLY;
        /// Mutation slider of this selection.
        slider: Option<f64> = None, range: Range::SHARE, needs: "select", only: ONLY;
        /// Another number draws other children from the same selection.
        roll: Option<u64> = None, needs: "select", unless: "the first that is not in the session", only: ONLY;
        /// A word on the choice, kept in the session.
        why: String = String::new(), needs: "select", only: ONLY;
        /// Go to sheet N first; a selection there begins a branch.
        sheet: Option<usize> = None, value: "N", only: ONLY;
        /// Go back over this many selections first; every sheet stays.
        undo: usize = 0, value: "COUNT", only: ONLY;
        /// Go on over this many, where --undo came from.
        redo: usize = 0, value: "COUNT", only: ONLY;
    }
}

impl BreedRequest {
    /// The selection; `None` if it only moves.
    pub(crate) fn selection(&self) -> Option<Selection> {
        let BreedRequest { select, slider, why, .. } = self;
        let selection = Selection { slider: *slider, why: why.clone(), ..Selection::of(select) };
        (!select.is_empty()).then_some(selection)
    }
}

/// Genomes to keep of the sheet that lies there in the end, and how the sheet is drawn.
#[derive(Clone, Debug)]
pub struct Shown {
    /// Places and names.
    pub keep: Vec<(usize, String)>,
    /// Cell side of the sheet in pixels.
    pub cell: usize,
    /// Coordinate convention of the sheet.
    pub coords: Coords,
}

/// The result of a breeding call.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub(crate) struct BreedReport {
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

/// Reads a session without breeding it.
///
/// # Errors
/// The file cannot be read, or is no session.
pub(crate) fn read_session(path: &Path) -> Result<Session, EvolutionError> {
    let text = read_text(path, LARGEST_STATE)
        .map_err(|error| Refusal::unreadable(path, "a session", &error))?;
    Ok(Session::from_toml(&text).map_err(|refusal| refusal.in_file(path))?)
}

/// Reads a session and breeds its sheets; with the genomes that it began from. `ancestor` finds their files, as
/// [`ancestor_file`] does.
///
/// # Errors
/// A file that cannot be read or is none, a session that cannot be bred.
pub fn open(
    path: &Path,
    ancestor: impl Fn(&str) -> PathBuf,
) -> Result<(Breeding, Ancestors), EvolutionError> {
    let (session, ancestors) = named(read_session(path)?, ancestor)?;
    Ok((bred(path, session, &ancestors)?, ancestors))
}

/// A session that names its ancestors as they are kept, with their genomes.
fn named(
    session: Session,
    ancestor: impl Fn(&str) -> PathBuf,
) -> Result<(Session, Ancestors), Refusal> {
    let ancestors = Ancestors::read(&session.ancestors, ancestor)?;
    Ok((Session { ancestors: ancestors.names.clone(), ..session }, ancestors))
}

fn bred(path: &Path, session: Session, ancestors: &Ancestors) -> Result<Breeding, EvolutionError> {
    Ok(Breeding::new(session, &ancestors.genomes).map_err(|refusal| refusal.in_file(path))?)
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
pub(crate) fn breed(
    script: &Path,
    asked: impl FnOnce(Option<&Session>) -> Session,
    folder: &Path,
    request: &BreedRequest,
    shown: &Shown,
) -> Result<BreedReport, EvolutionError> {
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
    let is_there = script.symlink_metadata().is_ok();
    let (session, ancestors) = if is_there {
        let found = named(read_session(script)?)?;
        same_settings(script, &named(asked(Some(&found.0)))?.0, &found.0)?;
        found
    } else {
        named(asked(None))?
    };
    let population = session.config.reproduction.population;
    let pixels = shown.cell.saturating_mul(shown.cell);
    let factors = [(pixels, "pixels"), (population, "pictures")];
    memory::ensure("population, cell", &factors, SHEET_PIXEL)?;
    // Of settings that were asked for just now, no file is at fault.
    let mut breeding = match is_there {
        true => bred(script, session, &ancestors)?,
        false => Breeding::new(session, &ancestors.genomes)?,
    };
    go_and_select(&mut breeding, script, request)?;
    let kept = kept(&breeding, script, folder, &shown.keep)?;

    let (at, now) = (breeding.at(), breeding.now());
    let hash = breeding.session().settings_hash();
    let texts = [("picloom session", hash.as_str())];
    let sheets = folder.join("sheets");
    Marker::new(FolderKind::Session).about(&hash, portable(script)).write(folder)?;
    create_folder(&sheets)?;
    write_genomes(now, SearchKind::Interactive, &hash, folder)?;
    let png = genome_sheet(now.genomes(), 5, shown.cell, shown.coords).to_png(&texts);
    write_atomic(&sheets.join(format!("{at:03}.png")), &png)?;
    let sheet = folder.join("sheet.png");
    write_atomic(&sheet, &png)?;
    write_atomic(&folder.join("lineage.jsonl"), json_lines(&breeding.lineage()).as_bytes())?;
    for (path, genome) in &kept {
        let picture = draw(genome, KEPT, shown.coords).to_png(&texts);
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
        sheet,
        session: script.to_path_buf(),
        saved: kept.into_iter().map(|(path, _)| path).collect(),
    })
}

/// Moves in a session as `request` says, then selects.
fn go_and_select(
    breeding: &mut Breeding,
    script: &Path,
    request: &BreedRequest,
) -> Result<(), EvolutionError> {
    if let Some(sheet) = request.sheet {
        breeding.go_to(sheet)?;
    }
    for (way, asked) in [("back", request.undo), ("on", request.redo)] {
        for most in 0..asked {
            let gone = if way == "back" { breeding.undo() } else { breeding.redo() };
            let expected = format!("at most {most} sheets to go {way}");
            Refusal::unless(gone, script.display(), expected, asked)
                .map_err(Refusal::as_failure)?;
        }
    }
    if let Some(selection) = request.selection() {
        let selection = match request.roll {
            Some(roll) => Selection { roll, ..selection },
            None => breeding.rolled(selection),
        };
        breeding.select(selection).map_err(Refusal::as_failure)?;
    }
    Ok(())
}

/// The genomes to keep of the sheet that lies there, and their files.
fn kept(
    breeding: &Breeding,
    script: &Path,
    folder: &Path,
    asked: &[(usize, String)],
) -> Result<Vec<(PathBuf, Genome)>, EvolutionError> {
    let mut kept: Vec<(PathBuf, Genome)> = Vec::new();
    for (place, name) in asked {
        let mut genome = breeding.keep(breeding.at(), *place, name)?;
        genome.provenance.notes.insert("session".into(), portable(script));
        let path = free(folder, name, &genome).map_err(Refusal::as_failure)?;
        let is_new = kept.iter().all(|(other, _)| *other != path);
        Refusal::unless(is_new, path.display(), "a name for each genome", "it twice")
            .map_err(Refusal::as_failure)?;
        kept.push((path, genome));
    }
    Ok(kept)
}

/// Writes the genomes of a sheet as `genomes/NN.json` in `folder`; each says which search made it.
pub(super) fn write_genomes(
    sheet: &Sheet,
    search: SearchKind,
    hash: &str,
    folder: &Path,
) -> Result<(), WriteError> {
    let genomes = folder.join("genomes");
    create_folder(&genomes)?;
    for (i, (genome, birth)) in sheet.genomes().iter().zip(sheet.births()).enumerate() {
        let genome = birth.sign(genome, search.name(), hash);
        write_atomic(&genomes.join(format!("{i:02}.json")), to_json(&genome).as_bytes())?;
    }
    Ok(())
}

fn same_settings(path: &Path, asked: &Session, found: &Session) -> Result<(), EvolutionError> {
    let table = |session: &Session| {
        let settings = Session { step: Vec::new(), at: None, ..session.clone() };
        toml::Table::try_from(settings).expect("a session is plain data")
    };
    let Some(difference) = first_difference("", &table(asked), &table(found)) else {
        return Ok(());
    };
    let refusal =
        Refusal::new("", "a session of the same settings", format!("another: {difference}"))
            .in_file(path);
    Err(refusal.advising("leave them out, or choose another --out and --script").into())
}

/// The file of a genome to keep: of a plain name that nothing else has.
fn free(folder: &Path, name: &str, genome: &Genome) -> Result<PathBuf, Refusal> {
    let plain = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
    let is_plain = !name.is_empty() && name.chars().all(plain);
    let expected = "a name of letters, digits, - and _";
    Refusal::unless(is_plain, folder.display(), expected, format!("{name:?}"))?;
    let path = folder.join(format!("{name}.json"));
    let picture = path.with_extension("png");
    let expected = "a name that nothing here has";
    Refusal::unless(name != "sheet", picture.display(), expected, "that of the sheet")?;
    // The same genome may be kept once more.
    if read_plain(&path, LARGEST_CONFIG).is_ok_and(|there| there == to_json(genome).as_bytes()) {
        return Ok(path);
    }
    for taken in [&picture, &path] {
        Refusal::unless(!taken.exists(), taken.display(), expected, "such a file")?;
    }
    Ok(path)
}
