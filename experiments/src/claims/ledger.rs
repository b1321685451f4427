//! The rows of the ledger, `claims.json`, and the four sentences that say what holds.

use super::decide::{LedgerError, Results, row};
use super::spec::{ClaimText, StudySpec};
use super::special::Special;
use crate::finding::Verdict;
use picloom::experiment::contrast::{self, Basis, Decision, Found};
use picloom::experiment::record::RecordError;
use picloom::network::files::{LARGEST_STATE, read_text};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// A claim and what our runs say on it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClaimRow {
    /// The claim, its source, its rule, and the studies that decide it.
    #[serde(flatten)]
    pub text: ClaimText,
    /// The rule applied.
    pub verdict: Verdict,
    /// The finer word of the contrasts that decide: smaller than the margin, or contradicted.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub exactly: Option<contrast::Verdict>,
    /// The study whose contrasts decide.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub study: Option<String>,
    /// Contrasts with what was found: those that decide, then those beside them.
    pub decisions: Vec<Decision>,
    /// The decisions of an earlier study that left the claim open by the same rule. They do not
    /// count.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub earlier: Option<Earlier>,
    /// Findings that no contrast can give.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub findings: Vec<Special>,
    /// Notes for the reader.
    pub notes: Vec<String>,
    /// Seeds of the study; `None` if it has no seeds.
    pub seeds: Option<usize>,
    /// Tables it was read from, relative to the ledger: `wirings/rows.csv.gz`.
    pub records: Vec<String>,
}

/// The decisions of a study on a claim that a later one decides.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Earlier {
    /// The study.
    pub study: String,
    /// Its contrasts for the claim.
    pub decisions: Vec<Decision>,
}

impl ClaimRow {
    /// A claim of which nothing is known.
    pub(super) fn open(text: ClaimText) -> Self {
        ClaimRow {
            text,
            verdict: Verdict::Inconclusive,
            exactly: None,
            study: None,
            decisions: Vec::new(),
            earlier: None,
            findings: Vec::new(),
            notes: Vec::new(),
            seeds: None,
            records: Vec::new(),
        }
    }

    /// The verdict as readers see it: the word of the spec, if it has one, else that of the rule.
    pub fn word(&self) -> &str {
        self.text.word.as_deref().unwrap_or(self.verdict.text())
    }

    /// The statement, and a note if the paper does not claim it.
    pub fn says(&self) -> String {
        let whose = if self.text.apart { " (Not the paper's claim.)" } else { "" };
        format!("{}{whose}", self.text.says)
    }

    /// `C12 (not the paper's)`.
    pub(super) fn named(&self) -> String {
        let whose = if self.text.apart { " (not the paper's)" } else { "" };
        format!("{}{whose}", self.text.id)
    }

    /// The contrasts that decide.
    pub fn deciding(&self) -> impl Iterator<Item = &Decision> {
        self.decisions.iter().filter(|decision| !decision.contrast.beside)
    }

    /// The claim as a person reads it on a terminal: verdict, then each effect that decides it with what the number is, and
    /// what the rule asks of it.
    pub fn told(&self) -> String {
        let mut text = format!("{:<4} {}: {}\n", self.text.id, self.word(), self.says());
        if self.text.word.is_some() {
            text += &format!("     by its rule: {}\n", self.verdict.text());
        }
        let mut rows: Vec<(String, String)> = Vec::new();
        for decision in self.deciding() {
            rows.extend(decision.primary().map(|found| {
                let value = difference((found.estimate, found.low.zip(found.high)));
                let word = if decision.asked { found.verdict.text() } else { "not asked" };
                let what = measured(found);
                (format!("{value}  {what}: {word}"), decision.contrast.asks())
            }));
        }
        rows.extend(self.found().map(|one| {
            let (value, finding) = (difference(one.value()), &one.finding);
            let (what, word) = (&finding.statistic, finding.verdict.text());
            (format!("{value}  {what}: {word}"), one.asks().to_string())
        }));
        let mut last = String::new();
        for (row, asks) in &rows {
            if *asks != last {
                text += &format!("     {asks}\n");
                last.clone_from(asks);
            }
            text += &format!("       {row}\n");
        }
        if rows.is_empty() {
            let why = self.notes.first().map_or("nothing decides it", String::as_str);
            text += &format!("     no number: {why}\n");
        }
        text
    }

