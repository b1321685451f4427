//! A training study as its TOML file says it, and the runs that follow from it.
//!
//! In: `experiments/NAME.toml` with `kind = "training"`. Out: a [`Plan`]: every run with its resolved
//! config, in the order target, wiring, grid, optimizer, learning rate, seed. Two grids that ask for
//! the same run get it once.

use super::run::{RunConfig, RunError, Target, TrainJob, load_target};
use crate::genome;
use crate::network::{Arch, Coords, Mask, Model, Wiring};
use crate::train::{GradientRule, OptimizerConfig, Schedule, TrainConfig};
use serde::{Deserialize, Deserializer, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A training study. Paths are relative to the folder that holds the spec's folder.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spec {
    /// Always `training`.
    pub kind: String,
    /// Name of the study: its folder under `runs/` and `figures/`.
    pub name: String,
    /// What is asked, in one sentence.
    pub question: String,
    /// Decision rules by claim, written before the runs.
    #[serde(default)]
    pub rules: BTreeMap<String, String>,
    /// Side of the pictures in pixels, 2 to 4096.
    pub size: usize,
    /// Optimizer steps of every run, ≥ 1.
    pub steps: u64,
    /// Seeds of every grid: initial weights are the same wherever wiring and seed are.
    pub seeds: Vec<u64>,
    /// Learning rates of every grid, > 0.
    pub lrs: Vec<f64>,
    /// Steps between logged losses, ≥ 1. Default 10.
    #[serde(default = "ten")]
    pub log_every: u64,
    /// What is done to the gradient. Default: FER's, divided by its norm.
    #[serde(default)]
    pub gradient: GradientRule,
    /// How each target's genome is wired; a target with an `arch` is dense only.
    pub wirings: Vec<Wiring>,
    /// What is drawn by what.
    pub targets: Vec<TargetSpec>,
    /// The grids.
    pub grids: Vec<Grid>,
    /// Other sizes of the same study, by name.
    #[serde(default)]
    pub profiles: BTreeMap<String, Profile>,
}

fn ten() -> u64 {
    10
}

/// A picture to draw and the network that is to draw it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TargetSpec {
    /// Its name in records and figures.
    pub name: String,
    /// Picture file, or a genome rendered in float. Default: the genome.
    pub picture: Option<PathBuf>,
    /// Genome whose wiring is trained; this or `arch`.
    pub genome: Option<PathBuf>,
    /// Arch of the dense network instead of a genome.
    pub arch: Option<Arch>,
}

/// Optimizers × learning rates × seeds.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Grid {
    /// Its name, for people.
    pub name: String,
    /// Optimizers as text: `adam`, `muon:steps=20`.
    #[serde(deserialize_with = "optimizers")]
    pub optimizers: Vec<OptimizerConfig>,
    /// Instead of the study's.
    pub lrs: Option<Vec<f64>>,
    /// Instead of the study's.
    pub seeds: Option<Vec<u64>>,
    /// Instead of the study's.
    pub steps: Option<u64>,
}

fn optimizers<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<OptimizerConfig>, D::Error> {
    let texts = Vec::<String>::deserialize(from)?;
    let parsed = texts.iter().map(|text| text.parse());
    parsed.collect::<Result<_, _>>().map_err(serde::de::Error::custom)
}

/// What a profile changes. Its seeds, rates and steps replace those of every grid too.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Profile {
    /// Instead of the study's.
    pub size: Option<usize>,
    /// Instead of the study's.
    pub steps: Option<u64>,
    /// Instead of the study's.
    pub seeds: Option<Vec<u64>>,
    /// Instead of the study's.
    pub lrs: Option<Vec<f64>>,
    /// Instead of the study's.
    pub log_every: Option<u64>,
    /// Names of the targets kept. Default: all.
    pub targets: Option<Vec<String>>,
}

/// The profile that is the spec's own numbers.
pub const STANDARD: &str = "standard";

