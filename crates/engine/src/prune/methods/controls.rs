//! Controls \[ours\]: what a method must beat, or what its score means on something else.

use super::pattern::draws;
use super::similarity::{Sp, link_cosines};
use crate::base::SimRng;
use crate::base::choice::options;
use crate::network::{Mask, Network};
use crate::prune::context::{EdgeScores, PruneError};
use crate::prune::round::{Pruned, Prunes, Round, finish};
use crate::prune::select::{Quotas, layer_of_links, sizes};

options! {
    /// `random`: no options.
    #[derive(Copy)]
    pub struct Random {}
}

impl Prunes for Random {
    fn scores(&self, round: &Round, rng: &mut SimRng) -> Result<EdgeScores, PruneError> {
        Ok(draws(round.context.mask, rng))
    }
}

options! {
    /// `sp-layer-counts`: no options.
    #[derive(Copy)]
    pub struct SpLayerCounts {}
}

impl Prunes for SpLayerCounts {
    fn scores(&self, round: &Round, rng: &mut SimRng) -> Result<EdgeScores, PruneError> {
        Random {}.scores(round, rng)
    }

    fn quotas(&self, round: &Round, rng: &mut SimRng) -> Result<Option<Quotas>, PruneError> {
        let sp = Sp::COSINE.prune(round, rng)?;
        let group = layer_of_links(round.context.network);
        let quota = sizes(&group, &sp.mask.0);
        Ok(Some(Quotas { group, quota }))
    }
}

options! {
    /// `sp-inverted`: no options.
    #[derive(Copy)]
    pub struct SpInverted {}
}

impl Prunes for SpInverted {
    fn scores(&self, round: &Round, rng: &mut SimRng) -> Result<EdgeScores, PruneError> {
        Ok(Sp::COSINE.scores(round, rng)?.map(|cosine| 1.0 - cosine))
    }
}

options! {
    /// `sp-untrained`: no options.
    #[derive(Copy)]
    pub struct SpUntrained {}
}

impl Prunes for SpUntrained {
    fn scores(&self, round: &Round, _: &mut SimRng) -> Result<EdgeScores, PruneError> {
        let maps = round.context.untrained_maps.ok_or_else(|| {
            PruneError::missing(round.name, "the feature maps of the untrained network")
        })?;
        Ok(link_cosines(round.context.network, round.context.mask, maps))
    }
}

options! {
    /// `sp-permuted`: no options.
    #[derive(Copy)]
    pub struct SpPermuted {}
}

impl Prunes for SpPermuted {
    fn scores(&self, round: &Round, rng: &mut SimRng) -> Result<EdgeScores, PruneError> {
        Ok(permuted(round.context.network, Sp::COSINE.scores(round, rng)?, rng))
    }
}

/// A permuted similarity \[ours\]: every layer's sources are put into one random order, and each unit's
/// similarities move to its kept parents accordingly. Each unit keeps the similarities it had, and a
/// layer its hubs, but on the wrong parents.
fn permuted(network: &Network, cosines: EdgeScores, rng: &mut SimRng) -> EdgeScores {
    let mut rank: Vec<usize> = (0..network.units.len()).collect();
    rng.shuffle(&mut rank);
    let mut result = cosines.clone();
    for unit in &network.units {
        let kept: Vec<usize> = unit.links.clone().filter(|&i| cosines.0[i].is_some()).collect();
        let mut shuffled = kept.clone();
        shuffled.sort_by_key(|&i| rank[network.links[i].source]);
        for (&to, &from) in kept.iter().zip(&shuffled) {
            result.0[to] = cosines.0[from];
        }
    }
    result
}

options! {
    /// `evolved`: no options.
    #[derive(Copy)]
    pub struct Evolved {}
}

impl Evolved {
    fn mask<'a>(round: &Round<'a>) -> Result<&'a Mask, PruneError> {
        let what = "the mask of the evolved network";
        round.context.evolved.ok_or_else(|| PruneError::missing(round.name, what))
    }
}

impl Prunes for Evolved {
    fn scores(&self, round: &Round, _: &mut SimRng) -> Result<EdgeScores, PruneError> {
        let evolved = Evolved::mask(round)?;
        Ok(EdgeScores::of(round.context.mask, |i| f64::from(u8::from(evolved.0[i]))))
    }

    /// No guard touches it: the evolved network also computes with constants, units that no live
    /// input reaches, and would draw another picture without them.
    fn prune(&self, round: &Round, rng: &mut SimRng) -> Result<Pruned, PruneError> {
        let evolved = Evolved::mask(round)?;
        let candidates = &round.candidates.0;
        let mask = Mask(evolved.0.iter().zip(candidates).map(|(&e, &c)| e && c).collect());
        let mut weights = round.context.weights.clone();
        let scores = self.scores(round, rng)?;
        let pruned = finish(round.context.network, mask, weights.clone(), scores, None);
        pruned.mask.apply(&mut weights);
        Ok(Pruned { live: pruned.mask.clone(), weights, ..pruned })
    }
}
