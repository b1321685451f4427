//! Results of a slider are stored: saved, published, bred from; and the first network of a page,
//! and its names.

use super::client::{pruning, root, serve, studio, training, with};
use crate::line::{assert_has, list};
use picloom::genome::{Genome, from_json, to_picbreeder_xml};
use picloom::network::weight_files::write_weights;
use picloom::network::{Coords, Model, Picture, Wiring};
use picloom::probe::{Change, View};
use serde_json::{Value, json};

const MOTH: &str = "genomes/bred_moth.json";

fn moth() -> Genome {
    from_json(&std::fs::read_to_string(MOTH).unwrap()).unwrap()
}

fn picture(genome: &str) -> Picture {
    let genome = from_json(genome).unwrap();
    Model::of_genome(&genome, Wiring::Graph).picture(32, Coords::Fer)
}

/// `tests/studio/keeping.mjs` looks at the pictures.
#[test]
fn a_genome_with_a_moved_weight_says_so_and_takes_no_name_of_the_programs() {
    let (root, served) = studio();
    let saved = served.get(&format!("/api/genome?id={MOTH}&set=3:1.75,5:-0.5")).ok().text();
    let provenance = from_json(&saved).unwrap().provenance;
    assert!(provenance.notes["moved"].contains("1.75"));
    assert!(!provenance.notes.contains_key("session") && provenance.parents == ["bred_moth"]);
    let body = json!({ "id": MOTH, "set": "3:1", "name": "bred_cat", "tags": ["wide", "x"] });
    assert_eq!(served.made("/api/publish", &body)["id"], "genomes/bred_cat-2.json");
    let kept = from_json(&root.text("genomes/bred_cat-2.json")).unwrap().provenance;
    assert_eq!((kept.name.as_str(), kept.notes["tags"].as_str()), ("bred_cat", "wide, x"));
}

#[test]
fn networks_are_called_by_what_they_are() {
    let (root, served) = studio();
    let dense = served.trained(&training(MOTH, "dense", 5, 16));
    let graph = served.trained(&with(training(MOTH, "graph", 5, 16), json!({ "seed": 2 })));
    let pruned = served.trained(&pruning(&dense, "sp", 60, 5));
    for (id, what, name) in [
        (&dense, "dense twin, trained", "bred_moth: dense twin, trained"),
        (&graph, "evolved graph, retrained", "bred_moth: evolved graph, retrained, seed 2"),
        (&pruned, "similarity-pruned (SP)", "bred_moth: similarity-pruned (SP)"),
    ] {
        let wanted = json!({ "what": what, "name": name, "picture": "bred_moth", "fit": false });
        assert_has(&served.network(id), wanted);
    }
    let layered = served.json(&format!("/api/network?id={MOTH}&wiring=layerized"));
    assert_has(&layered, json!({ "what": "evolved network, in layers", "has_genome": false }));
    assert_eq!(served.network(&graph)["has_genome"], true);
    // A trained graph is a genome with the weights that it learned.
    let genome = served.get(&format!("/api/genome?id={graph}")).ok().text();
    let run = picloom::run::load_run(&root.path().join(&graph)).unwrap();
    assert!(picture(&genome).mse(&run.model.picture(32, Coords::Fer)) < 1e-9);
    let library = served.json("/api/library");
    for run in list(&library["runs"]).iter().filter(|run| run["builtin"] == false) {
        assert_has(run, json!({ "fit": false, "picture": "bred_moth" }));
    }
    // Work is called after the picture.
    let jobs = served.json("/api/jobs");
    let names: Vec<&str> = list(&jobs).iter().map(|job| job["name"].as_str().unwrap()).collect();
    for name in ["train a dense network", "dense twin, trained: prune by sp to 60 links"] {
        assert!(names.contains(&&*format!("bred_moth: {name}")), "{names:?}");
    }
}

