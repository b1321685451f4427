//! A site of chosen networks that needs no server: the page of [`crate::site`] with these networks in it.

use super::jobs;
use super::library;
use super::networks::title;
use super::state::{FoundGenome, Studio};
use crate::base::refusal::Refusal;
use crate::genome::{builtin, to_json};
use crate::network::Wiring;
use crate::page::{CarriedNetwork, NetworkRequest, carried_genome};
use crate::run::Source;
use crate::site::{Engine, Site, SiteError};
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};

/// Why a site was not written.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// One of the chosen ids is no network.
    #[error("{0}")]
    Chosen(String),
    /// A network that a page cannot show.
    #[error("{0}")]
    Large(Refusal),
    /// The folder holds something else, or a file cannot be written.
    #[error(transparent)]
    Site(#[from] SiteError),
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

    /// Writes a site of the genomes and runs with these ids (none: all of `genomes/`) into `folder`.
    ///
    /// # Errors
    /// An id of no network, a network that is too large for a page, a folder of something else, or a file that cannot be
    /// written.
    pub(crate) fn export(&self, ids: &[String], folder: &Path) -> Result<Exported, ExportError> {
        let carried = self.carried(ids)?;
        let json = serde_json::to_string(&carried).expect("networks are plain data");
        let written = Site::new(Engine::own()).with_networks(&json).write(folder)?;
        Ok(Exported { page: written.page, networks: carried.len(), bytes: written.bytes })
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
                let told =
                    |rejection: super::answer::Rejection| ExportError::Chosen(rejection.why());
                let loaded = self.network(&asked).map_err(told)?;
                let target = loaded.source.config.as_ref().and_then(|c| self.target_id(&c.target));
                let target = target.filter(|target| is_there(target)).unwrap_or_default();
                let large = |refusal: Refusal| ExportError::Large(refusal.within(id));
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
fn text_of(source: &Source, name: String, target: &str) -> Result<String, Refusal> {
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
