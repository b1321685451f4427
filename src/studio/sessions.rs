//! Breeding: sessions are files (`studio/sessions/NAME.toml`), each a tree of sheets that replays to the
//! same bits. Every change is in the file before it is answered.

use super::answer::{Answer, Rejection, json_of, made, of_bytes, with_number};
use super::networks::{Files, genome_file};
use super::pixels::pixels;
use super::root::session_id;
use super::state::{Bred, Studio, locked};
use super::{GENOMES, OPENED, SESSIONS};
use crate::base::files::{write_atomic, write_new};
use crate::base::hash::short_id;
use crate::base::lock::FolderLock;
use crate::evolve::{Breeding, Session};
use crate::experiment::evolution::{ancestor_file, open, read_session, save};
use crate::genome::{Genome, builtin, to_json};
use crate::page::{
    self, Choice, Move, PictureRequest, PlaceRequest, SessionRequest, SessionSheet, SheetPictures,
    SheetRequest, Way,
};
use axum::http::StatusCode;
use axum::response::Response;
use rayon::prelude::*;
use serde::Deserialize;
use serde_json::json;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::SystemTime;

/// Names that are tried for a new file.
const TRIES: usize = 10_000;

/// Time and size of a session's file.
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
        work: impl FnOnce(&Path, &mut Bred) -> Result<T, Rejection>,
    ) -> Result<T, Rejection> {
        if name.contains('/') {
            return Err(Rejection::bad(format!("{name:?}: expected the name of a session")));
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

    fn read(&self, path: &Path) -> Result<Bred, Rejection> {
        let stamp = stamp(path);
        for id in &read_session(path).map_err(Rejection::bad)?.ancestors {
            self.root.path(id)?;
        }
        let (tree, _) = open(path, |id| self.root.folder().join(id)).map_err(Rejection::bad)?;
        Ok(Bred { tree, stamp })
    }

    /// Writes a session as it has become, if it still is as the page has seen it.
    pub(super) fn write(&self, name: &str, seen: &str, tree: &Breeding) -> Result<(), Rejection> {
        self.session(name, |path, bred| {
            let _lock =
                FolderLock::of_file(path).map_err(|e| Rejection::stale(e, "session", ()))?;
            // Another may have been quicker.
            page::ensure_seen(&mut Files::of(self), name, &bred.tree, seen)?;
            save(tree, path).map_err(Rejection::unwritten)?;
            *bred = Bred { tree: tree.clone(), stamp: stamp(path) };
            Ok(())
        })
    }

    /// Writes a new session that begins from these genomes; its name.
    pub(super) fn new_session(
        &self,
        name: &str,
        session: Session,
        ancestors: &[Genome],
    ) -> Result<String, Rejection> {
        let ancestors = ancestors.iter().map(|genome| self.ancestor(genome));
        let session = Session { ancestors: ancestors.collect::<Result<_, _>>()?, ..session };
        let folder = self.root.made(SESSIONS)?;
        let stem = if name.trim().is_empty() { "session" } else { name };
        let path = new_file(&folder, stem, "toml", session.to_toml().as_bytes())?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if let Err(refusal) = self.session(&name, |_, _| Ok(())) {
            // It cannot be replayed: nothing is left of it.
            let _ = std::fs::remove_file(&path);
            return Err(refusal);
        }
        Ok(name)
    }

    /// A copy of a genome, named by its content: a session replays whatever becomes of the file it was taken from.
    fn ancestor(&self, genome: &Genome) -> Result<String, Rejection> {
        let text = to_json(genome);
        let file = format!("{}.json", short_id(&text));
        let path = self.root.made(OPENED)?.join(&file);
        write_atomic(&path, text.as_bytes()).map_err(Rejection::unwritten)?;
        Ok(format!("{OPENED}/{file}"))
    }
}

/// The pictures of a sheet one after another, followed by these bytes. A pixel is grey (1 byte) if all are, else RGB;
/// headers say where the other bytes begin, what a pixel is, and how long the drawing took.
fn with_pictures(SheetPictures { rgb, took }: SheetPictures, more: &[u8]) -> Response {
    // The fewer bytes, the sooner a browser has them.
    let grey = |rgb: &Vec<u8>| rgb.chunks_exact(3).all(|p| p[0] == p[1] && p[0] == p[2]);
    let (mut bytes, channels) = match rgb.par_iter().all(grey) {
        true => (rgb.iter().flat_map(|rgb| rgb.chunks_exact(3).map(|p| p[0])).collect(), 1),
        false => (rgb.concat(), 3),
    };
    let end = bytes.len();
    bytes.extend_from_slice(more);
    let answer = of_bytes("application/octet-stream", bytes);
    let mut answer = with_number(with_number(answer, "x-json", end), "x-channels", channels);
    let timing = format!("render;dur={took:.3}").parse().expect("a number makes a header");
    answer.headers_mut().insert("server-timing", timing);
    answer
}

/// JSON; with pictures, they come first.
fn sheet_answer(sheet: SessionSheet, status: StatusCode) -> Answer {
    let mut response = match sheet.pictures {
        Some(pictures) => {
            let json = serde_json::to_vec(&sheet.shown).map_err(Rejection::failed)?;
            with_pictures(pictures, &json)
        }
        None => json_of(&sheet.shown)?,
    };
    *response.status_mut() = status;
    Ok(response)
}

/// `POST /api/sessions`: from random genomes, or from some that there are.
pub(super) fn begin(studio: &Studio, mut wanted: SessionRequest) -> Answer {
    let files = &mut Files::of(studio);
    if let [id] = &wanted.from[..]
        && id.ends_with(".toml")
    {
        let name = adopt(studio, id, &wanted.name)?;
        return made(&page::show(files, &name, &SheetRequest::default())?.shown);
    }
    wanted.seed.get_or_insert_with(|| {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        u64::from(now.subsec_nanos()) ^ (now.as_secs() << 20 & 0xffff_ffff)
    });
    made(&page::begin(files, &wanted)?)
}

/// A copy of a session that was bred elsewhere, by the command say, to go on with; its name.
fn adopt(studio: &Studio, id: &str, name: &str) -> Result<String, Rejection> {
    let path = studio.root.path(id)?;
    let session = read_session(&path).map_err(Rejection::bad)?;
    let ancestor = |file: &String| {
        let none = || Rejection::bad(format!("{id}: expected its ancestor {file} below the root"));
        let found = ancestor_file(&path, file);
        let found = studio.root.id_of_named(&found.to_string_lossy()).ok_or_else(none)?;
        Ok(page::genome(&mut Files::of(studio), &PictureRequest::with(&found, ""))?.0)
    };
    let ancestors =
        session.ancestors.iter().map(ancestor).collect::<Result<Vec<_>, Rejection>>()?;
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    studio.new_session(if name.trim().is_empty() { &stem } else { name }, session, &ancestors)
}

/// A new file whose name follows from one that people gave: `NAME.END`, or `NAME-2.END`, ….
pub(super) fn new_file(
    folder: &Path,
    name: &str,
    end: &str,
    bytes: &[u8],
) -> Result<PathBuf, Rejection> {
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
            written => return written.map(|()| path).map_err(Rejection::unwritten),
        }
    }
    Err(Rejection::failed(format!(
        "{}: expected a free name like {stem}, found none",
        folder.display()
    )))
}

