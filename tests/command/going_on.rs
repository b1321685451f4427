//! Runs that go on, and runs that are not finished.

use crate::line::{json, picloom as run_picloom, refused, text};
use picloom::network::{Arch, Coords, Mask};
use picloom::run::{TrainJob, load_target, train_run};
use picloom::train::{TrainConfig, TrainObserver, TrainState};
use std::path::Path;
use tempfile::TempDir;

const ARCH: &str = "2;cache:2,gaussian:2,sin:2";

fn target() -> String {
    format!("{}/genomes/mask.json", env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn a_finished_training_is_gone_on_with_for_more_steps() {
    let work = TempDir::new().unwrap();
    let [short, long] = ["short", "long"].map(|name| work.path().join(name));
    let (target, mask) = (target(), "--arch");
    let args = |steps: &'static str, out: &Path| -> Vec<String> {
        let size = ["--size", "16", "--steps", steps, "--out", text(out)];
        let args = ["train", mask, ARCH, "--target", &target].into_iter().chain(size);
        args.map(String::from).collect()
    };
    let run = |steps: &'static str, out: &Path, more: &[&str]| {
        let args = args(steps, out);
        json(&args.iter().map(String::as_str).chain(more.iter().copied()).collect::<Vec<_>>())
    };
    run("300", &short, &[]);
    let plain: Vec<String> = args("500", &short);
    let said = refused(&plain.iter().map(String::as_str).collect::<Vec<_>>(), 1);
    assert!(said.contains("steps 500") && said.contains("steps 300"), "{said}");
    assert!(said.contains("add --resume to go on to 500 steps"), "{said}");
    let prolonged = run("500", &short, &["--resume"]);
    assert_eq!(prolonged, run("500", &long, &[]));
    assert_eq!(prolonged["train"]["steps"], 500);
    let same = |name: &str| {
        assert_eq!(
            std::fs::read(short.join(name)).unwrap(),
            std::fs::read(long.join(name)).unwrap()
        );
    };
    ["weights.safetensors", "config.toml", "checkpoint.json", "result.json"]
        .into_iter()
        .for_each(same);
    // It is finished: not computed again, and not taken back.
    assert_eq!(run("500", &short, &[]), prolonged);
    let back: Vec<String> = args("300", &short);
    let back: Vec<&str> = back.iter().map(String::as_str).chain(["--resume"]).collect();
    assert!(refused(&back, 1).contains("choose another --out"));
}

/// Asks to stop after some steps.
struct Stop;

impl TrainObserver for Stop {
    fn step_done(&mut self, state: &TrainState) -> bool {
        state.step < 120
    }
}

#[test]
fn an_unfinished_training_is_evaluated_and_scored_as_its_checkpoint_has_it() {
    let work = TempDir::new().unwrap();
    let run = work.path().join("run");
    let network = ARCH.parse::<Arch>().unwrap().network();
    let mask = Mask::all(network.weight_count());
    let target = load_target(target().as_ref(), 16, Coords::Fer, None).unwrap();
    let train = TrainConfig { steps: 300, ..TrainConfig::default() };
    let wired = (network, mask);
    let job = TrainJob::new("dense", &target, Coords::Fer, wired, None, None, train);
    let result = train_run(&run, job, false, &mut Stop).unwrap();
    let found = json(&["eval", text(&run)]);
    assert_eq!(found["unfinished"], serde_json::json!({ "step": 120, "steps": 300 }));
    assert_eq!(found["mse"].as_f64(), Some(result.train.final_loss));
    let said = run_picloom(&["eval", text(&run)]);
    assert!(String::from_utf8(said.stdout).unwrap().contains("step 120 of 300, not finished"));
    let score = json(&["score", text(&run), "--samples", "5"]);
    assert_eq!(score["unfinished"]["step"], 120);
    let said = run_picloom(&["score", text(&run), "--samples", "5"]);
    assert!(String::from_utf8(said.stdout).unwrap().contains("step 120 of 300, not finished"));
    // What stands in a finished network's place is refused.
    let out = work.path().join("pruned");
    let args = ["prune", text(&run), "--method", "sp", "--budget", "9", "--out", text(&out)];
    assert!(refused(&args, 1).contains("expected a finished run"));
}

