//! A breeding session as a page shows it: the sheet that is looked at, and the tree around it.

use crate::base::refusal::Refusal;
use crate::evolve::{Background, Breeding, Parts, Selection, Symmetry, changes};
use crate::genome::{Genome, Palette};
use serde::Serialize;

/// A session as the page shows it.
#[derive(Debug, Serialize)]
pub struct Shown {
    pub(super) id: String,
    /// The session's key on the shelf, and its name for people.
    pub(super) session: String,
    pub(super) name: String,
    pub(super) version: String,
    #[serde(flatten)]
    pub(super) tree: Tree,
    pub(super) published: Vec<String>,
}

/// A session on one of its sheets.
#[derive(Debug, Serialize)]
pub(crate) struct Tree {
    /// The sheet one is on.
    pub at: usize,
    /// The sheet that is shown.
    pub node: usize,
    /// Strength of changes that the sheet was bred with.
    pub slider: f64,
    /// The parts of the genomes that were allowed to change.
    pub parts: Parts,
    /// Pictures on a sheet.
    pub grid: usize,
    /// Whether one of them has colour.
    pub colour: bool,
    /// The palette of the first, and what the first pictures of all were held to.
    pub palette: Palette,
    pub symmetry: Symmetry,
    pub background: Background,
    /// Whether there is a sheet before.
    pub can_undo: bool,
    /// Whether a sheet after it was left.
    pub can_redo: bool,
    /// Every sheet.
    pub nodes: Vec<TreeNode>,
    /// The places of the sheet that is shown.
    pub sheet: Vec<Place>,
}

/// A sheet of the tree.
#[derive(Debug, Serialize)]
pub(crate) struct TreeNode {
    /// Its number.
    pub n: usize,
    /// The sheet it was bred from.
    pub parent: Option<usize>,
    /// Selections that lead to it.
    pub generation: usize,
    /// Places that were chosen for it, on its parent.
    pub chosen: Vec<usize>,
    /// The parts of the genomes that were allowed to change.
    pub parts: Parts,
}

/// A picture on a sheet.
#[derive(Debug, Serialize)]
pub(crate) struct Place {
    /// From 0, row by row.
    pub place: usize,
    /// Number of its birth.
    pub id: u64,
    /// Births of its parents.
    pub parents: Vec<u64>,
    /// Nodes of its genome.
    pub nodes: usize,
    /// Links of its genome.
    pub links: usize,
    /// Whether it stood on the sheet before.
    pub kept: bool,
    /// Its changes from its parent, in words.
    pub changes: Vec<String>,
}

impl Tree {
    /// Of a session, on its sheet `n` (none: the one that it is on).
    ///
    /// # Errors
    /// There is no such sheet.
    pub(crate) fn of(tree: &Breeding, n: Option<usize>) -> Result<Self, Refusal> {
        let node = n.unwrap_or(tree.at());
        let breeding = tree.sheet(node)?;
        let before = tree.parent(node).and_then(|parent| tree.sheet(parent).ok());
        let known = |id: u64| {
            let of = |b: &'_ crate::evolve::Sheet| b.births().iter().position(|b| b.id == id);
            let old = before.and_then(|sheet| Some(&sheet.genomes()[of(sheet)?]));
            old.or_else(|| Some(&breeding.genomes()[of(breeding)?]))
        };
        let kept = |id: u64| before.is_some_and(|sheet| sheet.births().iter().any(|b| b.id == id));
        let sheet = breeding.genomes().iter().zip(breeding.births()).enumerate();
        let sheet = sheet.map(|(place, (genome, birth))| Place {
            place,
            id: birth.id,
            parents: birth.parents.clone(),
            nodes: genome.nodes().len(),
            links: genome.connections().len(),
            kept: kept(birth.id),
            changes: match birth.parents.first().and_then(|id| known(*id)) {
                Some(parent) if !kept(birth.id) => changes(parent, genome),
                _ => Vec::new(),
            },
        });
        let mut generations = vec![0; tree.last() + 1];
        let nodes = (0..=tree.last()).map(|n| {
            let parent = tree.parent(n);
            generations[n] = parent.map_or(0, |parent| generations[parent] + 1);
            let selection = tree.selection(n);
            TreeNode {
                n,
                parent,
                generation: generations[n],
                chosen: selection.map_or_else(Vec::new, |s| s.chosen.clone()),
                parts: selection.map_or(Parts::Both, |s| s.parts),
            }
        });
        let session = tree.session();
        let last = tree.selection(node);
        Ok(Tree {
            at: tree.at(),
            node,
            slider: last.and_then(|s| s.slider).unwrap_or(session.config.mutation.slider),
            parts: last.map_or(Parts::Both, |s| s.parts),
            grid: session.config.reproduction.population,
            colour: breeding.genomes().iter().any(Genome::is_colour),
            palette: breeding.genomes().first().map_or(Palette::Free, |genome| genome.palette),
            symmetry: session.config.start.symmetry,
            background: session.config.start.background,
            can_undo: tree.at() > 0,
            can_redo: tree.can_redo(),
            nodes: nodes.collect(),
            sheet: sheet.collect(),
        })
    }
}

/// Breeds the next sheet from the sheet `at`; chosen on an older one it begins a branch. Without a `roll`, the first
/// that was not bred yet.
///
/// # Errors
/// There is no such sheet, or the selection cannot be.
pub(super) fn choose(
    tree: &mut Breeding,
    at: usize,
    selection: Selection,
    roll: Option<u64>,
) -> Result<(), Refusal> {
    tree.go_to(at)?;
    let selection = match roll {
        Some(roll) => Selection { roll, ..selection },
        None => tree.rolled(selection),
    };
    tree.select(selection).map(drop)
}
