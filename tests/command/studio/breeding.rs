//! Breeding through the page: what it breeds is in the file, and comes back bit for bit.

use super::client::{Answer, Served, serve, studio, with};
use crate::cases::cases;
use crate::line::{assert_has, list};
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

cases! {
    breeding:
    colour_alone_is_bred_and_a_genome_is_published_under_any_name,
    of_two_tabs_the_one_that_has_not_seen_it_is_told_how_it_stands,
    a_genome_on_a_sheet_is_a_network_without_being_published,
    a_step_brings_the_pictures_of_its_sheet_along,
    what_is_foreseen_is_what_is_bred_and_changes_nothing,
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

#[test]
fn a_genome_on_a_sheet_is_drawn_as_the_library_draws_it() {
    let (root, served) = studio();
    let body = json!({ "seed": 4, "from": ["genomes/bred_moth.json"], "name": "wings" });
    bred(&served, "wings", &served.made("/api/sessions", &body), 0, &[4]);
    let tree = replayed(root.path(), "wings");
    let genome = &tree.sheet(1).unwrap().genomes()[7];
    let picture = "/api/picture?id=studio/sessions/wings.toml/1/7&size=24&raw=1";
    let raw = served.get(picture).ok().body;
    let drawn = Model::of_genome(genome, Wiring::Graph).picture(24, Coords::Fer).to_bytes();
    assert!(raw.chunks(4).flat_map(|p| [p[0], p[1], p[2]]).eq(drawn));
}

#[test]
fn of_sixteen_tabs_that_breed_at_once_one_is_first_and_the_others_are_told() {
    let (root, served) = studio();
    let now = served.made("/api/sessions", &json!({ "seed": 1 }));
    let posts: Vec<u16> = std::thread::scope(|scope| {
        let post = |place: u64| {
            let body = json!({ "version": now["version"], "at": 0, "chosen": [place % 15] });
            served.post("/api/sessions/session/breed", &body).status
        };
        let threads: Vec<_> = (0..16).map(|i| scope.spawn(move || post(i))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(posts.iter().filter(|status| **status == 201).count(), 1, "{posts:?}");
    assert_eq!(posts.iter().filter(|status| **status == 409).count(), 15, "{posts:?}");
    assert_eq!(replayed(root.path(), "session").last(), 1);
}