#[test]
fn files_keep_their_names_and_their_labels() {
    let (_root, served) = studio();
    let mut genome = moth();
    genome.provenance.name = "4041_197".into();
    let mut xml = to_picbreeder_xml(&genome).unwrap();
    // What people called a link.
    let end = xml.rfind("</link>").unwrap();
    xml.insert_str(end, "<text>Wings</text>");
    let open = |name: &str, bytes: &[u8]| -> String {
        served.upload(name, bytes).ok().json()["id"].as_str().unwrap().to_string()
    };
    let dolphin = open("dolphin.xml", xml.as_bytes());
    let told = served.network(&dolphin);
    assert_eq!(told["name"], "dolphin");
    let links = list(&told["links"]);
    let labelled: Vec<&Value> = links.iter().filter(|link| link["labels"].is_array()).collect();
    assert_eq!((labelled.len(), &labelled[0]["labels"]), (1, &json!(["Wings"])));
    let library = served.json("/api/library");
    let mut genomes = list(&library["genomes"]).iter();
    assert_eq!(genomes.find(|g| g["id"] == dolphin.as_str()).unwrap()["name"], "dolphin");
    let mut red = Picture::filled(8, 8, [1.0, 0.0, 0.0]);
    red.rgb[0] = 0.0;
    let smile = open("smile.png", &red.to_png(&[]));
    assert_eq!(served.json("/api/library")["pictures"][0]["name"], "smile");
    let work = with(training(&dolphin, "dense", 5, 16), json!({ "target": smile }));
    let run = served.trained(&work);
    assert_eq!(served.network(&run)["name"], "smile: dense twin, trained");
    assert_eq!(served.json("/api/jobs")[0]["name"], "smile: train a dense network of dolphin");
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

#[test]
fn a_picture_is_evolved_towards_stopped_and_gone_on_with() {
    let (root, served) = studio();
    let work =
        json!({ "kind": "evolve", "id": "genomes/bred_skull.json", "generations": 4, "size": 16 });
    let job = served.begun(&work);
    let path = format!("/api/jobs/{job}");
    let done = served.over(&job, "finished");
    assert_has(&done, json!({ "name": "bred_skull: evolve towards it", "step": 4 }));
    let best = done["run"].as_str().unwrap();
    assert_eq!(served.network(best)["kind"], "genome");
    // While it ran it drew the best picture so far.
    let thumb = served.get(&format!("/api/thumb?id=runs/studio/{job}&size=16")).ok();
    assert_eq!(thumb.header("content-type"), Some("image/png"));
    let search = json!({ "name": "towards bred_skull", "target": "genomes/bred_skull.json" });
    assert_has(&served.json("/api/library")["searches"][0], search);
    served.kill();
    // Another server knows what came of it.
    let served = serve(root.path());
    assert_has(&served.json(&path), json!({ "status": "finished", "run": best }));
}

#[test]
fn studies_have_names_that_tell_them_apart() {
    let root = root();
    let put = |folder: &str, marker: Value, record: Value| {
        root.write(&format!("{folder}/picloom.json"), marker.to_string());
        root.write(&format!("{folder}/study.json"), record.to_string());
    };
    let comparison = json!({ "kind": "comparison", "id": "x", "of": "genomes/bred_moth.json" });
    put("picloom-compare", comparison, json!({ "name": "compare" }));
    // The study that computed it is the same thing once more.
    put("picloom-compare/runs", json!({ "kind": "study" }), json!({ "name": "compare" }));
    for folder in ["one", "two"] {
        put(folder, json!({ "kind": "study" }), json!({ "name": "pruners" }));
    }
    let served = serve(root.path());
    let library = served.json("/api/library");
    let names: Vec<&Value> = list(&library["studies"]).iter().map(|study| &study["name"]).collect();
    assert_eq!(names, ["pruners (one)", "Comparison of bred_moth", "pruners (two)"]);
    let study = served.json("/api/study?id=picloom-compare");
    assert_eq!(study["name"], "Comparison of bred_moth");
}

#[test]
fn things_are_renamed_and_put_aside() {
    let (root, served) = studio();
    let kept = served.made("/api/publish", &json!({ "id": MOTH, "name": "Night" }));
    assert_eq!(kept["id"], "genomes/Night.json");
    assert_eq!(served.network("genomes/Night.json")["own"], true);
    served.made("/api/sessions", &json!({ "name": "first", "seed": 3, "from": [MOTH] }));
    let renamed = |id: &str, name: &str| {
        served.made("/api/rename", &json!({ "id": id, "name": name }))["id"].clone()
    };
    assert_eq!(renamed("genomes/Night.json", "Day/../x"), "genomes/Day____x.json");
    assert_eq!(served.network("genomes/Day____x.json")["name"], "Day/../x");
    // A name that is taken gets a number; a session goes on under its new one.
    served.made("/api/sessions", &json!({ "name": "other", "seed": 4 }));
    let second = renamed("studio/sessions/first.toml", "other");
    assert_eq!(second, "studio/sessions/other-2.toml");
    assert_eq!(served.json("/api/sessions/other-2")["palette"], "free");
    served.get("/api/sessions/first").refused(404, "found none");
    // Weights that do not name their arch keep it.
    let model = Model::of_genome(&moth(), Wiring::Layerized);
    let arch = model.network.arch.as_ref().unwrap().to_string();
    let npz = root.at("studio/opened/weights.npz");
    std::fs::create_dir_all(npz.parent().unwrap()).unwrap();
    write_weights(&npz, &model.network, &model.weights).unwrap();
    std::fs::write(npz.with_extension("arch"), arch).unwrap();
    let weights = renamed("studio/opened/weights.npz", "heavy");
    assert!(served.network(weights.as_str().unwrap())["links"].is_array());
    served.made("/api/remove", &json!({ "id": weights }));
    assert!(root.at("studio/removed/heavy.arch").exists());
    // What is removed lies in a folder that the library leaves out.
    for id in ["genomes/Day____x.json", "studio/sessions/other-2.toml"] {
        assert_eq!(served.made("/api/remove", &json!({ "id": id }))["in"], "studio/removed");
    }
    assert!(root.at("studio/removed/other-2.toml").exists());
    let library = served.json("/api/library").to_string();
    assert!(!library.contains("Day____x") && !library.contains("other-2"), "{library}");
    // Not the program's, nor what a session begins from, nor anything else.
    let copies = std::fs::read_dir(root.at("studio/opened")).unwrap();
    let copy = copies.map(|e| e.unwrap().file_name().into_string().unwrap()).next().unwrap();
    let copy = format!("studio/opened/{copy}");
    let others = ["genomes/trained/bred_moth", "genomes", "studio", &copy, "../x", "runs/studio/x"];
    for id in others {
        let remove = served.post("/api/remove", &json!({ "id": id }));
        let rename = served.post("/api/rename", &json!({ "id": id, "name": "y" }));
        for answer in [remove, rename] {
            assert!([400, 404].contains(&answer.status), "{id}: {answer:?}");
        }
    }
}

#[test]
fn finished_work_goes_on_and_is_put_aside_with_its_run() {
    let (root, served) = studio();
    let search = json!({ "kind": "evolve", "id": MOTH, "generations": 2, "size": 12 });
    for work in [search, training(MOTH, "dense", 20, 12)] {
        let job = served.begun(&work);
        let done = served.over(&job, "finished");
        assert_has(&done, json!({ "can_go_on": true, "target": MOTH }));
        let steps = done["steps"].as_u64().unwrap();
        served.post(&format!("/api/jobs/{job}/resume"), &json!({ "more": 3 })).ok();
        let longer = served.over(&job, "finished");
        assert_has(&longer, json!({ "step": steps + 3, "steps": steps + 3 }));
        // It is known as the longer one by the next server, too.
        assert!(root.text(&format!("runs/studio/{job}.json")).contains(&(steps + 3).to_string()));
        let id = format!("runs/studio/{job}");
        served.made("/api/remove", &json!({ "id": id }));
        served.get(&format!("/api/jobs/{job}")).refused(404, "found none");
        assert!(!root.at(&id).exists() && root.at(&format!("studio/removed/{job}")).exists());
    }
    // The twin that comes with the program is pruned in any folder; what was pruned is as it is.
    let pruned = served.begun(&pruning("genomes/trained/bred_moth", "magnitude", 300, 30));
    let name = "bred_moth: dense twin, trained: prune by magnitude to 300 links";
    let wanted = json!({ "name": name, "fit": false, "can_go_on": false });
    assert_has(&served.over(&pruned, "finished"), wanted);
}
