//! Files that the crash campaign planted in folders: each stays refused or replaced.

use assert_cmd::Command;
use std::path::Path;

/// Runs a line in a folder: its exit code and its messages.
fn run(folder: &Path, line: &str) -> (Option<i32>, String) {
    let mut command = Command::cargo_bin("picloom").unwrap();
    let output = command.current_dir(folder).args(line.split(' ')).output().unwrap();
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

fn with_moth() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::copy("genomes/bred_moth.json", folder.path().join("moth.json")).unwrap();
    folder
}

#[cfg(unix)]
#[test]
fn a_manual_page_is_not_written_through_a_link() {
    let folder = tempfile::tempdir().unwrap();
    let precious = folder.path().join("precious");
    std::fs::write(&precious, "years of work").unwrap();
    std::fs::create_dir(folder.path().join("man")).unwrap();
    let page = folder.path().join("man/picloom-train.1");
    std::os::unix::fs::symlink(&precious, &page).unwrap();
    assert_eq!(run(folder.path(), "man --out man").0, Some(0));
    assert_eq!(std::fs::read_to_string(&precious).unwrap(), "years of work");
    assert!(std::fs::read_to_string(&page).unwrap().contains("picloom train"));
}

#[test]
fn a_folder_in_the_place_of_a_rounds_picture_is_refused_and_the_pictures_come_afterwards() {
    let folder = with_moth();
    let train = "train --genome moth.json --target moth.json --size 8 --steps 2 --out dense";
    assert_eq!(run(folder.path(), train).0, Some(0));
    let prune = "prune dense --budget 200 --steps 2 --out sp";
    assert_eq!(run(folder.path(), prune).0, Some(0));
    let images = folder.path().join("sp/images");
    let names = ["wiring.svg", "wiring.png", "maps-before.png", "maps-after.png", "change.svg"];
    for name in names {
        std::fs::remove_file(images.join(name)).unwrap();
    }
    let change = images.join("change.png");
    std::fs::remove_file(&change).unwrap();
    std::fs::create_dir(&change).unwrap();
    let (code, error) = run(folder.path(), prune);
    assert_eq!(code, Some(1), "{error}");
    assert!(error.contains("change.png") && error.contains("found a folder"), "{error}");
    std::fs::remove_dir(&change).unwrap();
    assert_eq!(run(folder.path(), prune).0, Some(0));
    assert!(change.is_file() && names.iter().all(|name| images.join(name).is_file()));
}

#[cfg(unix)]
#[test]
fn a_table_takes_no_file_along_that_a_link_in_the_place_of_a_picture_leads_to() {
    let folder = with_moth();
    let spec = "kind = \"networks\"\nname = \"small\"\nquestion = \"?\"\nsize = 16\nsteps = 1\nseeds = [0]\nsample = 4\n\
        [[targets]]\nname = \"moth\"\ngenome = \"moth.json\"\n[[arms]]\nname = \"evolved\"\nwiring = \"evolved\"\n\
        [show]\narms = [\"evolved\"]\n";
    std::fs::write(folder.path().join("small.toml"), spec).unwrap();
    let (code, error) = run(folder.path(), "experiment run small.toml --store store");
    assert_eq!(code, Some(0), "{error}");
    let secret = folder.path().join("secret");
    std::fs::write(&secret, "a key").unwrap();
    let views = folder.path().join("store/small/views");
    let pictures = std::fs::read_dir(&views).unwrap().map(|entry| entry.unwrap().path());
    let is_row = |path: &std::path::PathBuf| !path.to_string_lossy().ends_with("-target.png");
    let files: Vec<_> = pictures.filter(is_row).collect();
    for (end, expected) in [
        (".png", "expected a picture that the record names, found: no PNG"),
        (".csv.gz", "expected a table of changed weights"),
    ] {
        let file = files.iter().find(|path| path.to_string_lossy().ends_with(end)).unwrap();
        let own = std::fs::read(file).unwrap();
        std::fs::remove_file(file).unwrap();
        std::os::unix::fs::symlink(&secret, file).unwrap();
        let line = "experiment collect small.toml --store store --out table";
        let (code, error) = run(folder.path(), line);
        assert_eq!(code, Some(1), "{error}");
        assert!(error.contains(expected), "{error}");
        let copied = folder.path().join("table/views").join(file.file_name().unwrap());
        assert!(!copied.exists());
        std::fs::remove_file(file).unwrap();
        std::fs::write(file, own).unwrap();
    }
}
