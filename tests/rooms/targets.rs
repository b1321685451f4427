//! The targets of a study: families of pictures, those that a network learned before, relatives.

use crate::networks::{assert_unread, plan, repository, run_with};
use picloom::experiment::networks::NetworksStudy;
use picloom::genome::{Composed, to_json};
use picloom::study::cells::study_folder;
use std::path::Path;

const PRETRAINED: &str = r#"
kind = "networks"
name = "small"
question = "Does it help to have drawn other families?"
size = 12
steps = 30
seeds = [0]
sample = 4
target_r2 = 0.9
[[targets]]
name = "face"
family = { name = "face", support = "value", values = 3 }
arch = "2;gaussian:3,sin:3"
[[targets]]
name = "sun"
family = { name = "sun", support = "minimal", values = 2 }
arch = "2;gaussian:3,sin:3"
[[arms]]
name = "dense"
wiring = "dense"
[[arms]]
name = "after"
wiring = "dense"
pretrain = [{ name = "face", support = "minimal", values = 3 }, { name = "moth", support = "minimal", values = 3 }, { name = "clock", support = "minimal", values = 2 }]
[[arms]]
name = "half"
from = "after"
method = "magnitude"
levels = ["share:0.5"]
[profiles.face]
targets = ["face"]
"#;

#[test]
fn a_network_learns_other_families_first_and_goes_on_from_their_weights() {
    let (_root, path) = repository(PRETRAINED);
    let study = plan(&path, Some("face"));
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

    assert_unread(
        &PRETRAINED
            .replace("{ name = \"clock\", support = \"minimal\", values = 2 }", "")
            .replace("[profiles.face]\ntargets = [\"face\"]\n", ""),
        ["arm after, pretrain, target sun", "a family of 3 factors that is not its own", "none"],
    );
    assert_unread(
        &PRETRAINED.replace(
            "name = \"moth\", support = \"minimal\", values = 3",
            "name = \"moth\", support = \"minimal\", values = 1",
        ),
        ["arm after, pretrain, values", "2 to 16 values of each factor", "1"],
    );
    assert_unread(
        &PRETRAINED.replacen("wiring = \"dense\"\npretrain", "wiring = \"layerized\"\npretrain", 1),
        ["arm after", "pretrain with wiring = \"dense\" only", "it with another"],
    );
}

const RELATED: &str = r#"
kind = "networks"
name = "small"
question = "Do four weights lead to a relative?"
size = 12
steps = 5
seeds = [0]
sample = 4
organisation = true
[[targets]]
name = "mask"
genome = "genomes/mask.json"
relatives = ["genomes/bred_lamp.json", "genomes/mask.json"]
[[arms]]
name = "evolved"
wiring = "evolved"
"#;

#[test]
fn edits_lead_to_the_relatives_that_a_target_names() {
    let (_root, path) = repository(RELATED);
    let study = plan(&path, None);
    let runs = tempfile::tempdir().unwrap();
    let record = run_with(&study, runs.path(), 2);
    let found = &record.rows[0].result.as_ref().unwrap().organisation;
    let (less_chance, reached) = (found["relative_edits"], found["relatives_reached"]);
    assert!((0.0..=1.0).contains(&reached) && less_chance <= reached, "{less_chance} {reached}");

    // Itself is no relative: there is no way to it.
    let (_root, path) = repository(&RELATED.replace("\"genomes/bred_lamp.json\", ", ""));
    let alone = plan(&path, None);
    assert_ne!(alone.chains[0].key.sha256, study.chains[0].key.sha256);
    let runs = tempfile::tempdir().unwrap();
    let record = run_with(&alone, runs.path(), 1);
    assert!(!record.rows[0].result.as_ref().unwrap().organisation.contains_key("relative_edits"));

    assert_unread(
        &RELATED.replace("organisation = true\n", ""),
        ["relatives", "them with organisation = true", "them without it"],
    );
    assert_unread(
        &RELATED.replace("[[arms]]", "family = { support = \"minimal\" }\n[[arms]]"),
        ["target mask", "relatives of one picture", "a family"],
    );
}

const BRED: &str = r#"
kind = "networks"
name = "small"
question = "How far is a genome with factors from a family that it did not draw?"
size = 12
steps = 30
seeds = [0]
sample = 4
[[targets]]
name = "face"
family = { name = "face", support = "minimal", values = 3 }
genome = "genomes/face.json"
[[arms]]
name = "evolved"
wiring = "evolved"
[[arms]]
name = "dense"
wiring = "dense"
"#;

#[test]
fn a_genome_with_factors_is_held_to_a_family_by_name() {
    let (root, path) = repository(BRED);
    let genome = Composed::Face.conditional(3);
    std::fs::write(root.path().join("genomes/face.json"), to_json(&genome)).unwrap();
    let study = plan(&path, None);
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

    // A family of another number of factors is refused, and so is a genome without any.
    let refused = |spec: &str| {
        std::fs::write(&path, spec).unwrap();
        NetworksStudy::read(&path, None, Path::new("nowhere")).err().expect("it is wrong")
    };
    let three =
        refused(&BRED.replace("name = \"face\", support", "name = \"sun\", support")).to_string();
    assert!(three.contains("a genome with 3 factors, as the family sun"), "{three}");
    let none = refused(&BRED.replace("genomes/face.json", "genomes/mask.json")).to_string();
    assert!(
        none.contains("expected a genome with 2 factors") && none.contains("found 0"),
        "{none}"
    );
}
