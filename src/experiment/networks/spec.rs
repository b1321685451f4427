//! A networks study as its TOML file says it.

use super::arm::{ArmSpec, ArmWiring, ELSEWHERE, check_settings, level_name};
use super::asked::{Planned, check_known};
use super::columns::TEXTS;
use super::record::NetworksRecord;
use crate::base::refusal::Refusal;
use crate::base::settings::{Overlay, Settings, of_file, settings};
use crate::experiment::target_spec::{TargetSpec, check_size, places_of};
use crate::probe::Delta;
use crate::prune::Retrain;
use crate::score::JudgeChoice;
use crate::score::measures::command::MeasureChoice;
use crate::score::measures::own::with_key;
use crate::study::analysis::Analysis;
use crate::study::contrast::{Basis, ContrastSpec, Variation};
use crate::study::spec::{
    Spec, SpecError, check_cells, check_name, check_names, check_seeds, seeds, sort_settings,
};
use crate::train::TrainConfig;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::BTreeSet;
use std::path::Path;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A networks study. Paths are relative to the folder that holds the spec's folder; one that begins
/// with `archive:` is relative to `PICLOOM_ARCHIVE`, and its target is left out where that is unset.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NetworksSpec {
    /// Name of the study: its folder under `runs/` and `figures/`.
    pub name: String,
    /// The question, in one sentence.
    pub question: String,
    /// Side of the pictures in pixels, 2 to 4096.
    pub size: usize,
    /// Optimizer steps of every training and retraining, ≥ 1.
    pub steps: u64,
    /// Seeds of every trained arm.
    #[serde(deserialize_with = "seeds")]
    pub seeds: Vec<u64>,
    /// Settings of the study itself, which stand beside these keys.
    #[serde(default, rename = "settings of the study")]
    pub own: StudySettings,
    /// Other settings of every training, by their names (docs/SETTINGS.md), here or as `[train]`. Networks are
    /// measured at each R² of `checkpoints` too, in rows of their own, so that they are compared at equal fit.
    #[serde(default)]
    pub train: Overlay<TrainConfig>,
    /// Depths: hidden layers added to the target's arch, for arms that are layered and not wired by
    /// the genome. Default: 0 only.
    #[serde(default = "zero")]
    pub offsets: Vec<i64>,
    /// A study whose record predicts the depth of every target with an arch, in place of the L given.
    pub depth_from: Option<String>,
    /// Every chain of those targets also at the median of the depths that were best there, the same for all:
    /// does predicting add anything? Default: no.
    #[serde(default)]
    pub constant_depth: bool,
    /// The targets, each with its source.
    pub targets: Vec<TargetSpec>,
    /// The arms, in order.
    pub arms: Vec<ArmSpec>,
    /// Ways of training. Default: FER's recipe only.
    #[serde(default = "plain")]
    pub variants: Vec<VariantSpec>,
    /// Of which arms pictures are kept for figures (first seed, first variant), and of which also
    /// every unit's map.
    #[serde(default)]
    pub show: Show,
    /// The variances behind a rule's simulated power, where there is no pilot.
    #[serde(default)]
    pub power: Variances,
}

