//! Workers of a study: their records have the bytes of a local run, a failed cell is tried again by the next worker,
//! and a worker that cannot write, or is told to end, holds no cell.

use assert_cmd::Command;
use picloom::base::folder::FolderKind;
use picloom::study::table::{Column, Table};
use serde_json::{Value, json};
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
method = "sp:weighted=false"
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
fn shards_give_the_records_of_a_local_run_and_each_cell_is_done_once() {
    let chains = |name: &str, offsets: &str| {
        CHAINS.replace("NAME", name).replace("OFFSETS", offsets).to_string()
    };
    let after = chains("after", "0").replace("size = 16", "size = 16\ndepth_from = \"by_depth\"");
    let whole = "kind = \"study\"\nname = \"whole\"\nquestion = \"?\"\n\
        parts = [\"small.toml\", \"by_depth.toml\", \"after.toml\"]\n";
    let work = Work::new(&[
        ("small", small("40")),
        ("by_depth", chains("by_depth", "-1, 0")),
        ("after", after),
        ("whole", whole.into()),
    ]);
    let run =
        |name: &str, rest: &str| format!("experiment run home/experiments/{name}.toml {rest}");
    let status = |name: &str, done: usize, free: usize| {
        let line = format!("experiment status home/experiments/{name}.toml --store far");
        let status = work.json(&line);
        assert_eq!((&status["done"], &status["free"]), (&done.into(), &free.into()), "{status}");
        assert_eq!((&status["held"], &status["failed"]), (&json!([]), &json!([])), "{status}");
    };
    status("small", 0, 8);
    assert!(!work.at("far").exists(), "status writes nothing");
    work.says(&run("whole", "--store local"), 0);

    // One study: a shard of it, what there is so far, the other shard.
    let first = work.json(&run("small", "--store far --shard 1/2"));
    let counts =
        |said: &Value| ["done", "failed", "missing"].map(|key| said[key].as_u64().unwrap());
    assert_eq!((counts(&first), &first["rows"]), ([4, 0, 4], &Value::Null));
    status("small", 4, 4);
    let collected = work.json("experiment collect home/experiments/small.toml --store far");
    assert_eq!(collected["missing"], 4);
    let head = || -> Value {
        serde_json::from_slice(&std::fs::read(work.at("far/small/study.json")).unwrap()).unwrap()
    };
    assert_eq!(head()["missing"], 4);
    // A table to keep has the columns that are asked for.
    let some = "experiment collect home/experiments/small.toml --store far --out some --columns";
    work.says(&format!("{some} score,target,fit"), 0);
    let table = Table::read(&work.at("some/rows.csv.gz")).unwrap();
    let names: Vec<&str> = table.columns().iter().map(Column::name).collect();
    assert_eq!(names, ["target", "fit", "score"]);
    let error = work.says(&format!("{some} scroe"), 2).1;
    assert!(error.contains("scroe") && error.contains("score"), "{error}");
    let second = work.json(&run("small", "--store far --shard 2/2"));
    assert_eq!(counts(&second), [4, 0, 0]);
    assert_eq!(counts(&work.json(&run("small", "--store far"))), [0, 0, 0]);
    status("small", 8, 0);
    assert_eq!(head()["missing"], Value::Null);
    work.same("small", "local", "far");

    // A study whose depths are predicted needs the whole record of the other.
    let error = work.says(&run("after", "--store far"), 1).1;
    assert!(error.contains("depth_from: expected a finished study by_depth"), "{error}");
    assert!(error.contains("run by_depth there first"), "{error}");
    work.says("experiment collect home/experiments/by_depth.toml --store far", 0);
    let error = work.says(&run("after", "--store far"), 1).1;
    assert!(error.contains("with 4 cells missing; run by_depth to its end"), "{error}");

    // The whole study: each worker has a share of what no other part waits for, and all of what one does.
    let parts =
        |said: &Value| said["parts"].as_array().unwrap().iter().map(counts).collect::<Vec<_>>();
    let first = work.json(&run("whole", "--store far --shard 1/2"));
    assert_eq!(parts(&first), [[0, 0, 0], [4, 0, 0], [1, 0, 1]]);
    let second = work.json(&run("whole", "--store far --shard 2/2"));
    assert_eq!(parts(&second), [[0, 0, 0], [0, 0, 0], [1, 0, 0]]);
    for study in ["small", "by_depth", "after"] {
        work.same(study, "local", "far");
    }
}

