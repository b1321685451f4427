//! Findings from the theory's records on the claims C8 and C10, by the rules of
//! `experiments/theory.toml`. Pure functions: plain numbers in, a [`Finding`] out. The trained
//! networks come from other studies' records, as [`TrainedPoint`]s.

use super::record::{meetings, peaks};
use super::spec::TheoryRecord;
use crate::finding::{Finding, Quantity, Verdict};
use crate::volume::moment::ln_expected_labellings;
use crate::volume::sample::Estimate;
use crate::volume::{VolumeError, checked};
use picloom::base::stats::{mean_interval, normal_quantile, spearman, wilson};
use picloom::study::contrast::slope;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// C8, first half: do theory and Monte Carlo agree? Rule `C8-agreement`.
pub(crate) fn agreement(record: &TheoryRecord) -> Finding {
    let (mut held, mut units, mut worst) = (0, 0, 0.0f64);
    let mut low_karp_luby = 0;
    let mut seen = std::collections::BTreeSet::new();
    for (row, values) in meetings(record) {
        // A case of METHODS may also be one of the grid.
        if !seen.insert((row.width, row.layers, row.parts, row.p.to_bits())) {
            continue;
        }
        let Some(exact) = values.exact.filter(|e| *e > 0.0 && *e < 1.0 - 1e-12) else {
            continue;
        };
        for (name, estimate) in [("direct", values.direct), ("kl", values.karp_luby)] {
            units += 1;
            let inside = holds(&estimate, exact);
            held += usize::from(inside);
            if !inside && name == "kl" && estimate.probability.high < exact {
                low_karp_luby += 1;
            }
            let z = standard_errors(&estimate, exact);
            if estimate.probability.estimate > 0.0 || !inside {
                worst = worst.max(z.abs());
            }
        }
    }
    let interval = wilson(held, units, 0.95).ok();
    let verdict = match interval {
        None => Verdict::Inconclusive,
        Some(i) if i.high < 0.90 => Verdict::NotSupported,
        Some(i) if i.high >= 0.95 && worst <= 5.0 => Verdict::Supported,
        Some(_) => Verdict::Inconclusive,
    };
    Finding {
        statistic: "share of Monte Carlo's 95 % intervals that hold the exact probability".into(),
        quantity: Some(Quantity::ShareOfIntervals),
        effect: interval.map(|i| i.estimate),
        interval,
        units,
        verdict,
        notes: vec![
            format!(
                "{held} of {units} intervals hold it; the farthest estimate lies {worst:.2} standard errors away"
            ),
            format!(
                "{low_karp_luby} Karp–Luby intervals lie below the exact value: few samples miss the masks with few labellings"
            ),
        ],
    }
}

/// True if an estimate's interval holds a value, to the six digits a record keeps.
pub(crate) fn holds(estimate: &Estimate, value: f64) -> bool {
    let i = estimate.probability;
    i.low <= value * (1.0 + 1e-5) && value * (1.0 - 1e-5) <= i.high
}

/// (estimate − value)/standard error, the standard error from the interval's half width.
pub(crate) fn standard_errors(estimate: &Estimate, value: f64) -> f64 {
    let i = estimate.probability;
    let error = (i.high - i.low) / (2.0 * normal_quantile(0.975));
    match (i.estimate - value).abs() {
        d if d <= 1e-5 * value => 0.0,
        _ => (i.estimate - value) / error.max(1e-300),
    }
}

/// Hits that a sampled best depth stands on at least: fewer may lie anywhere.
const HITS: usize = 30;