settings! {
    /// How a networks study trains and measures its networks.
    #[derive(Clone, Debug, PartialEq)]
    #[serde(deny_unknown_fields, default)]
    pub struct StudySettings: flags "The study" {
        /// Steps between logged losses.
        log_every: u64 = 100, range: Range::at_least(1.0), value: "STEPS";
        /// R² at which training ends, so that networks are compared at equal fit.
        target_r2: Option<f64> = None, range: Range::RATE, value: "R2", unless: "all steps are made";
        /// Weights changed in each network to score it, sampled within layers.
        ///
        /// In files `"all"` says all.
        #[serde(deserialize_with = "sample")]
        sample as "samples": Option<usize> = None, range: Range::at_least(1.0), value: "N", unless: "all";
        /// How far a change alters the picture: RMSE, channels in [0, 1].
        effect: f64 = Delta::EFFECT, range: Range::INSIDE, value: "RMSE", source: "ours";
        /// δ of a second score: the same weights each moved by ± δ, whatever the effect, with no gate on the fit.
        fixed_delta: Option<f64> = None, range: Range::positive_to(Delta::LARGEST_FIXED), value: "DELTA", unless: "none";
        /// Who judges the changed pictures, with options as in dl-threshold:threshold=0.2.
        #[serde(deserialize_with = "of_file")]
        judge: JudgeChoice = JudgeChoice::default(), value: "NAME[:OPTIONS]";
        /// Also measure flatness, gradient noise and norms, at every network and at each R² on its way.
        ///
        /// By the program's [own measures](crate::score::measures::own) with this key.
        mechanisms: bool = false;
        /// Also take the measures of organisation.
        ///
        /// The program's [own measures](crate::score::measures::own) with this key.
        organisation: bool = false;
        /// Measures of your own, as in cmd:./measure.py (docs/PLUGINS.md).
        #[serde(deserialize_with = "measure")]
        measure: Option<MeasureChoice> = None, value: "cmd:COMMAND", unless: "none";
    }
}

settings! {
    /// Where differences of scores come from, as standard deviations: what the power of a rule depends on.
    /// The defaults are assumed, but for the judge's (docs/JUDGES.md): a pilot's are better. \[ours\]
    #[derive(Clone, Copy, Debug, PartialEq)]
    #[serde(deny_unknown_fields, default)]
    pub struct Variances: flags "Power" {
        /// Standard deviation of a target's own effect.
        target: f64 = 0.15, range: Range::at_least(0.0), source: "ours";
        /// Standard deviation of a seed within a target.
        seed: f64 = 0.15, range: Range::at_least(0.0), source: "ours";
        /// The judge's own error on a network.
        judge: f64 = 0.14, range: Range::at_least(0.0), source: "docs/JUDGES.md";
        /// Score about which weights are drawn: sampling n of them adds p(1 − p)/n.
        score: f64 = 0.4, range: Range::INSIDE, source: "ours";
        /// Share of pairs that cannot be compared.
        missing: f64 = 0.2, range: Range::RATE, source: "ours";
    }
}

impl Variances {
    /// How differences vary where `samples` weights of each network are judged. `None` unless the contrast takes
    /// differences of scores: nothing is assumed of other numbers.
    pub(crate) fn variation(&self, of: &ContrastSpec, samples: usize) -> Option<Variation> {
        if of.on.is_some() || of.of.column() != "score" {
            return None;
        }
        let sampling = self.score * (1.0 - self.score) / samples.max(1) as f64;
        let networks = 2.0 * (self.judge.powi(2) + sampling);
        Some(Variation {
            between: self.target,
            within: (self.seed.powi(2) + networks).sqrt(),
            kept: 1.0 - self.missing,
        })
    }
}

fn sample<'de, D: Deserializer<'de>>(from: D) -> Result<Option<usize>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged, expecting = "expected a number of weights, or \"all\"")]
    enum Sample {
        Weights(usize),
        Word(All),
    }
    #[derive(Deserialize)]
    #[serde(rename_all = "lowercase")]
    enum All {
        All,
    }
    Ok(match Sample::deserialize(from)? {
        Sample::Weights(weights) => Some(weights),
        Sample::Word(All::All) => None,
    })
}

fn measure<'de, D: Deserializer<'de>>(from: D) -> Result<Option<MeasureChoice>, D::Error> {
    of_file(from).map(Some)
}

fn zero() -> Vec<i64> {
    vec![0]
}
fn plain() -> Vec<VariantSpec> {
    vec![VariantSpec { name: BASE.into(), ..VariantSpec::default() }]
}

/// The variant that changes nothing.
pub const BASE: &str = "base";

