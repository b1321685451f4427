//! Differences of scores within target and seed, and what their mean is known to be.

use super::arms::MapLevels;
use super::points::{Basis, Networks, Place, Points, SP, Scores};
use crate::claims::effects::{Effect, TargetEffect};
use picloom::math::SimRng;
use picloom::math::stats::{Mixed, mean, random_groups, sign_flip_p};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A contrast of every target: the value of each seed in which it can be taken.
pub type Values = Vec<(String, Vec<f64>)>;

/// Draws of a permutation test where not all patterns can be gone through.
pub const DRAWS: u32 = 20_000;

/// The mean of a contrast over targets.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Contrast {
    /// The mean with its 95 % interval, targets at random, and its parts.
    pub effect: Effect,
    /// Permutation p of "no effect", two-sided: signs of pairs, or labels of depths; none without data.
    pub p: Option<f64>,
    /// Standard deviation between targets.
    pub between: Option<f64>,
    /// Standard deviation of a seed within a target.
    pub within: Option<f64>,
    /// Pairs that were asked for and could not be compared.
    pub missing: usize,
}

impl Contrast {
    /// Its mean by a mixed model; p comes from the test that fits the contrast.
    pub(super) fn of(name: &str, values: Values, missing: usize, p: Option<f64>) -> Self {
        let groups: Vec<Vec<f64>> = values.iter().map(|v| v.1.clone()).collect();
        let mixed = random_groups(&groups, 0.95).ok();
        let one = || groups.iter().find_map(|group| mean(group).ok());
        let estimate = mixed.map(|m| m.mean.estimate).or_else(one);
        let mut effect = Effect::plain(name, estimate, mixed.map(|m: Mixed| m.mean));
        for (target, values) in values {
            match mean(&values) {
                Ok(value) => {
                    effect.targets.push(TargetEffect { target, value, pairs: values.len() });
                }
                Err(_) => effect.without.push(target),
            }
        }
        Contrast {
            effect,
            p,
            between: mixed.map(|m| m.between),
            within: mixed.and_then(|m| m.within),
            missing,
        }
    }

    /// `effects above .17 and below −.02 are excluded`.
    pub fn excludes(&self) -> String {
        match (self.effect.low, self.effect.high) {
            (Some(low), Some(high)) => {
                format!("effects above {high:.2} and below {low:.2} are excluded")
            }
            _ => "nothing is excluded: fewer than two targets can be compared".into(),
        }
    }
}

/// SP against each of `rivals` that the points have, by any of its names, at the reference depth and the
/// levels of the claims.
pub fn over_rivals(
    points: &Points,
    rivals: &[&'static [&'static str]],
    basis: Basis,
) -> Vec<Contrast> {
    let there = rivals.iter().filter_map(|names| points.arm(names));
    there.map(|rival| over_arms(points, (SP, rival), &points.levels(), basis)).collect()
}

/// Score of one arm less that of another, at the reference depth, averaged over `levels` of pruning within
/// target and seed; signs of pairs are flipped.
pub fn over_arms(
    points: &Points,
    (first, second): (&str, &str),
    levels: &[usize],
    basis: Basis,
) -> Contrast {
    over_places(points, &less(first, second), &[((first, 0), (second, 0))], levels, basis)
}

/// One arm less another, as people call them.
pub(super) fn less(first: &str, second: &str) -> String {
    let named = |arm: &str| if arm == SP { "SP".into() } else { arm.replace('-', " ") };
    format!("{} − {}", named(first), named(second))
}

/// An arm at a depth, so many layers off the reference.
pub type At<'a> = (&'a str, i64);

/// Scores of one place less those of another, pair by pair of these, averaged over pairs and `levels` of pruning within
/// target and seed; signs of (target, seed) are flipped.
pub fn over_places(
    points: &Points,
    name: &str,
    pairs: &[(At, At)],
    levels: &[usize],
    basis: Basis,
) -> Contrast {
    let mut missing = 0;
    let mut of_seed = |networks: &Networks| -> Option<f64> {
        let at = |(arm, offset): At, level| networks.get(&Place { offset, arm: arm.into(), level });
        let each = pairs.iter().flat_map(|pair| levels.iter().map(move |&level| (pair, level)));
        let differences: Vec<f64> = each
            .filter_map(|((first, second), level)| {
                let pair = [at(*first, level)?, at(*second, level)?];
                let found = Scores::compared(&pair, basis);
                missing += usize::from(found.is_none());
                found.map(|scores| scores[0] - scores[1])
            })
            .collect();
        mean(&differences).ok()
    };
    // A target on which one of the arms does not exist is no missing value.
    let has = |seeds: &BTreeMap<u64, Networks>, arm: &str| {
        seeds.values().any(|networks| networks.keys().any(|place| place.arm == arm))
    };
    let is_there =
        |seeds| pairs.iter().all(|(one, other)| has(seeds, one.0) && has(seeds, other.0));
    let values: Values = points
        .targets
        .iter()
        .filter(|(_, seeds)| is_there(seeds))
        .map(|(target, seeds)| (target.clone(), seeds.values().filter_map(&mut of_seed).collect()))
        .collect();
    let all: Vec<f64> = values.iter().flat_map(|v| v.1.clone()).collect();
    let mut rng = SimRng::new(0, "sign-flips", 0);
    let p = sign_flip_p(&all, DRAWS, &mut rng).ok();
    Contrast::of(name, values, missing, p)
}

