//! Loss curves on the command line, and the `fer` recipe's over the published one.

use crate::whole::assert_whole;
use std::path::Path;
use std::process::{Command, Output};

const OURS: &str = "figures/fer-recipe/losses.csv";

fn picloom(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_picloom"))
        .args(arguments)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap()
}

#[test]
fn a_csv_is_drawn_like_a_run_and_a_wrong_one_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let done = picloom(&["losses", OURS, "--out", &path("x")]);
    assert!(done.status.success(), "{done:?}");
    let svg = std::fs::read_to_string(path("x.svg")).unwrap();
    assert!(svg.contains("Training loss"));
    assert_whole(path("x.png").as_ref());

    for (name, text) in [("words.csv", "step,mse\n0,much\n"), ("none.csv", "")] {
        if !text.is_empty() {
            std::fs::write(path(name), text).unwrap();
        }
        let failed = picloom(&["losses", &path(name), "--out", &path("y")]);
        let error = String::from_utf8_lossy(&failed.stderr).into_owned();
        assert!(!failed.status.success() && error.contains(name), "{error}");
        assert!(!Path::new(&path("y.svg")).exists());
    }
}
