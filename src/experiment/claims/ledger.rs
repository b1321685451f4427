//! The study's spec, the records, and the ledger made of them.

use super::effects::Effect;
use super::verdicts::{CLAIMS, Outcome};
use crate::experiment::finding::Verdict;
use crate::experiment::networks::NetworksRecord;
use crate::experiment::spec::{SpecError, kind, parse, read};
use crate::experiment::structural::StructuralRecord;
use crate::experiment::study::StudyRecord;
use crate::experiment::theory::record::TheoryRecord;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// The whole study: its parts and the rules of its claims (`experiments/study.toml`).
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StudySpec {
    /// Always `study`.
    pub kind: String,
    /// Its name.
    pub name: String,
    /// What is asked, in one sentence.
    pub question: String,
    /// Specs of the parts, in the order they are run; relative to the folder that holds the spec's.
    pub parts: Vec<PathBuf>,
    /// The smallest effect that matters, in units of the score.
    pub margin: f64,
    /// Two R² closer than this are called equal.
    pub equivalence: f64,
    /// The claims and their rules, written before the runs.
    pub claims: Vec<ClaimText>,
}

/// A claim as the spec states it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClaimText {
    /// C1 to C15.
    pub id: String,
    /// What is claimed.
    pub says: String,
    /// By whom.
    pub source: String,
    /// When it is supported, and when it is not.
    pub rule: String,
}

impl StudySpec {
    /// Reads and verifies the spec.
    ///
    /// # Errors
    /// Not readable, of another kind, unknown keys, a claim that is not C1 to C15 in order.
    pub fn read(path: &Path) -> Result<Self, SpecError> {
        let found = kind(path)?;
        if found.as_deref() != Some("study") {
            return Err(SpecError::Kind {
                path: path.to_path_buf(),
                expected: "study",
                found: found.map_or("none".into(), |kind| format!("{kind:?}")),
            });
        }
        let spec: StudySpec = parse(path, &read(path)?)?;
        let fail = |key: &str, expected: &str, found: String| {
            Err(SpecError::Value {
                path: path.to_path_buf(),
                key: key.into(),
                expected: expected.into(),
                found,
            })
        };
        let ids: Vec<&str> = spec.claims.iter().map(|c| c.id.as_str()).collect();
        let known: Vec<&str> = CLAIMS.iter().map(|c| c.0).collect();
        if ids != known {
            return fail("claims", &known.join(", "), ids.join(", "));
        }
        if !(spec.margin >= 0.0 && spec.equivalence > 0.0) {
            let found = format!("{}, {}", spec.margin, spec.equivalence);
            return fail("margin, equivalence", "numbers above 0", found);
        }
        Ok(spec)
    }
}

/// Records of the study's parts; none where a part has not been run.
#[derive(Clone, Debug, Default)]
pub struct Records {
    /// Folder they were read from.
    pub folder: PathBuf,
    /// Evolved, dense, graph, layerized.
    pub wirings: Option<NetworksRecord>,
    /// By depth.
    pub depth: Option<NetworksRecord>,
    /// Every pruning method.
    pub pruning: Option<NetworksRecord>,
    /// Other ways of training.
    pub controls: Option<NetworksRecord>,
    /// Drawings.
    pub out_of_domain: Option<NetworksRecord>,
    /// Every optimizer.
    pub optimizers: Option<StudyRecord>,
    /// Volume ratios.
    pub theory: Option<TheoryRecord>,
    /// Parts in subnetworks.
    pub structural: Option<StructuralRecord>,
}

/// Why there is no ledger.
#[derive(Debug, thiserror::Error)]
pub enum LedgerError {
    /// The spec is at fault.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// A record is there and cannot be read.
    #[error("{0}")]
    Record(String),
    /// A committed ledger cannot be read.
    #[error("{path}: expected a ledger of claims, found: {problem}")]
    Ledger {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        problem: String,
    },
}

impl Records {
    /// Reads `FOLDER/PART/record.json` of every part that is there.
    ///
    /// # Errors
    /// A record is there and cannot be read.
    pub fn read(folder: &Path) -> Result<Self, LedgerError> {
        /// The record of one part, if it is there.
        fn part<R, E: std::fmt::Display>(
            path: PathBuf,
            read: impl Fn(&Path) -> Result<R, E>,
        ) -> Result<Option<R>, LedgerError> {
            if !path.exists() {
                return Ok(None);
            }
            let record = read(&path).map_err(|e| LedgerError::Record(e.to_string()))?;
            Ok(Some(record))
        }
        let path = |name: &str| folder.join(name).join("record.json");
        let networks = |name: &str| part(path(name), NetworksRecord::read);
        Ok(Records {
            folder: folder.to_path_buf(),
            wirings: networks("wirings")?,
            depth: networks("depth")?,
            pruning: networks("pruning")?,
            controls: networks("controls")?,
            out_of_domain: networks("out_of_domain")?,
            optimizers: part(path("optimizers"), StudyRecord::read)?,
            theory: part(path("theory"), TheoryRecord::read)?,
            structural: part(path("structural"), StructuralRecord::read)?,
        })
    }
}

