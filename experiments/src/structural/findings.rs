//! Findings from the structural study's record on claim C13, by the rules of
//! `experiments/structural.toml`. Pure functions from the record.

use super::{ArmOutcome, StructuralRecord, arm, arm_at, penalties};
use crate::finding::{Finding, Quantity, Verdict};
use picloom::base::stats::{mean_interval, paired_difference, wilson};
use std::collections::{BTreeMap, BTreeSet};

/// C13: do parts of a dense network live in subnetworks of their own? Rule `C13`.
pub(crate) fn parts_are_ablatable(record: &StructuralRecord) -> Finding {
    of_arm(record, "dense")
}

/// C13 with the sweep of penalties: open if masks learned under another λ decide it the other way. Rule
/// `C13-penalty`.
pub(crate) fn at_every_penalty(record: &StructuralRecord) -> Finding {
    let mut found = parts_are_ablatable(record);
    let against = |p: &f64| {
        let other = of_arm_at(record, "dense", Some(*p)).verdict;
        Verdict::Inconclusive != other && other != found.verdict
    };
    let others = penalties(record);
    let otherwise: Vec<String> =
        others.iter().copied().filter(against).map(|p| p.to_string()).collect();
    if found.verdict == Verdict::Inconclusive || others.is_empty() {
        return found;
    }
    if otherwise.is_empty() {
        found.notes.push(format!("no other λ of {} decides it otherwise", others.len()));
    } else {
        found.notes.push(format!("decided otherwise at λ = {}", otherwise.join(", ")));
        found.verdict = Verdict::Inconclusive;
    }
    found
}

/// The same statistic for any arm, with the rule of C13.
pub(crate) fn of_arm(record: &StructuralRecord, arm: &str) -> Finding {
    of_arm_at(record, arm, None)
}

/// The same with masks learned at another penalty. Rule `C13-penalty`.
pub(crate) fn of_arm_at(record: &StructuralRecord, arm: &str, penalty: Option<f64>) -> Finding {
    let mut excess = Vec::new();
    let mut by_target: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    let mut seeds = BTreeSet::new();
    let (mut yes, mut parts, mut all) = (0, 0, 0);
    for (row, outcome) in arm_at(record, arm, penalty) {
        all += 1;
        if !outcome.fit() {
            continue;
        }
        let value = outcome.sc - outcome.control;
        excess.push(value);
        by_target.entry(&row.target).or_default().push(value);
        seeds.insert(row.seed);
        yes += outcome.compositional_parts();
        parts += outcome.parts.len();
    }
    let interval = mean_interval(&excess, 0.95).ok();
    let share = wilson(yes, parts, 0.95).ok();
    let enough = by_target.len() >= 3 && seeds.len() >= 3;
    let verdict = match (interval, share) {
        (Some(i), Some(s)) if enough => {
            if i.low > 0.0 && 2 * yes > parts {
                Verdict::Supported
            } else if i.high < 0.0 || s.high < 0.5 {
                Verdict::NotSupported
            } else {
                Verdict::Inconclusive
            }
        }
        _ => Verdict::Inconclusive,
    };
    let mut notes = vec![
        format!("{} of {all} networks fit, {} targets", excess.len(), by_target.len()),
        format!(
            "{yes} of {parts} parts have D_sub > 0 and D_abl < 0{}",
            share.map_or(String::new(), |s| format!(
                ": {:.2} [{:.2}, {:.2}]",
                s.estimate, s.low, s.high
            ))
        ),
    ];
    let means: Vec<f64> =
        by_target.values().map(|v| v.iter().sum::<f64>() / v.len() as f64).collect();
    if let Ok(i) = mean_interval(&means, 0.95) {
        notes.push(format!(
            "seeds averaged within targets first: {:.3} [{:.3}, {:.3}], {} units",
            i.estimate,
            i.low,
            i.high,
            means.len()
        ));
    }
    Finding {
        statistic: match penalty {
            None => format!("SC − control of random masks, {arm}"),
            Some(penalty) => format!("SC − control of random masks, {arm}, λ = {penalty}"),
        },
        quantity: Some(Quantity::StructuralCompositionality),
        effect: interval.map(|i| i.estimate).or_else(|| excess.first().copied()),
        interval,
        units: excess.len(),
        verdict,
        notes,
    }
}

/// C13, SP against another arm at the same (target, seed), both fit. Rule `C13-sp`.
pub(crate) fn sp_against(record: &StructuralRecord, other: &str) -> Finding {
    let key = |name| -> BTreeMap<(String, u64), &ArmOutcome> {
        let fit = arm(record, name).filter(|(_, a)| a.fit());
        fit.map(|(row, a)| ((row.target.clone(), row.seed), a)).collect()
    };
    let (ours, theirs) = (key("sp"), key(other));
    let mut pairs = (Vec::new(), Vec::new());
    let mut targets = BTreeSet::new();
    for (unit, sp) in &ours {
        if let Some(other) = theirs.get(unit) {
            pairs.0.push(sp.sc - sp.control);
            pairs.1.push(other.sc - other.control);
            targets.insert(&unit.0);
        }
    }
    let found = paired_difference(&pairs.0, &pairs.1, 0.95).ok();
    let interval = found.map(|f| f.difference);
    let verdict = match interval {
        Some(_) if targets.len() < 3 => Verdict::Inconclusive,
        Some(i) if i.low > 0.0 => Verdict::Supported,
        Some(i) if i.high < 0.0 || (i.low >= -0.05 && i.high <= 0.05) => Verdict::NotSupported,
        _ => Verdict::Inconclusive,
    };
    Finding {
        statistic: format!("paired difference of SC − control, SP minus {other}"),
        quantity: None,
        effect: interval.map(|i| i.estimate),
        interval,
        units: pairs.0.len(),
        verdict,
        notes: vec![format!(
            "{} (target, seed) pairs on {} targets{}",
            pairs.0.len(),
            targets.len(),
            found.map_or(String::new(), |f| format!(", p = {:.3}", f.p))
        )],
    }
}

/// Every finding of the study.
pub(crate) fn all(record: &StructuralRecord) -> Vec<Finding> {
    let arms = ["dense", "magnitude", "sp", "evolved"];
    let mut found: Vec<Finding> = arms.iter().map(|arm| of_arm(record, arm)).collect();
    found.extend(["dense", "magnitude"].map(|other| sp_against(record, other)));
    found.extend(penalties(record).into_iter().map(|p| of_arm_at(record, "dense", Some(p))));
    found
}
