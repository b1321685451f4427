//! The contents of the root: genomes, breeding sessions, searches, runs, studies, pictures; and
//! what comes with the program.
//!
//! The walk is bounded, follows no links, and stays out of hidden folders and of those that builds
//! fill. A genome is read once; later walks know it by its time and size.

use super::answer::{Answer, Nothing, json_of};
use super::jobs::kept_score;
use super::names;
use super::pixels::is_picture_file;
use super::state::{FoundCollection, FoundGenome, FoundStudy, Studio};
use crate::base::files::{LARGEST_CONFIG, open_plain, read_text};
use crate::base::folder::FolderKind;
use crate::evolve::Session;
use crate::experiment::evolution::{EvolutionConfig, EvolutionResult, SearchKind};
use crate::genome::{self, BUILTIN, Collection, Genome, builtin, map_of_genomes};
use crate::page::tags;
use crate::run::{RunConfig, RunResult, is_genome_file, shipped};
use serde::{Deserialize, Serialize};
use std::io::Read;
use std::path::Path;
use std::time::UNIX_EPOCH;

/// Folders below the root that are looked into, and entries in all.
const DEEPEST: usize = 7;
const MOST: usize = 20_000;
/// Genomes of a file of many that are shown; the others are opened by their id or number.
const LISTED: usize = 24;
/// Folders that hold what builds made.
const SKIPPED: [&str; 4] = ["target", "node_modules", "venv", "__pycache__"];

/// The result of the walk.
#[derive(Default, Serialize)]
pub(super) struct Library {
    version: &'static str,
    root: String,
    /// True if there was more than is looked at.
    cut: bool,
    pub genomes: Vec<FoundGenome>,
    sessions: Vec<FoundSession>,
    searches: Vec<FoundSearch>,
    collections: Vec<FoundCollection>,
    runs: Vec<FoundRun>,
    studies: Vec<FoundStudy>,
    pictures: Vec<FoundPicture>,
    /// Files that claim to be a genome, a session or a run, and cannot be read.
    unread: Vec<Unread>,
    #[serde(skip)]
    entries: usize,
}

#[derive(Serialize)]
struct FoundSession {
    id: String,
    /// Of a session that this program can open by its name.
    name: Option<String>,
    generation: usize,
    sheet_size: usize,
    /// Milliseconds since 1970.
    changed: u64,
}

/// A search, whose genomes name it.
#[derive(Serialize)]
struct FoundSearch {
    id: String,
    name: String,
    search: SearchKind,
    /// The picture it went towards.
    target: Option<String>,
    generations: Option<u64>,
    r2: Option<f64>,
}

#[derive(Serialize)]
struct FoundRun {
    id: String,
    name: String,
    kind: &'static str,
    arm: String,
    /// Its kind, and the picture it learned.
    what: String,
    picture: String,
    arch: Option<String>,
    finished: bool,
    r2: Option<f64>,
    /// Whether R² is high enough for a score to count.
    fit: Option<bool>,
    score: Option<f64>,
    target: Option<String>,
    builtin: bool,
}

#[derive(Serialize)]
struct FoundPicture {
    id: String,
    name: String,
}

#[derive(Serialize)]
struct Unread {
    id: String,
    why: String,
}

impl Library {
    /// Puts what was found where it belongs, or why it cannot be read.
    fn put<T>(
        &mut self,
        id: String,
        found: Option<Result<T, String>>,
        list: impl FnOnce(&mut Self) -> &mut Vec<T>,
    ) {
        match found {
            Some(Ok(found)) => list(self).push(found),
            Some(Err(why)) => self.unread.push(Unread { id, why }),
            None => {}
        }
    }
}

/// `/api/library`.
pub(super) fn library(studio: &Studio, _: Nothing) -> Answer {
    json_of(&walk(studio))
}

