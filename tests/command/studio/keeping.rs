//! Results of a slider are stored: saved, published, bred from; and the first network of a page,
//! and its names.

use super::client::{root, serve, studio};
use crate::line::list;
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
    assert!(
        provenance.notes["moved"].contains("1.75") && !provenance.notes.contains_key("session")
    );
    assert_eq!(provenance.parents, ["bred_moth"]);
    let body = json!({ "id": MOTH, "set": "3:1", "name": "bred_cat", "tags": ["wide", "x"] });
    assert_eq!(served.made("/api/publish", &body)["id"], "genomes/bred_cat-2.json");
    let kept = from_json(&root.text("genomes/bred_cat-2.json")).unwrap().provenance;
    assert_eq!((kept.name.as_str(), kept.notes["tags"].as_str()), ("bred_cat", "wide, x"));
}

#[test]
fn networks_are_called_by_what_they_are() {
    let (root, served) = studio();
    let work = |wiring: &str, seed: u64| json!({ "kind": "train", "id": MOTH, "wiring": wiring, "steps": 5, "size": 16, "seed": seed });
    let dense = served.trained(&work("dense", 0));
    let graph = served.trained(&work("graph", 2));
    let body = json!({ "kind": "prune", "id": dense, "method": "sp", "budget": 60, "steps": 5 });
    let pruned = served.trained(&body);
    let told = |id: &str| served.network(id);
    for (id, what, name) in [
        (&dense, "dense twin, trained", "bred_moth: dense twin, trained"),
        (&graph, "evolved graph, retrained", "bred_moth: evolved graph, retrained, seed 2"),
        (&pruned, "similarity-pruned (SP)", "bred_moth: similarity-pruned (SP)"),
    ] {
        let told = told(id);
        assert_eq!((&told["what"], &told["name"]), (&json!(what), &json!(name)));
        assert_eq!((&told["picture"], &told["fit"]), (&json!("bred_moth"), &json!(false)));
    }
    let layered = served.json(&format!("/api/network?id={MOTH}&wiring=layerized"));
    assert_eq!(layered["what"], "evolved network, in layers");
    assert_eq!(
        (&layered["has_genome"], &told(&graph)["has_genome"]),
        (&json!(false), &json!(true))
    );
    // A trained graph is a genome with the weights that it learned.
    let genome = served.get(&format!("/api/genome?id={graph}")).ok().text();
    let run = picloom::run::load_run(&root.path().join(&graph)).unwrap();
    assert!(picture(&genome).mse(&run.model.picture(32, Coords::Fer)) < 1e-9);
    let library = served.json("/api/library");
    let runs: Vec<&Value> =
        list(&library["runs"]).iter().filter(|run| run["builtin"] == false).collect();
    assert!(
        runs.iter().all(|run| run["fit"] == false && run["picture"] == "bred_moth"),
        "{library}"
    );
    // Work is called after the picture.
    let jobs = served.json("/api/jobs");
    let names: Vec<&str> = list(&jobs).iter().map(|job| job["name"].as_str().unwrap()).collect();
    assert!(names.contains(&"bred_moth: train a dense network"), "{names:?}");
    assert!(
        names.contains(&"bred_moth: dense twin, trained: prune by sp to 60 links"),
        "{names:?}"
    );
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
    assert!(
        list(&library["genomes"])
            .iter()
            .any(|g| g["id"] == dolphin.as_str() && g["name"] == "dolphin")
    );
    let red = Picture::filled(8, 8, [1.0, 0.0, 0.0]);
    let smile = open("smile.png", &{
        let mut red = red;
        red.rgb[0] = 0.0;
        red.to_png(&[])
    });
    assert_eq!(served.json("/api/library")["pictures"][0]["name"], "smile");
    let body = json!({ "kind": "train", "id": dolphin, "wiring": "dense", "target": smile, "steps": 5, "size": 16 });
    let run = served.trained(&body);
    let name = served.network(&run)["name"].clone();
    assert_eq!(name, "smile: dense twin, trained");
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
        let work = json!({ "kind": "train", "id": MOTH, "wiring": "graph", "steps": 2, "size": 8, "optimizer": text });
        served.trained(&work);
    }
}

