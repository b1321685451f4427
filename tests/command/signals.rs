//! Two processes and one folder; Ctrl-C, SIGTERM and kill -9 on every command that takes long.

use crate::PROGRAM;
use crate::files::files;
use crate::line::{Place, Said, signal};
use crate::said::assert_says;
use crate::whole::assert_whole;
use picloom::base::lock::FolderLock;
use std::process::{Child, Output, Stdio};
use std::time::{Duration, Instant};

/// The program's second or two, on a machine that does other things besides.
const SOON: Duration = Duration::from_secs(20);

fn start(place: &Place, line: &str) -> Child {
    place.command(line).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
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
    let moth = "--genome bred_moth";
    let still = format!("render {moth} --size 30000 --supersample 4");
    // One row of the print, and one frame of the film, take minutes.
    let print =
        "--threads 1 render --genome bred_skull --wiring dense --size 262144x64 --supersample 8";
    let film =
        "--threads 1 animate morph bred_skull bred_moth --size 8192 --supersample 8 --seconds 0.2";
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
        let place = Place::new();
        let mut child = start(&place, &format!("{line} --out {name}"));
        // It has begun to write.
        wait_until(&mut child, "a file", |child| listens(child) && place.count("") > 0);
        let sent = Instant::now();
        signals.iter().for_each(|name| signal(child.id(), name));
        let said = Said::from(child.wait_with_output().unwrap());
        assert_eq!(said.code, Some(130), "{line}: {said:?}");
        assert_says(&said.error, &["no file is half-written"]);
        // Two seconds, on a machine that does other things besides.
        assert!(sent.elapsed() < Duration::from_secs(6), "{line}: {:?}", sent.elapsed());
        assert_eq!(place.count(""), 0, "{line}: {name}");
    }
}

#[test]
fn an_interrupted_search_leaves_its_best_picture_and_says_how_it_goes_on() {
    let place = Place::new();
    let face = "ROOT/experiments/targets/face.png";
    let line = format!("evolve --size 32 --generations 100000 --target {face} --out run");
    let mut child = start(&place, &line);
    wait_until(&mut child, "a best picture", |_| place.at("run/best.png").exists());
    let said = interrupted(child, "-INT");
    assert_says(&said, &["the best picture so far, R² ", "best.png", "go on with", "--resume"]);
    assert_whole(&place.at("run/best.png"));
    let best = picloom::genome::read(&place.at("run/best.json")).unwrap();
    assert_eq!(best.provenance.made_by, "picloom evolve --search target");
    // A smaller number of generations ends it.
    place.done("evolve --resume --generations 1 --out run");
    assert_whole(&place.at("run/gallery.png"));
}

/// Commands that take for ever in a folder of their own. At such a learning rate nothing ever happens: no collapse, no fit.
const ENDLESS: [&str; 5] = [
    "train --genome mask --target mask --size 12 --lr 0.000000001 --steps 1000000000 --out train",
    "prune dense --budget 20 --steps 1000000000 --out prune",
    "evolve --search novelty --generations 100000000 --population 12 --size 16 --out search",
    "evolve --search vlm --breeder mock --publish 10000000 --generations 100000000 --cell 16 --out by-eye",
    "compare --steps 1000000000 --out compare",
];

#[test]
fn one_process_at_a_time_works_in_a_folder_until_its_death() {
    let place = Place::new();
    let idle = "--size 12 --lr 0.000000001 --steps 20";
    place.done(&format!("train --arch 3;gaussian:2,sin:3 --target mask {idle} --out dense"));
    for line in ENDLESS {
        let (_, folder) = line.rsplit_once(' ').unwrap();
        let lock = place.at(folder).join(".lock");
        let holds = |child: &Child| {
            let text = std::fs::read_to_string(&lock).unwrap_or_default();
            text.starts_with(&format!("process {}: ", child.id())) && text.ends_with('\n')
        };
        let mut first = start(&place, line);
        wait_until(&mut first, line, holds);

        let holder = format!("process {}: {PROGRAM} {line}", first.id());
        place.refused(line, 1, &[&holder, folder]);
        // Another command fares no better.
        let other = format!("sweep --genome mask --size 8 --samples 1 --out {folder}");
        let error = place.refused(&other, 1, &[]);
        let refused = error.contains(&holder) || error.contains("expected a new folder");
        assert!(refused, "{line}: {error}");

        first.kill().unwrap();
        first.wait().unwrap();
        assert!(lock.exists(), "{line}: nobody cleaned up");
        let goes_on = if folder == "compare" { "" } else { " --resume" };
        let line = format!("{line}{goes_on}");
        let mut second = start(&place, &line);
        wait_until(&mut second, &line, holds);
        let error = interrupted(second, "-INT");
        assert_eq!(hint(&error).replace('\'', ""), format!("{PROGRAM} {line}"));
    }
}

#[test]
fn a_breeding_session_is_changed_by_one_process_at_a_time() {
    let place = Place::new();
    let held = FolderLock::of_file(&place.at("session.toml")).unwrap();
    let line = "evolve --search interactive --cell 16 --script session.toml --out out";
    let holder = format!("process {}: ", std::process::id());
    place.refused(line, 1, &["session.toml", &holder]);
    assert!(!place.at("out").exists() && !place.at("session.toml").exists());
    drop(held);
    place.done(line);
}

#[test]
fn commands_that_keep_nothing_before_their_end_stop_at_once_and_leave_no_half_file() {
    let place = Place::new();
    let heavy = "--genome mask --wiring dense --size 1500";
    for line in [
        format!("score {heavy} --all --out out"),
        format!("sweep {heavy} --samples all --out out"),
        format!("maps {heavy} --pca 3 --out out.png"),
        "bench step --seconds 1000".into(),
        "bench score --size 1500".into(),
        "bench evolve --seconds 1000".into(),
        "judge sheets mask --count 4000 --size 500 --out out".into(),
    ] {
        let mut child = start(&place, &line);
        wait_until(&mut child, &line, listens);
        std::thread::sleep(Duration::from_millis(30));
        let error = interrupted(child, "-INT");
        assert_eq!(hint(&error).replace('\'', ""), format!("{PROGRAM} {line}"));
        for name in files(place.path()).into_keys() {
            assert!(name.ends_with(".lock"), "{line} left {name}");
        }
    }
    // What was there stays, whole.
    place.done("maps --genome mask --size 16 --out maps.png");
    let before = place.bytes("maps.png");
    let mut child = start(&place, &format!("maps {heavy} --out maps.png"));
    wait_until(&mut child, "maps", listens);
    interrupted(child, "-TERM");
    assert_whole(&place.at("maps.png"));
    assert_eq!(place.bytes("maps.png"), before);
}
