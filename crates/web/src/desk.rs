//! The requests of a page, and who answers each.

use crate::answers::{self, rgba, sheet_answer};
use crate::sessions::from_text;
use crate::state::{Answer, Answered, Desk};
use picloom_engine::genome::to_json;
use picloom_engine::page::{self, Way};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::json;

/// A text to keep under an id, or none: the text that is kept under it.
#[derive(Deserialize)]
struct Held {
    id: String,
    #[serde(default)]
    text: String,
}

/// The fields of a request that `T` names.
fn read<T: DeserializeOwned>(json: &[u8]) -> Result<T, String> {
    serde_json::from_slice(json)
        .map_err(|e| format!("the page asked for what the engine does not know: {e}"))
}

/// Answers a request: an address and, in the next line, its parameters in JSON. Addresses and parameters are those of
/// the studio where it has them. (A tagged enum and `flatten` hold every value in between, and the code for that would
/// be a tenth of the engine.)
pub(crate) fn answer(desk: &mut Desk, request: &[u8], bytes: &[u8]) -> Answered {
    let end = request.iter().position(|byte| *byte == b'\n').unwrap_or(request.len());
    let address = String::from_utf8_lossy(&request[..end]);
    let json = request.get(end + 1..).unwrap_or_default();
    match address.split('/').collect::<Vec<_>>()[..] {
        // The genomes and the trained network that come with the program.
        ["library"] => answers::library(),
        // Keeps a genome, a trained network or a session, as text; gives the text that `hold` takes again.
        ["hold"] => read(json).and_then(|Held { id, text }| hold(desk, &id, &text)),
        ["text"] => read(json).and_then(|Held { id, .. }| text(desk, &id)),
        // Everything to draw a network by itself; what it and its units draw.
        ["network"] => Answer::of(&page::network(desk, &read(json)?)?),
        ["picture"] => answers::picture(desk, &read(json)?),
        ["maps"] => answers::maps(desk, &read(json)?),
        // How far a weight must move; weights by how far they must.
        ["matched"] => Answer::of(&page::matched(desk, &read(json)?)?),
        ["ranked"] => Answer::of(&page::ranked(desk, &read(json)?)?),
        // A genome as a file, some weights set.
        ["genome"] => answers::genome(desk, &read(json)?),
        // A session: begun, on a sheet, the pictures of a sheet, the next one (also before it is asked for).
        ["sessions"] => Answer::of(&page::begin(desk, &read(json)?)?),
        ["sessions", session] => sheet_answer(page::show(desk, session, &read(json)?)?),
        ["sessions", session, "sheet"] => {
            Answer::with(&(), rgba(page::sheet(desk, session, &read(json)?)?))
        }
        ["sessions", session, "breed"] => sheet_answer(page::breed(desk, session, &read(json)?)?),
        ["sessions", session, "foresee"] => answers::foresee(desk, session, &read(json)?),
        // To the sheet before, after, any; one picture or genome of a sheet.
        ["sessions", session, "undo"] => go(desk, session, Way::Back, json),
        ["sessions", session, "redo"] => go(desk, session, Way::On, json),
        ["sessions", session, "goto"] => go(desk, session, Way::To, json),
        ["sessions", session, "picture"] => {
            let drawn = page::place_picture(desk, session, &read(json)?)?;
            Answer::with(&drawn.width, drawn.to_rgba())
        }
        ["sessions", session, "genome"] => answers::place_genome(desk, session, &read(json)?),
        // A training or a score that the page looks on at.
        _ => {
            let watched = desk.watched.clone();
            let (json, bytes) = page::watch(desk, &watched, &address, json, bytes)?;
            Ok(Answer { json, bytes })
        }
    }
}

fn go(desk: &mut Desk, session: &str, way: Way, json: &[u8]) -> Answered {
    sheet_answer(page::go(desk, session, way, &read(json)?)?)
}

fn hold(desk: &mut Desk, id: &str, text: &str) -> Answered {
    if let Some(kept) = from_text(text)? {
        let name = kept.name.clone();
        let session = desk.sessions.add(kept);
        return Answer::of(&json!({ "kind": "session", "name": name, "session": session }));
    }
    let (kind, name) = desk.held.hold(id, text)?;
    Answer::of(&json!({ "kind": kind, "name": name }))
}

fn text(desk: &mut Desk, id: &str) -> Answered {
    let text = match id.strip_prefix("session/") {
        Some(session) => desk.sessions.text(session)?,
        None => match desk.bred(id)? {
            Some(genome) => to_json(&genome),
            None => desk.held.text(id)?,
        },
    };
    Answer::of(&json!({ "text": text }))
}
