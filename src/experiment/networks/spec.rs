//! A networks study as its TOML file says it.

use super::super::spec::{SpecError, kind, parse, read};
use crate::network::Arch;
use crate::prune::{Method, Retrain};
use crate::train::{GradientRule, OptimizerConfig, init::Scheme, schedule::Shape};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// A networks study. Paths are relative to the folder that holds the spec's folder; one that begins
/// with `archive:` is relative to `PICLOOM_ARCHIVE`, and its target is left out where that is unset.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NetworksSpec {
    /// Always `networks`.
    pub kind: String,
    /// Name of the study: its folder under `runs/` and `figures/`.
    pub name: String,
    /// What is asked, in one sentence.
    pub question: String,
    /// Side of the pictures in pixels, 2 to 4096.
    pub size: usize,
    /// Optimizer steps of every training and retraining, ≥ 1.
    pub steps: u64,
    /// Steps between logged losses, ≥ 1. Default 100.
    #[serde(default = "hundred")]
    pub log_every: u64,
    /// Seeds of every trained arm.
    pub seeds: Vec<u64>,
    /// Weights perturbed in each network, sampled within layers; none: all.
    pub sample: Option<usize>,
    /// Wanted effect of a perturbation, RMSE. Default 0.18.
    #[serde(default = "effect")]
    pub effect: f64,
    /// R² at which training ends, so that arms are compared at equal fit; none: all steps are made.
    pub target_r2: Option<f64>,
    /// Depths: hidden layers added to the target's arch, for arms that are layered and not wired by
    /// the genome. Default: 0 only.
    #[serde(default = "zero")]
    pub offsets: Vec<i64>,
    /// A study whose record predicts the depth of every target with an arch, in place of the L given.
    pub depth_from: Option<String>,
    /// What is drawn by what.
    pub targets: Vec<TargetSpec>,
    /// What is done, in order.
    pub arms: Vec<ArmSpec>,
    /// Ways of training. Default: FER's recipe only.
    #[serde(default = "plain")]
    pub variants: Vec<VariantSpec>,
    /// Of which arms pictures are kept for figures (first seed, first variant), and of which also
    /// every unit's map.
    #[serde(default)]
    pub show: Show,
    /// Other sizes of the same study, by name.
    #[serde(default)]
    pub profiles: BTreeMap<String, Profile>,
}

fn hundred() -> u64 {
    100
}
fn effect() -> f64 {
    0.18
}
fn zero() -> Vec<i64> {
    vec![0]
}
fn plain() -> Vec<VariantSpec> {
    vec![VariantSpec { name: BASE.into(), ..VariantSpec::default() }]
}

/// The variant that changes nothing.
pub const BASE: &str = "base";

/// A picture to draw and the networks that are to draw it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TargetSpec {
    /// Its name in records and figures.
    pub name: String,
    /// Picture file, or a genome rendered in float. Default: the genome.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub picture: Option<PathBuf>,
    /// Genome whose wirings are trained; this or `arch`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub genome: Option<PathBuf>,
    /// Arch of the dense network instead of a genome.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arch: Option<Arch>,
}

/// How an arm is wired, if it is not pruned from another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ArmWiring {
    /// The evolved network itself, layered, not trained.
    Evolved,
    /// The genome's graph from random weights.
    Graph,
    /// The evolved network's non-zero links, layered, from random weights.
    Layerized,
    /// Every link of the layered network, from random weights.
    Dense,
}

/// One network of a chain.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ArmSpec {
    /// Its name in records and figures.
    pub name: String,
    /// How it is wired; this or `from`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub wiring: Option<ArmWiring>,
    /// The arm it is pruned from.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub from: Option<String>,
    /// How, as `{ name = "wanda", scope = "layer" }`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub method: Option<Method>,
    /// What is kept, level by level, each pruned from the one before.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub levels: Vec<Level>,
    /// Rounds that lead to a level, their counts in geometric steps. Default 1.
    #[serde(default = "one")]
    pub rounds: usize,
    /// Where retraining starts. Default `finetune`.
    #[serde(default)]
    pub retrain: Retrain,
    /// Steps of each retraining; 0: none. Default: the study's.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub steps: Option<u64>,
    /// Only at these depths. Default: all.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub offsets: Option<Vec<i64>>,
    /// Only in these variants. Default: all.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub variants: Option<Vec<String>>,
}

fn one() -> usize {
    1
}

/// How many links a level keeps. As text: `share:0.26`, `budget:470`, `threshold:0.35`, `match:sp`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Level {
    /// This share of the links of the network, rounded, in (0, 1].
    Share(f64),
    /// So many links.
    Budget(usize),
    /// Those whose score is at least this.
    Threshold(f64),
    /// As many as the same level of another arm of the chain kept.
    Match(String),
}

