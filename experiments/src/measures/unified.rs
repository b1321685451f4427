//! Unified: are two parts that look alike drawn by the same units?
//!
//! The two windows, a quarter of the picture's side wide, that look most alike, as they are or mirrored, are the repeated
//! parts A and B: windows of 8² pixels at 32², every two pixels, whose standard deviation is at least .05, apart from each other, mean
//! squared difference at most a quarter of their variance. With a_i and b_i the length of unit i's doing in A and B:
//! U = Σ min(a_i, b_i)/Σ max(a_i, b_i) in [0, 1]. The measure is U less its mean over 100 random pairs of such windows,
//! in [−1, 1].
//!
//! In: (N, 3P) doings at 32². Out: a number, `None` if nothing is repeated.
//! Cost: one drawing of 32² pixels a hidden unit ([`picloom::score::measures::silencing`]); at most 169 windows of 192 numbers, each
//! compared with every other, as it is and mirrored.
//!
//! Source: *unified* against *fractured*, Kumar et al. 2025; U is METHODS §7 \[ours\], finding the parts too.
//!
//! **What it does not mean:** a global unit acts in A and B in any network; the null takes that out only on average.
//! Pictures without repeated parts have no such number. In a mirror-symmetric picture drawn by units that are even
//! themselves, U is 1 by symmetry alone.

use picloom::base::SimRng;
use picloom::score::measures::silencing::{SIDE, Silenced};

/// Side of a window, and the step from one to the next.
pub(crate) const WINDOW: usize = 8;
const STEP: usize = 2;
/// Least standard deviation within a window.
const LEAST: f64 = 0.05;
/// Largest mean squared difference of two windows as a share of their variance.
const ALIKE: f64 = 0.25;
/// Random pairs.
const NULL: usize = 100;

/// U of two lists of effects, one entry a unit.
pub(crate) fn overlap(a: &[f64], b: &[f64]) -> f64 {
    let sum = |of: fn(f64, f64) -> f64| a.iter().zip(b).map(|(&a, &b)| of(a, b)).sum::<f64>();
    let larger = sum(f64::max);
    if larger == 0.0 { 0.0 } else { sum(f64::min) / larger }
}

/// U of the repeated parts less that of random windows; `None` if nothing is repeated or no unit
/// changes the picture.
pub(crate) fn unified(silenced: &Silenced, rng: &mut SimRng) -> Option<f64> {
    let repeated = Repeated::of(silenced)?;
    let random: Vec<(usize, usize)> =
        (0..NULL).filter_map(|_| rng.choose(&repeated.pairs).copied()).collect();
    Some(repeated.beyond(&random))
}

/// The repeated parts of a picture.
pub(crate) struct Repeated {
    /// The two windows that look most alike.
    pub alike: (usize, usize),
    /// All pairs of windows that are apart from each other.
    pub pairs: Vec<(usize, usize)>,
    /// (windows, N) length of each unit's doing in each window.
    pub effects: Vec<Vec<f64>>,
}

impl Repeated {
    /// Of a network's own picture; `None` if nothing is repeated or no unit changes the picture.
    pub(crate) fn of(silenced: &Silenced) -> Option<Self> {
        let picture = &silenced.view.picture().rgb;
        let starts = (0..=SIDE - WINDOW).step_by(STEP);
        let places = starts.clone().flat_map(|y| starts.clone().map(move |x| (x, y)));
        let windows: Vec<((usize, usize), Vec<f64>, f64)> = places
            .map(|place| {
                let values = cut(picture, place);
                let variance = variance(&values);
                (place, values, variance)
            })
            .filter(|(_, _, variance)| variance.sqrt() >= LEAST)
            .collect();
        let apart = |a: (usize, usize), b: (usize, usize)| {
            a.0.abs_diff(b.0) >= WINDOW || a.1.abs_diff(b.1) >= WINDOW
        };
        let pairs = (0..windows.len()).flat_map(|i| (0..i).map(move |j| (i, j)));
        let pairs: Vec<(usize, usize)> =
            pairs.filter(|&(i, j)| apart(windows[i].0, windows[j].0)).collect();
        let unlike = |&(i, j): &(usize, usize)| {
            let (a, b) = (&windows[i], &windows[j]);
            let scale = (a.2 * b.2).sqrt();
            (difference(&a.1, &b.1).min(difference(&a.1, &mirrored(&b.1))) / scale, i, j)
        };
        let (least, i, j) = pairs.iter().map(unlike).min_by(|a, b| a.0.total_cmp(&b.0))?;
        if least > ALIKE || silenced.doings.is_empty() {
            return None;
        }
        let effects: Vec<Vec<f64>> = windows
            .iter()
            .map(|(place, _, _)| {
                let length =
                    |doing: &Vec<f32>| cut(doing, *place).iter().map(|v| v * v).sum::<f64>();
                silenced.doings.iter().map(|doing| length(doing).sqrt()).collect()
            })
            .collect();
        Some(Repeated { alike: (i, j), pairs, effects })
    }

    /// U of one pair of windows.
    ///
    /// # Panics
    /// If there are no such windows.
    pub(crate) fn overlap(&self, (i, j): (usize, usize)) -> f64 {
        overlap(&self.effects[i], &self.effects[j])
    }

    /// U of the repeated parts less its mean over `pairs`.
    ///
    /// # Panics
    /// As [`overlap`](Self::overlap).
    pub(crate) fn beyond(&self, pairs: &[(usize, usize)]) -> f64 {
        let null: f64 = pairs.iter().map(|&pair| self.overlap(pair)).sum();
        self.overlap(self.alike) - null / pairs.len() as f64
    }
}

/// (3 · 8 · 8,) values of a window.
fn cut(rgb: &[f32], (x, y): (usize, usize)) -> Vec<f64> {
    let row = |row: usize| 3 * (row * SIDE + x)..3 * (row * SIDE + x + WINDOW);
    (y..y + WINDOW).flat_map(|r| rgb[row(r)].iter().map(|&v| f64::from(v))).collect()
}

/// A window seen from behind.
pub(crate) fn mirrored(window: &[f64]) -> Vec<f64> {
    let row = |row: &[f64]| row.rchunks_exact(3).flatten().copied().collect::<Vec<f64>>();
    window.chunks_exact(3 * WINDOW).flat_map(row).collect()
}

fn difference(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>() / a.len() as f64
}

/// About the mean of each channel.
fn variance(window: &[f64]) -> f64 {
    let n = window.len() as f64 / 3.0;
    let of_channel = |channel: usize| {
        let values = || window.iter().skip(channel).step_by(3);
        let mean = values().sum::<f64>() / n;
        values().map(|v| (v - mean) * (v - mean)).sum::<f64>()
    };
    (0..3).map(of_channel).sum::<f64>() / (3.0 * n)
}
