//! How often the rule on the order of depths (C8) would find what is there, before the networks are trained.
//!
//! Drawn is what the rule reads: at every depth of a target, seed and level a value that is correlated with the theory's
//! order (Spearman's ρ of the few depths of a unit is a little smaller on average) and noise otherwise, half of it shared
//! by the levels of a seed. Networks that do not count are left out: each unit takes the share that counts of a unit of
//! one of the pilot's targets, any of its depths alike. Targets differ as far as the pilot's do beyond what their few
//! depths explain. \[ours\]

use crate::claims::verdicts::{PARTS, functional_points, trained_points};
use crate::theory::findings::{TrainedPoint, order, ordered, rhos};
use picloom::experiment::finding::Verdict;
use picloom::experiment::networks::record::{NetworkResult, NetworksRecord};
use picloom::experiment::networks::spec::{Level, NetworksSpec};
use picloom::experiment::regime::points::SP;
use picloom::math::SimRng;
use picloom::math::stats::{mean, variance};
use std::collections::BTreeMap;

/// What is compared with the order of the depths.
pub(super) struct Orders {
    /// The networks that count.
    points: fn(&NetworksRecord) -> Vec<TrainedPoint>,
    /// Whether a network could have counted, by its links.
    is_asked: fn(&NetworkResult) -> bool,
    /// The same of a level that has not been run.
    is_level: fn(f64) -> bool,
    /// Whether it is asked of networks on their way too, or of a study that measures the end of training alone.
    on_the_way: bool,
}

/// How far links keep to the modules of their function, of networks with an eighth of the links or fewer.
pub(super) const MODULES: Orders = Orders {
    points: functional_points,
    is_asked: |result| 8 * result.kept <= result.links,
    is_level: |share| share <= 0.125,
    on_the_way: true,
};

/// The score of networks that learned their picture.
pub(super) const SCORES: Orders =
    Orders { points: trained_points, is_asked: |_| true, is_level: |_| true, on_the_way: false };

/// What a pilot says of how sure ρ is.
#[derive(Debug)]
pub(super) struct Known {
    /// Standard deviation of a target's own ρ.
    pub between: f64,
    /// Of each target the share of the depths that count, unit by unit.
    pub shares: Vec<Vec<f64>>,
}

impl Known {
    /// Share of the networks that do not count.
    pub(super) fn missing(&self) -> f64 {
        let all: Vec<f64> = self.shares.iter().flatten().copied().collect();
        1.0 - mean(&all).unwrap_or(0.0)
    }
}

/// Level and seed.
type Unit = (usize, Option<u64>);

/// What is run.
pub(super) struct Ordered {
    targets: usize,
    seeds: usize,
    levels: usize,
    depths: Vec<f64>,
}

impl Orders {
    /// The networks of a spec that it asks; none without four depths of such networks pruned by similarity.
    pub(super) fn design(&self, spec: &NetworksSpec, targets: usize) -> Option<Ordered> {
        let sp = spec.arms.iter().find(|arm| arm.name == SP)?;
        let is_sparse = |level: &&Level| match level {
            Level::Share(share) => (self.is_level)(*share),
            _ => (self.is_level)(1.0),
        };
        let levels = sp.levels.iter().filter(is_sparse).count();
        let offsets = sp.offsets.as_ref().unwrap_or(&spec.offsets);
        let depths: Vec<f64> = offsets.iter().map(|offset| *offset as f64).collect();
        let is_asked = self.on_the_way || spec.checkpoints.is_empty();
        let seeds = spec.seeds.len();
        let has_all = is_asked && levels > 0 && depths.len() >= 4;
        has_all.then_some(Ordered { targets, seeds, levels, depths })
    }

