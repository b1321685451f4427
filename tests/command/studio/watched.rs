//! Trainings and scores that a page looks on at: step by step, pruned meanwhile, kept as a run.

use super::client::{Answer, Served, pruning, serve, studio};
use crate::cases::cases;
use crate::line::{assert_has, list};
use serde_json::{Value, json};

/// An answer about one: the bytes, and the JSON that follows them.
fn parted(answer: Answer) -> (Vec<u8>, Value) {
    let answer = answer.ok();
    let end: usize = answer.header("x-json").unwrap().parse().unwrap();
    let (bytes, json) = answer.body.split_at(end);
    (bytes.to_vec(), serde_json::from_slice(json).unwrap())
}

fn ask(served: &Served, what: &str, body: Value) -> (Vec<u8>, Value) {
    parted(served.post(&format!("/api/watched/{what}"), &body))
}

fn watched(id: &str, wiring: &str) -> Value {
    json!({ "id": id, "wiring": wiring, "size": 16, "seed": 1, "lr": 0.006 })
}

fn begin(served: &Served, id: &str, wiring: &str) -> Value {
    ask(served, "train", watched(id, wiring)).1
}

cases! {
    watched:
    a_picture_that_was_opened_is_learned_and_a_network_that_a_page_hands_over_is_shown,
    old_trainings_make_room_and_an_answer_comes_however_many_steps_are_asked_for,
}

#[test]
fn a_training_goes_on_step_by_step_is_pruned_and_kept_as_a_run() {
    let (_root, served) = studio();
    let begun = begin(&served, "genomes/bred_moth.json", "dense");
    let (job, most) = (&begun["job"], begun["most"].as_u64().unwrap());
    let step = |steps: u64| {
        ask(&served, "train-step", json!({ "job": job, "steps": steps, "picture": 16, "maps": 8 }))
    };
    let (bytes, now) = step(200);
    let length = |of: &str| now[of].as_u64().unwrap() as usize;
    assert_eq!((length("step"), length("picture")), (200, 4 * 16 * 16));
    assert_eq!(bytes.len(), length("picture") + length("maps") + 4 * list(&begun["links"]).len());
    assert!(now["r2"].as_f64().unwrap() > 0.0, "{now}");
    // Fewer links, and all of them again.
    let prune = |keep: u64| {
        ask(&served, "train-prune", json!({ "job": job, "keep": keep, "method": "sp" })).1
    };
    assert!(prune(most / 4)["kept"].as_u64() <= Some(most / 4) && prune(most)["kept"] == most);
    let kept = prune(most / 2);
    ask(&served, "train-rate", json!({ "job": job, "lr": 0.003 }));
    let (_, now) = step(100);
    assert_has(&now, json!({ "step": 300, "kept": kept["kept"] }));
    // What is kept is a run with these weights, which the library lists and the program prunes.
    let run = served.made("/api/watched/keep", &json!({ "job": job }));
    let id = run["id"].as_str().unwrap();
    assert_eq!(served.made("/api/watched/keep", &json!({ "job": job })), run);
    let network = served.network(id);
    let r2 = |value: &Value| value["r2"].as_f64().unwrap();
    assert!((r2(&network) - r2(&now)).abs() < 1e-6, "{} {}", r2(&network), r2(&now));
    assert_eq!(network["target"], "genomes/bred_moth.json");
    assert_eq!(served.json("/api/library")["runs"][0]["id"], id);
    served.trained(&pruning(id, "magnitude", 40, 20));
    // It is trained on from its weights.
    let again = begin(&served, id, "graph");
    let (_, on) = ask(&served, "train-step", json!({ "job": again["job"], "steps": 0 }));
    assert!((r2(&on) - r2(&now)).abs() < 1e-6, "{on}");
    ask(&served, "train-end", json!({ "job": job }));
}

#[test]
fn a_score_fills_weight_by_weight_and_is_kept_as_the_command_takes_it() {
    let (root, served) = studio();
    let of = "/api/score?id=genomes/bred_moth.json";
    assert_eq!(served.json(of), Value::Null);
    let wanted =
        json!({ "id": "genomes/bred_moth.json", "samples": 400, "effect": 0.18, "size": 128 });
    let (base, begun) = ask(&served, "score", wanted);
    let job = json!({ "job": begun["job"] });
    assert_eq!(base.len(), 4 * 128 * 128);
    served.post("/api/watched/keep-score", &job).refused(400, "expected a whole score");
    let mut seen = 0;
    let score = loop {
        let (pictures, now) = ask(&served, "score-next", job.clone());
        let judged = list(&now["seen"]).iter().filter(|seen| seen["silent"] == false).count();
        assert_eq!(pictures.len(), judged * 4 * 128 * 128);
        seen += list(&now["seen"]).len() as u64;
        if !now["score"].is_null() {
            break now["score"].clone();
        }
    };
    let counted =
        ["clean", "unclear", "damaged", "silent"].map(|call| score[call].as_u64().unwrap());
    assert_eq!(counted.iter().sum::<u64>(), seen, "{score}");
    let kept = served.made("/api/watched/keep-score", &job);
    assert_eq!(kept["score"], score["score"]);
    let judged = list(&kept["judged"]);
    assert!(judged.iter().any(|j| j["call"] == "clean" || j["call"] == "damaged"), "{kept}");
    let said = root.json("score --quiet --genome genomes/bred_moth.json");
    assert_eq!(said["score"], kept["score"]);
    // It outlives the server.
    served.kill();
    assert_eq!(serve(root.path()).json(of), kept);
}
