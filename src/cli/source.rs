//! The network that a command works on: a run folder, a genome, or an arch with parameters.

use crate::experiment::{Wiring, load_run, load_target, resolve_wiring};
use crate::genome;
use crate::network::weight_files::read_weights;
use crate::network::{Arch, Coords, Mask, Network, Picture, Weights};
use clap::Args;
use std::path::{Path, PathBuf};

/// Wrong use of the command line that clap cannot see; ends with exit code 2.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Usage(pub String);

/// Shared arguments of the commands that look at one network.
#[derive(Args)]
pub struct SourceArgs {
    /// Folder of a finished run
    pub run: Option<PathBuf>,
    /// Genome file (.json, .zip, .xml), with its evolved weights
    #[arg(long, conflicts_with = "run")]
    pub genome: Option<PathBuf>,
    /// How the genome is wired: graph, layerized or dense
    #[arg(long, requires = "genome", default_value = "graph")]
    pub wiring: Wiring,
    /// Arch string of a layered network, e.g. "12;cache:15,gaussian:4,identity:2,sin:1"
    #[arg(long, conflicts_with_all = ["run", "genome"], requires = "params")]
    pub arch: Option<Arch>,
    /// Weights of --arch (.npz or .safetensors)
    #[arg(long, requires = "arch")]
    pub params: Option<PathBuf>,
    /// Picture or genome that the network should draw (a run knows its own)
    #[arg(long, value_name = "IMG|GENOME")]
    pub target: Option<PathBuf>,
    /// Side of the picture in pixels (default: that of the run, else 128)
    #[arg(long)]
    pub size: Option<usize>,
    /// Coordinate convention: fer or picbreeder
    #[arg(long)]
    pub coords: Option<Coords>,
}

/// A network ready to be looked at.
pub struct Source {
    /// Name for people.
    pub name: String,
    /// The network.
    pub network: Network,
    /// Links that may be non-zero.
    pub mask: Mask,
    /// Its weights.
    pub weights: Weights,
    /// What it should draw, at `size`².
    pub target: Option<Picture>,
    /// Side of the picture.
    pub size: usize,
    /// Coordinate convention.
    pub coords: Coords,
}

/// The largest picture side that is drawn.
pub const LARGEST_SIZE: usize = 4096;

/// Refuses sizes that make no picture.
pub fn check_size(size: usize) -> anyhow::Result<usize> {
    if !(2..=LARGEST_SIZE).contains(&size) {
        return Err(
            Usage(format!("--size: expected 2 to {LARGEST_SIZE} pixels, found {size}")).into()
        );
    }
    Ok(size)
}

impl SourceArgs {
    /// Loads the network and its target.
    pub fn load(&self) -> anyhow::Result<Source> {
        let mut source = match (&self.run, &self.genome, &self.arch) {
            (Some(folder), None, None) => self.of_run(folder)?,
            (None, Some(path), None) => self.of_genome(path)?,
            (None, None, Some(arch)) => self.of_arch(arch)?,
            _ => {
                let expected =
                    "expected one of: a RUN folder, --genome G, or --arch A with --params X";
                return Err(Usage(format!("{expected}; found none")).into());
            }
        };
        if let Some(path) = &self.target {
            source.target = Some(load_target(path, source.size, source.coords)?.picture);
        }
        Ok(source)
    }

    fn of_run(&self, folder: &Path) -> anyhow::Result<Source> {
        let run = load_run(folder)?;
        let size = check_size(self.size.unwrap_or(run.config.size))?;
        let coords = self.coords.unwrap_or(run.config.coords);
        let target = match &self.target {
            Some(_) => None,
            None if coords != run.config.coords => None,
            None => Some(run.target.resized(size)),
        };
        Ok(Source {
            name: folder.display().to_string(),
            network: run.network,
            mask: run.mask,
            weights: run.weights,
            target,
            size,
            coords,
        })
    }

    fn of_genome(&self, path: &Path) -> anyhow::Result<Source> {
        let genome = genome::read(path)?;
        let (network, mask, weights) = resolve_wiring(&genome, self.wiring);
        let name = path.display().to_string();
        self.plain(name, network, mask, weights)
    }

    fn of_arch(&self, arch: &Arch) -> anyhow::Result<Source> {
        let network = arch.network();
        let params = self.params.as_ref().expect("clap requires --params with --arch");
        let weights = read_weights(params, &network)?;
        let mask = Mask::non_zero(&weights);
        self.plain(params.display().to_string(), network, mask, weights)
    }

    fn plain(
        &self,
        name: String,
        network: Network,
        mask: Mask,
        weights: Weights,
    ) -> anyhow::Result<Source> {
        let size = check_size(self.size.unwrap_or(128))?;
        let coords = self.coords.unwrap_or_default();
        Ok(Source { name, network, mask, weights, target: None, size, coords })
    }
}
