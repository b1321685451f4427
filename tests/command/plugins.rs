//! Pruning methods and judges that are somebody's programs: the examples of docs/PLUGINS.md, records, failures,
//! interruption.

use crate::files::files;
use assert_cmd::Command;
use serde_json::Value;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Output;
use std::time::{Duration, Instant};
use tempfile::TempDir;

const ARCH: &str = "3;cache:3,gaussian:3,sin:3";

/// A folder with the two examples and a trained network, `dense`.
struct Work {
    folder: TempDir,
}

impl Work {
    fn new() -> Self {
        let work = Work { folder: TempDir::new().unwrap() };
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        std::fs::create_dir(work.path("tmp")).unwrap();
        for name in ["method.py", "judge.py"] {
            std::fs::copy(root.join("examples").join(name), work.path(name)).unwrap();
        }
        std::fs::copy(root.join("genomes/mask.json"), work.path("mask.json")).unwrap();
        let train = ["train", "--arch", ARCH, "--target", "mask.json", "--size", "16"];
        work.json(&[&train[..], &["--steps", "200", "--out", "dense"]].concat());
        work
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn run(&self, args: &[&str]) -> Output {
        let mut command = Command::cargo_bin("picloom").unwrap();
        let command = command.current_dir(self.folder.path()).env("TMPDIR", self.path("tmp"));
        command.args(args).output().unwrap()
    }

    #[track_caller]
    fn json(&self, args: &[&str]) -> Value {
        let output = self.run(&[args, &["--json"]].concat());
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{args:?}: {error}");
        serde_json::from_slice(&output.stdout).unwrap()
    }

    #[track_caller]
    fn refused(&self, args: &[&str]) -> String {
        let output = self.run(args);
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(matches!(output.status.code(), Some(1 | 2)), "{args:?}: {error}");
        error
    }

    /// Writes a program of these lines of Python, which has the folder as `folder` and the question as `asked`.
    fn method(&self, name: &str, lines: &str) {
        let head = "import json, sys, time\nfrom pathlib import Path\nfolder = Path(sys.argv[-1])\nasked = json.loads((folder / 'round.json').read_text())\nanswer = lambda found: (folder / 'answer.json').write_text(json.dumps(found))\n";
        std::fs::write(self.path(name), head.to_string() + lines + "\n").unwrap();
    }
}

/// Arguments of a pruning of `dense` by this method.
fn prune<'a>(method: &'a str, budget: &'a str, out: &'a str) -> Vec<&'a str> {
    let aim = ["prune", "dense", "--method", method, "--budget", budget, "--steps", "50"];
    [&aim[..], &["--no-pictures", "--out", out]].concat()
}

#[test]
fn the_example_method_prunes_and_stands_in_the_record_with_its_hash() {
    let work = Work::new();
    let found = work.json(&prune("cmd:python3 method.py", "40", "mine"));
    assert_eq!(found["rounds"][0]["kept"], 40);
    let method = found["method"].as_str().unwrap();
    let hash = method.strip_prefix("cmd:sha256=").unwrap().strip_suffix(",python3 method.py");
    assert_eq!(hash.unwrap().len(), 16, "{method}");
    let record = std::fs::read_to_string(work.path("mine/pruning.json")).unwrap();
    let record: Value = serde_json::from_str(&record).unwrap();
    assert_eq!(record["method"], method);
    assert!(std::fs::read_to_string(work.path("mine/config.toml")).unwrap().contains(method));
    // The score is |w dL/dw|: `taylor` has the same numbers, summed over units.
    let scores = record["scores"].as_array().unwrap();
    assert!(scores.iter().filter_map(Value::as_f64).any(|score| score > 0.0));
    // Two rounds ask twice, and the same again gives the same bits, though the program is executable now.
    let executable = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(work.path("method.py"), executable).unwrap();
    for out in ["one", "two"] {
        work.json(&[&prune("cmd:./method.py", "40", out)[..], &["--rounds", "2"]].concat());
    }
    let bits = |out: &str, name: &str| std::fs::read(work.path(out).join(name)).unwrap();
    for name in ["weights.safetensors", "mask.json", "pruning.json", "result.json"] {
        assert!(bits("one", name) == bits("two", name), "{name}");
    }
    // A program that was changed is another method: its folder is not gone on with.
    work.method("method.py", "answer({'keep': list(range(40))})");
    let said = work.refused(&prune("cmd:python3 method.py", "40", "mine"));
    assert!(said.contains("a run with method cmd:sha256=") && said.contains(method), "{said}");
    // Nothing of the questions stays behind.
    assert_eq!(std::fs::read_dir(work.path("tmp")).unwrap().count(), 0);
}

