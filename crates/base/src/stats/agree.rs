//! Confusion table and Cohen's κ: do two judges agree beyond chance?

use super::special::normal_quantile;
use super::{Interval, checked_level, constant, too_few, unlike_lengths};
use crate::refusal::Refusal;
use serde::{Deserialize, Serialize};

/// Counts of (first judge's class, second judge's class), k × k, row = first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Confusion {
    /// Number of classes, k ≥ 2.
    pub classes: usize,
    /// `counts[row * k + column]`.
    pub counts: Vec<usize>,
}

/// Cohen's κ and what it was computed from.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Kappa {
    /// κ = (p_o − p_e)/(1 − p_e), at most 1, with the interval of Fleiss, Cohen & Everitt (1969),
    /// cut to [−1, 1].
    pub kappa: Interval,
    /// p_o, the observed share of agreement.
    pub observed: f64,
    /// p_e, the share expected from the margins.
    pub expected: f64,
}

impl Confusion {
    /// The table of two judges' classes in 0..k.
    ///
    /// # Errors
    /// Unequal lengths, no items, a class that is not below k, k < 2.
    pub fn of(first: &[usize], second: &[usize], classes: usize) -> Result<Self, Refusal> {
        if first.len() != second.len() {
            return Err(unlike_lengths("confusion table", first.len(), second.len()));
        }
        if first.is_empty() || classes < 2 {
            let (least, found) = if first.is_empty() { (1, 0) } else { (2, classes) };
            return Err(too_few("confusion table (items, classes)", least, found));
        }
        let mut counts = vec![0; classes * classes];
        for (&a, &b) in first.iter().zip(second) {
            if a.max(b) >= classes {
                return Err(Refusal::new(
                    "class",
                    "a number below the number of classes",
                    (a.max(b) as f64).to_string(),
                ));
            }
            counts[a * classes + b] += 1;
        }
        Ok(Confusion { classes, counts })
    }

    /// Items in the table.
    pub(crate) fn total(&self) -> usize {
        self.counts.iter().sum()
    }

    /// Share of items on the diagonal, in [0, 1].
    pub fn accuracy(&self) -> f64 {
        let hits: usize = (0..self.classes).map(|i| self.counts[i * self.classes + i]).sum();
        hits as f64 / self.total() as f64
    }

    /// Cohen's κ with its large-sample interval.
    ///
    /// Sources: J. Cohen, *A coefficient of agreement for nominal scales*, 1960; the standard
    /// error is that of Fleiss, Cohen & Everitt, Psychological Bulletin 72, 1969.
    ///
    /// # Errors
    /// Both judges used one and the same class only (κ is 0/0); a level outside (0, 1).
    pub fn kappa(&self, level: f64) -> Result<Kappa, Refusal> {
        checked_level(level)?;
        let (k, n) = (self.classes, self.total() as f64);
        let p = |i: usize, j: usize| self.counts[i * k + j] as f64 / n;
        let row: Vec<f64> = (0..k).map(|i| (0..k).map(|j| p(i, j)).sum()).collect();
        let column: Vec<f64> = (0..k).map(|j| (0..k).map(|i| p(i, j)).sum()).collect();
        let observed: f64 = (0..k).map(|i| p(i, i)).sum();
        let expected: f64 = (0..k).map(|i| row[i] * column[i]).sum();
        let free = 1.0 - expected;
        if free < 1e-12 {
            return Err(constant("Cohen's kappa"));
        }
        let kappa = (observed - expected) / free;
        let mut sum = -(kappa - expected * (1.0 - kappa)) * (kappa - expected * (1.0 - kappa));
        for (i, &second) in column.iter().enumerate() {
            for (j, &first) in row.iter().enumerate() {
                let margin = (second + first) * (1.0 - kappa);
                let part = if i == j { 1.0 - margin } else { margin };
                sum += p(i, j) * part * part;
            }
        }
        let error = sum.max(0.0).sqrt() / (free * n.sqrt());
        let half = normal_quantile(0.5 + level / 2.0) * error;
        Ok(Kappa {
            kappa: Interval {
                estimate: kappa,
                low: (kappa - half).max(-1.0),
                high: (kappa + half).min(1.0),
            },
            observed,
            expected,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twenty_five_of_fifty_by_hand() {
        // 20 both yes, 5 yes/no, 10 no/yes, 15 both no: p_o .7, p_e .5·.6 + .5·.4 = .5, κ .4.
        let mut first = vec![1; 25];
        first.extend(vec![0; 25]);
        let mut second = vec![1; 20];
        second.extend(vec![0; 5]);
        second.extend(vec![1; 10]);
        second.extend(vec![0; 15]);
        let table = Confusion::of(&first, &second, 2).unwrap();
        assert_eq!(table.counts, [15, 10, 5, 20]);
        assert!((table.accuracy() - 0.7).abs() < 1e-15);
        let k = table.kappa(0.95).unwrap();
        assert!((k.kappa.estimate - 0.4).abs() < 1e-12);
        assert!((k.expected - 0.5).abs() < 1e-12);
        assert!(k.kappa.low < 0.2 && k.kappa.high > 0.6);
    }

    #[test]
    fn full_agreement_is_one_and_one_class_has_no_kappa() {
        let k = Confusion::of(&[0, 1, 2, 2], &[0, 1, 2, 2], 3).unwrap();
        assert_eq!(k.kappa(0.95).unwrap().kappa.estimate, 1.0);
        let same = Confusion::of(&[1, 1], &[1, 1], 2).unwrap();
        assert!(same.kappa(0.95).is_err());
        assert!(Confusion::of(&[0, 2], &[0, 1], 2).is_err());
        assert!(Confusion::of(&[0], &[0, 1], 2).is_err());
        assert!(Confusion::of(&[], &[], 2).is_err());
    }
}
