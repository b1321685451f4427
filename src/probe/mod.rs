//! Interventions without judgement: change weights, look at the pictures. In: a network and its
//! weights. Out: perturbations with their effects, strips, feature maps. It does not know what a
//! good picture is.

mod sweep;

pub use sweep::{
    Delta, ParseDeltaError, ParseSelectionError, Perturbation, Selection, WeightSweep, strip,
    sweep, sweep_afresh,
};
