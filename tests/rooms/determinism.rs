//! Same config, same bits: at 1, 2 and 8 threads, and after an interruption.

use crate::answers::hold;
use crate::stop::StopAt;
use assert_cmd::Command;
use picloom::base::settings::Settings;
use picloom::genome;
use picloom::network::{Coords, Model, Wiring};
use picloom::run::{RunError, TrainJob, load_target, train_run};
use picloom::train::{StopReason, TrainConfig};
use std::path::{Path, PathBuf};

fn mask() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("genomes/mask.json")
}

/// Name and content.
type Files = Vec<(String, Vec<u8>)>;

/// The files of a run that must not depend on the circumstances, and the metrics without times.
fn files(folder: &Path) -> Files {
    let names = [
        "config.toml",
        "result.json",
        "weights.safetensors",
        "mask.json",
        "target.npz",
        "images/drawn.png",
        "images/target.png",
    ];
    let mut all: Files = names
        .iter()
        .map(|name| (name.to_string(), std::fs::read(folder.join(name)).unwrap()))
        .collect();
    let metrics = std::fs::read_to_string(folder.join("metrics.jsonl")).unwrap();
    let untimed: Vec<&str> =
        metrics.lines().map(|l| l.split(",\"seconds\"").next().unwrap()).collect();
    all.push(("metrics.jsonl".into(), untimed.join("\n").into_bytes()));
    all
}

fn assert_same(first: &Files, second: &Files, what: &str) {
    for ((name, a), (_, b)) in first.iter().zip(second) {
        let at = a.iter().zip(b).position(|(x, y)| x != y);
        assert!(a == b, "{what}: {name} differs, first at byte {at:?} of {}", a.len());
    }
}

#[test]
fn weights_records_pictures_and_scores_do_not_depend_on_the_threads() {
    let work = tempfile::tempdir().unwrap();
    let mut seen: Option<Files> = None;
    for threads in ["1", "2", "8"] {
        let out = work.path().join(threads).join("run");
        let picloom = |arguments: &[&str]| {
            let output = Command::cargo_bin("picloom")
                .unwrap()
                .args(arguments)
                .args(["--threads", threads, "--json"])
                .output()
                .unwrap();
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            output.stdout
        };
        let (genome, run) = (mask(), out.to_str().unwrap().to_string());
        let genome = genome.to_str().unwrap();
        picloom(&[
            "train", "--genome", genome, "--target", genome, "--size", "48", "--steps", "120",
            "--batch", "900", "--seed", "3", "--out", &run,
        ]);
        let (file, card) = (out.with_file_name("score.json"), out.with_file_name("card"));
        let score = ["score", &run, "--samples", "20", "--seed", "2"];
        let printed = picloom(&[&score[..], &["--out", file.to_str().unwrap()]].concat());
        picloom(&[&score[..], &["--all", "--out", card.to_str().unwrap()]].concat());
        let mut files = files(&out);
        for path in [file, card.join("card.json"), card.join("card.svg"), card.join("card.png")] {
            files.push((path.display().to_string(), std::fs::read(&path).unwrap()));
        }
        files.push(("the score".into(), printed));
        // Records name folders, which differ on purpose.
        let place = out.parent().unwrap().to_str().unwrap();
        for (_, bytes) in files.iter_mut().filter(|file| file.1.is_ascii()) {
            *bytes = String::from_utf8_lossy(bytes).replace(place, "PLACE").into_bytes();
        }
        assert_same(seen.get_or_insert(files.clone()), &files, &format!("{threads} threads"));
    }
    let files = seen.unwrap();
    let of = |end: &str| &files.iter().find(|(name, _)| name.ends_with(end)).unwrap().1;
    let record: serde_json::Value = serde_json::from_slice(of("score.json")).unwrap();
    assert_eq!((&record["seed"], &record["samples"]), (&2.into(), &"20".into()));
    assert_eq!(record["judge_model_sha256"].as_str().unwrap().len(), 64);
    assert_eq!(record["perturbations"].as_array().unwrap().len(), 40);
    assert_eq!(record["sampled"]["population"], record["non_zero"]);
    // One drawing: its own, that of the score, and one a measure.
    let card = String::from_utf8_lossy(of("card.svg"));
    assert_eq!(card.matches("<svg ").count(), 3);
    assert!(card.contains("<title>Score: how likely"));
}

#[test]
fn an_interrupted_run_goes_on_to_the_same_bits() {
    let work = tempfile::tempdir().unwrap();
    let genome = genome::read(&mask()).unwrap();
    let target = load_target(&mask(), 32, Coords::Fer, None).unwrap();
    for (wiring, optimizer) in
        [(Wiring::Dense, "adam"), (Wiring::Graph, "lbfgs"), (Wiring::Layerized, "muon")]
    {
        let job = || {
            let Model { network, mask, .. } = Model::of_genome(&genome, wiring);
            let train = TrainConfig {
                steps: 60,
                seed: 5,
                optimizer: optimizer.parse().unwrap(),
                batch: (optimizer == "adam").then_some(300),
                ..TrainConfig::default()
            };
            TrainJob::new("test", &target, Coords::Fer, (network, mask), None, Some(&genome), train)
        };
        let whole = work.path().join(format!("whole-{optimizer}"));
        train_run(&whole, job(), false, &mut ()).unwrap();
        let parts = work.path().join(format!("parts-{optimizer}"));
        for stop in [17, 18, 41] {
            let result = train_run(&parts, job(), true, &mut StopAt(stop)).unwrap();
            assert_eq!(result.train.stop, StopReason::Interrupted);
            assert!(!parts.join("result.json").exists());
        }
        let refused = train_run(&parts, job(), false, &mut ()).unwrap_err();
        assert!(matches!(&refused, RunError::Unfinished(path) if *path == parts), "{refused}");
        train_run(&parts, job(), true, &mut ()).unwrap();
        assert!(!parts.join("checkpoint.json").exists());
        assert_same(&files(&whole), &files(&parts), optimizer);
    }
}

