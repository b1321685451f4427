//! How much of a picture one linear coordinate explains: whether it has parts that could be composed.
//!
//! In: a picture. Out: R² in [0, 1] of the best function of a coordinate x cos θ + y sin θ \[ours\]. A picture of stripes
//! or of one straight edge has about 1; one with a figure on a ground has less than [`PARTS`].
//!
//! The picture is looked at by 64 × 64 points, one for each pixel of a picture of that size. For each of 60 angles,
//! three degrees apart, the points are put into 60 bins of the coordinate; the function is the mean colour of each bin.
//!
//! **What it does not mean:** a low value says that no stripes explain the picture, not that it has parts: rings and noise
//! have a low value, too.

use crate::base::real::{cos, sin};
use crate::network::Picture;

/// A picture below this value is a *picture with parts* \[ours\].
pub const PARTS: f64 = 0.8;

/// Points along each side.
const SIDE: usize = 64;
/// Angles, evenly over half a turn.
const ANGLES: usize = 60;
/// Bins over −1.45 to 1.45, which holds every coordinate of a point of [−1, 1]².
const BINS: usize = 60;
/// Largest coordinate, a little above √2.
const REACH: f64 = 1.45;

/// R² of the best function of one linear coordinate, in [0, 1]; 1 of a picture of one colour.
///
/// ```
/// use picloom_engine::network::Picture;
/// use picloom_engine::score::measures::one_coordinate::{PARTS, one_coordinate};
/// let picture = |at: fn(usize, usize) -> bool| {
///     let pixel = |i: usize| [f32::from(u8::from(at(i / 32, i % 32))); 3];
///     Picture { width: 32, height: 32, rgb: (0..32 * 32).flat_map(pixel).collect() }
/// };
/// assert!(one_coordinate(&picture(|row, column| (row + column) % 22 < 11)) > 0.9, "stripes");
/// assert!(one_coordinate(&picture(|row, column| row.abs_diff(16).max(column.abs_diff(16)) < 8)) < PARTS, "a square");
/// ```
pub fn one_coordinate(picture: &Picture) -> f64 {
    let points: Vec<([f64; 2], [f64; 3])> = (0..SIDE * SIDE)
        .map(|i| {
            let (row, column) = (i / SIDE, i % SIDE);
            let at = |k: usize| 2.0 * k as f64 / (SIDE - 1) as f64 - 1.0;
            let of = |k: usize, side: usize| (2 * k + 1) * side / (2 * SIDE);
            let pixel = of(row, picture.height) * picture.width + of(column, picture.width);
            let colour = [0, 1, 2].map(|channel| f64::from(picture.rgb[3 * pixel + channel]));
            ([at(column), at(row)], colour)
        })
        .collect();
    let squares: f64 = points.iter().flat_map(|(_, colour)| colour).map(|c| c * c).sum();
    // Sums of squares about no mean, of one mean and of the bins' means: R² is the share between them.
    let explained = |bin: &dyn Fn([f64; 2]) -> usize, bins: usize| -> f64 {
        let mut sums = vec![[0.0; 4]; bins];
        for (at, colour) in &points {
            let sum = &mut sums[bin(*at)];
            (0..3).for_each(|channel| sum[channel] += colour[channel]);
            sum[3] += 1.0;
        }
        let of = |sum: &[f64; 4]| sum[..3].iter().map(|s| s * s).sum::<f64>() / sum[3].max(1.0);
        sums.iter().map(of).sum()
    };
    let mean = explained(&|_| 0, 1);
    let variance = squares - mean;
    if variance <= 1e-9 * squares.max(1.0) {
        return 1.0;
    }
    let best = (0..ANGLES).map(|k| {
        let angle = std::f64::consts::PI * k as f64 / ANGLES as f64;
        let (across, down) = (cos(angle), sin(angle));
        let place =
            |[x, y]: [f64; 2]| (across * x + down * y + REACH) / (2.0 * REACH) * BINS as f64;
        explained(&|at| (place(at) as usize).min(BINS - 1), BINS)
    });
    ((best.fold(mean, f64::max) - mean) / variance).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_a_square_of_noise_is_explained_by_half() {
        // Columns of black and white explain a picture whose right half is theirs turned by a quarter only in part.
        let stripes =
            |row: usize, column: usize| if column < 32 { column / 4 } else { row / 4 } % 2;
        let pixel = |i: usize| [stripes(i / 64, i % 64) as f32; 3];
        let picture =
            Picture { width: 64, height: 64, rgb: (0..64 * 64).flat_map(pixel).collect() };
        let found = one_coordinate(&picture);
        assert!((0.35..0.65).contains(&found), "{found}");
    }

    #[test]
    fn one_colour_has_no_parts_and_size_does_not_matter() {
        let plain = Picture { width: 3, height: 3, rgb: vec![0.4; 27] };
        assert_eq!(one_coordinate(&plain), 1.0);
        let ball = |side: usize| {
            let far = |i: usize| (2 * i + 1) as f64 / side as f64 - 1.0;
            let inside =
                |i: usize| far(i / side) * far(i / side) + far(i % side) * far(i % side) < 0.4;
            let rgb = (0..side * side).flat_map(|i| [f32::from(u8::from(inside(i))); 3]).collect();
            one_coordinate(&Picture { width: side, height: side, rgb })
        };
        assert!((ball(64) - ball(256)).abs() < 0.02 && ball(64) < PARTS);
    }
}
