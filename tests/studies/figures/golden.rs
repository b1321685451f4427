//! Every word and number of the gallery's figures, in the order in which they are written.
//!
//! `UPDATE_GOLDEN=1 cargo test --test studies figures` writes them anew. Pictures are not compared: what a
//! reader is told by a chart stands in its labels and ticks, and people look at the rest.

use std::fmt::Write;
use std::path::Path;

/// The text nodes of an SVG, a line each.
fn words(svg: &str) -> String {
    let tree = roxmltree::Document::parse(svg).unwrap();
    let nodes = tree.descendants().filter(|node| node.has_tag_name("text"));
    nodes.fold(String::new(), |all, node| all + node.text().unwrap_or_default() + "\n")
}

/// Holds the words of every figure to the golden ones.
pub(super) fn hold(figures: &[(&str, String)]) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/figures.txt");
    let mut found = String::new();
    // Pictures of other people's genomes are drawn where these are, but not kept.
    for (name, svg) in figures.iter().filter(|(name, _)| !name.starts_with("skull")) {
        let _ = write!(found, "== {name} ==\n{}", words(svg));
    }
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&file, &found).unwrap();
    }
    let golden = std::fs::read_to_string(&file).unwrap();
    for (at, (new, old)) in (1..).zip(found.lines().zip(golden.lines())) {
        assert_eq!(new, old, "{}:{at} (UPDATE_GOLDEN=1 takes it as it is)", file.display());
    }
    assert_eq!(found.lines().count(), golden.lines().count(), "{}", file.display());
}
