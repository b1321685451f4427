//! Breeding: each session is a tree of sheets that replays to the same bits.

use crate::state::{Answer, Answered, Desk, Kept, LARGEST_GRID, placed};
use picloom_engine::base::hash::short_id;
use picloom_engine::evolve::{Breeding, EvolveConfig, Parts, Preset, Selection, Session};
use picloom_engine::genome::{Genome, to_json};
use picloom_engine::network::{Coords, Model, Wiring};
use picloom_engine::page::{self, PictureRequest, Tree, choose};
use serde::{Deserialize, Serialize};
use std::fmt::Display;
use std::str::FromStr;

/// Largest side of a picture.
const LARGEST_DRAWN: usize = 512;

#[derive(Serialize)]
struct Shown<'a> {
    id: String,
    session: usize,
    name: &'a str,
    version: String,
    #[serde(flatten)]
    tree: Tree,
}

/// A session on a sheet; with a size, its pictures follow.
fn shown(desk: &mut Desk, number: usize, node: Option<usize>, size: Option<usize>) -> Answered {
    let kept = desk.sessions.get(number)?;
    let tree = Tree::of(&kept.tree, node).map_err(|e| e.to_string())?;
    let node = tree.node;
    let version = version(&kept.tree);
    let shown =
        Shown { id: format!("bred/{number}"), session: number, name: &kept.name, version, tree };
    let pictures = match size {
        Some(size) => drawn(&kept.tree, node, size)?,
        None => Vec::new(),
    };
    Answer::with(&shown, pictures)
}

fn version(tree: &Breeding) -> String {
    short_id(serde_json::to_string(tree.session()).unwrap_or_default())
}

fn draw(genome: &Genome, size: usize) -> Vec<u8> {
    let mut picture = Model::of_genome(genome, Wiring::Graph).picture(size, Coords::Fer);
    genome.palette.recolour(&mut picture.rgb);
    picture.to_rgba()
}

fn drawn(tree: &Breeding, node: usize, size: usize) -> Result<Vec<u8>, String> {
    if !(1..=LARGEST_DRAWN).contains(&size) {
        return Err(format!("size: expected 1 to {LARGEST_DRAWN} pixels, found {size}"));
    }
    let sheet = tree.sheet(node).map_err(|e| e.to_string())?;
    Ok(sheet.genomes().iter().flat_map(|genome| draw(genome, size)).collect())
}

