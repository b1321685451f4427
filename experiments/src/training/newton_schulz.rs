//! Claim C11, the part on Muon: do more Newton–Schulz steps give a lower loss?
//!
//! In: a [`TrainingRecord`] with runs of `muon:steps=n`. Out: the [`NewtonSchulz`] statistics and a
//! verdict by the rule written in `experiments/optimizers.toml`.
//! A unit is one (target, seed); learning rates are averaged inside it. `\[ours\]`

use super::{RunRow, TrainingRecord};
use crate::finding::Verdict;
use picloom::base::real;
use picloom::base::refusal::Refusal;
use picloom::base::stats::{Interval, mean, mean_interval};
use picloom::train::optimizer::Orthogonalizer;
use picloom::train::{OptimizerConfig, StopReason};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// Newton–Schulz steps against the late loss.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct NewtonSchulz {
    /// Mean over units of the least-squares slope of log₂(late loss) on log₂(n), with its 95 %
    /// Student-t interval: −0.1 means 7 % less loss for each doubling of n.
    pub slope: Interval,
    /// The same without the (target, seed, rate) cells in which an arm collapsed and began again
    /// from other weights than the rest; `None` if too few are left. Not part of the rule.
    pub slope_same_start: Option<Interval>,
    /// Mean of log₂(late loss at the most steps / at the default 5), with its interval.
    pub most_over_five: Interval,
    /// Mean of log₂(late loss with the exact polar factor / at the most steps).
    pub exact_over_most: Interval,
    /// Units, (target, seed).
    pub units: usize,
    /// The rule of C11 applied to `slope`.
    pub finding: Verdict,
}

impl NewtonSchulz {
    /// For people.
    pub(crate) fn text(&self) -> String {
        let interval = |i: Interval| format!("{:.4} [{:.4}, {:.4}]", i.estimate, i.low, i.high);
        let mut text = format!(
            "log₂ loss for each doubling of Newton–Schulz steps: {}, {} units: {:?}\n",
            interval(self.slope),
            self.units,
            self.finding
        );
        if let Some(slope) = self.slope_same_start {
            text += &format!("the same without cells with restarts: {}\n", interval(slope));
        }
        text + &format!(
            "most steps / 5 steps: {}; exact polar / most steps: {}\n",
            interval(self.most_over_five),
            interval(self.exact_over_most)
        )
    }
}

/// Newton–Schulz steps of a Muon arm; `None` stands for the exact polar factor.
pub(crate) type MuonArm = Option<usize>;

/// log₂ of the late loss of each Muon arm.
type ArmLosses = BTreeMap<MuonArm, f64>;

/// Which Muon arm a run is; `None` for other optimizers.
pub(crate) fn muon_arm(row: &RunRow) -> Option<MuonArm> {
    match row.optimizer.parse() {
        Ok(OptimizerConfig::Muon(c)) => Some(match c.orthogonalizer {
            Orthogonalizer::NewtonSchulz => Some(c.steps),
            Orthogonalizer::ExactPolar => None,
        }),
        _ => None,
    }
}

/// The statistics of a record.
///
/// # Errors
/// Fewer than 2 units with every arm (n = 5, a larger n, the exact polar factor) trained to the end.
pub(crate) fn newton_schulz(record: &TrainingRecord) -> Result<NewtonSchulz, Refusal> {
    // log₂ of the late loss by unit, rate and arm.
    let mut restarted: BTreeSet<(&str, u64, u64)> = BTreeSet::new();
    let mut losses: BTreeMap<(&str, u64), BTreeMap<u64, ArmLosses>> = BTreeMap::new();
    for row in &record.rows {
        let (Some(arm), Some(lr), Some(result)) = (muon_arm(row), row.lr, &row.result) else {
            continue;
        };
        if result.collapses > 0 {
            restarted.insert((&row.target, row.seed, lr.to_bits()));
        }
        if result.reason == StopReason::StepLimit && result.late_loss > 0.0 {
            let rates = losses.entry((&row.target, row.seed)).or_default();
            let log = real::ln(result.late_loss) / std::f64::consts::LN_2;
            rates.entry(lr.to_bits()).or_default().insert(arm, log);
        }
    }
    let rates = || losses.values().flat_map(BTreeMap::values);
    let steps: BTreeSet<usize> = rates().flat_map(|arms| arms.keys().filter_map(|n| *n)).collect();
    let most = steps.last().copied().unwrap_or(5);
    let (mut slopes, mut most_five, mut exact_most) = (Vec::new(), Vec::new(), Vec::new());
    let whole = |arms: &ArmLosses| {
        arms.contains_key(&None) && steps.iter().all(|n| arms.contains_key(&Some(*n)))
    };
    let mut same_start = Vec::new();
    for (&(target, seed), unit) in &losses {
        let complete: Vec<_> = unit.values().filter(|arms| whole(arms)).collect();
        let same: Vec<f64> = unit
            .iter()
            .filter(|(lr, arms)| whole(arms) && !restarted.contains(&(target, seed, **lr)))
            .map(|(_, arms)| slope(arms))
            .collect();
        same_start.extend(mean(&same));
        let over = |f: &dyn Fn(&ArmLosses) -> f64| {
            mean(&complete.iter().map(|arms| f(arms)).collect::<Vec<_>>())
        };
        if complete.is_empty() || !steps.contains(&5) {
            continue;
        }
        slopes.push(over(&slope)?);
        most_five.push(over(&|arms| arms[&Some(most)] - arms[&Some(5)])?);
        exact_most.push(over(&|arms| arms[&None] - arms[&Some(most)])?);
    }
    let slope = mean_interval(&slopes, 0.95)?;
    Ok(NewtonSchulz {
        slope,
        slope_same_start: mean_interval(&same_start, 0.95).ok(),
        most_over_five: mean_interval(&most_five, 0.95)?,
        exact_over_most: mean_interval(&exact_most, 0.95)?,
        units: slopes.len(),
        finding: if slope.high < 0.0 {
            Verdict::Supported
        } else if slope.low > 0.0 {
            Verdict::NotSupported
        } else {
            Verdict::Inconclusive
        },
    })
}

/// Least-squares slope of the values on log₂ of the steps.
fn slope(arms: &ArmLosses) -> f64 {
    let points: Vec<(f64, f64)> = arms
        .iter()
        .filter_map(|(n, loss)| n.map(|n| (real::ln(n as f64) / std::f64::consts::LN_2, *loss)))
        .collect();
    let count = points.len() as f64;
    let (x, y) = points.iter().fold((0.0, 0.0), |s, p| (s.0 + p.0, s.1 + p.1));
    let (x, y) = (x / count, y / count);
    let cross: f64 = points.iter().map(|p| (p.0 - x) * (p.1 - y)).sum();
    let square: f64 = points.iter().map(|p| (p.0 - x) * (p.0 - x)).sum();
    cross / square
}
