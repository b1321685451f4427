//! The network that a command works on: a run folder, a genome, or an arch with parameters.

use super::names::one_of;
use super::output::Output;
use crate::base::refusal::Refusal;
use crate::experiment::target_spec;
use crate::genome;
use crate::network::weight_files::fer_arch;
use crate::network::{Arch, Coords, Model, Squaring, Wiring};
use crate::run::{LoadOptions, NetworkPath, Source, is_genome};
use crate::score::Protocol;
use clap::Args;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Wrong use of the command line that clap cannot see; ends with exit code 2.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Usage(pub String);

/// Where the network is that a command works on.
#[derive(Args)]
#[command(next_help_heading = "The network")]
pub(super) struct NetworkArgs {
    /// Folder of a finished run or of FER (arch.pkl, params.pkl), or a genome as behind --genome
    #[arg(value_name = "RUN|GENOME")]
    pub run: Option<PathBuf>,
    /// Genome file (.json, .zip, .xml), or a genome that comes with the program, with its evolved weights
    #[arg(long, conflicts_with = "run")]
    pub genome: Option<PathBuf>,
    /// How a genome is wired [default: graph]
    #[arg(long, conflicts_with = "arch", value_parser = one_of::<Wiring>())]
    pub wiring: Option<Wiring>,
    /// Arch string of a layered network, e.g. "12;cache:15,gaussian:4,identity:2,sin:1"
    #[arg(long, conflicts_with_all = ["run", "genome"], requires = "params")]
    pub arch: Option<Arch>,
    /// Weights of --arch (.npz, .safetensors, or one vector as .npy or .pkl)
    #[arg(long, requires = "arch", conflicts_with_all = ["run", "genome"])]
    pub params: Option<PathBuf>,
    /// Values of the factors of a conditional network, Z1,Z2,…, each in [-1, 1] [default: a run's first condition, else 0; export keeps the factors]
    #[arg(long, value_name = "Z", value_delimiter = ',', value_parser = factor)]
    pub at: Option<Vec<f64>>,
    /// Coordinate convention [default: that of the run, else fer]
    #[arg(long, value_parser = one_of::<Coords>())]
    pub coords: Option<Coords>,
}

/// Shared arguments of the commands that look at one network and its picture.
#[derive(Args)]
#[command(next_help_heading = "The network")]
pub(super) struct SourceArgs {
    #[command(flatten)]
    pub network: NetworkArgs,
    /// Picture or genome that the network should draw (a run knows its own)
    #[arg(long, value_name = "IMG|GENOME")]
    pub target: Option<PathBuf>,
    #[arg(long, requires = "target", help = fit_help(), value_parser = one_of::<Squaring>())]
    pub fit: Option<Squaring>,
    /// Side of the picture in pixels (default: that of the run, else 128)
    #[arg(long)]
    pub size: Option<usize>,
}

/// The help of `--fit`.
pub(super) fn fit_help() -> String {
    format!("What becomes of a picture that is not square: {}", Squaring::CHOICES)
}

/// Refuses sizes that make no picture.
pub(super) fn check_size(size: usize) -> anyhow::Result<usize> {
    target_spec::check_size(size).map_err(|refusal| Usage(format!("--{refusal}")))?;
    Ok(size)
}

impl NetworkArgs {
    /// How a genome is wired.
    pub(super) fn wiring(&self) -> Wiring {
        self.wiring.unwrap_or(Wiring::Graph)
    }

    /// Loads the network, without a target.
    pub(super) fn load(&self) -> anyhow::Result<Source> {
        let at = self.at.as_deref();
        self.load_with(LoadOptions { coords: self.coords, at, ..LoadOptions::default() })
    }

    /// The same with the factors of a conditional network, unless `--at` says under which values.
    pub(super) fn load_whole(&self) -> anyhow::Result<Source> {
        let (at, whole) = (self.at.as_deref(), self.at.is_none());
        self.load_with(LoadOptions { coords: self.coords, at, whole, ..LoadOptions::default() })
    }

    fn load_with(&self, wanted: LoadOptions<'_>) -> anyhow::Result<Source> {
        let fer = self.run.as_deref().map(fer_arch).transpose()?.flatten();
        let params =
            self.run.as_ref().map_or_else(PathBuf::new, |folder| folder.join("params.pkl"));
        let kept = match (&self.run, &self.genome, &self.arch, &self.params) {
            (Some(_), None, None, _) if fer.is_some() => {
                NetworkPath::Weights(fer.as_ref().expect("asked above"), &params)
            }
            (Some(path), None, None, _) if is_genome(path) => {
                NetworkPath::Genome(path, self.wiring())
            }
            (Some(folder), None, None, _) if self.wiring.is_some() => {
                let found = format!("the run {}", folder.display());
                return Err(Refusal::new("--wiring", "a genome", found).into());
            }
            (Some(folder), None, None, _) => NetworkPath::Run(folder),
            (None, Some(path), None, _) => NetworkPath::Genome(path, self.wiring()),
            (None, None, Some(arch), Some(params)) => NetworkPath::Weights(arch, params),
            _ => {
                let expected =
                    "expected one of: a RUN folder, a GENOME, or --arch A with --params X";
                return Err(Usage(format!("{expected}; found none")).into());
            }
        };
        Ok(Source::load(kept, wanted)?)
    }
}

fn factor(text: &str) -> Result<f64, String> {
    let number = text.trim().parse().ok().filter(|z: &f64| (-1.0..=1.0).contains(z));
    number.ok_or_else(|| format!("expected a number in [-1, 1], found {text:?}"))
}

impl SourceArgs {
    /// Loads the network and its target.
    pub(super) fn load(&self) -> anyhow::Result<Source> {
        self.loaded(false)
    }

    /// The same; a run may be unfinished.
    pub(super) fn load_so_far(&self) -> anyhow::Result<Source> {
        self.loaded(true)
    }

    fn loaded(&self, so_far: bool) -> anyhow::Result<Source> {
        self.size.map(check_size).transpose()?;
        let (target, coords) = (self.target.as_deref(), self.network.coords);
        let at = self.network.at.as_deref();
        let (size, fit) = (self.size, self.fit);
        let wanted = LoadOptions { size, coords, target, fit, at, so_far, whole: false };
        self.network.load_with(wanted)
    }
}

/// Says of each Picbreeder file among the arguments that it holds several genomes, and which is taken.
pub(super) fn tell_series(arguments: &[OsString], out: &Output) {
    let words = arguments.iter().skip(1).filter_map(|word| word.to_str());
    let paths = words.map(|word| Path::new(word.rsplit_once('=').map_or(word, |(_, path)| path)));
    let is_picbreeder = |path: &&Path| {
        path.extension().is_some_and(|end| end == "xml" || end == "zip") && path.is_file()
    };
    for path in paths.filter(is_picbreeder) {
        let genome = genome::read(path).ok();
        if let Some(series) = genome.as_ref().and_then(|genome| genome.provenance.series()) {
            let path = path.display();
            out.note(&format!(
                "{path}: the last genome of a series is taken, {series}; {path}#1 is the first"
            ));
        }
    }
}

/// The links that `--samples` chooses; numbers that are none are wrong use.
pub(super) fn chosen_links(protocol: &Protocol, model: &Model) -> anyhow::Result<Vec<usize>> {
    Ok(protocol.samples.links(model, protocol.seed)?)
}
