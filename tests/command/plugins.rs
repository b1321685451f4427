//! Pruning methods, judges and measures that are somebody's programs: the examples of docs/PLUGINS.md, records, failures,
//! interruption.

use crate::answers::hold;
use crate::cases::cases;
use crate::line::{Place, Said, list, signal, until};
use serde_json::Value;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

const ARCH: &str = "3;cache:3,gaussian:3,sin:3";

/// A folder with the three examples and a trained network, `dense`.
fn work() -> Place {
    let files =
        ["examples/method.py", "examples/judge.py", "examples/measure.py", "genomes/mask.json"];
    let place = Place::with(&files);
    let line = format!("train --arch {ARCH} --target mask.json --size 16 --steps 200");
    place.done(&format!("{line} --out dense"));
    place
}

/// Fails, or is refused as wrong use, with these words.
#[track_caller]
fn refused(place: &Place, line: &str, expected: &str) {
    let said = place.run(line);
    assert!(matches!(said.code, Some(1 | 2)), "{line}: {said:?}");
    assert!(said.error.contains(expected), "{line}: {said:?}");
}

/// Writes a program of these lines of Python, which has the folder as `folder`, the question of this file as `asked`, and
/// answers with a text.
fn write_program(place: &Place, name: &str, [question, answer]: [&str; 2], lines: &str) {
    let head = format!(
        "import json, sys, time\nfrom pathlib import Path\nfolder = Path(sys.argv[-1])\nasked = json.loads((folder / '{question}').read_text())\nsay = (folder / '{answer}').write_text\n"
    );
    place.write(name, format!("{head}{lines}\n"));
}

/// A method, which answers with whatever it found.
fn write_method(place: &Place, name: &str, lines: &str) {
    let lines = format!("answer = lambda found: say(json.dumps(found))\n{lines}");
    write_program(place, name, ["round.json", "answer.json"], &lines);
}

/// A measure, which answers with a text.
fn write_measure(place: &Place, name: &str, lines: &str) {
    write_program(place, name, ["network.json", "measures.json"], lines);
}

/// A pruning of `dense` by this command.
fn prune(command: &str, budget: usize, out: &str) -> String {
    let aim = format!("prune dense --budget {budget} --steps 50 --no-pictures");
    format!("{aim} --method 'cmd:{command}' --out {out}")
}

cases! {
    plugins:
    a_method_may_answer_with_the_links_that_stay,
    a_study_finds_its_programs_beside_the_spec_and_runs_anew_where_one_was_changed,
    the_example_measure_names_numbers_of_a_network,
    a_measure_is_given_what_the_page_says_and_may_answer_nothing,
}

#[test]
fn the_example_method_prunes_and_stands_in_the_record_with_its_hash() {
    let work = work();
    let found = work.json(&prune("python3 method.py", 40, "mine"));
    assert_eq!(found["rounds"][0]["kept"], 40);
    let method = found["method"].as_str().unwrap();
    let hash = method.strip_prefix("cmd:sha256=").unwrap().strip_suffix(",python3 method.py");
    assert_eq!(hash.unwrap().len(), 16, "{method}");
    let record = work.record("mine/pruning.json");
    assert_eq!(record["method"], method);
    assert!(work.text("mine/config.toml").contains(method));
    // The score is |w dL/dw|: `taylor` has the same numbers, summed over units.
    let scores = list(&record["scores"]);
    assert!(scores.iter().filter_map(Value::as_f64).any(|score| score > 0.0));
    // Two rounds ask twice, and the same again gives the same bits, though the program is executable now.
    let executable = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(work.at("method.py"), executable).unwrap();
    for out in ["one", "two"] {
        work.json(&format!("{} --rounds 2", prune("./method.py", 40, out)));
    }
    for name in ["weights.safetensors", "mask.json", "pruning.json", "result.json"] {
        let [one, two] = ["one", "two"].map(|out| work.bytes(&format!("{out}/{name}")));
        assert!(one == two, "{name}");
    }
    // A program that was changed is another method: its folder is not gone on with.
    write_method(&work, "method.py", "answer({'keep': list(range(40))})");
    let other = format!("a run with method {method}");
    refused(&work, &prune("python3 method.py", 40, "mine"), &other);
    // Nothing of the questions stays behind.
    assert_eq!(work.leftovers(), 0);
}