/// C10: does the best depth move with P? Rule `C10`.
pub(crate) fn parts_sensitivity(record: &TheoryRecord) -> Finding {
    let mut volumes: Vec<(&str, Vec<(f64, f64)>)> = Vec::new();
    let mut few = Vec::new();
    for (row, values, peak) in peaks(record, "parts") {
        if !volumes.iter().any(|v| v.0 == row.name) {
            volumes.push((&row.name, Vec::new()));
        }
        let defined = || {
            let at = (0..values.depths.len()).filter(|&i| values.value[i].is_some());
            at.map(|i| values.depths[i])
        };
        let inside = Some(peak.layers) != defined().min() && Some(peak.layers) != defined().max();
        if let Some(hits) = peak.hits.filter(|hits| inside && row.parts >= 2 && *hits < HITS) {
            few.push(format!("{}, P {}: {hits}", row.name, row.parts));
        } else if row.parts >= 2 && inside {
            let at = volumes.iter().position(|v| v.0 == row.name).expect("added");
            volumes[at].1.push((row.parts as f64, peak.middle()));
        }
    }
    let mut notes = Vec::new();
    let mut slopes = Vec::new();
    for (name, best) in &volumes {
        let listed: Vec<String> = best.iter().map(|(k, l)| format!("P {k}: L {l}")).collect();
        match slope(best) {
            Some(slope) => {
                slopes.push(slope);
                notes.push(format!("{name}: {slope:+.2} layers a part ({})", listed.join(", ")));
            }
            None => notes.push(format!(
                "{name}: not counted, fewer than 3 values of P with a best depth inside the range"
            )),
        }
    }
    if !few.is_empty() {
        notes.push(format!(
            "best depths of fewer than {HITS} hits, not counted: {}",
            few.join("; ")
        ));
    }
    notes.push(
        "units are readings of one theory, not independent observations: the interval says how far they agree".into(),
    );
    let interval = mean_interval(&slopes, 0.95).ok();
    let verdict = match interval {
        None => Verdict::Inconclusive,
        Some(i) if !i.holds(0.0) => Verdict::Supported,
        Some(i) if i.low >= -0.25 && i.high <= 0.25 => Verdict::NotSupported,
        Some(_) => Verdict::Inconclusive,
    };
    Finding {
        statistic: "slope of the best depth on P, layers a part".into(),
        quantity: Some(Quantity::LayersPerPart),
        effect: interval.map(|i| i.estimate),
        interval,
        units: slopes.len(),
        verdict,
        notes,
    }
}

/// A trained network, as a study of networks by depth records it (see
/// [`picloom::score::measures::modules::NetworkModules`]).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct TrainedPoint {
    /// The picture.
    pub target: String,
    /// `dense`, `sp`, ….
    pub arm: String,
    /// Seed.
    pub seed: u64,
    /// W.
    pub width: usize,
    /// L.
    pub layers: usize,
    /// Share of the edges between hidden layers that are kept.
    pub density: f64,
    /// Components that touch every layer least, dead units included.
    pub least_touching: usize,
    /// Components of what is alive that cover every hidden layer.
    pub spanning: usize,
    /// Compositional score.
    pub score: f64,
}

/// The theory's value for a network's wiring: ln E\[N\] of a random mask of its width, depth and
/// density; `None` where the density leaves nothing to chance (0, 1, or one hidden layer).
///
/// E\[N\], not Pr, because it still tells depths apart where Pr is too small to be sampled.
///
/// # Errors
/// A parameter out of range, or too many compositions of W.
pub(crate) fn counterpart(
    width: usize,
    layers: usize,
    density: f64,
    parts: usize,
) -> Result<Option<f64>, VolumeError> {
    checked(width, layers, parts, density)?;
    if layers < 2 || density <= 0.0 || density >= 1.0 || parts > width {
        return Ok(None);
    }
    ln_expected_labellings(width, layers, parts, density).map(Some)
}

/// Depths of one (target, arm, seed): hidden layers, what the theory says of each, what was found there.
type Depths = Vec<(usize, f64, f64)>;

/// A unit of [`prediction`]: at least 4 depths, in which ρ is defined.
struct Order {
    depths: Depths,
    rho: f64,
}

/// Every unit, by target.
fn orders(
    points: &[TrainedPoint],
    parts: usize,
) -> Result<BTreeMap<&str, Vec<Order>>, VolumeError> {
    let mut units: BTreeMap<(&str, &str, u64), Depths> = BTreeMap::new();
    for point in points {
        if let Some(ln) = counterpart(point.width, point.layers, point.density, parts)? {
            let key = (point.target.as_str(), point.arm.as_str(), point.seed);
            units.entry(key).or_default().push((point.layers, ln, point.score));
        }
    }
    let mut by_target: BTreeMap<&str, Vec<Order>> = BTreeMap::new();
    for ((target, _, _), mut depths) in units {
        depths.sort_by_key(|d| d.0);
        if let Some(rho) = order(&depths) {
            by_target.entry(target).or_default().push(Order { depths, rho });
        }
    }
    Ok(by_target)
}

