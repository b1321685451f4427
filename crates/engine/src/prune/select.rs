//! From scores to a selection: rules, counts a group, ties.
//!
//! A selection is exact: `Budget(K)` chooses K links, ties go to the lower link index, and nothing
//! depends on the order of a sort or on threads.

use super::context::{EdgeContext, PruneError, budget_above};
use crate::base::names::names;
use crate::base::refusal::Refusal;
use crate::base::settings::{Field, Range};
use crate::network::Network;
use serde::{Deserialize, Serialize};

/// How many links a round keeps.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rule {
    /// Keep links whose score is at least τ. SP round 1: 0.35; round 2: about 0.75 \[ours\].
    Threshold(f64),
    /// Keep exactly K links (structured methods: the first reachable count ≤ K).
    Budget(usize),
    /// Remove ⌊p·(n − 1)⌋ of the n links left, wherever they are; p in [0, 1). IMP `global`.
    Fraction(f64),
    /// Remove round(p·n) + 1 of the n links left of each layer (round half to even, as NumPy):
    /// the published lottery-ticket code. IMP `original`: hidden 0.2, output 0.1.
    Layerwise {
        /// p of the links into hidden units, in [0, 1).
        hidden: f64,
        /// p of the links into outputs, in [0, 1).
        output: f64,
    },
}

impl std::fmt::Display for Rule {
    /// As records write it: `budget:400`, `layerwise:0.2,0.1`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Rule::Threshold(t) => write!(f, "threshold:{t}"),
            Rule::Budget(k) => write!(f, "budget:{k}"),
            Rule::Fraction(p) => write!(f, "fraction:{p}"),
            Rule::Layerwise { hidden, output } => write!(f, "layerwise:{hidden},{output}"),
        }
    }
}

/// Within what a score is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scope {
    /// All links of the network together.
    Global,
    /// The links into one layer.
    Layer,
    /// The links into one unit (a row of the weight matrix; Wanda's default).
    Row,
}

names! { Scope, "scope": Global "global", Layer "layer", Row "row" }

/// A partition of the links and how many of each part to keep.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Quotas {
    /// (W,) part of each link.
    pub group: Vec<usize>,
    /// Links to keep of each part.
    pub quota: Vec<usize>,
}

impl Quotas {
    /// K, the sum of the parts.
    pub(crate) fn total(&self) -> usize {
        self.quota.iter().sum()
    }
}

/// (W,) layer of each link, from 0: hidden layer l of its target is l − 1; links into outputs form
/// the last one, also in a graph, where outputs stand at several depths.
pub(crate) fn layer_of_links(network: &Network) -> Vec<usize> {
    let last = output_layer(network);
    let outputs = network.outputs;
    network
        .links
        .iter()
        .map(|link| {
            if outputs.contains(&Some(link.target)) {
                last
            } else {
                network.units[link.target].layer - 1
            }
        })
        .collect()
}

/// The number [`layer_of_links`] gives to links into outputs: the depth of the deepest hidden unit.
fn output_layer(network: &Network) -> usize {
    network
        .units
        .iter()
        .enumerate()
        .filter(|(u, _)| !network.outputs.contains(&Some(*u)))
        .map(|(_, unit)| unit.layer)
        .max()
        .unwrap_or(0)
}

/// Shares `total` among parts in proportion to `sizes`: ⌊total·n_i/N⌋ each, what is left over by
/// largest remainder, ties to the lower index. Exact: the sum is `total` (≤ N).
pub(crate) fn proportional(sizes: &[usize], total: usize) -> Vec<usize> {
    let n: usize = sizes.iter().sum();
    if n == 0 {
        return vec![0; sizes.len()];
    }
    let mut shares: Vec<usize> = sizes.iter().map(|s| total * s / n).collect();
    let mut order: Vec<usize> = (0..sizes.len()).collect();
    order.sort_by_key(|&i| (std::cmp::Reverse(total * sizes[i] % n), i));
    let left = total - shares.iter().sum::<usize>();
    for &i in order.iter().take(left) {
        shares[i] += 1;
    }
    shares
}

