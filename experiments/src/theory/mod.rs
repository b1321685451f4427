//! The theory as a study, `experiments/theory.toml`: curves of the volume ratio over depth and width
//! ([`crate::volume`]) as cells, their record, and what it says of the claims.

pub mod findings;
pub mod record;
mod spec;
mod study;

pub use spec::{MethodsValue, Theory, TheoryRecord, TheoryStudy};
pub use study::TheoryCell;
