//! A training job: target, wiring, config with its id.

use super::{RunError, read_picture};
use crate::base::hash::{hex, json_id, sha256_of_floats};
use crate::base::refusal::Refusal;
use crate::base::settings::Settings;
use crate::base::text::portable;
use crate::genome::{self, Genome, Input, builtin, picked};
use crate::network::family::{Conditioned, Conditions};
use crate::network::{
    Arch, Coords, Mask, Model, Network, Picture, PixelInputs, Squaring, Weights, Wiring,
};
use crate::train::{Problem, TrainConfig};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// A picture to draw, and where it came from.
#[derive(Clone, Debug)]
pub struct Target {
    /// The path as given, or its last part where it is this machine's alone.
    pub name: String,
    /// The picture at the size of the run; of a family that under the first condition seen.
    pub picture: Picture,
    /// Of a family of pictures: those that training sees and those that are held out.
    pub family: Option<FamilyTarget>,
    /// The genome that draws it.
    pub genome: Option<Genome>,
}

/// The pictures of a family: f(x, y; z) under some conditions and under others.
#[derive(Clone, Debug, PartialEq)]
pub struct FamilyTarget {
    /// The pictures of training.
    pub seen: Conditioned,
    /// The pictures left out of training.
    pub held_out: Conditioned,
}

/// True if the name of this file is that of a genome, or of one that comes with the program. A name without an ending
/// that no file has is meant to be one of those, too.
pub(crate) fn is_genome_file(path: &Path) -> bool {
    let (path, _) = picked(path);
    let end = path.extension().unwrap_or_default().to_ascii_lowercase();
    let is_packed = path.to_string_lossy().to_ascii_lowercase().ends_with(".json.gz");
    let is_name = end.is_empty() || builtin(path).is_some();
    is_packed || end == "json" || end == "xml" || end == "zip" || (is_name && !path.exists())
}

/// True for a genome file that is there, and for the name of a genome that comes with the program.
pub fn is_genome(path: &Path) -> bool {
    is_genome_file(path) && (builtin(path).is_some() || picked(path).0.is_file())
}

/// Reads a target: a picture file (resampled to `size`²), or a genome, which is rendered in float.
/// `fit` says what becomes of a picture that is not square.
///
/// # Errors
/// The file is neither, or a picture that is not square without `fit`, or of one colour.
pub fn load_target(
    path: &Path,
    size: usize,
    coords: Coords,
    fit: Option<Squaring>,
) -> Result<Target, RunError> {
    let name = portable(path);
    if is_genome_file(path) {
        return Target::of_genome(&genome::read(path)?, path, size, coords);
    }
    let picture = read_picture(path)?;
    let (width, height) = (picture.width, picture.height);
    let picture = match fit {
        Some(how) => picture.squared(size, how),
        None if width == height => picture.resized(size),
        None => {
            let found = format!("{width} × {height} pixels");
            let refusal = Refusal::new("", "a square picture", found).in_file(path);
            return Err(refusal
                .advising(format!(
                    "choose what becomes of it with --fit (in a spec: fit): {}",
                    Squaring::CHOICES
                ))
                .into());
        }
    };
    Target::of_picture(name, picture).of_colours(path)
}

impl Target {
    /// The picture of a genome, in float; `path` is its name.
    ///
    /// # Errors
    /// If it is of one colour.
    pub(crate) fn of_genome(
        genome: &Genome,
        path: &Path,
        size: usize,
        coords: Coords,
    ) -> Result<Target, RunError> {
        let picture = Model::of_genome(genome, Wiring::Graph).picture(size, coords);
        let target = Target::of_picture(portable(path), picture).of_colours(path)?;
        Ok(Target { genome: Some(genome.clone()), ..target })
    }

    /// One picture.
    pub fn of_picture(name: String, picture: Picture) -> Target {
        Target { name, picture, family: None, genome: None }
    }

    /// A family of pictures: what `draw` says under the seen and the held-out conditions.
    pub fn of_family(
        name: String,
        conditions: Conditions,
        draw: impl Fn(&[f64]) -> Picture,
    ) -> Target {
        let [seen, held_out] =
            [conditions.seen, conditions.held_out].map(|set| Conditioned::of(set, &draw));
        Target {
            name,
            picture: seen.picture(0),
            family: Some(FamilyTarget { seen, held_out }),
            genome: None,
        }
    }

