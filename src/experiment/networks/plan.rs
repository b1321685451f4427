//! A networks study resolved: every chain with what it needs.

use super::arm::{ArmSpec, ArmWiring, Level};
use super::source::{Held, Loader, Planned, Source};
use super::spec::{BASE, NetworksSpec, SHOWN, VariantSpec};
use crate::base::command::look_in;
use crate::base::hash::json_id;
use crate::base::refusal::Refusal;
use crate::experiment::cost;
use crate::experiment::depth::{DepthModel, find_record, png_ratio};
use crate::experiment::target_spec::{TargetSpec, places_of};
use crate::network::{Arch, TrainedWiring};
use crate::prune::Method;
use crate::run::RunError;
use crate::score::measures::command::MeasureChoice;
use crate::score::{JUDGED_AT, Judge, JudgeChoice, Protocol};
use crate::study::analysis::Analysis;
use crate::study::spec::{SpecError, SpecFile};
use crate::train::TrainConfig;
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// A networks study in one profile.
#[derive(Clone)]
pub struct NetworksStudy {
    /// The study, with the profile's numbers in place of its own.
    pub spec: NetworksSpec,
    /// Name of the profile.
    pub profile: String,
    /// The chains, in the order target, variant, depth, seed.
    pub chains: Vec<Chain>,
    /// Targets that are left out, each with the reason.
    pub left_out: Vec<String>,
    /// True if depths were predicted, false if the study to predict them from had no network that
    /// learned its picture; `None` if they are the spec's.
    pub predicted: Option<bool>,
    /// Layer count of the extra chains that give all targets of predicted depth the same
    /// (`constant_depth`).
    pub constant: Option<usize>,
    /// The spec's contrasts and figures.
    pub analysis: Analysis,
    /// PNG bytes / raw bytes of every target.
    pub png_ratio: BTreeMap<String, f64>,
    /// Who judges what weight changes do to a picture.
    pub judge: Arc<dyn Judge>,
    /// Chains worked on at a time, at most.
    pub at_a_time: usize,
    /// The spec in the profile; empty where no file says it.
    pub resolved: toml::Table,
}

/// Chains before a chain that its arms and its recipe may be shared with.
const SHARED: usize = 64;

/// Outputs of every network: hue, saturation and brightness.
const OUTPUTS: usize = 3;

/// Arms that hang together: those of one target, way of training, depth and seed.
#[derive(Clone, Serialize)]
pub struct Chain {
    /// All that decides its outcome, apart from the judge; the hash of both is its id.
    #[serde(flatten)]
    pub key: ChainKey,
    /// Its target.
    #[serde(skip)]
    pub source: Arc<Planned>,
}

/// All that decides the outcome of a chain, apart from the judge.
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
    /// Seed; `None` for the evolved network.
    pub seed: Option<u64>,
    /// The way of training.
    pub variant: VariantSpec,
    /// Its arms.
    #[serde(serialize_with = "shared")]
    pub arms: Arc<Vec<ArmSpec>>,
    /// Recipe of every training.
    #[serde(serialize_with = "shared")]
    pub train: Arc<TrainConfig>,
    /// Side of the pictures.
    pub size: usize,
    /// Side of the pictures that are judged; `None` if it is `size`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub judged_at: Option<usize>,
    /// Weights perturbed.
    pub sample: Option<usize>,
    /// Effect of a perturbation.
    pub effect: f64,
    /// δ of the second score.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fixed_delta: Option<f64>,
    /// Whether what may bias descent is measured.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub mechanisms: bool,
    /// Whether it is measured how networks are organised.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub organisation: bool,
    /// Who takes measures of one's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub measure: Option<MeasureChoice>,
    /// Arms of which pictures are kept.
    pub show: Vec<String>,
    /// Arms of which maps are kept.
    pub show_maps: Vec<String>,
    /// Changed weights of which pictures are kept.
    #[serde(skip_serializing_if = "is_usual")]
    pub show_changes: usize,
}

fn shared<T: Serialize, S: Serializer>(value: &Arc<T>, serializer: S) -> Result<S::Ok, S::Error> {
    value.as_ref().serialize(serializer)
}

