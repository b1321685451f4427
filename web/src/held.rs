//! Networks by id: those that come with the program, and those that a page has opened, bred or trained.

use picloom_engine::genome::{Genome, Palette, builtin, from_json};
use picloom_engine::network::weight_files::from_safetensors;
use picloom_engine::network::{
    Arch, Coords, Model, Weights, Wiring, layered_arch, layerize, wirable,
};
use picloom_engine::probe::View;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;
use std::rc::Rc;

/// The genome whose picture the trained network learned.
pub const EVOLVED: &str = "genomes/bred_moth.json";
/// The trained network that comes with the program.
pub const TRAINED: &str = "genomes/trained/bred_moth";
/// Its layers and activations.
const ARCH: &str = "6;cache:7,cos:1,gaussian:1,identity:2,sigmoid:1,sin:1";
/// Most links of a network that a page draws and trains.
const MOST_LINKS: usize = 1 << 16;
/// Most nodes of a genome.
const MOST_NODES: usize = 4096;
/// Views kept ready.
const KEPT: usize = 8;
/// What the text of a trained network begins with.
const NETWORK: &str = "picloom-network/1";

/// A trained network as text: what a link carries.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrainedText {
    /// `picloom-network/1`.
    pub format: String,
    /// What people call it.
    pub name: String,
    /// Id of the picture that it learned; empty: one of the visitor's own.
    #[serde(default)]
    pub target: String,
    /// Layers and activations; none: the graph of `genome`.
    #[serde(default)]
    pub arch: Option<String>,
    /// The genome whose graph was trained, as JSON.
    #[serde(default)]
    pub genome: Option<String>,
    /// Coordinate convention.
    pub coords: Coords,
    /// Pixels along the picture that it learned.
    pub size: usize,
    /// How well.
    pub r2: f64,
    /// Weights: the bits of each as eight hexadecimal digits.
    pub weights: String,
}

/// A network ready to be looked at.
pub struct Loaded {
    /// The network.
    pub model: Model,
    /// Its genome.
    pub genome: Option<Genome>,
    /// Coordinate convention.
    pub coords: Coords,
    /// Pixels along its picture.
    pub size: usize,
    /// What people call it.
    pub name: String,
    /// What it is.
    pub what: String,
    /// What it learned, and how well; none if it was not trained.
    pub learned: Option<(String, f64)>,
}

impl Loaded {
    /// The colours of its picture.
    pub fn palette(&self) -> Palette {
        self.genome.as_ref().map_or(Palette::Free, |genome| genome.palette)
    }
}

enum Kept {
    Genome(Box<Genome>),
    Trained(Box<TrainedText>),
}

/// All networks of a page.
#[derive(Default)]
pub struct Held {
    kept: BTreeMap<String, Kept>,
    loaded: Vec<((String, Wiring), Rc<Loaded>)>,
    views: Vec<((String, Wiring, usize), Rc<View>)>,
}

/// Puts something before a list whose last goes.
fn keep<T>(list: &mut Vec<T>, new: T) {
    list.insert(0, new);
    list.truncate(KEPT);
}

/// A genome of at most so many nodes and links as a page can show.
pub fn genome_from(text: &str) -> Result<Genome, String> {
    let genome = from_json(text).map_err(|e| e.to_string())?;
    let (nodes, links) = (genome.nodes().len(), genome.connections().len());
    if nodes > MOST_NODES || links > MOST_LINKS {
        return Err(format!(
            "expected a genome of at most {MOST_NODES} nodes and {MOST_LINKS} links, found {nodes} and {links}; draw it with the command picloom"
        ));
    }
    Ok(genome)
}

/// The name without folder and ending.
pub fn stem(id: &str) -> &str {
    let file = id.rsplit('/').next().unwrap_or(id);
    file.strip_suffix(".json").unwrap_or(file)
}

