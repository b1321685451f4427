#![warn(missing_docs)]
//! Picloom.

// The rooms, in the order data flows through them (ARCHITECTURE.md). A room may use itself and
// rooms above it here; `tests/tidy.rs` enforces the arrow.
pub mod cli;
pub mod evolve;
pub mod experiment;
pub mod figures;
pub mod genome;
pub mod math;
pub mod network;
pub mod probe;
pub mod prune;
pub mod score;
pub mod studio;
pub mod train;