/// The value, in the memory of a chain before that has the same.
fn share<'a, T: PartialEq + 'a>(value: T, mut before: impl Iterator<Item = &'a Arc<T>>) -> Arc<T> {
    before.find(|other| ***other == value).map_or_else(|| Arc::new(value), Arc::clone)
}

fn is_usual(changes: &usize) -> bool {
    *changes == SHOWN
}

/// About how long the networks of an arm take, in seconds of one core.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct ArmCost {
    /// Their trainings.
    pub training: f64,
    /// Their scores and other measures.
    pub scoring: f64,
}

impl Chain {
    /// The first 16 hex digits of the SHA-256 of what decides it, and of the judge.
    pub fn id(&self, judge: &str) -> String {
        json_id(&(judge, &self.key))
    }

    /// Links of its layered network.
    pub(crate) fn arch(&self) -> Arch {
        Arch { layers: self.key.layers, ..self.source.arch.clone() }
    }

    /// That of a dense arm: as wide as it asks, with its inputs.
    ///
    /// # Errors
    /// A conditional network's inputs are without the bias.
    pub(super) fn arch_of(&self, arm: &ArmSpec) -> Result<Arch, Refusal> {
        let arch = self.arch().times(arm.width.unwrap_or(1.0));
        let inputs = arm.inputs.clone().unwrap_or_else(|| arch.inputs.clone());
        arch.reading(inputs).map_err(|refusal| refusal.prefixed(&format!("arm {}, ", arm.name)))
    }

    /// Seed of what is drawn: 0 for the evolved network.
    pub(crate) fn seed(&self) -> u64 {
        self.key.seed.unwrap_or(0)
    }

    /// How its networks are measured.
    pub(crate) fn protocol(&self) -> Protocol {
        Protocol::sampled(self.key.sample, self.key.effect, self.seed())
    }

    /// True if the arm of this name is the evolved network.
    pub(super) fn is_evolved(&self, arm: &str) -> bool {
        let is_it = |own: &ArmSpec| own.name == arm && own.wiring == Some(ArmWiring::Evolved);
        self.key.arms.iter().any(is_it)
    }

    /// For people: `moth muon depth 6 seed 1`.
    pub(crate) fn label(&self) -> String {
        let key = &self.key;
        let variant = match key.variant.name.as_str() {
            BASE => String::new(),
            name => format!(" {name}"),
        };
        let seed = key.seed.map_or(String::new(), |s| format!(" seed {s}"));
        format!("{}{variant} depth {}{seed}", key.target.name, key.layers)
    }

    /// About how long it takes, in seconds of one core.
    pub(crate) fn cost(&self) -> f64 {
        let of = |arm: &ArmSpec| self.costs(arm);
        self.key.arms.iter().map(of).map(|arm| arm.training + arm.scoring).sum()
    }

    /// About how long the networks of an arm take.
    pub(super) fn costs(&self, arm: &ArmSpec) -> ArmCost {
        let key = &self.key;
        let links = (self.links(arm.wiring) as f64 * arm.width.unwrap_or(1.0).powi(2)) as usize;
        let pictures = self.source.conditions.max(1) as u64;
        let size = arm.size.unwrap_or(key.size);
        let steps = arm.steps.unwrap_or(key.train.steps) * pictures;
        let trained = |links: usize| {
            let lost = cost::lost_steps(key.layers, &key.train).min(steps as f64);
            cost::training(steps as f64 + lost, links, size)
        };
        // Each level of R², and the end, which is measured twice where δ is fixed too.
        let measured = 1 + key.train.checkpoints.len() + usize::from(key.fixed_delta.is_some());
        let scored = |kept: usize| {
            let weights = key.sample.unwrap_or(kept).min(kept);
            let size = size.max(JUDGED_AT);
            measured as f64 * cost::scoring(weights, kept, size) + cost::measures(kept, size)
        };
        if arm.transform.is_some() || arm.trains_on() {
            let kept = arm.parent(&key.arms).map_or(links, |(parent, level)| {
                let (links, levels) = (self.links(parent.wiring), &parent.levels[..level]);
                levels.iter().fold(links, |left, level| self.kept(level, links, left))
            });
            let training = if arm.trains_on() { trained(kept) } else { 0.0 };
            return ArmCost { training, scoring: scored(kept) };
        }
        match arm.wiring {
            Some(ArmWiring::Evolved) => ArmCost { training: 0.0, scoring: scored(links) },
            Some(_) => {
                let links =
                    || arm.wirings().into_iter().map(|(_, wiring)| self.links(Some(wiring)));
                let factors = self.source.arch.factors;
                let runs = 1 + arm.pretrained_on(&key.target, factors).count();
                let training = links().map(trained).sum::<f64>() * runs as f64;
                ArmCost { training, scoring: links().map(scored).sum() }
            }
            None => {
                let (mut all, mut left) = (ArmCost::default(), links);
                for level in &arm.levels {
                    let kept = self.kept(level, links, left);
                    let once = matches!(level, Level::Threshold(_)).then_some(1);
                    let rounds = arm.rounds.or(once);
                    let rounds = rounds.unwrap_or_else(|| arm.rounds_to(left, kept).len());
                    // Links fall from round to round; a step of few links costs what its pixels do.
                    all.training += rounds as f64 * trained((left + kept) / 2);
                    all.scoring += scored(kept);
                    left = kept;
                }
                all
            }
        }
    }

