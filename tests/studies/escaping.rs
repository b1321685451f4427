//! Texts from files stay texts wherever they come out: in the report, every SVG, every table. (What the
//! terminal is sent: `tests/command/escaping.rs`.)

use crate::hostile::{COMMAND, EVIL, assert_harmless, assert_table, parse};

use picloom::base::table::Table;
use picloom::experiment::compare::compare;
use picloom::experiment::template::{Changes, Subject, Template};
use picloom::figures::compare::write_comparison;
use picloom::genome::{self, Genome, Role};
use picloom::study::record::{ROWS, Record};
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
#[ignore = "slow: cargo test -- --include-ignored"]
fn hostile_names_stay_text_in_a_comparison() {
    let changes = Changes {
        profile: Some("quick".into()),
        size: Some(12),
        steps: Some(20),
        own: "sample = 4".parse().unwrap(),
        ..Changes::default()
    };
    let subject = Subject::of_genome(genome(), Path::new(EVIL)).unwrap();
    assert_eq!(subject.title, EVIL);
    let single = Template::Compare.of(subject, &changes).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let mut found = compare(&single, folder.path(), &mut ()).unwrap();
    // A comparison's arms are its own; another spec could name them so.
    found.record.rows[0].arm = EVIL.into();
    found.networks[0].arm = EVIL.into();
    found.record.save(folder.path()).unwrap();
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
    let table = Table::read(&folder.path().join(ROWS)).unwrap();
    let csv = String::from_utf8(table.to_csv()).unwrap();
    assert_table(ROWS, &csv);
    assert!(csv.contains("\"'=1+1"), "{csv}");
}
