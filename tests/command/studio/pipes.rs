//! Pipes in the place of the files of a folder: whoever lists or opens it is answered.

use super::client::{root, serve};
use std::path::Path;
use std::process::Command;

fn pipe(path: &Path) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

#[test]
fn no_pipe_in_the_place_of_a_file_stops_the_studio() {
    let root = root();
    for name in [
        "markers/picloom.json",
        "configs/config.toml",
        "records/record.json",
        "studies/study.json",
        "claims/claims.json",
        "jobs/a.json",
        "genomes/pipe.json",
        "studio/sessions/pipe.toml",
        "w.arch",
    ] {
        pipe(&root.path().join(name));
    }
    root.write("w.npz", "no weights");
    let served = serve(root.path());
    // Each pipe would hold one of the threads; more than there are are asked.
    for _ in 0..8 {
        served.get("/api/library").ok();
        for id in ["genomes/pipe.json", "configs", "records", "w.npz"] {
            let answer = served.get(&format!("/api/network?id={id}&wiring=graph"));
            assert!((400..500).contains(&answer.status), "{id}: {}", answer.text());
        }
    }
    served.get("/api/network?id=genomes/mask.json&wiring=graph").ok();
}
