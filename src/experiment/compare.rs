//! The main job: one genome's evolved network against networks trained on its picture.
//!
//! Arms: the evolved network; its dense layered twin trained from random weights; the evolved
//! wiring retrained from random weights, as raw graph and layered; the dense twin pruned by
//! similarity (SP) and by magnitude to the same count, then trained on. Each is scored on the same
//! perturbation effect by the same judge. It is a study of networks (`assets/compare.toml`) whose
//! only target is the genome, with rows of its own: what a report shows of a network.

use super::cells::{CellStudy, run_cells, status, study_folder};
use super::networks::chain::{ArmError, Made, walk};
use super::networks::plan::{Chain, NetworksStudy, Source};
use super::networks::spec::{Level, NetworksSpec};
use super::record::{Record, RecordError, line};
use super::run::{RunError, Target, read_metrics};
use super::spec::read_text;
use super::workers::{Ask, StudyObserver};
use crate::genome::{Genome, GenomeInfo};
use crate::math::names::names;
use crate::network::kernel::FeatureMaps;
use crate::network::{Coords, Mask, Model, Network, Picture, Weights, Wiring};
use crate::probe::View;
use crate::score::judges::BuildJudgeError;
use crate::score::{CompositionalScore, Fit, JudgeChoice, JudgeError, Judged, Measurement};
use crate::train::{LogLine, TrainReport};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::borrow::Cow;
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

names! { Profile, "profile": Quick "quick", Standard "standard", Paper "paper" }

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
    /// Who judges; default, and not written: the embedded judge.
    #[serde(default, skip_serializing_if = "is_default")]
    pub judge: JudgeChoice,
}

fn is_default(judge: &JudgeChoice) -> bool {
    *judge == JudgeChoice::default()
}

/// The embedded spec in a profile.
fn spec(profile: Profile) -> NetworksSpec {
    let (path, text) = ("assets/compare.toml", include_str!("../../assets/compare.toml"));
    let read = read_text(Path::new(path), text, Some(profile.name()));
    read.expect("the embedded spec is sound").0
}

