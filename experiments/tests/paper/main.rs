//! The paper's studies, records, figures and claims.

#[path = "../../../tests/common/whole.rs"]
mod whole;

mod claims;
mod command;
mod escaping;
mod evolve_reevolution;
mod evolve_xor;
mod experiments;
mod figures_study;
mod judge;
mod regime;
mod reports;
mod structural_study;
mod theory_study;
mod wirings;
