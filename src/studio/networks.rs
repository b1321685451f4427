//! One network: its wiring, what it draws, what its units draw, what its links do.

use super::answer::{Answer, Rejection, attachment, json_of, of_bytes, with_number};
use super::builtin::Builtin;
use super::jobs::target_of;
use super::library::published;
use super::names;
use super::pixels::{is_picture_file, is_weights_file, picture_file, pixels};
use super::root::{place_of, session_id};
use super::state::{Loaded, Studio, locked};
use super::workers::HasLeft;
use super::{GENOMES, HELD, OPENED, SESSIONS};
use crate::evolve::{Breeding, Session};
use crate::genome::{self, Genome, Palette, from_json, picked, to_json};
use crate::network::{Arch, Picture, Wiring, layered_arch};
use crate::page::{
    self, About, Answered, Label, LinkRequest, NetworkRequest, PageNetwork, PictureRequest, Shelf,
    ensure_side, is_view_kept,
};
use crate::probe::View;
use crate::run::{LoadOptions, NetworkPath, Source, is_genome_file, shipped};
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::Instant;

/// Largest side of a picture file on the page.
const LARGEST: usize = 2048;
/// Most links of a network, whose page has some 15 MB then.
const MOST_LINKS: usize = 1 << 18;
/// Networks and views kept ready.
const KEPT: usize = 8;

impl Studio {
    /// The network of an id, from memory if its file has not changed.
    ///
    /// # Errors
    /// There is none, or its files are damaged.
    pub(super) fn network(
        &self,
        NetworkRequest { id, wiring }: &NetworkRequest,
    ) -> Result<Arc<Loaded>, Rejection> {
        if id.starts_with(HELD) {
            let held = locked(&self.networks.held);
            let gone = format!("{id}: it is not kept any more; begin it again");
            return held
                .iter()
                .rfind(|l| l.id == *id)
                .cloned()
                .ok_or_else(|| Rejection::none(gone));
        }
        let bred = place_of(id);
        let builtin = self.builtin(id);
        let path = match bred {
            Some((name, ..)) => self.root.path(&session_id(name))?,
            None if builtin.is_some() => Path::new(id).to_path_buf(),
            None => self.root.whole(id)?,
        };
        // A run is whole once its result is there, which is written last.
        let stamp = if path.is_dir() { path.join("result.json") } else { picked(&path).0.into() };
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
            Source::of_genome(genome, path, *wiring, wanted).map_err(Rejection::bad)
        };
        let source = if let Some((name, sheet, place)) = bred {
            let genome = page::placed(&mut Files::of(self), name, (Some(sheet), place))?;
            of_genome(genome, Path::new(id))
        } else if let Some(Builtin::Genome(text)) = builtin {
            of_genome(from_json(text).map_err(Rejection::failed)?, &path)
        } else if let Some(Builtin::Trained) = builtin {
            shipped::trained().map_err(Rejection::failed)
        } else if path.is_dir() {
            Source::load(NetworkPath::Run(&path), wanted).map_err(Rejection::bad)
        } else if is_genome_file(&path) {
            of_genome(genome::read(&path).map_err(Rejection::bad)?, &path)
        } else if is_weights_file(&path) {
            let arch = self.arch_of(&path)?;
            drawable(id, arch.dense_params())?;
            Source::load(NetworkPath::Weights(&arch, &path), wanted).map_err(Rejection::bad)
        } else {
            let expected = "a genome, the folder of a run, or a file of weights";
            return Err(Rejection::bad(format!("{id}: expected {expected}, found another file")));
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
    pub(super) fn view(&self, loaded: &Arc<Loaded>, size: usize) -> Result<Arc<View>, Rejection> {
        let kept = self.networks.views.lock().unwrap_or_else(PoisonError::into_inner);
        let is_it =
            |(of, view): &&(Arc<Loaded>, Arc<View>)| Arc::ptr_eq(of, loaded) && view.size() == size;
        if let Some((_, view)) = kept.iter().find(is_it) {
            return Ok(view.clone());
        }
        drop(kept);
        let source = &loaded.source;
        let view = View::fitting(&source.model, size, source.coords).map_err(Rejection::large)?;
        let view = Arc::new(view);
        if is_view_kept(&source.model, size) {
            keep(&self.networks.views, (loaded.clone(), view.clone()));
        }
        Ok(view)
    }

    /// The file of a session, a genome or an opened file, which its owner may rename and remove.
    ///
    /// # Errors
    /// It is something else, or a copy that a session begins from.
    pub(super) fn own_file(&self, id: &str) -> Result<PathBuf, Rejection> {
        let path = self.root.path(id)?;
        let folders = [SESSIONS, GENOMES, OPENED];
        let is_own = folders.iter().any(|folder| Path::new(id).starts_with(folder));
        match is_own && !names::is_copy(id) && path.is_file() {
            true => Ok(path),
            false => {
                let expected = "a session, a genome or an opened file";
                Err(Rejection::bad(format!("{id}: expected {expected}, found something else")))
            }
        }
    }

    /// The arch of a file of weights: what lies beside it as `NAME.arch`, else what it says itself.
    fn arch_of(&self, path: &Path) -> Result<Arch, Rejection> {
        let beside = path.with_extension("arch");
        match self.root.text(&beside)? {
            Some(text) => text
                .trim()
                .parse()
                .map_err(|e| Rejection::bad(format!("{}: {e}", beside.display()))),
            None => crate::network::weight_files::read_arch(path).map_err(Rejection::bad),
        }
    }

    /// The id of a run's target, by the name in its config; `None` if it lies elsewhere.
    pub(super) fn target_id(&self, name: &str) -> Option<String> {
        let is_known = place_of(name).is_some() || self.builtin(name).is_some();
        is_known.then(|| name.into()).or_else(|| self.root.id_of_named(name))
    }
}

/// Puts something into a list of which the oldest go.
pub(super) fn keep<T>(list: &Mutex<Vec<T>>, new: T) {
    let mut list = list.lock().unwrap_or_else(PoisonError::into_inner);
    if list.len() >= KEPT {
        list.remove(0);
    }
    list.push(new);
}

/// Refuses a network with more links than a page can show.
fn drawable(id: &str, links: usize) -> Result<(), Rejection> {
    match links > MOST_LINKS {
        true => Err(Rejection::large(format!(
            "{id}: expected at most {MOST_LINKS} links, found {links}; take it as a graph, or use the command"
        ))),
        false => Ok(()),
    }
}

/// The title of a network: a run by its arm and picture, an opened file and one of Picbreeder by
/// the file's name, a genome by its own.
pub(super) fn title(id: &str, source: &Source) -> String {
    match &source.config {
        Some(config) => names::of_run_and_picture(config),
        None => names::of_genome(id, || source.short_name()),
    }
}

/// The studio's files, and whether whoever asked still waits.
pub(super) struct Files<'a> {
    pub studio: &'a Studio,
    pub has_left: HasLeft<'a>,
}

