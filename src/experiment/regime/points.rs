//! What a rule may read of a record: every network's place on the map and its score.

use crate::experiment::networks::record::{NetworkResult, NetworksRecord};
use crate::experiment::networks::spec::BASE;
use crate::math::stats::mean;
use std::collections::BTreeMap;

/// Where a network stands on the map of its target.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// Hidden layers more than the reference's.
    pub offset: i64,
    /// Its arm.
    pub arm: String,
    /// Level of pruning; 0: dense.
    pub level: usize,
}

/// The score of a network that learned its picture.
pub fn fit_score(result: &NetworkResult) -> Option<f64> {
    result.score().filter(|_| result.fit)
}

/// What is known of a network at its place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// True if it learned its picture.
    pub fit: bool,
    /// Its score; 0 if it did not learn its picture, none if it was not scored.
    pub score: Option<f64>,
}

/// The networks of one target and seed by their place.
pub type Networks = BTreeMap<Place, Point>;

/// Every trained network of a record.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Points {
    /// Target → seed → place → point; targets in the record's order.
    pub targets: Vec<(String, BTreeMap<u64, Networks>)>,
    /// Kept share of each level of pruning, from 1, over all networks of the study's own method.
    pub shares: Vec<f64>,
}

impl Points {
    /// Those of the base recipe.
    pub fn of(record: &NetworksRecord) -> Self {
        let mut kept: BTreeMap<usize, Vec<f64>> = BTreeMap::new();
        let targets = record.targets().into_iter().map(|target| {
            let mut seeds: BTreeMap<u64, Networks> = BTreeMap::new();
            for row in record.rows.iter().filter(|r| r.target == target && r.variant == BASE) {
                let (Some(seed), Some(result)) = (row.seed, &row.result) else { continue };
                if row.arm == SP && row.level > 0 {
                    let share = result.kept as f64 / result.links as f64;
                    kept.entry(row.level).or_default().push(share);
                }
                let place = Place { offset: row.offset, arm: row.arm.clone(), level: row.level };
                let score = if result.fit { result.score() } else { Some(0.0) };
                seeds.entry(seed).or_default().insert(place, Point { fit: result.fit, score });
            }
            (target.to_string(), seeds)
        });
        let targets = targets.collect();
        let shares = kept.values().map(|shares| mean(shares).unwrap_or(f64::NAN)).collect();
        Points { targets, shares }
    }

    /// The first of these arms that the points have.
    pub fn arm(&self, names: &'static [&'static str]) -> Option<&'static str> {
        let has = |name: &str| {
            let mut places =
                self.targets.iter().flat_map(|t| t.1.values()).flat_map(|networks| networks.keys());
            places.any(|place| place.arm == name)
        };
        names.iter().copied().find(|name| has(name))
    }
}

/// The arm pruned by similarity.
pub const SP: &str = "sp";
/// Random links with SP's count in every layer: of another arm's mask, or of SP's choice on its own maps.
pub const LAYER_COUNTS: &[&str] = &["layer-counts", "sp-layer-counts"];
