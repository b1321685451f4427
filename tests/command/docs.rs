//! The commands of the README and of the recipes run as they are written, in order, in one folder.

use std::path::Path;
use std::process::Command;

/// Copies a folder with everything in it.
fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let to = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy(&path, &to);
        } else {
            std::fs::copy(&path, &to).unwrap();
        }
    }
}

#[test]
fn the_readmes_tour_runs_word_for_word() {
    assert!(runs_word_for_word("README.md") >= 12);
}

#[test]
fn the_recipes_run_word_for_word() {
    assert!(runs_word_for_word("docs/RECIPES.md") >= 6);
}

#[test]
fn the_way_to_a_cluster_runs_word_for_word() {
    assert!(runs_word_for_word("docs/CLUSTER.md") >= 5);
}

/// Runs the commands of a page, in order, in one folder, and counts them.
fn runs_word_for_word(page: &str) -> usize {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let readme = std::fs::read_to_string(root.join(page)).unwrap();
    let work = tempfile::tempdir().unwrap();
    for folder in ["genomes", "experiments", "figures"] {
        copy(&root.join(folder), &work.path().join(folder));
    }
    let (mut inside, mut ran) = (false, 0);
    for line in readme.lines() {
        if line.starts_with("```") {
            inside = line == "```sh";
            continue;
        }
        // CI runs the whole study with the release build.
        if inside && line.starts_with("picloom experiment run experiments/study.toml") {
            continue;
        }
        // It serves until it is stopped: tests/command/studio does so.
        if inside && line.trim_end() == "picloom studio" {
            continue;
        }
        // CI runs the two `cargo` commands and the installation is the build itself.
        let Some(arguments) = line.strip_prefix("picloom ").filter(|_| inside) else {
            assert!(!inside || line.starts_with("cargo "), "what runs this? {line}");
            continue;
        };
        let output = Command::new(env!("CARGO_BIN_EXE_picloom"))
            .args(arguments.split_whitespace().map(|word| word.trim_matches('"')))
            .current_dir(work.path())
            .output()
            .unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{line}\n{error}");
        let said = String::from_utf8_lossy(&output.stdout);
        // Whoever follows the tour sees scores that count.
        let scores = page == "README.md" && line.starts_with("picloom score");
        assert!(!scores || !said.contains("UNFIT"), "{line}\n{said}");
        ran += 1;
    }
    ran
}
