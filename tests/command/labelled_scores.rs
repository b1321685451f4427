//! `score`: one corrected by labels of a random part of its pictures (`--labels`), and networks whose score does not count.

use crate::cases::cases;
use crate::line::{Place, list};
use serde_json::Value;

cases! {
    labelled_scores:
    untrained_networks_and_those_of_100_steps_are_unfit,
}

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