impl<'a> Files<'a> {
    /// For an answer that does not take long.
    pub(super) fn of(studio: &'a Studio) -> Self {
        Files { studio, has_left: &|| false }
    }
}

impl Shelf for Files<'_> {
    type Network = Arc<Loaded>;
    const MADE_BY: &'static str = "picloom studio";

    fn network(&mut self, request: &NetworkRequest) -> Answered<Arc<Loaded>> {
        Ok(self.studio.network(request)?)
    }

    fn parts(network: &Arc<Loaded>) -> PageNetwork<'_> {
        let &Source { ref model, ref genome, ref evolved, coords, size, trained, .. } =
            &network.source;
        let drawn_by = if trained { evolved } else { genome };
        let palette = drawn_by.as_ref().map_or(Palette::Free, |genome| genome.palette);
        PageNetwork { model, genome: genome.as_ref(), coords, size, trained, palette }
    }

    fn about(&mut self, id: &str, network: &Arc<Loaded>) -> About {
        let source = &network.source;
        let config = source.config.as_ref();
        let name = title(id, source);
        About {
            what: match (config, &source.genome) {
                (Some(config), _) => names::of_run(config),
                (None, Some(_)) => names::of_wiring(network.wiring).into(),
                (None, None) => "network of a file".into(),
            },
            picture: config.map_or_else(|| name.clone(), names::of_target),
            name,
            target: config.and_then(|config| self.studio.target_id(&config.target)),
            r2: source.fit.map(|fit| fit.r2),
            seed: config.map(|config| config.train.seed),
            at: config.and_then(|config| config.conditions.first().cloned()).unwrap_or_default(),
            own: self.studio.own_file(id).is_ok(),
        }
    }

    fn target(
        &mut self,
        network: &Arc<Loaded>,
        wanted: Option<&str>,
        size: usize,
    ) -> Answered<Option<(String, Picture)>> {
        let source = &network.source;
        if let Some(id) = wanted {
            let target = target_of(self.studio, id, size, source.coords)?;
            return Ok(Some((target.name, target.picture)));
        }
        let name = source.config.as_ref().map_or_else(String::new, |run| run.target.clone());
        Ok(source.target.as_ref().map(|picture| (name, picture.resized(size))))
    }

    fn view(&mut self, network: &Arc<Loaded>, size: usize) -> Answered<Arc<View>> {
        Ok(self.studio.view(network, size)?)
    }

    fn has_left(&self) -> bool {
        (self.has_left)()
    }

    fn begin(&mut self, name: &str, session: Session, ancestors: &[Genome]) -> Answered<String> {
        Ok(self.studio.new_session(name, session, ancestors)?)
    }

    fn tree(&mut self, session: &str) -> Answered<Breeding> {
        Ok(self.studio.session(session, |_, bred| Ok(bred.tree.clone()))?)
    }

    fn keep<T>(
        &mut self,
        session: &str,
        seen: &str,
        tree: &Breeding,
        meanwhile: impl FnOnce() -> T,
    ) -> Answered<T> {
        // Safe on the disk takes a while, in which nobody who draws should wait.
        std::thread::scope(|scope| {
            let studio = self.studio;
            let written = scope.spawn(|| studio.write(session, seen, tree));
            let done = meanwhile();
            written.join().unwrap_or_else(|fault| std::panic::resume_unwind(fault))?;
            Ok(done)
        })
    }

    fn label(&mut self, session: &str) -> Answered<Label> {
        let id = session_id(session);
        Ok(Label { origin: id.clone(), id, name: session.into() })
    }

    fn published(&self, id: &str) -> Vec<String> {
        published(self.studio, id)
    }

    fn milliseconds() -> f64 {
        static BEGAN: LazyLock<Instant> = LazyLock::new(Instant::now);
        BEGAN.elapsed().as_secs_f64() * 1e3
    }
}

