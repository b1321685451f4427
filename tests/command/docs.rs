//! Every command of the pages is one that the program has, and every link leads somewhere. `tests/tour/run` runs the
//! commands of the README and the guide.

use crate::line::words;
use std::path::{Path, PathBuf};

/// The pages of the repository.
fn pages() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut pages = vec![root.join("README.md"), root.join("ARCHITECTURE.md")];
    for folder in ["docs", "genomes", "experiments", "figures"] {
        let entries = std::fs::read_dir(root.join(folder)).unwrap();
        pages.extend(entries.map(|entry| entry.unwrap().path()));
    }
    pages.retain(|page| page.extension().is_some_and(|e| e == "md"));
    pages
}

#[test]
fn every_command_of_the_pages_is_one_that_the_program_has() {
    let (mut seen, mut wrong) = (0, vec![]);
    for page in pages() {
        let text = std::fs::read_to_string(&page).unwrap();
        let mut inside = false;
        for line in text.replace("\\\n", " ").lines() {
            if line.starts_with("```") {
                inside = line == "```sh";
            }
            // A synopsis shows what there is, not what to type.
            let Some(arguments) = line.strip_prefix("picloom ").filter(|_| inside) else {
                continue;
            };
            let arguments = arguments.split(" && ").next().unwrap().split(" | ").next().unwrap();
            if line.contains(['…', '[']) {
                continue;
            }
            seen += 1;
            let arguments = ["picloom".to_string()].into_iter().chain(words(arguments));
            if let Err(error) = picloom::cli::command().try_get_matches_from(arguments) {
                wrong.push(format!("{}: {line}\n{error}", page.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(seen > 0);
}

/// The commands that are called by themselves, as they are typed.
fn whole_commands(command: &clap::Command, path: &str) -> Vec<String> {
    let below: Vec<&clap::Command> = command.get_subcommands().collect();
    if below.is_empty() {
        return vec![path.to_string()];
    }
    let of = |command: &&clap::Command| {
        whole_commands(command, &format!("{path} {}", command.get_name()))
    };
    below.iter().flat_map(of).collect()
}

#[test]
fn the_help_of_every_command_has_an_example_and_begins_with_what_it_uses() {
    let mut command = picloom::cli::command();
    // Of answers that nobody has given yet: docs/JUDGES.md.
    let elsewhere = ["picloom judge labels", "picloom judge test"];
    for path in whole_commands(&command, "picloom") {
        let names = path.split(' ').skip(1);
        let found = names.fold(&mut command, |c, name| c.find_subcommand_mut(name).unwrap());
        let help = found.render_long_help().to_string();
        let shown = help.contains("Examples:\n  ") && help.contains(&format!("  {path}"));
        assert!(shown || elsewhere.contains(&path.as_str()), "{path}: {help}");
    }
    let train = command.find_subcommand_mut("train").unwrap().render_long_help().to_string();
    let place = |option: &str| train.find(&format!("  {option} ")).unwrap();
    let first = ["--genome", "--wiring", "--target", "--size", "--steps", "--out"].map(place);
    assert!(first.is_sorted() && first[5] < place("--coords"), "{train}");
}

#[test]
fn the_page_of_every_command_is_the_programs_help() {
    let mut command = picloom::cli::command().term_width(400);
    let help = command.render_long_help().to_string();
    let commands = help.split("Options:").next().unwrap().lines().filter_map(|line| {
        match line.strip_prefix("  ").map(|line| line.split_once(' ')) {
            Some(Some((name, _))) if !name.is_empty() => {
                let about = command.find_subcommand(name).unwrap().get_about().unwrap();
                Some(vec![format!("### {name}"), format!("{about}.")])
            }
            None if line.ends_with(':') => Some(vec![format!("## {}", line.trim_end_matches(':'))]),
            _ => None,
        }
    });
    let expected: Vec<String> = commands.flatten().collect();
    let page = include_str!("../../docs/CLI.md").split("\n## All of them").next().unwrap();
    let mut is_code = false;
    let found: Vec<&str> = page
        .lines()
        .skip(3)
        .filter(|line| {
            let is_fence = line.starts_with("```");
            is_code ^= is_fence;
            !(is_code || is_fence || line.is_empty())
        })
        .collect();
    assert_eq!(
        found, expected,
        "docs/CLI.md has the groups, commands and words of `picloom --help`"
    );
}

/// The targets of `[words](target)` and `![words](target)`.
fn targets(text: &str) -> Vec<&str> {
    let after = text.split("](").skip(1);
    after.filter_map(|rest| rest.split_once(')')).map(|(target, _)| target).collect()
}

#[test]
fn every_local_link_and_picture_of_the_pages_is_there() {
    let mut checked = 0;
    for page in pages() {
        let text = std::fs::read_to_string(&page).unwrap();
        for target in targets(&text) {
            let file = target.split('#').next().unwrap();
            if file.is_empty() || file.contains("://") {
                continue;
            }
            let path = page.parent().unwrap().join(file);
            assert!(path.exists(), "{}: {target} leads nowhere", page.display());
            checked += 1;
        }
    }
    assert!(checked > 0);
}
