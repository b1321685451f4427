//! Breeding: each session is a tree of sheets that replays to the same bits.

use crate::desk::{Answer, Answered, Desk};
use crate::held::genome_from;
use crate::networks::{AskedNetwork, AskedPicture};
use picloom_engine::evolve::{Breeding, EvolveConfig, Parts, Preset, Selection, Session};
use picloom_engine::genome::{Genome, Provenance, to_json};
use picloom_engine::math::hash::short_id;
use picloom_engine::network::{Coords, Model, Wiring};
use picloom_engine::page::{Tree, choose};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt::Display;
use std::str::FromStr;

/// Most pictures on a sheet, sheets in a link, and the side of the largest picture.
const LARGEST_GRID: usize = 60;
const MOST_STEPS: usize = 400;
const LARGEST_DRAWN: usize = 512;
/// The beginning of a session's text.
const FORMAT: &str = "picloom-web-session/1";

/// A session, and the genomes that it began from.
pub struct Kept {
    /// Its name, for people.
    pub name: String,
    tree: Breeding,
    ancestors: Vec<String>,
}

/// Sessions by number.
#[derive(Default)]
pub struct Sessions {
    kept: BTreeMap<usize, Kept>,
}

/// A session as text: what a link carries.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SessionText {
    format: String,
    name: String,
    /// As in the session's file.
    session: Session,
    /// The genomes that it began from.
    ancestors: Vec<String>,
}

/// The session of a text; `None` if the text is of something else.
pub fn from_text(text: &str) -> Result<Option<Kept>, String> {
    if !text.contains(FORMAT) {
        return Ok(None);
    }
    let text: SessionText = serde_json::from_str(text)
        .map_err(|e| format!("expected a {FORMAT} document, found: {e}"))?;
    let session = text.session;
    session.config.validate().map_err(|e| e.to_string())?;
    let (steps, grid) = (session.step.len(), session.config.reproduction.population);
    if steps > MOST_STEPS || grid > LARGEST_GRID || text.ancestors.len() > LARGEST_GRID {
        return Err(format!(
            "expected a session of at most {MOST_STEPS} steps and {LARGEST_GRID} pictures a sheet, found {steps} and {grid}; breed it with the command picloom"
        ));
    }
    let genomes =
        text.ancestors.iter().map(|text| genome_from(text)).collect::<Result<Vec<_>, _>>()?;
    let tree = Breeding::new(session, &genomes).map_err(|e| e.to_string())?;
    let name = text.name.chars().take(60).collect();
    Ok(Some(Kept { name, tree, ancestors: text.ancestors }))
}

impl Sessions {
    /// Keeps a session: its number.
    pub fn add(&mut self, kept: Kept) -> usize {
        let number = self.kept.keys().last().map_or(1, |last| last + 1);
        self.kept.insert(number, kept);
        number
    }

    fn get(&mut self, number: usize) -> Result<&mut Kept, String> {
        let gone = "this page does not have the session any more; open its link again";
        self.kept.get_mut(&number).ok_or_else(|| gone.into())
    }

    /// The text of a session.
    pub fn text(&mut self, number: usize) -> Result<String, String> {
        let Kept { name, tree, ancestors } = self.get(number)?;
        let text = SessionText {
            format: FORMAT.into(),
            name: name.clone(),
            session: tree.session().clone(),
            ancestors: ancestors.clone(),
        };
        serde_json::to_string(&text).map_err(|e| e.to_string())
    }
}

/// The genome at `bred/SESSION/SHEET/PLACE`; `None` for an id of another kind.
pub fn genome_of(desk: &mut Desk, id: &str) -> Result<Option<Genome>, String> {
    let Some(rest) = id.strip_prefix("bred/") else { return Ok(None) };
    let numbers: Vec<usize> = rest.split('/').filter_map(|n| n.parse().ok()).collect();
    let [number, sheet, place] = numbers[..] else {
        return Err("expected a session, a sheet and a place, found another id".into());
    };
    placed(desk.sessions.get(number)?, Some(sheet), place).map(Some)
}

