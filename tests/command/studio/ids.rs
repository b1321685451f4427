//! Ids of studio jobs that must not change: their results are kept in `runs/studio/ID`. What the other ids
//! are, and how a change of one is made known, says `tests/studies/ids.rs`.

use super::client::{studio, training, with};
use serde_json::{Value, json};

#[test]
fn studio_jobs_keep_their_ids() {
    let (_root, served) = studio();
    let train = |more: Value| with(training("genomes/bred_moth.json", "dense", 30, 12), more);
    let parent = served.trained(&train(json!({})));
    let prune = |method: &str| json!({ "kind": "prune", "id": parent, "method": method });
    let rows = [
        ("train", train(json!({})), "train-7c258f5bdf"),
        (
            "train with muon",
            train(json!({ "optimizer": "muon", "lr": 0.01, "seed": 3 })),
            "train-26ddacd29e",
        ),
        ("train a graph", train(json!({ "wiring": "graph", "size": 16 })), "train-8bf010f0c1"),
        (
            "train on another's picture",
            train(json!({ "target": "genomes/mask.json" })),
            "train-fec0a35caf",
        ),
        (
            "prune to a budget",
            with(prune("magnitude"), json!({ "budget": 40 })),
            "prune-5725a15038",
        ),
        (
            "prune by a threshold",
            with(prune("sp"), json!({ "threshold": 0.35 })),
            "prune-90237cd3db",
        ),
    ];
    let ids = rows.map(|(name, work, pinned)| (name, served.begun(&work), pinned));
    let now: String = ids.iter().map(|(name, id, _)| format!("{id}  {name}\n")).collect();
    assert!(ids.iter().all(|(_, id, pinned)| id == pinned), "ids are now:\n{now}");
}
