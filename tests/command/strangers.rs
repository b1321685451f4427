//! Folders of strangers: linked folders, snapshots of hard links, names that are no UTF-8 or as long as
//! the system takes them, and nothing about this machine in what is passed on.

use crate::files::files;
use picloom::experiment::networks::NetworksStudy;
use picloom::genome;
use picloom::study::cells::CellStudy;
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

/// The spec of a small study of a picture.
fn study(picture: &Path) -> String {
    format!(
        "kind = \"networks\"\nname = \"own\"\nquestion = \"?\"\nsize = 8\nsteps = 2\nseeds = [0, 1]\nsample = 3\n\
        [[targets]]\nname = \"face\"\npicture = {picture:?}\narch = \"1;sin:2\"\n\
        [[arms]]\nname = \"dense\"\nwiring = \"dense\"\n\
        [[arms]]\nname = \"half\"\nfrom = \"dense\"\nmethod = {{ name = \"magnitude\" }}\nlevels = [\"share:0.5\"]\n\
        [[contrasts]]\nid = \"fewer\"\nsays = \"Fewer.\"\nmargin = 0.05\n\
        between = [{{ arm = \"half\" }}, {{ arm = \"dense\" }}]\npair = [\"target\", \"seed\"]\n\
        [[figures]]\nname = \"links\"\nkind = \"dots\"\nx = \"arm\"\ny = \"alive\"\n"
    )
}

#[test]
#[ignore = "slow: cargo test -- --include-ignored"]
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
        // Runs a line in which `@ENDING` is such a name.
        let said = |line: &str| {
            let place =
                |word: &str| word.strip_prefix('@').map_or(word.into(), |end| name(end).into());
            let arguments: Vec<OsString> = line.split(' ').map(place).collect();
            run(arguments)
        };
        let done = |line: &str| {
            let (code, error) = said(line);
            assert_eq!(code, Some(0), "{line}: {error}");
        };
        std::fs::copy(MOTH, name(".json")).unwrap();
        std::fs::copy(FACE, name(".png")).unwrap();
        for line in [
            "render --size 16 --genome @.json --out @-r.png",
            "genome render --size 16 @.json --out @-g.png",
            "maps --size 16 --genome @.json --out @-m.png",
            "export --genome @.json --out @-e.onnx",
            "score --size 8 --samples 1 --genome @.json --out @-s.json",
        ] {
            // Twice: over its own file it writes, too.
            done(line);
            done(&format!("{line} --json"));
            assert!(name(line.rsplit('@').next().unwrap()).exists());
        }
        for line in COMMANDS {
            let folder = line.split(' ').next().unwrap();
            let _ = std::fs::remove_dir_all(name(folder));
            done(&format!("{line} @{folder} --json"));
        }
        let mut figure = around.path().join("losses").into_os_string();
        figure.push(OsStr::from_bytes(b"\xff"));
        let losses = [OsString::from("losses"), name("train").into(), "--out".into(), figure];
        let (code, error) = run(losses);
        assert_eq!(code, Some(0), "losses: {error}");
        done("train --arch 1;sin:2 --size 8 --steps 2 --target @.png --out @dense");
        let (code, error) = said(&format!("compare {FACE} --json --spec @-spec.toml"));
        assert!(code == Some(0) || error.contains("a path from which"), "{error}");
        // A spec is text: it names a copy.
        done("regime --profile smoke --json --out @regime @.png");
        done("experiment depth-sweep --depths 1 --steps 3 --size 16 --spec @-sweep.toml @.png");
        done("experiment predict-depth --json @.png");
        std::fs::write(name(".toml"), study(&std::fs::canonicalize(FACE).unwrap())).unwrap();
        for line in [
            "run --dry-run --json --store @store @.toml",
            "run --json --store @store @.toml",
            "status --json --store @store @.toml",
            "collect --json --store @store @.toml --out @table",
            "decide --json --results @store @.toml",
            "figures --json --format svg --format pdf --results @store @.toml --out @drawn",
        ] {
            done(&format!("experiment {line}"));
        }
        assert!(name("table").join("rows.csv.gz").exists());
        assert!(name("drawn").join("links.svg").exists());
        assert!(name("store").join("own/verdicts.json").exists());
        let entries = std::fs::read_dir(around.path()).unwrap().map(|e| e.unwrap().path());
        let lossy: Vec<PathBuf> = entries
            .filter(|path| path.to_string_lossy().contains('\u{fffd}') && path.to_str().is_some())
            .collect();
        assert!(lossy.is_empty(), "nothing is written under a name with other letters: {lossy:?}");
        crate::studio::site::built(&name("built"));
        std::fs::create_dir_all(name("root").join("genomes")).unwrap();
        std::fs::copy(MOTH, name("root").join("genomes/a.json")).unwrap();
        done("studio --json --export @site @root --site @built --ids genomes/a.json");
        done("man --out @man");
    }
}

