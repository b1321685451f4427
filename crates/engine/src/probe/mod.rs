//! Interventions without judgement: change weights, look at the pictures. In: a
//! [`Model`](crate::network::Model). Out: a [`View`] of it, which draws it with any weight changed;
//! perturbations with their effects, strips, random directions, components of feature maps, and
//! what a sample of weights says about all of them. It does not know what a good picture is.

mod change;
mod directions;
mod pca;
mod sampling;
mod sweep;
mod view;

pub use change::Change;
pub use directions::{Direction, Directions, DirectionsRecord, directions, unit_vector};
pub(crate) use pca::pca;
pub use pca::{Component, Pca, PcaRecord, layer_pca};
pub use sampling::{Drawn, SampledShare, sampled_share};
pub use sweep::{Delta, Perturbation, Selection, WeightSweep, spread};
pub use view::{Painter, View};
