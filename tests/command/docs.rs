//! Every command of the pages is one that the program has. `tests/tour/run` runs those of the README and
//! the guide.

use std::path::{Path, PathBuf};

/// The pages of the repository that show commands.
fn pages() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut pages = vec![root.join("README.md")];
    for folder in ["docs", "genomes", "experiments"] {
        let entries = std::fs::read_dir(root.join(folder)).unwrap();
        pages.extend(entries.map(|entry| entry.unwrap().path()));
    }
    pages.retain(|page| page.extension().is_some_and(|e| e == "md"));
    pages
}

/// A line as a shell splits it: by spaces, but for quoted parts, without a comment.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![];
    let (mut word, mut quote) = (String::new(), None);
    for c in line.chars().chain([' ']) {
        match (quote, c) {
            (None, '#') if word.is_empty() => break,
            (None, ' ') if word.is_empty() => {}
            (None, ' ') => words.push(std::mem::take(&mut word)),
            (None, '"' | '\'') => quote = Some(c),
            (Some(q), c) if q == c => quote = None,
            _ => word.push(c),
        }
    }
    words
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
