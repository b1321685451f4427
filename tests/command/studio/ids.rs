//! Ids of studio jobs that must not change: their results are kept in `runs/studio/ID`. What the other ids
//! are, and how a change of one is made known, says `tests/studies/ids.rs`.

use super::client::{Served, root, serve};
use serde_json::{Value, json};

#[test]
fn studio_jobs_keep_their_ids() {
    let root = root();
    let served = serve(root.path());
    let begun = |work: &Value| -> String {
        served.post("/api/jobs", work).ok().json()["job"].as_str().unwrap().to_string()
    };
    let train = |more: Value| {
        let mut work = json!({
            "kind": "train", "id": "genomes/bred_moth.json", "wiring": "dense", "steps": 30, "size": 12,
        });
        work.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        work
    };
    let score = |id: &str, wiring: &str| json!({ "kind": "score", "id": id, "wiring": wiring });
    let parent = finished(&served, &begun(&train(json!({}))));
    let prune = |method: &str| json!({ "kind": "prune", "id": parent, "method": method });
    let with = |mut work: Value, key: &str, value: Value| {
        work[key] = value;
        work
    };
    let rows = [
        ("train", train(json!({})), "train-2c2d7411c1"),
        (
            "train with muon",
            train(json!({ "optimizer": "muon", "lr": 0.01, "seed": 3 })),
            "train-276eee0939",
        ),
        ("train a graph", train(json!({ "wiring": "graph", "size": 16 })), "train-48f98c13db"),
        (
            "train on another's picture",
            train(json!({ "target": "genomes/mask.json" })),
            "train-fd727eb337",
        ),
        ("score", score("genomes/bred_moth.json", "layerized"), "score-846e20e9d3"),
        ("score a graph", score("genomes/mask.json", "graph"), "score-ef561dc9e2"),
        (
            "score some weights",
            with(score("genomes/mask.json", "dense"), "samples", json!(5)),
            "score-d9ed423589",
        ),
        (
            "score a run by a small effect",
            with(score(&parent, "graph"), "effect", json!(0.1)),
            "score-d62f5e3885",
        ),
        ("prune to a budget", with(prune("magnitude"), "budget", json!(40)), "prune-e3f56df213"),
        ("prune by a threshold", with(prune("sp"), "threshold", json!(0.35)), "prune-1aa3a003d3"),
    ];
    let ids = rows.map(|(name, work, pinned)| (name, begun(&work), pinned));
    let now: String = ids.iter().map(|(name, id, _)| format!("{id}  {name}\n")).collect();
    assert!(ids.iter().all(|(_, id, pinned)| id == pinned), "ids are now:\n{now}");
}

/// The run of a job, once it is finished.
fn finished(served: &Served, job: &str) -> String {
    served.until(&format!("/api/jobs/{job}"), |state| state["status"] == "finished");
    format!("runs/studio/{job}")
}
