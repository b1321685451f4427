//! The vision-language judge against a server that misbehaves on purpose. Every fault ends in the right answer or in a clear error; no answer is counted twice;
//! a rerun is served wholly from the cache.

use crate::model_server::{Act, Server};
use picloom::network::Picture;
use picloom::score::vlm::{Fault, VlmConfig, VlmError, VlmJudge};
use picloom::score::{Judge, JudgeError, Verdict};
use serde_json::Value;
use std::path::Path;
use std::time::{Duration, Instant};
use tempfile::TempDir;

fn config(server: &Server, cache: &Path) -> VlmConfig {
    VlmConfig {
        url: server.url.clone(),
        first_wait: Duration::from_millis(5),
        timeout: Duration::from_secs(5),
        least_side: 8,
        ..VlmConfig::new("test-model", cache)
    }
}

/// A folder for a cache, and a server.
fn served(acts: &[Act], then: Act) -> (TempDir, Server) {
    (tempfile::tempdir().unwrap(), Server::new(acts, then))
}

fn picture(k: u8) -> Picture {
    let mut picture = base();
    picture.rgb[usize::from(k) * 3] = 1.0;
    picture.rgb[1] = f32::from(k) / 255.0;
    picture
}

fn base() -> Picture {
    Picture::filled(8, 8, [0.2, 0.5, 0.7])
}

/// The verdict of the judge on a picture.
fn judged(judge: &VlmJudge, k: u8) -> Result<Verdict, JudgeError> {
    judge.read_base(&base()).judge(&picture(k))
}

fn judge_one(server: &Server, cache: &Path, k: u8) -> Result<Verdict, JudgeError> {
    judged(&VlmJudge::new(config(server, cache)).unwrap(), k)
}

/// Verdicts of a server without faults.
fn expected(k: u8) -> Verdict {
    let (folder, server) = served(&[], Act::Right);
    let verdict = judge_one(&server, folder.path(), k).unwrap();
    assert_eq!(server.requests(), 2);
    verdict
}

/// The judge's own error in a [`JudgeError`].
fn own(error: JudgeError) -> VlmError {
    match error {
        JudgeError::Other(error) => *error.downcast().expect("an error of the judge itself"),
        error => panic!("{error}"),
    }
}

#[test]
fn both_orders_are_asked_and_every_request_has_the_fixed_form() {
    let (folder, server) = served(&[], Act::Right);
    let verdict = judge_one(&server, folder.path(), 3).unwrap();
    assert_eq!(verdict.p_damaged.max(1.0 - verdict.p_damaged), 1.0);
    let state = server.state.lock().unwrap();
    let texts = |i: usize| {
        let parts = state.requests[i]["messages"][0]["content"].as_array().unwrap();
        [parts[1]["text"].clone(), parts[3]["text"].clone()]
    };
    assert_eq!(texts(0), ["Picture A:", "Picture B:"]);
    assert_eq!(texts(1), ["Picture B:", "Picture A:"]);
    for request in &state.requests {
        assert_eq!(request["model"], "test-model");
        assert_eq!(request["response_format"]["type"], "json_schema");
        assert_eq!(request["response_format"]["json_schema"]["strict"], true);
        let prompt = request["messages"][0]["content"][0]["text"].as_str().unwrap();
        assert!(prompt.contains("Answer coherent or fractured."));
    }
    assert_eq!(state.keys, [None, None]);
}

/// Kept answers in a cache folder.
fn kept(folder: &Path) -> usize {
    let folders = std::fs::read_dir(folder).unwrap().flatten().filter(|e| e.path().is_dir());
    folders.map(|f| std::fs::read_dir(f.path()).unwrap().count()).sum()
}

fn log(folder: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(folder.join("exchanges.jsonl")).unwrap();
    text.lines().map(|l| serde_json::from_str(l).unwrap()).collect()
}

