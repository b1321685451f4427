//! The rules of the map, written before the runs: C3, C4, C5, "narrow" and C6, under both protocols.
//!
//! An effect is *supported* if its interval lies above 0 and its permutation p is below .05; it is
//! *smaller than the margin* if its interval excludes an effect of the margin. A rule of several effects
//! takes that word if one of them does, is supported if all are, else inconclusive. What is excluded is
//! always said, and whether an effect differs from 0.

use super::arms::{CONTROLS, CRITERIA, MapLevels, READINGS, RETRAINED, REWOUND};
use super::contrasts::{Contrast, less, over_arms, over_depths, over_places, over_rivals};
use super::points::{Basis, CLOSE, Networks, Place, Points, SP, Scores};
use picloom::experiment::depth::{DepthCurve, DepthModel, DepthPoint};
use picloom::experiment::finding::Verdict;
use picloom::experiment::networks::record::NetworksRecord;
use picloom::math::SimRng;
use picloom::math::stats::{Interval, mean, median, quantile};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// The smallest difference of scores that matters on the map.
pub const MARGIN: f64 = 0.10;

/// What one rule says under one protocol.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ruling {
    /// C3, C4, C5, narrow, C6, C4 of a reading of SP or beside the reference.
    pub rule: String,
    /// What is asked, in words.
    pub says: String,
    /// How scores were compared.
    pub protocol: String,
    /// The effects it is decided on.
    pub contrasts: Vec<Contrast>,
    /// The rule applied.
    pub verdict: Verdict,
    /// What is excluded, effect by effect, and what else must be known.
    pub notes: Vec<String>,
}

/// Applies the general rule to its effects.
pub fn decide(contrasts: &[Contrast], margin: f64) -> Verdict {
    let below = |c: &Contrast| c.effect.high.is_some_and(|high| high < margin);
    let above =
        |c: &Contrast| c.effect.low.is_some_and(|low| low > 0.0) && c.p.is_some_and(|p| p < 0.05);
    match contrasts {
        all if all.iter().any(below) => Verdict::NotSupported,
        [] => Verdict::Inconclusive,
        all if all.iter().all(above) => Verdict::Supported,
        _ => Verdict::Inconclusive,
    }
}

/// A verdict as these rules word it.
pub fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::NotSupported => "smaller than the margin",
        other => other.text(),
    }
}

impl Ruling {
    fn of(rule: &str, says: &str, basis: Basis, contrasts: Vec<Contrast>, margin: f64) -> Self {
        let notes = contrasts.iter().map(|c| {
            let missing = match c.missing {
                0 => String::new(),
                n => format!("; {n} pairs could not be compared"),
            };
            format!("{}: {}{missing}", c.effect.name, c.excludes())
        });
        Ruling {
            rule: rule.into(),
            says: says.into(),
            protocol: basis.text().into(),
            verdict: decide(&contrasts, margin),
            notes: notes.collect(),
            contrasts,
        }
    }

    /// For people, in a line.
    pub fn text(&self) -> String {
        // Of several effects one may be smaller than the margin and another not: each says it of itself.
        let several = self.verdict == Verdict::NotSupported && self.contrasts.len() > 1;
        let effects: Vec<String> = self
            .contrasts
            .iter()
            .map(|c| match (c.effect.estimate, c.effect.low, c.effect.high) {
                (Some(e), Some(l), Some(h)) => {
                    let p = c.p.map_or(String::new(), |p| format!(", p {p:.3}"));
                    let differs = if l > 0.0 || h < 0.0 { ", differs from 0" } else { "" };
                    let small =
                        if several && h < MARGIN { ", smaller than the margin" } else { "" };
                    format!("{} {e:.3} [{l:.3}, {h:.3}]{p}{differs}{small}", c.effect.name)
                }
                _ => format!("{}: too few targets", c.effect.name),
            })
            .collect();
        // A rule that is not asked says why.
        let said = if effects.is_empty() { &self.notes } else { &effects };
        let verdict = word(self.verdict);
        format!("{} ({}): {verdict}; {}", self.rule, self.protocol, said.join("; "))
    }
}

/// C3: every other criterion, through the same rounds and retraining, leaves less.
pub fn criteria(points: &Points, basis: Basis, margin: f64) -> Ruling {
    let says = "Similarity keeps networks more compositional than every other criterion.";
    Ruling::of("C3", says, basis, over_rivals(points, CRITERIA, basis), margin)
}

/// C4: which links remain decides, not how many of each layer or of each unit.
pub fn which_links(points: &Points, basis: Basis, margin: f64) -> Ruling {
    let contrasts = over_rivals(points, CONTROLS, basis);
    Ruling::of("C4", "Which links remain decides, not how many.", basis, contrasts, margin)
}

