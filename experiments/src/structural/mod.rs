//! Structural compositionality as a study: `experiments/structural.toml`. For pictures with known
//! parts: train a dense network, prune it by magnitude and by similarity to the same count, and ask
//! of each (and of evolved networks) whether every part has a subnetwork of its own.
//!
//! A cell is one (target, seed) with all its trained arms, whose trainings are run folders in the
//! cell's work folder; or the evolved network of a target.

pub(crate) mod findings;
pub(crate) mod record;
pub(crate) mod spec;
pub(crate) mod study;

pub(crate) use record::arm_at;
pub(crate) use record::{ArmOutcome, PartOutcome, arm, penalties};
pub(crate) use spec::{Structural, StructuralRecord};
