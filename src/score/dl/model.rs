//! The logistic model behind the embedded judge, and its file.
//!
//! P(fractured) = 1/(1 + exp(−z)), z = Σ weight·x + intercept, x = (feature − mean)/spread, from version 3 on
//! cut to ± clip; from version 4 on z also has a weight for every max(0, x − knot); fractured if P > ½. Fitted by `picloom judge calibrate`.

use super::{Reader, four, three, two};
use crate::math::real;
use crate::network::Picture;
use crate::network::files::read_text;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// What the judge measures; part of a model's file and of the judge's name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Version {
    /// Five features: [`two`].
    #[serde(rename = "picloom-judge-dl/2")]
    Two,
    /// Corners, edges and their references: [`three`].
    #[serde(rename = "picloom-judge-dl/3")]
    Three,
    /// Two features more, and lines that bend: [`four`].
    #[default]
    #[serde(rename = "picloom-judge-dl/4")]
    Four,
}

impl Version {
    /// All of them, oldest first.
    pub const ALL: [Version; 3] = [Version::Two, Version::Three, Version::Four];

    /// 2, 3, …
    pub fn number(self) -> usize {
        match self {
            Version::Two => 2,
            Version::Three => 3,
            Version::Four => 4,
        }
    }

    /// The version of a number.
    pub fn of(number: usize) -> Option<Self> {
        Version::ALL.into_iter().find(|v| v.number() == number)
    }

    /// The features' names, in order.
    pub fn names(self) -> &'static [&'static str] {
        match self {
            Version::Two => two::NAMES,
            Version::Three => three::NAMES,
            Version::Four => three::ALL_NAMES,
        }
    }

    /// Standardised features are cut to ± this; none: not cut.
    pub fn clip(self) -> Option<f64> {
        match self {
            Version::Two => None,
            Version::Three | Version::Four => Some(2.5),
        }
    }

    /// Where the line of a standardised feature may bend.
    pub fn knots(self) -> &'static [f64] {
        match self {
            Version::Two | Version::Three => &[],
            Version::Four => four::KNOTS,
        }
    }

    /// Default ridge λ of the fit: of a few, the one with the best log loss with targets left out.
    pub fn ridge(self) -> f64 {
        match self {
            Version::Two => 0.02,
            Version::Three | Version::Four => 0.005,
        }
    }

    /// τ of models that do not say theirs ([`DlModel::between_networks`]).
    pub fn score_error(self) -> f64 {
        match self {
            // Of the shipped one on networks it was not fitted to: `judge test assets/labels2/labels2.csv`.
            Version::Two => 0.26,
            Version::Three | Version::Four => 0.0,
        }
    }

    /// Reads a base picture.
    pub fn read(self, base: &Picture) -> Box<dyn Reader> {
        match self {
            Version::Two => Box::new(two::Base::new(base)),
            Version::Three => Box::new(three::Base::new(base)),
            Version::Four => Box::new(three::Base::with_more(base)),
        }
    }
}

/// A fitted model, with where it came from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DlModel {
    /// What it looks at.
    #[serde(rename = "format")]
    pub version: Version,
    /// One term a feature, in the order of [`Version::names`].
    pub terms: Vec<Term>,
    /// Constant of z.
    pub intercept: f64,
    /// τ, how far the mean P(coherent) of a network is off its labels beyond what sampling them explains:
    /// a standard deviation between networks of targets left out of the fit
    /// ([`ScoreErrors`](crate::score::calibrate::ScoreErrors)). None if it was not measured.
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
    /// Weight of the standardised feature; positive = speaks for fractured.
    pub weight: f64,
    /// Weight of what it is above each of the version's [`knots`](Version::knots).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub above: Vec<f64>,
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
    /// Pictures labelled coherent.
    pub coherent: usize,
    /// Pictures labelled fractured.
    pub fractured: usize,
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

/// Why a model file was refused.
#[derive(Debug, thiserror::Error)]
#[error("{path}: expected a judge model (picloom-judge-dl/2, /3 or /4), found {found}")]
pub struct ModelError {
    /// The file.
    pub path: String,
    /// What was found.
    pub found: String,
}

impl DlModel {
    /// The model of a version shipped in the binary; its `provenance` says what it was fitted on.
    pub fn shipped(version: Version) -> Self {
        let json = match version {
            Version::Two => include_str!("model2.json"),
            Version::Three => include_str!("model3.json"),
            Version::Four => include_str!("model4.json"),
        };
        Self::from_json(json, "shipped model").expect("tested")
    }

    /// Reads a model file.
    ///
    /// # Errors
    /// The file cannot be read, is no such JSON, or its numbers make no model.
    pub fn read(path: &Path) -> Result<Self, ModelError> {
        let path_text = path.display().to_string();
        let text = read_text(path)
            .map_err(|e| ModelError { path: path_text.clone(), found: e.to_string() })?;
        Self::from_json(&text, &path_text)
    }

