//! The targets of a networks study: in → their files; out → pictures and the networks that can be made for them. A plan
//! keeps some numbers of each, and no picture or network.

use super::arm::ArmSpec;
use super::record::About;
use super::spec::NetworksSpec;
use crate::base::hash::hex;
use crate::base::refusal::Refusal;
use crate::base::text::portable;
use crate::experiment::depth::png_ratio;
use crate::experiment::target_spec::{FamilySpec, TargetSpec};
use crate::genome::{self, Genome, Reader};
use crate::network::family::Family;
use crate::network::{Arch, Coords, Layered, Model, Picture, Wiring, layerize, wirable};
use crate::run::{RunError, Target, load_target};
use crate::score::measures::one_coordinate::one_coordinate;
use crate::study::record::six_digits;
use crate::study::spec::Places;
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

/// A target with the networks that can be made for it.
#[derive(Debug)]
pub struct Source {
    /// The picture.
    pub target: Target,
    /// The genome and its layered network.
    pub evolved: Option<(Genome, Layered)>,
    /// Arch at offset 0.
    pub arch: Arch,
    /// Its relatives' pictures.
    pub relatives: Vec<Picture>,
    /// The picture at the sizes of arms that have one of their own.
    pub sized: BTreeMap<usize, Target>,
}

/// A target as it is planned, without its pictures and networks: those are loaded when a chain needs them.
pub struct Planned {
    /// Arch at offset 0.
    pub arch: Arch,
    /// SHA-256 of its pixels and its genome.
    pub(super) sha256: String,
    /// Pictures of a family that training sees; 0 of one picture.
    pub(super) conditions: usize,
    pub(super) evolved: Option<EvolvedLinks>,
    held: Held,
}

/// Links of a genome and of its layered network.
pub(super) struct EvolvedLinks {
    pub(super) genome: usize,
    pub(super) nonzero: usize,
    pub(super) dense: usize,
}

/// Where the source of a target is.
pub(super) enum Held {
    Memory(Arc<Source>),
    Files(Box<TargetSpec>, Arc<Loader>),
}

impl Planned {
    pub(super) fn of(source: &Source, held: Held) -> Self {
        let links = |(genome, layered): &(Genome, Layered)| EvolvedLinks {
            genome: genome.connections().len(),
            nonzero: layered.nonzero(),
            dense: layered.arch().dense_params(),
        };
        Planned {
            arch: source.arch.clone(),
            sha256: source.sha256(),
            conditions: source.target.conditions().len(),
            evolved: source.evolved.as_ref().map(links),
            held,
        }
    }

    /// Its picture and networks.
    ///
    /// # Errors
    /// Its files cannot be read, or have changed since it was planned.
    pub fn load(&self) -> Result<Arc<Source>, RunError> {
        let (target, loader) = match &self.held {
            Held::Memory(source) => return Ok(Arc::clone(source)),
            Held::Files(target, loader) => (target, loader),
        };
        let mut recent = loader.recent.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, source)) = recent.iter().find(|(name, _)| *name == target.name) {
            return Ok(Arc::clone(source));
        }
        let found = loader.load(target)?.filter(|source| source.sha256() == self.sha256);
        let source = found.ok_or_else(|| {
            let at = format!("target {}", target.name);
            Refusal::new(at, "its files as the study was planned with", "others").as_failure()
        })?;
        let source = Arc::new(Source { arch: self.arch.clone(), ..source });
        if recent.len() == RECENT {
            recent.pop_front();
        }
        recent.push_back((target.name.clone(), Arc::clone(&source)));
        Ok(source)
    }
}

impl Source {
    /// The picture of an arm, at its size.
    pub(super) fn of_arm(&self, arm: &ArmSpec) -> &Target {
        arm.size.and_then(|size| self.sized.get(&size)).unwrap_or(&self.target)
    }

    /// Of a genome.
    pub(crate) fn of(genome: Genome, target: Target) -> Self {
        let layered = layerize(&genome);
        let arch = layered.arch().clone();
        let (relatives, sized) = Default::default();
        Source { target, evolved: Some((genome, layered)), arch, relatives, sized }
    }

    /// Of an arch.
    pub fn of_arch(arch: Arch, target: Target) -> Self {
        let (relatives, sized) = Default::default();
        Source { target, evolved: None, arch, relatives, sized }
    }

    /// Numbers of the target that every row repeats.
    pub(crate) fn about(&self, target: &TargetSpec) -> About {
        let evolved = self.evolved.as_ref();
        About {
            png_ratio: png_ratio(&self.target.picture),
            one_coordinate: self
                .target
                .family
                .is_none()
                .then(|| six_digits(one_coordinate(&self.target.picture))),
            evolved_links: evolved.map(|(_, layered)| layered.nonzero()),
            generations: evolved.and_then(|(genome, _)| genome.provenance.generations),
            family: target.family.as_ref().and_then(|family| family.name),
            support: target.family.as_ref().map(|family| family.support),
        }
    }

    fn sha256(&self) -> String {
        let mut hash = Sha256::new();
        let family = self.target.family.as_ref();
        let held_out = family.map_or(&[][..], |family| &family.held_out.pictures.rgb);
        for value in self.target.trained().rgb.iter().chain(held_out) {
            hash.update(value.to_le_bytes());
        }
        if let Some((genome, _)) = &self.evolved {
            hash.update(genome::to_json(genome));
        }
        let sized = self.sized.values().map(|target| target.trained());
        for value in self.relatives.iter().chain(sized).flat_map(|picture| &picture.rgb) {
            hash.update(value.to_le_bytes());
        }
        hex(&hash.finalize())
    }
}

