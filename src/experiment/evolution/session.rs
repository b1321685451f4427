//! Breeding by script: a session file is replayed, one more selection appended, the next sheet drawn.
//!
//! Each call leaves the file, the numbered sheet and its genomes, so that a person (or a program
//! that can look) chooses on the sheet, calls again, and repeats.

use super::finish::signed;
use super::sheet::genome_sheet;
use super::{EvolutionError, SearchKind};
use crate::evolve::{Breeding, BreedingError, Selection, Session, SessionError};
use crate::genome::{self, Genome, ReadGenomeError, to_json};
use crate::math::hash::short_id;
use crate::network::Coords;
use crate::network::files::{WriteError, create_folder, read_text, write_atomic};
use std::path::{Path, PathBuf};

/// What to do with a session.
#[derive(Clone, Debug, Default)]
pub struct BreedRequest {
    /// Take back this many selections first.
    pub undo: usize,
    /// Then select.
    pub selection: Option<Selection>,
    /// Cell side of the sheet in pixels.
    pub cell: usize,
    /// Coordinate convention of the sheet.
    pub coords: Coords,
}

/// What a breeding call left behind.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct BreedReport {
    /// Number of the sheet now to choose from.
    pub generation: u64,
    /// Genomes on it.
    pub genomes: usize,
    /// The sheet.
    pub sheet: PathBuf,
    /// The session file.
    pub session: PathBuf,
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

impl From<BreedError> for EvolutionError {
    fn from(error: BreedError) -> Self {
        match error {
            BreedError::Genome(e) => EvolutionError::Genome(e),
            BreedError::Write(e) => EvolutionError::Write(e),
            BreedError::Read { ref path, .. } | BreedError::Session { ref path, .. } => {
                EvolutionError::Checkpoint { path: path.clone(), problem: error.to_string() }
            }
            BreedError::Selection(e) => EvolutionError::Tell(e.into()),
        }
    }
}

/// Replays the session at `script` (created as `fresh` if there is none), applies `request`,
/// writes the session back, and leaves in `folder`: `sheet.png` (numbered), `sheets/NNN.png`,
/// `genomes/NN.json` of the sheet, and `lineage.jsonl` of all selected.
///
/// # Errors
/// Files that cannot be read or written, a selection that cannot be; the session file is as it was.
pub fn breed(
    script: &Path,
    fresh: impl FnOnce() -> Session,
    folder: &Path,
    request: &BreedRequest,
) -> Result<BreedReport, BreedError> {
    let refused = |source| BreedError::Session { path: script.to_path_buf(), source };
    let mut session = if script.exists() {
        let text = read_text(script)
            .map_err(|source| BreedError::Read { path: script.to_path_buf(), source })?;
        Session::from_toml(&text).map_err(refused)?
    } else {
        fresh()
    };
    let kept = session.step.len().saturating_sub(request.undo);
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

    let sheets = folder.join("sheets");
    let genomes = folder.join("genomes");
    create_folder(&sheets)?;
    create_folder(&genomes)?;
    let written = breeding.session(session.ancestors.clone());
    let text = written.to_toml();
    let identity = Session { step: Vec::new(), ..written };
    let hash = short_id(identity.to_toml());
    for (i, (genome, birth)) in breeding.genomes().iter().zip(breeding.births()).enumerate() {
        let genome = signed(genome, SearchKind::Interactive, birth, &hash);
        let path = genomes.join(format!("{i:02}.json"));
        write_atomic(&path, to_json(&genome).as_bytes())?;
    }
    let sheet = genome_sheet(breeding.genomes(), 5, request.cell.max(16), request.coords);
    let png = sheet.to_png(&[("picloom session", &hash)]);
    let number = format!("{:03}.png", breeding.generation());
    write_atomic(&sheets.join(number), &png)?;
    let path = folder.join("sheet.png");
    write_atomic(&path, &png)?;
    write_atomic(&folder.join("lineage.jsonl"), lineage.as_bytes())?;
    // Last: the selection counts once everything that shows it is there.
    write_atomic(script, text.as_bytes())?;
    Ok(BreedReport {
        generation: breeding.generation(),
        genomes: breeding.genomes().len(),
        sheet: path,
        session: script.to_path_buf(),
    })
}
