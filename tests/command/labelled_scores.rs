//! `score --labels`: a score corrected by labels of a random part of its pictures.

use crate::line::{json, picloom, text};
use serde_json::Value;
use std::path::Path;

/// Sheets of a genome at 48², every picture called damaged.
fn labelled(folder: &Path, genome: &str) -> String {
    let out = folder.join("sheets").display().to_string();
    let sheets = ["judge", "sheets", genome, "--count", "24", "--size", "48", "--out", &out];
    assert!(picloom(&sheets).status.success());
    let answers = folder.join("sheets/answers.csv");
    let lines: String = (1..=24).map(|number| format!("{number},f\n")).collect();
    std::fs::write(&answers, format!("number,label\n{lines}")).unwrap();
    let from = answers.display().to_string();
    assert!(picloom(&["judge", "labels", &out, "--from", &from]).status.success());
    format!("{out}/labels.csv")
}

#[test]
fn labels_move_the_score_to_what_the_viewer_saw() {
    let folder = tempfile::tempdir().unwrap();
    let moth = concat!(env!("CARGO_MANIFEST_DIR"), "/genomes/bred_moth.json");
    let labels = labelled(folder.path(), moth);
    let score =
        ["score", "--genome", moth, "--size", "48", "--samples", "all", "--labels", &labels];
    let out = picloom(&[&score[..], &["--json"]].concat());
    let record: Value = serde_json::from_slice(&out.stdout).unwrap();
    let corrected = &record["corrected"];
    assert_eq!(corrected["labels"], 24);
    // Whoever calls every picture damaged takes the score to 0, within the error of 24 labels.
    let found = |value: &Value| value.as_f64().unwrap();
    assert!(found(&record["score"]) > 0.2, "{record}");
    assert!(found(&corrected["correction"]) < -0.1);
    assert!(found(&corrected["interval"][0]) < 0.02, "{corrected}");
    let count = |name: &str| found(&record[name]);
    let judged = count("clean") + count("unclear") + count("damaged");
    assert!((found(&record["clean_share"]) - count("clean") / judged).abs() < 1e-12);
    let text = picloom(&score).stdout;
    assert!(String::from_utf8(text).unwrap().contains("from 24 labels"));
}

#[test]
#[ignore = "slow: cargo test -- --include-ignored"]
fn a_trained_network_stands_beside_the_genome_that_draws_its_picture() {
    let folder = tempfile::tempdir().unwrap();
    let (run, pruned) = (folder.path().join("run"), folder.path().join("pruned"));
    let moth = "genomes/bred_moth.json";
    let train = ["train", "--genome", moth, "--wiring", "dense", "--target", moth, "--size", "16"];
    json(&[&train[..], &["--steps", "40", "--out", text(&run)]].concat());
    let prune = ["prune", text(&run), "--method", "magnitude", "--budget", "60", "--steps", "2"];
    json(&[&prune[..], &["--out", text(&pruned)]].concat());
    for network in [&run, &pruned] {
        let card = json(&["score", text(network), "--all", "--samples", "20"]);
        let measures = card["measures"].as_array().unwrap();
        let main: Vec<_> =
            measures.iter().filter(|m| m["key"] == "score" || m["recommended"] == true).collect();
        assert_eq!(main.len(), 2, "{card}");
        for measure in main {
            for of in ["value", "low", "high", "null", "evolved"] {
                assert!(measure[of].is_number(), "{of} of {measure}");
            }
        }
    }
}
