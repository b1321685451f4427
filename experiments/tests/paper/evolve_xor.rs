//! NEAT's classic check, at its published scale.

use crate::root;
use picloom::experiment::cells::run_cells;
use picloom_experiments::xor::{XorStudy, report};

#[test]
fn xor_is_solved_in_at_least_95_of_100_runs_within_100_generations() {
    let study = XorStudy::read(&root().join("experiments/xor.toml"), None).unwrap();
    assert_eq!((study.spec.runs, study.spec.generations), (100, 100));
    assert_eq!(study.spec.config().unwrap().reproduction.population, 150);
    let folder = tempfile::tempdir().unwrap();
    let report = report(&run_cells(&study, folder.path(), &mut ()).unwrap().unwrap());
    eprintln!(
        "solved {} of {}; generations {:.1} ± {:.1} (worst {}), evaluations {:.0}, hidden {:.2}, links {:.2}; \
         published: 100 of 100; 32 (worst 90), 4755, 2.35, 7.48",
        report.solved,
        report.runs,
        report.mean_generations,
        report.sd_generations,
        report.worst_generations,
        report.mean_evaluations,
        report.mean_hidden,
        report.mean_links
    );
    assert!(report.solved >= 95, "{} of {}", report.solved, report.runs);
    // Solutions stay near the smallest possible, one hidden node and its links.
    assert!(report.mean_hidden < 5.0, "{}", report.mean_hidden);
}
