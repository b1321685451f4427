//! Runs that go on, and runs that are not finished.

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

#[test]
#[ignore = "slow: cargo test -- --include-ignored"]
fn a_comparison_has_the_changed_weights_of_its_networks_and_figures_for_a_paper() {
    let place = Place::new();
    place.done("compare mask --steps 60 --samples 4 --out compared");
    let table = picloom::base::table::Table::read(&place.at("compared/changes.csv.gz")).unwrap();
    let networks: Vec<&str> = table.column("network").unwrap().distinct().collect();
    assert!(["evolved", "dense", "layerized"].iter().all(|arm| networks.contains(arm)));
    assert!(table.column("seed").is_ok() && table.column("verdict").is_ok());
    for keys in ["dots --x arm --y score --horizontal", "curves --series arm"] {
        let figure = "plot compared/rows.csv.gz --width column --out figure.pdf --kind";
        place.done(&format!("{figure} {keys}"));
        assert!(place.bytes("figure.pdf").starts_with(b"%PDF"));
    }
}

#[test]
fn a_study_of_one_picture_says_when_it_replaces_the_results_of_other_options() {
    let place = Place::new();
    for line in [
        "distil mask --profile smoke --seeds 0,1 --minutes 0.0001 --out a",
        "experiment depth-sweep mask --depths 2 --seeds 0 --runs b",
    ] {
        let says = |steps: u32| {
            let said = place.done(&format!("{line} --size 8 --samples 2 --steps {steps}"));
            said.error.contains("the results of other settings are replaced")
        };
        assert_eq!([2, 2, 3].map(says), [false, false, true], "{line}");
    }
}
