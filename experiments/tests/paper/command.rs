//! The command: what it refuses, and that it says so as `picloom` does.

use std::ffi::{OsStr, OsString};
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
        ("run study.toml --store runs", "none.toml"),
        ("status study.toml --store runs", "none.toml"),
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
fn the_whole_study_is_handed_to_a_scheduler() {
    let folder = TempDir::new().unwrap();
    let emitted = run(folder.path(), "emit slurm EXPERIMENTS/study.toml --profile smoke --tasks 7");
    assert!(emitted.status.success(), "{}", error(&emitted));
    let script = std::fs::read_to_string(folder.path().join("study.slurm.sh")).unwrap();
    assert!(script.contains("picloom-experiments run "), "{script}");
    assert!(script.contains("--profile smoke --threads 1 --shard \"$SLURM_ARRAY_TASK_ID/7\""));
}

#[test]
fn two_workers_share_the_whole_study_and_one_decides_it() {
    let folder = TempDir::new().unwrap();
    let text = std::fs::read_to_string(format!("{ROOT}/experiments/study.toml")).unwrap();
    let (head, _) = text.split_once("parts = [").unwrap();
    // The depths of the second are predicted from the record of the first.
    let parts = ["depth", "out_of_domain"].map(|name| format!("{ROOT}/experiments/{name}.toml"));
    let text = format!("{head}parts = {parts:?}\nclaims = []\n");
    std::fs::write(folder.path().join("study.toml"), text).unwrap();
    let line = "run study.toml --profile smoke --threads 1 --json --store";
    let start = |shard: &str| {
        let mut command = command(folder.path(), &format!("{line} runs --shard {shard}"));
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let ended = ["1/2", "2/2"].map(start).map(|child| child.wait_with_output().unwrap());
    ended.iter().for_each(|output| assert!(output.status.success(), "{}", error(output)));
    // Whoever comes later finds everything done.
    let alone = run(folder.path(), &format!("{line} alone"));
    assert!(alone.status.success(), "{}", error(&alone));
    for file in ["claims.json", "depth/rows.csv.gz", "out_of_domain/rows.csv.gz"] {
        let [shared, alone] =
            ["runs", "alone"].map(|top| std::fs::read(folder.path().join(top).join(file)).unwrap());
        assert!(shared == alone, "{file}");
    }
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

#[cfg(unix)]
#[test]
fn names_that_are_no_utf8_work_in_every_command_of_the_paper() {
    use std::os::unix::ffi::OsStrExt;
    let folder = TempDir::new().unwrap();
    let odd = |name: &str| folder.path().join(OsStr::from_bytes(b"o\xff")).join(name);
    std::fs::create_dir_all(odd("records/depth")).unwrap();
    for name in ["study.json", "rows.csv.gz"] {
        let from = Path::new(ROOT).join("figures/depth").join(name);
        std::fs::copy(from, odd("records/depth").join(name)).unwrap();
    }
    let text = std::fs::read_to_string(format!("{ROOT}/experiments/study.toml")).unwrap();
    let (head, _) = text.split_once("parts = [").unwrap();
    std::fs::write(odd("study.toml"), format!("{head}parts = [\"xor.toml\"]\nclaims = []\n"))
        .unwrap();
    std::fs::copy(format!("{ROOT}/experiments/xor.toml"), odd("xor.toml")).unwrap();
    for (line, paths) in [
        ("run --dry-run @ --store @", ["study.toml", "runs"]),
        ("run @ --store @", ["study.toml", "runs"]),
        ("status @ --store @", ["study.toml", "runs"]),
        ("collect @ --store @", ["study.toml", "runs"]),
        ("status @ --store @", ["xor.toml", "runs"]),
        ("figures score-by-depth --png --records @ @", ["records", ""]),
        ("report --records @ --out @", ["records", "report.html"]),
    ] {
        for json in [false, true] {
            let mut named = paths.iter().filter(|path| !path.is_empty());
            let words = line.split(' ').filter_map(|word| match word {
                "@" => named.next().map(|name| odd(name).into_os_string()),
                word => Some(word.into()),
            });
            let words: Vec<OsString> = words.collect();
            let mut command = Command::new(env!("CARGO_BIN_EXE_picloom-experiments"));
            command.args(&words).args(json.then_some("--json")).current_dir(folder.path());
            let output = command.output().unwrap();
            assert_eq!(output.status.code(), Some(0), "{words:?}: {}", error(&output));
        }
    }
    for file in ["runs/claims.json", "runs/xor/rows.csv.gz", "report.html"] {
        assert!(odd(file).exists(), "{file}");
    }
    // Nothing was written beside it under a name with other letters.
    let names: Vec<OsString> =
        std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, [OsStr::from_bytes(b"o\xff")]);
}