/// C5: the score at the reference depth lies above that four layers to either side.
pub fn depth_peak(points: &Points, basis: Basis, margin: f64) -> Ruling {
    let contrasts = vec![over_depths(points, 4, basis)];
    let says = "The score peaks at the target's own depth.";
    let mut ruling = Ruling::of("C5", says, basis, contrasts, margin);
    ruling.notes.extend(sides(points, 4, basis));
    ruling
}

/// What a depth rule averages, side by side: where one side cannot be compared, the other stands alone in it.
fn sides(points: &Points, apart: i64, basis: Basis) -> Option<String> {
    let levels = points.levels();
    let of_side = |offset: i64| {
        let (name, pair) = (format!("at {offset:+}"), ((SP, 0), (SP, offset)));
        let side = over_places(points, &name, &[pair], &levels, basis);
        let (estimate, low, high) = (side.effect.estimate?, side.effect.low?, side.effect.high?);
        let targets = side.effect.targets.len();
        Some(format!(
            "{name} {estimate:.2} [{low:.2}, {high:.2}] on {targets} targets ({} pairs could not be compared)",
            side.missing
        ))
    };
    let found: Vec<String> = [-apart, apart].into_iter().filter_map(of_side).collect();
    (!found.is_empty())
        .then(|| format!("SP at the reference less each side alone: {}", found.join("; ")))
}

/// Narrow: the score at the reference depth lies above that one layer to either side, too.
pub fn narrow(points: &Points, basis: Basis, margin: f64) -> Ruling {
    let contrasts = vec![over_depths(points, 1, basis)];
    let mut ruling =
        Ruling::of("narrow", "A layer more or less already costs.", basis, contrasts, margin);
    ruling.notes.extend(sides(points, 1, basis));
    let widths = half_widths(points, basis);
    if let Ok(width) = median(&widths.iter().map(|w| w.1).collect::<Vec<_>>()) {
        ruling.notes.push(format!(
            "half-height width over depth, median of {} targets: {width:.1} layers",
            widths.len()
        ));
    }
    ruling
}

/// A target's scores by depth offset, a seed each.
pub type Curve = (String, Vec<(i64, Vec<f64>)>);

/// Scores by depth offset of SP, averaged over the levels of the claims; at equal fit each over the R²
/// levels that it reached. Depths at which nothing can be compared are left out.
pub fn by_offset(points: &Points, basis: Basis) -> Vec<Curve> {
    let levels = points.levels();
    let mut curves = Vec::new();
    for (target, seeds) in &points.targets {
        let offsets: BTreeSet<i64> =
            seeds.values().flat_map(|networks| networks.keys().map(|place| place.offset)).collect();
        let of_seed = |networks: &Networks, offset: i64| {
            let of_level = |&level: &usize| {
                let scores = networks.get(&Place { offset, arm: SP.into(), level })?;
                Scores::compared(&[scores], basis).map(|found| found[0])
            };
            mean(&levels.iter().filter_map(of_level).collect::<Vec<f64>>()).ok()
        };
        let curve = offsets.into_iter().map(|offset| {
            (offset, seeds.values().filter_map(|n| of_seed(n, offset)).collect::<Vec<f64>>())
        });
        curves.push((target.clone(), curve.filter(|(_, scores)| !scores.is_empty()).collect()));
    }
    curves
}

/// Layers over which each target's mean curve, straight between the depths tried, lies above half of
/// its height; a curve that does not come down on a side ends there.
pub fn half_widths(points: &Points, basis: Basis) -> Vec<(String, f64)> {
    let width = |curve: &[(i64, Vec<f64>)]| -> Option<f64> {
        let mut means = Vec::new();
        for (offset, scores) in curve {
            means.push((*offset as f64, mean(scores).ok()?));
        }
        let top = means.iter().map(|m| m.1).fold(f64::NEG_INFINITY, f64::max);
        let foot = means.iter().map(|m| m.1).fold(f64::INFINITY, f64::min);
        let (half, peak) = ((top + foot) / 2.0, means.iter().position(|m| m.1 == top)?);
        if means.len() < 3 || top == foot {
            return None;
        }
        // From the peak outwards, to where the straight line crosses half the height.
        let reach = |side: &mut dyn Iterator<Item = &(f64, f64)>| {
            let mut last = means[peak];
            for &at in side {
                if at.1 < half {
                    return last.0 + (at.0 - last.0) * (last.1 - half) / (last.1 - at.1);
                }
                last = at;
            }
            last.0
        };
        let right = reach(&mut means[peak + 1..].iter());
        let left = reach(&mut means[..peak].iter().rev());
        Some(right - left)
    };
    by_offset(points, basis)
        .into_iter()
        .filter_map(|(target, curve)| Some((target, width(&curve)?)))
        .collect()
}

