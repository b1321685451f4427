//! Mirror symmetry: did the change break it?
//!
//! asymmetry(x) = the least, over upright and slanted axes, of rms(x − its mirror image)/2 at 32², over
//! the pixels whose mirror image lies in the picture. mirror = w·(asymmetry(new) −
//! asymmetry(old))/RMSE(new, old), w = max(0, 1 − asymmetry(old)/contrast(old)), contrast = rms(old − its
//! mean): what had no symmetry cannot lose it. Range about −1 … 1; larger = more damaged. An axis
//! stands up to 4 coarse pixels beside the middle and leans by up to 3/8, so that a figure that was
//! shifted or leans over is still symmetric. It knows no other symmetry than the mirror's.
//! [ours; "broken symmetry" is in the judge's prompt]

use super::canonical::COARSE;

const AREA: usize = COARSE * COARSE;
/// Twice the distances of an axis from the middle, in coarse pixels.
const TWICE_ASIDE: [i64; 11] = [0, -1, 1, -2, 2, -4, 4, -6, 6, -8, 8];
/// Leans of an axis in eighths of a column a row. None of them needs a tie to be rounded.
const LEAN_EIGHTHS: [i64; 7] = [0, -1, 1, -2, 2, -3, 3];

/// The symmetry of a base picture.
#[derive(Clone, Copy, Debug)]
pub(super) struct OldSymmetry {
    asymmetry: f64,
    /// w, in [0, 1].
    weight: f64,
}

impl OldSymmetry {
    /// From the base's coarse planes, (3, 32²).
    pub(super) fn new(coarse: &[f64]) -> Self {
        let squares: f64 = coarse
            .chunks_exact(AREA)
            .map(|plane| {
                let mean = plane.iter().sum::<f64>() / AREA as f64;
                plane.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>()
            })
            .sum();
        let contrast = (squares / (3 * AREA) as f64).sqrt();
        let asymmetry = asymmetry(coarse);
        OldSymmetry { asymmetry, weight: (1.0 - asymmetry / (contrast + 1e-9)).max(0.0) }
    }

    /// mirror of the perturbed picture's coarse planes, (3, 32²), at that RMSE.
    pub(super) fn lost(&self, new: &[f64], rmse: f64) -> f64 {
        self.weight * (asymmetry(new) - self.asymmetry) / rmse
    }
}

/// Asymmetry of coarse planes (3, 32²), in [0, ½].
fn asymmetry(coarse: &[f64]) -> f64 {
    let mut least = f64::INFINITY;
    for aside in TWICE_ASIDE {
        for lean in LEAN_EIGHTHS {
            least = least.min(mean_square(coarse, aside, lean, least));
        }
    }
    least.sqrt() / 2.0
}

/// The columns of a row, first and last, whose mirror image lies in the picture, and twice the axis:
/// column c has its image in column `twice` − c. If no column has one, first > last.
fn mirrored(row: usize, aside: i64, lean: i64) -> (i64, i64) {
    const LAST: i64 = COARSE as i64 - 1;
    let height = 2 * row as i64 - LAST;
    let twice = LAST + aside + (lean * height + 4).div_euclid(8);
    ((twice - LAST).max(0), twice.min(LAST))
}

/// Mean over pixels and channels of (x − mirror image)², where there is one; given up, with infinity, as
/// soon as it is known to be above `enough`.
fn mean_square(coarse: &[f64], aside: i64, lean: i64, enough: f64) -> f64 {
    let rows = (0..COARSE).map(|row| mirrored(row, aside, lean));
    let pixels: i64 = rows.map(|(low, high)| (high - low + 1).max(0)).sum();
    let most = enough * (3 * pixels) as f64;
    let mut sum = 0.0;
    for row in 0..COARSE {
        if sum > most {
            return f64::INFINITY;
        }
        let (low, high) = mirrored(row, aside, lean);
        if low > high {
            continue;
        }
        for plane in coarse.chunks_exact(AREA) {
            let line = &plane[row * COARSE..(row + 1) * COARSE];
            let (mut left, mut right) = (low as usize, high as usize);
            let mut squares = 0.0;
            while left < right {
                let difference = line[left] - line[right];
                squares += difference * difference;
                left += 1;
                right -= 1;
            }
            sum += 2.0 * squares;
        }
    }
    sum / (3 * pixels) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Grey planes of a function of (column, row).
    fn planes(value: impl Fn(i64, i64) -> f64) -> Vec<f64> {
        let side = COARSE as i64;
        let plane: Vec<f64> = (0..side * side).map(|i| value(i % side, i / side)).collect();
        plane.repeat(3)
    }

    #[test]
    fn figures_with_an_upright_a_shifted_or_a_leaning_axis_are_symmetric() {
        let stripe = |c: i64| f64::from(u8::from((2 * c - 31).abs() < 12));
        assert_eq!(asymmetry(&planes(|c, r| ((2 * c - 31).abs() * r) as f64 / 999.0)), 0.0);
        assert_eq!(asymmetry(&planes(|c, _| stripe(c - 4))), 0.0);
        // The axis moves by one column in four rows: the figure is cut along the grid.
        let leaning = asymmetry(&planes(|c, r| stripe(c - (r - 16).div_euclid(4))));
        let upright =
            mean_square(&planes(|c, r| stripe(c - (r - 16).div_euclid(4))), 0, 0, f64::INFINITY);
        assert!(leaning < 0.5 * upright.sqrt() / 2.0, "{leaning} {upright}");
    }

    #[test]
    fn one_half_against_the_other_by_hand() {
        // Left half 0, right half 1: the best axis is the farthest left one that leans least in
        // sum; upright in the middle every pixel differs by 1.
        let halves = planes(|c, _| f64::from(u8::from(c >= 16)));
        assert_eq!(mean_square(&halves, 0, 0, f64::INFINITY), 1.0);
        // Axis 4 to the left (2·axis = 31 − 8): columns 0..=23 pair up, 16..=23 with 0..=7.
        assert_eq!(mean_square(&halves, -8, 0, f64::INFINITY), 16.0 / 24.0);
        assert!(asymmetry(&halves) > 0.3);
    }

    #[test]
    fn only_what_was_symmetric_can_lose_it() {
        let figure = planes(|c, _| f64::from(u8::from((c - 15).abs() < 6)));
        let stained = planes(|c, r| {
            f64::from(u8::from((c - 15).abs() < 6 || (c > 24 && (8..20).contains(&r))))
        });
        let ramp = planes(|c, _| c as f64 / 31.0);
        assert!(OldSymmetry::new(&figure).lost(&stained, 0.2) > 0.3);
        assert!(OldSymmetry::new(&stained).lost(&figure, 0.2) < -0.1);
        let ramp_lost = OldSymmetry::new(&ramp).lost(&stained, 0.2).abs();
        assert!(ramp_lost < 0.15, "{ramp_lost}");
        // A blank picture is symmetric: it can lose that.
        assert!(OldSymmetry::new(&planes(|_, _| 0.5)).lost(&stained, 0.2) > 0.3);
    }
}
