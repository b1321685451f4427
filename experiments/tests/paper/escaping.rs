//! Texts from files stay texts in every figure, every table and the report of the study.

use crate::claims::Ledger;
use crate::figures::report::study_report;
use crate::figures::{DrawError, FIGURES, Sources};
use crate::paper::figures_study::records;
use crate::paper::hostile::{COMMAND, EVIL, assert_harmless, assert_table, parse};
use crate::paper::root;
use picloom::experiment::networks::NetworksRecord;
use picloom::figures::Provenance;
use picloom::figures::files::with_metadata;
use picloom::study::Record;

#[test]
fn hostile_names_stay_text_in_figures_tables_and_the_report_of_a_study() {
    let folder = tempfile::tempdir().unwrap();
    // A target, an arm, the question and the profile of every record.
    let evil = serde_json::to_string(EVIL).unwrap();
    records::study(folder.path(), |record| {
        let text = serde_json::to_string(&record).unwrap();
        let text = text.replace("\"moth\"", &evil).replace("\"wanda\"", &evil);
        *record = serde_json::from_str(&text).unwrap();
        (record.question, record.profile) = (EVIL.into(), EVIL.into());
    });
    for study in ["wirings", "depth", "pruning", "controls"] {
        let record = NetworksRecord::read(&folder.path().join(study)).unwrap();
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
            // A name that is too long for the figure is no name for it.
            Err(error)
                if ["every text is whole", "shorter texts"]
                    .iter()
                    .any(|said| error.to_string().contains(said)) => {}
            Err(error) => panic!("{}: {error}", figure.name),
        }
    }
    assert!(drawn > 9, "{drawn}");
    let html = study_report(folder.path(), COMMAND);
    assert_harmless("report", &html);
    assert!(html.contains("&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;"));
}
