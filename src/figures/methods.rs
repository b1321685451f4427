//! How a study was made, in words that could stand in a paper: every number is from its `study.json`, `machine.json`
//! and contrasts.

use super::style::{self, number};
use crate::base::table::Table;
use crate::score::FIT_GATE;
use crate::study::contrast::{Decision, Mean};
use crate::study::record::Head;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The file that says how Picloom is cited.
const CITATION: &str = include_str!("../../CITATION.cff");

/// What the words are taken from. What an older record does not say is left out.
pub(crate) struct Methods<'a> {
    /// `study.json`.
    pub head: &'a Head,
    /// `machine.json`, if there is one.
    pub machine: Option<&'a Value>,
    /// The study's own names of arms.
    pub labels: &'a BTreeMap<String, String>,
    /// Its decisions.
    pub decisions: &'a [Decision],
}

impl Methods<'_> {
    /// The paragraph.
    pub(crate) fn text(&self) -> String {
        let parts =
            [self.design(), self.training(), self.score(), self.comparison(), self.program()];
        parts.into_iter().flatten().collect::<Vec<_>>().join(" ")
    }

    fn count(&self, key: &str) -> Option<String> {
        Some(number(self.head.fields.get(key)?.as_f64()?, 9))
    }

    fn design(&self) -> Option<String> {
        let fields = &self.head.fields;
        let targets: Vec<&str> =
            fields.get("png_ratio")?.as_object()?.keys().map(String::as_str).collect();
        // Finished runs say it each.
        if targets.is_empty() {
            return None;
        }
        let seeds = self.head.made.get("seeds").and_then(Value::as_array);
        let seeds = seeds.map_or(String::new(), |seeds| {
            let listed: Vec<String> = seeds.iter().map(plain).collect();
            format!(", {} ({})", counted(seeds.len(), "seed"), listed.join(", "))
        });
        Some(format!(
            "{} of {}² pixels ({}){seeds}; profile {}.",
            counted(targets.len(), "picture"),
            self.count("size")?,
            targets.join(", "),
            plain(fields.get("profile")?),
        ))
    }

    fn training(&self) -> Option<String> {
        let made = &self.head.made;
        let train = made.get("train")?.as_object()?;
        let archs = made.get("arch")?.as_object()?;
        let mut by_arch: BTreeMap<String, Vec<&str>> = BTreeMap::new();
        for (target, arch) in archs {
            by_arch.entry(plain(arch)).or_default().push(target);
        }
        let archs: Vec<String> = match by_arch.len() {
            1 => by_arch.into_keys().collect(),
            _ => by_arch.iter().map(|(arch, of)| format!("{arch} ({})", of.join(", "))).collect(),
        };
        let setting = |key: &&str| Some(format!("{key} {}", plain(train.get(*key)?)));
        let settings: Vec<String> =
            ["lr", "gradient", "schedule"].iter().filter_map(setting).collect();
        let arms: Vec<String> =
            made.get("arms")?.as_array()?.iter().filter_map(|arm| self.arm(arm)).collect();
        Some(format!(
            "Architecture, hidden layers and units of each activation: {}. Each training takes {} steps of {} ({}). \
             Arms: {}.",
            archs.join("; "),
            self.count("steps")?,
            plain(made.get("optimizer")?),
            settings.join(", "),
            arms.join("; "),
        ))
    }

    /// `pruned (from dense, method sp, levels share:0.5 and share:0.25, retrain finetune)`.
    fn arm(&self, arm: &Value) -> Option<String> {
        let keys = arm.as_object()?.iter().filter(|(key, _)| *key != "name");
        let keys: Vec<String> =
            keys.map(|(key, value)| format!("{key} {}", plain(value))).collect();
        Some(format!("{} ({})", self.name(arm.get("name")?.as_str()?), keys.join(", ")))
    }

    /// The study's own name of an arm, else that of the house.
    fn name(&self, arm: &str) -> String {
        let own = self.labels.get(&format!("arm={arm}")).or(self.labels.get(arm));
        let own = own.filter(|label| !label.is_empty()).cloned();
        own.unwrap_or_else(|| {
            style::arm(arm).map_or(arm.replace('-', " "), |(_, arm)| arm.label.into())
        })
    }

    fn score(&self) -> Option<String> {
        let judge = plain(self.head.fields.get("judge")?);
        let weights = match self.count("sample") {
            Some(sample) => format!("one of {sample} sampled weights"),
            None => "one weight".into(),
        };
        let sets =
            self.head.made.get("judge").and_then(|judge| judge.get("trained_on")?.as_array());
        let fitted = sets.map_or(String::new(), |sets| {
            let sum = |key: &str| sets.iter().filter_map(|set| set.get(key)?.as_u64()).sum::<u64>();
            let (clean, damaged) = (sum("coherent"), sum("fractured"));
            format!(", fitted to {clean} pictures labelled clean and {damaged} labelled damaged")
        });
        Some(format!(
            "The score of a network is the mean probability that its picture stays clean when {weights} is changed, up or \
             down, until the picture differs by {} RMSE; judge: {}{fitted}. Networks with R² below {FIT_GATE} do not \
             count.",
            self.count("effect")?,
            style::judged_by(&judge),
        ))
    }

    fn comparison(&self) -> Option<String> {
        let mut ways: Vec<String> = Vec::new();
        for Decision { contrast, .. } in self.decisions {
            let unit = &contrast.unit;
            let mean = match contrast.mean {
                Mean::Mixed => format!(
                    "a mixed model with {unit}s at random, 95 % intervals and p of Hartung and Knapp{}",
                    match contrast.asks_p() {
                        true => format!(
                            "; to be supported a difference also needs p < 0.05 by sign flips of ({unit}, seed)"
                        ),
                        false => String::new(),
                    }
                ),
                Mean::Student => format!("means over {unit}s, 95 % intervals of Student's t"),
                Mean::Spearman => format!("Spearman's ρ over {unit}s"),
                Mean::Ranks => format!("rank correlations within {unit}s"),
            };
            let (pair, margin) = (contrast.pair.join(" and "), contrast.margin);
            let way = format!("paired by {pair}: {mean}; margin {margin}");
            if !ways.contains(&way) {
                ways.push(way);
            }
        }
        (!ways.is_empty()).then(|| format!("Differences are {}.", ways.join("; or ")))
    }

    fn program(&self) -> Option<String> {
        let Head { picloom, commit, .. } = self.head;
        let commit = commit.as_ref().map_or(String::new(), |commit| format!(", commit {commit}"));
        let machine = self.machine.and_then(|machine| {
            let hours = machine.get("seconds")?.as_f64()? / 3600.0;
            let processor = plain(machine.get("processor")?);
            let threads = machine.get("threads")?.as_u64()? as usize;
            let hours = if hours < 0.01 { "less than 0.01".into() } else { style::fixed(hours, 2) };
            Some(format!(
                " The trainings took {hours} hours in all on {processor}, {}.",
                counted(threads, "thread")
            ))
        });
        Some(format!("Picloom {picloom}{commit}.{}", machine.unwrap_or_default()))
    }
}

