//! Which links a training may use, after a genome: its own, fewer, more, or others of the same number.
//!
//! Each differs in one thing (METHODS §8b): `rewired` exchanges links and keeps every unit's
//! numbers of links, `connected` keeps only the numbers of each layer and has every link on a path,
//! `random` leaves even that to chance, and `+N%` adds links at random to any of them.

use super::{DenseBlock, Layered, Mask, Model, Network, Wiring, layerize};
use crate::base::SimRng;
use crate::base::refusal::Refusal;
use crate::base::settings::text_in_files;
use crate::genome::Genome;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fmt;
use std::ops::Range;
use std::str::FromStr;

/// The wiring of a network that is trained from random weights. In files and on the command line the text
/// `graph`, `layerized`, `dense`, `rewired`, `connected`, `random`, and with links on top `evolved+N%`,
/// `rewired+N%`, `connected+N%` or `random+N%`.
///
/// ```
/// use picloom_engine::genome::from_json;
/// use picloom_engine::network::TrainedWiring;
///
/// let genome = from_json(include_str!("../../../../genomes/bred_moth.json"))?;
/// let evolved = TrainedWiring::Layerized.model(&genome, 1)?.mask.kept();
/// let double: TrainedWiring = "evolved+100%".parse()?;
/// assert_eq!(double.model(&genome, 1)?.mask.kept(), 2 * evolved);
/// assert_eq!(TrainedWiring::Rewired(0).model(&genome, 1)?.mask.kept(), evolved);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum TrainedWiring {
    /// The genome's own graph.
    Graph,
    /// Its links in layers: the non-zero weights of the layered twin.
    Layerized,
    /// Every link of the layered twin.
    Dense,
    /// Its links in layers, and so many per cent of their number more, drawn at random from the other links
    /// of the layered twin. What a larger share of one seed adds begins with what a smaller one adds.
    Extra(u32),
    /// Links of a layer exchange their sources: every unit keeps its activation, its layer and its numbers
    /// of incoming and outgoing links. So many per cent more as in `Extra`.
    Rewired(u32),
    /// As many living links and as many living units of each layer as the genome has, both drawn at random, so
    /// that every link lies on a path. So many per cent more as in `Extra`.
    Connected(u32),
    /// As many links of each layer as the genome has, drawn at random. Of few links hardly any lies on a path from
    /// an input to an output. So many per cent more as in `Extra`.
    Random(u32),
}

/// Exchanges that are tried for each link of a layer \[ours\].
const TRIES: usize = 20;

impl TrainedWiring {
    /// The texts allowed, for messages.
    pub const CHOICES: &str = "graph, layerized, dense, rewired, connected, random, or with links on top as in evolved+N%, rewired+N%";

    /// True where the links are those of the genome, or drawn after them: there is no such wiring without one.
    pub fn needs_genome(self) -> bool {
        self != TrainedWiring::Dense
    }

    /// The network of `genome` and the links that training may use; `seed` decides what is random. The weights
    /// are the evolved ones, and 0 on links that evolution had not.
    ///
    /// # Errors
    /// There are not so many other links as `+N%` asks for.
    pub fn model(self, genome: &Genome, seed: u64) -> Result<Model, Refusal> {
        if self == TrainedWiring::Graph {
            return Ok(Model::of_genome(genome, Wiring::Graph));
        }
        let Layered { network, mut weights, .. } = layerize(genome);
        let evolved = Mask::non_zero(&weights);
        let mut mask = match self {
            TrainedWiring::Graph | TrainedWiring::Layerized | TrainedWiring::Extra(_) => evolved,
            TrainedWiring::Dense => Mask::all(network.weight_count()),
            TrainedWiring::Rewired(_) => rewired(&network, evolved, seed),
            TrainedWiring::Connected(_) => connected(&network, &evolved, seed),
            TrainedWiring::Random(_) => random(&network, &evolved, seed),
        };
        self.add_links(&mut mask, seed)?;
        mask.apply(&mut weights);
        Ok(Model { network, mask, weights })
    }

    /// Number of links of this wiring, for a layered network of `all` links of which evolution used `evolved`.
    /// `None` if the wiring needs more links than there are. Not for graphs, which have links of
    /// their own.
    pub fn count(self, evolved: usize, all: usize) -> Option<usize> {
        match self {
            TrainedWiring::Dense => Some(all),
            _ => Some(evolved + self.more(evolved)).filter(|count| *count <= all),
        }
    }

