//! Interventions without judgement: change weights, look at the pictures. In: a network and its
//! weights. Out: perturbations with their effects, strips, random directions, components of
//! feature maps, and what a sample of weights says about all of them. It does not know what a
//! good picture is.

mod directions;
mod pca;
mod sampling;
mod sweep;

pub use directions::{Direction, DirectionRecord, Directions, directions};
pub use pca::{Component, Pca, PcaRecord, layer_pca, pca};
pub use sampling::{Drawn, SampledShare, sampled_share};
pub use sweep::{
    Delta, ParseDeltaError, ParseSelectionError, Perturbation, Selection, WeightSweep, strip,
    sweep, sweep_afresh,
};