#[test]
fn a_method_may_answer_with_the_links_that_stay() {
    let work = Work::new();
    work.method(
        "keep.py",
        "alive = [i for i, a in enumerate(asked['alive']) if a]\nassert asked['budget'] == 60 and asked['rule'] == 'budget:60'\nassert len(asked['sources']) == len(asked['weights']) == len(asked['gradient'])\nanswer({'keep': alive[-60:]})",
    );
    let found = work.json(&prune("cmd:python3 keep.py", "60", "mine"));
    assert_eq!(found["rounds"][0]["kept"], 60);
}

#[test]
fn what_a_method_does_wrong_is_said_with_its_own_words() {
    let work = Work::new();
    let said = |lines: &str| {
        work.method("wrong.py", lines);
        work.refused(&prune("cmd:timeout=5,python3 wrong.py", "40", "wrong"))
    };
    for (lines, expected) in [
        (
            "pass",
            "expected answer.json with scores, one number a link, or keep, numbers of links, found none",
        ),
        ("answer({'scores': [1, 2]})", "scores, found 2 scores"),
        ("answer({'keep': [0, 1]})", "keep: expected 40 links, found 2"),
        ("answer({'keep': [0, 0]})", "each once, found 0"),
        ("answer({'keep': [100000]})", "found 100000"),
        ("answer({'score': [1]})", "unknown field `score`"),
        ("answer({})", "both, or neither"),
        ("print('no idea'); sys.exit(3)", "exit status: 3, and the words: no idea"),
        ("raise ValueError('too few units')", "ValueError: too few units"),
        ("print('\\x1b[2Jgone'); sys.exit(3)", "the words: \\u{1b}[2Jgone"),
        ("answer([1] * 100_000)", "one that cannot be read: expected a file of at most"),
        ("answer({'scores': [float('nan')] * len(asked['weights'])})", "expected"),
    ] {
        let said = said(lines);
        assert!(said.contains(expected), "{lines}: {said}");
        assert!(!work.path("wrong/result.json").exists());
    }
    work.method("slow.py", "time.sleep(60)");
    let begun = Instant::now();
    let said = work.refused(&prune("cmd:timeout=0.5,python3 slow.py", "40", "slow"));
    assert!(said.contains("expected an answer within 0.5 s, found none"), "{said}");
    assert!(begun.elapsed() < Duration::from_secs(30));
    let said = work.refused(&prune("cmd:./slow.py", "40", "slow"));
    assert!(said.contains("make it executable"), "{said}");
    let said = work.refused(&prune("cmd:nobody-has-this", "40", "slow"));
    assert!(said.contains("expected a program nobody-has-this"), "{said}");
    let said = work.refused(&prune("cmd", "40", "slow"));
    assert!(said.contains("expected a program, as in cmd:./mine.py"), "{said}");
    let said = work.refused(&prune("own:nobody", "40", "slow"));
    assert!(said.contains("expected one that the program has added"), "{said}");
}

#[cfg(target_os = "linux")]
#[test]
fn what_a_method_has_started_ends_with_it_wherever_it_went() {
    let work = Work::new();
    let starts = |own_session: bool| {
        let session = if own_session { "os.setsid(); " } else { "" };
        format!(
            "import os\nif os.fork() == 0:\n    {session}[os.close(i) for i in range(3)]\n    Path('mark').write_text(str(os.getpid()))\n    time.sleep(120)\nwhile not Path('mark').exists():\n    time.sleep(0.01)\n"
        )
    };
    for (own_session, end) in [(false, ""), (true, ""), (true, "time.sleep(60)\n")] {
        let answer = "answer({'scores': asked['weights']})";
        work.method("starts.py", &format!("{}{end}{answer}", starts(own_session)));
        let args = prune("cmd:timeout=4,python3 starts.py", "40", "mine");
        assert_eq!(work.run(&args).status.success(), end.is_empty());
        let pid = std::fs::read_to_string(work.path("mark")).unwrap();
        // It is gone, or dead and not asked for by whoever is its parent now.
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        assert!(stat.is_empty() || stat.contains(") Z "), "{own_session} {end:?}: {stat}");
        std::fs::remove_file(work.path("mark")).unwrap();
        let _ = std::fs::remove_dir_all(work.path("mine"));
    }
}