/// Number removed by one round of IMP `global`: ⌊p·(n − 1)⌋.
pub(crate) fn global_removal(n: usize, p: f64) -> usize {
    (p * n.saturating_sub(1) as f64).floor() as usize
}

/// Number removed of a layer by one round of IMP `original`: round(p·n) + 1, half to even, at
/// most n.
pub(crate) fn layer_removal(n: usize, p: f64) -> usize {
    ((p * n as f64).round_ties_even() as usize + 1).min(n)
}

impl Rule {
    /// The goal of a structured method: (threshold on importance, count not to exceed).
    pub(super) fn structured_goal(
        self,
        method: &'static str,
        context: &EdgeContext,
        candidates: &[bool],
    ) -> Result<(f64, usize), PruneError> {
        if matches!(self, Rule::Layerwise { .. }) {
            let expected = "a threshold, a budget or a fraction, as it removes whole units";
            return Err(Refusal::new(method, expected, format!("{self:?}")).into());
        }
        let quotas = self.quotas(context.network, candidates, Scope::Global)?;
        Ok(match (self, quotas) {
            (Rule::Threshold(tau), _) => (tau, 0),
            (_, Some(quotas)) => (f64::NEG_INFINITY, quotas.total()),
            (_, None) => (f64::NEG_INFINITY, context.mask.kept()),
        })
    }

    /// The links to keep, as counts; `None` for a threshold.
    ///
    /// # Errors
    /// A budget above the links kept so far; a number out of its range.
    pub(crate) fn quotas(
        self,
        network: &Network,
        candidates: &[bool],
        scope: Scope,
    ) -> Result<Option<Quotas>, PruneError> {
        let left = candidates.iter().filter(|&&c| c).count();
        let fraction = |what, p: f64| p.check(what, &Range::RATE).map(|()| p);
        let total = match self {
            Rule::Threshold(tau) => {
                Refusal::unless(tau.is_finite(), "a threshold", "a finite number", tau)?;
                return Ok(None);
            }
            Rule::Budget(k) if k > left => {
                return Err(budget_above(left, k));
            }
            Rule::Budget(k) => k,
            Rule::Fraction(p) => left - global_removal(left, fraction("a fraction to remove", p)?),
            Rule::Layerwise { hidden, output } => {
                let hidden = fraction("a fraction of the hidden layers to remove", hidden)?;
                let output = fraction("a fraction of the output layer to remove", output)?;
                let layer = layer_of_links(network);
                let sizes = sizes(&layer, candidates);
                let last = output_layer(network);
                let counts: Vec<usize> = sizes
                    .iter()
                    .enumerate()
                    .map(|(l, &n)| n - layer_removal(n, if l == last { output } else { hidden }))
                    .collect();
                return Ok(Some(match scope {
                    Scope::Global | Scope::Layer => Quotas { group: layer, quota: counts },
                    Scope::Row => rows_of_layers(network, candidates, &layer, &counts),
                }));
            }
        };
        let group: Vec<usize> = match scope {
            Scope::Global => vec![0; candidates.len()],
            Scope::Layer => layer_of_links(network),
            Scope::Row => network.links.iter().map(|l| l.target).collect(),
        };
        let quota = match scope {
            Scope::Global => vec![total],
            Scope::Layer | Scope::Row => proportional(&sizes(&group, candidates), total),
        };
        Ok(Some(Quotas { group, quota }))
    }
}

/// Candidates of each part.
pub(super) fn sizes(group: &[usize], candidates: &[bool]) -> Vec<usize> {
    let mut sizes = vec![0; group.iter().max().map_or(0, |g| g + 1)];
    for (&g, &c) in group.iter().zip(candidates) {
        sizes[g] += usize::from(c);
    }
    sizes
}

fn rows_of_layers(
    network: &Network,
    candidates: &[bool],
    layer: &[usize],
    counts: &[usize],
) -> Quotas {
    let group: Vec<usize> = network.links.iter().map(|l| l.target).collect();
    let mut quota = vec![0; network.units.len()];
    for (l, &count) in counts.iter().enumerate() {
        let inside: Vec<bool> = candidates.iter().zip(layer).map(|(&c, &k)| c && k == l).collect();
        let rows = sizes(&group, &inside);
        for (row, share) in proportional(&rows, count).into_iter().enumerate() {
            quota[row] += share;
        }
    }
    Quotas { group, quota }
}

