//! The contents of a folder, to compare with another's or with earlier ones.

use std::collections::BTreeMap;
use std::path::Path;

/// Every file below a folder: its path in it, and its bytes.
pub(crate) fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let (mut found, mut open) = (BTreeMap::new(), vec![folder.to_path_buf()]);
    while let Some(next) = open.pop() {
        for entry in std::fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else {
                let name = path.strip_prefix(folder).unwrap().display().to_string();
                found.insert(name, std::fs::read(&path).unwrap());
            }
        }
    }
    found
}

/// Both folders hold the same files with the same bytes.
#[track_caller]
pub(crate) fn assert_same_files(a: &Path, b: &Path, what: &str) {
    let (a, b) = (files(a), files(b));
    assert_eq!(a.keys().collect::<Vec<_>>(), b.keys().collect::<Vec<_>>(), "{what}");
    for (name, bytes) in &a {
        let first = bytes.iter().zip(&b[name]).position(|(x, y)| x != y);
        assert!(bytes == &b[name], "{what}: {name} differs first at {first:?}");
    }
}
