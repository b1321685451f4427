//! The paper's studies, records, figures and claims.

#[path = "../../../tests/common/answers.rs"]
mod answers;
#[path = "../../../tests/common/genomes.rs"]
mod genomes;
#[path = "../../../tests/common/hostile.rs"]
mod hostile;
#[allow(dead_code, reason = "the command of the paper does less")]
#[path = "../../../tests/common/line.rs"]
mod line;
#[path = "../../../tests/common/oracle.rs"]
mod oracle;
#[path = "../../../tests/common/organised.rs"]
mod organised;
#[path = "../../../tests/common/repository.rs"]
mod repository;
#[path = "../../../tests/common/said.rs"]
mod said;
#[path = "../../../tests/common/svg.rs"]
mod svg;
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
use std::path::Path;
use std::sync::LazyLock;
use svg::words;

pub(crate) const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// The program, beside this test: `cargo test` builds it for the tests of the archive.
pub(crate) fn program() -> &'static str {
    static PROGRAM: LazyLock<String> = LazyLock::new(|| {
        let test = std::env::current_exe().unwrap();
        let built = test.parent().and_then(Path::parent).unwrap();
        built.join("picloom-experiments").display().to_string()
    });
    &PROGRAM
}

/// The repository.
fn root() -> &'static Path {
    Path::new(ROOT)
}

/// A figure of these records.
#[track_caller]
fn drawn(name: &str, sources: &Sources) -> Drawing {
    (figure(name).unwrap().draw)(sources).unwrap()
}