/// A request for a new session.
#[derive(Deserialize)]
pub(crate) struct Begin {
    #[serde(default)]
    name: String,
    seed: u64,
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

/// A setting by its name; its default where it has none.
fn named<T: Default + FromStr<Err: Display>>(name: &Option<String>) -> Result<T, String> {
    name.as_ref().map_or(Ok(T::default()), |name| name.parse().map_err(|e: T::Err| e.to_string()))
}

/// Begins a session, from random genomes or from some that there are.
pub(crate) fn begin(desk: &mut Desk, wanted: Begin) -> Answered {
    let mut config = EvolveConfig::of_session(Preset::Picbreeder);
    config.start.symmetry = named(&wanted.symmetry)?;
    config.start.background = named(&wanted.background)?;
    config.start.palette = named(&wanted.palette)?;
    let grid = wanted.grid.unwrap_or(config.reproduction.population);
    if !(2..=LARGEST_GRID).contains(&grid) {
        return Err(format!("grid: expected 2 to {LARGEST_GRID} pictures, found {grid}"));
    }
    if wanted.from.len() > grid {
        return Err(format!(
            "from: expected at most a sheet of genomes, found {}",
            wanted.from.len()
        ));
    }
    config.reproduction.population = grid;
    config.start.colour = wanted.colour.unwrap_or(config.start.colour);
    let mut genomes = Vec::new();
    for id in &wanted.from {
        let (genome, _) = page::genome(desk, &PictureRequest::with(id, &wanted.set))?;
        let coloured = wanted.colour == Some(true) && !genome.is_colour();
        genomes.push(if coloured { genome.with_colour_outputs() } else { genome });
    }
    let ancestors: Vec<String> = genomes.iter().map(to_json).collect();
    let names = ancestors.iter().map(|text| format!("{}.json", short_id(text))).collect();
    let tree = Breeding::new(Session::new(config, wanted.seed, names), &genomes);
    let tree = tree.map_err(|e| e.to_string())?;
    let name = match wanted.name.trim() {
        "" => format!("Session {}", wanted.seed),
        name => name.chars().take(60).collect(),
    };
    let number = desk.sessions.add(Kept { name, tree, ancestors });
    shown(desk, number, None, None)
}

/// Which sheet of a session.
#[derive(Deserialize)]
pub(crate) struct Sheet {
    session: usize,
    node: Option<usize>,
    size: Option<usize>,
}

/// A session on a sheet.
pub(crate) fn session(desk: &mut Desk, asked: &Sheet) -> Answered {
    shown(desk, asked.session, asked.node, asked.size)
}

/// Every picture of a sheet.
pub(crate) fn sheet(desk: &mut Desk, asked: &Sheet) -> Answered {
    let kept = desk.sessions.get(asked.session)?;
    let node = asked.node.unwrap_or(kept.tree.at());
    Answer::with(&node, drawn(&kept.tree, node, asked.size.unwrap_or(128))?)
}

/// A choice on a sheet.
#[derive(Deserialize)]
pub(crate) struct Choice {
    session: usize,
    at: usize,
    chosen: Vec<usize>,
    slider: Option<f64>,
    #[serde(default)]
    parts: Parts,
    roll: Option<u64>,
    size: Option<usize>,
}

impl Choice {
    fn breed(&self, tree: &mut Breeding) -> Result<(), String> {
        let wanted =
            Selection { slider: self.slider, parts: self.parts, ..Selection::of(&self.chosen) };
        choose(tree, self.at, wanted, self.roll).map_err(|e| e.to_string())
    }
}

/// The next sheet.
pub(crate) fn breed(desk: &mut Desk, choice: &Choice) -> Answered {
    choice.breed(&mut desk.sessions.get(choice.session)?.tree)?;
    shown(desk, choice.session, None, choice.size)
}

#[derive(Serialize)]
struct Foreseen {
    version: String,
}

/// The pictures that a choice is going to lead to. Nothing is changed.
pub(crate) fn foresee(desk: &mut Desk, choice: &Choice) -> Answered {
    let mut tree = desk.sessions.get(choice.session)?.tree.clone();
    choice.breed(&mut tree)?;
    let pictures = drawn(&tree, tree.at(), choice.size.unwrap_or(128))?;
    Answer::with(&Foreseen { version: version(&tree) }, pictures)
}

/// A move in the tree.
#[derive(Deserialize)]
pub(crate) struct Move {
    session: usize,
    node: Option<usize>,
    size: Option<usize>,
}

/// To the sheet before.
pub(crate) fn undo(desk: &mut Desk, way: &Move) -> Answered {
    desk.sessions.get(way.session)?.tree.undo();
    shown(desk, way.session, None, way.size)
}

/// To the sheet that was left last.
pub(crate) fn redo(desk: &mut Desk, way: &Move) -> Answered {
    desk.sessions.get(way.session)?.tree.redo();
    shown(desk, way.session, None, way.size)
}

/// To any sheet.
pub(crate) fn go_to(desk: &mut Desk, way: &Move) -> Answered {
    let node = way.node.ok_or("node: expected the number of a sheet, found none")?;
    desk.sessions.get(way.session)?.tree.go_to(node).map_err(|e| e.to_string())?;
    shown(desk, way.session, None, way.size)
}

/// Which picture of a session.
#[derive(Deserialize)]
pub(crate) struct Placed {
    session: usize,
    node: Option<usize>,
    place: usize,
    size: Option<usize>,
}

/// One picture of a sheet.
pub(crate) fn picture(desk: &mut Desk, asked: &Placed) -> Answered {
    let genome = placed(desk.sessions.get(asked.session)?, asked.node, asked.place)?;
    let size = asked.size.unwrap_or(128).clamp(1, LARGEST_DRAWN);
    Answer::with(&size, draw(&genome, size))
}

/// One genome of a sheet, as a file.
pub(crate) fn genome(desk: &mut Desk, asked: &Placed) -> Answered {
    let kept = desk.sessions.get(asked.session)?;
    let genome = placed(kept, asked.node, asked.place)?;
    let name = format!("{}-{}.json", kept.name, asked.place + 1);
    Answer::of(&serde_json::json!({ "name": name, "text": to_json(&genome) }))
}
