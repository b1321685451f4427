//! The error of a score that was measured on a sample of the weights.
//!
//! A sample ([`super::Selection::Sample`]) draws nₕ of the Nₕ non-zero weights of each layer h
//! without replacement. Weight i has mᵢ scored perturbations (two, fewer if one is silent), yᵢ is how many
//! of them are clean, or the sum of their P(clean). The share of *all* weights is estimated by the combined ratio
//! R = Σₕ Nₕ ȳₕ / Σₕ Nₕ m̄ₕ, with the variance
//! V = X⁻² Σₕ Nₕ² (1 − nₕ/Nₕ) sₕ²/nₕ, X = Σₕ Nₕ m̄ₕ, sₕ² the variance of yᵢ − R mᵢ within h.
//! 1 − nₕ/Nₕ is the finite-population correction: a full sweep has no sampling error. Both signs
//! of one weight are one draw, so a pair that always agrees counts once, not twice.
//!
//! A layer with fewer than two drawn weights (and not wholly drawn) is joined with the next one,
//! the last with the one before; that makes V larger, never smaller on average.
//!
//! Source: Cochran, *Sampling Techniques*, 3rd ed. 1977: the combined ratio estimate §6.11, its
//! finite-population correction §2.6, collapsed strata §5A.12.
//!
//! **What it does not mean:** it is the error of not having looked at every weight of *this*
//! network. Wilson's interval treats perturbations as draws from an endless supply: it stays wide
//! after a full sweep, and is too narrow where the two signs of a weight agree.

use crate::base::stats::student_quantile;
use serde::{Deserialize, Serialize};

/// The counts of one drawn weight.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drawn {
    /// Its layer, an index into the population's layers.
    pub layer: usize,
    /// Its clean perturbations, or the sum of their P(clean): 0 ≤ y ≤ m.
    pub clean: f64,
    /// Its scored perturbations, m.
    pub scored: usize,
}

/// A share estimated from a stratified sample.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SampledShare {
    /// R, the share in the population of weights, in [0, 1].
    pub share: f64,
    /// √V; 0 if every weight was drawn.
    pub standard_error: f64,
    /// t·√V, half of the interval before it is cut.
    pub half: f64,
    /// R ± t·√V cut to [0, 1], 95 %, Student's t with Σ(nₕ − 1) degrees of freedom. Falls on the
    /// point R if all drawn weights agree: look at Wilson's interval then.
    pub interval: (f64, f64),
    /// Weights drawn, n.
    pub drawn: usize,
    /// Weights to draw from, N.
    pub population: usize,
    /// Strata left after joining.
    pub strata: usize,
}

