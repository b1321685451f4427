//! What a rule may read of a record: every network's place on the map and its scores.

use crate::experiment::claims::effects::fit_score;
use crate::experiment::networks::record::{NetworkResult, NetworksRecord};
use crate::experiment::networks::spec::BASE;
use crate::math::{real, stats::mean};
use std::collections::BTreeMap;

/// Kept shares that C4, C5 and "narrow" are decided at.
pub const SHARES: [f64; 2] = [0.256, 0.12];

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

    /// The seeds that `rewound` has, with its pruned networks besides: those of `ARM` as `ARM-rewound`.
    pub fn with_rewound(mut self, rewound: &Points) -> Self {
        for (target, seeds) in &mut self.targets {
            let others = rewound.targets.iter().find(|t| t.0 == *target).map(|t| &t.1);
            seeds.retain(|seed, _| others.is_some_and(|others| others.contains_key(seed)));
            for (seed, networks) in seeds {
                let others = others.into_iter().flat_map(|others| &others[seed]);
                for (place, scores) in others.filter(|(place, _)| place.level > 0) {
                    let arm = format!("{}-rewound", place.arm);
                    networks.insert(Place { arm, ..place.clone() }, scores.clone());
                }
            }
        }
        self
    }

    /// Levels of pruning within a quarter of a share of [`SHARES`]; every level if none is.
    pub fn levels(&self) -> Vec<usize> {
        let near = |share: f64| {
            SHARES.iter().any(|&wanted| real::ln(share / wanted).abs() < real::ln(1.25))
        };
        let all = 1..=self.shares.len();
        let found: Vec<usize> = all.clone().filter(|level| near(self.shares[level - 1])).collect();
        if found.is_empty() { all.collect() } else { found }
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
/// SP's links on the wrong parents.
pub const REWIRED: &[&str] = &["rewired", "sp-permuted"];
/// Networks of as many links as SP's that differ from them only in which: the rivals of C4.
pub const CONTROLS: &[&[&str]] = &[LAYER_COUNTS, REWIRED];
/// Networks pruned by SP's other readings (docs/METHODS.md, §6).
pub const READINGS: &[&str] = &["sp-corr-maps", "sp-corr-sum", "sp-cos-sum", "sp-strength"];
/// Other criteria through the same rounds: the rivals of C3.
pub const CRITERIA: &[&[&str]] = &[&["imp"], &["wanda"], &["taylor"], &["magnitude"], &["random"]];

/// Criteria that look at what carries the output, as they are retrained on the map and from the initial weights; the
/// lottery ticket is magnitude's.
pub const RETRAINED: &[(&str, &str)] =
    &[("wanda", "wanda-rewound"), ("taylor", "taylor-rewound"), ("magnitude", "imp")];
/// SP, and what it is compared with where all are retrained from the initial weights.
pub const REWOUND: (&str, &[&str]) =
    ("sp-rewound", &["imp", "wanda-rewound", "taylor-rewound", "random-rewound"]);
