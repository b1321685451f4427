//! The record of a networks study: one row a network.

use super::columns;
use crate::base::names::did_you_mean;
use crate::base::refusal::Refusal;
use crate::base::stats::{mean, mean_interval};
use crate::experiment::curve::Curve;
use crate::network::family::{Family, Support};
use crate::score::FIT_GATE;
use crate::score::measures::command::{Named, is_own_column};
use crate::score::measures::disentanglement::NULL;
use crate::score::measures::function::FunctionalModules;
use crate::score::measures::modules::NetworkModules;
use crate::score::measures::own;
use crate::score::measures::recombination::Recombination;
use crate::score::measures::sparsity::CompositionalSparsity;
use crate::score::measures::summary::Summary;
use crate::score::{Call, Calls};
use crate::study::record::Record;
use crate::study::spec::left_out;
use crate::train::StopReason;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// The record of a networks study. Equal plans give equal bytes; there are no wall times in it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NetworksRecord {
    /// `picloom-networks/1`.
    pub format: String,
    /// Name of the study.
    pub study: String,
    /// The question.
    pub question: String,
    /// The profile.
    pub profile: String,
    /// Side of the pictures in pixels.
    pub size: usize,
    /// Optimizer steps of every training.
    pub steps: u64,
    /// Weights perturbed in each network; `None` for all.
    pub sample: Option<usize>,
    /// Effect of a perturbation, RMSE.
    pub effect: f64,
    /// R² at which training ended; `None` if all steps were made.
    pub target_r2: Option<f64>,
    /// R² at which networks on their way were measured too.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub checkpoints: Vec<f64>,
    /// δ of the second score.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub fixed_delta: Option<f64>,
    /// Name and version of the judge.
    pub judge: String,
    /// Names of the targets that were left out because `PICLOOM_ARCHIVE` was not set.
    pub left_out: Vec<String>,
    /// True if depths were predicted by another study, false if none of its networks had learned
    /// its picture, so that every arch kept its own; `None` if they are the spec's.
    pub predicted: Option<bool>,
    /// L that every target of predicted depth would have had without: the median of those fitted to.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub constant: Option<usize>,
    /// PNG bytes / raw bytes of every target at the study's size, by name.
    pub png_ratio: BTreeMap<String, f64>,
    /// A hash of what decides each `target NAME` (its pixels and genome), `variant NAME`, `arm NAME` and `retry_lr`, so that
    /// rows are told from those of the same names and other settings; empty if that is not known.
    #[serde(skip_serializing_if = "BTreeMap::is_empty", default)]
    pub settings: BTreeMap<String, String>,
    /// Hash of the spec's contrasts as they stood when the result was written.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub rules: Option<String>,
    /// Defaults of every contrast of the spec; `picloom contrast` uses them too.
    #[serde(skip_serializing_if = "toml::Table::is_empty", default)]
    pub contrast_defaults: toml::Table,
    /// One row a network, in the plan's order.
    pub rows: Vec<NetworkRow>,
}

/// One network of a study.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NetworkRow {
    /// Name of its target.
    pub target: String,
    /// Numbers of the target: its complexity, and of its genome.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub about: Option<About>,
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
    /// Seed; `None` for the evolved network.
    pub seed: Option<u64>,
    /// The result; `None` if it failed or was not to be made.
    pub result: Option<Box<NetworkResult>>,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub error: Option<String>,
    /// Why it was not to be made, though nothing failed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub not_made: Option<String>,
}

/// Numbers of a target that are there before anything is trained.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct About {
    /// PNG bytes / raw bytes of the picture.
    pub png_ratio: f64,
    /// R² of the best function of one linear coordinate; `None` for a family, and in records that
    /// leave it out.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub one_coordinate: Option<f64>,
    /// Links of the genome's layered network that are not 0; `None` for a picture.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub evolved_links: Option<usize>,
    /// Generations that the genome says led to it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub generations: Option<u64>,
    /// Name of the family of pictures; `None` for a genome or picture.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub family: Option<Family>,
    /// Which combinations of its factors training saw.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub support: Option<Support>,
}

