//! No command writes into a folder that holds something else. Each command is run into each kind of folder,
//! and the folder stays as it was, byte for byte.

use crate::files::files;
use crate::line::Place;
use picloom::base::folder::{FolderKind, MARKER, Marker};

#[test]
fn no_command_writes_over_what_another_left() {
    let place = Place::new();
    use FolderKind::{
        Card, Comparison, Evolution, Family, Foreign, JudgeReport, JudgeSheets, Pruning, Session,
        Site, Study, Sweep, Training, WholeStudy,
    };
    // Each with the folder that it fills here, and what that then holds.
    let commands = [
        ("train --genome bred_moth --target bred_moth --size 8 --steps 2", "training", Training),
        ("prune training --budget 50 --steps 2 --no-pictures", "pruning", Pruning),
        (
            "evolve --search novelty --population 6 --size 16 --generations 1",
            "evolution",
            Evolution,
        ),
        ("evolve --search interactive --population 4 --cell 16", "session", Session),
        ("sweep --genome bred_moth --size 8 --samples 1 --steps 2", "sweep", Sweep),
        ("judge sheets bred_moth --count 2 --size 16", "judge-sheets", JudgeSheets),
        ("family draw face --size 8", "family", Family),
        ("evolve --resume", "evolution", Evolution),
        ("score --genome bred_moth --size 8 --samples 1 --all", "card", Card),
        ("compare bred_moth --steps 1", "comparison", Comparison),
    ];
    for (line, out, _) in &commands[..6] {
        place.done(&format!("{line} --out {out}"));
    }
    // What takes long to make has a marker only.
    let marked = [
        ("comparison", Comparison),
        ("card", Card),
        ("judge-report", JudgeReport),
        ("study", Study),
        ("whole-study", WholeStudy),
        ("site", Site),
        ("family", Family),
    ];
    marked.iter().for_each(|(folder, kind)| kind.mark(&place.at(folder)).unwrap());
    let others = [
        ("result", "study.json", "{}", Study),
        ("claims", "claims.json", "{}", WholeStudy),
        ("foreign", "config.toml", "title = \"a web page\"", Foreign),
        ("damaged", MARKER, "{\"kind\": \"another\"}", Foreign),
    ];
    for (folder, file, content, _) in others {
        place.write(&format!("{folder}/{file}"), content);
    }
    let made = commands[..6].iter().map(|(_, folder, kind)| (*folder, *kind));
    let folders = made.chain(marked).chain(others.map(|(folder, _, _, kind)| (folder, kind)));
    let kind = |folder: &str| FolderKind::of(&place.at(folder)).unwrap();
    for (folder, holding) in folders {
        assert_eq!(kind(folder), holding, "{folder}");
        let before = files(&place.at(folder));
        for (line, own, _) in commands.iter().filter(|(.., own)| *own != holding) {
            let parts = [folder, "expected a new folder, or one of", "found", "--out"];
            place.refused(&format!("{line} --out {folder}"), 1, &parts);
            assert!(files(&place.at(folder)) == before, "{line} ({own}) changed {folder}");
        }
    }
}

/// In a store, a study's folder is the study's alone: no link is followed, no result without a marker is replaced, and no
/// run of another kind.
#[test]
fn a_study_takes_no_link_and_no_result_that_is_not_its_own() {
    let place = Place::new();
    let picture = "ROOT/experiments/targets/cat.png";
    let sizes = "--depths 2 --seeds 0 --steps 2 --size 8";
    for (line, store, runs) in [
        (format!("distil {picture} --profile smoke --steps 2 --size 8"), "--out", ""),
        (format!("regime {picture} --profile smoke"), "--out", ""),
        (format!("experiment depth-sweep {picture} {sizes}"), "--runs", ""),
        (format!("compare {picture} --steps 2"), "--out", "runs"),
        ("experiment run spec.toml".into(), "--store", ""),
    ] {
        if store != "--store" {
            let _ = std::fs::remove_file(place.at("spec.toml"));
            place.done(&format!("{line} --spec spec.toml"));
        }
        let spec = place.text("spec.toml");
        let name = spec.lines().find_map(|line| line.strip_prefix("name = \"")).unwrap();
        let name = name.trim_end_matches('"');
        for expected in ["found a link", "other files (rows.csv.gz)", "found a training run"] {
            let (out, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
            let folder = out.path().join(runs).join(name);
            std::fs::create_dir_all(folder.parent().unwrap()).unwrap();
            let is_link = expected.ends_with("link");
            let real = if is_link { outside.path().to_path_buf() } else { folder.clone() };
            std::fs::create_dir_all(&real).unwrap();
            for file in ["study.json", "rows.csv.gz"] {
                std::fs::write(real.join(file), "five years of work\n").unwrap();
            }
            if is_link {
                std::os::unix::fs::symlink(&real, &folder).unwrap();
            }
            if expected.ends_with("run") {
                FolderKind::Training.mark(&real).unwrap();
            }
            let before = files(&real);
            place.refused(&format!("{line} {store} {}", out.path().display()), 1, &[expected]);
            assert!(files(&real) == before, "{line}");
        }
    }
}

#[test]
fn a_comparison_of_another_genome_is_refused_before_anything_is_computed() {
    let place = Place::new();
    let moth = "genomes/bred_moth.json";
    Marker::new(FolderKind::Comparison).about("0123", moth).write(&place.at("compare")).unwrap();
    let before = files(&place.at("compare"));
    let said =
        ["a comparison of genomes/bred_cat.json", "found a comparison of genomes/bred_moth.json"];
    place.refused("compare genomes/bred_cat.json --out compare", 1, &said);
    assert!(files(&place.at("compare")) == before);
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
