//! Pictures and runs of one's own: any shape, any size, side by side.

use crate::cases::cases;
use crate::line::{Place, list};
use picloom::experiment::networks::NetworksRecord;
use picloom::network::{Picture, Squaring};
use picloom::run::load_run;
use picloom::study::Record;

const TRAIN: &str = "train --genome bred_moth --wiring graph --target bred_moth --size 16";

cases! {
    own_pictures:
    an_evolution_run_remembers_what_became_of_its_picture,
    a_depth_sweep_needs_no_spec,
}

#[test]
fn what_becomes_of_a_wide_picture_is_what_was_chosen() {
    // Red left of blue, twice as wide as high.
    let mut wide = Picture::filled(24, 12, [1.0, 0.0, 0.0]);
    for row in 0..12 {
        wide.rgb[72 * row + 36..72 * (row + 1)].copy_from_slice(&[0.0, 0.0, 1.0].repeat(12));
    }
    let place = Place::new();
    place.write("wide.png", wide.to_png(&[]));
    for (fit, how) in
        [("crop", Squaring::Crop), ("pad", Squaring::Pad), ("squash", Squaring::Squash)]
    {
        let line = "train --genome bred_moth --target wide.png --size 12 --steps 1";
        place.done(&format!("{line} --fit {fit} --out {fit}"));
        assert_eq!(load_run(&place.at(fit)).unwrap().target, wide.squared(12, how), "{fit}");
    }
    // The run keeps what it drew, whatever happens to the file.
    std::fs::remove_file(place.at("wide.png")).unwrap();
    place.done("eval pad");
}

#[test]
fn a_trained_network_is_drawn_at_any_size() {
    let place = Place::new();
    place.done(&format!("{TRAIN} --steps 3 --out run"));
    let render = |more: &str| {
        place.done(&format!("render run --out drawn.png {more}"));
        Picture::read(&place.at("drawn.png")).unwrap()
    };
    let large = render("--size 100");
    assert_eq!((large.width, large.height), (100, 100));
    let own = Picture::read(&place.at("run/images/drawn.png")).unwrap();
    assert_eq!(render(""), own, "the run's own size");
}

#[test]
#[ignore = "slow: cargo test -- --include-ignored"]
fn finished_runs_stand_side_by_side_in_one_report() {
    let place = Place::new();
    for (name, steps) in [("short", 4), ("long", 40)] {
        place.done(&format!("{TRAIN} --steps {steps} --log-every 1 --out {name}"));
    }
    let compare = "compare short long --out both";
    let record = place.json(compare);
    let names: Vec<&str> =
        list(&record["rows"]).iter().map(|r| r["arm"].as_str().unwrap()).collect();
    assert_eq!(names, ["short", "long"]);
    let run = load_run(&place.at("long")).unwrap().result;
    let r2 = record["rows"][1]["result"]["r2"].as_f64().unwrap();
    assert!((r2 - run.fit.r2).abs() < 1e-6, "{r2} {}", run.fit.r2);
    place.whole("both", "comparison.svg losses.png study.json maps/1.png sweeps/2.png");
    let table = NetworksRecord::read(&place.at("both"));
    assert!(table.is_ok(), "the table is that of a networks study");
    let page = place.text("both/report.html");
    assert!(page.contains("2 runs side by side") && !page.contains("Not the same picture"));
    let first = place.bytes("both/rows.csv.gz");
    place.done(compare);
    assert_eq!(place.bytes("both/rows.csv.gz"), first);

    // Another picture is said; other runs do not go into the same folder.
    let other = "train --genome bred_moth --wiring graph --target bred_cat --size 12 --steps 2";
    place.done(&format!("{other} --out other"));
    let said = "expected a new folder, or one of a comparison of short, other";
    place.refused("compare short other --out both", 1, &[said]);
    place.done("compare short other --out third");
    assert!(place.text("third/report.html").contains("Not the same picture"));
    place.refused("compare short both", 1, &[]);
}

#[test]
#[ignore = "slow: cargo test -- --include-ignored"]
fn a_printed_spec_is_run_by_experiment_run_to_the_cells_of_the_command() {
    let place = Place::with(&["genomes/bred_moth.json", "experiments/targets/face.png"]);
    let sweep = "experiment depth-sweep face.png --depths 1,2 --steps 30 --size 16 --samples 4";
    let distil = "distil bred_moth.json --profile smoke --size 12 --steps 20 --samples 4";
    for (kind, line, to, inside) in [
        ("compare", "compare bred_moth.json --steps 30 --seed 1", "--out", "runs"),
        ("depth-sweep", sweep, "--runs", ""),
        ("regime", "regime face.png --profile smoke", "--out", ""),
        ("distil", distil, "--out", ""),
    ] {
        let said = place.json(&format!("{line} --spec {kind}.toml"));
        let study = said["study"].as_str().unwrap();
        assert!(study.starts_with(kind), "{study}");
        place.done(&format!("experiment run {kind}.toml --store {kind}/{inside}"));
        // The command finds every cell there, and adds what it draws.
        let files = || {
            let cells = place.at(kind).join(inside).join(study).join("cells");
            let entries = std::fs::read_dir(cells).unwrap().map(|entry| entry.unwrap());
            let time = |e: &std::fs::DirEntry| e.metadata().unwrap().modified().unwrap();
            let mut found: Vec<_> = entries.map(|e| (e.file_name(), time(&e))).collect();
            found.sort();
            found
        };
        let before = files();
        assert!(!before.is_empty());
        place.done(&format!("{line} {to} {kind}"));
        // A search makes its networks part by part: each part has cells of its own beside those of the whole.
        let after = files();
        assert!(before.iter().all(|cell| after.contains(cell)), "{kind}");
        assert!(kind == "distil" || after == before, "{kind}");
    }
}