/// Scores of one target, seed and level that are compared: at the reference, and at the depths beside it.
pub type Block = (f64, Vec<f64>);

/// Score at the reference depth less the mean of those `apart` layers to either side (of one side,
/// where the other cannot be compared), for SP at the levels of the claims; depth labels are permuted
/// within target, seed and level.
pub fn over_depths(points: &Points, apart: i64, basis: Basis) -> Contrast {
    let (mut missing, levels) = (0, points.levels());
    let mut blocks: Vec<(String, Vec<Vec<Block>>)> = Vec::new();
    for (target, seeds) in &points.targets {
        let of_seed = |networks: &Networks| -> Vec<Block> {
            levels
                .iter()
                .filter_map(|&level| {
                    let at = |offset: i64| networks.get(&Place { offset, arm: SP.into(), level });
                    let middle = at(0)?;
                    let sides = [at(-apart), at(apart)].into_iter().flatten();
                    let all: Vec<&Scores> = std::iter::once(middle)
                        .chain(sides.filter(|s| Scores::compared(&[middle, s], basis).is_some()))
                        .collect();
                    let found = Scores::compared(&all, basis).filter(|scores| scores.len() > 1);
                    missing += usize::from(found.is_none());
                    found.map(|scores| (scores[0], scores[1..].to_vec()))
                })
                .collect()
        };
        blocks.push((target.clone(), seeds.values().map(of_seed).collect()));
    }
    let difference = |(middle, sides): &Block| middle - mean(sides).unwrap_or(*middle);
    let values: Values = blocks
        .iter()
        .map(|(target, seeds)| {
            let of_seed =
                |blocks: &Vec<Block>| mean(&blocks.iter().map(difference).collect::<Vec<_>>()).ok();
            (target.clone(), seeds.iter().filter_map(of_seed).collect())
        })
        .collect();
    let all: Vec<Block> = blocks.into_iter().flat_map(|b| b.1).flatten().collect();
    let p = depth_p(&all, DRAWS, &mut SimRng::new(0, "depth-labels", 0));
    let name = format!("SP at the reference depth − at ± {apart}");
    Contrast::of(&name, values, missing, p)
}

/// Two-sided permutation p of "the depth does not matter": within each block every score is as likely
/// to be the reference's. (1 + hits)/(1 + draws); none without blocks.
pub fn depth_p(blocks: &[Block], draws: u32, rng: &mut SimRng) -> Option<f64> {
    if blocks.is_empty() {
        return None;
    }
    // With the sum S of a block of n scores, x less the mean of the others is (n·x − S)/(n − 1).
    let of = |x: f64, sum: f64, n: f64| (n * x - sum) / (n - 1.0);
    let sums: Vec<(f64, f64)> = blocks
        .iter()
        .map(|(middle, sides)| (middle + sides.iter().sum::<f64>(), 1.0 + sides.len() as f64))
        .collect();
    let observed: f64 = blocks.iter().zip(&sums).map(|(b, &(sum, n))| of(b.0, sum, n)).sum();
    let hits = (0..draws)
        .filter(|_| {
            let drawn: f64 = blocks
                .iter()
                .zip(&sums)
                .map(|((middle, sides), &(sum, n))| {
                    let k = rng.below(sides.len() + 1);
                    of(if k == 0 { *middle } else { sides[k - 1] }, sum, n)
                })
                .sum();
            drawn.abs() >= observed.abs() - 1e-12
        })
        .count();
    Some((1 + hits) as f64 / f64::from(1 + draws))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depth_labels_are_permuted_within_their_block() {
        let mut rng = SimRng::new(1, "test", 0);
        // Two sides and the middle highest in n blocks of the same values: p = the share of draws in
        // which it is the middle in all of them (3⁻ⁿ), or as far below, which cannot be.
        let blocks = vec![(1.0, vec![0.0, 0.0]); 3];
        let p = depth_p(&blocks, 60_000, &mut rng).unwrap();
        assert!((p - 1.0 / 27.0).abs() < 0.003, "{p}");
        // No difference anywhere: every draw is as extreme.
        assert_eq!(depth_p(&[(0.5, vec![0.5, 0.5])], 99, &mut rng), Some(1.0));
        assert_eq!(depth_p(&[], 99, &mut rng), None);
    }
}
