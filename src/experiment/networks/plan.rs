//! A networks study resolved: every chain with what it needs.

use super::super::run::{RunError, Target, load_target};
use super::super::spec::{SpecError, root_of};
use super::spec::{ArmSpec, ArmWiring, BASE, NetworksSpec, Profile, TargetSpec, VariantSpec};
use crate::experiment::depth::{DepthModel, find_record, png_ratio};
use crate::experiment::spec::STANDARD;
use crate::experiment::workers::Cell;
use crate::genome::{self, Genome};
use crate::math::hash::{hex, short_id};
use crate::network::{Arch, Coords, Layered, layerize};
use crate::train::{Schedule, TrainConfig};
use serde::Serialize;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A networks study in one profile.
#[derive(Clone, Debug)]
pub struct NetworksPlan {
    /// The study, with the profile's numbers in place of its own.
    pub spec: NetworksSpec,
    /// Name of the profile.
    pub profile: String,
    /// The chains, in the order target, variant, depth, seed.
    pub chains: Vec<Chain>,
    /// Names of the targets left out for want of an archive.
    pub left_out: Vec<String>,
    /// True if depths were predicted, false if the study to predict them from had no network that
    /// learned its picture; none if they are the spec's.
    pub predicted: Option<bool>,
    /// PNG bytes / raw bytes of every target.
    pub png_ratio: BTreeMap<String, f64>,
}

/// Arms that hang together: those of one target, way of training, depth and seed.
#[derive(Clone, Debug)]
pub struct Chain {
    /// What decides it; its hash is its id.
    pub key: ChainKey,
    /// The picture and the networks' source.
    pub source: Arc<Source>,
}

/// What decides a chain.
#[derive(Clone, Debug, Serialize)]
pub struct ChainKey {
    /// The study.
    pub study: String,
    /// Its target.
    pub target: TargetSpec,
    /// SHA-256 of the target's float pixels and of the genome.
    pub sha256: String,
    /// Hidden layers more than the reference's.
    pub offset: i64,
    /// L of its layered networks.
    pub layers: usize,
    /// Seed; none for the evolved network.
    pub seed: Option<u64>,
    /// The way of training.
    pub variant: VariantSpec,
    /// Its arms.
    pub arms: Vec<ArmSpec>,
    /// Recipe of every training.
    pub train: TrainConfig,
    /// Side of the pictures.
    pub size: usize,
    /// Weights perturbed.
    pub sample: Option<usize>,
    /// Effect of a perturbation.
    pub effect: f64,
    /// Arms of which pictures are kept.
    pub show: Vec<String>,
    /// Arms of which maps are kept.
    pub show_maps: Vec<String>,
}

/// A target with the networks that can be made for it.
#[derive(Debug)]
pub struct Source {
    /// The picture.
    pub target: Target,
    /// The genome and its layered network.
    pub evolved: Option<(Genome, Layered)>,
    /// Arch at offset 0.
    pub arch: Arch,
}

impl Chain {
    /// The first 16 hex digits of the SHA-256 of what decides it, and of the judge.
    pub fn id(&self, judge: &str) -> String {
        let json = serde_json::to_string(&(judge, &self.key)).expect("a key is plain data");
        short_id(json)
    }

    /// Links of its layered network.
    pub fn arch(&self) -> Arch {
        Arch { layers: self.key.layers, ..self.source.arch.clone() }
    }
}

impl Cell for Chain {
    fn label(&self) -> String {
        let key = &self.key;
        let variant = match key.variant.name.as_str() {
            BASE => String::new(),
            name => format!(" {name}"),
        };
        let seed = key.seed.map_or(String::new(), |s| format!(" seed {s}"));
        format!("{}{variant} depth {}{seed}", key.target.name, key.layers)
    }

    fn cost(&self) -> f64 {
        let links = self.arch().dense_params() as f64;
        let trainings: f64 = self
            .key
            .arms
            .iter()
            .map(|arm| match arm.wiring {
                Some(ArmWiring::Evolved) => 0.1,
                Some(_) => 1.0,
                None => 0.6 * (arm.rounds * arm.levels.len()) as f64,
            })
            .sum();
        // Links, and a fixed part a pixel.
        trainings * (links + 500.0)
    }
}

