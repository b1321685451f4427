//! Breeding through the page: what it breeds is in the file, and comes back bit for bit.

use super::client::{Answer, Served, serve, studio, training, with};
use crate::line::{assert_has, list, plain};
use picloom::evolve::{Breeding, Session};
use picloom::genome::{Genome, read};
use picloom::network::{Coords, Model, Wiring};
use serde_json::{Value, json};
use std::path::Path;

fn bred(served: &Served, name: &str, session: &Value, at: u64, chosen: &[u64]) -> Value {
    let body = json!({
        "version": session["version"], "at": at, "chosen": chosen, "slider": 0.4, "parts": "both",
    });
    served.made(&format!("/api/sessions/{name}/breed"), &body)
}

/// The tree that the file holds, bred by the library.
fn replayed(root: &Path, name: &str) -> Breeding {
    let text = std::fs::read_to_string(root.join(format!("studio/sessions/{name}.toml"))).unwrap();
    let session = Session::from_toml(&text).unwrap();
    let ancestors: Vec<Genome> =
        session.ancestors.iter().map(|id| read(&root.join(id)).unwrap()).collect();
    Breeding::new(session, &ancestors).unwrap()
}

#[test]
fn five_generations_undo_a_branch_and_a_kill_lead_back_to_the_same_bits() {
    let (root, served) = studio();
    let body =
        json!({ "name": "my moths", "seed": 7, "from": ["genomes/bred_moth.json"], "grid": 6 });
    let mut session = served.made("/api/sessions", &body);
    let name = session["name"].as_str().unwrap().to_string();
    assert_eq!((name.as_str(), list(&session["sheet"]).len()), ("my_moths", 6));
    assert!(!list(&session["sheet"][1]["changes"]).is_empty(), "{session}");
    for at in 0..5 {
        session = bred(&served, &name, &session, at, &[at % 6, (at + 2) % 6]);
    }
    assert_has(&session, json!({ "at": 5, "can_redo": false }));
    assert_eq!(session["sheet"][0]["kept"], true);
    let go = |session: &Value, what: &str, node: Option<u64>| {
        let body = json!({ "version": session["version"], "node": node });
        served.made(&format!("/api/sessions/{name}/{what}"), &body)
    };
    session = go(&session, "undo", None);
    session = go(&session, "undo", None);
    assert_has(&session, json!({ "at": 3, "can_redo": true }));
    session = go(&session, "redo", None);
    assert_eq!(session["at"], 4);
    // A branch from an older sheet, without going there before; and once more, which draws others.
    session = bred(&served, &name, &session, 2, &[1]);
    assert_eq!((&session["at"], &session["nodes"][6]["parent"]), (&json!(6), &json!(2)));
    session = bred(&served, &name, &session, 2, &[1]);
    session = go(&session, "goto", Some(6));
    let sheet = |n| served.get(&format!("/api/sessions/{name}/sheet?node={n}&size=24")).ok();
    let sheets: Vec<Vec<u8>> = (0..=7).map(|n| parted(&sheet(n)).1).collect();
    assert_ne!(sheets[6], sheets[7]);
    let genome = |served: &Served| {
        served.get(&format!("/api/sessions/{name}/genome?node=5&place=3")).ok().text()
    };
    let child = genome(&served);
    served.kill();

    let tree = replayed(root.path(), &name);
    assert_eq!((tree.at(), tree.last()), (6, 7));
    for (n, sheet) in sheets.iter().enumerate() {
        for (genome, raw) in tree.sheet(n).unwrap().genomes().iter().zip(sheet.chunks(24 * 24 * 3))
        {
            let drawn = Model::of_genome(genome, Wiring::Graph).picture(24, Coords::Fer).to_bytes();
            assert!(drawn == raw, "sheet {n}");
        }
    }
    let served = serve(root.path());
    let after = served.json(&format!("/api/sessions/{name}"));
    assert_eq!(after, session);
    assert_eq!(genome(&served), child);
    // And goes on from what the page had seen before the server was killed.
    let next = bred(&served, &name, &session, 6, &[0]);
    assert_eq!(next["at"], 8);
    // The command goes on with the same file from another folder, and the page with what it bred.
    let line = "evolve --search interactive --quiet --cell 16 --sheet 2 --select 1 --out by-script";
    root.done(&format!("{line} --script studio/sessions/my_moths.toml"));
    let now = served.json(&format!("/api/sessions/{name}"));
    assert_eq!((&now["at"], &now["nodes"][9]["parent"]), (&json!(9), &json!(2)));
    assert_eq!(bred(&served, &name, &now, 9, &[3])["at"], 10);
}

