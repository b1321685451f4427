//! Breeding: sessions are files (`studio/sessions/NAME.toml`), each a tree of sheets that replays to the
//! same bits. Every change is in the file before it is answered.

use super::answer::{Answer, Refusal, json_of, made, of_bytes, with_number};
use super::library::published;
use super::networks::{Files, genome_file};
use super::pixels::pixels;
use super::root::session_id;
use super::state::{Bred, Studio, locked, version};
use super::{GENOMES, OPENED, SESSIONS};
use crate::base::files::{write_atomic, write_new};
use crate::base::hash::short_id;
use crate::base::lock::FolderLock;
use crate::base::settings::Settings;
use crate::evolve::{Breeding, BreedingError, EvolveConfig, Parts, Preset, Selection, Session};
use crate::experiment::evolution::{self, ancestor_file, keep, open, read_session, save};
use crate::genome::{Genome, builtin, to_json};
use crate::network::{Coords, Picture};
use crate::page::{self, PictureRequest, Tree, choose, ensure_side as checked};
use axum::http::StatusCode;
use axum::response::Response;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant, SystemTime};

/// Most pixels of all pictures of one answer together.
const MOST_VALUES: usize = 1 << 24;
/// Most pictures on a sheet, the side of the largest, and names that are tried for a new file.
const LARGEST_GRID: usize = 60;
const LARGEST_DRAWN: usize = 512;
const TRIES: usize = 10_000;

fn stamp(path: &Path) -> Option<(SystemTime, u64)> {
    let data = path.metadata().ok()?;
    Some((data.modified().ok()?, data.len()))
}

impl Studio {
    /// Does something with a session. No pixels are drawn meanwhile: that would hold up whoever else
    /// asks for it, on threads that wait for each other.
    pub(super) fn session<T>(
        &self,
        name: &str,
        work: impl FnOnce(&Path, &mut Bred) -> Result<T, Refusal>,
    ) -> Result<T, Refusal> {
        if name.contains('/') {
            return Err(Refusal::bad(format!("{name:?}: expected the name of a session")));
        }
        let path = self.root.path(&session_id(name))?;
        let slot = self.sessions.slot(name);
        let mut known = locked(&slot.bred);
        // Another program may have written it since.
        if known.as_ref().is_none_or(|bred| bred.stamp != stamp(&path)) {
            *known = Some(self.read(&path)?);
        }
        let bred = known.as_mut().expect("it was just read");
        let done = work(&path, bred);
        slot.genes.store(bred.genes(), Ordering::Relaxed);
        drop(known);
        self.sessions.let_go();
        done
    }

    /// The genome at a place of a sheet.
    ///
    /// # Errors
    /// There is no such session, sheet or place.
    pub(super) fn genome_at(
        &self,
        name: &str,
        sheet: usize,
        place: usize,
    ) -> Result<Genome, Refusal> {
        self.session(name, |_, bred| {
            let title = format!("{name}, sheet {sheet}, picture {}", place + 1);
            placed(name, &bred.tree, Some(sheet), place, &title)
        })
    }

    fn read(&self, path: &Path) -> Result<Bred, Refusal> {
        let stamp = stamp(path);
        for id in &read_session(path).map_err(Refusal::bad)?.ancestors {
            self.root.path(id)?;
        }
        let (tree, _) = open(path, |id| self.root.folder().join(id)).map_err(Refusal::bad)?;
        Ok(Bred { tree, stamp })
    }

    /// Refuses a session that has changed since the page saw it.
    fn as_seen(&self, name: &str, bred: &Bred, version: &str) -> Result<(), Refusal> {
        if bred.version() == version {
            return Ok(());
        }
        let why = format!("{name}: it has changed since this page saw it");
        Err(Refusal::stale(why, "session", self.shown(name, &bred.tree, None)?))
    }

