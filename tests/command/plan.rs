//! Plans: the records of any number of workers have the bytes of a local run, a folder of another plan is
//! refused, failures are set aside, and a worker that cannot write, or is told to end, holds no cell.

use assert_cmd::Command;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// A study of eight chains of one network that is over in a second.
const SMALL: &str = r#"
kind = "networks"
name = "small"
question = "Does it run?"
size = 8
steps = STEPS
log_every = 4
seeds = [0, 1]
sample = 2
[[targets]]
name = "face"
picture = "face.png"
arch = "2;gaussian:2,sin:2"
[[arms]]
name = "dense"
wiring = "dense"
[[variants]]
name = "base"
[[variants]]
name = "slow"
lr = LR
[[variants]]
name = "lion"
optimizer = "lion"
[[variants]]
name = "lion-slow"
optimizer = "lion"
lr = LR
[profiles.one]
seeds = [7]
"#;

/// A depth study, and one whose depths it predicts.
const CHAINS: &str = r#"
kind = "networks"
name = "NAME"
question = "Does it go on?"
size = 16
steps = 300
seeds = [0, 1]
sample = 4
offsets = [OFFSETS]
[[targets]]
name = "face"
picture = "face.png"
arch = "3;gaussian:4,sin:4"
[[arms]]
name = "dense"
wiring = "dense"
[[arms]]
name = "sp"
from = "dense"
method = { name = "sp" }
levels = ["share:0.5"]
"#;

/// [`SMALL`] of so many steps.
fn small(steps: &str) -> String {
    SMALL.replace("STEPS", steps).replace("LR", "1e-3")
}

struct Work {
    folder: tempfile::TempDir,
}

impl Work {
    /// A repository of its own with these specs.
    fn new(specs: &[(&str, String)]) -> Self {
        let work = Work { folder: tempfile::tempdir().unwrap() };
        std::fs::create_dir_all(work.at("home/experiments")).unwrap();
        let face = Path::new(env!("CARGO_MANIFEST_DIR")).join("experiments/targets/face.png");
        std::fs::copy(face, work.at("home/face.png")).unwrap();
        for (name, text) in specs {
            std::fs::write(work.at(&format!("home/experiments/{name}.toml")), text).unwrap();
        }
        work
    }

    fn small(steps: u64) -> Self {
        Work::new(&[("small", small(&steps.to_string()))])
    }

