//! `judge test`, `judge sheets` and `judge labels`.

use picloom::network::Picture;
use picloom::score::Label;
use picloom::score::labels::{LabelError, read_key, read_labels};
use std::fmt::Write as _;
use std::path::Path;

#[test]
fn judges_are_tested_against_labels_and_against_each_other() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    // A square that moved is clean, one in noise is damaged.
    let draw = |left: usize, noise: usize| {
        let mut picture = Picture::filled(64, 64, [0.2; 3]);
        for (i, v) in picture.rgb.iter_mut().enumerate() {
            let (row, column) = (i / 192, i / 3 % 64);
            let inside = (20..44).contains(&row) && (left..left + 24).contains(&column);
            let grain = (row * 7919 + column * 10473) % 97 % (noise + 1);
            *v = if inside { 0.9 } else { *v } - grain as f32 / 200.0;
        }
        picture
    };
    let write =
        |name: &str, picture: Picture| std::fs::write(at(name), picture.to_png(&[])).unwrap();
    write("base.png", draw(16, 0));
    let mut csv = String::from("image,base,label,network\n");
    for k in 1..=6 {
        write(&format!("c{k}.png"), draw(16 + k, 0));
        write(&format!("f{k}.png"), draw(16, 40 + k));
        writeln!(csv, "c{k}.png,base.png,clean,drawn\nf{k}.png,base.png,damaged,drawn").unwrap();
    }
    std::fs::write(at("square_labels.csv"), csv).unwrap();
    let run = |args: &[&str]| {
        let mut command = assert_cmd::Command::cargo_bin("picloom").unwrap();
        command.current_dir(folder.path()).args(["judge", "test"]).args(args).output().unwrap()
    };
    let json =
        |args: &[&str]| -> serde_json::Value { serde_json::from_slice(&run(args).stdout).unwrap() };
    let report = json(&["square_labels.csv", "--json"]);
    assert_eq!(report["targets"]["square"]["pictures"], 12);
    assert_eq!(report["pooled"]["auc"]["estimate"], 1.0, "{report}");
    // Against itself a judge is always right; a coin agrees by chance only.
    let itself = json(&["square_labels.csv", "--against", "dl", "--json"]);
    assert_eq!(itself["pooled"]["accuracy"], 1.0);
    let out = run(&["square_labels.csv", "--against", "mock"]);
    let text = String::from_utf8(out.stdout).unwrap();
    assert!(text.contains("against mock/0") && text.contains("kappa"), "{text}");
    let coin = json(&["square_labels.csv", "--judge", "mock:seed=3", "--json"]);
    assert!(coin["pooled"]["kappa"]["low"].as_f64().unwrap() < 0.3);
    // A wrong label is refused with its line.
    std::fs::write(at("wrong.csv"), "image,base,label\nx.png,y.png,fine\n").unwrap();
    let error = read_labels(&at("wrong.csv")).unwrap_err();
    let LabelError::Row { line, found, .. } = error else { panic!("{error}") };
    assert_eq!((line, found.as_str()), (2, "\"fine\""));
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
    assert!(text.contains("9 clean, 4 damaged") && text.contains("kappa 1.000"), "{text}");
    let set = read_labels(&labels).unwrap();
    assert_eq!((set.rows.len(), set.rows[2].label), (13, Label::Damaged));
    // From where it lies its pictures are found.
    assert!(
        set.rows.iter().all(|row| row.image.exists() && row.base.exists()),
        "{:?}",
        set.rows[0]
    );
    // Written again it may be.
    assert!(run(&labels, &["labels", place, "--from", from]).status.success());
}
