//! Conditions on every mask, whatever the method: no output loses all inputs, every output has
//! a path from an input, no hidden unit is an orphan (METHODS §5, common guards).
//!
//! How guards and an exact budget live together: **guards choose which links, never how many.**
//! 1. *Paths.* Where the selection leaves an output without a path, the best max–min path among
//!    the candidates (links already selected cost nothing; ties: fewer new links, then the lower
//!    link index) is protected, and the selection is made again: the weakest unprotected links
//!    make room. Should these paths together exceed K, the smallest tree that feeds all outputs
//!    takes their place (exact, by dynamic programming over the outputs).
//! 2. *Orphans.* Links that are not alive (not on a path from an input to an output) are removed from
//!    the network that is trained on (`live`, and their weights are 0), but they count as *kept*: the
//!    captions' counts are of this kind (one threshold keeps 1405 links of FER's skull, 1351 of them
//!    alive). Reachability is the fixpoint of removing orphans, because links are acyclic. In the
//!    next round they are the first to go.
//! 3. *Refill* (an option, [`Orphans::Refill`], budgets only). The places of orphans go to the
//!    best-scoring candidates between two live units (first in the part of the network they were
//!    freed in, then anywhere); if there is none, to the best max–min detour through other units that
//!    fits, if need be in the place of the weakest link no other depends on. Then kept = alive = K,
//!    for comparisons at equal live counts. What cannot be placed even so (a budget that no set of
//!    live links meets) stays where the selection had put it: kept, not alive.
//!
//! An output that no input reaches even through all candidates (a grey graph's hue) is left alone.

use super::context::{PruneError, budget_below};
use super::select::{Quotas, top};
use crate::network::{Mask, Network};
use serde::{Deserialize, Serialize};

/// How links on no path from an input to an output are treated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Orphans {
    /// They count as kept, are not alive, and are not trained. The default.
    #[default]
    Drop,
    /// Under a budget, better-placed links take their places: kept = alive = K.
    Refill,
}

/// Counts of the links that the guards added, dropped and replaced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GuardReport {
    /// Links the rule alone selects.
    pub selected: usize,
    /// Links added so that every output has a path.
    pub path_links: usize,
    /// Orphaned links: those dropped (kept − alive), or with [`Orphans::Refill`] those replaced.
    pub orphan_links: usize,
    /// Live links put in their places.
    pub refilled: usize,
    /// Outputs that no input reaches through any candidate.
    pub unreachable_outputs: usize,
}

/// Which units are reached from an input, and which reach an output, along kept links.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reach {
    /// (U,) reached from an input; inputs are.
    pub from_input: Vec<bool>,
    /// (U,) reaches an output; outputs do.
    pub to_output: Vec<bool>,
}

/// Links that leave each unit.
pub(super) fn leaving(network: &Network) -> Vec<Vec<usize>> {
    let mut leaving = vec![Vec::new(); network.units.len()];
    for (i, link) in network.links.iter().enumerate() {
        leaving[link.source].push(i);
    }
    leaving
}

/// Reachability along `kept` links. O(U + W).
pub fn reach(network: &Network, kept: &[bool]) -> Reach {
    let units = network.units.len();
    let mut from_input = vec![false; units];
    from_input[..network.inputs.len()].fill(true);
    for (link, _) in network.links.iter().zip(kept).filter(|(_, k)| **k) {
        // Links are sorted by target and sources come first: one sweep is enough.
        if from_input[link.source] {
            from_input[link.target] = true;
        }
    }
    let mut to_output = vec![false; units];
    for output in network.outputs.into_iter().flatten() {
        to_output[output] = true;
    }
    for (link, _) in network.links.iter().zip(kept).rev().filter(|(_, k)| **k) {
        if to_output[link.target] {
            to_output[link.source] = true;
        }
    }
    Reach { from_input, to_output }
}

/// The links on a path from an input to an output: what remains of `mask` when orphans (hidden
/// units without live in- or out-link) are removed to a fixpoint.
pub fn alive(network: &Network, mask: &Mask) -> Mask {
    Mask(alive_links(network, &mask.0))
}

/// (U,) units on a path from an input to an output along kept links; inputs and outputs count if
/// they are on one.
pub fn alive_units(network: &Network, mask: &Mask) -> Vec<bool> {
    let Reach { from_input, to_output } = reach(network, &mask.0);
    from_input.into_iter().zip(to_output).map(|(a, b)| a && b).collect()
}