#[test]
fn a_script_that_cannot_name_a_path_is_refused() {
    let around = tempfile::tempdir().unwrap();
    let odd = around.path().join(OsStr::from_bytes(b"o\xff.png"));
    std::fs::copy(FACE, &odd).unwrap();
    let mut arguments = words("experiment emit slurm experiments/depth.toml --store");
    arguments.push(odd.into());
    let (code, error) = run(&arguments);
    assert_eq!(code, Some(2), "{error}");
    assert!(error.contains("--store: expected a path of UTF-8"), "{error}");
}

/// The bytes of a file, unpacked if it is a table.
fn unpacked(name: &str, bytes: Vec<u8>) -> Vec<u8> {
    if !name.ends_with(".gz") {
        return bytes;
    }
    let mut unpacked = Vec::new();
    flate2::read::GzDecoder::new(&bytes[..]).read_to_end(&mut unpacked).unwrap();
    unpacked
}

/// Runs a line in which `@NAME` is NAME in `home`.
#[track_caller]
fn done(home: &Path, line: &str) {
    let place = |word: &str| {
        word.strip_prefix('@').map_or(word.into(), |name| home.join(name).into_os_string())
    };
    let arguments: Vec<OsString> = line.split(' ').map(place).collect();
    let (code, error) = run(&arguments);
    assert_eq!(code, Some(0), "{line}: {error}");
}

/// A picture and a genome in a folder of this name.
fn home(around: &Path, name: &str) -> PathBuf {
    let home = around.join(name);
    std::fs::create_dir_all(&home).unwrap();
    std::fs::copy(FACE, home.join("priv.png")).unwrap();
    std::fs::copy(MOTH, home.join("moth.json")).unwrap();
    home
}

const COMPARE: &str = "--steps 3 --samples 3 --profile quick";

#[test]
#[ignore = "slow: cargo test -- --include-ignored"]
fn nothing_that_a_command_writes_says_where_it_was_made() {
    let around = tempfile::tempdir().unwrap();
    let home = home(around.path(), "secret-home");
    let done = |line: &str| done(&home, line);
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
    let spec = around.path().join("study.toml");
    std::fs::write(&spec, study(&home.join("priv.png"))).unwrap();
    done(&format!("experiment run {} --store @store", spec.display()));
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
    crate::studio::site::built(&home.join("built"));
    done("studio @root --site @built --export @site --ids genomes/a.json --ids run");
    let all = files(&home);
    assert!(all.len() > 300, "{}", all.len());
    for (name, bytes) in all {
        let says = unpacked(&name, bytes).windows(11).any(|part| part == b"secret-home");
        assert!(!says, "{name}");
    }

    // What was begun goes on in another place, without the files that it began from.
    let moved = around.path().join("other-home");
    std::fs::rename(&home, &moved).unwrap();
    for name in ["priv.png", "moth.json"] {
        std::fs::remove_file(moved.join(name)).unwrap();
    }
    let run = |line: &str| self::done(&moved, line);
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
    let around = tempfile::tempdir().unwrap();
    let of = |name: &str| {
        let home = home(around.path(), name);
        for subject in ["priv.png", "moth.json"] {
            done(&home, &format!("compare @{subject} {COMPARE} --spec @{subject}.toml"));
        }
        ["priv.png.toml", "moth.json.toml"].map(|spec| {
            let study = NetworksStudy::read(&home.join(spec), None, Path::new("no runs")).unwrap();
            study.cells().map(|cell| study.id(&cell)).collect::<Vec<String>>()
        })
    };
    let [picture, genome] = of("one-home");
    assert!(!picture.is_empty() && genome.len() > 1);
    assert_eq!(of("another/home"), [picture, genome]);
}

