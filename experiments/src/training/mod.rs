//! Training studies (`kind = "training"`): grids of optimizers, learning rates and seeds.
//!
//! In: `experiments/NAME.toml` ([`Training`]). Out: a run folder `RUNS/STUDY/RUN_ID` a cell, which goes on from its
//! checkpoint, and a [`TrainingRecord`] with a row a run, in the order target, wiring, grid, optimizer, learning rate,
//! seed. Two grids that ask for the same run get it once.

pub mod newton_schulz;
mod spec;
mod study;

pub(crate) use spec::RunRow;
pub use spec::{Optimizers, RowResult, RunKey, Training, TrainingRecord, TrainingStudy};
pub use study::Run;