impl TryFrom<String> for Level {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let fail = || {
            format!(
                "expected share:S (0 < S <= 1), budget:K, threshold:T or match:ARM, found {text:?}"
            )
        };
        let (kind, value) = text.split_once(':').ok_or_else(fail)?;
        let number = || value.parse::<f64>().ok().filter(|v| v.is_finite());
        match kind {
            "share" => {
                number().filter(|s| *s > 0.0 && *s <= 1.0).map(Level::Share).ok_or_else(fail)
            }
            "budget" => value.parse().map(Level::Budget).map_err(|_| fail()),
            "threshold" => number().map(Level::Threshold).ok_or_else(fail),
            "match" if !value.is_empty() => Ok(Level::Match(value.into())),
            _ => Err(fail()),
        }
    }
}

impl From<Level> for String {
    fn from(level: Level) -> String {
        match level {
            Level::Share(s) => format!("share:{s}"),
            Level::Budget(k) => format!("budget:{k}"),
            Level::Threshold(t) => format!("threshold:{t}"),
            Level::Match(arm) => format!("match:{arm}"),
        }
    }
}

/// A way of training: what it changes of FER's recipe.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct VariantSpec {
    /// Its name in records and figures.
    pub name: String,
    /// Learning rate, > 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lr: Option<f64>,
    /// Course of the learning rate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schedule: Option<Shape>,
    /// Steps of linear warm-up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warm_up: Option<usize>,
    /// Where the cosine ends, as a share of the rate, in [0, 1].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub floor: Option<f64>,
    /// Distribution of the initial weights.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub init: Option<Scheme>,
    /// Factor on the initial weights, > 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub init_scale: Option<f64>,
    /// Share of the pixels that training sees, in (0, 1].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subsample: Option<f64>,
    /// Share of those pixels in a minibatch, in (0, 1].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub batch: Option<f64>,
    /// The optimizer, as text: `muon:steps=20`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub optimizer: Option<String>,
    /// What is done to the gradient.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gradient: Option<GradientRule>,
    /// Only at these depths. Default: all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offsets: Option<Vec<i64>>,
}

/// What pictures are kept.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Show {
    /// Arms whose changed weights are shown, `ARM` or `ARM-LEVEL`.
    pub arms: Vec<String>,
    /// Arms whose maps are shown too.
    pub maps: Vec<String>,
    /// Only at these depths. Default: all.
    pub offsets: Option<Vec<i64>>,
}

/// What a profile changes.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Profile {
    /// Instead of the study's.
    pub size: Option<usize>,
    /// Instead of the study's.
    pub steps: Option<u64>,
    /// Instead of the study's.
    pub seeds: Option<Vec<u64>>,
    /// Instead of the study's.
    pub sample: Option<usize>,
    /// Instead of the study's.
    pub target_r2: Option<f64>,
    /// Instead of the study's.
    pub offsets: Option<Vec<i64>>,
    /// Names of the targets kept. Default: all.
    pub targets: Option<Vec<String>>,
    /// Names of the variants kept. Default: all.
    pub variants: Option<Vec<String>>,
}

impl NetworksSpec {
    /// Reads and verifies a spec.
    ///
    /// # Errors
    /// Not readable, of another kind, unknown keys, values outside their range.
    pub fn read(path: &Path) -> Result<Self, SpecError> {
        let found = kind(path)?;
        if found.as_deref() != Some("networks") {
            return Err(SpecError::Kind {
                path: path.to_path_buf(),
                expected: "networks",
                found: found.map_or("none".into(), |kind| format!("{kind:?}")),
            });
        }
        let spec: NetworksSpec = parse(path, &read(path)?)?;
        match spec.problem() {
            None => Ok(spec),
            Some((key, expected, found)) => {
                Err(SpecError::Value { path: path.to_path_buf(), key, expected, found })
            }
        }
    }