    /// The same with `times` as many links, at least 1, to the per cent; `None` for a graph and for
    /// a dense wiring, which have links of their own.
    pub fn times(self, times: f64) -> Option<Self> {
        let percent = ((times - 1.0) * 100.0).round();
        let fits = (0.0..=f64::from(u32::MAX)).contains(&percent);
        let percent = fits.then_some(percent as u32)?;
        match self {
            TrainedWiring::Graph | TrainedWiring::Dense => None,
            TrainedWiring::Layerized | TrainedWiring::Extra(_) => {
                Some(TrainedWiring::Extra(percent))
            }
            TrainedWiring::Rewired(_) => Some(TrainedWiring::Rewired(percent)),
            TrainedWiring::Connected(_) => Some(TrainedWiring::Connected(percent)),
            TrainedWiring::Random(_) => Some(TrainedWiring::Random(percent)),
        }
    }

    /// How many links are drawn on top of `links`.
    fn more(self, links: usize) -> usize {
        let percent = match self {
            TrainedWiring::Graph | TrainedWiring::Layerized | TrainedWiring::Dense => 0,
            TrainedWiring::Extra(percent)
            | TrainedWiring::Rewired(percent)
            | TrainedWiring::Connected(percent)
            | TrainedWiring::Random(percent) => percent,
        };
        (links as u64 * u64::from(percent)).saturating_add(50).div_euclid(100) as usize
    }

    /// Draws the links on top from those that `mask` does not hold.
    fn add_links(self, mask: &mut Mask, seed: u64) -> Result<(), Refusal> {
        let links = mask.kept();
        let mut others: Vec<usize> = (0..mask.0.len()).filter(|&i| !mask.0[i]).collect();
        let wanted = self.more(links);
        if wanted > others.len() {
            let most = others.len() * 100 / links.max(1);
            let expected = format!("at most {most} % more links, all {} of them", mask.0.len());
            return Err(Refusal::new("wiring", expected, self.to_string())
                .advising("take dense for every link"));
        }
        SimRng::new(seed, "extra links", 0).shuffle(&mut others);
        others[..wanted].iter().for_each(|&i| mask.0[i] = true);
        Ok(())
    }
}

/// (n, 2) source and target, within a block, of its kept links.
fn pairs(block: &DenseBlock, mask: &Mask) -> Vec<[usize; 2]> {
    let width = block.sources.len();
    let kept = block.weights().filter(|&i| mask.0[i]).map(|i| i - block.offset);
    kept.map(|i| [i % width, i / width]).collect()
}

/// Exchanges of sources, a → b and c → d become c → b and a → d, where both are new: the switching chain of
/// bipartite graphs with given degrees (Maslov & Sneppen 2002), layer by layer.
fn rewired(network: &Network, evolved: Mask, seed: u64) -> Mask {
    let mut mask = evolved;
    for (layer, block) in network.blocks.iter().enumerate() {
        let mut rng = SimRng::new(seed, "rewired links", layer as u64);
        let mut links = pairs(block, &mask);
        if links.len() < 2 {
            continue;
        }
        let at =
            |[source, target]: [usize; 2]| block.offset + target * block.sources.len() + source;
        for _ in 0..TRIES * links.len() {
            let (i, j) = (rng.below(links.len()), rng.below(links.len()));
            let ([a, b], [c, d]) = (links[i], links[j]);
            if a == c || b == d || mask.0[at([c, b])] || mask.0[at([a, d])] {
                continue;
            }
            for (link, kept) in [([a, b], false), ([c, d], false), ([c, b], true), ([a, d], true)] {
                mask.0[at(link)] = kept;
            }
            (links[i], links[j]) = ([c, b], [a, d]);
        }
    }
    mask
}

