//! Breeding through the page: what it breeds is in the file, and comes back bit for bit.

use super::client::{Served, root, serve};
use picloom::evolve::{BreedingTree, Session};
use picloom::genome::{Genome, read, to_json};
use picloom::network::{Coords, Model, Wiring};
use rayon::prelude::*;
use serde_json::{Value, json};
use std::path::Path;
use std::time::Instant;

fn bred(served: &Served, name: &str, session: &Value, at: u64, chosen: &[u64]) -> Value {
    let body = json!({
        "version": session["version"], "at": at, "chosen": chosen, "slider": 0.4, "parts": "both",
    });
    served.post(&format!("/api/sessions/{name}/breed"), &body).ok().json()
}

/// The tree that the file holds, bred by the library.
fn replayed(root: &Path, name: &str) -> BreedingTree {
    let text = std::fs::read_to_string(root.join(format!("studio/sessions/{name}.toml"))).unwrap();
    let session = Session::from_toml(&text).unwrap();
    let ancestors: Vec<Genome> =
        session.ancestors.iter().map(|id| read(&root.join(id)).unwrap()).collect();
    BreedingTree::replay(session, &ancestors).unwrap()
}

#[test]
fn five_generations_undo_a_branch_and_a_kill_lead_back_to_the_same_bits() {
    let root = root();
    let served = serve(root.path());
    let body =
        json!({ "name": "my moths", "seed": 7, "from": ["genomes/bred_moth.json"], "grid": 6 });
    let mut session = served.post("/api/sessions", &body).ok().json();
    let name = session["name"].as_str().unwrap().to_string();
    assert_eq!((name.as_str(), session["sheet"].as_array().unwrap().len()), ("my_moths", 6));
    assert!(!session["sheet"][1]["changes"].as_array().unwrap().is_empty(), "{session}");
    for at in 0..5 {
        session = bred(&served, &name, &session, at, &[at % 6, (at + 2) % 6]);
    }
    assert_eq!((session["at"].as_u64(), session["can_redo"].as_bool()), (Some(5), Some(false)));
    assert_eq!(session["sheet"][0]["kept"], true);
    let go = |session: &Value, what: &str, node: Option<u64>| {
        let body = json!({ "version": session["version"], "node": node });
        served.post(&format!("/api/sessions/{name}/{what}"), &body).ok().json()
    };
    session = go(&session, "undo", None);
    session = go(&session, "undo", None);
    assert_eq!((session["at"].as_u64(), session["can_redo"].as_bool()), (Some(3), Some(true)));
    session = go(&session, "redo", None);
    assert_eq!(session["at"], 4);
    // A branch from an older sheet, without going there before; and once more, which draws others.
    session = bred(&served, &name, &session, 2, &[1]);
    assert_eq!((&session["at"], &session["nodes"][6]["parent"]), (&json!(6), &json!(2)));
    session = bred(&served, &name, &session, 2, &[1]);
    session = go(&session, "goto", Some(6));
    let sheets: Vec<Vec<u8>> = (0..=7)
        .map(|n| {
            served.get(&format!("/api/sessions/{name}/sheet?node={n}&size=24&raw=1")).ok().body
        })
        .collect();
    assert_ne!(sheets[6], sheets[7]);
    let genome = |served: &Served| {
        served.get(&format!("/api/sessions/{name}/genome?node=5&place=3")).ok().text()
    };
    let child = genome(&served);
    served.kill();

    let tree = replayed(root.path(), &name);
    assert_eq!((tree.at(), tree.last()), (6, 7));
    for (n, sheet) in sheets.iter().enumerate() {
        for (genome, raw) in tree.sheet(n).unwrap().genomes().iter().zip(sheet.chunks(24 * 24 * 4))
        {
            let drawn = Model::of_genome(genome, Wiring::Graph).picture(24, Coords::Fer).to_bytes();
            let shown: Vec<u8> = raw.chunks(4).flat_map(|p| [p[0], p[1], p[2]]).collect();
            assert!(drawn == shown, "sheet {n}");
        }
    }
    let served = serve(root.path());
    let after = served.json(&format!("/api/sessions/{name}"));
    assert_eq!(after, session);
    assert_eq!(genome(&served), child);
    // And goes on from what the page had seen before the server was killed.
    let next = bred(&served, &name, &session, 6, &[0]);
    assert_eq!(next["at"], 8);
}

