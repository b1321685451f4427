//! The comparison as a study: its arms at equal counts, the same record however often it is stopped.

use picloom::experiment::Record;
use picloom::experiment::compare::{
    CompareConfig, CompareError, CompareRecord, CompareStudy, Profile, compare,
};
use picloom::experiment::depth::DepthModel;
use picloom::experiment::networks::NetworksRecord;
use picloom::experiment::workers::{News, StudyObserver};
use picloom::figures::compare::write_comparison;
use picloom::genome::{self, Genome};
use std::path::Path;

fn moth() -> (Genome, CompareConfig) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("genomes/bred_moth.json");
    let quick = CompareConfig::of(Profile::Quick);
    let config = CompareConfig { size: 12, steps: 40, sample: Some(6), seeds: vec![3, 4], ..quick };
    (genome::read(&path).unwrap(), config)
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

#[test]
fn every_arm_is_there_for_every_seed_and_magnitude_keeps_as_many_links_as_similarity() {
    let ((genome, config), folder) = (moth(), tempfile::tempdir().unwrap());
    let found = compare(&genome, "moth", &config, folder.path(), &mut ()).unwrap();
    let arms: Vec<_> = found.record.arms.iter().map(|a| (a.arm.as_str(), a.seed)).collect();
    let mut wanted = vec![("evolved", None)];
    for arm in ["dense", "graph", "layerized", "sp", "magnitude"] {
        wanted.extend([(arm, Some(3)), (arm, Some(4))]);
    }
    assert_eq!(arms, wanted);
    let kept = |arm: &str| -> Vec<usize> {
        found.record.arms.iter().filter(|a| a.arm == arm).map(|a| a.kept).collect()
    };
    assert_eq!(kept("sp"), kept("magnitude"));
    assert!(kept("sp")[0] < kept("dense")[0]);
    let views: Vec<&str> = found.views.iter().map(|view| view.arm.as_str()).collect();
    assert_eq!(views, ["evolved", "dense", "graph", "layerized", "sp", "magnitude"]);
    assert!(found.views[0].curve.is_empty() && !found.views[1].curve.is_empty());
    assert_eq!(found.target.width, 12);
}

#[test]
fn a_stopped_comparison_goes_on_to_the_same_record_and_makes_nothing_twice() {
    let ((genome, config), folder) = (moth(), tempfile::tempdir().unwrap());
    let whole = tempfile::tempdir().unwrap();
    let wanted = compare(&genome, "moth", &config, whole.path(), &mut ()).unwrap().record;
    let mut stops = 0;
    let record = loop {
        let mut observer = Impatient { after: 8 + 9 * stops, asked: 0, begun: Vec::new() };
        match compare(&genome, "moth", &config, folder.path(), &mut observer) {
            Err(CompareError::Interrupted) => stops += 1,
            other => break other.unwrap().record,
        }
    };
    assert!(stops > 2, "{stops}");
    assert_eq!(record, wanted);
    let mut observer = Impatient { after: usize::MAX, asked: 0, begun: Vec::new() };
    let again = compare(&genome, "moth", &config, folder.path(), &mut observer).unwrap().record;
    assert_eq!((again, observer.begun), (wanted, vec![]));
}

#[test]
fn another_judge_is_named_in_the_record_and_does_not_meet_the_networks_judged_before() {
    let ((genome, config), folder) = (moth(), tempfile::tempdir().unwrap());
    let config = CompareConfig { seeds: vec![3], ..config };
    let mocked = CompareConfig { judge: "mock:seed=3".parse().unwrap(), ..config.clone() };
    let run = |config: &CompareConfig| {
        compare(&genome, "moth", config, folder.path(), &mut ()).unwrap().record
    };
    let (shipped, mocked) = (run(&config), run(&mocked));
    assert!(shipped.arms.iter().all(|arm| arm.score.judge.starts_with("dl/4 ")));
    assert!(mocked.arms.iter().all(|arm| arm.score.judge == "mock/3"));
    let json = serde_json::to_string(&shipped.config).unwrap();
    assert!(!json.contains("judge"), "the default writes what it always wrote: {json}");
    assert!(serde_json::to_string(&mocked.config).unwrap().contains("mock"));
}

#[test]
fn a_picture_is_compared_without_an_evolved_network_and_at_the_depth_it_predicts() {
    let (_, config) = moth();
    let folder = tempfile::tempdir().unwrap();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("experiments/targets/car.png");
    let study = CompareStudy::of_picture(&path, &path, None, &config).unwrap();
    let found = study.run(folder.path(), &mut ()).unwrap();
    let picture = found.record.picture.clone().unwrap();
    let layers = DepthModel::shipped().layers(picture.png_ratio);
    assert_eq!(picture.predicted_layers, layers);
    assert_ne!(layers, 8, "the usual depth: this picture shows nothing");
    let arms: Vec<&str> = found.views.iter().map(|view| view.arm.as_str()).collect();
    assert_eq!(arms, ["dense", "sp", "magnitude", "dense-predicted", "sp-predicted"]);
    assert_eq!(study.chains(), [3, 3, 2, 2]);
    assert!(found.record.info.is_none() && found.record.arms.len() == 10);
    let links = |arm: &str| found.record.arms.iter().find(|a| a.arm == arm).unwrap().links;
    assert_eq!(links("dense"), links("sp"));
    assert_eq!(links("dense-predicted"), 4 * 16 + (layers - 1) * 256 + 3 * 16);
    let report = write_comparison(&found, folder.path(), "picloom compare car.png").unwrap();
    let page = std::fs::read_to_string(report).unwrap();
    assert!(page.contains("no evolved network") && page.contains("predict"));
    assert!(!page.contains("drawn by the genome"));
    let json = serde_json::to_string(&found.record).unwrap();
    let read: CompareRecord = serde_json::from_str(&json).unwrap();
    assert_eq!(read, found.record);
}

#[test]
fn the_shipped_depth_model_is_that_of_the_committed_depth_study() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("figures/depth");
    let model = DepthModel::of_record(&NetworksRecord::read(&path).unwrap()).unwrap();
    let json = serde_json::to_string_pretty(&model).unwrap();
    assert!(DepthModel::shipped() == model, "assets/depth-model.json should be:\n{json}");
}
