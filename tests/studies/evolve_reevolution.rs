//! The re-evolution study at smoke scale.

use picloom::experiment::reevolution::{ReevolutionSpec, run};

fn spec() -> ReevolutionSpec {
    let text = std::fs::read_to_string("experiments/objective_reevolution.toml").unwrap();
    ReevolutionSpec::from_toml(&text).unwrap()
}

#[test]
fn the_study_runs_twice_to_the_same_rows_and_leaves_out_absent_archive_genomes() {
    let mut spec = spec();
    spec.seeds = 1;
    for arm in &mut spec.arm {
        arm.config.insert("generations".into(), 3.into());
        arm.config.insert("size".into(), 16.into());
    }
    let rows = run(&spec, None).unwrap();
    assert_eq!(rows.len(), spec.arm.len());
    for (row, arm) in rows.iter().zip(&spec.arm) {
        assert_eq!((&row.target[..], &row.arm), ("genomes/bred_skull.json", &arm.name));
        assert_eq!(row.evaluations % 3, 0);
        assert!(row.r2 < 1.0 && row.mse > 0.0);
        assert_eq!((row.target_hidden, row.target_links), (5, 19));
    }
    assert_eq!(run(&spec, None).unwrap(), rows);
}

#[test]
fn a_spec_with_an_unknown_key_in_an_arm_is_refused() {
    let text = std::fs::read_to_string("experiments/objective_reevolution.toml").unwrap();
    let wrong = text.replace("preset = \"neat\"", "presett = \"neat\"");
    let error = ReevolutionSpec::from_toml(&wrong).unwrap_err().to_string();
    assert!(error.contains("presett"), "{error}");
}
