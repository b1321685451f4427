//! The parser named by the environment variable PARSER, under libFuzzer.
#![no_main]

use picloom_fuzz::{TARGETS, Target};
use std::sync::LazyLock;

static CHOSEN: LazyLock<&Target> = LazyLock::new(|| {
    let name = std::env::var("PARSER").expect("PARSER names one of the parsers");
    TARGETS.iter().find(|t| t.name == name).expect("PARSER names one of the parsers")
});

libfuzzer_sys::fuzz_target!(|data: &[u8]| (CHOSEN.feed)(data));
