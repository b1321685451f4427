//! Statistics of small samples: what a claim's number, interval and p value are computed with.
//!
//! In: slices of finite `f64`. Out: estimates with intervals. It knows nothing of networks, runs
//! or figures. Every function is checked against scipy or scikit-learn
//! (`tests/oracle/stats.py` → `tests/oracle/stats.json`) or against a hand computation.
//!
//! Conventions: n observations; `level` is the coverage of an interval, in (0, 1), usually 0.95;
//! all randomness comes from the caller's `SimRng`, so the same stream gives the same bits.

mod agree;
mod auc;
mod choose;
mod correlate;
mod describe;
mod interval;
mod mixed;
mod regress;
mod special;

pub use agree::{Confusion, Kappa};
pub use auc::auc_delong;
pub use choose::{Candidate, one_standard_error};
pub use correlate::{
    PermutationTest, Tail, pearson, ranks, spearman, spearman_interval, spearman_test,
};
pub use describe::{mean, median, quantile, standard_error, variance};
pub use interval::{PairedDifference, mean_interval, paired_difference, sign_flip_p, wilson};
pub use mixed::{Mixed, random_groups};
pub use regress::{TheilSen, theil_sen};
pub use special::{incomplete_beta, normal_cdf, normal_quantile, student_cdf, student_quantile};

use crate::refusal::Refusal;
use serde::{Deserialize, Serialize};

/// An estimate with the interval that holds it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// The point estimate.
    pub estimate: f64,
    /// Lower end, ≤ `high`.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

impl Interval {
    /// True if `value` lies inside, ends included.
    pub fn holds(&self, value: f64) -> bool {
        self.low <= value && value <= self.high
    }
}

/// Why a statistic has no value.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum StatsError {
    /// Fewer observations than the statistic needs.
    #[error("{what}: expected at least {expected} observations, found {found}")]
    TooFew {
        /// The statistic.
        what: &'static str,
        /// Observations it needs.
        expected: usize,
        /// Observations given.
        found: usize,
    },
    /// Two samples that must go together have different lengths.
    #[error("{what}: expected two samples of one length, found {left} and {right}")]
    Lengths {
        /// The statistic.
        what: &'static str,
        /// Length of the first.
        left: usize,
        /// Length of the second.
        right: usize,
    },
    /// A NaN or an infinity.
    #[error("{what}: expected finite numbers, found {found} at index {index}")]
    NotFinite {
        /// The statistic.
        what: &'static str,
        /// Where.
        index: usize,
        /// What.
        found: f64,
    },
    /// The statistic divides by a spread that is zero.
    #[error("{what}: expected values that differ, found a constant")]
    Constant {
        /// The statistic.
        what: &'static str,
    },
    /// A parameter outside its range.
    #[error(transparent)]
    Parameter(#[from] Refusal),
}

/// Refuses samples that are too short or hold a NaN or an infinity.
fn checked(what: &'static str, values: &[f64], least: usize) -> Result<(), StatsError> {
    if values.len() < least {
        return Err(StatsError::TooFew { what, expected: least, found: values.len() });
    }
    match values.iter().position(|v| !v.is_finite()) {
        Some(index) => Err(StatsError::NotFinite { what, index, found: values[index] }),
        None => Ok(()),
    }
}

/// Refuses pairs of unequal length, too short, or not finite.
fn checked_pairs(what: &'static str, x: &[f64], y: &[f64], least: usize) -> Result<(), StatsError> {
    if x.len() != y.len() {
        return Err(StatsError::Lengths { what, left: x.len(), right: y.len() });
    }
    checked(what, x, least)?;
    checked(what, y, least)
}

/// Refuses a coverage outside (0, 1).
fn checked_level(level: f64) -> Result<(), StatsError> {
    if level > 0.0 && level < 1.0 {
        Ok(())
    } else {
        Err(Refusal::new("level", "a coverage between 0 and 1", level.to_string()).into())
    }
}
