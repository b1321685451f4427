//! The targets of a study: families of pictures, those that a network learned before.

use crate::networks::run_with;
use crate::specs::{in_repository, read};
use picloom::genome::{Composed, to_json};
use picloom::study::cells::study_folder;

pub(crate) const PRETRAINED: &str = include_str!("../specs/pretrained.toml");

#[test]
fn a_network_learns_other_families_first_and_goes_on_from_their_weights() {
    let (_root, path) = in_repository(PRETRAINED);
    let study = read(&path, Some("face"));
    let runs = tempfile::tempdir().unwrap();
    let folder = study_folder(&study, runs.path());
    let record = run_with(&study, runs.path(), 2);
    let row = |arm: &str| {
        let row = record.rows.iter().find(|row| row.arm == arm).unwrap();
        row.result.as_ref().unwrap_or_else(|| panic!("{:?}", row.error))
    };
    let (dense, after) = (row("dense"), row("after"));
    // The same first weights; what was learned in between makes the difference.
    assert_ne!(dense.mse, after.mse);
    assert_eq!(row("half").kept, (after.kept as f64 / 2.0).round() as usize);
    let configs: Vec<String> = std::fs::read_dir(&folder)
        .unwrap()
        .filter_map(|entry| std::fs::read_to_string(entry.unwrap().path().join("config.toml")).ok())
        .filter(|config| config.contains("arm = \"after\""))
        .collect();
    // Of the three its own is left out, and one with three factors.
    let of = |target: &str| {
        let named = format!("target = \"{target}\"");
        configs.iter().filter(|config| config.contains(&named)).cloned().collect::<Vec<_>>()
    };
    assert_eq!((configs.len(), of("moth").len(), of("face").len()), (2, 1, 1));
    assert!(of("face")[0].contains("start_sha256") && !of("moth")[0].contains("start_sha256"));
}

pub(crate) const RELATED: &str = include_str!("../specs/related.toml");

pub(crate) const BRED: &str = include_str!("../specs/bred.toml");

#[test]
fn a_genome_with_factors_is_held_to_a_family_by_name() {
    let (root, path) = in_repository(BRED);
    let genome = Composed::Face.conditional(3);
    std::fs::write(root.path().join("genomes/face.json"), to_json(&genome)).unwrap();
    let study = read(&path, None);
    let runs = tempfile::tempdir().unwrap();
    let record = run_with(&study, runs.path(), 2);
    let found = |arm: &str| {
        let row = record.rows.iter().find(|row| row.arm == arm).unwrap();
        let about = row.about.as_ref().unwrap();
        assert!(about.evolved_links.is_some() && about.family.is_some(), "{row:?}");
        let result = row.result.as_ref().unwrap_or_else(|| panic!("{:?}", row.error));
        result.recombination.as_ref().unwrap().gap
    };
    // It draws faces of its own: neither network is perfect on the family of that name.
    assert!(found("evolved").abs() > 1e-3 && found("dense").is_finite());
}
