//! Training and pruning in the background: stopped, killed, gone on with; a study.

use super::client::{Served, pruning, root, serve, studio, training, with};
use crate::cases::cases;
use crate::line::{ROOT, assert_has, list};
use serde_json::{Value, json};
use std::path::Path;

const MOTH: &str = "genomes/bred_moth.json";

/// The files of a run that must be equal, whatever interrupted it.
fn outcome(root: &Path, job: &str) -> [Vec<u8>; 2] {
    ["weights.safetensors", "result.json"]
        .map(|file| std::fs::read(root.join("runs/studio").join(job).join(file)).unwrap())
}

cases! {
    work:
    a_run_is_trained_as_it_is_wired_and_a_job_knows_what_its_file_was,
    a_study_is_shown_with_its_figures_which_can_do_nothing,
    a_training_that_collapsed_failed_and_says_what_helps,
}

#[test]
fn a_training_that_is_stopped_and_killed_ends_in_the_bits_of_one_that_is_not() {
    let whole = root();
    let served = serve(whole.path());
    let training = with(training(MOTH, "dense", 12_000, 16), json!({ "seed": 3 }));
    let job = served.begun(&training);
    served.over(&job, "finished");
    let expected = outcome(whole.path(), &job);
    drop(served);

    let (root, served) = studio();
    assert_eq!(served.begun(&training), job, "equal work is one job");
    let step = |state: &Value| state["step"].as_u64().unwrap();
    let path = format!("/api/jobs/{job}");
    served.until(&path, |state| step(state) > 200);
    served.get(&format!("/api/thumb?id=runs/studio/{job}&size=16")).ok();
    served.post(&format!("{path}/stop"), &json!({})).ok();
    let stopped = served.over(&job, "stopped");
    assert_eq!(stopped["can_resume"], true);
    assert!(step(&stopped) < 12_000);
    let held = served.json("/api/library");
    assert_eq!(held["runs"][0]["finished"], false, "{held}");
    let thumb = |served: &Served, id: &str| served.get(&format!("/api/thumb?id={id}")).ok();
    let run = format!("runs/studio/{job}");
    assert_eq!(thumb(&served, &run).header("content-type"), Some("image/png"));
    served.post(&format!("{path}/resume"), &json!({})).ok();
    let from = step(&stopped);
    served.until(&path, |state| step(state) > from + 200);
    served.kill();

    let served = serve(root.path());
    // As its checkpoint has it; one that has none yet, or a damaged one, is a tile with a word.
    assert_eq!(thumb(&served, &run).header("content-type"), Some("image/png"));
    for (file, word) in [(None, "not finished"), (Some("result.json"), "damaged")] {
        root.copy(&run, "runs/other", |name| ["picloom.json", "config.toml"].contains(&name));
        file.inspect(|file| root.write(&format!("runs/other/{file}"), "{}"));
        let tile = thumb(&served, "runs/other");
        assert_eq!(tile.header("content-type"), Some("image/svg+xml"));
        assert!(tile.text().contains(word), "{}", tile.text());
    }
    std::fs::remove_dir_all(root.at("runs/other")).unwrap();
    let wanted = json!({ "status": "stopped", "can_resume": true });
    assert_has(&served.json("/api/jobs")[0], wanted);
    assert!(!list(&served.json(&path)["curve"]).is_empty(), "what was logged is there");
    served.post(&format!("{path}/resume"), &json!({})).ok();
    let done = served.over(&job, "finished");
    assert_eq!(done["run"], format!("runs/studio/{job}"));
    assert!(outcome(root.path(), &job) == expected);
    // A finished job is answered as it is, and its run is a network like others.
    assert_eq!(served.begun(&training), job);
    let network = served.network(&format!("runs/studio/{job}"));
    assert_has(&network, json!({ "kind": "run", "target": MOTH }));
    assert!(network["r2"].is_number(), "{network}");
}

#[test]
fn a_run_is_pruned_to_a_budget_or_by_a_threshold() {
    let (root, served) = studio();
    let id = served.trained(&training(MOTH, "dense", 400, 16));
    let kept = |pruned: &str| {
        let network = served.network(pruned);
        list(&network["links"]).iter().filter(|link| link["kept"] == true).count()
    };
    assert!((1..=30).contains(&kept(&served.trained(&pruning(&id, "sp", 30, 100)))));
    // No program of the machine runs because a page, or a job's file, names it.
    let program = json!({ "kind": "prune", "id": id, "method": "cmd:touch ran", "budget": 30 });
    served.post("/api/jobs", &program).refused(400, "found a command");
    // By a threshold, as the command has it: fewer links the higher it is.
    let kept_at = |threshold: f64| {
        let work = json!({ "kind": "prune", "id": id, "method": "sp", "steps": 20 });
        kept(&served.trained(&with(work, json!({ "threshold": threshold }))))
    };
    // As many steps as its parent had, if nobody says.
    let as_long = json!({ "kind": "prune", "id": id, "method": "magnitude", "budget": 20 });
    served.over(&served.begun(&as_long), "finished");
    let (low, high) = (kept_at(0.1), kept_at(0.4));
    assert!(0 < high && high < low, "{low} {high}");
    for both in [json!({ "budget": 3, "threshold": 0.2 }), json!({})] {
        let work = with(json!({ "kind": "prune", "id": id, "method": "sp", "steps": 20 }), both);
        served.post("/api/jobs", &work).refused(400, "a budget or a threshold");
    }
    served.kill();
    let served = serve(root.path());
    let jobs = served.json("/api/jobs");
    assert!(list(&jobs).iter().all(|job| job["status"] == "finished"), "{jobs}");
    let whole = |job: &Value| job["steps"].as_u64() > Some(0) && job["step"] == job["steps"];
    assert!(list(&jobs).iter().all(whole), "{jobs}");
}

#[test]
fn a_network_of_a_study_that_did_not_learn_its_picture_says_so() {
    let root = root();
    root.copy(&format!("{ROOT}/figures/depth"), "figures/depth", |_| true);
    let study = serve(root.path()).json("/api/study?id=figures/depth");
    let rows = list(&study["rows"]).iter().filter(|row| row["r2"].is_number());
    let wrong = rows.filter(|row| row["fit"] != (row["r2"].as_f64() >= Some(0.95)));
    assert_eq!(wrong.count(), 0);
}