    fn at(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    fn command(&self, line: &str) -> Command {
        let mut command = Command::cargo_bin("picloom").unwrap();
        command.current_dir(self.folder.path()).args(line.split_whitespace());
        command
    }

    /// Runs a line that ends with this code; what it says on stdout, and on stderr.
    #[track_caller]
    fn says(&self, line: &str, code: i32) -> (String, String) {
        let output = self.command(line).output().unwrap();
        let [out, error] = [output.stdout, output.stderr].map(|b| String::from_utf8(b).unwrap());
        assert_eq!(output.status.code(), Some(code), "{line}: {error}");
        (out, error)
    }

    #[track_caller]
    fn json(&self, line: &str) -> Value {
        serde_json::from_str(&self.says(&format!("{line} --json"), 0).0).unwrap()
    }

    #[track_caller]
    fn same(&self, study: &str, one: &str, other: &str) {
        for file in ["study.json", "rows.csv.gz"] {
            let bytes = |top: &str| std::fs::read(self.at(top).join(study).join(file)).unwrap();
            assert!(bytes(one) == bytes(other), "{study}/{file} of {one} and {other}");
        }
    }

    /// Folders of leases that are left.
    fn leases(&self, store: &str) -> usize {
        std::fs::read_dir(self.at(store).join("small/leases")).map_or(0, Iterator::count)
    }
}

#[test]
fn shares_on_other_machines_give_the_records_of_a_local_run() {
    let chains = |name: &str, offsets: &str| {
        CHAINS.replace("NAME", name).replace("OFFSETS", offsets).to_string()
    };
    let after = chains("after", "0").replace("size = 16", "size = 16\ndepth_from = \"by_depth\"");
    let small = small("40");
    let work =
        Work::new(&[("small", small), ("by_depth", chains("by_depth", "-1, 0")), ("after", after)]);
    for name in ["small", "by_depth", "after"] {
        // `after` gets the depths that the record of `by_depth` predicts.
        work.says(&format!("experiment run home/experiments/{name}.toml --runs local"), 0);
    }
    let specs = ["small", "by_depth", "after"].map(|n| format!("home/experiments/{n}.toml"));
    let planned = work.json(&format!("plan {} --out plan.jsonl", specs.join(" ")));
    assert_eq!(planned["cells"], 8 + 4 + 2);
    let again = format!("plan {} --out again.jsonl", specs.join(" "));
    assert_eq!(work.json(&again)["id"], planned["id"]);
    let [one, two] = ["plan.jsonl", "again.jsonl"].map(|p| std::fs::read(work.at(p)).unwrap());
    assert!(one == two && one.iter().filter(|b| **b == b'\n').count() == 15);
    // The plan is all that a worker needs.
    std::fs::remove_dir_all(work.at("home")).unwrap();
    let status = |done: usize| {
        let status = work.json("status plan.jsonl --store far");
        assert_eq!((&status["cells"], &status["done"]), (&14.into(), &done.into()), "{status}");
        assert!(status["running"].as_array().unwrap().is_empty());
    };
    status(0);
    assert!(!work.at("far").exists(), "status writes nothing");
    let error = work.says("collect plan.jsonl --store far", 1).1;
    assert!(error.contains("expected 8 finished chains"), "{error}");
    // The first share's cells of `after` wait for cells of the second: it helps.
    let first = work.json("run plan.jsonl --store far --shard 1/2");
    let done = first["done"].as_u64().unwrap() as usize;
    assert!(done >= 9, "{first}");
    status(done);
    let mut second = work.command("run plan.jsonl --store far --index auto --json");
    let array = ["ID", "MIN", "STEP", "COUNT"].map(|name| format!("SLURM_ARRAY_TASK_{name}"));
    for (name, value) in array.iter().zip(["11", "10", "1", "2"]) {
        second.env(name, value);
    }
    let second: Value = serde_json::from_slice(&second.output().unwrap().stdout).unwrap();
    assert_eq!(done + second["done"].as_u64().unwrap() as usize, 14, "each cell once");
    status(14);
    work.json("collect plan.jsonl --store far");
    for study in ["small", "by_depth", "after"] {
        work.same(study, "local", "far");
    }
}

#[test]
fn a_folder_of_another_plan_and_a_plan_of_another_version_are_refused() {
    let work = Work::small(4);
    work.says("plan home/experiments/small.toml --out plan.jsonl", 0);
    work.says("plan home/experiments/small.toml --out one.jsonl --profile one", 0);
    work.says("run plan.jsonl", 0);
    for command in ["run", "collect"] {
        let error = work.says(&format!("{command} one.jsonl"), 1).1;
        for part in
            ["runs/small: expected the 4 cells", "profile one", "profile standard", "--store"]
        {
            assert!(error.contains(part), "{part}: {error}");
        }
    }
    let text = std::fs::read_to_string(work.at("plan.jsonl")).unwrap();
    let version = concat!("\"version\":\"", env!("CARGO_PKG_VERSION"), "\"");
    for (name, text, parts) in [
        ("old", text.replacen(version, "\"version\":\"0.0.9\"", 1), vec!["0.0.9", "plan anew"]),
        ("other", text.replacen("picloom-plan/1", "picloom-plan/9", 1), vec!["picloom-plan/9"]),
        ("none", String::new(), vec!["expected a plan picloom-plan/1"]),
        (
            "outside",
            text.replacen(r#""study":"small""#, r#""study":"../small""#, 1),
            vec!["no name of a folder"],
        ),
        (
            "script",
            text.replacen(r#""study":"small""#, r#""study":"a\nb""#, 1),
            vec!["no name of a folder"],
        ),
        // What is resolved there is not what the plan lists.
        ("changed", text.replacen("steps = 4", "steps = 5", 1), vec!["expected the 8 cells"]),
    ] {
        std::fs::write(work.at("bad.jsonl"), text).unwrap();
        let error = work.says("run bad.jsonl --store new", 1).1;
        assert!(parts.iter().all(|part| error.contains(part)), "{name}: {error}");
    }
    let cut = &text[..text.len() - 10];
    std::fs::write(work.at("bad.jsonl"), cut).unwrap();
    assert!(work.says("status bad.jsonl", 1).1.contains("bad.jsonl: expected the lines of a plan"));
    let error = work.says("run plan.jsonl --shard 3/2", 2).1;
    assert!(error.contains("from 1/N to N/N"), "{error}");
    assert!(
        work.says("run plan.jsonl --index auto", 2).1.contains("HQ_TASK_ID, SLURM_ARRAY_TASK_ID")
    );
}

#[test]
fn a_cell_that_fails_three_times_is_set_aside_with_its_reason_and_the_rest_goes_on() {
    let work = Work::small(4);
    work.says("plan home/experiments/small.toml --out plan.jsonl", 0);
    let text = std::fs::read_to_string(work.at("plan.jsonl")).unwrap();
    let line: Value = serde_json::from_str(text.lines().nth(1).unwrap()).unwrap();
    work.says("experiment run home/experiments/small.toml --runs local", 0);
    let cell = format!("local/small/cells/{}.json", line["cell"].as_str().unwrap());
    let cell = std::fs::read_to_string(work.at(&cell)).unwrap();
    let run = cell.split_once("\"run_id\":\"").unwrap().1.split_once('"').unwrap().0;
    let blocked = work.at("runs/small").join(run);
    std::fs::create_dir_all(work.at("runs/small")).unwrap();
    std::fs::write(&blocked, "in its way").unwrap();
    let error = work.says("run plan.jsonl", 1).1;
    assert!(error.contains("1 cells failed 3 times and were set aside"), "{error}");
    let status = work.json("status plan.jsonl");
    assert_eq!(status["done"], 7);
    let failed = &status["failed"][0];
    assert_eq!((&failed["tries"], &failed["is_set_aside"]), (&3.into(), &true.into()));
    assert!(!failed["error"].as_str().unwrap().is_empty());
    // It is not tried again, unless that is asked for; the record says why it is missing.
    std::fs::remove_file(&blocked).unwrap();
    work.says("run plan.jsonl", 1);
    work.says("collect plan.jsonl", 0);
    assert_eq!(work.json("run plan.jsonl --retry")["done"], 1);
    work.says("collect plan.jsonl", 0);
    work.same("small", "local", "runs");
}

#[test]
fn where_nothing_can_be_written_a_worker_stops_and_holds_nothing() {
    let work = Work::small(4);
    work.says("plan home/experiments/small.toml --out plan.jsonl", 0);
    std::fs::create_dir_all(work.at("runs/small")).unwrap();
    std::fs::write(work.at("runs/small/leases"), "no folder").unwrap();
    let error = work.says("run plan.jsonl", 1).1;
    assert!(error.contains("runs/small/leases") && error.contains("cannot write"), "{error}");
    let status = work.json("status plan.jsonl");
    assert_eq!((&status["waiting"], &status["failed"]), (&8.into(), &Value::Array(Vec::new())));
}

#[cfg(target_os = "linux")]
#[test]
fn a_worker_that_is_told_to_end_gives_its_cells_back_and_its_line_goes_on() {
    use std::time::{Duration, Instant};
    // At such a learning rate nothing ever happens: no collapse, no fit, no end.
    let endless = SMALL.replace("STEPS", "1000000000").replace("LR", "1e-9");
    let endless = endless.replace("name = \"base\"", "name = \"base\"\nlr = 1e-9");
    let work = Work::new(&[("small", endless.replace("log_every = 4", "log_every = 1000"))]);
    work.says("plan home/experiments/small.toml --out plan.jsonl --profile one", 0);
    for signal in ["-USR1", "-TERM", "-KILL"] {
        let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_picloom"))
            .args(["run", "plan.jsonl", "--threads", "1"])
            .current_dir(work.folder.path())
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let begun = Instant::now();
        let running = || work.json("status plan.jsonl")["running"].as_array().unwrap().clone();
        // The worker that was killed before is taken for dead at once.
        while !running().iter().any(|cell| cell["process"] == child.id()) {
            assert!(child.try_wait().unwrap().is_none() && begun.elapsed().as_secs() < 60);
            std::thread::sleep(Duration::from_millis(50));
        }
        let id = child.id().to_string();
        assert!(std::process::Command::new("kill").args([signal, &id]).status().unwrap().success());
        let output = child.wait_with_output().unwrap();
        if signal == "-KILL" {
            assert_eq!((work.leases("runs"), running()[0]["is_dead"].as_bool()), (1, Some(true)));
        } else {
            assert_eq!((output.status.code(), work.leases("runs")), (Some(130), 0), "{signal}");
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(said.contains("go on with") && said.contains("run plan.jsonl"), "{said}");
        }
    }
}

#[test]
fn a_plan_carries_what_its_specs_name_and_refuses_what_it_cannot_carry() {
    let outside = small("4").replace("face.png", "../../outside.png");
    let work = Work::new(&[("small", outside)]);
    std::fs::copy(work.at("home/face.png"), work.at("outside.png")).unwrap();
    let error = work.says("plan home/experiments/small.toml", 1).1;
    assert!(error.contains("small.toml: expected a file below"), "{error}");
    let twice = Work::small(4);
    let spec = "home/experiments/small.toml";
    assert!(twice.says(&format!("plan {spec} {spec}"), 1).1.contains("a second study small"));
}

#[test]
fn an_estimate_measures_and_leaves_nothing_behind() {
    let work = Work::small(100_000);
    let spec = "home/experiments/small.toml";
    let temporary = work.at("tmp");
    std::fs::create_dir(&temporary).unwrap();
    let mut command = work.command(&format!("plan {spec} --estimate=1 --json"));
    let output = command.env("TMPDIR", &temporary).output().unwrap();
    let said: Value = serde_json::from_slice(&output.stdout).unwrap();
    let study = &said["estimate"]["studies"][0];
    assert!(study["factor"].as_f64().unwrap() > 0.0, "{study}");
    assert!(study["longest"].as_f64() <= study["core_seconds"].as_f64());
    assert_eq!(std::fs::read_dir(&temporary).unwrap().count(), 0);
}
