//! Where a page draws the units of a network.

use super::sugiyama::layout;
use crate::network::{Mask, Network, Weights};

/// Links beyond which crossings are not counted: the columns of a layered network then keep its order.
const MOST_UNTANGLED: usize = 8000;

/// Where a page draws the units of a network, in the drawing's own pixels.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Places {
    /// Width and height of all.
    pub extent: (f64, f64),
    /// Side of a unit's square.
    pub side: f64,
    /// Centre of each unit; `None` for a unit without live links that is no output.
    pub at: Vec<Option<(f64, f64)>>,
}

/// Lays out a network for a page: layers from left to right, each untangled.
///
/// # Panics
/// If mask or weights do not fit the network.
pub(crate) fn places(network: &Network, mask: &Mask, weights: &Weights) -> Places {
    /// Side of a unit, and the height that it needs with its name.
    const SIDE: f64 = 40.0;
    const ROW: f64 = 64.0;
    let live = |i: &usize| mask.0[*i] && weights.0[*i] != 0.0;
    let links: Vec<(usize, usize)> = (0..network.weight_count())
        .filter(live)
        .map(|i| (network.links[i].source, network.links[i].target))
        .collect();
    let mut shown = vec![false; network.units.len()];
    let ends = links.iter().flat_map(|&(source, target)| [source, target]);
    ends.chain(network.outputs.into_iter().flatten()).for_each(|u| shown[u] = true);
    // Layers without a unit that is shown take no room.
    let mut column = vec![0; network.depth() + 1];
    let mut units = vec![0; network.depth() + 1];
    (0..shown.len()).filter(|&u| shown[u]).for_each(|u| units[network.units[u].layer] += 1);
    (1..units.len()).for_each(|l| column[l] = column[l - 1] + usize::from(units[l - 1] > 0));
    let layer: Vec<usize> = network.units.iter().map(|unit| column[unit.layer]).collect();
    let links = if links.len() > MOST_UNTANGLED { Vec::new() } else { links };
    // Links that pass a column take at most as much room as the units of the fullest.
    let mut passing = vec![0; column.len()];
    for &(source, target) in &links {
        (layer[source] + 1..layer[target]).for_each(|l| passing[l] += 1);
    }
    let most = |counts: &[usize]| counts.iter().copied().max().unwrap_or(0) as f64;
    let bend = ROW * (most(&units) / most(&passing).max(1.0)).min(0.3);
    let out = layout(&layer, &shown, &links, (ROW, bend));
    let columns = (0..shown.len()).filter(|&u| shown[u]).map(|u| layer[u]).max().unwrap_or(0);
    let wide = if columns > 9 { 68.0 } else { 92.0 };
    // Units at the edges have their names beside them.
    let place = |u: usize| (SIDE + wide * layer[u] as f64, SIDE / 2.0 + out.y[u]);
    Places {
        extent: (2.0 * SIDE + wide * columns as f64, SIDE + out.height),
        side: SIDE,
        at: (0..shown.len()).map(|u| shown[u].then(|| place(u))).collect(),
    }
}
