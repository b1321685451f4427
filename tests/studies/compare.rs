//! The comparison as a study: its arms at equal counts, the same table however often it is stopped.

use picloom::experiment::compare::{CompareError, compare};
use picloom::experiment::depth::DepthModel;
use picloom::experiment::networks::{NetworksRecord, NetworksStudy};
use picloom::experiment::template::{Changes, Single, Subject, Template};
use picloom::figures::compare::write_comparison;
use picloom::study::Record;
use picloom::study::cells::{CellStudy, run_cells, study_folder};
use picloom::study::workers::{News, StudyObserver};
use std::path::Path;

fn changes() -> Changes {
    Changes {
        profile: Some("quick".into()),
        size: Some(12),
        steps: Some(40),
        own: "sample = 6".parse().unwrap(),
        seeds: Some(vec![3, 4]),
        ..Changes::default()
    }
}

fn moth(changes: &Changes) -> Single {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("genomes/bred_moth.json");
    Template::Compare.of(Subject::read(&path, None).unwrap(), changes).unwrap()
}

/// Says no at the `after`th question; remembers what was begun.
struct Impatient {
    after: usize,
    asked: usize,
    begun: Vec<String>,
}

impl StudyObserver for Impatient {
    fn news(&mut self, news: News<'_>) {
        if let News::Begins(what) = news {
            self.begun.push(what.to_string());
        }
    }

    fn going_on(&mut self) -> bool {
        self.asked += 1;
        self.asked < self.after
    }
}

/// Steps after which the dense networks have learned the small moth.
const LEARNED: u64 = 3000;

#[test]
fn every_arm_is_there_for_every_seed_and_magnitude_keeps_as_many_links_as_similarity() {
    let folder = tempfile::tempdir().unwrap();
    let changes = Changes { steps: Some(LEARNED), ..changes() };
    let found = compare(&moth(&changes), folder.path(), &mut ()).unwrap();
    let of = |row: &picloom::experiment::NetworkRow| (row.arm.clone(), row.seed);
    let arms: Vec<_> = found.arms().into_iter().flat_map(|(_, rows)| rows).map(of).collect();
    let mut wanted = vec![("evolved".to_string(), None)];
    for arm in ["dense", "dense-l1", "magnitude", "sp", "layerized"] {
        wanted.extend([(arm.into(), Some(3)), (arm.into(), Some(4))]);
    }
    assert_eq!(arms, wanted);
    assert_eq!(found.record.rows.len(), wanted.len());
    let kept = |arm: &str| -> Vec<usize> {
        let of_arm = found.record.rows.iter().filter(|row| row.arm == arm);
        of_arm.map(|row| row.result.as_ref().unwrap().kept).collect()
    };
    assert_eq!(kept("sp"), kept("magnitude"));
    assert!(kept("sp")[0] < kept("dense")[0]);
    assert!(found.networks[0].curve.is_empty() && !found.networks[1].curve.is_empty());
    assert!(found.networks.iter().all(|shown| shown.changed.len() <= 12));
    assert!(found.networks.iter().any(|shown| !shown.changed.is_empty()));
    assert_eq!(found.networks[0].target.width, 12);
    let table = NetworksRecord::read(folder.path()).unwrap();
    assert_eq!(table.rows.len(), wanted.len(), "the one table lies beside the report");
}

#[test]
fn what_did_not_learn_is_not_pruned_and_the_comparison_says_so_first() {
    let folder = tempfile::tempdir().unwrap();
    let found = compare(&moth(&changes()), folder.path(), &mut ()).unwrap();
    let arms: Vec<&str> = found.networks.iter().map(|shown| shown.arm.as_str()).collect();
    assert_eq!(arms, ["evolved", "dense", "dense-l1", "layerized"]);
    let left_out = found.record.rows.iter().filter(|row| row.not_made.is_some());
    assert_eq!(
        left_out.map(|row| row.arm.as_str()).collect::<Vec<_>>(),
        ["magnitude", "sp"].repeat(2)
    );
    assert!(found.record.rows.iter().all(|row| row.error.is_none()), "nothing failed");
    let summary = found.summary();
    assert!(summary.starts_with("The comparison could not be made: dense (R² "), "{summary}");
    assert!(summary.lines().next().unwrap().ends_with("bred_moth.json --steps 80"), "{summary}");
    assert!(summary.contains("not made: dense-l1 did not learn the picture (R² "), "{summary}");
    let report = write_comparison(&found, folder.path(), "picloom compare").unwrap();
    let page = std::fs::read_to_string(report).unwrap();
    assert!(
        page.contains("The comparison could not be made")
            && page.contains(": not made; dense-l1 did not learn"),
        "{}",
        page.len()
    );
    let table = NetworksRecord::read(folder.path()).unwrap();
    assert_eq!(table.rows, found.record.rows);
}