fn alive_links(network: &Network, kept: &[bool]) -> Vec<bool> {
    let reach = reach(network, kept);
    network
        .links
        .iter()
        .zip(kept)
        .map(|(link, &k)| k && reach.from_input[link.source] && reach.to_output[link.target])
        .collect()
}

/// Output units that some input reaches through `candidates`, and how many others there are.
fn reachable_outputs(network: &Network, candidates: &[bool]) -> (Vec<usize>, usize) {
    let reach = reach(network, candidates);
    let outputs: Vec<usize> = network.outputs.into_iter().flatten().collect();
    let good: Vec<usize> = outputs.iter().copied().filter(|&o| reach.from_input[o]).collect();
    (good.clone(), outputs.len() - good.len())
}

fn first_missing(network: &Network, kept: &[bool], outputs: &[usize]) -> Option<usize> {
    let reach = reach(network, kept);
    outputs.iter().copied().find(|&o| !reach.from_input[o])
}

/// The path from an input to `output` among `candidates` whose weakest new link is strongest.
fn max_min_path(
    network: &Network,
    scores: &[f64],
    candidates: &[bool],
    kept: &[bool],
    output: usize,
) -> Vec<usize> {
    // best[u]: (score of the weakest new link, new links, last link).
    let mut best: Vec<Option<(f64, usize, Option<usize>)>> = vec![None; network.units.len()];
    best[..network.inputs.len()].fill(Some((f64::INFINITY, 0, None)));
    for (u, unit) in network.units.iter().enumerate().skip(network.inputs.len()) {
        for i in unit.links.clone().filter(|&i| candidates[i]) {
            let Some((weakest, new, _)) = best[network.links[i].source] else {
                continue;
            };
            let weakest = if kept[i] { weakest } else { weakest.min(scores[i]) };
            let new = new + usize::from(!kept[i]);
            if best[u].is_none_or(|(w, n, _)| weakest > w || (weakest == w && new < n)) {
                best[u] = Some((weakest, new, Some(i)));
            }
        }
    }
    let mut path = Vec::new();
    let mut unit = output;
    while let Some((_, _, Some(link))) = best[unit] {
        path.push(link);
        unit = network.links[link].source;
    }
    path
}

/// The smallest set of candidate links that gives every reachable output a path from an input.
///
/// Exact: a minimum Steiner arborescence for at most three outputs, by dynamic programming over
/// (unit, set of outputs). Ties: the lower link index. Its size is what the outputs need; for a
/// dense layered network L + 3.
pub fn smallest_feeding(network: &Network, candidates: &[bool]) -> Vec<usize> {
    #[derive(Clone, Copy)]
    enum Step {
        Link(usize),
        Split(usize),
    }
    const FAR: usize = usize::MAX / 4;
    let (mut outputs, _) = reachable_outputs(network, candidates);
    outputs.dedup();
    let sets = 1usize << outputs.len();
    let units = network.units.len();
    let mut cost = vec![vec![FAR; sets]; units];
    let mut step: Vec<Vec<Option<Step>>> = vec![vec![None; sets]; units];
    let mut leaving: Vec<Vec<usize>> = vec![Vec::new(); units];
    for (i, link) in network.links.iter().enumerate().filter(|(i, _)| candidates[*i]) {
        leaving[link.source].push(i);
    }
    let split = |cost: &mut [usize], step: &mut [Option<Step>]| {
        for set in 1..sets {
            let mut part = (set - 1) & set;
            while part > 0 {
                if cost[part] + cost[set ^ part] < cost[set] {
                    cost[set] = cost[part] + cost[set ^ part];
                    step[set] = Some(Step::Split(part));
                }
                part = (part - 1) & set;
            }
        }
    };
    for u in (0..units).rev() {
        cost[u][0] = 0;
        for (bit, &o) in outputs.iter().enumerate() {
            if o == u {
                cost[u][1 << bit] = 0;
            }
        }
        for &i in &leaving[u] {
            let target = network.links[i].target;
            for set in 1..sets {
                if cost[target][set] + 1 < cost[u][set] {
                    cost[u][set] = cost[target][set] + 1;
                    step[u][set] = Some(Step::Link(i));
                }
            }
        }
        let (mut c, mut s) = (std::mem::take(&mut cost[u]), std::mem::take(&mut step[u]));
        split(&mut c, &mut s);
        (cost[u], step[u]) = (c, s);
    }
    // The four inputs as one root: for every set the cheapest input, or two parts of the set.
    let mut root: Vec<(usize, usize)> = (0..sets)
        .map(|set| {
            (0..network.inputs.len()).map(|u| (cost[u][set], u)).min().expect("there are inputs")
        })
        .collect();
    let mut halves = vec![None; sets];
    for set in 1..sets {
        let mut part = (set - 1) & set;
        while part > 0 {
            if root[part].0 + root[set ^ part].0 < root[set].0 {
                root[set].0 = root[part].0 + root[set ^ part].0;
                halves[set] = Some(part);
            }
            part = (part - 1) & set;
        }
    }
    let mut links = Vec::new();
    let mut sets_left = vec![sets - 1];
    let mut todo = Vec::new();
    while let Some(set) = sets_left.pop() {
        match halves[set] {
            _ if set == 0 => {}
            Some(part) => sets_left.extend([part, set ^ part]),
            None => todo.push((root[set].1, set)),
        }
    }
    while let Some((unit, set)) = todo.pop() {
        match step[unit][set] {
            Some(Step::Link(i)) => {
                links.push(i);
                todo.push((network.links[i].target, set));
            }
            Some(Step::Split(part)) => todo.extend([(unit, part), (unit, set ^ part)]),
            None => {}
        }
    }
    links.sort_unstable();
    links.dedup();
    links
}

