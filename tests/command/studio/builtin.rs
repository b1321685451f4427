//! Genomes and a trained network that come with the program, in any folder, a clone or not.

use super::client::serve;
use crate::cases::cases;
use crate::line::{Place, assert_has};
use picloom::genome::{BUILTIN, builtin, from_json, read, to_json};
use picloom::network::{Coords, Model, Wiring};
use picloom::run::{LoadOptions, NetworkPath, Source, shipped};
use picloom::score::Fit;
use serde_json::json;
use std::path::Path;

cases! {
    builtin:
    commands_take_a_genome_by_its_name_outside_of_a_clone,
    the_library_of_an_empty_folder_has_what_comes_with_the_program,
}

#[test]
fn every_genome_of_the_repository_comes_with_the_program() {
    let mut files: Vec<String> = std::fs::read_dir("genomes")
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter_map(|name| name.strip_suffix(".json").map(String::from))
        .collect();
    files.sort();
    let names: Vec<&str> = BUILTIN.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, files);
    let away = Place::new();
    for name in names {
        let text = std::fs::read_to_string(format!("genomes/{name}.json")).unwrap();
        assert_eq!(builtin(Path::new(name)).unwrap().1, text);
        assert_eq!(to_json(&read(Path::new(name)).unwrap()), text);
        // A file of the same name goes first.
        let own = away.path().join(format!("{name}.json"));
        assert!(read(&own).is_err());
    }
    let error = read(Path::new("bred_moht")).unwrap_err().to_string();
    assert!(error.contains("did you mean \"bred_moth\""), "{error}");
}

#[test]
fn what_is_shown_first_is_one_evolved_and_one_trained_network_of_one_picture() {
    let source = shipped::trained().unwrap();
    let from_folder =
        Source::load(NetworkPath::Run(Path::new(shipped::TRAINED)), LoadOptions::default())
            .unwrap();
    assert_eq!(source.model, from_folder.model);
    assert_eq!(source.config, from_folder.config);
    let config = source.config.as_ref().unwrap();
    let result = std::fs::read_to_string(format!("{}/result.json", shipped::TRAINED)).unwrap();
    let result: picloom::run::RunResult = serde_json::from_str(&result).unwrap();
    assert_eq!(config.run_id(), result.run_id, "its config is the one that it was trained with");
    // It draws the picture, and both draw the same.
    let evolved = from_json(builtin(Path::new(shipped::EVOLVED)).unwrap().1).unwrap();
    let model = Model::of_genome(&evolved, Wiring::Layerized);
    let target = model.picture(config.size, Coords::Fer);
    let fit = Fit::of(&source.model.picture(config.size, Coords::Fer), &target);
    assert!(fit.passes_gate() && (fit.r2 - result.fit.r2).abs() < 1e-6, "{fit:?}");
    assert_eq!(model.network.arch, config.arch, "as many layers and units");

    let root = Place::new();
    let served = serve(root.path());
    let told = served.json(&format!("/api/network?id={}", shipped::TRAINED));
    assert_has(&told, json!({ "what": "dense twin, trained", "picture": "bred_moth" }));
    assert_has(&told, json!({ "fit": true, "target": shipped::EVOLVED }));
}
