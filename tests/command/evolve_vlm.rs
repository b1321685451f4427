//! `picloom evolve --search vlm`: breeding by a mock, and by a server in this process that
//! misbehaves.

use crate::files::{assert_same_files, files};
use crate::whole::assert_whole;
use assert_cmd::Command;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::path::Path;
use std::sync::{Arc, Mutex};

fn evolve(folder: &Path, more: &[&str]) -> Command {
    let mut command = Command::cargo_bin("picloom").unwrap();
    command.args(["--json", "evolve", "--search", "vlm", "--population", "6"]);
    command.args(["--cell", "24", "--out"]).arg(folder).args(more);
    command
}

fn result(command: &mut Command) -> Value {
    let output = command.output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{error}");
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Exit code and one line of error.
fn refused(command: &mut Command, code: i32) -> String {
    let output = command.output().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(code), "{error}");
    assert!(output.stdout.is_empty());
    error
}

fn decisions(folder: &Path) -> Vec<Value> {
    std::fs::read_to_string(folder.join("decisions.jsonl"))
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

const MOCK: [&str; 4] = ["--breeder", "mock", "--seed", "5"];

#[test]
fn a_mock_breeds_publishes_and_leaves_its_reasons() {
    let work = tempfile::tempdir().unwrap();
    let run = work.path().join("run");
    let found = result(&mut evolve(&run, &MOCK));
    assert_eq!(found["cause"], "published");
    assert_eq!(found["published"], json!(["published/000.json"]));
    let decided = decisions(&run);
    assert_eq!(decided.len(), 4);
    for (generation, d) in decided.iter().enumerate() {
        assert_eq!(d["generation"], generation);
        assert_eq!(d["pictures"], 6);
        assert_eq!(d["reason"], format!("a seeded toss in generation {generation}"));
        assert_whole(&run.join(format!("sheets/{generation:03}.png")));
    }
    assert!(decided[0]["decision"]["select"].is_array());
    assert_eq!(decided[3]["decision"]["publish"], 0);
    let genome = picloom::genome::read(&run.join("published/000.json")).unwrap();
    assert_eq!(genome.provenance.made_by, "picloom evolve --search vlm");
    assert_eq!(genome.provenance.notes["breeder"], "mock/5");
    assert_eq!(genome.provenance.notes["reason"], "a seeded toss in generation 3");
    // A person can go on where the model ended: three selections lead to the last sheet.
    let further = work.path().join("further");
    let session = run.join("session.toml");
    let output = Command::cargo_bin("picloom")
        .unwrap()
        .args(["--json", "evolve", "--search", "interactive", "--cell", "24"])
        .args(["--script", session.to_str().unwrap(), "--out"])
        .arg(&further)
        .output()
        .unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["generation"], 3);
    let last = picloom::network::Picture::read(&run.join("sheet.png")).unwrap();
    let sheet = picloom::network::Picture::read(&further.join("sheet.png")).unwrap();
    assert_eq!(last, sheet);
}

#[test]
fn a_run_cut_short_and_resumed_has_the_bytes_of_one_that_was_not() {
    let work = tempfile::tempdir().unwrap();
    let (whole, cut) = (work.path().join("whole"), work.path().join("cut"));
    let more = ["--publish", "2", "--generations", "9"];
    let found = result(evolve(&whole, &MOCK).args(more).args(["--threads", "1"]));
    assert_eq!(found["cause"], "published");
    assert_eq!(found["published"].as_array().unwrap().len(), 2);
    assert_eq!(found["generations"], 5);
    let begun = ["--publish", "2", "--generations", "2"];
    let part = result(evolve(&cut, &MOCK).args(begun));
    assert_eq!((&part["cause"], &part["generations"]), (&json!("generations"), &json!(2)));
    // As if it had died after drawing a sheet and before the decision was kept.
    std::fs::write(cut.join("sheets/002.png"), b"half").unwrap();
    result(evolve(&cut, &MOCK).args(["--resume", "--generations", "9", "--threads", "4"]));
    assert_same_files(&whole, &cut, "a run cut short or repeated");
    // It has ended: resuming once more changes nothing.
    result(evolve(&cut, &MOCK).args(["--resume", "--generations", "9"]));
    assert_same_files(&whole, &cut, "a run cut short or repeated");
}

