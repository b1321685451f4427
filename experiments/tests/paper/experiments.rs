//! Studies: specs refused loudly, the same record whatever happens on the way, failures recorded.

use crate::paper::line::Place;
use crate::paper::repository::repository;
use crate::paper::root;
use crate::training::study::Run;
use crate::training::{Training, TrainingRecord};
use picloom::study::Record;
use picloom::study::cells::{CellStudy, collect_cells, run_cells, study_folder};
use picloom::study::grid::GridStudy;
use picloom::study::spec::Title;
use picloom::study::workers::{Progress, StudyObserver};
use std::path::{Path, PathBuf};

/// Every spec of this repository with `kind = "training"`.
fn training_specs() -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(root().join("experiments"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| {
            path.extension().is_some_and(|e| e == "toml") && !path.ends_with("Cargo.toml")
        })
        .filter(|path| Title::read(path).unwrap().kind == "training")
        .collect();
    paths.sort();
    paths
}

const SMALL: &str = include_str!("../../../tests/specs/trainings.toml");

/// A repository of its own with this spec and a face.
fn small(spec: &str) -> (tempfile::TempDir, PathBuf) {
    repository(root(), "small", spec, &["experiments/targets/face.png"])
}

fn run_with(plan: &GridStudy<Training>, runs: &Path, threads: usize) -> TrainingRecord {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    let record = pool.install(|| run_cells(plan, runs, &mut ())).unwrap();
    record.expect("nobody stopped it")
}

/// Says no at the `after`th question, and counts the cells that it was told.
#[derive(Default)]
struct Impatient {
    after: usize,
    asked: usize,
    cells: usize,
}

impl StudyObserver for Impatient {
    fn cell(&mut self, _progress: &Progress, _label: &str, _error: Option<&str>) {
        self.cells += 1;
    }

    fn going_on(&mut self) -> bool {
        self.asked += 1;
        self.asked < self.after
    }
}

#[test]
fn a_plan_holds_each_run_once_in_a_fixed_order_and_lbfgs_without_a_rate() {
    let twice = SMALL.replace(
        "[profiles.one]",
        "[[grids]]\nname = \"again\"\noptimizers = [\"adam\"]\n[profiles.one]",
    );
    let (_folder, path) = small(&twice);
    let plan = GridStudy::<Training>::read(&path, None).unwrap();
    let labels: Vec<String> = plan.cells.iter().map(Run::label).collect();
    assert_eq!(plan.cells.len(), 4 + 2 + 4, "{labels:?}");
    assert_eq!(labels[0], "face dense adam lr 0.01 seed 0");
    assert_eq!(labels[1], "face dense adam lr 0.01 seed 1");
    assert_eq!(labels[4], "face dense lbfgs seed 0");
    let one = GridStudy::<Training>::read(&path, Some("one")).unwrap();
    assert_eq!((one.cells.len(), one.cells[0].seed), (3, 7));
}

/// Cells that fail are those of any study: `tests/command/workers.rs`.
#[test]
fn a_study_killed_anywhere_ends_in_the_same_record_at_one_and_two_threads_and_when_read_back() {
    let (folder, path) = small(SMALL);
    let plan = GridStudy::<Training>::read(&path, None).unwrap();
    let wanted = run_with(&plan, &folder.path().join("one"), 1).text();
    assert_eq!(run_with(&plan, &folder.path().join("two"), 2).text(), wanted);
    let file = study_folder(&plan, &folder.path().join("one"));
    let read = TrainingRecord::read(&file).unwrap();
    assert_eq!(read.text(), wanted);
    assert_eq!(read.parts().1.len(), plan.cells.len());
    for row in &read.rows {
        let result = row.result.as_ref().unwrap();
        assert_eq!(result.curve.step.last(), Some(&40));
        assert_eq!(result.curve.evaluations.is_some(), row.optimizer == "lbfgs");
    }
    let runs = folder.path().join("killed");
    let mut kills = 0;
    let record = loop {
        let mut observer = Impatient { after: 4 + kills, ..Impatient::default() };
        if let Some(record) = run_cells(&plan, &runs, &mut observer).unwrap() {
            break record;
        }
        if kills == 0 {
            let folder = study_folder(&plan, &runs);
            assert!(
                plan.cells.iter().any(|run| folder.join(plan.id(run)).exists()),
                "one is begun"
            );
            let error = collect_cells(&plan, &runs).unwrap_err();
            assert!(error.to_string().contains("expected 10 finished"), "{error}");
        }
        kills += 1;
    };
    assert!(kills > 3, "{kills}");
    assert_eq!(record.text(), wanted);
    // Nothing is computed again: nobody is asked whether to go on.
    let mut observer = Impatient::default();
    run_cells(&plan, &runs, &mut observer).unwrap().unwrap();
    assert_eq!((observer.asked, observer.cells), (0, plan.cells.len()));
}

#[test]
fn committed_records_are_of_the_committed_specs() {
    for path in training_specs() {
        let about = GridStudy::<Training>::read(&path, None).unwrap().about;
        let file = root().join("figures").join(&about.name);
        let record = TrainingRecord::read(&file).unwrap();
        let plan = GridStudy::<Training>::read(&path, Some(&record.profile)).unwrap();
        let ids: Vec<String> = plan.cells.iter().map(Run::run_id).collect();
        let found: Vec<&String> = record.rows.iter().map(|row| &row.run_id).collect();
        assert_eq!(found, ids.iter().collect::<Vec<_>>(), "{}", path.display());
        assert_eq!(record.rules, about.rules, "{}", path.display());
    }
}

#[test]
fn the_command_lists_what_it_can_read_and_what_it_cannot() {
    let place = Place::new();
    place.write("experiments/small.toml", SMALL);
    let xor = std::fs::read(root().join("experiments/xor.toml")).unwrap();
    place.write("experiments/xor.toml", xor);
    place.write("experiments/zzz.toml", "kind = 3\n");
    let list = place.json("list");
    assert!(list[2]["problem"].as_str().unwrap().contains("zzz.toml: kind"), "{list}");
    assert_eq!(list[0]["kind"], "training");
    assert_eq!(list[1]["spec"], "experiments/xor.toml");
    assert!(list[1]["about"].as_str().unwrap().ends_with('?'), "{list}");
}
