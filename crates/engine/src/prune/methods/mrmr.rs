//! SP-mRMR: parents that are relevant and not redundant, and a least-squares refit of what went.
//!
//! "mRMR" is minimum redundancy, maximum relevance (Peng, Long, Ding 2005); the operationalisation
//! is \[ours\]. Per unit i, parents are visited by falling relevance |cos(a_j, z_i)|, z_i = Σ w a; a parent
//! is redundant when |cos(a_j, a_k)| ≥ τ_red for a non-redundant parent k visited before.
//!
//! As a score, so that thresholds and exact budgets both work: relevance in [0, 1] for a parent
//! that is not redundant, relevance − 1 − ε for one that is; every redundant link ranks below every
//! other. Because a more relevant parent is never dropped before a less relevant one, `Threshold(τ_rel)`
//! gives exactly the greedy rule.

use super::similarity::{Inputs, inputs_of_units};
use crate::base::SimRng;
use crate::base::choice::options;
use crate::network::kernel::FeatureMaps;
use crate::network::{Mask, Weights};
use crate::prune::context::{EdgeContext, EdgeScores, PruneError};
use crate::prune::guard::alive;
use crate::prune::round::{Prunes, Round};
use nalgebra::DMatrix;

/// (W,) mRMR scores in [−1, 1]; a redundant link's is negative.
pub(crate) fn scores(context: &EdgeContext, maps: &FeatureMaps, redundancy: f64) -> EdgeScores {
    let mut scores = EdgeScores::of(context.mask, |_| 0.0);
    for unit in inputs_of_units(context, maps) {
        let relevance: Vec<f64> = (0..unit.links.len()).map(|j| unit.relevance(j)).collect();
        let mut order: Vec<usize> = (0..unit.links.len()).collect();
        order.sort_by(|&a, &b| relevance[b].total_cmp(&relevance[a]).then(a.cmp(&b)));
        let mut chosen: Vec<usize> = Vec::new();
        for j in order {
            let redundant = chosen.iter().any(|&k| unit.redundancy(j, k) >= redundancy);
            let score = if redundant {
                // ε keeps a redundant link with relevance 1 below an irrelevant one.
                relevance[j] - 1.0 - f64::EPSILON
            } else {
                chosen.push(j);
                relevance[j]
            };
            scores.0[unit.links[j]] = Some(score);
        }
    }
    scores
}

/// The weights after pruning to `mask`: per unit the kept weights w' that minimise
/// ‖z − Σ_S w'_j a_j‖² over the pixels, z and a of the network before pruning; 0 elsewhere.
///
/// Solved by pivoted Cholesky of the kept parents' Gram matrix. A parent that is a linear
/// combination of others (its pivot below 1e-6 of its own squared norm) keeps weight 0, and the others carry it.
pub(crate) fn refit(context: &EdgeContext, maps: &FeatureMaps, mask: &Mask) -> Weights {
    let mut weights = Weights(vec![0.0; context.network.weight_count()]);
    for unit in inputs_of_units(context, maps) {
        let kept: Vec<usize> = (0..unit.links.len()).filter(|&j| mask.0[unit.links[j]]).collect();
        if kept.len() == unit.links.len() {
            for &link in &unit.links {
                weights.0[link] = context.weights.0[link];
            }
            continue;
        }
        for (j, w) in kept.iter().zip(least_squares(&unit, &kept)) {
            weights.0[unit.links[*j]] = w as f32;
        }
    }
    weights
}

/// argmin ‖z − Σ w_j a_j‖² over the parents `kept`.
fn least_squares(unit: &Inputs, kept: &[usize]) -> Vec<f64> {
    let n = kept.len();
    let gram = DMatrix::from_fn(n, n, |j, k| unit.gram[(kept[j], kept[k])]);
    let right: Vec<f64> = kept.iter().map(|&j| unit.onto_z[j]).collect();
    solve_semidefinite(gram, &right)
}

/// A solution of the consistent system A x = b, A symmetric positive semidefinite: basic solution on
/// the independent columns that pivoted Cholesky finds.
fn solve_semidefinite(a: DMatrix<f64>, b: &[f64]) -> Vec<f64> {
    let n = b.len();
    let mut left: Vec<f64> = (0..n).map(|j| a[(j, j)]).collect();
    let mut pivots: Vec<usize> = Vec::new();
    // columns[r][j]: entry (j, r) of the Cholesky factor, j in original order.
    let mut columns: Vec<Vec<f64>> = Vec::new();
    loop {
        let next = (0..n)
            .filter(|j| !pivots.contains(j) && left[*j] > 1e-6 * a[(*j, *j)])
            .max_by(|&j, &k| left[j].total_cmp(&left[k]).then(k.cmp(&j)));
        let Some(p) = next else { break };
        let root = left[p].sqrt();
        let column: Vec<f64> = (0..n)
            .map(|j| {
                let known: f64 = columns.iter().map(|c| c[j] * c[p]).sum();
                (a[(j, p)] - known) / root
            })
            .collect();
        for j in 0..n {
            left[j] -= column[j] * column[j];
        }
        pivots.push(p);
        columns.push(column);
    }
    // L y = b, then Lᵀ x = y, on the pivots.
    let rank = pivots.len();
    let mut y = vec![0.0; rank];
    for r in 0..rank {
        let known: f64 = (0..r).map(|s| columns[s][pivots[r]] * y[s]).sum();
        y[r] = (b[pivots[r]] - known) / columns[r][pivots[r]];
    }
    let mut x = vec![0.0; n];
    for r in (0..rank).rev() {
        let known: f64 = (r + 1..rank).map(|s| columns[r][pivots[s]] * x[pivots[s]]).sum();
        x[pivots[r]] = (y[r] - known) / columns[r][pivots[r]];
    }
    x
}

options! {
    /// Options of `sp-mrmr`.
    #[derive(Copy)]
    pub struct SpMrmr {
        /// τ, the similarity to a more relevant parent at which a parent is redundant.
        redundancy: f64 = 0.95, range: Range::SOME_SHARE, source: "ours";
    }
}

impl Prunes for SpMrmr {
    fn scores(&self, round: &Round, _: &mut SimRng) -> Result<EdgeScores, PruneError> {
        Ok(scores(&round.context, round.maps()?, self.redundancy))
    }

    fn weights(&self, round: &Round, mask: &Mask) -> Result<Weights, PruneError> {
        // What is kept on no path from an input to an output is drawn with 0.
        Ok(refit(&round.context, round.maps()?, &alive(round.context.network, mask)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_singular_system_gets_a_solution() {
        // Columns 0 and 1 are the same vector (1, 1), column 2 is (0, 2): b = 3·column 0 + column 2.
        let columns = [[1.0, 1.0], [1.0, 1.0], [0.0, 2.0]];
        let z = [3.0, 5.0];
        let inner = |u: [f64; 2], v: [f64; 2]| u[0] * v[0] + u[1] * v[1];
        let a = DMatrix::from_fn(3, 3, |j, k| inner(columns[j], columns[k]));
        let b: Vec<f64> = columns.iter().map(|c| inner(*c, z)).collect();
        let x = solve_semidefinite(a, &b);
        for row in 0..2 {
            let made: f64 = (0..3).map(|j| columns[j][row] * x[j]).sum();
            assert!((made - z[row]).abs() < 1e-12, "{x:?}");
        }
    }
}
