//! Folders of strangers: links, hard links and pipes in the place of files, names that are no UTF-8 or as long as
//! the system takes them, and nothing about this machine in what is passed on.

use picloom::genome;
use std::ffi::{OsStr, OsString};
use std::io::Read;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const MOTH: &str = "genomes/bred_moth.json";
const FACE: &str = "experiments/targets/face.png";

/// Far more than any of these commands needs.
const SOON: Duration = Duration::from_secs(60);

/// The names of all files that a command makes in its folder, and of those it reads.
const FILES: [&str; 26] = [
    ".lock",
    ".session.toml.lock",
    ".sweep.part",
    "card.json",
    "card.png",
    "card.svg",
    "checkpoint.json",
    "config.toml",
    "contact-sheet.png",
    "contact-sheet.svg",
    "gallery.png",
    "genome.json",
    "images/drawn.png",
    "kept.json",
    "lineage.jsonl",
    "manifest.json",
    "mask.json",
    "metrics.jsonl",
    "network.json",
    "picloom.json",
    "result.json",
    "session.toml",
    "sheet.png",
    "sweep.json",
    "target.npz",
    "weights.safetensors",
];

/// Commands that fill the folder that is put behind them.
const COMMANDS: [&str; 5] = [
    "train --genome genomes/bred_moth.json --target genomes/bred_moth.json --size 8 --steps 2 --out",
    "evolve --search novelty --population 6 --size 16 --generations 1 --out",
    "evolve --search interactive --population 4 --cell 16 --out",
    "sweep --genome genomes/bred_moth.json --size 8 --samples 1 --steps 2 --out",
    "score --genome genomes/bred_moth.json --size 8 --samples 1 --all --out",
];