/// Resamplings of seeds behind the interval of C6.
const BOOTSTRAPS: u64 = 500;

/// C6: the PNG ratio predicts the best depth better than the median does. Asked only where C5 is
/// supported. Its interval resamples the seeds, so it carries the error of every optimum.
pub fn depth_predicted(
    record: &NetworksRecord,
    points: &Points,
    basis: Basis,
    peak: Verdict,
) -> Ruling {
    let says = "How well a picture compresses predicts its best depth.";
    let mut ruling = Ruling::of("C6", says, basis, Vec::new(), 0.0);
    if peak != Verdict::Supported {
        ruling.notes.push("asked only where C5 is supported: there is no peak to predict".into());
        return ruling;
    }
    let curves = by_offset(points, basis);
    let layers = |target: &str, offset: i64| {
        let row = record.rows.iter().find(|r| r.target == target && r.offset == offset);
        row.map(|row| row.layers)
    };
    let gain = |draw: Option<u64>| -> Option<f64> {
        let mut rng = SimRng::new(0, "depth-bootstrap", draw.unwrap_or(0));
        let mut drawn = Vec::new();
        for (target, curve) in &curves {
            let points = curve.iter().filter_map(|(offset, scores)| {
                let mut scores = scores.clone();
                if draw.is_some() {
                    let of = scores.clone();
                    scores.iter_mut().for_each(|s| *s = of[rng.below(of.len())]);
                }
                let layers = layers(target, *offset)?;
                let all = scores.clone();
                Some(DepthPoint { offset: *offset, layers, scores, unfit: 0, all })
            });
            let points: Vec<DepthPoint> = points.collect();
            let ratio = record.png_ratio.get(target).copied()?;
            let mut curve = DepthCurve::of(target, ratio, points);
            // The optimum itself: the one-standard-error rule leans to the shallow side.
            curve.chosen = curve.best;
            drawn.push(curve);
        }
        let model = DepthModel::fit(&drawn, record.size).ok()?;
        Some(model.median_error? - model.error?)
    };
    let Some(estimate) = gain(None) else { return ruling };
    let drawn: Vec<f64> = (0..BOOTSTRAPS).filter_map(|k| gain(Some(k))).collect();
    if let (Ok(low), Ok(high)) = (quantile(&drawn, 0.025), quantile(&drawn, 0.975)) {
        ruling.verdict = match (low, high) {
            (low, _) if low > 0.0 => Verdict::Supported,
            (_, high) if high <= 0.0 => Verdict::NotSupported,
            _ => Verdict::Inconclusive,
        };
        let interval = Interval { estimate, low, high };
        ruling.notes.push(format!(
            "error of the median less error of the prediction, layers, targets left out: {estimate:.2} [{:.2}, {:.2}] over resampled seeds",
            interval.low, interval.high
        ));
    }
    ruling
}

/// Every rule under both protocols; beside them at close fit alone, where networks were kept on their way to
/// it, and with 0 for networks that do not fit.
pub fn rulings(record: &NetworksRecord, margin: f64) -> Vec<Ruling> {
    let points = Points::of(record);
    let mut found = Vec::new();
    for basis in bases(record) {
        let peak = depth_peak(&points, basis, margin);
        let predicted = depth_predicted(record, &points, basis, peak.verdict);
        let narrow = narrow(&points, basis, margin);
        let criteria = criteria(&points, basis, margin);
        found.extend([criteria, which_links(&points, basis, margin), peak, narrow, predicted]);
    }
    found
}

/// The protocols that a record has.
fn bases(record: &NetworksRecord) -> impl Iterator<Item = Basis> {
    let all = [Basis::EqualFit, Basis::CloseFit, Basis::FixedDelta, Basis::UnfitZero];
    all.into_iter().filter(|basis| match basis {
        Basis::CloseFit => record.checkpoints.iter().any(|level| *level < CLOSE),
        Basis::FixedDelta => record.fixed_delta.is_some(),
        _ => true,
    })
}

/// Is it the weights that stay, not the links, that leave a network pruned by what carries its output less compositional?
/// The same criteria retrained from the initial weights (`rewound`) less fine-tuned (`map`); and C3 where every
/// criterion is rewound. None if the two are of another size or length.
pub fn rewinding(map: &NetworksRecord, rewound: &NetworksRecord, margin: f64) -> Vec<Ruling> {
    if (map.size, map.steps) != (rewound.size, rewound.steps) {
        return Vec::new();
    }
    let points = Points::of(map).with_rewound(&Points::of(rewound));
    let levels = points.levels();
    let rulings = |basis: Basis| {
        let over = |pair| over_arms(&points, pair, &levels, basis);
        let retrained = RETRAINED.iter().map(|(tuned, rewound)| over((*rewound, *tuned))).collect();
        let says = "Links chosen by what carries the output draw more compositionally where they are retrained from the initial weights.";
        let (sp, rivals) = REWOUND;
        let rivals = rivals.iter().map(|rival| over((sp, *rival))).collect();
        let same = "Similarity keeps networks more compositional than every other criterion, all retrained from the initial weights.";
        [
            Ruling::of("rewinding", says, basis, retrained, margin),
            Ruling::of("C3, all rewound", same, basis, rivals, margin),
        ]
    };
    bases(map).flat_map(rulings).collect()
}

