//! Structural compositionality as a study: `experiments/structural.toml`. For pictures with known
//! parts: train a dense network, prune it by magnitude and by similarity to the same count, and ask
//! of each (and of evolved networks) whether every part has a subnetwork of its own.
//!
//! A cell is one (target, seed) with all its trained arms, whose trainings are run folders in the
//! cell's work folder; or the evolved network of a target.

pub mod findings;
mod record;

pub use record::{ArmOutcome, PartOutcome, StructuralRecord, StructuralRow};

use picloom::experiment::cells::{CellStudy, work_folder};
use picloom::experiment::cost;
use picloom::experiment::prune_run;
use picloom::experiment::record::{Record, six_digits};
use picloom::experiment::spec::{
    Places, Spec, SpecError, SpecFile, check_name, check_names, check_seeds,
};
use picloom::experiment::targets;
use picloom::experiment::workers::Ask;
use picloom::genome::{self, Genome};
use picloom::math::SimRng;
use picloom::math::hash::{hex, sha256_hex};
use picloom::math::refusal::Refusal;
use picloom::network::{Arch, Coords, Mask, Model, Picture, PixelInputs, Wiring};
use picloom::prune::method::{Magnitude, Sp};
use picloom::prune::{Method, PrunePlan, alive, schedule};
use picloom::run::{RunError, Target, TrainJob, load_run, train_run};
use picloom::score::Fit;
use picloom::score::measures::structural::{
    MaskConfig, PartedPicture, structural_compositionality,
};
use picloom::train::{Schedule, StopReason, TrainConfig};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What `experiments/structural.toml` says in one profile.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StructuralSpec {
    /// Name of the study.
    pub name: String,
    /// What is asked.
    pub question: String,
    /// Decision rules by claim, written before the runs.
    pub rules: BTreeMap<String, String>,
    /// Side of the pictures in pixels.
    pub size: usize,
    /// The dense network.
    pub arch: Arch,
    /// Steps of the dense training.
    pub steps: u64,
    /// Steps after each round of pruning.
    pub retrain_steps: u64,
    /// Learning rate of all training.
    pub lr: f64,
    /// Share of the dense network's links that pruning keeps, in (0, 1).
    pub keep: f64,
    /// Rounds of pruning, ≥ 1.
    pub rounds: usize,
    /// Seeds of training and of the random masks.
    pub seeds: Vec<u64>,
    /// How masks are learned.
    pub mask: MaskConfig,
    /// λ of further masks of every network: does what is found depend on the penalty? Default: none.
    #[serde(default)]
    pub penalties: Vec<f64>,
    /// The pictures.
    pub targets: Vec<PartedTarget>,
}

impl Spec for StructuralSpec {
    const KIND: &'static str = "structural";

    fn check(&self) -> Result<(), Refusal> {
        check_name("name", &self.name)?;
        let share = self.keep > 0.0 && self.keep < 1.0;
        Refusal::unless(share, "keep", "above 0 and below 1", self.keep.to_string())?;
        check_seeds("seeds", &self.seeds)?;
        check_names("targets", &self.targets.iter().map(|t| &t.name).collect::<Vec<_>>())?;
        let sound = self.rounds > 0 && (8..=1024).contains(&self.size);
        let found = format!("{} rounds, size {}", self.rounds, self.size);
        Refusal::unless(sound, "rounds, size", "a round, and a size of 8 to 1024", found)?;
        let sound = self.penalties.iter().all(|p| p.is_finite() && *p >= 0.0);
        let found = format!("{:?}", self.penalties);
        Refusal::unless(sound, "penalties", "numbers of at least 0", found)
    }
}

/// A picture with known parts.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PartedTarget {
    /// Its name in records and figures.
    pub name: String,
    /// The drawing of [`targets::ALL`] whose parts these are.
    pub drawing: String,
    /// A genome evolved for that drawing: the arm `evolved`.
    pub genome: Option<PathBuf>,
    /// What is to be drawn. Default: the drawing.
    #[serde(default)]
    pub picture: Shown,
}

/// What is to be drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Shown {
    /// The drawing.
    #[default]
    Drawing,
    /// What the genome draws.
    Genome,
}

/// One cell.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StructuralCell {
    /// The target.
    pub target: String,
    /// SHA-256 of pixels, background and regions.
    pub picture_sha256: String,
    /// Side in pixels.
    pub size: usize,
    /// How masks are learned.
    pub mask: MaskConfig,
    /// Other λ.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub penalties: Vec<f64>,
    /// Seed.
    pub seed: u64,
    /// What is measured.
    pub arms: Arms,
}