    /// The first value outside its range: key, expected, found.
    fn problem(&self) -> Option<(String, String, String)> {
        let wrong = |key: &str, expected: &str, found: String| {
            Some((key.to_string(), expected.to_string(), found))
        };
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '_';
        let named = |name: &str| !name.is_empty() && name.chars().all(plain);
        if !named(&self.name) {
            let expected = "a folder name of a–z, 0–9, - and _";
            return wrong("name", expected, format!("{:?}", self.name));
        }
        let lists = [
            ("targets", self.targets.iter().map(|t| &t.name).collect()),
            ("arms", self.arms.iter().map(|a| &a.name).collect()),
            ("variants", self.variants.iter().map(|v| &v.name).collect()),
        ];
        for (key, names) in lists {
            let names: Vec<&String> = names;
            let different: BTreeSet<_> = names.iter().collect();
            if names.is_empty() || different.len() < names.len() {
                let expected = "at least one, with names of their own";
                return wrong(key, expected, format!("{names:?}"));
            }
            if let Some(name) = names.iter().find(|n| !named(n)) {
                return wrong(key, "names of a–z, 0–9, - and _", format!("{name:?}"));
            }
        }
        for target in &self.targets {
            let key = format!("target {}", target.name);
            if target.genome.is_some() == target.arch.is_some() {
                return wrong(&key, "one of genome and arch", "both or none".into());
            }
            if target.arch.is_some() && target.picture.is_none() {
                return wrong(&key, "a picture with an arch", "none".into());
            }
        }
        for (i, arm) in self.arms.iter().enumerate() {
            let key = format!("arm {}", arm.name);
            if arm.wiring.is_some() == arm.from.is_some() {
                return wrong(&key, "one of wiring and from", "both or none".into());
            }
            let earlier: Vec<&str> = self.arms[..i].iter().map(|a| a.name.as_str()).collect();
            let Some(from) = &arm.from else {
                if arm.method.is_some() || !arm.levels.is_empty() {
                    let expected = "method and levels with from only";
                    return wrong(&key, expected, "them with a wiring".into());
                }
                continue;
            };
            let parent = self.arms[..i].iter().find(|a| a.name == *from);
            if parent.is_none_or(|p| !matches!(p.wiring, Some(w) if w != ArmWiring::Evolved)) {
                let expected = format!("from = a trained arm before it ({earlier:?})");
                return wrong(&key, &expected, from.clone());
            }
            if arm.method.is_none() || arm.levels.is_empty() || arm.rounds == 0 {
                let expected = "a method, at least one level and one round";
                return wrong(&key, expected, format!("{} rounds", arm.rounds));
            }
            for level in &arm.levels {
                if let Level::Match(other) = level
                    && !earlier.contains(&other.as_str())
                {
                    let expected = format!("match: an arm before it ({earlier:?})");
                    return wrong(&key, &expected, other.clone());
                }
            }
        }
        for variant in &self.variants {
            if let Some(text) = &variant.optimizer
                && let Err(error) = text.parse::<OptimizerConfig>()
            {
                let key = format!("variant {}, optimizer", variant.name);
                return wrong(&key, "an optimizer", error.to_string());
            }
            for (name, share) in [("subsample", variant.subsample), ("batch", variant.batch)] {
                if let Some(share) = share
                    && !(share > 0.0 && share <= 1.0)
                {
                    let key = format!("variant {}, {name}", variant.name);
                    return wrong(&key, "a share in (0, 1]", share.to_string());
                }
            }
        }
        let numbers = |part: &str, profile: &Profile| {
            let key = |name: &str| format!("{part}{name}");
            if profile.size.is_some_and(|s| !(2..=4096).contains(&s)) {
                let found = format!("{:?}", profile.size);
                return wrong(&key("size"), "2 to 4096 pixels", found);
            }
            if profile.steps == Some(0) || profile.sample == Some(0) {
                return wrong(&key("steps, sample"), "at least 1", "0".into());
            }
            if profile.seeds.as_ref().is_some_and(Vec::is_empty)
                || profile.offsets.as_ref().is_some_and(Vec::is_empty)
            {
                return wrong(&key("seeds, offsets"), "at least one", "none".into());
            }
            if let Some(r2) = profile.target_r2
                && !(0.0..1.0).contains(&r2)
            {
                return wrong(&key("target_r2"), "a number in [0, 1)", r2.to_string());
            }
            let known = |names: Vec<&String>, chosen: &Option<Vec<String>>| {
                let wanted = chosen.iter().flatten();
                wanted
                    .into_iter()
                    .find(|n| !names.contains(n))
                    .map(|n| (format!("{names:?}"), n.clone()))
            };
            let targets = self.targets.iter().map(|t| &t.name).collect();
            let variants = self.variants.iter().map(|v| &v.name).collect();
            known(targets, &profile.targets)
                .or_else(|| known(variants, &profile.variants))
                .and_then(|(names, found)| wrong(&key("names"), &format!("some of {names}"), found))
        };
        let own = Profile {
            size: Some(self.size),
            steps: Some(self.steps),
            seeds: Some(self.seeds.clone()),
            sample: self.sample,
            target_r2: self.target_r2,
            offsets: Some(self.offsets.clone()),
            ..Profile::default()
        };
        if self.log_every == 0 {
            return wrong("log_every", "at least 1", "0".into());
        }
        if !(self.effect > 0.0 && self.effect < 1.0) {
            return wrong("effect", "a number in (0, 1)", self.effect.to_string());
        }
        let profiles = self.profiles.iter();
        numbers("", &own).or_else(|| {
            profiles
                .map(|(name, profile)| numbers(&format!("profile {name}, "), profile))
                .find_map(|p| p)
        })
    }
}
