//! The engine of Picloom: from genomes to scores. The package `picloom` re-exports every room of it.
#![warn(missing_docs)]

#[doc(no_inline)]
pub use picloom_base as base;

pub mod evolve;
pub mod genome;
pub mod math;
pub mod network;
pub mod page;
pub mod probe;
pub mod prune;
pub mod score;
pub mod train;