/// Looks at everything below the root.
pub(super) fn walk(studio: &Studio) -> Library {
    let folder = studio.root.folder();
    let shown = folder.canonicalize().unwrap_or_else(|_| folder.to_path_buf());
    let mut library = Library {
        version: env!("CARGO_PKG_VERSION"),
        root: shown.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        ..Library::default()
    };
    look(studio, folder, Within::default(), &mut library);
    for (name, text) in BUILTIN {
        let id = format!("{}/{name}.json", super::GENOMES);
        if studio.builtin(&id).is_some()
            && let Ok(genome) = genome::from_json(text)
        {
            let found = FoundGenome { builtin: true, ..told(&id, Path::new(&id), &genome) };
            library.genomes.push(found);
        }
    }
    if studio.builtin(shipped::TRAINED).is_some()
        && let Ok(source) = shipped::trained()
        && let Some(config) = &source.config
    {
        let run = run_of(studio, shipped::TRAINED, "train", config);
        let (r2, fit) = (source.fit.map(|fit| fit.r2), source.fit.map(|fit| fit.passes_gate()));
        library.runs.push(FoundRun { finished: true, r2, fit, ..run });
    }
    // Two studies of one name are told apart by where they lie.
    let names: Vec<String> = library.studies.iter().map(|study| study.name.clone()).collect();
    for study in &mut library.studies {
        if names.iter().filter(|name| **name == study.name).count() > 1 {
            study.name = format!("{} ({})", study.name, study.id);
        }
    }
    library
}

/// The surroundings of a folder.
#[derive(Clone, Copy, Default)]
struct Within<'a> {
    depth: usize,
    /// The search whose results it holds, by id.
    search: Option<&'a str>,
    /// True in a comparison, which holds the study that computed it.
    comparison: bool,
}

fn look(studio: &Studio, folder: &Path, within: Within<'_>, library: &mut Library) {
    let mut entries = studio.root.entries(folder);
    entries.sort_by_key(|entry| entry.file_name());
    for entry in entries {
        library.entries += 1;
        if library.entries > MOST {
            library.cut = true;
            return;
        }
        let path = entry.path();
        let (Some(id), Ok(kind)) = (studio.root.id(&path), entry.file_type()) else { continue };
        if kind.is_dir() {
            if SKIPPED.iter().any(|name| entry.file_name() == *name) || id == super::REMOVED {
                continue;
            }
            let kind = studio.root.marker(&path).map(|marker| marker.kind);
            if let Some(kind) = kind.filter(|kind| kind.is_run()) {
                let kind = if kind == FolderKind::Training { "train" } else { "prune" };
                let found = run(studio, &id, kind, &path);
                library.put(id, Some(found), |library| &mut library.runs);
                continue;
            }
            if kind.is_some_and(FolderKind::is_study) && !within.comparison {
                library.studies.extend(study(studio, &id, &path));
            }
            let search = match kind {
                Some(FolderKind::Evolution) => {
                    library.searches.push(search(studio, &id, &path));
                    Some(id.as_str())
                }
                _ => within.search,
            };
            let comparison = within.comparison || kind == Some(FolderKind::Comparison);
            if within.depth < DEEPEST {
                let inside = Within { depth: within.depth + 1, search, comparison };
                look(studio, &path, inside, library);
            } else {
                library.cut = true;
            }
        } else if kind.is_file() {
            if let Some(found) = collection(studio, &id, &path) {
                library.put(id, Some(found), |library| &mut library.collections);
            } else if is_genome_file(&path) && !names::is_copy(&id) {
                let found = found_genome(studio, &id, &path);
                let search = within.search.map(String::from);
                let found = found.map(|found| found.map(|genome| FoundGenome { search, ..genome }));
                library.put(id, found, |library| &mut library.genomes);
            } else if path.extension().is_some_and(|e| e == "toml") {
                let found = session(&id, &path);
                library.put(id, found, |library| &mut library.sessions);
            } else if is_picture_file(&path) && id.starts_with(super::OPENED) {
                library.pictures.push(FoundPicture { name: names::of_file(&id), id });
            }
        }
    }
}

