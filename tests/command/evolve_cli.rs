//! `picloom evolve` from outside: what it writes, and what it says about bad input.

use crate::whole::assert_whole;
use assert_cmd::Command;
use std::path::Path;

fn picloom() -> Command {
    Command::cargo_bin("picloom").unwrap()
}

fn evolve(folder: &Path, more: &[&str]) -> Command {
    let mut command = picloom();
    command.args(["evolve", "--population", "12", "--size", "16", "--out"]);
    command.arg(folder).args(more);
    command
}

/// Exit code 1, nothing on stdout, one line of error, which is returned.
#[track_caller]
fn refused(command: &mut Command) -> String {
    refused_with(1, command)
}

/// The same with another exit code.
#[track_caller]
fn refused_with(code: i32, command: &mut Command) -> String {
    let output = command.output().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(code), "{error}");
    assert!(output.stdout.is_empty());
    assert_eq!(error.trim_end().lines().count(), 1, "{error}");
    assert!(error.starts_with("error: "), "{error}");
    error
}

const FACE: &str = "experiments/targets/face.png";

#[test]
fn a_target_run_leaves_genomes_gallery_plots_and_one_json_document() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    let args = ["--json", "--target", FACE, "--generations", "4", "--preset", "neat"];
    let output = evolve(&run, &args).output().unwrap();
    assert!(output.status.success());
    let result: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(result["generations"], 4);
    assert_eq!(result["evaluations"], 48);
    for file in [
        "config.toml",
        "checkpoint.json",
        "metrics.jsonl",
        "lineage.jsonl",
        "result.json",
        "gallery.png",
        "genomes/000.json",
        "plots/fitness.svg",
        "plots/species.png",
        "plots/complexity.svg",
    ] {
        assert_whole(&run.join(file));
    }
    let genome = picloom::genome::read(&run.join("genomes/000.json")).unwrap();
    assert_eq!(genome.provenance.seed, Some(0));
    assert_eq!(genome.provenance.made_by, "picloom evolve --search target");
    assert_eq!(genome.provenance.notes["config"], result["config_hash"]);
}

/// Says what a run said to people.
#[track_caller]
fn told(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let said = [output.stderr, output.stdout].map(|text| String::from_utf8(text).unwrap());
    assert!(output.status.success(), "{}", said[0]);
    said.concat()
}

#[test]
fn a_search_for_a_picture_learns_prices_links_and_says_where_everything_is() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    let said = told(&mut evolve(&run, &["--target", FACE, "--generations", "8"]));
    let config = std::fs::read_to_string(run.join("config.toml")).unwrap();
    for line in ["preset = \"drawing\"", "mode = \"lamarck\"", "measure = \"both\"", "grey = false"]
    {
        assert!(config.contains(line), "{line} in {config}");
    }
    for part in ["R² 0.", "links", "best.png", "best.json", "gallery.png", "--resume", "less 0."] {
        assert!(said.contains(part), "{part} in {said}");
    }
    assert_whole(&run.join("best.png"));
    assert_whole(&run.join("best.json"));
    let line = std::fs::read_to_string(run.join("metrics.jsonl")).unwrap();
    let last: serde_json::Value = serde_json::from_str(line.lines().last().unwrap()).unwrap();
    // A search that only mutates has about 0.2 by then.
    assert!(last["best_r2"].as_f64().unwrap() > 0.5, "{last}");
    // Whoever names a preset has its numbers.
    let plain = folder.path().join("plain");
    told(&mut evolve(&plain, &["--target", FACE, "--generations", "2", "--preset", "neat"]));
    let config = std::fs::read_to_string(plain.join("config.toml")).unwrap();
    assert!(config.contains("mode = \"none\"") && config.contains("measure = \"mse\""));
}

#[test]
fn a_session_has_the_palette_symmetry_and_background_of_its_options() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("bred");
    let chosen = ["--palette", "ocean", "--symmetry", "four-fold", "--background", "dark"];
    breed(&out, &chosen).assert().success();
    let session = std::fs::read_to_string(out.join("session.toml")).unwrap();
    for line in ["palette = \"ocean\"", "symmetry = \"four-fold\"", "background = \"dark\""] {
        assert!(session.contains(line), "{line} in {session}");
    }
    breed(&out, &["--select", "1,3"]).assert().success();
    breed(&out, &["--save", "4", "rose"]).assert().success();
    let rose = picloom::genome::read(&out.join("rose.json")).unwrap();
    assert_eq!(rose.palette, picloom::genome::Palette::Ocean);
    // Drawn by any command it has its palette; what is trained on it has every colour.
    for command in ["genome render", "render --genome"] {
        let png = folder.path().join("rose.png");
        let mut draw = picloom();
        draw.args(command.split(' ')).arg(out.join("rose.json"));
        draw.args(["--size", "512", "--out"]).arg(&png).assert().success();
        let drawn = picloom::network::Picture::read(&png).unwrap();
        let kept = picloom::network::Picture::read(&out.join("rose.png")).unwrap();
        assert!(drawn.to_bytes() == kept.to_bytes(), "{command}");
    }
    let error = refused_with(
        2,
        &mut evolve(&folder.path().join("x"), &["--target", FACE, "--palette", "ocean"]),
    );
    assert!(error.contains("--palette") && error.contains("interactive"), "{error}");
}

