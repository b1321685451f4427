//! The main job: one genome's evolved network against networks trained on its picture.
//!
//! Arms: the evolved network; its dense layered twin trained from random weights; the evolved
//! wiring retrained from random weights, as raw graph and layered; the dense twin pruned by
//! similarity (SP) and by magnitude to the same count, then trained on. Each is scored on the same
//! perturbation effect by the same judge.

use super::pruning::{PruneRunError, prune_run};
use super::run::{LoadedRun, RunError, Target, TrainJob, load_run, train_run};
use crate::genome::{Genome, GenomeInfo};
use crate::network::kernel::FeatureMaps;
use crate::network::{Coords, Mask, Model, Network, Picture, Weights, Wiring};
use crate::probe::{Delta, Selection, View};
use crate::prune::method::{Magnitude, Sp};
use crate::prune::{Method, PrunePlan, Retrain, Rule};
use crate::score::{CompositionalScore, Fit, Judge, JudgeError, Judged, Protocol};
use crate::train::{LogLine, StopReason, TrainConfig, TrainObserver, TrainReport, TrainState};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// How much work a comparison does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Profile {
    /// 64², one seed, minutes.
    Quick,
    /// 128², three seeds.
    Standard,
    /// 256², FER's 100 000 steps, five seeds.
    Paper,
}

impl std::str::FromStr for Profile {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "quick" => Ok(Profile::Quick),
            "standard" => Ok(Profile::Standard),
            "paper" => Ok(Profile::Paper),
            _ => Err(format!("expected profile quick, standard or paper, found {text:?}")),
        }
    }
}

/// Settings of a comparison.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CompareConfig {
    /// The profile these came from.
    pub profile: Profile,
    /// Side of the picture in pixels.
    pub size: usize,
    /// Seeds of every trained arm.
    pub seeds: Vec<u64>,
    /// Optimizer steps of each training and each retraining.
    pub steps: u64,
    /// Weights perturbed in each network, sampled within layers; `None`: all.
    pub sample: Option<usize>,
    /// Threshold on |cos| of the first SP round \[ours\].
    pub sp_threshold: f64,
    /// Wanted effect of a perturbation, RMSE.
    pub effect: f64,
}

impl CompareConfig {
    /// The settings of a profile.
    pub fn of(profile: Profile) -> Self {
        let (size, seeds, steps, sample) = match profile {
            Profile::Quick => (64, 1, 40_000, Some(200)),
            Profile::Standard => (128, 3, 20_000, Some(400)),
            Profile::Paper => (256, 5, 100_000, None),
        };
        let seeds = (0..seeds).collect();
        CompareConfig { profile, size, seeds, steps, sample, sp_threshold: 0.35, effect: 0.18 }
    }

    fn train(&self, seed: u64) -> TrainConfig {
        TrainConfig { steps: self.steps, seed, ..TrainConfig::default() }
    }
}

/// One network of the comparison.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ArmRecord {
    /// `evolved`, `dense`, `graph`, `layerized`, `sp` or `magnitude`.
    pub arm: String,
    /// Seed of the training; none for the evolved network.
    pub seed: Option<u64>,
    /// Id of its run; none for the evolved network.
    pub run_id: Option<String>,
    /// Links of the topology, W.
    pub links: usize,
    /// Links that may be non-zero.
    pub kept: usize,
    /// Kept links on a path from an input to an output.
    pub alive: usize,
    /// Fit to the picture.
    pub fit: Fit,
    /// How training ended; none for the evolved network.
    pub train: Option<TrainReport>,
    /// The compositional score.
    pub score: CompositionalScore,
}

/// `record.json` of a comparison. Equal configs give equal bytes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CompareRecord {
    /// `picloom-compare/1`.
    pub format: String,
    /// Version of this crate.
    pub version: String,
    /// The genome's name or path.
    pub genome: String,
    /// How the genome was made.
    pub made_by: String,
    /// Its counts.
    pub info: GenomeInfo,
    /// Arch of its layered twin.
    pub arch: String,
    /// The settings.
    pub config: CompareConfig,
    /// The arms: evolved first, then by arm and seed.
    pub arms: Vec<ArmRecord>,
}

