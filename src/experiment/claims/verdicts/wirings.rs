//! Evolved networks, evolved wirings, dense networks: C1, C2, C12, C14.

use super::{Outcome, circumstances, fit_share, no_record, path, seeds};
use crate::experiment::claims::effects::{Effect, Group, all_above, fit_score};
use crate::experiment::claims::ledger::{Records, StudySpec};
use crate::experiment::finding::Verdict;
use crate::experiment::networks::record::NetworkResult;

pub(super) fn evolved_over_dense(records: &Records, spec: &StudySpec) -> Outcome {
    let Some(record) = &records.wirings else {
        return no_record("wirings");
    };
    let pair = [(Group::of("evolved", 0), Group::of("dense", 0))];
    let effects = vec![Effect::paired("evolved − dense", record, &pair, fit_score)];
    let rough =
        Effect::paired("roughness, dense − evolved", record, &[(pair[0].1, pair[0].0)], |r| {
            r.measures.roughness
        });
    let mut notes = circumstances(record);
    notes.push(format!("fit: dense {}", fit_share(record, pair[0].1)));
    Outcome {
        statistic: "difference of compositional scores, paired by target; dense networks that learned their picture".into(),
        verdict: all_above(&effects, spec.margin),
        effects,
        controls: vec![rough],
        notes,
        seeds: seeds(record),
        records: path("wirings"),
    }
}

pub(super) fn evolved_wiring_between(records: &Records, spec: &StudySpec) -> Outcome {
    let Some(record) = &records.wirings else {
        return no_record("wirings");
    };
    let [evolved, dense, graph, layerized] =
        ["evolved", "dense", "graph", "layerized"].map(|arm| Group::of(arm, 0));
    let effects = vec![
        Effect::paired("evolved − layerized", record, &[(evolved, layerized)], fit_score),
        Effect::paired("layerized − dense", record, &[(layerized, dense)], fit_score),
    ];
    let controls = vec![
        Effect::paired("evolved − graph", record, &[(evolved, graph)], fit_score),
        Effect::paired("graph − dense", record, &[(graph, dense)], fit_score),
    ];
    let mut notes = circumstances(record);
    notes.push(format!(
        "fit: layerized {}, graph {}",
        fit_share(record, layerized),
        fit_share(record, graph)
    ));
    Outcome {
        statistic:
            "two differences of compositional scores, paired by target and seed, fit networks only"
                .into(),
        verdict: all_above(&effects, spec.margin),
        effects,
        controls,
        notes,
        seeds: seeds(record),
        records: path("wirings"),
    }
}

fn learned(result: &NetworkResult) -> Option<f64> {
    Some(if result.fit { 1.0 } else { 0.0 })
}

pub(super) fn raw_graph(records: &Records, _: &StudySpec) -> Outcome {
    let Some(record) = &records.wirings else {
        return no_record("wirings");
    };
    let [graph, layerized, dense] = ["graph", "layerized", "dense"].map(|a| Group::of(a, 0));
    // Where not even the dense twin learns, nothing can be told.
    let learns = |target: &str| {
        record.rows.iter().any(|row| {
            row.target == target
                && row.arm == dense.arm
                && row.result.as_ref().is_some_and(|r| r.fit)
        })
    };
    let mut learnable = record.clone();
    learnable.rows.retain(|row| learns(&row.target));
    let effects = vec![Effect::paired(
        "share of seeds that learn: dense twin − raw graph",
        &learnable,
        &[(dense, graph)],
        learned,
    )];
    let r2 = |r: &NetworkResult| Some(r.r2.max(-1.0));
    let controls = vec![
        Effect::paired(
            "share of seeds that learn: evolved links layered − raw graph",
            record,
            &[(layerized, graph)],
            learned,
        ),
        Effect::paired("R²: dense twin − raw graph", record, &[(dense, graph)], r2),
    ];
    let mut notes = circumstances(record);
    for (name, group) in [("graph", graph), ("layerized", layerized), ("dense", dense)] {
        notes.push(format!("fit: {name} {}", fit_share(record, group)));
    }
    Outcome {
        statistic: "share of seeds whose network reaches R² ≥ 0.95, dense layerized twin less raw graph, by target".into(),
        // A tenth of the seeds is the least that matters.
        verdict: all_above(&effects, 0.1),
        effects,
        controls,
        notes,
        seeds: seeds(record),
        records: path("wirings"),
    }
}

pub(super) fn decodable(records: &Records, spec: &StudySpec) -> Outcome {
    let Some(record) = &records.wirings else {
        return no_record("wirings");
    };
    let pair = [(Group::of("evolved", 0), Group::of("dense", 0))];
    let decoded = |r: &NetworkResult| r.measures.decoded.filter(|_| r.fit);
    let decoded = Effect::paired("decoded R², evolved − dense", record, &pair, decoded);
    let organised = Effect::paired("score, evolved − dense", record, &pair, fit_score);
    let equal = match (decoded.low, decoded.high) {
        (Some(low), Some(high)) if -spec.equivalence < low && high < spec.equivalence => Some(true),
        (Some(low), Some(high)) if low > spec.equivalence || high < -spec.equivalence => {
            Some(false)
        }
        _ => None,
    };
    let unequal = all_above(std::slice::from_ref(&organised), spec.margin);
    let verdict = match (equal, unequal) {
        (Some(true), Verdict::Supported) => Verdict::Supported,
        (Some(false), _) | (_, Verdict::NotSupported) => Verdict::NotSupported,
        _ => Verdict::Inconclusive,
    };
    Outcome {
        statistic: "held-out R² of ridge probes from the last hidden layer to attributes of the picture (equivalence), and the difference of compositional scores".into(),
        effects: vec![decoded, organised],
        controls: Vec::new(),
        verdict,
        notes: circumstances(record),
        seeds: seeds(record),
        records: path("wirings"),
    }
}
