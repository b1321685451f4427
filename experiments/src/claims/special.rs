//! Findings that no contrast can give: those of the theory's, the optimizers' and the structural
//! study's own rules, for C8, C10, C11 and C13.

use super::results::{LedgerError, Results, Valued, all_of, path};
use crate::finding::{Finding, Quantity, Verdict};
use crate::structural::{StructuralRecord, findings};
use crate::theory::TheoryRecord;
use crate::theory::findings::{TrainedPoint, agreement, halves, parts_sensitivity, prediction};
use crate::training::newton_schulz::newton_schulz;
use crate::training::{RowResult, RunRow, TrainingRecord};

use picloom::base::stats::{Interval, mean, mean_interval};
use picloom::experiment::depth::Sweep;
use picloom::experiment::networks::record::{NetworkResult, NetworkRow, NetworksRecord};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// A finding of a claim.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Special {
    /// The statistic, its interval, and what its own rule makes of it.
    #[serde(flatten)]
    pub finding: Finding,
    /// Whether it only stands beside the verdict.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub beside: bool,
}

impl Special {
    /// Describes its rule's condition and the opposite one; empty beside a rule.
    pub(crate) fn asks(&self) -> &'static str {
        self.finding.quantity.map_or("", Quantity::asks)
    }

    /// Its value with its interval.
    pub(crate) fn value(&self) -> Valued {
        (self.finding.effect, self.finding.interval.map(|i| (i.low, i.high)))
    }
}

/// The findings on a claim, and the verdict.
pub(super) struct SpecialFound {
    pub findings: Vec<Special>,
    pub verdict: Verdict,
    pub notes: Vec<String>,
    pub seeds: Option<usize>,
    pub records: Vec<String>,
}

type Find = fn(&Results) -> Result<SpecialFound, LedgerError>;

/// The findings by the name that `study.toml` gives them.
pub(super) const SPECIAL: [(&str, Find); 4] =
    [("volume", volume), ("parts", parts), ("newton-schulz", optimizer), ("structural", ablatable)];

impl SpecialFound {
    /// One finding that decides, and others beside it.
    fn of(part: &str, found: Finding, others: Vec<Finding>) -> Self {
        let verdict = found.verdict;
        let beside = others.into_iter().map(|finding| Special { finding, beside: true });
        let findings = std::iter::once(Special { finding: found, beside: false }).chain(beside);
        let (findings, records) = (findings.collect(), vec![path(part)]);
        SpecialFound { findings, verdict, notes: Vec::new(), seeds: None, records }
    }

    fn none(part: &str) -> Self {
        SpecialFound {
            findings: Vec::new(),
            verdict: Verdict::Inconclusive,
            notes: vec![format!("no record of {part}: it has not been run")],
            seeds: None,
            records: Vec::new(),
        }
    }
}

/// A value that stands beside a verdict.
fn plain(statistic: impl Into<String>, interval: Interval, units: usize) -> Finding {
    Finding {
        statistic: statistic.into(),
        quantity: None,
        effect: Some(interval.estimate),
        interval: Some(interval),
        units,
        verdict: Verdict::Inconclusive,
        notes: Vec::new(),
    }
}

