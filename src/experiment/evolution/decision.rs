//! The journal of a run by eye.

use crate::score::Choice;
use serde::{Deserialize, Serialize};

/// One line of `decisions.jsonl`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DecisionRecord {
    /// The generation looked at, from 0.
    pub generation: u64,
    /// Who decided: name and version.
    pub breeder: String,
    /// Pictures on the sheet.
    pub pictures: usize,
    /// The decision and why.
    #[serde(flatten)]
    pub choice: Choice,
    /// Births of the pictures chosen or published.
    pub births: Vec<u64>,
    /// The genome file of a published picture, relative to the folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published: Option<String>,
}
