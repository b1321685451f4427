//! Answers about one network: its wiring, what it draws, what its units draw, what its links do.

use super::asked::{condition, frame, weights_to_set};
use super::drawing::Drawing;
use super::moves::{Matched, Ranked, moves_of, ranking};
use super::shelf::{About, Answered, NetworkRequest, PageError, PageNetwork, Shelf};
use super::tone::signed_picture;
use crate::genome::{Genome, Palette, Provenance};
use crate::network::kernel::{feature_maps, render};
use crate::network::{
    Coords, Frame, Model, Network, Picture, PixelInputs, Weights, Wiring, with_weights,
};
use crate::probe::Change;
use crate::score::FIT_GATE;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Largest side of a picture and of a unit's map, in pixels.
const LARGEST: usize = 2048;
const LARGEST_MAP: usize = 512;
/// Side of the pictures that weight changes are searched on.
const SEARCHED_AT: usize = 64;
/// Most values of a view that is kept.
const MOST_KEPT: u64 = 1 << 22;
/// Most pixels of all pictures of one answer together.
const MOST_PIXELS: u64 = 1 << 24;
/// Most non-zero links times pixels of one picture: half a minute of one core.
const MOST_WORK: u64 = 1 << 37;
/// Links times pixels, and pixels, that are drawn between two looks whether anybody still waits.
const WORK_AT_ONCE: usize = 1 << 27;
const PIXELS_AT_ONCE: usize = 1 << 20;

/// A request for a picture: the network, its size, and what is set.
#[derive(Debug, Default, Deserialize)]
pub struct PictureRequest {
    /// As in [`NetworkRequest`].
    pub id: String,
    /// As in [`NetworkRequest`].
    #[serde(default)]
    pub wiring: Wiring,
    /// Pixels along the picture; the network's own size if it is not said.
    pub size: Option<usize>,
    /// Weights that are set, `LINK:VALUE,…`.
    #[serde(default)]
    pub set: String,
    /// The part of the plane, `x,y,width,height`.
    #[serde(default)]
    pub frame: String,
    /// Values of the factors, `Z1,Z2,…`.
    #[serde(default)]
    pub at: String,
    /// 1: raw pixels, for a shelf that also sends picture files.
    #[serde(default)]
    pub raw: u8,
}

impl PictureRequest {
    /// A genome's graph with some of its weights set.
    pub fn with(id: &str, set: &str) -> Self {
        PictureRequest { id: id.into(), set: set.into(), ..Self::default() }
    }

    /// The network.
    pub fn network(&self) -> NetworkRequest {
        NetworkRequest { id: self.id.clone(), wiring: self.wiring }
    }

    /// The model with the weights that are set, where its factors have the values that are asked for.
    ///
    /// # Errors
    /// A link or a value that cannot be.
    pub fn model(&self, model: &Model) -> Answered<Model> {
        let weights = with(model, &self.set(model)?);
        let z = self.factors(model)?;
        let model = Model { weights, ..model.clone() };
        Ok(if z.is_empty() { model } else { model.at(&z) })
    }

    /// The part of the plane.
    ///
    /// # Errors
    /// Other than four finite numbers, the last two above 0.
    pub fn frame(&self) -> Answered<Frame> {
        Ok(frame(&self.frame)?)
    }

    fn factors(&self, model: &Model) -> Answered<Vec<f64>> {
        Ok(condition(&self.at, model.network.factors())?)
    }

    fn set(&self, model: &Model) -> Answered<Vec<(usize, f32)>> {
        Ok(weights_to_set(&self.set, model.weights.0.len())?)
    }
}

/// The network's weights with some of them set.
fn with(model: &Model, set: &[(usize, f32)]) -> Weights {
    let mut weights = model.weights.clone();
    for &(link, value) in set {
        weights.0[link] = value;
    }
    weights
}

/// The link of a network that is asked about.
#[derive(Deserialize)]
pub struct LinkRequest {
    /// As in [`NetworkRequest`].
    pub id: String,
    /// As in [`NetworkRequest`].
    #[serde(default)]
    pub wiring: Wiring,
    /// Its number in the library's order.
    pub link: usize,
}

/// A network as the page shows it.
#[derive(Serialize)]
pub struct Description {
    id: String,
    kind: &'static str,
    /// Whether a genome has its weights: it can be kept as one, and bred from.
    has_genome: bool,
    wiring: &'static str,
    size: usize,
    provenance: Origin,
    #[serde(flatten)]
    about: About,
    #[serde(flatten)]
    drawing: Drawing,
    /// Whether R² is high enough for a score to count; `None` if it learned no picture.
    fit: Option<bool>,
    /// The palette that its pictures are drawn in, and its score is not taken in; left out where it has every colour.
    #[serde(skip_serializing_if = "Palette::is_free")]
    palette: Palette,
}

#[derive(Serialize)]
struct Origin {
    tags: Vec<String>,
    #[serde(flatten)]
    more: Option<Provenance>,
}

