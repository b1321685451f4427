//! The command: what it refuses, and that it says so as `picloom` does.

use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// The command, in a folder; EXPERIMENTS is the folder of the specs.
pub(crate) fn command(folder: &Path, line: &str) -> Command {
    let specs = format!("{ROOT}/experiments");
    let mut command = Command::new(env!("CARGO_BIN_EXE_picloom-experiments"));
    command.args(line.split_whitespace().map(|word| word.replace("EXPERIMENTS", &specs)));
    command.current_dir(folder);
    command
}

/// Its exit code, its result, and what it says.
pub(crate) fn run(folder: &Path, line: &str) -> (Option<i32>, String, String) {
    said(command(folder, line).output().unwrap())
}

fn said(output: Output) -> (Option<i32>, String, String) {
    let [out, error] =
        [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    (output.status.code(), out, error)
}

/// The answer of a line that succeeds.
#[track_caller]
pub(crate) fn json(folder: &Path, line: &str) -> serde_json::Value {
    let (code, out, error) = run(folder, &format!("{line} --json"));
    assert_eq!(code, Some(0), "{line}: {error}");
    serde_json::from_str(&out).unwrap()
}

/// The study of the paper with these parts and without claims.
fn whole(parts: &[&str]) -> String {
    let text = std::fs::read_to_string(format!("{ROOT}/experiments/study.toml")).unwrap();
    let (head, _) = text.split_once("parts = [").unwrap();
    format!("{head}parts = {parts:?}\nclaims = []\n")
}

/// The committed table of a study, in another folder.
fn committed(study: &str, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for name in ["study.json", "rows.csv.gz"] {
        std::fs::copy(Path::new(ROOT).join("figures").join(study).join(name), to.join(name))
            .unwrap();
    }
}

#[test]
fn what_cannot_be_decided_drawn_or_run_is_said_and_nothing_is_begun() {
    let folder = TempDir::new().unwrap();
    let to = |name: &str| folder.path().join(name);
    committed("wirings", &to("other/depth"));
    // Its second part is not there: the first is not begun.
    std::fs::write(to("study.toml"), whole(&["xor.toml", "none.toml"])).unwrap();
    std::fs::copy(format!("{ROOT}/experiments/xor.toml"), to("xor.toml")).unwrap();
    for (line, code, why) in [
        ("power EXPERIMENTS/regime.toml", 2, ""),
        ("figures clams", 2, ""),
        ("run EXPERIMENTS/xor.toml --color red", 2, ""),
        (
            "figures depth-predicted-by-compresion",
            2,
            "did you mean \"depth-predicted-by-compression\"",
        ),
        (
            "claims --spec EXPERIMENTS/study.toml --records none",
            1,
            "rows.csv.gz of at least one part",
        ),
        ("claims --spec EXPERIMENTS/study.toml --records other", 1, "expected a record of depth"),
        ("figures score-by-depth --records other", 1, "expected a record of depth"),
        ("run study.toml --store runs", 1, "none.toml"),
        ("status study.toml --store runs", 1, "none.toml"),
    ] {
        let (found, out, error) = run(folder.path(), line);
        assert_eq!((found, code == 2 && !out.is_empty()), (Some(code), false), "{line}: {error}");
        assert!((out + &error).contains(why), "{line}: {error}");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 3, "{line}");
    }
}

#[test]
fn the_whole_study_is_planned_and_handed_to_a_scheduler() {
    let folder = TempDir::new().unwrap();
    let line = "run EXPERIMENTS/study.toml --profile smoke --dry-run";
    let (code, out, error) = run(folder.path(), line);
    assert!(code == Some(0) && out.contains("in all about"), "{out}{error}");
    let plan = json(folder.path(), "run EXPERIMENTS/xor.toml --dry-run");
    assert_eq!((plan["cells"].as_u64(), plan["to_run"].as_u64()), (Some(100), Some(100)));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    json(folder.path(), "emit slurm EXPERIMENTS/study.toml --profile smoke --tasks 7");
    let script = std::fs::read_to_string(folder.path().join("study.slurm.sh")).unwrap();
    assert!(script.contains("picloom-experiments run "), "{script}");
    assert!(script.contains("--profile smoke --threads 1 --shard \"$SLURM_ARRAY_TASK_ID/7\""));
}

#[test]
fn whoever_stops_reading_ends_the_command_quietly() {
    let folder = TempDir::new().unwrap();
    let mut command = command(folder.path(), "figures --list --records none");
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let (code, _, error) = said(child.wait_with_output().unwrap());
    assert!(code == Some(0) && !error.contains("panicked"), "{error}");
}

#[cfg(unix)]
#[test]
fn names_that_are_no_utf8_work_in_every_command_of_the_paper() {
    use std::os::unix::ffi::OsStrExt;
    let folder = TempDir::new().unwrap();
    let own = std::ffi::OsStr::from_bytes(b"o\xff");
    let odd = |name: &str| folder.path().join(own).join(name);
    committed("depth", &odd("records/depth"));
    std::fs::write(odd("study.toml"), whole(&["xor.toml"])).unwrap();
    std::fs::copy(format!("{ROOT}/experiments/xor.toml"), odd("xor.toml")).unwrap();
    for line in [
        "run --dry-run @study.toml --store @runs",
        "run @study.toml --store @runs",
        "status @study.toml --store @runs",
        "collect @study.toml --store @runs",
        "status @xor.toml --store @runs",
        "figures score-by-depth --png --records @records",
        "report --records @records --out @report.html",
    ] {
        for json in [false, true] {
            let place = |word: &str| word.strip_prefix('@').map_or(word.into(), |n| odd(n).into());
            let words: Vec<OsString> = line.split(' ').map(place).collect();
            let mut command = command(folder.path(), "");
            let (code, _, error) =
                said(command.args(words).args(json.then_some("--json")).output().unwrap());
            assert_eq!(code, Some(0), "{line}: {error}");
        }
    }
    for file in ["runs/claims.json", "runs/xor/rows.csv.gz", "report.html"] {
        assert!(odd(file).exists(), "{file}");
    }
    // Nothing was written beside it under a name with other letters.
    let names: Vec<OsString> =
        std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, [own]);
}
