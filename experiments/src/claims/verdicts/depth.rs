//! The best depth, and its prediction: C5, C6, C7.

use super::{Asked, Means, Outcome, STUDY_MARGIN, fit_share};
use crate::claims::effects::{Effect, Group, all_above, fit_score};
use crate::claims::ledger::StudySpec;
use picloom::experiment::depth::{DepthModel, DepthPoint, Sweep, depth_curves};
use picloom::experiment::finding::Verdict;
use picloom::experiment::networks::record::{NetworkRow, NetworksRecord};
use picloom::math::stats::{Interval, mean};

/// Scores of one seed by layers, fit networks only: (layers, score).
fn by_seed(
    record: &NetworksRecord,
    target: &str,
    sweep: Sweep<'_>,
) -> Vec<(u64, Vec<(usize, f64)>)> {
    let mut found: Vec<(u64, Vec<(usize, f64)>)> = Vec::new();
    for row in &record.rows {
        let of = row.target == target
            && row.arm == sweep.arm
            && row.level == sweep.level
            && row.variant == sweep.variant;
        let (true, Some(seed)) = (of, row.seed) else {
            continue;
        };
        let Some(score) = row.result.as_ref().and_then(|r| fit_score(r)) else {
            continue;
        };
        match found.iter_mut().find(|f| f.0 == seed) {
            Some(one) => one.1.push((row.layers, score)),
            None => found.push((seed, vec![(row.layers, score)])),
        }
    }
    found
}

/// The best depth of every seed but one, tried on that one: (its layers, its scores).
fn held_out(seeds: &[(u64, Vec<(usize, f64)>)]) -> Vec<(usize, &Vec<(usize, f64)>)> {
    let mut found = Vec::new();
    for (k, (_, scores)) in seeds.iter().enumerate() {
        let mut points: Vec<DepthPoint> = Vec::new();
        for (_, other) in seeds.iter().enumerate().filter(|(i, _)| *i != k).map(|(_, s)| s) {
            for &(layers, score) in other {
                match points.iter_mut().find(|p| p.layers == layers) {
                    Some(p) => p.scores.push(score),
                    None => points.push(DepthPoint {
                        offset: 0,
                        layers,
                        scores: vec![score],
                        unfit: 0,
                        all: vec![score],
                    }),
                }
            }
        }
        let best = points.iter().max_by(|a, b| {
            let m = |p: &DepthPoint| mean(&p.scores).unwrap_or(0.0);
            m(a).total_cmp(&m(b)).then(b.layers.cmp(&a.layers))
        });
        if let Some(best) = best {
            found.push((best.layers, scores));
        }
    }
    found
}

fn at(scores: &[(usize, f64)], layers: usize) -> Option<f64> {
    scores.iter().find(|s| s.0 == layers).map(|s| s.1)
}

/// Score at the depth that is best on the other seeds less that at the shallowest and at the
/// deepest fit depth, on the seed left out.
fn peak(record: &NetworksRecord, sweep: Sweep<'_>, deepest: bool) -> Effect {
    let values = record.targets().into_iter().map(|target| {
        let seeds = by_seed(record, target, sweep);
        let differences = held_out(&seeds).into_iter().filter_map(|(best, scores)| {
            let layers = scores.iter().map(|s| s.0);
            let end = if deepest { layers.max() } else { layers.min() }?;
            Some(at(scores, best)? - at(scores, end)?)
        });
        (target.to_string(), differences.collect())
    });
    let end = if deepest { "deepest" } else { "shallowest" };
    let name = format!("{}: best − {end} depth", sweep.arm);
    Effect::of(name, values.collect())
}

/// Score at a target's own best depth (from its other seeds) less that at the depth best for the
/// other targets, on the seed left out.
fn specific(record: &NetworksRecord, sweep: Sweep<'_>) -> Effect {
    let curves = depth_curves(record, sweep);
    let values = record.targets().into_iter().map(|target| {
        let others: Vec<f64> = curves
            .iter()
            .filter(|c| c.target != target)
            .filter_map(|c| c.best.map(|b| b as f64))
            .collect();
        let common = picloom::math::stats::median(&others).ok();
        let seeds = by_seed(record, target, sweep);
        let differences = held_out(&seeds).into_iter().filter_map(|(best, scores)| {
            // The depth of the others, or the nearest that this target was tried at.
            let near = scores.iter().min_by(|a, b| {
                let gap = |s: &(usize, f64)| (s.0 as f64 - common.unwrap_or(0.0)).abs();
                gap(a).total_cmp(&gap(b))
            })?;
            common?;
            Some(at(scores, best)? - near.1)
        });
        (target.to_string(), differences.collect())
    });
    let name = format!("{}: own best depth − that of the others", sweep.arm);
    Effect::of(name, values.collect())
}

/// The three effects of a sweep that has a peak of each target's own.
fn peaked(record: &NetworksRecord, sweep: Sweep<'_>) -> Vec<Effect> {
    vec![peak(record, sweep, false), peak(record, sweep, true), specific(record, sweep)]
}

