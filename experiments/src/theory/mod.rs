//! The theory as a study, `experiments/theory.toml`: curves of the volume ratio over depth and width
//! ([`crate::volume`]) as cells, their record, and what it says of the claims.

pub(crate) mod findings;
pub(crate) mod record;
mod spec;
mod study;

pub(crate) use spec::{Theory, TheoryRecord};
