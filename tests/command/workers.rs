//! Workers of a study: their records have the bytes of a local run, a failed cell is tried again by the next worker,
//! and a worker that is told to end holds no cell. `tests/crash/run` stops and kills them, and gives them full disks.

use crate::line::{Place, Said, assert_has, list, signal, until};
use crate::said::assert_says;
use picloom::base::folder::FolderKind;
use picloom::base::table::{Column, Table};
use serde_json::{Value, json};
use std::path::Path;
use std::process::Stdio;

/// A study of eight chains of one network that is over in a second.
const SMALL: &str = include_str!("../specs/eight.toml");

/// A depth study.
const CHAINS: &str = include_str!("../specs/depths.toml");

/// [`SMALL`] of so many steps.
fn small(steps: &str) -> String {
    SMALL.replace("steps = 40", &format!("steps = {steps}"))
}

/// [`CHAINS`] at one depth, which is predicted from another study.
fn chains_after(name: &str, first: &str) -> String {
    let text = CHAINS.replace("by_depth", name).replace("[-1, 0]", "[0]");
    text.replace("size = 16", &format!("size = 16\ndepth_from = \"{first}\""))
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

#[test]
fn shards_give_the_records_of_a_local_run_and_each_cell_is_done_once() {
    let after = chains_after("after", "by_depth");
    let whole = "kind = \"study\"\nname = \"whole\"\nquestion = \"?\"\n\
        parts = [\"small.toml\", \"by_depth.toml\", \"after.toml\"]\n";
    let work = repository(&[
        ("small", small("40")),
        ("by_depth", CHAINS.to_string()),
        ("after", after),
        ("whole", whole.into()),
    ]);
    let run =
        |name: &str, rest: &str| format!("experiment run home/experiments/{name}.toml {rest}");
    let status = |name: &str, done: usize, free: usize| {
        let line = format!("experiment status home/experiments/{name}.toml --store far");
        let wanted = json!({ "done": done, "free": free, "held": [], "failed": [] });
        assert_has(&work.json(&line), wanted);
    };
    status("small", 0, 8);
    assert!(!work.at("far").exists(), "status writes nothing");
    work.done(&run("whole", "--store local"));

    // One study: a shard of it, what there is so far, the other shard.
    let first = work.json(&run("small", "--store far --shard 1/2"));
    let counts =
        |said: &Value| ["done", "failed", "missing"].map(|key| said[key].as_u64().unwrap());
    assert_eq!((counts(&first), &first["rows"]), ([4, 0, 4], &Value::Null));
    status("small", 4, 4);
    let collected = work.json("experiment collect home/experiments/small.toml --store far");
    assert_eq!(collected["missing"], 4);
    assert_eq!(work.record("far/small/study.json")["missing"], 4);
    // A table to keep has the columns that are asked for.
    let some = "experiment collect home/experiments/small.toml --store far --out some --columns";
    work.done(&format!("{some} score,target,fit"));
    let table = Table::read(&work.at("some/rows.csv.gz")).unwrap();
    let names: Vec<&str> = table.columns().iter().map(Column::name).collect();
    assert_eq!(names, ["target", "fit", "score"]);
    work.refused(&format!("{some} scroe"), 2, &["scroe", "score"]);
    let second = work.json(&run("small", "--store far --shard 2/2"));
    assert_eq!(counts(&second), [4, 0, 0]);
    assert_eq!(counts(&work.json(&run("small", "--store far"))), [0, 0, 0]);
    status("small", 8, 0);
    assert_eq!(work.record("far/small/study.json")["missing"], Value::Null);
    same(&work, "small", "local", "far");

    // A study whose depths are predicted needs the whole record of the other.
    let first = ["depth_from: expected a finished study by_depth", "run by_depth there first"];
    work.refused(&run("after", "--store far"), 1, &first);
    work.done("experiment collect home/experiments/by_depth.toml --store far");
    let rest = ["with 4 cells missing; run by_depth to its end"];
    work.refused(&run("after", "--store far"), 1, &rest);

    // The whole study: each worker has a share of what no other part waits for, and all of what one does.
    let parts = |said: &Value| list(&said["parts"]).iter().map(counts).collect::<Vec<_>>();
    let first = work.json(&run("whole", "--store far --shard 1/2"));
    assert_eq!(parts(&first), [[0, 0, 0], [4, 0, 0], [1, 0, 1]]);
    let second = work.json(&run("whole", "--store far --shard 2/2"));
    assert_eq!(parts(&second), [[0, 0, 0], [0, 0, 0], [1, 0, 0]]);
    for study in ["small", "by_depth", "after"] {
        same(&work, study, "local", "far");
    }
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

#[test]
fn a_script_is_the_template_filled() {
    let work = repository(&[("small", small("4"))]);
    let spec = "home/experiments/small.toml";
    let line = format!("experiment emit slurm {spec} --profile one --tasks 16 --cpus 4");
    let more = "--minutes 90 --memory 3 --program /opt/picloom --store its";
    assert_eq!(work.json(&format!("{line} {more}"))["script"], "small.slurm.sh");
    let script = work.text("small.slurm.sh");
    let parts = [
        "--job-name=picloom-small\n",
        "--array=1-16\n",
        "--time=90\n",
        "--mem=3G\n",
        "--cpus-per-task=4\n",
        "\n/opt/picloom experiment run home/experiments/small.toml --store its --profile one \
         --threads 4 --shard \"$SLURM_ARRAY_TASK_ID/16\" &\n",
    ];
    assert_says(&script, &parts);
    work.write("pbs", "#PBS -J 1-{{tasks}}\n{{command}} --shard $I/{{tasks}}\n");
    for (scheduler, part) in [
        ("hq", "range(1, 10 + 1)"),
        ("k8s", "completions: 10\n"),
        ("parallel", "seq 10 | parallel"),
        ("slurm --template pbs", "#PBS -J 1-10\npicloom experiment run "),
    ] {
        work.write("script", "");
        work.done(&format!("experiment emit {scheduler} {spec} --out script"));
        let script = work.text("script");
        assert!(script.contains(part) && !script.contains("{{"), "{script}");
        assert!(script.contains("picloom experiment run home/experiments/small.toml"), "{script}");
    }
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

#[test]
fn hostile_specs_are_refused() {
    let study = |name: &str, parts: &[&str]| {
        let text = format!("name = \"{name}\"\nquestion = \"?\"\nparts = {parts:?}\n");
        (name.to_string(), format!("kind = \"study\"\n{text}"))
    };
    let chain = |name: &str, after: &str| (name.to_string(), chains_after(name, after));
    let long = small("4").replace("\"small\"", &format!("\"{}\"", "n".repeat(5000)));
    let specs = [
        study("whole", &["whole.toml"]),
        chain("one", "two"),
        chain("two", "one"),
        chain("own", "own"),
        study("pair", &["one.toml", "two.toml"]),
        ("long".to_string(), long),
    ];
    let work = repository(&specs.each_ref().map(|(name, text)| (name.as_str(), text.clone())));
    for (name, says) in [
        ("whole", "whole.toml"),
        ("one", "expected a finished study two"),
        ("own", "expected a finished study own"),
        ("pair", "expected a finished study two"),
        ("long", "name: expected at most 80 letters, found 5000 letters"),
    ] {
        let said = work.run(&format!("experiment run home/experiments/{name}.toml"));
        assert!(matches!(said.code, Some(1 | 2)) && said.error.contains(says), "{name}: {said:?}");
    }
}
