//! The searches by their names.

use crate::base::names::names;
use serde::{Deserialize, Serialize};

/// The goal of a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SearchKind {
    /// Likeness to a target picture.
    #[default]
    Target,
    /// Distance to what was seen.
    Novelty,
    /// The best of each cell of a descriptor grid.
    MapElites,
    /// Selections from a session file.
    Interactive,
    /// Selections of a model that looks at the sheets.
    Vlm,
}

names! {
    SearchKind, "search":
    Target "target", Novelty "novelty", MapElites "map-elites", Interactive "interactive", Vlm "vlm",
}
