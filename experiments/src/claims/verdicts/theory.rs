//! Claims whose rules are those of other studies: C8, C10, C11, C13.

use super::{Outcome, no_record, path, seeds};
use crate::claims::effects::{Effect, fit_score};
use crate::claims::ledger::Records;
use crate::regime::contrasts::{Contrast, over_arms};
use crate::regime::rules::MARGIN;
use crate::structural::findings;
use crate::theory::findings::{TrainedPoint, agreement, halves, parts_sensitivity, prediction};
use crate::training::newton_schulz::newton_schulz;
use crate::training::record::{RowResult, RunRow};
use picloom::experiment::finding::{Finding, Verdict};
use picloom::experiment::networks::record::{NetworkResult, NetworkRow, NetworksRecord};
use picloom::experiment::regime::points::{Basis, Points, SP};
use std::collections::BTreeSet;

/// A finding of the theory's or the structural study's own rules.
fn of_findings(part: &str, found: Finding, others: Vec<Finding>) -> Outcome {
    let effect = |f: &Finding| Effect::plain(&f.statistic, f.effect, f.interval);
    let beside = others.iter().flat_map(|f| f.notes.iter().map(|n| (&f.statistic, n)));
    let outcome = Outcome::new(&found.statistic, found.verdict, vec![effect(&found)])
        .beside(others.iter().map(effect).collect())
        .noting([format!("{} units", found.units)])
        .noting(found.notes)
        .noting(beside.map(|(statistic, note)| format!("{statistic}: {note}")));
    Outcome { records: path(part), ..outcome }
}

/// Fit trained networks by depth and density, for the theory's second half; those of further levels of an arm
/// are units of their own.
pub fn trained_points(record: &NetworksRecord) -> Vec<TrainedPoint> {
    points(record, |row, result| {
        let further = (row.level > 1).then(|| format!("{}-{}", row.arm, row.level));
        Some((further.unwrap_or_else(|| row.arm.clone()), fit_score(result)?))
    })
}

/// Layered trained networks with what `value` gives for them: the name of their arm, and what stands in the
/// place of the score.
fn points(
    record: &NetworksRecord,
    value: impl Fn(&NetworkRow, &NetworkResult) -> Option<(String, f64)>,
) -> Vec<TrainedPoint> {
    let point = |row: &NetworkRow| {
        let result = row.result.as_ref()?;
        let modules = result.modules.as_ref()?;
        let (arm, score) = value(row, result)?;
        Some(TrainedPoint {
            target: row.target.clone(),
            arm,
            seed: row.seed?,
            width: modules.width,
            layers: modules.layers,
            density: modules.density,
            least_touching: modules.least_touching,
            spanning: modules.spanning,
            score,
        })
    };
    record.rows.iter().filter_map(point).collect()
}

/// Parts P of the claim on trained networks: the caption's.
pub const PARTS: usize = 3;

/// SP's sparse networks near their picture, by level, with how far their links keep to the modules of their function.
pub fn functional_points(record: &NetworksRecord) -> Vec<TrainedPoint> {
    points(record, |row, result| {
        (row.arm == SP && result.is_sparse_and_near()).then_some(())?;
        Some((format!("{}-{}", row.arm, row.level), result.function?.wiring))
    })
}

/// What the theory's order is compared with: the measure, the study, its networks.
type Compared = (&'static str, &'static str, fn(&NetworksRecord) -> Vec<TrainedPoint>);

/// The score on the depth study; on the regime map, once it has depths, modules of function.
const COMPARED: [Compared; 2] = [
    ("the score", "depth", trained_points),
    ("how far links keep to modules of function", "regime", functional_points),
];

