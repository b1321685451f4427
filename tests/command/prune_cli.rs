//! `picloom prune` as scripts use it: the commands of `docs/PRUNING.md` word for word, the pictures of
//! a round, weights without a run, and what is refused.

use crate::whole::assert_whole;
use assert_cmd::Command;
use serde_json::Value;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

const ARCH: &str = "5;cache:5,gaussian:4,identity:2,sigmoid:2";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn picloom(folder: &Path, args: &[&str]) -> std::process::Output {
    let mut command = Command::cargo_bin("picloom").unwrap();
    command.current_dir(folder).args(args).output().unwrap()
}

fn json(folder: &Path, args: &[&str]) -> Value {
    let args: Vec<&str> = args.iter().copied().chain(["--json"]).collect();
    let output = picloom(folder, &args);
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{args:?}: {error}");
    serde_json::from_slice(&output.stdout).unwrap()
}

/// A folder with the genome `mask.json`, and a run of it in `dense`.
fn dense() -> (TempDir, PathBuf) {
    let folder = TempDir::new().unwrap();
    let path = folder.path().to_path_buf();
    std::fs::copy(root().join("genomes/mask.json"), path.join("mask.json")).unwrap();
    let result = json(
        &path,
        &[
            "train",
            "--genome",
            "mask.json",
            "--target",
            "mask.json",
            "--size",
            "16",
            "--steps",
            "120",
            "--seed",
            "1",
            "--out",
            "dense",
        ],
    );
    assert_eq!(result["links"], 767);
    (folder, path)
}

/// `tests/tour/run` runs the commands of docs/PRUNING.md; this is what it says of a round's folder.
#[test]
#[ignore = "slow: cargo test -- --include-ignored"]
fn the_folder_of_a_round_holds_what_the_page_says() {
    let work = TempDir::new().unwrap();
    std::fs::create_dir(work.path().join("genomes")).unwrap();
    std::fs::copy(root().join("genomes/mask.json"), work.path().join("genomes/mask.json")).unwrap();
    for line in [
        "train --genome genomes/mask.json --target genomes/mask.json --size 16 --steps 60 --out runs/dense",
        "prune runs/dense --method sp:weighted=false --threshold 0.35,0.75 --steps 20 --out runs/sp-twice",
        "prune runs/dense --method imp --rounds 2 --retrain rewind:20 --steps 20 --out runs/imp --no-pictures",
        "prune runs/dense --method sparse-training --match runs/sp-twice --steps 60 --out runs/sparse",
        "prune runs/dense --method swarm:particles=4,moves=3 --match runs/sp-twice --steps 20 --out runs/swarm",
    ] {
        let output = picloom(work.path(), &line.split(' ').collect::<Vec<_>>());
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{line}\n{error}");
    }
    for folder in ["runs/sp-twice/round-1", "runs/sp-twice", "runs/swarm"] {
        for file in [
            "config.toml",
            "metrics.jsonl",
            "result.json",
            "mask.json",
            "weights.safetensors",
            "start.safetensors",
            "pruning.json",
            "images/wiring.svg",
            "images/wiring.png",
            "images/change.svg",
            "images/change.png",
            "images/maps-before.png",
            "images/maps-after.png",
        ] {
            assert_whole(&work.path().join(folder).join(file));
        }
    }
    assert!(!work.path().join("runs/imp/images/wiring.png").exists());
    for command in [
        vec!["score", "runs/sparse", "--samples", "6"],
        vec!["maps", "runs/swarm", "--out", "maps.png"],
        vec!["eval", "runs/sparse"],
        vec!["sweep", "runs/swarm", "--samples", "2", "--out", "sweep"],
    ] {
        let output = picloom(work.path(), &command);
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{command:?}\n{error}");
    }
}

#[test]
fn the_picture_of_a_change_counts_what_went_and_what_stayed() {
    let (_keep, folder) = dense();
    let args = ["prune", "dense", "--budget", "400", "--steps", "5", "--out", "sp"];
    let summary = json(&folder, &args);
    assert_eq!(summary["rounds"][0]["removed"], 367);
    let svg = std::fs::read_to_string(folder.join("sp/images/change.svg")).unwrap();
    for words in ["367 of 767 links removed", "367 removed", "400 kept"] {
        assert!(svg.contains(words), "{words}");
    }
    let group = |colour: &str| -> usize {
        let start = svg.find(&format!("<g fill=\"none\" stroke=\"{colour}\"")).unwrap();
        let start = start + svg[start..].find("stroke-opacity").unwrap();
        let end = svg[start..].find("</g>").unwrap();
        svg[start..start + end].matches("<path ").count()
    };
    assert_eq!((group("#f0a096"), group("#464e58")), (367, 400));
    // The wiring shows what is alive.
    let alive = summary["rounds"][0]["alive"].as_u64().unwrap() as usize;
    let svg = std::fs::read_to_string(folder.join("sp/images/wiring.svg")).unwrap();
    let curves = svg.lines().filter(|l| l.starts_with("<path d=\"M") && l.contains('C'));
    assert_eq!(curves.count(), alive);
    assert!(svg.contains("400 of 767 links kept"));
}