impl TrainedText {
    /// Of a trained model.
    pub fn new(loaded: &Loaded, target: &str, r2: f64) -> Self {
        let weights = loaded.model.weights.0.iter().map(|w| format!("{:08x}", w.to_bits()));
        let arch = loaded.model.network.arch.as_ref().map(ToString::to_string);
        let genome = loaded.genome.as_ref().filter(|_| arch.is_none());
        TrainedText {
            format: NETWORK.into(),
            name: loaded.name.clone(),
            target: target.into(),
            genome: genome.map(picloom_engine::genome::to_json),
            arch,
            coords: loaded.coords,
            size: loaded.size,
            r2,
            weights: weights.collect(),
        }
    }

    fn load(&self) -> Result<Loaded, String> {
        let (network, genome) = match (&self.arch, &self.genome) {
            (Some(arch), None) => {
                let arch: Arch = arch.parse().map_err(|e| format!("arch: {e}"))?;
                drawable(arch.dense_params())?;
                (arch.network(), None)
            }
            (None, Some(text)) => {
                let genome = genome_from(text)?;
                (Model::of_genome(&genome, Wiring::Graph).network, Some(genome))
            }
            _ => return Err("expected an arch or a genome, found both or none".into()),
        };
        let links = network.weight_count();
        let digits = self.weights.as_bytes();
        if digits.len() != 8 * links {
            return Err(format!(
                "weights: expected {} digits for {links} links, found {}",
                8 * links,
                digits.len()
            ));
        }
        let weight = |eight: &[u8]| {
            let bits =
                std::str::from_utf8(eight).ok().and_then(|text| u32::from_str_radix(text, 16).ok());
            bits.map(f32::from_bits).ok_or("weights: expected hexadecimal digits, found other text")
        };
        let weights = digits.chunks_exact(8).map(weight).collect::<Result<Vec<f32>, _>>()?;
        if let Some(i) = weights.iter().position(|w| !w.is_finite()) {
            return Err(format!(
                "weights: expected finite numbers, found {} at link {i}",
                weights[i]
            ));
        }
        if !(8..=256).contains(&self.size) {
            return Err(format!("size: expected 8 to 256 pixels, found {}", self.size));
        }
        let what = if self.arch.is_some() { "trained network" } else { "evolved wiring, trained" };
        Ok(Loaded {
            model: Model::new(network, Weights(weights)),
            genome,
            coords: self.coords,
            size: self.size,
            name: self.name.chars().take(80).collect(),
            what: what.into(),
            learned: Some((self.target.clone(), self.r2)),
        })
    }
}

fn drawable(links: usize) -> Result<(), String> {
    match links > MOST_LINKS {
        true => Err(format!(
            "expected a network of at most {MOST_LINKS} links, found {links}; take the genome as it was evolved"
        )),
        false => Ok(()),
    }
}

/// The network of a genome in a wiring.
pub fn of_genome(genome: &Genome, id: &str, wiring: Wiring) -> Result<Loaded, String> {
    if wiring != Wiring::Graph {
        drawable(layered_arch(genome).dense_params())?;
    }
    let genome = wirable(genome.clone(), Path::new(stem(id)), wiring).map_err(|e| e.to_string())?;
    let own = genome.provenance.name.trim();
    let name = match (own, id.starts_with("genomes/")) {
        (_, true) | ("", _) => stem(id).chars().take(40).collect(),
        (own, false) => own.chars().take(80).collect(),
    };
    let what = match wiring {
        Wiring::Graph => "evolved network",
        _ => "evolved network, in layers",
    };
    let model = Model::of_genome(&genome, wiring);
    Ok(Loaded {
        model,
        genome: Some(genome),
        coords: Coords::Fer,
        size: 128,
        name,
        what: what.into(),
        learned: None,
    })
}

