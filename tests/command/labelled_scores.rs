//! `score`: one corrected by labels of a random part of its pictures (`--labels`), and networks whose score does not count.

use crate::line::{Place, list};
use crate::said::assert_says;
use serde_json::Value;

#[test]
fn labels_move_the_score_to_what_the_viewer_saw() {
    let place = Place::new();
    // Every picture called damaged.
    place.done("judge sheets bred_moth --count 24 --size 48 --out sheets");
    let lines: String = (1..=24).map(|number| format!("{number},f\n")).collect();
    place.write("sheets/answers.csv", format!("number,label\n{lines}"));
    place.done("judge labels sheets --from sheets/answers.csv");
    let line = "score --genome bred_moth --size 48 --samples all --labels sheets/labels.csv";
    let record = place.json(line);
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
    assert!(place.done(line).out.contains("from 24 labels"));
}

#[test]
fn untrained_networks_and_those_of_100_steps_are_unfit() {
    let place = Place::new();
    for (run, steps, seed, below) in
        [("a", 0, 0, 0.5), ("b", 0, 1, 0.5), ("c", 0, 2, 0.5), ("run", 100, 0, 0.95)]
    {
        let train = "train --genome mask --wiring dense --target mask --size 32";
        place.done(&format!("{train} --steps {steps} --seed {seed} --out {run}"));
        let record = place.json(&format!("score {run} --samples 12"));
        assert!(record["fit"]["r2"].as_f64().unwrap() < below, "{record}");
        // It has a score, and it is not to be read.
        assert!(record["counts"] == false && record["score"].is_number(), "{record}");
    }
    let said = place.done("score run --samples 12 --all --out card");
    assert_says(&said.out, &["UNFIT"]);
    assert_says(&place.text("card/card.svg"), &["UNFIT", "does not count"]);
}

#[test]
#[ignore = "slow: cargo test -- --include-ignored"]
fn a_trained_network_stands_beside_the_genome_that_draws_its_picture() {
    let place = Place::new();
    let train = "train --genome bred_moth --wiring dense --target bred_moth --size 16 --steps 40";
    place.done(&format!("{train} --out run"));
    place.done("prune run --method magnitude --budget 60 --steps 2 --out pruned");
    for network in ["run", "pruned"] {
        let card = place.json(&format!("score {network} --all --samples 20"));
        let measures = list(&card["measures"]);
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