/// As many links in each block between as many units, all on paths. First each unit is joined to one, then links
/// are drawn from the other pairs; links that lead nowhere in the genome are drawn from all that are left \[ours\].
fn connected(network: &Network, evolved: &Mask, seed: u64) -> Mask {
    let mut mask = Mask(vec![false; evolved.0.len()]);
    let mut sources: Option<Vec<usize>> = None;
    for (layer, block) in network.blocks.iter().enumerate() {
        let mut rng = SimRng::new(seed, "connected links", layer as u64);
        let (width, height) = (block.sources.len(), block.weights().len() / block.sources.len());
        let links = pairs(block, evolved);
        // Units that a link leads to and, but for the outputs, one leads away from.
        let next = network.blocks.get(layer + 1).map(|next| pairs(next, evolved));
        let used = |end: usize, within: &[[usize; 2]]| -> BTreeSet<usize> {
            within.iter().map(|link| link[end]).collect()
        };
        let mut targets = used(1, &links);
        if let Some(next) = &next {
            targets = &targets & &used(0, next);
        }
        let mut draw = |count: usize, of: usize| {
            let mut all: Vec<usize> = (0..of).collect();
            rng.shuffle(&mut all);
            all.truncate(count);
            all
        };
        let from = sources.take().unwrap_or_else(|| draw(used(0, &links).len(), width));
        // The outputs keep their places: which of them the genome drives says what colours it has.
        let to = match next {
            Some(_) => draw(targets.len(), height),
            None => targets.into_iter().collect(),
        };
        let at = |source: usize, target: usize| block.offset + target * width + source;
        let mut wanted = links.len();
        if !from.is_empty() && !to.is_empty() {
            for i in 0..from.len().max(to.len()) {
                mask.0[at(from[i % from.len()], to[i % to.len()])] = true;
            }
            wanted = wanted.saturating_sub(from.len().max(to.len()));
        }
        let mut near: Vec<usize> =
            from.iter().flat_map(|&s| to.iter().map(move |&t| at(s, t))).collect();
        let mut far: Vec<usize> = block.weights().collect();
        for others in [&mut near, &mut far] {
            others.retain(|&i| !mask.0[i]);
            rng.shuffle(others);
            let count = wanted.min(others.len());
            others[..count].iter().for_each(|&i| mask.0[i] = true);
            wanted -= count;
        }
        sources = Some(to);
    }
    mask
}

/// As many links in each block, anywhere in it.
fn random(network: &Network, evolved: &Mask, seed: u64) -> Mask {
    let mut mask = Mask(vec![false; evolved.0.len()]);
    for (layer, block) in network.blocks.iter().enumerate() {
        let count = block.weights().filter(|&i| evolved.0[i]).count();
        let weights: Range<usize> = block.weights();
        let mut all: Vec<usize> = weights.collect();
        SimRng::new(seed, "random links", layer as u64).shuffle(&mut all);
        all[..count].iter().for_each(|&i| mask.0[i] = true);
    }
    mask
}

impl fmt::Display for TrainedWiring {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TrainedWiring::Graph => f.write_str("graph"),
            TrainedWiring::Layerized => f.write_str("layerized"),
            TrainedWiring::Dense => f.write_str("dense"),
            TrainedWiring::Extra(percent) => write!(f, "evolved+{percent}%"),
            TrainedWiring::Rewired(0) => f.write_str("rewired"),
            TrainedWiring::Rewired(percent) => write!(f, "rewired+{percent}%"),
            TrainedWiring::Connected(0) => f.write_str("connected"),
            TrainedWiring::Connected(percent) => write!(f, "connected+{percent}%"),
            TrainedWiring::Random(0) => f.write_str("random"),
            TrainedWiring::Random(percent) => write!(f, "random+{percent}%"),
        }
    }
}

impl FromStr for TrainedWiring {
    type Err = Refusal;

    fn from_str(text: &str) -> Result<Self, Refusal> {
        let wrong = || Refusal::new("wiring", Self::CHOICES, format!("{text:?}"));
        let Some((chosen, more)) = text.split_once('+') else {
            return Ok(match text {
                "graph" => TrainedWiring::Graph,
                "layerized" => TrainedWiring::Layerized,
                "dense" => TrainedWiring::Dense,
                "rewired" => TrainedWiring::Rewired(0),
                "connected" => TrainedWiring::Connected(0),
                "random" => TrainedWiring::Random(0),
                _ => return Err(wrong()),
            });
        };
        let percent = more.strip_suffix('%').filter(|digits| !digits.starts_with('+'));
        let percent = percent.and_then(|digits| digits.parse().ok()).ok_or_else(wrong)?;
        match chosen {
            "evolved" => Ok(TrainedWiring::Extra(percent)),
            "rewired" => Ok(TrainedWiring::Rewired(percent)),
            "connected" => Ok(TrainedWiring::Connected(percent)),
            "random" => Ok(TrainedWiring::Random(percent)),
            _ => Err(wrong()),
        }
    }
}

