//! The site of chosen networks: what `picloom studio --export` puts into the page. The page itself is tested in a browser
//! (`crates/web/test`).

use super::client::root;
use crate::cases::cases;
use crate::line::{Place, Said};
use picloom::genome::{from_json, to_json};
use picloom::page::CarriedNetwork;
use serde_json::Value;

/// Exports these ids, separated by blanks, to `site`.
fn export(root: &Place, ids: &str) -> Said {
    root.run(&format!("studio --quiet --export site --ids {ids}"))
}

/// The networks of `root/site`.
fn networks(root: &Place) -> Vec<Value> {
    let script = root.text("site/networks.js");
    assert!(!script.contains('<'), "no text ends the script: {script}");
    let json = script.strip_prefix("window.PICLOOM_NETWORKS = ").unwrap();
    serde_json::from_str(json.trim_end().strip_suffix(';').unwrap()).unwrap()
}

cases! {
    site:
    a_site_that_cannot_be_written_is_refused_and_nothing_is_made,
}

#[test]
fn a_site_has_the_chosen_networks_as_a_page_reads_them() {
    let root = root();
    let mut genome = from_json(&std::fs::read_to_string("genomes/mask.json").unwrap()).unwrap();
    genome.provenance.name = "<img src=x onerror=alert(1)></script>".into();
    root.write("genomes/hostile.json", to_json(&genome));
    let hostile = "genomes/hostile.json";
    let train = format!("train --genome {hostile} --wiring dense --target {hostile} --size 16");
    root.done(&format!("{train} --steps 3 --out run"));
    let said = export(&root, &format!("{hostile} run bred_moth"));
    assert_eq!(said.code, Some(0), "{said:?}");
    let found = networks(&root);
    let ids: Vec<&str> = found.iter().map(|one| one["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["genomes/hostile.json", "run", "genomes/bred_moth.json"]);
    assert_eq!(found[0]["text"], to_json(&genome));
    assert_eq!(found[0]["entry"]["nodes"], genome.nodes().len());
    let carried = CarriedNetwork::read(found[1]["text"].as_str().unwrap()).unwrap();
    assert_eq!((carried.target.as_str(), carried.size), ("genomes/hostile.json", 16));
    assert_eq!((carried.r2, &found[1]["entry"]["finished"]), (carried.r2, &true.into()));
    assert!(carried.r2.is_some() && carried.model().is_ok());
    // The page loads them before itself, and the page of one file has them inside.
    let index = root.text("site/index.html");
    let at = |what: &str| index.find(what).unwrap();
    assert!(at("src=\"networks.js\"") < at("src=\"page.js\""));
    let one = root.text("site/picloom.html");
    let at = |what: &str| one.find(what).unwrap();
    assert!(at("window.PICLOOM_NETWORKS") < at("window.PICLOOM_SITE"));
    // Once more over itself; a target that is not on the site is not named.
    assert_eq!(export(&root, "run").code, Some(0));
    let found = networks(&root);
    let carried = CarriedNetwork::read(found[0]["text"].as_str().unwrap()).unwrap();
    assert_eq!((found.len(), carried.target.as_str()), (1, ""));
}