/// The guarded mask of a threshold: `selected`, paths added.
pub(super) fn guard_selection(
    network: &Network,
    scores: &[f64],
    candidates: &[bool],
    selected: Vec<bool>,
) -> (Vec<bool>, GuardReport) {
    let (outputs, unreachable_outputs) = reachable_outputs(network, candidates);
    let count = |flags: &[bool]| flags.iter().filter(|&&f| f).count();
    let mut report =
        GuardReport { selected: count(&selected), unreachable_outputs, ..GuardReport::default() };
    let mut kept = selected;
    while let Some(output) = first_missing(network, &kept, &outputs) {
        for link in max_min_path(network, scores, candidates, &kept, output) {
            kept[link] = true;
        }
    }
    report.path_links = count(&kept) - report.selected;
    report.orphan_links = count(&kept) - count(&alive_links(network, &kept));
    (kept, report)
}

/// The guarded mask of a budget: exactly `quotas.total()` candidates.
///
/// # Errors
/// `BudgetBelow` when that is less than the outputs need.
pub(super) fn guard_budget(
    network: &Network,
    scores: &[f64],
    candidates: &[bool],
    quotas: &Quotas,
    orphans: Orphans,
) -> Result<(Vec<bool>, GuardReport), PruneError> {
    let total = quotas.total();
    let (outputs, unreachable_outputs) = reachable_outputs(network, candidates);
    let smallest = smallest_feeding(network, candidates);
    if total < smallest.len() {
        return Err(budget_below(smallest.len(), "a path from an input to every output", total));
    }
    let mut protected = vec![false; candidates.len()];
    let selected = top(scores, candidates, quotas, &protected);
    let mut kept = selected.clone();
    while let Some(output) = first_missing(network, &kept, &outputs) {
        for link in max_min_path(network, scores, candidates, &kept, output) {
            protected[link] = true;
        }
        if protected.iter().filter(|&&p| p).count() > total {
            protected.fill(false);
            for &link in &smallest {
                protected[link] = true;
            }
        }
        kept = top(scores, candidates, quotas, &protected);
    }
    let mut report = GuardReport {
        selected: total,
        path_links: kept.iter().zip(&selected).filter(|(k, s)| **k && !**s).count(),
        unreachable_outputs,
        ..GuardReport::default()
    };
    let live = alive_links(network, &kept);
    let dead: Vec<usize> = (0..kept.len()).filter(|&i| kept[i] && !live[i]).collect();
    report.orphan_links = dead.len();
    if orphans == Orphans::Refill && !dead.is_empty() {
        kept = refill(network, scores, candidates, quotas, live, &dead);
        let still = alive_links(network, &kept).iter().filter(|&&l| l).count();
        report.refilled = still - (total - dead.len());
    }
    Ok((kept, report))
}