/// C4 asked of each reading of SP, its own first, on the targets that have the others: how far the verdict depends on
/// what the paper leaves open. None where a record has no other reading.
pub fn readings(record: &NetworksRecord, margin: f64) -> Vec<Ruling> {
    let mut points = Points::of(record);
    let is_other = |place: &Place| READINGS.contains(&place.arm.as_str());
    let has_others =
        |seeds: &BTreeMap<u64, Networks>| seeds.values().any(|n| n.keys().any(is_other));
    points.targets.retain(|(_, seeds)| has_others(seeds));
    let arms = [SP].iter().chain(READINGS).filter(|_| !points.targets.is_empty());
    let says = "Which links remain decides, whatever reading of SP chooses them.";
    let of = |(arm, basis): (&str, Basis)| {
        let against = |rival| over_arms(&points, (arm, rival), &points.levels(), basis);
        let rivals = CONTROLS.iter().filter_map(|names| points.arm(names));
        Ruling::of(&format!("C4 of {arm}"), says, basis, rivals.map(against).collect(), margin)
    };
    let both = |arm| both_protocols(record).map(move |basis| (arm, basis));
    arms.copied().flat_map(both).map(of).collect()
}

/// C4 asked one layer beside the reference, on both sides together: is it there that which links remain decides? None
/// without a control of SP there.
pub fn beside_reference(points: &Points, basis: Basis, margin: f64) -> Option<Ruling> {
    let rivals: Vec<&str> = CONTROLS.iter().filter_map(|names| points.arm(names)).collect();
    let mut networks = points.targets.iter().flat_map(|(_, seeds)| seeds.values());
    let is_there = |place: &Place| place.offset.abs() == 1 && rivals.contains(&place.arm.as_str());
    let levels = points.levels();
    let against = |rival: &&str| {
        let name = format!("{} at ± 1", less(SP, rival));
        let pairs = [-1, 1].map(|offset| ((SP, offset), (*rival, offset)));
        over_places(points, &name, &pairs, &levels, basis)
    };
    let says = "Which links remain decides, a layer more or less than the reference.";
    networks.any(|networks| networks.keys().any(is_there)).then(|| {
        let contrasts = rivals.iter().map(against).collect();
        Ruling::of("C4 beside the reference", says, basis, contrasts, margin)
    })
}

/// [`beside_reference`] under both protocols.
pub fn beside(record: &NetworksRecord, margin: f64) -> Vec<Ruling> {
    let points = Points::of(record);
    both_protocols(record).filter_map(|basis| beside_reference(&points, basis, margin)).collect()
}

/// Equal fit, and a fixed δ without a gate where a record has it.
fn both_protocols(record: &NetworksRecord) -> impl Iterator<Item = Basis> + use<> {
    let fixed = record.fixed_delta.map(|_| Basis::FixedDelta);
    [Some(Basis::EqualFit), fixed].into_iter().flatten()
}

/// Where the two protocols part, in a sentence each: rules with another verdict, and effects whose intervals do
/// not meet.
pub fn parting(rulings: &[Ruling]) -> Vec<String> {
    let of = |basis: Basis| rulings.iter().filter(move |r| r.protocol == basis.text());
    let mut parts = Vec::new();
    for a in of(Basis::EqualFit) {
        let Some(b) = of(Basis::FixedDelta).find(|b| b.rule == a.rule) else { continue };
        if a.verdict != b.verdict {
            let (here, there) = (word(a.verdict), word(b.verdict));
            parts.push(format!(
                "{}: {here} at equal fit, {there} with a fixed δ and no gate",
                a.rule
            ));
        }
        for (here, there) in a.contrasts.iter().zip(&b.contrasts) {
            let between = |c: &Contrast| Some((c.effect.estimate?, c.effect.low?, c.effect.high?));
            let (Some(h), Some(t)) = (between(here), between(there)) else { continue };
            let name = &here.effect.name;
            if *name == there.effect.name && (h.2 < t.1 || t.2 < h.1) {
                parts.push(format!(
                    "{}: {name} is {:.2} [{:.2}, {:.2}] at equal fit and {:.2} [{:.2}, {:.2}] with a fixed δ, which does not ask for the fit",
                    a.rule, h.0, h.1, h.2, t.0, t.1, t.2
                ));
            }
        }
    }
    parts
}
