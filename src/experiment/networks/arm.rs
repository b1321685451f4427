//! An arm of a networks study: one network of every chain, as the TOML file says it.

use crate::base::refusal::Refusal;
use crate::base::settings::{Overlay, of_file};
use crate::experiment::target_spec::{FamilySpec, TargetSpec, check_size};
use crate::genome::Inputs;
use crate::network::family::Family;
use crate::network::{TrainedWiring, Transform};
use crate::prune::schedule::rounds_to;
use crate::prune::{Method, Need, Orphans, Retrain, Rule};
use crate::study::spec::seeds;
use crate::train::{OptimizerConfig, TrainConfig};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

/// How an arm is wired, if it is not pruned from another. As text `evolved` or a [`TrainedWiring`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum ArmWiring {
    /// The evolved network itself, layered, not trained.
    Evolved,
    /// Trained from random weights.
    Trained(TrainedWiring),
}

impl ArmWiring {
    /// Every link of the layered network, from random weights.
    pub(crate) const DENSE: Self = ArmWiring::Trained(TrainedWiring::Dense);

    /// The evolved network's non-zero links, layered, from random weights.
    pub(crate) const LAYERIZED: Self = ArmWiring::Trained(TrainedWiring::Layerized);
}

impl ArmWiring {
    /// Whether its networks have layers.
    pub(crate) fn is_layered(self) -> bool {
        !matches!(self, ArmWiring::Trained(TrainedWiring::Graph))
    }
}

impl TryFrom<String> for ArmWiring {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let trained = || text.parse().map(ArmWiring::Trained);
        let all = TrainedWiring::CHOICES;
        let wrong = |_| format!("wiring: expected evolved, {all}, found {text:?}");
        match text.as_str() {
            "evolved" => Ok(ArmWiring::Evolved),
            _ => trained().map_err(wrong),
        }
    }
}

impl From<ArmWiring> for String {
    fn from(wiring: ArmWiring) -> String {
        match wiring {
            ArmWiring::Evolved => "evolved".into(),
            ArmWiring::Trained(wiring) => wiring.to_string(),
        }
    }
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
    /// It starts from the evolved weights, each with normal noise added whose standard deviation is this
    /// times their root mean square, ≥ 0; for `wiring = "layerized"`. Default: from random weights.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub noise: Option<f64>,
    /// Times the units of the target's arch in every hidden layer, above 0; for `wiring = "dense"`. Default: 1.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub width: Option<f64>,
    /// Its inputs, as `["abs(x)", "y", "d", "bias"]` (METHODS §1); for `wiring = "dense"`. Default: those of the
    /// target's arch.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub inputs: Option<Inputs>,
    /// Families that it learns first, one after the other, each with the arm's settings and steps, from random weights;
    /// its own picture follows from the weights that are then there. For `wiring = "dense"`. Its own family is left
    /// out, and so are those with another number of factors.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub pretrain: Vec<FamilySpec>,
    /// The arm it is pruned from. Without method and transform: the arm, or `ARM-LEVEL`, whose network is trained on,
    /// with this arm's settings and steps.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub from: Option<String>,
    /// Side in pixels of the pictures that it is trained on and measured at, 2 to 4096; with a wiring, or where it is
    /// trained on. Default: the study's.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub size: Option<usize>,
    /// Instead of pruning: how that network is reorganised or spoilt, without training, as `"mix:45"`
    /// ([`Transform`]). `from` may then be the evolved network.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub transform: Option<Transform>,
    /// How, as `"wanda:scope=layer"` or `{ name = "wanda", scope = "layer" }`.
    #[serde(skip_serializing_if = "Option::is_none", default, deserialize_with = "method")]
    pub method: Option<Method>,
    /// Links to keep, level by level, each level pruned from the one before. With a wiring that is
    /// drawn after a genome (`layerized`, `rewired`, `connected`, `random`): `evolved:M` only, each
    /// level a network of its own.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub levels: Vec<Level>,
    /// Rounds that lead to a level, their counts in geometric steps. Default: 1; `imp` as many as its published
    /// schedule takes, 5 % of the links a round.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub rounds: Option<usize>,
    /// Only if the network that it is pruned from learned the picture (R² ≥ .95). Default: in any case.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub if_learned: bool,
    /// Where retraining starts: `finetune`, `rewind`, `rewind:STEP`, `reinit`. Default: `finetune`; `imp` and
    /// `sparse-training` rewind to the first weights.
    #[serde(skip_serializing_if = "Option::is_none", default, deserialize_with = "retrain")]
    pub retrain: Option<Retrain>,
    /// Steps of each retraining; 0: none. Default: the study's.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub steps: Option<u64>,
    /// Overrides the variant's optimizer: `muon:steps=20`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub optimizer: Option<String>,
    /// Its other settings of training, in place of those of the way of training.
    #[serde(skip_serializing_if = "Overlay::is_empty", default)]
    pub train: Overlay<TrainConfig>,
    /// How links on no path are treated. Default `drop`; `refill`: living links are equal across
    /// arms.
    #[serde(skip_serializing_if = "is_dropped", default)]
    pub orphans: Orphans,
    /// Only at these depths. Default: all.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub offsets: Option<Vec<i64>>,
    /// Only in these variants. Default: all.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub variants: Option<Vec<String>>,
    /// Only on these targets. Default: all.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub targets: Option<Vec<String>>,
    /// Only with these seeds. Default: all.
    #[serde(skip_serializing_if = "Option::is_none", default, deserialize_with = "some_seeds")]
    pub seeds: Option<Vec<u64>>,
}

