//! Pr that a random mask has a P-modular labelling, by Monte Carlo: direct, and Karp–Luby for
//! rare events.
//!
//! Samples come in chunks of 1024 with a stream each, summed in order: the same seed gives the
//! same bits at any thread count.

use super::moment::{Transfer, ln_expected_labellings};
use super::{VolumeError, checked};
use picloom::base::refusal::Refusal;
use picloom::base::stats::{Interval, normal_quantile, wilson};
use picloom::base::{SimRng, real};
use picloom::score::measures::components::Components;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

const CHUNK: usize = 1024;

/// Entries the table of the labelling sampler holds at most.
const LIMIT: u64 = 20_000_000;

/// A probability found by sampling.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Estimate {
    /// The probability and its 95 % interval, within [0, 1].
    pub probability: Interval,
    /// Masks drawn.
    pub samples: usize,
}

/// `run(rng, count)` on every chunk of `samples`, in order.
pub(super) fn chunked<T: Send>(
    samples: usize,
    seed: u64,
    purpose: &str,
    run: impl Fn(&mut SimRng, usize) -> T + Sync,
) -> Vec<T> {
    (0..samples.div_ceil(CHUNK))
        .into_par_iter()
        .map(|chunk| {
            let mut rng = SimRng::new(seed, purpose, chunk as u64);
            run(&mut rng, CHUNK.min(samples - chunk * CHUNK))
        })
        .collect()
}

/// A share of `samples` with Wilson's 95 % interval.
pub(super) fn share(hits: usize, samples: usize) -> Result<Estimate, VolumeError> {
    Ok(Estimate { probability: wilson(hits, samples, 0.95).map_err(no_samples)?, samples })
}

fn no_samples(_: Refusal) -> VolumeError {
    Refusal::new("samples", "1 or more", "0").into()
}

/// Pr by drawing masks and counting those with a labelling; Wilson interval. Good while Pr is
/// above some 10/samples. O(samples · L · W²).
///
/// # Errors
/// A parameter out of range, no samples.
pub(crate) fn direct(
    width: usize,
    layers: usize,
    parts: usize,
    p: f64,
    samples: usize,
    seed: u64,
) -> Result<Estimate, VolumeError> {
    checked(width, layers, parts, p)?;
    let purpose = format!("theory/direct {width} {layers} {parts} {p}");
    let hits = chunked(samples, seed, &purpose, |rng, count| {
        let mut edges = Vec::new();
        (0..count)
            .filter(|_| {
                edges.clear();
                for gap in 0..layers - 1 {
                    for pair in 0..width * width {
                        if rng.chance(p) {
                            let (i, j) = (pair / width, pair % width);
                            edges.push((gap * width + i, (gap + 1) * width + j));
                        }
                    }
                }
                let found = Components::of(layers, width, |_| true, edges.iter().copied());
                found.least_touching() >= parts
            })
            .count()
    });
    share(hits.iter().sum(), samples)
}

/// Pr by Karp & Luby's coverage estimator, for events too rare for [`direct`].
///
/// The event is the union over labellings of "no edge across this labelling". Draw a labelling in
/// proportion to the probability of its event (backwards through the transfer matrix), draw the
/// edges inside its modules with probability p, and count the N labellings that mask has:
/// Pr = E\[N\]·mean(1/N). The interval is the normal one of that mean.
///
/// A sample's relative variance is at most E\[N\]/Pr, against 1/Pr for [`direct`]: the gain is large
/// where E\[N\] is small (labellings rarely coexist), and small where a few loose masks have
/// thousands of labellings. At (6, 6, 3, .25), E\[N\] 8.02 and Pr 2.25e-4, it takes half the samples
/// of `direct`; few samples then give a low estimate, as METHODS' 1.9e-4 is.
///
/// Units within a layer are exchangeable, so the labels are laid out in blocks.
///
/// Source: Karp, Luby & Madras, *Monte-Carlo approximation algorithms for enumeration problems*,
/// J. Algorithms 10, 1989.
///
/// # Errors
/// A parameter out of range, no samples, a table of more than 2·10⁷ entries.
pub(crate) fn karp_luby(
    width: usize,
    layers: usize,
    parts: usize,
    p: f64,
    samples: usize,
    seed: u64,
) -> Result<Estimate, VolumeError> {
    checked(width, layers, parts, p)?;
    if samples == 0 {
        return share(0, 0);
    }
    let ln_expected = ln_expected_labellings(width, layers, parts, p)?;
    if ln_expected == f64::NEG_INFINITY {
        let zero = Interval { estimate: 0.0, low: 0.0, high: 0.0 };
        return Ok(Estimate { probability: zero, samples });
    }
    let transfer = Transfer::new(width, layers, parts, p)?;
    let entries = (transfer.compositions.len() as u64).pow(2) * layers as u64;
    if entries > LIMIT {
        return Err(VolumeError::TooLarge {
            what: "Karp–Luby table",
            limit: LIMIT,
            found: entries,
        });
    }
    let posterior = transfer.posterior();
    let purpose = format!("theory/karp-luby {width} {layers} {parts} {p}");
    let sums = chunked(samples, seed, &purpose, |rng, count| {
        let mut edges = Vec::new();
        let (mut sum, mut squares) = (0.0, 0.0);
        for _ in 0..count {
            let counts: Vec<&[u16]> = posterior
                .draw(rng)
                .into_iter()
                .map(|c| transfer.compositions[c].as_slice())
                .collect();
            edges.clear();
            for (gap, pair) in counts.windows(2).enumerate() {
                let (mut i0, mut j0) = (gap * width, (gap + 1) * width);
                for (&a, &b) in pair[0].iter().zip(pair[1]) {
                    let (a, b) = (usize::from(a), usize::from(b));
                    for i in i0..i0 + a {
                        for j in j0..j0 + b {
                            if rng.chance(p) {
                                edges.push((i, j));
                            }
                        }
                    }
                    (i0, j0) = (i0 + a, j0 + b);
                }
            }
            let found = Components::of(layers, width, |_| true, edges.iter().copied());
            let weight = 1.0 / found.labellings(parts);
            sum += weight;
            squares += weight * weight;
        }
        (sum, squares)
    });
    let n = samples as f64;
    let (sum, squares) = sums.iter().fold((0.0, 0.0), |(s, q), chunk| (s + chunk.0, q + chunk.1));
    let mean = sum / n;
    let variance = (squares / n - mean * mean).max(0.0) / (n - 1.0).max(1.0);
    let half = normal_quantile(0.975) * variance.sqrt();
    let scale = real::exp(ln_expected);
    Ok(Estimate {
        probability: Interval {
            estimate: (scale * mean).min(1.0),
            low: (scale * (mean - half)).clamp(0.0, 1.0),
            high: (scale * (mean + half)).min(1.0),
        },
        samples,
    })
}
