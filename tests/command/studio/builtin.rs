//! Genomes and a trained network that come with the program, in any folder, a clone or not.

use super::client::{serve, training, with};
use crate::line::{Place, assert_has, list};
use picloom::genome::{BUILTIN, builtin, from_json, read, to_json};
use picloom::network::{Coords, Model, Wiring};
use picloom::run::{LoadOptions, NetworkPath, Source, shipped};
use picloom::score::Fit;
use serde_json::{Value, json};
use std::path::Path;

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
fn commands_take_a_genome_by_its_name_outside_of_a_clone() {
    let away = Place::new();
    let listed = away.json("genome list");
    assert_eq!(list(&listed).len(), BUILTIN.len());
    assert_eq!(away.json("genome info bred_skull")["links"], 19);
    away.done("genome convert bred_skull skull.json");
    assert_eq!(away.text("skull.json"), builtin(Path::new("bred_skull")).unwrap().1);
    away.done("render --genome bred_cat --size 16 --out cat.png");
    let train = "train --genome bred_skull --target bred_cat --wiring dense --size 16 --steps 3";
    away.done(&format!("{train} --out run"));
    away.done("compare bred_skull --spec skull.toml");
    let cells = away.done("experiment run skull.toml --dry-run --json").out;
    assert!(cells.contains("bred_skull"), "{cells}");
}

#[test]
fn the_library_of_an_empty_folder_has_what_comes_with_the_program() {
    let root = Place::new();
    let served = serve(root.path());
    let library = served.json("/api/library");
    let genomes = list(&library["genomes"]);
    assert_eq!(genomes.len(), BUILTIN.len());
    assert!(genomes.iter().all(|genome| genome["builtin"] == true));
    let id = "genomes/bred_moth.json";
    let network = served.network(id);
    assert_has(&network, json!({ "name": "bred_moth", "what": "evolved network" }));
    let text = served.get(&format!("/api/genome?id={id}")).ok().text();
    assert_eq!(text, std::fs::read_to_string(id).unwrap());
    assert_eq!(&served.get(&format!("/api/thumb?id={id}")).ok().body[1..4], b"PNG");
    // Bred from: the session has a copy.
    let body = json!({ "from": [id], "seed": 1, "grid": 4 });
    let session = served.made("/api/sessions", &body);
    assert_eq!(list(&session["sheet"]).len(), 4);
    let library = served.json("/api/library");
    let own = list(&library["genomes"]).iter().filter(|g| g["builtin"] == false);
    assert_eq!(own.count(), 0, "a session's copy is no genome of its own: {library}");
    // Trained on, and found beside it.
    let work = with(training("genomes/bred_cat.json", "dense", 5, 16), json!({ "target": id }));
    let run = served.network(&served.trained(&work));
    assert_eq!(run["target"], id);
    // An own file under that name is shown in its place, as one's own.
    root.write(id, std::fs::read("genomes/bred_skull.json").unwrap());
    let library = served.json("/api/library");
    let moths: Vec<&Value> = list(&library["genomes"]).iter().filter(|g| g["id"] == id).collect();
    assert_eq!((moths.len(), &moths[0]["builtin"]), (1, &json!(false)));
    assert_eq!(served.network(id)["name"], "bred_skull");
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
