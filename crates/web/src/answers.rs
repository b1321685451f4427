//! Answers as the page's worker takes them: JSON, and the pixels of pictures.

use crate::held::{EVOLVED, TRAINED, stem};
use crate::state::{Answer, Answered, Desk};
use picloom_engine::genome::{BUILTIN, from_json};
use picloom_engine::page::{
    self, Choice, PictureRequest, PlaceRequest, SessionSheet, SheetPictures,
};
use serde_json::{Value, json};

/// The networks that come with the program, as the studio's library has it.
pub(crate) fn library() -> Answered {
    let entry = |&(name, text): &(&'static str, &str)| {
        let genome = from_json(text).ok()?;
        let (nodes, links) = (genome.nodes().len(), genome.connections().len());
        let id = format!("genomes/{name}.json");
        Some(json!({ "id": id, "name": name, "nodes": nodes, "links": links, "builtin": true }))
    };
    let genomes: Vec<Value> = BUILTIN.iter().filter_map(entry).collect();
    let run = json!({ "id": TRAINED, "picture": stem(EVOLVED), "target": EVOLVED, "arm": "dense",
        "what": "dense network, trained", "finished": true, "builtin": true });
    Answer::of(&json!({ "genomes": genomes, "runs": [run] }))
}

/// Draws a network with some weights set, on a part of the plane.
pub(crate) fn picture(desk: &mut Desk, request: &PictureRequest) -> Answered {
    let drawn = page::picture(desk, request)?;
    Answer::with(&drawn.width, drawn.to_rgba())
}

/// Draws the map of every unit, in unit order.
pub(crate) fn maps(desk: &mut Desk, request: &PictureRequest) -> Answered {
    let atlas = page::maps(desk, request)?;
    Answer::with(&json!({ "columns": atlas.columns }), atlas.picture.to_rgba())
}

/// A genome with the weights that are set, as a file.
pub(crate) fn genome(desk: &mut Desk, request: &PictureRequest) -> Answered {
    let (genome, name) = page::genome(desk, request)?;
    Answer::file(&name, &genome)
}

/// A session; with pictures, they follow.
pub(crate) fn sheet_answer(sheet: SessionSheet) -> Answered {
    Answer::with(&sheet.shown, sheet.pictures.map_or_else(Vec::new, rgba))
}

/// The pictures of a sheet, one after another, as a canvas has them.
pub(crate) fn rgba(SheetPictures { rgb, .. }: SheetPictures) -> Vec<u8> {
    rgb.iter().flat_map(|rgb| rgb.chunks_exact(3)).flat_map(|p| [p[0], p[1], p[2], 255]).collect()
}

/// The pictures that a choice is going to lead to.
pub(crate) fn foresee(desk: &mut Desk, session: &str, choice: &Choice) -> Answered {
    let (foreseen, pictures) = page::foresee(desk, session, choice)?;
    Answer::with(&foreseen, rgba(pictures))
}

/// One genome of a sheet, as a file.
pub(crate) fn place_genome(desk: &mut Desk, session: &str, asked: &PlaceRequest) -> Answered {
    let (genome, name) = page::place_genome(desk, session, asked)?;
    Answer::file(&name, &genome)
}