    /// The effects that the claim hangs on: those of its contrasts on the basis that decides.
    pub fn effects(&self) -> impl Iterator<Item = &Found> {
        self.deciding().flat_map(Decision::primary)
    }

    /// The findings that decide.
    pub fn found(&self) -> impl Iterator<Item = &Special> {
        self.findings.iter().filter(|one| !one.beside)
    }

    /// The first effect: estimate and interval. Of two halves, the one that is not supported stands first.
    pub fn first(&self) -> Option<Valued> {
        let finding = || self.found().next().map(|one| one.value());
        let effect = || self.effects().next().map(|e| (e.estimate, e.low.zip(e.high)));
        if self.found().all(|one| one.finding.verdict == Verdict::Supported) {
            effect().or_else(finding)
        } else {
            finding().or_else(effect)
        }
    }
}

/// An estimate with the ends of its interval, as far as they are known.
pub type Valued = (Option<f64>, Option<(f64, f64)>);

/// `−0.095 [−0.132, −0.058]`.
pub fn difference((estimate, ends): Valued) -> String {
    let three = |x: f64| picloom::math::text::fixed(x, 3);
    match (estimate, ends) {
        (Some(e), Some((l, h))) => format!("{} [{}, {}]", three(e), three(l), three(h)),
        (Some(e), None) => three(e),
        (None, _) => "no data".into(),
    }
}

/// The name of an effect for people: what is measured, where it is no score, and what is compared.
pub fn named(found: &Found) -> String {
    let measure = match found.of.as_str() {
        "score" => "",
        "fit" => "share of seeds that learn: ",
        "decoded" => "decoded R², last layer: ",
        "decoded_components" => "decoded R², from eight components: ",
        "excess" => "excess over the Welch bound: ",
        "max(r2,-1)" => "R²: ",
        other => return format!("{other}: {}", found.name),
    };
    format!("{measure}{}", found.name)
}

/// The meaning of an effect's number: measure, difference, unit.
pub fn measured(found: &Found) -> String {
    let of = match found.of.as_str() {
        "score" => "scores, each 0 to 1",
        "fit" => "shares of seeds that learn the picture, each 0 to 1",
        "decoded" => "decoded R² of the last layer, each at most 1",
        "decoded_components" => "decoded R² of eight components, each at most 1",
        "interference" => "interference of maps, each 0 to 1",
        other => other,
    };
    format!("{}: difference of {of}", found.name)
}

/// `claims.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ledger {
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
    pub fn of(spec: &StudySpec, folder: &Path) -> Result<Self, LedgerError> {
        let mut results = Results::below(folder, spec);
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
    pub fn to_json(&self) -> String {
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
    pub fn read(path: &Path) -> Result<Self, RecordError> {
        let fail = |found: String| RecordError::Damaged {
            path: path.to_path_buf(),
            expected: "a ledger of claims".into(),
            found,
        };
        let text = read_text(path, LARGEST_STATE).map_err(|e| fail(e.to_string()))?;
        let ledger: Self = serde_json::from_str(&text).map_err(|e| fail(e.to_string()))?;
        if ledger.format == FORMAT {
            Ok(ledger)
        } else {
            Err(fail(format!("format {:?}", ledger.format)))
        }
    }

    /// The results of a contrast of a study, on this basis or on the one that decides.
    pub fn found(&self, study: &str, contrast: &str, basis: Option<&Basis>) -> Vec<&Found> {
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
    pub fn sentences(&self) -> [String; 4] {
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
