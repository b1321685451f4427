//! The command line as scripts use it: genomes, a network from its training to its pictures, timings.

use crate::line::{Place, list};
use crate::messages::xml;
use crate::whole::assert_whole;
use serde_json::Value;

#[test]
fn a_good_xml_is_read_whatever_the_branch_says() {
    // Nodes (1, 4) and (2, 4) differ: with the branch dropped this file would have a cycle.
    let place = Place::new();
    place.write("g.xml", xml("sin", "2", ""));
    let info = place.json("genome info g.xml");
    assert_eq!((info["nodes"].as_u64(), info["links"].as_u64()), (Some(6), Some(2)));
    assert_eq!((info["depth"].as_u64(), info["acyclic"].as_bool()), (Some(2), Some(true)));
    assert_eq!(info["age"], 3);
}

#[test]
fn genomes_convert_there_and_back() {
    let place = Place::new();
    for (from, to) in
        [("mask", "a.zip"), ("a.zip", "b.xml"), ("b.xml", "c.json"), ("c.json", "d.dot")]
    {
        place.done(&format!("genome convert {from} {to}"));
    }
    let [before, after] = ["mask", "c.json"].map(|g| place.json(&format!("genome info {g}")));
    for key in ["nodes", "links", "depth", "arch", "nonzero", "activations"] {
        assert_eq!(before[key], after[key], "{key}");
    }
    assert!(place.text("d.dot").starts_with("digraph"));
}

#[test]
fn a_run_can_be_trained_pruned_scored_drawn_and_is_never_made_twice() {
    let place = Place::new();
    let train = "train --genome mask --target mask --size 24 --steps 30 --out run";
    let result = place.json(train);
    assert_eq!(result["train"]["reason"], "step-limit");
    let written = || place.at("run/result.json").metadata().unwrap().modified().unwrap();
    let before = written();
    assert_eq!(place.json(train), result, "a finished run answers again");
    assert_eq!(written(), before);
    assert_eq!(place.text("run/metrics.jsonl").lines().count(), 3);

    let links = result["links"].as_u64().unwrap();
    let pruned =
        place.json(&format!("prune run --method sp --budget {} --steps 20 --out sp", links / 2));
    assert_eq!(pruned["rounds"][0]["kept"].as_u64(), Some(links / 2));
    let magnitude = place.json("prune run --method magnitude --match sp --steps 20 --out m");
    assert_eq!(magnitude["rounds"][0]["kept"], pruned["rounds"][0]["kept"]);
    let score = place.json("score sp --samples 12");
    assert_eq!(score["weights"], 12);
    assert_eq!(score["counts"], false, "20 steps do not learn the picture");
    assert!(place.json("maps sp --out maps.png")["units"].as_u64().unwrap() > 8);
    place.done("sweep sp --samples 3 --out sweep");
    for name in ["contact-sheet.svg", "contact-sheet.png", "strips.svg", "strips.png"] {
        assert_whole(&place.at("sweep").join(name));
    }
    assert_whole(&place.at("sweep/sweep.png"));
    assert_whole(&place.at("sweep/sweep.json"));
    place.refused("score sweep", 1, &[]);
}

#[test]
fn a_score_is_timed_against_the_plain_way() {
    let timed = Place::new().json("bench score --size 8 --samples 4 --compared 2 --threads 2");
    assert_eq!((&timed["what"], &timed["size"]), (&"score".into(), &8.into()));
    let timings = list(&timed["timings"]);
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

/// The cases and their links: of a random mask a part leads nowhere; what evolved or is dense is all alive.
const TIMED: [(&str, u64, u64); 7] = [
    ("dense", 5478, 5478),
    ("conditional", 5522, 5522),
    ("sp-1404", 1404, 1327),
    ("mask-1404", 1404, 1317),
    ("mask-473", 473, 183),
    ("evolved-layerized", 147, 147),
    ("evolved-graph", 57, 57),
];

#[test]
fn steps_and_pictures_are_timed_case_by_case() {
    let place = Place::new();
    for what in ["step", "render"] {
        let line = format!("bench {what} --size 8 --seconds 0.05 --threads 2");
        let timed = place.json(&line);
        assert_eq!((&timed["what"], &timed["size"]), (&what.into(), &8.into()));
        assert_eq!(timed["threads"], 2);
        let told = |t: &Value| {
            let links = ["kept", "alive"].map(|key| t[key].as_u64().unwrap());
            (t["case"].as_str().unwrap().to_string(), links[0], links[1])
        };
        let timings = list(&timed["timings"]);
        let wanted = TIMED.map(|(name, kept, alive)| (name.to_string(), kept, alive));
        assert_eq!(timings.iter().map(told).collect::<Vec<_>>(), wanted);
        for t in timings {
            let number = |key: &str| t[key].as_f64().unwrap();
            assert!(number("calls") >= 10.0 && number("min_ms") > 0.0, "{t}");
            assert!(number("median_ms") >= number("min_ms"), "{t}");
        }

        let table = place.done(&line).out;
        let lines: Vec<Vec<&str>> =
            table.lines().map(|line| line.split_whitespace().collect()).collect();
        assert_eq!(lines[0][..3], [what, "at", "8²,"]);
        assert_eq!(lines[1], ["case", "kept", "alive", "calls", "min", "ms", "median", "ms"]);
        for (line, (name, kept, alive)) in lines[2..].iter().zip(TIMED) {
            assert_eq!(line[..3], [name, &kept.to_string()[..], &alive.to_string()]);
            assert!(line.len() == 6 && line[5].parse::<f64>().is_ok());
        }
        assert_eq!(lines.len(), 2 + TIMED.len());
    }
}

#[test]
fn random_directions_are_drawn_and_sorted() {
    let place = Place::new();
    let line = "sweep --genome mask --size 24 --samples 2 --steps 3 --directions 20 --out sweep";
    let written = place.json(&format!("{line} --delta effect:0.15"))["written"].to_string();
    for name in ["directions.svg", "directions.png", "directions.json"] {
        assert!(written.contains(name), "{name}");
        assert_whole(&place.at("sweep").join(name));
    }
    let record = place.record("sweep/directions.json");
    let effect = record["effect"].as_f64().unwrap();
    assert!((effect / 0.15 - 1.0).abs() <= 0.15, "{effect}");
    let sorted = list(&record["sorted"]).iter();
    let variances: Vec<f64> = sorted.map(|d| d["variance"].as_f64().unwrap()).collect();
    assert_eq!(variances.len(), 20);
    assert!(variances.is_sorted_by(|a, b| a >= b) && variances[19] > 0.0);
    // Of 20, the 8 most and the 8 least are drawn.
    let svg = place.text("sweep/directions.svg");
    assert!(svg.contains(">8 of 20<") && svg.contains(">13 of 20<") && !svg.contains(">9 of 20<"));
}

#[test]
fn components_of_maps_add_up_to_their_layer() {
    let place = Place::new();
    let summary = place.json("maps --genome mask --size 24 --out pca.svg --pca 50");
    let layers = list(&summary["components"]);
    assert!(!layers.is_empty());
    for layer in layers {
        let shares = list(&layer["shares"]).iter();
        let shares: Vec<f64> = shares.map(|s| s.as_f64().unwrap()).collect();
        assert!(shares.len() <= layer["maps"].as_u64().unwrap() as usize);
        assert!(shares.is_sorted_by(|a, b| a >= b));
        assert!(shares.is_empty() || (shares.iter().sum::<f64>() - 1.0).abs() < 1e-6);
    }
    assert!(place.text("pca.svg").contains("layer 1"));
}
