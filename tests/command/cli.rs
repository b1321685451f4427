//! The command line as scripts use it: results, exit codes, and bad input refused with path,
//! expected and found, nothing half-written.

use crate::whole::assert_whole;
use assert_cmd::Command;
use serde_json::Value;
use std::io::Write;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

fn picloom() -> Command {
    let mut command = Command::cargo_bin("picloom").unwrap();
    command.env_remove("PICLOOM_ARCHIVE");
    command
}

fn mask() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("genomes/mask.json")
}

/// Runs, expects this exit code and one line of error, and returns it.
fn refused(args: &[&str], code: i32) -> String {
    let output = picloom().args(args).output().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(code), "{args:?}: {error}");
    assert!(output.stdout.is_empty(), "{args:?} printed a result");
    if code == 1 {
        assert_eq!(error.trim_end().lines().count(), 1, "{args:?}: {error}");
    }
    error
}

fn json(args: &[&str]) -> Value {
    let output = picloom().args(args).arg("--json").output().unwrap();
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn only_file(folder: &TempDir, name: &str) {
    let names: Vec<_> =
        std::fs::read_dir(folder.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(names, [name], "nothing else is left in the folder");
}

const XML: &str = r#"<?xml version="1.0"?><data><genome age="3"><nodes>
<node label="x" type="in"><marking branch="1" id="0"/><activation>identity(x)</activation></node>
<node label="y" type="in"><marking branch="1" id="1"/><activation>identity(x)</activation></node>
<node label="d" type="in"><marking branch="1" id="2"/><activation>identity(x)</activation></node>
<node label="bias" type="in"><marking branch="1" id="3"/><activation>identity(x)</activation></node>
<node label="ink" type="out"><marking branch="1" id="4"/><activation>gaussian(x)</activation></node>
<node type="hidden"><marking branch="2" id="4"/><activation>ACT(x)</activation></node></nodes><links>
<link><marking branch="1" id="5"/><source branch="1" id="2"/><target branch="2" id="4"/><weight>WEIGHT</weight></link>
<link><marking branch="1" id="6"/><source branch="2" id="4"/><target branch="1" id="4"/><weight>1.5</weight></link>
LINK</links></genome></data>"#;

fn xml(activation: &str, weight: &str, link: &str) -> String {
    XML.replace("ACT", activation).replace("WEIGHT", weight).replace("LINK", link)
}

/// Writes `content` to `name` in a new folder and expects `genome info` to refuse it.
fn bad_genome(name: &str, content: &[u8], expected: &[&str]) {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, content).unwrap();
    let error = refused(&["genome", "info", text(&path)], 1);
    assert!(error.contains(text(&path)), "the path is named: {error}");
    for part in expected {
        assert!(error.contains(part), "expected {part:?} in: {error}");
    }
    only_file(&folder, name);
}

#[test]
fn a_good_xml_is_read_whatever_the_branch_says() {
    // Nodes (1, 4) and (2, 4) differ: with the branch dropped this file would have a cycle.
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("g.xml");
    std::fs::write(&path, xml("sin", "2", "")).unwrap();
    let info = json(&["genome", "info", text(&path)]);
    assert_eq!((info["nodes"].as_u64(), info["links"].as_u64()), (Some(6), Some(2)));
    assert_eq!((info["depth"].as_u64(), info["acyclic"].as_bool()), (Some(2), Some(true)));
    assert_eq!(info["age"], 3);
}

#[test]
fn a_file_that_is_no_zip_is_refused() {
    bad_genome("g.zip", b"not a zip at all", &["expected a zip archive"]);
}

#[test]
fn a_zip_bomb_is_refused() {
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    zip.start_file("a", zip::write::SimpleFileOptions::default()).unwrap();
    for _ in 0..40 {
        zip.write_all(&vec![b' '; 1 << 20]).unwrap();
    }
    let bytes = zip.finish().unwrap().into_inner();
    assert!(bytes.len() < 1 << 20);
    bad_genome("g.zip", &bytes, &["expected a genome of at most", "zip bomb"]);
}

#[test]
fn truncated_xml_is_refused() {
    let whole = xml("sin", "2", "");
    bad_genome("g.xml", &whole.as_bytes()[..whole.len() / 2], &["expected well-formed XML"]);
}

#[test]
fn an_unknown_activation_is_refused() {
    bad_genome(
        "g.xml",
        xml("sawtooth", "2", "").as_bytes(),
        &["expected one of", "gaussian", "found \"sawtooth\""],
    );
}

#[test]
fn a_dangling_link_is_refused() {
    let link = r#"<link><marking branch="1" id="7"/><source branch="9" id="9"/><target branch="1" id="4"/><weight>1</weight></link>"#;
    bad_genome(
        "g.xml",
        xml("sin", "2", link).as_bytes(),
        &["expected both ends", "dangling link to (branch 9, id 9)"],
    );
}

#[test]
fn a_real_cycle_is_refused() {
    let link = r#"<link><marking branch="1" id="7"/><source branch="1" id="4"/><target branch="2" id="4"/><weight>1</weight></link>"#;
    bad_genome(
        "g.xml",
        xml("sin", "2", link).as_bytes(),
        &["cycle", "expected a feed-forward graph", "1_4 -> 2_4"],
    );
}

#[test]
fn a_weight_that_is_no_number_is_refused() {
    bad_genome(
        "g.xml",
        xml("sin", "NaN", "").as_bytes(),
        &["expected a finite weight", "found NaN"],
    );
    bad_genome(
        "g.xml",
        xml("sin", "heavy", "").as_bytes(),
        &["expected a number as <weight>", "heavy"],
    );
}

#[test]
fn json_of_another_program_is_refused() {
    bad_genome(
        "g.json",
        br#"{"format":"other/2","nodes":[],"connections":[]}"#,
        &["expected format", "other/2"],
    );
    bad_genome("g.json", b"{]", &["expected a picloom-genome/1 document"]);
    bad_genome("g.txt", b"", &["expected a genome file", "found extension \"txt\""]);
}

#[test]
fn an_arch_that_does_not_match_the_weights_is_refused() {
    let folder = TempDir::new().unwrap();
    let weights = folder.path().join("w.npz");
    json(&["genome", "layerize", text(&mask()), "--out", text(&weights)]);
    let target = mask();
    let common = ["--params", text(&weights), "--target", text(&target), "--size", "16"];
    let other = [&["eval", "--arch", "2;cache:1,sin:3"], &common[..]].concat();
    let error = refused(&other, 1);
    assert!(
        error.contains("w.npz") && error.contains("expected") && error.contains("found"),
        "{error}"
    );
    let nonsense = [&["eval", "--arch", "deep"], &common[..]].concat();
    let error = refused(&nonsense, 2);
    assert!(error.contains("expected an arch such as"), "{error}");
}

#[test]
fn a_picture_of_the_wrong_kind_is_refused() {
    let folder = TempDir::new().unwrap();
    let picture = folder.path().join("t.png");
    std::fs::write(&picture, b"GIF, honestly").unwrap();
    let out = folder.path().join("run");
    let error = refused(
        &[
            "train",
            "--genome",
            text(&mask()),
            "--target",
            text(&picture),
            "--size",
            "16",
            "--steps",
            "1",
            "--out",
            text(&out),
        ],
        1,
    );
    assert!(
        error.contains("t.png") && error.contains("expected a PNG, JPEG, GIF or WebP"),
        "{error}"
    );
    only_file(&folder, "t.png");
}

#[test]
fn an_output_folder_that_cannot_be_written_is_refused() {
    let folder = TempDir::new().unwrap();
    let blocked = folder.path().join("file");
    std::fs::write(&blocked, b"in the way").unwrap();
    let out = blocked.join("run");
    let mask = mask();
    let error = refused(
        &[
            "train",
            "--genome",
            text(&mask),
            "--target",
            text(&mask),
            "--size",
            "16",
            "--steps",
            "1",
            "--out",
            text(&out),
        ],
        1,
    );
    assert!(error.contains(text(&out)) && error.contains("cannot write"), "{error}");
    let error =
        refused(&["genome", "render", text(&mask), "--out", text(&blocked.join("x.png"))], 1);
    assert!(error.contains("cannot write"), "{error}");
    only_file(&folder, "file");
}

#[test]
fn usage_mistakes_end_with_code_2() {
    refused(&["eval"], 2);
    refused(&["frobnicate"], 2);
    let mask = mask();
    refused(&["genome", "render", text(&mask), "--size", "1", "--out", "x.png"], 2);
    refused(&["genome", "convert", text(&mask), "x.bmp"], 2);
    refused(&["score", "--genome", text(&mask), "--samples", "0,99999", "--size", "16"], 2);
}

#[test]
fn genomes_convert_there_and_back() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name);
    for (from, to) in [
        (mask(), "a.zip"),
        (path("a.zip"), "b.xml"),
        (path("b.xml"), "c.json"),
        (path("c.json"), "d.dot"),
    ] {
        json(&["genome", "convert", text(&from), text(&path(to))]);
    }
    let (before, after) = (
        json(&["genome", "info", text(&mask())]),
        json(&["genome", "info", text(&path("c.json"))]),
    );
    for key in ["nodes", "links", "depth", "arch", "nonzero", "activations"] {
        assert_eq!(before[key], after[key], "{key}");
    }
    assert!(std::fs::read_to_string(path("d.dot")).unwrap().starts_with("digraph"));
    for name in ["one.png", "two.png"] {
        json(&["genome", "render", text(&mask()), "--size", "32", "--out", text(&path(name))]);
    }
    assert_eq!(std::fs::read(path("one.png")).unwrap(), std::fs::read(path("two.png")).unwrap());
}

