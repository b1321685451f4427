//! Run folders, studies, records, figures and claims.

#[path = "../common/whole.rs"]
mod whole;

mod compare;
mod escaping;
mod experiments;
mod figures;
mod prune_runs;
