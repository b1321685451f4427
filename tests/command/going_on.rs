//! Runs that go on, and runs that are not finished.

use crate::cases::cases;
use crate::line::{Place, list};
use picloom::network::{Arch, Coords, Mask};
use picloom::run::{TrainJob, load_target, train_run};
use picloom::train::{TrainConfig, TrainObserver, TrainState};

const ARCH: &str = "2;cache:2,gaussian:2,sin:2";

/// Asks to stop after some steps.
struct Stop;

impl TrainObserver for Stop {
    fn step_done(&mut self, state: &TrainState) -> bool {
        state.step < 120
    }
}

cases! {
    going_on:
    #[ignore = "slow: cargo test -- --include-ignored"]
    a_comparison_has_the_changed_weights_of_its_networks_and_figures_for_a_paper,
    a_study_of_one_picture_says_when_it_replaces_the_results_of_other_options,
}

#[test]
fn an_unfinished_training_is_evaluated_and_scored_as_its_checkpoint_has_it() {
    let place = Place::new();
    let network = ARCH.parse::<Arch>().unwrap().network();
    let mask = Mask::all(network.weight_count());
    let target = load_target("genomes/mask.json".as_ref(), 16, Coords::Fer, None).unwrap();
    let train = TrainConfig { steps: 300, ..TrainConfig::default() };
    let job = TrainJob::new("dense", &target, Coords::Fer, (network, mask), None, None, train);
    let result = train_run(&place.at("run"), job, false, &mut Stop).unwrap();
    let found = place.json("eval run");
    assert_eq!(found["mse"].as_f64(), Some(result.train.final_loss));
    for line in ["eval run", "score run --samples 5"] {
        let told = serde_json::json!({ "step": 120, "steps": 300 });
        assert_eq!(place.json(line)["unfinished"], told, "{line}");
        assert!(place.done(line).out.contains("step 120 of 300, not finished"), "{line}");
    }
    // What stands in a finished network's place is refused.
    let prune = "prune run --method sp --budget 9 --out pruned";
    place.refused(prune, 1, &["expected a finished run"]);
}

#[test]
fn every_changed_weight_of_a_score_is_a_row_of_a_table() {
    let place = Place::new();
    let line = "score --genome mask --size 16 --samples 6 --out changes.csv";
    let record = place.json(line);
    let csv = place.text("changes.csv");
    let mut lines = csv.lines();
    let head = "network,link,layer,delta,effect,verdict,p_damaged,evidence";
    assert_eq!(lines.next(), Some(head));
    let rows: Vec<Vec<&str>> = lines.map(|line| line.split(',').collect()).collect();
    let changes = list(&record["perturbations"]);
    assert_eq!(rows.len(), changes.len());
    for (row, judged) in rows.iter().zip(changes) {
        assert_eq!(row[1], judged["link"].to_string());
        assert_eq!(row[3].parse::<f64>().ok(), judged["delta"].as_f64());
        match judged["verdict"]["label"].as_str() {
            Some(label) => assert_eq!(row[5], label),
            None => assert_eq!((row[5], row[6]), ("silent", "")),
        }
    }
    // It is written again over an earlier one, and over nothing else.
    place.done(line);
    place.write("changes.csv", "mine");
    place.refused(line, 1, &["another file"]);
}