pub(super) fn volume(records: &Records) -> Outcome {
    let Some(record) = &records.theory else {
        return no_record("theory");
    };
    let found = agreement(record);
    let (mut verdicts, mut is_compared) = (vec![found.verdict], true);
    let mut all = of_findings("theory", found, Vec::new());
    for (measure, part, points) in COMPARED {
        let points = records.networks(part).map(points).unwrap_or_default();
        let found = prediction(&points, PARTS).ok().filter(|found| found.units > 0);
        let Some(found) = found else {
            // The map has depths only once its second stage is there.
            if part == "depth" {
                let none = "no networks of the depth study: theory is not compared with them";
                is_compared = false;
                all = all.noting([none.to_string()]);
            }
            continue;
        };
        verdicts.push(found.verdict);
        let statistic =
            format!("Spearman's ρ between ln E[N] (P = {PARTS}) and {measure}, over depths");
        let next = of_findings(part, Finding { statistic, ..found }, Vec::new());
        all.statistic += &format!("; and {}", next.statistic);
        all.effects.extend(next.effects);
        all.records.extend(next.records);
        // In units of the measure, beside the rule.
        let name = format!(
            "{measure}: at the depths where theory expects most, less that where it expects fewest"
        );
        all.controls.extend(halves(&points, PARTS).ok().map(|halves| Effect::of(name, halves)));
        all = all.noting(next.notes);
    }
    let verdict = match &verdicts {
        _ if !is_compared => Verdict::Inconclusive,
        all if all.contains(&Verdict::NotSupported) => Verdict::NotSupported,
        all if all.iter().all(|v| *v == Verdict::Supported) => Verdict::Supported,
        _ => Verdict::Inconclusive,
    };
    let open: Vec<bool> = verdicts.iter().map(|v| *v == Verdict::Inconclusive).collect();
    let seeds = records.networks("depth").and_then(seeds);
    Outcome { verdict, seeds, ..all }
        .settling(move |number, _| open.get(number).is_some_and(|is_open| !is_open))
}

pub(super) fn parts(records: &Records) -> Outcome {
    match &records.theory {
        Some(record) => of_findings("theory", parts_sensitivity(record), Vec::new()),
        None => no_record("theory"),
    }
}

pub(super) fn ablatable(records: &Records) -> Outcome {
    let Some(record) = &records.structural else {
        return no_record("structural");
    };
    let mut found = findings::all(record);
    let first = findings::at_every_penalty(record);
    found.retain(|f| f.statistic != first.statistic);
    of_findings("structural", first, found)
}

pub(super) fn optimizer(records: &Records) -> Outcome {
    let Some(record) = &records.optimizers else {
        return no_record("optimizers");
    };
    let Ok(found) = newton_schulz(record) else {
        return no_record("optimizers with Newton–Schulz arms");
    };
    let effect = |name: &str, i: picloom::math::stats::Interval| {
        Effect::plain(name, Some(i.estimate), Some(i))
    };
    let seeds: BTreeSet<_> = record.runs.iter().map(|r| r.seed).collect();
    let targets: BTreeSet<_> = record.runs.iter().map(|r| &r.target).collect();
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
    let again = |run: &&RunRow| run.result.as_ref().is_some_and(RowResult::began_again);
    let again = record.runs.iter().filter(again).count();
    if again > 0 {
        notes.push(format!(
            "{again} of {} runs collapsed and began again from other weights",
            record.runs.len()
        ));
    }
    let mut controls = vec![
        effect("log₂(loss with the exact polar factor / at the most steps)", found.exact_over_most),
        effect("log₂(loss at the most steps / at 5)", found.most_over_five),
    ];
    controls
        .extend(found.slope_same_start.map(|i| effect("slope, without cells with restarts", i)));
    let statistic = "slope of log₂(late loss) on log₂(Newton–Schulz steps); claimed: below 0";
    let outcome = Outcome::new(statistic, found.finding, vec![effect("slope", found.slope)]);
    let outcome = outcome.beside(controls).noting(notes);
    let outcome = Outcome { seeds: Some(seeds.len()), records: path("optimizers"), ..outcome };
    let Some(first) = records.networks("optimizer_scores") else { return outcome };
    let (shapes, said) = by_scores(first, "optimizer_scores");
    // What it leaves open a later study decides.
    match records.networks("replication").filter(|second| second.profile == first.profile) {
        Some(second) if shapes == Verdict::Inconclusive => {
            and_scores(outcome, second, "replication").noting([said])
        }
        _ => and_scores(outcome, first, "optimizer_scores"),
    }
}

/// Score of SP's networks by Muon less by Adam.
fn shaped(points: &Points) -> Contrast {
    over_arms(points, ("sp-muon", "sp"), &[1], Basis::EqualFit)
}

/// What the scores of a study say of the second half of C11, and that in words.
fn by_scores(record: &NetworksRecord, part: &str) -> (Verdict, String) {
    let shaped = shaped(&Points::of(record));
    let shapes = shaping(&shaped);
    let p = shaped.p.map_or(String::new(), |p| format!(", p {p:.3}"));
    let text = format!(
        "scores, Muon less Adam at equal fit ({part}, profile {}): {}{p}, {} pairs without an R² that both reached; {}",
        record.profile,
        shapes.text(),
        shaped.missing,
        shaped.excludes()
    );
    (shapes, text)
}

