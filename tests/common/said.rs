//! Texts, and what they must say.

/// The text has each of these parts.
#[track_caller]
pub(crate) fn assert_says(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "{part} is not in {text}");
    }
}

/// The text has none of these parts.
#[allow(dead_code, reason = "not every target looks for what is not there")]
#[track_caller]
pub(crate) fn assert_lacks(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(!text.contains(part), "{part} is in {text}");
    }
}