/// True if a file begins with this text, white space aside.
fn begins(path: &Path, wanted: &str) -> bool {
    let mut head = [0; 160];
    let read = open_plain(path).and_then(|mut file| file.read(&mut head)).unwrap_or(0);
    let text = String::from_utf8_lossy(&head[..read]);
    text.trim_start_matches(['{', '\n', '\r', ' ']).starts_with(wanted)
}

/// The genomes that were published from a session.
pub(super) fn published(studio: &Studio, session: &str) -> Vec<String> {
    let folder = studio.root.folder().join(super::GENOMES);
    let entries = studio.root.entries(&folder).into_iter();
    let mut found: Vec<String> = entries
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()))
        .filter_map(|entry| {
            let path = entry.path();
            let genome = found_genome(studio, &studio.root.id(&path)?, &path)?.ok()?;
            (genome.session.as_deref() == Some(session)).then_some(genome.id)
        })
        .collect();
    found.sort();
    found
}

/// The message of an error about a file, without the file's path.
fn said(path: &Path, error: impl ToString) -> String {
    let text = error.to_string();
    text.strip_prefix(&format!("{}: ", path.display())).unwrap_or(&text).to_string()
}

/// Counts a file of many genomes; `None` for any other file.
fn collection(studio: &Studio, id: &str, path: &Path) -> Option<Result<FoundCollection, String>> {
    studio.known.collections.get(id, path, || {
        let found = map_of_genomes(path, LISTED).transpose()?;
        Some(found.map_err(|error| said(path, error)).map(|Collection { count, ids }| {
            let file = id.rsplit('/').next().unwrap_or(id);
            let name = file.trim_end_matches(".gz").trim_end_matches(".json").into();
            FoundCollection { id: id.into(), name, count, ids }
        }))
    })
}

/// Reads a genome; `None` if the file does not say that it holds one.
fn found_genome(studio: &Studio, id: &str, path: &Path) -> Option<Result<FoundGenome, String>> {
    studio.known.genomes.get(id, path, || {
        // Most JSON files of a study are no genomes: their first line tells.
        let json = path.extension().is_some_and(|e| e == "json");
        let says = ["\"format\": \"picloom-genome/", "\"format\":\"picloom-genome/"];
        let is_packed = path.extension().is_some_and(|e| e == "gz");
        if is_packed || json && !says.iter().any(|says| begins(path, says)) {
            return None;
        }
        let genome = match genome::read(path) {
            Ok(genome) => genome,
            Err(error) => return json.then(|| Err(said(path, error))),
        };
        // As it comes with the program, and nobody's own.
        let is_builtin = || {
            let (_, text) = builtin(Path::new(id))?;
            Some(read_text(path, LARGEST_CONFIG).ok()? == text)
        };
        let builtin = id.contains('/') && is_builtin() == Some(true);
        Some(Ok(FoundGenome { builtin, ..told(id, path, &genome) }))
    })
}

/// Describes a genome for the library.
fn told(id: &str, path: &Path, genome: &Genome) -> FoundGenome {
    FoundGenome {
        id: id.to_string(),
        name: names::of_genome(id, || genome.provenance.title(path)),
        tags: tags(&genome.provenance),
        nodes: genome.nodes().len(),
        links: genome.connections().len(),
        colour: genome.is_colour(),
        session: genome.provenance.notes.get("session").cloned(),
        search: None,
        builtin: false,
    }
}

/// A search by its config and its result, as far as they are there.
fn search(studio: &Studio, id: &str, path: &Path) -> FoundSearch {
    let text = |name| studio.root.text(&path.join(name)).ok().flatten();
    let result: Option<EvolutionResult> =
        text("result.json").and_then(|text| serde_json::from_str(&text).ok());
    let config: Option<EvolutionConfig> =
        text("config.toml").and_then(|text| toml::from_str(&text).ok());
    let target = config.as_ref().and_then(|config| config.target.clone());
    let kind = config.map_or(SearchKind::default(), |config| config.search);
    FoundSearch {
        id: id.to_string(),
        name: match &target {
            Some(target) => format!("towards {}", names::of_file(target)),
            None => id.rsplit('/').next().unwrap_or(id).to_string(),
        },
        search: kind,
        target: target.and_then(|target| studio.target_id(&target)),
        generations: result.as_ref().map(|result| result.generations),
        r2: result.and_then(|result| result.best_r2),
    }
}

