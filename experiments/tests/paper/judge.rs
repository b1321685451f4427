//! The embedded judge: the shipped model is the fit to the own labelled pictures, which are drawn from their networks.

use crate::judge::draw::{SETS, draw_sets};
use crate::judge::logistic::FitError;
use crate::judge::{JudgeFitError, RIDGE, fit, report};
use crate::paper::line::Place;
use crate::paper::whole::assert_whole;
use picloom::base::SimRng;
use picloom::base::hash::sha256_hex;
use picloom::network::family::Family;
use picloom::network::{Coords, Picture};
use picloom::score::labels::{
    LabelRow, LabelSet, merge, read_answers, read_key, read_labels, viewer_agreement,
};
use picloom::score::{DlJudge, DlModel};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Two labelled sets of 16 pictures each, in a folder: other pictures of the same family are clean, grain and ghosts are
/// damage.
fn own_sets(folder: &Path) -> [PathBuf; 2] {
    let mut rng = SimRng::new(1, "test", 0);
    [Family::Face, Family::Rings].map(|family| {
        let draw = |z: f64| family.picture(&vec![z; family.factors().len()], 72, Coords::Fer);
        let write = |file: String, picture: &Picture| {
            std::fs::write(folder.join(&file), picture.to_png(&[])).unwrap();
            file
        };
        let (name, base) = (family.name(), draw(0.0));
        let of = write(format!("{name}_base.png"), &base);
        let mut csv = String::from("image,base,label,network\n");
        for k in 1..=8 {
            let by = f64::from(k) / 8.0 * if k % 2 == 0 { 1.0 } else { -1.0 };
            let (clean, mut damaged) = (draw(by), base.clone());
            for (i, value) in damaged.rgb.iter_mut().enumerate() {
                *value = if k % 2 == 0 {
                    (*value + (0.2 + 0.05 * k as f32) * (rng.uniform() as f32 - 0.5))
                        .clamp(0.0, 1.0)
                } else {
                    (*value + clean.rgb[i]) / 2.0
                };
            }
            let [clean, damaged] = [("c", &clean), ("f", &damaged)]
                .map(|(letter, picture)| write(format!("{name}_{letter}{k}.png"), picture));
            writeln!(csv, "{clean},{of},clean,drawn\n{damaged},{of},damaged,drawn").unwrap();
        }
        let path = folder.join(format!("{name}_labels.csv"));
        std::fs::write(&path, csv).unwrap();
        path
    })
}

#[test]
fn a_fitted_judge_is_right_about_a_target_it_has_not_seen() {
    let place = Place::new();
    let paths = own_sets(place.path());
    let line = "judge fit face_labels.csv rings_labels.csv --date 2026-01-02 --out fitted";
    let json = place.json(line);
    let out = place.at("fitted");
    for target in ["face", "rings"] {
        let agreement = &json["left_out"]["targets"][target];
        assert_eq!(agreement["pictures"], 16);
        assert!(agreement["auc"]["estimate"].as_f64().unwrap() > 0.9, "{target}: {agreement}");
    }
    for file in ["judge-model.json", "report.json", "reliability.svg", "roc.png"] {
        assert_whole(&out.join(file));
    }
    // The written file is a judge.
    let model = DlModel::read(&out.join("judge-model.json")).unwrap();
    let provenance = &model.provenance;
    assert_eq!(provenance.date, "2026-01-02");
    let command = "picloom-experiments judge fit face_labels.csv rings_labels.csv --ridge 0.005";
    assert_eq!(provenance.command, command);
    assert_eq!((provenance.sets[0].clean, provenance.sets[0].damaged), (8, 8));
    let sets: Vec<_> = paths.iter().map(|p| read_labels(p).unwrap()).collect();
    let own = report(&sets, &DlJudge { model }).unwrap();
    assert!(own.report.pooled.auc.unwrap().estimate > 0.95);
    // One target alone cannot be left out.
    let error = fit(&sets[..1], RIDGE, "", "").unwrap_err();
    let JudgeFitError::Fit { without, .. } = error else { panic!("{error}") };
    assert_eq!(without.as_deref(), Some("face"));
    let wrong = fit(&sets, 0.0, "", "").unwrap_err();
    let JudgeFitError::Fit { source, .. } = wrong else { panic!("{wrong}") };
    assert_eq!(source, FitError::Ridge(0.0));
}

fn labels() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("labels")
}