/// Facts of a result for the head of its page: profile, sizes, judge.
pub(crate) fn facts(head: &Head, table: &Table) -> Vec<(String, String)> {
    let fact = |name: &str| {
        let value = plain(head.fields.get(name)?);
        Some((name.to_string(), if name == "judge" { style::judged_by(&value) } else { value }))
    };
    let facts = ["profile", "size", "steps", "judge"].into_iter().filter_map(fact);
    let rows = ("rows".to_string(), head.rows.to_string());
    let collapsed = collapsed(table).map(|text| ("collapsed".to_string(), text));
    facts.chain([rows]).chain(collapsed).collect()
}

/// How many networks began again at a lower rate, because a training of theirs had collapsed into one colour.
fn collapsed(table: &Table) -> Option<String> {
    let column = table.get("collapses")?;
    let is_end = |row: &usize| table.get("at").is_none_or(|at| at.text(*row).is_empty());
    let ends = (0..table.len()).filter(is_end).collect::<Vec<_>>();
    let again = ends.iter().filter(|row| column.number(**row).is_some_and(|n| n > 0.0)).count();
    let all = ends.len();
    (again > 0).then(|| format!("{again} of {all} networks began again at a lower learning rate"))
}

/// How Picloom is cited: its authors, title and version.
pub(crate) fn citation() -> String {
    let of = |key: &str| {
        let line = CITATION.lines().find_map(|line| line.trim_start().strip_prefix(key));
        line.unwrap_or_default().trim().trim_matches('"').to_string()
    };
    format!("{}. {}. Version {}.", of("- name:"), of("title:"), of("version:"))
}

fn counted(n: usize, one: &str) -> String {
    format!("{n} {one}{}", if n == 1 { "" } else { "s" })
}

/// A value as words: `a and b`, `name timeout 3`.
fn plain(value: &Value) -> String {
    let joined = |map: &Map<String, Value>| {
        let parts: Vec<String> =
            map.iter().map(|(key, value)| format!("{key} {}", plain(value))).collect();
        parts.join(" ")
    };
    match value {
        Value::String(text) => text.clone(),
        Value::Number(n) => n.as_f64().map_or(n.to_string(), |n| number(n, 6)),
        Value::Array(all) => all.iter().map(plain).collect::<Vec<_>>().join(" and "),
        Value::Object(map) => joined(map),
        Value::Bool(flag) => flag.to_string(),
        Value::Null => "none".into(),
    }
}