/// `/api/network`: everything that the page needs to draw it by itself.
pub(super) fn network(studio: &Studio, asked: NetworkRequest, has_left: HasLeft<'_>) -> Answer {
    json_of(&page::network(&mut Files { studio, has_left }, &asked)?)
}

/// `/api/picture`: what a network draws, some weights set, a part of the plane; of a picture file, the picture.
pub(super) fn picture(studio: &Studio, asked: PictureRequest, has_left: HasLeft<'_>) -> Answer {
    let drawn = if is_picture_file(Path::new(&asked.id)) {
        let path = studio.root.path(&asked.id)?;
        picture_file(&path, ensure_side(asked.size.unwrap_or(128), LARGEST)?)?
    } else {
        page::picture(&mut Files { studio, has_left }, &asked)?
    };
    Ok(pixels(&drawn, asked.raw == 1))
}

/// `/api/maps`: what every unit draws, in unit order, as squares of one picture.
pub(super) fn maps(studio: &Studio, asked: PictureRequest, has_left: HasLeft<'_>) -> Answer {
    let atlas = page::maps(&mut Files { studio, has_left }, &asked)?;
    Ok(with_number(pixels(&atlas.picture, asked.raw == 1), "x-columns", atlas.columns))
}

/// `/api/matched`: how far a link's weight must move, down and up, for equal effects on the picture.
pub(super) fn matched(studio: &Studio, asked: LinkRequest, has_left: HasLeft<'_>) -> Answer {
    json_of(&page::matched(&mut Files { studio, has_left }, &asked)?)
}

/// `/api/ranked`: weights that can change the picture, by how far they must move for it.
pub(super) fn ranked(studio: &Studio, asked: NetworkRequest, has_left: HasLeft<'_>) -> Answer {
    json_of(&page::ranked(&mut Files { studio, has_left }, &asked)?)
}

/// `/api/genome`: the genome of a file or a run, to be saved.
pub(super) fn genome(studio: &Studio, asked: PictureRequest) -> Answer {
    let (genome, name) = page::genome(&mut Files::of(studio), &asked)?;
    Ok(genome_file(&genome, &name))
}

/// A genome as a file to be saved.
pub(super) fn genome_file(genome: &Genome, name: &str) -> axum::response::Response {
    let json = of_bytes("application/json", to_json(genome).into_bytes());
    attachment(json, &format!("{name}.json"))
}
