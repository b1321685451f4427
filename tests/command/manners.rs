//! How the command behaves: what it says and where, exit codes, completions, colours, threads.

use std::io::Read;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

const MASK: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/genomes/mask.json");
const FACE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/experiments/targets/face.png");

const EXPERIMENTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/experiments");

fn picloom(folder: &Path, line: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_picloom"));
    let words = line.split_whitespace().map(|word| match word {
        "MASK" => MASK.to_string(),
        "FACE" => FACE.to_string(),
        word => word.replace("EXPERIMENTS", EXPERIMENTS),
    });
    command.args(words).current_dir(folder).env_remove("NO_COLOR");
    command
}

fn run(folder: &Path, line: &str) -> Output {
    picloom(folder, line).output().unwrap()
}

fn error(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

fn files(folder: &Path) -> usize {
    std::fs::read_dir(folder).unwrap().count()
}

const TRAIN: &str = "train --genome MASK --target MASK --size 16 --steps 5 --out run";

#[test]
fn a_training_that_diverges_has_failed_and_says_so() {
    let folder = TempDir::new().unwrap();
    for _ in 0..2 {
        let output =
            run(folder.path(), &format!("{TRAIN} --gradient raw --optimizer sgd --lr 1e30"));
        assert_eq!(output.status.code(), Some(1), "{}", error(&output));
        assert!(error(&output).contains("diverged at step"), "{}", error(&output));
        assert!(String::from_utf8_lossy(&output.stdout).contains("diverged"));
    }
    let looked_at = run(folder.path(), "eval run");
    assert_eq!(looked_at.status.code(), Some(1), "{}", error(&looked_at));
}

#[test]
fn whoever_stops_reading_ends_the_command_quietly() {
    let folder = TempDir::new().unwrap();
    assert!(run(folder.path(), TRAIN).status.success());
    // Which says of each what it lacks.
    let list = format!("experiment list {EXPERIMENTS}");
    for line in [
        list.as_str(),
        &format!("{list} --json"),
        "score run --samples 2 --json",
        "completions bash",
    ] {
        // Standard output is gone before the command writes.
        let mut child = picloom(folder.path(), line)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let mut said = String::new();
        child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(0), "{line}: {said}");
        assert!(!said.contains("panicked") && !said.contains("error:"), "{line}: {said}");
        // And so is standard error.
        let mut child = picloom(folder.path(), line)
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stderr.take());
        assert_eq!(child.wait().unwrap().code(), Some(0), "{line}");
    }
}

#[test]
fn quiet_means_nothing_on_stderr_but_errors() {
    let folder = TempDir::new().unwrap();
    let loud = run(folder.path(), &format!("{TRAIN} --json --threads 100000"));
    assert!(error(&loud).contains("--threads: 256, the most"), "{}", error(&loud));
    assert!(error(&loud).contains("all steps made"), "people's text goes to stderr");
    let quiet = run(folder.path(), &format!("{TRAIN} --json --threads 100000 --quiet"));
    assert_eq!(error(&quiet), "");
    assert_eq!(quiet.stdout, loud.stdout);
    let failed = run(folder.path(), "score missing --quiet");
    assert!(error(&failed).starts_with("error:"));
}

#[test]
fn colours_are_as_asked_for() {
    let folder = TempDir::new().unwrap();
    for wrong in ["score missing", "score --nonsense"] {
        let said = |more: &str| error(&run(folder.path(), &format!("{wrong} {more}")));
        assert!(!said("").contains('\u{1b}'), "no terminal, no colour");
        assert!(!said("--color never").contains('\u{1b}'));
        assert!(said("--color always").contains("\u{1b}["), "{wrong}");
        assert!(said("--color=always").contains("\u{1b}["), "{wrong}");
    }
}