#[test]
#[ignore = "slow: cargo test -- --include-ignored"]
fn a_stopped_comparison_goes_on_to_the_same_table_and_makes_nothing_twice() {
    let (single, folder) = (moth(&changes()), tempfile::tempdir().unwrap());
    let whole = tempfile::tempdir().unwrap();
    let wanted = compare(&single, whole.path(), &mut ()).unwrap().record;
    let mut stops = 0;
    let record = loop {
        let mut observer = Impatient { after: 8 + 9 * stops, asked: 0, begun: Vec::new() };
        match compare(&single, folder.path(), &mut observer) {
            Err(CompareError::Interrupted) => stops += 1,
            other => break other.unwrap().record,
        }
    };
    assert!(stops > 2, "{stops}");
    assert_eq!(record, wanted);
    let mut observer = Impatient { after: usize::MAX, asked: 0, begun: Vec::new() };
    let again = compare(&single, folder.path(), &mut observer).unwrap().record;
    assert_eq!((again, observer.begun), (wanted, vec![]));
}

#[test]
#[ignore = "slow: cargo test -- --include-ignored"]
fn the_spec_that_a_comparison_leaves_has_its_cells_and_its_rows() {
    let folder = tempfile::tempdir().unwrap();
    let changes = Changes { seeds: Some(vec![3]), ..changes() };
    for path in ["genomes/bred_moth.json", "experiments/targets/car.png"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
        let single = Template::Compare.of(Subject::read(&path, None).unwrap(), &changes).unwrap();
        let out = folder.path().join(&single.study.spec.name);
        let record = compare(&single, &out, &mut ()).unwrap().record;
        let spec = out.join("spec.toml");
        let study = NetworksStudy::read(&spec, None, Path::new("no runs")).unwrap();
        let ids = |study: &NetworksStudy| -> Vec<String> {
            study.cells().map(|cell| study.id(&cell)).collect()
        };
        assert_eq!(ids(&study), ids(&single.study), "{}", path.display());
        let again = run_cells(&study, &out.join("runs"), &mut ()).unwrap().unwrap();
        assert_eq!(again.rows, record.rows);
        assert_eq!(study_folder(&study, &out), study_folder(&single.study, &out));
    }
}

#[test]
#[ignore = "slow: cargo test -- --include-ignored"]
fn another_judge_is_named_in_the_record_and_does_not_meet_the_networks_judged_before() {
    let folder = tempfile::tempdir().unwrap();
    let shipped = Changes { seeds: Some(vec![3]), ..changes() };
    let mocked =
        Changes { own: "sample = 6\njudge = \"mock:seed=3\"".parse().unwrap(), ..shipped.clone() };
    let run =
        |changes: &Changes| compare(&moth(changes), folder.path(), &mut ()).unwrap().record.judge;
    let (shipped, mocked) = (run(&shipped), run(&mocked));
    assert!(shipped.starts_with("dl/4 "), "{shipped}");
    assert!(mocked.starts_with("mock/3"), "{mocked}");
}

#[test]
#[ignore = "slow: cargo test -- --include-ignored"]
fn a_picture_is_compared_without_an_evolved_network() {
    let folder = tempfile::tempdir().unwrap();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("experiments/targets/car.png");
    let subject = Subject::read(&path, None).unwrap();
    let layers = DepthModel::shipped().layers(subject.png_ratio);
    assert_eq!(subject.predicted_layers(), layers);
    let changes = Changes { steps: Some(LEARNED), ..changes() };
    let single = Template::Compare.of(subject, &changes).unwrap();
    let chains: Vec<usize> = single.study.chains.iter().map(|c| c.key.arms.len()).collect();
    assert_eq!(chains, [4, 4]);
    let found = compare(&single, folder.path(), &mut ()).unwrap();
    let arms: Vec<&str> = found.networks.iter().map(|shown| shown.arm.as_str()).collect();
    assert_eq!(arms, ["dense", "dense-l1", "magnitude", "sp"]);
    assert_eq!(found.record.rows.len(), 8);
    let links = |arm: &str| {
        let row = found.record.rows.iter().find(|row| row.arm == arm).unwrap();
        row.result.as_ref().unwrap().links
    };
    assert_eq!(links("dense"), links("sp"));
    let report = write_comparison(&found, folder.path(), "picloom compare car.png").unwrap();
    let page = std::fs::read_to_string(report).unwrap();
    assert!(page.contains("no evolved network") && page.contains("predict"));
    assert!(!page.contains("drawn by the genome"));
}

#[test]
fn the_shipped_depth_model_is_that_of_the_committed_depth_study() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("figures/depth");
    let model = DepthModel::of_record(&NetworksRecord::read(&path).unwrap()).unwrap();
    let json = serde_json::to_string_pretty(&model).unwrap();
    assert!(DepthModel::shipped() == model, "assets/depth-model.json should be:\n{json}");
}
