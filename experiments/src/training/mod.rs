//! Training studies (`kind = "training"`): grids of optimizers, learning rates and seeds.
//!
//! In: `experiments/NAME.toml` ([`Training`]). Out: a run folder `RUNS/STUDY/RUN_ID` a cell, which goes on from its
//! checkpoint, and a [`TrainingRecord`] with a row a run, in the order target, wiring, grid, optimizer, learning rate,
//! seed. Two grids that ask for the same run get it once.

pub(crate) mod newton_schulz;
pub(crate) mod spec;
pub(crate) mod study;

pub(crate) use spec::RunRow;
pub(crate) use spec::{RowResult, Training, TrainingRecord};