/// The result of one network.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NetworkResult {
    /// Id of its run; `None` for the evolved network, and in records that leave it out.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub run_id: Option<String>,
    /// Folder of its run, relative to the study's; `None` for the evolved network, and in records that leave it out.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub path: Option<String>,
    /// Links of the topology, W.
    pub links: usize,
    /// Links kept by the rule.
    pub kept: usize,
    /// Kept links on a path from an input to an output.
    pub alive: usize,
    /// Mean squared error to the target; NaN (in JSON null) of a network that diverged.
    #[serde(
        deserialize_with = "crate::base::text::number_or_null",
        default = "crate::base::text::nan"
    )]
    pub mse: f64,
    /// R² to the target, ≤ 1.
    pub r2: f64,
    /// True if the fit passes the gate: only then the score counts.
    pub fit: bool,
    /// How training ended; `None` for the evolved network.
    pub train: Option<Training>,
    /// Weights that may be perturbed.
    pub non_zero: usize,
    /// Weights that were.
    pub perturbed: usize,
    /// The compositional score with its 95 % interval; `None` if nothing could be judged.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub score: Option<Scored>,
    /// Perturbations judged clean.
    pub clean: usize,
    /// Perturbations of which the judge is not sure.
    pub unclear: usize,
    /// Perturbations judged damaged.
    pub damaged: usize,
    /// Perturbations without effect.
    pub silent: usize,
    /// Calls of the perturbations by layer of the perturbed weight, first hidden layer first.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub by_layer: Vec<Calls>,
    /// Measures beside the score.
    #[serde(default)]
    pub measures: Summary,
    /// Depth and in-degrees of the alive part; `None` in records that leave it out.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub sparsity: Option<CompositionalSparsity>,
    /// Modules in the sense of the theory; `None` for a graph, and in records that leave them out.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub modules: Option<NetworkModules>,
    /// How it draws combinations of factors that it was not trained on; `None` for a network of one
    /// picture.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub recombination: Option<Recombination>,
    /// Modules by function; `None` for networks with fewer than two units that change the picture.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub function: Option<FunctionalModules>,
    /// How it is organised, by measure: disentanglement, and where they were asked for those that the program has added;
    /// empty in records that leave it out.
    #[serde(skip_serializing_if = "BTreeMap::is_empty", default)]
    pub organisation: BTreeMap<String, f64>,
    /// Measures of one's own, by the names that the program gave.
    #[serde(skip_serializing_if = "BTreeMap::is_empty", default)]
    pub own: Named,
    /// Scores where its training first reached each R² of the spec's checkpoints, rising.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub reached: Vec<ReachedScore>,
    /// The same weights changed by a fixed δ.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub fixed: Option<Scored>,
    /// The mechanisms that may bias descent there, by measure, of those that the program has added.
    #[serde(skip_serializing_if = "BTreeMap::is_empty", default)]
    pub mechanisms: BTreeMap<String, Option<f64>>,
    /// Pictures kept for figures.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub views: Option<Views>,
}

impl NetworkResult {
    /// Whether the theory of sparse networks speaks of it: at most an eighth of its links, and R² ≥ .70.
    pub fn is_sparse_and_near(&self) -> bool {
        8 * self.kept <= self.links && self.r2 >= 0.7
    }

    /// The compositional score; `None` if nothing could be judged.
    pub fn score(&self) -> Option<f64> {
        self.score.map(|s| s.score)
    }

    /// Changes judged clean over judged ones, in [0, 1]; `None` if nothing could be judged.
    pub(crate) fn clean_share(&self) -> Option<f64> {
        self.score.and_then(|s| s.clean_share)
    }

    /// 95 % interval of the score.
    pub(crate) fn interval(&self) -> Option<(f64, f64)> {
        self.score.and_then(|s| s.low.zip(s.high))
    }
}

/// A score with its interval ([`CompositionalScore`](crate::score::CompositionalScore)).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scored {
    /// Mean P(clean).
    pub score: f64,
    /// Lower end; `None` if the sample was too small to tell, and in records that leave it out.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub low: Option<f64>,
    /// Upper end.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub high: Option<f64>,
    /// Changes judged clean over judged ones, in [0, 1]: the paper's score. `None` in records
    /// without it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub clean_share: Option<f64>,
}

impl Scored {
    /// Of a score; `None` if nothing was judged.
    pub(crate) fn of(found: &crate::score::CompositionalScore) -> Option<Self> {
        let (low, high) = found.interval.unzip();
        found.score.map(|score| Scored { score, low, high, clean_share: found.clean_share })
    }

