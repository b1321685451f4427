//! Answers about a breeding session: a tree of sheets that replays to the same bits.

use super::networks::{PictureRequest, ensure_pixels, ensure_side, genome};
use super::shelf::{Answered, Label, PageError, Shelf, bad};
use super::tree::{Shown, Tree, choose};
use crate::base::hash::short_id;
use crate::base::refusal::Refusal;
use crate::evolve::{Breeding, EvolveConfig, Parts, Preset, Selection, Session};
use crate::genome::Genome;
use crate::network::{Coords, Model, Picture, Wiring};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::fmt::Display;
use std::str::FromStr;

/// Most pictures on a sheet, and the side of the largest.
pub const LARGEST_GRID: usize = 60;
const LARGEST_DRAWN: usize = 512;
/// Side of a picture where nothing says otherwise.
const DRAWN: usize = 128;

/// Hash of a session as it stands: a page says which it has seen.
fn version(tree: &Breeding) -> String {
    short_id(tree.session().to_toml())
}

fn shown<S: Shelf>(
    shelf: &mut S,
    session: &str,
    tree: &Breeding,
    node: Option<usize>,
) -> Answered<Shown> {
    let Label { id, name, .. } = shelf.label(session)?;
    Ok(Shown {
        session: session.into(),
        name,
        version: version(tree),
        tree: Tree::of(tree, node).map_err(missing)?,
        published: shelf.published(&id),
        id,
    })
}

fn missing(error: Refusal) -> PageError {
    PageError::Missing(error.to_string())
}

/// Refuses a session that has changed since the page saw it.
///
/// # Errors
/// It has; the refusal holds how it stands.
pub fn ensure_seen<S: Shelf>(
    shelf: &mut S,
    session: &str,
    tree: &Breeding,
    seen: &str,
) -> Answered<()> {
    if version(tree) == seen {
        return Ok(());
    }
    let now = shown(shelf, session, tree, None)?;
    let why = format!("{}: it has changed since this page saw it", now.name);
    Err(PageError::Stale(why, Some(Box::new(now))))
}

/// The sheets of a session that is as the page has seen it.
///
/// # Errors
/// There is no such session; as [`ensure_seen`].
pub fn as_seen<S: Shelf>(shelf: &mut S, session: &str, seen: &str) -> Answered<Breeding> {
    let tree = shelf.tree(session)?;
    ensure_seen(shelf, session, &tree, seen)?;
    Ok(tree)
}

/// A session, and the pictures of the sheet that it shows where they are asked for.
pub struct SessionSheet {
    /// The session.
    pub shown: Shown,
    /// The pictures.
    pub pictures: Option<SheetPictures>,
}

/// The pictures of a sheet.
pub struct SheetPictures {
    /// The bytes of each picture, RGB.
    pub rgb: Vec<Vec<u8>>,
    /// The time that drawing them took, in milliseconds.
    pub took: f64,
}

impl SheetPictures {
    fn of<S: Shelf>(genomes: &[Genome], size: usize) -> Answered<Self> {
        let count = genomes.len();
        ensure_pixels(count, size, &format!("a sheet of {count} pictures"))?;
        let began = S::milliseconds();
        let rgb = genomes.par_iter().map(|genome| draw(genome, size).to_bytes()).collect();
        Ok(SheetPictures { rgb, took: S::milliseconds() - began })
    }
}

/// Draws a genome in its palette.
pub fn draw(genome: &Genome, size: usize) -> Picture {
    let mut picture = Model::of_genome(genome, Wiring::Graph).picture(size, Coords::Fer);
    genome.palette.recolour(&mut picture.rgb);
    picture
}

fn drawn_side(size: Option<usize>) -> Answered<Option<usize>> {
    size.map(|size| ensure_side(size, LARGEST_DRAWN)).transpose()
}

/// A request for a new session.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SessionRequest {
    /// Its name; may be empty.
    #[serde(default)]
    pub name: String,
    /// Seed of its random numbers, below 2⁵³.
    pub seed: Option<u64>,
    /// Ids of the genomes that it begins from; empty: random ones.
    #[serde(default)]
    pub from: Vec<String>,
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
fn named<T: Default + FromStr<Err: Display>>(key: &str, name: &Option<String>) -> Answered<T> {
    let Some(name) = name else { return Ok(T::default()) };
    name.parse().map_err(|error| bad(format!("{key}: {error}")))
}