    /// Changes a session that is as the page has seen it, and writes it before it is answered. The
    /// pictures of its sheet, where they are asked for, are drawn meanwhile.
    fn change(
        &self,
        name: &str,
        version: &str,
        size: Option<usize>,
        change: impl FnOnce(&mut Breeding) -> Result<(), BreedingError>,
    ) -> Result<Sheet, Refusal> {
        let size = size.map(|size| checked(size, LARGEST_DRAWN)).transpose()?;
        let mut tree = self.session(name, |_, bred| {
            self.as_seen(name, bred, version)?;
            Ok(bred.tree.clone())
        })?;
        change(&mut tree).map_err(Refusal::bad)?;
        let write = || {
            self.session(name, |path, bred| {
                let _lock =
                    FolderLock::of_file(path).map_err(|e| Refusal::stale(e, "session", ()))?;
                // Another may have been quicker.
                self.as_seen(name, bred, version)?;
                save(&tree, path).map_err(Refusal::unwritten)?;
                *bred = Bred { tree: tree.clone(), stamp: stamp(path) };
                self.shown(name, &tree, None)
            })
        };
        // Safe on the disk takes a while, in which nobody who draws should wait.
        std::thread::scope(|scope| {
            let written = scope.spawn(write);
            let drawn = size.map(|size| Drawn::of(tree.now().genomes(), size)).transpose();
            let shown = written.join().unwrap_or_else(|fault| std::panic::resume_unwind(fault))?;
            Ok(Sheet { shown, drawn: drawn? })
        })
    }

    fn shown(&self, name: &str, tree: &Breeding, n: Option<usize>) -> Result<Shown, Refusal> {
        Ok(Shown {
            id: session_id(name),
            name: name.into(),
            version: version(tree),
            tree: Tree::of(tree, n).map_err(Refusal::none)?,
            published: published(self, &session_id(name)),
        })
    }
}

/// A session as the page shows it.
#[derive(Serialize)]
pub(super) struct Shown {
    id: String,
    name: String,
    version: String,
    #[serde(flatten)]
    tree: Tree,
    published: Vec<String>,
}

/// A session, and the pictures of the sheet that it shows where they are asked for.
struct Sheet {
    shown: Shown,
    drawn: Option<Drawn>,
}

impl Sheet {
    /// JSON; with pictures, they come first.
    fn answer(self, status: StatusCode) -> Answer {
        let mut response = match self.drawn {
            Some(drawn) => drawn.answer(&serde_json::to_vec(&self.shown).map_err(Refusal::failed)?),
            None => json_of(&self.shown)?,
        };
        *response.status_mut() = status;
        Ok(response)
    }
}

/// The pictures of a sheet, one after another, and the time that drawing them took.
struct Drawn {
    /// Grey (1 byte a pixel) if all are, else RGB.
    bytes: Vec<u8>,
    channels: usize,
    took: Duration,
}

impl Drawn {
    /// # Errors
    /// More pixels than one answer has.
    fn of(genomes: &[Genome], size: usize) -> Result<Self, Refusal> {
        let count = genomes.len().max(1);
        if count * size * size > MOST_VALUES {
            let most = ((MOST_VALUES / count) as f64).sqrt() as usize;
            return Err(Refusal::large(format!(
                "size: expected at most {most} pixels for a sheet of {count} pictures, found {size}"
            )));
        }
        let began = Instant::now();
        let drawn: Vec<Vec<u8>> =
            genomes.par_iter().map(|genome| draw(genome, size).to_bytes()).collect();
        let took = began.elapsed();
        // The fewer bytes, the sooner a browser has them.
        let grey = |rgb: &Vec<u8>| rgb.chunks_exact(3).all(|p| p[0] == p[1] && p[0] == p[2]);
        let (bytes, channels) = match drawn.par_iter().all(grey) {
            true => (drawn.iter().flat_map(|rgb| rgb.chunks_exact(3).map(|p| p[0])).collect(), 1),
            false => (drawn.concat(), 3),
        };
        Ok(Drawn { bytes, channels, took })
    }

    /// The pictures, followed by these bytes; headers say where those begin, what a pixel is, and how
    /// long the drawing took.
    fn answer(self, more: &[u8]) -> Response {
        let Drawn { mut bytes, channels, took } = self;
        let end = bytes.len();
        bytes.extend_from_slice(more);
        let answer = of_bytes("application/octet-stream", bytes);
        let mut answer = with_number(with_number(answer, "x-json", end), "x-channels", channels);
        let timing = format!("render;dur={:.3}", took.as_secs_f64() * 1e3);
        let timing = timing.parse().expect("a number makes a header");
        answer.headers_mut().insert("server-timing", timing);
        answer
    }
}

/// A request for a new session.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Wanted {
    #[serde(default)]
    name: String,
    seed: Option<u64>,
    #[serde(default)]
    from: Vec<String>,
    /// Weights of the one genome it begins from that are set: `LINK:VALUE,…`.
    #[serde(default)]
    set: String,
    grid: Option<usize>,
    colour: Option<bool>,
    symmetry: Option<String>,
    background: Option<String>,
    palette: Option<String>,
}

