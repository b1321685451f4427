//! Networks by id: those that come with the program, and those that a page has opened, bred or trained.

use picloom_engine::genome::{Genome, Palette, builtin};
use picloom_engine::network::weight_files::{from_safetensors, named_arch};
use picloom_engine::network::{Coords, Model, Wiring, layered_arch, wirable};
use picloom_engine::page::{
    CarriedNetwork, NetworkRequest, carried_genome, drawable, is_view_kept,
};
use picloom_engine::probe::View;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

/// The genome whose picture the trained network learned.
pub(crate) const EVOLVED: &str = "genomes/bred_moth.json";
/// The trained network that comes with the program.
pub(crate) const TRAINED: &str = "genomes/trained/bred_moth";
/// Views kept ready.
const KEPT: usize = 8;
/// A network ready to be looked at.
pub(crate) struct Loaded {
    /// The network.
    pub model: Model,
    /// Its genome.
    pub genome: Option<Genome>,
    /// Coordinate convention.
    pub coords: Coords,
    /// Pixels along its picture.
    pub size: usize,
    /// Its name, for people.
    pub name: String,
    /// Its kind, in words.
    pub what: String,
    /// The picture that it learned, and its R² if that is known. `None` if it was not trained.
    pub learned: Option<(String, Option<f64>)>,
    /// The colours that it is shown in.
    pub palette: Palette,
}

enum Kept {
    Genome(Box<Genome>),
    Trained(Box<CarriedNetwork>),
}

/// All networks of a page.
#[derive(Default)]
pub(crate) struct Held {
    kept: BTreeMap<String, Kept>,
    loaded: Vec<((String, Wiring), Rc<Loaded>)>,
    views: Vec<(Rc<Loaded>, Arc<View>)>,
}

/// Puts something before a list whose last goes.
fn keep<T>(list: &mut Vec<T>, new: T) {
    list.insert(0, new);
    list.truncate(KEPT);
}

/// A genome that a page can show.
pub(crate) fn genome_from(text: &str) -> Result<Genome, String> {
    carried_genome(text).map_err(|e| e.to_string())
}

/// The name without folder and ending.
pub(crate) fn stem(id: &str) -> &str {
    let file = id.rsplit('/').next().unwrap_or(id);
    file.strip_suffix(".json").unwrap_or(file)
}

/// The first letters of a name that may be long.
pub(crate) fn short(name: &str, letters: usize) -> String {
    name.chars().take(letters).collect()
}

impl Loaded {
    /// Of a text.
    fn carried(carried: &CarriedNetwork, palette: Palette) -> Result<Self, String> {
        let (model, genome) = carried.model().map_err(|e| e.to_string())?;
        let what =
            if carried.arch.is_some() { "trained network" } else { "evolved wiring, trained" };
        Ok(Loaded {
            model,
            genome,
            coords: carried.coords,
            size: carried.size,
            name: short(&carried.name, 80),
            what: what.into(),
            learned: Some((carried.target.clone(), carried.r2)),
            palette,
        })
    }
}

/// The network of a genome in a wiring.
pub(crate) fn of_genome(genome: &Genome, id: &str, wiring: Wiring) -> Result<Loaded, String> {
    if wiring != Wiring::Graph {
        drawable(layered_arch(genome).dense_params()).map_err(|e| e.to_string())?;
    }
    let genome = wirable(genome.clone(), Path::new(stem(id)), wiring).map_err(|e| e.to_string())?;
    let own = genome.provenance.name.trim();
    let name = match (own, id.starts_with("genomes/")) {
        (_, true) | ("", _) => short(stem(id), 40),
        (own, false) => short(own, 80),
    };
    let what = match wiring {
        Wiring::Graph => "evolved network",
        _ => "evolved network, in layers",
    };
    let (model, palette) = (Model::of_genome(&genome, wiring), genome.palette);
    Ok(Loaded {
        model,
        genome: Some(genome),
        coords: Coords::Fer,
        size: 128,
        name,
        what: what.into(),
        learned: None,
        palette,
    })
}