impl SessionRequest {
    fn config(&self) -> Answered<EvolveConfig> {
        let mut config = EvolveConfig::of_session(Preset::Picbreeder);
        config.start.symmetry = named("symmetry", &self.symmetry)?;
        config.start.background = named("background", &self.background)?;
        config.start.palette = named("palette", &self.palette)?;
        config.start.colour = self.colour.unwrap_or(config.start.colour);
        if let Some(grid) = self.grid {
            if !(2..=LARGEST_GRID).contains(&grid) {
                return Err(bad(format!(
                    "grid: expected 2 to {LARGEST_GRID} pictures, found {grid}"
                )));
            }
            config.reproduction.population = grid;
        }
        Ok(config)
    }
}

/// Begins a session, from random genomes or from some that there are.
///
/// # Errors
/// Impossible settings, more genomes than a sheet has, an id of no genome.
pub fn begin<S: Shelf>(shelf: &mut S, wanted: &SessionRequest) -> Answered<Shown> {
    let config = wanted.config()?;
    let Some(seed) = wanted.seed.filter(|seed| *seed < 1 << 53) else {
        let found = wanted.seed.map_or("none".into(), |seed| seed.to_string());
        return Err(bad(format!("seed: expected a number below 2^53, found {found}")));
    };
    let count = wanted.from.len();
    if count > config.reproduction.population {
        return Err(bad(format!("from: expected at most a sheet of genomes, found {count}")));
    }
    if !wanted.set.is_empty() && count != 1 {
        return Err(bad(format!("set: expected one genome to begin from, found {count}")));
    }
    let mut ancestors = Vec::new();
    for id in &wanted.from {
        let (genome, _) = genome(shelf, &PictureRequest::with(id, &wanted.set))?;
        let is_grey = wanted.colour == Some(true) && !genome.is_colour();
        let mut genome = if is_grey { genome.with_colour_outputs() } else { genome };
        // Without a word each keeps its own.
        if wanted.palette.is_some() {
            genome.palette = config.start.palette;
        }
        ancestors.push(genome);
    }
    let session = shelf.begin(&wanted.name, Session::new(config, seed, Vec::new()), &ancestors)?;
    let tree = shelf.tree(&session)?;
    shown(shelf, &session, &tree, None)
}

/// Which sheet of a session.
#[derive(Default, Deserialize)]
pub struct SheetRequest {
    node: Option<usize>,
    size: Option<usize>,
}

impl SheetRequest {
    fn genomes<'a>(&self, tree: &'a Breeding) -> Answered<&'a [Genome]> {
        Ok(tree.sheet(self.node.unwrap_or(tree.at())).map_err(missing)?.genomes())
    }
}

/// A session on a sheet; with a size, the pictures of the sheet.
///
/// # Errors
/// There is no such session or sheet; its pictures are too large.
pub fn show<S: Shelf>(
    shelf: &mut S,
    session: &str,
    request: &SheetRequest,
) -> Answered<SessionSheet> {
    let size = drawn_side(request.size)?;
    let tree = shelf.tree(session)?;
    let shown = shown(shelf, session, &tree, request.node)?;
    let genomes = request.genomes(&tree)?;
    let pictures = size.map(|size| SheetPictures::of::<S>(genomes, size)).transpose()?;
    Ok(SessionSheet { shown, pictures })
}

/// Every picture of a sheet.
///
/// # Errors
/// As [`show`].
pub fn sheet<S: Shelf>(
    shelf: &mut S,
    session: &str,
    request: &SheetRequest,
) -> Answered<SheetPictures> {
    let size = ensure_side(request.size.unwrap_or(DRAWN), LARGEST_DRAWN)?;
    let tree = shelf.tree(session)?;
    SheetPictures::of::<S>(request.genomes(&tree)?, size)
}

/// A choice on a sheet.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Choice {
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
    fn breed(&self, tree: &mut Breeding) -> Result<(), Refusal> {
        let Choice { at, slider, parts, roll, chosen, .. } = self;
        let wanted = Selection { slider: *slider, parts: *parts, ..Selection::of(chosen) };
        choose(tree, *at, wanted, *roll)
    }
}

/// Changes a session that is as the page has seen it. The pictures of its sheet, where they are asked for, are drawn
/// while it is kept.
fn change<S: Shelf>(
    shelf: &mut S,
    session: &str,
    (seen, size): (&str, Option<usize>),
    change: impl FnOnce(&mut Breeding) -> Result<(), Refusal>,
) -> Answered<SessionSheet> {
    let size = drawn_side(size)?;
    let mut tree = as_seen(shelf, session, seen)?;
    change(&mut tree).map_err(bad)?;
    let draw = || size.map(|size| SheetPictures::of::<S>(tree.now().genomes(), size)).transpose();
    let pictures = shelf.keep(session, seen, &tree, draw)?;
    Ok(SessionSheet { shown: shown(shelf, session, &tree, None)?, pictures: pictures? })
}

