//! What lies below the root: genomes, breeding sessions, runs, studies, pictures.
//!
//! The walk is bounded, follows no links, and stays out of hidden folders and of those that builds
//! fill. A genome is read once; later walks know it by its time and size.

use super::answer::{Answer, json_of};
use super::jobs::kept_score;
use super::networks::{is_picture_file, tags};
use super::server::{Nothing, Studio};
use crate::evolve::Session;
use crate::experiment::folder::Holding;
use crate::experiment::{RunConfig, RunResult, is_genome_file};
use crate::genome;
use crate::network::files::read_text;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

/// Folders below the root that are looked into, and entries in all.
const DEEPEST: usize = 7;
const MOST: usize = 20_000;
/// Folders that hold what builds made.
const SKIPPED: [&str; 4] = ["target", "node_modules", "venv", "__pycache__"];

/// What was found.
#[derive(Default, Serialize)]
pub struct Library {
    version: &'static str,
    root: String,
    /// True if there was more than is looked at.
    cut: bool,
    pub genomes: Vec<FoundGenome>,
    sessions: Vec<FoundSession>,
    runs: Vec<FoundRun>,
    studies: Vec<FoundStudy>,
    pictures: Vec<FoundPicture>,
    #[serde(skip)]
    entries: usize,
}

/// A genome file.
#[derive(Clone, Serialize)]
pub struct FoundGenome {
    pub id: String,
    name: String,
    tags: Vec<String>,
    nodes: usize,
    links: usize,
    colour: bool,
    /// The breeding session it was published from, where its file says so.
    pub session: Option<String>,
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

#[derive(Serialize)]
struct FoundRun {
    id: String,
    kind: &'static str,
    arm: String,
    arch: Option<String>,
    finished: bool,
    r2: Option<f64>,
    score: Option<f64>,
    target: Option<String>,
}

#[derive(Serialize)]
struct FoundStudy {
    id: String,
    name: String,
    question: String,
}

#[derive(Serialize)]
struct FoundPicture {
    id: String,
}

/// Genomes by id, with the time and size of their file.
#[derive(Default)]
pub struct Known(Mutex<BTreeMap<String, Read>>);

type Read = (Option<SystemTime>, u64, Option<FoundGenome>);

/// `/api/library`.
pub fn library(studio: &Studio, _: Nothing) -> Answer {
    json_of(&walk(studio))
}

/// Looks at everything below the root.
pub fn walk(studio: &Studio) -> Library {
    let folder = studio.root.folder();
    let shown = folder.canonicalize().unwrap_or_else(|_| folder.to_path_buf());
    let mut library = Library {
        version: env!("CARGO_PKG_VERSION"),
        root: shown.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        ..Library::default()
    };
    look(studio, folder, 0, &mut library);
    library
}

fn look(studio: &Studio, folder: &Path, depth: usize, library: &mut Library) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let mut entries: Vec<_> = entries.flatten().collect();
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
            if SKIPPED.iter().any(|name| entry.file_name() == *name) {
                continue;
            }
            match Holding::of(&path) {
                Some(Holding::Training) => library.runs.extend(run(studio, id, "train", &path)),
                Some(Holding::Pruning) => library.runs.extend(run(studio, id, "prune", &path)),
                holding => {
                    if matches!(
                        holding,
                        Some(Holding::Study | Holding::WholeStudy | Holding::Comparison)
                    ) {
                        library.studies.extend(study(id, &path));
                    }
                    if depth < DEEPEST {
                        look(studio, &path, depth + 1, library);
                    } else {
                        library.cut = true;
                    }
                }
            }
        } else if kind.is_file() {
            if is_genome_file(&path) {
                library.genomes.extend(found_genome(studio, &id, &path));
            } else if path.extension().is_some_and(|e| e == "toml") {
                library.sessions.extend(session(id, &path));
            } else if is_picture_file(&path) && id.starts_with(super::OPENED) {
                library.pictures.push(FoundPicture { id });
            }
        }
    }
}