/// `POST /api/sessions`: from random genomes, or from some that there are.
pub(super) fn begin(studio: &Studio, wanted: Wanted) -> Answer {
    if let [id] = &wanted.from[..]
        && id.ends_with(".toml")
    {
        return adopt(studio, id, &wanted.name);
    }
    let given = [
        ("symmetry", &wanted.symmetry),
        ("background", &wanted.background),
        ("palette", &wanted.palette),
    ];
    let given = given.into_iter().filter_map(|(name, value)| Some((name, value.as_deref()?)));
    let given = given.map(|(name, value)| (name.to_string(), toml::Value::from(value))).collect();
    let config = EvolveConfig::of_session(Preset::Picbreeder).with(&given);
    let mut config = config.map_err(Refusal::bad)?;
    if let Some(grid) = wanted.grid {
        if !(2..=LARGEST_GRID).contains(&grid) {
            let why = format!("grid: expected 2 to {LARGEST_GRID} pictures, found {grid}");
            return Err(Refusal::bad(why));
        }
        config.reproduction.population = grid;
    }
    config.start.colour = wanted.colour.unwrap_or(config.start.colour);
    let seed = wanted.seed.unwrap_or_else(|| {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        u64::from(now.subsec_nanos()) ^ (now.as_secs() << 20 & 0xffff_ffff)
    });
    if seed >= 1 << 53 {
        return Err(Refusal::bad(format!("seed: expected a number below 2^53, found {seed}")));
    }
    if wanted.from.len() > config.reproduction.population {
        let why = format!("from: expected at most a sheet of genomes, found {}", wanted.from.len());
        return Err(Refusal::bad(why));
    }
    if !wanted.set.is_empty() && wanted.from.len() != 1 {
        let why = format!("set: expected one genome to begin from, found {}", wanted.from.len());
        return Err(Refusal::bad(why));
    }
    let colour = wanted.colour == Some(true);
    let ancestors: Result<_, _> =
        wanted.from.iter().map(|id| ancestor(studio, id, &wanted.set, colour)).collect();
    new_session(studio, &wanted.name, "session", &Session::new(config, seed, ancestors?))
}

/// A copy of a session that was bred elsewhere, by the command say, to go on with.
fn adopt(studio: &Studio, id: &str, name: &str) -> Answer {
    let path = studio.root.path(id)?;
    let mut session = read_session(&path).map_err(Refusal::bad)?;
    for file in &mut session.ancestors {
        let none = || Refusal::bad(format!("{id}: expected its ancestor {file} below the root"));
        let found = ancestor_file(&path, file);
        let found = studio.root.id_of_named(&found.to_string_lossy()).ok_or_else(none)?;
        *file = ancestor(studio, &found, "", false)?;
    }
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    new_session(studio, name, &stem, &session)
}

/// A copy of a genome, named by its content: a session replays whatever becomes of the file it was taken
/// from. Some of its weights may be `set`; with `colour`, a grey one is given the outputs of colour.
fn ancestor(studio: &Studio, id: &str, set: &str, colour: bool) -> Result<String, Refusal> {
    let (mut genome, _) = page::genome(&mut Files::of(studio), &PictureRequest::with(id, set))?;
    if colour && !genome.is_colour() {
        genome = genome.with_colour_outputs();
    }
    let text = to_json(&genome);
    let file = format!("{}.json", short_id(&text));
    let path = studio.root.made(OPENED)?.join(&file);
    write_atomic(&path, text.as_bytes()).map_err(Refusal::unwritten)?;
    Ok(format!("{OPENED}/{file}"))
}

fn new_session(studio: &Studio, name: &str, otherwise: &str, session: &Session) -> Answer {
    let folder = studio.root.made(SESSIONS)?;
    let stem = if name.trim().is_empty() { otherwise } else { name };
    let path = new_file(&folder, stem, "toml", session.to_toml().as_bytes())?;
    let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let shown = studio.session(&name, |_, bred| studio.shown(&name, &bred.tree, None));
    if shown.is_err() {
        // It cannot be replayed: nothing is left of it.
        let _ = std::fs::remove_file(&path);
    }
    made(&shown?)
}