/// JSON and the pictures before it, in RGB.
fn parted(answer: &Answer) -> (Value, Vec<u8>) {
    let number = |name| answer.header(name).unwrap().parse::<usize>().unwrap();
    let (pixels, json) = answer.body.split_at(number("x-json"));
    let rgb = match number("x-channels") {
        1 => pixels.iter().flat_map(|&v| [v; 3]).collect(),
        _ => pixels.to_vec(),
    };
    (serde_json::from_slice(json).unwrap_or_default(), rgb)
}

#[test]
fn a_step_brings_the_pictures_of_its_sheet_along() {
    let (_root, served) = studio();
    let first = served.made("/api/sessions", &json!({ "seed": 4, "grid": 9 }));
    let sheet = |node: u64| {
        parted(&served.get(&format!("/api/sessions/session/sheet?node={node}&size=16")).ok()).1
    };
    let told = |what: &str, session: &Value, more: Value| {
        let body = with(json!({ "version": session["version"], "size": 16 }), more);
        let answer = served.post(&format!("/api/sessions/session/{what}"), &body).ok();
        assert!(answer.header("server-timing").unwrap().starts_with("render;dur="));
        parted(&answer)
    };
    let (bred, pixels) = told("breed", &first, json!({ "at": 0, "chosen": [2, 3] }));
    assert_eq!((&bred["at"], pixels == sheet(1)), (&json!(1), true));
    assert_eq!(served.json("/api/sessions/session"), bred);
    let (undone, pixels) = told("undo", &bred, json!({}));
    assert_eq!((&undone["at"], pixels == sheet(0)), (&json!(0), true));
    let (redone, pixels) = told("redo", &undone, json!({}));
    assert_eq!((&redone["at"], pixels == sheet(1)), (&json!(1), true));
    let (gone, pixels) = told("goto", &redone, json!({ "node": 0 }));
    assert_eq!((&gone["at"], pixels == sheet(0)), (&json!(0), true));
    let (shown, pixels) = parted(&served.get("/api/sessions/session?node=1&size=16").ok());
    assert_eq!((&shown["node"], pixels == sheet(1)), (&json!(1), true));
    // What is refused is not written, and is told in JSON alone.
    let body = json!({ "version": "x", "at": 0, "chosen": [1], "size": 16 });
    let stale = served.post("/api/sessions/session/breed", &body);
    assert_eq!((stale.status, &stale.json()["session"]), (409, &gone));
}

#[test]
fn what_is_foreseen_is_what_is_bred_and_changes_nothing() {
    let (root, served) = studio();
    let session = served.made("/api/sessions", &json!({ "name": "s", "seed": 3 }));
    let file = root.at("studio/sessions/s.toml");
    let before = std::fs::read(&file).unwrap();
    let choice = |version: &Value, more: Value| {
        with(json!({ "version": version, "at": 0, "chosen": [2, 7], "slider": 0.6 }), more)
    };
    let foresee = |body: &Value| served.post("/api/sessions/s/foresee", body);
    let (foreseen, pixels) =
        parted(&foresee(&choice(&session["version"], json!({ "size": 32 }))).ok());
    let other = foresee(&choice(&session["version"], json!({ "size": 32, "slider": 0.2 }))).ok();
    assert_ne!(parted(&other).0, foreseen);
    assert_eq!(std::fs::read(&file).unwrap(), before);
    let breed = choice(&session["version"], json!({}));
    let next = served.made("/api/sessions/s/breed", &breed);
    assert_eq!((&next["version"], &next["at"]), (&foreseen["version"], &json!(1)));
    let sheet = parted(&served.get("/api/sessions/s/sheet?node=1&size=32").ok()).1;
    assert!(sheet == pixels, "other pictures than were foreseen");
    // A page that has not seen it is told, as when it breeds.
    assert_eq!(foresee(&choice(&session["version"], json!({}))).status, 409);
    assert_eq!(foresee(&choice(&next["version"], json!({ "chosen": [99] }))).status, 400);
    assert_eq!(foresee(&choice(&next["version"], json!({ "size": 100_000 }))).status, 400);
}