/// What a cell measures.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "arms")]
pub enum Arms {
    /// The evolved network.
    Evolved {
        /// SHA-256 of its genome as JSON.
        genome_sha256: String,
    },
    /// Dense, then pruned by magnitude and by SP.
    Trained {
        /// The dense network.
        arch: Arch,
        /// Settings of the dense training.
        steps: u64,
        /// Steps of each retraining.
        retrain_steps: u64,
        /// Learning rate.
        lr: f64,
        /// Links kept in the end.
        budget: usize,
        /// Rounds of pruning.
        rounds: usize,
    },
}

/// A structural study in one profile, its pictures drawn.
#[derive(Clone, Debug)]
pub struct StructuralStudy {
    /// What the spec says.
    pub spec: StructuralSpec,
    /// The profile.
    pub profile: String,
    prepared: Vec<Prepared>,
    cells: Vec<StructuralCell>,
}

#[derive(Clone, Debug)]
struct Prepared {
    target: PartedTarget,
    picture: Picture,
    parted: PartedPicture,
    sha256: String,
    genome: Option<Genome>,
}

impl StructuralStudy {
    /// Reads the spec at `path` in a profile; `None` is `standard`.
    ///
    /// # Errors
    /// Not readable, of another kind, no such profile, unknown keys, a drawing or genome that does
    /// not exist.
    pub fn read(path: &Path, profile: Option<&str>) -> Result<Self, SpecError> {
        Self::of(&SpecFile::read(path)?, profile)
    }

    /// The same of a spec that is read.
    ///
    /// # Errors
    /// As there.
    pub fn of(file: &SpecFile<'_>, profile: Option<&str>) -> Result<Self, SpecError> {
        let (spec, profile): (StructuralSpec, String) = file.spec(profile)?;
        let path = file.path();
        let places = Places::of(path);
        let prepared = |target: &PartedTarget| {
            prepare(&places, target, spec.size).map_err(|error| match error {
                Unprepared::Run(source) => SpecError::Target {
                    path: path.to_path_buf(),
                    target: target.name.clone(),
                    source: Box::new(source),
                },
                Unprepared::Value(expected, found) => {
                    let key = format!("target {}", target.name);
                    Refusal::new(key, expected, found).in_file(path).into()
                }
            })
        };
        let prepared: Vec<_> = spec.targets.iter().map(prepared).collect::<Result<_, _>>()?;
        let cells = spec.cells(&prepared);
        Ok(StructuralStudy { spec, profile, prepared, cells })
    }

    fn prepared(&self, target: &str) -> &Prepared {
        let found = self.prepared.iter().find(|p| p.target.name == target);
        found.expect("cells name targets of the spec")
    }
}

impl StructuralSpec {
    /// Targets, within them the evolved network and then the trained ones, each by seed.
    fn cells(&self, prepared: &[Prepared]) -> Vec<StructuralCell> {
        let links = self.arch.dense_params();
        let budget = (self.keep * links as f64).round() as usize;
        let mut cells = Vec::new();
        for prepared in prepared {
            let cell = |seed, arms| StructuralCell {
                target: prepared.target.name.clone(),
                picture_sha256: prepared.sha256.clone(),
                size: self.size,
                mask: self.mask,
                penalties: self.penalties.clone(),
                seed,
                arms,
            };
            if let Some(genome) = &prepared.genome {
                // Its masks do not depend on the seed, only the random ones do: one is enough.
                let genome_sha256 = sha256_hex(genome::to_json(genome));
                cells.push(cell(self.seeds[0], Arms::Evolved { genome_sha256 }));
            }
            cells.extend(self.seeds.iter().map(|seed| {
                cell(
                    *seed,
                    Arms::Trained {
                        arch: self.arch.clone(),
                        steps: self.steps,
                        retrain_steps: self.retrain_steps,
                        lr: self.lr,
                        budget,
                        rounds: self.rounds,
                    },
                )
            }));
        }
        cells
    }
}

