//! A training study as its TOML file says it, and the runs that follow from it.
//!
//! In: `experiments/NAME.toml` with `kind = "training"`. Out: a [`TrainingStudy`]: every run with its
//! resolved config, in the order target, wiring, grid, optimizer, learning rate, seed. Two grids that
//! ask for the same run get it once.

use picloom::experiment::spec::{
    Places, Spec, SpecError, SpecFile, TargetSpec, check_name, check_names, check_seeds, check_size,
};
use picloom::math::refusal::Refusal;
use picloom::network::{Coords, Mask, Model, Wiring, read_genome};
use picloom::run::{RunConfig, RunError, Target, TrainJob, load_target};
use picloom::train::{GradientRule, OptimizerConfig, Schedule, TrainConfig};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use toml::de::{DeTable, DeValue};

/// A training study. Paths are relative to the folder that holds the spec's folder.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrainingSpec {
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
}

fn ten() -> u64 {
    10
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

impl Spec for TrainingSpec {
    const KIND: &'static str = "training";

    /// A profile's seeds, rates and steps replace those of every grid too.
    fn adapt(spec: &mut DeTable<'_>, changes: &DeTable<'_>) {
        let grids = spec.get_mut("grids").map(toml::Spanned::get_mut);
        let Some(DeValue::Array(grids)) = grids else { return };
        for grid in grids.iter_mut() {
            for key in ["seeds", "lrs", "steps"].iter().filter(|key| changes.contains_key(**key)) {
                if let DeValue::Table(grid) = grid.get_mut() {
                    grid.remove(*key);
                }
            }
        }
    }

    fn check(&self) -> Result<(), Refusal> {
        check_name("name", &self.name)?;
        let some = !self.targets.is_empty() && !self.grids.is_empty() && !self.wirings.is_empty();
        let found = [self.targets.len(), self.wirings.len(), self.grids.len()];
        let keys = "targets, wirings, grids";
        Refusal::unless(some, keys, "at least one of each", format!("{found:?}"))?;
        check_names("targets", &self.targets.iter().map(|t| &t.name).collect::<Vec<_>>())?;
        for target in &self.targets {
            target.check()?;
            let fits = target.arch.is_none() || self.wirings == [Wiring::Dense];
            let key = format!("target {}", target.name);
            let expected = "wirings = [\"dense\"] for a target with an arch";
            Refusal::unless(fits, key, expected, format!("{:?}", self.wirings))?;
        }
        for grid in &self.grids {
            let key = format!("grid {}", grid.name);
            Refusal::unless(!grid.optimizers.is_empty(), key, "an optimizer", "none")?;
            numbers(&grid.name, grid.lrs.as_deref(), grid.seeds.as_deref(), grid.steps)?;
        }
        numbers("study", Some(&self.lrs), Some(&self.seeds), Some(self.steps))?;
        check_size(self.size)?;
        Refusal::unless(self.log_every > 0, "log_every", "at least 1", "0")
    }
}

/// Verifies the numbers of a grid.
fn numbers(
    part: &str,
    lrs: Option<&[f64]>,
    seeds: Option<&[u64]>,
    steps: Option<u64>,
) -> Result<(), Refusal> {
    let key = |name: &str| format!("{part}, {name}");
    let lrs = lrs.unwrap_or(&[1.0]);
    let rates = !lrs.is_empty() && lrs.iter().all(|lr| lr.is_finite() && *lr > 0.0);
    let expected = "finite numbers > 0, at least one";
    Refusal::unless(rates, key("lrs"), expected, format!("{lrs:?}"))?;
    seeds.map_or(Ok(()), |seeds| check_seeds(key("seeds"), seeds))?;
    Refusal::unless(steps != Some(0), key("steps"), "at least 1", "0")
}

/// One run of a study.
#[derive(Clone, Debug)]
pub struct Run {
    /// Its learning rate; none for L-BFGS, which has none.
    pub lr: Option<f64>,
    /// Its seed.
    pub seed: u64,
    pub(super) of: Arc<RunsOf>,
}

/// What runs that differ in rate and seed have in common.
#[derive(Debug)]
pub(super) struct RunsOf {
    pub(super) target: String,
    pub(super) wiring: Wiring,
    pub(super) base: Arc<TrainJob>,
    /// Their training but for rate and seed.
    train: TrainConfig,
}

impl Serialize for Run {
    /// As its config, which says all.
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.config().serialize(to)
    }
}

