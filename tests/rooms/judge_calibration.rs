//! `judge calibrate` and `judge test`: on drawings of our own, and on the archive's labels with
//! every target left out once.

use crate::whole::assert_whole;
use picloom::math::real;
use picloom::network::Picture;
use picloom::score::calibrate::{
    LabelRow, LabelSet, calibrate, compare_judges, merge, read_answers, read_key, read_labels,
    test_judge, viewer_agreement,
};
use picloom::score::dl::{Term, Version};
use picloom::score::{DlJudge, DlModel, Label, MockJudge};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Brightness of a target at (x, y) in [−1, 1]: discs on a slope, or stripes in a frame.
fn target(name: &str, x: f64, y: f64, moved: f64) -> f64 {
    match name {
        "discs" => {
            let in_disc = |cx: f64, r: f64| (x - cx).powi(2) + y * y < r * r;
            if in_disc(-0.35 + moved, 0.3) || in_disc(0.45, 0.25 + moved / 3.0) {
                0.9
            } else {
                0.3 + 0.15 * y
            }
        }
        _ => {
            let inside = x.abs().max(y.abs()) < 0.8 + moved / 4.0;
            let band = ((4.0 * (y + moved) + x * moved).floor() as i64).rem_euclid(2);
            if inside { 0.2 + 0.5 * band as f64 } else { 0.95 }
        }
    }
}

/// A folder with two labelled sets of 16 pictures each: parts moved by several amounts are
/// coherent; smooth smears and ghosts are fractured.
fn own_sets(folder: &Path) -> Vec<PathBuf> {
    let size = 72;
    let draw = |name: &str, moved: f64, smear: f64, ghost: f64, k: f64| {
        let mut picture = Picture::filled(size, size, [0.0; 3]);
        for row in 0..size {
            for column in 0..size {
                let at = |i: usize| 2.0 * i as f64 / (size - 1) as f64 - 1.0;
                let (x, y) = (at(column), at(row));
                let wave = real::sin((5.0 + k) * x + 3.0 * y * k) * real::cos(4.0 * y - k * x + k);
                let value = target(name, x, y, moved) * (1.0 - ghost)
                    + ghost * target(name, x + 0.3, y - 0.2 * k, moved)
                    + smear * wave;
                let value = value.clamp(0.0, 1.0) as f32;
                let i = 3 * (row * size + column);
                picture.rgb[i..i + 3].copy_from_slice(&[value, 0.8 * value, 0.5 + value / 2.0]);
            }
        }
        picture
    };
    let mut paths = Vec::new();
    for name in ["discs", "stripes"] {
        let write = |file: &str, picture: &Picture| {
            std::fs::write(folder.join(file), picture.to_png(&[])).unwrap();
        };
        let base = format!("{name}_base.png");
        write(&base, &draw(name, 0.0, 0.0, 0.0, 1.0));
        let mut csv = String::from("image,base,label,network\n");
        for k in 1..=8 {
            let t = f64::from(k);
            let (clean, smeared) = (format!("{name}_c{k}.png"), format!("{name}_f{k}.png"));
            write(&clean, &draw(name, 0.06 + 0.03 * t, 0.0, 0.0, t));
            let (smear, ghost) = if k % 2 == 0 { (0.15 + 0.04 * t, 0.0) } else { (0.0, 0.5) };
            write(&smeared, &draw(name, 0.0, smear, ghost, t));
            writeln!(csv, "{clean},{base},coherent,drawn").unwrap();
            writeln!(csv, "{smeared},{base},fractured,drawn").unwrap();
        }
        let path = folder.join(format!("{name}_labels.csv"));
        std::fs::write(&path, csv).unwrap();
        paths.push(path);
    }
    paths
}

