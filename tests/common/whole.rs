//! Is a file what its name says, from beginning to end?

use picloom::network::Picture;
use std::path::Path;

/// Reads the file by its extension: pictures are decoded, charts and records parsed, anything else must not be
/// empty.
///
/// # Panics
/// If it is missing, cut off, or of another kind.
#[track_caller]
pub(crate) fn assert_whole(path: &Path) {
    let name = path.display();
    let bytes = std::fs::read(path).unwrap_or_else(|e| panic!("{name}: {e}"));
    let text = || std::str::from_utf8(&bytes).unwrap_or_else(|e| panic!("{name}: {e}"));
    let json = |text: &str| {
        serde_json::from_str::<serde_json::Value>(text).unwrap_or_else(|e| panic!("{name}: {e}"))
    };
    match path.extension().and_then(|e| e.to_str()) {
        Some("png") => {
            let picture = Picture::read(path).unwrap_or_else(|e| panic!("{e}"));
            assert!(picture.pixels() > 1, "{name} has no pixels");
        }
        Some("svg") => {
            let tree = roxmltree::Document::parse(text()).unwrap_or_else(|e| panic!("{name}: {e}"));
            assert_eq!(tree.root_element().tag_name().name(), "svg", "{name}");
            let drawn = tree.root_element().descendants().filter(|node| node.is_element()).count();
            assert!(drawn > 4, "{name} has {drawn} elements");
        }
        Some("json") => assert!(!json(text()).is_null(), "{name} holds nothing"),
        Some("jsonl") => {
            let lines: Vec<_> = text().lines().map(json).collect();
            assert!(!lines.is_empty(), "{name} has no lines");
        }
        Some("toml") => {
            let table: toml::Table = text().parse().unwrap_or_else(|e| panic!("{name}: {e}"));
            assert!(!table.is_empty(), "{name} holds nothing");
        }
        Some("html") => assert!(text().trim_end().ends_with("</html>"), "{name} is cut off"),
        _ => assert!(!bytes.is_empty(), "{name} is empty"),
    }
}