impl NetworksPlan {
    /// Resolves the spec at `path` in a profile; `None` is `standard`, the spec's own numbers.
    /// Records of other studies are looked for under `runs`, then under `figures/`.
    ///
    /// # Errors
    /// The spec is not valid, has no such profile, or names files that cannot be loaded.
    pub fn read(path: &Path, profile: Option<&str>, runs: &Path) -> Result<Self, SpecError> {
        let mut spec = NetworksSpec::read(path)?;
        let name = profile.unwrap_or(STANDARD);
        let value = |key: &str, expected: String, found: String| SpecError::Value {
            path: path.to_path_buf(),
            key: key.into(),
            expected,
            found,
        };
        let changes = match spec.profiles.remove(name) {
            Some(changes) => changes,
            None if name == STANDARD => Profile::default(),
            None => {
                let known: Vec<_> = spec.profiles.keys().map(String::as_str).collect();
                let expected = format!("{STANDARD} or one of {}", known.join(", "));
                return Err(value("profile", expected, format!("{name:?}")));
            }
        };
        change(&mut spec, changes);
        let root = root_of(path);
        let model = match &spec.depth_from {
            None => None,
            Some(study) => {
                let record = find_record(study, runs, &root).map_err(|e| {
                    let expected = format!("a finished study {study} to predict depths from");
                    value("depth_from", expected, e)
                })?;
                // No network of that study learned its picture: every arch keeps its own depth.
                DepthModel::of_record(&record).ok()
            }
        };
        let mut plan = NetworksPlan {
            profile: name.into(),
            predicted: spec.depth_from.as_ref().map(|_| model.is_some()),
            chains: Vec::new(),
            left_out: Vec::new(),
            png_ratio: BTreeMap::new(),
            spec,
        };
        for target in plan.spec.targets.clone() {
            let Some(mut source) = load(&root, &target, plan.spec.size).map_err(|source| {
                SpecError::Target { path: path.to_path_buf(), target: target.name.clone(), source }
            })?
            else {
                plan.left_out.push(target.name.clone());
                continue;
            };
            let ratio = png_ratio(&source.target.picture);
            plan.png_ratio.insert(target.name.clone(), ratio);
            if let (Some(model), None) = (&model, &source.evolved) {
                source.arch.layers = model.layers(ratio);
            }
            plan.add(&target, Arc::new(source));
        }
        Ok(plan)
    }

    /// The chains of one target.
    fn add(&mut self, target: &TargetSpec, source: Arc<Source>) {
        let spec = &self.spec;
        let (is_evolved, trained): (Vec<_>, Vec<_>) =
            spec.arms.iter().cloned().partition(|arm| arm.wiring == Some(ArmWiring::Evolved));
        let mut chains = Vec::new();
        let first_seed = spec.seeds.first().copied();
        let mut chain =
            |variant: &VariantSpec, offset: i64, seed: Option<u64>, arms: Vec<ArmSpec>| {
                let layers = source.arch.layers as i64 + offset;
                if arms.is_empty() || layers < 1 {
                    return;
                }
                let shown = (seed.is_none() || seed == first_seed)
                    && variant.name == BASE
                    && !is_archived(target)
                    && spec.show.offsets.as_ref().is_none_or(|o| o.contains(&offset));
                let key = ChainKey {
                    study: spec.name.clone(),
                    target: target.clone(),
                    sha256: source.sha256(),
                    offset,
                    layers: layers as usize,
                    seed,
                    variant: variant.clone(),
                    train: train_config(spec, variant, &source, seed.unwrap_or(0)),
                    arms,
                    size: spec.size,
                    sample: spec.sample,
                    effect: spec.effect,
                    show: kept(shown, &spec.show.arms),
                    show_maps: kept(shown, &spec.show.maps),
                };
                chains.push(Chain { key, source: Arc::clone(&source) });
            };
        if source.evolved.is_some() {
            chain(&spec.variants[0], 0, None, is_evolved.clone());
        }
        for variant in &spec.variants {
            for &offset in &spec.offsets {
                if variant.offsets.as_ref().is_some_and(|o| !o.contains(&offset)) {
                    continue;
                }
                let possible = |arm: &ArmSpec| {
                    let by_genome =
                        matches!(arm.wiring, Some(ArmWiring::Graph | ArmWiring::Layerized));
                    (!by_genome || (offset == 0 && source.evolved.is_some()))
                        && arm.offsets.as_ref().is_none_or(|o| o.contains(&offset))
                        && arm.variants.as_ref().is_none_or(|v| v.contains(&variant.name))
                        && (source.evolved.is_some() && offset == 0
                            || !matches!(arm.method, Some(crate::prune::Method::Evolved(_))))
                };
                let arms: Vec<ArmSpec> = trained.iter().filter(|a| possible(a)).cloned().collect();
                for &seed in &spec.seeds {
                    chain(variant, offset, Some(seed), arms.clone());
                }
            }
        }
        self.chains.extend(chains);
    }
}

