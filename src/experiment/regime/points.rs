//! What a rule may read of a record: every network's place on the map and its scores.

use crate::experiment::networks::record::{NetworkResult, NetworksRecord};
use crate::experiment::networks::spec::BASE;
use crate::math::stats::mean;
use std::collections::BTreeMap;

/// The R² from which on a picture is close to its target.
pub const CLOSE: f64 = 0.9;

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

/// How scores of two networks are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Basis {
    /// At each R² that both reached on their way, averaged over those; where a study kept no networks
    /// on their way, at the end of training if both fit. The primary one.
    EqualFit,
    /// The same at R² of [`CLOSE`] and above only, beside it.
    CloseFit,
    /// A fixed δ at the end of training, no gate on the fit. As near to the paper's protocol as its captions
    /// let us come: its δ, judge and gate are not public.
    FixedDelta,
    /// At the end of training, 0 for a network that does not fit.
    UnfitZero,
}

impl Basis {
    /// In words.
    pub fn text(self) -> &'static str {
        match self {
            Basis::EqualFit => "equal fit",
            Basis::CloseFit => "equal fit, R² of .90 and above",
            Basis::FixedDelta => "fixed δ, no gate",
            Basis::UnfitZero => "end of training, unfit = 0",
        }
    }
}

/// The scores of one network.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Scores {
    /// (R² level, score) where its training first reached it, rising.
    pub reached: Vec<(f64, f64)>,
    /// At the end of training.
    pub last: Option<f64>,
    /// By a fixed δ.
    pub fixed: Option<f64>,
    /// True if it learned its picture.
    pub fit: bool,
}

impl Scores {
    /// Of a network of a study that measured networks on their way, or did not.
    pub fn of(result: &NetworkResult, on_its_way: bool) -> Self {
        let reached = match on_its_way {
            true => result
                .reached
                .iter()
                .filter_map(|at| at.score.map(|scored| (at.level, scored.score)))
                .collect(),
            // One level for all: that of the gate.
            false => fit_score(result).map(|score| (0.0, score)).into_iter().collect(),
        };
        Scores {
            reached,
            last: result.score(),
            fixed: result.fixed.map(|scored| scored.score),
            fit: result.fit,
        }
    }

    /// The scores of several networks that may be compared with each other, one each; none if they
    /// have none in common.
    pub fn compared(all: &[&Scores], basis: Basis) -> Option<Vec<f64>> {
        match basis {
            Basis::FixedDelta => all.iter().map(|scores| scores.fixed).collect(),
            Basis::UnfitZero => {
                all.iter().map(|scores| if scores.fit { scores.last } else { Some(0.0) }).collect()
            }
            Basis::EqualFit | Basis::CloseFit => {
                let least = if basis == Basis::CloseFit { CLOSE } else { f64::NEG_INFINITY };
                let at = |scores: &Scores, level: f64| {
                    scores.reached.iter().find(|at| at.0 == level).map(|at| at.1)
                };
                let levels: Vec<f64> = all
                    .first()?
                    .reached
                    .iter()
                    .map(|at| at.0)
                    .filter(|&level| {
                        level >= least && all.iter().all(|scores| at(scores, level).is_some())
                    })
                    .collect();
                let over_levels = |scores: &&Scores| {
                    let values: Vec<f64> =
                        levels.iter().filter_map(|&level| at(scores, level)).collect();
                    mean(&values).ok()
                };
                all.iter().map(over_levels).collect()
            }
        }
    }
}

/// The networks of one target and seed by their place.
pub type Networks = BTreeMap<Place, Scores>;

/// Every trained network of a record.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Points {
    /// Target → seed → place → scores; targets in the record's order.
    pub targets: Vec<(String, BTreeMap<u64, Networks>)>,
    /// Kept share of each level of pruning, from 1, over all networks of the study's own method.
    pub shares: Vec<f64>,
}

impl Points {
    /// Those of the base recipe.
    pub fn of(record: &NetworksRecord) -> Self {
        let on_its_way = !record.checkpoints.is_empty();
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
                seeds.entry(seed).or_default().insert(place, Scores::of(result, on_its_way));
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
