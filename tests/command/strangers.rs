//! Files that are passed on: nothing in them says on which machine, or where, they were made. What strangers may put
//! into folders, and names that are no UTF-8, are `tests/crash/run`'s to try.

use crate::cases::{cases, unpacked};
use crate::files::files;
use crate::line::Place;
use picloom::experiment::networks::NetworksStudy;
use picloom::genome;
use picloom::study::cells::CellStudy;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

cases! {
    strangers:
    a_file_of_many_genomes_is_scored_and_swept_whole,
}

#[test]
fn a_script_that_cannot_name_a_path_is_refused() {
    let place = Place::new();
    let mut command = place.command("experiment emit slurm ROOT/experiments/depth.toml --store");
    let output = command.arg(OsStr::from_bytes(b"o\xff")).output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{error}");
    assert!(error.contains("--store: expected a path of UTF-8"), "{error}");
}

/// Runs a line in which `@NAME` is NAME in the folder `home`, as a whole path.
#[track_caller]
fn done(place: &Place, home: &str, line: &str) {
    let at = place.at(home);
    place.done(&line.replace('@', &format!("{}/", at.display())));
}

/// A picture and a genome in a folder of this name.
fn fill(place: &Place, home: &str) {
    for (name, file) in
        [("priv.png", "experiments/targets/face.png"), ("moth.json", "genomes/bred_moth.json")]
    {
        place.write(&format!("{home}/{name}"), std::fs::read(file).unwrap());
    }
}

const COMPARE: &str = "--steps 3 --samples 3 --profile quick";

#[test]
#[ignore = "slow: cargo test -- --include-ignored"]
fn nothing_that_a_command_writes_says_where_it_was_made() {
    let place = Place::new();
    fill(&place, "secret-home");
    let home = place.at("secret-home");
    let done = |line: &str| done(&place, "secret-home", line);
    done("train --genome @moth.json --target @priv.png --size 8 --steps 2 --out @run");
    done("train --arch 1;sin:2 --target @priv.png --size 8 --steps 2 --out @dense");
    done("prune @dense --budget 8 --steps 2 --out @pruned");
    done(
        "evolve --search target --target @priv.png --from @moth.json --population 6 --size 16 --generations 1 --out @evolved",
    );
    done(
        "evolve --search vlm --breeder mock --from @moth.json --population 4 --cell 16 --generations 2 --out @eyes",
    );
    done("evolve --search interactive --from @moth.json --population 4 --cell 16 --out @bred");
    done("evolve --search interactive --select 1 --cell 16 --out @bred");
    done("evolve --search interactive --save 0 kept --cell 16 --out @bred");
    done(&format!("compare @moth.json {COMPARE} --out @of-genome"));
    done(&format!("compare @priv.png {COMPARE} --out @of-picture"));
    done("compare @run @dense --samples 3 --out @of-runs");
    done(&format!("compare @priv.png {COMPARE} --spec @specs/face.toml"));
    done("regime @priv.png --profile smoke --out @regime");
    let sweep = "--depths 1 --seeds 0 --steps 3 --size 16 --samples 3 --runs @sweeps";
    done(&format!("experiment depth-sweep @priv.png {sweep}"));
    // Whoever writes a spec may name any place in it.
    let spec = include_str!("../specs/depths.toml").replace("steps = 300", "steps = 2");
    let picture = home.join("priv.png");
    place.write("study.toml", spec.replace("\"face.png\"", &format!("{picture:?}")));
    done("experiment run study.toml --store @store");
    done("sweep --genome @moth.json --size 8 --samples 1 --steps 2 --out @sweep");
    done("score --genome @moth.json --target @priv.png --size 8 --samples 1 --all --out @card");
    done("score --genome @moth.json --size 8 --samples 1 --out @score.json");
    done("render --genome @moth.json --size 8 --out @r.png");
    done("genome render @moth.json --size 8 --out @g.png");
    done("maps --genome @moth.json --size 8 --out @m.svg");
    done("export --genome @moth.json --out @e.onnx");
    done("export --genome @moth.json --out @e.safetensors");
    let best = home.join("evolved/genomes/000.json");
    let notes = genome::read(&best).unwrap().provenance.notes;
    assert_eq!(notes["target"], "priv.png");
    assert_eq!(notes["target_sha256"].len(), 64);
    std::fs::create_dir_all(home.join("root/genomes")).unwrap();
    std::fs::copy(&best, home.join("root/genomes/a.json")).unwrap();
    std::fs::rename(home.join("run"), home.join("root/run")).unwrap();
    done("studio @root --export @site --ids genomes/a.json --ids run");
    let all = files(&home);
    assert!(all.len() > 300, "{}", all.len());
    for (name, bytes) in all {
        let says = unpacked(&name, bytes).windows(11).any(|part| part == b"secret-home");
        assert!(!says, "{name}");
    }

    // What was begun goes on in another place, without the files that it began from.
    let moved = place.at("other-home");
    std::fs::rename(&home, &moved).unwrap();
    for name in ["priv.png", "moth.json"] {
        std::fs::remove_file(moved.join(name)).unwrap();
    }
    let run = |line: &str| self::done(&place, "other-home", line);
    run("evolve --resume --generations 2 --out @evolved");
    run("evolve --search vlm --resume --generations 3 --out @eyes");
    run("evolve --search interactive --select 2 --cell 16 --out @bred");
    for compared in ["of-genome", "of-picture"] {
        let runs = moved.join(compared).join("runs");
        let names = || files(&runs).into_keys().collect::<Vec<_>>();
        let before = names();
        run(&format!("experiment run @{compared}/spec.toml --store @{compared}/runs"));
        assert_eq!(names(), before, "nothing is computed again");
    }
    run("experiment run @specs/face.toml --dry-run");
}

#[test]
fn a_comparison_has_the_same_cells_wherever_its_subject_lies() {
    let place = Place::new();
    let of = |home: &str| {
        fill(&place, home);
        ["priv.png", "moth.json"].map(|subject| {
            done(&place, home, &format!("compare @{subject} {COMPARE} --spec @{subject}.toml"));
            let spec = place.at(home).join(format!("{subject}.toml"));
            let study = NetworksStudy::read(&spec, None, Path::new("no runs")).unwrap();
            study.cells().map(|cell| study.id(&cell)).collect::<Vec<String>>()
        })
    };
    let [picture, genome] = of("one-home");
    assert!(!picture.is_empty() && genome.len() > 1);
    assert_eq!(of("another/home"), [picture, genome]);
}