/// `/api/sessions/NAME`; with a size, the pictures of the sheet follow.
pub(super) fn show(studio: &Studio, name: &str, asked: SheetRequest) -> Answer {
    sheet_answer(page::show(&mut Files::of(studio), name, &asked)?, StatusCode::OK)
}

/// `/api/sessions/NAME/sheet`: every picture of a sheet.
pub(super) fn sheet(studio: &Studio, name: &str, asked: SheetRequest) -> Answer {
    Ok(with_pictures(page::sheet(&mut Files::of(studio), name, &asked)?, &[]))
}

/// `POST …/breed`: the next sheet.
pub(super) fn breed(studio: &Studio, name: &str, choice: Choice) -> Answer {
    sheet_answer(page::breed(&mut Files::of(studio), name, &choice)?, StatusCode::CREATED)
}

/// `POST …/foresee`: the pictures that a choice is going to lead to, and the version of the session that has them.
pub(super) fn foresee(studio: &Studio, name: &str, choice: Choice) -> Answer {
    let (foreseen, pictures) = page::foresee(&mut Files::of(studio), name, &choice)?;
    Ok(with_pictures(pictures, &serde_json::to_vec(&foreseen).map_err(Rejection::failed)?))
}

/// `POST …/undo`, `…/redo` and `…/goto`: another sheet.
pub(super) fn go(studio: &Studio, name: &str, way: Way, asked: Move) -> Answer {
    sheet_answer(page::go(&mut Files::of(studio), name, way, &asked)?, StatusCode::OK)
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

/// `POST …/publish`: the genome at a place, as a file in `genomes/`.
pub(super) fn publish(studio: &Studio, name: &str, wanted: Publication) -> Answer {
    let files = &mut Files::of(studio);
    let at = page::as_seen(files, name, &wanted.version)?.at();
    let node = wanted.node.unwrap_or(at);
    let genome = page::placed(files, name, (Some(node), wanted.place))?;
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
    made(&json!({ "id": format!("{GENOMES}/{file}") }))
}

/// `/api/sessions/NAME/genome`: a genome of a sheet, to be saved.
pub(super) fn genome(studio: &Studio, name: &str, asked: PlaceRequest) -> Answer {
    let (genome, file) = page::place_genome(&mut Files::of(studio), name, &asked)?;
    Ok(genome_file(&genome, &file))
}

/// `/api/sessions/NAME/picture`: its picture, small.
pub(super) fn picture(studio: &Studio, name: &str, asked: PlaceRequest) -> Answer {
    Ok(pixels(&page::place_picture(&mut Files::of(studio), name, &asked)?, false))
}
