//! Run folders, studies, records, figures and claims.

#[path = "../common/whole.rs"]
mod whole;

mod claims;
mod compare;
mod escaping;
mod evolve_reevolution;
mod experiments;
mod figures;
mod figures_study;
mod ids;
mod prune_runs;
mod regime;
mod reports;
mod structural_study;
mod theory_study;
mod wirings;
