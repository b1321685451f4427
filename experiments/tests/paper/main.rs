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
mod regime;
mod reports;
mod structural_study;
mod theory_study;
mod wirings;

use std::path::{Path, PathBuf};

/// The repository.
fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

/// A repository of its own with a spec of this name and copies of these files of ours.
fn repository(name: &str, spec: &str, files: &[&str]) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(format!("experiments/{name}.toml"));
    std::fs::create_dir(path.parent().unwrap()).unwrap();
    std::fs::write(&path, spec).unwrap();
    for file in files {
        std::fs::create_dir_all(folder.path().join(file).parent().unwrap()).unwrap();
        std::fs::copy(root().join(file), folder.path().join(file)).unwrap();
    }
    (folder, path)
}
