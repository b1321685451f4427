//! A folder of strangers holds links: what they lead to outside of the root is not opened.

#![cfg(unix)]

use super::client::{pruning, root, serve};
use crate::line::Place;
use crate::said::assert_lacks;
use serde_json::json;
use std::os::unix::fs::symlink;
use std::path::Path;

/// A folder whose every entry is a link to that of another.
fn linked(to: &Path, folder: &Path) {
    std::fs::create_dir_all(folder).unwrap();
    for entry in std::fs::read_dir(to).unwrap() {
        let entry = entry.unwrap();
        symlink(entry.path(), folder.join(entry.file_name())).unwrap();
    }
}

#[test]
fn links_inside_of_folders_lead_nowhere() {
    let outside = Place::new();
    outside
        .done("train --genome mask --target ROOT/genomes/mask.json --size 16 --steps 20 --out run");
    let run = outside.at("run");
    outside.write("secret", "a secret of five years");
    let secret = outside.at("secret");
    let told = json!({ "format": "x", "study": "hidden-name", "question": "hidden question" });
    outside.write("study.json", told.to_string());

    let root = root();
    linked(&run, &root.at("runs/all"));
    // Only one of its files is a link: whichever it is, the run is not opened.
    let files = ["config.toml", "result.json", "weights.safetensors", "mask.json", "target.npz"];
    for file in files {
        let folder = format!("runs/{file}");
        root.copy(run.to_str().unwrap(), &folder, |name| name != file);
        symlink(run.join(file), root.at(&folder).join(file)).unwrap();
    }
    root.write("w.npz", "");
    symlink(&secret, root.at("w.arch")).unwrap();
    std::fs::create_dir_all(root.at("study")).unwrap();
    symlink(outside.at("study.json"), root.at("study/study.json")).unwrap();
    symlink(Path::new("genomes/mask.json").canonicalize().unwrap(), root.at("genomes/out.json"))
        .unwrap();

    let served = serve(root.path());
    for file in files {
        let network = served.get(&format!("/api/network?id=runs/{file}"));
        network.refused(404, &format!("runs/{file}/{file}: expected a place below the root"));
        let work = pruning(&format!("runs/{file}"), "magnitude", 3, 1);
        served.post("/api/jobs", &work).refused(404, "found a link out of it");
    }
    for path in ["network?id=runs/all", "network?id=w.npz", "network?id=genomes/out.json"] {
        served.get(&format!("/api/{path}")).refused(404, "found a link out of it");
    }
    served.get("/api/study?id=study").refused(404, "found a link out of it");
    for path in
        ["library", "thumb?id=runs/all", "thumb?id=study", "study?id=study", "network?id=w.npz"]
    {
        let said = served.get(&format!("/api/{path}")).text();
        assert_lacks(&said, &["secret of", "hidden"]);
    }
}