#[test]
fn the_own_labels_are_what_the_keys_and_the_answers_make() {
    for (folder, file, second) in [
        ("first", "labels.csv", None),
        ("second", "labels2.csv", Some("second_rater.csv")),
        ("third", "labels3.csv", Some("second_rater.csv")),
    ] {
        let folder = labels().join(folder);
        let key = read_key(&folder.join("key.csv")).unwrap();
        let path = folder.join("answers.csv");
        let answers = read_answers(&path).unwrap();
        assert_eq!(answers.len(), key.len());
        let second = second.map(|name| read_answers(&folder.join(name)).unwrap());
        let merged = merge(&key, &answers, second.as_ref(), &path).unwrap();
        // The sets were labelled in the paper's words.
        let written = std::fs::read_to_string(folder.join(file)).unwrap();
        let written = written.replace("coherent", "clean").replace("fractured", "damaged");
        assert!(merged == written, "{file} is not the merge of key.csv and answers.csv");
    }
    let again = read_answers(&labels().join("first/second_viewing.csv")).unwrap();
    let answers = read_answers(&labels().join("first/answers.csv")).unwrap();
    let agreement = viewer_agreement(&answers, &again).unwrap();
    assert_eq!(agreement.pictures, 120);
    assert!(agreement.kappa.unwrap().estimate > 0.9, "{agreement:?}");
}

/// SHA-256 over the name and the RGB bytes of each picture, in the order of the names, as the viewers saw them.
const PICTURES: [(usize, &str); 3] = [
    (396, "6ea424b01525b9e535d0e6e0ef5117bfcf7e3832289e3eeedfda24b20493b50f"),
    (1306, "5c72cf9086fd40cae40502fc000acb32fbd6ce55a9c5279c1e05e674531bcfcc"),
    (586, "de2ecc978922aaa4e434f4ce9e7b792efd410f7114469b73288982c2edaa0a43"),
];

#[test]
fn the_own_pictures_are_drawn_as_the_viewers_saw_them_and_the_shipped_judge_is_the_fit_to_them() {
    let folder = tempfile::tempdir().unwrap();
    let files = draw_sets(&labels(), folder.path()).unwrap();
    for ((set, ..), (count, hash)) in SETS.iter().zip(PICTURES) {
        let entries = std::fs::read_dir(folder.path().join(set)).unwrap();
        let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
        paths.retain(|path| path.extension().is_some_and(|end| end == "png"));
        paths.sort();
        let mut bytes = Vec::new();
        for path in &paths {
            bytes.extend(path.file_name().unwrap().as_encoded_bytes());
            bytes.extend(Picture::read(path).unwrap().to_bytes());
        }
        assert_eq!((paths.len(), sha256_hex(&bytes).as_str()), (count, hash), "{set}");
    }

    let sets: Vec<LabelSet> = files.iter().map(|file| read_labels(file).unwrap()).collect();
    let shipped = DlModel::shipped();
    let found = fit(&sets, RIDGE, "", "").unwrap();
    let of = &shipped.provenance;
    assert_eq!((&found.model.provenance.sets, found.model.provenance.ridge), (&of.sets, of.ridge));
    let numbers = |model: &DlModel| -> Vec<f64> {
        let terms =
            model.terms.iter().flat_map(|t| [t.mean, t.spread, t.weight, t.above[0], t.above[1]]);
        let left_out = model.provenance.left_out.iter().flat_map(|t| [t.kappa, t.auc]);
        let rest = left_out.chain([Some(model.intercept), model.between_networks]);
        terms.chain(rest.map(|v| v.unwrap_or(-1.0))).collect()
    };
    let pairs = numbers(&found.model).into_iter().zip(numbers(&shipped));
    let off = pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(off < 1e-6, "the fit is off by {off}");

    // Each target judged by a model that has not seen it: κ, AUC and AUC within networks.
    let (pooled, within) = (found.left_out.report.pooled, found.left_out.within);
    let reached = [pooled.kappa, pooled.auc, within.auc].map(|i| i.unwrap().estimate);
    assert!(reached.iter().zip([0.73, 0.94, 0.9]).all(|(r, least)| *r > least), "{reached:?}");
    assert!(within.above_network_mean.unwrap().low > 0.0, "{within:?}");
    // Of the verdicts it gives, most are right on mixed networks, too, and not for knowing the network.
    let (of, told) = (within.clear.mixed.unwrap(), within.clear_network_mean.mixed.unwrap());
    assert!(of.estimate > 0.7 && told.high < of.estimate, "{told:?} {of:?}");
    let share = within.clear.mixed_pictures as f64 / within.judge.mixed_pictures as f64;
    assert!(share > 0.7, "a verdict on {share} of the pictures of mixed networks");
    assert!((0.90..=0.99).contains(&within.scores.unwrap().coverage), "{within:?}");

    // The second set breaks the stereotype: what the network alone tells is little, and two viewers saw it.
    let set = &sets[1];
    let count =
        |of: &dyn Fn(&LabelRow) -> &str| set.rows.iter().map(of).collect::<BTreeSet<&str>>().len();
    assert!(set.rows.len() >= 1200 && count(&|r| &r.network) >= 60 && count(&|r| &r.target) >= 40);
    let within = report(&sets[1..2], &DlJudge::default()).unwrap().within;
    assert!(within.mixed * 5 > within.networks * 2 && within.viewers.pictures >= 300);
    assert!(within.majority.all.unwrap().estimate < 0.65, "{:?}", within.majority);
}