/// The trained network that comes with the program.
fn shipped() -> Result<Loaded, String> {
    let bytes = include_bytes!("../../genomes/trained/bred_moth/weights.safetensors");
    let arch: Arch = ARCH.parse().map_err(|e| format!("arch: {e}"))?;
    let network = arch.network();
    let weights =
        from_safetensors(bytes, Path::new(TRAINED), &network).map_err(|e| e.to_string())?;
    let model = Model::new(network, weights);
    let (_, text) = builtin(Path::new(EVOLVED)).ok_or("the moth comes with the program")?;
    let genome = genome_from(text)?;
    let target = layerize(&genome);
    let target = Model::new(target.network, target.weights).picture(64, Coords::Fer);
    let r2 = 1.0 - model.picture(64, Coords::Fer).mse(&target) / target.variance();
    Ok(Loaded {
        model,
        genome: None,
        coords: Coords::Fer,
        size: 64,
        name: "bred_moth: trained".into(),
        what: "dense network, trained".into(),
        learned: Some((EVOLVED.into(), r2)),
    })
}

impl Held {
    /// Keeps a genome or a trained network under an id: its kind and name.
    pub fn hold(&mut self, id: &str, text: &str) -> Result<(&'static str, String), String> {
        let is_trained = text.contains(NETWORK);
        let (kept, kind, name) = if is_trained {
            let trained: TrainedText = serde_json::from_str(text)
                .map_err(|e| format!("expected a {NETWORK} document, found: {e}"))?;
            let name = trained.load()?.name;
            (Kept::Trained(Box::new(trained)), "network", name)
        } else {
            let genome = genome_from(text)?;
            let name = genome.provenance.name.clone();
            (Kept::Genome(Box::new(genome)), "genome", name)
        };
        self.kept.insert(id.into(), kept);
        self.loaded.retain(|((known, _), _)| known != id);
        self.views.retain(|((known, ..), _)| known != id);
        Ok((kind, name))
    }

    /// What [`hold`](Self::hold) takes again.
    pub fn text(&self, id: &str) -> Result<String, String> {
        match (self.kept.get(id), builtin(Path::new(id))) {
            (Some(Kept::Genome(genome)), _) => Ok(picloom_engine::genome::to_json(genome)),
            (Some(Kept::Trained(trained)), _) => {
                serde_json::to_string(trained).map_err(|e| e.to_string())
            }
            (None, Some((_, text))) => Ok(text.into()),
            (None, None) => Err(unknown(id)),
        }
    }

    /// The genome of an id; none for a network without one.
    pub fn genome(&self, id: &str) -> Option<Genome> {
        match self.kept.get(id) {
            Some(Kept::Genome(genome)) => Some((**genome).clone()),
            Some(Kept::Trained(trained)) => {
                let genome = genome_from(trained.genome.as_ref()?).ok()?;
                let weights = trained.load().ok()?.model.weights;
                picloom_engine::network::with_weights(&genome, &weights).ok()
            }
            None => genome_from(builtin(Path::new(id))?.1).ok(),
        }
    }

    /// The network of an id.
    pub fn load(&mut self, id: &str, wiring: Wiring) -> Result<Rc<Loaded>, String> {
        let key = (id.to_string(), wiring);
        if let Some((_, found)) = self.loaded.iter().find(|(known, _)| *known == key) {
            return Ok(found.clone());
        }
        let loaded = match self.kept.get(id) {
            Some(Kept::Trained(trained)) => trained.load()?,
            _ if id == TRAINED => shipped()?,
            _ => of_genome(&self.genome(id).ok_or_else(|| unknown(id))?, id, wiring)?,
        };
        let loaded = Rc::new(loaded);
        keep(&mut self.loaded, (key, loaded.clone()));
        Ok(loaded)
    }

    /// A view of a network.
    pub fn view(&mut self, id: &str, wiring: Wiring, size: usize) -> Result<Rc<View>, String> {
        let key = (id.to_string(), wiring, size);
        if let Some((_, found)) = self.views.iter().find(|(known, _)| *known == key) {
            return Ok(found.clone());
        }
        let loaded = self.load(id, wiring)?;
        let view = Rc::new(View::new(&loaded.model, size, loaded.coords));
        keep(&mut self.views, (key, view.clone()));
        Ok(view)
    }
}

fn unknown(id: &str) -> String {
    let short: String = id.chars().take(60).collect();
    format!("{short}: this page does not have it any more; open its link or its file again")
}