    /// About how many of `left` links a level leaves, of `links` at first.
    fn kept(&self, level: &Level, links: usize, left: usize) -> usize {
        let kept = match level {
            Level::Share(share) => (share * links as f64) as usize,
            Level::Budget(budget) => *budget,
            Level::Evolved(times) => self.evolved_times(*times),
            // What these leave nobody knows: about a quarter.
            Level::Threshold(_) | Level::Match(_) => left / 4,
        };
        kept.clamp(1, left.max(1))
    }

    /// Refuses to learn other families first where none is left of those that are named, or one is too large.
    fn check_pretraining(&self) -> Result<(), Refusal> {
        let (target, factors) = (&self.key.target, self.source.arch.factors);
        for arm in self.key.arms.iter().filter(|arm| !arm.pretrain.is_empty()) {
            let place = format!("arm {}, pretrain, target {}", arm.name, target.name);
            let expected = format!("a family of {factors} factors that is not its own");
            let mut left = arm.pretrained_on(target, factors).peekable();
            Refusal::unless(left.peek().is_some(), &place, expected, "none")?;
            for (_, family) in left {
                family.ensure_memory(&place, factors, self.key.size)?;
            }
        }
        Ok(())
    }

    /// Refuses a budget of more links than the network has that is pruned, and one that leaves no path to an output.
    fn check_budgets(&self) -> Result<(), Refusal> {
        let arms = &self.key.arms;
        for arm in arms.iter() {
            let mut root = arm;
            while let Some(parent) =
                root.from.as_ref().and_then(|from| arms.iter().find(|other| other.name == *from))
            {
                root = parent;
            }
            // Only of the others it is known beforehand how many links they have.
            if root.wiring != Some(ArmWiring::DENSE) {
                continue;
            }
            let links = self.arch_of(root)?.dense_params();
            // One path through the layers, which parts before the outputs.
            let least = self.arch().layers + OUTPUTS;
            for level in &arm.levels {
                let Level::Budget(budget) = *level else { continue };
                let place = format!("arm {}, levels, target {}", arm.name, self.key.target.name);
                let expected = match budget > links {
                    true => format!("a budget of at most its {links} links"),
                    false => format!("at least {least} links, a path to every output"),
                };
                let fits = (least..=links).contains(&budget);
                Refusal::unless(fits, place, expected, budget)?;
            }
        }
        Ok(())
    }

    /// So many times the links of the evolved network, one at least; all of them where there is none.
    pub(super) fn evolved_times(&self, times: f64) -> usize {
        let evolved = self.links(Some(ArmWiring::Evolved));
        ((evolved as f64 * times).round() as usize).max(1)
    }

    /// Links that a network of this wiring computes with.
    fn links(&self, wiring: Option<ArmWiring>) -> usize {
        let Some(evolved) = &self.source.evolved else {
            return self.arch().dense_params();
        };
        match wiring {
            None | Some(ArmWiring::DENSE) => self.arch().dense_params(),
            Some(ArmWiring::Evolved) => evolved.nonzero,
            Some(ArmWiring::Trained(TrainedWiring::Graph)) => evolved.genome,
            Some(ArmWiring::Trained(wiring)) => {
                wiring.count(evolved.nonzero, evolved.dense).unwrap_or(evolved.dense)
            }
        }
    }
}

