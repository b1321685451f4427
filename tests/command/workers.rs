//! Workers of a study: their records have the bytes of a local run, a failed cell is tried again by the next worker,
//! and a worker that is told to end holds no cell. `tests/crash/run` stops and kills them, and gives them full disks.

use crate::cases::cases;
use crate::line::{Place, Said, assert_has, signal, until};
use crate::said::assert_says;
use picloom::base::folder::FolderKind;
use serde_json::json;
use std::path::Path;
use std::process::Stdio;

/// A study of eight chains of one network that is over in a second.
const SMALL: &str = include_str!("../specs/eight.toml");

/// [`SMALL`] of so many steps.
fn small(steps: &str) -> String {
    SMALL.replace("steps = 40", &format!("steps = {steps}"))
}

/// One chain of [`SMALL`] that takes for ever: at such a learning rate nothing ever happens, no collapse, no fit, no end.
const ENDLESS: &str = "home/experiments/small.toml --profile one --threads 1";

/// A repository in `home` with these specs.
fn repository(specs: &[(&str, String)]) -> Place {
    let place = Place::new();
    let face = Path::new(crate::line::ROOT).join("experiments/targets/face.png");
    place.write("home/face.png", std::fs::read(face).unwrap());
    for (name, text) in specs {
        place.write(&format!("home/experiments/{name}.toml"), text);
    }
    place
}

fn endless() -> Place {
    let text = small("1000000000").replace("1e-3", "1e-9");
    let text = text.replace("name = \"base\"", "name = \"base\"\nlr = 1e-9");
    repository(&[("small", text.replace("log_every = 4", "log_every = 1000"))])
}

#[track_caller]
fn same(place: &Place, study: &str, one: &str, other: &str) {
    for file in ["study.json", "rows.csv.gz"] {
        let bytes = |top: &str| place.bytes(&format!("{top}/{study}/{file}"));
        assert!(bytes(one) == bytes(other), "{study}/{file} of {one} and {other}");
    }
}

cases! {
    workers:
    shards_give_the_records_of_a_local_run_and_each_cell_is_done_once,
    a_script_is_the_template_filled,
    hostile_specs_are_refused,
}

#[test]
fn workers_at_the_same_time_share_the_cells() {
    let work = repository(&[("small", small("2000"))]);
    let line = "experiment run home/experiments/small.toml --threads 1 --json --quiet --store";
    let start = |_| work.command(&format!("{line} far")).stdout(Stdio::piped()).spawn().unwrap();
    let ended = [0; 3].map(start).map(|child| Said::from(child.wait_with_output().unwrap()).json());
    let done = ended.iter().map(|said| {
        assert!(said["rows"].is_string(), "{said}");
        said["done"].as_u64().unwrap()
    });
    assert_eq!(done.sum::<u64>(), 8);
    work.done(&format!("{line} local"));
    same(&work, "small", "local", "far");
    assert_eq!(work.count("far/small/leases"), 0);
}

#[test]
fn a_cell_that_fails_is_told_with_its_reason_and_tried_again_by_the_next_worker() {
    let work = repository(&[("small", small("4"))]);
    let run = "experiment run home/experiments/small.toml";
    let status = || work.json("experiment status home/experiments/small.toml");
    work.done(&format!("{run} --store local"));
    let cells = std::fs::read_dir(work.at("local/small/cells")).unwrap();
    let cell = std::fs::read_to_string(cells.flatten().next().unwrap().path()).unwrap();
    let trained = cell.split_once("\"run_id\":\"").unwrap().1.split_once('"').unwrap().0;
    let blocked = format!("runs/small/{trained}");
    FolderKind::Study.mark(&work.at("runs/small")).unwrap();
    work.write(&blocked, "in its way");
    for _ in 0..2 {
        assert!(work.says(run, 1).error.contains("1 failed"));
        let found = status();
        assert_has(&found, json!({ "done": 7, "free": 0 }));
        assert!(found["failed"][0]["error"].as_str().unwrap().contains(trained), "{found}");
    }
    std::fs::remove_file(work.at(&blocked)).unwrap();
    work.done(run);
    assert_eq!(status()["done"], 8);
    same(&work, "small", "local", "runs");
}

#[cfg(target_os = "linux")]
#[test]
fn a_worker_that_is_told_to_end_gives_its_cells_back_and_its_line_goes_on() {
    let work = endless();
    for name in ["-USR1", "-TERM", "-KILL"] {
        let mut command = work.command(&format!("experiment run {ENDLESS}"));
        let child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let line = ENDLESS.replace(" --threads 1", "");
        let held = || work.json(&format!("experiment status {line}"))["held"].clone();
        // The worker that was killed before is taken for dead at once.
        until("it holds a cell", || {
            held().as_array().unwrap().iter().any(|cell| cell["process"] == child.id())
        });
        signal(child.id(), name);
        let output = child.wait_with_output().unwrap();
        let leases = work.count("runs/small/leases");
        if name == "-KILL" {
            assert_eq!((leases, held()[0]["is_dead"].as_bool()), (1, Some(true)));
        } else {
            let said = Said::from(output);
            assert_eq!((said.code, leases), (Some(130), 0), "{name}");
            assert_says(&said.error, &["go on with", "run home/experiments/small.toml"]);
        }
    }
}
