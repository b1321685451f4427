//! Orientation: does the change follow the contours that were there?
//!
//! orient = 1 − Σ c·m / Σ m over the pixels, m = |∇D| of the change D, c the cosine between the
//! doubled-angle structure tensors of the base and of D: c = 1 where the change runs along the
//! base's contour, −1 where it runs across. Range [0, 2]; larger = more fractured. A part that
//! moves or grows changes the picture along existing contours; smears and ghosts do not.
//! It does not see a change without edges (a tint), nor where the base is flat. [ours; structure
//! tensors after Bigün & Granlund 1987]

use super::canonical::{PIXELS, SIDE};
use crate::math::real;

/// Standard deviation of the window in pixels of the canonical copy.
const SIGMA: f64 = 0.7;

/// The doubled-angle structure tensor of a picture, blurred: per pixel (Σ gy² − gx², Σ 2·gy·gx)
/// over its planes, and the length of the gradient.
#[derive(Clone, Debug)]
pub struct Orientation {
    across: Vec<f64>,
    diagonal: Vec<f64>,
    length: Vec<f64>,
    row: Vec<f64>,
}

impl Default for Orientation {
    /// Working space for [`Orientation::read`].
    fn default() -> Self {
        let plane = || vec![0.0; PIXELS];
        Orientation { across: plane(), diagonal: plane(), length: plane(), row: plane() }
    }
}

impl Orientation {
    /// Reads planes `planes`, (3, N²). Gradients are central differences, 0 across the border.
    pub fn read(&mut self, planes: &[f64]) {
        self.across.fill(0.0);
        self.diagonal.fill(0.0);
        self.length.fill(0.0);
        for plane in planes.chunks_exact(PIXELS) {
            for row in 0..SIDE {
                let inner = row > 0 && row < SIDE - 1;
                for column in 0..SIDE {
                    let i = row * SIDE + column;
                    let down = if inner { (plane[i + SIDE] - plane[i - SIDE]) / 2.0 } else { 0.0 };
                    let right = if column > 0 && column < SIDE - 1 {
                        (plane[i + 1] - plane[i - 1]) / 2.0
                    } else {
                        0.0
                    };
                    let (dd, rr) = (down * down, right * right);
                    self.across[i] += dd - rr;
                    self.diagonal[i] += 2.0 * (down * right);
                    self.length[i] += dd + rr;
                }
            }
        }
        for length in &mut self.length {
            *length = length.sqrt();
        }
        let weights = window();
        blur(&mut self.across, &mut self.row, &weights);
        blur(&mut self.diagonal, &mut self.row, &weights);
    }

    /// orient of a change read into `change`, against this base.
    pub fn disagreement(&self, change: &Orientation) -> f64 {
        let (mut agreed, mut total) = (0.0, 0.0);
        for i in 0..PIXELS {
            let (a, b) = (self.across[i], self.diagonal[i]);
            let (u, v) = (change.across[i], change.diagonal[i]);
            let scale = ((a * a + b * b) * (u * u + v * v) + 1e-14).sqrt();
            agreed += (a * u + b * v) / scale * change.length[i];
            total += change.length[i];
        }
        1.0 - agreed / (total + 1e-12)
    }
}

/// Five taps of a Gaussian, summing to 1.
fn window() -> [f64; 5] {
    let tap = |k: f64| real::exp(-k * k / (2.0 * SIGMA * SIGMA));
    let taps = [-2.0, -1.0, 0.0, 1.0, 2.0].map(tap);
    let sum: f64 = taps.iter().sum();
    taps.map(|t| t / sum)
}

/// Separable blur of an (N, N) plane, edges repeated.
fn blur(plane: &mut [f64], work: &mut [f64], taps: &[f64; 5]) {
    for row in 0..SIDE {
        let lines = [-2isize, -1, 0, 1, 2]
            .map(|k| (row as isize + k).clamp(0, SIDE as isize - 1) as usize * SIDE);
        for column in 0..SIDE {
            work[row * SIDE + column] = (0..5).map(|k| taps[k] * plane[lines[k] + column]).sum();
        }
    }
    let mut padded = [0.0; SIDE + 4];
    for (out, line) in plane.chunks_exact_mut(SIDE).zip(work.chunks_exact(SIDE)) {
        padded[..2].fill(line[0]);
        padded[2..SIDE + 2].copy_from_slice(line);
        padded[SIDE + 2..].fill(line[SIDE - 1]);
        for (column, out) in out.iter_mut().enumerate() {
            *out = (0..5).map(|k| taps[k] * padded[column + k]).sum();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stripes(along_rows: bool, phase: f64) -> Vec<f64> {
        (0..3 * PIXELS)
            .map(|i| {
                let (row, column) = (i % PIXELS / SIDE, i % SIDE);
                let t = if along_rows { row } else { column } as f64;
                real::sin(t * 0.4 + phase)
            })
            .collect()
    }

    #[test]
    fn a_change_along_the_contours_agrees_and_one_across_them_does_not() {
        let read = |planes: &[f64]| {
            let mut orientation = Orientation::default();
            orientation.read(planes);
            orientation
        };
        let base = read(&stripes(true, 0.0));
        assert!(base.disagreement(&read(&stripes(true, 1.0))) < 0.01);
        assert!(base.disagreement(&read(&stripes(false, 0.0))) > 1.9);
        assert_eq!(base.disagreement(&read(&vec![0.2; 3 * PIXELS])), 1.0);
    }
}
