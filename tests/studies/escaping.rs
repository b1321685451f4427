//! Texts from files stay texts wherever they come out: in the report, every SVG, every table. (What the
//! terminal is sent: `tests/command/escaping.rs`.)

use crate::hostile::{COMMAND, EVIL, assert_harmless, assert_table, parse};
use picloom::experiment::compare::{CompareConfig, Profile, compare};
use picloom::figures::compare::write_comparison;
use picloom::genome::{self, Genome, Role};
use std::path::Path;

/// The moth with hostile names.
fn genome() -> Genome {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("genomes/bred_moth.json");
    let mut json: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    json["provenance"]["name"] = EVIL.into();
    json["provenance"]["made_by"] = EVIL.into();
    let hidden = json["nodes"].as_array_mut().unwrap().last_mut().unwrap();
    hidden["labels"] = serde_json::json!([EVIL]);
    let genome = genome::from_json(&json.to_string()).unwrap();
    assert!(genome.nodes().any(|node| node.role == Role::Hidden && !node.labels.is_empty()));
    genome
}

#[test]
fn hostile_names_stay_text_in_a_comparison() {
    let quick = CompareConfig::of(Profile::Quick);
    let config = CompareConfig { size: 12, steps: 20, sample: Some(4), ..quick };
    let folder = tempfile::tempdir().unwrap();
    let mut found = compare(&genome(), EVIL, &config, folder.path(), &mut ()).unwrap();
    assert_eq!(found.name, EVIL);
    // A comparison's arms are its own; another spec could name them so.
    found.record.arms[0].arm = EVIL.into();
    write_comparison(&found, folder.path(), COMMAND).unwrap();
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    let html = read("report.html");
    assert_harmless("report.html", &html);
    assert!(html.contains("&lt;script&gt;"), "the name is there, as text");
    for name in ["comparison.svg", "losses.svg"] {
        parse(name, &read(name));
    }
    let mut drawings = html.as_str();
    let mut count = 0;
    while let Some(begin) = drawings.find("<svg") {
        let end = begin + drawings[begin..].find("</svg>").unwrap() + 6;
        parse("a figure of the report", &drawings[begin..end]);
        (drawings, count) = (&drawings[end..], count + 1);
    }
    assert!(count > 3, "{count}");
    assert_table("scores.csv", &read("scores.csv"));
    assert!(read("scores.csv").contains("\"'=1+1"));
}
