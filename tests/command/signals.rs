//! Two processes and one folder; Ctrl-C, SIGTERM and kill -9 on every command that takes long.

use crate::files::files;
use crate::line::{PROGRAM, signal, words};
use crate::said::assert_says;
use crate::whole::assert_whole;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// The program's second or two, on a machine that does other things besides.
const SOON: Duration = Duration::from_secs(20);

fn start(arguments: &[String]) -> Child {
    let mut command = Command::new(PROGRAM);
    command.args(arguments).stdout(Stdio::null()).stderr(Stdio::piped());
    command.spawn().unwrap()
}

/// Waits until `is_so`, while the child lives.
#[track_caller]
fn wait_until(child: &mut Child, what: &str, mut is_so: impl FnMut(&Child) -> bool) {
    let begun = Instant::now();
    while !is_so(child) {
        assert!(child.try_wait().unwrap().is_none(), "ended before {what}");
        assert!(begun.elapsed() < Duration::from_secs(120), "waited too long for {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// True once the process is our program and has a handler for SIGINT: bit 1 of the caught signals.
fn listens(child: &Child) -> bool {
    let program = std::fs::read_link(format!("/proc/{}/exe", child.id()));
    if program.ok() != std::fs::canonicalize(PROGRAM).ok() {
        return false;
    }
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap();
    u64::from_str_radix(caught.trim(), 16).unwrap() & 0b10 != 0
}

/// Sends the signal, and returns what comes of it, which is soon.
#[track_caller]
fn signalled(child: Child, name: &str) -> Output {
    signal(child.id(), name);
    let sent = Instant::now();
    let output = child.wait_with_output().unwrap();
    assert!(sent.elapsed() < SOON, "ended after {:?}", sent.elapsed());
    output
}

/// The same of a program that is not done by itself, and what it says.
#[track_caller]
fn interrupted(child: Child, name: &str) -> String {
    let Output { status, stderr, .. } = signalled(child, name);
    let error = String::from_utf8(stderr).unwrap();
    assert_eq!(status.code(), Some(130), "{error}");
    error
}

/// The line that an interrupted command says goes on.
#[track_caller]
fn hint(error: &str) -> String {
    let (_, after) = error.split_once("interrupted: ").unwrap_or_else(|| panic!("{error}"));
    after.lines().nth(1).unwrap_or_else(|| panic!("{error}")).trim().to_string()
}

#[test]
fn a_long_picture_or_film_stops_soon_and_leaves_nothing_and_a_second_signal_ends_it_at_once() {
    let moth = "--genome genomes/bred_moth.json";
    let still = format!("render {moth} --size 30000 --supersample 4");
    // One row of the print, and one frame of the film, take minutes.
    let print = "--threads 1 render --genome genomes/bred_skull.json --wiring dense --size 262144x64 --supersample 8";
    let film = "--threads 1 animate morph genomes/bred_skull.json genomes/bred_moth.json --size 8192 --supersample 8 --seconds 0.2";
    let zoom = format!("animate zoom {moth} --zoom 9 --size 2000 --seconds 60");
    for (line, name, signals) in [
        (still.as_str(), "a.png", &["-INT"][..]),
        (&still, "a.jpg", &["-INT"]),
        (&still, "a.tif", &["-INT"]),
        (&zoom, "a.gif", &["-INT"]),
        (print, "a.png", &["-INT"]),
        (print, "a.tif", &["-HUP", "-TERM"]),
        (film, "a.gif", &["-TERM"]),
        (film, "a.png", &["-INT", "-INT"]),
    ] {
        let work = tempfile::tempdir().unwrap();
        let mut child =
            start(&words(&format!("{line} --out {}", work.path().join(name).display())));
        // It has begun to write.
        wait_until(&mut child, "a file", |child| {
            listens(child) && std::fs::read_dir(work.path()).unwrap().count() > 0
        });
        let sent = Instant::now();
        signals.iter().for_each(|name| signal(child.id(), name));
        let output = child.wait_with_output().unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(130), "{line}: {error}");
        assert!(error.contains("no file is half-written"), "{line}: {error}");
        // Two seconds, on a machine that does other things besides.
        assert!(sent.elapsed() < Duration::from_secs(6), "{line}: {:?}", sent.elapsed());
        assert_eq!(std::fs::read_dir(work.path()).unwrap().count(), 0, "{line}: {name}");
    }
}

#[test]
fn an_interrupted_search_leaves_its_best_picture_and_says_how_it_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    let line = "evolve --size 32 --generations 100000 --target experiments/targets/face.png --out";
    let mut child = start(&words(&format!("{line} {}", run.display())));
    wait_until(&mut child, "a best picture", |_| run.join("best.png").exists());
    let said = interrupted(child, "-INT");
    assert_says(&said, &["the best picture so far, R² ", "best.png", "go on with", "--resume"]);
    assert_whole(&run.join("best.png"));
    let best = picloom::genome::read(&run.join("best.json")).unwrap();
    assert_eq!(best.provenance.made_by, "picloom evolve --search target");
    // A smaller number of generations ends it.
    let ends = format!("evolve --resume --generations 1 --out {}", run.display());
    assert!(start(&words(&ends)).wait().unwrap().success());
    assert_whole(&run.join("gallery.png"));
}

/// A learning rate at which nothing ever happens: no collapse, no fit, no end.
const IDLE: &str = "--lr 0.000000001";

/// A small dense run in `folder`.
fn dense(folder: &Path) -> String {
    let run = folder.join("dense").display().to_string();
    let line = format!(
        "train --arch 3;gaussian:2,sin:3 --target genomes/mask.json --size 12 {IDLE} --steps 20 --out {run}"
    );
    assert!(start(&words(&line)).wait().unwrap().success());
    run
}

/// Commands that take for ever in a folder of their own, and that folder.
fn endless(work: &Path) -> Vec<(String, String)> {
    let place = |name: &str| work.join(name).display().to_string();
    let forever = "--steps 1000000000";
    let mut lines = vec![
        (
            format!("train --genome genomes/mask.json --target genomes/mask.json --size 12 {IDLE} {forever}"),
            "train",
        ),
        (format!("prune {} --budget 20 {forever}", dense(work)), "prune"),
        ("evolve --search novelty --generations 100000000 --population 12 --size 16".into(), "search"),
        (
            "evolve --search vlm --breeder mock --publish 10000000 --generations 100000000 --cell 16"
                .into(),
            "by-eye",
        ),
        ("compare --steps 1000000000".into(), "compare"),
    ];
    for (line, out) in &mut lines {
        *line += &format!(" --out {}", place(out));
    }
    lines.into_iter().map(|(line, out)| (line, place(out))).collect()
}

#[test]
fn one_process_at_a_time_works_in_a_folder_until_its_death() {
    let work = tempfile::tempdir().unwrap();
    for (line, folder) in endless(work.path()) {
        let lock = Path::new(&folder).join(".lock");
        let holds = |child: &Child| {
            let text = std::fs::read_to_string(&lock).unwrap_or_default();
            text.starts_with(&format!("process {}: ", child.id())) && text.ends_with('\n')
        };
        let arguments = words(&line);
        let mut first = start(&arguments);
        wait_until(&mut first, &line, holds);

        let second = start(&arguments).wait_with_output().unwrap();
        let error = String::from_utf8(second.stderr).unwrap();
        assert_eq!(second.status.code(), Some(1), "{line}: {error}");
        let holder = format!("process {}: {PROGRAM} {line}", first.id());
        assert!(error.contains(&holder) && error.contains(&folder), "{line}: {error}");
        // Another command fares no better.
        let other = format!("sweep --genome genomes/mask.json --size 8 --samples 1 --out {folder}");
        let other = start(&words(&other)).wait_with_output().unwrap();
        assert_eq!(other.status.code(), Some(1), "{line}");
        let error = String::from_utf8(other.stderr).unwrap();
        let refused = error.contains(&holder) || error.contains("expected a new folder");
        assert!(refused, "{line}: {error}");

        first.kill().unwrap();
        first.wait().unwrap();
        assert!(lock.exists(), "{line}: nobody cleaned up");
        let mut arguments = arguments;
        if !line.starts_with("compare") {
            arguments.push("--resume".into());
        }
        let mut second = start(&arguments);
        wait_until(&mut second, &line, holds);
        let error = interrupted(second, "-INT");
        let said = hint(&error);
        assert_eq!(said.replace('\'', ""), format!("{PROGRAM} {}", arguments.join(" ")));
    }
}

#[test]
fn a_breeding_session_is_changed_by_one_process_at_a_time() {
    let work = tempfile::tempdir().unwrap();
    let session = work.path().join("session.toml");
    let held = picloom::base::lock::FolderLock::of_file(&session).unwrap();
    let out = work.path().join("out");
    let line = format!(
        "evolve --search interactive --cell 16 --script {} --out {}",
        session.display(),
        out.display()
    );
    let refused = start(&words(&line)).wait_with_output().unwrap();
    let error = String::from_utf8(refused.stderr).unwrap();
    assert_eq!(refused.status.code(), Some(1));
    let holder = format!("process {}: ", std::process::id());
    assert!(error.contains("session.toml") && error.contains(&holder), "{error}");
    assert!(!out.exists() && !session.exists());
    drop(held);
    assert!(start(&words(&line)).wait().unwrap().success());
}

#[test]
fn commands_that_keep_nothing_before_their_end_stop_at_once_and_leave_no_half_file() {
    let work = tempfile::tempdir().unwrap();
    let out = work.path().join("out").display().to_string();
    let heavy = "--genome genomes/mask.json --wiring dense --size 1500";
    for line in [
        format!("score {heavy} --all --out {out}"),
        format!("sweep {heavy} --samples all --out {out}"),
        format!("maps {heavy} --pca 3 --out {out}.png"),
        "bench step --seconds 1000".into(),
        "bench score --size 1500".into(),
        "bench evolve --seconds 1000".into(),
        format!("judge sheets genomes/mask.json --count 4000 --size 500 --out {out}"),
    ] {
        let mut child = start(&words(&line));
        wait_until(&mut child, &line, listens);
        std::thread::sleep(Duration::from_millis(30));
        let error = interrupted(child, "-INT");
        assert_eq!(hint(&error).replace('\'', ""), format!("{PROGRAM} {line}"));
        for name in files(work.path()).into_keys() {
            assert!(name.ends_with(".lock"), "{line} left {name}");
        }
    }
    // What was there stays, whole.
    let sheet = work.path().join("maps.png");
    let line = format!("maps --genome genomes/mask.json --size 16 --out {}", sheet.display());
    assert!(start(&words(&line)).wait().unwrap().success());
    let before = std::fs::read(&sheet).unwrap();
    let mut child = start(&words(&format!("maps {heavy} --out {}", sheet.display())));
    wait_until(&mut child, "maps", listens);
    interrupted(child, "-TERM");
    assert_whole(&sheet);
    assert_eq!(std::fs::read(&sheet).unwrap(), before);
}
