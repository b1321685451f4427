//! Components of the hidden graph, the layers they cover, and the labellings they admit.
//!
//! A **P-modular labelling** gives each hidden unit one of P unordered labels so that every label occurs in every
//! layer and no edge joins two labels. Edges join neighbouring layers only, so each component covers an *interval* of
//! layers, and a labelling colours whole components so that each colour covers every layer. Families of intervals
//! have equitable P-colourings (de Werra 1971; Berge, *Hypergraphs*, ch. 5): one exists if and only if every layer is
//! touched by at least P components.
//!
//! In: L layers, their width, pairs of units of neighbouring layers. Out: (first, last) layer of each component; counts
//! from 0.
//! Cost: no drawing; a pass over the edges. Counting labellings takes at most (L + P choose P) · P steps a component.
//!
//! **What it does not mean:** a wiring that admits labellings *can* hold P parts; nothing here says that it does.

use std::collections::BTreeMap;

/// Most parts P that a labelling is counted for.
pub const MOST_PARTS: usize = 8;

/// The connected components of a layered hidden graph, by the layers they cover.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Components {
    /// Hidden layers, L.
    pub layers: usize,
    /// (first, last) layer of each component, from 0, ordered.
    pub spans: Vec<(usize, usize)>,
}

impl Components {
    /// Components of `layers` × `width` units under `edges` between unit `layer·width + i` and a
    /// unit of the next layer. `alive`: which units exist, (layers · width,); dead ones form no
    /// component.
    pub fn of(
        layers: usize,
        width: usize,
        alive: impl Fn(usize) -> bool,
        edges: impl IntoIterator<Item = (usize, usize)>,
    ) -> Self {
        let mut parent: Vec<usize> = (0..layers * width).collect();
        for (a, b) in edges {
            let (a, b) = (root(&mut parent, a), root(&mut parent, b));
            // The smaller index leads, so a component's root is in its first layer.
            parent[a.max(b)] = a.min(b);
        }
        let mut last = vec![None; layers * width];
        for unit in (0..layers * width).filter(|&u| alive(u)) {
            last[root(&mut parent, unit)] = Some(unit / width);
        }
        let mut spans: Vec<(usize, usize)> = last
            .into_iter()
            .enumerate()
            .filter_map(|(unit, last)| last.map(|last| (unit / width, last)))
            .collect();
        spans.sort_unstable();
        Components { layers, spans }
    }

    /// Components that cover every hidden layer.
    pub fn spanning(&self) -> usize {
        self.spans.iter().filter(|&&s| s == (0, self.layers - 1)).count()
    }

    /// The least number of components that touch a layer, over layers: the largest P for which a
    /// P-modular labelling exists.
    pub fn least_touching(&self) -> usize {
        (0..self.layers)
            .map(|l| self.spans.iter().filter(|&&(first, last)| first <= l && l <= last).count())
            .min()
            .unwrap_or(0)
    }

    /// N, the number of P-modular labellings: ways to split the components into `parts` unordered
    /// groups that each cover every layer. Exact below 2⁵³, rounded above.
    ///
    /// A sweep over the layers; the state is how far each group reaches, sorted, with the number
    /// of ordered colourings that lead there.
    ///
    /// # Panics
    /// If `parts` is not in 1..=8, or there are more than 255 layers.
    pub fn labellings(&self, parts: usize) -> f64 {
        assert!((1..=MOST_PARTS).contains(&parts) && self.layers <= 255);
        if self.least_touching() < parts {
            return 0.0;
        }
        let mut states = BTreeMap::from([([0u8; MOST_PARTS], 1.0f64)]);
        let mut spans = self.spans.iter().peekable();
        for layer in 0..self.layers {
            while let Some(&(_, last)) = spans.next_if(|s| s.0 == layer) {
                let reach = last as u8 + 1;
                let mut next = BTreeMap::new();
                for (state, ways) in &states {
                    for slot in 0..parts {
                        let mut moved = *state;
                        moved[slot] = moved[slot].max(reach);
                        moved[..parts].sort_unstable();
                        *next.entry(moved).or_insert(0.0) += ways;
                    }
                }
                states = next;
            }
            states.retain(|state, _| usize::from(state[0]) > layer);
        }
        let orders: f64 = (1..=parts).map(|k| k as f64).product();
        states.values().sum::<f64>() / orders
    }
}

fn root(parent: &mut [usize], mut unit: usize) -> usize {
    while parent[unit] != unit {
        parent[unit] = parent[parent[unit]];
        unit = parent[unit];
    }
    unit
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::SimRng;

    /// N by trying every labelling: labels^units, each checked against the definition.
    fn brute(layers: usize, width: usize, parts: usize, edges: &[(usize, usize)]) -> f64 {
        let units = layers * width;
        let mut labels = vec![0; units];
        let mut found = 0.0;
        loop {
            let covers = (0..layers)
                .all(|l| (0..parts).all(|k| labels[l * width..(l + 1) * width].contains(&k)));
            if covers && edges.iter().all(|&(a, b)| labels[a] == labels[b]) {
                found += 1.0;
            }
            let Some(at) = labels.iter().position(|&k| k + 1 < parts) else {
                break;
            };
            labels[..at].fill(0);
            labels[at] += 1;
        }
        found / (1..=parts).product::<usize>() as f64
    }

    #[test]
    fn labellings_and_their_existence_agree_with_a_search_over_all_labellings() {
        let mut rng = SimRng::new(3, "test", 0);
        let (mut some, mut none) = (0, 0);
        for (layers, width, parts) in
            [(1, 4, 2), (2, 3, 2), (3, 3, 2), (3, 3, 3), (4, 2, 2), (2, 4, 3)]
        {
            for _ in 0..60 {
                let p = rng.uniform();
                let mut edges = Vec::new();
                for l in 0..layers - 1 {
                    for i in 0..width * width {
                        if rng.chance(p) {
                            edges.push((l * width + i / width, (l + 1) * width + i % width));
                        }
                    }
                }
                let components = Components::of(layers, width, |_| true, edges.clone());
                let expected = brute(layers, width, parts, &edges);
                assert_eq!(components.labellings(parts), expected);
                assert_eq!(components.least_touching() >= parts, expected > 0.0);
                if expected > 0.0 { some += 1 } else { none += 1 }
            }
        }
        assert!(some > 50 && none > 50);
    }
}
