//! The page that comes with the program. What it does is tested in a browser (`crates/web/test`).

use crate::line::Place;
use base64::Engine as _;
use picloom::site::{Engine, MODULES};
use std::collections::BTreeMap;

/// Addresses in a page's elements, without those inside of it.
fn addresses(page: &str) -> Vec<&str> {
    let begins = ["src=\"", "href=\""].into_iter().flat_map(|begin| page.split(begin).skip(1));
    let all = begins.filter_map(|rest| rest.split('"').next());
    all.filter(|address| !address.starts_with(['#', '$']) && !address.starts_with("data:"))
        .collect()
}

#[test]
fn the_page_is_one_file_with_its_engine_and_asks_nobody() {
    let place = Place::new();
    let said = place.json("page --out picloom.html");
    let page = place.text("picloom.html");
    assert!(page.len() <= 1_200_000 && said["bytes"] == page.len(), "{} bytes", page.len());
    assert_eq!(addresses(&page), [""; 0]);
    let engine = Engine::own();
    assert_eq!(said["engine"], engine.version());
    let number = |part: &str| part.parse::<u32>().is_ok();
    assert!(engine.version().split('.').all(number), "a version: {}", engine.version());
    let inside = format!("\"{}\"", base64::prelude::BASE64_STANDARD.encode(engine.gzip()));
    assert_eq!(page.matches(&inside).count(), 1);
    assert!(page.contains("const MEANINGS = {\n") && !page.contains("import {"));
}

#[test]
fn a_site_is_whole_and_is_written_over_itself_but_over_nothing_else() {
    let place = Place::new();
    for _ in 0..2 {
        place.done("page --out site");
        let index = place.text("site/index.html");
        for address in addresses(&index) {
            assert!(!place.bytes(&format!("site/{address}")).is_empty(), "{address}");
        }
        place.done("page --out alone.html");
        assert_eq!(place.text("site/picloom.html"), place.text("alone.html"));
        assert_eq!(place.bytes("site/picloom.wasm"), Engine::own().wasm());
    }
    place.write("mine/notes.txt", "mine");
    place.refused("page --out mine", 1, &["a new or empty folder", "(notes.txt)"]);
    assert_eq!(place.count("mine"), 1);
    place.write("folder.html/notes.txt", "mine");
    place.refused("page --out folder.html", 1, &["folder.html: cannot write"]);
    place.write("engine.wasm.gz", "text");
    let parts = ["engine.wasm.gz: expected an engine that crates/web/build wrote"];
    place.refused("page --engine engine.wasm.gz --out new", 2, &parts);
    assert_eq!(place.count("new"), 0);
}

/// The names that a line at the top of a module defines.
fn defined(line: &str) -> Vec<&str> {
    let line = line.strip_prefix("export ").unwrap_or(line);
    let line = line.strip_prefix("async ").unwrap_or(line);
    let begins = ["function* ", "function ", "class ", "const ", "let "];
    let Some(rest) = begins.iter().find_map(|begin| line.strip_prefix(begin)) else {
        return Vec::new();
    };
    match rest.strip_prefix('[') {
        Some(list) => list.split(']').next().unwrap().split(", ").collect(),
        None => {
            rest.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '$').take(1).collect()
        }
    }
}

#[test]
fn no_two_modules_of_the_page_define_the_same_name() {
    assert_eq!(defined("export const [a, b] = [1, 2];"), ["a", "b"]);
    assert_eq!(defined("async function $of(x) {"), ["$of"]);
    let mut homes = BTreeMap::new();
    for (module, text) in MODULES {
        for name in text.lines().flat_map(defined) {
            let home = *homes.entry(name).or_insert(module);
            assert_eq!(home, module, "{name} is defined in both");
        }
    }
    assert!(homes.len() > 200, "{}", homes.len());
}
