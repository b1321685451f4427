//! Colour uncertainty: given the old colour of a pixel, how uncertain is the new one?
//!
//! h = H(new bin | old bin) in bits, bins of 6 levels a channel (216 colours). Range [0, log₂216 ≈
//! 7.75]. 0 if every colour was replaced by one colour (a recolouring is free), high if each old
//! colour turned into many. `cond` is h beyond that of smooth warps of the base at the same RMSE.
//! It does not know where the pixels are. [ours; conditional entropy after Shannon 1948]

use super::canonical::PIXELS;
use crate::math::real;

/// Colours.
const BINS: usize = 216;

/// The colour bin of each pixel of planes `rgb`, (3, N²).
pub fn colour_bins(rgb: &[f64], out: &mut Vec<u16>) {
    let (red, rest) = rgb.split_at(PIXELS);
    let (green, blue) = rest.split_at(PIXELS);
    // Truncation, negative values to 0: six equal cells with 1 in the last.
    let level = |v: f64| (v * 5.999).clamp(0.0, 5.0) as u16;
    out.clear();
    out.extend((0..PIXELS).map(|i| 36 * level(red[i]) + 6 * level(green[i]) + level(blue[i])));
}

/// Counts of pairs of bins; kept between pictures so that nothing is allocated.
#[derive(Clone, Debug)]
pub struct PairCounts {
    counts: Vec<u16>,
    seen: Vec<u32>,
}

impl Default for PairCounts {
    /// Empty counts.
    fn default() -> Self {
        PairCounts { counts: vec![0; BINS * BINS], seen: Vec::with_capacity(PIXELS) }
    }
}

impl PairCounts {
    /// Entropy in bits of the pairs (old, new), both (N²,).
    pub fn joint_entropy(&mut self, old: &[u16], new: &[u16]) -> f64 {
        for (&old, &new) in old.iter().zip(new) {
            let pair = usize::from(old) * BINS + usize::from(new);
            if self.counts[pair] == 0 {
                self.seen.push(pair as u32);
            }
            self.counts[pair] += 1;
        }
        let mut sum = 0.0;
        for pair in self.seen.drain(..) {
            let count = std::mem::take(&mut self.counts[pair as usize]);
            let share = f64::from(count) / PIXELS as f64;
            sum -= share * real::log2(share);
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recolouring_is_certain_and_a_coin_toss_is_one_bit() {
        let mut pairs = PairCounts::default();
        let halves = |low: f64, high: f64, period: usize| -> Vec<u16> {
            let plane: Vec<f64> =
                (0..PIXELS).map(|i| if i % period < period / 2 { low } else { high }).collect();
            let mut bins = Vec::new();
            colour_bins(&plane.repeat(3), &mut bins);
            bins
        };
        let old = halves(0.0, 1.0, 4);
        let own = pairs.joint_entropy(&old, &old);
        assert!((own - 1.0).abs() < 1e-12);
        let recoloured = halves(0.9, 0.4, 4);
        assert!((pairs.joint_entropy(&old, &recoloured) - own).abs() < 1e-12);
        // Period 2 splits each of the old halves in two.
        let tossed = halves(0.0, 1.0, 2);
        assert!((pairs.joint_entropy(&old, &tossed) - own - 1.0).abs() < 1e-12);
    }
}