#[test]
fn workers_at_the_same_time_share_the_cells() {
    let work = Work::small(2000);
    let line = "experiment run home/experiments/small.toml --threads 1 --json --quiet --store";
    let start = |_| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_picloom"));
        command.args(format!("{line} far").split(' ')).current_dir(work.folder.path());
        command.stdout(std::process::Stdio::piped()).spawn().unwrap()
    };
    let ended = [0; 3].map(start).map(|child| child.wait_with_output().unwrap());
    let done = ended.iter().map(|output| {
        let said: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert!(said["rows"].is_string(), "{said}");
        said["done"].as_u64().unwrap()
    });
    assert_eq!(done.sum::<u64>(), 8);
    work.says(&format!("{line} local"), 0);
    work.same("small", "local", "far");
    assert_eq!(work.leases("far"), 0);
}

#[test]
fn a_cell_that_fails_is_told_with_its_reason_and_tried_again_by_the_next_worker() {
    let work = Work::small(4);
    let run = "experiment run home/experiments/small.toml";
    let status = || work.json("experiment status home/experiments/small.toml");
    work.says(&format!("{run} --store local"), 0);
    let cells = std::fs::read_dir(work.at("local/small/cells")).unwrap();
    let cell = std::fs::read_to_string(cells.flatten().next().unwrap().path()).unwrap();
    let trained = cell.split_once("\"run_id\":\"").unwrap().1.split_once('"').unwrap().0;
    let blocked = work.at("runs/small").join(trained);
    FolderKind::Study.mark(&work.at("runs/small")).unwrap();
    std::fs::write(&blocked, "in its way").unwrap();
    for _ in 0..2 {
        assert!(work.says(run, 1).1.contains("1 failed"));
        assert_eq!((&status()["done"], &status()["free"]), (&7.into(), &0.into()));
        assert!(!status()["failed"][0]["error"].as_str().unwrap().is_empty());
    }
    std::fs::remove_file(&blocked).unwrap();
    work.says(run, 0);
    assert_eq!(status()["done"], 8);
    work.same("small", "local", "runs");
}

#[test]
fn where_nothing_can_be_written_a_worker_stops_and_holds_nothing() {
    let work = Work::small(4);
    FolderKind::Study.mark(&work.at("runs/small")).unwrap();
    std::fs::write(work.at("runs/small/leases"), "no folder").unwrap();
    let error = work.says("experiment run home/experiments/small.toml", 1).1;
    assert!(error.contains("runs/small/leases") && error.contains("cannot write"), "{error}");
    let status = work.json("experiment status home/experiments/small.toml");
    assert_eq!((&status["free"], &status["failed"]), (&8.into(), &json!([])));
}