/// Fills `kept` (all alive) up to Σ quota; see the module's text, step 3.
fn refill(
    network: &Network,
    scores: &[f64],
    candidates: &[bool],
    quotas: &Quotas,
    mut kept: Vec<bool>,
    dead: &[usize],
) -> Vec<bool> {
    let better = |a: &usize, b: &usize| scores[*b].total_cmp(&scores[*a]).then(a.cmp(b));
    let mut missing = quotas.total() - kept.iter().filter(|&&k| k).count();
    while missing > 0 {
        let reach = reach(network, &kept);
        let mut eligible: Vec<usize> = (0..kept.len())
            .filter(|&i| candidates[i] && !kept[i])
            .filter(|&i| {
                reach.from_input[network.links[i].source]
                    && reach.to_output[network.links[i].target]
            })
            .collect();
        if eligible.is_empty() {
            let mut detour = detour(network, scores, candidates, &reach, missing);
            if detour.is_empty() {
                let Some((without, longer)) =
                    exchange(network, scores, candidates, &kept, missing + 1)
                else {
                    break;
                };
                kept[without] = false;
                missing += 1;
                detour = longer;
            }
            missing -= detour.len();
            for link in detour {
                kept[link] = true;
            }
            continue;
        }
        eligible.sort_by(better);
        let mut deficit = quotas.quota.clone();
        for (i, _) in kept.iter().enumerate().filter(|(_, k)| **k) {
            deficit[quotas.group[i]] = deficit[quotas.group[i]].saturating_sub(1);
        }
        for at_home in [true, false] {
            for &i in &eligible {
                if missing == 0 {
                    break;
                }
                let room = &mut deficit[quotas.group[i]];
                if kept[i] || (at_home && *room == 0) {
                    continue;
                }
                *room = room.saturating_sub(1);
                kept[i] = true;
                missing -= 1;
            }
        }
    }
    let mut rest: Vec<usize> = dead.iter().copied().filter(|&i| !kept[i]).collect();
    rest.sort_by(better);
    for i in rest.into_iter().take(missing) {
        kept[i] = true;
    }
    kept
}

/// The weakest link that leaves all others alive when it goes, and a detour of at most `longest`
/// links that its place makes room for.
fn exchange(
    network: &Network,
    scores: &[f64],
    candidates: &[bool],
    kept: &[bool],
    longest: usize,
) -> Option<(usize, Vec<usize>)> {
    let mut order: Vec<usize> = (0..kept.len()).filter(|&i| kept[i]).collect();
    order.sort_by(|a, b| scores[*a].total_cmp(&scores[*b]).then(b.cmp(a)));
    let mut without = kept.to_vec();
    let fed = reach(network, kept);
    for link in order {
        without[link] = false;
        let reach = reach(network, &without);
        let feeds =
            network.outputs.iter().flatten().all(|&o| reach.from_input[o] == fed.from_input[o]);
        if feeds && alive_links(network, &without) == without {
            let detour = detour(network, scores, candidates, &reach, longest);
            if !detour.is_empty() && !detour.contains(&link) {
                return Some((link, detour));
            }
        }
        without[link] = true;
    }
    None
}

/// The max–min path of 2 to `longest` candidates from a reached unit, through units that are not
/// live, to a unit that reaches an output. Ties: fewer links, then the lower link index.
fn detour(
    network: &Network,
    scores: &[f64],
    candidates: &[bool],
    reach: &Reach,
    longest: usize,
) -> Vec<usize> {
    let longest = longest.min(network.depth());
    // best[u][n]: (weakest link, last link) over paths of n links to a unit that is not live.
    let mut best: Vec<Vec<Option<(f64, usize)>>> =
        vec![vec![None; longest + 1]; network.units.len()];
    let mut end: Option<(f64, usize, usize)> = None;
    for (i, link) in network.links.iter().enumerate().filter(|(i, _)| candidates[*i]) {
        let started = reach.from_input[link.source];
        for n in 1..=longest {
            let weakest = if started {
                (n == 1).then_some(f64::INFINITY)
            } else {
                best[link.source][n - 1].map(|(w, _)| w)
            };
            let Some(weakest) = weakest.map(|w| w.min(scores[i])) else {
                continue;
            };
            if reach.to_output[link.target] {
                if n >= 2 && end.is_none_or(|(w, m, _)| weakest > w || (weakest == w && n < m)) {
                    end = Some((weakest, n, i));
                }
            } else if best[link.target][n].is_none_or(|(w, _)| weakest > w) {
                best[link.target][n] = Some((weakest, i));
            }
        }
    }
    let mut path = Vec::new();
    if let Some((_, n, last)) = end {
        let mut link = last;
        for left in (1..=n).rev() {
            path.push(link);
            if left > 1 {
                link = best[network.links[link].source][left - 1]
                    .expect("the path was built from here")
                    .1;
            }
        }
    }
    path
}