enum Unprepared {
    Run(RunError),
    Value(&'static str, String),
}

fn prepare(places: &Places, target: &PartedTarget, size: usize) -> Result<Prepared, Unprepared> {
    let drawing = targets::ALL.iter().find(|t| t.name == target.drawing);
    let found = format!("{:?}", target.drawing);
    let drawing =
        drawing.ok_or_else(|| Unprepared::Value("a drawing of our own", found.clone()))?;
    let parts = drawing.parts(size).ok_or(Unprepared::Value("a drawing with parts", found))?;
    let genome = match &target.genome {
        Some(path) => Some(
            genome::read(&places.file(path)).map_err(|e| Unprepared::Run(RunError::Genome(e)))?,
        ),
        None => None,
    };
    let picture = match (target.picture, &genome) {
        (Shown::Drawing, _) => drawing.draw(size),
        (Shown::Genome, Some(genome)) => {
            Model::of_genome(genome, Wiring::Graph).picture(size, Coords::Fer)
        }
        (Shown::Genome, None) => {
            let none = "none".to_string();
            return Err(Unprepared::Value("a genome whose picture is shown", none));
        }
    };
    let background = match target.picture {
        Shown::Drawing if target.drawing.ends_with("_plain") => [1.0; 3],
        _ => mean_outside(&picture, &parts),
    };
    let mut hash = Sha256::new();
    for v in picture.rgb.iter().chain(&background) {
        hash.update(v.to_le_bytes());
    }
    for (name, region) in &parts {
        hash.update(name);
        hash.update(region.iter().map(|r| u8::from(*r)).collect::<Vec<_>>());
    }
    Ok(Prepared {
        target: target.clone(),
        parted: PartedPicture { rgb: picture.rgb.clone(), background, parts },
        picture,
        sha256: hex(&hash.finalize()),
        genome,
    })
}

/// Mean colour of the pixels that no part owns.
fn mean_outside(picture: &Picture, regions: &[(String, Vec<bool>)]) -> [f32; 3] {
    let outside: Vec<usize> =
        (0..picture.pixels()).filter(|&p| !regions.iter().any(|(_, r)| r[p])).collect();
    [0, 1, 2].map(|c| {
        let sum: f64 = outside.iter().map(|&p| f64::from(picture.rgb[3 * p + c])).sum();
        (sum / outside.len().max(1) as f64) as f32
    })
}

impl StructuralStudy {
    /// What masks of one network say: at the study's penalty, then at the others.
    fn measure(
        &self,
        cell: &StructuralCell,
        arm: &str,
        model: &Model,
    ) -> Result<Vec<ArmOutcome>, String> {
        let penalties = std::iter::once(None).chain(cell.penalties.iter().copied().map(Some));
        penalties.map(|penalty| self.measure_at(cell, arm, penalty, model)).collect()
    }

    fn measure_at(
        &self,
        cell: &StructuralCell,
        arm: &str,
        penalty: Option<f64>,
        model: &Model,
    ) -> Result<ArmOutcome, String> {
        let config = MaskConfig { penalty: penalty.unwrap_or(cell.mask.penalty), ..cell.mask };
        let prepared = self.prepared(&cell.target);
        let Model { network, mask, weights } = model;
        let drawn = model.picture(cell.size, Coords::Fer);
        let inputs = PixelInputs::full(cell.size, Coords::Fer);
        // Links on no path are no part of anything.
        let mask = alive(network, mask);
        let mut rng = SimRng::new(cell.seed, &format!("structural {arm}"), 0);
        let found = structural_compositionality(
            network,
            weights,
            &mask,
            &inputs,
            &prepared.parted,
            &config,
            &mut rng,
        )
        .map_err(|e| e.to_string())?;
        let regions = &prepared.parted.parts;
        Ok(ArmOutcome {
            arm: arm.to_string(),
            penalty,
            kept: mask.kept(),
            r2: six_digits(Fit::of(&drawn, &prepared.picture).r2),
            sc: six_digits(found.sc),
            control: six_digits(found.control),
            parts: found
                .parts
                .iter()
                .zip(&found.whole)
                .zip(regions)
                .map(|((part, whole), (_, region))| PartOutcome {
                    part: part.part.clone(),
                    pixels: region.iter().filter(|r| **r).count(),
                    whole: six_digits(*whole),
                    kept: part.kept,
                    d_sub: six_digits(part.d_sub),
                    d_abl: six_digits(part.d_abl),
                    control: six_digits(part.control),
                })
                .collect(),
        })
    }