/// What is shown of one arm (of its first seed).
#[derive(Clone, Debug)]
pub struct ArmView {
    /// The arm's key.
    pub arm: String,
    /// What it draws.
    pub drawn: Picture,
    /// Its wiring.
    pub network: Network,
    /// Links that may be non-zero.
    pub mask: Mask,
    /// Its weights.
    pub weights: Weights,
    /// (U, P) feature maps at the size of the picture.
    pub maps: FeatureMaps,
    /// Some perturbed pictures with their verdicts, spread over the layers.
    pub perturbed: Vec<(Judged, Picture)>,
    /// Logged losses of training.
    pub curve: Vec<LogLine>,
}

/// Everything a report of the comparison is drawn from.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// The numbers.
    pub record: CompareRecord,
    /// The picture to draw.
    pub target: Picture,
    /// One view an arm, in the order of the record.
    pub views: Vec<ArmView>,
}

/// Told what a comparison is doing.
pub trait CompareObserver {
    /// A part begins: `part` of `parts`, in words.
    fn part(&mut self, _part: usize, _parts: usize, _what: &str) {}
    /// After every training step. Returns false to interrupt.
    fn step(&mut self, _state: &TrainState, _steps: u64) -> bool {
        true
    }
}

/// Watches nothing.
impl CompareObserver for () {}

