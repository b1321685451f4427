//! One network: its wiring, what it draws, what its units draw, what its links do.

use super::answer::{Answer, Refusal, attachment, json_of, of_bytes, with_number};
use super::names;
use super::pixels::{
    MOST_VALUES, checked, draw_rows, is_picture_file, is_weights_file, picture_file, pixels,
    side_by_side,
};
use super::root::{place_of, session_id};
use super::state::{Loaded, Studio};
use super::workers::HasLeft;
use crate::figures::sheets::signed_picture;
use crate::genome::{self, Genome, Provenance, builtin, from_json, to_json};
use crate::network::kernel::feature_maps;
use crate::network::{
    Arch, Frame, Model, Network, Picture, PixelInputs, Weights, Wiring, layered_arch, with_weights,
};
use crate::page::{self, Drawing, condition, matched as matched_by, ranked as ranked_of};
use crate::probe::{Change, View};
use crate::run::{LoadOptions, NetworkPath, Source, is_genome_file, shipped};
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// Largest picture side that is drawn on the page.
const LARGEST: usize = 2048;
/// Most values of a view that is kept.
const MOST_KEPT: usize = 1 << 22;
/// Most links of a network, whose page has some 15 MB then.
const MOST_LINKS: usize = 1 << 18;
/// Networks and views kept ready.
const KEPT: usize = 8;
/// Side of the pictures that weight changes are searched on.
const SEARCHED_AT: usize = 64;

/// The address of a network.
#[derive(Deserialize)]
pub(crate) struct Asked {
    /// Genome file, run folder, file of weights, or a place on a sheet of a session.
    pub id: String,
    /// How a genome is wired.
    #[serde(default = "graph")]
    pub wiring: Wiring,
}

impl Asked {
    /// Of an id and a wiring.
    pub(crate) fn of((id, wiring): (&str, Wiring)) -> Self {
        Asked { id: id.into(), wiring }
    }
}

fn graph() -> Wiring {
    Wiring::Graph
}

/// A network that comes with the program.
pub(super) enum Builtin {
    /// A genome, as text.
    Genome(&'static str),
    /// The trained network.
    Trained,
}

impl Studio {
    /// The network that comes with the program under this id; `None` where the root has a file or
    /// folder of its own there.
    pub(super) fn builtin(&self, id: &str) -> Option<Builtin> {
        let found = match builtin(Path::new(id)) {
            Some((_, text)) if id.contains('/') => Builtin::Genome(text),
            _ if id == shipped::TRAINED => Builtin::Trained,
            _ => return None,
        };
        self.root.path(id).is_err().then_some(found)
    }

    /// The network of an id, from memory if its file has not changed.
    ///
    /// # Errors
    /// There is none, or its files are damaged.
    pub(super) fn network(&self, Asked { id, wiring }: &Asked) -> Result<Arc<Loaded>, Refusal> {
        let bred = place_of(id);
        let builtin = self.builtin(id);
        let path = match bred {
            Some((name, ..)) => self.root.path(&session_id(name))?,
            None if builtin.is_some() => Path::new(id).to_path_buf(),
            None => self.root.whole(id)?,
        };
        // A run is whole once its result is there, which is written last.
        let stamp = if path.is_dir() { path.join("result.json") } else { path.clone() };
        let changed = match builtin {
            None => stamp.metadata().and_then(|data| data.modified()).ok(),
            Some(_) => None,
        };
        let is_it = |l: &Arc<Loaded>| l.id == *id && l.wiring == *wiring && l.changed == changed;
        let kept = self.networks.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = kept.iter().find(|l| is_it(l)) {
            return Ok(found.clone());
        }
        drop(kept);
        let wanted = LoadOptions { whole: true, ..LoadOptions::default() };
        let of_genome = |genome: Genome, path: &Path| {
            let links = match wiring {
                Wiring::Graph => genome.connections().len(),
                _ => layered_arch(&genome).dense_params(),
            };
            drawable(id, links)?;
            Source::of_genome(genome, path, *wiring, wanted).map_err(Refusal::bad)
        };
        let source = if let Some((name, sheet, place)) = bred {
            of_genome(self.genome_at(name, sheet, place)?, Path::new(id))
        } else if let Some(Builtin::Genome(text)) = builtin {
            of_genome(from_json(text).map_err(Refusal::failed)?, &path)
        } else if let Some(Builtin::Trained) = builtin {
            shipped::trained().map_err(Refusal::failed)
        } else if path.is_dir() {
            Source::load(NetworkPath::Run(&path), wanted).map_err(Refusal::bad)
        } else if is_genome_file(&path) {
            of_genome(genome::read(&path).map_err(Refusal::bad)?, &path)
        } else if is_weights_file(&path) {
            let arch = self.arch_of(&path)?;
            drawable(id, arch.dense_params())?;
            Source::load(NetworkPath::Weights(&arch, &path), wanted).map_err(Refusal::bad)
        } else {
            let expected = "a genome, the folder of a run, or a file of weights";
            return Err(Refusal::bad(format!("{id}: expected {expected}, found another file")));
        };
        let source = source?;
        drawable(id, source.model.network.links.len())?;
        let loaded = Arc::new(Loaded { id: id.clone(), wiring: *wiring, changed, source });
        keep(&self.networks.loaded, loaded.clone());
        Ok(loaded)
    }

