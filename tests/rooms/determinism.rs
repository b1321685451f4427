//! Same config, same bits: at 1, 2 and 8 threads, and after an interruption.

use assert_cmd::Command;
use picloom::genome;
use picloom::network::{Coords, Model, Wiring};
use picloom::run::{RunError, TrainJob, load_target, train_run};
use picloom::train::{StopReason, TrainConfig, TrainObserver, TrainState};
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
    let mut seen: Option<(Files, Vec<u8>)> = None;
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
        let score = picloom(&["score", &run, "--samples", "20"]);
        // The record names the folder, which differs on purpose.
        let score = String::from_utf8(score).unwrap().replace(&run, "RUN").into_bytes();
        let files = files(&out);
        match &seen {
            None => seen = Some((files, score)),
            Some((first, first_score)) => {
                assert_same(first, &files, &format!("{threads} threads"));
                assert!(*first_score == score, "{threads} threads: the score differs");
            }
        }
    }
}

/// Asks to stop after a number of steps.
struct StopAfter(u64);

impl TrainObserver for StopAfter {
    fn step_done(&mut self, state: &TrainState) -> bool {
        state.step < self.0
    }
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
            let result = train_run(&parts, job(), true, &mut StopAfter(stop)).unwrap();
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
        let longer = train_run(&parts, of(60), true, &mut StopAfter(50)).unwrap();
        assert_eq!(longer.train.stop, StopReason::Interrupted);
        assert!(!parts.join("result.json").exists());
        train_run(&parts, of(60), true, &mut ()).unwrap();
        assert_same(&whole, &kept(&parts), optimizer);
        // An interrupted one, which is gone on with to more steps than it was begun for.
        let stopped = folder("stopped");
        train_run(&stopped, of(40), false, &mut StopAfter(17)).unwrap();
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
    let refused = |folder: &Path, train: TrainConfig| {
        let before = std::fs::read(folder.join("result.json")).unwrap();
        let error = train_run(folder, prolongable(train), true, &mut ()).unwrap_err().to_string();
        assert_eq!(std::fs::read(folder.join("result.json")).unwrap(), before);
        error
    };
    let mut other = TrainConfig { seed: 6, ..config.clone() };
    other.schedule.lr = 0.01;
    other.optimizer = "muon:steps=7".parse().unwrap();
    let said = refused(&run, other);
    let expected = "a run with seed 6, optimizer muon:steps=7, lr 0.01, found a run with seed 5, optimizer adam, lr 0.003";
    assert!(said.contains(expected), "{said}");
    // More steps and something else: not its beginning.
    let said = refused(&run, TrainConfig { steps: 30, collapse_after: 7, ..config.clone() });
    assert!(
        said.contains("steps 30, collapse_after 7") && said.contains("another --out"),
        "{said}"
    );
    let said = refused(&run, TrainConfig { steps: 10, ..config.clone() });
    assert!(said.contains("steps 10") && said.contains("another --out"), "{said}");
    // Another wiring.
    let mut job = prolongable(config.clone());
    job.config.wiring_sha256 = "0".into();
    let said = train_run(&run, job, true, &mut ()).unwrap_err().to_string();
    assert!(said.contains("links and mask sha256"), "{said}");
    // A rate that depends on all steps.
    let falling = |steps: u64| {
        let mut train = TrainConfig { steps, ..config.clone() };
        train.schedule.shape = "cosine".parse().unwrap();
        train
    };
    let cosine = work.path().join("cosine");
    train_run(&cosine, prolongable(falling(20)), false, &mut ()).unwrap();
    assert!(refused(&cosine, falling(30)).contains("cosine schedule"));
    // One that ended for another reason.
    let reached = |steps: u64| TrainConfig { steps, target_loss: Some(1.0), ..config.clone() };
    let early = work.path().join("early");
    train_run(&early, prolongable(reached(20)), false, &mut ()).unwrap();
    assert!(refused(&early, reached(30)).contains("more steps change nothing"));
    // One of a study, which keeps no state.
    let plain = work.path().join("plain");
    let job = TrainJob { keeps_state: false, ..prolongable(config.clone()) };
    train_run(&plain, job, false, &mut ()).unwrap();
    assert!(refused(&plain, TrainConfig { steps: 30, ..config }).contains("was not kept"));
}

#[test]
#[cfg(unix)]
fn ctrl_c_leaves_a_checkpoint_that_resumes() {
    let work = tempfile::tempdir().unwrap();
    let (genome, run) = (mask(), work.path().join("run"));
    let start = |resume: bool, steps: &str| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_picloom"));
        command.args(["train", "--size", "32", "--steps", steps, "--genome"]);
        command.arg(&genome).arg("--target").arg(&genome).arg("--out").arg(&run);
        if resume {
            command.arg("--resume");
        }
        command.stderr(std::process::Stdio::piped()).stdout(std::process::Stdio::null());
        command.spawn().unwrap()
    };
    let mut child = start(false, "100000000");
    let logged = || std::fs::metadata(run.join("metrics.part.jsonl")).map_or(0, |m| m.len());
    while logged() == 0 {
        assert!(child.try_wait().unwrap().is_none(), "it is still training");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let kill = std::process::Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status()
        .unwrap();
    assert!(kill.success());
    let output = child.wait_with_output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{error}");
    assert!(run.join("checkpoint.json").exists() && !run.join("result.json").exists());
    // Another config in the same folder is refused, with the checkpoint untouched.
    let before = std::fs::read(run.join("checkpoint.json")).unwrap();
    let output = start(true, "5").wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(std::fs::read(run.join("checkpoint.json")).unwrap(), before);
}