/// A way of training: what it changes of FER's recipe.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct VariantSpec {
    /// Its name in records and figures.
    pub name: String,
    /// Settings of training by their names, here or as `train`.
    pub train: Overlay<TrainConfig>,
    /// Share of the pixels that training sees, in (0, 1].
    pub subsample: Option<f64>,
    /// Share of those pixels in a minibatch, in (0, 1].
    pub batch: Option<f64>,
    /// Only at these depths. Default: all.
    pub offsets: Option<Vec<i64>>,
}

impl Serialize for VariantSpec {
    /// In the order that ids were given in; settings that were added later come after `gradient`.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        const ORDER: [&str; 8] =
            ["lr", "schedule", "warm_up", "floor", "init", "init_scale", "optimizer", "gradient"];
        let place = |name: &str| ORDER.iter().position(|known| *known == name);
        let mut train: Vec<(&str, toml::Value)> =
            self.train.values().map(|(name, value)| (name, value.clone())).collect();
        train.sort_by_key(|(name, _)| place(name).unwrap_or(ORDER.len()));
        let shares = [("subsample", self.subsample), ("batch", self.batch)];
        let shares = shares.into_iter().filter_map(|(name, share)| Some((name, share?.into())));
        let after = train.iter().position(|(name, _)| place(name).is_none_or(|place| place > 5));
        let after = after.unwrap_or(train.len());
        train.splice(after..after, shares);
        train.insert(0, ("name", self.name.as_str().into()));
        train.extend(self.offsets.clone().map(|offsets| ("offsets", offsets.into())));
        serializer.collect_map(train)
    }
}

/// The pictures that are stored for figures.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Show {
    /// Arms whose changed weights are shown, `ARM` or `ARM-LEVEL`.
    pub arms: Vec<String>,
    /// Arms whose maps are shown too.
    pub maps: Vec<String>,
    /// Only at these depths. Default: all.
    pub offsets: Option<Vec<i64>>,
    /// Changed weights shown of each network. Default 12.
    pub changes: usize,
}

impl Default for Show {
    fn default() -> Self {
        Show { arms: Vec::new(), maps: Vec::new(), offsets: None, changes: SHOWN }
    }
}

/// The table that the keys of [`StudySettings`] are read from. No spec has it: they stand at the top.
const OWN: &str = "settings of the study";

/// Changed weights shown of each network, unless the spec says otherwise.
pub(super) const SHOWN: usize = 12;

impl Spec for NetworksSpec {
    const KIND: &'static str = "networks";

    fn strip_hidden_table(said: &str) -> String {
        let own = StudySettings::settings().into_iter().map(|row| format!("`{}`", row.path));
        said.replace(&format!("`{OWN}`"), &own.collect::<Vec<_>>().join(", "))
    }

    fn sort(spec: &mut DeTable<'_>) {
        let rows = TrainConfig::settings();
        let elsewhere = ELSEWHERE.map(|(name, _)| name);
        let names = rows.iter().map(|row| row.name).filter(|name| !elsewhere.contains(name));
        let names: Vec<&str> = names.collect();
        sort_settings(spec, "train", &names, &["subsample", "batch"]);
        let own: Vec<_> = StudySettings::settings().into_iter().map(|row| row.path).collect();
        let own: Vec<&str> = own.iter().map(String::as_str).collect();
        sort_settings(spec, OWN, &own, &[]);
        for (list, own) in [("variants", &["subsample", "batch"][..]), ("arms", &["optimizer"])] {
            let Some(DeValue::Array(tables)) = spec.get_mut(list).map(Spanned::get_mut) else {
                continue;
            };
            for table in tables.iter_mut() {
                if let DeValue::Table(table) = table.get_mut() {
                    sort_settings(table, "train", &names, own);
                }
            }
        }
    }