    /// A view of a network at `size`², from memory if it is there.
    ///
    /// # Errors
    /// It needs more memory than there is.
    pub(super) fn view(&self, loaded: &Arc<Loaded>, size: usize) -> Result<Arc<View>, Refusal> {
        let kept = self.networks.views.lock().unwrap_or_else(PoisonError::into_inner);
        let is_it =
            |(of, view): &&(Arc<Loaded>, Arc<View>)| Arc::ptr_eq(of, loaded) && view.size() == size;
        if let Some((_, view)) = kept.iter().find(is_it) {
            return Ok(view.clone());
        }
        drop(kept);
        let source = &loaded.source;
        let view = View::fitting(&source.model, size, source.coords).map_err(Refusal::large)?;
        let view = Arc::new(view);
        if source.model.network.units.len() * size * size <= MOST_KEPT {
            keep(&self.networks.views, (loaded.clone(), view.clone()));
        }
        Ok(view)
    }

    /// The arch of a file of weights: what lies beside it as `NAME.arch`, else what it says itself.
    fn arch_of(&self, path: &Path) -> Result<Arch, Refusal> {
        let beside = path.with_extension("arch");
        match self.root.text(&beside)? {
            Some(text) => {
                text.trim().parse().map_err(|e| Refusal::bad(format!("{}: {e}", beside.display())))
            }
            None => crate::network::weight_files::read_arch(path).map_err(Refusal::bad),
        }
    }

    /// The id of a run's target, by the name in its config; `None` if it lies elsewhere.
    pub(super) fn target_id(&self, name: &str) -> Option<String> {
        let is_known = place_of(name).is_some() || self.builtin(name).is_some();
        is_known.then(|| name.into()).or_else(|| self.root.id_of_named(name))
    }
}

/// Puts something into a list of which the oldest go.
fn keep<T>(list: &Mutex<Vec<T>>, new: T) {
    let mut list = list.lock().unwrap_or_else(PoisonError::into_inner);
    if list.len() >= KEPT {
        list.remove(0);
    }
    list.push(new);
}

/// Refuses a network with more links than a page can show.
fn drawable(id: &str, links: usize) -> Result<(), Refusal> {
    match links > MOST_LINKS {
        true => Err(Refusal::large(format!(
            "{id}: expected at most {MOST_LINKS} links, found {links}; take it as a graph, or use the command"
        ))),
        false => Ok(()),
    }
}

#[derive(Serialize)]
struct Drawn<'a> {
    id: &'a str,
    name: String,
    kind: &'static str,
    /// Whether a genome has its weights: it can be kept as one, and bred from.
    has_genome: bool,
    /// Its kind, and the picture that it draws.
    what: String,
    picture: String,
    wiring: &'static str,
    size: usize,
    provenance: Described<'a>,
    #[serde(flatten)]
    drawing: Drawing,
    r2: Option<f64>,
    /// Whether R² is high enough for a score to count; `None` if it learned no picture.
    fit: Option<bool>,
    /// The seed of its training.
    seed: Option<u64>,
    target: Option<String>,
    /// Values of the factors that the picture begins with: the first that a run learned, else 0.
    at: Vec<f64>,
}

