//! Run folders, studies, records and figures.

#[path = "../common/hostile.rs"]
mod hostile;
#[path = "../common/repository.rs"]
mod repository;
#[path = "../common/whole.rs"]
mod whole;

mod compare;
mod escaping;
mod figures;
mod ids;
mod prune_runs;
mod regime_map;
mod reports;
