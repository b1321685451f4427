//! What figures take from a networks record: cells of seeds, means with intervals, words.

pub(super) use super::arms::look;
use crate::claims::effects::{Effect, Group};
use picloom::experiment::networks::record::{NetworkRow, NetworksRecord};
pub(super) use picloom::figures::networks::{
    FEWEST, distinct, estimate, hollow, sorted, spoken, what,
};
use picloom::figures::style::{self};

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
    let place = |arm: &str| super::arms::arm(arm).map_or(usize::MAX, |(i, _)| i);
    found.sort_by_key(|a| (place(&a.0), a.1));
    found
}

/// Targets whose genomes were bred in one tree (`genomes/README.md`), and the studies they are genomes
/// in: elsewhere a target of such a name is a drawing.
const BRED: [&str; 4] = ["moth", "cat", "lamp", "face"];
const OF_GENOMES: [&str; 5] = ["wirings", "depth", "pruning", "controls", "optimizer_scores"];

/// Which targets of a record are kin, in a sentence; none if no two are.
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
pub(super) fn says(effect: &Effect) -> String {
    let name = &effect.name;
    let n = effect.targets.len();
    match (effect.estimate, effect.low, effect.high) {
        (Some(e), Some(l), Some(h)) => {
            format!("{name}: {} over {n} targets", style::interval(e, l, h, 3))
        }
        (Some(e), ..) => format!("{name}: {} on one target", style::fixed(e, 3)),
        _ => format!("{name}: no pair of networks that learned their picture"),
    }
}

/// A pair of levels, `arm` at `level`, named for a row: `similarity-pruned (SP), level 2`.
pub(super) fn named(arm: &str, level: usize) -> String {
    let (label, _, _) = look(arm);
    match level {
        0 => label,
        n => format!("{label}, level {n}"),
    }
}