#[test]
fn a_calibrated_judge_is_right_about_a_target_it_has_not_seen() {
    let folder = tempfile::tempdir().unwrap();
    let paths = own_sets(folder.path());
    let sets: Vec<_> = paths.iter().map(|p| read_labels(p).unwrap()).collect();
    let calibration = calibrate(&sets, Version::Three, None, "2026-01-02", "a test").unwrap();
    let left_out = calibration.left_out.as_ref().unwrap();
    assert_eq!(left_out.targets.len(), 2);
    for (name, agreement) in &left_out.targets {
        assert_eq!(agreement.pictures, 16);
        assert!(agreement.auc.unwrap().estimate > 0.9, "{name}: {agreement:?}");
    }
    let provenance = &calibration.model.provenance;
    assert_eq!(provenance.date, "2026-01-02");
    assert_eq!(provenance.sets[1].file, "stripes_labels.csv");
    assert_eq!((provenance.sets[0].coherent, provenance.sets[0].fractured), (8, 8));

    // The written file is the same judge.
    let file = folder.path().join("model.json");
    std::fs::write(&file, serde_json::to_string(&calibration.model).unwrap()).unwrap();
    let judge = DlJudge { model: DlModel::read(&file).unwrap() };
    let report = test_judge(&sets, &judge).unwrap();
    assert_eq!(report.pooled, calibration.in_sample.pooled);
    assert_eq!(compare_judges(&sets, &judge, &judge).unwrap().pooled.accuracy, 1.0);
    // A coin agrees by chance only.
    let coin = test_judge(&sets, &MockJudge { seed: 3 }).unwrap();
    assert!(coin.pooled.kappa.unwrap().low < 0.3);
    // One target alone cannot be left out.
    let alone = calibrate(&sets[..1], Version::Two, None, "", "").unwrap();
    assert!(alone.left_out.is_none());
}

#[test]
fn the_command_fits_writes_and_tests() {
    let folder = tempfile::tempdir().unwrap();
    let paths = own_sets(folder.path());
    let model = folder.path().join("fitted.json");
    let run = |args: &[&str]| {
        assert_cmd::Command::cargo_bin("picloom").unwrap().args(args).output().unwrap()
    };
    let (a, b) = (paths[0].to_str().unwrap(), paths[1].to_str().unwrap());
    let out = run(&["judge", "calibrate", a, b, "--out", model.to_str().unwrap(), "--json"]);
    assert!(out.status.success());
    let json: serde_json::Value = serde_json::from_slice(&out.stdout).unwrap();
    assert!(json["left_out"]["targets"]["discs"]["auc"]["estimate"].is_number());
    let command = json["model"]["provenance"]["command"].as_str().unwrap();
    let expected =
        "picloom judge calibrate discs_labels.csv stripes_labels.csv --ridge 0.005 --features 4";
    assert_eq!(command, expected);
    let out = run(&["judge", "test", a, "--model", model.to_str().unwrap(), "--json"]);
    let json: serde_json::Value = serde_json::from_slice(&out.stdout).unwrap();
    assert_eq!(json["pooled"]["pictures"], 16);
    let figures = folder.path().join("figures");
    let out = run(&["judge", "calibrate", a, b, "--out", figures.to_str().unwrap()]);
    assert!(out.status.success());
    for file in ["judge-model.json", "report.json", "reliability.svg", "roc.png"] {
        assert_whole(&figures.join(file));
    }
    let out = run(&["judge", "test", a, "--against", "mock"]);
    let text = String::from_utf8(out.stdout).unwrap();
    assert!(text.contains("against mock/0") && text.contains("kappa"), "{text}");
    // A wrong label is refused with its line, exit code 1.
    std::fs::write(&model, "image,base,label\nx.png,y.png,fine\n").unwrap();
    let out = run(&["judge", "test", model.to_str().unwrap()]);
    let text = String::from_utf8(out.stderr).unwrap();
    assert_eq!(out.status.code(), Some(1));
    assert!(text.contains("line 2") && text.contains("\"fine\""), "{text}");
}

fn assets(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("assets").join(name)
}

/// The project's own labelled pictures (a README.md beside each).
fn own_labels() -> [LabelSet; 3] {
    ["labels/labels.csv", "labels2/labels2.csv", "labels3/labels3.csv"]
        .map(|name| read_labels(&assets(name)).unwrap())
}

