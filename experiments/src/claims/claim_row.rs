//! One row of the ledger.

use super::results::{Valued, difference};
use super::spec::ClaimText;
use super::special::Special;
use crate::finding::Verdict;
use picloom::study::contrast::{self, Decision, Found};
use serde::{Deserialize, Serialize};

/// A claim and what our runs say on it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct ClaimRow {
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
    /// An earlier study that the same rule left open. It does not count.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub earlier: Option<Earlier>,
    /// Findings that no contrast can give.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub findings: Vec<Special>,
    /// Notes that a reader must know.
    pub notes: Vec<String>,
    /// Seeds of the study; `None` if it has no seeds.
    pub seeds: Option<usize>,
    /// Tables it was read from, relative to the ledger: `wirings/rows.csv.gz`.
    pub records: Vec<String>,
}

/// The contrasts of an earlier study for a claim that a later one decides.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Earlier {
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
    pub(crate) fn word(&self) -> &str {
        self.text.word.as_deref().unwrap_or(self.verdict.text())
    }

    /// The claim, and whether it is the paper's.
    pub(crate) fn says(&self) -> String {
        let whose = if self.text.apart { " (Not the paper's claim.)" } else { "" };
        format!("{}{whose}", self.text.says)
    }

    /// `C12 (not the paper's)`.
    pub(super) fn named(&self) -> String {
        let whose = if self.text.apart { " (not the paper's)" } else { "" };
        format!("{}{whose}", self.text.id)
    }

    /// The contrasts that decide.
    pub(crate) fn deciding(&self) -> impl Iterator<Item = &Decision> {
        self.decisions.iter().filter(|decision| !decision.contrast.beside)
    }

    /// The claim as a person reads it on a terminal: verdict, then each effect that decides it with what the number is, and
    /// what the rule asks of it.
    pub(crate) fn told(&self) -> String {
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
    pub(crate) fn effects(&self) -> impl Iterator<Item = &Found> {
        self.deciding().flat_map(Decision::primary)
    }

    /// The findings that decide.
    pub(crate) fn found(&self) -> impl Iterator<Item = &Special> {
        self.findings.iter().filter(|one| !one.beside)
    }

    /// The first effect: estimate and interval. Of two halves, the one that is not supported stands first.
    pub(crate) fn first(&self) -> Option<Valued> {
        let finding = || self.found().next().map(|one| one.value());
        let effect = || self.effects().next().map(|e| (e.estimate, e.low.zip(e.high)));
        if self.found().all(|one| one.finding.verdict == Verdict::Supported) {
            effect().or_else(finding)
        } else {
            finding().or_else(effect)
        }
    }
}

/// The name of an effect for people: what is measured, where it is no score, and what is compared.
pub(crate) fn named(found: &Found) -> String {
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
pub(crate) fn measured(found: &Found) -> String {
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
