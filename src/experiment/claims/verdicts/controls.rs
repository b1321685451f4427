//! Whether effects survive another recipe: C15.

use super::{Outcome, circumstances, no_record, path, seeds};
use crate::experiment::claims::BASE;
use crate::experiment::claims::effects::{Effect, Group, all_above, fit_score};
use crate::experiment::claims::ledger::{Records, StudySpec};
use crate::experiment::finding::Verdict;

pub(super) fn survives_controls(records: &Records, spec: &StudySpec) -> Outcome {
    let Some(record) = &records.controls else {
        return no_record("controls");
    };
    let mut variants: Vec<&str> = Vec::new();
    for row in &record.rows {
        if !variants.contains(&row.variant.as_str()) {
            variants.push(&row.variant);
        }
    }
    let group = |arm, level, variant, offset| Group { arm, level, variant, offset };
    let pruning = |variant| {
        let offsets = [-3, 0, 3];
        let pairs =
            offsets.map(|o| (group("sp", 1, variant, o), group("sp-layer-counts", 1, variant, o)));
        Effect::paired(
            format!("{variant}: sp − random links with its counts"),
            record,
            &pairs,
            fit_score,
        )
    };
    let depth = |variant, offset| {
        let pairs = [(group("sp", 1, variant, 0), group("sp", 1, variant, offset))];
        let name = format!("{variant}: sp at the reference depth − {offset:+} layers");
        Effect::paired(name, record, &pairs, fit_score)
    };
    let effects: Vec<Effect> = variants.iter().map(|v| pruning(v)).collect();
    let controls: Vec<Effect> = variants.iter().flat_map(|v| [depth(v, -3), depth(v, 3)]).collect();
    let (base, others): (Vec<Effect>, Vec<Effect>) =
        effects.iter().cloned().partition(|e| e.name.starts_with(&format!("{BASE}:")));
    let verdict = match all_above(&base, spec.margin) {
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
    Outcome {
        statistic: "score of SP less that of random links with its counts, in every way of training; the same for depth beside it".into(),
        effects,
        controls,
        verdict,
        notes: circumstances(record),
        seeds: seeds(record),
        records: path("controls"),
    }
}
