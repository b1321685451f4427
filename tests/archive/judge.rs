//! The embedded judge on the archive's labelled pictures and networks.

use picloom::network::{Arch, Coords, Model, Picture};
use picloom::probe::{Delta, Selection, View};
use picloom::score::calibrate::{calibrate, read_labels, test_judge};
use picloom::score::dl::Version;
use picloom::score::{DlJudge, DlModel, Judge, Protocol};
use std::path::Path;

pub fn left_out_targets_of_the_archive_are_judged_right_and_the_shipped_model_is_that_fit(
    archive: &Path,
) {
    let mut sets: Vec<_> = ["skull", "butterfly"]
        .iter()
        .map(|t| read_labels(&archive.join(format!("judge/{t}_labels.csv"))).unwrap())
        .collect();
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/labels/labels.csv");
    sets.push(read_labels(&own).unwrap());
    let calibration = calibrate(&sets, Version::Two, None, "", "").unwrap();
    let left_out = calibration.left_out.unwrap();
    for target in ["skull", "butterfly"] {
        let agreement = &left_out.targets[target];
        let (kappa, auc) = (agreement.kappa.unwrap(), agreement.auc.unwrap());
        assert!(kappa.estimate >= 0.80, "{target}: κ {kappa:?}");
        assert!(auc.estimate >= 0.97, "{target}: AUC {auc:?}");
    }
    let shipped = DlModel::shipped(Version::Two);
    let files: Vec<&String> = shipped.provenance.sets.iter().map(|s| &s.sha256).collect();
    assert_eq!(files, sets.iter().map(|s| &s.sha256).collect::<Vec<_>>());
    assert_eq!(shipped.provenance.left_out.len(), left_out.targets.len());
    for (fitted, shipped) in calibration.model.terms.iter().zip(&shipped.terms) {
        assert!((fitted.mean - shipped.mean).abs() < 1e-9);
        assert!((fitted.weight - shipped.weight).abs() < 1e-6, "{fitted:?} {shipped:?}");
    }
}

/// The set that nothing was chosen on: docs/JUDGES.md has these numbers.
pub fn the_embedded_judge_is_right_about_pictures_of_networks_that_nobody_fitted_it_to(
    archive: &Path,
) {
    let set = read_labels(&archive.join("judge/h4/labels.csv")).unwrap();
    let report = test_judge(&[set], &DlJudge::default()).unwrap();
    assert_eq!(report.pooled.pictures, 240);
    assert!(report.pooled.auc.unwrap().estimate > 0.95 && report.pooled.kappa.unwrap().low > 0.65);
    let within = report.within.unwrap();
    assert!(within.auc.unwrap().estimate > 0.9, "{within:?}");
    assert!(within.above_network_mean.unwrap().low > 0.0, "{within:?}");
    // Of the verdicts it gives, on mixed networks; the mean of the network stands far below.
    assert!(within.clear.judge.mixed.unwrap().estimate > 0.7, "{:?}", within.clear);
    assert!(within.clear.network_mean.mixed.unwrap().estimate < 0.5, "{:?}", within.clear);
    assert!(within.clear.mixed_pictures * 10 >= within.mixed_pictures * 8, "{:?}", within.clear);
}

/// Pictures, features (orient, dl, cond, novel) and P(fractured) by the Python prototype, with the
/// four-feature model it fitted on the archive's 180 labels.
const PROTOTYPE: [(&str, &str, [f64; 4], f64); 6] = [
    ("skull_000.png", "skull_base_sgd.png", [0.259877, 2.314687, 0.015149, 0.578496], 0.792233),
    (
        "skull_001.png",
        "skull_base_picbreeder.png",
        [0.312952, 0.608615, -0.325864, 0.604384],
        0.178235,
    ),
    (
        "skull_002.png",
        "skull_base_picbreeder.png",
        [0.136088, 0.72271, 0.04129, 0.660348],
        0.204529,
    ),
    (
        "butterfly_000.png",
        "butterfly_base_picbreeder.png",
        [0.281952, 0.841835, -0.104398, 0.742082],
        0.500753,
    ),
    (
        "butterfly_001.png",
        "butterfly_base_sgd.png",
        [0.21069, 1.170205, 0.066085, 0.458831],
        0.317268,
    ),
    (
        "butterfly_002.png",
        "butterfly_base_sgd.png",
        [0.572112, 2.414741, 0.290318, 0.774333],
        0.998965,
    ),
];

/// Score of one of the archive's networks at an effect of 0.18, over 200 weights (all of a smaller
/// network): (score, low, high).
fn archive_score(judge: &DlJudge, arch: &str, params: &Path, size: usize) -> (f64, f64, f64) {
    let model = Model::read(&arch.parse::<Arch>().unwrap(), params).unwrap();
    let (selection, delta) = (Selection::Sample(200), Delta::Effect(0.18));
    let protocol = Protocol { selection, delta, seed: 0 };
    let view = View::new(&model, size, Coords::Fer);
    let found = protocol.measure(&view, judge, None).unwrap().score;
    let (low, high) = found.interval.unwrap();
    (found.score.unwrap(), low, high)
}

pub fn the_archives_pictures_get_the_prototypes_numbers(archive: &Path) {
    let mut judge = DlJudge { model: DlModel::shipped(Version::Two) };
    let numbers = [
        (0.295897, 0.13978, 1.493238),
        (1.228157, 1.057136, 1.218024),
        (-0.096869, 0.322821, 1.491314),
        (0.645129, 0.135892, 0.563234),
        (0.0, 1.0, 0.0), // mirror, which the prototype did not have
    ];
    for (term, number) in judge.model.terms.iter_mut().zip(numbers) {
        (term.mean, term.spread, term.weight) = number;
    }
    judge.model.intercept = 0.230034;
    for (image, base, expected, p) in PROTOTYPE {
        let read = |name: &str| Picture::read(&archive.join("judge").join(name)).unwrap();
        let (image_name, image, base) = (image, read(image), read(base));
        let found = Version::Two.read(&base).features(&image).unwrap().unwrap();
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-4, "{image_name}: {found} {expected}");
        }
        let verdict = judge.read_base(&base).judge(&image).unwrap();
        assert!((verdict.evidence - p).abs() < 1e-3, "{image_name}: {verdict:?} {p}");
    }
}

/// One size and one effect of the nine of docs/JUDGES.md, which lists all.
pub fn evolved_networks_score_half_above_fers_trained_ones(archive: &Path) {
    let judge = DlJudge::default();
    for (name, arch) in [
        ("skull", "12;cache:15,gaussian:4,identity:2,sin:1"),
        ("butterfly", "16;cache:17,gaussian:4,sigmoid:1,sin:1"),
    ] {
        let of = |kind: &str| {
            let params = archive.join(format!("fer/{name}_{kind}.npz"));
            archive_score(&judge, arch, &params, 96)
        };
        let (evolved, trained) = (of("picbreeder"), of("sgd"));
        assert!(evolved.0 - trained.0 >= 0.5, "{name}: {evolved:?} {trained:?}");
        assert!(evolved.1 > trained.2, "{name}: {evolved:?} {trained:?}");
    }
}
