//! How the command behaves: what it says and where, exit codes, completions, colours, threads.

use crate::files::{assert_same, timeless};
use crate::line::Place;
use crate::said::assert_says;
use std::io::Read;
use std::process::Stdio;

const TRAIN: &str = "train --genome mask --target mask --size 16 --steps 5 --out run";

#[test]
fn a_training_that_diverges_has_failed_and_says_so() {
    let place = Place::new();
    for _ in 0..2 {
        let said = place.says(&format!("{TRAIN} --gradient raw --optimizer sgd --lr 1e30"), 1);
        assert_says(&said.error, &["diverged at step"]);
        assert_says(&said.out, &["diverged"]);
    }
    place.says("eval run", 1);
}

#[test]
fn whoever_stops_reading_ends_the_command_quietly() {
    let place = Place::new();
    place.done(TRAIN);
    for line in [
        // Which says of each what it lacks.
        "experiment list ROOT/experiments",
        "experiment list ROOT/experiments --json",
        "score run --samples 2 --json",
        "completions bash",
    ] {
        let start = |out: Stdio| place.command(line).stdout(out).stderr(Stdio::piped()).spawn();
        // Standard output is gone before the command writes.
        let mut child = start(Stdio::piped()).unwrap();
        drop(child.stdout.take());
        let mut said = String::new();
        child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(0), "{line}: {said}");
        assert!(!said.contains("panicked") && !said.contains("error:"), "{line}: {said}");
        // And so is standard error.
        let mut child = start(Stdio::null()).unwrap();
        drop(child.stderr.take());
        assert_eq!(child.wait().unwrap().code(), Some(0), "{line}");
    }
}

#[test]
fn quiet_means_nothing_on_stderr_but_errors() {
    let place = Place::new();
    let loud = place.run(&format!("{TRAIN} --json --threads 100000"));
    assert!(loud.error.contains("--threads: 256, the most"), "{loud:?}");
    assert!(loud.error.contains("all steps made"), "people's text goes to stderr");
    let quiet = place.run(&format!("{TRAIN} --json --threads 100000 --quiet"));
    assert_eq!((quiet.error.as_str(), quiet.out), ("", loud.out));
    assert!(place.run("score missing --quiet").error.starts_with("error:"));
}

#[test]
fn colours_are_as_asked_for() {
    let place = Place::new();
    for wrong in ["score missing", "score --nonsense"] {
        let said = |more: &str| place.run(&format!("{wrong} {more}")).error;
        assert!(!said("").contains('\u{1b}'), "no terminal, no colour");
        assert!(!said("--color never").contains('\u{1b}'));
        assert!(said("--color always").contains("\u{1b}["), "{wrong}");
        assert!(said("--color=always").contains("\u{1b}["), "{wrong}");
    }
}

#[test]
fn shells_and_man_get_every_command_and_value() {
    let place = Place::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = place.run(&format!("completions {shell}")).out;
        // Values of options are not in the scripts of the last two.
        let values = if ["powershell", "elvish"].contains(&shell) { 0 } else { 2 };
        assert_says(&script, &["layerized", "map-elites", "experiment", "dry-run"][2 - values..]);
    }
    place.done("man --out man");
    for (page, words) in [
        ("picloom.1", &["picloom\\-train", "Exit codes"][..]),
        ("picloom-train.1", &["TRAINING", "\\-\\-optimizer"]),
        ("picloom-experiment-run.1", &["\\-\\-dry\\-run"]),
        ("picloom-judge-labels.1", &["\\-\\-second"]),
    ] {
        assert_says(&place.text(&format!("man/{page}")), words);
    }
}

#[test]
fn help_lists_every_command_and_option_in_a_group() {
    let command = picloom::cli::command();
    let help = command.clone().render_help().to_string();
    let groups = ["\nPictures:\n", "\nNetworks:\n", "\nStudies:\n", "\nThe program:\n"];
    assert_says(&help, &[&groups[..], &["\nEverywhere:\n"]].concat());
    for one in command.get_subcommands() {
        assert_says(&help, &[&format!("\n  {:<12} ", one.get_name())]);
    }
    let place = Place::new();
    for (name, groups) in [
        ("train", &["Training:", "Everywhere:"][..]),
        ("score", &["The network:", "The judge:", "A vision-language model:"]),
        ("evolve", &["Breeding by hand (--search interactive):", "A vision-language model:"]),
    ] {
        assert_says(&place.run(&format!("{name} --help")).out, groups);
    }
}

#[test]
fn a_dry_run_says_how_much_there_is_to_do_and_does_nothing() {
    let place = Place::new();
    let experiments = format!("{}/experiments", crate::line::ROOT);
    let parts = ["wirings", "pruning"].map(|name| format!("{experiments}/{name}.toml"));
    let whole = format!("kind = \"study\"\nname = \"s\"\nquestion = \"?\"\nparts = {parts:?}\n");
    place.write("whole.toml", whole);
    for (study, cells) in [
        ("ROOT/experiments/wirings.toml", " networks to train, about"),
        ("whole.toml --profile smoke", "in all about"),
    ] {
        let said = place.done(&format!("experiment run {study} --dry-run --threads 2"));
        assert!(said.out.contains(cells), "{said:?}");
        assert_eq!(place.count(""), 1);
    }
    let json = place.json("experiment run ROOT/experiments/pruning.toml --dry-run");
    assert!(json["cells"].as_u64() > Some(10) && json["cells"] == json["to_run"], "{json}");
    assert!(json["core_seconds"].as_f64().unwrap() > 0.0);
}

#[test]
fn the_settings_of_a_run_train_another() {
    let place = Place::new();
    let id = |line: &str| {
        place.json(&format!("train --genome mask --target mask --size 16 {line}"))["run_id"].clone()
    };
    let settings = "--optimizer muon --lr 0.01 --init he --steps 6";
    let first = id(&format!("{settings} --seed 7 --out a"));
    assert_eq!(id("--config a/config.toml --out b"), first);
    // An option goes before the file.
    let other = id("--config a/config.toml --seed 8 --out c");
    assert_eq!(other, id(&format!("{settings} --seed 8 --out d")));
}

#[test]
fn weights_records_pictures_and_scores_do_not_depend_on_the_threads() {
    let train = "train --genome mask --target mask --size 48 --steps 120 --batch 900 --seed 3";
    let score = "score run --samples 20 --seed 2";
    let [alone, others @ ..] = [1, 2, 8].map(|threads| {
        let place = Place::new();
        let json = |line: &str| place.json(&format!("{line} --threads {threads}"));
        json(&format!("{train} --out run"));
        let printed = json(&format!("{score} --out score.json"));
        json(&format!("{score} --all --out card"));
        let mut files = timeless(place.path());
        files.insert("the score".into(), printed.to_string().into());
        files
    });
    others.iter().for_each(|files| assert_same(&alone, files, "1 thread and more"));
    assert!(alone.contains_key("card/card.svg"));
}
