//! Wrong specs of the paper's kinds, and of networks studies that only the paper runs.

use crate::measures;
use crate::paper::answers::{changed, hold};
use crate::paper::repository::repository;
use crate::paper::root;
use crate::theory::Theory;
use crate::training::Training;
use crate::xor::Xor;
use picloom::experiment::networks::NetworksStudy;
use picloom::study::grid::GridStudy;

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
            "of trainings" => GridStudy::<Training>::read(&path, None).err(),
            "of xor" => GridStudy::<Xor>::read(&path, None).err(),
            "of theory" => GridStudy::<Theory>::read(&path, None).err(),
            _ => NetworksStudy::read(&path, None, folder.path()).err(),
        };
        let said = error.unwrap_or_else(|| panic!("{input} is accepted")).to_string();
        said.replace(&format!("{}/", folder.path().display()), "")
    });
}
