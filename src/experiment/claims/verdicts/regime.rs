//! Claims decided on the regime map: C4, C5 with "narrow", C6.

use super::{Outcome, circumstances, path, seeds};
use crate::experiment::networks::record::NetworksRecord;
use crate::experiment::regime::points::Basis;
use crate::experiment::regime::rules::{MARGIN, Ruling, parting, rulings};

/// The verdict of the first of these rules at equal fit, with all of them under both protocols.
pub(super) fn decided(record: &NetworksRecord, rules: &[&str]) -> Outcome {
    let asked = |ruling: &Ruling| rules.contains(&ruling.rule.as_str());
    let found: Vec<Ruling> = rulings(record, MARGIN).into_iter().filter(asked).collect();
    let primary: Vec<&Ruling> =
        found.iter().filter(|r| r.protocol == Basis::EqualFit.text()).collect();
    let (first, others) = primary.split_first().expect("every rule is applied at equal fit");
    let effects =
        |ruling: &Ruling| ruling.contrasts.iter().map(|c| c.effect.clone()).collect::<Vec<_>>();
    let statistic = "paired scores at the R² that both networks reached on their way, targets at random, with a permutation test over seeds";
    let mut notes = circumstances(record);
    notes.extend(first.notes.iter().cloned());
    notes.extend(parting(&found).into_iter().map(|part| format!("the protocols part: {part}")));
    let mut outcome = Outcome::new(statistic, first.verdict, effects(first))
        .beside(others.iter().flat_map(|ruling| effects(ruling)).collect())
        .noting(notes);
    (outcome.seeds, outcome.records) = (seeds(record), path("regime"));
    Outcome { rulings: found, ..outcome }
}
