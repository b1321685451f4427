//! Controls that copy what another arm kept of the same network \[ours\]: which links (`same-links`), how many of
//! each unit (`rewired`), or how many of each layer (`layer-counts`).
//!
//! In: the masks of the other arm, round by round ([`Pattern`]). Out: scores, and counts a layer.

use crate::base::SimRng;
use crate::base::choice::options;
use crate::base::refusal::Refusal;
use crate::network::{Mask, Network};
use crate::prune::context::{EdgeScores, Pattern, PruneError};
use crate::prune::guard::Orphans;
use crate::prune::round::{Prunes, Round};
use crate::prune::select::{Quotas, layer_of_links, sizes};

impl<'a> Round<'a> {
    /// The masks of the other arm up to this round, or an error that names the method.
    fn pattern(&self) -> Result<(Pattern<'a>, &'a Mask), PruneError> {
        let what = "the masks of another arm (--match RUN; in a spec: levels match:ARM)";
        let missing = || PruneError::missing(self.name, what);
        let pattern = self.context.pattern.ok_or_else(missing)?;
        let mask = pattern.masks.get(pattern.round).ok_or_else(missing)?;
        Ok((pattern, mask))
    }
}

options! {
    /// `layer-counts`: no options.
    #[derive(Copy)]
    pub struct LayerCounts {}
}

impl Prunes for LayerCounts {
    fn scores(&self, round: &Round, rng: &mut SimRng) -> Result<EdgeScores, PruneError> {
        Ok(draws(round.context.mask, rng))
    }

    fn quotas(&self, round: &Round, _: &mut SimRng) -> Result<Option<Quotas>, PruneError> {
        let (_, mask) = round.pattern()?;
        let group = layer_of_links(round.context.network);
        let quota = sizes(&group, &mask.0);
        let left = sizes(&group, &round.candidates.0);
        // Refilled, a layer's lack is made up elsewhere: what is alive is as much in all.
        let lacks =
            |(wanted, left): (&usize, &usize)| wanted > left && round.orphans == Orphans::Drop;
        match quota.iter().zip(&left).enumerate().find(|(_, pair)| lacks(*pair)) {
            None => Ok(Some(Quotas { group, quota })),
            Some((layer, (&wanted, &left))) => {
                let expected = format!("at least {wanted} links left in layer {layer}");
                Err(Refusal::new(round.name, expected, left.to_string()).as_failure().into())
            }
        }
    }
}

options! {
    /// `same-links`: no options.
    #[derive(Copy)]
    pub struct SameLinks {}
}

impl Prunes for SameLinks {
    /// 1 for the links that the other arm kept, 0 for the others.
    fn scores(&self, round: &Round, _: &mut SimRng) -> Result<EdgeScores, PruneError> {
        let (_, mask) = round.pattern()?;
        Ok(EdgeScores::of(round.context.mask, |i| f64::from(u8::from(mask.0[i]))))
    }
}

options! {
    /// `rewired`: no options.
    #[derive(Copy)]
    pub struct Rewired {}
}

impl Prunes for Rewired {
    /// 1 for the links of the rewired pattern, a draw in [0, 1) for the others.
    fn scores(&self, round: &Round, rng: &mut SimRng) -> Result<EdgeScores, PruneError> {
        let (pattern, _) = round.pattern()?;
        let wired = rewired(round.context.network, pattern)
            .ok_or_else(|| PruneError::missing(round.name, "a layered network"))?;
        let draws = draws(round.context.mask, rng);
        Ok(EdgeScores::of(round.context.mask, |i| {
            if wired.0[i] { 1.0 } else { draws.0[i].unwrap_or(0.0) }
        }))
    }
}

/// Uniform scores, one draw a link, kept or not: a link's score does not depend on the mask.
pub(in crate::prune) fn draws(mask: &Mask, rng: &mut SimRng) -> EdgeScores {
    let draws: Vec<f64> = mask.0.iter().map(|_| rng.uniform()).collect();
    EdgeScores::of(mask, |i| draws[i])
}

/// (W,) the mask of this round with the parents of each layer exchanged: child i hears π(j) where it
/// heard j. Children keep their numbers of links, parents exchange theirs; π is drawn once for all
/// rounds, so that what is rewired stays nested. Hidden units change places only with units that lost
/// their last child in the same round: who was alive stays alive. None for a network without layers.
fn rewired(network: &Network, pattern: Pattern<'_>) -> Option<Mask> {
    network.arch.as_ref()?;
    // (U,) rounds in which each unit has a child.
    let mut rounds = vec![0; network.units.len()];
    for mask in pattern.masks {
        let mut parent = vec![false; network.units.len()];
        for (link, _) in network.links.iter().zip(&mask.0).filter(|(_, kept)| **kept) {
            parent[link.source] = true;
        }
        rounds.iter_mut().zip(parent).for_each(|(n, is_parent)| *n += usize::from(is_parent));
    }
    // Inputs are alive in any case.
    rounds[..network.inputs.len()].fill(usize::MAX);
    let mut places: Vec<usize> = (0..network.units.len()).collect();
    let kind = |u: usize| (network.units[u].layer, rounds[u]);
    places.sort_by_key(|&u| (kind(u), u));
    let mut rng = SimRng::new(pattern.seed, "rewired", 0);
    let mut stands_for = vec![0; places.len()];
    for group in places.chunk_by(|&a, &b| kind(a) == kind(b)) {
        let mut order = group.to_vec();
        rng.shuffle(&mut order);
        group.iter().zip(order).for_each(|(&u, other)| stands_for[u] = other);
    }
    let kept = &pattern.masks[pattern.round].0;
    let mut wired = vec![false; kept.len()];
    for unit in &network.units {
        let links = unit.links.clone();
        for (to, link) in links.clone().zip(&network.links[links.clone()]) {
            // Layers are dense: every unit of the layer before is a source of this one.
            let source = stands_for[link.source];
            let from = links.clone().find(|&i| network.links[i].source == source)?;
            wired[to] = kept[from];
        }
    }
    Some(Mask(wired))
}