    fn spread(&mut self, path: &Path) -> Result<(), SpecError> {
        let places = places_of(path);
        let mut targets = Vec::new();
        for target in std::mem::take(&mut self.targets) {
            let name = target.name.clone();
            let each = target.spread(&places).map_err(SpecError::of_target(path, &name))?;
            targets.extend(each);
        }
        self.targets = targets;
        Ok(())
    }

    fn check(&self) -> Result<(), Refusal> {
        check_name("name", &self.name)?;
        for (key, names) in [
            ("targets", self.targets.iter().map(|t| &t.name).collect::<Vec<_>>()),
            ("arms", self.arms.iter().map(|a| &a.name).collect()),
            ("variants", self.variants.iter().map(|v| &v.name).collect()),
        ] {
            check_names(key, &names)?;
            names.into_iter().try_for_each(|name| check_name(key, name))?;
        }
        self.targets.iter().try_for_each(TargetSpec::check)?;
        for (key, asked) in
            [("mechanisms", self.own.mechanisms), ("organisation", self.own.organisation)]
        {
            let expected = "false, or the program picloom-experiments, which has these measures";
            Refusal::unless(!asked || !with_key(key).is_empty(), key, expected, "true")?;
        }
        let asked = self.own.organisation || self.targets.iter().all(|t| t.relatives.is_empty());
        Refusal::unless(asked, "relatives", "them with organisation = true", "them without it")?;
        for (i, arm) in self.arms.iter().enumerate() {
            arm.check(&self.arms[..i])?;
            // In tables and figures a level is `ARM-LEVEL`.
            let is_level = |other: &&ArmSpec| {
                (1..=other.levels.len()).any(|level| arm.name == level_name(&other.name, level))
            };
            if let Some(other) = self.arms.iter().find(is_level) {
                let expected = format!("a name that no level of arm {} has", other.name);
                return Err(Refusal::new(format!("arm {}", arm.name), expected, &arm.name));
            }
        }
        self.variants.iter().try_for_each(VariantSpec::check)?;
        self.power.check_ranges().map_err(|refusal| refusal.prefixed("power."))?;
        check_size(self.size)?;
        if let Some(arm) = self.arms.iter().find(|arm| arm.size.is_some()) {
            let (key, shared) = (format!("arm {}, size", arm.name), "targets without relatives");
            let fits = self.targets.iter().all(|target| target.relatives.is_empty());
            Refusal::unless(fits, &key, shared, "some with them")?;
            let shares = |variant: &VariantSpec| variant.subsample.or(variant.batch).is_some();
            let fits = !self.variants.iter().any(shares);
            let expected = "variants without subsample and batch, which are of the study's size";
            Refusal::unless(fits, key, expected, "one with them")?;
        }
        Refusal::unless(self.steps > 0, "steps", "at least 1", "0")?;
        self.own.check_ranges()?;
        check_seeds("seeds", &self.seeds)?;
        Refusal::unless(!self.offsets.is_empty(), "offsets", "at least one", "none")?;
        let axes = [
            (self.targets.len() as u64, "targets"),
            (self.variants.len() as u64, "variants"),
            (self.offsets.len() as u64, "offsets"),
            (self.seeds.len() as u64, "seeds"),
        ];
        check_cells("targets, variants, offsets, seeds", &axes)?;
        for arm in &self.arms {
            if let Some(Retrain::Rewind { step }) = arm.retrain {
                let expected = format!("a step before the last of {}", self.steps);
                let key = format!("arm {}, retrain, step", arm.name);
                Refusal::unless(step < self.steps, key, expected, step.to_string())?;
            }
        }
        let once: BTreeSet<_> = self.offsets.iter().collect();
        let found = format!("{:?}", self.offsets);
        Refusal::unless(once.len() == self.offsets.len(), "offsets", "each once", found)?;
        let known = self.depth_from.is_some() || !self.constant_depth;
        Refusal::unless(
            known,
            "constant_depth",
            "depth_from, the study it is the median of",
            "none",
        )?;
        check_settings("", &self.train)?;
        self.recipe()
            .check(self.size * self.size)
            .map_err(|error| Refusal::new("train", "settings of a training", error.to_string()))
    }