/// A new file whose name follows from one that people gave: `NAME.END`, or `NAME-2.END`, ….
fn new_file(folder: &Path, name: &str, end: &str, bytes: &[u8]) -> Result<PathBuf, Refusal> {
    let plain = |c: char| if c.is_alphanumeric() || c == '-' || c == '_' { c } else { '_' };
    let mut stem: String = name.trim().chars().take(60).map(plain).collect();
    // Names of files have at most 255 bytes; endings and numbers come on top.
    while stem.len() > 200 {
        stem.pop();
    }
    let stem = match stem.trim_matches('_') {
        "" => "untitled",
        stem => stem,
    };
    for count in 1..TRIES {
        let file =
            if count == 1 { format!("{stem}.{end}") } else { format!("{stem}-{count}.{end}") };
        let path = folder.join(&file);
        // A genome of the program keeps its id.
        if path.exists() || builtin(&Path::new(GENOMES).join(file)).is_some() {
            continue;
        }
        match write_new(&path, bytes) {
            Err(error) if error.source.kind() == ErrorKind::AlreadyExists => {}
            written => return written.map(|()| path).map_err(Refusal::unwritten),
        }
    }
    Err(Refusal::failed(format!(
        "{}: expected a free name like {stem}, found none",
        folder.display()
    )))
}

/// Which sheet of a session.
#[derive(Deserialize)]
pub(super) struct AskedSheet {
    node: Option<usize>,
    size: Option<usize>,
}

impl AskedSheet {
    /// The genomes of the sheet.
    fn genomes(&self, tree: &Breeding) -> Result<Vec<Genome>, Refusal> {
        let node = self.node.unwrap_or(tree.at());
        Ok(tree.sheet(node).map_err(Refusal::none)?.genomes().to_vec())
    }
}

/// `/api/sessions/NAME`; with a size, the pictures of the sheet follow.
pub(super) fn show(studio: &Studio, name: &str, asked: AskedSheet) -> Answer {
    let size = asked.size.map(|size| checked(size, LARGEST_DRAWN)).transpose()?;
    let (shown, genomes) = studio.session(name, |_, bred| {
        Ok((studio.shown(name, &bred.tree, asked.node)?, asked.genomes(&bred.tree)?))
    })?;
    let drawn = size.map(|size| Drawn::of(&genomes, size)).transpose()?;
    Sheet { shown, drawn }.answer(StatusCode::OK)
}

/// `/api/sessions/NAME/sheet`: every picture of a sheet.
pub(super) fn sheet(studio: &Studio, name: &str, asked: AskedSheet) -> Answer {
    let size = checked(asked.size.unwrap_or(128), LARGEST_DRAWN)?;
    let genomes = studio.session(name, |_, bred| asked.genomes(&bred.tree))?;
    Ok(Drawn::of(&genomes, size)?.answer(&[]))
}

/// Draws a genome.
pub(super) fn draw(genome: &Genome, size: usize) -> Picture {
    evolution::draw(genome, size, Coords::Fer)
}

/// A choice on a sheet.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Choice {
    version: String,
    at: usize,
    chosen: Vec<usize>,
    slider: Option<f64>,
    #[serde(default)]
    parts: Parts,
    roll: Option<u64>,
    /// Side of the pictures that follow the answer; `None` for no pictures.
    size: Option<usize>,
}

impl Choice {
    /// Breeds the next sheet; chosen on an older one it begins a branch.
    fn breed(&self, tree: &mut Breeding) -> Result<(), BreedingError> {
        let (Choice { at, slider, parts, roll, .. }, chosen) = (self, &self.chosen);
        let wanted = Selection { slider: *slider, parts: *parts, ..Selection::of(chosen) };
        choose(tree, *at, wanted, *roll)
    }
}

/// `POST …/breed`: the next sheet.
pub(super) fn breed(studio: &Studio, name: &str, choice: Choice) -> Answer {
    let change = |tree: &mut Breeding| choice.breed(tree);
    studio.change(name, &choice.version, choice.size, change)?.answer(StatusCode::CREATED)
}

#[derive(Serialize)]
struct Foreseen {
    version: String,
}

/// `POST …/foresee`: the pictures that a choice is going to lead to, and the version of the session that
/// has them. Nothing is changed: a page asks for them while somebody still looks at what was chosen.
pub(super) fn foresee(studio: &Studio, name: &str, choice: Choice) -> Answer {
    let size = checked(choice.size.unwrap_or(128), LARGEST_DRAWN)?;
    let mut tree = studio.session(name, |_, bred| {
        studio.as_seen(name, bred, &choice.version)?;
        Ok(bred.tree.clone())
    })?;
    choice.breed(&mut tree).map_err(Refusal::bad)?;
    let foreseen = Foreseen { version: version(&tree) };
    let json = serde_json::to_vec(&foreseen).map_err(Refusal::failed)?;
    Ok(Drawn::of(tree.now().genomes(), size)?.answer(&json))
}

/// A move in the tree.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Move {
    version: String,
    node: Option<usize>,
    /// As in [`Choice`].
    size: Option<usize>,
}