/// The trained network that comes with the program.
fn shipped() -> Result<Loaded, String> {
    let bytes = include_bytes!("../../../genomes/trained/bred_moth/weights.safetensors");
    let result = include_str!("../../../genomes/trained/bred_moth/result.json");
    let path = Path::new(TRAINED);
    let network = named_arch(bytes, path).map_err(|e| e.to_string())?.network();
    let weights = from_safetensors(bytes, path, &network).map_err(|e| e.to_string())?;
    let result: Value = serde_json::from_str(result).map_err(|e| e.to_string())?;
    Ok(Loaded {
        model: Model::new(network, weights),
        genome: None,
        coords: Coords::Fer,
        size: 64,
        name: "bred_moth: trained".into(),
        what: "dense network, trained".into(),
        learned: Some((EVOLVED.into(), result["fit"]["r2"].as_f64())),
        palette: Palette::Free,
    })
}

impl Held {
    /// Keeps a genome or a trained network under an id: its kind and name.
    pub(crate) fn hold(&mut self, id: &str, text: &str) -> Result<(&'static str, String), String> {
        let (kept, kind, name) = if CarriedNetwork::is_one(text) {
            let trained = CarriedNetwork::read(text).map_err(|e| e.to_string())?;
            let name = short(&trained.name, 80);
            (Kept::Trained(Box::new(trained)), "network", name)
        } else {
            let genome = genome_from(text)?;
            let name = genome.provenance.name.clone();
            (Kept::Genome(Box::new(genome)), "genome", name)
        };
        self.kept.insert(id.into(), kept);
        self.loaded.retain(|((known, _), _)| known != id);
        Ok((kind, name))
    }

    /// The text of a network, which [`hold`](Self::hold) takes again.
    pub(crate) fn text(&self, id: &str) -> Result<String, String> {
        match (self.kept.get(id), builtin(Path::new(id))) {
            (Some(Kept::Genome(genome)), _) => Ok(picloom_engine::genome::to_json(genome)),
            (Some(Kept::Trained(trained)), _) => {
                serde_json::to_string(trained).map_err(|e| e.to_string())
            }
            (None, Some((_, text))) => Ok(text.into()),
            (None, None) => Err(unknown(id)),
        }
    }

    /// The palette of a genome; every colour where this id names none.
    fn palette(&self, id: &str) -> Palette {
        let shipped = || genome_from(builtin(Path::new(id))?.1).ok();
        match self.kept.get(id) {
            Some(Kept::Genome(genome)) => genome.palette,
            Some(Kept::Trained(_)) => Palette::Free,
            None => shipped().map_or(Palette::Free, |genome| genome.palette),
        }
    }

    /// Whether a page has opened, bred or trained this one.
    pub(crate) fn is_kept(&self, id: &str) -> bool {
        self.kept.contains_key(id)
    }

    /// The network of an id.
    pub(crate) fn load(&mut self, request: &NetworkRequest) -> Result<Rc<Loaded>, String> {
        let NetworkRequest { id, wiring } = request;
        let key = (id.clone(), *wiring);
        if let Some((_, found)) = self.loaded.iter().find(|(known, _)| *known == key) {
            return Ok(found.clone());
        }
        let loaded = match self.kept.get(id) {
            Some(Kept::Trained(trained)) => {
                Loaded::carried(trained, self.palette(&trained.target))?
            }
            Some(Kept::Genome(genome)) => of_genome(genome, id, *wiring)?,
            None if id == TRAINED => shipped()?,
            None => {
                let (_, text) = builtin(Path::new(id)).ok_or_else(|| unknown(id))?;
                of_genome(&genome_from(text)?, id, *wiring)?
            }
        };
        let loaded = Rc::new(loaded);
        keep(&mut self.loaded, (key, loaded.clone()));
        Ok(loaded)
    }

    /// A view of a network.
    pub(crate) fn view(&mut self, of: &Rc<Loaded>, size: usize) -> Result<Arc<View>, String> {
        let is_it =
            |(known, view): &&(Rc<Loaded>, Arc<View>)| Rc::ptr_eq(known, of) && view.size() == size;
        if let Some((_, found)) = self.views.iter().find(is_it) {
            return Ok(found.clone());
        }
        let view = View::fitting(&of.model, size, of.coords).map_err(|e| e.to_string())?;
        let view = Arc::new(view);
        if is_view_kept(&of.model, size) {
            keep(&mut self.views, (of.clone(), view.clone()));
        }
        Ok(view)
    }
}

fn unknown(id: &str) -> String {
    let id = short(id, 60);
    format!("{id}: this page does not have it any more; open its link or its file again")
}