    fn check_names(&self, all: &[&Self]) -> Result<(), Refusal> {
        let named = |of: &dyn Fn(&Self) -> Vec<String>| -> BTreeSet<String> {
            all.iter().flat_map(|spec| of(spec)).collect()
        };
        let targets = named(&|s| s.targets.iter().map(|t| t.name.clone()).collect());
        let variants = named(&|s| s.variants.iter().map(|v| v.name.clone()).collect());
        let offsets = named(&|s| s.offsets.iter().map(i64::to_string).collect());
        let seeds = named(&|s| s.seeds.iter().map(u64::to_string).collect());
        // `ARM-LEVEL`, levels from 1, beside each arm.
        let arms = named(&|s| {
            let of = |arm: &ArmSpec| {
                let level = |level| level_name(&arm.name, level);
                [vec![arm.name.clone()], (1..=arm.levels.len()).map(level).collect()].concat()
            };
            s.arms.iter().flat_map(of).collect()
        });
        for arm in &self.arms {
            let key = |of: &str| format!("arm {}, {of}", arm.name);
            let some = |list: Option<usize>| list != Some(0);
            for (of, list) in [
                ("targets", arm.targets.as_ref().map(Vec::len)),
                ("variants", arm.variants.as_ref().map(Vec::len)),
                ("offsets", arm.offsets.as_ref().map(Vec::len)),
                ("seeds", arm.seeds.as_ref().map(Vec::len)),
            ] {
                Refusal::unless(some(list), key(of), "at least one, or none of this line", "[]")?;
            }
            check_known(key("targets"), arm.targets.as_deref(), &targets)?;
            check_known(key("variants"), arm.variants.as_deref(), &variants)?;
            self.known_offsets(key("offsets"), arm.offsets.as_deref(), &offsets)?;
            let wanted =
                arm.seeds.as_ref().map(|of| of.iter().map(u64::to_string).collect::<Vec<_>>());
            check_known(key("seeds"), wanted.as_deref(), &seeds)?;
        }
        for variant in &self.variants {
            let key = format!("variant {}, offsets", variant.name);
            self.known_offsets(key, variant.offsets.as_deref(), &offsets)?;
        }
        check_known("show, arms".into(), Some(&self.show.arms), &arms)?;
        check_known("show, maps".into(), Some(&self.show.maps), &arms)?;
        self.known_offsets("show, offsets".into(), self.show.offsets.as_deref(), &offsets)
    }

    fn check_asked(all: &[&Self], asked: &Analysis) -> Result<(), Refusal> {
        let planned = NetworksSpec::planned(all);
        let measured = all.iter().any(|spec| spec.own.measure.is_some());
        let own = |contrast: &&ContrastSpec| contrast.tables.is_empty();
        for contrast in asked.contrasts.iter().filter(own) {
            let place = format!("contrast {}", contrast.id);
            let filters = contrast.between.iter().chain([&contrast.rows, &contrast.having]);
            filters.into_iter().try_for_each(|filter| planned.check(&place, filter))?;
            for (key, name) in contrast.columns() {
                let at = format!("{place}, {key}");
                NetworksRecord::check_column(at.clone(), name, measured)?;
                let is_text = matches!(key, "of" | "on" | "near") && TEXTS.contains(&name);
                Refusal::unless(!is_text, at, "a column of numbers", format!("{name:?}, a text"))?;
            }
            planned.check_levels(&place, contrast)?;
            contrast.basis.iter().try_for_each(|basis| planned.check_basis(&place, basis))?;
            let fixed = [contrast.of.column()]
                .into_iter()
                .chain(contrast.on.as_ref().map(|on| on.column()));
            if fixed.into_iter().any(|name| name.starts_with("fixed_")) {
                planned.check_basis(&place, &Basis::FixedDelta)?;
            }
        }
        Ok(())
    }
}