text_in_files!(TrainedWiring);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::genome::from_json;

    fn moth() -> Genome {
        from_json(include_str!("../../../../genomes/bred_moth.json")).unwrap()
    }

    fn mask(wiring: TrainedWiring, seed: u64) -> Mask {
        wiring.model(&moth(), seed).unwrap().mask
    }

    fn shared(a: &Mask, b: &Mask) -> usize {
        a.0.iter().zip(&b.0).filter(|(a, b)| **a && **b).count()
    }

    /// (U,) incoming and outgoing links of every unit.
    fn degrees(network: &Network, mask: &Mask) -> Vec<[usize; 2]> {
        let mut degrees = vec![[0; 2]; network.units.len()];
        for (link, _) in network.links.iter().zip(&mask.0).filter(|(_, kept)| **kept) {
            degrees[link.target][0] += 1;
            degrees[link.source][1] += 1;
        }
        degrees
    }

    #[test]
    fn extra_links_come_on_top_and_a_larger_share_holds_a_smaller_one() {
        let evolved = mask(TrainedWiring::Layerized, 0);
        let (quarter, double) =
            (mask(TrainedWiring::Extra(25), 3), mask(TrainedWiring::Extra(100), 3));
        assert_eq!((evolved.kept(), quarter.kept(), double.kept()), (47, 59, 94));
        assert_eq!((shared(&evolved, &quarter), shared(&quarter, &double)), (47, 59));
        assert_ne!(quarter, mask(TrainedWiring::Extra(25), 4));
        assert_eq!(mask(TrainedWiring::Extra(0), 3), evolved);
    }

    #[test]
    fn rewiring_moves_links_and_keeps_the_numbers_of_every_unit() {
        let Model { network, mask: evolved, .. } =
            TrainedWiring::Layerized.model(&moth(), 0).unwrap();
        let mut moved = 0;
        for seed in 0..8 {
            let wired = mask(TrainedWiring::Rewired(0), seed);
            assert_eq!(degrees(&network, &wired), degrees(&network, &evolved));
            moved += evolved.kept() - shared(&evolved, &wired);
        }
        assert!(moved > 8 * evolved.kept() / 4, "{moved} of {}", 8 * evolved.kept());
    }

    #[test]
    fn random_links_keep_the_numbers_of_each_layer_only() {
        let Model { network, mask: evolved, .. } =
            TrainedWiring::Layerized.model(&moth(), 0).unwrap();
        let wired = mask(TrainedWiring::Random(0), 1);
        let counts = |mask: &Mask| -> Vec<usize> {
            let count = |b: &DenseBlock| b.weights().filter(|&i| mask.0[i]).count();
            network.blocks.iter().map(count).collect()
        };
        assert_eq!(counts(&wired), counts(&evolved));
        assert_ne!(degrees(&network, &wired), degrees(&network, &evolved));
    }

    #[test]
    fn the_number_of_links_is_known_beforehand() {
        let all = mask(TrainedWiring::Dense, 0).0.len();
        for text in [
            "layerized",
            "dense",
            "evolved+33%",
            "rewired",
            "rewired+40%",
            "connected",
            "connected+50%",
            "random",
            "random+100%",
        ] {
            let wiring: TrainedWiring = text.parse().unwrap();
            assert_eq!(wiring.to_string(), text);
            assert_eq!(wiring.count(47, all), Some(mask(wiring, 2).kept()), "{text}");
        }
        let many = TrainedWiring::Extra(100 * all as u32 / 47);
        assert_eq!(many.count(47, all), None);
        let refusal = many.model(&moth(), 0).unwrap_err();
        assert_eq!(refusal.advice, "take dense for every link");
    }

    #[test]
    fn so_many_times_the_links_is_a_wiring_with_more() {
        let twice = |text: &str| text.parse::<TrainedWiring>().unwrap().times(2.5);
        assert_eq!(twice("layerized"), Some(TrainedWiring::Extra(150)));
        assert_eq!(twice("rewired"), Some(TrainedWiring::Rewired(150)));
        assert_eq!(
            [twice("dense"), twice("graph"), TrainedWiring::Rewired(0).times(0.5)],
            [None; 3]
        );
    }

    #[test]
    fn other_texts_are_refused() {
        for text in [
            "evolved",
            "evolved+",
            "evolved+%",
            "evolved+-5%",
            "evolved++5%",
            "evolved+1.5%",
            "Dense",
        ] {
            let refusal = text.parse::<TrainedWiring>().unwrap_err();
            assert_eq!((refusal.at.as_str(), refusal.found), ("wiring", format!("{text:?}")));
        }
    }
}
