//! The arms of the map, and which of its levels and seeds the rules read.

use picloom::experiment::regime::points::{LAYER_COUNTS, Place, Points};
use picloom::math::real;

/// Kept shares that C4, C5 and "narrow" are decided at.
pub const SHARES: [f64; 2] = [0.256, 0.12];

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

/// What the rules ask of the points of a record.
pub trait MapLevels: Sized {
    /// The seeds that `rewound` has, with its pruned networks besides: those of `ARM` as `ARM-rewound`.
    fn with_rewound(self, rewound: &Points) -> Self;

    /// Levels of pruning within a quarter of a share of [`SHARES`]; every level if none is.
    fn levels(&self) -> Vec<usize>;
}

impl MapLevels for Points {
    fn with_rewound(mut self, rewound: &Points) -> Self {
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

    fn levels(&self) -> Vec<usize> {
        let near = |share: f64| {
            SHARES.iter().any(|&wanted| real::ln(share / wanted).abs() < real::ln(1.25))
        };
        let all = 1..=self.shares.len();
        let found: Vec<usize> = all.clone().filter(|level| near(self.shares[level - 1])).collect();
        if found.is_empty() { all.collect() } else { found }
    }
}