fn some_seeds<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Vec<u64>>, D::Error> {
    seeds(from).map(Some)
}

/// Reads it as text or as a table, `{ rewind = { step = 0 } }`.
fn retrain<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Retrain>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged, expecting = "expected finetune, rewind, rewind:STEP or reinit")]
    enum Written {
        Text(String),
        Table(Retrain),
    }
    match Written::deserialize(from)? {
        Written::Text(text) => text.parse().map(Some).map_err(D::Error::custom),
        Written::Table(retrain) => Ok(Some(retrain)),
    }
}

fn is_dropped(orphans: &Orphans) -> bool {
    *orphans == Orphans::Drop
}

/// How many links a level keeps. As text: `share:0.26`, `budget:470`, `evolved:2`, `threshold:0.35`, `match:sp`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Level {
    /// This share of the links of the network, rounded, in (0, 1].
    Share(f64),
    /// So many links.
    Budget(usize),
    /// So many times the links of the evolved network, rounded, or all that there are; of a target with a genome.
    Evolved(f64),
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
                "expected share:S (0 < S <= 1), budget:K, evolved:M (M > 0), threshold:T or match:ARM, found {text:?}"
            )
        };
        let (kind, value) = text.split_once(':').ok_or_else(fail)?;
        let number = || value.parse::<f64>().ok().filter(|v| v.is_finite());
        match kind {
            "share" => {
                number().filter(|s| *s > 0.0 && *s <= 1.0).map(Level::Share).ok_or_else(fail)
            }
            "budget" => value.parse().map(Level::Budget).map_err(|_| fail()),
            "evolved" => number().filter(|m| *m > 0.0).map(Level::Evolved).ok_or_else(fail),
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
            Level::Evolved(m) => format!("evolved:{m}"),
            Level::Threshold(t) => format!("threshold:{t}"),
            Level::Match(arm) => format!("match:{arm}"),
        }
    }
}

