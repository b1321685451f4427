//! Run folders, studies, records and figures.

#[path = "../common/whole.rs"]
mod whole;

mod compare;
mod escaping;
mod experiments;
mod figures;
mod ids;
mod prune_runs;
