//! Studies of networks, those of one picture among them, searches that are kept, and benchmarks. In: specs and files.
//! Out: run folders and records. It does not draw.

pub mod bench;
pub mod changes;
pub mod compare;
pub mod cost;
pub mod curve;
pub mod depth;
pub mod distil;
pub mod evolution;
pub mod kinds;
pub mod networks;
mod pruning;
pub mod target_spec;
pub mod template;
mod watched;

pub use networks::NetworkRow;
pub use pruning::{PruneParent, PruneRunError, prune_run};
pub(crate) use pruning::{prune_into, round_folder};
pub use watched::Watched;
