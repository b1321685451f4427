//! Answers about networks, as the page's worker takes them.

use crate::held::{EVOLVED, TRAINED, stem};
use crate::state::{Answer, Answered, Desk};
use picloom_engine::genome::{BUILTIN, from_json};
use picloom_engine::page::{self, PictureRequest};
use serde::Serialize;

/// The networks that come with the program, as the studio's library has it.
pub(crate) fn library() -> Answered {
    #[derive(Serialize)]
    struct Entry {
        id: String,
        name: &'static str,
        nodes: usize,
        links: usize,
        builtin: bool,
    }
    let entry = |&(name, text): &(&'static str, &str)| {
        let genome = from_json(text).ok()?;
        let (nodes, links) = (genome.nodes().len(), genome.connections().len());
        Some(Entry { id: format!("genomes/{name}.json"), name, nodes, links, builtin: true })
    };
    let genomes: Vec<Entry> = BUILTIN.iter().filter_map(entry).collect();
    let run = serde_json::json!({ "id": TRAINED, "picture": stem(EVOLVED), "target": EVOLVED, "arm": "dense",
        "what": "dense network, trained", "finished": true, "builtin": true });
    Answer::of(&serde_json::json!({ "genomes": genomes, "runs": [run] }))
}

/// Draws a network with some weights set, on a part of the plane.
pub(crate) fn picture(desk: &mut Desk, request: &PictureRequest) -> Answered {
    let drawn = page::picture(desk, request)?;
    Answer::with(&drawn.width, drawn.to_rgba())
}

#[derive(Serialize)]
struct Columns {
    columns: usize,
}

/// Draws the map of every unit, in unit order.
pub(crate) fn maps(desk: &mut Desk, request: &PictureRequest) -> Answered {
    let atlas = page::maps(desk, request)?;
    Answer::with(&Columns { columns: atlas.columns }, atlas.picture.to_rgba())
}

/// A genome with the weights that are set, as a file.
pub(crate) fn genome(desk: &mut Desk, request: &PictureRequest) -> Answered {
    let (genome, name) = page::genome(desk, request)?;
    Answer::file(&name, &genome)
}
