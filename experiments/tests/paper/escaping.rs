//! Texts from files stay texts in every figure, every table and the report of the study.

use crate::figures_study::records::{self, Odd};
use crate::root;
use picloom::experiment::Record;
use picloom::experiment::networks::NetworksRecord;
use picloom::figures::Provenance;
use picloom::figures::files::with_metadata;
use picloom_experiments::claims::Ledger;
use picloom_experiments::figures::report::study_report;
use picloom_experiments::figures::{DrawError, FIGURES, Sources};

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
    let mut ledger = Ledger::read(&root().join("figures/claims.json")).unwrap();
    for claim in &mut ledger.claims {
        claim.text.says = EVIL.into();
        claim.notes.insert(0, EVIL.into());
        for found in claim.decisions.iter_mut().flat_map(|decision| &mut decision.found) {
            found.name = EVIL.into();
        }
        for one in &mut claim.findings {
            one.finding.statistic = EVIL.into();
        }
    }
    std::fs::write(folder.path().join("claims.json"), ledger.to_json()).unwrap();
    let sources = Sources::new(folder.path());
    let mut drawn = 0;
    for figure in FIGURES.iter() {
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