#[test]
fn the_forms_offer_every_pruning_method_that_a_budget_is_enough_for() {
    let (_root, served) = studio();
    let work = json!({ "kind": "train", "id": MOTH, "wiring": "dense", "steps": 2, "size": 8 });
    let run = served.trained(&work);
    let told = served.json("/api/choices");
    let methods = list(&told["methods"]);
    let names: Vec<&str> = methods.iter().map(|m| m["name"].as_str().unwrap()).collect();
    assert!(["sp", "imp", "wanda", "taylor", "swarm"].iter().all(|name| names.contains(name)));
    assert!(
        !["evolved", "rewired", "same-links", "layer-counts", "cmd", "own"]
            .iter()
            .any(|n| names.contains(n))
    );
    for name in names {
        let work = json!({ "kind": "prune", "id": run, "method": name, "budget": 400, "steps": 2 });
        served.post("/api/jobs", &work).ok();
    }
}

#[test]
fn a_picture_is_evolved_towards_stopped_and_gone_on_with() {
    let (root, served) = studio();
    let work =
        json!({ "kind": "evolve", "id": "genomes/bred_skull.json", "generations": 4, "size": 16 });
    let job = served.begun(&work);
    let path = format!("/api/jobs/{job}");
    let done = served.until(&path, |state| state["status"] == "finished");
    assert_eq!(
        (&done["name"], &done["step"]),
        (&json!("bred_skull: evolve towards it"), &json!(4))
    );
    let best = done["run"].as_str().unwrap();
    assert_eq!(served.network(best)["kind"], "genome");
    // While it ran it drew the best picture so far.
    let thumb = served.get(&format!("/api/thumb?id=runs/studio/{job}&size=16")).ok();
    assert_eq!(thumb.header("content-type"), Some("image/png"));
    let library = served.json("/api/library");
    assert_eq!(library["searches"][0]["name"], "towards bred_skull");
    assert_eq!(library["searches"][0]["target"], "genomes/bred_skull.json");
    served.kill();
    // Another server knows what came of it.
    let served = serve(root.path());
    let found = served.json(&path);
    assert_eq!((&found["status"], &found["run"]), (&json!("finished"), &json!(best)));
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
    for id in [
        "genomes/trained/bred_moth",
        "genomes",
        "studio",
        &format!("studio/opened/{copy}"),
        "../x",
        "runs/studio/x",
    ] {
        for (path, body) in
            [("remove", json!({ "id": id })), ("rename", json!({ "id": id, "name": "y" }))]
        {
            let answer = served.post(&format!("/api/{path}"), &body);
            assert!([400, 404].contains(&answer.status), "{path} {id}: {}", answer.status);
        }
    }
}

#[test]
fn finished_work_goes_on_and_is_put_aside_with_its_run() {
    let (root, served) = studio();
    let search = json!({ "kind": "evolve", "id": MOTH, "generations": 2, "size": 12 });
    let training =
        json!({ "kind": "train", "id": MOTH, "wiring": "dense", "steps": 20, "size": 12 });
    for work in [search, training] {
        let job = served.begun(&work);
        let done = served.over(&job, "finished");
        assert_eq!((&done["can_go_on"], &done["target"]), (&json!(true), &json!(MOTH)));
        let steps = done["steps"].as_u64().unwrap();
        served.post(&format!("/api/jobs/{job}/resume"), &json!({ "more": 3 })).ok();
        let longer = served.over(&job, "finished");
        assert_eq!((&longer["step"], &longer["steps"]), (&json!(steps + 3), &json!(steps + 3)));
        // It is known as the longer one by the next server, too.
        assert!(root.text(&format!("runs/studio/{job}.json")).contains(&(steps + 3).to_string()));
        let id = format!("runs/studio/{job}");
        served.made("/api/remove", &json!({ "id": id }));
        served.get(&format!("/api/jobs/{job}")).refused(404, "found none");
        assert!(!root.at(&id).exists() && root.at(&format!("studio/removed/{job}")).exists());
    }
    let body = json!({ "kind": "prune", "id": "genomes/trained/bred_moth", "method": "sp", "budget": 60, "steps": 5 });
    let pruned = served.begun(&body);
    assert_eq!(served.over(&pruned, "finished")["can_go_on"], false);
}
