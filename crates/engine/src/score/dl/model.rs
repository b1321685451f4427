//! The logistic model behind the embedded judge, and its file.
//!
//! P(damaged) = 1/(1 + exp(−z)), z = constant + Σ (weight·x + Σ above·max(0, x − knot)), x = (feature − mean)/spread cut
//! to ± [`CLIP`]; damaged if P > ½. Fitted by `picloom-experiments judge fit`.

use super::features::NAMES;
use crate::base::files::{LARGEST_CONFIG, read_text};
use crate::base::real;
use crate::base::refusal::Refusal;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// First word of a model's file.
pub const FORMAT: &str = "picloom-judge-dl/4";
/// Standardised features are cut to ± this.
pub const CLIP: f64 = 2.5;
/// Where the line of a standardised feature may bend.
pub const KNOTS: [f64; 2] = [-0.5, 0.5];

/// A fitted model, with where it came from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DlModel {
    /// [`FORMAT`].
    pub format: String,
    /// One term a feature, in the order of [`NAMES`].
    pub terms: Vec<Term>,
    /// Constant of z.
    pub intercept: f64,
    /// τ, how far the mean P(clean) of a network is off its labels beyond what sampling them explains:
    /// a standard deviation between networks of targets left out of the fit. None if it was not measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub between_networks: Option<f64>,
    /// How the numbers were found.
    pub provenance: Provenance,
}

/// One feature's part of z.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Term {
    /// The feature.
    pub feature: String,
    /// Its mean over the labelled pictures.
    pub mean: f64,
    /// Its standard deviation over them, > 0.
    pub spread: f64,
    /// Weight of the standardised feature; positive = speaks for damaged.
    pub weight: f64,
    /// Weight of what it is above each of the [`KNOTS`].
    pub above: [f64; KNOTS.len()],
}

/// How a model was fitted.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Provenance {
    /// Day of the fit, YYYY-MM-DD.
    pub date: String,
    /// The command line.
    pub command: String,
    /// Version of the program.
    pub picloom: String,
    /// Ridge λ: the fit minimises mean log-loss + λ/2·Σ weight².
    pub ridge: f64,
    /// The labelled sets.
    pub sets: Vec<SetRecord>,
    /// Leave-one-target-out results of the same recipe on the same sets.
    pub left_out: Vec<LeftOut>,
}

/// A labelled set that was used.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SetRecord {
    /// File name of the labels.
    pub file: String,
    /// SHA-256 of the labels' bytes, in hex.
    pub sha256: String,
    /// Pictures labelled clean. The file has the word of its labels.
    #[serde(rename = "coherent")]
    pub clean: usize,
    /// Pictures labelled damaged.
    #[serde(rename = "fractured")]
    pub damaged: usize,
}

/// Agreement on one target when the model was fitted on all the others.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LeftOut {
    /// The target left out.
    pub target: String,
    /// Cohen's κ on it, if it has one.
    pub kappa: Option<f64>,
    /// Area under the ROC curve on it, if it has one.
    pub auc: Option<f64>,
}

impl DlModel {
    /// The model shipped in the binary; its `provenance` says what it was fitted on.
    pub fn shipped() -> Self {
        Self::from_json(include_str!("model.json")).expect("tested")
    }

    /// Reads a model file.
    ///
    /// # Errors
    /// The file cannot be read, is no such JSON, or its numbers make no model.
    pub fn read(path: &Path) -> Result<Self, Refusal> {
        let text = read_text(path, LARGEST_CONFIG)
            .map_err(|e| Refusal::unreadable(path, "a judge model", &e))?;
        Self::from_json(&text).map_err(|refusal| refusal.in_file(path))
    }

    fn from_json(text: &str) -> Result<Self, Refusal> {
        let expected = format!("a judge model ({FORMAT})");
        let fail = |found: String| Refusal::new("", &*expected, found);
        let model: DlModel =
            serde_json::from_str(text).map_err(|e| Refusal::other_text(&*expected, e))?;
        if model.format != FORMAT {
            return Err(fail(format!("the format {:?}", model.format)));
        }
        let names: Vec<&str> = model.terms.iter().map(|t| t.feature.as_str()).collect();
        if names != NAMES {
            return Err(fail(format!("the features {names:?}, wanted {NAMES:?}")));
        }
        let sound = model.intercept.is_finite()
            && model.between_networks.is_none_or(|t| (0.0..=1.0).contains(&t))
            && model.terms.iter().all(|t| {
                let numbers = [t.mean, t.weight, t.spread];
                numbers.iter().chain(&t.above).all(|v| v.is_finite()) && t.spread > 0.0
            });
        if sound {
            Ok(model)
        } else {
            let found =
                "a number that is not finite, a spread ≤ 0, or between_networks outside 0 to 1";
            Err(fail(found.into()))
        }
    }

    /// z, the log-odds of damaged, of features in the order of [`NAMES`].
    pub(crate) fn log_odds(&self, features: &[f64]) -> f64 {
        let parts = self.terms.iter().zip(features);
        let part = |(t, value): (&Term, &f64)| {
            let x = ((value - t.mean) / t.spread).clamp(-CLIP, CLIP);
            let above = t.above.iter().zip(KNOTS);
            t.weight * x + above.map(|(weight, knot)| weight * (x - knot).max(0.0)).sum::<f64>()
        };
        self.intercept + parts.map(part).sum::<f64>()
    }

    /// P(damaged) of a changed picture with these features, in [0, 1]; that it is clean is the rest.
    pub fn probability(&self, features: &[f64]) -> f64 {
        1.0 / (1.0 + real::exp(-self.log_odds(features)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shipped_model_says_where_it_came_from_and_a_broken_one_what_is_wrong() {
        let mut model = DlModel::shipped();
        assert!(!model.provenance.sets.is_empty() && !model.provenance.command.is_empty());
        model.terms[2].spread = 0.0;
        let text = serde_json::to_string(&model).unwrap();
        let error = DlModel::from_json(&text).unwrap_err().to_string();
        assert!(error.starts_with("expected a judge model"), "{error}");
        model.terms.swap(0, 1);
        let text = serde_json::to_string(&model).unwrap();
        assert!(DlModel::from_json(&text).unwrap_err().found.contains("wanted"));
    }

    #[test]
    fn log_odds_by_hand() {
        let mut model = DlModel::shipped();
        for term in &mut model.terms {
            (term.mean, term.spread, term.weight, term.above) = (0.0, 1.0, 0.0, [0.0, 0.0]);
        }
        // Bent at −½ and ½: −1 is before both, 0 above the first by ½, 9 is cut to 2.5, above them by 3 and 2.
        (model.terms[0].weight, model.intercept) = (1.0, 0.0);
        model.terms[0].above = [2.0, 4.0];
        let mut features = vec![9.0; model.terms.len()];
        for (value, odds) in [(-1.0, -1.0), (0.0, 1.0), (9.0, 16.5)] {
            features[0] = value;
            assert_eq!(model.log_odds(&features), odds, "{value}");
        }
        features[0] = -1.0;
        model.intercept = 1.0;
        assert_eq!(model.probability(&features), 0.5);
    }
}