#[cfg(unix)]
#[test]
fn an_interrupted_search_leaves_its_best_picture_and_says_how_it_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    let mut command = std::process::Command::new(assert_cmd::cargo::cargo_bin("picloom"));
    command.args(["evolve", "--size", "32", "--generations", "100000", "--target", FACE, "--out"]);
    command.arg(&run).stderr(std::process::Stdio::piped());
    let child = command.spawn().unwrap();
    while !run.join("best.png").exists() {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let sent = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(sent.unwrap().success());
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(130), "{said}");
    assert!(said.contains("the best picture so far, R² ") && said.contains("best.png"), "{said}");
    assert!(said.contains("go on with") && said.contains("--resume"), "{said}");
    assert_whole(&run.join("best.png"));
    let best = picloom::genome::read(&run.join("best.json")).unwrap();
    assert_eq!(best.provenance.made_by, "picloom evolve --search target");
    // A smaller number of generations ends it.
    let mut ends = picloom();
    ends.args(["evolve", "--resume", "--generations", "1", "--out"]).arg(&run).assert().success();
    assert_whole(&run.join("gallery.png"));
}

#[test]
fn a_run_that_died_before_its_first_checkpoint_begins_anew() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    let novelty = ["--search", "novelty", "--generations", "2"];
    evolve(&run, &novelty).assert().success();
    let before = std::fs::read(run.join("checkpoint.json")).unwrap();
    std::fs::remove_file(run.join("checkpoint.json")).unwrap();
    evolve(&run, &["--resume"]).assert().success();
    assert_eq!(std::fs::read(run.join("checkpoint.json")).unwrap(), before);
}

/// A full disk, as the shell can make one: no file may grow beyond a few kilobytes, and the
/// signal that would end the program is ignored, so that it sees the error.
#[cfg(unix)]
#[test]
fn a_full_disk_is_reported_and_the_previous_checkpoint_stands() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    let args = ["--search", "novelty", "--generations", "3"];
    evolve(&run, &args).assert().success();
    let before = std::fs::read(run.join("checkpoint.json")).unwrap();
    assert!(before.len() > 20_000);
    let program = assert_cmd::cargo::cargo_bin("picloom");
    let script = format!(
        "trap '' XFSZ; ulimit -f 16; exec {} evolve --resume --generations 6 --out {}",
        program.display(),
        run.display()
    );
    let error = refused(Command::new("sh").args(["-c", &script]));
    assert!(error.contains("cannot write"), "{error}");
    assert_eq!(std::fs::read(run.join("checkpoint.json")).unwrap(), before);
    // With room again, the run goes on.
    let goes_on = evolve(&run, &["--resume", "--generations", "6", "--json"]).output().unwrap();
    let result: serde_json::Value = serde_json::from_slice(&goes_on.stdout).unwrap();
    assert_eq!(result["generations"], 6);
}

#[test]
fn breeding_by_script_draws_sheets_and_replays_to_the_same_bits() {
    let folder = tempfile::tempdir().unwrap();
    let session = folder.path().join("session.toml");
    let breed = |out: &Path, more: &[&str]| {
        let mut command = picloom();
        command.args(["evolve", "--search", "interactive", "--seed", "4", "--cell", "32"]);
        command.arg("--script").arg(&session).arg("--out").arg(out);
        command.args(more);
        command
    };
    let one = folder.path().join("one");
    breed(&one, &[]).assert().success();
    breed(&one, &["--select", "2,9", "--slider", "0.8", "--why", "an eye"]).assert().success();
    breed(&one, &["--select", "5"]).assert().success();
    breed(&one, &["--select", "1", "--undo", "1"]).assert().success();
    assert_whole(&one.join("sheets/002.png"));
    assert!(std::fs::read_to_string(&session).unwrap().contains("an eye"));

    // Somebody else replays the file alone.
    let two = folder.path().join("two");
    breed(&two, &[]).assert().success();
    for file in ["sheet.png", "lineage.jsonl", "genomes/00.json", "genomes/14.json"] {
        let read = |at: &Path| std::fs::read(at.join(file)).unwrap();
        assert!(read(&one) == read(&two), "{file}");
    }

    let before = std::fs::read(&session).unwrap();
    refused(&mut breed(&two, &["--select", "15"]));
    assert_eq!(std::fs::read(&session).unwrap(), before);
}

fn breed(out: &Path, more: &[&str]) -> Command {
    let mut command = picloom();
    command.args(["evolve", "--search", "interactive", "--cell", "16"]);
    command.arg("--out").arg(out).args(more);
    command
}