impl ArmSpec {
    /// Refuses an arm that cannot be made of those `before` it.
    pub(super) fn check(&self, before: &[ArmSpec]) -> Result<(), Refusal> {
        let key = format!("arm {}", self.name);
        let one = self.wiring.is_some() != self.from.is_some();
        Refusal::unless(one, &key, "one of wiring and from", "both or none")?;
        if let Some(noise) = self.noise {
            let fits = noise.is_finite() && noise >= 0.0;
            let expected = "noise: a number of at least 0, with wiring = \"layerized\"";
            let fits = fits && self.wiring == Some(ArmWiring::LAYERIZED);
            let wiring = self.wiring.map_or("no wiring".into(), String::from);
            Refusal::unless(fits, &key, expected, format!("{noise} with {wiring}"))?;
        }
        if let Some(width) = self.width {
            let fits = width.is_finite() && (0.1..=16.0).contains(&width);
            let fits = fits && self.wiring == Some(ArmWiring::DENSE);
            let expected = "width: a number in [0.1, 16], with wiring = \"dense\"";
            let wiring = self.wiring.map_or("no wiring".into(), String::from);
            Refusal::unless(fits, &key, expected, format!("{width} with {wiring}"))?;
        }
        if let Some(inputs) = &self.inputs {
            let fits = self.wiring == Some(ArmWiring::DENSE);
            let expected =
                "inputs with wiring = \"dense\" only: other networks have their genome's";
            Refusal::unless(fits, &key, expected, inputs)?;
        }
        if !self.pretrain.is_empty() {
            let fits = self.wiring == Some(ArmWiring::DENSE);
            Refusal::unless(
                fits,
                &key,
                "pretrain with wiring = \"dense\" only",
                "it with another",
            )?;
            for family in &self.pretrain {
                let place = format!("{key}, pretrain");
                Refusal::unless(family.name.is_some(), &place, "families by name", "one without")?;
                family.check(&place)?;
            }
        }
        if let Some(size) = self.size {
            check_size(size).map_err(|refusal| refusal.prefixed(&format!("{key}, ")))?;
            let fits = self.from.is_none() || self.trains_on();
            let expected = "size with a wiring, or with from alone";
            Refusal::unless(fits, &key, expected, "it with a method or a transform")?;
        }
        let asks = self.if_learned && self.from.is_none();
        Refusal::unless(!asks, &key, "if_learned with from only", "it with a wiring")?;
        check_optimizer(&key, self.optimizer.as_deref())?;
        check_settings(&format!("{key}, "), &self.train)?;
        let Some(from) = &self.from else {
            let alone = self.method.is_none() && self.transform.is_none();
            let expected = "method and transform with from only";
            Refusal::unless(alone, &key, expected, "one with a wiring")?;
            let fits = self.wirings().len() == self.levels.len().max(1)
                && self.levels.is_sorted_by(|a, b| level_times(a) < level_times(b));
            let expected = "levels evolved:M, rising, M at least 1, of layerized, rewired, connected or random";
            return Refusal::unless(fits, &key, expected, levels_text(&self.levels));
        };
        let names: Vec<&str> = before.iter().map(|a| a.name.as_str()).collect();
        if self.trains_on() {
            let parent = self.parent(before);
            let layered = |arm: &ArmSpec| match arm.wiring {
                Some(wiring) => wiring != ArmWiring::Evolved && wiring.is_layered(),
                None => arm.method.is_some(),
            };
            let expected = format!(
                "a method to prune with, or from = a layered trained arm before it, ARM or ARM-LEVEL ({names:?})"
            );
            let fits = parent.is_some_and(|(arm, _)| layered(arm));
            return Refusal::unless(fits, &key, expected, from);
        }
        let parent = before.iter().find(|a| a.name == *from && a.levels.is_empty());
        let sized = parent.and_then(|arm| arm.size);
        let expected = "from = an arm of the study's size";
        Refusal::unless(sized.is_none(), &key, expected, format!("{from}, of its own"))?;
        if self.transform.is_some() {
            let layered = parent.and_then(|a| a.wiring).is_some_and(ArmWiring::is_layered);
            let expected = format!("from = a layered arm before it that is wired ({names:?})");
            Refusal::unless(layered, &key, expected, from)?;
            let alone = self.method.is_none() && self.levels.is_empty() && self.steps.is_none();
            let alone = alone && self.optimizer.is_none() && self.train.is_empty();
            let expected =
                "transform without method, levels and settings of training: nothing is trained";
            return Refusal::unless(alone, &key, expected, "both");
        }
        let trained = |a: &ArmSpec| a.wiring.is_some_and(|w| w != ArmWiring::Evolved);
        let expected = format!("from = a trained arm before it without levels ({names:?})");
        Refusal::unless(parent.is_some_and(trained), &key, expected, from)?;
        let whole = self.method.is_some() && !self.levels.is_empty() && self.rounds != Some(0);
        let expected = "a method, at least one level and one round";
        let rounds = self.rounds.unwrap_or(1);
        Refusal::unless(whole, &key, expected, format!("{rounds} rounds"))?;
        let tuned = self.method.is_some_and(|method| method.is_lottery())
            && self.retrain == Some(Retrain::Finetune);
        let expected =
            "rewind or reinit with imp; magnitude chooses the same links and is fine-tuned";
        Refusal::unless(!tuned, format!("{key}, retrain"), expected, "finetune")?;
        for (i, level) in self.levels.iter().enumerate() {
            if let Level::Match(other) = level {
                let found = before.iter().find(|arm| arm.name == *other);
                let expected = format!("match: an arm before it ({names:?})");
                Refusal::unless(found.is_some(), &key, expected, other)?;
                let pruned = found.filter(|arm| arm.from.is_some());
                let levels = pruned.map_or(0, |arm| arm.levels.len());
                let expected = format!("match: an arm with {} levels or more", i + 1);
                Refusal::unless(i < levels, &key, expected, format!("{other}, with {levels}"))?;
            }
            let grows = match (level, self.levels[..i].last()) {
                (Level::Budget(0), _) => true,
                (Level::Share(now), Some(Level::Share(before))) => now > before,
                (Level::Budget(now), Some(Level::Budget(before))) => now > before,
                (Level::Evolved(now), Some(Level::Evolved(before))) => now > before,
                _ => false,
            };
            let expected = "levels of one link or more, none above the one before";
            Refusal::unless(!grows, &key, expected, levels_text(&self.levels))?;
        }
        if self.copies() {
            let one = matches!(&self.levels[0], Level::Match(_))
                && self.levels.iter().all(|level| *level == self.levels[0])
                && self.rounds.unwrap_or(1) == 1;
            let expected = "every level to match the same arm, in one round each";
            Refusal::unless(one, &key, expected, levels_text(&self.levels))?;
        }
        Ok(())
    }

