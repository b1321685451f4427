//! Modules of the wiring, and whether there are more than chance gives.
//!
//! Graph: hidden and output units, undirected edges |w| between them (inputs are left out: every
//! module reads them). Q = Σ_c [in_c/2m − (tot_c/2m)²], in [−½, 1). Modules by Louvain: in index order
//! each unit goes to that module of its neighbours with which Q is largest (its own, if none is better
//! by 1e-12; else the lowest of equals), until none moves; then whole modules in the order of their
//! first units in the same way, until none moves. So the answer is deterministic.
//! z = (Q − mean Q₀)/sd Q₀ over weight shuffles: weights change places among the links into one
//! layer (for a layered network zeros move too, so the wiring is shuffled at equal counts; for a
//! graph only the strengths are).
//!
//! In: weights (W,). Out: Q, z (none if shuffling changes nothing), (U,) modules.
//! Cost: no drawing; Louvain, some passes over W links, once and once a shuffle (20 for a record).
//!
//! Sources: Newman & Girvan, Phys. Rev. E 69, 2004; Blondel et al. (Louvain), 2008. The null model
//! is \[ours\].
//!
//! **What it does not mean:** Q alone is high for any sparse graph, and chains of relays are
//! modules to it: only z compares networks. Wiring modules need not be functional modules.

use crate::base::SimRng;
use crate::network::{Network, Weights};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Modules of a network.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Modularity {
    /// Modules with at least one edge.
    pub modules: usize,
    /// Newman's Q of them; 0 without edges.
    pub q: f64,
    /// Mean Q of the shuffled networks.
    pub null_mean: f64,
    /// Its standard deviation over shuffles.
    pub null_deviation: f64,
    /// (Q − mean)/deviation; `None` if shuffling changes nothing or fewer than 2 shuffles.
    pub z: Option<f64>,
    /// (U,) module of each unit; `None` for inputs and units without an edge.
    pub module: Vec<Option<usize>>,
}

/// Modules and z-score of `network`; `shuffles` null networks (100 is enough for z ± .1).
/// The same bits at any thread count.
///
/// # Panics
/// If there is not one weight a link.
pub fn modularity(
    network: &Network,
    weights: &Weights,
    shuffles: usize,
    rng: &mut SimRng,
) -> Modularity {
    assert_eq!(weights.0.len(), network.weight_count(), "one weight a link");
    let (q, module) = modules_of(network, &weights.0);
    let mut layers: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (i, link) in network.links.iter().enumerate() {
        let layer = network.units[link.target].layer;
        layers.entry(layer).or_default().push(i);
    }
    let seed = rng.next_u64();
    let null: Vec<f64> = (0..shuffles)
        .into_par_iter()
        .map(|s| {
            let mut rng = SimRng::new(seed, "modularity shuffle", s as u64);
            let mut shuffled = weights.0.clone();
            for links in layers.values() {
                let mut values: Vec<f32> = links.iter().map(|&i| weights.0[i]).collect();
                rng.shuffle(&mut values);
                for (&i, value) in links.iter().zip(values) {
                    shuffled[i] = value;
                }
            }
            modules_of(network, &shuffled).0
        })
        .collect();
    let n = null.len() as f64;
    let mean = null.iter().sum::<f64>() / n.max(1.0);
    let spread = null.iter().map(|q| (q - mean) * (q - mean)).sum::<f64>();
    let deviation = (spread / (n - 1.0).max(1.0)).sqrt();
    Modularity {
        modules: module.iter().flatten().max().map_or(0, |m| m + 1),
        q,
        null_mean: mean,
        null_deviation: deviation,
        z: (n >= 2.0 && deviation > 1e-12).then(|| (q - mean) / deviation),
        module,
    }
}

fn modules_of(network: &Network, weights: &[f32]) -> (f64, Vec<Option<usize>>) {
    let edges: Vec<(usize, usize, f64)> = network
        .links
        .iter()
        .zip(weights)
        .filter(|(link, w)| link.source >= network.inputs.len() && **w != 0.0)
        .map(|(link, w)| (link.source, link.target, f64::from(w.abs())))
        .collect();
    let found = louvain(network.units.len(), &edges);
    let mut connected = vec![false; network.units.len()];
    for &(a, b, _) in &edges {
        connected[a] = true;
        connected[b] = true;
    }
    let mut names = BTreeMap::new();
    let module = (0..network.units.len())
        .map(|u| {
            let next = names.len();
            connected[u].then(|| *names.entry(found[u]).or_insert(next))
        })
        .collect();
    (newman_q(network.units.len(), &edges, &found), module)
}

/// Newman's Q of a partition; `edges` are (a, b, weight > 0), undirected, at most one a pair.
/// 0 without edges.
pub fn newman_q(nodes: usize, edges: &[(usize, usize, f64)], module: &[usize]) -> f64 {
    let total: f64 = edges.iter().map(|e| e.2).sum();
    if total == 0.0 {
        return 0.0;
    }
    let (mut inside, mut degree) = (0.0, vec![0.0; nodes.max(1)]);
    for &(a, b, w) in edges {
        if module[a] == module[b] {
            inside += w;
        }
        degree[module[a]] += w;
        degree[module[b]] += w;
    }
    let expected: f64 = degree.iter().map(|d| d / (2.0 * total) * (d / (2.0 * total))).sum();
    inside / total - expected
}

