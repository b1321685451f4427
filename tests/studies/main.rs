//! Run folders, studies, records and figures.

#[path = "../common/whole.rs"]
mod whole;

mod compare;
mod escaping;
mod figures;
mod ids;
mod prune_runs;
mod regime_map;
mod reports;