    /// The pictures of a family under the conditions that training sees.
    pub(crate) fn of_seen(name: String, seen: Conditioned) -> Target {
        let held_out = Conditioned::of(Vec::new(), |_| seen.picture(0));
        Target {
            name,
            picture: seen.picture(0),
            family: Some(FamilyTarget { seen, held_out }),
            genome: None,
        }
    }

    /// The picture of training: the only one, or all of a family that training uses.
    pub(crate) fn trained(&self) -> &Picture {
        self.family.as_ref().map_or(&self.picture, |family| &family.seen.pictures)
    }

    /// The conditions of training; empty for a single picture.
    pub(crate) fn conditions(&self) -> &[Vec<f64>] {
        self.family.as_ref().map_or(&[], |family| &family.seen.conditions)
    }

    /// Refuses a picture of one colour: R², how well it is learned, means nothing on it.
    pub(crate) fn of_colours(self, path: &Path) -> Result<Self, RunError> {
        let is_so = self.picture.variance() > 1e-12;
        let found = "one colour: R², how well it is learned, is not defined there";
        Refusal::unless(is_so, "", "a picture of more than one colour", found)
            .map_err(|refusal| refusal.in_file(path))?;
        Ok(self)
    }
}

/// The canonical, resolved config of a training run; its hash is the run's id.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunConfig {
    /// The run's arm, for people: `graph`, `layerized`, `dense`, `sp`, ….
    pub arm: String,
    /// Name of the target: its path as given, or the last part of one that is this machine's alone.
    pub target: String,
    /// SHA-256 of the target's float pixels.
    pub target_sha256: String,
    /// Side of the picture in pixels.
    pub size: usize,
    /// Coordinate convention.
    pub coords: Coords,
    /// Arch of a layered network; `None` for a graph (its genome is in the folder).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arch: Option<Arch>,
    /// SHA-256 of topology and mask.
    pub wiring_sha256: String,
    /// SHA-256 of the start weights, if training begins from given ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_sha256: Option<String>,
    /// The network that the wiring was pruned from, if it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pruned: Option<PrunedFrom>,
    /// Values of the factors under which pictures of a family are drawn, one list a condition; empty for one picture.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub conditions: Vec<Vec<f64>>,
    /// Training settings.
    pub train: TrainConfig,
}

/// A round of pruning, as the config of its retraining run keeps it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PrunedFrom {
    /// Id of the dense run.
    pub parent: String,
    /// Round, from 1.
    pub round: usize,
    /// Method and its settings.
    pub method: String,
    /// Threshold or budget.
    pub rule: String,
    /// Where retraining starts.
    pub retrain: String,
    /// Links kept by the rule; the mask of the run holds those of them that are alive.
    pub kept: usize,
}

/// The pixels of a picture, under each of these conditions if there are some.
pub(super) fn pixels(size: usize, coords: Coords, conditions: &[Vec<f64>]) -> PixelInputs {
    let one = PixelInputs::full(size, coords);
    if conditions.is_empty() { one } else { one.under(conditions) }
}

impl RunConfig {
    /// The first 16 hex digits of the SHA-256 of the canonical JSON of this config.
    pub fn run_id(&self) -> String {
        json_id(self)
    }

    /// The pixels that it is trained on: of every condition.
    pub(crate) fn inputs(&self) -> PixelInputs {
        pixels(self.size, self.coords, &self.conditions)
    }

    /// The same run with another number of steps.
    pub(super) fn with_steps(&self, steps: u64) -> Self {
        RunConfig { train: TrainConfig { steps, ..self.train.clone() }, ..self.clone() }
    }

