//! The structural study as a grid: its cells, what a cell computes, what the record says for people.

use super::findings;
use super::record::{ArmOutcome, Measured, PartOutcome, StructuralKey};
use super::spec::{PartedTarget, Shown, Structural, StructuralRecord};
use crate::measures::structural::{MaskConfig, PartedPicture, structural_compositionality};
use crate::targets;
use picloom::base::SimRng;
use picloom::base::hash::{hex, sha256_hex};
use picloom::base::refusal::Refusal;
use picloom::experiment::Watched;
use picloom::experiment::cost;
use picloom::experiment::prune_run;
use picloom::experiment::target_spec::places_of;
use picloom::genome::{self, Genome};
use picloom::network::{Arch, Coords, Mask, Model, Picture, PixelInputs, Wiring};
use picloom::prune::methods::{Magnitude, Sp};
use picloom::prune::{Method, PrunePlan, alive, schedule};
use picloom::run::{RunError, Target, TrainJob, load_run, train_run};
use picloom::score::Fit;
use picloom::study::grid::Grid;
use picloom::study::record::six_digits;
use picloom::study::spec::{SpecError, check_names};
use picloom::study::workers::Ask;
use picloom::train::{Schedule, StopReason, TrainConfig};
use serde::Serialize;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use std::path::Path;

/// One cell.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct StructuralCell {
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
    /// The networks to measure.
    pub arms: Arms,
}

/// The networks that a cell measures.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "arms")]
pub(crate) enum Arms {
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

/// A target with its picture.
#[derive(Clone, Debug)]
pub(crate) struct Prepared {
    target: PartedTarget,
    picture: Picture,
    parted: PartedPicture,
    sha256: String,
    genome: Option<Genome>,
}

fn of_target<'a>(prepared: &'a [Prepared], target: &str) -> &'a Prepared {
    let found = prepared.iter().find(|p| p.target.name == target);
    found.expect("cells name targets of the spec")
}

