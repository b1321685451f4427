//! Cells of a study: what their files must say, and who may write.

use crate::spec_folder::{in_repository, read};
use picloom::experiment::networks::NetworksStudy;
use picloom::network::Picture;
use picloom::score::{BaseReading, Judge};
use picloom::study::cells::{CellState, CellStudy, run_cells, study_folder};
use picloom::study::grid::axis;
use picloom::study::workers::{Ask, News, Progress, StudyObserver};
use serde::Deserialize;
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The evolved network and a dense one of a genome, with pictures of both.
const SPEC: &str = include_str!("../specs/shown.toml");

fn study() -> (tempfile::TempDir, NetworksStudy) {
    study_of(SPEC)
}

fn study_of(spec: &str) -> (tempfile::TempDir, NetworksStudy) {
    let (folder, path) = in_repository(spec);
    (folder, read(&path, None))
}

#[test]
fn a_worker_that_was_overtaken_writes_no_pictures() {
    let (folder, study) = study();
    let going_on = |_: News<'_>| true;
    let cell = study.cell(0);
    for may_write in [false, true] {
        let to = folder.path().join(may_write.to_string());
        let may = || may_write;
        let left = study.compute(&cell, &to, Ask::new(&going_on).writing(&may)).unwrap();
        assert_eq!(left.is_some(), may_write);
        let views = std::fs::read_dir(to.join("views")).into_iter().flatten().count();
        assert_eq!(
            views,
            if may_write { 3 } else { 0 },
            "changed weights as pictures and as a table, and maps"
        );
    }
}

/// A judge that breaks once.
struct Breaks {
    judge: Arc<dyn Judge>,
    broke: AtomicBool,
}

impl Judge for Breaks {
    fn name(&self) -> String {
        self.judge.name()
    }

    fn read_base<'a>(&'a self, base: &'a Picture) -> Box<dyn BaseReading + 'a> {
        assert!(self.broke.swap(true, Ordering::Relaxed), "this judge broke");
        self.judge.read_base(base)
    }
}

/// Remembers why cells failed.
#[derive(Default)]
struct Failures(Vec<String>);

impl StudyObserver for Failures {
    fn cell(&mut self, _progress: &Progress, _label: &str, error: Option<&str>) {
        self.0.extend(error.map(str::to_string));
    }
}

#[test]
fn a_cell_that_breaks_the_program_has_failed_and_the_others_go_on() {
    let (folder, mut study) = study_of(&SPEC.replace("seeds = [0]", "seeds = [0, 1]"));
    study.judge = Arc::new(Breaks { judge: study.judge.clone(), broke: AtomicBool::new(false) });
    study.at_a_time = 1;
    let mut failures = Failures::default();
    let record = run_cells(&study, folder.path(), &mut failures).unwrap().expect("not stopped");
    assert_eq!(failures.0.len(), 1, "{:?}", failures.0);
    assert!(failures.0[0].contains("fault in picloom") && failures.0[0].contains("judge broke"));
    let measured = record.rows.iter().filter(|row| row.result.is_some()).count();
    assert!(0 < measured && measured < record.rows.len(), "{measured} of {}", record.rows.len());
    // The next run tries it again.
    let mut failures = Failures::default();
    let record = run_cells(&study, folder.path(), &mut failures).unwrap().expect("not stopped");
    assert!(failures.0.is_empty() && record.rows.iter().all(|row| row.result.is_some()));
}

#[test]
fn a_cell_file_that_is_damaged_or_of_another_cell_is_refused_by_its_name() {
    let (folder, study) = study();
    let runs = folder.path().join("runs");
    run_cells(&study, &runs, &mut ()).unwrap().unwrap();
    let at = study_folder(&study, &runs);
    let file =
        |number: usize| at.join("cells").join(format!("{}.json", study.id(&study.cell(number))));
    let json = |path: &Path| -> Value {
        serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
    };
    let (first, second) = (json(&file(0)), json(&file(1)));
    assert!(matches!(study.state(&study.cell(0), &at), Ok(CellState::Done(_))));
    let with = |key: &str, value: &Value| {
        let mut cell = first.clone();
        cell[key] = value.clone();
        cell.to_string()
    };
    for (wrong, said) in [
        ("{".to_string(), ""),
        (with("config", &second["config"]), ""),
        (with("format", &"picloom-theory/1".into()), ""),
        (with("outcome", &second["outcome"]), "1 rows of other networks"),
    ] {
        std::fs::write(file(0), &wrong).unwrap();
        let error = run_cells(&study, &runs, &mut ()).unwrap_err().to_string();
        assert!(error.contains(&*file(0).to_string_lossy()), "{wrong}: {error}");
        assert!(error.contains("delete the file to compute it again"), "{wrong}: {error}");
        assert!(error.contains(said), "{wrong}: {error}");
    }
    std::fs::remove_file(file(0)).unwrap();
    run_cells(&study, &runs, &mut ()).unwrap().unwrap();
}

#[test]
fn a_list_of_a_million_values_is_read_once_through() {
    #[derive(Debug, Deserialize)]
    struct Axes {
        #[serde(deserialize_with = "axis::values")]
        seeds: Vec<u64>,
        #[serde(deserialize_with = "axis::rates")]
        rates: Vec<f64>,
    }
    let axes = |seeds: Vec<u64>, rates: Vec<f64>| {
        serde_json::from_value::<Axes>(serde_json::json!({ "seeds": seeds, "rates": rates }))
            .map_err(|error| error.to_string())
    };
    let found = axes((0..1_000_000).collect(), (1..1_000_000).map(f64::from).collect()).unwrap();
    assert_eq!((found.seeds.len(), found.rates.len()), (1_000_000, 999_999));
    let mut twice: Vec<u64> = (0..100_000).collect();
    twice.push(77);
    assert!(axes(twice, vec![1.0]).unwrap_err().ends_with("each once, found 77 twice"));
    assert!(axes(vec![1], vec![0.5, -1.0]).unwrap_err().ends_with("found -1.0"));
    assert!(axes(vec![], vec![0.5]).unwrap_err().ends_with("found none"));
}
