//! The served program and a plain HTTP client: raw bytes over TCP, so that nothing is put right on the way.

use crate::PROGRAM;
use crate::line::Place;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A server of a folder of its own. Killed when dropped; its log must not have a panic.
pub(crate) struct Served {
    child: Child,
    pub port: u16,
    log: PathBuf,
}

/// An answer.
#[derive(Debug)]
pub(crate) struct Answer {
    pub status: u16,
    pub headers: String,
    pub body: Vec<u8>,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|e| panic!("{e}: {}", String::from_utf8_lossy(&self.body)))
    }

    #[track_caller]
    pub(crate) fn ok(self) -> Self {
        assert!(matches!(self.status, 200 | 201), "{}: {}", self.status, self.text());
        self
    }

    /// Refused with this status, as JSON whose error has this text.
    #[track_caller]
    pub(crate) fn refused(&self, status: u16, text: &str) {
        assert_eq!(self.status, status, "{}", self.text());
        let error = self.json()["error"].as_str().unwrap().to_string();
        assert!(error.contains(text), "{error}");
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.lines().find_map(|line| {
            let (key, value) = line.split_once(':')?;
            key.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }
}

/// A body that came in pieces, which must have come to its end.
#[track_caller]
fn dechunked(mut body: &[u8]) -> Vec<u8> {
    let mut whole = Vec::new();
    loop {
        let end = body.windows(2).position(|two| two == b"\r\n").expect("a body that is cut off");
        let length = std::str::from_utf8(&body[..end]).unwrap();
        let length = usize::from_str_radix(length, 16).unwrap();
        let piece = &body[end + 2..];
        if length == 0 {
            return whole;
        }
        whole.extend_from_slice(&piece[..length]);
        body = &piece[length + 2..];
    }
}

/// Writes a few genomes.
pub(crate) fn fill(root: &Place) {
    for name in ["bred_moth", "bred_skull", "mask"] {
        let file = format!("genomes/{name}.json");
        root.write(&file, std::fs::read(&file).unwrap());
    }
}

/// A root with a few genomes.
pub(crate) fn root() -> Place {
    let root = Place::new();
    fill(&root);
    root
}

/// [`root`], and its server.
pub(crate) fn studio() -> (Place, Served) {
    let root = root();
    let served = serve(root.path());
    (root, served)
}

/// A training of a thing.
pub(crate) fn training(id: &str, wiring: &str, steps: u64, size: u64) -> Value {
    json!({ "kind": "train", "id": id, "wiring": wiring, "steps": steps, "size": size })
}

/// A pruning of a run to so many links.
pub(crate) fn pruning(id: &str, method: &str, budget: u64, steps: u64) -> Value {
    json!({ "kind": "prune", "id": id, "method": method, "budget": budget, "steps": steps })
}

/// A document with more keys, or other values of some.
pub(crate) fn with(mut document: Value, more: Value) -> Value {
    document.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    document
}

pub(crate) fn serve(root: &Path) -> Served {
    let log = root.with_extension("log");
    let file = std::fs::OpenOptions::new().append(true).create(true).open(&log).unwrap();
    let mut child = Command::new(PROGRAM)
        .args(["studio", "--json", "--quiet", "--port", "4100"])
        .arg(root)
        .stdout(Stdio::piped())
        .stderr(file)
        .spawn()
        .unwrap();
    let mut said = String::new();
    let mut lines = BufReader::new(child.stdout.take().unwrap());
    while !said.trim_end().ends_with('}') {
        assert!(lines.read_line(&mut said).unwrap() > 0, "it ended");
    }
    let said: Value = serde_json::from_str(&said).unwrap();
    let address = said["address"].as_str().unwrap();
    let port = address.trim_end_matches('/').rsplit(':').next().unwrap().parse().unwrap();
    Served { child, port, log }
}

impl Served {
    /// Sends these bytes and reads until the server closes.
    pub(crate) fn raw(&self, request: &[u8]) -> Answer {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(120))).unwrap();
        // Refused early, the rest of a body may not be read.
        let _ = stream.write_all(request);
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes);
        let split = bytes.windows(4).position(|w| w == b"\r\n\r\n").expect("an answer");
        let headers = String::from_utf8(bytes[..split].to_vec()).unwrap();
        let status = headers.split_whitespace().nth(1).unwrap().parse().unwrap();
        let answer = Answer { status, headers, body: bytes[split + 4..].to_vec() };
        match answer.header("transfer-encoding") {
            Some("chunked") => Answer { body: dechunked(&answer.body), ..answer },
            _ => answer,
        }
    }

    pub(crate) fn request(&self, head: &str, extra: &str, body: &[u8]) -> Answer {
        let port = self.port;
        let length = match head.starts_with("POST") {
            true => format!("content-length: {}\r\n", body.len()),
            false => String::new(),
        };
        let head = format!(
            "{head} HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\nconnection: close\r\n{length}{extra}\r\n"
        );
        self.raw(&[head.as_bytes(), body].concat())
    }

    pub(crate) fn get(&self, path: &str) -> Answer {
        self.request(&format!("GET {path}"), "", b"")
    }

    pub(crate) fn json(&self, path: &str) -> Value {
        self.get(path).ok().json()
    }

    pub(crate) fn post(&self, path: &str, body: &Value) -> Answer {
        let kind = "content-type: application/json\r\n";
        self.request(&format!("POST {path}"), kind, body.to_string().as_bytes())
    }

    /// What came of a document that was taken.
    #[track_caller]
    pub(crate) fn made(&self, path: &str, body: &Value) -> Value {
        self.post(path, body).ok().json()
    }

    /// Begins work: its id.
    #[track_caller]
    pub(crate) fn begun(&self, work: &Value) -> String {
        self.made("/api/jobs", work)["job"].as_str().unwrap().to_string()
    }

    /// The state of a job, once it is this.
    #[track_caller]
    pub(crate) fn over(&self, job: &str, status: &str) -> Value {
        self.until(&format!("/api/jobs/{job}"), |state| {
            assert!(state["status"] != "failed" || status == "failed", "{state}");
            state["status"] == status
        })
    }

    /// The run of this work, once it is finished.
    #[track_caller]
    pub(crate) fn trained(&self, work: &Value) -> String {
        let job = self.begun(work);
        self.over(&job, "finished");
        format!("runs/studio/{job}")
    }

    /// The page's answer about a network.
    #[track_caller]
    pub(crate) fn network(&self, id: &str) -> Value {
        self.json(&format!("/api/network?id={id}"))
    }

    pub(crate) fn upload(&self, name: &str, bytes: &[u8]) -> Answer {
        let kind = "content-type: application/octet-stream\r\n";
        self.request(&format!("POST /api/open?name={name}"), kind, bytes)
    }

    /// Ends the process at once, as a power cut would.
    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Asks again until the answer is as wanted.
    #[track_caller]
    pub(crate) fn until(&self, path: &str, mut wanted: impl FnMut(&Value) -> bool) -> Value {
        let begun = Instant::now();
        loop {
            let answer = self.json(path);
            if wanted(&answer) {
                return answer;
            }
            assert!(begun.elapsed() < Duration::from_secs(180), "{path}: {answer}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    #[cfg(unix)]
    pub(crate) fn signal(&mut self, name: &str) -> Option<i32> {
        crate::line::signal(self.child.id(), name);
        self.child.wait().unwrap().code()
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let log = std::fs::read_to_string(&self.log).unwrap_or_default();
        if !std::thread::panicking() {
            assert!(!log.contains("panicked"), "{log}");
        }
    }
}
