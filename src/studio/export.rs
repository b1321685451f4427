//! A site of chosen networks that needs no server: the page that `crates/web/build` writes, with the engine in the browser,
//! and these networks in it.

use super::jobs;
use super::library;
use super::networks::title;
use super::state::{FoundGenome, Studio};
use crate::base::files::{WriteError, create_folder, read_plain, write_atomic};
use crate::base::folder::FolderKind;
use crate::genome::{builtin, to_json};
use crate::network::Wiring;
use crate::page::{CarriedError, CarriedNetwork, NetworkRequest, carried_genome};
use crate::run::Source;
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};

/// Files of a site that `crates/web/build` wrote.
const FILES: [&str; 9] = [
    "index.html",
    "picloom.html",
    "page.js",
    "style.css",
    "site.css",
    "icon.svg",
    "worker.js",
    "picloom.wasm",
    "picloom-plain.wasm",
];
/// Most bytes of one of them.
const LARGEST: u64 = 1 << 26;
/// Before it the page loads the networks; before the other it has them inside.
const PAGE: &str = "<script defer src=\"page.js\"></script>";
const INSIDE: &str = "<script>\nwindow.PICLOOM_SITE = {";

/// Why a site was not written.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// One of the chosen ids is no network.
    #[error("{0}")]
    Chosen(String),
    /// A file cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// There is no site to begin from.
    #[error(
        "{folder}: expected a site that `crates/web/build` wrote, found none ({file} is not as it should be). Run `crates/web/build` in the folder of Picloom's source, and name what it wrote with --site"
    )]
    NoSite {
        /// Where it was looked for.
        folder: PathBuf,
        /// The first file that is missing, or of another kind.
        file: &'static str,
    },
    /// A network that a page cannot show.
    #[error("{0}: {1}")]
    Large(String, CarriedError),
    /// The folder holds something else.
    #[error(
        "{0}: expected a new or empty folder, or an earlier site of the studio, found other files"
    )]
    Other(PathBuf),
}

/// The site that was written.
#[derive(Debug, serde::Serialize)]
pub struct Exported {
    /// The page to open.
    #[serde(serialize_with = "crate::base::text::path_text")]
    pub page: PathBuf,
    /// Networks on it.
    pub networks: usize,
    /// Size of all files in bytes.
    pub bytes: usize,
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

    /// Writes a site of the genomes and runs with these ids (none: all of `genomes/`) into `folder`, from the one that
    /// `crates/web/build` wrote into `site`.
    ///
    /// # Errors
    /// No site, an id of no network, a network that is too large for a page, or a file that cannot be written.
    pub fn export(
        &self,
        ids: &[String],
        site: &Path,
        folder: &Path,
    ) -> Result<Exported, ExportError> {
        let is_empty = std::fs::read_dir(folder).map_or(true, |mut all| all.next().is_none());
        if !is_empty && FolderKind::of(folder) != Some(FolderKind::Site) {
            return Err(ExportError::Other(folder.into()));
        }
        let missing = |file| ExportError::NoSite { folder: site.into(), file };
        let read = |file| read_plain(&site.join(file), LARGEST).map_err(|_| missing(file));
        let files: Vec<(&str, Vec<u8>)> = FILES
            .into_iter()
            .map(|file| Ok((file, read(file)?)))
            .collect::<Result<_, ExportError>>()?;
        let carried = self.carried(ids)?;
        let networks = script(&carried);
        let with = |file: &'static str, before: &str, put: &str| {
            let text = files.iter().find(|(name, _)| *name == file).map(|(_, text)| text);
            let text = text.and_then(|text| String::from_utf8(text.clone()).ok());
            let text = text.filter(|text| text.matches(before).count() == 1);
            let put = |text: String| text.replace(before, &format!("{put}{before}")).into_bytes();
            text.map(put).ok_or_else(|| missing(file))
        };
        let index = with("index.html", PAGE, "<script defer src=\"networks.js\"></script>\n")?;
        let one = with("picloom.html", INSIDE, &format!("<script>\n{networks}</script>\n"))?;
        create_folder(folder)?;
        FolderKind::Site.mark(folder)?;
        let mut bytes = 0;
        let mut write = |name: &str, content: &[u8]| {
            bytes += content.len();
            write_atomic(&folder.join(name), content)
        };
        write("networks.js", networks.as_bytes())?;
        for (name, content) in &files {
            let content = match *name {
                "index.html" => &index,
                "picloom.html" => &one,
                _ => content,
            };
            write(name, content)?;
        }
        Ok(Exported { page: folder.join("index.html"), networks: carried.len(), bytes })
    }

    /// The networks with these ids: what the library says of each, its text, and what is known of its score.
    fn carried(&self, ids: &[String]) -> Result<Vec<Value>, ExportError> {
        let found = library::walk(self);
        let own = |genome: &&FoundGenome| {
            let inside = genome.id.strip_prefix(super::GENOMES);
            inside.is_some_and(|rest| rest.starts_with('/') && rest.matches('/').count() == 1)
        };
        let chosen: Vec<String> = match ids {
            [] => found.genomes.iter().filter(own).map(|genome| genome.id.clone()).collect(),
            ids => ids.iter().map(|id| self.meant(id)).collect(),
        };
        let library = serde_json::to_value(&found).expect("a library is plain data");
        let entry = |id: &str| {
            let of = |list: &str| library[list].as_array().into_iter().flatten();
            of("genomes").chain(of("runs")).find(|entry| entry["id"] == id).cloned()
        };
        let is_there = |id: &str| chosen.iter().any(|c| c == id) || self.builtin(id).is_some();
        chosen
            .iter()
            .map(|id| {
                let asked = NetworkRequest::graph(id.clone());
                let told = |refusal: super::answer::Refusal| ExportError::Chosen(refusal.why());
                let loaded = self.network(&asked).map_err(told)?;
                let target = loaded.source.config.as_ref().and_then(|c| self.target_id(&c.target));
                let target = target.filter(|target| is_there(target)).unwrap_or_default();
                let large = |error| ExportError::Large(id.clone(), error);
                let text =
                    text_of(&loaded.source, title(id, &loaded.source), &target).map_err(large)?;
                let mut scores = Map::new();
                for wiring in [Wiring::Graph, Wiring::Layerized] {
                    let asked = NetworkRequest { id: id.clone(), wiring };
                    if let Ok(Some(record)) = self.score_record(&asked) {
                        scores.insert(wiring.name().into(), jobs::shown(&record));
                    }
                }
                Ok(json!({ "id": id, "text": text, "entry": entry(id), "scores": scores }))
            })
            .collect()
    }
}

/// A network as a page carries it.
fn text_of(source: &Source, name: String, target: &str) -> Result<String, CarriedError> {
    if let (Some(genome), false) = (&source.genome, source.trained) {
        let text = to_json(genome);
        return carried_genome(&text).map(|_| text);
    }
    let carried = CarriedNetwork {
        name,
        target: target.into(),
        coords: source.coords,
        size: source.size.clamp(8, 256),
        r2: source.fit.map(|fit| fit.r2),
        ..CarriedNetwork::of(&source.model, source.genome.as_ref())
    };
    let text = serde_json::to_string(&carried).expect("a network is plain data");
    CarriedNetwork::read(&text).map(|_| text)
}

/// A script that tells the page these networks. No text in it can end the script.
fn script(networks: &[Value]) -> String {
    let json = serde_json::to_string(networks).expect("networks are plain data");
    let json =
        json.replace('<', "\\u003c").replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029");
    format!("window.PICLOOM_NETWORKS = {json};\n")
}