/// Fit trained networks by depth and density, for the theory's second half; those of further levels of an arm
/// are units of their own.
pub(crate) fn trained_points(record: &NetworksRecord) -> Vec<TrainedPoint> {
    points(record, |row, result| {
        let further = (row.level > 1).then(|| format!("{}-{}", row.arm, row.level));
        Some((further.unwrap_or_else(|| row.arm.clone()), result.score().filter(|_| result.fit)?))
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
pub(crate) const PARTS: usize = 3;

/// SP's sparse networks near their picture, by level, with how far their links keep to the modules of their function.
pub(crate) fn functional_points(record: &NetworksRecord) -> Vec<TrainedPoint> {
    points(record, |row, result| {
        (row.arm == Sweep::SP.arm && result.is_sparse_and_near()).then_some(())?;
        Some((format!("{}-{}", row.arm, row.level), result.function?.wiring))
    })
}

/// A measure that the theory's order is compared with: its name, the study, its networks.
type Compared = (&'static str, &'static str, fn(&NetworksRecord) -> Vec<TrainedPoint>);

/// The score on the depth study; on the regime map, once it has depths, modules of function.
const COMPARED: [Compared; 2] = [
    ("the score", "depth", trained_points),
    ("how far links keep to modules of function", "regime", functional_points),
];

fn volume(results: &Results) -> Result<SpecialFound, LedgerError> {
    let Some(record) = results.record::<TheoryRecord>("theory")? else {
        return Ok(SpecialFound::none("theory"));
    };
    let mut all = SpecialFound::of("theory", agreement(&record), Vec::new());
    let mut is_compared = true;
    for (measure, part, points) in COMPARED {
        let record = results.record::<NetworksRecord>(part)?;
        let points = record.as_ref().map(points).unwrap_or_default();
        if part == "depth" {
            let seeds = record.iter().flat_map(|r| &r.rows).filter_map(|row| row.seed);
            all.seeds = Some(seeds.collect::<BTreeSet<_>>().len()).filter(|seeds| *seeds > 0);
        }
        let found = prediction(&points, PARTS).ok().filter(|found| found.units > 0);
        let Some(found) = found else {
            // The map has depths only once its second stage is there.
            if part == "depth" {
                let none = "no networks of the depth study: theory is not compared with them";
                is_compared = false;
                all.notes.push(none.to_string());
            }
            continue;
        };
        let statistic =
            format!("Spearman's ρ between ln E[N] (P = {PARTS}) and {measure}, over depths");
        all.findings.push(Special { finding: Finding { statistic, ..found }, beside: false });
        all.records.push(path(part));
        // In units of the measure, beside the rule.
        let name = format!(
            "{measure}: at the depths where theory expects most, less that where it expects fewest"
        );
        let targets = halves(&points, PARTS).unwrap_or_default();
        let means: Vec<f64> = targets.iter().filter_map(|one| mean(&one.1).ok()).collect();
        let beside = mean_interval(&means, 0.95).ok().map(|i| plain(name, i, means.len()));
        all.findings.extend(beside.map(|finding| Special { finding, beside: true }));
    }
    let deciding = all.findings.iter().filter(|one| !one.beside);
    let verdicts: Vec<Verdict> = deciding.map(|one| one.finding.verdict).collect();
    all.verdict = if is_compared { all_of(&verdicts) } else { Verdict::Inconclusive };
    Ok(all)
}

fn parts(results: &Results) -> Result<SpecialFound, LedgerError> {
    Ok(match results.record::<TheoryRecord>("theory")? {
        Some(record) => SpecialFound::of("theory", parts_sensitivity(&record), Vec::new()),
        None => SpecialFound::none("theory"),
    })
}

fn ablatable(results: &Results) -> Result<SpecialFound, LedgerError> {
    let Some(record) = results.record::<StructuralRecord>("structural")? else {
        return Ok(SpecialFound::none("structural"));
    };
    let mut found = findings::all(&record);
    let first = findings::at_every_penalty(&record);
    found.retain(|f| f.statistic != first.statistic);
    Ok(SpecialFound::of("structural", first, found))
}

fn optimizer(results: &Results) -> Result<SpecialFound, LedgerError> {
    let Some(record) = results.record::<TrainingRecord>("optimizers")? else {
        return Ok(SpecialFound::none("optimizers"));
    };
    let Ok(found) = newton_schulz(&record) else {
        return Ok(SpecialFound::none("optimizers with Newton–Schulz arms"));
    };
    let seeds: BTreeSet<_> = record.rows.iter().map(|r| r.seed).collect();
    let targets: BTreeSet<_> = record.rows.iter().map(|r| &r.target).collect();
    let mut notes = vec![format!(
        "optimizers: profile {}, {}²; a unit is one (target, seed): {} of {} targets",
        record.profile,
        record.note::<usize>("size").unwrap_or_default(),
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
    let again = record.rows.iter().filter(again).count();
    if again > 0 {
        notes.push(format!(
            "{again} of {} runs collapsed and began again from other weights",
            record.rows.len()
        ));
    }
    let of = |name: &str, interval| plain(name, interval, found.units);
    let slope = "slope of log₂(late loss) on log₂(Newton–Schulz steps)";
    let quantity = Some(Quantity::DoublingsOfLoss);
    let slope = Finding { quantity, verdict: found.finding, ..of(slope, found.slope) };
    let mut beside = vec![
        of("log₂(loss with the exact polar factor / at the most steps)", found.exact_over_most),
        of("log₂(loss at the most steps / at 5)", found.most_over_five),
    ];
    beside.extend(found.slope_same_start.map(|i| of("slope, without cells with restarts", i)));
    let all = SpecialFound::of("optimizers", slope, beside);
    Ok(SpecialFound { notes, seeds: Some(seeds.len()), ..all })
}
