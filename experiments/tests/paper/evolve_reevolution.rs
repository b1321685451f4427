//! The re-evolution study at smoke scale.

use crate::refusals::{assert_refused, refusal_of};
use crate::root;
use picloom::study::Record;
use picloom::study::cells::run_cells;
use picloom::study::grid::GridSpec;
use picloom::study::spec::read_text;
use picloom_experiments::reevolution::{Reevolution, ReevolutionStudy};
use std::path::PathBuf;

fn path() -> PathBuf {
    root().join("experiments/objective_reevolution.toml")
}

#[test]
fn the_study_runs_twice_to_the_same_rows_and_leaves_out_absent_archive_genomes() {
    let study = ReevolutionStudy::read(&path(), None).unwrap().with(|spec| {
        spec.seeds = 1;
        for arm in &mut spec.arm {
            arm.config.insert("generations".into(), 3.into());
            arm.config.insert("size".into(), 16.into());
        }
    });
    let run = || {
        let folder = tempfile::tempdir().unwrap();
        run_cells(&study, folder.path(), &mut ()).unwrap().unwrap()
    };
    let record = run();
    let own = "genomes/bred_skull.json";
    let rows: Vec<_> = record.rows.iter().filter(|row| row.target == own).collect();
    assert_eq!(rows.len(), study.spec.arm.len());
    if std::env::var_os("PICLOOM_ARCHIVE").is_none() {
        assert_eq!(record.rows.len(), rows.len());
    }
    for (row, arm) in rows.iter().zip(&study.spec.arm) {
        let result = row.result.as_ref().unwrap();
        assert_eq!(row.arm, arm.name);
        assert_eq!(result.evaluations % 3, 0);
        assert!(result.r2 < 1.0 && result.mse > 0.0);
        assert_eq!((row.target_hidden, row.target_links), (5, 19));
    }
    assert_eq!(run().text(), record.text());
}

#[test]
fn a_spec_with_an_unknown_key_in_an_arm_is_refused() {
    let text = std::fs::read_to_string(path()).unwrap();
    let wrong = text.replace("preset = \"neat\"", "presett = \"neat\"");
    let read = read_text::<GridSpec<Reevolution>>;
    let error = read(&path(), &wrong, None).unwrap_err();
    assert!(refusal_of(&error).found.contains("`presett`"), "{error}");
    assert_refused(&error, ["objective_reevolution.toml: arm \"neat\"", "", ""]);
}
