//! The rows of the ledger, `claims.json`, and the four sentences that say what holds.

use super::claim_row::ClaimRow;
use super::decide::row;
use super::results::{LedgerError, Results, difference};
use super::spec::StudySpec;
use crate::finding::Verdict;
use picloom::base::files::{LARGEST_STATE, read_text};
use picloom::study::contrast::{self, Basis, Decision, Found};
use picloom::study::record::{RecordError, damaged};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// `claims.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Ledger {
    /// `picloom-claims/2`.
    pub format: String,
    /// One row for each claim.
    pub claims: Vec<ClaimRow>,
}

const FORMAT: &str = "picloom-claims/2";

impl Ledger {
    /// Decides every claim of a study on the results in a folder.
    ///
    /// # Errors
    /// A result is there and cannot be read.
    pub(crate) fn of(spec: &StudySpec, folder: &Path) -> Result<Self, LedgerError> {
        let mut results = Results::below(folder, spec.studies());
        for part in spec.studies() {
            results.of(&part)?;
        }
        let mut claims = Vec::new();
        for text in &spec.claims {
            claims.push(row(spec, text, &mut results, &claims)?);
        }
        Ok(Ledger { format: FORMAT.into(), claims })
    }

    /// JSON, a line for each claim.
    pub(crate) fn to_json(&self) -> String {
        let line = |claim| serde_json::to_string(claim).expect("a ledger is plain data");
        let lines: Vec<String> = self.claims.iter().map(line).collect();
        format!(
            "{{\n\"format\": \"{}\",\n\"claims\": [\n{}\n]\n}}\n",
            self.format,
            lines.join(",\n")
        )
    }

    /// Reads a ledger.
    ///
    /// # Errors
    /// Not readable, or of another format.
    pub(crate) fn read(path: &Path) -> Result<Self, RecordError> {
        let fail = |found| damaged(path, "a ledger of claims", found);
        let text = read_text(path, LARGEST_STATE).map_err(|e| fail(e.to_string()))?;
        let ledger: Self = serde_json::from_str(&text).map_err(|e| fail(e.to_string()))?;
        if ledger.format == FORMAT {
            Ok(ledger)
        } else {
            Err(fail(format!("format {:?}", ledger.format)))
        }
    }

    /// The results of a contrast of a study, on this basis or on the one that decides.
    pub(crate) fn found(&self, study: &str, contrast: &str, basis: Option<&Basis>) -> Vec<&Found> {
        let mut all = Vec::new();
        for claim in &self.claims {
            let own = claim.decisions.iter().map(|one| (claim.study.as_deref(), one));
            let earlier = claim.earlier.iter();
            let earlier =
                earlier.flat_map(|e| e.decisions.iter().map(|one| (Some(e.study.as_str()), one)));
            for (of, decision) in own.chain(earlier).filter(|one| one.1.contrast.id == contrast) {
                let is_its = match decision.contrast.tables.as_slice() {
                    [] => of == Some(study),
                    tables => tables.iter().any(|table| table == study),
                };
                let first = decision.found.first().map(|found| &found.basis);
                let on = basis.or(first).filter(|_| is_its);
                all.extend(decision.found.iter().filter(|found| Some(&found.basis) == on));
            }
        }
        all
    }

    /// A sentence each on the claims that hold, those that do not, those that are open with the
    /// effect that the design would find four times in five, and those that no rule can decide.
    pub(crate) fn sentences(&self) -> [String; 4] {
        let has_own = |claim: &&ClaimRow| claim.text.word.is_some();
        let of = |verdict: Verdict| {
            self.claims.iter().filter(move |c| c.verdict == verdict && !has_own(c))
        };
        let plain = |verdict: Verdict| {
            let each = |claim: &ClaimRow| {
                format!("{}, {}", claim.named(), claim.text.says.trim_end_matches('.'))
            };
            listed(of(verdict).map(each).collect())
        };
        let own = |claim: &ClaimRow| format!("{} ({})", claim.text.id, claim.word());
        [
            format!("Holds in these runs: {}.", plain(Verdict::Supported)),
            format!("Does not hold: {}.", plain(Verdict::NotSupported)),
            format!("Open: {}.", listed(of(Verdict::Inconclusive).map(open).collect())),
            format!(
                "Not decided, whatever a rule says: {}.",
                listed(self.claims.iter().filter(has_own).map(own).collect())
            ),
        ]
    }
}

/// An open claim with what its design could have seen: of several open effects the one that is known least.
fn open(claim: &ClaimRow) -> String {
    let id = &claim.text.id;
    let asked = claim.deciding().filter(|decision| decision.asked).flat_map(Decision::primary);
    let effects = asked.filter(|found| found.verdict == contrast::Verdict::Inconclusive);
    let visible = effects.filter_map(|found| Some((found.visible()?, found.units.len())));
    if let Some((visible, units)) = visible.max_by(|a, b| a.0.total_cmp(&b.0)) {
        return format!(
            "{id} (with {units} targets, an effect of {visible:.2} is found four times in five)"
        );
    }
    // Of what is no mean over targets, the interval; where nothing could be compared, a note says why.
    let finding = claim.found().find(|one| one.finding.verdict == Verdict::Inconclusive);
    let finding =
        finding.map(|one| format!("{}: {}", one.finding.statistic, difference(one.value())));
    match finding.as_ref().or(claim.notes.first()) {
        Some(why) => format!("{id} ({why})"),
        None => format!("{id} (too few units to tell)"),
    }
}

fn listed(all: Vec<String>) -> String {
    if all.is_empty() { "nothing".into() } else { all.join("; ") }
}
