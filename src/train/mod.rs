//! Room `train` (not opened yet).

pub mod init;
pub mod optimizer;
pub mod schedule;

pub use init::{Init, InitError, Scheme, init};
pub use optimizer::{GradientRule, Layout, Optimizer, OptimizerConfig, Step};
pub use schedule::Schedule;