/// Why a spec cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SpecError {
    /// The file cannot be read.
    #[error("{path}: cannot read: {source}")]
    Read {
        /// The spec.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A study of another kind.
    #[error("{path}: expected kind = \"{expected}\", found {found}")]
    Kind {
        /// The spec.
        path: PathBuf,
        /// The kind asked for.
        expected: &'static str,
        /// Its kind.
        found: String,
    },
    /// Not TOML, unknown keys, values of the wrong type.
    #[error("{path}: expected a study, found: {problem}")]
    Toml {
        /// The spec.
        path: PathBuf,
        /// What is wrong, with its place.
        problem: String,
    },
    /// A value outside its range.
    #[error("{path}: {key}: expected {expected}, found {found}")]
    Value {
        /// The spec.
        path: PathBuf,
        /// Which key.
        key: String,
        /// What it may be.
        expected: String,
        /// What it is.
        found: String,
    },
    /// A target or genome cannot be loaded.
    #[error("{path}: target {target}: {source}")]
    Target {
        /// The spec.
        path: PathBuf,
        /// Name of the target.
        target: String,
        /// Why.
        source: RunError,
    },
}

/// The kind of study in this spec: its `kind`, or none for an older kind with a program of its own.
///
/// # Errors
/// The file cannot be read, or is no TOML.
pub fn kind(path: &Path) -> Result<Option<String>, SpecError> {
    let table: toml::Table = parse(path, &read(path)?)?;
    Ok(table.get("kind").map(|kind| match kind.as_str() {
        Some(text) => text.to_string(),
        None => kind.to_string(),
    }))
}

pub(super) fn read(path: &Path) -> Result<String, SpecError> {
    std::fs::read_to_string(path)
        .map_err(|source| SpecError::Read { path: path.to_path_buf(), source })
}

pub(super) fn parse<T: serde::de::DeserializeOwned>(
    path: &Path,
    text: &str,
) -> Result<T, SpecError> {
    toml::from_str(text).map_err(|e: toml::de::Error| {
        let line = e.span().map_or(String::new(), |span| {
            let before = &text.as_bytes()[..span.start.min(text.len())];
            format!("line {}: ", 1 + before.iter().filter(|b| **b == b'\n').count())
        });
        SpecError::Toml {
            path: path.to_path_buf(),
            problem: format!("{line}{}", e.message().replace('\n', " ")),
        }
    })
}

impl Spec {
    /// Reads and verifies a spec.
    ///
    /// # Errors
    /// Not readable, of another kind, unknown keys, values outside their range.
    pub fn read(path: &Path) -> Result<Self, SpecError> {
        let found = kind(path)?;
        if found.as_deref() != Some("training") {
            return Err(SpecError::Kind {
                path: path.to_path_buf(),
                expected: "training",
                found: found.map_or("none".into(), |kind| format!("{kind:?}")),
            });
        }
        let spec: Spec = parse(path, &read(path)?)?;
        spec.check(path)?;
        Ok(spec)
    }

    fn check(&self, path: &Path) -> Result<(), SpecError> {
        let fail = |key: &str, expected: &str, found: String| {
            Err(SpecError::Value {
                path: path.to_path_buf(),
                key: key.into(),
                expected: expected.into(),
                found,
            })
        };
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '_';
        if self.name.is_empty() || !self.name.chars().all(plain) {
            let expected = "a folder name of a–z, 0–9, - and _";
            return fail("name", expected, format!("{:?}", self.name));
        }
        if self.targets.is_empty() || self.grids.is_empty() || self.wirings.is_empty() {
            let found = [self.targets.len(), self.wirings.len(), self.grids.len()];
            return fail("targets, wirings, grids", "at least one of each", format!("{found:?}"));
        }
        let names: BTreeSet<_> = self.targets.iter().map(|t| &t.name).collect();
        if names.len() < self.targets.len() {
            return fail("targets", "names of their own", format!("{names:?} twice"));
        }
        for target in &self.targets {
            let key = format!("target {}", target.name);
            if target.genome.is_some() == target.arch.is_some() {
                return fail(&key, "one of genome and arch", "both or none".into());
            }
            if target.arch.is_some() && target.picture.is_none() {
                return fail(&key, "a picture with an arch", "none".into());
            }
            if target.arch.is_some() && self.wirings != [Wiring::Dense] {
                let expected = "wirings = [\"dense\"] for a target with an arch";
                return fail(&key, expected, format!("{:?}", self.wirings));
            }
        }
        for grid in &self.grids {
            if grid.optimizers.is_empty() {
                return fail(&format!("grid {}", grid.name), "an optimizer", "none".into());
            }
            numbers(path, &grid.name, grid.lrs.as_deref(), grid.seeds.as_deref(), grid.steps)?;
        }
        numbers(path, "study", Some(&self.lrs), Some(&self.seeds), Some(self.steps))?;
        for (name, profile) in &self.profiles {
            let part = format!("profile {name}");
            numbers(path, &part, profile.lrs.as_deref(), profile.seeds.as_deref(), profile.steps)?;
            for target in profile.targets.iter().flatten() {
                if !names.contains(target) {
                    return fail(&part, &format!("targets among {names:?}"), target.clone());
                }
            }
            if name == STANDARD {
                return fail(&part, "another name: standard is the study's own", name.clone());
            }
        }
        let sizes = self.profiles.values().filter_map(|p| p.size);
        if let Some(size) = sizes.chain([self.size]).find(|s| !(2..=4096).contains(s)) {
            return fail("size", "2 to 4096 pixels", size.to_string());
        }
        let logs = self.profiles.values().filter_map(|p| p.log_every);
        if logs.chain([self.log_every]).any(|every| every == 0) {
            return fail("log_every", "at least 1", "0".into());
        }
        Ok(())
    }
}