/// The genome at a place of a sheet, saying how it was bred.
fn placed(kept: &Kept, node: Option<usize>, place: usize) -> Result<Genome, String> {
    let node = node.unwrap_or(kept.tree.at());
    let line = kept.tree.ancestry(node, place).map_err(|e| e.to_string())?;
    let mut genome =
        line.last().map(|genome| (*genome).clone()).ok_or("expected a genome, found none")?;
    let birth = &kept.tree.sheet(node).map_err(|e| e.to_string())?.births()[place];
    let notes = [("sheet", node.to_string()), ("place", place.to_string())];
    genome.provenance = Provenance {
        name: format!("{}, picture {}", kept.name, place + 1),
        made_by: "picloom web".into(),
        parents: birth.parents.iter().map(u64::to_string).collect(),
        notes: notes.map(|(name, value)| (name.to_string(), value)).into(),
        ..Provenance::default()
    };
    Ok(genome)
}

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
pub struct Begin {
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
pub fn begin(desk: &mut Desk, wanted: Begin) -> Answered {
    let mut config = EvolveConfig::of_session(Preset::Picbreeder);
    config.start.symmetry = named(&wanted.symmetry)?;
    config.start.background = named(&wanted.background)?;
    config.start.palette = named(&wanted.palette)?;
    let grid = wanted.grid.unwrap_or(config.reproduction.population);
    if !(2..=LARGEST_GRID).contains(&grid) || wanted.from.len() > grid {
        return Err(format!("grid: expected 2 to {LARGEST_GRID} pictures, found {grid}"));
    }
    config.reproduction.population = grid;
    config.start.colour = wanted.colour.unwrap_or(config.start.colour);
    let mut genomes = Vec::new();
    for id in &wanted.from {
        let of = AskedNetwork { id: id.clone(), wiring: Wiring::Graph };
        let (_, genome) = AskedPicture::with(&wanted.set).genome(desk, &of)?;
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
pub struct Sheet {
    session: usize,
    node: Option<usize>,
    size: Option<usize>,
}

/// A session on a sheet.
pub fn session(desk: &mut Desk, asked: &Sheet) -> Answered {
    shown(desk, asked.session, asked.node, asked.size)
}

/// Every picture of a sheet.
pub fn sheet(desk: &mut Desk, asked: &Sheet) -> Answered {
    let kept = desk.sessions.get(asked.session)?;
    let node = asked.node.unwrap_or(kept.tree.at());
    Answer::with(&node, drawn(&kept.tree, node, asked.size.unwrap_or(128))?)
}

/// A choice on a sheet.
#[derive(Deserialize)]
pub struct Choice {
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
pub fn breed(desk: &mut Desk, choice: &Choice) -> Answered {
    choice.breed(&mut desk.sessions.get(choice.session)?.tree)?;
    shown(desk, choice.session, None, choice.size)
}

#[derive(Serialize)]
struct Foreseen {
    version: String,
}

/// The pictures that a choice is going to lead to. Nothing is changed.
pub fn foresee(desk: &mut Desk, choice: &Choice) -> Answered {
    let mut tree = desk.sessions.get(choice.session)?.tree.clone();
    choice.breed(&mut tree)?;
    let pictures = drawn(&tree, tree.at(), choice.size.unwrap_or(128))?;
    Answer::with(&Foreseen { version: version(&tree) }, pictures)
}

/// A move in the tree.
#[derive(Deserialize)]
pub struct Move {
    session: usize,
    node: Option<usize>,
    size: Option<usize>,
}

/// To the sheet before.
pub fn undo(desk: &mut Desk, way: &Move) -> Answered {
    desk.sessions.get(way.session)?.tree.undo();
    shown(desk, way.session, None, way.size)
}

/// To the sheet that was left last.
pub fn redo(desk: &mut Desk, way: &Move) -> Answered {
    desk.sessions.get(way.session)?.tree.redo();
    shown(desk, way.session, None, way.size)
}

/// To any sheet.
pub fn go_to(desk: &mut Desk, way: &Move) -> Answered {
    let node = way.node.ok_or("node: expected the number of a sheet, found none")?;
    desk.sessions.get(way.session)?.tree.go_to(node).map_err(|e| e.to_string())?;
    shown(desk, way.session, None, way.size)
}

/// Which picture of a session.
#[derive(Deserialize)]
pub struct Placed {
    session: usize,
    node: Option<usize>,
    place: usize,
    size: Option<usize>,
}

/// One picture of a sheet.
pub fn picture(desk: &mut Desk, asked: &Placed) -> Answered {
    let genome = placed(desk.sessions.get(asked.session)?, asked.node, asked.place)?;
    let size = asked.size.unwrap_or(128).clamp(1, LARGEST_DRAWN);
    Answer::with(&size, draw(&genome, size))
}

/// One genome of a sheet, as a file.
pub fn genome(desk: &mut Desk, asked: &Placed) -> Answered {
    let kept = desk.sessions.get(asked.session)?;
    let genome = placed(kept, asked.node, asked.place)?;
    let name = format!("{}-{}.json", kept.name, asked.place + 1);
    Answer::of(&serde_json::json!({ "name": name, "text": to_json(&genome) }))
}
