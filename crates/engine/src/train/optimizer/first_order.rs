//! The methods that move on one gradient, behind one update: alone, or as the base of SAM
//! and of OpenAI's evolution strategy.

use super::adam::Adam;
use super::adam_scalar::AdamScalar;
use super::lion::Lion;
use super::muon::Muon;
use super::normalized_momentum::NormalizedMomentum;
use super::rmsprop::RmsProp;
use super::sgd::Sgd;
use super::step::Scalar;
use crate::network::Mask;
use serde::{Deserialize, Serialize};

/// Methods that move on one gradient.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "", rename_all = "lowercase")]
pub(super) enum FirstOrder<T: Scalar> {
    Sgd(Sgd<T>),
    Adam(Adam<T>),
    RmsProp(RmsProp<T>),
    Lion(Lion<T>),
    Muon(Muon<T>),
    AdamScalar(AdamScalar<T>),
    NormalizedMomentum(NormalizedMomentum<T>),
}

impl<T: Scalar> FirstOrder<T> {
    /// One update. `weights`, `gradient`: (W,), the gradient masked by `mask`.
    pub(super) fn update(&mut self, weights: &mut [T], gradient: &[T], mask: &Mask, lr: f64) {
        match self {
            FirstOrder::Sgd(m) => m.update(weights, gradient, lr),
            FirstOrder::Adam(m) => m.update(weights, gradient, lr),
            FirstOrder::RmsProp(m) => m.update(weights, gradient, lr),
            FirstOrder::Lion(m) => m.update(weights, gradient, lr),
            FirstOrder::Muon(m) => m.update(weights, gradient, lr),
            FirstOrder::AdamScalar(m) => m.update(weights, gradient, mask, lr),
            FirstOrder::NormalizedMomentum(m) => m.update(weights, gradient, lr),
        }
    }

    /// Lengths of the state vectors; each should be W.
    pub(super) fn lengths(&self) -> Vec<usize> {
        match self {
            FirstOrder::Sgd(m) => vec![m.momentum.len()],
            FirstOrder::Adam(m) => vec![m.mean.len(), m.square.len()],
            FirstOrder::RmsProp(m) => vec![m.square.len(), m.momentum.len()],
            FirstOrder::Lion(m) => vec![m.momentum.len()],
            FirstOrder::AdamScalar(m) => vec![m.mean.len()],
            FirstOrder::NormalizedMomentum(m) => vec![m.momentum.len()],
            FirstOrder::Muon(m) => {
                vec![m.momentum.len(), m.adam.mean.len(), m.adam.square.len()]
            }
        }
    }
}
