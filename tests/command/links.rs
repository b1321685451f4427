//! Every local link and picture of the documentation leads somewhere.

use std::path::{Path, PathBuf};

/// The pages: README.md, and those of docs/, experiments/ and figures/.
fn pages() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut pages = vec![root.join("README.md"), root.join("ARCHITECTURE.md")];
    for folder in ["docs", "experiments", "figures"] {
        let entries = std::fs::read_dir(root.join(folder)).unwrap();
        let paths = entries.map(|entry| entry.unwrap().path());
        pages.extend(paths.filter(|path| path.extension().is_some_and(|e| e == "md")));
    }
    pages.sort();
    pages
}

/// The targets of `[words](target)` and `![words](target)`.
fn targets(text: &str) -> Vec<&str> {
    let after = text.split("](").skip(1);
    after.filter_map(|rest| rest.split_once(')')).map(|(target, _)| target).collect()
}

#[test]
fn every_local_link_and_picture_of_the_pages_is_there() {
    let mut checked = 0;
    for page in pages() {
        let text = std::fs::read_to_string(&page).unwrap();
        for target in targets(&text) {
            let file = target.split('#').next().unwrap();
            if file.is_empty() || file.contains("://") {
                continue;
            }
            let path = page.parent().unwrap().join(file);
            assert!(path.exists(), "{}: {target} leads nowhere", page.display());
            checked += 1;
        }
    }
    assert!(checked > 0);
}
