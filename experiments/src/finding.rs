//! A statistic of a study with its interval, and what a claim's rule makes of it: what the theory
//! and the structural study hand to the ledger of claims.

use picloom::base::stats::Interval;
use serde::{Deserialize, Serialize};

/// The verdict of a rule on a statistic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[allow(missing_docs)]
pub(crate) enum Verdict {
    Supported,
    NotSupported,
    Inconclusive,
}

impl Verdict {
    /// In words.
    pub(crate) fn text(self) -> &'static str {
        match self {
            Verdict::Supported => "supported",
            Verdict::NotSupported => "not supported",
            Verdict::Inconclusive => "inconclusive",
        }
    }
}

/// The quantity that a rule asks for: its unit, and what counts for and against.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[allow(missing_docs)]
pub(crate) enum Quantity {
    ShareOfIntervals,
    RankCorrelation,
    LayersPerPart,
    DoublingsOfLoss,
    StructuralCompositionality,
}

impl Quantity {
    /// Describes the condition of its rule and the opposite one, in numbers. The rules are those of `theory.toml`,
    /// `optimizers.toml` and `structural.toml`.
    pub(crate) fn asks(self) -> &'static str {
        match self {
            Quantity::ShareOfIntervals => {
                "a share, 0 to 1: supported if the interval reaches 0.95 and no estimate is more than 5 standard errors off, against if it lies below 0.9"
            }
            Quantity::RankCorrelation => {
                "a rank correlation, -1 to 1: supported if the interval lies above 0, against if it lies below 0.2"
            }
            Quantity::LayersPerPart => {
                "layers a part: supported if the interval excludes 0, against if it lies within ±0.25"
            }
            Quantity::DoublingsOfLoss => {
                "doublings of the loss a doubling of steps: supported if the interval lies below 0, against if it lies above 0"
            }
            Quantity::StructuralCompositionality => {
                "structural compositionality, -1 to 1: supported if the interval lies above 0 and more than half of the parts have D_sub > 0 and D_abl < 0, against if either surely fails (the counts are in claims.md)"
            }
        }
    }
}

/// A statistic with its interval, and what the rule makes of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Finding {
    /// The statistic, in words.
    pub statistic: String,
    /// The quantity that its rule asks for; `None` beside a rule.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub quantity: Option<Quantity>,
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
    pub(crate) fn text(&self) -> String {
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
