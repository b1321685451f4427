//! Claims whose rules are those of other studies: C8, C10, C11, C13.

use super::{Outcome, no_record, path, seeds};
use crate::experiment::claims::effects::{Effect, fit_score};
use crate::experiment::claims::ledger::{Records, StudySpec};
use crate::experiment::finding::{Finding, Verdict};
use crate::experiment::networks::record::NetworksRecord;
use crate::experiment::newton_schulz::newton_schulz;
use crate::experiment::structural::findings;
use crate::experiment::theory::findings::{TrainedPoint, agreement, parts_sensitivity, prediction};

/// A finding of the theory's or the structural study's own rules.
fn of_findings(part: &str, found: Finding, others: Vec<Finding>) -> Outcome {
    let effect = |f: &Finding| Effect {
        name: f.statistic.clone(),
        estimate: f.effect,
        low: f.interval.map(|i| i.low),
        high: f.interval.map(|i| i.high),
        targets: Vec::new(),
        without: Vec::new(),
    };
    let mut notes = vec![format!("{} units", found.units)];
    notes.extend(found.notes.iter().cloned());
    for other in &others {
        notes.extend(other.notes.iter().map(|n| format!("{}: {n}", other.statistic)));
    }
    Outcome {
        statistic: found.statistic.clone(),
        effects: vec![effect(&found)],
        controls: others.iter().map(effect).collect(),
        verdict: found.verdict,
        notes,
        seeds: None,
        records: path(part),
    }
}

/// Fit trained networks by depth and density, for the theory's second half.
pub fn trained_points(record: &NetworksRecord) -> Vec<TrainedPoint> {
    let rows = record.rows.iter();
    rows.filter_map(|row| {
        let result = row.result.as_ref()?;
        let modules = result.modules.as_ref()?;
        Some(TrainedPoint {
            target: row.target.clone(),
            arm: row.arm.clone(),
            seed: row.seed?,
            width: modules.width,
            layers: modules.layers,
            density: modules.density,
            least_touching: modules.least_touching,
            spanning: modules.spanning,
            score: fit_score(result)?,
        })
    })
    .collect()
}

/// Parts P of the claim on trained networks: the caption's.
const PARTS: usize = 3;

pub(super) fn volume(records: &Records, _: &StudySpec) -> Outcome {
    let Some(record) = &records.theory else {
        return no_record("theory");
    };
    let found = agreement(record);
    let points = records.depth.as_ref().map(trained_points);
    let Some(Ok(predicted)) = points.map(|points| prediction(&points, PARTS)) else {
        let mut outcome = of_findings("theory", found, Vec::new());
        outcome.verdict = Verdict::Inconclusive;
        outcome
            .notes
            .push("no record of depth: theory is not compared with trained networks".into());
        return outcome;
    };
    let verdict = match (found.verdict, predicted.verdict) {
        (Verdict::Supported, Verdict::Supported) => Verdict::Supported,
        (Verdict::NotSupported, _) | (_, Verdict::NotSupported) => Verdict::NotSupported,
        _ => Verdict::Inconclusive,
    };
    let (first, second) =
        (of_findings("theory", found, Vec::new()), of_findings("depth", predicted, Vec::new()));
    let both = |a: Vec<String>, b: Vec<String>| a.into_iter().chain(b).collect::<Vec<_>>();
    Outcome {
        statistic: both(vec![first.statistic], vec![second.statistic]).join("; and "),
        effects: first.effects.into_iter().chain(second.effects).collect(),
        controls: Vec::new(),
        verdict,
        notes: both(first.notes, second.notes),
        seeds: records.depth.as_ref().and_then(seeds),
        records: both(first.records, second.records),
    }
}

pub(super) fn parts(records: &Records, _: &StudySpec) -> Outcome {
    match &records.theory {
        Some(record) => of_findings("theory", parts_sensitivity(record), Vec::new()),
        None => no_record("theory"),
    }
}

pub(super) fn ablatable(records: &Records, _: &StudySpec) -> Outcome {
    let Some(record) = &records.structural else {
        return no_record("structural");
    };
    let mut found = findings::all(record);
    let first = findings::parts_are_ablatable(record);
    found.retain(|f| f.statistic != first.statistic);
    of_findings("structural", first, found)
}

pub(super) fn optimizer(records: &Records, _: &StudySpec) -> Outcome {
    let Some(record) = &records.optimizers else {
        return no_record("optimizers");
    };
    let Ok(found) = newton_schulz(record) else {
        return no_record("optimizers with Newton–Schulz arms");
    };
    let effect = |name: &str, i: crate::math::stats::Interval| Effect {
        name: name.into(),
        estimate: Some(i.estimate),
        low: Some(i.low),
        high: Some(i.high),
        targets: Vec::new(),
        without: Vec::new(),
    };
    let seeds: std::collections::BTreeSet<_> = record.runs.iter().map(|r| r.seed).collect();
    let targets: std::collections::BTreeSet<_> = record.runs.iter().map(|r| &r.target).collect();
    let mut notes = vec![format!(
        "profile {}, {}²; a unit is one (target, seed): {} of {} targets",
        record.profile,
        record.size,
        found.units,
        targets.len()
    )];
    if targets.len() < 3 {
        notes.push(format!(
            "fewer than three targets: the optimizer study has {}, chosen when it was written",
            targets.len()
        ));
    }
    let collapsed =
        record.runs.iter().filter(|r| r.result.as_ref().is_some_and(|x| x.collapses > 0)).count();
    if collapsed > 0 {
        notes.push(format!(
            "{collapsed} of {} runs collapsed and began again from other weights",
            record.runs.len()
        ));
    }
    let mut controls = vec![
        effect("log₂(loss with the exact polar factor / at the most steps)", found.exact_over_most),
        effect("log₂(loss at the most steps / at 5)", found.most_over_five),
    ];
    controls
        .extend(found.slope_same_start.map(|i| effect("slope, without cells with restarts", i)));
    Outcome {
        statistic: "slope of log₂(late loss) on log₂(Newton–Schulz steps); claimed: below 0".into(),
        effects: vec![effect("slope", found.slope)],
        controls,
        verdict: found.finding,
        notes,
        seeds: Some(seeds.len()),
        records: path("optimizers"),
    }
}
