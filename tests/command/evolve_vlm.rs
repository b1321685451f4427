//! `picloom evolve --search vlm`: breeding by a mock, and by a server that misbehaves; the key of a server.

use crate::files::{assert_same_files, files};
use crate::line::{Place, Said, assert_has, list};
use crate::model_server::{Act, Server};
use crate::said::{assert_lacks, assert_says};
use picloom::network::Picture;
use serde_json::{Value, json};

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
    assert_has(&found, json!({ "cause": "published", "published": ["published/000.json"] }));
    let decided = decisions(&place);
    assert_eq!(decided.len(), 4);
    for (generation, d) in decided.iter().enumerate() {
        let reason = format!("a seeded toss in generation {generation}");
        assert_has(d, json!({ "generation": generation, "pictures": 6, "reason": reason }));
        place.whole("run/sheets", &format!("{generation:03}.png"));
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
    let [last, sheet] =
        ["run", "further"].map(|at| Picture::read(&place.at(at).join("sheet.png")).unwrap());
    assert_eq!(last, sheet);
}

#[test]
fn a_run_cut_short_and_resumed_has_the_bytes_of_one_that_was_not() {
    let place = Place::new();
    let whole = format!("{EVOLVE} --publish 2 --generations 9 --threads 1 --out whole");
    let found = place.json(&whole);
    assert_has(&found, json!({ "cause": "published", "generations": 5 }));
    assert_eq!(list(&found["published"]).len(), 2);
    let part = place.json(&format!("{EVOLVE} --publish 2 --generations 2 --out cut"));
    assert_has(&part, json!({ "cause": "generations", "generations": 2 }));
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

#[test]
fn a_model_behind_a_faulty_server_breeds_and_a_rerun_asks_nothing() {
    let place = Place::new();
    let acts = [
        Act::Status(500, None, "busy"),
        // A picture that is not there: asked again.
        Act::Content(r#"{"reason":"not on the sheet","action":"select","pictures":[99]}"#),
        Act::Content(r#"{"reason":"an eye","action":"select","pictures":[4,1]}"#),
        Act::CutJson,
        Act::Content(r#"{"reason":"a fish","action":"publish","pictures":[3]}"#),
        Act::Content(r#"{"reason":"all grey","action":"stop","pictures":[]}"#),
    ];
    let server = Server::new(&acts, Act::Close);
    let url = &server.url;
    let line = "evolve --search vlm --population 6 --cell 24 --publish 2 --vlm-model test-model";
    let line = format!("{line} --vlm-cache cache --vlm-url {url} --out");
    let found = place.json(&format!("{line} run"));
    assert_has(&found, json!({ "cause": "stopped", "last_reason": "all grey" }));
    assert_eq!(found["published"], json!(["published/000.json"]));
    let decided = decisions(&place);
    let chosen: Vec<&Value> = decided.iter().map(|d| &d["decision"]).collect();
    assert_eq!(chosen, [&json!({"select": [1, 4]}), &json!({"publish": 3}), &json!("stop")]);
    assert_eq!(decided[0]["reason"], "an eye");
    assert!(decided[0]["breeder"].as_str().unwrap().starts_with("vlm/1 test-model prompt "));
    // The server is silent now; the cache is not.
    place.done(&format!("{line} again"));
    assert_same_files(&place.at("run"), &place.at("again"), "a run cut short or repeated");
    assert_eq!(server.requests(), 6);
    let asked = server.state.lock().unwrap().requests[4].to_string();
    assert!(asked.contains("because: an eye") && asked.contains("Generation 1, pictures 0 to 5"));
    // A run that needs an answer nobody gives ends with the reason and keeps its decisions.
    place.refused(&format!("{line} third --seed 9 --vlm-attempts 1"), 1, &["127.0.0.1"]);
    assert!(place.at("third/sheets/000.png").exists() && !place.at("third/result.json").exists());
}

#[test]
fn the_key_is_sent_and_never_shown() {
    const KEY: &str = "sk-very-secret-1234567890";
    let place = Place::new();
    let mut csv = String::from("image,base,label\n");
    for k in 0..=3 {
        let mut picture = Picture::filled(8, 8, [0.2, 0.5, 0.7]);
        (picture.rgb[3 * k], picture.rgb[1]) = (1.0, k as f32 / 255.0);
        place.write(&format!("{k}.png"), picture.to_png(&[]));
        if k > 0 {
            csv += &format!("{k}.png,0.png,clean\n");
        }
    }
    place.write("x_labels.csv", csv);
    let run = |server: &Server, cache: &str, code: i32| {
        let asked = format!("--judge vlm --vlm-model m --vlm-url {}", server.url);
        let more = format!("--vlm-cache {cache} --vlm-key PICLOOM_TEST_KEY --vlm-attempts 2");
        let mut command = place.command(&format!("judge test x_labels.csv {asked} {more} --json"));
        let said = Said::from(command.env("PICLOOM_TEST_KEY", KEY).output().unwrap());
        assert_eq!(said.code, Some(code), "{said:?}");
        let log = place.text(&format!("{cache}/exchanges.jsonl"));
        [&said.out, &said.error, &log].iter().for_each(|text| assert_lacks(text, &["sk-very"]));
        said
    };
    // A server that is content: the key arrives.
    let server = Server::new(&[], Act::Right);
    let record = run(&server, "good", 0).json();
    assert_has(&record, json!({ "usage": { "requests": 6 }, "pooled": { "pictures": 3 } }));
    let keys = server.state.lock().unwrap().keys.clone();
    assert_eq!(keys, vec![Some(format!("Bearer {KEY}")); 6]);
    // The rerun is served wholly from the cache, and says the same.
    let again = run(&server, "good", 0).json();
    assert_eq!(server.requests(), 6);
    assert_eq!((&again["pooled"], &again["usage"]["from_cache"]), (&record["pooled"], &json!(6)));

    // Servers that repeat the key in an error: it is not passed on.
    for (cache, act, says) in [
        (
            "refused",
            Act::Status(401, None, "wrong key sk-very-secret-1234567890"),
            "PICLOOM_TEST_KEY",
        ),
        ("failed", Act::Status(500, None, "cannot serve sk-very-secret-1234567890"), ""),
        ("answered", Act::Content("your key is sk-very-secret-1234567890"), ""),
    ] {
        assert_says(&run(&Server::new(&[], act), cache, 1).error, &[says]);
    }
}