/// Reads a session; `None` if the file does not say that it is one.
fn session(id: &str, path: &Path) -> Option<Result<FoundSession, String>> {
    if !begins(path, "format = \"picloom-session/") {
        return None;
    }
    let read = || {
        let text = read_text(path, LARGEST_CONFIG)
            .map_err(|e| format!("expected a session that can be read, found {e}"))?;
        let session = Session::from_toml(&text).map_err(|e| e.to_string())?;
        let changed =
            path.metadata().and_then(|data| data.modified()).map_err(|e| e.to_string())?;
        let own = id.strip_prefix(super::SESSIONS).and_then(|name| name.strip_suffix(".toml"));
        Ok(FoundSession {
            name: own.map(|name| name.trim_start_matches('/').to_string()),
            generation: session.generation(),
            sheet_size: session.config.reproduction.population,
            changed: changed.duration_since(UNIX_EPOCH).map_or(0, |t| t.as_millis() as u64),
            id: id.to_string(),
        })
    };
    Some(read())
}

fn run(studio: &Studio, id: &str, kind: &'static str, path: &Path) -> Result<FoundRun, String> {
    let text = |name| studio.root.text(&path.join(name)).map_err(|e| e.why());
    let config = text("config.toml")?.ok_or("config.toml: expected a file, found none")?;
    let config: RunConfig = toml::from_str(&config).map_err(|e| format!("config.toml: {e}"))?;
    let result: Option<RunResult> =
        text("result.json")?.and_then(|text| serde_json::from_str(&text).ok());
    Ok(FoundRun {
        score: result.as_ref().and_then(|_| kept_score(studio, id, path)),
        finished: result.is_some(),
        r2: result.as_ref().map(|result| result.fit.r2),
        fit: result.as_ref().map(|result| result.fit.passes_gate()),
        ..run_of(studio, id, kind, &config)
    })
}

/// A run of which only its config is known.
fn run_of(studio: &Studio, id: &str, kind: &'static str, config: &RunConfig) -> FoundRun {
    FoundRun {
        id: id.to_string(),
        name: names::of_run_and_picture(config),
        kind,
        arm: config.arm.clone(),
        what: names::of_run(config),
        picture: names::of_target(config),
        arch: config.arch.as_ref().map(ToString::to_string),
        finished: false,
        r2: None,
        fit: None,
        score: None,
        target: studio.target_id(&config.target),
        builtin: id == shipped::TRAINED,
    }
}

/// The head of a study's record.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Said {
    name: String,
    study: String,
    question: String,
}

fn study(studio: &Studio, id: &str, path: &Path) -> Option<FoundStudy> {
    let record = ["study.json", "claims.json"].map(|name| path.join(name));
    let record = record.into_iter().find(|record| record.exists())?;
    studio.known.studies.get(id, &record, || {
        let text = studio.root.text(&record).ok()??;
        let said: Said = serde_json::from_str(&text).unwrap_or_default();
        let name = study_name(studio, path, [said.name, said.study]);
        Some(FoundStudy { id: id.to_string(), name, question: said.question })
    })
}

/// The name of a study: a comparison by its picture, another by its record, else by its folder.
pub(super) fn study_name(studio: &Studio, path: &Path, said: [String; 2]) -> String {
    let comparison = || {
        let marker = studio.root.marker(path)?;
        let of = marker.of.filter(|_| marker.kind == FolderKind::Comparison)?;
        Some(format!("Comparison of {}", names::of_file(&of)))
    };
    let folder = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let said = || said.into_iter().find(|name| !name.is_empty());
    comparison().or_else(said).unwrap_or(folder)
}
