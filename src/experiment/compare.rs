//! The main job: one genome's evolved network against networks trained on its picture.
//!
//! Arms: the evolved network; its dense layered twin trained from random weights; the evolved
//! wiring retrained from random weights, as raw graph and layered; the dense twin pruned by
//! similarity (SP) and by magnitude to the same count, then trained on. Each is scored on the same
//! perturbation effect by the same judge.

use super::pruning::{PrunePlan, PruneRunError, prune_run};
use super::run::{
    LoadedRun, RunError, Target, TrainJob, Wiring, load_run, resolve_wiring, train_run,
};
use crate::genome::{Genome, GenomeInfo};
use crate::math::SimRng;
use crate::network::kernel::{FeatureMaps, Perturber, feature_maps, picture};
use crate::network::{Coords, Mask, Network, Picture, PixelInputs, Weights, layerize};
use crate::probe::{Delta, Selection, sweep};
use crate::prune::{Method, Retrain, Rule, alive};
use crate::score::{CompositionalScore, Fit, Judge, JudgeError, Judged, score};
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
    let layered = layerize(genome);
    let (graph, _, evolved_graph) = resolve_wiring(genome, Wiring::Graph);
    let target = Target {
        name: name.to_string(),
        picture: picture(&graph, &evolved_graph, config.size, coords),
    };
    let mut record = CompareRecord {
        format: "picloom-compare/1".into(),
        version: env!("CARGO_PKG_VERSION").into(),
        genome: name.to_string(),
        made_by: genome.provenance.made_by.clone(),
        info: GenomeInfo::of(genome),
        arch: layered.arch().to_string(),
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
    let evolved_mask = Mask::non_zero(&layered.weights);
    let scene = Scene { config, judge, target: &target.picture, coords };
    let (arm, view) = scene.look(
        "evolved",
        None,
        (&layered.network, &evolved_mask, &layered.weights),
        None,
        Vec::new(),
    )?;
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
                        "sp" => (Method::Sp {}, Rule::Threshold(config.sp_threshold)),
                        _ => (Method::Magnitude {}, Rule::Budget(sp_kept)),
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
                    let (network, mask, _) = resolve_wiring(genome, wiring);
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
            let parts = (&run.network, &run.mask, &run.weights);
            let curve = super::run::read_metrics(&folder)?;
            arms.push(scene.look(arm, Some(seed), parts, Some(&run), curve)?);
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
        (network, mask, weights): (&Network, &Mask, &Weights),
        run: Option<&LoadedRun>,
        curve: Vec<LogLine>,
    ) -> Result<(ArmRecord, ArmView), CompareError> {
        let size = self.config.size;
        let inputs = PixelInputs::full(size, self.coords);
        let perturber = Perturber::new(network, weights, &inputs);
        let selection = self.config.sample.map_or(Selection::All, Selection::Sample);
        let mut rng = SimRng::new(seed.unwrap_or(0), "sweep-sample", 0);
        let links = selection.links(network, weights, &mut rng);
        let delta = Delta::Effect(self.config.effect);
        let swept = sweep(network, weights, &perturber, size, &links, delta, &|_| {});
        let (score, judged) =
            score(network, weights, &perturber, &swept, self.judge, Some(self.target))?;
        let drawn = Picture { width: size, height: size, rgb: perturber.base().to_vec() };

        let scored: Vec<&Judged> = judged.iter().filter(|j| j.verdict.is_some()).collect();
        let mut scratch = perturber.scratch();
        let shown = scored.len().min(SHOWN);
        let perturbed = (0..shown)
            .map(|k| {
                let j = scored[k * scored.len() / shown];
                let mut picture = Picture::filled(size, size, [0.0; 3]);
                let value = f64::from(weights.0[j.perturbation.link]) + j.perturbation.delta;
                perturber.with_weight(
                    &mut scratch,
                    j.perturbation.link,
                    value as f32,
                    &mut picture.rgb,
                );
                (j.clone(), picture)
            })
            .collect();
        let record = ArmRecord {
            arm: arm.to_string(),
            seed,
            run_id: run.map(|r| r.result.run_id.clone()),
            links: network.weight_count(),
            // A pruned run's mask holds the living links only; the rule's count is in its config.
            kept: run.and_then(|r| r.config.pruned.as_ref()).map_or(mask.kept(), |p| p.kept),
            alive: alive(network, mask).kept(),
            fit: Fit::of(&drawn, self.target),
            train: run.map(|r| r.result.train.clone()),
            score,
        };
        let view = ArmView {
            arm: arm.to_string(),
            drawn,
            network: network.clone(),
            mask: mask.clone(),
            weights: weights.clone(),
            maps: feature_maps(network, weights, &inputs),
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