#[test]
fn a_script_is_the_template_filled() {
    let work = Work::small(4);
    let line = "experiment emit slurm home/experiments/small.toml --profile one --tasks 16 --cpus 4 \
        --minutes 90 --memory 3 --program /opt/picloom --store its";
    assert_eq!(work.json(line)["script"], "small.slurm.sh");
    let script = std::fs::read_to_string(work.at("small.slurm.sh")).unwrap();
    for part in [
        "--job-name=picloom-small\n",
        "--array=1-16\n",
        "--time=90\n",
        "--mem=3G\n",
        "--cpus-per-task=4\n",
        "\n/opt/picloom experiment run home/experiments/small.toml --store its --profile one \
         --threads 4 --shard \"$SLURM_ARRAY_TASK_ID/16\" &\n",
    ] {
        assert!(script.contains(part), "{part}: {script}");
    }
    for (scheduler, part) in [
        ("hq", "range(1, 10 + 1)"),
        ("k8s", "completions: 10\n"),
        ("parallel", "seq 10 | parallel"),
    ] {
        let line = format!("experiment emit {scheduler} home/experiments/small.toml --out script");
        std::fs::write(work.at("script"), "").unwrap();
        work.says(&line, 0);
        let script = std::fs::read_to_string(work.at("script")).unwrap();
        assert!(script.contains(part) && !script.contains("{{"), "{script}");
        assert!(script.contains("picloom experiment run home/experiments/small.toml"), "{script}");
    }
    std::fs::write(work.at("pbs"), "#PBS -J 1-{{tasks}}\n{{command}} --shard $I/{{tasks}}\n")
        .unwrap();
    let own = "experiment emit slurm home/experiments/small.toml --template pbs --out job";
    work.says(own, 0);
    let script = std::fs::read_to_string(work.at("job")).unwrap();
    assert!(script.starts_with("#PBS -J 1-10\npicloom experiment run "), "{script}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_worker_that_is_told_to_end_gives_its_cells_back_and_its_line_goes_on() {
    use std::time::{Duration, Instant};
    // At such a learning rate nothing ever happens: no collapse, no fit, no end.
    let endless = SMALL.replace("STEPS", "1000000000").replace("LR", "1e-9");
    let endless = endless.replace("name = \"base\"", "name = \"base\"\nlr = 1e-9");
    let work = Work::new(&[("small", endless.replace("log_every = 4", "log_every = 1000"))]);
    let spec = ["home/experiments/small.toml", "--profile", "one"];
    for signal in ["-USR1", "-TERM", "-KILL"] {
        let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_picloom"))
            .args(["experiment", "run", spec[0], spec[1], spec[2], "--threads", "1"])
            .current_dir(work.folder.path())
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let begun = Instant::now();
        let line = format!("experiment status {}", spec.join(" "));
        let held = || work.json(&line)["held"].as_array().unwrap().clone();
        // The worker that was killed before is taken for dead at once.
        while !held().iter().any(|cell| cell["process"] == child.id()) {
            assert!(child.try_wait().unwrap().is_none() && begun.elapsed().as_secs() < 60);
            std::thread::sleep(Duration::from_millis(50));
        }
        let id = child.id().to_string();
        assert!(std::process::Command::new("kill").args([signal, &id]).status().unwrap().success());
        let output = child.wait_with_output().unwrap();
        if signal == "-KILL" {
            assert_eq!((work.leases("runs"), held()[0]["is_dead"].as_bool()), (1, Some(true)));
        } else {
            assert_eq!((output.status.code(), work.leases("runs")), (Some(130), 0), "{signal}");
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(
                said.contains("go on with") && said.contains("run home/experiments/small.toml"),
                "{said}"
            );
        }
    }
}

/// A signal to a process.
#[cfg(target_os = "linux")]
#[track_caller]
fn signal(name: &str, process: &std::process::Child) {
    let id = process.id().to_string();
    assert!(std::process::Command::new("kill").args([name, &id]).status().unwrap().success());
}

#[cfg(target_os = "linux")]
#[test]
fn a_worker_that_was_stopped_and_overtaken_writes_nothing_and_is_not_counted_as_dead() {
    use std::time::{Duration, Instant};
    let endless = SMALL.replace("STEPS", "1000000000").replace("LR", "1e-9");
    let endless = endless.replace("name = \"base\"", "name = \"base\"\nlr = 1e-9");
    let work = Work::new(&[("small", endless.replace("log_every = 4", "log_every = 1000"))]);
    let line = "experiment run home/experiments/small.toml --profile one --shard 1/4 --threads 1 --beat 0.05";
    let start = || {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_picloom"));
        command.args(line.split(' ')).current_dir(work.folder.path());
        command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null());
        command.spawn().unwrap()
    };
    let until = |what: &str, is_so: &dyn Fn() -> bool| {
        let begun = Instant::now();
        while !is_so() {
            assert!(begun.elapsed().as_secs() < 60, "{what}");
            std::thread::sleep(Duration::from_millis(20));
        }
    };
    // What the lease of the only cell says, and the files of the only run.
    let lease = || -> Option<Value> {
        let cell = std::fs::read_dir(work.at("runs/small/leases")).ok()?.next()?.ok()?.path();
        let file = std::fs::read_dir(cell).ok()?.flatten().map(|file| file.path()).max()?;
        serde_json::from_slice(&std::fs::read(file).ok()?).ok()
    };
    let holds =
        |worker: &std::process::Child| lease().is_some_and(|lease| lease["process"] == worker.id());
    let run = || {
        let runs = std::fs::read_dir(work.at("runs/small")).unwrap().flatten();
        runs.map(|run| run.path()).find(|run| run.join("config.toml").exists())
    };
    let lines = || {
        let log = run().map(|run| std::fs::read_to_string(run.join("metrics.part.jsonl")));
        log.and_then(Result::ok).map_or(0, |log| log.lines().count())
    };
    let mut a = start();
    until("the first worker logs", &|| holds(&a) && lines() > 50);
    signal("-STOP", &a);
    let mut b = start();
    until("the second takes over", &|| holds(&b) && lines() < 50);
    until("the second logs", &|| lines() > 2);
    signal("-CONT", &a);
    std::thread::sleep(Duration::from_secs(1));
    assert!(holds(&b));
    assert_eq!(lease().unwrap()["dead"], json!([]), "the first lives");
    let checkpoint = run().unwrap().join("checkpoint.json");
    assert!(!checkpoint.exists(), "the second is not that far, and the first may not");
    // The first takes over from the second, which dies: its log is the second's, or its own.
    signal("-KILL", &b);
    b.wait().unwrap();
    until("the first takes over again", &|| holds(&a));
    assert_eq!(lease().unwrap()["dead"].as_array().unwrap().len(), 1);
    let before = lines();
    until("the first logs", &|| lines() != before);
    signal("-INT", &a);
    assert_eq!(a.wait().unwrap().code(), Some(130));
    assert!(checkpoint.exists());
    let log = std::fs::read_to_string(run().unwrap().join("metrics.part.jsonl")).unwrap();
    let step = |line: &str| serde_json::from_str::<Value>(line).unwrap()["step"].as_u64().unwrap();
    assert!(log.lines().map(step).eq((0..log.lines().count() as u64).map(|k| 1000 * k)));
}

