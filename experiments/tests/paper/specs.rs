//! Wrong specs of the paper's kinds, and of networks studies that only the paper runs.

use crate::answers::{changed, hold};
use crate::repository::repository;
use crate::root;
use picloom::experiment::networks::NetworksStudy;
use picloom_experiments::measures;
use picloom_experiments::theory::TheoryStudy;
use picloom_experiments::training::TrainingStudy;
use picloom_experiments::xor::XorStudy;

const TRAININGS: &str = include_str!("../../../tests/specs/trainings.toml");
const WIRINGS: &str = include_str!("../../../tests/specs/shaken.toml");
const THEORY: &str = include_str!("../../theory.toml");
const XOR: &str = "kind = \"xor\"\nruns = 1\ngenerations = 1\nseed = 1\nslope = 4.9\n";

#[test]
fn wrong_specs_are_refused_with_path_expected_and_found() {
    measures::add();
    let files =
        ["experiments/targets/face.png", "genomes/bred_moth.json", "genomes/novelty_eye.json"];
    hold("specs", |input| {
        let (of, changes) = input.split_once('\n').unwrap();
        let spec = match of {
            "of trainings" => TRAININGS,
            "of wirings" => WIRINGS,
            "of xor" => XOR,
            "of theory" => THEORY,
            other => panic!("{other}"),
        };
        let (folder, path) = repository(root(), "study", &changed(spec, changes), &files);
        let error = match of {
            "of trainings" => TrainingStudy::read(&path, None).err(),
            "of xor" => XorStudy::read(&path, None).err(),
            "of theory" => TheoryStudy::read(&path, None).err(),
            _ => NetworksStudy::read(&path, None, folder.path()).err(),
        };
        let said = error.unwrap_or_else(|| panic!("{input} is accepted")).to_string();
        said.replace(&format!("{}/", folder.path().display()), "")
    });
}
