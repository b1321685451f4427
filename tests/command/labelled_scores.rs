//! `score --labels`: a score corrected by labels of a random part of its pictures.

use crate::line::picloom;
use serde_json::Value;
use std::path::Path;

fn genome(name: &str) -> String {
    format!("{}/genomes/{name}.json", env!("CARGO_MANIFEST_DIR"))
}

/// Sheets of these genomes at 48², every picture labelled `answer`.
fn labelled(folder: &Path, genomes: &[&str], answer: &str) -> String {
    let out = folder.join("sheets").display().to_string();
    let mut args = vec!["judge", "sheets", "--count", "24", "--size", "48", "--out", &out];
    let paths: Vec<String> = genomes.iter().map(|name| genome(name)).collect();
    args.extend(paths.iter().map(String::as_str));
    assert!(picloom(&args).status.success());
    let answers = folder.join("sheets/answers.csv");
    let lines = (1..=24).map(|number| format!("{number},{answer}\n"));
    std::fs::write(&answers, "number,label\n".to_string() + &lines.collect::<String>()).unwrap();
    let from = answers.display().to_string();
    assert!(picloom(&["judge", "labels", &out, "--from", &from]).status.success());
    format!("{out}/labels.csv")
}

#[test]
fn labels_move_the_score_to_what_the_viewer_saw() {
    let folder = tempfile::tempdir().unwrap();
    let labels = labelled(folder.path(), &["bred_moth"], "f");
    let moth = genome("bred_moth");
    let score =
        ["score", "--genome", &moth, "--size", "48", "--samples", "all", "--labels", &labels];
    let out = picloom(&[&score[..], &["--json"]].concat());
    let record: Value = serde_json::from_slice(&out.stdout).unwrap();
    let corrected = &record["corrected"];
    assert_eq!(corrected["labels"], 24);
    // Whoever calls every picture damaged takes the score to 0, within the error of 24 labels.
    let found = |value: &Value| value.as_f64().unwrap();
    assert!(found(&record["score"]) > 0.2, "{record}");
    assert!(found(&corrected["correction"]) < -0.1);
    assert!(found(&corrected["interval"][0]) < 0.02, "{corrected}");
    let (low, high) = (found(&record["span"][0]), found(&record["span"][1]));
    let count = |name: &str| found(&record[name]);
    let judged = count("coherent") + count("unclear") + count("fractured");
    assert!((low - count("coherent") / judged).abs() < 1e-12);
    assert!((high - (judged - count("fractured")) / judged).abs() < 1e-12);
    let text = picloom(&score).stdout;
    assert!(String::from_utf8(text).unwrap().contains("from 24 labels"));
}

#[test]
fn labels_of_something_else_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let labels = labelled(folder.path(), &["bred_moth", "mask"], "c");
    let run = |genome_: &str, more: &[&str]| {
        let path = genome(genome_);
        let args = ["score", "--genome", &path, "--size", "48", "--labels", &labels];
        let out = picloom(&[&args[..], more].concat());
        (out.status.code(), String::from_utf8(out.stderr).unwrap())
    };
    let (code, text) = run("elite_ember", &[]);
    assert_eq!(code, Some(1));
    assert!(text.contains("expected labels of evolved_elite_ember, found"), "{text}");
    let (code, text) = run("mask", &["--delta", "effect:0.3"]);
    assert_eq!(code, Some(1));
    assert!(text.contains("here it is changed by"), "{text}");
    let (code, text) = run("mask", &["--samples", "3"]);
    assert_eq!(code, Some(1));
    assert!(text.contains("not in this sweep"), "{text}");
}
