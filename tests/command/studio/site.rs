//! The site of chosen networks: what `picloom studio --export` adds to the page that `crates/web/build` wrote. The page itself
//! is tested in a browser (`crates/web/test`).

use super::client::root;
use picloom::genome::{from_json, to_json};
use picloom::page::CarriedNetwork;
use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// What `crates/web/build` writes, as far as it is looked at.
pub(crate) fn built(folder: &Path) {
    std::fs::create_dir_all(folder).unwrap();
    for name in ["page.js", "style.css", "site.css", "icon.svg", "worker.js"] {
        std::fs::write(folder.join(name), name).unwrap();
    }
    for name in ["picloom.wasm", "picloom-plain.wasm"] {
        std::fs::write(folder.join(name), b"\0asm").unwrap();
    }
    let index = "<head>\n<script defer src=\"page.js\"></script>\n</head>";
    std::fs::write(folder.join("index.html"), index).unwrap();
    let one = "<body>\n<script>\nwindow.PICLOOM_SITE = {\n};\n</script>\n</body>";
    std::fs::write(folder.join("picloom.html"), one).unwrap();
}

/// Exports these ids of `root` to `root/site`: what was said, and whether it was done.
fn export(root: &Path, ids: &[&str]) -> (bool, String) {
    let done = Command::new(env!("CARGO_BIN_EXE_picloom"))
        .args(["studio", "--quiet", "--ids"])
        .args(ids)
        .args(["--site", "built", "--export", "site"])
        .current_dir(root)
        .output()
        .unwrap();
    (done.status.success(), String::from_utf8(done.stderr).unwrap())
}

/// The networks of `root/site`.
fn networks(root: &Path) -> Vec<Value> {
    let script = std::fs::read_to_string(root.join("site/networks.js")).unwrap();
    assert!(!script.contains('<'), "no text ends the script: {script}");
    let json = script.strip_prefix("window.PICLOOM_NETWORKS = ").unwrap();
    serde_json::from_str(json.trim_end().strip_suffix(';').unwrap()).unwrap()
}

#[test]
fn a_site_has_the_chosen_networks_as_a_page_reads_them() {
    let root = root();
    let root = root.path();
    built(&root.join("built"));
    let mut genome = from_json(&std::fs::read_to_string("genomes/mask.json").unwrap()).unwrap();
    genome.provenance.name = "<img src=x onerror=alert(1)></script>".into();
    std::fs::write(root.join("genomes/hostile.json"), to_json(&genome)).unwrap();
    let train = "train --genome genomes/hostile.json --wiring dense --target genomes/hostile.json --size 16 --steps 3 --quiet";
    let done = Command::new(env!("CARGO_BIN_EXE_picloom"))
        .args(train.split(' '))
        .args(["--out", "run"])
        .current_dir(root)
        .output();
    assert!(done.unwrap().status.success());
    let (is_done, said) = export(root, &["genomes/hostile.json", "run", "bred_moth"]);
    assert!(is_done, "{said}");
    let found = networks(root);
    let ids: Vec<&str> = found.iter().map(|one| one["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["genomes/hostile.json", "run", "genomes/bred_moth.json"]);
    assert_eq!(found[0]["text"], to_json(&genome));
    assert_eq!(found[0]["entry"]["nodes"], genome.nodes().len());
    let carried = CarriedNetwork::read(found[1]["text"].as_str().unwrap()).unwrap();
    assert_eq!((carried.target.as_str(), carried.size), ("genomes/hostile.json", 16));
    assert_eq!((carried.r2, &found[1]["entry"]["finished"]), (carried.r2, &true.into()));
    assert!(carried.r2.is_some() && carried.model().is_ok());
    // The page loads them before itself, and the page of one file has them inside.
    let index = std::fs::read_to_string(root.join("site/index.html")).unwrap();
    let at = |what: &str| index.find(what).unwrap();
    assert!(at("src=\"networks.js\"") < at("src=\"page.js\""));
    let one = std::fs::read_to_string(root.join("site/picloom.html")).unwrap();
    let at = |what: &str| one.find(what).unwrap();
    assert!(at("window.PICLOOM_NETWORKS") < at("window.PICLOOM_SITE"));
    // Once more over itself; a target that is not on the site is not named.
    assert!(export(root, &["run"]).0);
    let found = networks(root);
    let carried = CarriedNetwork::read(found[0]["text"].as_str().unwrap()).unwrap();
    assert_eq!((found.len(), carried.target.as_str()), (1, ""));
}

#[test]
fn a_site_that_cannot_be_written_is_refused_and_nothing_is_made() {
    let root = root();
    let root = root.path();
    let (is_done, said) = export(root, &["genomes/mask.json"]);
    assert!(!is_done && said.contains("crates/web/build") && said.contains("--site"), "{said}");
    built(&root.join("built"));
    let (is_done, said) = export(root, &["genomes/none.json"]);
    assert!(!is_done && said.contains("genomes/none.json"), "{said}");
    // A site of another time, whose page does not load networks.
    std::fs::write(root.join("built/index.html"), "<head></head>").unwrap();
    let (is_done, said) = export(root, &["genomes/mask.json"]);
    assert!(!is_done && said.contains("index.html"), "{said}");
    built(&root.join("built"));
    let large = "train --arch 3;sin:180 --target mask --size 8 --steps 1 --quiet --out large";
    let done = Command::new(env!("CARGO_BIN_EXE_picloom"))
        .args(large.split(' '))
        .current_dir(root)
        .output();
    assert!(done.unwrap().status.success());
    let (is_done, said) = export(root, &["large"]);
    assert!(!is_done && said.contains("large: expected a network of at most 65536"), "{said}");
    assert!(!root.join("site").exists());
    std::fs::create_dir(root.join("site")).unwrap();
    std::fs::write(root.join("site/mine.txt"), "mine").unwrap();
    let (is_done, said) = export(root, &["genomes/mask.json"]);
    assert!(!is_done && said.contains("found other files"), "{said}");
}