#[test]
fn a_fault_that_passes_is_counted_once_and_one_that_stays_is_told() {
    let status = |status, body: &str, wait: Option<u64>| Fault::Status {
        status,
        body: body.into(),
        retry_after: wait.map(Duration::from_secs),
    };
    let timeout = Duration::from_millis(300);
    let limited =
        |server: &Server, cache: &Path| VlmConfig { timeout, attempts: 3, ..config(server, cache) };
    // Of what the other side says where the last is false, no more than the kind is ours.
    let cases = [
        (Act::Status(429, None, "busy"), 3, status(429, "busy", None), true),
        (Act::Status(500, None, "oops"), 3, status(500, "oops", None), true),
        (Act::Status(503, Some("0"), ""), 3, status(503, "", Some(0)), true),
        (Act::Status(404, None, "no such model"), 1, status(404, "no such model", None), true),
        (Act::Status(400, None, "no images here"), 1, status(400, "no images here", None), true),
        (Act::Status(307, None, ""), 1, status(307, "", None), true),
        (Act::Status(429, Some("9999"), "later"), 1, status(429, "later", Some(9999)), true),
        (Act::Late(Duration::from_millis(700)), 3, Fault::Timeout(timeout), true),
        (Act::Refuse, 3, Fault::Refusal("I cannot.".into()), true),
        (Act::Status(401, None, "bad key"), 1, Fault::Key { status: 401, hint: "".into() }, false),
        (Act::CutJson, 3, Fault::Envelope("".into()), false),
        (Act::ShortBody, 3, Fault::Connection("".into()), false),
        (Act::Close, 3, Fault::Connection("".into()), false),
        (Act::Content("It looks coherent to me."), 3, Fault::Answer("".into()), false),
    ];
    for (k, (act, requests, wanted, is_exact)) in (1..).zip(cases) {
        let (folder, server) = served(&[], act.clone());
        let error = judged(&VlmJudge::new(limited(&server, folder.path())).unwrap(), 1);
        let error = error.unwrap_err();
        assert_eq!(server.requests(), requests, "{act:?}");
        assert_eq!(kept(folder.path()), 0, "{act:?}: a fault was kept as an answer");
        let VlmError::NoAnswer { endpoint, attempts, fault } = own(error) else {
            panic!("{act:?}");
        };
        assert!(endpoint.starts_with(&server.url), "{endpoint}");
        assert_eq!(attempts as usize, requests, "{act:?}");
        let kind = |fault: &Fault| std::mem::discriminant(fault);
        let is_wanted = fault == wanted || !is_exact && kind(&fault) == kind(&wanted);
        assert!(is_wanted, "{act:?}: {fault:?}");
        if requests == 1 {
            continue;
        }

        // The first vote fails twice, then all is well.
        let (folder, server) = served(&[act.clone(), act.clone()], Act::Right);
        let cache = folder.path();
        let judge = VlmJudge::new(limited(&server, cache)).unwrap();
        let verdict = judged(&judge, k).unwrap();
        assert_eq!(verdict, expected(k), "{act:?}");
        let usage = judge.usage().unwrap();
        assert_eq!((usage.questions, usage.requests, usage.failed), (2, 4, 2), "{act:?}");
        // Two votes, two kept answers, four logged exchanges.
        assert_eq!((server.requests(), kept(cache), log(cache).len()), (4, 2, 4), "{act:?}");
        // A late answer that arrives after its time is nobody's answer.
        if matches!(act, Act::Late(_)) {
            std::thread::sleep(Duration::from_millis(900));
        }
        // The rerun asks nobody.
        assert_eq!(judge_one(&server, cache, k).unwrap(), verdict, "{act:?}");
        assert_eq!(server.requests(), 4, "{act:?}");
    }
}

#[test]
fn the_servers_wish_to_wait_is_granted() {
    let (folder, server) = served(&[Act::Status(429, Some("1"), "")], Act::Right);
    let started = Instant::now();
    judge_one(&server, folder.path(), 2).unwrap();
    assert!(started.elapsed() >= Duration::from_secs(1));
    assert_eq!(server.requests(), 3);
}

#[test]
fn an_interrupted_round_continues_where_it_stopped() {
    let folder = tempfile::tempdir().unwrap();
    let base = base();
    // Five good answers, then the server breaks for good.
    let right = vec![Act::Right; 5];
    let server = Server::new(&right, Act::Status(400, None, "broken"));
    let first = VlmJudge::new(config(&server, folder.path())).unwrap();
    let reading = first.read_base(&base);
    assert!((1..=4).map(|k| reading.judge(&picture(k))).any(|v| v.is_err()));
    assert_eq!(kept(folder.path()), 5);
    // Mended: only the three missing answers are asked for.
    let server = Server::new(&[], Act::Right);
    let second = VlmJudge::new(config(&server, folder.path())).unwrap();
    let reading = second.read_base(&base);
    for k in 1..=4 {
        assert_eq!(reading.judge(&picture(k)).unwrap(), expected(k));
    }
    assert_eq!(server.requests(), 3);
    let usage = second.usage().unwrap();
    assert_eq!((usage.questions, usage.from_cache, usage.requests), (8, 5, 3));
    assert_eq!((usage.prompt_tokens, usage.completion_tokens), (300, 21));
}

#[test]
fn requests_at_a_time_are_limited_and_equal_questions_are_asked_once() {
    let (folder, server) = served(&[], Act::Right);
    let config = VlmConfig { at_a_time: 3, ..config(&server, folder.path()) };
    let judge = VlmJudge::new(config).unwrap();
    let base = base();
    let reading = judge.read_base(&base);
    std::thread::scope(|scope| {
        // Twelve threads, four different pictures.
        for k in 0..12u8 {
            let reading = &reading;
            scope.spawn(move || reading.judge(&picture(k % 4 + 1)).unwrap());
        }
    });
    assert_eq!(server.requests(), 8);
    let most = server.state.lock().unwrap().most;
    assert!(most > 1 && most <= 3, "{most} at once");
    let usage = judge.usage().unwrap();
    assert_eq!((usage.questions, usage.from_cache), (24, 16));
}
