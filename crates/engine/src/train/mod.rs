//! From random weights to trained ones. In: a network, a mask, a target picture, a [`TrainConfig`].
//! Out: weights and a [`TrainReport`] that says why training ended. It knows nothing of files: an
//! observer is told each step.

mod config;
pub mod init;
pub mod optimizer;
pub(crate) mod penalty;
pub mod schedule;
mod trainer;

pub use config::{GOAL_EVERY, Plateau, TrainConfig};
pub use trainer::{
    Collapse, Constraint, LogLine, Problem, Reached, StopReason, TrainObserver, TrainReport,
    TrainState, Trainer, Unfinished,
};

pub use init::{Init, Scheme, init};
pub use optimizer::{GradientRule, Layout, Optimizer, OptimizerConfig, Step};
pub use penalty::Penalty;
pub use schedule::Schedule;