    /// Of a pilot, if it has two targets with units of SP's.
    pub(super) fn known(&self, record: &NetworksRecord) -> Option<Known> {
        // Levels of SP are arms of their own here.
        let is_sp = |point: &TrainedPoint| {
            let level = point.arm.strip_prefix(SP).map(|rest| rest.trim_start_matches('-'));
            level.is_some_and(|level| level.is_empty() || level.parse::<usize>().is_ok())
        };
        let points: Vec<TrainedPoint> = (self.points)(record).into_iter().filter(is_sp).collect();
        let units: Vec<Vec<f64>> =
            rhos(&points, PARTS).ok()?.into_iter().map(|target| target.1).collect();
        let means: Vec<f64> = units.iter().map(|rhos| mean(rhos)).collect::<Result<_, _>>().ok()?;
        let spread = variance(&means).ok()?;
        let within: Vec<f64> = units.iter().filter_map(|rhos| variance(rhos).ok()).collect();
        let within = mean(&within).ok()?;
        let explained: f64 =
            units.iter().map(|rhos| within / rhos.len() as f64).sum::<f64>() / units.len() as f64;
        // Networks asked for and those that count, by target, then by unit.
        let mut asked: BTreeMap<&str, BTreeMap<Unit, (usize, usize)>> = BTreeMap::new();
        for row in record.rows.iter().filter(|row| row.arm == SP) {
            if row.result.as_ref().is_some_and(|result| (self.is_asked)(result)) {
                let unit = (row.level, row.seed);
                asked.entry(&row.target).or_default().entry(unit).or_default().0 += 1;
            }
        }
        for point in &points {
            let level = point.arm.trim_start_matches(SP).trim_start_matches('-');
            let unit = (level.parse().unwrap_or(1), Some(point.seed));
            if let Some(unit) = asked.get_mut(point.target.as_str()).and_then(|t| t.get_mut(&unit))
            {
                unit.1 += 1;
            }
        }
        let share = |unit: &(usize, usize)| unit.1 as f64 / unit.0 as f64;
        let shares: Vec<Vec<f64>> =
            asked.values().map(|units| units.values().map(share).collect()).collect();
        let between = (spread - explained).max(0.0).sqrt();
        (!shares.is_empty()).then_some(Known { between, shares })
    }
}

impl Ordered {
    /// What the rule says of one drawn study in which depths are ordered by `rho`.
    pub(super) fn drawn(&self, known: &Known, rho: f64, rng: &mut SimRng) -> Verdict {
        let count = self.depths.len() as f64;
        let middle = self.depths.iter().sum::<f64>() / count;
        let square = |depth: &f64| (depth - middle) * (depth - middle);
        let spread = (self.depths.iter().map(square).sum::<f64>() / count).sqrt();
        let mut means = Vec::new();
        for _ in 0..self.targets {
            let own = (rho + known.between * rng.normal()).clamp(-1.0, 1.0);
            let shares = &known.shares[rng.below(known.shares.len())];
            let mut units = Vec::new();
            for _ in 0..self.seeds {
                let shared: Vec<f64> = self.depths.iter().map(|_| rng.normal()).collect();
                for _ in 0..self.levels {
                    let share = shares[rng.below(shares.len())];
                    let mut depths = Vec::new();
                    for (number, depth) in self.depths.iter().enumerate() {
                        let noise =
                            (shared[number] + rng.normal()) * std::f64::consts::FRAC_1_SQRT_2;
                        let counts = rng.uniform() < share;
                        let theory = (depth - middle) / spread;
                        let found = own * theory + (1.0 - own * own).sqrt() * noise;
                        if counts {
                            depths.push((number, theory, found));
                        }
                    }
                    units.extend(order(&depths));
                }
            }
            means.extend(mean(&units));
        }
        ordered(&means)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_drawn_has_the_order_that_it_is_said_to_have() {
        let depths: Vec<f64> = (0..9).map(f64::from).collect();
        let study = Ordered { targets: 24, seeds: 2, levels: 2, depths };
        let known = Known { between: 0.1, shares: vec![vec![0.9], vec![1.0]] };
        let share = |rho: f64, wanted: Verdict, known: &Known| {
            let drawn = |n| study.drawn(known, rho, &mut SimRng::new(0, "orders", n)) == wanted;
            (0..300).filter(|n| drawn(*n)).count() as f64 / 300.0
        };
        assert!(share(0.0, Verdict::Supported, &known) < 0.06);
        assert!(share(0.0, Verdict::NotSupported, &known) > 0.9);
        assert!(share(0.4, Verdict::Supported, &known) > 0.95);
        assert!(share(0.15, Verdict::Supported, &known) > share(0.1, Verdict::Supported, &known));
        // Targets that vary are seen less; where too few depths count nothing is decided.
        let various = Known { between: 0.5, shares: known.shares.clone() };
        assert!(share(0.0, Verdict::NotSupported, &various) < 0.6);
        let few = Known { between: 0.1, shares: vec![vec![0.1]] };
        assert!(share(0.0, Verdict::Inconclusive, &few) > 0.5);
    }
}