pub(super) fn depth_peak(record: &NetworksRecord, spec: &StudySpec) -> Outcome {
    let note = |sweep: Sweep<'_>| {
        let depths: Vec<String> = depth_curves(record, sweep)
            .iter()
            .map(|c| match (c.best, c.chosen) {
                (Some(b), Some(l)) => {
                    let edge = if c.at_edge() { ", at an end of the sweep" } else { "" };
                    format!("{} {l} (argmax {b}{edge})", c.target)
                }
                _ => format!("{}: no depth counts", c.target),
            })
            .collect();
        format!("optimal depth, one-standard-error rule, {}: {}", sweep.arm, depths.join("; "))
    };
    let statistic = "score at the depth that is best on the other seeds, on the seed left out: against both ends of the sweep, and against the depth best for the other targets";
    Outcome::general(statistic, peaked(record, Sweep::SP), spec.margin)
        .beside(peaked(record, Sweep::DENSE))
        .noting([Sweep::SP, Sweep::DENSE].map(note))
}

pub(super) fn depth_predicted(record: &NetworksRecord, _: &StudySpec) -> Outcome {
    let Ok(model) = DepthModel::of_record(record) else {
        let none = Outcome::new("none", Verdict::Inconclusive, Vec::new());
        return none.noting(["no depth whose networks learned their picture".to_string()]);
    };
    let interval = model.b1_interval.map(|(low, high)| Interval { estimate: model.b1, low, high });
    let name = "slope of depth on ln(PNG bytes / raw bytes), Theil–Sen";
    let slope = Effect::plain(name, Some(model.b1), interval);
    let p = model.spearman.map(|s| s.p);
    let mut notes = Vec::new();
    if let (Some(error), Some(median)) = (model.error, model.median_error) {
        notes.push(format!(
            "leave-one-target-out error {error:.2} layers, predicting the median {median:.2}"
        ));
    }
    if let Some(s) = model.spearman {
        let exact = if s.exact { "exact " } else { "" };
        notes.push(format!("Spearman's ρ {:.2}, {exact}p {:.3}", s.statistic, s.p));
    }
    let fitted: Vec<String> =
        model.fitted.iter().map(|(t, c, l)| format!("{t} c = {c:.3}, L = {l}")).collect();
    notes.push(format!("fitted to: {}", fitted.join("; ")));
    let verdict = match (model.error, model.median_error, p) {
        (Some(error), Some(median), Some(p)) if error < median && p < 0.05 => Verdict::Supported,
        (Some(error), Some(median), _) if error >= median => Verdict::NotSupported,
        _ => Verdict::Inconclusive,
    };
    let statistic = "leave-one-target-out error of the predicted depth against predicting the median; Spearman's ρ of ratio and depth with permutation p";
    Outcome::new(statistic, verdict, vec![slope]).noting(notes)
}

/// C7, as its power is simulated.
pub const RECIPE: Means = Means {
    study: Some("out_of_domain"),
    arms: &["dense", "sp"],
    effects: |record| {
        let (sp, dense) = (Group::of("sp", 1), Group::of("dense", 0));
        let ends = [-3, 3].map(|offset| (sp, Group { offset, ..sp }));
        let paired = |name: &str, pairs: &[_]| Effect::of_scores(name, record, pairs);
        vec![
            paired("sp − dense, at the predicted depth", &[(sp, dense)]),
            paired("sp at the predicted depth − at ± 3 layers", &ends),
        ]
    },
    decide: |effects| all_above(effects, STUDY_MARGIN),
    asked: Asked::All,
    is_equivalence: false,
};

pub(super) fn out_of_domain(record: &NetworksRecord, spec: &StudySpec) -> Outcome {
    let (sp, dense) = (Group::of("sp", 1), Group::of("dense", 0));
    let random = (sp, Group::of("sp-layer-counts", 1));
    let effects = (RECIPE.effects)(record);
    let mut beside =
        vec![Effect::of_scores("sp − random links with its counts", record, &[random])];
    beside.extend(record.constant.map(|layers| over_constant(record, layers)));
    let statistic =
        "differences of compositional scores on drawings, paired by target and seed, both fit";
    Outcome::general(statistic, effects, spec.margin).beside(beside).noting([format!(
        "fit at the predicted depth: dense {}, sp {}",
        fit_share(record, dense),
        fit_share(record, sp)
    )])
}

/// SP at the depth predicted for each picture less SP at one depth for all. Where the two are the same depth the
/// difference is 0, which is no missing value: so much does predicting add there.
fn over_constant(record: &NetworksRecord, layers: usize) -> Effect {
    let sp = Group::of("sp", 1);
    let pairs = |rows: &[&NetworkRow]| {
        let predicted = rows.iter().find(|r| r.offset == 0).map_or(layers, |r| r.layers);
        vec![(sp, Group { offset: layers as i64 - predicted as i64, ..sp })]
    };
    let name = format!("sp at the predicted depth − at {layers} layers for all");
    Effect::of_scores_each(name, record, pairs, fit_score)
}
