//! How far weights must move for equal effects on a picture.

use crate::probe::{Delta, Selection, View};
use serde::Serialize;

/// The effects whose weight changes are searched: RMSE of the pictures.
pub(crate) const EFFECTS: [f64; 7] = [0.02, 0.05, 0.10, 0.15, 0.20, 0.25, 0.30];
/// Weights of a network that are ranked.
const RANKED: usize = 40;

/// The moves of one weight.
#[derive(Serialize)]
pub struct Matched {
    /// `EFFECTS`.
    pub effects: [f64; 7],
    /// For each effect the move down; `None` if the weight is silent.
    pub down: Vec<Option<f64>>,
    /// For each effect the move up.
    pub up: Vec<Option<f64>>,
}

/// How far a link's weight must move, down and up, for each of [`EFFECTS`]. None once `has_left` says that nobody
/// waits for it.
///
/// # Panics
/// If there is no such link.
pub(super) fn moves_of(view: &View, link: usize, has_left: &dyn Fn() -> bool) -> Option<Matched> {
    let (mut down, mut up) = (Vec::new(), Vec::new());
    for effect in EFFECTS {
        if has_left() {
            return None;
        }
        let swept = view.sweep(&[link], Delta::Effect(effect), &|_| {});
        for p in &swept.perturbations {
            let side = if p.delta < 0.0 { &mut down } else { &mut up };
            side.push((!p.silent).then_some(p.delta));
        }
    }
    Some(Matched { effects: EFFECTS, down, up })
}

/// Weights of a network by how far they must move.
#[derive(Serialize)]
pub struct Ranked {
    /// How much the picture changes.
    pub effect: f64,
    /// Links that were tried.
    pub tried: usize,
    /// Those that cannot change the picture so much both down and up.
    pub silent: usize,
    /// The others: first whose weight has the shortest way to go.
    pub links: Vec<usize>,
}

/// Ranks weights that can change the picture by the largest of [`EFFECTS`], by how far they must move for it. The
/// one in the middle stands for the network: the same rank in each of several. None once `has_left` says that
/// nobody waits for it.
pub(super) fn ranking(view: &View, has_left: &dyn Fn() -> bool) -> Option<Ranked> {
    let effect = EFFECTS[EFFECTS.len() - 1];
    // A network of zeros has none.
    let links = Selection::Sample(RANKED).links(view.model(), 0).unwrap_or_default();
    let mut found: Vec<(f64, usize)> = Vec::new();
    for some in links.chunks(8) {
        if has_left() {
            return None;
        }
        let swept = view.sweep(some, Delta::Effect(effect), &|_| {});
        for pair in swept.perturbations.chunk_by(|a, b| a.link == b.link) {
            if pair.iter().all(|p| !p.silent) {
                let farthest = pair.iter().map(|p| p.delta.abs()).fold(0.0, f64::max);
                found.push((farthest, pair[0].link));
            }
        }
    }
    found.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    Some(Ranked {
        effect,
        tried: links.len(),
        silent: links.len() - found.len(),
        links: found.into_iter().map(|(_, link)| link).collect(),
    })
}
