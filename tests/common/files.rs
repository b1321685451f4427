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

/// The same without wall times: no manifest, and of each line of a log what stands before its seconds.
#[allow(dead_code, reason = "not every target reads logs")]
pub(crate) fn timeless(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = files(folder);
    found.retain(|name, _| !name.ends_with("manifest.json"));
    for (_, bytes) in found.iter_mut().filter(|(name, _)| name.ends_with("metrics.jsonl")) {
        let lines = str::from_utf8(bytes).unwrap().lines();
        let timeless = lines.map(|line| line.split(",\"seconds\"").next().unwrap());
        *bytes = timeless.collect::<Vec<_>>().join("\n").into();
    }
    found
}

/// Both folders hold the same files with the same bytes.
#[track_caller]
pub(crate) fn assert_same_files(a: &Path, b: &Path, what: &str) {
    assert_same(&files(a), &files(b), what);
}

/// The same files with the same bytes.
#[track_caller]
pub(crate) fn assert_same(
    a: &BTreeMap<String, Vec<u8>>,
    b: &BTreeMap<String, Vec<u8>>,
    what: &str,
) {
    assert_eq!(a.keys().collect::<Vec<_>>(), b.keys().collect::<Vec<_>>(), "{what}");
    for (name, bytes) in a {
        let first = bytes.iter().zip(&b[name]).position(|(x, y)| x != y);
        assert!(bytes == &b[name], "{what}: {name} differs first at {first:?}");
    }
}
