//! Our run of the `fer` recipe over the published loss curve.

use picloom::base::real;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const OURS: &str = "figures/fer-recipe/losses.csv";

fn picloom(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_picloom"))
        .args(arguments)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap()
}

fn curve(path: &Path) -> Vec<(f64, f64)> {
    let text = std::fs::read_to_string(path).unwrap();
    let number = |text: &str| text.parse().unwrap();
    text.lines()
        .skip(1)
        .map(|line| line.split_once(',').unwrap())
        .map(|(step, mse)| (number(step), number(mse)))
        .collect()
}

/// Geometric mean of the losses at steps in `from..to`.
fn level(curve: &[(f64, f64)], from: f64, to: f64) -> f64 {
    let logs: Vec<f64> = curve
        .iter()
        .filter(|(step, _)| (from..to).contains(step))
        .map(|(_, mse)| real::ln(*mse))
        .collect();
    assert!(!logs.is_empty(), "{from} {to}");
    real::exp(logs.iter().sum::<f64>() / logs.len() as f64)
}

pub(crate) fn the_fer_recipe_runs_along_the_published_curve(archive: &Path) {
    let csv: PathBuf = archive.join("fer/skull_sgd_losses_every_1000.csv");
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("over.svg").display().to_string();
    let labels = "fer=published";
    let done =
        picloom(&["plot", OURS, &csv.display().to_string(), "--labels", labels, "--out", &out]);
    assert!(done.status.success(), "{done:?}");
    let svg = std::fs::read_to_string(folder.path().join("over.svg")).unwrap();
    assert!(svg.contains("published") && svg.contains("fer-recipe"));

    // The recipe is chaotic: other weights within a few hundred steps, the same course.
    let (ours, theirs) = (curve(OURS.as_ref()), curve(&csv));
    for window in 1..10 {
        let (from, to) = (1e4 * f64::from(window), 1e4 * f64::from(window + 1));
        let ratio = level(&ours, from, to) / level(&theirs, from, to);
        assert!((0.5..2.0).contains(&ratio), "steps {from} to {to}: {ratio}");
    }
}