    /// The mean over networks that differ in their seed only; `None` without networks. Its 95 %
    /// interval covers seeds and judge \[ours\]: Student's t over the scores, never narrower than
    /// the scores' own intervals allow.
    pub fn over_seeds(scores: &[Scored]) -> Option<Self> {
        let values: Vec<f64> = scores.iter().map(|s| s.score).collect();
        let (score, n) = (mean(&values).ok()?, values.len() as f64);
        // The networks' own errors are independent.
        let own = |side: &dyn Fn(&Scored) -> Option<f64>| {
            let sides: Option<Vec<f64>> = scores.iter().map(side).collect();
            Some(sides?.iter().map(|side| side * side).sum::<f64>().sqrt() / n)
        };
        let own = own(&|s| Some(s.score - s.low?)).zip(own(&|s| Some(s.high? - s.score)));
        let seeds = mean_interval(&values, 0.95).ok().map(|interval| interval.high - score);
        let sides = match (own, seeds) {
            (Some((below, above)), Some(half)) => Some((below.max(half), above.max(half))),
            (own, half) => own.or(half.map(|half| (half, half))),
        };
        let (low, high) = sides
            .map(|(below, above)| ((score - below).max(0.0), (score + above).min(1.0)))
            .unzip();
        let shares: Option<Vec<f64>> = scores.iter().map(|s| s.clean_share).collect();
        let clean_share = shares.and_then(|shares| mean(&shares).ok());
        Some(Scored { score, low, high, clean_share })
    }
}

/// A network on its way: where its training first reached an R².
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReachedScore {
    /// The level asked for.
    pub level: f64,
    /// R² there, at least that. This and the next: none in records that leave them out.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub r2: Option<f64>,
    /// Steps that led there.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub step: Option<u64>,
    /// Its score; `None` if nothing could be judged.
    pub score: Option<Scored>,
    /// The mechanisms that may bias descent there, by measure, of those that the program has added.
    #[serde(skip_serializing_if = "BTreeMap::is_empty", default)]
    pub mechanisms: BTreeMap<String, Option<f64>>,
    /// Measures of one's own there.
    #[serde(skip_serializing_if = "BTreeMap::is_empty", default)]
    pub own: Named,
}

/// How the training of a network went.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Training {
    /// Why it ended.
    #[serde(flatten)]
    pub stop: StopReason,
    /// Steps of the last attempt.
    pub steps: u64,
    /// Gradient evaluations of the last attempt; of an evolution strategy, losses.
    pub evaluations: u64,
    /// Attempts that collapsed; the last one too, if it is why training ended.
    pub collapses: usize,
    /// Plain MSE before the first step: for a pruned network what pruning alone did. None also in records that leave it out.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub first_loss: Option<f64>,
    /// Loss while training.
    #[serde(skip_serializing_if = "Curve::is_empty", default)]
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

impl Views {
    /// Its files, by their path beside the record.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        [Some(&self.sweep), self.maps.as_ref().map(|maps| &maps.file)]
            .into_iter()
            .flatten()
            .map(String::as_str)
    }
}

/// One changed weight of a [`Views`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Change {
    /// Number of the link.
    pub link: usize,
    /// Layer of its target.
    pub layer: usize,
    /// The change of its weight.
    pub delta: f64,
    /// True if the picture was judged clean.
    pub clean: bool,
    /// True if the judge was not sure.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub unclear: bool,
}

impl Change {
    /// The judge's call on the picture.
    pub fn call(&self) -> Call {
        match (self.clean, self.unclear) {
            (true, _) => Call::Clean,
            (false, true) => Call::Unclear,
            (false, false) => Call::Damaged,
        }
    }
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

impl NetworksRecord {
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