impl Run {
    /// The resolved config.
    pub fn config(&self) -> RunConfig {
        let schedule = self.lr.map_or_else(Schedule::default, Schedule::constant);
        let train = TrainConfig { seed: self.seed, schedule, ..self.of.train.clone() };
        RunConfig { train, ..self.of.base.config.clone() }
    }

    /// Its optimizer.
    pub fn optimizer(&self) -> &OptimizerConfig {
        &self.of.train.optimizer
    }

    /// The id, a hash of the config: the name of its folder.
    pub fn run_id(&self) -> String {
        self.config().run_id()
    }

    /// The run, ready to be trained.
    pub fn job(&self) -> TrainJob {
        TrainJob { config: self.config(), ..(*self.of.base).clone() }
    }

    /// For people: `face dense muon:steps=20 lr 0.001 seed 2`.
    pub fn label(&self) -> String {
        let lr = self.lr.map_or(String::new(), |lr| format!(" lr {lr}"));
        let (target, wiring) = (&self.of.target, &self.of.base.config.arm);
        format!("{target} {wiring} {}{lr} seed {}", self.optimizer(), self.seed)
    }
}

/// Every run of a study in one profile.
#[derive(Clone, Debug)]
pub struct TrainingStudy {
    /// What the spec says.
    pub spec: TrainingSpec,
    /// Name of the profile.
    pub profile: String,
    /// The runs, in order, no id twice.
    pub runs: Vec<Run>,
}

impl TrainingStudy {
    /// Resolves the spec at `path` in a profile; `None` is `standard`, the spec's own numbers.
    ///
    /// # Errors
    /// The spec is not valid, has no such profile, or names files that cannot be loaded.
    pub fn read(path: &Path, profile: Option<&str>) -> Result<Self, SpecError> {
        Self::of(&SpecFile::read(path)?, profile)
    }

    /// The same of a spec that is read.
    ///
    /// # Errors
    /// As there.
    pub fn of(file: &SpecFile<'_>, profile: Option<&str>) -> Result<Self, SpecError> {
        let (spec, profile): (TrainingSpec, String) = file.spec(profile)?;
        let path = file.path();
        let places = Places::of(path);
        let (mut runs, mut seen) = (Vec::new(), BTreeSet::new());
        for target in &spec.targets {
            for &wiring in &spec.wirings {
                let base = base_job(&places, target, wiring, spec.size).map_err(|source| {
                    SpecError::Target {
                        path: path.to_path_buf(),
                        target: target.name.clone(),
                        source: Box::new(source),
                    }
                })?;
                for run in spec.runs(target, wiring, &Arc::new(base)) {
                    if seen.insert(run.run_id()) {
                        runs.push(run);
                    }
                }
            }
        }
        Ok(TrainingStudy { profile, runs, spec })
    }
}

impl TrainingSpec {
    /// The runs of one target and wiring.
    fn runs(&self, target: &TargetSpec, wiring: Wiring, base: &Arc<TrainJob>) -> Vec<Run> {
        let mut runs = Vec::new();
        for grid in &self.grids {
            for optimizer in &grid.optimizers {
                let lrs: Vec<Option<f64>> = match optimizer {
                    OptimizerConfig::Lbfgs(_) => vec![None],
                    _ => grid.lrs.as_ref().unwrap_or(&self.lrs).iter().copied().map(Some).collect(),
                };
                let of = Arc::new(RunsOf {
                    target: target.name.clone(),
                    wiring,
                    base: Arc::clone(base),
                    train: TrainConfig {
                        steps: grid.steps.unwrap_or(self.steps),
                        gradient: self.gradient,
                        log_every: self.log_every,
                        optimizer: optimizer.clone(),
                        ..TrainConfig::default()
                    },
                });
                let seeds = grid.seeds.as_ref().unwrap_or(&self.seeds);
                for &lr in &lrs {
                    runs.extend(seeds.iter().map(|&seed| Run { lr, seed, of: Arc::clone(&of) }));
                }
            }
        }
        runs
    }
}

/// Network, mask and picture of a target. The config names the target as the spec does, so that its
/// hash does not depend on where the repository stands.
fn base_job(
    places: &Places,
    target: &TargetSpec,
    wiring: Wiring,
    size: usize,
) -> Result<TrainJob, RunError> {
    let coords = Coords::default();
    let drawn = target.drawn();
    let picture = load_target(&places.file(drawn), size, coords, target.fit)?.picture;
    let (wired, genome) = match (&target.genome, &target.arch) {
        (Some(path), _) => {
            let genome = read_genome(&places.file(path), wiring)?;
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