/// `POST …/undo`: to the sheet before.
pub(super) fn undo(studio: &Studio, name: &str, Move { version, size, .. }: Move) -> Answer {
    let undone = studio.change(name, &version, size, |tree| {
        tree.undo();
        Ok(())
    })?;
    undone.answer(StatusCode::OK)
}

/// `POST …/redo`: to the sheet that was left last.
pub(super) fn redo(studio: &Studio, name: &str, Move { version, size, .. }: Move) -> Answer {
    let redone = studio.change(name, &version, size, |tree| {
        tree.redo();
        Ok(())
    })?;
    redone.answer(StatusCode::OK)
}

/// `POST …/goto`: to any sheet.
pub(super) fn go_to(studio: &Studio, name: &str, Move { version, node, size }: Move) -> Answer {
    let node =
        node.ok_or_else(|| Refusal::bad("node: expected the number of a sheet, found none"))?;
    studio.change(name, &version, size, |tree| tree.go_to(node))?.answer(StatusCode::OK)
}

/// A genome to be kept.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Publication {
    version: String,
    node: Option<usize>,
    place: usize,
    name: String,
    #[serde(default)]
    tags: Vec<String>,
}

#[derive(Serialize)]
struct Published {
    id: String,
}

/// `POST …/publish`: the genome at a place, as a file in `genomes/`.
pub(super) fn publish(studio: &Studio, name: &str, wanted: Publication) -> Answer {
    let genome = studio.session(name, |_, bred| {
        studio.as_seen(name, bred, &wanted.version)?;
        placed(name, &bred.tree, wanted.node, wanted.place, "")
    })?;
    kept(studio, genome, &wanted.name, &wanted.tags)
}

/// A genome that was looked into, to be kept.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Kept {
    id: String,
    #[serde(default)]
    set: String,
    name: String,
    #[serde(default)]
    tags: Vec<String>,
}

/// `POST /api/publish`: the genome of a network, some of its weights set, as a file in `genomes/`.
pub(super) fn publish_genome(studio: &Studio, Kept { id, set, name, tags }: Kept) -> Answer {
    let (genome, _) = page::genome(&mut Files::of(studio), &PictureRequest::with(&id, &set))?;
    kept(studio, genome, &name, &tags)
}

/// Writes a genome into `genomes/` under a name and with tags that people gave it.
fn kept(studio: &Studio, mut genome: Genome, name: &str, tags: &[String]) -> Answer {
    genome.provenance.name = name.trim().chars().take(200).collect();
    let tags: Vec<String> = tags
        .iter()
        .map(|tag| tag.replace(',', " ").trim().chars().take(60).collect())
        .filter(|tag: &String| !tag.is_empty())
        .take(20)
        .collect();
    if !tags.is_empty() {
        genome.provenance.notes.insert("tags".into(), tags.join(", "));
    }
    let folder = studio.root.made(GENOMES)?;
    let path = new_file(&folder, name, "json", to_json(&genome).as_bytes())?;
    let file = path.file_name().unwrap_or_default().to_string_lossy();
    made(&Published { id: format!("{GENOMES}/{file}") })
}

/// The genome at a place of a sheet, saying how it was bred.
fn placed(
    name: &str,
    tree: &Breeding,
    node: Option<usize>,
    place: usize,
    title: &str,
) -> Result<Genome, Refusal> {
    let node = node.unwrap_or(tree.at());
    let mut genome = keep(tree, node, place, title).map_err(Refusal::none)?;
    genome.provenance.made_by = "picloom studio".into();
    genome.provenance.notes.insert("session".into(), session_id(name));
    Ok(genome)
}

/// Which picture of a session.
#[derive(Deserialize)]
pub(super) struct AskedPlace {
    node: Option<usize>,
    place: usize,
    size: Option<usize>,
}

/// `/api/sessions/NAME/genome`: a genome of a sheet, to be saved.
pub(super) fn genome(studio: &Studio, name: &str, asked: AskedPlace) -> Answer {
    let AskedPlace { node, place, .. } = asked;
    let genome = studio.session(name, |_, bred| placed(name, &bred.tree, node, place, ""))?;
    Ok(genome_file(&genome, &format!("{name}-{place}")))
}

/// `/api/sessions/NAME/picture`: its picture, small.
pub(super) fn picture(studio: &Studio, name: &str, asked: AskedPlace) -> Answer {
    let AskedPlace { node, place, size } = asked;
    let size = checked(size.unwrap_or(128), LARGEST_DRAWN)?;
    let genome = studio.session(name, |_, bred| placed(name, &bred.tree, node, place, ""))?;
    Ok(pixels(&draw(&genome, size), false))
}
