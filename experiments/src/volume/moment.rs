//! E\[N\], the expected number of P-modular labellings of a random mask, by transfer matrix.
//!
//! With a = (a₁…a_P) the label counts of a layer (all ≥ 1, Σ a_k = W) and q = 1 − p:
//! V₁(a) = W!/∏a_k!, V_{l+1}(b) = (W!/∏b_k!)·Σ_a V_l(a)·q^{W² − Σ a_k b_k},
//! E\[N\] = Σ_a V_L(a)/P!  (METHODS §9; \[ours\]). Everything is kept in logarithms, so W = 192 and
//! L = 9 neither overflow nor underflow.

use super::{VolumeError, checked, ln_factorial};
use picloom::base::{SimRng, real};
use rayon::prelude::*;

/// Steps (compositions × partitions × layers) the transfer matrix takes at most.
const LIMIT: u64 = 20_000_000_000;

/// ln E\[N\] of `layers` × `width` units, edge probability `p`, `parts` labels; −∞ when P > W.
///
/// O(L · |partitions| · |compositions|) of W into P positive parts: W 192, P 3 takes seconds.
///
/// # Errors
/// A parameter out of range, or more than 2·10¹⁰ steps.
pub(crate) fn ln_expected_labellings(
    width: usize,
    layers: usize,
    parts: usize,
    p: f64,
) -> Result<f64, VolumeError> {
    checked(width, layers, parts, p)?;
    if parts > width {
        return Ok(f64::NEG_INFINITY);
    }
    let table = Transfer::new(width, layers, parts, p)?;
    let last = &table.ln_v[layers - 1];
    let terms: Vec<f64> = table.shape_of.iter().map(|&s| last[s]).collect();
    Ok(ln_sum(&terms) - ln_factorial(parts))
}

/// E\[N\] itself: [`ln_expected_labellings`] exponentiated (0 or ∞ where f64 ends). Pr ≤ E\[N\].
///
/// # Errors
/// As [`ln_expected_labellings`].
pub(crate) fn expected_labellings(
    width: usize,
    layers: usize,
    parts: usize,
    p: f64,
) -> Result<f64, VolumeError> {
    Ok(real::exp(ln_expected_labellings(width, layers, parts, p)?))
}

/// The forward pass of the transfer matrix, kept for drawing labellings backwards.
pub(super) struct Transfer {
    /// Every composition of W into P positive parts.
    pub(super) compositions: Vec<Vec<u16>>,
    /// Index of each composition's shape (its parts sorted): V depends on the shape only.
    shape_of: Vec<usize>,
    /// ln V_l by shape, one row a layer.
    ln_v: Vec<Vec<f64>>,
    /// ln q.
    ln_q: f64,
    width: usize,
}

impl Transfer {
    pub(super) fn new(
        width: usize,
        layers: usize,
        parts: usize,
        p: f64,
    ) -> Result<Self, VolumeError> {
        let count = real::exp(super::ln_choose(width - 1, parts - 1));
        let too_large = |found: f64| VolumeError::TooLarge {
            what: "transfer matrix of E[N]",
            limit: LIMIT,
            found: found as u64,
        };
        if count > 5e6 {
            return Err(too_large(count * count));
        }
        let compositions = compositions(width, parts);
        let mut shapes: Vec<Vec<u16>> = compositions.iter().map(|c| sorted(c)).collect();
        shapes.sort_unstable();
        shapes.dedup();
        let steps = shapes.len() as f64 * compositions.len() as f64 * (layers - 1) as f64;
        if steps > LIMIT as f64 {
            return Err(too_large(steps));
        }
        let shape_of: Vec<usize> = compositions
            .iter()
            .map(|c| shapes.binary_search(&sorted(c)).expect("a known shape"))
            .collect();
        let ln_multinomial: Vec<f64> = shapes
            .iter()
            .map(|s| {
                ln_factorial(width) - s.iter().map(|&k| ln_factorial(usize::from(k))).sum::<f64>()
            })
            .collect();
        let mut table = Transfer {
            compositions,
            shape_of,
            ln_v: vec![ln_multinomial.clone()],
            ln_q: real::ln_1p(-p),
            width,
        };
        for layer in 1..layers {
            let next = shapes
                .par_iter()
                .zip(&ln_multinomial)
                .map(|(b, ln_ways)| ln_ways + ln_sum(&table.arriving(layer - 1, b)))
                .collect();
            table.ln_v.push(next);
        }
        Ok(table)
    }

