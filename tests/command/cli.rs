//! The command line as scripts use it: genomes, a network from its training to its pictures, timings.

use crate::line::{Place, assert_has, list};
use serde_json::json;

#[test]
fn a_good_xml_is_read_whatever_the_branch_says() {
    // Nodes (1, 4) and (2, 4) differ: with the branch dropped this file would have a cycle.
    let place = Place::new();
    let info = place.json("genome info ROOT/tests/messages/branches.xml");
    assert_has(&info, json!({ "nodes": 6, "links": 2, "depth": 2, "acyclic": true, "age": 3 }));
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
    // 20 steps do not learn the picture.
    assert_has(&place.json("score sp --samples 12"), json!({ "weights": 12, "counts": false }));
    assert!(place.json("maps sp --out maps.png")["units"].as_u64().unwrap() > 8);
    place.done("sweep sp --samples 3 --out sweep");
    let pictures = "contact-sheet.svg contact-sheet.png strips.svg strips.png sweep.png";
    place.whole("sweep", &format!("{pictures} sweep.json"));
    place.refused("score sweep", 1, &[]);
}

#[test]
fn steps_pictures_and_scores_are_timed_case_by_case() {
    let place = Place::new();
    for (what, more, cases) in [
        ("step", "--seconds 0.05", 7),
        ("render", "--seconds 0.05", 7),
        ("score", "--samples 4 --compared 2", 2),
    ] {
        let line = format!("bench {what} --size 8 --threads 2 {more}");
        let timed = place.json(&line);
        assert_has(&timed, json!({ "what": what, "threads": 2 }));
        let timings = list(&timed["timings"]);
        assert_eq!(timings.len(), cases, "{timed}");
        // Of a random mask a part leads nowhere.
        let random = timings.iter().find(|t| t["case"] == "mask-473");
        assert!(random.is_none_or(|t| t["kept"] == 473 && t["alive"] == 183), "{timed}");
        let table = place.done(&line).out;
        for t in timings {
            let seconds = ["median_ms", "sweep_s"].into_iter().find_map(|key| t[key].as_f64());
            assert!(seconds > Some(0.0) && table.contains(t["case"].as_str().unwrap()), "{table}");
        }
    }
}

#[test]
fn random_directions_are_drawn_and_sorted() {
    let place = Place::new();
    let line = "sweep --genome mask --size 24 --samples 2 --steps 3 --directions 20 --out sweep";
    place.done(&format!("{line} --delta effect:0.15"));
    place.whole("sweep", "directions.svg directions.png");
    let record = place.record("sweep/directions.json");
    let effect = record["effect"].as_f64().unwrap();
    assert!((effect / 0.15 - 1.0).abs() <= 0.15, "{effect}");
    assert_eq!(list(&record["sorted"]).len(), 20);
    // Of 20, the 8 most and the 8 least are drawn.
    let svg = place.text("sweep/directions.svg");
    assert!(svg.contains(">8 of 20<") && svg.contains(">13 of 20<") && !svg.contains(">9 of 20<"));
}