impl CompareConfig {
    /// The settings of a profile.
    pub fn of(profile: Profile) -> Self {
        let NetworksSpec { size, seeds, steps, sample, effect, judge, arms, .. } = spec(profile);
        let level = arms.iter().flat_map(|arm| &arm.levels).find_map(|level| match level {
            Level::Threshold(threshold) => Some(*threshold),
            _ => None,
        });
        let sp_threshold = level.expect("the embedded spec prunes by similarity");
        CompareConfig { profile, size, seeds, steps, sample, sp_threshold, effect, judge }
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

impl Record for CompareRecord {
    const FORMAT: &'static str = "picloom-compare/1";

    const COLUMNS: &'static [&'static str] = &[
        "arm",
        "seed",
        "run_id",
        "links",
        "kept",
        "alive",
        "fit.mse",
        "fit.r2",
        "score.score",
        "score.coherent",
        "score.fractured",
        "score.silent",
    ];

    fn lines(&self) -> Vec<Value> {
        self.arms.iter().map(|arm| line(arm, &[])).collect()
    }

    fn summary(&self) -> String {
        let mut text = format!(
            "{:<10} {:>4} {:>6} {:>8}  score (95 % interval)\n",
            "arm", "seed", "kept", "R²"
        );
        for arm in &self.arms {
            let score = match (arm.score.score, arm.score.interval) {
                (Some(s), Some((low, high))) => format!("{s:.3} ({low:.3} to {high:.3})"),
                _ => "none".into(),
            };
            let unfit = if arm.score.counts { "" } else { "  UNFIT: does not count" };
            let seed = arm.seed.map_or("-".into(), |s| s.to_string());
            text += &format!(
                "{:<10} {seed:>4} {:>6} {:>8.4}  {score}{unfit}\n",
                arm.arm, arm.kept, arm.fit.r2
            );
        }
        text
    }
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
    /// What the genome is called ([title](crate::genome::Provenance::title)).
    pub name: String,
    /// The picture to draw.
    pub target: Picture,
    /// One view an arm, in the order of the record.
    pub views: Vec<ArmView>,
}

/// Why a comparison ended early.
#[derive(Debug, thiserror::Error)]
pub enum CompareError {
    /// Somebody asked to stop; the same command goes on from the checkpoint.
    #[error("interrupted: the same command goes on from here")]
    Interrupted,
    /// A network could not be made or judged.
    #[error("{0}")]
    Arm(String),
    /// The cells' files.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// A run's folder.
    #[error(transparent)]
    Run(#[from] RunError),
    /// The judge cannot be asked.
    #[error(transparent)]
    NoJudge(#[from] BuildJudgeError),
    /// The judge gave no answer.
    #[error(transparent)]
    Judge(#[from] JudgeError),
}

/// Pictures of perturbations shown for each arm.
const SHOWN: usize = 24;

/// Runs the comparison in `folder`; its trainings are run folders under `folder/runs`, finished
/// ones are not computed again and unfinished ones go on.
///
/// # Errors
/// A folder cannot be written or holds another run; interruption.
pub fn compare(
    genome: &Genome,
    name: &str,
    config: &CompareConfig,
    folder: &Path,
    observer: &mut dyn StudyObserver,
) -> Result<Comparison, CompareError> {
    let study = CompareStudy::new(genome, name, config)?;
    let record = run_cells(&study, folder, observer)?.ok_or(CompareError::Interrupted)?;
    if let Some(failed) = status(&study, folder)?.failed.first() {
        return Err(CompareError::Arm(format!("{}: {}", failed.cell, failed.error)));
    }
    let runs = study_folder(&study, folder);
    let (mut views, first) = (Vec::new(), config.seeds.first().copied());
    let shown = |chain: &&Chain| chain.key.seed.is_none() || chain.key.seed == first;
    for chain in study.networks.chains.iter().filter(shown) {
        // Everything is finished: this only loads and looks.
        let going_on = |_: super::workers::News<'_>| true;
        let seen = walk(chain, &runs, Ask::new(&going_on), &mut |made| study.view(chain, made));
        for (_, _, view) in seen.unwrap_or_default() {
            views.push(view.map_err(CompareError::Arm)?);
        }
    }
    let target = study.networks.chains[0].source.target.picture.clone();
    Ok(Comparison { record, name: genome.provenance.title(Path::new(name)), target, views })
}

/// A comparison as a study: the chains of a networks study, with rows of its own.
struct CompareStudy {
    networks: NetworksStudy,
    /// The record, without arms.
    head: CompareRecord,
}

impl CompareStudy {
    fn new(genome: &Genome, name: &str, config: &CompareConfig) -> Result<Self, CompareError> {
        let mut spec = spec(config.profile);
        let log_every = spec.log_every;
        (spec.size, spec.steps, spec.sample) = (config.size, config.steps, config.sample);
        (spec.seeds, spec.effect) = (config.seeds.clone(), config.effect);
        spec.judge = config.judge.clone();
        for level in spec.arms.iter_mut().flat_map(|arm| &mut arm.levels) {
            if let Level::Threshold(threshold) = level {
                *threshold = config.sp_threshold;
            }
        }
        let mut networks =
            NetworksStudy::new(spec, config.profile.name().into(), config.judge.build()?);
        networks.spec.log_every = log_every;
        // One after the other, each with all threads.
        networks.at_a_time = 1;
        let mut target = networks.spec.targets[0].clone();
        target.genome = Some(name.into());
        let picture = Model::of_genome(genome, Wiring::Graph).picture(config.size, Coords::Fer);
        let source = Source::of(genome.clone(), Target { name: name.into(), picture });
        let head = CompareRecord {
            format: CompareRecord::FORMAT.into(),
            version: env!("CARGO_PKG_VERSION").into(),
            genome: name.to_string(),
            made_by: genome.provenance.made_by.clone(),
            info: GenomeInfo::of(genome),
            arch: source.arch.to_string(),
            config: config.clone(),
            arms: Vec::new(),
        };
        networks.add(&target, source);
        Ok(CompareStudy { networks, head })
    }

    fn measure(&self, chain: &Chain, view: &View) -> Result<Measurement, JudgeError> {
        let target = &chain.source.target.picture;
        chain.protocol().measure(view, &*self.networks.judge, Some(target))
    }

    fn row(&self, chain: &Chain, made: &Made<'_>) -> Result<ArmRecord, ArmError> {
        let view = View::new(made.model, chain.key.size, Coords::Fer);
        let found = self.measure(chain, &view)?;
        Ok(ArmRecord {
            arm: made.arm.name.clone(),
            seed: chain.key.seed,
            run_id: made.run.map(|(run, _)| run.result.run_id.clone()),
            links: found.links,
            kept: made.kept,
            alive: found.alive,
            fit: Fit::of(view.picture(), &chain.source.target.picture),
            train: made.run.map(|(run, _)| run.result.train.clone()),
            score: found.score,
        })
    }

    fn view(&self, chain: &Chain, made: &Made<'_>) -> Result<ArmView, ArmError> {
        let view = View::new(made.model, chain.key.size, Coords::Fer);
        let found = self.measure(chain, &view)?;
        let mut painter = view.painter();
        let shown = found.shown(SHOWN).into_iter();
        let perturbed = shown.map(|j| (j.clone(), painter.draw(j.perturbation).clone())).collect();
        let Model { network, mask, weights } = made.model.clone();
        Ok(ArmView {
            arm: made.arm.name.clone(),
            drawn: view.picture().clone(),
            network,
            mask,
            weights,
            maps: view.maps(),
            perturbed,
            curve: match made.run {
                Some((_, folder)) => read_metrics(folder)?,
                None => Vec::new(),
            },
        })
    }
}

impl CellStudy for CompareStudy {
    type Cell = Chain;
    type Outcome = Vec<ArmRecord>;
    type Record = CompareRecord;

    const CELLS: &'static str = "chains";

    fn name(&self) -> &str {
        &self.networks.spec.name
    }

    fn profile(&self) -> &str {
        &self.networks.profile
    }

    fn cells(&self) -> Cow<'_, [Chain]> {
        Cow::Borrowed(&self.networks.chains)
    }

    fn id(&self, chain: &Chain) -> String {
        self.networks.id(chain)
    }

    fn label(&self, chain: &Chain) -> String {
        chain.label()
    }

    fn cost(&self, chain: &Chain) -> f64 {
        chain.cost()
    }

    fn at_a_time(&self) -> usize {
        self.networks.at_a_time
    }

    fn compute(
        &self,
        chain: &Chain,
        folder: &Path,
        ask: Ask<'_>,
    ) -> Result<Option<Vec<ArmRecord>>, String> {
        let Some(made) = walk(chain, folder, ask, &mut |made| self.row(chain, made)) else {
            return Ok(None);
        };
        made.into_iter().map(|(_, _, row)| row).collect::<Result<_, _>>().map(Some)
    }

    /// Evolved first, then by arm and seed. Of a comparison of which an arm failed, what there is.
    fn record(&self, outcomes: Vec<Result<Vec<ArmRecord>, String>>) -> CompareRecord {
        let mut arms: Vec<ArmRecord> = outcomes.into_iter().flatten().flatten().collect();
        let order = &self.networks.spec.arms;
        arms.sort_by_key(|row| order.iter().position(|arm| arm.name == row.arm));
        CompareRecord { arms, ..self.head.clone() }
    }
}
