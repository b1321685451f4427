//! What a networks study leaves: one row a network.

use super::spec::NetworksSpec;
use crate::experiment::study::Curve;
use crate::score::measures::modules::NetworkModules;
use crate::score::measures::sparsity::CompositionalSparsity;
use crate::score::measures::summary::Summary;
use crate::train::StopReason;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// `record.json` of a networks study. Equal plans give equal bytes; there are no wall times in it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NetworksRecord {
    /// `picloom-networks/1`.
    pub format: String,
    /// Name of the study.
    pub study: String,
    /// What is asked.
    pub question: String,
    /// The profile.
    pub profile: String,
    /// Side of the pictures in pixels.
    pub size: usize,
    /// Optimizer steps of every training.
    pub steps: u64,
    /// Weights perturbed in each network; none: all.
    pub sample: Option<usize>,
    /// Effect of a perturbation, RMSE.
    pub effect: f64,
    /// R² at which training ended; none: all steps were made.
    pub target_r2: Option<f64>,
    /// Name and version of the judge.
    pub judge: String,
    /// Names of the targets that were left out because `PICLOOM_ARCHIVE` was not set.
    pub left_out: Vec<String>,
    /// True if depths were predicted by another study, false if none of its networks had learned
    /// its picture, so that every arch kept its own; none if they are the spec's.
    pub predicted: Option<bool>,
    /// PNG bytes / raw bytes of every target at the study's size, by name.
    pub png_ratio: BTreeMap<String, f64>,
    /// One row a network, in the plan's order.
    pub rows: Vec<NetworkRow>,
}

/// One network of a study.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NetworkRow {
    /// Name of its target.
    pub target: String,
    /// Name of the way of training.
    pub variant: String,
    /// Hidden layers more than the reference's.
    pub offset: i64,
    /// L, its hidden layers (for a graph: units on the longest path, outputs not counted).
    pub layers: usize,
    /// Name of the arm.
    pub arm: String,
    /// Level of pruning, from 1; 0: not pruned.
    pub level: usize,
    /// Seed; none for the evolved network.
    pub seed: Option<u64>,
    /// What came out; none if it failed.
    pub result: Option<Box<NetworkResult>>,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub error: Option<String>,
}

/// What came out of one network.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NetworkResult {
    /// Id of its run; none for the evolved network.
    pub run_id: Option<String>,
    /// Links of the topology, W.
    pub links: usize,
    /// Links kept by the rule.
    pub kept: usize,
    /// Kept links on a path from an input to an output.
    pub alive: usize,
    /// Mean squared error to the target.
    pub mse: f64,
    /// R² to the target, ≤ 1.
    pub r2: f64,
    /// True if the fit passes the gate: only then the score counts.
    pub fit: bool,
    /// How training ended; none for the evolved network.
    pub train: Option<Training>,
    /// Weights that may be perturbed.
    pub non_zero: usize,
    /// Weights that were.
    pub perturbed: usize,
    /// Perturbations judged coherent.
    pub coherent: usize,
    /// Perturbations judged fractured.
    pub fractured: usize,
    /// Perturbations without effect.
    pub silent: usize,
    /// (coherent, fractured, silent) by layer of the perturbed weight, first hidden layer first.
    pub by_layer: Vec<(usize, usize, usize)>,
    /// Measures beside the score.
    pub measures: Summary,
    /// Depth and in-degrees of the alive part.
    pub sparsity: CompositionalSparsity,
    /// Modules in the sense of the theory; none for a graph.
    pub modules: Option<NetworkModules>,
    /// Pictures kept for figures.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub views: Option<Views>,
}

impl NetworkResult {
    /// The compositional score; none if nothing could be judged.
    pub fn score(&self) -> Option<f64> {
        let total = self.coherent + self.fractured;
        (total > 0).then(|| self.coherent as f64 / total as f64)
    }
}

/// How the training of a network went.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Training {
    /// Why it ended.
    #[serde(flatten)]
    pub stop: StopReason,
    /// Steps of the last attempt.
    pub steps: u64,
    /// Gradient evaluations of the last attempt.
    pub evaluations: u64,
    /// Attempts that collapsed before.
    pub collapses: usize,
    /// Plain MSE before the first step: for a pruned network what pruning alone did.
    pub first_loss: Option<f64>,
    /// Loss while training.
    pub curve: Curve,
}

/// Pictures of a network, files relative to the record's folder.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Views {
    /// PNG: what it draws, then what it draws after each of `changes`, side by side, S × S each.
    pub sweep: String,
    /// The changed weights, spread over the layers.
    pub changes: Vec<Change>,
    /// PNG: the map of every unit, side by side in rows of `per_row`, −1 black to 1 white.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub maps: Option<Maps>,
}

/// One changed weight of a [`Views`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Change {
    /// Number of the link.
    pub link: usize,
    /// Layer of its target.
    pub layer: usize,
    /// What was added to its weight.
    pub delta: f64,
    /// True if the picture was judged coherent.
    pub coherent: bool,
}

/// Feature maps as one picture.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Maps {
    /// The file.
    pub file: String,
    /// Side of a map in pixels.
    pub side: usize,
    /// Maps in a row.
    pub per_row: usize,
    /// Layer of each unit.
    pub layer: Vec<usize>,
    /// Activation of each unit.
    pub activation: Vec<String>,
    /// True for units on a path from an input to an output.
    pub alive: Vec<bool>,
}

