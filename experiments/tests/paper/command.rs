//! The command: what it refuses, and that it says so as `picloom` does.

use std::path::Path;
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// The command, in a folder; EXPERIMENTS is the folder of the specs.
fn command(folder: &Path, line: &str) -> Command {
    let specs = format!("{ROOT}/experiments");
    let mut command = Command::new(env!("CARGO_BIN_EXE_picloom-experiments"));
    command.args(line.split_whitespace().map(|word| word.replace("EXPERIMENTS", &specs)));
    command.current_dir(folder);
    command
}

fn run(folder: &Path, line: &str) -> Output {
    command(folder, line).output().unwrap()
}

fn error(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn wrong_use_ends_with_2_and_leaves_nothing() {
    let folder = TempDir::new().unwrap();
    for line in
        ["power EXPERIMENTS/regime.toml", "figures clams", "run EXPERIMENTS/xor.toml --color red"]
    {
        let output = run(folder.path(), line);
        assert_eq!(output.status.code(), Some(2), "{line}: {}", error(&output));
        assert!(output.stdout.is_empty(), "{line}");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "{line}");
    }
    let said = error(&run(folder.path(), "figures depth-predicted-by-compresion"));
    assert!(said.contains("did you mean \"depth-predicted-by-compression\""), "{said}");
}

#[test]
fn what_cannot_be_decided_drawn_or_run_is_said_and_nothing_is_begun() {
    let folder = TempDir::new().unwrap();
    let to = |name: &str| folder.path().join(name);
    std::fs::create_dir_all(to("other/depth")).unwrap();
    let wirings = Path::new(ROOT).join("figures/wirings");
    for name in ["study.json", "rows.csv.gz"] {
        std::fs::copy(wirings.join(name), to("other/depth").join(name)).unwrap();
    }
    // Its second part is not there: the first is not begun.
    let text = std::fs::read_to_string(format!("{ROOT}/experiments/study.toml")).unwrap();
    let (head, _) = text.split_once("parts = [").unwrap();
    let parts = "parts = [\"xor.toml\", \"none.toml\"]\nclaims = []\n";
    std::fs::write(to("study.toml"), format!("{head}{parts}")).unwrap();
    std::fs::copy(format!("{ROOT}/experiments/xor.toml"), to("xor.toml")).unwrap();
    for (line, why) in [
        ("claims --spec EXPERIMENTS/study.toml --records none", "rows.csv.gz of at least one part"),
        ("claims --spec EXPERIMENTS/study.toml --records other", "expected a record of depth"),
        ("figures score-by-depth --records other", "expected a record of depth"),
        ("run study.toml --runs runs", "none.toml"),
        ("status study.toml --runs runs", "none.toml"),
    ] {
        let output = run(folder.path(), line);
        assert_eq!(output.status.code(), Some(1), "{line}: {}", error(&output));
        let said = error(&output) + &String::from_utf8_lossy(&output.stdout);
        assert!(said.contains(why), "{line}: {said}");
        assert!(!to("runs").exists(), "{line} leaves nothing");
    }
}

#[test]
fn a_dry_run_of_the_whole_study_says_how_much_there_is_to_do() {
    let folder = TempDir::new().unwrap();
    let output = run(folder.path(), "run EXPERIMENTS/study.toml --profile smoke --dry-run");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success() && text.contains("in all about"), "{text}{}", error(&output));
    let json = run(folder.path(), "run EXPERIMENTS/xor.toml --dry-run --json");
    let json: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!((json["cells"].as_u64(), json["to_run"].as_u64()), (Some(100), Some(100)));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn the_whole_study_is_planned_part_by_part() {
    let folder = TempDir::new().unwrap();
    let line = "plan write EXPERIMENTS/study.toml --profile smoke --json";
    let output = run(folder.path(), line);
    assert!(output.status.success(), "{}", error(&output));
    let planned: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(planned["parts"].as_array().unwrap().len() > 10, "{planned}");
    let status = run(folder.path(), "plan status plan.jsonl --json");
    let status: serde_json::Value = serde_json::from_slice(&status.stdout).unwrap();
    assert_eq!((&status["cells"], &status["done"]), (&planned["cells"], &0.into()));
    let emitted = run(folder.path(), "plan emit slurm plan.jsonl");
    assert!(emitted.status.success(), "{}", error(&emitted));
    let script = std::fs::read_to_string(folder.path().join("plan.slurm.sh")).unwrap();
    assert!(script.contains("picloom-experiments plan run plan.jsonl"), "{script}");
}

#[test]
fn whoever_stops_reading_ends_the_command_quietly() {
    let folder = TempDir::new().unwrap();
    let mut child = command(folder.path(), "figures --list --records none")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", error(&output));
    assert!(!error(&output).contains("panicked"), "{}", error(&output));
}
