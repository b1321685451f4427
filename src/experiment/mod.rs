//! Studies: from a resolved config to runs, records and tables. In: specs and files. Out: run
//! folders and records. It does not draw.

pub mod analysis;
pub mod bench;
pub mod cells;
pub mod compare;
pub mod compare_runs;
pub mod contrast;
pub mod cost;
pub mod curve;
pub mod depth;
pub mod depth_sweep;
pub mod evolution;
pub mod finding;
pub mod folder;
mod kept_sweep;
pub mod kinds;
pub mod lease;
pub mod networks;
pub mod plan;
mod pruning;
pub mod record;
pub mod regime;
mod run;
pub mod single;
pub mod spec;
pub mod table;
pub mod targets;
pub mod whole;
pub mod workers;

pub use kept_sweep::{kept_sweep, kept_sweep_until};
pub use networks::NetworkRow;
pub use pruning::{PruneParent, PruneRunError, prune_into, prune_run, round_folder};
pub use record::Record;
pub use run::{
    Kept, LoadedRun, Manifest, PrunedFrom, RunConfig, RunError, RunResult, Source, Target,
    TrainJob, Wanted, finished, is_genome_file, load_checkpoint, load_mask, load_run, load_target,
    mask_from_json, read_metrics, read_train_config, train_run,
};
