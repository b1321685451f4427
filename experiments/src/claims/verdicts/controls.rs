//! Whether effects survive another recipe: C15.

use super::{Asked, Means, Outcome, STUDY_MARGIN};
use crate::claims::BASE;
use crate::claims::effects::{Effect, Group, all_above};
use crate::claims::ledger::StudySpec;
use picloom::experiment::finding::Verdict;
use picloom::experiment::networks::record::NetworksRecord;

/// C15 in the base, on which it hangs, as its power is simulated.
pub const IN_BASE: Means = Means {
    study: Some("controls"),
    arms: &["sp", "sp-layer-counts"],
    effects: |record| vec![pruning(record, BASE)],
    decide: |effects| all_above(effects, STUDY_MARGIN),
    asked: Asked::First,
    is_equivalence: false,
};

/// Score of SP less that of random links with its counts, in a way of training, at three depths.
fn pruning(record: &NetworksRecord, variant: &str) -> Effect {
    let group = |arm, offset| Group { arm, level: 1, variant, offset };
    let pairs = [-3, 0, 3].map(|offset| (group("sp", offset), group("sp-layer-counts", offset)));
    Effect::of_scores(format!("{variant}: sp − random links with its counts"), record, &pairs)
}

pub(super) fn survives_controls(record: &NetworksRecord, spec: &StudySpec) -> Outcome {
    let mut variants: Vec<&str> = Vec::new();
    for row in &record.rows {
        if !variants.contains(&row.variant.as_str()) {
            variants.push(&row.variant);
        }
    }
    let group = |arm, level, variant, offset| Group { arm, level, variant, offset };
    let depth = |variant, offset| {
        let pairs = [(group("sp", 1, variant, 0), group("sp", 1, variant, offset))];
        let name = format!("{variant}: sp at the reference depth − {offset:+} layers");
        Effect::of_scores(name, record, &pairs)
    };
    let effects: Vec<Effect> = variants.iter().map(|v| pruning(record, v)).collect();
    let controls: Vec<Effect> = variants.iter().flat_map(|v| [depth(v, -3), depth(v, 3)]).collect();
    // Other recipes are asked about only where there is an effect in the base.
    let is_base = |effect: &Effect| effect.name.starts_with(&format!("{BASE}:"));
    let (base, others): (Vec<Effect>, Vec<Effect>) = effects.iter().cloned().partition(is_base);
    let in_base = all_above(&base, spec.margin);
    let verdict = match in_base {
        Verdict::Supported if others.iter().all(|e| e.estimate.is_some_and(|x| x > 0.0)) => {
            Verdict::Supported
        }
        Verdict::Supported
            if others.iter().any(|e| e.high.is_some_and(|high| high < spec.margin)) =>
        {
            Verdict::NotSupported
        }
        Verdict::NotSupported => Verdict::NotSupported,
        _ => Verdict::Inconclusive,
    };
    let settled = |_, effect: &Effect| is_base(effect) == (in_base == Verdict::Supported);
    let statistic = "score of SP less that of random links with its counts, in every way of training; the same for depth beside it";
    Outcome::new(statistic, verdict, effects).settling(settled).beside(controls)
}
