//! Every word and number of the gallery's figures, in the order in which they are written.
//!
//! `UPDATE_GOLDEN=1 cargo test --test studies figures` writes them anew. Pictures are not compared: what a
//! reader is told by a chart stands in its labels and ticks, and people look at the rest.

use crate::answers::words;
use std::fmt::Write;
use std::path::Path;

/// Holds the words of every figure to the golden ones.
pub(super) fn hold(figures: &[(&str, String)]) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/figures.txt");
    let mut found = String::new();
    for (name, svg) in figures {
        let _ = writeln!(found, "== {name} ==\n{}", words(svg).join("\n"));
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