#[test]
fn a_run_can_be_trained_pruned_scored_drawn_and_is_never_made_twice() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_string();
    let mask = mask();
    let train = |steps: &str, out: &str| {
        vec![
            "train".to_string(),
            "--genome".into(),
            text(&mask).into(),
            "--target".into(),
            text(&mask).into(),
            "--size".into(),
            "24".into(),
            "--steps".into(),
            steps.into(),
            "--out".into(),
            path(out),
        ]
    };
    let args = train("30", "run");
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let result = json(&args);
    assert_eq!(result["train"]["reason"], "step-limit");
    let written =
        std::fs::metadata(folder.path().join("run/result.json")).unwrap().modified().unwrap();
    assert_eq!(json(&args), result, "a finished run answers again");
    assert_eq!(
        std::fs::metadata(folder.path().join("run/result.json")).unwrap().modified().unwrap(),
        written
    );
    let metrics = std::fs::read_to_string(folder.path().join("run/metrics.jsonl")).unwrap();
    assert_eq!(metrics.lines().count(), 3);

    let other = train("31", "run");
    let other: Vec<&str> = other.iter().map(String::as_str).collect();
    let error = refused(&other, 1);
    assert!(
        error.contains("found a training run of dense") && error.contains("choose another --out"),
        "{error}"
    );

    let links = result["links"].as_u64().unwrap();
    let budget = (links / 2).to_string();
    let pruned = json(&[
        "prune",
        &path("run"),
        "--method",
        "sp",
        "--budget",
        &budget,
        "--steps",
        "20",
        "--out",
        &path("sp"),
    ]);
    assert_eq!(pruned["rounds"][0]["kept"].as_u64(), Some(links / 2));
    let magnitude = json(&[
        "prune",
        &path("run"),
        "--method",
        "magnitude",
        "--match",
        &path("sp"),
        "--steps",
        "20",
        "--out",
        &path("m"),
    ]);
    assert_eq!(magnitude["rounds"][0]["kept"], pruned["rounds"][0]["kept"]);
    let too_many = (links + 1).to_string();
    let error = refused(
        &["prune", &path("run"), "--budget", &too_many, "--steps", "1", "--out", &path("x")],
        2,
    );
    assert!(error.contains("expected") && error.contains("found"), "{error}");

    let score = json(&["score", &path("sp"), "--samples", "12"]);
    assert_eq!(score["weights"], 12);
    assert_eq!(score["counts"], false, "20 steps do not learn the picture");
    let maps = json(&["maps", &path("sp"), "--out", &path("maps.png")]);
    assert!(maps["units"].as_u64().unwrap() > 8);
    json(&["sweep", &path("sp"), "--samples", "3", "--out", &path("sweep")]);
    for name in [
        "contact-sheet.svg",
        "contact-sheet.png",
        "strips.svg",
        "strips.png",
        "sweep.png",
        "sweep.json",
    ] {
        assert_whole(&folder.path().join("sweep").join(name));
    }
    let error = refused(&["score", &path("sweep")], 1);
    assert!(error.contains("expected a run folder"), "{error}");
}

