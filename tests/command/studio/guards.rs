//! Whoever is not our own page, and whatever is no path below the root, is refused.

use super::client::{root, serve, studio};
use crate::answers::hold;
use crate::files::files;
use picloom::genome::{Composed, to_json};
use picloom::network::Picture;
use serde_json::json;
use std::sync::Arc;

#[test]
fn other_hosts_origins_and_kinds_of_requests_are_refused() {
    let (_root, served) = studio();
    let port = served.port;
    let asked = |host: &str, extra: &str| {
        let head = format!("GET /api/library HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n");
        served.raw(format!("{head}{extra}\r\n").as_bytes())
    };
    let own = format!("127.0.0.1:{port}");
    for host in [own.clone(), format!("localhost:{port}"), format!("[::1]:{port}")] {
        assert_eq!(asked(&host, "").status, 200, "{host}");
    }
    // DNS rebinding: the name of a stranger that leads here.
    for host in ["evil.example", "127.0.0.1", "127.0.0.1:1", &format!("evil.example:{port}"), ""] {
        asked(host, "").refused(421, "host: expected");
    }
    let same = format!("origin: http://{own}\r\nsec-fetch-site: same-origin\r\n");
    assert_eq!(asked(&own, &same).status, 200);
    for extra in [
        "origin: http://evil.example\r\n".to_string(),
        "origin: null\r\n".into(),
        format!("origin: https://{own}\r\n"),
        format!("origin: http://127.0.0.1:{}\r\n", port + 1),
        "sec-fetch-site: cross-site\r\n".into(),
        "sec-fetch-site: same-site\r\n".into(),
    ] {
        asked(&own, &extra).refused(403, "expected a request of this page");
    }
    // A form of another page can post text, and it is not taken for JSON.
    let form = served.request("POST /api/sessions", "content-type: text/plain\r\n", b"{}");
    form.refused(415, "content-type: expected application/json");
    let none = served.request("POST /api/open?name=x.json", "", b"{}");
    none.refused(415, "content-type: expected application/octet-stream");
    let policy = served.get("/").ok();
    let policy = policy.header("content-security-policy").unwrap();
    assert!(policy.contains("script-src 'self'") && !policy.contains("unsafe"), "{policy}");
}

#[test]
fn no_id_leads_out_of_the_root() {
    let root = root();
    std::fs::write(root.path().with_extension("secret.json"), "{}").unwrap();
    std::fs::create_dir(root.at(".git")).unwrap();
    std::fs::copy("genomes/mask.json", root.at(".git/mask.json")).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink("/etc", root.at("etc")).unwrap();
    let served = serve(root.path());
    let name = root.path().file_name().unwrap().to_str().unwrap();
    let long = "a".repeat(5000);
    for id in [
        "..%2f..%2fetc%2fpasswd",
        "../secret.json",
        &format!("genomes/../../{name}.secret.json"),
        "/etc/passwd",
        "%2fetc%2fpasswd",
        "etc/passwd",
        "C:%5cWindows",
        ".git/mask.json",
        "genomes/.%2e/.git/mask.json",
        "genomes/mask.json%00.png",
        "genomes//mask.json",
        "genomes/./mask.json",
        "genomes%5cmask.json",
        "",
        &long,
    ] {
        for path in ["network", "picture", "thumb", "genome", "maps", "download", "score", "study"]
        {
            let answer = served.get(&format!("/api/{path}?id={id}"));
            assert!(matches!(answer.status, 400 | 404), "{path} {id}: {}", answer.status);
        }
        let body = json!({ "from": [id.replace("%2f", "/").replace("%00", "\0")] });
        assert!(matches!(served.post("/api/sessions", &body).status, 400 | 404), "{id}");
    }
    for path in ["/../Cargo.toml", "/..%2fCargo.toml", "/page/../../x", "/api/sessions/..%2f..%2fx"]
    {
        let answer = served.get(path);
        assert!(matches!(answer.status, 400 | 404), "{path}: {}", answer.status);
    }
    // What is hidden or linked in from elsewhere is not listed either.
    let library = served.get("/api/library").ok().text();
    assert!(!library.contains(".git") && !library.contains("etc/"), "{library}");
}

#[test]
fn what_is_too_large_is_refused_and_many_at_once_are_answered() {
    let root = root();
    let served = Arc::new(serve(root.path()));
    let large = vec![b' '; (1 << 20) + 1];
    let kind = "content-type: application/json\r\n";
    served.request("POST /api/sessions", kind, &large).refused(413, "expected at most");
    // Without saying beforehand how long it is.
    let head = format!(
        "POST /api/sessions HTTP/1.1\r\nhost: 127.0.0.1:{}\r\nconnection: close\r\n{kind}transfer-encoding: chunked\r\n\r\n{:x}\r\n",
        served.port,
        large.len()
    );
    let chunked = [head.as_bytes(), &large, b"\r\n0\r\n\r\n"].concat();
    served.raw(&chunked).refused(413, "expected at most");
    // Nor is a file kept.
    served.upload("x.png", &vec![0; (16 << 20) + 1]).refused(413, "expected at most");
    assert!(!root.at("studio/opened").exists());
    let paths = [
        "/api/picture?id=genomes/bred_skull.json&size=64",
        "/api/library",
        "/api/network?id=genomes/bred_moth.json&wiring=layerized",
        "/api/matched?id=genomes/bred_moth.json&link=1",
        "/",
    ];
    let threads: Vec<_> = (0..200)
        .map(|i| {
            let served = served.clone();
            std::thread::spawn(move || served.get(paths[i % paths.len()]).status)
        })
        .collect();
    for thread in threads {
        assert_eq!(thread.join().unwrap(), 200);
    }
}

#[cfg(unix)]
#[test]
fn a_signal_ends_it_and_says_how_to_go_on() {
    let root = root();
    let mut served = serve(root.path());
    assert_eq!(served.signal("-TERM"), Some(130));
    let mut again = serve(root.path());
    assert_eq!(again.signal("-INT"), Some(130));
}

/// Requests that the studio refuses stand in `tests/golden/studio.txt`, and below each its status
/// and the error. It leaves nothing and changes nothing. `UPDATE_GOLDEN=1 cargo test --test command studio`
/// writes what is said now.
#[test]
fn every_refusal_is_the_golden_files() {
    let (root, served) = studio();
    let session = served.made("/api/sessions", &json!({ "seed": 1, "colour": false }));
    let crowd =
        "format = \"picloom-session/1\"\nseed = 1\n[config.reproduction]\npopulation = 2000\n";
    root.write("studio/sessions/crowd.toml", crowd);
    root.write("huge.npz", "");
    root.write("huge.arch", "3;sin:400");
    root.write("genomes/family.json", to_json(&Composed::Face.conditional(1)));
    root.write("genomes/white.png", Picture::filled(8, 8, [1.0; 3]).to_png(&[]));
    let before = files(root.path());
    hold("studio", |line| {
        let answer = match line.split_once(' ').unwrap() {
            ("POST", line) => {
                let (path, body) = line.split_once(' ').unwrap();
                let body = body.replace("VERSION", session["version"].as_str().unwrap());
                served.post(path, &serde_json::from_str(&body).unwrap())
            }
            (_, path) => served.get(path),
        };
        assert!((400..500).contains(&answer.status), "{line}: {}", answer.text());
        let error = answer.json()["error"].as_str().unwrap().to_string();
        format!("{} {}", answer.status, error.replace(root.path().to_str().unwrap(), "ROOT"))
    });
    assert_eq!(served.json("/api/jobs"), json!([]));
    assert!(files(root.path()) == before, "a refusal left or changed a file");
}