/// Estimates the share of `population[h]` weights in layers h = 0… from the weights `drawn`.
///
/// None if nothing drawn has a scored perturbation, or if fewer than two weights are drawn of a
/// larger population (there is no error to estimate).
///
/// # Panics
/// If a weight's layer is not in the population, or more are drawn than there are.
pub fn sampled_share(population: &[usize], drawn: &[Drawn]) -> Option<SampledShare> {
    let poor = |(count, some): &(usize, Vec<Drawn>)| some.len() < 2 && some.len() < *count;
    let mut strata: Vec<(usize, Vec<Drawn>)> = Vec::new();
    for (layer, &count) in population.iter().enumerate() {
        let some: Vec<Drawn> = drawn.iter().filter(|d| d.layer == layer).copied().collect();
        assert!(some.len() <= count, "no more drawn than there are");
        if count == 0 {
            continue;
        }
        match strata.last_mut() {
            Some(last) if poor(last) => {
                last.0 += count;
                last.1.extend(some);
            }
            _ => strata.push((count, some)),
        }
    }
    if strata.len() > 1 && strata.last().is_some_and(poor) {
        let (count, some) = strata.pop().expect("more than one");
        let last = strata.last_mut().expect("one is left");
        last.0 += count;
        last.1.extend(some);
    }
    let known = strata.iter().map(|(_, some)| some.len()).sum::<usize>();
    assert_eq!(known, drawn.len(), "layers of the population");
    if strata.iter().any(|(n, s)| s.len() < 2 && s.len() < *n) {
        return None;
    }
    let total = |f: fn(&Drawn) -> f64| -> f64 {
        strata
            .iter()
            .map(|(count, some)| {
                *count as f64 * some.iter().map(f).sum::<f64>() / some.len() as f64
            })
            .sum()
    };
    let (clean, scored) = (total(|d| d.clean), total(|d| d.scored as f64));
    if scored == 0.0 {
        return None;
    }
    let share = clean / scored;
    let (mut variance, mut freedom) = (0.0, 0);
    for (count, some) in strata.iter().filter(|(n, s)| s.len() < *n) {
        let (all, n) = (*count as f64, some.len() as f64);
        let off = |d: &Drawn| d.clean - share * d.scored as f64;
        let mean = some.iter().map(off).sum::<f64>() / n;
        let square = some.iter().map(|d| (off(d) - mean) * (off(d) - mean));
        let s2 = square.sum::<f64>() / (n - 1.0);
        variance += all * all * (1.0 - n / all) * s2 / n;
        freedom += some.len() - 1;
    }
    let standard_error = variance.sqrt() / scored;
    let half =
        if freedom > 0 { student_quantile(0.975, freedom as f64) * standard_error } else { 0.0 };
    Some(SampledShare {
        share,
        standard_error,
        half,
        interval: ((share - half).max(0.0), (share + half).min(1.0)),
        drawn: drawn.len(),
        population: population.iter().sum(),
        strata: strata.len(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weights(layer: usize, pairs: &[(usize, usize)]) -> Vec<Drawn> {
        let of = |&(clean, scored): &(usize, usize)| Drawn { layer, clean: clean as f64, scored };
        pairs.iter().map(of).collect()
    }

    #[test]
    fn two_layers_by_hand() {
        // Layer 0: 10 weights, 2 drawn, (2, 2) and (0, 2). Layer 1: 4 weights, 2 drawn, (2, 2), (1, 2).
        // Totals: y = 10·1 + 4·1.5 = 16, m = 10·2 + 4·2 = 28: R = 4/7.
        // Residuals y − Rm: 6/7, −8/7 (s² = 2); 6/7, −1/7 (s² = ½).
        // V = (100·0.8·2/2 + 16·0.5·0.5/2)/28² = 82/784; 2 degrees of freedom.
        let mut drawn = weights(0, &[(2, 2), (0, 2)]);
        drawn.extend(weights(1, &[(2, 2), (1, 2)]));
        let found = sampled_share(&[10, 4], &drawn).unwrap();
        assert!((found.share - 4.0 / 7.0).abs() < 1e-12);
        assert!((found.standard_error - (82.0f64 / 784.0).sqrt()).abs() < 1e-12);
        assert_eq!((found.drawn, found.population, found.strata), (4, 14, 2));
        // t(0.975, 2) = 4.303: the interval is cut to [0, 1].
        assert_eq!(found.interval, (0.0, 1.0));
    }

    #[test]
    fn a_layer_without_weights_is_as_if_it_were_not_there() {
        let drawn = |last: usize| {
            let mut drawn = weights(0, &[(2, 2), (0, 2), (1, 2), (2, 2), (0, 2)]);
            drawn.extend(weights(last, &[(2, 2)]));
            drawn
        };
        let expected = sampled_share(&[10, 3], &drawn(1)).unwrap();
        assert_eq!(sampled_share(&[10, 0, 3], &drawn(2)), Some(expected));
        assert_eq!(sampled_share(&[10, 3, 0], &drawn(1)), Some(expected));
    }

    #[test]
    fn layers_count_by_their_weights_and_not_by_their_draws() {
        // 90 clean weights and 10 damaged ones, two drawn of each: 0.9, not 0.5.
        let mut drawn = weights(0, &[(2, 2), (2, 2)]);
        drawn.extend(weights(1, &[(0, 2), (0, 2)]));
        let found = sampled_share(&[90, 10], &drawn).unwrap();
        assert!((found.share - 0.9).abs() < 1e-12);
    }

    #[test]
    fn a_full_sweep_has_no_sampling_error() {
        let drawn = weights(0, &[(2, 2), (0, 2), (1, 1)]);
        let found = sampled_share(&[3], &drawn).unwrap();
        assert_eq!((found.share, found.standard_error), (0.6, 0.0));
        assert_eq!(found.interval, (0.6, 0.6));
        // Half of the same: s² of (2, 0) about R = ½ is 2: V = 16·½·2/2 / 8² = ⅛.
        let half = sampled_share(&[4], &weights(0, &[(2, 2), (0, 2)])).unwrap();
        assert!((half.standard_error - 0.125f64.sqrt()).abs() < 1e-12);
    }

    #[test]
    fn poor_layers_are_joined_with_the_next_and_the_last_with_the_one_before() {
        let mut drawn = weights(0, &[(2, 2)]);
        drawn.extend(weights(1, &[(0, 2), (1, 2)]));
        let found = sampled_share(&[5, 5, 1], &drawn).unwrap();
        assert_eq!((found.strata, found.population), (1, 11));
        assert!((found.share - 0.5).abs() < 1e-12);
        // A layer of one weight that was drawn is whole: it stays alone.
        drawn.extend(weights(2, &[(2, 2)]));
        assert_eq!(sampled_share(&[5, 5, 1], &drawn).unwrap().strata, 2);
    }

    #[test]
    fn nothing_scored_and_single_draws_have_no_estimate() {
        assert_eq!(sampled_share(&[4], &weights(0, &[(0, 0), (0, 0)])), None);
        assert_eq!(sampled_share(&[4], &weights(0, &[(1, 2)])), None);
        assert_eq!(sampled_share(&[], &[]), None);
    }
}
