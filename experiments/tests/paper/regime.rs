//! The regime map: its spec runs at smoke size, the ledger and its figures are made of it.

use crate::root;
use picloom::experiment::networks::NetworksStudy;
use picloom::study::cells::run_cells;
use picloom_experiments::claims::{Ledger, StudySpec};
use picloom_experiments::figures::{Sources, figure};
use picloom_experiments::finding::Verdict;
use std::path::PathBuf;

fn spec() -> PathBuf {
    root().join("experiments/regime.toml")
}

#[test]
fn the_study_runs_at_smoke_size_and_the_ledger_and_the_figures_are_made_of_it() {
    let folder = tempfile::tempdir().unwrap();
    let study = NetworksStudy::read(&spec(), Some("smoke"), folder.path()).unwrap();
    let record = run_cells(&study, folder.path(), &mut ()).unwrap().expect("nobody stopped it");
    let failed: Vec<_> = record.rows.iter().filter_map(|row| row.error.as_ref()).collect();
    assert!(failed.is_empty(), "{failed:?}");
    assert!(record.rows.iter().any(|row| row.arm == "rewired" && row.level == 4));
    let kept = |target: &str, offset: i64, arm: &str, level: usize| {
        let mut rows = record.rows.iter();
        let row = rows.find(|row| {
            (row.target.as_str(), row.offset, row.arm.as_str(), row.level)
                == (target, offset, arm, level)
        });
        row.and_then(|row| row.result.as_ref()).map(|result| (result.kept, result.alive))
    };
    for row in record.rows.iter().filter(|row| row.arm == "sp" && row.level > 0) {
        let place = (row.target.as_str(), row.offset, row.level);
        let of = |arm: &str| kept(place.0, place.1, arm, place.2);
        let (sp, random, rewired) = (of("sp"), of("layer-counts"), of("rewired"));
        assert_eq!(sp, rewired, "{place:?}: every one alive");
        assert!(sp.is_some_and(|(kept, alive)| kept == alive), "{place:?} {sp:?}");
        assert_eq!(random.map(|r| r.0), sp.map(|s| s.0), "{place:?}");
    }

    // One seed of half-trained networks decides nothing, and says so on every basis.
    let study = StudySpec::read(&root().join("experiments/study.toml")).unwrap();
    let ledger = Ledger::of(&study, folder.path()).unwrap();
    let claim = |id: &str| ledger.claims.iter().find(|claim| claim.text.id == id).unwrap();
    for (id, effects) in [("C3", 5), ("C4", 2), ("C5", 1), ("C9", 2)] {
        assert_eq!(claim(id).effects().count(), effects, "{id}");
        assert_eq!(claim(id).study.as_deref(), Some("regime"));
        assert_ne!(claim(id).verdict, Verdict::Supported, "{id}");
    }
    // C4 also of SP's readings, on the one target that has them.
    let readings = claim("C4").decisions.iter().filter(|d| d.contrast.id.starts_with("C4-sp"));
    let readings: Vec<_> = readings.collect();
    assert_eq!(readings.len(), 5);
    for found in readings.iter().flat_map(|decision| &decision.found) {
        assert!(found.units.len() + found.without.len() <= 1, "{found:?}");
    }
    let page = ledger.to_markdown();
    assert!(page.contains("at equal fit"), "{page}");
    assert!(claim("C6").notes[0].contains("only where C5 is supported"));

    let drawn = figure("regime-map").unwrap();
    let drawing = (drawn.draw)(&Sources::new(folder.path())).unwrap();
    assert!(drawing.svg.contains("moth") && drawing.svg.contains("hidden layers"));
}