/// What any command does wrong, and how it is ended, is `base::command`'s to say.
#[test]
fn what_a_program_does_wrong_is_said_with_its_own_words() {
    let work = work();
    let measured = "score dense --samples 2 --measure 'cmd:python3 wrong.py'";
    hold("refusals/programs", |input| {
        let (kind, lines) = input.split_once('\n').unwrap();
        let line = match kind {
            "a method" => {
                write_method(&work, "wrong.py", lines);
                prune("timeout=5,python3 wrong.py", 40, "wrong")
            }
            "a measure" => {
                write_measure(&work, "wrong.py", lines);
                measured.into()
            }
            other => panic!("{other}"),
        };
        let said = work.refused(&line, 1, &[]);
        assert!(!work.at("wrong/result.json").exists(), "{lines}");
        said.replace(&format!("{}/", work.path().display()), "")
    });
    // What Python says of an error is not the same in all of its versions.
    let raises = "raise ValueError('too few units')";
    write_method(&work, "wrong.py", raises);
    work.refused(&prune("python3 wrong.py", 40, "wrong"), 1, &["ValueError: too few units"]);
    write_measure(&work, "wrong.py", raises);
    work.refused(measured, 1, &["ValueError: too few units"]);
    write_method(&work, "slow.py", "pass");
    refused(&work, &prune("./slow.py", 40, "slow"), "make it executable");
}

#[cfg(target_os = "linux")]
#[test]
fn what_a_method_has_started_ends_with_it_wherever_it_went() {
    let work = work();
    let starts = |own_session: bool| {
        let session = if own_session { "os.setsid(); " } else { "" };
        format!(
            "import os\nif os.fork() == 0:\n    {session}[os.close(i) for i in range(3)]\n    Path('mark').write_text(str(os.getpid()))\n    time.sleep(120)\nwhile not Path('mark').exists():\n    time.sleep(0.01)\n"
        )
    };
    for (own_session, end) in [(false, ""), (true, ""), (true, "time.sleep(60)\n")] {
        let answer = "answer({'scores': asked['weights']})";
        write_method(&work, "starts.py", &format!("{}{end}{answer}", starts(own_session)));
        let said = work.run(&prune("timeout=4,python3 starts.py", 40, "mine"));
        assert_eq!(said.code == Some(0), end.is_empty(), "{said:?}");
        let pid = work.text("mark");
        // It is gone, or dead and not asked for by whoever is its parent now.
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        assert!(stat.is_empty() || stat.contains(") Z "), "{own_session} {end:?}: {stat}");
        std::fs::remove_file(work.at("mark")).unwrap();
        let _ = std::fs::remove_dir_all(work.at("mine"));
    }
}

#[test]
fn a_method_that_runs_when_somebody_asks_to_stop_is_ended_and_asked_again() {
    let work = work();
    // Slow only the first time.
    write_method(
        &work,
        "slow.py",
        "mark = Path('mark')\nif not mark.exists():\n    mark.write_text(str(__import__('os').getpid()))\n    time.sleep(120)\nanswer({'scores': asked['weights']})",
    );
    let line = prune("python3 slow.py", 40, "mine");
    let child = work.command(&line).stderr(std::process::Stdio::piped()).spawn().unwrap();
    let pid = || std::fs::read_to_string(work.at("mark")).unwrap_or_default();
    until("it asks the method", || !pid().is_empty());
    signal(child.id(), "-INT");
    let said = Said::from(child.wait_with_output().unwrap());
    assert_eq!(said.code, Some(130), "{said:?}");
    until("the method outlives the command", || {
        !Command::new("kill").args(["-0", &pid()]).output().unwrap().status.success()
    });
    let found = work.json(&format!("{line} --resume"));
    assert_eq!(found["rounds"][0]["kept"], 40);
}

#[test]
fn the_example_judge_scores_a_network_and_stands_in_the_record() {
    let work = work();
    let score = "score dense --judge 'cmd:python3 judge.py' --samples";
    let found = work.json(&format!("{score} 12"));
    assert_eq!(found["judge"], "cmd/python3 judge.py");
    assert_eq!(found["judge_model_sha256"].as_str().unwrap().len(), 16);
    // It says no error of its own: what is left is its doubt.
    assert!(found["judge_error"].as_f64().unwrap() < 0.05, "{}", found["judge_error"]);
    assert_eq!(found, work.json(&format!("{score} 12")));
    // What it says of each picture is what it says of that picture alone.
    let probability = |judged: &Value| judged["verdict"]["p_damaged"].as_f64();
    let all: Vec<_> = list(&found["perturbations"]).iter().map(probability).collect();
    assert!(all.iter().flatten().any(|p| *p > 0.0) && all.iter().flatten().all(|p| *p <= 1.0));
    let links = list(&found["perturbations"]);
    let alone = links.iter().find(|judged| probability(judged).is_some_and(|p| p > 0.0)).unwrap();
    let link = &alone["link"];
    let again = work.json(&format!("{score} {link}"));
    let mut again = list(&again["perturbations"]).iter();
    let again = again.find(|judged| judged["delta"] == alone["delta"]).unwrap();
    assert_eq!(probability(again), probability(alone));
    let wrong = "import sys, json, pathlib\n(pathlib.Path(sys.argv[1]) / 'verdicts.json').write_text('{\"damaged\": [2]}')\n";
    work.write("wrong.py", wrong);
    let line = format!("{score} {link}").replace("judge.py", "wrong.py");
    refused(&work, &line, "verdicts.json: damaged: expected");
}