/// Spearman's ρ of one unit; `None` with fewer than 4 depths.
pub(crate) fn order(depths: &[(usize, f64, f64)]) -> Option<f64> {
    let (theory, found): (Vec<f64>, Vec<f64>) = depths.iter().map(|d| (d.1, d.2)).unzip();
    if depths.len() < 4 { None } else { spearman(&theory, &found).ok() }
}

/// Of every unit of [`prediction`], by target: the mean at the half of its depths of which theory expects most
/// labellings, less that at the half of which it expects least (the middle one of an odd number in neither; of equals
/// the deeper counts as more).
///
/// # Errors
/// A point out of range.
pub(crate) fn halves(points: &[TrainedPoint], parts: usize) -> Result<ByTarget, VolumeError> {
    Ok(each(orders(points, parts)?, |order| {
        let mut depths = order.depths.clone();
        depths.sort_by(|a, b| a.1.total_cmp(&b.1));
        let half = depths.len() / 2;
        let mean = |depths: &[(usize, f64, f64)]| {
            depths.iter().map(|d| d.2).sum::<f64>() / depths.len() as f64
        };
        mean(&depths[depths.len() - half..]) - mean(&depths[..half])
    }))
}

/// A value of every unit of each target.
type ByTarget = Vec<(String, Vec<f64>)>;

fn each(orders: BTreeMap<&str, Vec<Order>>, value: impl Fn(&Order) -> f64) -> ByTarget {
    let of = |orders: Vec<Order>| orders.iter().map(&value).collect();
    orders.into_iter().map(|(target, orders)| (target.to_string(), of(orders))).collect()
}

/// Applies the rule `C8-prediction` to the mean ρ of each target.
fn ordered(means: &[f64]) -> Verdict {
    match mean_interval(means, 0.95).ok() {
        _ if means.len() < 3 => Verdict::Inconclusive,
        Some(i) if i.low > 0.0 => Verdict::Supported,
        Some(i) if i.high < 0.2 => Verdict::NotSupported,
        _ => Verdict::Inconclusive,
    }
}

/// C8, second half: does the theory order the depths of trained networks? Rule `C8-prediction`, P =
/// `parts` (3 by the rule).
///
/// # Errors
/// A point out of range.
pub(crate) fn prediction(points: &[TrainedPoint], parts: usize) -> Result<Finding, VolumeError> {
    let by_target = orders(points, parts)?;
    let mean =
        |orders: &Vec<Order>| orders.iter().map(|o| o.rho).sum::<f64>() / orders.len() as f64;
    let means: Vec<f64> = by_target.values().map(mean).collect();
    let (mut apart, mut theirs, mut used) = (0, 0, 0);
    for Order { depths, .. } in by_target.values().flatten() {
        let best = |of: fn(&(usize, f64, f64)) -> f64| {
            let better = |a: usize, b: usize| if of(&depths[b]) > of(&depths[a]) { b } else { a };
            depths[(0..depths.len()).reduce(better).expect("four depths")].0
        };
        let (theory, found) = (best(|d| d.1), best(|d| d.2));
        used += 1;
        apart += theory.abs_diff(found);
        theirs += usize::from(theory == found);
    }
    let spanning = points.iter().filter(|point| point.spanning >= 2).count();
    let least = points.iter().filter(|point| point.least_touching >= parts).count();
    let mut notes = vec![format!(
        "{used} (target, arm, seed) units on {} targets; of {} networks {spanning} have two spanning alive components, {least} a {parts}-modular labelling",
        means.len(),
        points.len()
    )];
    if used > 0 {
        notes.push(format!(
            "the depth with the most expected labellings is the best-scored one in {theirs} of {used} units, {:.1} layers away on average",
            apart as f64 / used as f64
        ));
    }
    Ok(Finding {
        statistic: format!("Spearman's ρ between ln E[N] (P = {parts}) and the score over depths"),
        quantity: Some(Quantity::RankCorrelation),
        effect: (!means.is_empty()).then(|| means.iter().sum::<f64>() / means.len() as f64),
        interval: mean_interval(&means, 0.95).ok(),
        units: means.len(),
        verdict: ordered(&means),
        notes,
    })
}

/// The findings that follow from the record alone, for people.
pub(super) fn summary(record: &TheoryRecord) -> String {
    let mut text = String::new();
    for finding in [agreement(record), parts_sensitivity(record)] {
        text += &format!("{}\n", finding.text());
        for note in &finding.notes {
            text += &format!("  {note}\n");
        }
    }
    text
}