#[test]
fn shells_and_man_get_every_command_and_value() {
    let folder = TempDir::new().unwrap();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let output = run(folder.path(), &format!("completions {shell}"));
        let script = String::from_utf8(output.stdout).unwrap();
        // Values of options are not in the scripts of the last two.
        let values = if ["powershell", "elvish"].contains(&shell) { 0 } else { 2 };
        for word in ["layerized", "map-elites", "experiment", "dry-run"].iter().skip(2 - values) {
            assert!(script.contains(word), "{shell} has no {word}");
        }
    }
    assert!(run(folder.path(), "man --out man").status.success());
    for (page, words) in [
        ("picloom.1", vec!["picloom\\-train", "Exit codes"]),
        ("picloom-train.1", vec!["TRAINING", "\\-\\-optimizer"]),
        ("picloom-experiment-run.1", vec!["\\-\\-dry\\-run"]),
        ("picloom-judge-labels.1", vec!["\\-\\-second"]),
    ] {
        let text = std::fs::read_to_string(folder.path().join("man").join(page)).unwrap();
        for word in words {
            assert!(text.contains(word), "{page} has no {word}: {text}");
        }
    }
}

#[test]
fn what_other_programs_call_otherwise_is_answered_with_the_line_here() {
    let folder = TempDir::new().unwrap();
    for (option, here) in [
        ("--weight-decay 0.1", "--optimizer adamw:weight_decay=0.01"),
        ("--l1=0.1", "--penalty l1:strength=1e-4"),
    ] {
        let output = run(folder.path(), &format!("train --target face.png --out run {option}"));
        assert!(output.status.code() == Some(2) && error(&output).contains(here), "{option}");
    }
}

#[test]
fn help_lists_every_command_in_a_group() {
    let command = picloom::cli::command();
    let help = command.clone().render_help().to_string();
    for group in ["Pictures:", "Networks:", "Studies:", "The program:", "Everywhere:"] {
        assert!(help.contains(&format!("\n{group}\n")), "{group}: {help}");
    }
    for one in command.get_subcommands() {
        assert!(help.contains(&format!("\n  {:<12} ", one.get_name())), "{}", one.get_name());
    }
}

#[test]
fn help_puts_options_into_groups() {
    let folder = TempDir::new().unwrap();
    for (line, groups) in [
        ("train --help", &["Training:", "Everywhere:"][..]),
        ("score --help", &["The network:", "The judge:", "A vision-language model:"]),
        (
            "evolve --help",
            &["Breeding by hand (--search interactive):", "A vision-language model:"],
        ),
    ] {
        let text = String::from_utf8(run(folder.path(), line).stdout).unwrap();
        for group in groups {
            assert!(text.contains(group), "{line} has no {group}");
        }
    }
}

#[test]
fn a_dry_run_says_how_much_there_is_to_do_and_does_nothing() {
    let folder = TempDir::new().unwrap();
    let studies = concat!(env!("CARGO_MANIFEST_DIR"), "/experiments");
    let part = |name: &str| format!("{studies}/{name}.toml");
    let parts = [part("wirings"), part("pruning")];
    let whole = format!("kind = \"study\"\nname = \"s\"\nquestion = \"?\"\nparts = {parts:?}\n");
    std::fs::write(folder.path().join("whole.toml"), whole).unwrap();
    for (study, cells) in [
        (part("wirings"), " networks to train, about"),
        ("whole.toml --profile smoke".into(), "in all about"),
    ] {
        let line = format!("experiment run {study} --dry-run --threads 2");
        let output = run(folder.path(), &line);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success() && text.contains(cells), "{text}{}", error(&output));
        assert_eq!(files(folder.path()), 1);
    }
    let line = format!("experiment run {} --dry-run --json", part("pruning"));
    let json = run(folder.path(), &line);
    let json: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    assert!(json["cells"].as_u64() > Some(10) && json["cells"] == json["to_run"], "{json}");
    assert!(json["core_seconds"].as_f64().unwrap() > 0.0);
}

#[test]
fn the_settings_of_a_run_train_another() {
    let folder = TempDir::new().unwrap();
    let id = |line: &str| {
        let output = run(folder.path(), &format!("{line} --json"));
        assert!(output.status.success(), "{line}: {}", error(&output));
        let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        json["run_id"].as_str().unwrap().to_string()
    };
    let settings = "--optimizer muon --lr 0.01 --init he --seed 7 --steps 6";
    let start = "train --genome MASK --target MASK --size 16";
    let first = id(&format!("{start} {settings} --out a"));
    assert_eq!(id(&format!("{start} --config a/config.toml --out b")), first);
    // An option goes before the file.
    let other = id(&format!("{start} --config a/config.toml --seed 8 --out c"));
    assert_eq!(
        other,
        id(&format!("{start} {settings} --seed 8 --out d").replacen("--seed 7 ", "", 1))
    );
}
