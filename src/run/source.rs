//! A network from wherever it is kept: a run folder, a genome, or an arch with a file of weights.

use super::load::under;
use super::{RunConfig, RunError, load_run, load_run_so_far, load_target};
use crate::base::refusal::Refusal;
use crate::base::text::portable;
use crate::genome::{self, Genome, Palette};
use crate::network::{Arch, Coords, Model, Picture, Squaring, Wiring, wirable};
use crate::probe::View;
use crate::score::{Exhibit, Fit};
use crate::train::{StopReason, Unfinished};
use std::path::Path;

/// Where a network is kept.
#[derive(Clone, Copy, Debug)]
pub enum NetworkPath<'a> {
    /// The folder of a finished run.
    Run(&'a Path),
    /// A genome file, with its evolved weights.
    Genome(&'a Path, Wiring),
    /// A file of weights (`.npz` or `.safetensors`) of a layered network.
    Weights(&'a Arch, &'a Path),
}

/// Options that override the network's own files.
#[derive(Clone, Copy, Debug, Default)]
pub struct LoadOptions<'a> {
    /// Side of the picture in pixels. Default: that of the run, else 128.
    pub size: Option<usize>,
    /// Coordinate convention. Default: that of the run, else FER's.
    pub coords: Option<Coords>,
    /// Picture or genome that it should draw. Default: that of the run, else none.
    pub target: Option<&'a Path>,
    /// How to make a picture square; `None` refuses one that is not.
    pub fit: Option<Squaring>,
    /// Values of the factors of a conditional network. Default: a run's first condition, else 0.
    pub at: Option<&'a [f64]>,
    /// Whether a conditional network of a run keeps its factors; its target is then the first picture.
    pub whole: bool,
    /// Whether a run may be unfinished: then as its checkpoint has it.
    pub so_far: bool,
}

/// A network ready to be looked at.
#[derive(Clone, Debug)]
pub struct Source {
    /// Name for people and records: the path, or its last part where it is this machine's alone.
    pub name: String,
    /// The network.
    pub model: Model,
    /// Its target, at `size`².
    pub target: Option<Picture>,
    /// The config of a run.
    pub config: Option<RunConfig>,
    /// Side of the picture in pixels.
    pub size: usize,
    /// Coordinate convention.
    pub coords: Coords,
    /// The genome of the file, or the one whose graph a run trained.
    pub genome: Option<Genome>,
    /// The genome that draws a run's target.
    pub evolved: Option<Genome>,
    /// True if the weights come from a run.
    pub trained: bool,
    /// How well a run drew its target in the end.
    pub fit: Option<Fit>,
    /// Where the training of an unfinished run stands.
    pub unfinished: Option<Unfinished>,
}

/// Side of a picture where nothing says otherwise, in pixels.
pub(crate) const SIZE: usize = 128;

impl Source {
    /// Reads a network and what it should draw.
    ///
    /// A run's own target is left out where another coordinate convention is wanted: it was not
    /// drawn for it.
    ///
    /// # Errors
    /// A file cannot be read, or is not what it should be.
    pub fn load(kept: NetworkPath<'_>, wanted: LoadOptions<'_>) -> Result<Source, RunError> {
        let mut source = match kept {
            NetworkPath::Run(folder) => {
                let run = if wanted.so_far { load_run_so_far(folder)? } else { load_run(folder)? };
                let train = &run.result.train;
                let unfinished = (train.stop == StopReason::Interrupted)
                    .then_some(Unfinished { step: train.steps, steps: run.config.train.steps });
                let size = wanted.size.unwrap_or(run.config.size);
                let coords = wanted.coords.unwrap_or(run.config.coords);
                let own = wanted.target.is_none() && coords == run.config.coords;
                let (model, target) = run.shown_at(wanted.at)?;
                let model = if wanted.whole { run.model.clone() } else { model };
                Source {
                    target: target.filter(|_| own).map(|target| target.resized(size)),
                    size,
                    coords,
                    config: Some(run.config),
                    genome: run.genome,
                    evolved: run.evolved,
                    trained: true,
                    fit: Some(run.result.fit),
                    unfinished,
                    ..Source::plain(folder, model, wanted)
                }
            }
            NetworkPath::Genome(path, wiring) => {
                Source::of_genome(genome::read(path)?, path, wiring, wanted)?
            }
            NetworkPath::Weights(arch, path) => {
                Source::plain(path, Model::read(arch, path)?, wanted)
            }
        };
        if let (Some(z), NetworkPath::Genome(..) | NetworkPath::Weights(..)) = (wanted.at, kept) {
            source.model = under(&source.name, &source.model, z)?;
        }
        if let Some(path) = wanted.target {
            let target = load_target(path, source.size, source.coords, wanted.fit)?;
            // A conditional genome is asked under the same condition.
            let own = target.genome.as_ref().zip(wanted.at);
            let own = own.map(|(genome, z)| (Model::of_genome(genome, Wiring::Graph), z));
            let own = own.filter(|(model, z)| model.network.factors() == z.len());
            let drawn = own.map(|(model, z)| model.at(z).picture(source.size, source.coords));
            source.target = Some(drawn.unwrap_or(target.picture));
        }
        Ok(source)
    }

