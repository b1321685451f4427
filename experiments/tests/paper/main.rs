//! The paper's studies, records, figures and claims.

#[allow(dead_code)]
#[path = "../../../tests/common/answers.rs"]
mod answers;
#[path = "../../../tests/common/genomes.rs"]
mod genomes;
#[path = "../../../tests/common/hostile.rs"]
mod hostile;
#[path = "../../../tests/common/oracle.rs"]
mod oracle;
#[path = "../../../tests/common/organised.rs"]
mod organised;
#[path = "../../../tests/common/repository.rs"]
mod repository;
#[path = "../../../tests/common/whole.rs"]
mod whole;

mod claims;
mod command;
mod escaping;
mod evolve_xor;
mod experiments;
mod figures_study;
mod judge;
mod judge_fit;
mod measures;
mod newton_schulz;
mod specs;
mod structural_study;
mod target_pictures;
mod theory_findings;
mod theory_study;
mod volume;
mod wirings;

use crate::figures::{Drawing, Sources, figure};
use answers::words;
use std::path::Path;

/// The repository.
fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

/// A figure of these records.
#[track_caller]
fn drawn(name: &str, sources: &Sources) -> Drawing {
    (figure(name).unwrap().draw)(sources).unwrap()
}
