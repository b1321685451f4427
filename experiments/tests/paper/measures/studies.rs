//! Studies that ask for the measures, and the columns of their tables.

use crate::kinds;
use crate::measures::{self, ALL};
use crate::paper::answers::hold_generated;
use crate::paper::repository::repository;
use crate::paper::root;
use picloom::experiment::networks::{NetworksRecord, NetworksStudy};
use picloom::study::Record;
use picloom::study::cells::run_cells;
use std::collections::BTreeMap;
use std::fmt::Write as _;

const RELATED: &str = include_str!("../../../../tests/specs/related.toml");

/// How the first network of a study is organised.
fn organised(spec: &str) -> (BTreeMap<String, f64>, String) {
    measures::add();
    let genomes = ["genomes/mask.json", "genomes/bred_lamp.json"];
    let (folder, path) = repository(root(), "small", spec, &genomes);
    let study = NetworksStudy::read(&path, None, folder.path()).unwrap();
    let record = run_cells(&study, folder.path(), &mut ()).unwrap().expect("nobody stopped it");
    let row = &record.rows[0];
    let result = row.result.as_ref().unwrap_or_else(|| panic!("{:?}", row.error));
    (result.organisation.clone(), study.chains[0].key.sha256.clone())
}

#[test]
fn edits_lead_to_the_relatives_that_a_target_names() {
    let (found, drawn) = organised(RELATED);
    let (less_chance, reached) = (found["relative_edits"], found["relatives_reached"]);
    assert!((0.0..=1.0).contains(&reached) && less_chance <= reached, "{less_chance} {reached}");
    for key in ["locality", "completeness", "disentanglement", "disentanglement_shuffled"] {
        assert!(found.contains_key(key), "{key}: {found:?}");
    }
    // Itself is no relative: there is no way to it.
    let (found, alone) = organised(&RELATED.replace("\"genomes/bred_lamp.json\", ", ""));
    assert!(!found.contains_key("relative_edits") && alone != drawn);
}

#[test]
fn the_page_of_columns_is_what_the_columns_say() {
    measures::add();
    let mut text = String::from("| column | meaning |\n|---|---|\n");
    for (name, says) in NetworksRecord::columns() {
        let _ = writeln!(text, "| `{name}` | {} |", says.replace('|', "\\|"));
    }
    hold_generated("../docs/COLUMNS.md", ["<!-- networks -->\n", "<!-- end -->"], &text);
}

#[test]
fn every_column_of_the_committed_studies_of_networks_is_explained() {
    kinds();
    let known = NetworksRecord::columns();
    let names = known.iter().map(|column| column.0).collect::<std::collections::BTreeSet<_>>();
    assert_eq!(names.len(), known.len(), "each once");
    let mut studies = 0;
    for folder in std::fs::read_dir(root().join("figures")).unwrap() {
        let Ok(text) = std::fs::read_to_string(folder.unwrap().path().join("study.json")) else {
            continue;
        };
        let head: serde_json::Value = serde_json::from_str(&text).unwrap();
        if head["format"] != NetworksRecord::FORMAT {
            continue;
        }
        studies += 1;
        let mut places = Vec::new();
        for column in head["columns"].as_array().unwrap() {
            let name = column["name"].as_str().unwrap();
            let found = NetworksRecord::describe(name, "");
            places.push(found.unwrap_or_else(|| panic!("{}: {name}", head["study"])).0);
            assert!(NetworksRecord::has_column(name), "no contrast may name {name}");
        }
        assert!(places.is_sorted(), "{}: columns in another order", head["study"]);
    }
    assert!(studies > 20 && !NetworksRecord::has_column("scroe"));
}

#[test]
fn measures_are_asked_for_by_the_keys_that_a_study_has() {
    let keys = ALL.map(|measures| measures.key());
    assert!(keys.iter().all(|key| ["organisation", "mechanisms"].contains(key)), "{keys:?}");
}
