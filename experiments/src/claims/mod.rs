//! The claims ledger (METHODS §10): which published claims our own records support.
//!
//! In: the rules of `experiments/study.toml`, written before the runs, and records. Out: a
//! [`Ledger`] with a row a claim: statistic, effects with intervals, controls, verdict. A claim our
//! runs do not support is a result. A new claim is a row of [`verdicts::CLAIMS`] and its text in the
//! spec; a test holds them together.

pub mod effects;
pub mod ledger;
pub mod verdicts;

pub use effects::{Effect, Group};
pub use ledger::{ClaimRow, Ledger, Records, StudySpec};
pub use verdicts::trained_points;

use picloom::experiment::networks::spec::BASE;