#[test]
fn a_genome_on_a_sheet_is_a_network_without_being_published() {
    let (root, served) = studio();
    let body = json!({ "seed": 4, "from": ["genomes/bred_moth.json"], "name": "wings" });
    let session = served.made("/api/sessions", &body);
    let session = bred(&served, "wings", &session, 0, &[4]);
    let id = format!("{}/1/7", session["id"].as_str().unwrap());
    assert_eq!(id, "studio/sessions/wings.toml/1/7");
    let tree = replayed(root.path(), "wings");
    let genome = &tree.sheet(1).unwrap().genomes()[7];
    let network = served.network(&id);
    assert_has(&network, json!({ "kind": "genome", "name": "wings, sheet 1, picture 7" }));
    assert_eq!(network["provenance"]["notes"]["session"], "studio/sessions/wings.toml");
    let raw = served.get(&format!("/api/picture?id={id}&size=24&raw=1")).ok().body;
    let drawn = Model::of_genome(genome, Wiring::Graph).picture(24, Coords::Fer).to_bytes();
    assert!(raw.chunks(4).flat_map(|p| [p[0], p[1], p[2]]).eq(drawn));
    for path in ["maps", "matched", "thumb", "download", "genome"] {
        served.get(&format!("/api/{path}?id={id}&link=0")).ok();
    }
    let layers = served.json(&format!("/api/network?id={id}&wiring=layerized"));
    assert!(layers["arch"].is_string());
    assert_eq!(served.json(&format!("/api/score?id={id}")), Value::Null);
    let again = served.made("/api/sessions", &json!({ "from": [id] }));
    assert_eq!(list(&again["sheet"]).len(), 15);
    for (wrong, status) in [("1/99", 404), ("9/0", 404), ("1", 404), ("1/7/3", 404), ("1/x", 404)] {
        let id = format!("studio/sessions/wings.toml/{wrong}");
        assert_eq!(served.get(&format!("/api/network?id={id}")).status, status, "{wrong}");
    }
    let climbing = "/api/network?id=studio/sessions/%2e%2e.toml/0/0";
    assert!(served.get(climbing).status >= 400);

    // It is trained on as well, and that goes on in another server.
    let run = served.network(&served.trained(&training(&id, "layerized", 20, 16)));
    assert_eq!(run["target"], id);
    served.kill();
    let served = serve(root.path());
    assert_eq!(served.network(&id), network);
}

#[test]
fn of_two_tabs_the_one_that_has_not_seen_it_is_told_how_it_stands() {
    let (root, served) = studio();
    let first = served.made("/api/sessions", &json!({ "seed": 1 }));
    assert_eq!(first["name"], "session");
    let second = served.made("/api/sessions", &json!({ "seed": 1 }));
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
}

#[test]
fn colour_alone_is_bred_and_a_genome_is_published_under_any_name() {
    let (root, served) = studio();
    let body = json!({ "seed": 5, "from": ["genomes/mask.json"], "colour": true });
    let session = served.made("/api/sessions", &body);
    let name = session["name"].as_str().unwrap();
    assert_eq!(session["colour"], true);
    let body = json!({ "version": session["version"], "at": 0, "chosen": [0], "parts": "colour" });
    let session = served.made(&format!("/api/sessions/{name}/breed"), &body);
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
    let after = served.json(&format!("/api/sessions/{name}"));
    assert_eq!(list(&after["published"]).len(), 4);
    let child = served.get(&format!("/api/sessions/{name}/genome?place=3")).ok();
    let published = read(&root.at("genomes/Night_moth.json")).unwrap();
    let child = picloom::genome::from_json(&child.text()).unwrap();
    assert_eq!(plain(&child), plain(&published));
    // A session of the command is gone on with as a copy.
    std::fs::copy("genomes/sessions/moth.toml", root.at("moth.toml")).unwrap();
    let adopted = served.made("/api/sessions", &json!({ "from": ["moth.toml"] }));
    assert_has(&adopted, json!({ "name": "moth", "at": 24 }));
    assert_eq!(&served.get("/api/thumb?id=studio/sessions/moth.toml").ok().body[1..4], b"PNG");
}

#[test]
fn a_new_session_has_the_palette_symmetry_and_background_it_was_asked_for() {
    use picloom::evolve::{Background, Symmetry};
    use picloom::genome::Palette;
    let (root, served) = studio();
    let choices = json!({ "palette": "dusk", "symmetry": "radial", "background": "light" });
    served.made("/api/sessions", &with(json!({ "seed": 3, "name": "rose" }), choices));
    let tree = replayed(root.path(), "rose");
    let start = &tree.session().config.start;
    assert_eq!((start.symmetry, start.background), (Symmetry::Radial, Background::Light));
    assert!(tree.now().genomes().iter().all(|genome| genome.palette == Palette::Dusk));
    assert!(!start.grey, "it begins in colour");
    // Its pictures are drawn in the palette.
    let shown = served.get("/api/sessions/rose/picture?place=1&size=64").ok().body;
    let drawn = image::load_from_memory(&shown).unwrap().to_rgb8().into_raw();
    let expected = picloom::experiment::evolution::draw(&tree.now().genomes()[1], 64, Coords::Fer);
    assert!(drawn == expected.to_bytes());
    // The page offers every one.
    let page = include_str!("../../../src/studio/page/start.js");
    let no_palette = "none".parse::<Palette>().unwrap_err().to_string();
    let palettes = no_palette.split("expected ").nth(1).unwrap().split(" or ").next().unwrap();
    let names = palettes.split(", ").chain(Symmetry::ALL.iter().map(|s| s.name()));
    for name in names.chain(Background::ALL.iter().map(|b| b.name())) {
        assert!(page.contains(&format!("\"{name}\"")), "{name}");
    }
}