#[cfg(target_os = "linux")]
#[test]
fn a_limit_on_the_length_of_files_is_told_as_a_full_disk_is() {
    let work = Work::small(4);
    let program = env!("CARGO_BIN_EXE_picloom");
    let line = format!(
        "ulimit -f 1; {program} train --arch '3;sin:20' --target home/face.png --size 32 --steps 4 --out run"
    );
    let output = std::process::Command::new("bash")
        .args(["-c", &line])
        .current_dir(work.folder.path())
        .output()
        .unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{error}");
    assert!(error.contains("cannot write: File too large"), "{error}");
    assert!(!work.at("run/.lock").exists());
}

#[test]
fn hostile_specs_leases_and_numbers_are_refused() {
    let itself = "kind = \"study\"\nname = \"whole\"\nquestion = \"?\"\nparts = [\"whole.toml\"]\n";
    let chains = |name: &str, after: &str| {
        let text = CHAINS.replace("NAME", name).replace("OFFSETS", "0");
        text.replace("size = 16", &format!("size = 16\ndepth_from = \"{after}\""))
    };
    let pair = "kind = \"study\"\nname = \"pair\"\nquestion = \"?\"\nparts = [\"one.toml\", \"two.toml\"]\n";
    let work = Work::new(&[
        ("whole", itself.into()),
        ("one", chains("one", "two")),
        ("two", chains("two", "one")),
        ("own", chains("own", "own")),
        ("pair", pair.into()),
        ("long", small("4").replace("\"small\"", &format!("\"{}\"", "n".repeat(5000)))),
    ]);
    for (name, says) in [
        ("whole", "whole.toml"),
        ("one", "expected a finished study two"),
        ("own", "expected a finished study own"),
        ("pair", "expected a finished study two"),
        ("long", "name: expected at most 80 letters, found 5000 letters"),
    ] {
        let line = format!("experiment run home/experiments/{name}.toml");
        let output = work.command(&line).timeout(std::time::Duration::from_secs(60)).output();
        let output = output.unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(matches!(output.status.code(), Some(1 | 2)), "{name}: {error}");
        assert!(error.contains(says), "{name}: {error}");
    }
    let train = "train --arch 2;sin:2 --target home/face.png --size 8 --steps 4 --out run";
    work.says(&format!("{train} --warm-up 18446744073709551615"), 2);
    work.says(train, 0);
}
