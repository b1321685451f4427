//! A static site of chosen networks: the page with one script and the answers that a server would give,
//! for any web server, or for no server at all.

use super::answer::Refusal;
use super::jobs;
use super::library;
use super::networks::{self, Asked, AskedLink};
use super::page;
use super::state::{FoundGenome, Studio};
use super::study::encoded;
use crate::genome::builtin;
use crate::network::Wiring;
use crate::network::files::{WriteError, create_folder, write_atomic};
use crate::run::folder::FolderKind;
use crate::run::shipped;
use axum::response::Response;
use rayon::prelude::*;
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};

/// Why a site was not written.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// What was chosen is none.
    #[error("{0}")]
    Chosen(String),
    /// A file cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// The folder holds something else.
    #[error(
        "{0}: expected a new or empty folder, or an earlier site of the studio, found other files"
    )]
    Other(PathBuf),
}

/// What was written.
#[derive(Debug, serde::Serialize)]
pub struct Exported {
    /// The page to open.
    #[serde(serialize_with = "crate::math::text::path_text")]
    pub page: PathBuf,
    /// Networks on it.
    pub networks: usize,
    /// Size of all files in bytes.
    pub bytes: usize,
}

/// Removes the networks of an earlier site that are none of these files.
fn remove_others(folder: &Path, names: &[String]) {
    for entry in std::fs::read_dir(folder.join("data")).into_iter().flatten().flatten() {
        let file = entry.file_name();
        let is_ours =
            |name: &str| name.split_once('-').is_some_and(|(n, _)| n.parse::<u32>().is_ok());
        let Some(file) = file.to_str().filter(|file| is_ours(file)) else { continue };
        if !names.iter().any(|name| name.strip_prefix("data/") == Some(file)) {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

impl Studio {
    /// The id that is meant by what was typed: a genome of the program by its name, the best of a search by its folder.
    fn meant(&self, typed: &str) -> String {
        let best = format!("{}/best.json", typed.trim_end_matches('/'));
        match builtin(Path::new(typed)) {
            Some((name, _)) if self.root.path(typed).is_err() => {
                format!("{}/{name}.json", super::GENOMES)
            }
            _ if self.root.path(&best).is_ok() => best,
            _ => typed.to_string(),
        }
    }

    /// Writes a site of the genomes and runs with these ids (none: all of `genomes/`) into `folder`.
    /// `progress` is told how many networks are done, of how many.
    ///
    /// # Errors
    /// An id of no network, or a file that cannot be written.
    pub fn export(
        &self,
        ids: &[String],
        folder: &Path,
        progress: &(dyn Fn(usize, usize) + Sync),
    ) -> Result<Exported, ExportError> {
        let told = |refusal: Refusal| ExportError::Chosen(refusal.why());
        let is_empty = std::fs::read_dir(folder).map_or(true, |mut all| all.next().is_none());
        if !is_empty && FolderKind::of(folder) != Some(FolderKind::Site) {
            return Err(ExportError::Other(folder.into()));
        }
        let found = library::walk(self);
        let own = |genome: &&FoundGenome| {
            let inside = genome.id.strip_prefix(super::GENOMES);
            inside.is_some_and(|rest| rest.starts_with('/') && rest.matches('/').count() == 1)
        };
        let chosen: Vec<String> = match ids {
            [] => found.genomes.iter().filter(own).map(|genome| genome.id.clone()).collect(),
            ids => ids.iter().map(|id| self.meant(id)).collect(),
        };
        // *See it* is on every site, whether or not its networks are in the gallery.
        let mut ids = chosen.clone();
        for id in [shipped::EVOLVED, shipped::TRAINED] {
            if !ids.iter().any(|known| known == id) {
                ids.push(id.into());
            }
        }
        let mut library = serde_json::to_value(&found).expect("a library is plain data");
        library["static"] = true.into();
        // Where it was exported is nobody's business.
        library["root"] = "".into();
        for list in ["sessions", "searches", "studies", "pictures", "unread"] {
            library[list] = json!([]);
        }
        for list in ["genomes", "runs"] {
            let all = library[list].as_array_mut().expect("lists of a library");
            all.retain(|entry| {
                entry["id"].as_str().is_some_and(|id| chosen.iter().any(|i| i == id))
            });
        }
        let mut known = Map::new();
        known.insert("/api/library".into(), library);
        let done = std::sync::atomic::AtomicUsize::new(0);
        let answers: Result<Vec<String>, Refusal> = ids
            .par_iter()
            .map(|id| {
                let answers = self.answers(id).map(|answers| data(&answers));
                let before = done.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                progress(before + 1, ids.len());
                answers
            })
            .collect();
        let answers = answers.map_err(told)?;
        FolderKind::Site.mark(folder)?;
        create_folder(&folder.join("data"))?;
        let mut written = 0;
        let mut write = |name: &str, text: String| -> Result<(), WriteError> {
            written += text.len();
            write_atomic(&folder.join(name), text.as_bytes())
        };
        let mut scripts = "<script defer src=\"data/library.js\"></script>\n".to_string();
        write("data/library.js", data(&known))?;
        let mut names = vec!["data/library.js".to_string()];
        for (i, (id, text)) in ids.iter().zip(answers).enumerate() {
            let name = format!("data/{}-{}.js", i + 1, plain(id));
            write(&name, text)?;
            scripts += &format!("<script defer src=\"{name}\"></script>\n");
            names.push(name);
        }
        remove_others(folder, &names);
        scripts += "<script defer src=\"page.js\"></script>";
        let index = page::text("index.html").expect("the page has an index");
        write("index.html", index.replace(page::MAIN, &scripts))?;
        write("page.js", page::as_one_script())?;
        for name in ["style.css", "icon.svg"] {
            write(name, page::text(name).expect("a file of the page").into_owned())?;
        }
        Ok(Exported { page: folder.join("index.html"), networks: chosen.len(), bytes: written })
    }

    /// What the server would answer about one network.
    fn answers(&self, id: &str) -> Result<Map<String, Value>, Refusal> {
        let mut known = Map::new();
        let is_genome =
            id != shipped::TRAINED && (self.builtin(id).is_some() || !self.root.path(id)?.is_dir());
        let wirings: &[Wiring] =
            if is_genome { &[Wiring::Graph, Wiring::Layerized] } else { &[Wiring::Graph] };
        for &wiring in wirings {
            let asked = || Asked { id: id.into(), wiring };
            let key = format!("id={}&wiring={wiring}", encoded(id));
            known.insert(
                format!("/api/network?{key}"),
                value(networks::network(self, asked(), &|| false)?),
            );
            known.insert(format!("/api/score?{key}"), value(jobs::score(self, asked())?));
            if wiring != Wiring::Graph && id != shipped::EVOLVED {
                continue;
            }
            let ranked = value(networks::ranked(self, asked(), &|| false)?);
            let links = ranked["links"].as_array().into_iter().flatten();
            let links: Vec<u64> = links.filter_map(Value::as_u64).collect();
            known.insert(format!("/api/ranked?{key}"), ranked);
            for link in links {
                let asked = AskedLink { id: id.into(), wiring, link: link as usize };
                let answer = value(networks::matched(self, asked, &|| false)?);
                known.insert(format!("/api/matched?{key}&link={link}"), answer);
            }
        }
        Ok(known)
    }
}

/// The JSON of an answer of our own.
fn value(answer: Response) -> Value {
    let (_, body) = answer.into_parts();
    let bytes = super::answer::bytes_of(body);
    serde_json::from_slice(&bytes).expect("answers are JSON")
}

/// A script that tells the page these answers. No text in it can end the script.
fn data(known: &Map<String, Value>) -> String {
    let json = serde_json::to_string(known).expect("answers are plain data");
    let json =
        json.replace('<', "\\u003c").replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029");
    format!("window.PICLOOM_DATA = Object.assign(window.PICLOOM_DATA ?? {{}}, {json});\n")
}

/// The plain characters of an id.
fn plain(id: &str) -> String {
    let file = id.rsplit('/').next().unwrap_or_default();
    let stem = file.split('.').next().unwrap_or_default();
    stem.chars().filter(|c| c.is_ascii_alphanumeric() || "-_".contains(*c)).take(40).collect()
}