/// Louvain communities: (nodes,) module of each node, numbered from 0 by their first nodes.
pub(crate) fn louvain(nodes: usize, edges: &[(usize, usize, f64)]) -> Vec<usize> {
    let mut belongs: Vec<usize> = (0..nodes).collect();
    let mut count = nodes;
    let mut current: Vec<(usize, usize, f64)> = edges.to_vec();
    loop {
        let module = one_level(count, &current);
        let mut names = BTreeMap::new();
        let renamed: Vec<usize> = module
            .iter()
            .map(|&m| {
                let next = names.len();
                *names.entry(m).or_insert(next)
            })
            .collect();
        for b in &mut belongs {
            *b = renamed[*b];
        }
        if names.len() == count {
            return belongs;
        }
        count = names.len();
        let mut merged: BTreeMap<(usize, usize), f64> = BTreeMap::new();
        for &(a, b, w) in &current {
            let (a, b) = (renamed[a], renamed[b]);
            *merged.entry((a.min(b), a.max(b))).or_insert(0.0) += w;
        }
        current = merged.into_iter().map(|((a, b), w)| (a, b, w)).collect();
    }
}

/// Moves nodes, in index order, to the neighbouring module with the largest gain until none moves.
fn one_level(nodes: usize, edges: &[(usize, usize, f64)]) -> Vec<usize> {
    let total: f64 = edges.iter().map(|e| e.2).sum();
    let mut module: Vec<usize> = (0..nodes).collect();
    if total == 0.0 {
        return module;
    }
    let (mut near, mut degree) = (vec![Vec::new(); nodes], vec![0.0; nodes]);
    for &(a, b, w) in edges {
        degree[a] += w;
        degree[b] += w;
        if a != b {
            near[a].push((b, w));
            near[b].push((a, w));
        }
    }
    let mut of_module = degree.clone();
    let mut links = vec![0.0; nodes];
    // Every move raises Q, so this ends; the cap is for rounding.
    for _ in 0..100 {
        let mut moved = false;
        for node in 0..nodes {
            let home = module[node];
            of_module[home] -= degree[node];
            let mut around = vec![home];
            for &(other, w) in &near[node] {
                around.push(module[other]);
                links[module[other]] += w;
            }
            around.sort_unstable();
            around.dedup();
            let gain = |m: usize| links[m] - of_module[m] * degree[node] / (2.0 * total);
            let mut best = home;
            for &m in &around {
                if gain(m) > gain(best) + 1e-12 * total {
                    best = m;
                }
            }
            for &m in &around {
                links[m] = 0.0;
            }
            of_module[best] += degree[node];
            module[node] = best;
            moved |= best != home;
        }
        if !moved {
            break;
        }
    }
    module
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::Arch;

    #[test]
    fn two_triangles_with_a_bridge_have_the_textbook_q() {
        // m = 7; each triangle: 3 inside, degree 7: Q = 6/7 − 2·(7/14)² = 5/14.
        let edges =
            [(0, 1), (1, 2), (0, 2), (3, 4), (4, 5), (3, 5), (2, 3)].map(|(a, b)| (a, b, 1.0));
        let found = louvain(6, &edges);
        assert_eq!(found[0], found[2]);
        assert_eq!(found[3], found[5]);
        assert_ne!(found[0], found[3]);
        assert!((newman_q(6, &edges, &found) - 5.0 / 14.0).abs() < 1e-12);
        assert_eq!(newman_q(6, &edges, &[0; 6]), 0.0);
        assert_eq!(louvain(3, &[]), [0, 1, 2]);
    }

    #[test]
    fn the_karate_club_is_split_near_its_known_optimum() {
        // Zachary 1977; the best known Q is .4198, Louvain finds .41 to .42.
        let near: [&[usize]; 34] = [
            &[1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 17, 19, 21, 31],
            &[2, 3, 7, 13, 17, 19, 21, 30],
            &[3, 7, 8, 9, 13, 27, 28, 32],
            &[7, 12, 13],
            &[6, 10],
            &[6, 10, 16],
            &[16],
            &[],
            &[30, 32, 33],
            &[33],
            &[],
            &[],
            &[],
            &[33],
            &[32, 33],
            &[32, 33],
            &[],
            &[],
            &[32, 33],
            &[33],
            &[32, 33],
            &[],
            &[32, 33],
            &[25, 27, 29, 32, 33],
            &[25, 27, 31],
            &[31],
            &[29, 33],
            &[33],
            &[31, 33],
            &[32, 33],
            &[32, 33],
            &[32, 33],
            &[33],
            &[],
        ];
        let edges: Vec<(usize, usize, f64)> = near
            .iter()
            .enumerate()
            .flat_map(|(a, list)| list.iter().map(move |&b| (a, b, 1.0)))
            .collect();
        assert_eq!(edges.len(), 78);
        let q = newman_q(34, &edges, &louvain(34, &edges));
        assert!(q > 0.40 && q < 0.4199, "{q}");
    }

    #[test]
    fn two_separate_stacks_stand_out_from_their_shuffles() {
        // 3 layers of 8; units 0–3 and 4–7 of a layer only feed their own half; heads by half.
        let network = "3;sin:8".parse::<Arch>().unwrap().network();
        let half = |u: usize| if u >= 28 { 0 } else { (u - 4) % 8 / 4 };
        let weights = Weights(
            network
                .links
                .iter()
                .map(|l| {
                    let same = l.source >= 4 && half(l.source) == half(l.target);
                    if l.source < 4 || same { 1.0 } else { 0.0 }
                })
                .collect(),
        );
        let mut rng = SimRng::new(1, "test", 0);
        let found = modularity(&network, &weights, 50, &mut rng);
        assert!(found.q > 0.4 && found.z.unwrap() > 5.0, "{found:?}");
        assert_eq!(found.module[0], None);
        assert_ne!(found.module[4], found.module[8]);
        let mut again = SimRng::new(1, "test", 0);
        assert_eq!(found, modularity(&network, &weights, 50, &mut again));
        let flat = Weights(vec![1.0; network.weight_count()]);
        assert_eq!(modularity(&network, &flat, 5, &mut rng).z, None);
    }
}