#[derive(Serialize)]
struct Described<'a> {
    tags: Vec<&'a str>,
    #[serde(flatten)]
    more: Option<&'a Provenance>,
}

/// `/api/network`: everything that the page needs to draw it by itself.
pub(super) fn network(studio: &Studio, asked: Asked, has_left: HasLeft<'_>) -> Answer {
    let loaded = studio.network(&asked)?;
    if has_left() {
        return Err(Refusal::left());
    }
    let source = &loaded.source;
    let network = &source.model.network;
    let own = source.genome.as_ref().filter(|_| !source.trained).map(|g| &g.provenance);
    let config = source.config.as_ref();
    let name = title(&asked.id, source);
    let kind = match (&source.genome, source.trained) {
        (_, true) => "run",
        (Some(_), false) => "genome",
        (None, false) => "weights",
    };
    json_of(&Drawn {
        id: &asked.id,
        what: match (config, kind) {
            (Some(config), _) => names::of_run(config),
            (_, "genome") => names::of_wiring(asked.wiring).into(),
            _ => "network of a file".into(),
        },
        picture: config.map_or_else(|| name.clone(), names::of_target),
        name,
        kind,
        has_genome: source.genome.is_some() && network.arch.is_none(),
        wiring: asked.wiring.name(),
        size: source.size,
        provenance: Described { tags: own.map_or_else(Vec::new, tags), more: own },
        drawing: Drawing::of(
            &source.model,
            source.genome.as_ref(),
            source.coords,
            source.palette(),
        ),
        r2: source.fit.map(|fit| fit.r2),
        fit: source.fit.map(|fit| fit.passes_gate()),
        seed: config.map(|config| config.train.seed),
        target: config.and_then(|config| studio.target_id(&config.target)),
        at: config
            .and_then(|config| config.conditions.first().cloned())
            .unwrap_or_else(|| vec![0.0; network.factors()]),
    })
}

/// The title of a network: a run by its arm and picture, an opened file and one of Picbreeder by
/// the file's name, a genome by its own.
pub(super) fn title(id: &str, source: &Source) -> String {
    match &source.config {
        Some(config) => names::of_run_and_picture(config),
        None => names::of_genome(id, || source.short_name()),
    }
}

/// The tags that people gave a genome.
pub(super) fn tags(provenance: &Provenance) -> Vec<&str> {
    let said = provenance.notes.get("tags").map_or("", String::as_str);
    said.split(',').map(str::trim).filter(|tag| !tag.is_empty()).collect()
}

/// The weights that are set, `LINK:VALUE,…`, of a network with `links` links.
fn changes_of(set: &str, links: usize) -> Result<Vec<Change>, Refusal> {
    let set = page::weights_to_set(set, links).map_err(Refusal::bad)?;
    Ok(set.into_iter().map(|(link, value)| Change::To { link, value }).collect())
}

/// A request for a picture.
#[derive(Deserialize)]
pub(super) struct AskedPicture {
    pub(super) id: String,
    #[serde(default = "graph")]
    pub(super) wiring: Wiring,
    pub(super) size: Option<usize>,
    /// `LINK:VALUE,…`
    #[serde(default)]
    pub(super) set: String,
    /// `x,y,width,height`
    #[serde(default)]
    pub(super) frame: String,
    /// `Z1,Z2,…`, of a network with factors.
    #[serde(default)]
    pub(super) at: String,
    #[serde(default)]
    pub(super) raw: u8,
}

impl AskedPicture {
    pub(super) fn network(&self, studio: &Studio) -> Result<Arc<Loaded>, Refusal> {
        studio.network(&Asked { id: self.id.clone(), wiring: self.wiring })
    }

    /// The weights that are set.
    fn changes(&self, network: &Network) -> Result<Vec<Change>, Refusal> {
        changes_of(&self.set, network.weight_count())
    }

