//! Weight-sweep DCI: does a weight move one attribute of the picture, and an attribute hang on few
//! weights?
//!
//! R (N weights × K attributes), R_ij ≥ 0: how much weight i moves attribute j (mean over its
//! perturbations of |change|, silent ones counting as none; then each column is divided by its largest
//! value so that attributes in different units count alike, or is 0 where that is at most 1e-6).
//! Disentanglement of weight i: Dᵢ = 1 − H_K(Rᵢ./ΣRᵢ.), D = Σρᵢ Dᵢ with ρᵢ = ΣRᵢ./ΣR.
//! Completeness of attribute j: Cⱼ = 1 − H_N(R.ⱼ/ΣR.ⱼ), C = mean. H_b is entropy with base b, so
//! all are in [0, 1].
//!
//! In: a view, its sweep of N weights. Out: D, C, (N,) Dᵢ and (K,) Cⱼ, K = 8 to 11.
//! Cost: after the sweep (two or three drawings a sign) at most 2N drawings of P pixels, each measured once.
//!
//! Source: Eastwood & Williams, *A framework for the quantitative evaluation of disentangled
//! representations*, ICLR 2018; weights in the place of codes, and sweeps in the place of a trained
//! regressor, are \[ours\].
//!
//! **What it does not mean:** D judges only the attributes that were listed; a smear that moves
//! one area and nothing else is perfectly "disentangled". Attributes that measure the same thing
//! twice lower D for everyone.

use super::attributes::Attributes;
use super::measure::{Measure, kept};
use crate::base::real;
use crate::base::stats::student_quantile;
use crate::probe::{View, WeightSweep};
use nalgebra::DMatrix;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Disentanglement and completeness of an importance matrix.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Dci {
    /// D in [0, 1]: importance-weighted mean over weights; 0 if nothing moves anything.
    pub disentanglement: f64,
    /// C in [0, 1]: mean over attributes that something moves.
    pub completeness: f64,
    /// (N,) Dᵢ; `None` for weights that move nothing.
    pub weights: Vec<Option<f64>>,
    /// (K,) Cⱼ; `None` for attributes that nothing moves.
    pub attributes: Vec<Option<f64>>,
    /// (N,) ρᵢ: the share of each weight in all that is moved.
    pub shares: Vec<f64>,
}

impl Dci {
    /// The 95 % interval of D over the weights that move something: leave-one-out jackknife, Student's t, cut to [0, 1].
    /// `None` with fewer than three of them.
    pub fn interval(&self) -> Option<(f64, f64)> {
        let known = self.weights.iter().zip(&self.shares);
        let known: Vec<(f64, f64)> = known.filter_map(|(d, &share)| Some(((*d)?, share))).collect();
        let n = known.len();
        if n < 3 || known.iter().any(|(_, share)| *share > 1.0 - 1e-9) {
            return None;
        }
        let whole = self.disentanglement;
        let without = |&(d, share): &(f64, f64)| (whole - share * d) / (1.0 - share);
        let left_out: Vec<f64> = known.iter().map(without).collect();
        let mean = left_out.iter().sum::<f64>() / n as f64;
        let spread: f64 = left_out.iter().map(|d| (d - mean) * (d - mean)).sum();
        let error = (spread * (n - 1) as f64 / n as f64).sqrt();
        let half = student_quantile(0.975, (n - 1) as f64) * error;
        Some(((whole - half).max(0.0), (whole + half).min(1.0)))
    }
}

/// 1 − entropy of the shares in base `values.len()`; `None` if they sum to 0; 1 for a single one.
fn concentration(values: &[f64]) -> Option<f64> {
    let total: f64 = values.iter().sum();
    if total <= 0.0 {
        return None;
    }
    if values.len() < 2 {
        return Some(1.0);
    }
    let entropy: f64 =
        values.iter().filter(|&&v| v > 0.0).map(|v| -(v / total) * real::ln(v / total)).sum();
    Some((1.0 - entropy / real::ln(values.len() as f64)).clamp(0.0, 1.0))
}

/// DCI of `importance`, (N, K), entries ≥ 0.
pub fn dci(importance: &DMatrix<f64>) -> Dci {
    let rows: Vec<Vec<f64>> = importance.row_iter().map(|r| r.iter().copied().collect()).collect();
    let weights: Vec<Option<f64>> = rows.iter().map(|r| concentration(r)).collect();
    let attributes: Vec<Option<f64>> = importance
        .column_iter()
        .map(|c| concentration(&c.iter().copied().collect::<Vec<_>>()))
        .collect();
    let total: f64 = rows.iter().flatten().sum();
    let shares: Vec<f64> = match total > 0.0 {
        true => rows.iter().map(|row| row.iter().sum::<f64>() / total).collect(),
        false => vec![0.0; rows.len()],
    };
    let of_weight = |(share, d): (&f64, &Option<f64>)| d.map(|d| share * d);
    // Not the sum of nothing, which is −0.
    let disentanglement = 0.0 + shares.iter().zip(&weights).filter_map(of_weight).sum::<f64>();
    let found: Vec<f64> = attributes.iter().flatten().copied().collect();
    Dci {
        disentanglement,
        completeness: if found.is_empty() {
            0.0
        } else {
            found.iter().sum::<f64>() / found.len() as f64
        },
        weights,
        attributes,
        shares,
    }
}

