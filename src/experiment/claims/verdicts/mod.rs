//! How each claim is decided. The rules in words are in `experiments/study.toml`.

mod controls;
mod depth;
mod pruning;
mod theory;
mod wirings;

pub use theory::trained_points;

use super::effects::{Effect, Group};
use super::ledger::{Records, StudySpec};
use crate::experiment::finding::Verdict;
use crate::experiment::networks::record::NetworksRecord;

/// What was found on a claim.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// What is measured.
    pub statistic: String,
    /// The effects the rule is applied to.
    pub effects: Vec<Effect>,
    /// What else might explain them.
    pub controls: Vec<Effect>,
    /// The rule applied.
    pub verdict: Verdict,
    /// What a reader must know.
    pub notes: Vec<String>,
    /// Least number of seeds over targets.
    pub seeds: Option<usize>,
    /// Records it was read from.
    pub records: Vec<String>,
}

/// Decides one claim.
pub type Decide = fn(&Records, &StudySpec) -> Outcome;

/// Every claim, in order.
pub const CLAIMS: &[(&str, Decide)] = &[
    ("C1", wirings::evolved_over_dense),
    ("C2", wirings::evolved_wiring_between),
    ("C3", pruning::sp_over_others),
    ("C4", pruning::which_links),
    ("C5", depth::depth_peak),
    ("C6", depth::depth_predicted),
    ("C7", depth::out_of_domain),
    ("C8", theory::volume),
    ("C9", pruning::orthogonality),
    ("C10", theory::parts),
    ("C11", theory::optimizer),
    ("C12", wirings::raw_graph),
    ("C13", theory::ablatable),
    ("C14", wirings::decodable),
    ("C15", controls::survives_controls),
];

/// A claim whose record is not there.
fn no_record(part: &str) -> Outcome {
    Outcome {
        statistic: "none".into(),
        effects: Vec::new(),
        controls: Vec::new(),
        verdict: Verdict::Inconclusive,
        notes: vec![format!("no record of {part}: it has not been run")],
        seeds: None,
        records: Vec::new(),
    }
}

fn path(part: &str) -> Vec<String> {
    vec![format!("{part}/record.json")]
}

fn seeds(record: &NetworksRecord) -> Option<usize> {
    let seeds: std::collections::BTreeSet<_> = record.rows.iter().filter_map(|r| r.seed).collect();
    (!seeds.is_empty()).then_some(seeds.len())
}

fn circumstances(record: &NetworksRecord) -> Vec<String> {
    let mut notes = vec![format!(
        "profile {}, {}², {} steps, judge {}",
        record.profile, record.size, record.steps, record.judge
    )];
    if !record.left_out.is_empty() {
        notes.push(format!("left out, no archive: {}", record.left_out.join(", ")));
    }
    if record.predicted == Some(false) {
        notes.push(
            "no depth was predicted: no network of the depth study learned its picture".into(),
        );
    }
    let failed = record.rows.iter().filter(|r| r.result.is_none()).count();
    if failed > 0 {
        notes.push(format!("{failed} of {} networks failed", record.rows.len()));
    }
    let collapsed: usize = record
        .rows
        .iter()
        .filter_map(|r| r.result.as_ref()?.train.as_ref())
        .filter(|t| t.collapses > 0)
        .count();
    if collapsed > 0 {
        notes.push(format!("{collapsed} networks collapsed and began again"));
    }
    notes
}

/// Share of fit networks of an arm, for notes.
fn fit_share(record: &NetworksRecord, group: Group<'_>) -> String {
    let rows = record.rows.iter().filter(|r| {
        (r.arm.as_str(), r.level, r.offset, r.variant.as_str())
            == (group.arm, group.level, group.offset, group.variant)
    });
    let fits: Vec<bool> = rows.map(|r| r.result.as_ref().is_some_and(|x| x.fit)).collect();
    let fit = fits.iter().filter(|f| **f).count();
    format!("{fit} of {}", fits.len())
}
