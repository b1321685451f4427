//! The command: what it refuses, and that it says so as `picloom` does.

use crate::paper::line::{Place, ROOT, Said};
use crate::paper::root;
use crate::paper::said::assert_says;
use std::ffi::OsString;
use std::path::Path;
use std::process::Stdio;

/// The study of the paper with these parts and without claims.
fn whole(parts: &[&str]) -> String {
    let text = std::fs::read_to_string(root().join("experiments/study.toml")).unwrap();
    let (head, _) = text.split_once("parts = [").unwrap();
    format!("{head}parts = {parts:?}\nclaims = []\n")
}

/// The committed table of a study, in another folder.
fn committed(study: &str, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for name in ["study.json", "rows.csv.gz"] {
        std::fs::copy(root().join("figures").join(study).join(name), to.join(name)).unwrap();
    }
}

#[test]
fn what_cannot_be_decided_drawn_or_run_is_said_and_nothing_is_begun() {
    let place = Place::with(&["experiments/xor.toml"]);
    committed("wirings", &place.at("other/depth"));
    // Its second part is not there: the first is not begun.
    place.write("study.toml", whole(&["xor.toml", "none.toml"]));
    for (line, code, why) in [
        ("power ROOT/experiments/regime.toml", 2, ""),
        ("figures clams", 2, ""),
        ("run ROOT/experiments/xor.toml --color red", 2, ""),
        (
            "figures depth-predicted-by-compresion",
            2,
            "did you mean \"depth-predicted-by-compression\"",
        ),
        (
            "claims --spec ROOT/experiments/study.toml --records none",
            1,
            "rows.csv.gz of at least one part",
        ),
        (
            "claims --spec ROOT/experiments/study.toml --records other",
            1,
            "expected a record of depth",
        ),
        ("figures score-by-depth --records other", 1, "expected a record of depth"),
        ("run study.toml --store runs", 1, "none.toml"),
        ("status study.toml --store runs", 1, "none.toml"),
    ] {
        let Said { out, error, .. } = place.says(line, code);
        assert!(code == 1 || out.is_empty(), "{line}: {out}");
        assert_says(&(out + &error), &[why]);
        assert_eq!(place.count(""), 3, "{line}");
    }
}

#[test]
fn the_whole_study_is_planned_and_handed_to_a_scheduler() {
    let place = Place::new();
    let planned = place.done("run ROOT/experiments/study.toml --profile smoke --dry-run");
    assert_says(&planned.out, &["in all about"]);
    let plan = place.json("run ROOT/experiments/xor.toml --dry-run");
    assert_eq!((plan["cells"].as_u64(), plan["to_run"].as_u64()), (Some(100), Some(100)));
    assert_eq!(place.count(""), 0);
    place.json("emit slurm ROOT/experiments/study.toml --profile smoke --tasks 7");
    let shard = "--profile smoke --threads 1 --shard \"$SLURM_ARRAY_TASK_ID/7\"";
    assert_says(&place.text("study.slurm.sh"), &["picloom-experiments run ", shard]);
}

#[test]
fn whoever_stops_reading_ends_the_command_quietly() {
    let place = Place::new();
    let mut command = place.command("figures --list --records none");
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    // It does not panic, either.
    let said = Said::from(child.wait_with_output().unwrap());
    assert_eq!(said.code, Some(0), "{said:?}");
}

#[cfg(unix)]
#[test]
fn names_that_are_no_utf8_work_in_every_command_of_the_paper() {
    use std::os::unix::ffi::OsStrExt;
    let place = Place::new();
    let own = std::ffi::OsStr::from_bytes(b"o\xff");
    let odd = |name: &str| place.path().join(own).join(name);
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
            let own = |word: &str| word.strip_prefix('@').map_or(word.into(), |n| odd(n).into());
            let words: Vec<OsString> = line.split(' ').map(own).collect();
            let done = place.command("").args(words).args(json.then_some("--json")).output();
            let said = Said::from(done.unwrap());
            assert_eq!(said.code, Some(0), "{line}: {said:?}");
        }
    }
    for file in ["runs/claims.json", "runs/xor/rows.csv.gz", "report.html"] {
        assert!(odd(file).exists(), "{file}");
    }
    // Nothing was written beside it under a name with other letters.
    let names: Vec<OsString> =
        std::fs::read_dir(place.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, [own]);
}