/// True if a file begins with this text, white space aside.
fn begins(path: &Path, wanted: &str) -> bool {
    let mut head = [0; 160];
    let read = std::fs::File::open(path).and_then(|mut file| file.read(&mut head)).unwrap_or(0);
    let text = String::from_utf8_lossy(&head[..read]);
    text.trim_start_matches(['{', '\n', '\r', ' ']).starts_with(wanted)
}

/// The genomes that were published from a session.
pub fn published(studio: &Studio, session: &str) -> Vec<String> {
    let folder = studio.root.folder().join(super::GENOMES);
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut found: Vec<String> = entries
        .filter_map(|entry| {
            let path = entry.path();
            let genome = found_genome(studio, &studio.root.id(&path)?, &path)?;
            (genome.session.as_deref() == Some(session)).then_some(genome.id)
        })
        .collect();
    found.sort();
    found
}

fn found_genome(studio: &Studio, id: &str, path: &Path) -> Option<FoundGenome> {
    let data = path.metadata().ok()?;
    let (changed, size) = (data.modified().ok(), data.len());
    let known = studio.known.0.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((at, bytes, found)) = known.get(id)
        && (*at, *bytes) == (changed, size)
    {
        return found.clone();
    }
    drop(known);
    // Most JSON files of a study are no genomes: their first line tells.
    let json = path.extension().is_some_and(|e| e == "json");
    let may = !json
        || begins(path, "\"format\": \"picloom-genome/")
        || begins(path, "\"format\":\"picloom-genome/");
    let found = may.then(|| genome::read(path).ok()).flatten().map(|genome| FoundGenome {
        id: id.to_string(),
        name: genome.provenance.title(path),
        tags: tags(&genome.provenance).into_iter().map(String::from).collect(),
        nodes: genome.nodes().len(),
        links: genome.connections().len(),
        colour: genome.is_colour(),
        session: genome.provenance.notes.get("session").cloned(),
    });
    let mut known = studio.known.0.lock().unwrap_or_else(PoisonError::into_inner);
    known.insert(id.to_string(), (changed, size, found.clone()));
    found
}

fn session(id: String, path: &Path) -> Option<FoundSession> {
    if !begins(path, "format = \"picloom-session/") {
        return None;
    }
    let session = Session::from_toml(&read_text(path).ok()?).ok()?;
    let changed = path.metadata().and_then(|data| data.modified()).ok()?;
    let own = id.strip_prefix(super::SESSIONS).and_then(|name| name.strip_suffix(".toml"));
    Some(FoundSession {
        name: own.map(|name| name.trim_start_matches('/').to_string()),
        generation: session.way().ok()?.len(),
        sheet_size: session.config.reproduction.population,
        changed: changed.duration_since(UNIX_EPOCH).map_or(0, |t| t.as_millis() as u64),
        id,
    })
}

fn run(studio: &Studio, id: String, kind: &'static str, path: &Path) -> Option<FoundRun> {
    let config: RunConfig = toml::from_str(&read_text(&path.join("config.toml")).ok()?).ok()?;
    let result: Option<RunResult> =
        read_text(&path.join("result.json")).ok().and_then(|text| serde_json::from_str(&text).ok());
    Some(FoundRun {
        score: result.as_ref().and_then(|_| kept_score(studio, &id)),
        id,
        kind,
        arm: config.arm,
        arch: config.arch.map(|arch| arch.to_string()),
        finished: result.is_some(),
        r2: result.map(|result| result.fit.r2),
        target: studio.root.id_of_named(&config.target),
    })
}

/// What the record of a study says of it.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Said {
    name: String,
    study: String,
    question: String,
}

fn study(id: String, path: &Path) -> Option<FoundStudy> {
    let text =
        read_text(&path.join("record.json")).or_else(|_| read_text(&path.join("claims.json")));
    let said: Said = serde_json::from_str(&text.ok()?).unwrap_or_default();
    let folder = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let name = [said.name, said.study, folder].into_iter().find(|name| !name.is_empty())?;
    Some(FoundStudy { id, name, question: said.question })
}
