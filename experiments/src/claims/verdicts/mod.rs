//! How each claim is decided. The rules in words are in `experiments/study.toml`.

mod controls;
mod depth;
mod pruning;
mod regime;
mod theory;
mod wirings;

pub use theory::{PARTS, functional_points, shaping, trained_points};
pub use wirings::{DECODABLE, EVOLVED, WIRING};
pub use {controls::IN_BASE, depth::RECIPE, pruning::OVERLAP};

use super::effects::{Effect, Group, all_above};
use super::ledger::{Records, StudySpec};
use crate::regime::rules::Ruling;
use picloom::experiment::finding::Verdict;
use picloom::experiment::networks::record::NetworksRecord;
use picloom::train::StopReason;
use std::collections::BTreeSet;

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
    /// The rule under each protocol, where it is decided on the regime map.
    pub rulings: Vec<Ruling>,
}

/// `margin` of `experiments/study.toml`, for what is simulated before there is a study.
pub const STUDY_MARGIN: f64 = 0.05;
/// `equivalence` of `experiments/study.toml`.
pub const STUDY_EQUIVALENCE: f64 = 0.1;

/// Which means of a rule are as large as the effect that a design is asked to see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// The first; the others are as in the pilot.
    First,
    /// All of them.
    All,
}

/// A rule on means over targets.
pub struct Means {
    /// The part of the study that it is asked of; none: every study with its arms.
    pub study: Option<&'static str>,
    /// Arms that a study must have for it.
    pub arms: &'static [&'static str],
    /// The means of a record.
    pub effects: fn(&NetworksRecord) -> Vec<Effect>,
    /// The rule, with [`STUDY_MARGIN`] and [`STUDY_EQUIVALENCE`].
    pub decide: fn(&[Effect]) -> Verdict,
    /// Which of them are asked about.
    pub asked: Asked,
    /// Whether it asks if two are equal: it is supported where there is no effect.
    pub is_equivalence: bool,
}

/// How a claim is decided.
pub enum Decide {
    /// From the record of networks of the first of these parts of the study; where it leaves the claim open, from that
    /// of the next if it is there in the same profile: a later study, declared before it was run.
    Networks(&'static [&'static str], fn(&NetworksRecord, &StudySpec) -> Outcome),
    /// From the regime map by these of its rules, the first of which has the verdict; as long as its stages do
    /// not have what that compares from the record of this part, as [`Decide::Networks`].
    Regime(&'static [&'static str], &'static str, fn(&NetworksRecord, &StudySpec) -> Outcome),
    /// From other records.
    Other(fn(&Records) -> Outcome),
}

use Decide::{Networks, Other, Regime};

/// Every claim, in order.
pub const CLAIMS: &[(&str, Decide)] = &[
    ("C1", Networks(&["wirings"], wirings::evolved_over_dense)),
    ("C2", Networks(&["wirings", "replication"], wirings::evolved_wiring_between)),
    ("C3", Regime(&["C3"], "pruning", pruning::sp_over_others)),
    ("C4", Regime(&["C4"], "pruning", pruning::which_links)),
    ("C5", Regime(&["C5", "narrow"], "depth", depth::depth_peak)),
    ("C6", Regime(&["C6"], "depth", depth::depth_predicted)),
    ("C7", Networks(&["out_of_domain"], depth::out_of_domain)),
    ("C8", Other(theory::volume)),
    ("C9", Other(pruning::orthogonality)),
    ("C10", Other(theory::parts)),
    ("C11", Other(theory::optimizer)),
    ("C12", Networks(&["wirings"], wirings::raw_graph)),
    ("C13", Other(theory::ablatable)),
    ("C14", Networks(&["wirings", "replication"], wirings::decodable)),
    ("C15", Networks(&["controls"], controls::survives_controls)),
];

impl Decide {
    /// What the records say. What is decided on networks comes with the circumstances of their
    /// record, before what the rule has to say of its own.
    pub fn apply(&self, records: &Records, spec: &StudySpec) -> Outcome {
        let (parts, decide) = match self {
            Other(decide) => return decide(records),
            Regime(rules, part, decide) => match records.networks("regime") {
                Some(map) if regime::holds(map, rules[0]) => {
                    return regime::decided(map, records.networks("rewinding"), rules);
                }
                _ => (std::slice::from_ref(part), decide),
            },
            Networks(parts, decide) => (*parts, decide),
        };
        let there = parts.iter().filter_map(|part| Some((*part, records.networks(part)?)));
        let there: Vec<(&str, &NetworksRecord)> = there.collect();
        let Some(((part, record), later)) = there.split_first() else {
            return no_record(parts[0]);
        };
        let mut outcome = decide(record, spec).decided_on(record, part);
        for (part, again) in later {
            if outcome.verdict != Verdict::Inconclusive || again.profile != record.profile {
                break;
            }
            let earlier = outcome.as_earlier();
            outcome = decide(again, spec).decided_on(again, part).noting([earlier]);
        }
        outcome
    }
}