    /// Arms that start from the evolved weights with noise, least first, with how much: `noise-40` has .4.
    pub fn noisy(&self) -> Vec<(f64, &str)> {
        let mut found: Vec<(f64, &str)> = Vec::new();
        for row in &self.rows {
            let percent = row.arm.strip_prefix("noise-").and_then(|p| p.parse::<f64>().ok());
            if let Some(share) = percent.map(|percent| percent / 100.0)
                && found.iter().all(|f| f.1 != row.arm)
            {
                found.push((share, &row.arm));
            }
        }
        found.sort_by(|a, b| a.0.total_cmp(&b.0));
        found
    }
}

/// A row of the table for a network on its way, measured at `reached`; the design is that of its `row`.
fn on_the_way(row: &Value, reached: Option<&mut Map<String, Value>>) -> Value {
    let reached = reached.map(std::mem::take).unwrap_or_default();
    let of = |key: &str| reached.get(key).cloned().unwrap_or_default();
    let result = &row["result"];
    let level = of("level").as_f64().unwrap_or(f64::NAN);
    let mut at = row.clone();
    at["at"] = of("level");
    at["result"] = json!({
        "links": result["links"],
        "kept": result["kept"],
        "alive": result["alive"],
        "r2": of("r2"),
        "fit": level >= FIT_GATE,
        "train": { "steps": of("step") },
        "score": of("score"),
        "mechanisms": of("mechanisms"),
        "own": of("own"),
    });
    computed(&mut at);
    at
}

/// Columns that are computed from others and not read.
const COMPUTED: [&str; 3] = ["share", "times", "harmless"];

/// Adds what the kept links are of all links and of those of the evolved network, and how many of all changes do no harm.
fn computed(row: &mut Value) {
    let of = |key: &str| row["result"][key].as_f64();
    let [clean, unclear, damaged, silent] = ["clean", "unclear", "damaged", "silent"].map(of);
    let harmless = clean.zip(silent).map(|(clean, silent)| clean + silent);
    let harmful = unclear.zip(damaged).map(|(unclear, damaged)| unclear + damaged);
    let all = harmless.zip(harmful).map(|(harmless, harmful)| harmless + harmful);
    let shares = [
        of("kept").zip(of("links")),
        of("kept").zip(row["about"]["evolved_links"].as_f64()),
        harmless.zip(all.filter(|all| *all > 0.0)),
    ];
    for (name, share) in COMPUTED.into_iter().zip(shares) {
        if let Some((part, whole)) = share {
            row[name] = json!(crate::study::record::six_digits(part / whole));
        }
    }
}

impl NetworksRecord {
    /// Every column that a table of networks can have, in order, with its meaning: the study's own, and those of the
    /// measures that the program has added.
    pub fn columns() -> Vec<(&'static str, &'static str)> {
        let mut all = columns::COLUMNS.to_vec();
        for column in own::columns() {
            let before = column.before.and_then(|name| all.iter().position(|one| one.0 == name));
            all.insert(before.unwrap_or(all.len()), (column.name, column.says));
        }
        all
    }

    /// The names of the columns, also of those whose meaning an added measure would say.
    fn column_names() -> Vec<&'static str> {
        let named = columns::NAMES.iter().map(|one| one.1);
        Self::columns().into_iter().map(|column| column.0).chain(named).collect()
    }

    /// Whether a table of networks can have this column: a measure's own, or that of its shuffled weights.
    pub fn has_column(name: &str) -> bool {
        let of = name.strip_suffix(NULL).unwrap_or(name);
        is_own_column(name)
            || Self::column_names().into_iter().any(|known| known == name || known == of)
    }

    /// Refuses a column that no table of networks has, or none but that of a study with a `measure`; `at` is where it is
    /// named.
    ///
    /// # Errors
    /// It has not: the nearest name.
    pub(crate) fn check_column(at: String, name: &str, measured: bool) -> Result<(), Refusal> {
        let near = || match is_own_column(name) {
            true => " in a study without `measure`".into(),
            false => did_you_mean(name, Self::column_names()),
        };
        let expected = "a column of the table (docs/COLUMNS.md)";
        match Self::has_column(name) && (measured || !is_own_column(name)) {
            true => Ok(()),
            false => Err(Refusal::new(at, expected, format!("{name:?}{}", near()))),
        }
    }
}

impl Record for NetworksRecord {
    const FORMAT: &'static str = "picloom-networks/1";

