//! `picloom evolve --search vlm`: breeding by a mock, and by a server that misbehaves; the key of a server.

use crate::cases::cases;
use crate::files::assert_same_files;
use crate::line::{Place, Said, assert_has};
use crate::model_server::{Act, Server};
use crate::said::{assert_lacks, assert_says};
use picloom::network::Picture;
use serde_json::{Value, json};

/// The journal of `run`.
fn decisions(place: &Place) -> Vec<Value> {
    let journal = place.text("run/decisions.jsonl");
    journal.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

cases! {
    evolve_vlm:
    a_mock_breeds_publishes_and_leaves_its_reasons,
    a_run_cut_short_and_resumed_has_the_bytes_of_one_that_was_not,
    other_runs_and_spoilt_decisions_are_refused_and_nothing_is_touched,
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
