//! Pruning at equal counts: C3, C4, C9.

use super::{Asked, Means, Outcome, fit_share, no_record, regime};
use crate::claims::effects::{Effect, Group, all_above};
use crate::claims::ledger::{Records, StudySpec};
use picloom::experiment::networks::record::{NetworkResult, NetworksRecord};

/// SP − each rival, over both levels of pruning.
fn sp_minus(record: &NetworksRecord, rivals: &[&str]) -> Vec<Effect> {
    let effect = |rival: &&str| {
        let pairs = [1, 2].map(|level| (Group::of("sp", level), Group::of(rival, level)));
        Effect::of_scores(format!("sp − {rival}"), record, &pairs)
    };
    rivals.iter().map(effect).collect()
}

/// How often networks of each arm learned their picture.
fn fits(record: &NetworksRecord, arms: &[&str]) -> Vec<String> {
    let note = |arm: &&str| {
        let [one, two] = [1, 2].map(|level| fit_share(record, Group::of(arm, level)));
        format!("fit: {arm} {one} at the first level, {two} at the second")
    };
    arms.iter().map(note).collect()
}

pub(super) fn sp_over_others(record: &NetworksRecord, spec: &StudySpec) -> Outcome {
    let rivals = ["imp", "wanda", "taylor", "magnitude", "random"];
    let others = ["sp-signed", "sp-mrmr", "sp-merge", "sparse-training", "swarm"];
    let statistic = "difference of compositional scores at equal count, paired by target, seed and level, both networks fit";
    Outcome::general(statistic, sp_minus(record, &rivals), spec.margin)
        .beside(sp_minus(record, &others))
        .noting(fits(record, &["sp", "imp", "wanda", "taylor", "magnitude", "random"]))
}

pub(super) fn which_links(record: &NetworksRecord, spec: &StudySpec) -> Outcome {
    let others = ["sp-inverted", "sp-permuted", "sp-untrained", "random"];
    let statistic = "score of SP less that of random links with SP's count in every layer, paired by target, seed and level, both fit";
    Outcome::general(statistic, sp_minus(record, &["sp-layer-counts"]), spec.margin)
        .beside(sp_minus(record, &others))
        .noting(fits(record, &["sp-layer-counts", "sp-inverted", "sp-permuted", "sp-untrained"]))
}

fn fit_interference(result: &NetworkResult) -> Option<f64> {
    result.measures.interference.filter(|_| result.fit)
}

fn fit_excess(result: &NetworkResult) -> Option<f64> {
    result.measures.excess.filter(|_| result.fit)
}

/// On the regime map if its first stage is there, which has more targets and refills orphans.
pub(super) fn orthogonality(records: &Records) -> Outcome {
    if let Some(map) = records.networks("regime").filter(|map| regime::holds(map, "C9")) {
        return overlap(map, &[1, 2, 3, 4], "layer-counts").decided_on(map, "regime");
    }
    match records.networks("pruning") {
        Some(record) => overlap(record, &[1, 2], "sp-layer-counts").decided_on(record, "pruning"),
        None => no_record("pruning"),
    }
}

/// C9 on the regime map, as its power is simulated.
pub const OVERLAP: Means = Means {
    study: Some("regime"),
    arms: &["dense", "sp", "layer-counts"],
    effects: |record| overlaps(record, &[1, 2, 3, 4], "layer-counts"),
    decide: |effects| all_above(effects, 0.0),
    asked: Asked::All,
    is_equivalence: false,
};

/// Interference before SP and of its control, less that of SP, at these levels.
fn overlaps(record: &NetworksRecord, levels: &[usize], control: &str) -> Vec<Effect> {
    let of = Group::of;
    let before: Vec<_> = levels.iter().map(|&l| (of("dense", 0), of("sp", l))).collect();
    let counts: Vec<_> = levels.iter().map(|&l| (of(control, l), of("sp", l))).collect();
    let interference =
        |name: &str, pairs: &[_]| Effect::paired(name, record, pairs, fit_interference);
    vec![
        interference("interference, dense − sp", &before),
        interference("interference, random with sp's counts − sp", &counts),
    ]
}

fn overlap(record: &NetworksRecord, levels: &[usize], control: &str) -> Outcome {
    let of = Group::of;
    let dense = of("dense", 0);
    let before: Vec<_> = levels.iter().map(|&level| (dense, of("sp", level))).collect();
    let evolved = [(dense, of("evolved", 0))];
    let effects = overlaps(record, levels, control);
    let controls = vec![
        Effect::paired("excess over the Welch bound, dense − sp", record, &before, fit_excess),
        Effect::paired("interference, dense − evolved", record, &evolved, fit_interference),
    ];
    let statistic = "mean squared cosine of different maps of a layer (lower is more orthogonal), alive units, relays merged; paired by target, seed and level, both fit";
    // No smallest effect is defined for interference: an interval below 0 decides against it.
    Outcome::general(statistic, effects, 0.0).beside(controls)
}