/// A record that cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("{path}: expected a record of a networks study, found: {problem}")]
pub struct ReadRecordError {
    /// The file.
    pub path: PathBuf,
    /// What is wrong.
    pub problem: String,
}

pub(super) const FORMAT: &str = "picloom-networks/1";

fn compact(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("records are plain data")
}

impl NetworksRecord {
    /// A record without rows.
    pub(super) fn empty(spec: &NetworksSpec, profile: &str, judge: String) -> Self {
        NetworksRecord {
            format: FORMAT.into(),
            study: spec.name.clone(),
            question: spec.question.clone(),
            profile: profile.into(),
            size: spec.size,
            steps: spec.steps,
            sample: spec.sample,
            effect: spec.effect,
            target_r2: spec.target_r2,
            judge,
            left_out: Vec::new(),
            predicted: None,
            png_ratio: BTreeMap::new(),
            rows: Vec::new(),
        }
    }

    /// JSON, one network a line.
    pub fn to_json(&self) -> String {
        let rows: Vec<String> = self.rows.iter().map(compact).collect();
        let head = [
            ("format", compact(&self.format)),
            ("study", compact(&self.study)),
            ("question", compact(&self.question)),
            ("profile", compact(&self.profile)),
            ("size", compact(&self.size)),
            ("steps", compact(&self.steps)),
            ("sample", compact(&self.sample)),
            ("effect", compact(&self.effect)),
            ("target_r2", compact(&self.target_r2)),
            ("judge", compact(&self.judge)),
            ("left_out", compact(&self.left_out)),
            ("predicted", compact(&self.predicted)),
            ("png_ratio", compact(&self.png_ratio)),
        ];
        let mut json = String::from("{\n");
        for (key, value) in head {
            json += &format!("\"{key}\": {value},\n");
        }
        json + "\"rows\": [\n" + &rows.join(",\n") + "\n]\n}\n"
    }

    /// Reads a record.
    ///
    /// # Errors
    /// Not readable, or of another format.
    pub fn read(path: &Path) -> Result<Self, ReadRecordError> {
        let fail = |problem: String| ReadRecordError { path: path.to_path_buf(), problem };
        let text = std::fs::read_to_string(path).map_err(|e| fail(e.to_string()))?;
        let record: Self = serde_json::from_str(&text).map_err(|e| fail(e.to_string()))?;
        if record.format != FORMAT {
            let found = format!("format {:?}, expected {FORMAT:?}", record.format);
            return Err(fail(found));
        }
        Ok(record)
    }

    /// Names of the targets, in order.
    pub fn targets(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for row in &self.rows {
            if !names.contains(&row.target.as_str()) {
                names.push(&row.target);
            }
        }
        names
    }

    /// A table without curves and views, one row a network.
    pub fn to_csv(&self) -> String {
        let mut csv = String::from(
            "study,profile,target,variant,offset,layers,arm,level,seed,run_id,links,kept,alive,mse,r2,fit,steps,evaluations,collapses,first_loss,score,coherent,fractured,silent,interference,excess,roughness,duplicates,effective_fan_in,reuse,q_z,decoded,computing_depth,mean_in_degree,spanning_modules,error\n",
        );
        let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
        for row in &self.rows {
            let seed = row.seed.map_or(String::new(), |s| s.to_string());
            let some = |value: Option<f64>| value.map_or(String::new(), |v| v.to_string());
            let result = row.result.as_ref().map_or(",".repeat(24), |r| {
                let m = &r.measures;
                let train = r.train.as_ref();
                [
                    r.run_id.clone().unwrap_or_default(),
                    r.links.to_string(),
                    r.kept.to_string(),
                    r.alive.to_string(),
                    r.mse.to_string(),
                    r.r2.to_string(),
                    r.fit.to_string(),
                    train.map_or(String::new(), |t| t.steps.to_string()),
                    train.map_or(String::new(), |t| t.evaluations.to_string()),
                    train.map_or(String::new(), |t| t.collapses.to_string()),
                    some(train.and_then(|t| t.first_loss)),
                    some(r.score()),
                    r.coherent.to_string(),
                    r.fractured.to_string(),
                    r.silent.to_string(),
                    some(m.interference),
                    some(m.excess),
                    some(m.roughness),
                    m.duplicates.to_string(),
                    m.effective_fan_in.to_string(),
                    m.reuse.to_string(),
                    some(m.q_z),
                    some(m.decoded),
                    r.sparsity.computing_depth.to_string(),
                    r.sparsity.mean_in_degree.to_string(),
                ]
                .join(",")
            });
            let modules = row.result.as_ref().and_then(|r| r.modules.as_ref());
            csv += &format!(
                "{},{},{},{},{},{},{},{},{seed},{result},{},{}\n",
                self.study,
                self.profile,
                row.target,
                row.variant,
                row.offset,
                row.layers,
                row.arm,
                row.level,
                modules.map_or(String::new(), |m| m.spanning.to_string()),
                row.error.as_deref().map_or(String::new(), quoted),
            );
        }
        csv
    }
}