#[test]
fn a_method_that_runs_when_somebody_asks_to_stop_is_ended_and_asked_again() {
    let work = Work::new();
    // Slow only the first time.
    work.method(
        "slow.py",
        "mark = Path('mark')\nif not mark.exists():\n    mark.write_text(str(__import__('os').getpid()))\n    time.sleep(120)\nanswer({'scores': asked['weights']})",
    );
    let args = prune("cmd:python3 slow.py", "40", "mine");
    let program = env!("CARGO_BIN_EXE_picloom");
    let mut command = std::process::Command::new(program);
    let child = command.current_dir(work.folder.path()).args(&args);
    let child = child.stderr(std::process::Stdio::piped()).spawn().unwrap();
    let mark = work.path("mark");
    let begun = Instant::now();
    let pid = loop {
        match std::fs::read_to_string(&mark) {
            Ok(pid) if !pid.is_empty() => break pid,
            _ => assert!(begun.elapsed() < Duration::from_secs(60), "it asks the method"),
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    let kill = |args: &[&str]| std::process::Command::new("kill").args(args).output().unwrap();
    assert!(kill(&["-INT", &child.id().to_string()]).status.success());
    let output = child.wait_with_output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{error}");
    let begun = Instant::now();
    while kill(&["-0", &pid]).status.success() {
        assert!(begun.elapsed() < Duration::from_secs(10), "the method outlives the command");
        std::thread::sleep(Duration::from_millis(20));
    }
    let found = work.json(&[&args[..], &["--resume"]].concat());
    assert_eq!(found["rounds"][0]["kept"], 40);
}

#[test]
fn the_example_judge_scores_a_network_and_stands_in_the_record() {
    let work = Work::new();
    let score = |judge: &str| work.json(&["score", "dense", "--judge", judge, "--samples", "12"]);
    let found = score("cmd:python3 judge.py");
    assert_eq!(found["judge"], "cmd/python3 judge.py");
    assert_eq!(found["judge_model_sha256"].as_str().unwrap().len(), 16);
    // It says no error of its own: what is left is its doubt.
    assert!(found["judge_error"].as_f64().unwrap() < 0.05, "{}", found["judge_error"]);
    assert_eq!(found, score("cmd:python3 judge.py"));
    // What it says of each picture is what it says of that picture alone.
    let probability = |judged: &Value| judged["verdict"]["p_damaged"].as_f64();
    let all: Vec<_> = found["perturbations"].as_array().unwrap().iter().map(probability).collect();
    assert!(all.iter().flatten().any(|p| *p > 0.0) && all.iter().flatten().all(|p| *p <= 1.0));
    let links = found["perturbations"].as_array().unwrap();
    let alone = links.iter().find(|judged| probability(judged).is_some_and(|p| p > 0.0)).unwrap();
    let link = alone["link"].to_string();
    let args = ["score", "dense", "--judge", "cmd:python3 judge.py", "--samples", &link];
    let again = work.json(&args);
    let again =
        again["perturbations"].as_array().unwrap().iter().find(|j| j["delta"] == alone["delta"]);
    assert_eq!(probability(again.unwrap()), probability(alone));
    let wrong = "import sys, json, pathlib\n(pathlib.Path(sys.argv[1]) / 'verdicts.json').write_text('{\"damaged\": [2]}')\n";
    std::fs::write(work.path("wrong.py"), wrong).unwrap();
    let said =
        work.refused(&["score", "dense", "--judge", "cmd:python3 wrong.py", "--samples", &link]);
    assert!(said.contains("verdicts.json: damaged: expected"), "{said}");
}

#[test]
fn a_study_finds_its_programs_beside_the_spec_and_runs_anew_where_one_was_changed() {
    let work = Work::new();
    std::fs::create_dir(work.path("mine")).unwrap();
    for name in ["method.py", "judge.py", "mask.json"] {
        std::fs::copy(work.path(name), work.path("mine").join(name)).unwrap();
        std::fs::remove_file(work.path(name)).unwrap();
    }
    let spec = format!(
        "kind = \"networks\"\nname = \"mine\"\nquestion = \"Does it run?\"\nsize = 16\nsteps = 60\nseeds = [0]\nsample = 4\njudge = \"cmd:python3 judge.py\"\n\n[[targets]]\nname = \"mask\"\npicture = \"mask.json\"\narch = \"{ARCH}\"\n\n[[arms]]\nname = \"dense\"\nwiring = \"dense\"\n\n[[arms]]\nname = \"mine\"\nfrom = \"dense\"\nmethod = \"cmd:python3 method.py\"\nlevels = [\"share:0.5\"]\n"
    );
    std::fs::write(work.path("mine/mine.toml"), spec).unwrap();
    let run = || work.json(&["experiment", "run", "mine/mine.toml", "--store", "runs"]);
    run();
    let cells = || std::fs::read_dir(work.path("runs/mine/cells")).unwrap().count();
    let (first, before) = (cells(), files(&work.path("runs/mine/cells")));
    run();
    assert_eq!(files(&work.path("runs/mine/cells")), before);
    let study = std::fs::read_to_string(work.path("runs/mine/study.json")).unwrap();
    assert!(study.contains("cmd/python3 judge.py "), "{study}");
    let method = work.path("mine/method.py");
    let text = std::fs::read_to_string(&method).unwrap() + "# Another version.\n";
    std::fs::write(&method, text).unwrap();
    run();
    assert!(cells() > first, "another method is another cell");
}
