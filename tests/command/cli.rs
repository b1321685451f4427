//! The command line as scripts use it: results, exit codes, and bad input refused with path,
//! expected and found, nothing half-written.

use crate::line::{json, picloom, refused, text};
use crate::messages::xml;
use crate::whole::assert_whole;
use serde_json::Value;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

fn mask() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("genomes/mask.json")
}

#[test]
fn a_good_xml_is_read_whatever_the_branch_says() {
    // Nodes (1, 4) and (2, 4) differ: with the branch dropped this file would have a cycle.
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("g.xml");
    std::fs::write(&path, xml("sin", "2", "")).unwrap();
    let info = json(&["genome", "info", text(&path)]);
    assert_eq!((info["nodes"].as_u64(), info["links"].as_u64()), (Some(6), Some(2)));
    assert_eq!((info["depth"].as_u64(), info["acyclic"].as_bool()), (Some(2), Some(true)));
    assert_eq!(info["age"], 3);
}

#[test]
fn genomes_convert_there_and_back() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name);
    for (from, to) in [
        (mask(), "a.zip"),
        (path("a.zip"), "b.xml"),
        (path("b.xml"), "c.json"),
        (path("c.json"), "d.dot"),
    ] {
        json(&["genome", "convert", text(&from), text(&path(to))]);
    }
    let (before, after) = (
        json(&["genome", "info", text(&mask())]),
        json(&["genome", "info", text(&path("c.json"))]),
    );
    for key in ["nodes", "links", "depth", "arch", "nonzero", "activations"] {
        assert_eq!(before[key], after[key], "{key}");
    }
    assert!(std::fs::read_to_string(path("d.dot")).unwrap().starts_with("digraph"));
    for name in ["one.png", "two.png"] {
        json(&["genome", "render", text(&mask()), "--size", "32", "--out", text(&path(name))]);
    }
    assert_eq!(std::fs::read(path("one.png")).unwrap(), std::fs::read(path("two.png")).unwrap());
}

#[test]
fn a_run_can_be_trained_pruned_scored_drawn_and_is_never_made_twice() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_string();
    let mask = mask();
    let train = |steps: &str, out: &str| {
        vec![
            "train".to_string(),
            "--genome".into(),
            text(&mask).into(),
            "--target".into(),
            text(&mask).into(),
            "--size".into(),
            "24".into(),
            "--steps".into(),
            steps.into(),
            "--out".into(),
            path(out),
        ]
    };
    let args = train("30", "run");
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let result = json(&args);
    assert_eq!(result["train"]["reason"], "step-limit");
    let written =
        std::fs::metadata(folder.path().join("run/result.json")).unwrap().modified().unwrap();
    assert_eq!(json(&args), result, "a finished run answers again");
    assert_eq!(
        std::fs::metadata(folder.path().join("run/result.json")).unwrap().modified().unwrap(),
        written
    );
    let metrics = std::fs::read_to_string(folder.path().join("run/metrics.jsonl")).unwrap();
    assert_eq!(metrics.lines().count(), 3);

    let other = train("31", "run");
    let other: Vec<&str> = other.iter().map(String::as_str).collect();
    refused(&other, 1);

    let links = result["links"].as_u64().unwrap();
    let budget = (links / 2).to_string();
    let pruned = json(&[
        "prune",
        &path("run"),
        "--method",
        "sp",
        "--budget",
        &budget,
        "--steps",
        "20",
        "--out",
        &path("sp"),
    ]);
    assert_eq!(pruned["rounds"][0]["kept"].as_u64(), Some(links / 2));
    let magnitude = json(&[
        "prune",
        &path("run"),
        "--method",
        "magnitude",
        "--match",
        &path("sp"),
        "--steps",
        "20",
        "--out",
        &path("m"),
    ]);
    assert_eq!(magnitude["rounds"][0]["kept"], pruned["rounds"][0]["kept"]);
    let score = json(&["score", &path("sp"), "--samples", "12"]);
    assert_eq!(score["weights"], 12);
    assert_eq!(score["counts"], false, "20 steps do not learn the picture");
    let maps = json(&["maps", &path("sp"), "--out", &path("maps.png")]);
    assert!(maps["units"].as_u64().unwrap() > 8);
    json(&["sweep", &path("sp"), "--samples", "3", "--out", &path("sweep")]);
    for name in [
        "contact-sheet.svg",
        "contact-sheet.png",
        "strips.svg",
        "strips.png",
        "sweep.png",
        "sweep.json",
    ] {
        assert_whole(&folder.path().join("sweep").join(name));
    }
    refused(&["score", &path("sweep")], 1);
}

#[test]
fn a_score_is_timed_against_the_plain_way() {
    let timed = json(&[
        "bench",
        "score",
        "--size",
        "8",
        "--samples",
        "4",
        "--compared",
        "2",
        "--threads",
        "2",
    ]);
    assert_eq!((&timed["what"], &timed["size"]), (&"score".into(), &8.into()));
    let timings = timed["timings"].as_array().unwrap();
    let names: Vec<_> = timings.iter().map(|t| t["case"].as_str().unwrap()).collect();
    assert_eq!(names, ["evolved-graph", "dense"]);
    for t in timings {
        assert_eq!((t["weights"].as_u64(), t["compared"].as_u64()), (Some(4), Some(2)));
        let [sweep, afresh, incremental, ratio] =
            ["sweep_s", "afresh_s", "incremental_s", "ratio"].map(|k| t[k].as_f64().unwrap());
        assert!(sweep > 0.0 && incremental > 0.0);
        assert!((ratio * incremental / afresh - 1.0).abs() < 1e-9);
        // A judge has a time exactly if it had a picture.
        assert_eq!(t["judge_ms"].is_null(), t["silent"].as_u64() == Some(8));
    }
}