    /// The model with the weights that are set, where its factors have the values that are asked for.
    pub(super) fn model(&self, model: &Model) -> Result<Model, Refusal> {
        let weights = changed(model, &self.changes(&model.network)?);
        let z = self.condition(&model.network)?;
        let model = Model { weights, ..model.clone() };
        Ok(if z.is_empty() { model } else { model.at(&z) })
    }

    /// The values of the factors.
    fn condition(&self, network: &Network) -> Result<Vec<f64>, Refusal> {
        condition(&self.at, network.factors()).map_err(Refusal::bad)
    }

    pub(super) fn frame(&self) -> Result<Frame, Refusal> {
        page::frame(&self.frame).map_err(Refusal::bad)
    }
}

/// The network's weights with some of them set.
fn changed(model: &Model, changes: &[Change]) -> Weights {
    let mut weights = model.weights.clone();
    for change in changes {
        if let Change::To { link, value } = *change {
            weights.0[link] = value;
        }
    }
    weights
}

/// `/api/picture`: what a network draws, some weights set, a part of the plane.
pub(super) fn picture(studio: &Studio, asked: AskedPicture, has_left: HasLeft<'_>) -> Answer {
    let size = asked.size.map(|size| checked(size, LARGEST)).transpose()?;
    if is_picture_file(Path::new(&asked.id)) {
        let path = studio.root.path(&asked.id)?;
        return Ok(pixels(&picture_file(&path, size.unwrap_or(128))?, asked.raw == 1));
    }
    let loaded = asked.network(studio)?;
    let (model, coords) = (&loaded.source.model, loaded.source.coords);
    let size = size.unwrap_or(loaded.source.size);
    let changes = asked.changes(&model.network)?;
    let frame = asked.frame()?;
    let z = asked.condition(&model.network)?;
    let at_rest = frame == Frame::PICTURE && z.iter().all(|z| *z == 0.0);
    let kept = at_rest && model.network.units.len() * size * size <= MOST_KEPT;
    let mut drawn = if kept && !changes.is_empty() {
        studio.view(&loaded, size)?.painter().draw_all(changes).clone()
    } else {
        let weights = changed(model, &changes);
        draw_rows((&model.network, &weights), size, (coords, frame, &z), has_left)?
    };
    loaded.source.palette().recolour(&mut drawn.rgb);
    Ok(pixels(&drawn, asked.raw == 1))
}

/// `/api/maps`: what every unit draws, in unit order, as squares of one picture.
pub(super) fn maps(studio: &Studio, asked: AskedPicture, has_left: HasLeft<'_>) -> Answer {
    let size = checked(asked.size.unwrap_or(48), 512)?;
    let loaded = asked.network(studio)?;
    let (model, coords) = (&loaded.source.model, loaded.source.coords);
    let units = model.network.units.len();
    if units * size * size > MOST_VALUES {
        let most = ((MOST_VALUES / units.max(1)) as f64).sqrt() as usize;
        return Err(Refusal::large(format!(
            "size: expected at most {most} pixels for the maps of {units} units, found {size}"
        )));
    }
    let weights = changed(model, &asked.changes(&model.network)?);
    let z = asked.condition(&model.network)?;
    let inputs = PixelInputs::framed(size, coords, asked.frame()?).where_factors_are(&z);
    let maps = feature_maps(&model.network, &weights, &inputs);
    if has_left() {
        return Err(Refusal::left());
    }
    let columns = (units as f64).sqrt().ceil().max(1.0) as usize;
    let drawn: Vec<Picture> =
        (0..units).map(|unit| signed_picture(maps.unit(unit), size)).collect();
    let atlas = side_by_side(&drawn, columns, size);
    Ok(with_number(pixels(&atlas, asked.raw == 1), "x-columns", columns))
}

/// The address of a link of a network.
#[derive(Deserialize)]
pub(super) struct AskedLink {
    /// As in [`Asked`].
    pub id: String,
    /// As in [`Asked`].
    #[serde(default = "graph")]
    pub wiring: Wiring,
    /// Its number in the library's order.
    pub link: usize,
}

