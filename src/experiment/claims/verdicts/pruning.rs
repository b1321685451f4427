//! Pruning at equal counts: C3, C4, C9.

use super::{Outcome, fit_share};
use crate::experiment::claims::effects::{Effect, Group};
use crate::experiment::claims::ledger::StudySpec;
use crate::experiment::networks::record::{NetworkResult, NetworksRecord};

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

pub(super) fn orthogonality(record: &NetworksRecord, _: &StudySpec) -> Outcome {
    let sp = [1, 2].map(|level| Group::of("sp", level));
    let counts = [1, 2].map(|level| Group::of("sp-layer-counts", level));
    let dense = Group::of("dense", 0);
    let before = [(dense, sp[0]), (dense, sp[1])];
    let control = [(counts[0], sp[0]), (counts[1], sp[1])];
    let evolved = [(dense, Group::of("evolved", 0))];
    let interference =
        |name: &str, pairs: &[_]| Effect::paired(name, record, pairs, fit_interference);
    let effects = vec![
        interference("interference, dense − sp", &before),
        interference("interference, random with sp's counts − sp", &control),
    ];
    let controls = vec![
        Effect::paired("excess over the Welch bound, dense − sp", record, &before, fit_excess),
        interference("interference, dense − evolved", &evolved),
    ];
    let statistic = "mean squared cosine of different maps of a layer (lower is more orthogonal), alive units, relays merged; paired by target, seed and level, both fit";
    // No smallest effect is defined for interference: an interval below 0 refutes.
    Outcome::general(statistic, effects, 0.0).beside(controls)
}
