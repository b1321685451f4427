//! Which units a drawing needs.

use crate::network::Model;

/// (U,) units that an output sees along non-zero links, outputs among them: the others draw nothing.
pub(super) fn seen(model: &Model) -> Vec<bool> {
    let network = &model.network;
    let mut seen = vec![false; network.units.len()];
    for output in network.outputs.into_iter().flatten() {
        seen[output] = true;
    }
    // Sources come before targets, so one walk backwards meets every unit after all that read it.
    for unit in (0..seen.len()).rev() {
        if seen[unit] {
            for link in network.units[unit].links.clone().filter(|&l| model.weights.0[l] != 0.0) {
                seen[network.links[link].source] = true;
            }
        }
    }
    seen
}