/// `/api/matched`: how far a link's weight must move, down and up, for equal effects on the picture.
pub(super) fn matched(
    studio: &Studio,
    AskedLink { id, wiring, link }: AskedLink,
    has_left: HasLeft<'_>,
) -> Answer {
    let loaded = studio.network(&Asked { id, wiring })?;
    let links = loaded.source.model.weights.0.len();
    if link >= links {
        let why = format!("link: expected a number below {links}, found {link}");
        return Err(Refusal::none(why));
    }
    let view = studio.view(&loaded, SEARCHED_AT)?;
    let found = matched_by(&view, link, has_left).ok_or_else(Refusal::left)?;
    json_of(&found)
}

/// `/api/ranked`: weights that can change the picture by the largest effect that is offered, by how far they must move for
/// it. The one in the middle stands for the network: the same rank in each of several.
pub(super) fn ranked(studio: &Studio, asked: Asked, has_left: HasLeft<'_>) -> Answer {
    let loaded = studio.network(&asked)?;
    let view = studio.view(&loaded, SEARCHED_AT)?;
    json_of(&ranked_of(&view, has_left).ok_or_else(Refusal::left)?)
}

/// A network with some of its weights set.
#[derive(Deserialize)]
pub(super) struct AskedGenome {
    /// As in [`Asked`].
    pub id: String,
    /// As in [`Asked`].
    #[serde(default = "graph")]
    pub wiring: Wiring,
    /// `LINK:VALUE,…`
    #[serde(default)]
    pub set: String,
}

impl Studio {
    /// The genome of a network as it stands: with the weights that its run learned, and those that are set. Its
    /// name for people comes with it.
    ///
    /// # Errors
    /// The network has no genome, or is in layers: a genome has the weights of a graph.
    pub(super) fn genome_of(&self, asked: &AskedGenome) -> Result<(Genome, String), Refusal> {
        let AskedGenome { id, wiring, set } = asked;
        let loaded = self.network(&Asked { id: id.clone(), wiring: *wiring })?;
        let Source { model, genome, trained, .. } = &loaded.source;
        let name = title(id, &loaded.source);
        let Some(genome) = genome else {
            let why = format!("{id}: expected a genome, found a network without one");
            return Err(Refusal::none(why));
        };
        let changes = changes_of(set, model.network.weight_count())?;
        if changes.is_empty() && !trained {
            return Ok((genome.clone(), name));
        }
        if model.network.arch.is_some() {
            return Err(Refusal::bad(format!(
                "{id}: expected the network as it was evolved, found it in layers, whose weights no genome has; move the weights of the graph"
            )));
        }
        let weights = changed(model, &changes);
        let mut tuned = with_weights(genome, &weights).map_err(Refusal::bad)?;
        let tags = genome.provenance.notes.get("tags").cloned();
        let moved: Vec<String> = changes.iter().map(|change| moved(model, change)).collect();
        let mut notes = std::collections::BTreeMap::new();
        notes.extend(tags.map(|tags| ("tags".to_string(), tags)));
        if !moved.is_empty() {
            notes.insert("moved".to_string(), moved.join(", "));
        }
        let name = if moved.is_empty() { name } else { format!("{name}, moved") };
        tuned.provenance = Provenance {
            name: name.clone(),
            made_by: "picloom studio".into(),
            parents: vec![title(id, &loaded.source)],
            notes,
            ..Provenance::default()
        };
        Ok((tuned, name))
    }
}

/// A moved weight for people: the two units by number, before and after.
fn moved(model: &Model, change: &Change) -> String {
    let Change::To { link, value } = *change else { return String::new() };
    let ends = model.network.links[link];
    format!("u{}→u{}: {} to {value}", ends.source, ends.target, model.weights.0[link])
}

/// `/api/genome`: the genome of a file or a run, to be saved.
pub(super) fn genome(studio: &Studio, asked: AskedGenome) -> Answer {
    let (genome, name) = studio.genome_of(&asked)?;
    Ok(genome_file(&genome, &name))
}

/// A genome as a file to be saved.
pub(super) fn genome_file(genome: &Genome, name: &str) -> axum::response::Response {
    let json = of_bytes("application/json", to_json(genome).into_bytes());
    attachment(json, &format!("{name}.json"))
}