/// A claim and what our runs say on it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClaimRow {
    /// What is claimed, by whom, and the rule.
    #[serde(flatten)]
    pub text: ClaimText,
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
    /// Seeds of every effect, at the least over its targets; none if it has no seeds.
    pub seeds: Option<usize>,
    /// Records it was read from, relative to the ledger: `wirings/record.json`.
    pub records: Vec<String>,
}

/// `claims.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ledger {
    /// `picloom-claims/1`.
    pub format: String,
    /// The smallest effect that matters.
    pub margin: f64,
    /// One row a claim.
    pub claims: Vec<ClaimRow>,
}

const FORMAT: &str = "picloom-claims/1";

impl Ledger {
    /// Applies every rule of `spec` to `records`.
    pub fn of(spec: &StudySpec, records: &Records) -> Self {
        let claims = spec.claims.iter().zip(CLAIMS).map(|(text, (_, decide))| {
            let Outcome { statistic, effects, controls, verdict, notes, seeds, records } =
                decide(records, spec);
            ClaimRow {
                text: text.clone(),
                statistic,
                effects,
                controls,
                verdict,
                notes,
                seeds,
                records,
            }
        });
        Ledger { format: FORMAT.into(), margin: spec.margin, claims: claims.collect() }
    }

    /// JSON.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).expect("a ledger is plain data") + "\n"
    }

    /// Reads a ledger.
    ///
    /// # Errors
    /// Not readable, or of another format.
    pub fn read(path: &Path) -> Result<Self, LedgerError> {
        let fail = |problem: String| LedgerError::Ledger { path: path.to_path_buf(), problem };
        let text = std::fs::read_to_string(path).map_err(|e| fail(e.to_string()))?;
        let ledger: Self = serde_json::from_str(&text).map_err(|e| fail(e.to_string()))?;
        match ledger.format == FORMAT {
            true => Ok(ledger),
            false => Err(fail(format!("format {:?}", ledger.format))),
        }
    }

    /// The page: a table of verdicts, then each claim with its numbers.
    pub fn to_markdown(&self) -> String {
        let mut page = String::from(
            "# Claims\n\nWritten by `picloom claims` from the records beside it; the rules are those of `experiments/study.toml`, fixed before\nthe runs. The unit of an interval is a target (seeds are averaged within it) unless the claim says otherwise; intervals are 95 %\nStudent-t intervals.\nA claim that is not supported here is a result of these runs, at their sizes and step budgets, and no more than that.\n\n| claim | says | effect | verdict |\n|---|---|---|---|\n",
        );
        for claim in &self.claims {
            let effect = claim.effects.first().map_or("-".into(), number);
            let (id, says) = (&claim.text.id, &claim.text.says);
            page += &format!("| {id} | {says} | {effect} | {} |\n", claim.verdict.text());
        }
        for claim in &self.claims {
            let ClaimRow { text, .. } = claim;
            page += &format!(
                "\n## {}: {}\n\n{}\n\n- Source: {}\n- Statistic: {}\n- Rule: {}\n",
                text.id,
                claim.verdict.text(),
                text.says,
                text.source,
                claim.statistic,
                text.rule
            );
            for (kind, effects) in [("Effect", &claim.effects), ("Control", &claim.controls)] {
                for effect in effects {
                    page += &format!("- {kind}: {}: {}", effect.name, number(effect));
                    let parts: Vec<String> = effect
                        .targets
                        .iter()
                        .map(|t| format!("{} {:.3} ({})", t.target, t.value, t.pairs))
                        .collect();
                    if !parts.is_empty() {
                        page += &format!("; by target (pairs): {}", parts.join(", "));
                    }
                    if !effect.without.is_empty() {
                        page += &format!("; no pair that counts: {}", effect.without.join(", "));
                    }
                    page += "\n";
                }
            }
            for note in &claim.notes {
                page += &format!("- Note: {note}\n");
            }
            if !claim.records.is_empty() {
                let links = claim.records.iter().map(|r| format!("[{r}]({r})"));
                page += &format!("- Records: {}\n", links.collect::<Vec<_>>().join(", "));
            }
        }
        page
    }
}

fn number(effect: &Effect) -> String {
    match (effect.estimate, effect.low, effect.high) {
        (Some(e), Some(l), Some(h)) => format!("{e:.3} [{l:.3}, {h:.3}]"),
        (Some(e), ..) => format!("{e:.3} (one target)"),
        _ => "no data".into(),
    }
}
