//! Texts from files stay texts wherever they come out: in both reports, every SVG, every table. (What the
//! terminal is sent: `tests/command/escaping.rs`.)

use crate::figures_study::records::{self, Odd};
use picloom::experiment::Record;
use picloom::experiment::claims::Ledger;
use picloom::experiment::compare::{CompareConfig, Profile, compare};
use picloom::experiment::networks::NetworksRecord;
use picloom::figures::compare::write_comparison;
use picloom::figures::files::with_metadata;
use picloom::figures::study::{DrawError, FIGURES, Sources};
use picloom::figures::{Provenance, study_report};
use picloom::genome::{self, Genome, Role};
use std::path::Path;

/// Markup, quotes, the end of a CDATA section, orders to a terminal, a turn of the writing.
const EVIL: &str =
    "=1+1</text><script>alert(\"1\")</script>]]>'\u{1b}[31m\u{9b}2J\u{7}\u{202e}&amp;";
/// A command that holds it, as a shell would be given it.
const COMMAND: &str = "picloom compare '=1+1</code><script>alert(1)</script>]]>\u{1b}[31m.json'";

fn assert_harmless(what: &str, text: &str) {
    for bad in ["<script", "alert(\"1", "</script", "\u{1b}", "\u{9b}", "\u{7}", "\u{202e}"] {
        assert!(!text.contains(bad), "{what}: {bad:?}");
    }
}

/// No cell that a spreadsheet would compute, and none that breaks the table.
fn assert_table(what: &str, csv: &str) {
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let rows: Vec<csv::StringRecord> = reader.records().map(|row| row.unwrap()).collect();
    assert!(!rows.is_empty(), "{what}");
    for cell in rows.iter().flatten() {
        let formula = cell.starts_with(['=', '+', '-', '@', '\t', '\r']);
        assert!(!formula || cell.parse::<f64>().is_ok(), "{what}: {cell:?}");
    }
}

fn parse(what: &str, svg: &str) {
    roxmltree::Document::parse(svg).unwrap_or_else(|e| panic!("{what}: {e}"));
    assert_harmless(what, svg);
}

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

#[test]
fn hostile_names_stay_text_in_figures_tables_and_the_report_of_a_study() {
    let folder = tempfile::tempdir().unwrap();
    let targets = ["moth", "letter_a", "bowl", "eye"];
    records::study(folder.path(), &targets, 4, |_| Odd::No);
    // A target, an arm, the question and the profile of every record.
    let evil = serde_json::to_string(EVIL).unwrap();
    for study in ["wirings", "depth", "pruning", "out_of_domain", "controls"] {
        let path = folder.path().join(study);
        let record = NetworksRecord::read(&path).unwrap();
        let text = serde_json::to_string(&record).unwrap();
        let text = text
            .replace("\"moth\"", &evil)
            .replace("\"a-new-method\"", &evil)
            .replace("\"What?\"", &evil)
            .replace("\"made-up\"", &evil);
        let record: NetworksRecord = serde_json::from_str(&text).unwrap();
        record.save(&path).unwrap();
        assert_eq!(NetworksRecord::read(&path).unwrap().text(), record.text());
        let csv = String::from_utf8(record.parts().1.to_csv()).unwrap();
        assert!(record.targets().contains(&EVIL) && record.question == EVIL);
        assert_table(study, &csv);
        assert!(csv.contains("'=1+1"));
    }
    let mut ledger: Ledger =
        Ledger::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("figures/claims.json")).unwrap();
    for claim in &mut ledger.claims {
        claim.text.says = EVIL.into();
        claim.notes.insert(0, EVIL.into());
        for effect in &mut claim.effects {
            effect.name = EVIL.into();
        }
    }
    std::fs::write(folder.path().join("claims.json"), ledger.to_json()).unwrap();
    let sources = Sources::new(folder.path());
    let mut drawn = 0;
    for figure in FIGURES {
        match (figure.draw)(&sources) {
            Ok(drawing) => {
                let facts = Provenance::none().with("profile", sources.profile(figure));
                parse(figure.name, &with_metadata(&drawing.svg, &facts));
                drawn += 1;
            }
            Err(DrawError::Missing { .. }) => {}
            Err(error) => panic!("{}: {error}", figure.name),
        }
    }
    assert!(drawn > 18, "{drawn}");
    let html = study_report(folder.path(), COMMAND);
    assert_harmless("report", &html);
    assert!(html.contains("&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;"));
}