#[test]
fn every_changed_weight_of_a_score_is_a_row_of_a_table() {
    let work = TempDir::new().unwrap();
    let path = work.path().join("changes.csv");
    let genome = target();
    let args =
        ["score", "--genome", &genome, "--size", "16", "--samples", "6", "--out", text(&path)];
    let record = json(&args);
    let csv = std::fs::read_to_string(&path).unwrap();
    let mut lines = csv.lines();
    let head = "network,link,layer,delta,effect,verdict,p_damaged,evidence";
    assert_eq!(lines.next(), Some(head));
    let rows: Vec<Vec<&str>> = lines.map(|line| line.split(',').collect()).collect();
    assert_eq!(rows.len(), record["perturbations"].as_array().unwrap().len());
    for (row, judged) in rows.iter().zip(record["perturbations"].as_array().unwrap()) {
        assert_eq!(row[1], judged["link"].to_string());
        assert_eq!(row[3].parse::<f64>().ok(), judged["delta"].as_f64());
        match judged["verdict"]["label"].as_str() {
            Some(label) => assert_eq!(row[5], label),
            None => assert_eq!((row[5], row[6]), ("silent", "")),
        }
    }
    // It is written again over an earlier one, and over nothing else.
    json(&args);
    std::fs::write(&path, "mine").unwrap();
    assert!(refused(&args, 1).contains("another file"));
}

#[test]
#[ignore = "slow: cargo test -- --include-ignored"]
fn a_comparison_has_the_changed_weights_of_its_networks_and_figures_for_a_paper() {
    let work = TempDir::new().unwrap();
    let out = work.path().join("compared");
    let genome = target();
    let args = ["compare", &genome, "--steps", "60", "--samples", "4", "--out", text(&out)];
    json(&args);
    let table = picloom::study::table::Table::read(&out.join("changes.csv.gz")).unwrap();
    let networks: Vec<&str> = table.column("network").unwrap().distinct().collect();
    assert!(["evolved", "dense", "layerized"].iter().all(|arm| networks.contains(arm)));
    assert!(table.column("seed").is_ok() && table.column("verdict").is_ok());
    let rows = out.join("rows.csv.gz");
    for (kind, keys) in [
        ("dots", &["--x", "arm", "--y", "score", "--horizontal"][..]),
        ("curves", &["--series", "arm"]),
    ] {
        let pdf = work.path().join(format!("{kind}.pdf"));
        let figure =
            ["plot", text(&rows), "--kind", kind, "--width", "column", "--out", text(&pdf)];
        json(&[&figure, keys].concat());
        assert!(std::fs::read(&pdf).unwrap().starts_with(b"%PDF"));
    }
}

#[test]
fn a_study_of_one_picture_says_when_it_replaces_the_results_of_other_options() {
    let work = TempDir::new().unwrap();
    let sizes = "--size 8 --samples 2";
    for (line, store) in [
        (
            format!("distil {} --profile smoke --seeds 0,1 {sizes} --minutes 0.0001", target()),
            "--out",
        ),
        (format!("experiment depth-sweep {} --depths 2 --seeds 0 {sizes}", target()), "--runs"),
    ] {
        let says = |steps: &str| {
            let store = [store, text(work.path()), "--steps", steps];
            let output = run_picloom(&line.split(' ').chain(store).collect::<Vec<_>>());
            let error = String::from_utf8(output.stderr).unwrap();
            assert!(output.status.success(), "{line}: {error}");
            error.contains("the results of other settings are replaced")
        };
        assert_eq!(["2", "2", "3"].map(says), [false, false, true], "{line}");
    }
}
