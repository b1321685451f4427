//! The embedded judge `dl` \[ours\]: a clean change leaves a picture made of clean contours; smears,
//! stains and ghosts do not.
//!
//! In: base and perturbed picture of one size. Out: P(damaged), a logistic function of what
//! [`features`] measure.
//! Deterministic, the same bits everywhere. It knows nothing of networks or targets. What it was fitted on
//! and where it errs: docs/JUDGES.md.

pub(super) mod canonical;
mod contours;
pub mod features;
mod model;
mod references;
mod symmetry;
mod tensor;

pub use features::Base;
pub use model::{CLIP, DlModel, FORMAT, KNOTS, LeftOut, Provenance, SetRecord, Term};

use super::judge::{BaseReading, Judge, JudgeError, JudgeIdentity, Verdict};
use crate::base::hash::sha256_hex;
use crate::network::Picture;

/// Who labelled the pictures that the shipped judge was fitted to, as a clause for whoever reads a score.
pub const LABELLED_BY: &str =
    "a vision-language model labelled the pictures that the judge was fitted to, and no person";

/// The clause for the judge of a record; `None` for a judge that was not fitted to these pictures.
pub fn labelled_by(judge: &str) -> Option<&'static str> {
    judge.starts_with(&DlJudge::default().name()).then_some(LABELLED_BY)
}

/// The embedded judge.
#[derive(Clone, Debug, PartialEq)]
pub struct DlJudge {
    /// The fitted numbers.
    pub model: DlModel,
}

impl Default for DlJudge {
    /// With the model shipped in the binary.
    fn default() -> Self {
        DlJudge { model: DlModel::shipped() }
    }
}

impl Judge for DlJudge {
    fn name(&self) -> String {
        let p = &self.model.provenance;
        let sets: Vec<&str> = p.sets.iter().map(|s| s.file.as_str()).collect();
        format!("dl/4 fitted {} on {}", p.date, sets.join("+"))
    }

    fn identity(&self) -> JudgeIdentity {
        let json = serde_json::to_string(&self.model).expect("a model is plain data");
        JudgeIdentity { name: self.name(), sha256: Some(sha256_hex(json)) }
    }

    fn score_error(&self) -> f64 {
        self.model.between_networks.unwrap_or(0.0)
    }

    fn read_base<'a>(&'a self, base: &'a Picture) -> Box<dyn BaseReading + 'a> {
        Box::new(Reading { model: &self.model, base: Base::new(base) })
    }
}

struct Reading<'a> {
    model: &'a DlModel,
    base: Base,
}

impl BaseReading for Reading<'_> {
    fn judge(&self, perturbed: &Picture) -> Result<Verdict, JudgeError> {
        let damaged = match self.base.features(perturbed)? {
            None => 0.0,
            Some(features) => self.model.probability(&features),
        };
        Ok(Verdict::from_probability(damaged))
    }
}