#[test]
fn a_linked_folder_in_an_output_folder_is_refused_and_nothing_is_written_beyond_it() {
    let around = tempfile::tempdir().unwrap();
    let elsewhere = around.path().join("elsewhere");
    std::fs::create_dir(&elsewhere).unwrap();
    let linked = |line: &str, name: &str| {
        let folder = around.path().join("out");
        let _ = std::fs::remove_dir_all(&folder);
        let link = folder.join(name);
        std::fs::create_dir_all(link.parent().unwrap()).unwrap();
        symlink(&elsewhere, &link).unwrap();
        let mut arguments = words(line);
        arguments.push(folder.into());
        let (code, error) = run(&arguments);
        assert!(files(&elsewhere).is_empty(), "{line}: {name}");
        assert_eq!(code, Some(1), "{line}: {name}: {error}");
        let link = link.display();
        assert!(error.contains(&format!("expected a folder, found the link {link}")), "{error}");
    };
    let eyes = "evolve --search vlm --breeder mock --population 4 --cell 16 --generations 1 --out";
    let moth = format!("compare {MOTH} {COMPARE} --out");
    let spec = around.path().join("face.toml");
    let face = std::fs::canonicalize(FACE).unwrap();
    std::fs::write(&spec, study(&face)).unwrap();
    let study = format!("experiment run {} --store", spec.display());
    for (line, folder) in [
        (COMMANDS[0], "images"),
        (COMMANDS[1], "genomes"),
        (COMMANDS[1], "plots"),
        (COMMANDS[2], "sheets"),
        (COMMANDS[2], "genomes"),
        (eyes, "sheets"),
        (moth.as_str(), "runs"),
        (study.as_str(), "own/leases"),
        (study.as_str(), "own/cells"),
    ] {
        linked(line, folder);
    }
    // The folder that somebody names may be a link.
    let link = around.path().join("link");
    symlink(&elsewhere, &link).unwrap();
    let mut arguments = words(COMMANDS[0]);
    arguments.push(link.into());
    assert_eq!(run(&arguments).0, Some(0));
    assert!(elsewhere.join("result.json").exists());
}

/// A copy of a folder whose files are second names, as `cp -al` makes it.
fn snapshot(from: &Path, to: &Path) {
    for name in files(from).into_keys() {
        std::fs::create_dir_all(to.join(&name).parent().unwrap()).unwrap();
        std::fs::hard_link(from.join(&name), to.join(&name)).unwrap();
    }
}

#[test]
fn a_search_and_its_snapshot_of_hard_links_go_on_apart() {
    let around = tempfile::tempdir().unwrap();
    let [run, snap, whole] = ["run", "snap", "whole"].map(|name| around.path().join(name));
    let line = "evolve --search novelty --population 6 --size 16 --seed 5";
    done(around.path(), &format!("{line} --generations 2 --out @run"));
    done(around.path(), &format!("{line} --generations 5 --out @whole"));
    snapshot(&run, &snap);
    let before = files(&snap);
    done(around.path(), "evolve --resume --generations 5 --out @run");
    assert!(files(&snap) == before, "the snapshot stays as it was");
    assert!(files(&run) == files(&whole), "and the run came to its end");
    let ended = files(&run);
    done(around.path(), "evolve --resume --generations 5 --out @snap");
    assert!(files(&snap) == ended && files(&run) == ended);
}