impl NetworksStudy {
    /// Resolves the spec at `path` in a profile; `None` is `standard`, the spec's own numbers.
    /// Records of other studies are looked for under `runs`, then under `figures/`.
    ///
    /// # Errors
    /// The spec is not valid, has no such profile, or names files that cannot be loaded.
    pub fn read(path: &Path, profile: Option<&str>, runs: &Path) -> Result<Self, SpecError> {
        Self::of(&SpecFile::read(path)?, profile, runs)
    }

    /// The same of a spec that is read.
    ///
    /// # Errors
    /// As there.
    pub(crate) fn of(
        file: &SpecFile,
        profile: Option<&str>,
        runs: &Path,
    ) -> Result<Self, SpecError> {
        let path = file.path();
        Self::of_with(file, profile, |study| {
            let record = find_record(study, runs, &places_of(path).above).map_err(|found| {
                let expected = format!("a finished study {study} to predict depths from");
                Refusal::new("depth_from", expected, found).in_file(path)
            })?;
            // No network of that study learned its picture: every arch keeps its own depth.
            Ok(DepthModel::of_record(&record).ok())
        })
    }

    /// [`of`](Self::of) before the record is there that depths are predicted from: every arch has
    /// its own.
    ///
    /// # Errors
    /// As there.
    pub(crate) fn of_undecided(file: &SpecFile, profile: Option<&str>) -> Result<Self, SpecError> {
        Self::of_with(file, profile, |_| Ok(None))
    }

    fn of_with(
        file: &SpecFile,
        profile: Option<&str>,
        model_of: impl Fn(&str) -> Result<Option<DepthModel>, SpecError>,
    ) -> Result<Self, SpecError> {
        let (path, (mut spec, profile)) = (file.path(), file.spec::<NetworksSpec>(profile)?);
        let places = places_of(path);
        // Programs that prune or judge lie where the spec's other files do; what they are decides ids.
        places.folders().into_iter().for_each(look_in);
        for arm in &mut spec.arms {
            let found = arm.method.map(Method::found).transpose();
            arm.method = found
                .map_err(|refusal| refusal.within(format!("arm {}", arm.name)).in_file(path))?;
        }
        let model = spec.depth_from.as_deref().map(model_of).transpose()?.flatten();
        let judge = judge(&mut spec, path)?;
        let resolved = file.resolved::<NetworksSpec>(&profile)?;
        let mut study = NetworksStudy { resolved, ..NetworksStudy::new(spec, profile, judge) };
        study.analysis = file.analysis()?;
        study.predicted = study.spec.depth_from.as_ref().map(|_| model.is_some());
        let constant = model.as_ref().filter(|_| study.spec.constant_depth);
        study.constant = constant.map(DepthModel::median);
        let loader = Arc::new(Loader::of(places, &study.spec));
        for target in study.spec.targets.clone() {
            let mut source = match loader.load(&target) {
                Ok(Some(source)) => source,
                Ok(None) => {
                    study.left_out.push(format!("{} (PICLOOM_ARCHIVE is not set)", target.name));
                    continue;
                }
                // One damaged genome does not keep an archive from being read.
                Err(RunError::Genome(Refusal { expected, found, .. })) if target.is_of_many => {
                    let why = format!("expected {expected}, found {found}");
                    study.left_out.push(format!("{} ({why})", target.name));
                    continue;
                }
                Err(error) => return Err(SpecError::of_target(path, &target.name)(error)),
            };
            if let (Some(model), None) = (&model, &source.evolved) {
                source.arch.layers = model.layers(png_ratio(&source.target.picture));
            }
            let held = Held::Files(Box::new(target.clone()), Arc::clone(&loader));
            study.plan(&target, &source, held);
        }
        let check = |chain: &Chain| chain.check_budgets().and(chain.check_pretraining());
        study.chains.iter().try_for_each(check).map_err(|e| e.in_file(path))?;
        let none = study.chains.is_empty() && study.left_out.len() < study.spec.targets.len();
        let offsets = format!("offsets {:?}, which make none", study.spec.offsets);
        let key = "offsets, arms";
        Refusal::unless(!none, key, "at least one network of one hidden layer or more", offsets)
            .map_err(|problem| problem.in_file(path))?;
        Ok(study)
    }

