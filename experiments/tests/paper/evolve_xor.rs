//! NEAT's classic check: by hand, and at its published scale.

use crate::paper::genomes::genome;
use crate::paper::root;
use crate::xor::{Xor, judge, report};
use picloom::genome::from_json;
use picloom::study::cells::run_cells;
use picloom::study::grid::GridStudy;

#[test]
fn xor_is_solved_in_at_least_95_of_100_runs_within_100_generations() {
    let study = GridStudy::<Xor>::read(&root().join("experiments/xor.toml"), None).unwrap();
    assert_eq!((study.spec.runs, study.spec.generations), (100, 100));
    assert_eq!(study.spec.config().unwrap().reproduction.population, 150);
    let folder = tempfile::tempdir().unwrap();
    let report = report(&run_cells(&study, folder.path(), &mut ()).unwrap().unwrap());
    assert!(report.solved >= 95, "{} of {}", report.solved, report.runs);
    // Solutions stay near the smallest possible, one hidden node and its links.
    assert!(report.mean_hidden < 5.0, "{}", report.mean_hidden);
}

#[test]
fn a_network_solved_by_hand_is_solved_and_an_or_gate_is_not() {
    let wired = |links: &[(u64, u64, f64)]| {
        let text = genome(&[5], links, 0).replace("identity", "sigmoid").replace("cos", "sigmoid");
        from_json(&text).unwrap()
    };
    // Hidden = x and y; output = x or y, unless hidden.
    let xor = wired(&[
        (0, 5, 2.0),
        (1, 5, 2.0),
        (3, 5, -3.0),
        (0, 4, 2.0),
        (1, 4, 2.0),
        (3, 4, -1.0),
        (5, 4, -5.0),
    ]);
    let (fitness, solved) = judge(&xor, 4.9);
    assert!(solved && fitness > 15.0, "{fitness}");
    let or = wired(&[(0, 4, 2.0), (1, 4, 2.0), (3, 4, -1.0)]);
    let (fitness, solved) = judge(&or, 4.9);
    assert!(!solved && fitness < 9.5, "{fitness}");
}