#[test]
fn a_score_is_timed_against_the_plain_way() {
    let timed = json(&[
        "bench",
        "score",
        "--size",
        "8",
        "--samples",
        "4",
        "--compared",
        "2",
        "--threads",
        "2",
    ]);
    assert_eq!((&timed["what"], &timed["size"]), (&"score".into(), &8.into()));
    let timings = timed["timings"].as_array().unwrap();
    let names: Vec<_> = timings.iter().map(|t| t["case"].as_str().unwrap()).collect();
    assert_eq!(names, ["evolved-graph", "dense"]);
    for t in timings {
        assert_eq!((t["weights"].as_u64(), t["compared"].as_u64()), (Some(4), Some(2)));
        let [sweep, afresh, incremental, ratio] =
            ["sweep_s", "afresh_s", "incremental_s", "ratio"].map(|k| t[k].as_f64().unwrap());
        assert!(sweep > 0.0 && incremental > 0.0);
        assert!((ratio * incremental / afresh - 1.0).abs() < 1e-9);
        // A judge has a time exactly if it had a picture.
        assert_eq!(t["judge_ms"].is_null(), t["silent"].as_u64() == Some(8));
    }
    refused(&["bench", "score", "--compared", "0"], 2);
    refused(&["bench", "score", "--params", "weights.npz"], 2);
}