/// The tags that people gave a genome.
pub fn tags(provenance: &Provenance) -> Vec<String> {
    let all = provenance.notes.get("tags").map_or("", String::as_str);
    all.split(',').map(str::trim).filter(|tag| !tag.is_empty()).map(String::from).collect()
}

/// Everything that the page needs to draw a network by itself.
///
/// # Errors
/// There is no such network.
pub fn network<S: Shelf>(shelf: &mut S, request: &NetworkRequest) -> Answered<Description> {
    let network = shelf.network(request)?;
    if shelf.has_left() {
        return Err(PageError::Left);
    }
    let mut about = shelf.about(&request.id, &network);
    let parts = S::parts(&network);
    about.at.resize(parts.model.network.factors(), 0.0);
    let own = parts.own().map(|genome| &genome.provenance);
    Ok(Description {
        id: request.id.clone(),
        kind: match (parts.trained, parts.genome) {
            (true, _) => "run",
            (false, Some(_)) => "genome",
            (false, None) => "weights",
        },
        has_genome: parts.genome.is_some() && parts.model.network.arch.is_none(),
        wiring: request.wiring.name(),
        size: parts.size,
        provenance: Origin { tags: own.map_or_else(Vec::new, tags), more: own.cloned() },
        drawing: Drawing::of(parts.model, parts.genome, parts.coords, parts.palette),
        fit: about.r2.map(|r2| r2 >= FIT_GATE),
        palette: parts.palette,
        about,
    })
}

/// A size of at most `largest`.
///
/// # Errors
/// It is 0 or larger.
pub fn ensure_side(size: usize, largest: usize) -> Answered<usize> {
    match (1..=largest).contains(&size) {
        true => Ok(size),
        false => Err(PageError::Bad(format!("size: expected 1 to {largest} pixels, found {size}"))),
    }
}

fn pixels(size: usize) -> u64 {
    (size as u64).pow(2)
}

/// Refuses more pixels in `count` squares than one answer has.
pub(super) fn ensure_pixels(count: usize, size: usize, of: &str) -> Answered<()> {
    let count = count.max(1) as u64;
    if count.saturating_mul(pixels(size)) <= MOST_PIXELS {
        return Ok(());
    }
    let most = ((MOST_PIXELS / count) as f64).sqrt() as usize;
    Err(PageError::Large(format!("size: expected at most {most} pixels for {of}, found {size}")))
}

/// Whether a view of this size is small enough to be kept for the next request.
pub fn is_view_kept(model: &Model, size: usize) -> bool {
    (model.network.units.len() as u64).saturating_mul(pixels(size)) <= MOST_KEPT
}

/// Draws a network with some weights set, on a part of the plane.
///
/// # Errors
/// There is no such network, or it cannot be drawn so.
pub fn picture<S: Shelf>(shelf: &mut S, request: &PictureRequest) -> Answered<Picture> {
    let network = shelf.network(&request.network())?;
    let parts = S::parts(&network);
    let (model, coords) = (parts.model, parts.coords);
    let size = ensure_side(request.size.unwrap_or(parts.size), LARGEST)?;
    let set = request.set(model)?;
    let (frame, z) = (request.frame()?, request.factors(model)?);
    let at_rest = frame == Frame::PICTURE && z.iter().all(|z| *z == 0.0);
    let mut drawn = if at_rest && !set.is_empty() && is_view_kept(model, size) {
        let changes = set.iter().map(|&(link, value)| Change::To { link, value });
        shelf.view(&network, size)?.painter().draw_all(changes).clone()
    } else {
        let drawn = (&model.network, &with(model, &set));
        draw_rows(drawn, size, (coords, frame, &z), &|| shelf.has_left())?
    };
    parts.palette.recolour(&mut drawn.rgb);
    Ok(drawn)
}

/// Draws a network with these weights where its factors are `z`, rows by rows; given up once nobody waits.
fn draw_rows(
    (network, weights): (&Network, &Weights),
    size: usize,
    (coords, frame, z): (Coords, Frame, &[f64]),
    has_left: &dyn Fn() -> bool,
) -> Answered<Picture> {
    let links = weights.0.iter().filter(|weight| **weight != 0.0).count().max(1);
    if (links as u64).saturating_mul(pixels(size)) > MOST_WORK {
        let most = ((MOST_WORK / links as u64) as f64).sqrt() as usize;
        return Err(PageError::Large(format!(
            "size: expected at most {most} pixels for a network of {links} non-zero links, found {size}"
        )));
    }
    let at_once = (WORK_AT_ONCE / links).min(PIXELS_AT_ONCE);
    let rows = (at_once / size).max(1);
    let mut rgb = Vec::with_capacity(3 * size * size);
    for first in (0..size).step_by(rows) {
        if has_left() {
            return Err(PageError::Left);
        }
        let rows = first..(first + rows).min(size);
        let inputs = PixelInputs::framed_rows(size, coords, frame, rows).where_factors_are(z);
        rgb.extend(render(network, weights, &inputs));
    }
    Ok(Picture { width: size, height: size, rgb })
}

/// Squares of one size as one picture.
pub struct Atlas {
    /// The picture.
    pub picture: Picture,
    /// Squares a row.
    pub columns: usize,
}