    /// A genome's network with its evolved weights; `path` is its name for people. No target is read.
    ///
    /// # Errors
    /// As [`wirable`](crate::network::wirable).
    pub(crate) fn of_genome(
        genome: Genome,
        path: &Path,
        wiring: Wiring,
        wanted: LoadOptions<'_>,
    ) -> Result<Source, RunError> {
        let genome = wirable(genome, path, wiring)?;
        let model = Model::of_genome(&genome, wiring);
        Ok(Source { genome: Some(genome), ..Source::plain(path, model, wanted) })
    }

    pub(super) fn plain(path: &Path, model: Model, wanted: LoadOptions<'_>) -> Source {
        Source {
            name: portable(path),
            model,
            target: None,
            config: None,
            size: wanted.size.unwrap_or(SIZE),
            coords: wanted.coords.unwrap_or_default(),
            genome: None,
            evolved: None,
            trained: false,
            fit: None,
            unfinished: None,
        }
    }

    /// Draws it at `size`², a genome in its palette. Training, measures and comparisons use the
    /// model's picture: networks have no palette.
    pub(crate) fn shown(&self, size: usize) -> Picture {
        let mut picture = self.still().picture(size, self.coords);
        self.palette().recolour(&mut picture.rgb);
        picture
    }

    /// The network of one picture: a conditional one where its factors are as a run first saw them, else 0.
    pub(crate) fn still(&self) -> Model {
        let factors = self.model.network.factors();
        let first = self.config.as_ref().and_then(|config| config.conditions.first());
        match factors {
            0 => self.model.clone(),
            _ => self.model.at(first.unwrap_or(&vec![0.0; factors])),
        }
    }

    /// The palette of a genome; every colour for what was trained.
    pub(crate) fn palette(&self) -> Palette {
        let own = self.genome.as_ref().filter(|_| !self.trained);
        own.map_or(Palette::Free, |genome| genome.palette)
    }

    /// A genome's name, else the file or folder name alone, without what only this machine knows.
    pub fn short_name(&self) -> String {
        let path = Path::new(&self.name);
        if let Some(genome) = self.genome.as_ref().filter(|_| !self.trained) {
            return genome.provenance.title(path);
        }
        path.file_name().map_or(self.name.clone(), |n| n.to_string_lossy().into_owned())
    }

    /// Name in a labelled set: the file's without its ending, `evolved_` before it if the weights are a
    /// genome's.
    pub(crate) fn label_name(&self) -> String {
        let stem = Path::new(&self.name).file_stem().unwrap_or_default().to_string_lossy();
        if self.genome.is_some() && !self.trained {
            format!("evolved_{stem}")
        } else {
            stem.into_owned()
        }
    }

    /// The evolved network behind a trained one: that of the genome that draws its target, else of the genome whose graph
    /// it is. Relays count as units: it is layered if the trained one is.
    pub(crate) fn behind(&self) -> Option<Model> {
        let genome = self.evolved.as_ref().or(self.genome.as_ref().filter(|_| self.trained))?;
        let like = match self.model.network.is_layered() {
            true => Wiring::Layerized,
            false => Wiring::Graph,
        };
        Some(Model::of_genome(genome, like))
    }

    /// The model prepared for pictures of this size.
    ///
    /// # Errors
    /// As [`View::fitting`].
    pub fn view(&self) -> Result<View, Refusal> {
        View::fitting(&self.model, self.size, self.coords)
    }

    /// The network as a judge is shown it, with its fit.
    ///
    /// # Errors
    /// As [`Exhibit::fitting`].
    pub(crate) fn exhibit(&self) -> Result<Exhibit, Refusal> {
        Exhibit::fitting(&self.model, self.size, self.coords, self.target.as_ref())
    }
}