/// Why a comparison ended early.
#[derive(Debug, thiserror::Error)]
pub enum CompareError {
    /// Somebody asked to stop; the same command goes on from the checkpoint.
    #[error("interrupted: the same command goes on from here")]
    Interrupted,
    /// A run failed.
    #[error(transparent)]
    Run(#[from] RunError),
    /// The judge gave no answer.
    #[error(transparent)]
    Judge(#[from] JudgeError),
    /// Pruning failed.
    #[error(transparent)]
    Prune(#[from] PruneRunError),
}

/// Pictures of perturbations shown for each arm.
const SHOWN: usize = 24;

/// Runs the comparison; its trainings are run folders under `runs`, finished ones are not
/// computed again and unfinished ones go on.
///
/// # Errors
/// A folder cannot be written or holds another run; interruption.
pub fn compare(
    genome: &Genome,
    name: &str,
    config: &CompareConfig,
    judge: &dyn Judge,
    runs: &Path,
    observer: &mut dyn CompareObserver,
) -> Result<Comparison, CompareError> {
    let coords = Coords::Fer;
    let evolved = Model::of_genome(genome, Wiring::Layerized);
    let target = Target {
        name: name.to_string(),
        picture: Model::of_genome(genome, Wiring::Graph).picture(config.size, coords),
    };
    let mut record = CompareRecord {
        format: "picloom-compare/1".into(),
        version: env!("CARGO_PKG_VERSION").into(),
        genome: name.to_string(),
        made_by: genome.provenance.made_by.clone(),
        info: GenomeInfo::of(genome),
        arch: evolved.network.arch.as_ref().map(ToString::to_string).unwrap_or_default(),
        config: config.clone(),
        arms: Vec::new(),
    };
    let mut views = Vec::new();
    let parts = 1 + 5 * config.seeds.len();
    let mut part = 0;
    let mut begin = |observer: &mut dyn CompareObserver, what: String| {
        part += 1;
        observer.part(part, parts, &what);
    };

    begin(observer, "scoring the evolved network".into());
    let scene = Scene { config, judge, target: &target.picture, coords };
    let (arm, view) = scene.look("evolved", None, &evolved, None, Vec::new())?;
    record.arms.push(arm);
    views.push(view);

    let mut arms: Vec<(ArmRecord, ArmView)> = Vec::new();
    for &seed in &config.seeds {
        let mut sp_kept = 0;
        let mut dense: Option<LoadedRun> = None;
        for arm in ["dense", "graph", "layerized", "sp", "magnitude"] {
            begin(observer, format!("{arm}, seed {seed}"));
            let folder = runs.join(format!("{arm}-{seed}"));
            let mut watch = Watch { observer, steps: config.steps };
            let stop = match arm {
                "sp" | "magnitude" => {
                    let parent = dense.as_ref().expect("the dense arm comes first");
                    let (method, rule) = match arm {
                        "sp" => (Method::Sp(Sp {}), Rule::Threshold(config.sp_threshold)),
                        _ => (Method::Magnitude(Magnitude {}), Rule::Budget(sp_kept)),
                    };
                    let plan = PrunePlan {
                        method,
                        rules: vec![rule],
                        retrain: Retrain::Finetune,
                        train: config.train(seed),
                        evolved: None,
                    };
                    let (result, rounds) = prune_run(parent, &plan, &folder, true, &mut watch)?;
                    if arm == "sp" {
                        sp_kept = rounds[0].kept;
                    }
                    result.train.stop
                }
                _ => {
                    let wiring: Wiring = arm.parse().expect("these arms are wirings");
                    let Model { network, mask, .. } = Model::of_genome(genome, wiring);
                    let kept = (wiring == Wiring::Graph).then_some(genome);
                    let train = config.train(seed);
                    let job =
                        TrainJob::new(arm, &target, coords, (network, mask), None, kept, train);
                    train_run(&folder, job, true, &mut watch)?.train.stop
                }
            };
            if stop == StopReason::Interrupted {
                return Err(CompareError::Interrupted);
            }
            let run = load_run(&folder)?;
            let curve = super::run::read_metrics(&folder)?;
            arms.push(scene.look(arm, Some(seed), &run.model, Some(&run), curve)?);
            if arm == "dense" {
                dense = Some(run);
            }
        }
    }
    for arm in ["dense", "graph", "layerized", "sp", "magnitude"] {
        let first = config.seeds.first().copied();
        for (record_, view) in arms.iter().filter(|(r, _)| r.arm == arm) {
            record.arms.push(record_.clone());
            if record_.seed == first {
                views.push(view.clone());
            }
        }
    }
    Ok(Comparison { record, target: target.picture, views })
}

/// What every arm is looked at with.
struct Scene<'a> {
    config: &'a CompareConfig,
    judge: &'a dyn Judge,
    target: &'a Picture,
    coords: Coords,
}

impl Scene<'_> {
    fn look(
        &self,
        arm: &str,
        seed: Option<u64>,
        model: &Model,
        run: Option<&LoadedRun>,
        curve: Vec<LogLine>,
    ) -> Result<(ArmRecord, ArmView), CompareError> {
        let view = View::new(model, self.config.size, self.coords);
        let protocol = Protocol {
            selection: self.config.sample.map_or(Selection::All, Selection::Sample),
            delta: Delta::Effect(self.config.effect),
            seed: seed.unwrap_or(0),
        };
        let found = protocol.measure(&view, self.judge, Some(self.target))?;
        let mut painter = view.painter();
        let perturbed = found
            .shown(SHOWN)
            .into_iter()
            .map(|j| (j.clone(), painter.draw(j.perturbation).clone()))
            .collect();
        let record = ArmRecord {
            arm: arm.to_string(),
            seed,
            run_id: run.map(|r| r.result.run_id.clone()),
            links: found.links,
            // A pruned run's mask holds the living links only; the rule's count is in its config.
            kept: run.and_then(|r| r.config.pruned.as_ref()).map_or(found.kept, |p| p.kept),
            alive: found.alive,
            fit: Fit::of(view.picture(), self.target),
            train: run.map(|r| r.result.train.clone()),
            score: found.score,
        };
        let Model { network, mask, weights } = model.clone();
        let view = ArmView {
            arm: arm.to_string(),
            drawn: view.picture().clone(),
            network,
            mask,
            weights,
            maps: view.maps(),
            perturbed,
            curve,
        };
        Ok((record, view))
    }
}

struct Watch<'a> {
    observer: &'a mut dyn CompareObserver,
    steps: u64,
}

impl TrainObserver for Watch<'_> {
    fn step_done(&mut self, state: &TrainState) -> bool {
        self.observer.step(state, self.steps)
    }
}
