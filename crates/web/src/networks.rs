//! One network: its wiring, what it draws, what its units draw, what its links do.

use crate::held::{EVOLVED, Loaded, TRAINED, stem};
use crate::state::{Answer, Answered, AskedNetwork, AskedPicture, Desk};
use picloom_engine::genome::{BUILTIN, Genome, Provenance, from_json, to_json};
use picloom_engine::network::kernel::feature_maps;
use picloom_engine::network::{Model, Picture, PixelInputs, Weights, with_weights};
use picloom_engine::page::{self, Drawing, signed_colour};
use serde::{Deserialize, Serialize};
use std::rc::Rc;

/// Largest picture side.
const LARGEST: usize = 2048;
/// Side of the pictures that weight changes are searched on.
const SEARCHED_AT: usize = 64;
/// Least R² of a network that has learned its picture.
const FIT: f64 = picloom_engine::score::FIT_GATE;

/// The link of a network that is asked about.
#[derive(Deserialize)]
pub(crate) struct AskedLink {
    link: usize,
}

/// The networks that come with the program, as the studio's library has it.
pub(crate) fn library() -> Answered {
    #[derive(Serialize)]
    struct Entry {
        id: String,
        name: &'static str,
        nodes: usize,
        links: usize,
        builtin: bool,
    }
    let entry = |&(name, text): &(&'static str, &str)| {
        let genome = from_json(text).ok()?;
        let (nodes, links) = (genome.nodes().len(), genome.connections().len());
        Some(Entry { id: format!("genomes/{name}.json"), name, nodes, links, builtin: true })
    };
    let genomes: Vec<Entry> = BUILTIN.iter().filter_map(entry).collect();
    let run = serde_json::json!({ "id": TRAINED, "picture": stem(EVOLVED), "target": EVOLVED, "arm": "dense",
        "what": "dense network, trained", "finished": true, "builtin": true });
    Answer::of(&serde_json::json!({ "genomes": genomes, "runs": [run] }))
}

#[derive(Serialize)]
struct Drawn<'a> {
    id: &'a str,
    name: &'a str,
    kind: &'static str,
    has_genome: bool,
    what: &'a str,
    picture: String,
    wiring: &'static str,
    size: usize,
    provenance: Described<'a>,
    #[serde(flatten)]
    drawing: Drawing,
    r2: Option<f64>,
    fit: Option<bool>,
    seed: Option<u64>,
    target: Option<&'a str>,
    at: Vec<f64>,
}

#[derive(Serialize)]
struct Described<'a> {
    tags: Vec<&'a str>,
    #[serde(flatten)]
    more: Option<&'a Provenance>,
}

/// Everything that the page needs to draw a network by itself.
pub(crate) fn network(desk: &mut Desk, asked: &AskedNetwork) -> Answered {
    let loaded = desk.load(asked)?;
    let learned = loaded.learned.as_ref();
    let own = loaded.genome.as_ref().filter(|_| learned.is_none()).map(|genome| &genome.provenance);
    let said = own.and_then(|p| p.notes.get("tags")).map_or("", String::as_str);
    let target = learned.map(|(target, _)| target.as_str()).filter(|target| !target.is_empty());
    Answer::of(&Drawn {
        id: &asked.id,
        name: &loaded.name,
        kind: if learned.is_some() { "run" } else { "genome" },
        has_genome: loaded.genome.is_some() && loaded.model.network.arch.is_none(),
        what: &loaded.what,
        picture: target
            .map_or(loaded.name.clone(), |target| stem(target).chars().take(40).collect()),
        wiring: asked.wiring.name(),
        size: loaded.size,
        provenance: Described {
            tags: said.split(',').map(str::trim).filter(|tag| !tag.is_empty()).collect(),
            more: own,
        },
        drawing: Drawing::of(
            &loaded.model,
            loaded.genome.as_ref(),
            loaded.coords,
            loaded.palette(),
        ),
        r2: learned.and_then(|(_, r2)| *r2),
        fit: learned.and_then(|(_, r2)| r2.map(|r2| r2 >= FIT)),
        seed: None,
        target,
        at: vec![0.0; loaded.model.network.factors()],
    })
}

fn side(size: Option<usize>, otherwise: usize) -> Result<usize, String> {
    match size.unwrap_or(otherwise) {
        size if (1..=LARGEST).contains(&size) => Ok(size),
        size => Err(format!("size: expected 1 to {LARGEST} pixels, found {size}")),
    }
}

impl AskedPicture {
    /// A picture with some weights set: `LINK:VALUE,…`.
    pub(crate) fn with(set: &str) -> Self {
        AskedPicture { set: set.into(), ..AskedPicture::default() }
    }

    /// The network with the weights that are set.
    fn model(&self, desk: &mut Desk, of: &AskedNetwork) -> Result<(Rc<Loaded>, Weights), String> {
        let loaded = desk.load(of)?;
        let mut weights = loaded.model.weights.clone();
        let set = page::weights_to_set(&self.set, weights.0.len()).map_err(|e| e.to_string())?;
        for (link, value) in set {
            weights.0[link] = value;
        }
        Ok((loaded, weights))
    }