/// The pictures of a family at a size.
pub(super) fn family_target(family: Family, spec: &FamilySpec, size: usize) -> Target {
    let draw = |z: &[f64]| family.picture(z, size, Coords::default());
    Target::of_family(family.name().into(), spec.conditions(family.factors().len()), draw)
}

/// Sources that are kept for the chains beside one another.
const RECENT: usize = 8;

/// Loads targets from their files.
pub(super) struct Loader {
    places: Places,
    size: usize,
    /// Sizes of arms that have their own.
    sizes: BTreeSet<usize>,
    genomes: Reader,
    /// The last that chains needed, by name.
    recent: Mutex<VecDeque<(String, Arc<Source>)>>,
}

impl Loader {
    pub(super) fn of(places: Places, spec: &NetworksSpec) -> Self {
        let sizes = spec.arms.iter().filter_map(|arm| arm.size).collect();
        let (genomes, recent) = Default::default();
        Loader { places, size: spec.size, sizes, genomes, recent }
    }

    /// The source of a target; `None` if it is in an archive that is not there.
    pub(super) fn load(&self, target: &TargetSpec) -> Result<Option<Source>, RunError> {
        let Some(mut source) = self.at(target, self.size)? else { return Ok(None) };
        for &size in &self.sizes {
            source.sized.extend(self.at(target, size)?.map(|sized| (size, sized.target)));
        }
        Ok(Some(source))
    }

    fn at(&self, target: &TargetSpec, size: usize) -> Result<Option<Source>, RunError> {
        match &target.family {
            Some(family) => self.family(target, family, size),
            None => self.picture(target, size),
        }
    }

    /// A family that code draws, learned by an arch or by the wiring of a genome, or one that a genome draws.
    fn family(
        &self,
        target: &TargetSpec,
        spec: &FamilySpec,
        size: usize,
    ) -> Result<Option<Source>, RunError> {
        let has_memory =
            |factors| spec.ensure_memory(&format!("target {}, family", target.name), factors, size);
        if let (Some(family), Some(arch)) = (spec.name, &target.arch) {
            let factors = family.factors().len();
            has_memory(factors)?;
            let drawn = family_target(family, spec, size);
            let (inputs, arch) = (arch.inputs.clone(), Arch { factors, ..arch.clone() });
            return Ok(Some(Source::of_arch(arch.reading(inputs)?, drawn)));
        }
        let written = target.genome.as_ref().expect("verified: a genome or an arch");
        let Some(path) = self.places.find(written) else { return Ok(None) };
        let read = self.genomes.read(&path).and_then(|g| wirable(g, &path, Wiring::Dense));
        let genome = read.map_err(RunError::Genome)?;
        let factors = genome.factors();
        let (fits, expected) = match spec.name.map(|family| (family.name(), family.factors().len()))
        {
            Some((name, n)) => {
                (factors == n, format!("a genome with {n} factors, as the family {name}"))
            }
            None => (factors > 0, "a genome with factors, inputs z1 …".into()),
        };
        Refusal::unless(fits, path.display(), expected, factors)?;
        has_memory(factors)?;
        let drawn = match spec.name {
            Some(family) => family_target(family, spec, size),
            None => {
                let model = Model::of_genome(&genome, Wiring::Graph);
                let draw = |z: &[f64]| model.at(z).picture(size, Coords::default());
                Target::of_family(portable(written), spec.conditions(factors), draw)
            }
        };
        Ok(Some(Source::of(genome, drawn)))
    }

    /// A picture, or what a genome draws, learned by an arch or by the wiring of a genome; with its relatives.
    fn picture(&self, target: &TargetSpec, size: usize) -> Result<Option<Source>, RunError> {
        let coords = Coords::default();
        let genome = match &target.genome {
            None => None,
            Some(written) => {
                let Some(path) = self.places.find(written) else { return Ok(None) };
                Some((self.genomes.read(&path).map_err(RunError::Genome)?, path))
            }
        };
        let drawn = target.drawn().expect("verified: a picture or a genome");
        let picture = match (&target.picture, &genome) {
            (None, Some((genome, path))) => Target::of_genome(genome, path, size, coords)?.picture,
            _ => {
                let Some(path) = self.places.find(drawn) else { return Ok(None) };
                load_target(&path, size, coords, target.fit)?.picture
            }
        };
        let drawn = Target::of_picture(portable(drawn), picture);
        let mut relatives = Vec::new();
        for relative in &target.relatives {
            let Some(path) = self.places.find(relative) else { return Ok(None) };
            relatives.push(load_target(&path, size, coords, None)?.picture);
        }
        let source = match (genome, &target.arch) {
            (Some((genome, path)), arch) => {
                let genome = wirable(genome, &path, Wiring::Dense).map_err(RunError::Genome)?;
                let source = Source::of(genome, drawn);
                Source { arch: arch.clone().unwrap_or_else(|| source.arch.clone()), ..source }
            }
            (None, arch) => {
                Source::of_arch(arch.clone().expect("verified: a genome or an arch"), drawn)
            }
        };
        Ok(Some(Source { relatives, ..source }))
    }
}
