//! Claims decided on the regime map: C4, C5 with "narrow", C6.

use super::{Outcome, circumstances, path, seeds};
use crate::regime::arms::{CONTROLS, CRITERIA};
use crate::regime::rules::{MARGIN, Ruling, beside, parting, readings, rewinding, rulings};
use picloom::experiment::networks::record::{NetworkResult, NetworkRow, NetworksRecord};
use picloom::experiment::networks::spec::BASE;
use picloom::experiment::regime::points::{Basis, Points, SP};
use std::collections::BTreeSet;

/// True if the map has what a rule compares: it is run in stages.
pub(super) fn holds(record: &NetworksRecord, rule: &str) -> bool {
    let points = Points::of(record);
    let one_of = |arms: &[&'static [&'static str]]| arms.iter().any(|a| points.arm(a).is_some());
    match rule {
        "C3" => one_of(CRITERIA),
        "C4" | "C9" => one_of(CONTROLS),
        _ => record.rows.iter().any(|row| row.arm == SP && row.offset != 0),
    }
}

/// The verdict of the first of these rules at equal fit, with all of them under both protocols; C4 with that of
/// every reading of SP beside it, and at the depths beside the reference, where the map has controls there; C3 with what
/// the criteria leave where all are `rewound`.
pub(super) fn decided(
    record: &NetworksRecord,
    rewound: Option<&NetworksRecord>,
    rules: &[&str],
) -> Outcome {
    let asked = |ruling: &Ruling| rules.contains(&ruling.rule.as_str());
    let found: Vec<Ruling> = rulings(record, MARGIN).into_iter().filter(asked).collect();
    let primary: Vec<&Ruling> =
        found.iter().filter(|r| r.protocol == Basis::EqualFit.text()).collect();
    let (first, others) = primary.split_first().expect("every rule is applied at equal fit");
    let effects =
        |ruling: &Ruling| ruling.contrasts.iter().map(|c| c.effect.clone()).collect::<Vec<_>>();
    let statistic = "paired scores at the R² that both networks reached on their way, targets at random, with a permutation test over seeds";
    let mut notes: Vec<String> = primary.iter().flat_map(|ruling| ruling.notes.clone()).collect();
    notes.extend(circumstances(record));
    if first.rule == "C4" {
        notes.extend(reached(record));
    }
    notes.extend(parting(&found).into_iter().map(|part| format!("the protocols part: {part}")));
    let mut outcome = Outcome::new(statistic, first.verdict, effects(first))
        .beside(others.iter().flat_map(|ruling| effects(ruling)).collect())
        .noting(notes);
    (outcome.seeds, outcome.records) = (seeds(record), path("regime"));
    let mut shown = Vec::new();
    if first.rule == "C4" {
        shown = readings(record, MARGIN);
        shown.extend(beside(record, MARGIN));
    }
    if let Some(rewound) = rewound.filter(|_| first.rule == "C3") {
        shown = rewinding(record, rewound, MARGIN);
        if !shown.is_empty() {
            outcome.records.extend(path("rewinding"));
        }
    }
    Outcome { rulings: found.into_iter().chain(shown).collect(), ..outcome }
}

/// How many networks of each arm and level reached each R², at the reference depth.
fn reached(record: &NetworksRecord) -> Vec<String> {
    let there = |r: &&NetworkRow| r.offset == 0 && r.variant == BASE && r.seed.is_some();
    let rows: Vec<&NetworkRow> = record.rows.iter().filter(there).collect();
    let groups: BTreeSet<(usize, &str)> = rows.iter().map(|r| (r.level, r.arm.as_str())).collect();
    let line = |(level, arm): (usize, &str)| {
        let group = rows.iter().filter(|r| (r.level, r.arm.as_str()) == (level, arm));
        let of: Vec<&NetworkResult> = group.filter_map(|r| r.result.as_deref()).collect();
        let kept = of.iter().map(|r| r.kept as f64 / r.links as f64).sum::<f64>();
        let reached = record.checkpoints.iter().map(|at| {
            let count = of.iter().filter(|r| r.reached.iter().any(|one| one.level == *at)).count();
            format!("R² {at:.2} {count}")
        });
        let (share, count) = (100.0 * kept / of.len().max(1) as f64, of.len());
        let fit = of.iter().filter(|r| r.fit).count();
        let reached: Vec<String> = reached.collect();
        format!(
            "{arm}, {share:.0} % of the links: of {count} networks {fit} fit at the end; on their way reached {}",
            reached.join(", ")
        )
    };
    if record.checkpoints.is_empty() { Vec::new() } else { groups.into_iter().map(line).collect() }
}