impl NetworksSpec {
    /// What the networks of a spec in its profiles will be.
    pub(crate) fn planned(all: &[&Self]) -> Planned {
        let texts = |numbers: &[u64]| numbers.iter().map(u64::to_string).collect::<Vec<_>>();
        let mut planned = Planned::default();
        let mut add =
            |column, more: Vec<String>| planned.values.entry(column).or_default().extend(more);
        add("fit", ["true", "false"].map(String::from).to_vec());
        // Those of evolved networks, whatever the others have.
        add("variant", vec![BASE.into()]);
        add("offset", vec!["0".into()]);
        for spec in all {
            add("target", spec.targets.iter().map(|target| target.name.clone()).collect());
            add("variant", spec.variants.iter().map(|variant| variant.name.clone()).collect());
            add("seed", texts(&spec.seeds));
            let levels = spec.arms.iter().map(|arm| arm.levels.len()).max().unwrap_or(0);
            add("level", (0..=levels).map(|level| level.to_string()).collect());
            for arm in &spec.arms {
                add("arm", vec![arm.name.clone()]);
                add("seed", texts(arm.seeds.as_deref().unwrap_or_default()));
                planned.levels.push((arm.name.clone(), arm.levels.len()));
            }
            add("offset", spec.offsets.iter().map(i64::to_string).collect());
            let recipe = spec.recipe();
            let own = spec.variants.iter().map(|variant| variant.train.over(&recipe));
            planned.checkpoints.extend(own.flat_map(|recipe| recipe.checkpoints));
            planned.has_fixed_delta |= spec.own.fixed_delta.is_some();
        }
        // Where one depth is for all, it is known only once it is predicted.
        if all.iter().any(|spec| spec.constant_depth) {
            planned.values.remove("offset");
        }
        planned.checkpoints.sort_by(f64::total_cmp);
        planned.checkpoints.dedup();
        planned
    }

    /// With what follows from its numbers written out. Once more changes nothing.
    pub(super) fn resolved(mut self) -> Self {
        self.own.log_every = self.own.log_every.min(self.steps.div_ceil(20)).max(1);
        // Retraining budgets shrink with a profile's steps.
        for arm in &mut self.arms {
            arm.steps = arm.steps.map(|steps| steps.min(self.steps));
            *arm = arm.clone().resolved();
        }
        self
    }

    /// Whether an arm needs no seed: the evolved network, or what a transformation makes of it.
    pub(crate) fn is_evolved(&self, arm: &ArmSpec) -> bool {
        let named = |name: &String| self.arms.iter().find(|other| other.name == *name);
        let from = arm.from.as_ref().filter(|_| arm.transform.is_some()).and_then(named);
        from.unwrap_or(arm).wiring == Some(ArmWiring::Evolved)
    }

    /// FER's recipe with the study's settings.
    pub(crate) fn recipe(&self) -> TrainConfig {
        self.train.over(&TrainConfig::default())
    }

    /// Refuses a depth that is nobody's. Where one depth is for all, it is known only once it is predicted.
    fn known_offsets(
        &self,
        key: String,
        found: Option<&[i64]>,
        offsets: &BTreeSet<String>,
    ) -> Result<(), Refusal> {
        let found = found.filter(|_| !self.constant_depth);
        let found: Option<Vec<String>> = found.map(|f| f.iter().map(i64::to_string).collect());
        check_known(key, found.as_deref(), offsets)
    }
}

impl VariantSpec {
    fn check(&self) -> Result<(), Refusal> {
        let key = |name: &str| format!("variant {}, {name}", self.name);
        for (name, share) in [("subsample", self.subsample), ("batch", self.batch)] {
            let share = share.unwrap_or(1.0);
            let fits = share > 0.0 && share <= 1.0;
            Refusal::unless(fits, key(name), "a share in (0, 1]", share.to_string())?;
        }
        check_settings(&key(""), &self.train)
    }
}
