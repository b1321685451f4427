//! Volume ratio at a fixed edge budget \[ours\]: exactly K edges over the whole network, wherever
//! they fall.
//!
//! Slots: 4·W from the inputs, W² between neighbouring hidden layers, 3·W into the head. K of
//! them are chosen uniformly. What is not on a path from an input to an output is dead and
//! removed. Event: every output is driven, and at least P components of the alive hidden graph
//! cover *all* hidden layers. This has a genuine interior optimum in L: shallow networks are too
//! crowded (one component), deep ones too thin (paths break).

use super::components::Components;
use super::sample::{Estimate, chunked, share};
use super::{VolumeError, checked};

/// Slots of a network of `layers` hidden layers of `width` units: 4W + (L − 1)W² + 3W.
pub fn slots(width: usize, layers: usize) -> usize {
    4 * width + (layers - 1) * width * width + 3 * width
}

/// Probability of the event, by `samples` draws with Wilson's 95 % interval; `None` if the network
/// has fewer slots than the budget has edges. O(samples · (K + L·W)).
///
/// # Errors
/// A parameter out of range, no samples.
pub fn probability(
    width: usize,
    layers: usize,
    edges: usize,
    parts: usize,
    samples: usize,
    seed: u64,
) -> Result<Option<Estimate>, VolumeError> {
    checked(width, layers, parts, 0.0)?;
    let total = slots(width, layers);
    if edges > total {
        return Ok(None);
    }
    let purpose = format!("theory/budget {width} {layers} {edges} {parts}");
    let hits = chunked(samples, seed, &purpose, |rng, count| {
        let mut order: Vec<usize> = (0..total).collect();
        let mut chosen = Vec::with_capacity(edges);
        (0..count)
            .filter(|_| {
                // The first K steps of a Fisher–Yates shuffle; the order carries over.
                chosen.clear();
                for i in 0..edges {
                    order.swap(i, i + rng.below(total - i));
                    chosen.push(wire(order[i], width, layers));
                }
                chosen.sort_unstable();
                happens(&chosen, width, layers, parts)
            })
            .count()
    });
    share(hits.iter().sum(), samples).map(Some)
}

/// Slot number → (source, target); inputs are 0..4, hidden units 4.., outputs last.
fn wire(slot: usize, width: usize, layers: usize) -> (usize, usize) {
    let first = 4 * width;
    let middle = (layers - 1) * width * width;
    if slot < first {
        (slot % 4, 4 + slot / 4)
    } else if slot < first + middle {
        let (gap, pair) = ((slot - first) / (width * width), (slot - first) % (width * width));
        (4 + gap * width + pair / width, 4 + (gap + 1) * width + pair % width)
    } else {
        let pair = slot - first - middle;
        (4 + (layers - 1) * width + pair % width, 4 + layers * width + pair / width)
    }
}

/// The event for `chosen` edges, sorted by source (so in topological order).
fn happens(chosen: &[(usize, usize)], width: usize, layers: usize, parts: usize) -> bool {
    let units = 4 + layers * width + 3;
    let outputs = units - 3..units;
    let (mut fed, mut used) = (vec![false; units], vec![false; units]);
    fed[..4].fill(true);
    used[outputs.clone()].fill(true);
    for &(source, target) in chosen {
        fed[target] |= fed[source];
    }
    if !fed[outputs.clone()].iter().all(|&f| f) {
        return false;
    }
    for &(source, target) in chosen.iter().rev() {
        used[source] |= used[target];
    }
    let alive = |unit: usize| fed[unit] && used[unit];
    let hidden = chosen
        .iter()
        .filter(|&&(s, t)| s >= 4 && t < outputs.start && alive(s) && alive(t))
        .map(|&(s, t)| (s - 4, t - 4));
    Components::of(layers, width, |u| alive(u + 4), hidden).spanning() >= parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_are_numbered_once() {
        let all: std::collections::BTreeSet<_> = (0..slots(3, 2)).map(|s| wire(s, 3, 2)).collect();
        assert_eq!(all.len(), 12 + 9 + 9);
        assert!(all.contains(&(3, 6)) && all.contains(&(4, 9)) && all.contains(&(9, 12)));
        assert!(all.iter().all(|&(s, t)| s < t));
    }

    #[test]
    fn hand_made_wirings() {
        // W 2, L 2: hidden 4, 5 | 6, 7, outputs 8, 9, 10.
        let two = [(0, 4), (1, 5), (4, 6), (5, 7), (6, 8), (6, 9), (7, 10)];
        assert!(happens(&two, 2, 2, 2));
        let joined = [(0, 4), (1, 5), (4, 6), (4, 7), (5, 7), (6, 8), (6, 9), (7, 10)];
        assert!(!happens(&joined, 2, 2, 2) && happens(&joined, 2, 2, 1));
        // Output 10 undriven; unit 5 without an input (dead, so 7 is too).
        assert!(!happens(&two[..6], 2, 2, 1));
        let orphan = [(0, 4), (4, 6), (5, 7), (6, 8), (6, 9), (6, 10), (7, 10)];
        assert!(!happens(&orphan, 2, 2, 2) && happens(&orphan, 2, 2, 1));
    }

    #[test]
    fn a_full_budget_is_certain_and_a_larger_one_has_no_volume() {
        let full = probability(3, 2, slots(3, 2), 1, 50, 1).unwrap().unwrap();
        assert_eq!(full.probability.estimate, 1.0);
        let none = probability(3, 2, slots(3, 2), 2, 50, 1).unwrap().unwrap();
        assert_eq!(none.probability.estimate, 0.0);
        assert_eq!(probability(3, 2, slots(3, 2) + 1, 1, 50, 1), Ok(None));
    }

    #[test]
    fn sixty_edges_on_eight_units_peak_at_four_or_five_layers() {
        let curve: Vec<f64> = (2..=9)
            .map(|l| {
                let found = probability(8, l, 60, 2, 20_000, 7).unwrap().unwrap();
                found.probability.estimate
            })
            .collect();
        let peak = (0..curve.len()).max_by(|&a, &b| curve[a].total_cmp(&curve[b])).unwrap();
        assert!([4, 5].contains(&(peak + 2)), "{curve:?}");
        assert!(curve[0] < curve[peak] / 2.0 && curve[7] < curve[peak] / 2.0, "{curve:?}");
    }
}
