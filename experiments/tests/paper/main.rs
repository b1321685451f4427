//! The paper's studies, records, figures and claims.

#[allow(dead_code)]
#[path = "../../../tests/common/answers.rs"]
mod answers;
#[path = "../../../tests/common/hostile.rs"]
mod hostile;
#[path = "../../../tests/common/oracle.rs"]
mod oracle;
#[path = "../../../tests/common/organised.rs"]
mod organised;
#[path = "../../../tests/common/refusals.rs"]
mod refusals;
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
mod reports;
mod structural_study;
mod theory_findings;
mod theory_study;
mod verdicts;
mod volume;
mod wirings;

use picloom_experiments::figures::{Drawing, Sources, figure};
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

/// Every text of an SVG, in order.
fn words(svg: &str) -> Vec<String> {
    let document = roxmltree::Document::parse(svg).unwrap();
    let texts = document.descendants().filter(|node| node.tag_name().name() == "text");
    texts.filter_map(|node| node.text()).map(String::from).collect()
}
