//! The meaning of words and numbers: one table for the tooltips of reports, cards and the studio.

use std::collections::BTreeMap;
use std::sync::LazyLock;

/// The table as a JSON object: a key, and a sentence or two.
pub(crate) const WORDS: &str = include_str!("../../assets/words.json");

/// The meaning of a column's head or of a fact, looked up by its first word.
pub(super) fn meaning(head: &str) -> Option<&'static str> {
    static TABLE: LazyLock<BTreeMap<String, String>> =
        LazyLock::new(|| serde_json::from_str(WORDS).expect("a table of words"));
    let first = head.split([' ', '/', '[', ',']).next()?.to_lowercase().replace("r²", "r2");
    TABLE.get(&first).map(String::as_str)
}
