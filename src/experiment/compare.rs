//! The main job: one genome's evolved network against networks trained on its picture; or, of a picture
//! that no genome draws, the trained networks alone.
//!
//! Arms: the evolved network; its dense layered twin trained from random weights; the evolved
//! wiring retrained from random weights, as raw graph and layered; the dense twin pruned by
//! similarity (SP) and by magnitude to the same count, then trained on. Each is scored on the same
//! perturbation effect by the same judge. It is a study of networks (`assets/compare.toml`) whose
//! only target is the genome, with rows of its own: what a report shows of a network.
//!
//! Of a picture: dense networks of the study's drawings' block and depth, pruned as above; and dense and
//! SP once more at the depth that the picture's compressibility predicts, where that is another.

use super::cells::{CellStudy, run_cells, status, study_folder};
use super::depth::{DepthModel, png_ratio};
use super::networks::chain::{ArmError, Made, walk};
use super::networks::plan::{Chain, NetworksStudy, Source};
use super::networks::spec::{ArmSpec, Level, NetworksSpec};
use super::record::{Record, RecordError};
use super::spec::{Spec, SpecError, TargetSpec, read_text};
use super::workers::{Ask, StudyObserver};
use crate::genome::{Genome, GenomeInfo, ReadGenomeError, to_json};
use crate::math::hash::{sha256_of_floats, short_id};
use crate::math::names::names;
use crate::math::refusal::Refusal;
use crate::network::files::WriteError;
use crate::network::{Arch, Coords, Model, Picture, Squaring, Wiring, read_genome};
use crate::probe::View;
use crate::run::folder::{FolderKind, Marker};
use crate::run::{RunError, Target, is_genome_file, load_target, read_metrics};
use crate::score::judges::BuildJudgeError;
use crate::score::{CompositionalScore, Fit, JudgeChoice, JudgeError, Judged, Measurement};
use crate::train::{LogLine, TrainReport};
use serde::{Deserialize, Serialize};
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
    /// `evolved`, `dense`, `graph`, `layerized`, `sp` or `magnitude`; of a picture also
    /// `dense-predicted` and `sp-predicted`.
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

/// A picture that no genome draws.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PictureRecord {
    /// What became of it, if it is not square.
    pub fit: Option<Squaring>,
    /// PNG bytes / raw bytes.
    pub png_ratio: f64,
    /// Side of the picture whose ratio that is.
    pub ratio_at: usize,
    /// Hidden layers that the ratio predicts.
    pub predicted_layers: usize,
    /// By how many layers such predictions are off on average.
    pub error: Option<f64>,
}

/// Block and depth of the dense networks that draw pictures without a genome: those of the study's
/// own drawings.
const PICTURE_ARCH: &str = "8;cache:8,gaussian:4,identity:2,sin:2";

/// Arms that are made once more at the predicted depth.
const PREDICTED: [&str; 2] = ["dense", "sp"];

/// The record of a comparison. Equal configs give equal bytes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CompareRecord {
    /// `picloom-compare/1`.
    pub format: String,
    /// Version of this crate.
    pub version: String,
    /// The genome's name or path; without a genome, the picture's.
    pub genome: String,
    /// How the genome was made.
    pub made_by: String,
    /// Its counts; none of a picture without a genome.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub info: Option<GenomeInfo>,
    /// The picture, where there is no genome.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub picture: Option<PictureRecord>,
    /// Arch of the layered twin.
    pub arch: String,
    /// The settings.
    pub config: CompareConfig,
    /// The arms: evolved first, then by arm and seed.
    pub arms: Vec<ArmRecord>,
}

impl Record for CompareRecord {
    const FORMAT: &'static str = "picloom-compare/1";

