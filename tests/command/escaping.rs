//! Text from files never gives orders to the terminal, whichever command prints it.

use crate::line::Place;
use crate::said::{assert_lacks, assert_says};

const EVIL: &str = "</p><script>\u{1b}[31m\u{9b}2J\u{7}\u{202e}=1+1";

#[test]
fn a_terminal_is_not_sent_the_orders_that_names_in_files_hold() {
    let place = Place::with(&["genomes/bred_moth.json"]);
    let mut genome = place.record("bred_moth.json");
    genome["provenance"]["name"] = EVIL.into();
    genome["provenance"]["made_by"] = EVIL.into();
    genome["nodes"].as_array_mut().unwrap().last_mut().unwrap()["labels"] =
        serde_json::json!([EVIL]);
    place.write("evil.json", genome.to_string());
    // TOML knows JSON's escapes, but not as many raw characters.
    let question: String = EVIL.chars().map(|c| format!("\\U{:08X}", c as u32)).collect();
    let spec = format!("kind = \"networks\"\nname = \"a\"\nquestion = \"{question}\"\n");
    place.write("specs/a.toml", spec);
    for (line, code) in [
        ("genome info evil.json", 0),
        ("genome info evil.json --json", 0),
        ("experiment list specs", 0),
        ("experiment list specs --json", 0),
        (&format!("genome info {EVIL}"), 1),
    ] {
        let said = place.says(line, code);
        let said = said.out + &said.error;
        // The name is shown.
        assert_says(&said, &["<script>"]);
        assert_lacks(&said, &["\u{1b}", "\u{9b}", "\u{7}", "\u{202e}"]);
    }
}
