//! Sessions by number, and a session as text.

use crate::held::genome_from;
use picloom_engine::evolve::{Breeding, Session};
use picloom_engine::page::LARGEST_GRID;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Most steps of a session in a link.
const MOST_STEPS: usize = 400;
/// The beginning of a session's text.
const FORMAT: &str = "picloom-web-session/1";

/// A session, and the genomes that it began from.
pub(crate) struct Kept {
    /// Its name, for people.
    pub name: String,
    pub(crate) tree: Breeding,
    pub(crate) ancestors: Vec<String>,
}

/// Sessions by number, as text.
#[derive(Default)]
pub(crate) struct Sessions {
    kept: BTreeMap<String, Kept>,
}

/// A session as text: what a link carries.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SessionText {
    format: String,
    name: String,
    /// As in the session's file.
    session: Session,
    /// The genomes that it began from.
    ancestors: Vec<String>,
}

/// The session of a text; `None` if the text is something else.
pub(crate) fn from_text(text: &str) -> Result<Option<Kept>, String> {
    if !text.contains(FORMAT) {
        return Ok(None);
    }
    let text: SessionText = serde_json::from_str(text)
        .map_err(|e| format!("expected a {FORMAT} document, found other text: {e}"))?;
    let session = text.session;
    session.config.validate().map_err(|e| e.to_string())?;
    let (steps, grid) = (session.step.len(), session.config.reproduction.population);
    if steps > MOST_STEPS || grid > LARGEST_GRID || text.ancestors.len() > LARGEST_GRID {
        return Err(format!(
            "expected a session of at most {MOST_STEPS} steps and {LARGEST_GRID} pictures a sheet, found {steps} and {grid}; breed it with the command picloom"
        ));
    }
    let genomes =
        text.ancestors.iter().map(|text| genome_from(text)).collect::<Result<Vec<_>, _>>()?;
    let tree = Breeding::new(session, &genomes).map_err(|e| e.to_string())?;
    let name = text.name.chars().take(60).collect();
    Ok(Some(Kept { name, tree, ancestors: text.ancestors }))
}

impl Sessions {
    /// Keeps a session: its number.
    pub(crate) fn add(&mut self, kept: Kept) -> String {
        let number = (self.kept.len() + 1).to_string();
        self.kept.insert(number.clone(), kept);
        number
    }

    pub(crate) fn get(&mut self, number: &str) -> Result<&mut Kept, String> {
        let gone = "this page does not have the session any more; open its link again";
        self.kept.get_mut(number).ok_or_else(|| gone.into())
    }

    /// The text of a session.
    pub(crate) fn text(&mut self, number: &str) -> Result<String, String> {
        let Kept { name, tree, ancestors } = self.get(number)?;
        let text = SessionText {
            format: FORMAT.into(),
            name: name.clone(),
            session: tree.session().clone(),
            ancestors: ancestors.clone(),
        };
        serde_json::to_string(&text).map_err(|e| e.to_string())
    }
}
