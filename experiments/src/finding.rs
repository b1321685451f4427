//! A statistic of a study with its interval, and what a claim's rule makes of it: what the theory
//! and the structural study hand to the ledger of claims.

use picloom::base::stats::Interval;
use serde::{Deserialize, Serialize};

/// The verdict of a rule on a statistic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[allow(missing_docs)]
pub enum Verdict {
    Supported,
    NotSupported,
    Inconclusive,
}

impl Verdict {
    /// In words.
    pub fn text(self) -> &'static str {
        match self {
            Verdict::Supported => "supported",
            Verdict::NotSupported => "not supported",
            Verdict::Inconclusive => "inconclusive",
        }
    }
}

/// A statistic with its interval, and what the rule makes of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// The statistic, in words.
    pub statistic: String,
    /// Its value; `None` if there was nothing to compute it from.
    pub effect: Option<f64>,
    /// Its 95 % interval; `None` with fewer than two units.
    pub interval: Option<Interval>,
    /// Independent units behind it.
    pub units: usize,
    /// By the rule.
    pub verdict: Verdict,
    /// Notes for the reader.
    pub notes: Vec<String>,
}

impl Finding {
    /// For people: `effect [low, high], n units: verdict`.
    pub fn text(&self) -> String {
        let effect = self.effect.map_or("–".into(), |e| format!("{e:.3}"));
        let interval =
            self.interval.map_or(String::new(), |i| format!(" [{:.3}, {:.3}]", i.low, i.high));
        format!(
            "{}: {effect}{interval}, {} units: {}",
            self.statistic,
            self.units,
            self.verdict.text()
        )
    }
}
