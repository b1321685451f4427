//! Evolved networks, evolved wirings, dense networks: C1, C2, C12, C14.

use super::{Asked, Means, Outcome, STUDY_EQUIVALENCE, STUDY_MARGIN, fit_share, is_above};
use crate::claims::effects::{Effect, Group, all_above};
use crate::claims::ledger::StudySpec;
use crate::regime::contrasts::over_arms;
use picloom::experiment::finding::Verdict;
use picloom::experiment::networks::record::{NetworkResult, NetworksRecord};
use picloom::experiment::regime::points::{Basis, Points};

/// C1, as its power is simulated.
pub const EVOLVED: Means = Means {
    study: Some("wirings"),
    arms: &["evolved", "dense"],
    effects: |record| {
        let pair = [(Group::of("evolved", 0), Group::of("dense", 0))];
        vec![Effect::of_scores("evolved − dense", record, &pair)]
    },
    decide: |effects| all_above(effects, STUDY_MARGIN),
    asked: Asked::First,
    is_equivalence: false,
};

pub(super) fn evolved_over_dense(record: &NetworksRecord, spec: &StudySpec) -> Outcome {
    let (evolved, dense) = (Group::of("evolved", 0), Group::of("dense", 0));
    let effects = (EVOLVED.effects)(record);
    let rough = Effect::paired("roughness, dense − evolved", record, &[(dense, evolved)], |r| {
        r.measures.roughness
    });
    let statistic = "difference of compositional scores, paired by target; dense networks that learned their picture";
    Outcome::general(statistic, effects, spec.margin)
        .beside(vec![rough])
        .noting([format!("fit: dense {}", fit_share(record, dense))])
}

/// C2, as its power is simulated.
pub const WIRING: Means = Means {
    study: None,
    arms: &["evolved", "layerized", "dense"],
    effects: |record| wiring_effects(record).0,
    decide: |effects| all_above(effects, STUDY_MARGIN),
    asked: Asked::First,
    is_equivalence: false,
};

/// The two differences of C2, and what they are.
fn wiring_effects(record: &NetworksRecord) -> (Vec<Effect>, &'static str) {
    let [evolved, dense, layerized] = ["evolved", "dense", "layerized"].map(|a| Group::of(a, 0));
    // Networks of arms that seldom learn their picture are compared where both have been; a record that
    // kept nothing on the way has the end of training only.
    if record.checkpoints.is_empty() {
        let fit = |a: Group, b: Group| Effect::of_scores(less(a, b), record, &[(a, b)]);
        return (
            vec![fit(evolved, layerized), fit(layerized, dense)],
            "two differences of compositional scores, paired by target and seed, fit networks only",
        );
    }
    let arms = (layerized.arm, dense.arm);
    let on_the_way = over_arms(&Points::of(record), arms, &[0], Basis::EqualFit).effect;
    // Without the gate: what has not learned draws simpler pictures, which survive more.
    let pair = [(evolved, layerized)];
    let name = less(evolved, layerized);
    let learned_or_not = Effect::of_scores_by(name, record, &pair, |r| r.score());
    (
        vec![learned_or_not, on_the_way],
        "evolved less retrained at the end of training, learned or not; retrained less dense at each R² that both reached on their way",
    )
}

fn less(a: Group, b: Group) -> String {
    format!("{} − {}", a.arm, b.arm)
}

pub(super) fn evolved_wiring_between(record: &NetworksRecord, spec: &StudySpec) -> Outcome {
    let [evolved, dense, graph] = ["evolved", "dense", "graph"].map(|arm| Group::of(arm, 0));
    let (effects, statistic) = wiring_effects(record);
    let has = |arm: &str| record.rows.iter().any(|row| row.arm == arm);
    let fit = |a: Group, b: Group| Effect::of_scores(less(a, b), record, &[(a, b)]);
    let noisy: Vec<&str> = record.noisy().into_iter().map(|arm| arm.1).collect();
    let basin = noisy.iter().map(|arm| fit(evolved, Group::of(arm, 0)));
    let raw = has(graph.arm).then(|| [fit(evolved, graph), fit(graph, dense)]);
    let fits = ["layerized", "graph"].into_iter().filter(|arm| has(arm)).chain(noisy.clone());
    Outcome::general(statistic, effects, spec.margin)
        .beside(raw.into_iter().flatten().chain(basin).collect())
        .noting(fits.map(|arm| format!("fit: {arm} {}", fit_share(record, Group::of(arm, 0)))))
}