    /// With rounds and retraining said: where the spec leaves them out, those of its method as it was published. The
    /// rounds of a lottery ticket stay unsaid, for they follow from the links of its parent.
    pub(super) fn resolved(mut self) -> Self {
        let retrain = self.method.map_or(Retrain::Finetune, |method| method.retrain());
        self.retrain.get_or_insert(retrain);
        if !self.method.is_some_and(|method| method.is_lottery()) {
            self.rounds.get_or_insert(1);
        }
        self
    }

    /// Whether its networks are trained; the evolved one and transformed ones are not.
    pub(super) fn is_trained(&self) -> bool {
        self.wiring != Some(ArmWiring::Evolved) && self.transform.is_none()
    }

    /// Whether it goes on training another arm's network, with the links that are there.
    pub(super) fn trains_on(&self) -> bool {
        let alone = self.method.is_none() && self.transform.is_none() && self.levels.is_empty();
        alone && self.from.is_some()
    }

    /// The arm among `arms` that it comes from, and the level of it, 0 without levels; `None` if it is not there.
    pub(super) fn parent<'a>(&self, arms: &'a [ArmSpec]) -> Option<(&'a ArmSpec, usize)> {
        let from = self.from.as_ref()?;
        let level =
            |arm: &ArmSpec| levels(arm).find(|&level| level_name(&arm.name, level) == *from);
        arms.iter().find_map(|arm| Some((arm, level(arm)?)))
    }

    /// The rounds that lead from `from` links to `budget`.
    pub(super) fn rounds_to(&self, from: usize, budget: usize) -> Vec<Rule> {
        rounds_to(self.method.expect("verified: a method"), self.rounds, from, budget)
    }

    /// Its wiring at a level; `None` if the wiring has no such level.
    fn wired_at(&self, level: &Level) -> Option<ArmWiring> {
        match (self.wiring, level) {
            (Some(ArmWiring::Trained(wiring)), Level::Evolved(times)) => {
                wiring.times(*times).map(ArmWiring::Trained)
            }
            _ => None,
        }
    }

    /// The networks of an arm without a parent: level (0: there are none) and wiring.
    pub(super) fn wirings(&self) -> Vec<(usize, ArmWiring)> {
        match self.wiring {
            Some(wiring) if self.levels.is_empty() => vec![(0, wiring)],
            _ => (1..).zip(self.levels.iter().filter_map(|level| self.wired_at(level))).collect(),
        }
    }

    /// True if it is made after a genome: a picture alone has none.
    pub(super) fn needs_genome(&self) -> bool {
        self.levels.iter().any(|level| matches!(level, Level::Evolved(_)))
            || matches!(self.method, Some(Method::Evolved(_)))
    }

    /// The families that it learns before a target's, in turn.
    pub(super) fn pretrained_on<'a>(
        &'a self,
        target: &TargetSpec,
        factors: usize,
    ) -> impl Iterator<Item = (Family, &'a FamilySpec)> {
        let own = target.family.as_ref().and_then(|family| family.name);
        let named = self.pretrain.iter().filter_map(|spec| Some((spec.name?, spec)));
        named.filter(move |(name, _)| Some(*name) != own && name.factors().len() == factors)
    }

    /// True if its method copies something of another arm's masks.
    pub(super) fn copies(&self) -> bool {
        self.method.is_some_and(|method| method.row().needs.contains(&Need::Pattern))
    }
}