/// Runs the program: its exit code, which is there soon, and what it says.
#[track_caller]
fn run<I: AsRef<OsStr>>(arguments: impl IntoIterator<Item = I>) -> (Option<i32>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_picloom"));
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let begun = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if begun.elapsed() > SOON {
            child.kill().unwrap();
            panic!("{command:?} hangs");
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    let mut error = String::new();
    child.stderr.take().unwrap().read_to_string(&mut error).unwrap();
    assert!(!error.contains("panicked"), "{command:?}: {error}");
    (status.code(), error)
}

fn words(line: &str) -> Vec<OsString> {
    line.split(' ').map(OsString::from).collect()
}

/// A fresh folder for a command, with one file in it that `put` makes.
fn with_file(around: &Path, name: &str, put: impl FnOnce(&Path)) -> PathBuf {
    let folder = around.join("out");
    let _ = std::fs::remove_dir_all(&folder);
    let path = folder.join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    put(&path);
    folder
}

#[test]
fn no_command_follows_a_link_to_a_file_elsewhere_and_changes_it() {
    let around = tempfile::tempdir().unwrap();
    let precious = around.path().join("precious.txt");
    std::fs::write(&precious, "years of work").unwrap();
    for line in COMMANDS {
        for name in FILES {
            for hard in [false, true] {
                let folder = with_file(around.path(), name, |path| match hard {
                    true => std::fs::hard_link(&precious, path).unwrap(),
                    false => symlink(&precious, path).unwrap(),
                });
                let mut arguments = words(line);
                arguments.push(folder.into());
                run(&arguments);
                let left = std::fs::read_to_string(&precious).unwrap();
                assert_eq!(left, "years of work", "{line}: {name}, hard link: {hard}");
            }
        }
    }
}

#[test]
fn a_pipe_or_device_in_the_place_of_any_file_hangs_no_command() {
    let around = tempfile::tempdir().unwrap();
    for line in COMMANDS {
        for name in FILES {
            for endless in [false, true] {
                let folder = with_file(around.path(), name, |path| match endless {
                    true => symlink("/dev/zero", path).unwrap(),
                    false => assert!(Command::new("mkfifo").arg(path).status().unwrap().success()),
                });
                let mut arguments = words(line);
                arguments.push(folder.into());
                run(&arguments);
            }
        }
    }
}

#[test]
fn names_that_are_no_utf8_or_as_long_as_can_be_work() {
    let around = tempfile::tempdir().unwrap();
    let odd = |ending: &str| {
        let mut name = b"o\xff\xfe".to_vec();
        name.extend(ending.bytes());
        around.path().join(OsString::from_vec(name))
    };
    let long =
        |ending: &str| around.path().join(format!("{}{ending}", "n".repeat(255 - ending.len())));
    for name in [&odd as &dyn Fn(&str) -> PathBuf, &long] {
        let genome = name(".json");
        std::fs::copy(MOTH, &genome).unwrap();
        let picture = name(".png");
        std::fs::copy(FACE, &picture).unwrap();
        for (line, ending) in [
            ("render --size 16 --genome", "-r.png"),
            ("genome render --size 16", "-g.png"),
            ("maps --size 16 --genome", "-m.png"),
            ("export --genome", "-e.onnx"),
            ("score --size 8 --samples 1 --genome", "-s.json"),
        ] {
            let mut arguments = words(line);
            arguments.extend([genome.clone().into(), "--out".into(), name(ending).into()]);
            // Twice: over its own file it writes, too.
            for json in [false, true] {
                if json {
                    arguments.push("--json".into());
                }
                let (code, error) = run(&arguments);
                assert_eq!(code, Some(0), "{arguments:?}: {error}");
            }
            assert!(name(ending).exists());
        }
        for line in COMMANDS {
            let mut arguments = words(line);
            let folder = name(line.split(' ').next().unwrap());
            let _ = std::fs::remove_dir_all(&folder);
            arguments.push(folder.into());
            arguments.push("--json".into());
            let (code, error) = run(&arguments);
            assert_eq!(code, Some(0), "{arguments:?}: {error}");
        }
        let losses = [OsString::from("losses"), name("train").into(), "--out".into()];
        let mut figure = around.path().join("losses").into_os_string();
        figure.push(OsStr::from_bytes(b"\xff"));
        let (code, error) = run(losses.into_iter().chain([figure]));
        assert_eq!(code, Some(0), "losses: {error}");
        let mut arguments = words("train --arch 1;sin:2 --size 8 --steps 2 --target");
        arguments.extend([picture.into(), "--out".into(), name("dense").into()]);
        let (code, error) = run(&arguments);
        assert_eq!(code, Some(0), "{arguments:?}: {error}");
        let mut arguments = words("compare experiments/targets/face.png --json --spec");
        arguments.push(name("-spec.toml").into());
        let (code, error) = run(&arguments);
        assert!(code == Some(0) || error.contains("a path from which"), "{arguments:?}: {error}");
        let mut arguments = words("studio --json --export");
        arguments.extend([name("site").into(), name("root").into()]);
        arguments.extend(words("--ids genomes/a.json"));
        std::fs::create_dir_all(name("root").join("genomes")).unwrap();
        std::fs::copy(MOTH, name("root").join("genomes/a.json")).unwrap();
        let (code, error) = run(&arguments);
        assert_eq!(code, Some(0), "{arguments:?}: {error}");
    }
    let (code, error) = run(words("man --out").into_iter().chain([odd("man").into()]));
    assert_eq!(code, Some(0), "man: {error}");
}

/// Every file below `folder`.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

#[test]
fn a_spec_or_a_script_that_cannot_name_a_path_is_refused() {
    let around = tempfile::tempdir().unwrap();
    let odd = around.path().join(OsStr::from_bytes(b"o\xff.png"));
    std::fs::copy(FACE, &odd).unwrap();
    let mut arguments = words("compare --spec");
    arguments.extend([around.path().join("a.toml").into(), odd.clone().into()]);
    let (code, error) = run(&arguments);
    assert_eq!(code, Some(1), "{error}");
    assert!(
        error.contains("--spec: expected a path of UTF-8") && error.contains(r"\xff"),
        "{error}"
    );
    let mut arguments = words("experiment emit slurm experiments/depth.toml --store");
    arguments.push(odd.into());
    let (code, error) = run(&arguments);
    assert_eq!(code, Some(2), "{error}");
    assert!(error.contains("--store: expected a path of UTF-8"), "{error}");
}

#[test]
fn what_is_passed_on_does_not_say_where_it_was_made() {
    let around = tempfile::tempdir().unwrap();
    let home = around.path().join("secret-home");
    std::fs::create_dir_all(home.join("root/genomes")).unwrap();
    let at = |name: &str| home.join(name).into_os_string();
    std::fs::copy(FACE, at("priv.png")).unwrap();
    std::fs::copy(MOTH, at("moth.json")).unwrap();
    let done = |line: &str| {
        let place = |word: &str| word.strip_prefix('@').map_or(word.into(), &at);
        let arguments: Vec<OsString> = line.split(' ').map(place).collect();
        let (code, error) = run(&arguments);
        assert_eq!(code, Some(0), "{line}: {error}");
    };
    done(
        "evolve --search target --target @priv.png --population 6 --size 16 --generations 1 --out @evolved",
    );
    let best = files(&home.join("evolved/genomes")).into_iter().min().unwrap();
    let notes = genome::read(&best).unwrap().provenance.notes;
    assert_eq!(notes["target"], "priv.png");
    assert_eq!(notes["target_sha256"].len(), 64);
    std::fs::copy(&best, at("root/genomes/a.json")).unwrap();
    done("evolve --search interactive --population 4 --cell 16 --save 0 kept --out @bred");
    done("train --genome @moth.json --target @priv.png --size 8 --steps 2 --out @run");
    std::fs::rename(at("run"), at("root/run")).unwrap();
    done("sweep --genome @moth.json --size 8 --samples 1 --steps 2 --out @sweep");
    done("score --genome @moth.json --target @priv.png --size 8 --samples 1 --all --out @card");
    done("score --genome @moth.json --size 8 --samples 1 --out @score.json");
    done("render --genome @moth.json --size 8 --out @r.png");
    done("genome render @moth.json --size 8 --out @g.png");
    done("maps --genome @moth.json --size 8 --out @m.svg");
    done("export --genome @moth.json --out @e.onnx");
    done("export --genome @moth.json --out @e.safetensors");
    done("studio @root --export @site --ids genomes/a.json --ids run");
    // What a search goes on by names its target, so that the same line finds it again.
    let own = ["evolved/config.toml", "evolved/checkpoint.json"];
    let own = own.map(|name| home.join(name));
    let mut looked = 0;
    for path in files(&home).into_iter().filter(|path| !own.contains(path)) {
        let bytes = std::fs::read(&path).unwrap();
        let says = bytes.windows(11).any(|part| part == b"secret-home");
        assert!(!says, "{}", path.display());
        looked += 1;
    }
    assert!(looked > 50, "{looked}");
}
