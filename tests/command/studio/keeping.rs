//! Results of a slider are stored: saved, published, bred from; and the first network of a page,
//! and its names.

use super::client::{pruning, studio, training, with};
use crate::cases::cases;
use crate::line::list;
use picloom::genome::{Genome, from_json};
use picloom::network::{Coords, Model, Wiring};
use picloom::probe::{Change, View};
use serde_json::json;

const MOTH: &str = "genomes/bred_moth.json";

fn moth() -> Genome {
    from_json(&std::fs::read_to_string(MOTH).unwrap()).unwrap()
}

cases! {
    keeping:
    a_genome_with_a_moved_weight_says_so_and_takes_no_name_of_the_programs,
    networks_are_called_by_what_they_are,
    a_picture_is_evolved_towards_stopped_and_gone_on_with,
    studies_have_names_that_tell_them_apart,
    things_are_renamed_and_put_aside,
    finished_work_goes_on_and_is_put_aside_with_its_run,
    files_keep_their_names_and_their_labels,
}

#[test]
fn the_ranking_has_weights_that_change_the_picture_both_ways() {
    let (_root, served) = studio();
    let model = Model::of_genome(&moth(), Wiring::Graph);
    let view = View::new(&model, 32, Coords::Fer);
    let told = served.json(&format!("/api/ranked?id={MOTH}"));
    let links: Vec<usize> =
        list(&told["links"]).iter().map(|l| l.as_u64().unwrap() as usize).collect();
    let silent = told["silent"].as_u64().unwrap() as usize;
    assert_eq!(links.len() + silent, told["tried"].as_u64().unwrap() as usize);
    assert!(links.len() > 5, "{told}");
    let effect = told["effect"].as_f64().unwrap();
    let mut before = 0.0;
    for link in links {
        let matched = served.json(&format!("/api/matched?id={MOTH}&link={link}"));
        let farthest = |side: &str| list(&matched[side]).last().unwrap().as_f64();
        let (down, up) = (farthest("down").unwrap(), farthest("up").unwrap());
        for delta in [down, up] {
            let found = view.painter().effect(Change::By { link, delta });
            assert!(found > 0.5 * effect, "link {link} moved by {delta} changes it by {found}");
        }
        let distance = down.abs().max(up);
        assert!(distance >= before, "{link}: {distance} after {before}");
        before = distance;
    }
}

#[test]
fn the_forms_offer_every_optimizer_with_its_settings() {
    let (_root, served) = studio();
    let told = served.json("/api/choices");
    let optimizers = list(&told["optimizers"]);
    let names: Vec<&str> = optimizers.iter().map(|o| o["name"].as_str().unwrap()).collect();
    let expected = picloom::train::OptimizerConfig::TABLE.iter().map(|row| row.name);
    assert_eq!(names, expected.collect::<Vec<_>>());
    assert!(names.contains(&"adam") && names.contains(&"cma-es"), "{names:?}");
    let decay = list(&optimizers[2]["settings"]).iter().find(|s| s["name"] == "weight_decay");
    assert_eq!(decay.unwrap()["default"], "0.01");
    // As the form writes them.
    for optimizer in optimizers {
        let name = optimizer["name"].as_str().unwrap();
        let first = list(&optimizer["settings"]).iter().find(|s| s["default"] != "");
        let text = first.map_or(name.to_string(), |s| {
            format!("{name}:{}={}", s["name"].as_str().unwrap(), s["default"].as_str().unwrap())
        });
        served.trained(&with(training(MOTH, "graph", 2, 8), json!({ "optimizer": text })));
    }
}

#[test]
fn the_forms_offer_every_pruning_method_that_a_budget_is_enough_for() {
    let (_root, served) = studio();
    let run = served.trained(&training(MOTH, "dense", 2, 8));
    let told = served.json("/api/choices");
    let methods = list(&told["methods"]);
    let names: Vec<&str> = methods.iter().map(|m| m["name"].as_str().unwrap()).collect();
    assert!(["sp", "imp", "wanda", "taylor", "swarm"].iter().all(|name| names.contains(name)));
    let others = ["evolved", "rewired", "same-links", "layer-counts", "cmd", "own"];
    assert!(!others.iter().any(|name| names.contains(name)));
    for name in names {
        served.begun(&pruning(&run, name, 400, 2));
    }
}