/// Links in order of preference: protected first, then higher score, then lower index.
fn order(scores: &[f64], protected: &[bool], links: &mut [usize]) {
    links.sort_by(|&a, &b| {
        protected[b].cmp(&protected[a]).then(scores[b].total_cmp(&scores[a])).then(a.cmp(&b))
    });
}

/// (W,) the best candidates of each part, Σ quota in all. Protected links are always among them;
/// where a part has more of those than its quota, the weakest unprotected links of the whole
/// network make room.
pub(super) fn top(
    scores: &[f64],
    candidates: &[bool],
    quotas: &Quotas,
    protected: &[bool],
) -> Vec<bool> {
    let mut parts: Vec<Vec<usize>> = vec![Vec::new(); quotas.quota.len()];
    for (link, _) in candidates.iter().enumerate().filter(|(_, c)| **c) {
        parts[quotas.group[link]].push(link);
    }
    let mut kept = vec![false; candidates.len()];
    let mut excess = 0;
    for (part, &quota) in parts.iter_mut().zip(&quotas.quota) {
        order(scores, protected, part);
        let must = part.iter().take_while(|&&link| protected[link]).count();
        let take = quota.max(must);
        excess += take - quota;
        for &link in part.iter().take(take) {
            kept[link] = true;
        }
    }
    if excess > 0 {
        let mut spare: Vec<usize> =
            (0..kept.len()).filter(|&link| kept[link] && !protected[link]).collect();
        order(scores, protected, &mut spare);
        for &link in spare.iter().rev().take(excess) {
            kept[link] = false;
        }
    }
    kept
}

/// (W,) candidates whose score is at least `tau`.
pub(super) fn above(scores: &[f64], candidates: &[bool], tau: f64) -> Vec<bool> {
    scores.iter().zip(candidates).map(|(&s, &c)| c && s >= tau).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::Arch;

    #[test]
    fn proportional_shares_are_exact_and_favour_the_largest_remainder() {
        assert_eq!(proportional(&[4, 2, 2], 4), [2, 1, 1]);
        // 5·4/8 = 2.5, 5·2/8 = 1.25 twice: the left-over goes to the half.
        assert_eq!(proportional(&[4, 2, 2], 5), [3, 1, 1]);
        // 1.5 and 1.5: the tie goes to the first.
        assert_eq!(proportional(&[2, 2], 3), [2, 1]);
        assert_eq!(proportional(&[88, 484, 66], 638), [88, 484, 66]);
        assert_eq!(proportional(&[0, 3], 2), [0, 2]);
    }

    #[test]
    fn ties_go_to_the_lower_index() {
        let all = vec![true; 5];
        let quotas = Quotas { group: vec![0; 5], quota: vec![3] };
        assert_eq!(
            top(&[1.0, 2.0, 1.0, 1.0, 1.0], &all, &quotas, &[false; 5]),
            [true, true, true, false, false]
        );
        assert_eq!(
            top(&[1.0, 2.0, 1.0, 1.0, 1.0], &all, &quotas, &[false, false, false, false, true]),
            [true, true, false, false, true]
        );
    }

    #[test]
    fn protected_links_above_a_quota_displace_the_weakest_elsewhere() {
        let quotas = Quotas { group: vec![0, 0, 1, 1], quota: vec![1, 1] };
        let kept = top(&[0.1, 0.2, 0.9, 0.8], &[true; 4], &quotas, &[true, true, false, false]);
        assert_eq!(kept, [true, true, false, false]);
    }

    #[test]
    fn the_layers_of_a_layered_network_are_its_blocks() {
        let network = "2;cache:2".parse::<Arch>().unwrap().network();
        let layer = layer_of_links(&network);
        for (b, block) in network.blocks.iter().enumerate() {
            assert!(layer[block.weights()].iter().all(|&l| l == b));
        }
    }
}
