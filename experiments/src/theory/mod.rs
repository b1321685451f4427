//! The theory study: curves of the volume ratio over depth and width ([`crate::volume`]) as
//! cells, their record, and what it says of the claims.

pub mod findings;
pub mod record;
pub mod study;