#[test]
fn steps_and_pictures_are_timed_case_by_case() {
    const NAMES: [&str; 7] = [
        "dense",
        "conditional",
        "sp-1404",
        "mask-1404",
        "mask-473",
        "evolved-layerized",
        "evolved-graph",
    ];
    // Of a random mask a part leads nowhere; what evolved or is dense is all alive.
    const LINKS: [(u64, u64); 7] =
        [(5478, 5478), (5522, 5522), (1404, 1327), (1404, 1317), (473, 183), (147, 147), (57, 57)];
    for what in ["step", "render"] {
        let run = ["bench", what, "--size", "8", "--seconds", "0.05"];
        let run = [&run[..], &["--threads", "2"]].concat();
        let timed = json(&run);
        assert_eq!(
            (&timed["what"], &timed["size"], &timed["threads"]),
            (&what.into(), &8.into(), &2.into())
        );
        let timings = timed["timings"].as_array().unwrap();
        for ((t, name), links) in timings.iter().zip(NAMES).zip(LINKS) {
            assert_eq!(t["case"], name);
            let number = |key: &str| t[key].as_f64().unwrap();
            assert_eq!(
                (t["kept"].as_u64(), t["alive"].as_u64()),
                (Some(links.0), Some(links.1)),
                "{name}"
            );
            assert!(number("calls") >= 10.0 && number("min_ms") > 0.0, "{name}");
            assert!(number("median_ms") >= number("min_ms"), "{name}");
        }
        assert_eq!(timings.len(), NAMES.len());

        let output = picloom(&run);
        assert!(output.status.success());
        let table = String::from_utf8(output.stdout).unwrap();
        let lines: Vec<Vec<&str>> =
            table.lines().map(|line| line.split_whitespace().collect()).collect();
        assert_eq!(lines[0][..3], [what, "at", "8²,"]);
        assert_eq!(lines[1], ["case", "kept", "alive", "calls", "min", "ms", "median", "ms"]);
        for ((line, name), (kept, alive)) in lines[2..].iter().zip(NAMES).zip(LINKS) {
            assert_eq!(line[..3], [name, &kept.to_string()[..], &alive.to_string()]);
            assert!(line.len() == 6 && line[5].parse::<f64>().is_ok());
        }
        assert_eq!(lines.len(), 2 + NAMES.len());
    }
}

#[test]
fn random_directions_are_drawn_sorted_and_refused_without_an_effect_to_match() {
    let folder = TempDir::new().unwrap();
    let out = folder.path().join("sweep");
    let mask = mask();
    let run = [
        "sweep",
        "--genome",
        text(&mask),
        "--size",
        "24",
        "--samples",
        "2",
        "--steps",
        "3",
        "--directions",
        "20",
        "--out",
        text(&out),
        "--delta",
    ];
    let with = |delta: &'static str| [&run[..], &[delta]].concat();
    let summary = json(&with("effect:0.15"));
    let written = summary["written"].to_string();
    for name in ["directions.svg", "directions.png", "directions.json"] {
        assert!(written.contains(name), "{name}");
        assert_whole(&out.join(name));
    }
    let record = std::fs::read_to_string(out.join("directions.json")).unwrap();
    let record: Value = serde_json::from_str(&record).unwrap();
    let effect = record["effect"].as_f64().unwrap();
    assert!((effect / 0.15 - 1.0).abs() <= 0.15, "{effect}");
    let sorted = record["sorted"].as_array().unwrap().iter();
    let variances: Vec<f64> = sorted.map(|d| d["variance"].as_f64().unwrap()).collect();
    assert_eq!(variances.len(), 20);
    assert!(variances.windows(2).all(|v| v[0] >= v[1]) && variances[19] > 0.0);
    // Of 20, the 8 most and the 8 least are drawn.
    let svg = std::fs::read_to_string(out.join("directions.svg")).unwrap();
    assert!(svg.contains(">8 of 20<") && svg.contains(">13 of 20<"));
    assert!(!svg.contains(">9 of 20<"));
}

#[test]
fn components_of_maps_add_up_to_their_layer() {
    let folder = TempDir::new().unwrap();
    let out = folder.path().join("pca.svg");
    let mask = mask();
    let run = ["maps", "--genome", text(&mask), "--size", "24", "--out", text(&out), "--pca"];
    let with = |count: &'static str| [&run[..], &[count]].concat();
    let summary = json(&with("50"));
    let layers = summary["components"].as_array().unwrap();
    assert!(!layers.is_empty());
    for layer in layers {
        let shares = layer["shares"].as_array().unwrap().iter();
        let shares: Vec<f64> = shares.map(|s| s.as_f64().unwrap()).collect();
        assert!(shares.len() <= layer["maps"].as_u64().unwrap() as usize);
        assert!(shares.windows(2).all(|s| s[0] >= s[1]));
        assert!(shares.is_empty() || (shares.iter().sum::<f64>() - 1.0).abs() < 1e-6);
    }
    assert!(std::fs::read_to_string(&out).unwrap().contains("layer 1"));
}