#[test]
fn the_own_labels_are_what_the_keys_and_the_answers_make() {
    for (folder, file, second) in [
        ("labels", "labels.csv", None),
        ("labels2", "labels2.csv", Some("second_rater.csv")),
        ("labels3", "labels3.csv", Some("second_rater.csv")),
    ] {
        let folder = assets(folder);
        let key = read_key(&folder.join("key.csv")).unwrap();
        let path = folder.join("answers.csv");
        let answers = read_answers(&path).unwrap();
        assert_eq!(answers.len(), key.len());
        let second = second.map(|name| read_answers(&folder.join(name)).unwrap());
        let merged = merge(&key, &answers, second.as_ref(), &path).unwrap();
        let labels = std::fs::read_to_string(folder.join(file)).unwrap();
        assert!(merged == labels, "{file} is not the merge of key.csv and answers.csv");
    }
    let again = read_answers(&assets("labels/second_viewing.csv")).unwrap();
    let answers = read_answers(&assets("labels/answers.csv")).unwrap();
    let agreement = viewer_agreement(&answers, &again).unwrap();
    assert_eq!(agreement.pictures, 120);
    assert!(agreement.kappa.unwrap().estimate > 0.9, "{agreement:?}");
}

#[test]
fn the_second_set_breaks_the_stereotype_and_two_viewers_saw_it() {
    let [_, set, _] = own_labels();
    let count =
        |of: &dyn Fn(&LabelRow) -> &str| set.rows.iter().map(of).collect::<BTreeSet<&str>>().len();
    assert!(set.rows.len() >= 1200 && count(&|r| &r.network) >= 60 && count(&|r| &r.target) >= 40);
    let report = test_judge(&[set], &DlJudge::default()).unwrap();
    let within = report.within.unwrap();
    assert!(within.mixed * 5 > within.networks * 2 && within.viewers.unwrap().pictures >= 300);
    // What the network alone tells is little.
    assert!(within.majority.all.unwrap().estimate < 0.65, "{:?}", within.majority);
}

#[test]
fn the_shipped_judge_is_the_fit_to_the_own_labels_and_looks_at_the_picture() {
    let sets = own_labels();
    // κ, AUC and AUC within networks that each reaches on targets left out.
    for (version, least) in
        [(Version::Three, [0.69, 0.93, 0.88]), (Version::Four, [0.73, 0.94, 0.9])]
    {
        let shipped = DlModel::shipped(version);
        let found = calibrate(&sets, version, None, "", "").unwrap();
        let hashes: Vec<&String> = shipped.provenance.sets.iter().map(|s| &s.sha256).collect();
        assert_eq!(hashes, sets.iter().map(|s| &s.sha256).collect::<Vec<_>>());
        for (fitted, shipped) in found.model.terms.iter().zip(&shipped.terms) {
            assert!((fitted.mean - shipped.mean).abs() < 1e-9);
            let weights = |of: &Term| [&[of.weight][..], &of.above].concat();
            let pairs = weights(fitted).into_iter().zip(weights(shipped));
            let off = pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(off < 1e-6, "{fitted:?} {shipped:?}");
        }
        let between = |model: &DlModel| model.between_networks.unwrap();
        assert!((between(&found.model) - between(&shipped)).abs() < 1e-6);
        // Each target judged by a model that has not seen it.
        let left_out = found.left_out.unwrap();
        let (kappa, auc) = (left_out.pooled.kappa.unwrap(), left_out.pooled.auc.unwrap());
        let within = left_out.within.unwrap();
        let reached = [kappa.estimate, auc.estimate, within.auc.unwrap().estimate];
        assert!(reached.iter().zip(least).all(|(r, least)| *r > least), "{version:?} {reached:?}");
        assert!(within.above_network_mean.unwrap().low > 0.0, "{within:?}");
        // Of the verdicts it gives, most are right on mixed networks, too, and not for knowing the network.
        let (of, told) = (within.clear.judge, within.clear.network_mean);
        assert!(of.mixed.unwrap().estimate > 0.7, "{version:?} {of:?}");
        assert!(told.mixed.unwrap().high < of.mixed.unwrap().low, "{version:?} {told:?} {of:?}");
        let share = within.clear.mixed_pictures as f64 / within.mixed_pictures as f64;
        assert!(
            share > 0.7,
            "{version:?} gives a verdict on {share} of pictures of mixed networks"
        );
        let scores = within.scores.unwrap();
        assert!((0.90..=0.99).contains(&scores.coverage), "{scores:?}");
    }
}

