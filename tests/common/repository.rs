//! A folder as the repository is: specs in `experiments`, what they name beside it.

use std::path::{Path, PathBuf};

/// A folder with `experiments/NAME.toml`, and copies of these files of the repository at `root`; the path of the spec.
pub(crate) fn repository(
    root: &Path,
    name: &str,
    spec: &str,
    files: &[&str],
) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(format!("experiments/{name}.toml"));
    std::fs::create_dir(path.parent().unwrap()).unwrap();
    std::fs::write(&path, spec).unwrap();
    for file in files {
        std::fs::create_dir_all(folder.path().join(file).parent().unwrap()).unwrap();
        std::fs::copy(root.join(file), folder.path().join(file)).unwrap();
    }
    (folder, path)
}
