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
    assert!(svg.contains("mean squared error") && svg.contains("mm\""));
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

#[test]
fn a_figure_of_losses_has_the_form_of_its_ending_and_the_look_of_a_paper() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let look = ["--width", "column", "--font-size", "7", "--labels", "fer-recipe=ours"];
    let draw = |name: &str, more: &[&str]| {
        picloom(
            &[&["losses", OURS, "--over", OURS, "--out", &path(name)], &look[..], more].concat(),
        )
    };
    let done = draw("l.pdf", &[]);
    assert!(done.status.success(), "{done:?}");
    assert!(std::fs::read(path("l.pdf")).unwrap().starts_with(b"%PDF-1.7"));
    let names: Vec<_> = std::fs::read_dir(folder.path()).unwrap().collect();
    assert_eq!(names.len(), 1, "the PDF and nothing else");
    assert!(draw("l.svg", &["--x-label", "Schritt"]).status.success());
    let svg = std::fs::read_to_string(path("l.svg")).unwrap();
    assert!(svg.contains("width=\"85mm\"") && svg.contains("ours") && svg.contains("Schritt"));
    assert!(!svg.contains("Geometric") && !svg.contains("geometric"), "no caption inside");
    for (name, more, said) in [
        ("l.gif", &[][..], "a file that ends in .svg, .png or .pdf, found .gif"),
        ("m.svg", &["--colours", "our=#000000"], "names of curves: published, fer-recipe"),
        ("m.svg", &["--height", "two"], "expected a length"),
    ] {
        let failed = draw(name, more);
        let error = String::from_utf8_lossy(&failed.stderr).into_owned();
        assert!(!failed.status.success() && error.contains(said), "{error}");
        assert!(!Path::new(&path(name)).exists());
    }
}