    fn trained(
        &self,
        cell: &StructuralCell,
        folder: &Path,
        mut ask: Ask<'_>,
    ) -> Result<Option<Vec<ArmOutcome>>, String> {
        let Arms::Trained { ref arch, steps, retrain_steps, lr, budget, rounds } = cell.arms else {
            unreachable!("asked for trained arms");
        };
        let train = |steps| TrainConfig {
            steps,
            seed: cell.seed,
            log_every: 1000,
            schedule: Schedule::constant(lr),
            ..TrainConfig::default()
        };
        let network = arch.network();
        let links = network.weight_count();
        let target = Target {
            name: cell.target.clone(),
            picture: self.prepared(&cell.target).picture.clone(),
        };
        let wired = (network, Mask::all(links));
        let job = TrainJob::new("dense", &target, Coords::Fer, wired, None, None, train(steps));
        let text = |e: RunError| e.to_string();
        let result = train_run(&folder.join("dense"), job, true, &mut ask).map_err(text)?;
        if result.train.stop == StopReason::Interrupted {
            return Ok(None);
        }
        let dense = load_run(&folder.join("dense")).map_err(text)?;
        let mut arms = self.measure(cell, "dense", &dense.model)?;
        for (arm, method) in
            [("magnitude", Method::Magnitude(Magnitude {})), ("sp", Method::Sp(Sp::default()))]
        {
            let rules = schedule::geometric(links, budget, rounds);
            let plan = PrunePlan::new(method, rules, train(retrain_steps));
            let out = folder.join(arm);
            let (result, _) =
                prune_run(&dense, &plan, &out, true, &mut ask).map_err(|e| e.to_string())?;
            if result.train.stop == StopReason::Interrupted {
                return Ok(None);
            }
            let run = load_run(&out).map_err(text)?;
            arms.extend(self.measure(cell, arm, &run.model)?);
        }
        Ok(Some(arms))
    }
}

impl CellStudy for StructuralStudy {
    type Cell = StructuralCell;
    type Outcome = Vec<ArmOutcome>;
    type Record = StructuralRecord;

    fn name(&self) -> &str {
        &self.spec.name
    }

    fn profile(&self) -> &str {
        &self.profile
    }

    fn count(&self) -> usize {
        self.cells.len()
    }

    fn cell(&self, number: usize) -> Cow<'_, StructuralCell> {
        Cow::Borrowed(&self.cells[number])
    }

    fn label(&self, cell: &StructuralCell) -> String {
        match cell.arms {
            Arms::Evolved { .. } => format!("{}, evolved", cell.target),
            Arms::Trained { .. } => format!("{}, trained, seed {}", cell.target, cell.seed),
        }
    }

    fn step_cost(&self, cell: &StructuralCell) -> Option<f64> {
        match &cell.arms {
            Arms::Evolved { .. } => None,
            Arms::Trained { arch, .. } => Some(cost::training(1, arch.dense_params(), cell.size)),
        }
    }

    fn cost(&self, cell: &StructuralCell) -> f64 {
        match &cell.arms {
            Arms::Evolved { .. } => 1.0,
            Arms::Trained { arch, steps, retrain_steps, rounds, .. } => {
                let steps = steps + 2 * *rounds as u64 * retrain_steps;
                cost::training(steps, arch.dense_params(), cell.size)
            }
        }
    }

    fn compute(
        &self,
        cell: &StructuralCell,
        folder: &Path,
        ask: Ask<'_>,
    ) -> Result<Option<Vec<ArmOutcome>>, String> {
        if !ask.going_on() {
            return Ok(None);
        }
        match cell.arms {
            Arms::Evolved { .. } => {
                let genome = self.prepared(&cell.target).genome.as_ref();
                let genome = genome.expect("a cell of an evolved network");
                let model = Model::of_genome(genome, Wiring::Graph);
                self.measure(cell, "evolved", &model).map(Some)
            }
            Arms::Trained { .. } => self.trained(cell, &work_folder(folder, &self.id(cell)), ask),
        }
    }

    fn record(&self, outcomes: Vec<Result<Vec<ArmOutcome>, String>>) -> StructuralRecord {
        let row =
            |(cell, outcome): (&StructuralCell, Result<Vec<ArmOutcome>, String>)| StructuralRow {
                target: cell.target.clone(),
                picture: self.prepared(&cell.target).target.picture,
                seed: cell.seed,
                error: outcome.as_ref().err().cloned(),
                arms: outcome.unwrap_or_default(),
            };
        let spec = &self.spec;
        StructuralRecord {
            format: StructuralRecord::FORMAT.into(),
            study: spec.name.clone(),
            question: spec.question.clone(),
            rules: spec.rules.clone(),
            profile: self.profile.clone(),
            size: spec.size,
            mask: spec.mask,
            cells: self.cells.iter().zip(outcomes).map(row).collect(),
        }
    }
}
