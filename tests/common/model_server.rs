//! A vision-language model in this process: a real HTTP server that misbehaves as it is told.

use picloom::score::Label;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// The server's reaction to a request.
#[derive(Clone, Debug)]
pub(crate) enum Act {
    /// Answers truthfully, by [`truth`].
    Right,
    /// A status, a Retry-After header, a body.
    Status(u16, Option<&'static str>, &'static str),
    /// The opposite of the truth, too late.
    Late(Duration),
    /// A chat completion with this content.
    Content(&'static str),
    /// A chat completion with a refusal.
    Refuse,
    /// A 200 whose body is cut in the middle of the JSON, its length being right.
    CutJson,
    /// A 200 that promises more bytes than come.
    ShortBody,
    /// Closes without a word.
    Close,
}

/// The answers to come, the requests with their keys, and the most requests that were open at one time.
#[derive(Default)]
pub(crate) struct State {
    acts: VecDeque<Act>,
    then: Option<Act>,
    pub(crate) requests: Vec<Value>,
    pub(crate) keys: Vec<Option<String>>,
    now: usize,
    pub(crate) most: usize,
}

/// A server on a free local port; it ends with the process.
pub(crate) struct Server {
    pub(crate) url: String,
    pub(crate) state: Arc<Mutex<State>>,
}

impl Server {
    /// Acts in this order, then always `then`.
    pub(crate) fn new(acts: &[Act], then: Act) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let state = Arc::new(Mutex::new(State {
            acts: acts.iter().cloned().collect(),
            then: Some(then),
            ..State::default()
        }));
        let shared = state.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let state = shared.clone();
                std::thread::spawn(move || serve(stream, &state));
            }
        });
        Server { url, state }
    }

    pub(crate) fn requests(&self) -> usize {
        self.state.lock().unwrap().requests.len()
    }
}

/// Reads one request and acts; `None` if the connection ended.
fn serve(mut stream: TcpStream, state: &Mutex<State>) -> Option<()> {
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    let (mut length, mut key) = (0, None);
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        let line = line.trim_end();
        if line.is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':') {
            match name.to_ascii_lowercase().as_str() {
                "content-length" => length = value.trim().parse().unwrap(),
                "authorization" => key = Some(value.trim().to_string()),
                _ => {}
            }
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let request: Value = serde_json::from_slice(&body).unwrap();
    assert!(request.to_string().contains("data:image/png;base64,"));
    let act = {
        let mut state = state.lock().unwrap();
        state.requests.push(request.clone());
        state.keys.push(key);
        state.now += 1;
        state.most = state.most.max(state.now);
        state.acts.pop_front().or_else(|| state.then.clone()).unwrap()
    };
    // Long enough for concurrent requests to overlap.
    std::thread::sleep(Duration::from_millis(15));
    let right = answer(truth(&request));
    let (mut status, mut header, mut missing) = (200, String::new(), 0);
    let mut text = completion(&right);
    match act {
        Act::Right => {}
        Act::Status(code, after, body) => {
            header = after.map_or(String::new(), |s| format!("Retry-After: {s}\r\n"));
            (status, text) = (code, body.to_string());
        }
        Act::Late(delay) => {
            std::thread::sleep(delay);
            let wrong = match truth(&request) {
                Label::Clean => Label::Damaged,
                Label::Damaged => Label::Clean,
            };
            text = completion(&answer(wrong));
        }
        Act::Content(content) => text = completion(content),
        Act::Refuse => {
            let message = json!({"role": "assistant", "content": null, "refusal": "I cannot."});
            text = json!({"choices": [{"message": message}]}).to_string();
        }
        Act::CutJson => text.truncate(text.len() / 2),
        Act::ShortBody => missing = 100,
        Act::Close => {
            state.lock().unwrap().now -= 1;
            return None;
        }
    }
    let length = text.len() + missing;
    let head = format!(
        "HTTP/1.1 {status} X\r\nContent-Type: application/json\r\n{header}Content-Length: {length}\r\nConnection: close\r\n\r\n"
    );
    state.lock().unwrap().now -= 1;
    stream.write_all(head.as_bytes()).ok()?;
    stream.write_all(text.as_bytes()).ok()
}

fn answer(label: Label) -> String {
    json!({"reason": "seen", "answer": label, "confidence": 1.0}).to_string()
}

fn completion(content: &str) -> String {
    json!({
        "id": "x",
        "choices": [{"index": 0, "finish_reason": "stop",
                     "message": {"role": "assistant", "content": content}}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 7, "total_tokens": 107},
    })
    .to_string()
}

/// The server's idea of picture B: damaged if its data URL has an odd sum of bytes. It finds B
/// by the name before it, whatever the order.
fn truth(request: &Value) -> Label {
    let parts = request["messages"][0]["content"].as_array().unwrap();
    // A sheet for breeding has no B; nobody looks at the truth then.
    let Some(at) = parts.iter().position(|p| p["text"] == "Picture B:") else {
        return Label::Clean;
    };
    let url = parts[at + 1]["image_url"]["url"].as_str().unwrap();
    if url.bytes().map(u64::from).sum::<u64>() % 2 == 1 { Label::Damaged } else { Label::Clean }
}
