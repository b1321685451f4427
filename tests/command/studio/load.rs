//! Clients that ask for too much or leave things behind never take more than there is. Those that hold on to the studio
//! are `tests/crash/run`'s.

use super::client::{Served, root, serve, studio};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

fn connected(served: &Served, head: &str) -> TcpStream {
    let mut stream = TcpStream::connect(("127.0.0.1", served.port)).unwrap();
    let host = format!("host: 127.0.0.1:{}\r\n", served.port);
    if !head.is_empty() {
        stream.write_all(format!("{head} HTTP/1.1\r\n{host}\r\n").as_bytes()).unwrap();
    }
    stream
}

/// The status of the answer that comes within a second; `None` without one.
fn status(stream: &mut TcpStream) -> Option<u16> {
    stream.set_read_timeout(Some(Duration::from_secs(1))).unwrap();
    let mut head = [0; 12];
    stream.read_exact(&mut head).ok()?;
    std::str::from_utf8(&head[9..]).unwrap().parse().ok()
}

#[test]
fn sessions_that_no_memory_holds_are_refused_and_the_others_shown() {
    let root = root();
    for (name, population, steps) in [
        ("crowd", 2000, String::new()),
        // Of a length that a file can have, and no memory.
        ("long", 100_000, "[[step]]\nchosen = [0]\n".repeat(40_000)),
    ] {
        let head = "format = \"picloom-session/1\"\nseed = 1\n[config.reproduction]\n";
        let text = format!("{head}population = {population}\n{steps}");
        root.write(&format!("studio/sessions/{name}.toml"), text);
    }
    let served = serve(root.path());
    served.get("/api/thumb?id=studio/sessions/crowd.toml").ok();
    served.get("/api/sessions/long").refused(400, "40001 sheets × 100000 genomes × 4096 bytes");
    served.get("/api/library").ok();
}

#[test]
fn bodies_take_a_limited_memory_together() {
    let (_root, served) = studio();
    let size = 16 << 20;
    let head = format!(
        "POST /api/open?name=x.png HTTP/1.1\r\nhost: 127.0.0.1:{}\r\ncontent-type: application/octet-stream\r\n",
        served.port
    );
    let held: Vec<TcpStream> = (0..4)
        .map(|_| {
            let mut stream = connected(&served, "");
            stream.write_all(format!("{head}content-length: {size}\r\n\r\nx").as_bytes()).unwrap();
            stream
        })
        .collect();
    std::thread::sleep(Duration::from_millis(300));
    let mut waiting = connected(&served, "");
    waiting.write_all(format!("{head}content-length: 1\r\n\r\nx").as_bytes()).unwrap();
    assert_eq!(status(&mut waiting), None, "there was room for it");
    drop(held);
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(status(&mut waiting), Some(400), "one byte is no picture");
}