/// The importance matrix of a sweep: one row a swept link (in the order of the sweep), one column
/// an attribute of `rods`; silent perturbations count as no change. The same bits at any thread
/// count.
pub fn sweep_importance(view: &View, sweep: &WeightSweep, rods: &Attributes) -> DMatrix<f64> {
    let at_rest = rods.measure(view.picture());
    let changes: Vec<Vec<f64>> = view
        .changed(sweep, |_, picture| {
            let moved = rods.measure(picture);
            moved.iter().zip(&at_rest).map(|(m, r)| (m - r).abs()).collect()
        })
        .map(|(_, change)| change.unwrap_or_else(|| vec![0.0; at_rest.len()]))
        .collect();
    let mut rows: Vec<(usize, Vec<f64>, f64)> = Vec::new();
    for (p, change) in sweep.perturbations.iter().zip(changes) {
        match rows.last_mut() {
            Some((link, sum, count)) if *link == p.link => {
                sum.iter_mut().zip(change).for_each(|(s, c)| *s += c);
                *count += 1.0;
            }
            _ => rows.push((p.link, change, 1.0)),
        }
    }
    let mut matrix = DMatrix::from_fn(rows.len(), at_rest.len(), |i, j| rows[i].1[j] / rows[i].2);
    for mut column in matrix.column_iter_mut() {
        let most = column.max();
        // Attributes that only rounding moves are not moved.
        if most > 1e-6 {
            column /= most;
        } else {
            column.fill(0.0);
        }
    }
    matrix
}

/// Disentanglement and completeness of a sweep, over the attributes of the network's picture.
pub fn dci_of(view: &View, sweep: &WeightSweep) -> Dci {
    dci(&sweep_importance(view, sweep, &Attributes::of(view.picture())))
}

/// [`dci()`] of a sweep for a card, which has its row from [`disentanglement`](super::disentanglement).
pub(crate) fn of_sweep(view: &View, sweep: &WeightSweep) -> (Value, Vec<Measure>) {
    (kept(&dci_of(view, sweep)), Vec::new())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::{Arch, Coords, Model, Weights};
    use crate::probe::Delta;

    #[test]
    fn one_to_one_is_perfect_and_all_to_all_is_nothing() {
        let perfect =
            dci(&DMatrix::from_diagonal(&nalgebra::DVector::from_vec(vec![2.0, 1.0, 5.0])));
        assert_eq!((perfect.disentanglement, perfect.completeness), (1.0, 1.0));
        let flat = dci(&DMatrix::from_element(4, 3, 0.7));
        assert!(flat.disentanglement.abs() < 1e-12 && flat.completeness.abs() < 1e-12);
    }

    #[test]
    fn a_mixed_matrix_by_hand() {
        // Rows (1, 0), (1, 1), (0, 0): D₁ = 1, D₂ = 0, weights 1/3, 2/3: D = 1/3.
        // Columns: (1, 1, 0): 1 − ln 2/ln 3; (0, 1, 0): 1.
        let found = dci(&DMatrix::from_row_slice(3, 2, &[1.0, 0.0, 1.0, 1.0, 0.0, 0.0]));
        assert!((found.disentanglement - 1.0 / 3.0).abs() < 1e-12);
        let half = 1.0 - real::ln(2.0) / real::ln(3.0);
        assert!((found.completeness - (half + 1.0) / 2.0).abs() < 1e-12);
        assert_eq!(found.weights[2], None);
        assert_eq!(dci(&DMatrix::zeros(2, 2)).disentanglement, 0.0);
    }

    #[test]
    fn weights_that_are_alike_leave_no_doubt_and_others_do() {
        let alike = dci(&DMatrix::from_diagonal(&nalgebra::DVector::from_element(4, 1.0)));
        assert_eq!(alike.interval(), Some((1.0, 1.0)));
        let mixed = dci(&DMatrix::from_row_slice(3, 2, &[1.0, 0.0, 1.0, 1.0, 0.0, 1.0]));
        let (low, high) = mixed.interval().unwrap();
        assert!(low < mixed.disentanglement && mixed.disentanglement < high, "{low} {high}");
        assert_eq!(dci(&DMatrix::from_row_slice(1, 2, &[1.0, 0.0])).interval(), None);
    }

    #[test]
    fn a_weight_that_only_sets_the_brightness_moves_only_brightness() {
        // 1;identity:1: bias → unit 4 → brightness, a plain grey picture: no parts, no place.
        let network = "1;identity:1".parse::<Arch>().unwrap().network();
        let weights = Weights(vec![0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.5]);
        let view = View::new(&Model::new(network, weights), 8, Coords::Fer);
        let swept = view.sweep(&[6], Delta::Effect(0.18), &|_| {});
        let matrix = sweep_importance(&view, &swept, &Attributes::of(view.picture()));
        let found = dci(&matrix);
        assert_eq!(matrix.nrows(), 1);
        assert_eq!(matrix.iter().filter(|&&v| v > 0.0).count(), 1);
        assert_eq!(found.disentanglement, 1.0);
    }
}
