//! No command writes into a folder that holds something else. Each command is run into each kind of folder,
//! and the folder stays as it was, byte for byte.

use crate::files::files;
use assert_cmd::Command;
use picloom::base::folder::{FolderKind, MARKER, Marker};

const MOTH: &str = "genomes/bred_moth.json";

fn run(args: &[&str]) -> (Option<i32>, String) {
    let output = Command::cargo_bin("picloom").unwrap().args(args).output().unwrap();
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

#[track_caller]
fn done(args: &[&str]) {
    let (code, error) = run(args);
    assert_eq!(code, Some(0), "{args:?}: {error}");
}

const TRAIN: [&str; 9] =
    ["train", "--genome", MOTH, "--target", MOTH, "--size", "8", "--steps", "2"];
const EVOLVE: [&str; 9] =
    ["evolve", "--search", "novelty", "--population", "6", "--size", "16", "--generations", "1"];
const BREED: [&str; 7] = ["evolve", "--search", "interactive", "--population", "4", "--cell", "16"];
const SWEEP: [&str; 9] =
    ["sweep", "--genome", MOTH, "--size", "8", "--samples", "1", "--steps", "2"];
const SHEETS: [&str; 7] = ["judge", "sheets", MOTH, "--count", "2", "--size", "16"];

#[test]
fn no_command_writes_over_what_another_left() {
    let work = tempfile::tempdir().unwrap();
    let at = |name: &str| work.path().join(name);
    let text = |name: &str| at(name).to_str().unwrap().to_string();
    let with = |args: &[&str], out: &str| done(&[args, &["--out", &text(out)]].concat());
    with(&TRAIN, "training");
    let parent = text("training");
    let prune = ["prune", &parent, "--budget", "50", "--steps", "2", "--no-pictures"];
    with(&prune, "pruning");
    with(&EVOLVE, "evolution");
    with(&BREED, "session");
    with(&SWEEP, "sweep");
    with(&SHEETS, "judge-sheets");
    // What takes long to make has a marker only.
    for (folder, kind) in [
        ("comparison", FolderKind::Comparison),
        ("card", FolderKind::Card),
        ("judge-report", FolderKind::JudgeReport),
        ("study", FolderKind::Study),
        ("whole-study", FolderKind::WholeStudy),
        ("site", FolderKind::Site),
        ("family", FolderKind::Family),
    ] {
        kind.mark(&at(folder)).unwrap();
    }
    for (folder, file, content) in [
        ("result", "study.json", "{}"),
        ("claims", "claims.json", "{}"),
        ("foreign", "config.toml", "title = \"a web page\""),
        ("damaged", MARKER, "{\"kind\": \"another\"}"),
    ] {
        let path = at(folder).join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }
    let folders = [
        ("training", FolderKind::Training),
        ("pruning", FolderKind::Pruning),
        ("evolution", FolderKind::Evolution),
        ("session", FolderKind::Session),
        ("sweep", FolderKind::Sweep),
        ("card", FolderKind::Card),
        ("judge-sheets", FolderKind::JudgeSheets),
        ("judge-report", FolderKind::JudgeReport),
        ("comparison", FolderKind::Comparison),
        ("study", FolderKind::Study),
        ("result", FolderKind::Study),
        ("whole-study", FolderKind::WholeStudy),
        ("claims", FolderKind::WholeStudy),
        ("site", FolderKind::Site),
        ("family", FolderKind::Family),
        ("foreign", FolderKind::Foreign),
        ("damaged", FolderKind::Foreign),
    ];
    let compare = ["compare", MOTH, "--steps", "1"];
    let card = ["score", "--genome", MOTH, "--size", "8", "--samples", "1", "--all"];
    let resume = ["evolve", "--resume"];
    let family = ["family", "draw", "face", "--size", "8"];
    let commands: [(&[&str], FolderKind); 10] = [
        (&family, FolderKind::Family),
        (&TRAIN, FolderKind::Training),
        (&prune, FolderKind::Pruning),
        (&EVOLVE, FolderKind::Evolution),
        (&resume, FolderKind::Evolution),
        (&BREED, FolderKind::Session),
        (&SWEEP, FolderKind::Sweep),
        (&card, FolderKind::Card),
        (&SHEETS, FolderKind::JudgeSheets),
        (&compare, FolderKind::Comparison),
    ];
    for (folder, holding) in folders {
        assert_eq!(FolderKind::of(&at(folder)), Some(holding), "{folder}");
        let before = files(&at(folder));
        for (args, own) in commands.iter().filter(|(_, own)| *own != holding) {
            let (code, error) = run(&[*args, &["--out", &text(folder)]].concat());
            assert_eq!(code, Some(1), "{args:?} into {folder} ({own:?}): {error}");
            for part in
                [text(folder).as_str(), "expected a new folder, or one of", "found", "--out"]
            {
                assert!(error.contains(part), "{args:?} into {folder}: {error}");
            }
            assert!(files(&at(folder)) == before, "{args:?} changed {folder}");
        }
    }
}

#[test]
fn a_marker_says_whose_run_a_folder_holds() {
    let work = tempfile::tempdir().unwrap();
    let out = work.path().join("run");
    let train = |steps: &str| {
        let more = ["--steps", steps, "--out", out.to_str().unwrap()];
        run(&[&TRAIN[..7], &more].concat())
    };
    assert_eq!(train("2").0, Some(0));
    let result = std::fs::read_to_string(out.join("result.json")).unwrap();
    let id = Marker::read(&out).unwrap().id.unwrap();
    assert!(result.contains(&id), "{id}: {result}");
    let before = files(&out);
    let (code, error) = train("3");
    assert_eq!(code, Some(1), "{error}");
    assert!(error.contains("found a run with steps 2") && files(&out) == before, "{error}");
}

#[test]
fn a_study_asks_its_folder_too() {
    let work = tempfile::tempdir().unwrap();
    std::fs::create_dir(work.path().join("specs")).unwrap();
    let spec = work.path().join("specs/small.toml");
    let text = "kind = \"networks\"\nname = \"small\"\nquestion = \"?\"\nsize = 8\nsteps = 2\n\
        seeds = [0]\nsample = 2\n[[targets]]\nname = \"a\"\narch = \"1;sin:2\"\npicture = \"a.png\"\n\
        [[arms]]\nname = \"dense\"\nwiring = \"dense\"\n";
    std::fs::write(&spec, text).unwrap();
    let mut picture = picloom::network::Picture::filled(4, 4, [0.5; 3]);
    picture.rgb[0] = 1.0;
    std::fs::write(work.path().join("a.png"), picture.to_png(&[])).unwrap();
    let small = work.path().join("small");
    done(&[&TRAIN[..], &["--out", small.to_str().unwrap()]].concat());
    let before = files(&small);
    let runs = work.path().to_str().unwrap();
    let (code, error) = run(&["experiment", "run", spec.to_str().unwrap(), "--store", runs]);
    assert_eq!(code, Some(1), "{error}");
    assert!(error.contains("found a training run") && files(&small) == before, "{error}");
}

/// In a store, a study's folder is the study's alone: no link is followed, and no result without a marker is replaced.
#[test]
fn a_study_takes_no_link_and_no_result_that_is_not_its_own() {
    let work = tempfile::tempdir().unwrap();
    let at = |name: &str| work.path().join(name).display().to_string();
    let picture = format!("{}/experiments/targets/cat.png", env!("CARGO_MANIFEST_DIR"));
    let sizes = "--depths 2 --seeds 0 --steps 2 --size 8";
    for (line, store, runs) in [
        (format!("distil {picture} --profile smoke --steps 2 --size 8"), "--out", ""),
        (format!("regime {picture} --profile smoke"), "--out", ""),
        (format!("experiment depth-sweep {picture} {sizes}"), "--runs", ""),
        (format!("compare {picture} --steps 2"), "--out", "runs"),
        (format!("experiment run {}", at("spec.toml")), "--store", ""),
    ] {
        let words: Vec<&str> = line.split(' ').collect();
        if store != "--store" {
            let _ = std::fs::remove_file(at("spec.toml"));
            done(&[&words[..], &["--spec", &at("spec.toml")]].concat());
        }
        let spec = std::fs::read_to_string(at("spec.toml")).unwrap();
        let name = spec.lines().find_map(|line| line.strip_prefix("name = \"")).unwrap();
        let name = name.trim_end_matches('"');
        for is_link in [true, false] {
            let (out, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
            let folder = out.path().join(runs).join(name);
            std::fs::create_dir_all(folder.parent().unwrap()).unwrap();
            let real = if is_link { outside.path().to_path_buf() } else { folder.clone() };
            std::fs::create_dir_all(&real).unwrap();
            for file in ["study.json", "rows.csv.gz"] {
                std::fs::write(real.join(file), "five years of work\n").unwrap();
            }
            if is_link {
                std::os::unix::fs::symlink(&real, &folder).unwrap();
            }
            let before = files(&real);
            let (code, error) = run(&[&words[..], &[store, out.path().to_str().unwrap()]].concat());
            let expected = if is_link { "found a link" } else { "other files (rows.csv.gz)" };
            assert_eq!(code, Some(1), "{line}: {error}");
            assert!(error.contains(expected), "{line}: {error}");
            assert!(files(&real) == before, "{line}");
        }
    }
}

#[test]
fn a_comparison_of_another_genome_is_refused_before_anything_is_computed() {
    let work = tempfile::tempdir().unwrap();
    let out = work.path().join("compare");
    Marker::new(FolderKind::Comparison).about("0123", MOTH).write(&out).unwrap();
    let before = files(&out);
    let args = ["compare", "genomes/bred_cat.json", "--out", out.to_str().unwrap()];
    let (code, error) = run(&args);
    assert_eq!(code, Some(1), "{error}");
    for said in
        ["a comparison of genomes/bred_cat.json", "found a comparison of genomes/bred_moth.json"]
    {
        assert!(error.contains(said), "{error}");
    }
    assert!(files(&out) == before);
}

#[test]
fn a_command_writes_its_own_file_again() {
    let work = tempfile::tempdir().unwrap();
    let at = |name: &str| work.path().join(name).display().to_string();
    for (from, to) in
        [("experiments/targets/face.png", "face.png"), ("genomes/mask.json", "mask.json")]
    {
        std::fs::copy(from, at(to)).unwrap();
    }
    let picture = at("face.png");
    done(&["experiment", "depth-sweep", &picture, "--spec", &at("spec.toml")]);
    // Words without blanks: the folder's name is put before those with a dot.
    let line = |text: &str| -> Vec<String> {
        let word = |word: &str| if word.contains('.') { at(word) } else { word.into() };
        text.split(' ').map(word).collect()
    };
    for text in [
        "score --genome mask.json --size 16 --samples 1 --out score.json",
        "experiment emit k8s spec.toml --out jobs.yaml",
    ] {
        let words = line(text);
        (0..2).for_each(|_| done(&words.iter().map(String::as_str).collect::<Vec<_>>()));
    }
}

#[test]
fn a_run_begins_in_a_folder_of_its_own_but_not_without_its_log() {
    let around = tempfile::tempdir().unwrap();
    let with = |file: &str| {
        let folder = around.path().join(file.replace(['/', '.'], "-"));
        let path = folder.join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "").unwrap();
        folder
    };
    use FolderKind::{Comparison, Evolution, Family, Pruning, Session, Study, Training};
    for kind in [Training, Evolution, Session, Comparison, Family] {
        let refusal = kind.ensure(&with("mine/best.png")).unwrap_err();
        assert!(refusal.found.contains("mine") && !refusal.is_usage, "{refusal}");
        for free in [".DS_Store", "slurm-7.out", "run.log"] {
            kind.ensure(&with(free)).unwrap();
        }
    }
    Session.ensure(&with("moth.toml")).unwrap();
    Session.ensure(&with("ancestors/moth.json")).unwrap();
    // Killed in its first round, a pruning has the folder of that round and no marker.
    Pruning.ensure(&with("round-1/picloom.json")).unwrap();
    Study.ensure(&with("notes.md")).unwrap();
}
