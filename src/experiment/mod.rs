//! Studies: from a resolved config to runs, records and tables. In: specs and files. Out: run
//! folders and records. It does not draw.

mod run;
pub mod theory;

pub use run::{
    LoadedRun, Manifest, RunConfig, RunError, RunResult, Target, TrainJob, Wiring, finished,
    load_mask, load_run, load_target, resolve_wiring, train_run,
};