#[test]
fn a_session_begins_in_its_folder_goes_on_and_keeps_genomes_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("bred");
    breed(&out, &["--seed", "4"]).assert().success();
    assert_whole(&out.join("session.toml"));
    for _ in 0..3 {
        breed(&out, &["--select", "1,3"]).assert().success();
    }
    assert_whole(&out.join("sheets/003.png"));
    let back = breed(&out, &["--json", "--undo", "2", "--select", "0"]).output().unwrap();
    let report: serde_json::Value = serde_json::from_slice(&back.stdout).unwrap();
    assert_eq!((&report["at"], &report["generation"]), (&4.into(), &2.into()));
    let said = String::from_utf8(back.stderr).unwrap();
    assert!(said.contains("bred from 0") && said.contains("sheet 4 of 0 to 4"), "{said}");
    breed(&out, &["--save", "4", "owl", "--save", "5", "big_owl"]).assert().success();
    let owl = picloom::genome::read(&out.join("owl.json")).unwrap();
    let made = &owl.provenance;
    assert_eq!((made.name.as_str(), made.seed.is_some()), ("owl", true));
    assert_eq!(made.made_by, "picloom evolve --search interactive");
    assert_eq!((made.notes["sheet"].as_str(), made.notes["place"].as_str()), ("4", "4"));
    let on_sheet = picloom::genome::read(&out.join("genomes/04.json")).unwrap();
    assert!(owl.nodes().eq(on_sheet.nodes()) && owl.connections().eq(on_sheet.connections()));
    let picture = picloom::network::Picture::read(&out.join("owl.png")).unwrap();
    assert_eq!((picture.width, picture.height), (512, 512));
    assert!(out.join("big_owl.json").exists());
    breed(&out, &["--save", "4", "owl"]).assert().success();
    let before = std::fs::read(out.join("session.toml")).unwrap();
    breed(&out, &[]).assert().success();
    assert_eq!(std::fs::read(out.join("session.toml")).unwrap(), before);
}

#[test]
fn a_session_with_branches_goes_on_by_script_and_every_sheet_stays() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("bred");
    let told = |more: &[&str]| {
        let output = breed(&out, &[&["--json"], more].concat()).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        [&report["at"], &report["generation"], &report["sheets"]].map(|n| n.as_u64().unwrap())
    };
    breed(&out, &["--seed", "4"]).assert().success();
    told(&["--select", "1,3"]);
    assert_eq!(told(&["--select", "2"]), [2, 2, 3]);
    let sheet = |n: usize| std::fs::read(out.join(format!("sheets/{n:03}.png"))).unwrap();
    let second = sheet(2);
    // Back, on again, and back to begin a branch; the same choice draws other children.
    assert_eq!(told(&["--undo", "2"]), [0, 0, 3]);
    assert_eq!(told(&["--redo", "2"]), [2, 2, 3]);
    assert_eq!(told(&["--undo", "1", "--select", "2"]), [3, 2, 4]);
    assert_ne!(sheet(3), second);
    assert_eq!(told(&["--sheet", "0", "--select", "7"]), [4, 1, 5]);
    assert_eq!(told(&["--sheet", "2"]), [2, 2, 5]);
    assert_eq!((sheet(2), std::fs::read(out.join("sheet.png")).unwrap()), (second.clone(), second));
    let lineage = std::fs::read_to_string(out.join("lineage.jsonl")).unwrap();
    assert_eq!(lineage.lines().count(), 3);
    // The numbers of the file are those of the library.
    let text = std::fs::read_to_string(out.join("session.toml")).unwrap();
    let session = picloom::evolve::Session::from_toml(&text).unwrap();
    let breeding = picloom::evolve::Breeding::new(session, &[]).unwrap();
    let parents: Vec<_> = (0..5).map(|n| breeding.parent(n)).collect();
    assert_eq!(parents, [None, Some(0), Some(1), Some(1), Some(0)]);
}

#[test]
fn settings_that_a_session_has_may_be_said_again() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("bred");
    breed(&out, &["--seed", "4", "--select", "1"]).assert().success();
    let before = std::fs::read(out.join("session.toml")).unwrap();
    breed(&out, &["--seed", "4", "--preset", "picbreeder", "--population", "15"])
        .assert()
        .success();
    assert_eq!(std::fs::read(out.join("session.toml")).unwrap(), before);
}

#[test]
fn the_committed_targets_are_what_the_generator_draws() {
    let folder = tempfile::tempdir().unwrap();
    let drawn = picloom::experiment::targets::write_all(folder.path()).unwrap();
    assert_eq!(drawn.len(), 15);
    for path in drawn {
        let committed = Path::new("experiments/targets").join(path.file_name().unwrap());
        assert!(
            std::fs::read(&path).unwrap() == std::fs::read(&committed).unwrap(),
            "{}: run `picloom evolve --draw-targets experiments/targets`",
            committed.display()
        );
    }
}
