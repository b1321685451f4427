//! How often the rule on the order of depths (C8) would find what is there, before the networks are trained.
//!
//! Drawn is what the rule reads: at every depth of a target, seed and level a value that goes with the theory's
//! order by ρ and is noise otherwise, half of it shared by the levels of a seed; networks that do not count are left
//! out, as often as on a target of the pilot. Targets differ in their ρ as far as the pilot's do beyond what their
//! few depths explain. \[ours\]

use crate::experiment::claims::verdicts::{PARTS, functional_points, trained_points};
use crate::experiment::finding::Verdict;
use crate::experiment::networks::record::{NetworkResult, NetworksRecord};
use crate::experiment::networks::spec::{Level, NetworksSpec};
use crate::experiment::regime::points::SP;
use crate::experiment::theory::findings::{TrainedPoint, order, ordered, rhos};
use crate::math::SimRng;
use crate::math::stats::{mean, variance};

/// What is compared with the order of the depths.
pub(super) struct Orders {
    /// The networks that count.
    points: fn(&NetworksRecord) -> Vec<TrainedPoint>,
    /// Whether a network could have counted, for its links.
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
    /// Standard deviation of units within a target.
    pub within: f64,
    /// Of each target the share of its networks that count.
    pub shares: Vec<f64>,
}

/// What is run.
pub(super) struct Ordered {
    targets: usize,
    seeds: usize,
    levels: usize,
    depths: Vec<f64>,
}

impl Orders {
    /// The networks of a spec that it asks; none without four depths of such networks pruned by similarity.
    pub(super) fn design(&self, spec: &NetworksSpec) -> Option<Ordered> {
        let sp = spec.arms.iter().find(|arm| arm.name == SP)?;
        let is_asked = |level: &&Level| match level {
            Level::Share(share) => (self.is_level)(*share),
            _ => (self.is_level)(1.0),
        };
        let levels = sp.levels.iter().filter(is_asked).count();
        let offsets = sp.offsets.as_ref().unwrap_or(&spec.offsets);
        let depths: Vec<f64> = offsets.iter().map(|offset| *offset as f64).collect();
        let is_asked = self.on_the_way || spec.checkpoints.is_empty();
        (is_asked && levels > 0 && depths.len() >= 4).then_some(Ordered {
            targets: spec.targets.len(),
            seeds: spec.seeds.len(),
            levels,
            depths,
        })
    }

    /// Of a pilot, if it has two targets with units.
    pub(super) fn known(&self, record: &NetworksRecord) -> Option<Known> {
        let points = (self.points)(record);
        let units: Vec<Vec<f64>> =
            rhos(&points, PARTS).ok()?.into_iter().map(|target| target.1).collect();
        let means: Vec<f64> = units.iter().map(|rhos| mean(rhos)).collect::<Result<_, _>>().ok()?;
        let spread = variance(&means).ok()?;
        let within: Vec<f64> = units.iter().filter_map(|rhos| variance(rhos).ok()).collect();
        let within = mean(&within).ok()?;
        let explained: f64 =
            units.iter().map(|rhos| within / rhos.len() as f64).sum::<f64>() / units.len() as f64;
        let mut asked: std::collections::BTreeMap<&str, usize> = Default::default();
        for row in record.rows.iter().filter(|row| row.arm == SP) {
            if row.result.as_ref().is_some_and(|result| (self.is_asked)(result)) {
                *asked.entry(&row.target).or_default() += 1;
            }
        }
        let counts = |target: &str| {
            points
                .iter()
                .filter(|point| point.target == target && point.arm.starts_with(SP))
                .count()
        };
        let shares =
            asked.iter().map(|(target, all)| counts(target) as f64 / *all as f64).collect();
        Some(Known { between: (spread - explained).max(0.0).sqrt(), within: within.sqrt(), shares })
    }
}

impl Ordered {
    /// What the rule says of one drawn study in which depths are ordered by `rho`.
    pub(super) fn drawn(&self, known: &Known, rho: f64, rng: &mut SimRng) -> Verdict {
        let middle = self.depths.iter().sum::<f64>() / self.depths.len() as f64;
        let spread = variance(&self.depths).map_or(1.0, f64::sqrt).max(f64::MIN_POSITIVE);
        let mut means = Vec::new();
        for _ in 0..self.targets {
            let own = (rho + known.between * rng.normal()).clamp(-1.0, 1.0);
            let which = (rng.uniform() * known.shares.len() as f64) as usize;
            let share = known.shares[which.min(known.shares.len() - 1)];
            let mut units = Vec::new();
            for _ in 0..self.seeds {
                let shared: Vec<f64> = self.depths.iter().map(|_| rng.normal()).collect();
                for _ in 0..self.levels {
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
        let known = Known { between: 0.1, within: 0.4, shares: vec![0.9, 1.0] };
        let share = |rho: f64, wanted: Verdict, known: &Known| {
            let drawn = |n| study.drawn(known, rho, &mut SimRng::new(0, "orders", n)) == wanted;
            (0..300).filter(|n| drawn(*n)).count() as f64 / 300.0
        };
        assert!(share(0.0, Verdict::Supported, &known) < 0.06);
        assert!(share(0.0, Verdict::NotSupported, &known) > 0.9);
        assert!(share(0.4, Verdict::Supported, &known) > 0.95);
        assert!(share(0.15, Verdict::Supported, &known) > share(0.1, Verdict::Supported, &known));
        // Targets that vary are seen less; where too few depths count nothing is decided.
        let various = Known { between: 0.5, ..Known { shares: known.shares.clone(), ..known } };
        assert!(share(0.0, Verdict::NotSupported, &various) < 0.6);
        let few = Known { between: 0.1, within: 0.4, shares: vec![0.1] };
        assert!(share(0.0, Verdict::Inconclusive, &few) > 0.5);
    }
}