#[test]
fn of_two_tabs_the_one_that_has_not_seen_it_is_told_how_it_stands() {
    let root = root();
    let served = serve(root.path());
    let first = served.post("/api/sessions", &json!({ "seed": 1 })).ok().json();
    assert_eq!(first["name"], "session");
    let second = served.post("/api/sessions", &json!({ "seed": 1 })).ok().json();
    assert_eq!(second["name"], "session-2");
    let now = bred(&served, "session", &first, 0, &[1]);
    let body = json!({ "version": first["version"], "at": 0, "chosen": [2] });
    let stale = served.post("/api/sessions/session/breed", &body);
    stale.refused(409, "has changed");
    assert_eq!(stale.json()["session"], now);
    let stale = served.post("/api/sessions/session/undo", &json!({ "version": "x" }));
    assert_eq!(stale.status, 409);
    // Sixteen at once: one is first, the others are told.
    let posts: Vec<u16> = std::thread::scope(|scope| {
        let post = |place: u64| {
            let body = json!({ "version": now["version"], "at": 1, "chosen": [place % 15] });
            served.post("/api/sessions/session/breed", &body).status
        };
        let threads: Vec<_> = (0..16).map(|i| scope.spawn(move || post(i))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(posts.iter().filter(|status| **status == 201).count(), 1, "{posts:?}");
    assert_eq!(posts.iter().filter(|status| **status == 409).count(), 15, "{posts:?}");
    assert_eq!(replayed(root.path(), "session").last(), 2);
    // What cannot be changes nothing.
    let now = served.json("/api/sessions/session");
    for (chosen, at, slider, why) in [
        (json!([]), 0, 0.5, "expected at least one"),
        (json!([99]), 0, 0.5, "expected places 0 to 14, found 99"),
        (json!([1, 1]), 0, 0.5, "chosen twice"),
        (json!([1]), 77, 0.5, "expected sheets 0 to 2, found 77"),
        (json!([1]), 0, 9.0, "expected a slider in [0, 1]"),
    ] {
        let body =
            json!({ "version": now["version"], "at": at, "chosen": chosen, "slider": slider });
        served.post("/api/sessions/session/breed", &body).refused(400, why);
    }
    assert_eq!(served.json("/api/sessions/session"), now);
    served.get("/api/sessions/none").refused(404, "expected a file");
    served.get("/api/sessions/session?node=9").refused(404, "expected sheets");
}

#[test]
fn colour_alone_is_bred_and_a_genome_is_published_under_any_name() {
    let root = root();
    let served = serve(root.path());
    let body = json!({ "seed": 5, "from": ["genomes/mask.json"], "colour": true });
    let session = served.post("/api/sessions", &body).ok().json();
    let name = session["name"].as_str().unwrap();
    assert_eq!(session["colour"], true);
    let body = json!({ "version": session["version"], "at": 0, "chosen": [0], "parts": "colour" });
    let session = served.post(&format!("/api/sessions/{name}/breed"), &body).ok().json();
    assert_eq!(session["parts"], "colour");
    let publish = |name_of: &str, place: u64| {
        let body = json!({ "version": session["version"], "place": place, "name": name_of, "tags": ["a, b", "<i>"] });
        served.post(&format!("/api/sessions/{name}/publish"), &body)
    };
    for (name, id) in [
        ("Night moth", "genomes/Night_moth.json"),
        ("Night moth", "genomes/Night_moth-2.json"),
        ("../../<script>", "genomes/script.json"),
        ("", "genomes/untitled.json"),
    ] {
        let published = publish(name, 3).ok().json();
        assert_eq!(published["id"], id);
        let genome = read(&root.path().join(id)).unwrap();
        assert_eq!(genome.provenance.name, name.trim());
        assert_eq!(genome.provenance.notes["tags"], "a  b, <i>");
    }
    publish("x", 99).refused(404, "expected places");
    let after = served.json(&format!("/api/sessions/{name}"));
    assert_eq!(after["published"].as_array().unwrap().len(), 4);
    let child = served.get(&format!("/api/sessions/{name}/genome?place=3")).ok();
    let published = read(&root.path().join("genomes/Night_moth.json")).unwrap();
    let plain = |genome: &Genome| {
        let mut genome = genome.clone();
        genome.provenance = Default::default();
        to_json(&genome)
    };
    let child = picloom::genome::from_json(&child.text()).unwrap();
    assert_eq!(plain(&child), plain(&published));
    // A session of the command is gone on with as a copy.
    std::fs::copy("genomes/sessions/moth.toml", root.path().join("moth.toml")).unwrap();
    let adopted = served.post("/api/sessions", &json!({ "from": ["moth.toml"] })).ok().json();
    assert_eq!((&adopted["name"], &adopted["at"]), (&json!("moth"), &json!(24)));
    assert_eq!(&served.get("/api/thumb?id=studio/sessions/moth.toml").ok().body[1..4], b"PNG");
    // A grey session has no colour to breed.
    let grey = served.post("/api/sessions", &json!({ "colour": false, "seed": 2 })).ok().json();
    let name = grey["name"].as_str().unwrap();
    let body = json!({ "version": grey["version"], "at": 0, "chosen": [0], "parts": "colour" });
    served.post(&format!("/api/sessions/{name}/breed"), &body).refused(400, "colour genomes");
}

/// Not a bound on time, which the machine decides, but what a click costs beside the drawing alone. It is
/// printed; a tenfold cost would be a fault.
#[test]
fn a_click_costs_little_more_than_the_drawing_of_its_sheet() {
    let root = root();
    let served = serve(root.path());
    let body = json!({ "seed": 3, "from": ["genomes/bred_skull.json"] });
    let mut session = served.post("/api/sessions", &body).ok().json();
    let name = session["name"].as_str().unwrap().to_string();
    let mut ratios = Vec::new();
    for at in 0..7 {
        let begun = Instant::now();
        session = bred(&served, &name, &session, at, &[0]);
        let raw = served.get(&format!("/api/sessions/{name}/sheet?size=128&raw=1")).ok().body;
        let clicked = begun.elapsed().as_secs_f64();
        assert_eq!(raw.len(), 15 * 128 * 128 * 4);
        let tree = replayed(root.path(), &name);
        let genomes = tree.now().genomes();
        let begun = Instant::now();
        let drawn: Vec<_> = genomes
            .par_iter()
            .map(|genome| Model::of_genome(genome, Wiring::Graph).picture(128, Coords::Fer))
            .collect();
        ratios.push(clicked / begun.elapsed().as_secs_f64());
        assert_eq!(drawn.len(), 15);
    }
    ratios.sort_by(f64::total_cmp);
    println!("a click on breed / drawing 15 pictures at 128²: {:.2} (median of 7)", ratios[3]);
    assert!(ratios[3] < 10.0, "{ratios:?}");
}