    /// A study without targets. `judge` is the one of the spec.
    pub(crate) fn new(spec: NetworksSpec, profile: String, judge: Box<dyn Judge>) -> Self {
        NetworksStudy {
            spec: spec.resolved(),
            profile,
            chains: Vec::new(),
            left_out: Vec::new(),
            predicted: None,
            constant: None,
            analysis: Analysis::default(),
            png_ratio: BTreeMap::new(),
            judge: Arc::from(judge),
            at_a_time: usize::MAX,
            resolved: toml::Table::new(),
        }
    }

    /// The judge in records and ids: its name where it is the shipped one, else its identity.
    pub fn judged_by(&self) -> String {
        if self.spec.own.judge == JudgeChoice::default() {
            self.judge.name()
        } else {
            self.judge.identity().to_string()
        }
    }

    /// Adds the chains of one target, whose source stays in memory.
    pub fn add(&mut self, target: &TargetSpec, source: Source) {
        let source = Arc::new(source);
        self.plan(target, &source, Held::Memory(Arc::clone(&source)));
    }

    fn plan(&mut self, target: &TargetSpec, source: &Source, held: Held) {
        let ratio = png_ratio(&source.target.picture);
        self.png_ratio.insert(target.name.clone(), ratio);
        let (spec, planned) = (&self.spec, Arc::new(Planned::of(source, held)));
        let (is_evolved, trained): (Vec<_>, Vec<_>) =
            spec.arms.iter().cloned().partition(|arm| spec.is_evolved(arm));
        let mut chains: Vec<Chain> = Vec::new();
        let first_seed = spec.seeds.first().copied();
        let mut chain =
            |variant: &VariantSpec, offset: i64, seed: Option<u64>, arms: Vec<ArmSpec>| {
                // Without a seed it is the evolved network, which has the genome's own layers.
                let own = source.evolved.as_ref().filter(|_| seed.is_none());
                let arch = own.map_or(&source.arch, |(_, layered)| layered.arch());
                let layers = arch.layers as i64 + offset;
                if arms.is_empty() || layers < 1 {
                    return;
                }
                let shown = (seed.is_none() || seed == first_seed)
                    && variant.name == BASE
                    && !target.is_archived()
                    && spec.show.offsets.as_ref().is_none_or(|o| o.contains(&offset));
                let before = || chains.iter().rev().chain(self.chains.iter().rev()).take(SHARED);
                let train = train_config(spec, variant, source, seed.unwrap_or(0));
                let key = ChainKey {
                    study: spec.name.clone(),
                    target: target.portable(),
                    sha256: planned.sha256.clone(),
                    offset,
                    layers: layers as usize,
                    seed,
                    variant: variant.clone(),
                    train: share(train, before().map(|chain| &chain.key.train)),
                    arms: share(arms, before().map(|chain| &chain.key.arms)),
                    size: spec.size,
                    judged_at: Some(JUDGED_AT).filter(|_| spec.size < JUDGED_AT),
                    sample: spec.own.sample,
                    effect: spec.own.effect,
                    fixed_delta: spec.own.fixed_delta,
                    mechanisms: spec.own.mechanisms,
                    organisation: spec.own.organisation,
                    measure: spec.own.measure,
                    show: kept(shown, &spec.show.arms),
                    show_maps: kept(shown, &spec.show.maps),
                    show_changes: if shown { spec.show.changes } else { SHOWN },
                };
                chains.push(Chain { key, source: Arc::clone(&planned) });
            };
        if source.evolved.is_some() {
            let asked =
                |arm: &ArmSpec| arm.targets.as_ref().is_none_or(|t| t.contains(&target.name));
            chain(&spec.variants[0], 0, None, is_evolved.into_iter().filter(asked).collect());
        }
        let mut offsets = spec.offsets.clone();
        if let (Some(layers), None) = (self.constant, &source.evolved) {
            let constant = layers as i64 - source.arch.layers as i64;
            offsets.extend(Some(constant).filter(|c| !spec.offsets.contains(c)));
        }
        for variant in &spec.variants {
            for &offset in &offsets {
                if variant.offsets.as_ref().is_some_and(|o| !o.contains(&offset)) {
                    continue;
                }
                let there = |wiring: Option<ArmWiring>| {
                    match (wiring, &source.evolved) {
                        (Some(ArmWiring::Trained(wiring)), Some((_, layered))) => {
                            // Other depths have other links; a picture's network, only so many.
                            let (evolved, all) = (layered.nonzero(), layered.arch().dense_params());
                            !wiring.needs_genome()
                                || offset == 0 && wiring.count(evolved, all).is_some()
                        }
                        (Some(ArmWiring::Trained(wiring)), None) => !wiring.needs_genome(),
                        _ => true,
                    }
                };
                let possible = |arm: &ArmSpec| {
                    there(arm.wiring)
                        && arm.offsets.as_ref().is_none_or(|o| o.contains(&offset))
                        && arm.variants.as_ref().is_none_or(|v| v.contains(&variant.name))
                        && arm.targets.as_ref().is_none_or(|t| t.contains(&target.name))
                        && (source.evolved.is_some() && offset == 0 || !arm.needs_genome())
                };
                // An arm is made where those are that it comes from.
                let made: Vec<&ArmSpec> = trained.iter().filter(|a| possible(a)).collect();
                // A wiring has the levels for which there are so many links; those of few come first.
                let wired = |arm: &ArmSpec| {
                    let levels = match arm.wiring {
                        Some(_) => arm.wirings().iter().filter(|(_, w)| there(Some(*w))).count(),
                        None => arm.levels.len(),
                    };
                    let levels = arm.levels[..levels.min(arm.levels.len())].to_vec();
                    let there = levels.is_empty() == arm.levels.is_empty();
                    there.then(|| ArmSpec { levels, ..arm.clone() })
                };
                for &seed in &spec.seeds {
                    let of = |arm: &&&ArmSpec| arm.seeds.as_ref().is_none_or(|s| s.contains(&seed));
                    let arms = made.iter().filter(of).filter_map(|arm| wired(arm));
                    let arms = arms.fold(Vec::new(), with_arm);
                    chain(variant, offset, Some(seed), arms);
                }
            }
        }
        self.chains.extend(chains);
    }
}

