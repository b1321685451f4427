//! The logistic model behind the embedded judge, and its file.
//!
//! P(fractured) = 1/(1 + exp(−z)), z = Σ weight·(feature − mean)/spread + intercept; fractured if
//! P > ½. Five weights and an intercept, fitted by `picloom judge calibrate`.

use super::Features;
use crate::math::real;
use crate::network::files::read_text;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Name of the file format.
pub const FORMAT: &str = "picloom-judge-dl/2";

/// A fitted model, with where it came from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DlModel {
    /// [`FORMAT`].
    pub format: String,
    /// One term a feature, in the order of [`Features::NAMES`].
    pub terms: Vec<Term>,
    /// Constant of z.
    pub intercept: f64,
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
#[error("{path}: expected a judge model ({FORMAT}), found {found}")]
pub struct ModelError {
    /// The file.
    pub path: String,
    /// What was found.
    pub found: String,
}

impl DlModel {
    /// The model shipped in the binary; its `provenance` says what it was fitted on.
    pub fn shipped() -> Self {
        Self::from_json(include_str!("model.json"), "shipped model").expect("tested")
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
        if model.format != FORMAT {
            return Err(fail(format!("format {:?}", model.format)));
        }
        let names: Vec<&str> = model.terms.iter().map(|t| t.feature.as_str()).collect();
        if names != Features::NAMES {
            return Err(fail(format!("the features {names:?}, wanted {:?}", Features::NAMES)));
        }
        let sound = model.intercept.is_finite()
            && model.terms.iter().all(|t| {
                t.mean.is_finite() && t.weight.is_finite() && t.spread.is_finite() && t.spread > 0.0
            });
        if sound {
            Ok(model)
        } else {
            Err(fail("a number that is not finite, or a spread ≤ 0".into()))
        }
    }

    /// z, the log-odds of fractured.
    pub fn log_odds(&self, features: &Features) -> f64 {
        let parts = self.terms.iter().zip(features.values());
        self.intercept + parts.map(|(t, value)| t.weight * (value - t.mean) / t.spread).sum::<f64>()
    }

    /// P(fractured), in [0, 1].
    pub fn probability(&self, features: &Features) -> f64 {
        1.0 / (1.0 + real::exp(-self.log_odds(features)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shipped_model_reads_and_says_where_it_came_from() {
        let model = DlModel::shipped();
        assert!(model.terms.iter().all(|t| t.weight > 0.0));
        assert!(!model.provenance.sets.is_empty() && !model.provenance.command.is_empty());
    }

    #[test]
    fn a_broken_model_is_refused_with_what_was_found() {
        let mut model = DlModel::shipped();
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
        let mut model = DlModel::shipped();
        for (term, weight) in model.terms.iter_mut().zip([1.0, 2.0, 0.0, 0.0, 0.0]) {
            (term.mean, term.spread, term.weight) = (0.5, 0.25, weight);
        }
        model.intercept = -1.0;
        let features = Features { orient: 0.75, dl: 0.5, cond: 9.0, novel: 9.0, mirror: 9.0 };
        assert!((model.probability(&features) - 0.5).abs() < 1e-15);
    }
}
