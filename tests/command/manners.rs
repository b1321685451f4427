//! How the command behaves: what it says and where, exit codes, completions, colours, threads.

use crate::cases::cases;
use crate::files::{assert_same, timeless};
use crate::line::Place;
use crate::said::assert_says;
use std::io::Read;
use std::process::Stdio;

const TRAIN: &str = "train --genome mask --target mask --size 16 --steps 5 --out run";

cases! {
    manners:
    a_training_that_diverges_has_failed_and_says_so,
    colours_are_as_asked_for,
    shells_and_man_get_every_command_and_value,
    a_dry_run_says_how_much_there_is_to_do_and_does_nothing,
    the_settings_of_a_run_train_another,
    help_of_a_command_has_its_options_in_groups,
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
fn help_lists_every_command_and_option_in_a_group() {
    let command = picloom::cli::command();
    let help = command.clone().render_help().to_string();
    let groups = ["\nPictures:\n", "\nNetworks:\n", "\nStudies:\n", "\nThe program:\n"];
    assert_says(&help, &[&groups[..], &["\nEverywhere:\n"]].concat());
    for one in command.get_subcommands() {
        assert_says(&help, &[&format!("\n  {:<12} ", one.get_name())]);
    }
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