/// The next sheet.
///
/// # Errors
/// There is no such session or sheet, it has changed, or the choice cannot be.
pub fn breed<S: Shelf>(shelf: &mut S, session: &str, choice: &Choice) -> Answered<SessionSheet> {
    change(shelf, session, (&choice.version, choice.size), |tree| choice.breed(tree))
}

/// The version of a session that a choice is going to lead to.
#[derive(Serialize)]
pub struct Foreseen {
    version: String,
}

/// The pictures that a choice is going to lead to. Nothing is changed: a page asks for them while somebody still
/// looks at what was chosen.
///
/// # Errors
/// As [`breed`].
pub fn foresee<S: Shelf>(
    shelf: &mut S,
    session: &str,
    choice: &Choice,
) -> Answered<(Foreseen, SheetPictures)> {
    let size = ensure_side(choice.size.unwrap_or(DRAWN), LARGEST_DRAWN)?;
    let mut tree = as_seen(shelf, session, &choice.version)?;
    choice.breed(&mut tree).map_err(bad)?;
    let pictures = SheetPictures::of::<S>(tree.now().genomes(), size)?;
    Ok((Foreseen { version: version(&tree) }, pictures))
}

/// A move in the tree.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Move {
    version: String,
    node: Option<usize>,
    /// As in [`Choice`].
    size: Option<usize>,
}

/// The way of a move in the tree.
pub enum Way {
    /// To the sheet before.
    Back,
    /// To the sheet that was left last.
    On,
    /// To any sheet.
    To,
}

/// Moves to another sheet.
///
/// # Errors
/// There is no such session or sheet, or it has changed.
pub fn go<S: Shelf>(
    shelf: &mut S,
    session: &str,
    way: Way,
    Move { version, node, size }: &Move,
) -> Answered<SessionSheet> {
    if matches!(way, Way::To) && node.is_none() {
        return Err(bad("node: expected the number of a sheet, found none"));
    }
    change(shelf, session, (version, *size), |tree| {
        match (way, *node) {
            (Way::Back, _) => _ = tree.undo(),
            (Way::On, _) => _ = tree.redo(),
            (Way::To, node) => tree.go_to(node.unwrap_or(tree.at()))?,
        }
        Ok(())
    })
}

/// Which picture of a session.
#[derive(Deserialize)]
pub struct PlaceRequest {
    node: Option<usize>,
    place: usize,
    size: Option<usize>,
}

/// The genome at a place of a sheet (`None`: the one that the session is on), saying how it was bred.
///
/// # Errors
/// There is no such session, sheet or place.
pub fn placed<S: Shelf>(
    shelf: &mut S,
    session: &str,
    (node, place): (Option<usize>, usize),
) -> Answered<Genome> {
    let tree = shelf.tree(session)?;
    let node = node.unwrap_or(tree.at());
    let Label { name, origin, .. } = shelf.label(session)?;
    let title = format!("{name}, sheet {node}, picture {place}");
    let mut genome = tree.keep(node, place, &title).map_err(missing)?;
    genome.provenance.made_by = S::MADE_BY.into();
    genome.provenance.notes.insert("session".into(), origin);
    Ok(genome)
}

/// One picture of a sheet.
///
/// # Errors
/// There is no such session, sheet or place.
pub fn place_picture<S: Shelf>(
    shelf: &mut S,
    session: &str,
    request: &PlaceRequest,
) -> Answered<Picture> {
    let size = ensure_side(request.size.unwrap_or(DRAWN), LARGEST_DRAWN)?;
    let genome = placed(shelf, session, (request.node, request.place))?;
    Ok(draw(&genome, size))
}

/// One genome of a sheet, and the name of its file.
///
/// # Errors
/// There is no such session, sheet or place.
pub fn place_genome<S: Shelf>(
    shelf: &mut S,
    session: &str,
    request: &PlaceRequest,
) -> Answered<(Genome, String)> {
    let PlaceRequest { node, place, .. } = *request;
    let genome = placed(shelf, session, (node, place))?;
    Ok((genome, format!("{}-{place}", shelf.label(session)?.name)))
}
