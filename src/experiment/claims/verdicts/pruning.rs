//! Pruning at equal counts: C3, C4, C9.

use super::{Outcome, circumstances, fit_share, no_record, path, seeds};
use crate::experiment::claims::effects::{Effect, Group, all_above, fit_score};
use crate::experiment::claims::ledger::{Records, StudySpec};
use crate::experiment::networks::record::{NetworkResult, NetworksRecord};

/// SP − rival over both levels of pruning.
fn sp_minus(record: &NetworksRecord, rival: &str) -> Effect {
    let pairs = [1, 2].map(|level| (Group::of("sp", level), Group::of(rival, level)));
    Effect::paired(format!("sp − {rival}"), record, &pairs, fit_score)
}

pub(super) fn sp_over_others(records: &Records, spec: &StudySpec) -> Outcome {
    let Some(record) = &records.pruning else {
        return no_record("pruning");
    };
    let rivals = ["imp", "wanda", "taylor", "magnitude", "random"];
    let effects: Vec<Effect> = rivals.iter().map(|r| sp_minus(record, r)).collect();
    let others = ["sp-signed", "sp-mrmr", "sp-merge", "sparse-training", "swarm"];
    let controls = others.iter().map(|r| sp_minus(record, r)).collect();
    let mut notes = circumstances(record);
    for arm in ["sp"].iter().chain(&rivals) {
        let [one, two] = [1, 2].map(|level| fit_share(record, Group::of(arm, level)));
        notes.push(format!("fit: {arm} {one} at the first level, {two} at the second"));
    }
    Outcome {
        statistic: "difference of compositional scores at equal count, paired by target, seed and level, both networks fit".into(),
        verdict: all_above(&effects, spec.margin),
        effects,
        controls,
        notes,
        seeds: seeds(record),
        records: path("pruning"),
    }
}

pub(super) fn which_links(records: &Records, spec: &StudySpec) -> Outcome {
    let Some(record) = &records.pruning else {
        return no_record("pruning");
    };
    let effects = vec![sp_minus(record, "sp-layer-counts")];
    let others = ["sp-inverted", "sp-permuted", "sp-untrained", "random"];
    let controls = others.iter().map(|r| sp_minus(record, r)).collect();
    let mut notes = circumstances(record);
    for arm in ["sp-layer-counts", "sp-inverted", "sp-permuted", "sp-untrained"] {
        let [one, two] = [1, 2].map(|level| fit_share(record, Group::of(arm, level)));
        notes.push(format!("fit: {arm} {one} at the first level, {two} at the second"));
    }
    Outcome {
        statistic: "score of SP less that of random links with SP's count in every layer, paired by target, seed and level, both fit".into(),
        verdict: all_above(&effects, spec.margin),
        effects,
        controls,
        notes,
        seeds: seeds(record),
        records: path("pruning"),
    }
}

fn fit_interference(result: &NetworkResult) -> Option<f64> {
    result.measures.interference.filter(|_| result.fit)
}

fn fit_excess(result: &NetworkResult) -> Option<f64> {
    result.measures.excess.filter(|_| result.fit)
}

pub(super) fn orthogonality(records: &Records, _: &StudySpec) -> Outcome {
    let Some(record) = &records.pruning else {
        return no_record("pruning");
    };
    let sp = [1, 2].map(|level| Group::of("sp", level));
    let counts = [1, 2].map(|level| Group::of("sp-layer-counts", level));
    let dense = Group::of("dense", 0);
    let before = [(dense, sp[0]), (dense, sp[1])];
    let control = [(counts[0], sp[0]), (counts[1], sp[1])];
    let effects = vec![
        Effect::paired("interference, dense − sp", record, &before, fit_interference),
        Effect::paired(
            "interference, random with sp's counts − sp",
            record,
            &control,
            fit_interference,
        ),
    ];
    let evolved = [(dense, Group::of("evolved", 0))];
    let controls = vec![
        Effect::paired("excess over the Welch bound, dense − sp", record, &before, fit_excess),
        Effect::paired("interference, dense − evolved", record, &evolved, fit_interference),
    ];
    Outcome {
        statistic: "mean squared cosine of different maps of a layer (lower is more orthogonal), alive units, relays merged; paired by target, seed and level, both fit".into(),
        // No smallest effect is defined for interference: an interval below 0 refutes.
        verdict: all_above(&effects, 0.0),
        effects,
        controls,
        notes: circumstances(record),
        seeds: seeds(record),
        records: path("pruning"),
    }
}
