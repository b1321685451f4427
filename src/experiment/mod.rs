//! Studies: from a resolved config to runs, records and tables. In: specs and files. Out: run
//! folders and records. It does not draw.

pub mod analysis;
pub mod bench;
pub mod cells;
pub mod changes;
pub mod compare;
pub mod contrast;
pub mod cost;
pub mod curve;
pub mod depth;
pub mod distil;
pub mod emit;
pub mod evolution;
pub mod grid;
pub mod kinds;
pub mod lease;
pub mod networks;
mod pruning;
pub mod record;
pub mod shard;
pub mod spec;
pub mod table;
pub mod targets;
pub mod template;
pub mod whole;
pub mod workers;

pub use networks::NetworkRow;
pub use pruning::{PruneParent, PruneRunError, prune_into, prune_run, round_folder};
pub use record::Record;
