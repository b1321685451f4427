//! The page's files: all are embedded.

use super::client::studio;
use crate::said::assert_lacks;
use std::path::Path;

#[test]
fn every_file_of_the_page_is_embedded() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/studio");
    let embedded = std::fs::read_to_string(source.join("page.rs")).unwrap();
    let (_root, served) = studio();
    for entry in std::fs::read_dir(source.join("page")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(embedded.contains(&format!("\"{name}\"")), "{name}");
        // The table of words stands elsewhere.
        let words = include_str!("../../../assets/words.json").trim();
        let text = text.replace("const MEANINGS = {};", &format!("const MEANINGS = {words};"));
        assert_eq!(served.get(&format!("/{name}")).ok().text(), text);
    }
    // What the policy forbids, and what would load from elsewhere.
    let index = served.get("/").ok().text();
    assert!(index.contains("<script type=\"module\" src=\"main.js\"></script>"), "{index}");
    assert_lacks(&index, &["http://", "https://", "style=", "onclick"]);
}