#[test]
fn weights_without_a_run_are_pruned_as_the_run_they_are_from() {
    let (_keep, folder) = dense();
    let given = |more: &[&str]| {
        let args = [
            "prune",
            "--arch",
            ARCH,
            "--params",
            "dense/weights.safetensors",
            "--target",
            "mask.json",
            "--size",
            "16",
            "--no-pictures",
        ];
        let args: Vec<&str> = args.iter().chain(more).copied().collect();
        json(&folder, &args)
    };
    let read = |path: &str| std::fs::read(folder.join(path)).unwrap();
    let from_run = |more: &[&str]| {
        let args: Vec<&str> =
            ["prune", "dense", "--no-pictures"].iter().chain(more).copied().collect();
        json(&folder, &args)
    };
    let plan = ["--budget", "300", "--steps", "10", "--out"];
    given(&[&plan[..], &["a"]].concat());
    from_run(&[&plan[..], &["b"]].concat());
    assert_eq!(read("a/mask.json"), read("b/mask.json"));
    assert_eq!(read("a/weights.safetensors"), read("b/weights.safetensors"));
    // A mask of the run, and the first weights, from which rewinding is the same.
    let zero = [
        "train",
        "--genome",
        "mask.json",
        "--target",
        "mask.json",
        "--size",
        "16",
        "--steps",
        "0",
        "--seed",
        "1",
        "--out",
        "first",
    ];
    json(&folder, &zero);
    let imp = ["--method", "imp", "--budget", "700", "--steps", "10", "--out"];
    let initial = ["--initial", "first/weights.safetensors", "--mask", "dense/mask.json"];
    given(&[&initial[..], &imp[..], &["c"]].concat());
    from_run(&[&imp[..], &["d"]].concat());
    assert_eq!(read("c/weights.safetensors"), read("d/weights.safetensors"));
}

#[test]
fn weights_of_removed_links_are_not_there() {
    let (_keep, folder) = dense();
    json(&folder, &["prune", "dense", "--budget", "300", "--steps", "1", "--out", "half"]);
    let given = |params: &str, out: &str| {
        let args = ["prune", "--arch", ARCH, "--target", "mask.json", "--size", "16"];
        let more = ["--mask", "half/mask.json", "--budget", "200", "--steps", "0"];
        let weights = ["--no-pictures", "--params", params, "--out", out];
        json(&folder, &[&args[..], &more, &weights].concat());
        std::fs::read(folder.join(out).join("weights.safetensors")).unwrap()
    };
    // The retrained weights of what is kept; those of the dense network are not 0 where it was pruned.
    json(&folder, &["prune", "dense", "--budget", "300", "--steps", "0", "--out", "masked"]);
    let masked = given("masked/weights.safetensors", "a");
    assert_eq!(masked, given("dense/weights.safetensors", "b"));
}

#[test]
fn controls_copy_what_is_alive_of_a_run_of_the_same_arch() {
    let (_keep, folder) = dense();
    let prune = |line: &str| {
        let line: Vec<&str> = ["prune"].into_iter().chain(line.split(' ')).collect();
        json(&folder, &[&line[..], &["--steps", "1", "--no-pictures"]].concat())
    };
    // Hard enough that not all that is kept is alive.
    prune("dense --budget 60 --out sp");
    let text = |path: &str| std::fs::read_to_string(folder.join(path)).unwrap();
    let rounds =
        |of: &str| -> Value { serde_json::from_str(&text(&format!("{of}/pruning.json"))).unwrap() };
    let count = |of: &str, what: &str| rounds(of)[what].as_u64().unwrap();
    let alive = count("sp", "alive");
    assert!(alive < 60, "{alive}");
    for method in ["layer-counts", "rewired"] {
        prune(&format!("dense --method {method} --match sp --refill --out {method}"));
        assert_eq!((count(method, "kept"), count(method, "alive")), (alive, alive), "{method}");
    }
}

#[test]
fn arms_end_at_the_same_fit_when_asked() {
    let keep = TempDir::new().unwrap();
    let folder = keep.path().to_path_buf();
    let face = root().join("experiments/targets/face.png");
    std::fs::copy(face, folder.join("face.png")).unwrap();
    let train = [
        "train",
        "--arch",
        "3;cache:6,gaussian:4,sin:4",
        "--target",
        "face.png",
        "--size",
        "16",
        "--steps",
        "200",
        "--out",
        "dense",
    ];
    json(&folder, &train);
    for method in ["magnitude", "sp", "sparse-training", "imp"] {
        let args = [
            "prune",
            "dense",
            "--method",
            method,
            "--budget",
            "250",
            "--steps",
            "4000",
            "--target-loss",
            "0.015",
            "--no-pictures",
            "--out",
            method,
        ];
        let summary = json(&folder, &args);
        let result: Value = serde_json::from_slice(
            &std::fs::read(folder.join(method).join("result.json")).unwrap(),
        )
        .unwrap();
        assert_eq!(result["train"]["reason"], "target-loss", "{method}");
        assert!(summary["final_loss"].as_f64().unwrap() <= 0.015, "{method}");
        assert!(result["train"]["steps"].as_u64().unwrap() < 4000, "{method}");
    }
}
