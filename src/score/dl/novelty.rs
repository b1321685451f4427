//! Novelty: how much of the change shows something that was nowhere near before?
//!
//! At 32², d_s(x) = mean over 3 × 3 of Σ_rgb (new(x) − old(x+s))²; novel = √(mean_x min_s d_s /
//! mean_x d_0) over shifts |s| ≤ 2 a side. Range [0, 1]; larger = more fractured. A moved part is
//! found again beside its old place (0); a blotch or a new colour is found nowhere (1). It calls a
//! clean recolouring novel too. [ours; block matching as in motion estimation]

use super::canonical::COARSE;

/// Largest shift, pixels of the coarse copy.
const SHIFT: usize = 2;
const PADDED: usize = COARSE + 2 * SHIFT;
const AREA: usize = COARSE * COARSE;

/// The base's coarse copy with repeated edges.
#[derive(Clone, Debug)]
pub struct OldPatches {
    /// (3, PADDED²).
    padded: Vec<f64>,
}

impl OldPatches {
    /// From the base's coarse planes, (3, 32²).
    pub fn new(coarse: &[f64]) -> Self {
        let inside = |k: usize| k.saturating_sub(SHIFT).min(COARSE - 1);
        let padded = coarse
            .chunks_exact(AREA)
            .flat_map(|plane| {
                (0..PADDED * PADDED)
                    .map(move |i| plane[inside(i / PADDED) * COARSE + inside(i % PADDED)])
            })
            .collect();
        OldPatches { padded }
    }

    /// novel of the perturbed picture's coarse planes, (3, 32²).
    pub fn novelty(&self, new: &[f64]) -> f64 {
        let mut best = [f64::INFINITY; AREA];
        let mut here = 0.0;
        for down in 0..=2 * SHIFT {
            for right in 0..=2 * SHIFT {
                let distances = self.distances(new, down, right);
                if (down, right) == (SHIFT, SHIFT) {
                    here = distances.iter().sum::<f64>() / AREA as f64;
                }
                for (best, distance) in best.iter_mut().zip(distances) {
                    *best = best.min(distance);
                }
            }
        }
        let nearest = best.iter().sum::<f64>() / AREA as f64;
        (nearest / (here + 1e-9)).sqrt()
    }

    /// d_s for the shift (down − 2, right − 2).
    fn distances(&self, new: &[f64], down: usize, right: usize) -> [f64; AREA] {
        let mut squares = [0.0; AREA];
        let planes = self.padded.chunks_exact(PADDED * PADDED);
        for (old, new) in planes.zip(new.chunks_exact(AREA)) {
            for row in 0..COARSE {
                let old = &old[(row + down) * PADDED + right..][..COARSE];
                let new = &new[row * COARSE..][..COARSE];
                let out = &mut squares[row * COARSE..][..COARSE];
                for ((out, new), old) in out.iter_mut().zip(new).zip(old) {
                    *out += (new - old) * (new - old);
                }
            }
        }
        mean_of_nine(&squares)
    }
}

/// 3 × 3 mean, edges repeated.
fn mean_of_nine(plane: &[f64; AREA]) -> [f64; AREA] {
    let mut out = [0.0; AREA];
    let mut line = [0.0; COARSE + 2];
    for row in 0..COARSE {
        let [north, middle, south] = [row.saturating_sub(1), row, (row + 1).min(COARSE - 1)]
            .map(|row| &plane[row * COARSE..][..COARSE]);
        for column in 0..COARSE {
            line[column + 1] = north[column] + middle[column] + south[column];
        }
        line[0] = line[1];
        line[COARSE + 1] = line[COARSE];
        for (column, out) in out[row * COARSE..][..COARSE].iter_mut().enumerate() {
            *out = (line[column] + line[column + 1] + line[column + 2]) / 9.0;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moved_disc_is_found_again_and_a_new_one_is_not() {
        let disc = |x: f64, radius: f64, ink: f64| -> Vec<f64> {
            let plane: Vec<f64> = (0..AREA)
                .map(|i| {
                    let (dy, dx) = ((i / COARSE) as f64 - 16.0, (i % COARSE) as f64 - x);
                    if dy * dy + dx * dx < radius * radius { ink } else { 0.1 }
                })
                .collect();
            plane.repeat(3)
        };
        let old = OldPatches::new(&disc(14.0, 6.0, 0.9));
        assert!(old.novelty(&disc(16.0, 6.0, 0.9)) < 0.05);
        assert!(old.novelty(&disc(14.0, 6.0, 0.5)) > 0.8);
        assert_eq!(old.novelty(&disc(14.0, 6.0, 0.9)), 0.0);
    }
}