/// Verifies the numbers of a grid.
fn numbers(
    path: &Path,
    part: &str,
    lrs: Option<&[f64]>,
    seeds: Option<&[u64]>,
    steps: Option<u64>,
) -> Result<(), SpecError> {
    let fail = |key: &str, expected: &str, found: String| {
        Err(SpecError::Value {
            path: path.to_path_buf(),
            key: format!("{part}, {key}"),
            expected: expected.into(),
            found,
        })
    };
    if let Some(lrs) = lrs
        && (lrs.is_empty() || lrs.iter().any(|lr| !(lr.is_finite() && *lr > 0.0)))
    {
        return fail("lrs", "finite numbers > 0, at least one", format!("{lrs:?}"));
    }
    if seeds.is_some_and(<[u64]>::is_empty) {
        return fail("seeds", "at least one", "none".into());
    }
    if steps == Some(0) {
        return fail("steps", "at least 1", "0".into());
    }
    Ok(())
}

/// One run of a plan.
#[derive(Clone, Debug)]
pub struct Run {
    /// Name of its target.
    pub target: String,
    /// Its wiring.
    pub wiring: Wiring,
    /// Its optimizer.
    pub optimizer: OptimizerConfig,
    /// Its learning rate; none for L-BFGS, which has none.
    pub lr: Option<f64>,
    /// Its seed.
    pub seed: u64,
    /// The resolved config.
    pub config: RunConfig,
    base: Arc<TrainJob>,
}

impl Run {
    /// The id, a hash of the config: the name of its folder.
    pub fn run_id(&self) -> String {
        self.config.run_id()
    }

    /// The run, ready to be trained.
    pub fn job(&self) -> TrainJob {
        TrainJob { config: self.config.clone(), ..(*self.base).clone() }
    }

    /// For people: `face dense muon:steps=20 lr 0.001 seed 2`.
    pub fn label(&self) -> String {
        let lr = self.lr.map_or(String::new(), |lr| format!(" lr {lr}"));
        let wiring = &self.config.arm;
        format!("{} {wiring} {}{lr} seed {}", self.target, self.optimizer, self.seed)
    }
}

/// Every run of a study in one profile.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The study.
    pub spec: Spec,
    /// Name of the profile.
    pub profile: String,
    /// Side of the pictures in pixels.
    pub size: usize,
    /// The runs, in order, no id twice.
    pub runs: Vec<Run>,
}