    /// ln V_l(a) + (W² − a·b) ln q over all compositions a of layer `layer` (from 0).
    fn arriving(&self, layer: usize, b: &[u16]) -> Vec<f64> {
        let square = self.width * self.width;
        self.compositions
            .iter()
            .zip(&self.shape_of)
            .map(|(a, &shape)| {
                let inside: usize =
                    a.iter().zip(b).map(|(&a, &b)| usize::from(a) * usize::from(b)).sum();
                let across = square - inside;
                let ln_absent = if across == 0 { 0.0 } else { across as f64 * self.ln_q };
                self.ln_v[layer][shape] + ln_absent
            })
            .collect()
    }

    /// For each layer but the last, for each composition of the layer after it: the weights, up
    /// to a factor, of this layer's compositions; and those of the last layer.
    pub(super) fn posterior(&self) -> Posterior {
        let layers = self.ln_v.len();
        let last = self.shape_of.iter().map(|&s| self.ln_v[layers - 1][s]).collect::<Vec<_>>();
        Posterior {
            last: relative(&last),
            before: (0..layers - 1)
                .map(|l| self.compositions.iter().map(|b| relative(&self.arriving(l, b))).collect())
                .collect(),
        }
    }
}

/// Weights from which the label counts of the layers are drawn, last layer first.
pub(super) struct Posterior {
    last: Vec<f64>,
    before: Vec<Vec<Vec<f64>>>,
}

impl Posterior {
    /// Indices of the layers' compositions, first layer first; their law is that of a labelling
    /// drawn in proportion to its probability of having no edge across labels.
    pub(super) fn draw(&self, rng: &mut SimRng) -> Vec<usize> {
        let mut layer = rng.weighted(&self.last).expect("p < 1 leaves weight");
        let mut found = vec![layer];
        for weights in self.before.iter().rev() {
            layer = rng.weighted(&weights[layer]).expect("p < 1 leaves weight");
            found.push(layer);
        }
        found.reverse();
        found
    }
}

/// exp(x − max x).
fn relative(ln: &[f64]) -> Vec<f64> {
    let most = ln.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    ln.iter().map(|x| real::exp(x - most)).collect()
}

/// ln Σ exp(xᵢ); terms below e⁻⁵⁰ of the largest are left out.
fn ln_sum(ln: &[f64]) -> f64 {
    let most = ln.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if most == f64::NEG_INFINITY {
        return most;
    }
    let sum: f64 = ln.iter().filter(|&&x| x > most - 50.0).map(|x| real::exp(x - most)).sum();
    most + real::ln(sum)
}

fn sorted(parts: &[u16]) -> Vec<u16> {
    let mut parts = parts.to_vec();
    parts.sort_unstable();
    parts
}

/// All (a₁…a_P), a_k ≥ 1, Σ = W, in lexicographic order; C(W − 1, P − 1) of them.
fn compositions(width: usize, parts: usize) -> Vec<Vec<u16>> {
    fn extend(left: u16, parts: usize, head: &mut Vec<u16>, all: &mut Vec<Vec<u16>>) {
        if parts == 1 {
            head.push(left);
            all.push(head.clone());
            head.pop();
            return;
        }
        for part in 1..=left + 1 - parts as u16 {
            head.push(part);
            extend(left - part, parts - 1, head, all);
            head.pop();
        }
    }
    let mut all = Vec::new();
    extend(width as u16, parts, &mut Vec::new(), &mut all);
    all
}
