//! `picloom evolve` from outside: what it writes, and how it goes on.

use crate::line::{Place, assert_has};
use crate::said::assert_says;
use picloom::genome;
use picloom::network::Picture;
use serde_json::json;

const EVOLVE: &str = "evolve --population 12 --size 16 --out";
const FACE: &str = "--target ROOT/experiments/targets/face.png";
const BREED: &str = "evolve --search interactive --cell 16 --out bred";

#[test]
fn a_search_for_a_picture_learns_prices_links_and_says_where_everything_is() {
    let place = Place::new();
    let said = place.done(&format!("{EVOLVE} run {FACE} --generations 8"));
    let lines =
        ["preset = \"drawing\"", "mode = \"lamarck\"", "measure = \"both\"", "grey = false"];
    assert_says(&place.text("run/config.toml"), &lines);
    let parts = ["R² 0.", "links", "best.png", "best.json", "gallery.png", "--resume", "less 0."];
    assert_says(&(said.error + &said.out), &parts);
    let metrics = place.text("run/metrics.jsonl");
    let last: serde_json::Value = serde_json::from_str(metrics.lines().last().unwrap()).unwrap();
    // A search that only mutates has about 0.2 by then.
    assert!(last["best_r2"].as_f64().unwrap() > 0.5, "{last}");
    place.whole("run", "best.png best.json");
    // Whoever names a preset has its numbers.
    let result = place.json(&format!("{EVOLVE} plain {FACE} --generations 4 --preset neat"));
    assert_has(&result, json!({ "generations": 4, "evaluations": 48 }));
    assert_says(&place.text("plain/config.toml"), &["mode = \"none\"", "measure = \"mse\""]);
    place.whole("plain", "config.toml checkpoint.json metrics.jsonl lineage.jsonl result.json");
    place.whole("plain", "gallery.png plots/fitness.svg plots/species.png plots/complexity.svg");
    let made = genome::read(&place.at("plain/genomes/000.json")).unwrap().provenance;
    assert_eq!((made.seed, made.made_by.as_str()), (Some(0), "picloom evolve --search target"));
    assert_eq!(made.notes["config"], result["config_hash"]);
}

#[test]
fn a_session_has_the_palette_symmetry_and_background_of_its_options() {
    let place = Place::new();
    place.done(&format!("{BREED} --palette e2725b,264653 --symmetry four-fold --background dark"));
    let lines =
        ["palette = \"e2725b,264653\"", "symmetry = \"four-fold\"", "background = \"dark\""];
    assert_says(&place.text("bred/session.toml"), &lines);
    place.done(&format!("{BREED} --select 1,3"));
    place.done(&format!("{BREED} --save 4 rose"));
    let rose = genome::read(&place.at("bred/rose.json")).unwrap();
    assert_eq!(rose.palette.to_string(), "e2725b,264653");
    // Drawn by any command it has its palette; what is trained on it has every colour.
    place.done("render --genome bred/rose.json --size 512 --out rose.png");
    let [drawn, kept] =
        ["rose.png", "bred/rose.png"].map(|file| Picture::read(&place.at(file)).unwrap());
    assert!(drawn.to_bytes() == kept.to_bytes());
}

#[test]
fn a_run_that_died_before_its_first_checkpoint_begins_anew() {
    let place = Place::new();
    place.done(&format!("{EVOLVE} run --search novelty --generations 2"));
    let before = place.bytes("run/checkpoint.json");
    std::fs::remove_file(place.at("run/checkpoint.json")).unwrap();
    place.done(&format!("{EVOLVE} run --resume"));
    assert_eq!(place.bytes("run/checkpoint.json"), before);
}

#[test]
fn a_session_begins_in_its_folder_goes_on_and_keeps_genomes_by_name() {
    let place = Place::new();
    place.done(&format!("{BREED} --seed 4"));
    let chosen = format!("{BREED} --select 1,3");
    place.done(&format!("{chosen} --slider 0.8 --why 'an eye'"));
    assert!(place.text("bred/session.toml").contains("an eye"));
    (0..2).for_each(|_| drop(place.done(&chosen)));
    place.whole("bred", "sheets/003.png");
    let back = place.done(&format!("{BREED} --json --undo 2 --select 0"));
    assert_has(&back.json(), json!({ "at": 4, "generation": 2 }));
    assert_says(&back.error, &["bred from 0", "sheet 4 of 0 to 4"]);
    // Every sheet stays: one goes back to it, and on again along the way that was taken.
    for (more, at, generation) in [("--sheet 2", 2, 2), ("--undo 2", 0, 0), ("--redo 1", 1, 1)] {
        let report = place.json(&format!("{BREED} {more}"));
        assert_has(&report, json!({ "at": at, "generation": generation, "sheets": 5 }));
    }
    place.done(&format!("{BREED} --sheet 4"));
    place.done(&format!("{BREED} --save 4 owl --save 5 big_owl"));
    let owl = genome::read(&place.at("bred/owl.json")).unwrap();
    let made = &owl.provenance;
    assert_eq!((made.name.as_str(), made.seed.is_some()), ("owl", true));
    assert_eq!(made.made_by, "picloom evolve --search interactive");
    assert_eq!((made.notes["sheet"].as_str(), made.notes["place"].as_str()), ("4", "4"));
    let on_sheet = genome::read(&place.at("bred/genomes/04.json")).unwrap();
    assert!(owl.nodes().eq(on_sheet.nodes()) && owl.connections().eq(on_sheet.connections()));
    let picture = Picture::read(&place.at("bred/owl.png")).unwrap();
    assert_eq!((picture.width, picture.height), (512, 512));
    assert!(place.at("bred/big_owl.json").exists());
    // What it has may be said again.
    let before = place.bytes("bred/session.toml");
    for again in ["--save 4 owl", "", "--seed 4 --preset picbreeder --population 15"] {
        place.done(&format!("{BREED} {again}"));
        assert_eq!(place.bytes("bred/session.toml"), before, "{again}");
    }
}