fn prepare(path: &Path, target: &PartedTarget, size: usize) -> Result<Prepared, SpecError> {
    let refused = |expected: &str, found: &str| {
        let at = format!("target {}", target.name);
        SpecError::from(Refusal::new(at, expected, found).in_file(path))
    };
    let drawing = targets::ALL.iter().find(|t| t.name == target.drawing);
    let drawing = drawing.ok_or_else(|| refused("a drawing of our own", &target.drawing))?;
    let parts = drawing.parts(size);
    let parts = parts.ok_or_else(|| refused("a drawing with parts", &target.drawing))?;
    let genome = target.genome.as_ref().map(|file| genome::read(&places_of(path).file(file)));
    let genome = genome.transpose().map_err(SpecError::of_target(path, &target.name))?;
    let picture = match (target.picture, &genome) {
        (Shown::Drawing, _) => drawing.draw(size),
        (Shown::Genome, Some(genome)) => {
            Model::of_genome(genome, Wiring::Graph).picture(size, Coords::Fer)
        }
        (Shown::Genome, None) => {
            return Err(refused("a genome whose picture is shown", "none"));
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

/// Measures the masks of one network: at the study's penalty, then at the others.
fn measure(
    prepared: &Prepared,
    cell: &StructuralCell,
    arm: &str,
    model: &Model,
) -> Result<Vec<ArmOutcome>, String> {
    penalties(cell).map(|penalty| measure_at(prepared, cell, arm, penalty, model)).collect()
}

/// The penalties that a cell's masks are learned at; `None` is the study's own.
fn penalties(cell: &StructuralCell) -> impl Iterator<Item = Option<f64>> {
    std::iter::once(None).chain(cell.penalties.iter().copied().map(Some))
}

fn measure_at(
    prepared: &Prepared,
    cell: &StructuralCell,
    arm: &str,
    penalty: Option<f64>,
    model: &Model,
) -> Result<ArmOutcome, String> {
    let config = MaskConfig { penalty: penalty.unwrap_or(cell.mask.penalty), ..cell.mask };
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
    prepared: &Prepared,
    cell: &StructuralCell,
    folder: &Path,
    ask: Ask<'_>,
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
    let target = Target::of_picture(cell.target.clone(), prepared.picture.clone());
    let wired = (network, Mask::all(links));
    let job = TrainJob::new("dense", &target, Coords::Fer, wired, None, None, train(steps));
    let text = |e: RunError| e.to_string();
    let result = train_run(&folder.join("dense"), job, true, &mut Watched(ask)).map_err(text)?;
    if result.train.stop == StopReason::Interrupted {
        return Ok(None);
    }
    let dense = load_run(&folder.join("dense")).map_err(text)?;
    let mut arms = measure(prepared, cell, "dense", &dense.model)?;
    for (arm, method) in
        [("magnitude", Method::Magnitude(Magnitude {})), ("sp", Method::Sp(Sp::default()))]
    {
        let rules = schedule::geometric(links, budget, rounds);
        let plan = PrunePlan::new(method, rules, train(retrain_steps));
        let out = folder.join(arm);
        let (result, _) =
            prune_run(&dense, &plan, &out, true, &mut Watched(ask)).map_err(|e| e.to_string())?;
        if result.train.stop == StopReason::Interrupted {
            return Ok(None);
        }
        let run = load_run(&out).map_err(text)?;
        arms.extend(measure(prepared, cell, arm, &run.model)?);
    }
    Ok(Some(arms))
}

impl Grid for Structural {
    const KIND: &'static str = "structural";
    const FORMAT: &'static str = "picloom-structural/1";
    type Inputs = Vec<Prepared>;
    type Cell = StructuralCell;
    type Key = StructuralKey;
    type Found = Measured;

    fn check(&self) -> Result<(), Refusal> {
        let share = self.keep > 0.0 && self.keep < 1.0;
        Refusal::unless(share, "keep", "above 0 and below 1", self.keep.to_string())?;
        check_names("targets", &self.targets.iter().map(|t| &t.name).collect::<Vec<_>>())?;
        let sized = (8..=1024).contains(&self.size);
        Refusal::unless(sized, "size", "8 to 1024", self.size.to_string())?;
        let sound = self.penalties.iter().all(|p| p.is_finite() && *p >= 0.0);
        let found = format!("{:?}", self.penalties);
        Refusal::unless(sound, "penalties", "numbers of at least 0", found)
    }

    fn inputs(&self, path: &Path) -> Result<Vec<Prepared>, SpecError> {
        self.targets.iter().map(|target| prepare(path, target, self.size)).collect()
    }

    /// Targets, within them the evolved network and then the trained ones, each by seed.
    fn cells(&self, prepared: &Vec<Prepared>) -> Vec<StructuralCell> {
        let trained = Arms::Trained {
            arch: self.arch.clone(),
            steps: self.steps,
            retrain_steps: self.retrain_steps,
            lr: self.lr,
            budget: (self.keep * self.arch.dense_params() as f64).round() as usize,
            rounds: self.rounds,
        };
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
            cells.extend(self.seeds.iter().map(|seed| cell(*seed, trained.clone())));
        }
        cells
    }

    fn notes(&self) -> Map<String, Value> {
        Map::from_iter([("size".into(), self.size.into()), ("mask".into(), json!(self.mask))])
    }

    fn label(cell: &StructuralCell) -> String {
        match cell.arms {
            Arms::Evolved { .. } => format!("{}, evolved", cell.target),
            Arms::Trained { .. } => format!("{}, trained, seed {}", cell.target, cell.seed),
        }
    }

    fn cost(cell: &StructuralCell) -> f64 {
        match &cell.arms {
            Arms::Evolved { .. } => 1.0,
            Arms::Trained { arch, steps, retrain_steps, rounds, .. } => {
                let steps = (steps + 2 * *rounds as u64 * retrain_steps) as f64;
                cost::training(steps, arch.dense_params(), cell.size)
            }
        }
    }

    fn key(prepared: &Vec<Prepared>, cell: &StructuralCell) -> StructuralKey {
        let (target, seed) = (cell.target.clone(), cell.seed);
        let picture = of_target(prepared, &target).target.picture;
        StructuralKey { target, picture, seed }
    }

    fn compute(
        prepared: &Vec<Prepared>,
        cell: &StructuralCell,
        folder: &Path,
        ask: Ask<'_>,
    ) -> Result<Option<Measured>, String> {
        let prepared = of_target(prepared, &cell.target);
        let arms = match cell.arms {
            Arms::Evolved { .. } => {
                let genome = prepared.genome.as_ref().expect("a cell of an evolved network");
                let model = Model::of_genome(genome, Wiring::Graph);
                Some(measure(prepared, cell, "evolved", &model)?)
            }
            Arms::Trained { .. } => trained(prepared, cell, folder, ask)?,
        };
        Ok(arms.map(|arms| Measured { arms }))
    }

    /// Every network at every penalty, with the parts of the picture.
    fn check_found(
        prepared: &Vec<Prepared>,
        cell: &StructuralCell,
        found: &Measured,
    ) -> Result<(), String> {
        let networks: &[&str] = match cell.arms {
            Arms::Evolved { .. } => &["evolved"],
            Arms::Trained { .. } => &["dense", "magnitude", "sp"],
        };
        let penalties: Vec<Option<f64>> = penalties(cell).collect();
        let at = |arm: &'static str| penalties.iter().map(move |penalty| (arm, *penalty));
        let made = networks.iter().copied().flat_map(at);
        let arms = found.arms.iter().map(|arm| (arm.arm.as_str(), arm.penalty));
        let regions = &of_target(prepared, &cell.target).parted.parts;
        let names = |arm: &ArmOutcome| {
            arm.parts.iter().map(|part| &part.part).eq(regions.iter().map(|(name, _)| name))
        };
        if arms.eq(made) && found.arms.iter().all(names) {
            return Ok(());
        }
        let shown: Vec<&str> = found.arms.iter().map(|arm| arm.arm.as_str()).collect();
        Err(format!("the networks {}, or parts of another picture", shown.join(", ")))
    }

    fn summary(record: &StructuralRecord) -> String {
        let mut text = format!(
            "{:<22} {:>4} {:<10} {:>5} {:>7} {:>7} {:>8} {:>6}\n",
            "target", "seed", "arm", "kept", "R²", "SC", "control", "parts"
        );
        for row in &record.rows {
            for arm in row.result.iter().flat_map(|found| &found.arms) {
                if arm.penalty.is_some() {
                    continue;
                }
                text += &format!(
                    "{:<22} {:>4} {:<10} {:>5} {:>7.4} {:>7.3} {:>8.3} {:>4}/{}{}\n",
                    row.target,
                    row.seed,
                    arm.arm,
                    arm.kept,
                    arm.r2,
                    arm.sc,
                    arm.control,
                    arm.compositional_parts(),
                    arm.parts.len(),
                    if arm.fit() { "" } else { "  unfit" }
                );
            }
        }
        for finding in findings::all(record) {
            text += &format!("\n{}", finding.text());
            for note in &finding.notes {
                text += &format!("\n  {note}");
            }
        }
        text
    }
}
