//! Pictures and runs of one's own: any shape, any size, side by side.

use crate::line::{json, refused, text};
use crate::whole::assert_whole;
use assert_cmd::Command;
use picloom::experiment::networks::NetworksRecord;
use picloom::network::Picture;
use picloom::run::load_run;
use picloom::study::Record;
use serde_json::Value;
use std::path::Path;

const MOTH: &str = "genomes/bred_moth.json";

/// Red left of blue, twice as wide as high.
fn wide(folder: &Path) -> std::path::PathBuf {
    let mut picture = Picture::filled(24, 12, [1.0, 0.0, 0.0]);
    for row in 0..12 {
        for column in 12..24 {
            let at = 3 * (24 * row + column);
            picture.rgb[at..at + 3].copy_from_slice(&[0.0, 0.0, 1.0]);
        }
    }
    let path = folder.join("wide.png");
    std::fs::write(&path, picture.to_png(&[])).unwrap();
    path
}

#[test]
fn what_becomes_of_a_wide_picture_is_what_was_chosen() {
    let work = tempfile::tempdir().unwrap();
    let picture = wide(work.path());
    let train = |fit: &str| {
        let out = work.path().join(fit);
        let args = ["train", "--genome", MOTH, "--target", text(&picture), "--fit", fit];
        json(&[&args[..], &["--size", "12", "--steps", "1", "--out", text(&out)]].concat());
        load_run(&out).unwrap().target
    };
    let (red, blue, white) = ([1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [1.0; 3]);
    let at = |picture: &Picture, row| [picture.at(row, 0), picture.at(row, 11)];
    let (crop, pad, squash) = (train("crop"), train("pad"), train("squash"));
    for row in [0, 6, 11] {
        assert_eq!(at(&crop, row), [red, blue]);
        assert_eq!(at(&squash, row), [red, blue]);
    }
    assert_eq!(
        [at(&pad, 2), at(&pad, 3), at(&pad, 8), at(&pad, 9)],
        [[white; 2], [red, blue], [red, blue], [white; 2]]
    );
    // The run keeps what it drew, whatever happens to the file.
    std::fs::remove_file(&picture).unwrap();
    json(&["eval", text(&work.path().join("pad"))]);
}

#[test]
fn an_evolution_run_remembers_what_became_of_its_picture() {
    let work = tempfile::tempdir().unwrap();
    let picture = wide(work.path());
    let out = work.path().join("run");
    let evolve = |more: &[&str]| {
        json(
            &[&["evolve", "--population", "6", "--size", "16", "--out", text(&out)], more].concat(),
        )
    };
    let begun = ["--target", text(&picture), "--fit", "crop", "--generations", "1"];
    let first = evolve(&begun);
    let more = evolve(&["--resume", "--generations", "2"]);
    assert_eq!(first["config_hash"], more["config_hash"]);
    assert_eq!(more["generations"], 2);
}

#[test]
fn a_trained_network_is_drawn_at_any_size() {
    let work = tempfile::tempdir().unwrap();
    let (run, out) = (work.path().join("run"), work.path().join("large.png"));
    let train = ["train", "--genome", MOTH, "--wiring", "graph", "--target", MOTH, "--size", "16"];
    json(&[&train[..], &["--steps", "3", "--out", text(&run)]].concat());
    let render = |more: &[&str]| {
        json(&[&["render", text(&run), "--out", text(&out)], more].concat());
        Picture::read(&out).unwrap()
    };
    let large = render(&["--size", "100"]);
    assert_eq!((large.width, large.height), (100, 100));
    let own = render(&[]);
    assert_eq!(own, Picture::read(&run.join("images/drawn.png")).unwrap(), "the run's own size");
    // A genome draws what `genome render` draws.
    let (ours, theirs) = (work.path().join("a.png"), work.path().join("b.png"));
    json(&["render", "--genome", MOTH, "--size", "40", "--out", text(&ours)]);
    json(&["genome", "render", MOTH, "--size", "40", "--out", text(&theirs)]);
    assert_eq!(Picture::read(&ours).unwrap(), Picture::read(&theirs).unwrap());
}

#[test]
#[ignore = "slow: cargo test -- --include-ignored"]
fn finished_runs_stand_side_by_side_in_one_report() {
    let work = tempfile::tempdir().unwrap();
    let at = |name: &str| work.path().join(name);
    let train = ["train", "--genome", MOTH, "--wiring", "graph", "--target", MOTH, "--size", "16"];
    for (name, steps) in [("short", "4"), ("long", "40")] {
        json(
            &[&train[..], &["--steps", steps, "--log-every", "1", "--out", text(&at(name))]]
                .concat(),
        );
    }
    let (short, long, out) = (at("short"), at("long"), at("both"));
    let compare = ["compare", text(&short), text(&long), "--out", text(&out)];
    let record = json(&compare);
    let names: Vec<&str> =
        record["rows"].as_array().unwrap().iter().map(|r| r["arm"].as_str().unwrap()).collect();
    assert_eq!(names, ["short", "long"]);
    let run = load_run(&long).unwrap().result;
    let r2 = record["rows"][1]["result"]["r2"].as_f64().unwrap();
    assert!((r2 - run.fit.r2).abs() < 1e-6, "{r2} {}", run.fit.r2);
    for file in ["comparison.svg", "losses.png", "study.json", "maps/1.png", "sweeps/2.png"] {
        assert_whole(&out.join(file));
    }
    assert!(NetworksRecord::read(&out).is_ok(), "the table is that of a networks study");
    let page = std::fs::read_to_string(out.join("report.html")).unwrap();
    assert!(page.contains("2 runs side by side") && !page.contains("Not the same picture"));
    let first = std::fs::read(out.join("rows.csv.gz")).unwrap();
    json(&compare);
    assert_eq!(std::fs::read(out.join("rows.csv.gz")).unwrap(), first);

    // Another picture is said; other runs do not go into the same folder.
    let other = at("other");
    let cat = ["--target", "genomes/bred_cat.json", "--size", "12", "--steps", "2"];
    json(
        &[&["train", "--genome", MOTH, "--wiring", "graph", "--out", text(&other)], &cat[..]]
            .concat(),
    );
    let error = refused(&["compare", text(&short), text(&other), "--out", text(&out)], 1);
    assert!(
        error.contains("expected a new folder, or one of a comparison of short, other"),
        "{error}"
    );
    let third = at("third");
    json(&["compare", text(&short), text(&other), "--out", text(&third)]);
    let page = std::fs::read_to_string(third.join("report.html")).unwrap();
    assert!(page.contains("Not the same picture"));

    refused(&["compare", text(&short), text(&at("both"))], 1);
}

#[test]
fn a_depth_sweep_needs_no_spec() {
    let work = tempfile::tempdir().unwrap();
    let picture = "experiments/targets/letter_a.png";
    let sweep = ["experiment", "depth-sweep", picture, "--runs", text(work.path())];
    let small = ["--size", "12", "--steps", "30", "--samples", "4"];
    let more = ["--depths", "3,1", "--seeds", "0,2"];
    let found = json(&[&sweep[..], &small, &more].concat());
    assert_eq!((&found["cells"], &found["failed"]), (&4.into(), &0.into()));
    let folder = Path::new(found["rows"].as_str().unwrap()).parent().unwrap();
    let record = NetworksRecord::read(folder).unwrap();
    let pruned = record.rows.iter().filter(|row| row.arm == "sp");
    let mut made: Vec<(usize, u64)> = pruned.map(|row| (row.layers, row.seed.unwrap())).collect();
    made.sort_unstable();
    assert_eq!(made, [(1, 0), (1, 2), (3, 0), (3, 2)]);
    for figure in found["figure"].as_array().unwrap() {
        assert_whole(Path::new(figure.as_str().unwrap()));
    }
    assert!(found["dense"]["chosen"].is_null(), "30 steps learn nothing");
}

#[test]
#[ignore = "slow: cargo test -- --include-ignored"]
fn a_printed_spec_is_run_by_experiment_run_to_the_cells_of_the_command() {
    let work = tempfile::tempdir().unwrap();
    let at = |name: &str| work.path().join(name);
    std::fs::copy(MOTH, at("moth.json")).unwrap();
    std::fs::copy("experiments/targets/face.png", at("face.png")).unwrap();
    let run = |line: &str| -> Value {
        let mut command = Command::cargo_bin("picloom").unwrap();
        let command = command.current_dir(work.path()).args(line.split_whitespace()).arg("--json");
        let output = command.output().unwrap();
        assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice(&output.stdout).unwrap()
    };
    let sweep = "experiment depth-sweep face.png --depths 1,2 --steps 30 --size 16 --samples 4";
    for (kind, line, to, inside) in [
        ("compare", "compare moth.json --steps 30 --seed 1", "--out", "runs"),
        ("depth-sweep", sweep, "--runs", ""),
        ("regime", "regime face.png --profile smoke", "--out", ""),
        (
            "distil",
            "distil moth.json --profile smoke --size 12 --steps 20 --samples 4",
            "--out",
            "",
        ),
    ] {
        let said = run(&format!("{line} --spec {kind}.toml"));
        let study = said["study"].as_str().unwrap();
        assert!(study.starts_with(kind), "{study}");
        run(&format!("experiment run {kind}.toml --store {kind}/{inside}"));
        // The command finds every cell there, and adds what it draws.
        let files = || {
            let cells = at(kind).join(inside).join(study).join("cells");
            let entries = std::fs::read_dir(cells).unwrap().map(|entry| entry.unwrap());
            let time = |e: &std::fs::DirEntry| e.metadata().unwrap().modified().unwrap();
            let mut found: Vec<_> = entries.map(|e| (e.file_name(), time(&e))).collect();
            found.sort();
            found
        };
        let before = files();
        assert!(!before.is_empty());
        run(&format!("{line} {to} {kind}"));
        // A search makes its networks part by part: each part has cells of its own beside those of the whole.
        let after = files();
        assert!(before.iter().all(|cell| after.contains(cell)), "{kind}");
        assert!(kind == "distil" || after == before, "{kind}");
    }
}