#[test]
fn steps_and_pictures_are_timed_case_by_case() {
    const NAMES: [&str; 6] =
        ["dense", "sp-1404", "mask-1404", "mask-473", "evolved-layerized", "evolved-graph"];
    // Of a random mask a part leads nowhere; what evolved or is dense is all alive.
    const LINKS: [(u64, u64); 6] =
        [(5478, 5478), (1404, 1327), (1404, 1317), (473, 183), (147, 147), (57, 57)];
    for what in ["step", "render"] {
        let run = ["bench", what, "--size", "8", "--seconds", "0.05"];
        let run = [&run[..], &["--threads", "2"]].concat();
        let timed = json(&run);
        assert_eq!(
            (&timed["what"], &timed["size"], &timed["threads"]),
            (&what.into(), &8.into(), &2.into())
        );
        let timings = timed["timings"].as_array().unwrap();
        for ((t, name), links) in timings.iter().zip(NAMES).zip(LINKS) {
            assert_eq!(t["case"], name);
            let number = |key: &str| t[key].as_f64().unwrap();
            assert_eq!(
                (t["kept"].as_u64(), t["alive"].as_u64()),
                (Some(links.0), Some(links.1)),
                "{name}"
            );
            assert!(number("calls") >= 10.0 && number("min_ms") > 0.0, "{name}");
            assert!(number("median_ms") >= number("min_ms"), "{name}");
        }
        assert_eq!(timings.len(), NAMES.len());

        let output = picloom().args(&run).output().unwrap();
        assert!(output.status.success());
        let table = String::from_utf8(output.stdout).unwrap();
        let lines: Vec<Vec<&str>> =
            table.lines().map(|line| line.split_whitespace().collect()).collect();
        assert_eq!(lines[0][..3], [what, "at", "8²,"]);
        assert_eq!(lines[1], ["case", "kept", "alive", "calls", "min", "ms", "median", "ms"]);
        for ((line, name), (kept, alive)) in lines[2..].iter().zip(NAMES).zip(LINKS) {
            assert_eq!(line[..3], [name, &kept.to_string()[..], &alive.to_string()]);
            assert!(line.len() == 6 && line[5].parse::<f64>().is_ok());
        }
        assert_eq!(lines.len(), 2 + NAMES.len());
    }
}

