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

/// The refusal of fewer observations than the statistic `what` needs.
pub fn too_few(what: &str, least: usize, found: usize) -> Refusal {
    Refusal::new(what, format!("at least {least} observations"), found.to_string())
}

/// The refusal of two samples that must go together and have different lengths.
pub fn unlike_lengths(what: &str, left: usize, right: usize) -> Refusal {
    Refusal::new(what, "two samples of one length", format!("{left} and {right}"))
}

/// The refusal of a spread of zero, which the statistic `what` divides by.
fn constant(what: &str) -> Refusal {
    Refusal::new(what, "values that differ", "a constant")
}

/// Refuses samples that are too short or hold a NaN or an infinity.
fn checked(what: &'static str, values: &[f64], least: usize) -> Result<(), Refusal> {
    if values.len() < least {
        return Err(too_few(what, least, values.len()));
    }
    match values.iter().position(|v| !v.is_finite()) {
        Some(index) => {
            let found = format!("{} at index {index}", values[index]);
            Err(Refusal::new(what, "finite numbers", found))
        }
        None => Ok(()),
    }
}

/// Refuses pairs of unequal length, too short, or not finite.
fn checked_pairs(what: &'static str, x: &[f64], y: &[f64], least: usize) -> Result<(), Refusal> {
    if x.len() != y.len() {
        return Err(unlike_lengths(what, x.len(), y.len()));
    }
    checked(what, x, least)?;
    checked(what, y, least)
}

/// Refuses a coverage outside (0, 1).
fn checked_level(level: f64) -> Result<(), Refusal> {
    if level > 0.0 && level < 1.0 {
        Ok(())
    } else {
        Err(Refusal::new("level", "a coverage between 0 and 1", level.to_string()))
    }
}
