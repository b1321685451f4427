//! Shared by the integration tests.
#![allow(dead_code)]

use std::path::PathBuf;

/// The reference data of other people (see the README's "Checking against other people's data"), or `None` with a word
/// about it: those tests are skipped where it is not present.
pub fn archive() -> Option<PathBuf> {
    match std::env::var_os("PICLOOM_ARCHIVE") {
        Some(path) => Some(PathBuf::from(path)),
        None => {
            eprintln!("skipped: PICLOOM_ARCHIVE not set");
            None
        }
    }
}
