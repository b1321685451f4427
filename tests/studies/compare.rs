//! The comparison as a study: its arms at equal counts, the same table however often it is stopped.

use crate::hostile::assert_alone;
use crate::said::assert_says;
use picloom::experiment::compare::compare;
use picloom::experiment::depth::DepthModel;
use picloom::experiment::networks::NetworksRecord;
use picloom::experiment::template::{Changes, Single, Subject, Template};
use picloom::figures::compare::write_comparison;
use picloom::study::Record;
use std::path::Path;

pub(crate) fn changes() -> Changes {
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

/// Steps after which the dense networks have learned the small moth.
const LEARNED: u64 = 3000;

#[test]
fn every_arm_is_there_for_every_seed_and_magnitude_keeps_as_many_links_as_similarity() {
    let folder = tempfile::tempdir().unwrap();
    let changes = Changes { steps: Some(LEARNED), ..changes() };
    let found = compare(&moth(&changes), folder.path(), &mut ()).unwrap();
    let of = |row: &picloom::experiment::NetworkRow| (row.arm.clone(), row.seed);
    let rows: Vec<_> = found.record.rows.iter().map(of).collect();
    let mut wanted = vec![("evolved".to_string(), None)];
    for seed in [3, 4] {
        let arms = ["dense", "dense-l1", "magnitude", "sp", "layerized"];
        wanted.extend(arms.map(|arm| (arm.into(), Some(seed))));
    }
    assert_eq!(rows, wanted);
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
    assert_says(&summary, &["sp: not made; dense-l1 did not learn the picture (R² "]);
    let report = write_comparison(&found, folder.path(), "picloom compare").unwrap();
    let page = std::fs::read_to_string(report).unwrap();
    let said = ["The comparison could not be made", ": not made; dense-l1 did not learn"];
    assert_says(&page, &said);
    assert_alone(&page);
    let table = NetworksRecord::read(folder.path()).unwrap();
    assert_eq!(table.rows, found.record.rows);
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
    assert_says(&page, &["no evolved network", "predict"]);
    assert!(!page.contains("drawn by the genome"));
}

#[test]
fn the_shipped_depth_model_is_that_of_the_committed_depth_study() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("figures/depth");
    let model = DepthModel::of_record(&NetworksRecord::read(&path).unwrap()).unwrap();
    let json = serde_json::to_string_pretty(&model).unwrap();
    assert!(DepthModel::shipped() == model, "assets/depth-model.json should be:\n{json}");
}