    fn from_json(text: &str, path: &str) -> Result<Self, ModelError> {
        let fail = |found: String| ModelError { path: path.to_string(), found };
        let model: DlModel = serde_json::from_str(text).map_err(|e| fail(e.to_string()))?;
        let names: Vec<&str> = model.terms.iter().map(|t| t.feature.as_str()).collect();
        let wanted = model.version.names();
        if names != wanted {
            return Err(fail(format!("the features {names:?}, wanted {wanted:?}")));
        }
        let sound = model.intercept.is_finite()
            && model.between_networks.is_none_or(|t| (0.0..=1.0).contains(&t))
            && model.terms.iter().all(|t| {
                let bends = t.above.len() == model.version.knots().len();
                let numbers = [t.mean, t.weight, t.spread];
                bends && numbers.iter().chain(&t.above).all(|v| v.is_finite()) && t.spread > 0.0
            });
        if sound {
            Ok(model)
        } else {
            Err(fail(
                "a number that is not finite, a spread ≤ 0, another number of bends than its version's, or between_networks outside 0 to 1"
                    .into(),
            ))
        }
    }

    /// z, the log-odds of fractured, of features in the order of the version's names.
    pub fn log_odds(&self, features: &[f64]) -> f64 {
        let clip = self.version.clip().unwrap_or(f64::INFINITY);
        let parts = self.terms.iter().zip(features);
        let part = |(t, value): (&Term, &f64)| {
            let x = ((value - t.mean) / t.spread).clamp(-clip, clip);
            let above = t.above.iter().zip(self.version.knots());
            t.weight * x + above.map(|(weight, knot)| weight * (x - knot).max(0.0)).sum::<f64>()
        };
        self.intercept + parts.map(part).sum::<f64>()
    }

    /// P(fractured), in [0, 1].
    pub fn probability(&self, features: &[f64]) -> f64 {
        1.0 / (1.0 + real::exp(-self.log_odds(features)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shipped_model_reads_and_says_where_it_came_from() {
        for version in Version::ALL {
            let model = DlModel::shipped(version);
            assert_eq!(model.version, version);
            assert_eq!(Version::of(version.number()), Some(version));
            assert!(!model.provenance.sets.is_empty() && !model.provenance.command.is_empty());
        }
    }

    #[test]
    fn a_broken_model_is_refused_with_what_was_found() {
        let mut model = DlModel::shipped(Version::Two);
        model.terms[2].spread = 0.0;
        let text = serde_json::to_string(&model).unwrap();
        let error = DlModel::from_json(&text, "x.json").unwrap_err().to_string();
        assert!(error.starts_with("x.json: expected a judge model"), "{error}");
        model.terms.swap(0, 1);
        let text = serde_json::to_string(&model).unwrap();
        assert!(DlModel::from_json(&text, "x.json").unwrap_err().found.contains("wanted"));
    }

    #[test]
    fn probabilities_by_hand() {
        let mut model = DlModel::shipped(Version::Two);
        for (term, weight) in model.terms.iter_mut().zip([1.0, 2.0, 0.0, 0.0, 0.0]) {
            (term.mean, term.spread, term.weight) = (0.5, 0.25, weight);
        }
        model.intercept = -1.0;
        let features = [0.75, 0.5, 9.0, 9.0, 9.0];
        assert!((model.probability(&features) - 0.5).abs() < 1e-15);
        // Cut to 2.5 spreads.
        let mut cut = DlModel::shipped(Version::Three);
        for term in &mut cut.terms {
            (term.mean, term.spread, term.weight) = (0.0, 1.0, 1.0);
        }
        cut.intercept = 0.0;
        let far = vec![9.0; cut.terms.len()];
        assert_eq!(cut.log_odds(&far), 2.5 * far.len() as f64);
        // Bent at −½ and ½: −1 is before both, 0 above the first by ½, 2 by 2.5 and 1.5.
        let mut bent = DlModel::shipped(Version::Four);
        for term in &mut bent.terms {
            (term.mean, term.spread, term.weight) = (0.0, 1.0, 0.0);
            term.above = vec![0.0, 0.0];
        }
        (bent.terms[0].weight, bent.intercept) = (1.0, 0.0);
        bent.terms[0].above = vec![2.0, 4.0];
        let mut features = vec![9.0; bent.terms.len()];
        for (value, odds) in [(-1.0, -1.0), (0.0, 1.0), (2.0, 13.0)] {
            features[0] = value;
            assert_eq!(bent.log_odds(&features), odds, "{value}");
        }
        bent.terms[0].above.pop();
        let text = serde_json::to_string(&bent).unwrap();
        assert!(DlModel::from_json(&text, "x.json").unwrap_err().found.contains("bends"));
    }
}