impl Atlas {
    /// The maps of all units, in unit order.
    pub(crate) fn of_units(
        model: &Model,
        weights: &Weights,
        inputs: &PixelInputs,
        size: usize,
    ) -> Self {
        let maps = feature_maps(&model.network, weights, inputs);
        let units = model.network.units.len();
        let columns = (units as f64).sqrt().ceil().max(1.0) as usize;
        let drawn: Vec<Picture> =
            (0..units).map(|unit| signed_picture(maps.unit(unit), size)).collect();
        Atlas { picture: side_by_side(&drawn, columns, size), columns }
    }
}

/// Squares of one size as one picture, `columns` a row.
pub fn side_by_side(pictures: &[Picture], columns: usize, size: usize) -> Picture {
    let (width, height) = (columns * size, pictures.len().div_ceil(columns) * size);
    let mut atlas = Picture::filled(width, height, [1.0; 3]);
    for (i, picture) in pictures.iter().enumerate() {
        atlas.paste(picture, i % columns * size, i / columns * size);
    }
    atlas
}

/// Draws the map of every unit.
///
/// # Errors
/// As [`picture`].
pub fn maps<S: Shelf>(shelf: &mut S, request: &PictureRequest) -> Answered<Atlas> {
    let size = ensure_side(request.size.unwrap_or(48), LARGEST_MAP)?;
    let network = shelf.network(&request.network())?;
    let PageNetwork { model, coords, .. } = S::parts(&network);
    let units = model.network.units.len();
    ensure_pixels(units, size, &format!("the maps of {units} units"))?;
    let weights = with(model, &request.set(model)?);
    let inputs = PixelInputs::framed(size, coords, request.frame()?)
        .where_factors_are(&request.factors(model)?);
    if shelf.has_left() {
        return Err(PageError::Left);
    }
    Ok(Atlas::of_units(model, &weights, &inputs, size))
}

/// How far a link's weight must move, down and up, for equal effects on the picture.
///
/// # Errors
/// There is no such network or link.
pub fn matched<S: Shelf>(shelf: &mut S, request: &LinkRequest) -> Answered<Matched> {
    let LinkRequest { id, wiring, link } = request;
    let network = shelf.network(&NetworkRequest { id: id.clone(), wiring: *wiring })?;
    let links = S::parts(&network).model.weights.0.len();
    if *link >= links {
        let why = format!("link: expected a number below {links}, found {link}");
        return Err(PageError::Missing(why));
    }
    let view = shelf.view(&network, SEARCHED_AT)?;
    moves_of(&view, *link, &|| shelf.has_left()).ok_or(PageError::Left)
}

/// Weights that can change the picture, by how far they must move for it.
///
/// # Errors
/// There is no such network.
pub fn ranked<S: Shelf>(shelf: &mut S, request: &NetworkRequest) -> Answered<Ranked> {
    let network = shelf.network(request)?;
    let view = shelf.view(&network, SEARCHED_AT)?;
    ranking(&view, &|| shelf.has_left()).ok_or(PageError::Left)
}

/// The genome of a network as it stands, with the weights that its run learned and those that are set; and its
/// name for people.
///
/// # Errors
/// The network has no genome, or is in layers: a genome has the weights of a graph.
pub fn genome<S: Shelf>(shelf: &mut S, request: &PictureRequest) -> Answered<(Genome, String)> {
    let network = shelf.network(&request.network())?;
    let About { name, .. } = shelf.about(&request.id, &network);
    let PageNetwork { model, genome, trained, .. } = S::parts(&network);
    let Some(genome) = genome else {
        let why = format!("{name}: expected a genome, found a network without one");
        return Err(PageError::Missing(why));
    };
    let set = request.set(model)?;
    if set.is_empty() && !trained {
        return Ok((genome.clone(), name));
    }
    if model.network.arch.is_some() {
        let why = "expected the network as it was evolved, found it in layers, whose weights no genome has; move the weights of the graph";
        return Err(PageError::Bad(format!("{name}: {why}")));
    }
    let mut tuned = with_weights(genome, &with(model, &set))
        .map_err(|error| PageError::Bad(error.to_string()))?;
    let tags = genome.provenance.notes.get("tags").cloned();
    let mut notes = BTreeMap::new();
    notes.extend(tags.map(|tags| ("tags".to_string(), tags)));
    let parents = vec![name.clone()];
    let name = if set.is_empty() { name } else { format!("{name}, moved") };
    if !set.is_empty() {
        let moved: Vec<String> = set.iter().map(|&change| moved(model, change)).collect();
        notes.insert("moved".into(), moved.join(", "));
    }
    tuned.provenance = Provenance {
        name: name.clone(),
        made_by: S::MADE_BY.into(),
        parents,
        notes,
        ..Provenance::default()
    };
    Ok((tuned, name))
}

/// A moved weight for people: the two units by number, before and after.
fn moved(model: &Model, (link, value): (usize, f32)) -> String {
    let ends = model.network.links[link];
    format!("u{}→u{}: {} to {value}", ends.source, ends.target, model.weights.0[link])
}
