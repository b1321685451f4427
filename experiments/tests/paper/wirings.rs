//! Evolved weights, shaken and trained on; what may bias descent, measured on the way; C2 of such a record.

use crate::claims::{Ledger, StudySpec};
use crate::measures::{self, mechanisms::Mechanisms};
use crate::paper::repository::repository;
use crate::paper::root;
use picloom::experiment::networks::{NetworksRecord, NetworksStudy};
use picloom::study::Record;
use picloom::study::cells::run_cells;
use std::path::PathBuf;

const SPEC: &str = include_str!("../../../tests/specs/shaken.toml");

/// A repository of its own with this spec and its genomes.
fn wirings(spec: &str) -> (tempfile::TempDir, PathBuf) {
    measures::add();
    let genomes = ["genomes/bred_moth.json", "genomes/novelty_eye.json"];
    repository(root(), "wirings", spec, &genomes)
}

#[test]
fn shaken_weights_begin_where_they_should_and_c2_compares_where_both_have_been() {
    let (folder, path) = wirings(SPEC);
    let study = NetworksStudy::read(&path, None, folder.path()).unwrap();
    let record = run_cells(&study, folder.path(), &mut ()).unwrap().expect("nobody stopped it");
    assert_eq!(record.noisy(), [(0.0, "noise-0"), (0.4, "noise-40")]);
    let results = |arm: &'static str, target: &'static str| {
        let rows = record.rows.iter().filter(move |r| r.arm == arm && r.target == target);
        rows.map(|row| row.result.as_ref().unwrap_or_else(|| panic!("{row:?}")))
    };
    for target in ["moth", "eye"] {
        let evolved = results("evolved", target).next().unwrap();
        let felt = Mechanisms::of_record(&evolved.mechanisms);
        assert!(felt.loss < 1e-9 && felt.hessian_trace > 0.0 && felt.norm > 0.0, "{felt:?}");
        let first = |arm| -> Vec<f64> {
            results(arm, target).map(|r| r.train.as_ref().unwrap().first_loss.unwrap()).collect()
        };
        // Undisturbed it draws its picture; shaken, another one with each seed.
        assert!(first("noise-0").iter().all(|loss| *loss < 1e-9), "{:?}", first("noise-0"));
        let shaken = first("noise-40");
        assert!(shaken.iter().all(|loss| *loss > 1e-4) && shaken[0] != shaken[1], "{shaken:?}");
        for result in results("noise-40", target) {
            assert_eq!(result.kept, evolved.non_zero, "the evolved links, no other");
        }
    }
    let reached = record.rows.iter().flat_map(|r| r.result.iter().flat_map(|x| &x.reached));
    let reached: Vec<_> = reached.collect();
    assert!(!reached.is_empty() && reached.iter().all(|at| !at.mechanisms.is_empty()));

    // Read back, it is the same record, and the ledger decides C2 on it.
    let read = NetworksRecord::read(&folder.path().join("wirings")).unwrap();
    assert_eq!(read, record);
    let spec = StudySpec::read(&root().join("experiments/study.toml")).unwrap();
    let ledger = Ledger::of(&spec, folder.path()).unwrap();
    let claim = ledger.claims.iter().find(|claim| claim.text.id == "C2").unwrap();
    let bases: Vec<String> = claim.effects().map(|found| found.basis.to_string()).collect();
    assert_eq!(bases, ["end", "equal-fit"]);
    // No network need have learned its picture for the first effect: all pairs count.
    let first = claim.effects().next().unwrap();
    assert_eq!(first.units.iter().map(|unit| unit.count).sum::<usize>(), 4, "{first:?}");
    let beside = claim.decisions.iter().find(|one| one.contrast.id == "C2-noise").unwrap();
    assert!(beside.found.iter().any(|found| found.name == "evolved − noise-40"));
    assert!(claim.notes.iter().any(|note| note.starts_with("learned their picture by the end")));
}

#[test]
fn a_network_that_diverges_is_a_row() {
    let spec =
        SPEC.replace("[[targets]]\nname = \"eye\"\ngenome = \"genomes/novelty_eye.json\"\n", "");
    let spec = spec.replace("seeds = [0, 1]", "seeds = [0]");
    let wild = format!("{spec}[[variants]]\nname = \"wild\"\nlr = 1e30\n");
    let (folder, path) = wirings(&wild);
    let runs = folder.path().join("runs");
    let study = NetworksStudy::read(&path, None, &runs).unwrap();
    let record = run_cells(&study, &runs, &mut ()).unwrap().unwrap();
    let dense = |row: &&picloom::experiment::networks::NetworkRow| row.arm == "dense";
    let result = record.rows.iter().find(dense).unwrap().result.clone().unwrap();
    assert!(!result.fit && result.r2 < 0.0, "{result:?}");
    let text = record.text();
    assert_eq!(NetworksRecord::read(&runs.join("wirings")).unwrap().text(), text);
    // The cells' files read back too.
    assert_eq!(run_cells(&study, &runs, &mut ()).unwrap().unwrap().text(), text);
}