/// The levels of an arm, from 1; 0 alone if it is not pruned.
pub(super) fn levels(arm: &ArmSpec) -> std::ops::RangeInclusive<usize> {
    match arm.levels.len() {
        0 => 0..=0,
        levels => 1..=levels,
    }
}

/// `ARM`, or `ARM-LEVEL` of a level from 1.
pub(super) fn level_name(arm: &str, level: usize) -> String {
    match level {
        0 => arm.to_string(),
        level => format!("{arm}-{level}"),
    }
}

/// M of `evolved:M`; `None` for other levels.
fn level_times(level: &Level) -> Option<f64> {
    match level {
        Level::Evolved(times) => Some(*times),
        _ => None,
    }
}

/// Levels as a spec writes them.
fn levels_text(levels: &[Level]) -> String {
    let texts: Vec<String> = levels.iter().cloned().map(String::from).collect();
    texts.join(", ")
}

fn check_optimizer(key: &str, text: Option<&str>) -> Result<(), Refusal> {
    match text.map(str::parse::<OptimizerConfig>) {
        Some(Err(error)) => {
            let key = format!("{key}, optimizer");
            Err(Refusal::new(key, "an optimizer", error.to_string()))
        }
        _ => Ok(()),
    }
}

/// Settings of training that a spec says in another way: how.
pub(super) const ELSEWHERE: [(&str, &str); 4] = [
    ("steps", "steps of the study"),
    ("seed", "seeds of the study"),
    ("log_every", "log_every of the study"),
    ("target_loss", "target_r2 of the study"),
];

/// Refuses settings of training that a spec says in another way.
pub(super) fn check_settings(key: &str, train: &Overlay<TrainConfig>) -> Result<(), Refusal> {
    let shares = ["subsample", "batch"].map(|name| (name, "a share, in a variant"));
    for (name, expected) in ELSEWHERE.into_iter().chain(shares) {
        let given = train.get(name).is_some();
        Refusal::unless(!given, format!("{key}train, {name}"), expected, "it here")?;
    }
    Ok(())
}

fn method<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Method>, D::Error> {
    of_file(from).map(Some)
}
