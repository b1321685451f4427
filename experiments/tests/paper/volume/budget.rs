//! Edges of a budget, wherever they fall: sampled networks against all there are.

use crate::volume::budget::{probability, slots};
use picloom::score::measures::components::Components;

/// Every slot as an edge between numbered nodes: an input is one node with four slots into each unit, for what else
/// but a path from some input counts.
fn all_edges(width: usize, layers: usize) -> Vec<(usize, usize)> {
    let (inputs, head) = (layers * width, layers * width + 1);
    let pairs = |from: usize, to: usize, count: usize| {
        (0..width).flat_map(move |a| (0..count).map(move |b| (from + a, to + b)))
    };
    let into = (0..width).flat_map(|unit| [(inputs, unit); 4]);
    let between = (1..layers).flat_map(|layer| pairs((layer - 1) * width, layer * width, width));
    into.chain(between).chain(pairs((layers - 1) * width, head, 3)).collect()
}

/// The event by its words: paths by search, components by [`Components`].
fn happens(edges: &[(usize, usize)], width: usize, layers: usize, parts: usize) -> bool {
    let (inputs, head) = (layers * width, layers * width + 1);
    let reached = |from: &[usize], forward: bool| {
        let mut seen = from.to_vec();
        let mut next = 0;
        while next < seen.len() {
            for &(a, b) in edges {
                let (a, b) = if forward { (a, b) } else { (b, a) };
                if a == seen[next] && !seen.contains(&b) {
                    seen.push(b);
                }
            }
            next += 1;
        }
        seen
    };
    let fed = reached(&[inputs], true);
    let used = reached(&[head, head + 1, head + 2], false);
    let alive = |unit: usize| fed.contains(&unit) && used.contains(&unit);
    let hidden =
        edges.iter().copied().filter(|&(a, b)| a < inputs && b < inputs && alive(a) && alive(b));
    (head..head + 3).all(|output| fed.contains(&output))
        && Components::of(layers, width, alive, hidden).spanning() >= parts
}

/// From node to node.
type Edge = (usize, usize);

/// Calls `visit` with every choice of `count` edges.
fn choices(edges: &[Edge], count: usize, chosen: &mut Vec<Edge>, visit: &mut dyn FnMut(&[Edge])) {
    if count == 0 {
        return visit(chosen);
    }
    for first in 0..=edges.len() - count {
        chosen.push(edges[first]);
        choices(&edges[first + 1..], count - 1, chosen, visit);
        chosen.pop();
    }
}

#[test]
fn samples_hold_the_share_of_all_networks_in_which_the_event_happens() {
    for (width, layers, edges, parts) in
        [(2, 2, 7, 1), (2, 2, 9, 2), (2, 2, 11, 2), (3, 1, 6, 2), (2, 3, 8, 1)]
    {
        let all = all_edges(width, layers);
        assert_eq!(all.len(), slots(width, layers));
        let (mut hits, mut count) = (0u32, 0u32);
        choices(&all, edges, &mut Vec::new(), &mut |chosen| {
            count += 1;
            hits += u32::from(happens(chosen, width, layers, parts));
        });
        let truth = f64::from(hits) / f64::from(count);
        let samples = 100_000;
        let found = probability(width, layers, edges, parts, samples, 3).unwrap().unwrap();
        // Four standard errors: a right estimate fails one time in 16 000.
        let error = (truth * (1.0 - truth) / samples as f64).sqrt();
        let off = (found.probability.estimate - truth).abs();
        assert!(
            truth > 0.005 && truth < 0.995,
            "{width} {layers} {edges}: nothing to see: {truth}"
        );
        assert!(off <= 4.0 * error, "{width} {layers} {edges} {parts}: {truth} {found:?}");
    }
}

#[test]
fn a_full_budget_is_certain_and_a_larger_one_has_no_volume() {
    let full = probability(3, 2, slots(3, 2), 1, 50, 1).unwrap().unwrap();
    assert_eq!(full.probability.estimate, 1.0);
    let none = probability(3, 2, slots(3, 2), 2, 50, 1).unwrap().unwrap();
    assert_eq!(none.probability.estimate, 0.0);
    assert_eq!(probability(3, 2, slots(3, 2) + 1, 1, 50, 1), Ok(None));
}