    const LISTS: &'static [&'static str] = &["arms"];

    const COLUMNS: &'static [(&'static str, &'static str)] = &[
        ("arm", "How the network was made."),
        ("name", "Its name."),
        ("links", "W, links of the topology."),
        ("kept", "Links kept."),
        ("alive", "Kept links on a path from an input to an output."),
    ];

    fn summary(&self) -> String {
        let width = self.arms.iter().map(|arm| arm.arm.len()).max().unwrap_or(0).max(10);
        let mut text = format!(
            "{:<width$} {:>4} {:>6} {:>8}  score (95 % interval)\n",
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
                "{:<width$} {seed:>4} {:>6} {:>8.4}  {score}{unfit}\n",
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
    /// Its network, ready to be looked at.
    pub view: View,
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
    /// What the genome or picture is called ([title](crate::genome::Provenance::title)).
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
    /// The genome cannot be read.
    #[error(transparent)]
    Genome(#[from] ReadGenomeError),
    /// A run's folder.
    #[error(transparent)]
    Run(#[from] RunError),
    /// The folder holds something else.
    #[error(transparent)]
    Other(#[from] Refusal),
    /// A file cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// A setting is outside its range.
    #[error(transparent)]
    Settings(#[from] SpecError),
    /// The judge cannot be asked.
    #[error(transparent)]
    NoJudge(#[from] BuildJudgeError),
    /// The judge gave no answer.
    #[error(transparent)]
    Judge(#[from] JudgeError),
}

/// Pictures of perturbations shown for each network.
pub(super) const SHOWN: usize = 24;

/// The embedded study with these settings, without targets; some arms once more with `offset` more
/// layers, if that is not 0.
fn networks(config: &CompareConfig, offset: i64) -> Result<NetworksStudy, CompareError> {
    let mut spec = spec(config.profile);
    let log_every = spec.log_every;
    (spec.size, spec.steps, spec.sample) = (config.size, config.steps, config.sample);
    (spec.seeds, spec.effect) = (config.seeds.clone(), config.effect);
    spec.judge = config.judge.clone();
    spec.check().map_err(|refusal| SpecError::from(refusal.in_file(Path::new("compare"))))?;
    for level in spec.arms.iter_mut().flat_map(|arm| &mut arm.levels) {
        if let Level::Threshold(threshold) = level {
            *threshold = config.sp_threshold;
        }
    }
    if offset != 0 {
        spec.offsets = vec![0, offset];
        let mut more = Vec::new();
        for arm in &mut spec.arms {
            arm.offsets = Some(vec![0]);
            if PREDICTED.contains(&arm.name.as_str()) {
                let predicted = |name: &String| format!("{name}-predicted");
                more.push(ArmSpec {
                    name: predicted(&arm.name),
                    from: arm.from.as_ref().map(predicted),
                    offsets: Some(vec![offset]),
                    ..arm.clone()
                });
            }
        }
        spec.arms.extend(more);
    }
    let mut networks =
        NetworksStudy::new(spec, config.profile.name().into(), config.judge.build()?);
    networks.spec.log_every = log_every;
    // One after the other, each with all threads.
    networks.at_a_time = 1;
    Ok(networks)
}

/// A record without arms.
fn head(name: &str, arch: &Arch, config: &CompareConfig) -> CompareRecord {
    CompareRecord {
        format: CompareRecord::FORMAT.into(),
        version: env!("CARGO_PKG_VERSION").into(),
        genome: name.to_string(),
        made_by: String::new(),
        info: None,
        picture: None,
        arch: arch.to_string(),
        config: config.clone(),
        arms: Vec::new(),
    }
}

/// Runs the comparison of a genome in `folder`, see [`CompareStudy::run`].
///
/// # Errors
/// As there.
pub fn compare(
    genome: &Genome,
    name: &str,
    config: &CompareConfig,
    folder: &Path,
    observer: &mut dyn StudyObserver,
) -> Result<Comparison, CompareError> {
    CompareStudy::of_genome(genome, name, config)?.run(folder, observer)
}

/// A comparison as a study: the chains of a networks study, with rows of its own.
pub struct CompareStudy {
    networks: NetworksStudy,
    /// Id and name of what is compared.
    subject: (String, String),
    /// What the subject is called.
    title: String,
    /// The record, without arms.
    head: CompareRecord,
}

impl CompareStudy {
    /// Of the genome, or the picture, at `path`; records say `called` for it.
    ///
    /// # Errors
    /// As [`of_genome`](Self::of_genome) and [`of_picture`](Self::of_picture); the genome cannot be read.
    pub fn of(
        path: &Path,
        called: &Path,
        fit: Option<Squaring>,
        config: &CompareConfig,
    ) -> Result<Self, CompareError> {
        match is_genome_file(path) {
            true => {
                let genome = read_genome(path, Wiring::Dense)?;
                Self::of_genome(&genome, &called.display().to_string(), config)
            }
            false => Self::of_picture(path, called, fit, config),
        }
    }

    /// Of a genome, on its own picture.
    ///
    /// # Errors
    /// A setting is outside its range, the judge cannot be asked.
    pub fn of_genome(
        genome: &Genome,
        name: &str,
        config: &CompareConfig,
    ) -> Result<Self, CompareError> {
        let mut networks = networks(config, 0)?;
        let mut target = networks.spec.targets[0].clone();
        target.genome = Some(name.into());
        let picture = Model::of_genome(genome, Wiring::Graph).picture(config.size, Coords::Fer);
        let source = Source::of(genome.clone(), Target { name: name.into(), picture });
        let head = CompareRecord {
            made_by: genome.provenance.made_by.clone(),
            info: Some(GenomeInfo::of(genome)),
            ..head(name, &source.arch, config)
        };
        networks.add(&target, source);
        let subject = (short_id(to_json(genome)), name.to_string());
        let title = genome.provenance.title(Path::new(name));
        Ok(CompareStudy { networks, subject, title, head })
    }

    /// Of a picture that no genome draws; records say `called` for its path.
    ///
    /// # Errors
    /// It cannot be read, it is not square and `fit` does not say what becomes of it, a setting is outside its
    /// range, or the judge cannot be asked.
    pub fn of_picture(
        path: &Path,
        called: &Path,
        fit: Option<Squaring>,
        config: &CompareConfig,
    ) -> Result<Self, CompareError> {
        let arch: Arch = PICTURE_ARCH.parse().expect("a fixed arch");
        let model = DepthModel::shipped();
        let small = load_target(path, model.size, Coords::Fer, fit)?.picture;
        let png_ratio = png_ratio(&small);
        let predicted_layers = model.layers(png_ratio);
        let target = load_target(path, config.size, Coords::Fer, fit)?;
        let target = Target { name: called.display().to_string(), ..target };
        let picture = PictureRecord {
            fit,
            png_ratio,
            ratio_at: model.size,
            predicted_layers,
            error: model.error,
        };
        let head = CompareRecord {
            made_by: "a picture file".into(),
            picture: Some(picture),
            ..head(&target.name, &arch, config)
        };
        let subject = (short_id(sha256_of_floats(&small.rgb)), target.name.clone());
        let mut networks = networks(config, predicted_layers as i64 - arch.layers as i64)?;
        let spec = TargetSpec {
            name: "picture".into(),
            picture: Some(called.into()),
            fit,
            genome: None,
            arch: Some(arch.clone()),
        };
        networks.add(&spec, Source { target, evolved: None, arch });
        let title =
            called.file_stem().map_or_else(String::new, |s| s.to_string_lossy().into_owned());
        Ok(CompareStudy { networks, subject, title, head })
    }

    /// Number of networks in each of the chains, which are made one after the other.
    pub fn chains(&self) -> Vec<usize> {
        self.networks.chains.iter().map(|chain| chain.key.arms.len()).collect()
    }

    /// Runs the comparison in `folder`; its trainings are run folders under `folder/runs`, finished
    /// ones are not computed again and unfinished ones go on.
    ///
    /// # Errors
    /// A folder cannot be written or holds something else, a comparison of another genome for example;
    /// interruption.
    pub fn run(
        &self,
        folder: &Path,
        observer: &mut dyn StudyObserver,
    ) -> Result<Comparison, CompareError> {
        let marker = self.marker_of(FolderKind::Comparison);
        marker.ensure(folder)?;
        marker.write(folder)?;
        let record = run_cells(self, folder, observer)?.ok_or(CompareError::Interrupted)?;
        if let Some(failed) = status(self, folder)?.failed.first() {
            return Err(CompareError::Arm(format!("{}: {}", failed.cell, failed.error)));
        }
        let runs = study_folder(self, folder);
        let (mut views, first) = (Vec::new(), self.head.config.seeds.first().copied());
        let shown = |chain: &&Chain| chain.key.seed.is_none() || chain.key.seed == first;
        for chain in self.networks.chains.iter().filter(shown) {
            // Everything is finished: this only loads and looks.
            let going_on = |_: super::workers::News<'_>| true;
            let seen = walk(chain, &chain.key.arms, &runs, Ask::new(&going_on), &mut |made| {
                self.view(chain, made)
            });
            for (_, _, view) in seen.unwrap_or_default() {
                views.push(view.map_err(CompareError::Arm)?);
            }
        }
        let target = self.networks.chains[0].source.target.picture.clone();
        Ok(Comparison { record, name: self.title.clone(), target, views })
    }

    fn marker_of(&self, kind: FolderKind) -> Marker {
        Marker::new(kind).about(&self.subject.0, &self.subject.1)
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
        Ok(ArmView {
            arm: made.arm.name.clone(),
            perturbed: found.shown_pictures(&view, SHOWN),
            view,
            curve: match made.run {
                Some((_, folder)) => read_metrics(folder)?,
                None => Vec::new(),
            },
        })
    }
}

impl CellStudy for CompareStudy {
    fn marker(&self) -> Marker {
        self.marker_of(FolderKind::Study)
    }

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

    fn count(&self) -> usize {
        self.networks.count()
    }

    fn cell(&self, number: usize) -> Cow<'_, Chain> {
        self.networks.cell(number)
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

    fn step_cost(&self, chain: &Chain) -> Option<f64> {
        CellStudy::step_cost(&self.networks, chain)
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
        let Some(made) =
            walk(chain, &chain.key.arms, folder, ask, &mut |made| self.row(chain, made))
        else {
            return Ok(None);
        };
        let named = |(arm, _, row): (String, usize, Result<ArmRecord, String>)| {
            row.map_err(|e| format!("{arm}: {e}"))
        };
        made.into_iter().map(named).collect::<Result<_, _>>().map(Some)
    }

    /// Evolved first, then by arm and seed. Of a comparison of which an arm failed, what there is.
    fn record(&self, outcomes: Vec<Result<Vec<ArmRecord>, String>>) -> CompareRecord {
        let mut arms: Vec<ArmRecord> = outcomes.into_iter().flatten().flatten().collect();
        let order = &self.networks.spec.arms;
        arms.sort_by_key(|row| order.iter().position(|arm| arm.name == row.arm));
        CompareRecord { arms, ..self.head.clone() }
    }
}
