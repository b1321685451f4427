//! Wrong specs of the paper's kinds, and of networks studies that only the paper runs.

use crate::measures;
use crate::paper::answers::{changed, hold};
use crate::paper::repository::repository;
use crate::paper::root;
use crate::training::Training;
use crate::xor::Xor;
use picloom::experiment::networks::NetworksStudy;
use picloom::study::grid::GridStudy;

const TRAININGS: &str = include_str!("../../../tests/specs/trainings.toml");
const WIRINGS: &str = include_str!("../../../tests/specs/shaken.toml");
const XOR: &str = "kind = \"xor\"\nruns = 1\ngenerations = 1\nseed = 1\nslope = 4.9\n";

#[test]
fn wrong_specs_are_refused_with_path_expected_and_found() {
    measures::add();
    let files =
        ["experiments/targets/face.png", "genomes/bred_moth.json", "genomes/novelty_eye.json"];
    hold("specs", |input| {
        let (of, changes) = input.split_once('\n').unwrap();
        let made = |spec: &str| repository(root(), "study", &changed(spec, changes), &files);
        let (folder, error) = match of {
            "of trainings" => {
                let (folder, path) = made(TRAININGS);
                let read = GridStudy::<Training>::read(&path, None);
                (folder, read.err().map(|error| error.to_string()))
            }
            "of wirings" => {
                let (folder, path) = made(WIRINGS);
                let read = NetworksStudy::read(&path, None, folder.path());
                (folder, read.err().map(|error| error.to_string()))
            }
            "of xor" => {
                let (folder, path) = made(XOR);
                let read = GridStudy::<Xor>::read(&path, None);
                (folder, read.err().map(|error| error.to_string()))
            }
            other => panic!("{other}"),
        };
        let said = error.unwrap_or_else(|| panic!("{input} is accepted"));
        said.replace(&format!("{}/", folder.path().display()), "")
    });
}