/// The second half of C11: scores by optimizer at equal fit.
fn and_scores(loss: Outcome, record: &NetworksRecord, part: &str) -> Outcome {
    let points = Points::of(record);
    let has = |arm: &str| record.rows.iter().any(|row| row.arm == arm);
    let beside = [
        (("sp-muon-20", "sp-muon"), 1),
        (("dense-muon", "dense"), 0),
        (("dense-muon-20", "dense-muon"), 0),
    ]
    .into_iter()
    .filter(|((first, second), _)| has(first) && has(second))
    .map(|(arms, level)| over_arms(&points, arms, &[level], Basis::EqualFit).effect);
    let (shapes, second) = by_scores(record, part);
    let slope = loss.verdict;
    let verdict = match (slope, shapes) {
        (Verdict::Supported, Verdict::Supported) => Verdict::Supported,
        (Verdict::NotSupported, _) | (_, Verdict::NotSupported) => Verdict::NotSupported,
        _ => Verdict::Inconclusive,
    };
    Outcome {
        statistic: format!(
            "{}; and score of SP's networks by Muon less by Adam, at each R² that both reached",
            loss.statistic
        ),
        verdict,
        // What decides against it stands first.
        effects: match (slope, shapes) {
            (Verdict::NotSupported, _) | (_, Verdict::Supported | Verdict::Inconclusive) => {
                [loss.effects, vec![shaped(&points).effect]].concat()
            }
            (_, Verdict::NotSupported) => [vec![shaped(&points).effect], loss.effects].concat(),
        },
        controls: loss.controls.into_iter().chain(beside).collect(),
        notes: [loss.notes, vec![second]].concat(),
        records: [loss.records, path(part)].concat(),
        ..loss
    }
    .settling(move |number, _| [slope, shapes][number.min(1)] != Verdict::Inconclusive)
}

/// Supported if the interval excludes 0 and signs of pairs confirm it; not supported if it lies within the
/// regime map's margin to either side.
pub fn shaping(found: &Contrast) -> Verdict {
    let Some((low, high)) = found.effect.low.zip(found.effect.high) else {
        return Verdict::Inconclusive;
    };
    match found.p {
        Some(p) if p < 0.05 && (low > 0.0 || high < 0.0) => Verdict::Supported,
        _ if -MARGIN < low && high < MARGIN => Verdict::NotSupported,
        _ => Verdict::Inconclusive,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::theory::findings::counterpart;
    use picloom::score::measures::function::FunctionalModules;
    use std::path::Path;

    /// The committed records, with a map whose sparse networks keep to their modules as the theory says, `sign` times.
    fn with_map(sign: f64) -> Records {
        let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../figures"));
        let records = Records::read(folder).unwrap();
        let mut map = records.networks("depth").unwrap().clone();
        for row in map.rows.iter_mut().filter(|row| row.arm == SP) {
            let Some(result) = row.result.as_mut() else { continue };
            let modules = result.modules.as_ref().unwrap();
            let theory =
                counterpart(modules.width, modules.layers, modules.density, PARTS).unwrap();
            (result.kept, result.r2) = (result.links / 10, 0.9);
            result.function = theory.map(|ln| FunctionalModules {
                units: 8,
                modules: 3,
                spanning: 1,
                q: 0.2,
                wiring: sign * ln,
                wiring_z: None,
            });
        }
        records.with("regime", map)
    }

    #[test]
    fn c8_asks_the_map_once_it_has_depths() {
        let third = |records: &Records| {
            let found = volume(records);
            let by_function = |e: &&Effect| e.name.contains("modules of function");
            (found.effects.iter().find(by_function).map(|e| e.estimate.unwrap()), found.verdict)
        };
        let mut records = with_map(1.0);
        assert!((third(&records).0.unwrap() - 1.0).abs() < 1e-9);
        let (opposite, verdict) = third(&with_map(-1.0));
        assert!((opposite.unwrap() + 1.0).abs() < 1e-9);
        assert_eq!(verdict, Verdict::NotSupported);
        // Not with an eighth of the links and more, and not without a map.
        for result in records.networks.get_mut("regime").into_iter().flat_map(|map| &mut map.rows) {
            result.result.iter_mut().for_each(|r| r.kept = r.links / 4);
        }
        assert_eq!(third(&records).0, None);
        assert_eq!(third(&records.with("regime", None)).0, None);
    }
}