#[test]
fn timings_of_nothing_are_refused() {
    let folder = TempDir::new().unwrap();
    let bad = folder.path().join("bad.json");
    std::fs::write(&bad, r#"{"weights": 3}"#).unwrap();
    for what in ["step", "render"] {
        let error = refused(&["bench", what, "--size", "8", "--genome", text(&bad)], 1);
        for part in [text(&bad), "expected a picloom-genome/1", "found", "weights"] {
            assert!(error.contains(part), "{error}");
        }
        let missing = folder.path().join("none.json");
        let error = refused(&["bench", what, "--genome", text(&missing)], 1);
        assert!(error.contains(text(&missing)), "{error}");
        let error = refused(&["bench", what, "--size", "0"], 2);
        assert!(error.contains("--size: expected 2 to 4096 pixels, found 0"));
        let error = refused(&["bench", what, "--seconds", "0"], 2);
        assert!(error.contains("--seconds: expected a number above 0, found 0"));
        let run = ["bench", what, "--size", "8", "--run", text(folder.path())];
        let error = refused(&run, 1);
        assert!(error.contains(text(folder.path())) && error.contains("expected a run folder"));
    }
}

#[test]
fn random_directions_are_drawn_sorted_and_refused_without_an_effect_to_match() {
    let folder = TempDir::new().unwrap();
    let out = folder.path().join("sweep");
    let mask = mask();
    let run = [
        "sweep",
        "--genome",
        text(&mask),
        "--size",
        "24",
        "--samples",
        "2",
        "--steps",
        "3",
        "--directions",
        "20",
        "--out",
        text(&out),
        "--delta",
    ];
    let with = |delta: &'static str| [&run[..], &[delta]].concat();
    let error = refused(&with("fixed:1"), 2);
    assert!(error.contains("expected --delta effect:E"), "{error}");
    assert!(!out.exists());
    let summary = json(&with("effect:0.15"));
    let written = summary["written"].to_string();
    for name in ["directions.svg", "directions.png", "directions.json"] {
        assert!(written.contains(name), "{name}");
        assert_whole(&out.join(name));
    }
    let record = std::fs::read_to_string(out.join("directions.json")).unwrap();
    let record: Value = serde_json::from_str(&record).unwrap();
    let effect = record["effect"].as_f64().unwrap();
    assert!((effect / 0.15 - 1.0).abs() <= 0.15, "{effect}");
    let sorted = record["sorted"].as_array().unwrap().iter();
    let variances: Vec<f64> = sorted.map(|d| d["variance"].as_f64().unwrap()).collect();
    assert_eq!(variances.len(), 20);
    assert!(variances.windows(2).all(|v| v[0] >= v[1]) && variances[19] > 0.0);
    // Of 20, the 8 most and the 8 least are drawn.
    let svg = std::fs::read_to_string(out.join("directions.svg")).unwrap();
    assert!(svg.contains(">8 of 20<") && svg.contains(">13 of 20<"));
    assert!(!svg.contains(">9 of 20<"));
}

#[test]
fn components_of_maps_add_up_to_their_layer() {
    let folder = TempDir::new().unwrap();
    let out = folder.path().join("pca.svg");
    let mask = mask();
    let run = ["maps", "--genome", text(&mask), "--size", "24", "--out", text(&out), "--pca"];
    let with = |count: &'static str| [&run[..], &[count]].concat();
    let error = refused(&with("0"), 2);
    assert!(error.contains("expected at least 1 component"), "{error}");
    let summary = json(&with("50"));
    let layers = summary["components"].as_array().unwrap();
    assert!(!layers.is_empty());
    for layer in layers {
        let shares = layer["shares"].as_array().unwrap().iter();
        let shares: Vec<f64> = shares.map(|s| s.as_f64().unwrap()).collect();
        assert!(shares.len() <= layer["maps"].as_u64().unwrap() as usize);
        assert!(shares.windows(2).all(|s| s[0] >= s[1]));
        assert!(shares.is_empty() || (shares.iter().sum::<f64>() - 1.0).abs() < 1e-6);
    }
    assert!(std::fs::read_to_string(&out).unwrap().contains("layer 1"));
}

#[test]
fn refused_training_settings_leave_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let (mask, run) = (mask().display().to_string(), out.display().to_string());
    let train = ["train", "--genome", &mask, "--target", &mask, "--size", "16"];
    let settings = ["--batch", "200", "--subsample", "100", "--out", &run];
    let error = refused(&[&train[..], &settings[..]].concat(), 2);
    assert!(error.contains("batch: expected 1 to 100 pixels, found 200"), "{error}");
    assert!(!out.exists(), "nothing is written");
}