    /// Its genome with the weights that are set, and its name.
    pub(crate) fn genome(
        &self,
        desk: &mut Desk,
        of: &AskedNetwork,
    ) -> Result<(String, Genome), String> {
        let (loaded, weights) = self.model(desk, of)?;
        let none = || format!("{}: expected a genome, found a network without one", loaded.name);
        let genome = desk.held.genome(&of.id).ok_or_else(none)?;
        let genome = match self.set.is_empty() {
            true => genome,
            false => moved(&genome, &loaded, &weights)?,
        };
        Ok((loaded.name.clone(), genome))
    }

    /// The pixels that are asked for, where the factors have the values that are.
    fn inputs(&self, loaded: &Loaded, size: usize) -> Result<PixelInputs, String> {
        let z =
            page::condition(&self.at, loaded.model.network.factors()).map_err(|e| e.to_string())?;
        Ok(PixelInputs::framed(
            size,
            loaded.coords,
            page::frame(&self.frame).map_err(|e| e.to_string())?,
        )
        .where_factors_are(&z))
    }
}

/// Draws a network with some weights set, on a part of the plane.
pub(crate) fn picture(desk: &mut Desk, of: &AskedNetwork, asked: &AskedPicture) -> Answered {
    let (loaded, weights) = asked.model(desk, of)?;
    let size = side(asked.size, loaded.size)?;
    let inputs = asked.inputs(&loaded, size)?;
    let mut rgb = picloom_engine::network::kernel::render(&loaded.model.network, &weights, &inputs);
    loaded.palette().recolour(&mut rgb);
    Answer::with(&size, Picture { width: size, height: size, rgb }.to_rgba())
}

#[derive(Serialize)]
struct Atlas {
    columns: usize,
}

/// (U, P) maps as squares of one picture, `columns` a row, in the colours of signed values.
pub(crate) fn atlas(
    model: &Model,
    weights: &Weights,
    inputs: &PixelInputs,
    size: usize,
) -> (usize, Vec<u8>) {
    let maps = feature_maps(&model.network, weights, inputs);
    let units = model.network.units.len();
    let columns = (units as f64).sqrt().ceil().max(1.0) as usize;
    let mut bytes = vec![255; 4 * size * size * columns * units.div_ceil(columns)];
    for unit in 0..units {
        let (left, top) = (unit % columns * size, unit / columns * size);
        for (row, line) in maps.unit(unit).chunks_exact(size).enumerate() {
            let at = 4 * ((top + row) * columns * size + left);
            for (pixel, &value) in bytes[at..at + 4 * size].chunks_exact_mut(4).zip(line) {
                pixel[..3].copy_from_slice(&signed_colour(value));
            }
        }
    }
    (columns, bytes)
}

/// Draws the map of every unit, in unit order.
pub(crate) fn maps(desk: &mut Desk, of: &AskedNetwork, asked: &AskedPicture) -> Answered {
    let (loaded, weights) = asked.model(desk, of)?;
    let size = side(asked.size, 48)?.min(512);
    let inputs = asked.inputs(&loaded, size)?;
    let (columns, bytes) = atlas(&loaded.model, &weights, &inputs, size);
    Answer::with(&Atlas { columns }, bytes)
}

/// How far a link's weight must move, down and up, for equal effects on the picture.
pub(crate) fn matched(
    desk: &mut Desk,
    of: &AskedNetwork,
    AskedLink { link }: &AskedLink,
) -> Answered {
    let links = desk.load(of)?.model.weights.0.len();
    if *link >= links {
        return Err(format!("link: expected a number below {links}, found {link}"));
    }
    let view = desk.held.view(&of.id, of.wiring, SEARCHED_AT)?;
    Answer::of(&page::matched(&view, *link, &|| false))
}

/// Weights that can change the picture, by how far they must move for it.
pub(crate) fn ranked(desk: &mut Desk, of: &AskedNetwork) -> Answered {
    desk.load(of)?;
    let view = desk.held.view(&of.id, of.wiring, SEARCHED_AT)?;
    Answer::of(&page::ranked(&view, &|| false))
}

/// A genome with the weights that are set, as a file.
pub(crate) fn genome(desk: &mut Desk, of: &AskedNetwork, asked: &AskedPicture) -> Answered {
    let (name, genome) = asked.genome(desk, of)?;
    Answer::of(&serde_json::json!({ "name": format!("{name}.json"), "text": to_json(&genome) }))
}

fn moved(genome: &Genome, loaded: &Loaded, weights: &Weights) -> Result<Genome, String> {
    if loaded.model.network.arch.is_some() {
        return Err(format!(
            "{}: expected it as it was evolved, found it in layers, whose weights no genome has",
            loaded.name
        ));
    }
    let mut tuned = with_weights(genome, weights).map_err(|e| e.to_string())?;
    tuned.provenance = Provenance {
        name: format!("{}, moved", loaded.name),
        made_by: "picloom web".into(),
        parents: vec![loaded.name.clone()],
        ..Provenance::default()
    };
    Ok(tuned)
}