/// The arms with another, if all that it needs is among them.
fn with_arm(mut arms: Vec<ArmSpec>, arm: ArmSpec) -> Vec<ArmSpec> {
    let matched = arm.levels.iter().filter_map(|level| match level {
        Level::Match(other) => Some(other),
        _ => None,
    });
    let there = |name: &String| arms.iter().any(|made| made.name == *name);
    let has_parent = arm.from.is_none() || arm.parent(&arms).is_some();
    if has_parent && matched.into_iter().all(there) {
        arms.push(arm);
    }
    arms
}

fn kept(shown: bool, names: &[String]) -> Vec<String> {
    if shown { names.to_vec() } else { Vec::new() }
}

/// The judge of the spec at `path`. The spec's measure gets the hash of its program.
pub(in crate::experiment) fn judge(
    spec: &mut NetworksSpec,
    path: &Path,
) -> Result<Box<dyn Judge>, SpecError> {
    let measure = spec.own.measure.map(MeasureChoice::found).transpose();
    spec.own.measure = measure.map_err(|refusal| refusal.in_file(path))?;
    spec.own.judge.build().map_err(|error| {
        let expected = "a judge that can be asked";
        Refusal::new("judge", expected, error.to_string()).in_file(path).into()
    })
}

/// FER's recipe with a variant's changes.
fn train_config(
    spec: &NetworksSpec,
    variant: &VariantSpec,
    source: &Source,
    seed: u64,
) -> TrainConfig {
    let picture = source.target.trained();
    let share = |share: f64, of: usize| ((share * of as f64).round() as usize).max(1);
    let subsample = variant.subsample.map(|s| share(s, picture.pixels()));
    let seen = subsample.unwrap_or(picture.pixels());
    TrainConfig {
        steps: spec.steps,
        seed,
        log_every: spec.own.log_every,
        target_loss: spec.own.target_r2.map(|r2| (1.0 - r2) * picture.variance()),
        subsample,
        batch: variant.batch.map(|s| share(s, seen)),
        ..variant.train.over(&spec.recipe())
    }
}
