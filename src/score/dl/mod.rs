//! The embedded judge `dl` \[ours\]: a clean change leaves a picture made of clean contours; smears,
//! stains and ghosts do not.
//!
//! In: base and perturbed picture of one size. Out: P(fractured), a logistic function of what a
//! [`Version`] measures: [`four`] (the default), or [`three`] or [`two`] (kept so that older
//! records can be made again).
//! Deterministic, the same bits everywhere. It knows nothing of networks or targets. What it was fitted on
//! and where it errs: docs/JUDGES.md.

pub mod canonical;
pub mod code_length;
pub mod four;
mod model;
pub mod novelty;
pub mod orientation;
pub mod references;
pub mod symmetry;
pub mod tensor;
pub mod three;
pub mod two;
pub mod uncertainty;

pub use model::{DlModel, LeftOut, ModelError, Provenance, SetRecord, Term, Version};

use super::judge::{BaseReading, Judge, JudgeError, JudgeIdentity, Verdict};
use crate::math::hash::sha256_hex;
use crate::network::Picture;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Pictures nearer than this RMSE are the same picture: coherent by definition.
const SAME: f64 = 1e-4;

/// A base picture that was read: measures perturbed pictures against it.
pub trait Reader: Send + Sync {
    /// The features of a perturbed picture, in the order of its version's
    /// [`names`](Version::names); none if it is the base itself (RMSE < 10⁻⁴).
    ///
    /// # Errors
    /// The picture has another size than the base.
    fn features(&self, perturbed: &Picture) -> Result<Option<Vec<f64>>, JudgeError>;
}

/// Working space of pictures judged at the same time: taken, and given back.
struct Spare<T>(Mutex<Vec<T>>);

impl<T: Default> Spare<T> {
    fn of(first: T) -> Self {
        Spare(Mutex::new(vec![first]))
    }

    fn with<R>(&self, work: impl FnOnce(&mut T) -> R) -> R {
        let taken = self.lock().pop();
        let mut space = taken.unwrap_or_default();
        let done = work(&mut space);
        self.lock().push(space);
        done
    }

    fn lock(&self) -> MutexGuard<'_, Vec<T>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The embedded judge.
#[derive(Clone, Debug, PartialEq)]
pub struct DlJudge {
    /// The fitted numbers.
    pub model: DlModel,
}

impl Default for DlJudge {
    /// With the model of the newest version shipped in the binary.
    fn default() -> Self {
        DlJudge { model: DlModel::shipped(Version::default()) }
    }
}

impl Judge for DlJudge {
    fn name(&self) -> String {
        let p = &self.model.provenance;
        let sets: Vec<&str> = p.sets.iter().map(|s| s.file.as_str()).collect();
        format!("dl/{} fitted {} on {}", self.model.version.number(), p.date, sets.join("+"))
    }

    fn identity(&self) -> JudgeIdentity {
        let json = serde_json::to_string(&self.model).expect("a model is plain data");
        JudgeIdentity { name: self.name(), sha256: Some(sha256_hex(json)) }
    }

    fn score_error(&self) -> f64 {
        self.model.between_networks.unwrap_or(self.model.version.score_error())
    }

    fn read_base<'a>(&'a self, base: &'a Picture) -> Box<dyn BaseReading + 'a> {
        Box::new(Reading { model: &self.model, base: self.model.version.read(base) })
    }
}

struct Reading<'a> {
    model: &'a DlModel,
    base: Box<dyn Reader>,
}

impl BaseReading for Reading<'_> {
    fn judge(&self, perturbed: &Picture) -> Result<Verdict, JudgeError> {
        let fractured = match self.base.features(perturbed)? {
            None => 0.0,
            Some(features) => self.model.probability(&features),
        };
        Ok(Verdict::from_probability(fractured))
    }
}
