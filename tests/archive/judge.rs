//! The embedded judge on the archive's labelled pictures and networks.

use picloom::network::{Arch, Coords, Model};
use picloom::probe::{Delta, Selection};
use picloom::score::labels::{read_labels, test_judge};
use picloom::score::{DlJudge, Exhibit, Protocol};
use std::path::Path;

/// The set that nothing was chosen on: docs/JUDGES.md has these numbers.
pub(crate) fn the_embedded_judge_is_right_about_pictures_of_networks_that_nobody_fitted_it_to(
    archive: &Path,
) {
    let set = read_labels(&archive.join("judge/h4/labels.csv")).unwrap();
    let report = test_judge(&[set], &DlJudge::default()).unwrap();
    assert_eq!(report.pooled.pictures, 240);
    assert!(report.pooled.auc.unwrap().estimate > 0.95 && report.pooled.kappa.unwrap().low > 0.65);
}

/// Score of one of the archive's networks at an effect of 0.18, over 200 weights (all of a smaller
/// network): (score, low, high).
fn archive_score(judge: &DlJudge, arch: &str, params: &Path, size: usize) -> (f64, f64, f64) {
    let model = Model::read(&arch.parse::<Arch>().unwrap(), params).unwrap();
    let (selection, delta) = (Selection::Sample(200), Delta::Effect(0.18));
    let protocol = Protocol { samples: selection, delta, seed: 0 };
    let exhibit = Exhibit::new(&model, size, Coords::Fer, None);
    let found = protocol.measure(&exhibit, judge).unwrap().score;
    let (low, high) = found.interval.unwrap();
    (found.score.unwrap(), low, high)
}

/// The size and effect of docs/JUDGES.md.
pub(crate) fn evolved_networks_score_half_above_fers_trained_ones(archive: &Path) {
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