    /// The differences to another config: the name of each setting, its value here and there.
    pub(crate) fn differences(&self, other: &Self) -> Vec<[String; 3]> {
        let [here, there] = [self, other]
            .map(|config| toml::Table::try_from(config).expect("a config is plain data"));
        let train = |config: &toml::Table| config.get("train").cloned();
        let [a, b] = [&here, &there].map(|config| {
            let own = config.iter().filter(|(key, _)| *key != "train");
            let mut all = BTreeMap::new();
            own.for_each(|(key, value)| leaves(key, value, &mut all));
            all
        });
        let keys: BTreeSet<&String> = a.keys().chain(b.keys()).collect();
        let none = || "none".to_string();
        let mut found = Vec::new();
        for key in keys.into_iter().filter(|key| a.get(*key) != b.get(*key)) {
            // A hash says nothing to people.
            let name = match key.as_str() {
                "target_sha256" => "pixels of the target",
                "wiring_sha256" => "links and mask",
                "start_sha256" => "initial weights",
                key => key.strip_prefix("pruned.").unwrap_or(key),
            };
            let [a, b] = [&a, &b].map(|side| side.get(key).cloned().unwrap_or_else(none));
            found.push([name.to_string(), a, b]);
        }
        for row in TrainConfig::settings() {
            let [a, b] = [&here, &there].map(|config| {
                row.path.split('.').try_fold(train(config)?, |at, key| at.get(key).cloned())
            });
            if a != b {
                let text = |value: toml::Value| row.text(&value).unwrap_or(value.to_string());
                let [a, b] = [a, b].map(|value| value.map_or_else(none, text));
                found.push([row.name.to_string(), a, b]);
            }
        }
        found
    }
}

/// The values of a table, by their paths.
fn leaves(path: &str, value: &toml::Value, into: &mut BTreeMap<String, String>) {
    match value {
        toml::Value::Table(table) => {
            table.iter().for_each(|(key, value)| leaves(&format!("{path}.{key}"), value, into));
        }
        toml::Value::String(hash) if path.ends_with("sha256") => {
            into.insert(path.into(), format!("sha256 {hash:.12}"));
        }
        toml::Value::String(text) => {
            into.insert(path.into(), text.clone());
        }
        other => {
            into.insert(path.into(), other.to_string());
        }
    }
}

/// A run that is ready to be trained.
#[derive(Clone, Debug)]
pub struct TrainJob {
    /// Its resolved config.
    pub config: RunConfig,
    /// Network, mask, pixels, target, start.
    pub problem: Problem,
    /// The genome of a graph wiring, kept in the folder so that the run can be loaded.
    pub genome: Option<Genome>,
    /// The genome that draws the target, kept in the folder: what a trained network is compared with.
    pub evolved: Option<Genome>,
    /// Whether the state at its end is kept, so that it can be gone on with for more steps.
    pub keeps_state: bool,
}

impl TrainJob {
    /// Resolves a job. `genome` is needed for graph wirings only.
    pub fn new(
        arm: &str,
        target: &Target,
        coords: Coords,
        (network, mask): (Network, Mask),
        start: Option<Weights>,
        genome: Option<&Genome>,
        train: TrainConfig,
    ) -> Self {
        let size = target.picture.width;
        let mut wiring = Sha256::new();
        for unit in &network.units {
            wiring.update(unit.activation.name());
            wiring.update((unit.links.len() as u64).to_le_bytes());
        }
        for (link, kept) in network.links.iter().zip(&mask.0) {
            wiring.update((link.source as u64).to_le_bytes());
            wiring.update([u8::from(*kept)]);
        }
        for input in network.inputs.iter().filter(|input| matches!(input, Input::Of(_))) {
            wiring.update(input.to_string());
        }
        // Hue, saturation and brightness stand in this order but in some graphs.
        let [h, s, v] = network.outputs;
        if !(h.is_some() && h < s && s < v) {
            wiring.update(serde_json::to_string(&network.outputs).expect("outputs are plain data"));
        }
        let config = RunConfig {
            arm: arm.to_string(),
            target: target.name.clone(),
            target_sha256: sha256_of_floats(&target.trained().rgb),
            size,
            coords,
            arch: network.arch.clone(),
            wiring_sha256: hex(&wiring.finalize()),
            start_sha256: start.as_ref().map(|w| sha256_of_floats(&w.0)),
            pruned: None,
            conditions: target.conditions().to_vec(),
            train,
        };
        let problem = Problem {
            network,
            mask,
            inputs: config.inputs(),
            target: target.trained().clone(),
            start,
        };
        TrainJob {
            config,
            problem,
            genome: genome.cloned(),
            evolved: target.genome.clone(),
            keeps_state: false,
        }
    }

    /// The same training from these weights.
    pub(crate) fn starting_from(mut self, start: Weights) -> Self {
        self.config.start_sha256 = Some(sha256_of_floats(&start.0));
        self.problem.start = Some(start);
        self
    }
}