fn kept(shown: bool, names: &[String]) -> Vec<String> {
    if shown { names.to_vec() } else { Vec::new() }
}

/// Puts a profile's numbers in place of the study's.
fn change(spec: &mut NetworksSpec, changes: Profile) {
    spec.size = changes.size.unwrap_or(spec.size);
    spec.steps = changes.steps.unwrap_or(spec.steps);
    if let Some(seeds) = changes.seeds {
        spec.seeds = seeds;
    }
    spec.sample = changes.sample.or(spec.sample);
    spec.target_r2 = changes.target_r2.or(spec.target_r2);
    if let Some(offsets) = changes.offsets {
        spec.offsets = offsets;
    }
    if let Some(names) = changes.targets {
        spec.targets.retain(|t| names.contains(&t.name));
    }
    if let Some(names) = changes.variants {
        spec.variants.retain(|v| names.contains(&v.name));
    }
    spec.log_every = spec.log_every.min(spec.steps.div_ceil(20)).max(1);
    // Retraining budgets shrink with a profile's steps.
    for arm in &mut spec.arms {
        arm.steps = arm.steps.map(|s| s.min(spec.steps));
    }
}

/// FER's recipe with a variant's changes.
fn train_config(
    spec: &NetworksSpec,
    variant: &VariantSpec,
    source: &Source,
    seed: u64,
) -> TrainConfig {
    let picture = &source.target.picture;
    let share = |share: f64, of: usize| ((share * of as f64).round() as usize).max(1);
    let subsample = variant.subsample.map(|s| share(s, picture.pixels()));
    let seen = subsample.unwrap_or(picture.pixels());
    let mut train = TrainConfig {
        steps: spec.steps,
        seed,
        log_every: spec.log_every,
        target_loss: spec.target_r2.map(|r2| (1.0 - r2) * picture.variance()),
        subsample,
        batch: variant.batch.map(|s| share(s, seen)),
        ..TrainConfig::default()
    };
    if let Some(text) = &variant.optimizer {
        train.optimizer = text.parse().expect("verified: an optimizer");
    }
    train.gradient = variant.gradient.unwrap_or(train.gradient);
    train.schedule = Schedule {
        lr: variant.lr.unwrap_or(train.schedule.lr),
        shape: variant.schedule.unwrap_or_default(),
        warm_up: variant.warm_up.unwrap_or(0),
        floor: variant.floor.unwrap_or(0.0),
    };
    train.init.scheme = variant.init.unwrap_or(train.init.scheme);
    train.init.scale = variant.init_scale.unwrap_or(train.init.scale);
    train
}

impl Source {
    fn sha256(&self) -> String {
        let mut hash = Sha256::new();
        for value in &self.target.picture.rgb {
            hash.update(value.to_le_bytes());
        }
        if let Some((genome, _)) = &self.evolved {
            hash.update(genome::to_json(genome));
        }
        hex(&hash.finalize())
    }
}

const ARCHIVE: &str = "archive:";

fn is_archived(target: &TargetSpec) -> bool {
    let paths = [&target.picture, &target.genome];
    paths.into_iter().flatten().any(|path| path.to_string_lossy().starts_with(ARCHIVE))
}

/// The source of a target; none if it is in an archive that is not there.
fn load(root: &Path, target: &TargetSpec, size: usize) -> Result<Option<Source>, RunError> {
    let coords = Coords::default();
    let resolve = |path: &PathBuf| -> Option<PathBuf> {
        match path.to_string_lossy().strip_prefix(ARCHIVE) {
            Some(rest) => std::env::var_os("PICLOOM_ARCHIVE").map(|a| Path::new(&a).join(rest)),
            None => Some(root.join(path)),
        }
    };
    let drawn = target.picture.as_ref().or(target.genome.as_ref());
    let drawn = drawn.expect("verified: a picture or a genome");
    let Some(path) = resolve(drawn) else {
        return Ok(None);
    };
    let picture = load_target(&path, size, coords)?.picture;
    let (evolved, arch) = match (&target.genome, &target.arch) {
        (Some(path), _) => {
            let Some(path) = resolve(path) else {
                return Ok(None);
            };
            let genome = genome::read(&path)?;
            let layered = layerize(&genome);
            let arch = layered.arch().clone();
            (Some((genome, layered)), arch)
        }
        (None, arch) => (None, arch.clone().expect("verified: an arch")),
    };
    Ok(Some(Source {
        target: Target { name: drawn.display().to_string(), picture },
        evolved,
        arch,
    }))
}