#[test]
fn sheets_are_shuffled_drawn_and_merged_with_their_answers() {
    let folder = tempfile::tempdir().unwrap();
    let genomes = Path::new(env!("CARGO_MANIFEST_DIR")).join("genomes");
    let (moth, ember) = (
        genomes.join("bred_moth.json").display().to_string(),
        format!("coal={}", genomes.join("elite_ember.json").display()),
    );
    let run = |out: &Path, args: &[&str]| {
        assert_cmd::Command::cargo_bin("picloom")
            .unwrap()
            .args(["judge"])
            .args(args)
            .arg("--out")
            .arg(out)
            .output()
            .unwrap()
    };
    let out = folder.path().join("a");
    let sheets = ["sheets", &moth, &ember, "--count", "13", "--size", "32", "--page", "6"];
    assert!(run(&out, &sheets).status.success());
    let key = read_key(&out.join("key.csv")).unwrap();
    assert_eq!(key.len(), 13);
    let of = |target: &str| key.iter().filter(|r| r.target == target).count();
    assert_eq!((of("bred_moth"), of("coal")), (6, 7));
    let first: Vec<&str> = key[..6].iter().map(|r| r.target.as_str()).collect();
    assert!(first.contains(&"bred_moth") && first.contains(&"coal"), "shuffled: {first:?}");
    for row in &key {
        assert!((row.rmse / 0.18 - 1.0).abs() < 0.45, "{row:?}");
        let read = |file: &str| Picture::read(&out.join(file)).unwrap();
        let rmse = read(&row.image).mse(&read(&row.base)).sqrt();
        assert!((rmse - row.rmse).abs() < 0.01, "{row:?} {rmse}");
    }
    assert!(out.join("sheets/sheet_03.png").exists() && !out.join("sheets/sheet_04.png").exists());
    // The same seed draws the same; a folder with answers is not drawn over.
    let again = folder.path().join("b");
    assert!(run(&again, &sheets).status.success());
    for file in ["key.csv", "005.png", "sheets/sheet_01.png"] {
        let bytes = |folder: &Path| std::fs::read(folder.join(file)).unwrap();
        assert!(bytes(&out) == bytes(&again), "{file}");
    }
    assert_eq!(run(&out, &sheets).status.code(), Some(2));
    // Numbered answers become a labelled set that the judges read.
    let answers = out.join("answers.csv");
    let text: String =
        (1..=13).map(|n| format!("{n},{}\n", if n % 3 == 0 { "f" } else { "c" })).collect();
    std::fs::write(&answers, format!("number,label\n{text}")).unwrap();
    let labels = folder.path().join("labels.csv");
    let (place, from) = (out.to_str().unwrap(), answers.to_str().unwrap());
    let merged = run(&labels, &["labels", place, "--from", from, "--second", from]);
    let text = String::from_utf8(merged.stdout).unwrap();
    assert!(text.contains("9 coherent, 4 fractured") && text.contains("kappa 1.000"), "{text}");
    let set = read_labels(&labels).unwrap();
    assert_eq!((set.rows.len(), set.rows[2].label), (13, Label::Fractured));
    // From where it lies its pictures are found.
    assert!(
        set.rows.iter().all(|row| row.image.exists() && row.base.exists()),
        "{:?}",
        set.rows[0]
    );
    // Written again it may be; neither the key nor the answers are written over.
    assert!(run(&labels, &["labels", place, "--from", from]).status.success());
    for kept in [out.join("key.csv"), answers.clone()] {
        let before = std::fs::read(&kept).unwrap();
        let refused = run(&kept, &["labels", place, "--from", from]);
        assert!(String::from_utf8_lossy(&refused.stderr).contains("an earlier labelled set"));
        assert!(!refused.status.success() && std::fs::read(&kept).unwrap() == before);
    }
}
