//! Growths in folders and in studies: they go on to the same bytes, and are runs like others.

use crate::refusals::assert_refused;
use picloom::experiment::cells::run_cells;
use picloom::experiment::networks::NetworksStudy;
use picloom::network::{Coords, Model, Wiring};
use picloom::run::{
    GrowJob, LoadOptions, NetworkPath, RunError, Source, Target, grow_run, load_run,
};
use picloom::train::grow::{GrowBy, GrowConfig};
use picloom::train::{TrainObserver, TrainState};
use std::path::Path;

fn job(by: GrowBy) -> GrowJob {
    let genome = picloom::genome::read(Path::new("novelty_goggles")).unwrap();
    let picture = Model::of_genome(&genome, Wiring::Graph).picture(16, Coords::Fer);
    let target = Target::of_picture("goggles".into(), picture);
    let grow =
        GrowConfig { by, steps: 40, trial_steps: 10, most_links: 24, ..GrowConfig::default() };
    GrowJob::new("grown", &target, Coords::Fer, grow, GrowConfig::recipe()).unwrap()
}

/// Says no at this many steps.
struct Impatient(usize);

impl TrainObserver for Impatient {
    fn step_done(&mut self, _: &TrainState) -> bool {
        self.0 = self.0.saturating_sub(1);
        self.0 > 0
    }
}

#[test]
fn a_growth_that_is_stopped_goes_on_to_the_same_files_and_is_a_run() {
    let folder = tempfile::tempdir().unwrap();
    let (whole, parts) = (folder.path().join("whole"), folder.path().join("parts"));
    for by in [GrowBy::Gradient, GrowBy::Random] {
        let (whole, parts) = (whole.join(by.name()), parts.join(by.name()));
        let job = job(by);
        let result = grow_run(&whole, &job, false, &mut (), &mut |_| {}).unwrap().unwrap();
        assert!(grow_run(&parts, &job, false, &mut Impatient(90), &mut |_| {}).unwrap().is_none());
        let unfinished = grow_run(&parts, &job, false, &mut (), &mut |_| {}).unwrap_err();
        assert!(matches!(unfinished, RunError::Unfinished(_)), "{unfinished}");
        while grow_run(&parts, &job, true, &mut Impatient(150), &mut |_| {}).unwrap().is_none() {}
        for file in ["config.toml", "genome.json", "history.csv", "mask.json", "network.json"]
            .into_iter()
            .chain(["picloom.json", "result.json", "target.npz", "weights.safetensors"])
        {
            let [a, b] = [&whole, &parts].map(|folder| std::fs::read(folder.join(file)).unwrap());
            assert!(a == b, "{by}: {file} differs");
        }
        assert!(!parts.join("growth.json").exists());
        let run = load_run(&parts).unwrap();
        assert_eq!((run.result.links, run.model.mask.kept()), (result.links, result.links));
        // Its genome draws what the run draws.
        let options = LoadOptions { size: Some(16), ..LoadOptions::default() };
        let genome = parts.join("genome.json");
        let genome = Source::load(NetworkPath::Genome(&genome, Wiring::Graph), options).unwrap();
        let [a, b] = [&genome.model, &run.model].map(|model| model.picture(16, Coords::Fer));
        assert_eq!(a, b);
        let rows = std::fs::read_to_string(parts.join("history.csv")).unwrap();
        assert!(rows.lines().count() > 3, "{rows}");
    }
    let own = grow_run(&whole.join("random"), &job(GrowBy::Gradient), true, &mut (), &mut |_| {});
    assert!(own.unwrap_err().to_string().contains("grown.by gradient"));
}

const SPEC: &str = r#"
kind = "networks"
name = "growing"
question = "Does it grow?"
size = 12
steps = 40
seeds = [0, 1]
sample = 6
offsets = [0, 1]
target_r2 = 0.9
checkpoints = [0.5]
[[targets]]
name = "mask"
genome = "genomes/mask.json"
[[arms]]
name = "grown"
wiring = "grown"
grow = { most_links = 20, steps = 20, trial_steps = 5 }
lr = 0.03
[[arms]]
name = "random"
wiring = "grown"
grow = { by = "random", most_links = 20, steps = 20, trial_steps = 5 }
lr = 0.03
[[arms]]
name = "half"
from = "grown"
method = "magnitude"
levels = ["share:0.5"]
"#;

fn study(spec: &str) -> (tempfile::TempDir, Result<NetworksStudy, String>) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (folder, path) =
        crate::repository::repository(root, "growing", spec, &["genomes/mask.json"]);
    let study = NetworksStudy::read(&path, None, Path::new("nowhere"));
    (folder, study.map_err(|error| error.to_string()))
}

#[test]
fn an_arm_grows_in_every_seed_and_its_control_has_as_many_links() {
    let (folder, study) = study(SPEC);
    let record = run_cells(&study.unwrap(), &folder.path().join("runs"), &mut ()).unwrap().unwrap();
    let kept = |arm: &str, seed: u64| {
        let row = record
            .rows
            .iter()
            .find(|row| (row.arm.as_str(), row.seed, row.offset) == (arm, Some(seed), 0));
        let row = row.unwrap_or_else(|| panic!("no row of {arm}"));
        row.result.as_ref().unwrap_or_else(|| panic!("{arm}: {:?}", row.error)).kept
    };
    for seed in [0, 1] {
        let links = kept("grown", seed);
        assert!((13..=20).contains(&links), "{links}");
        assert_eq!(kept("random", seed), links);
        assert_eq!(kept("half", seed), (0.5 * links as f64).round() as usize);
    }
    assert!(record.rows.iter().all(|row| row.offset == 0), "a graph has no depth to vary");
}

#[test]
fn growths_that_cannot_be_are_refused() {
    let grow = "grow = { most_links = 20, steps = 20, trial_steps = 5 }";
    for (with, part) in [
        ("grow = { most_links = 5 }", "most_links"),
        ("grow = { until_r2 = 1.0 }", "until_r2"),
        ("grow = { by = \"chance\" }", "chance"),
        ("grow = {}\nsteps = 9", "steps in grow"),
    ] {
        let error = study(&SPEC.replacen(grow, with, 1)).1.err().unwrap();
        assert!(error.contains(part), "{error}");
    }
    let other = SPEC.replacen("wiring = \"grown\"\ngrow", "wiring = \"dense\"\ngrow", 1);
    let error = study(&other).1.err().unwrap();
    assert!(error.contains("grow with wiring"), "{error}");
    let genome = picloom::genome::read(Path::new("mask")).unwrap();
    let mut picture = Model::of_genome(&genome, Wiring::Graph).picture(8, Coords::Fer);
    picture.rgb.fill(0.5);
    let target = Target::of_picture("flat".into(), picture);
    let grow = GrowConfig::default();
    let error = GrowJob::new("grown", &target, Coords::Fer, grow, GrowConfig::recipe());
    assert_refused(
        &error.unwrap_err(),
        ["target of a growth", "a picture of more than one colour", "one colour"],
    );
}