/// A training of the mask that keeps its last state.
fn prolongable(train: TrainConfig) -> TrainJob {
    let genome = genome::read(&mask()).unwrap();
    let target = load_target(&mask(), 32, Coords::Fer, None).unwrap();
    let Model { network, mask, .. } = Model::of_genome(&genome, Wiring::Dense);
    let job = TrainJob::new("test", &target, Coords::Fer, (network, mask), None, None, train);
    TrainJob { keeps_state: true, ..job }
}

#[test]
fn a_run_of_more_steps_goes_on_from_a_shorter_one_to_the_same_bits() {
    let work = tempfile::tempdir().unwrap();
    for optimizer in ["adam", "lbfgs", "muon"] {
        let of = |steps: u64| {
            prolongable(TrainConfig {
                steps,
                seed: 5,
                optimizer: optimizer.parse().unwrap(),
                batch: (optimizer == "adam").then_some(300),
                checkpoints: vec![0.01, 0.05, 0.1],
                ..TrainConfig::default()
            })
        };
        let kept = |folder: &Path| {
            let mut all = files(folder);
            for name in ["checkpoint.json", "picloom.json"] {
                all.push((name.into(), std::fs::read(folder.join(name)).unwrap()));
            }
            all
        };
        let folder = |name: &str| work.path().join(format!("{name}-{optimizer}"));
        train_run(&folder("whole"), of(60), false, &mut ()).unwrap();
        let whole = kept(&folder("whole"));
        // A finished run, and one that is finished twice on its way.
        let parts = folder("parts");
        train_run(&parts, of(25), false, &mut ()).unwrap();
        let refused = train_run(&parts, of(60), false, &mut ()).unwrap_err().to_string();
        assert!(refused.contains("steps 60") && refused.contains("steps 25"), "{refused}");
        assert!(refused.contains("--resume"), "{refused}");
        train_run(&parts, of(41), true, &mut ()).unwrap();
        let longer = train_run(&parts, of(60), true, &mut StopAt(50)).unwrap();
        assert_eq!(longer.train.stop, StopReason::Interrupted);
        assert!(!parts.join("result.json").exists());
        train_run(&parts, of(60), true, &mut ()).unwrap();
        assert_same(&whole, &kept(&parts), optimizer);
        // An interrupted one, which is gone on with to more steps than it was begun for.
        let stopped = folder("stopped");
        train_run(&stopped, of(40), false, &mut StopAt(17)).unwrap();
        train_run(&stopped, of(60), true, &mut ()).unwrap();
        assert_same(&whole, &kept(&stopped), optimizer);
        // One that died after its folder was given the new name, before a checkpoint was written.
        let died = folder("died");
        train_run(&died, of(40), false, &mut ()).unwrap();
        std::fs::remove_file(died.join("result.json")).unwrap();
        for name in ["picloom.json", "config.toml"] {
            std::fs::copy(folder("whole").join(name), died.join(name)).unwrap();
        }
        train_run(&died, of(60), true, &mut ()).unwrap();
        assert_same(&whole, &kept(&died), optimizer);
    }
}

#[test]
fn a_run_that_is_not_the_beginning_of_another_is_refused_with_what_differs() {
    let work = tempfile::tempdir().unwrap();
    let config = TrainConfig { steps: 20, seed: 5, ..TrainConfig::default() };
    let run = work.path().join("run");
    train_run(&run, prolongable(config.clone()), false, &mut ()).unwrap();
    let refused = |folder: &Path, changes: &str| {
        let before = std::fs::read(folder.join("result.json")).unwrap();
        let train = config.with(&changes.parse().unwrap()).unwrap();
        let error = train_run(folder, prolongable(train), true, &mut ()).unwrap_err().to_string();
        assert_eq!(std::fs::read(folder.join("result.json")).unwrap(), before);
        error.replace(&work.path().display().to_string(), "")
    };
    hold("refusals/longer", |changes| {
        let begun = |name: &str, more: &str| {
            let folder = work.path().join(name);
            let train = config.with(&more.parse().unwrap()).unwrap();
            let job = TrainJob { keeps_state: name != "plain", ..prolongable(train) };
            train_run(&folder, job, false, &mut ()).unwrap();
            folder
        };
        match changes.split_once('\n') {
            Some(("of a falling rate", more)) => {
                refused(&begun("cosine", "schedule = 'cosine'"), more)
            }
            Some(("of an early end", more)) => refused(&begun("early", "target_loss = 1.0"), more),
            Some(("of a study", more)) => refused(&begun("plain", ""), more),
            _ => refused(&run, changes),
        }
    });
    // Another wiring.
    let mut job = prolongable(config.clone());
    job.config.wiring_sha256 = "0".into();
    let said = train_run(&run, job, true, &mut ()).unwrap_err().to_string();
    assert!(said.contains("links and mask sha256"), "{said}");
}