    const LISTS: &'static [&'static str] = &["rows"];

    const PREFIXES: &'static [&'static str] =
        &["result.", "train.", "measures.", "organisation.", "values."];

    const NAMES: &'static [(&'static str, &'static str)] = columns::NAMES;

    /// What some networks have and others have not: tables of all studies have these columns.
    const ALWAYS: &'static [&'static str] = &[
        "at",
        "about.evolved_links",
        "about.generations",
        "times",
        "result.train.curve.evaluations",
        "not_made",
        "error",
    ];

    const COLUMNS: &'static [(&'static str, &'static str)] = columns::COLUMNS;

    fn describe(name: &str, _path: &str) -> Option<(usize, &'static str)> {
        let all = Self::columns();
        let of = |name: &str| all.iter().position(|column| column.0 == name);
        if is_own_column(name) {
            return Some((all.len(), "A number of the study's own `measure`."));
        }
        let own = of(name).map(|at| (at, all[at].1));
        own.or_else(|| {
            let says = "The same of the same links, their weights shuffled within layers; mean of ten such networks.";
            Some((of(name.strip_suffix(NULL)?)?, says))
        })
    }

    /// The network at the end of training, then on its way.
    fn spread(mut row: Value) -> Vec<Value> {
        let reached = match row["result"].as_object_mut() {
            Some(result) => result.remove("reached"),
            None => None,
        };
        let mut rows = vec![];
        if let Some(Value::Array(reached)) = reached {
            rows.extend(reached.into_iter().map(|mut at| on_the_way(&row, at.as_object_mut())));
        }
        computed(&mut row);
        rows.insert(0, row);
        rows
    }

    fn gather(rows: Vec<Value>) -> Vec<Value> {
        let mut networks: Vec<Value> = Vec::new();
        for mut row in rows {
            match (row["at"].take(), networks.last_mut()) {
                (Value::Null, _) | (_, None) => {
                    if let Some(fields) = row.as_object_mut() {
                        fields.remove("at");
                        COMPUTED.iter().for_each(|name| drop(fields.remove(*name)));
                    }
                    networks.push(row);
                }
                (level, Some(network)) => {
                    let result = &mut row["result"];
                    let mut at = json!({ "level": level });
                    for (key, value) in [
                        ("r2", result["r2"].take()),
                        ("step", result["train"]["steps"].take()),
                        ("score", result["score"].take()),
                        ("mechanisms", result["mechanisms"].take()),
                        ("own", result["own"].take()),
                    ] {
                        if !value.is_null() {
                            at[key] = value;
                        }
                    }
                    match &mut network["result"]["reached"] {
                        Value::Array(reached) => reached.push(at),
                        none => *none = json!([at]),
                    }
                }
            }
        }
        networks
    }

    fn findings(&self) -> Value {
        json!({ "networks": self.rows.len(), "left_out": self.left_out })
    }

    /// Mean scores over seeds, fit networks only.
    fn summary(&self) -> String {
        let mut groups: Vec<(String, usize, Vec<&NetworkResult>)> = Vec::new();
        for row in &self.rows {
            let level = match row.level {
                0 => String::new(),
                level => format!("-{level}"),
            };
            let name = format!(
                "{:<16} {:<14} {:>2} {:<22}",
                row.target,
                row.variant,
                row.layers,
                format!("{}{level}", row.arm)
            );
            let at = groups.iter().position(|g| g.0 == name).unwrap_or_else(|| {
                groups.push((name, 0, Vec::new()));
                groups.len() - 1
            });
            groups[at].1 += 1;
            groups[at].2.extend(row.result.as_deref());
        }
        let mut text = format!(
            "{:<16} {:<14} {:>2} {:<22} {:>6} {:>6} {:>7} {:>8} {:>6} 95 % of score\n",
            "target", "training", "L", "network", "score", "clean", "fit", "alive", "R²"
        );
        // Means over those that there are: a network that failed has neither score nor links.
        let told = |values: Vec<f64>, decimals: usize| {
            mean(&values).map_or("-".into(), |value| format!("{value:.decimals$}"))
        };
        for (name, all, results) in groups {
            let of = |value: fn(&NetworkResult) -> f64| results.iter().map(|r| value(r)).collect();
            let fit: Vec<&&NetworkResult> = results.iter().filter(|r| r.fit).collect();
            let scores: Vec<Scored> = fit.iter().filter_map(|r| r.score).collect();
            let score = Scored::over_seeds(&scores);
            let interval = score.and_then(|s| s.low.zip(s.high));
            let interval =
                interval.map_or(String::new(), |(low, high)| format!(" [{low:.2}, {high:.2}]"));
            let clean = told(fit.iter().filter_map(|r| r.clean_share()).collect(), 2);
            let fit = format!("{}/{all}", fit.len());
            let (alive, r2) = (told(of(|r| r.alive as f64), 0), told(of(|r| r.r2), 3));
            let score = score.map_or("-".into(), |score| format!("{:.2}", score.score));
            text +=
                &format!("{name} {score:>6} {clean:>6} {fit:>7} {alive:>8} {r2:>6}{interval}\n");
        }
        text += &left_out(&self.left_out);
        text
    }
}