fn learned(result: &NetworkResult) -> Option<f64> {
    Some(if result.fit { 1.0 } else { 0.0 })
}

pub(super) fn raw_graph(record: &NetworksRecord, _: &StudySpec) -> Outcome {
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
    let statistic = "share of seeds whose network reaches R² ≥ 0.95, dense layerized twin less raw graph, by target";
    // A tenth of the seeds is the least that matters.
    Outcome::general(statistic, effects, 0.1).beside(controls).noting(
        [graph, layerized, dense].map(|g| format!("fit: {} {}", g.arm, fit_share(record, g))),
    )
}

/// C14, as its power is simulated: of studies that compare wirings.
pub const DECODABLE: Means = Means {
    study: None,
    arms: &["evolved", "layerized", "dense"],
    effects: |record| decodable_effects(record).0,
    decide: |effects| equal_and_unequal(effects, (STUDY_MARGIN, STUDY_EQUIVALENCE)),
    asked: Asked::First,
    is_equivalence: true,
};

/// The differences of C14: decoded R², score; and what is shown beside them.
fn decodable_effects(record: &NetworksRecord) -> (Vec<Effect>, Vec<Effect>) {
    let pair = [(Group::of("evolved", 0), Group::of("dense", 0))];
    let components = |r: &NetworkResult| r.measures.decoded_components.filter(|_| r.fit);
    let last = |r: &NetworkResult| r.measures.decoded.filter(|_| r.fit);
    let by_components = Effect::paired(
        "decoded R², evolved − dense, from as many components",
        record,
        &pair,
        components,
    );
    let by_last = Effect::paired("decoded R², evolved − dense, last layer", record, &pair, last);
    // Records older than the first have the second alone.
    let (decoded, beside) = match by_components.estimate {
        Some(_) => (by_components, vec![by_last]),
        None => (by_last, Vec::new()),
    };
    (vec![decoded, Effect::of_scores("score, evolved − dense", record, &pair)], beside)
}

/// Whether an effect lies within ± the equivalence; none if its interval does not tell.
fn is_equal(effect: &Effect, equivalence: f64) -> Option<bool> {
    match (effect.low, effect.high) {
        (Some(low), Some(high)) if -equivalence < low && high < equivalence => Some(true),
        (Some(low), Some(high)) if low > equivalence || high < -equivalence => Some(false),
        _ => None,
    }
}

/// Whether the first effect lies within ± the equivalence and the second is above 0.
fn equal_and_unequal(effects: &[Effect], (margin, equivalence): (f64, f64)) -> Verdict {
    let [decoded, organised] = effects else { return Verdict::Inconclusive };
    let unequal = all_above(std::slice::from_ref(organised), margin);
    match (is_equal(decoded, equivalence), unequal) {
        (Some(true), Verdict::Supported) => Verdict::Supported,
        (Some(false), _) | (_, Verdict::NotSupported) => Verdict::NotSupported,
        _ => Verdict::Inconclusive,
    }
}

pub(super) fn decodable(record: &NetworksRecord, spec: &StudySpec) -> Outcome {
    let (effects, beside) = decodable_effects(record);
    let verdict = equal_and_unequal(&effects, (spec.margin, spec.equivalence));
    let statistic = "held-out R² of ridge probes to attributes of the picture (equivalence), from the first 8 principal components of all hidden maps or, in older records, from the last hidden layer; and the difference of compositional scores";
    let settled = |number: usize, effect: &Effect| match number {
        0 => is_equal(effect, spec.equivalence).is_some(),
        _ => is_above(effect),
    };
    Outcome::new(statistic, verdict, effects).settling(settled).beside(beside)
}
