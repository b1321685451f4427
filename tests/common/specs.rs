//! Specs of networks studies in a folder as the repository is.

use picloom::experiment::networks::NetworksStudy;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A folder with the spec, and copies of the genomes that it names where the repository has them; the spec's path.
pub(crate) fn in_repository(spec: &str) -> (TempDir, PathBuf) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let named = spec.split('"').filter(|word| word.starts_with("genomes/"));
    let there: Vec<&str> = named.filter(|word| root.join(word).exists()).collect();
    let (folder, path) = super::repository::repository(root, "study", spec, &there);
    std::fs::create_dir_all(folder.path().join("genomes")).unwrap();
    (folder, path)
}

/// The study of a spec in such a folder.
pub(crate) fn read(path: &Path, profile: Option<&str>) -> NetworksStudy {
    NetworksStudy::read(path, profile, Path::new("nowhere")).unwrap()
}