#[test]
fn other_runs_and_spoilt_decisions_are_refused_and_nothing_is_touched() {
    let work = tempfile::tempdir().unwrap();
    let run = work.path().join("run");
    let mut short = evolve(&run, &MOCK);
    result(short.args(["--generations", "2"]));
    let before = files(&run);
    let again = refused(&mut evolve(&run, &MOCK), 1);
    assert!(again.contains("--resume"), "{again}");
    let seed = ["--breeder", "mock", "--seed", "6", "--resume"];
    let other = refused(&mut evolve(&run, &seed), 1);
    assert!(other.contains("seed: expected 6, found 5"), "{other}");
    assert_eq!(files(&run), before);

    // A decision that does not follow from those before it.
    let journal = run.join("decisions.jsonl");
    let text = std::fs::read_to_string(&journal).unwrap();
    std::fs::write(&journal, text.replace("mock/5", "mock/7")).unwrap();
    let foreign = refused(evolve(&run, &MOCK).arg("--resume"), 1);
    assert!(foreign.contains("decisions.jsonl") && foreign.contains("mock/7"), "{foreign}");
    // Cut off within a line, wherever lines end.
    std::fs::write(&journal, text.trim_end().trim_end_matches('}')).unwrap();
    let half = refused(evolve(&run, &MOCK).arg("--resume"), 1);
    assert!(half.contains("expected a decision"), "{half}");
}

/// A server that gives these (status, body) answers in order and counts the requests; when there
/// are no more it closes the connection.
fn server(answers: Vec<(u16, String)>) -> (String, Arc<Mutex<usize>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    let count = Arc::new(Mutex::new(0));
    let counted = count.clone();
    let mut answers = VecDeque::from(answers);
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let mut reader = BufReader::new(stream.try_clone().unwrap());
            let mut length = 0;
            let mut line = String::new();
            while reader.read_line(&mut line).unwrap_or(0) > 2 {
                if let Some((name, value)) = line.split_once(':')
                    && name.eq_ignore_ascii_case("content-length")
                {
                    length = value.trim().parse().unwrap();
                }
                line.clear();
            }
            let mut body = vec![0; length];
            if reader.read_exact(&mut body).is_err() {
                continue;
            }
            let request: Value = serde_json::from_slice(&body).unwrap();
            assert!(request.to_string().contains("data:image/png;base64,"));
            *counted.lock().unwrap() += 1;
            let Some((status, text)) = answers.pop_front() else {
                continue;
            };
            let head = format!(
                "HTTP/1.1 {status} X\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
                text.len()
            );
            let _ = stream.write_all((head + &text).as_bytes());
        }
    });
    (url, count)
}

fn says(reason: &str, action: &str, pictures: &[usize]) -> (u16, String) {
    let content = json!({"reason": reason, "action": action, "pictures": pictures}).to_string();
    let message = json!({"role": "assistant", "content": content});
    let text = json!({"choices": [{"message": message}]}).to_string();
    (200, text)
}

#[test]
fn a_model_behind_a_faulty_server_breeds_and_a_rerun_asks_nothing() {
    let work = tempfile::tempdir().unwrap();
    let cut = says("cut", "select", &[0]).1;
    let (url, count) = server(vec![
        (500, "busy".into()),
        says("not on the sheet", "select", &[99]),
        says("an eye", "select", &[4, 1]),
        (200, cut[..cut.len() / 2].to_string()),
        says("a fish", "publish", &[3]),
        says("all grey", "stop", &[]),
    ]);
    let cache = work.path().join("cache");
    let with = |run: &Path, publish: &str| {
        let mut command = evolve(run, &["--vlm-url", &url, "--vlm-model", "test-model"]);
        command.args(["--publish", publish, "--vlm-cache", cache.to_str().unwrap()]);
        command
    };
    let run = work.path().join("run");
    let found = result(&mut with(&run, "2"));
    assert_eq!(found["cause"], "stopped");
    assert_eq!(found["last_reason"], "all grey");
    assert_eq!(found["published"], json!(["published/000.json"]));
    let decided = decisions(&run);
    assert_eq!(decided[0]["decision"], json!({"select": [1, 4]}));
    assert_eq!(decided[1]["decision"], json!({"publish": 3}));
    assert_eq!(decided[2]["decision"], json!("stop"));
    assert_eq!(decided[0]["reason"], "an eye");
    assert!(decided[0]["breeder"].as_str().unwrap().starts_with("vlm/1 test-model prompt "));
    assert_eq!(*count.lock().unwrap(), 6);
    // The server is silent now; the cache is not.
    let again = work.path().join("again");
    result(&mut with(&again, "2"));
    assert_same_files(&run, &again, "a run cut short or repeated");
    assert_eq!(*count.lock().unwrap(), 6);
    // A run that needs an answer nobody gives ends with the reason and keeps its decisions.
    let third = work.path().join("third");
    let mut broken = with(&third, "2");
    broken.args(["--seed", "9", "--vlm-attempts", "1"]);
    let error = refused(&mut broken, 1);
    assert!(error.contains("127.0.0.1"), "{error}");
    assert!(third.join("sheets/000.png").exists() && !third.join("result.json").exists());
}
