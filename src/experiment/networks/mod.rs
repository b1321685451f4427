//! Studies of networks (`kind = "networks"`): for every target, depth, way of training and seed a
//! chain of arms is trained, pruned, scored and measured.
//!
//! In: `experiments/NAME.toml` ([`NetworksSpec`]). Out: run folders, one cell file a chain, and
//! a record ([`NetworksRecord`]) with a row for every network, from which figures, tables and claims are read. What a row holds: [`record::NetworkRow`].

pub mod arm;
mod asked;
pub(crate) mod chain;
mod columns;
mod job;
pub mod plan;
pub mod record;
mod run;
pub mod source;
pub mod spec;
pub mod views;

pub use plan::NetworksStudy;
pub use record::{NetworkResult, NetworkRow, NetworksRecord, Scored};
pub use spec::{NetworksSpec, StudySettings};
