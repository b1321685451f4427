//! The shape of the tree: one-way arrows, file sizes, and pages that belong together.

use std::path::{Path, PathBuf};

/// The rooms in the order data flows through them.
const ROOMS: [&str; 12] = [
    "math",
    "genome",
    "evolve",
    "network",
    "train",
    "prune",
    "probe",
    "score",
    "experiment",
    "figures",
    "studio",
    "cli",
];

fn rust_files(folder: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

fn room_of(path: &Path) -> Option<usize> {
    let inside = path.strip_prefix(Path::new(env!("CARGO_MANIFEST_DIR")).join("src")).unwrap();
    let first = inside.components().next()?.as_os_str().to_str()?;
    ROOMS.iter().position(|room| *room == first)
}

#[test]
fn a_room_uses_only_itself_and_rooms_to_its_left() {
    let mut wrong = Vec::new();
    for path in rust_files("src") {
        let Some(room) = room_of(&path) else { continue };
        for (number, line) in std::fs::read_to_string(&path).unwrap().lines().enumerate() {
            // Links in documentation may point anywhere.
            if line.trim_start().starts_with("//") {
                continue;
            }
            for (other, name) in ROOMS.iter().enumerate().skip(room + 1) {
                if line.contains(&format!("crate::{name}::")) {
                    wrong.push(format!(
                        "{}:{} uses {name}, room {other} of {room}",
                        path.display(),
                        number + 1
                    ));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn files_can_be_read_in_one_sitting() {
    let mut sizes: Vec<(usize, PathBuf)> = rust_files("src")
        .into_iter()
        .map(|path| (std::fs::read_to_string(&path).unwrap().lines().count(), path))
        .collect();
    sizes.sort();
    let (largest, path) = sizes.last().unwrap();
    assert!(*largest <= 800, "{} has {largest} lines", path.display());
    let median = sizes[sizes.len() / 2].0;
    assert!(median < 300, "the median file has {median} lines");
}

#[test]
fn every_study_has_its_page() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("experiments");
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|e| e == "toml") {
            assert!(path.with_extension("md").exists(), "{} has no page", path.display());
        }
    }
}

#[test]
fn every_room_says_what_it_is() {
    for room in ROOMS {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("src/{room}/mod.rs"));
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.starts_with("//! ") && !text.contains("not opened yet"), "{room}");
    }
}
