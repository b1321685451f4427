//! The data of figures from a networks record: cells of seeds, means with intervals, words.

pub(super) use super::arms::look;
pub(super) use super::networks::{distinct, estimate, hollow, sorted, spoken, what};
use crate::claims::named as effect_name;
use picloom::base::stats::mean;
use picloom::experiment::networks::record::{NetworkResult, NetworkRow, NetworksRecord};
use picloom::experiment::networks::spec::BASE;
use picloom::figures::style::{self};
use picloom::study::contrast::Found;

/// Some networks of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Group<'a> {
    /// Name of the arm.
    pub arm: &'a str,
    /// Level of pruning; 0: not pruned.
    pub level: usize,
    /// Name of the way of training.
    pub variant: &'a str,
    /// Depth offset.
    pub offset: i64,
}

impl<'a> Group<'a> {
    /// Networks of `arm` at `level`, trained by the recipe at the reference depth.
    pub(super) fn of(arm: &'a str, level: usize) -> Self {
        Group { arm, level, variant: BASE, offset: 0 }
    }
}

/// A number of one network; `None` if it lacks that number.
pub(super) type Value = fn(&NetworkResult) -> Option<f64>;

/// The rows of `group` on `target`.
pub(super) fn rows<'a>(
    record: &'a NetworksRecord,
    target: &'a str,
    group: Group<'a>,
) -> impl Iterator<Item = &'a NetworkRow> {
    record.rows.iter().filter(move |r| {
        r.target == target
            && r.arm == group.arm
            && r.level == group.level
            && r.offset == group.offset
            && r.variant == group.variant
    })
}

/// (learned, asked) of a group over all targets.
pub(super) fn learned(record: &NetworksRecord, group: Group<'_>) -> (usize, usize) {
    let mut found = (0, 0);
    for target in record.targets() {
        for row in rows(record, target, group) {
            found.1 += 1;
            found.0 += usize::from(row.result.as_ref().is_some_and(|r| r.fit));
        }
    }
    found
}

/// The arms and levels of a record at the reference depth, in the house order of arms.
pub(super) fn arms(record: &NetworksRecord) -> Vec<(String, usize)> {
    let mut found = distinct(record.rows.iter().map(|row| (row.arm.clone(), row.level)));
    let place = |arm: &str| style::arm(arm).map_or(usize::MAX, |(i, _)| i);
    found.sort_by_key(|a| (place(&a.0), a.1));
    found
}

/// Targets whose genomes were bred in one tree (`genomes/README.md`), and the studies they are genomes
/// in: elsewhere a target of such a name is a drawing.
const BRED: [&str; 4] = ["moth", "cat", "lamp", "face"];
const OF_GENOMES: [&str; 5] = ["wirings", "depth", "pruning", "controls", "optimizer_scores"];

/// Which targets of a record are kin, in a sentence; `None` if no two are.
pub(super) fn kin(record: &NetworksRecord) -> Option<String> {
    let targets = record.targets();
    let bred: Vec<&str> = BRED.into_iter().filter(|name| targets.contains(name)).collect();
    let (last, others) = bred.split_last()?;
    (!others.is_empty() && OF_GENOMES.contains(&record.study.as_str())).then(|| {
        format!(
            "Kin, for they were bred in one tree: {} and {last}; intervals over targets take them for independent.",
            others.join(", ")
        )
    })
}

/// `evolved − dense: 0.21 [0.10, 0.32] over 8 targets`.
pub(super) fn says(found: &Found) -> String {
    let (name, n) = (effect_name(found), found.units.len());
    match (found.estimate, found.low, found.high) {
        (Some(e), Some(l), Some(h)) => {
            format!("{name}: {} over {n} targets", style::interval(e, l, h, 3))
        }
        (Some(e), ..) => format!("{name}: {} on one target", style::fixed(e, 3)),
        _ => format!("{name}: no pair of networks that can be compared"),
    }
}

/// `SP − random: 0.21 over 8 targets`, of the means of targets that a chart shows.
pub(super) fn on_average(name: &str, targets: &[f64]) -> String {
    match mean(targets) {
        Ok(value) => format!("{name}: {} over {} targets", style::fixed(value, 3), targets.len()),
        Err(_) => format!("{name}: no pair of networks that can be compared"),
    }
}

/// Differences of two groups, or of several such pairs, paired by seed: the mean of every target that has a pair. For
/// marks and captions; a verdict is a contrast's.
pub(super) fn differences(
    record: &NetworksRecord,
    pairs: &[(Group<'_>, Group<'_>)],
    value: Value,
) -> Vec<f64> {
    let of_target = |target: &str| {
        let of = |group| -> Vec<(Option<u64>, f64)> {
            let rows = rows(record, target, group);
            rows.filter_map(|row| Some((row.seed, value(row.result.as_ref()?)?))).collect()
        };
        let mut found = Vec::new();
        for (one, other) in pairs {
            let others = of(*other);
            for (seed, value) in of(*one) {
                let agrees = |same: Option<u64>| same == seed || same.is_none() || seed.is_none();
                found.extend(others.iter().filter(|o| agrees(o.0)).map(|o| value - o.1));
            }
        }
        mean(&found).ok()
    };
    record.targets().into_iter().filter_map(of_target).collect()
}

/// A pair of levels, `arm` at `level`, named for a row: `similarity-pruned (SP), level 2`.
pub(super) fn named(arm: &str, level: usize) -> String {
    let (label, _, _) = look(arm);
    match level {
        0 => label,
        n => format!("{label}, level {n}"),
    }
}