impl Outcome {
    /// By a rule of its own.
    fn new(statistic: &str, verdict: Verdict, effects: Vec<Effect>) -> Self {
        Outcome {
            statistic: statistic.into(),
            effects,
            controls: Vec::new(),
            verdict,
            notes: Vec::new(),
            seeds: None,
            records: Vec::new(),
            rulings: Vec::new(),
        }
    }

    /// By the general rule: every effect above 0.
    fn general(statistic: &str, effects: Vec<Effect>, margin: f64) -> Self {
        let verdict = all_above(&effects, margin);
        Outcome::new(statistic, verdict, effects).settling(|_, effect| is_above(effect))
    }

    /// An open claim, with the effects that it does not hang on: those of which `is_settled` says so, by number.
    fn settling(mut self, is_settled: impl Fn(usize, &Effect) -> bool) -> Self {
        if self.verdict == Verdict::Inconclusive {
            for (number, effect) in self.effects.iter_mut().enumerate() {
                effect.settled = is_settled(number, effect);
            }
        }
        self
    }

    /// With the circumstances of the record of networks that it was decided on.
    fn decided_on(mut self, record: &NetworksRecord, part: &str) -> Self {
        self.notes.splice(0..0, circumstances(record));
        Outcome { seeds: seeds(record), records: path(part), ..self }
    }

    /// What an earlier study had said by the same rule, as a note.
    fn as_earlier(&self) -> String {
        let effects =
            self.effects.iter().map(|effect| format!("{} {}", effect.name, effect.text()));
        let effects: Vec<String> = effects.collect();
        format!(
            "the first study ({}) had left it {} by the same rule: {}; it does not count here",
            self.records.join(", "),
            self.verdict.text(),
            effects.join("; ")
        )
    }

    fn beside(self, controls: Vec<Effect>) -> Self {
        Outcome { controls, ..self }
    }

    fn noting(self, notes: impl IntoIterator<Item = String>) -> Self {
        Outcome { notes: self.notes.into_iter().chain(notes).collect(), ..self }
    }
}

/// True for an interval above 0.
fn is_above(effect: &Effect) -> bool {
    effect.low.is_some_and(|low| low > 0.0)
}

/// A claim whose record is not there.
fn no_record(part: &str) -> Outcome {
    let none = Outcome::new("none", Verdict::Inconclusive, Vec::new());
    none.noting([format!("no record of {part}: it has not been run")])
}

fn path(part: &str) -> Vec<String> {
    vec![format!("{part}/rows.csv.gz")]
}

fn seeds(record: &NetworksRecord) -> Option<usize> {
    let seeds: BTreeSet<_> = record.rows.iter().filter_map(|r| r.seed).collect();
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
    let trainings = || record.rows.iter().filter_map(|r| r.result.as_ref()?.train.as_ref());
    let again = trainings().filter(|t| t.began_again()).count();
    if again > 0 {
        notes.push(format!("{again} networks collapsed and began again"));
    }
    let collapsed = trainings().filter(|t| t.stop == StopReason::Collapsed).count();
    if collapsed > 0 {
        notes.push(format!("{collapsed} networks ended collapsed, of one colour"));
    }
    notes
}

/// Share of fit networks of an arm, for notes.
fn fit_share(record: &NetworksRecord, group: Group<'_>) -> String {
    let rows = record.rows.iter().filter(|row| group.holds(row));
    let fits: Vec<bool> = rows.map(|r| r.result.as_ref().is_some_and(|x| x.fit)).collect();
    let fit = fits.iter().filter(|f| **f).count();
    format!("{fit} of {}", fits.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn what_is_simulated_is_decided_by_the_studys_own_margins() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("study.toml");
        let spec = StudySpec::read(&path).unwrap();
        assert_eq!((spec.margin, spec.equivalence), (STUDY_MARGIN, STUDY_EQUIVALENCE));
    }
}