impl Plan {
    /// Resolves the spec at `path` in a profile; `None` is `standard`, the spec's own numbers.
    ///
    /// # Errors
    /// The spec is not valid, has no such profile, or names files that cannot be loaded.
    pub fn read(path: &Path, profile: Option<&str>) -> Result<Self, SpecError> {
        let spec = Spec::read(path)?;
        let name = profile.unwrap_or(STANDARD);
        let standard = Profile::default();
        let changes = match spec.profiles.get(name) {
            Some(changes) => changes,
            None if name == STANDARD => &standard,
            None => {
                let known: Vec<_> = spec.profiles.keys().map(String::as_str).collect();
                return Err(SpecError::Value {
                    path: path.to_path_buf(),
                    key: "profile".into(),
                    expected: format!("{STANDARD} or one of {}", known.join(", ")),
                    found: format!("{name:?}"),
                });
            }
        };
        let size = changes.size.unwrap_or(spec.size);
        let root = root_of(path);
        let (mut runs, mut seen) = (Vec::new(), BTreeSet::new());
        let kept = |t: &&TargetSpec| changes.targets.as_ref().is_none_or(|k| k.contains(&t.name));
        for target in spec.targets.iter().filter(kept) {
            for &wiring in &spec.wirings {
                let base =
                    base_job(&root, target, wiring, size).map_err(|source| SpecError::Target {
                        path: path.to_path_buf(),
                        target: target.name.clone(),
                        source,
                    })?;
                for run in spec.cells(changes, target, wiring, &Arc::new(base)) {
                    if seen.insert(run.run_id()) {
                        runs.push(run);
                    }
                }
            }
        }
        Ok(Plan { profile: name.to_string(), size, runs, spec })
    }
}

impl Spec {
    /// The runs of one target and wiring.
    fn cells(
        &self,
        changes: &Profile,
        target: &TargetSpec,
        wiring: Wiring,
        base: &Arc<TrainJob>,
    ) -> Vec<Run> {
        let mut runs = Vec::new();
        for grid in &self.grids {
            let first = |a: Option<&Vec<f64>>, b: Option<&Vec<f64>>| a.or(b).cloned();
            let lrs = first(changes.lrs.as_ref(), grid.lrs.as_ref()).unwrap_or(self.lrs.clone());
            let seeds = changes.seeds.as_ref().or(grid.seeds.as_ref());
            for optimizer in &grid.optimizers {
                let lrs: Vec<Option<f64>> = match optimizer {
                    OptimizerConfig::Lbfgs(_) => vec![None],
                    _ => lrs.iter().copied().map(Some).collect(),
                };
                for &lr in &lrs {
                    for &seed in seeds.unwrap_or(&self.seeds) {
                        let train = TrainConfig {
                            steps: changes.steps.or(grid.steps).unwrap_or(self.steps),
                            seed,
                            gradient: self.gradient,
                            log_every: changes.log_every.unwrap_or(self.log_every),
                            optimizer: optimizer.clone(),
                            schedule: lr.map_or_else(Schedule::default, Schedule::constant),
                            ..TrainConfig::default()
                        };
                        runs.push(Run {
                            target: target.name.clone(),
                            wiring,
                            optimizer: optimizer.clone(),
                            lr,
                            seed,
                            config: RunConfig { train, ..base.config.clone() },
                            base: Arc::clone(base),
                        });
                    }
                }
            }
        }
        runs
    }
}

/// The folder that paths of a spec are relative to: that of its folder.
pub(super) fn root_of(path: &Path) -> PathBuf {
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty());
    match folder.map(|f| (f, f.parent())) {
        None => PathBuf::from(".."),
        Some((_, Some(root))) if !root.as_os_str().is_empty() => root.to_path_buf(),
        Some((f, _)) if f.as_os_str() == "." => PathBuf::from(".."),
        Some(_) => PathBuf::from("."),
    }
}

/// Network, mask and picture of a target. The config names the target as the spec does, so that its
/// hash does not depend on where the repository stands.
fn base_job(
    root: &Path,
    target: &TargetSpec,
    wiring: Wiring,
    size: usize,
) -> Result<TrainJob, RunError> {
    let coords = Coords::default();
    let drawn = target.picture.as_ref().or(target.genome.as_ref());
    let drawn = drawn.expect("verified: a picture or a genome");
    let picture = load_target(&root.join(drawn), size, coords)?.picture;
    let (wired, genome) = match (&target.genome, &target.arch) {
        (Some(path), _) => {
            let genome = genome::read(&root.join(path))?;
            let Model { network, mask, .. } = Model::of_genome(&genome, wiring);
            ((network, mask), (wiring == Wiring::Graph).then_some(genome))
        }
        (None, arch) => {
            let network = arch.as_ref().expect("verified: an arch").network();
            let mask = Mask::all(network.weight_count());
            ((network, mask), None)
        }
    };
    let target = Target { name: drawn.display().to_string(), picture };
    let train = TrainConfig::default();
    Ok(TrainJob::new(wiring.name(), &target, coords, wired, None, genome.as_ref(), train))
}
