//! `picloom evolve --search vlm`: breeding by a mock, and by a server in this process that
//! misbehaves.

use crate::files::{assert_same_files, files};
use crate::line::Place;
use crate::whole::assert_whole;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

const EVOLVE: &str = "evolve --search vlm --population 6 --cell 24 --breeder mock --seed 5";

/// The journal of `run`.
fn decisions(place: &Place) -> Vec<Value> {
    let journal = place.text("run/decisions.jsonl");
    journal.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_mock_breeds_publishes_and_leaves_its_reasons() {
    let place = Place::new();
    let found = place.json(&format!("{EVOLVE} --out run"));
    assert_eq!(found["cause"], "published");
    assert_eq!(found["published"], json!(["published/000.json"]));
    let decided = decisions(&place);
    assert_eq!(decided.len(), 4);
    for (generation, d) in decided.iter().enumerate() {
        assert_eq!((&d["generation"], &d["pictures"]), (&generation.into(), &6.into()));
        assert_eq!(d["reason"], format!("a seeded toss in generation {generation}"));
        assert_whole(&place.at(&format!("run/sheets/{generation:03}.png")));
    }
    assert!(decided[0]["decision"]["select"].is_array());
    assert_eq!(decided[3]["decision"]["publish"], 0);
    let genome = picloom::genome::read(&place.at("run/published/000.json")).unwrap();
    assert_eq!(genome.provenance.made_by, "picloom evolve --search vlm");
    assert_eq!(genome.provenance.notes["breeder"], "mock/5");
    assert_eq!(genome.provenance.notes["reason"], "a seeded toss in generation 3");
    // A person can go on where the model ended: three selections lead to the last sheet.
    let line = "evolve --search interactive --cell 24 --script run/session.toml --out further";
    assert_eq!(place.json(line)["generation"], 3);
    let [last, sheet] = ["run", "further"]
        .map(|at| picloom::network::Picture::read(&place.at(at).join("sheet.png")).unwrap());
    assert_eq!(last, sheet);
}

#[test]
fn a_run_cut_short_and_resumed_has_the_bytes_of_one_that_was_not() {
    let place = Place::new();
    let whole = format!("{EVOLVE} --publish 2 --generations 9 --threads 1 --out whole");
    let found = place.json(&whole);
    assert_eq!(found["cause"], "published");
    assert_eq!(found["published"].as_array().unwrap().len(), 2);
    assert_eq!(found["generations"], 5);
    let part = place.json(&format!("{EVOLVE} --publish 2 --generations 2 --out cut"));
    assert_eq!((&part["cause"], &part["generations"]), (&json!("generations"), &json!(2)));
    // As if it had died after drawing a sheet and before the decision was kept.
    place.write("cut/sheets/002.png", b"half");
    // Once it has ended, resuming once more changes nothing.
    for _ in 0..2 {
        place.done(&format!("{EVOLVE} --resume --generations 9 --threads 4 --out cut"));
        assert_same_files(&place.at("whole"), &place.at("cut"), "a run cut short or repeated");
    }
}

#[test]
fn other_runs_and_spoilt_decisions_are_refused_and_nothing_is_touched() {
    let place = Place::new();
    place.done(&format!("{EVOLVE} --generations 2 --out run"));
    let before = files(&place.at("run"));
    let other = EVOLVE.replace("--seed 5", "--seed 6");
    place.refused(&format!("{EVOLVE} --out run"), 1, &["--resume"]);
    let seed = ["seed: expected 6, found 5"];
    place.refused(&format!("{other} --resume --out run"), 1, &seed);
    assert_eq!(files(&place.at("run")), before);

    let text = place.text("run/decisions.jsonl");
    for (spoilt, parts) in [
        // A decision that does not follow from those before it.
        (text.replace("mock/5", "mock/7"), &["decisions.jsonl", "mock/7"][..]),
        // Cut off within a line, wherever lines end.
        (text.trim_end().trim_end_matches('}').into(), &["expected a decision"]),
    ] {
        place.write("run/decisions.jsonl", spoilt);
        place.refused(&format!("{EVOLVE} --resume --out run"), 1, parts);
    }
}

/// A server that gives these (status, body) answers in order and counts the requests; when there
/// are no more it closes the connection.
fn server(answers: Vec<(u16, String)>) -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    let count = Arc::new(AtomicUsize::new(0));
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
            counted.fetch_add(1, Ordering::SeqCst);
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
    let place = Place::new();
    let cut = says("cut", "select", &[0]).1;
    let (url, count) = server(vec![
        (500, "busy".into()),
        says("not on the sheet", "select", &[99]),
        says("an eye", "select", &[4, 1]),
        (200, cut[..cut.len() / 2].to_string()),
        says("a fish", "publish", &[3]),
        says("all grey", "stop", &[]),
    ]);
    let line = "evolve --search vlm --population 6 --cell 24 --publish 2 --vlm-model test-model";
    let line = format!("{line} --vlm-cache cache --vlm-url {url} --out");
    let found = place.json(&format!("{line} run"));
    assert_eq!((&found["cause"], &found["last_reason"]), (&json!("stopped"), &json!("all grey")));
    assert_eq!(found["published"], json!(["published/000.json"]));
    let decided = decisions(&place);
    let chosen: Vec<&Value> = decided.iter().map(|d| &d["decision"]).collect();
    assert_eq!(chosen, [&json!({"select": [1, 4]}), &json!({"publish": 3}), &json!("stop")]);
    assert_eq!(decided[0]["reason"], "an eye");
    assert!(decided[0]["breeder"].as_str().unwrap().starts_with("vlm/1 test-model prompt "));
    // The server is silent now; the cache is not.
    place.done(&format!("{line} again"));
    assert_same_files(&place.at("run"), &place.at("again"), "a run cut short or repeated");
    assert_eq!(count.load(Ordering::SeqCst), 6);
    // A run that needs an answer nobody gives ends with the reason and keeps its decisions.
    place.refused(&format!("{line} third --seed 9 --vlm-attempts 1"), 1, &["127.0.0.1"]);
    assert!(place.at("third/sheets/000.png").exists() && !place.at("third/result.json").exists());
}
