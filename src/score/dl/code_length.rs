//! Description length K: how many bits a simple lossless coder needs for the canonical copy.
//!
//! K = Σ over planes and contexts [ Σ_symbol −h·log₂(h/t) + ½·log₂(t+1)·(symbols seen) ], h the
//! count of a symbol, t of its context: an adaptive code's length by the two-part (MDL) estimate.
//! Range: about 20 bits (one colour) to 10⁵ (noise). Deterministic and independent of any PNG
//! encoder. It does not know what a picture shows: a clean but richer picture is longer too.
//!
//! Planes G, R−G, B−G of 16 levels a channel (a grey picture costs one plane); each pixel is
//! predicted by the median edge detector of LOCO-I (Weinberger, Seroussi & Sapiro 2000) and coded
//! in one of five contexts of local activity. \[ours\]

use super::canonical::{PIXELS, SIDE};
use crate::math::real;

/// Levels a channel.
const LEVELS: f64 = 16.0;
/// Residuals beyond ± this are coded as this.
const LARGEST_RESIDUAL: i16 = 20;
const SYMBOLS: usize = 2 * LARGEST_RESIDUAL as usize + 1;
const CONTEXTS: usize = 5;

/// K in bits of RGB planes `rgb`, (3, N²), values clipped to [0, 1].
pub fn code_length(rgb: &[f64]) -> f64 {
    let mut levels = [[0i16; PIXELS]; 3];
    for (plane, values) in levels.iter_mut().zip(rgb.chunks_exact(PIXELS)) {
        for (level, &v) in plane.iter_mut().zip(values) {
            // Values are not negative here, so truncation is the floor.
            *level = (v.clamp(0.0, 1.0) * (LEVELS - 1.0) + 0.5) as i16;
        }
    }
    let [red, green, blue] = &mut levels;
    for i in 0..PIXELS {
        red[i] -= green[i];
        blue[i] -= green[i];
    }
    plane_length(green) + plane_length(red) + plane_length(blue)
}

fn plane_length(plane: &[i16; PIXELS]) -> f64 {
    let mut counts = [[0u32; SYMBOLS]; CONTEXTS];
    // Neighbours outside the picture are 0.
    let mut above = [0i16; SIDE];
    for row in plane.chunks_exact(SIDE) {
        let (mut west, mut north_west) = (0, 0);
        for (&value, above) in row.iter().zip(&mut above) {
            let north = *above;
            let (least, most) = (west.min(north), west.max(north));
            let predicted = if north_west >= most {
                least
            } else if north_west <= least {
                most
            } else {
                west + north - north_west
            };
            let residual = (value - predicted).clamp(-LARGEST_RESIDUAL, LARGEST_RESIDUAL);
            let activity = (west - north_west).abs() + (north - north_west).abs();
            let context = match activity {
                0..3 => activity as usize,
                3..6 => 3,
                _ => 4,
            };
            counts[context][(residual + LARGEST_RESIDUAL) as usize] += 1;
            north_west = north;
            west = value;
            *above = value;
        }
    }
    counts.iter().map(context_length).sum()
}

fn context_length(counts: &[u32; SYMBOLS]) -> f64 {
    let total = f64::from(counts.iter().sum::<u32>());
    if total == 0.0 {
        return 0.0;
    }
    let model = 0.5 * real::log2(total + 1.0);
    counts
        .iter()
        .filter(|&&h| h > 0)
        .map(|&h| model - f64::from(h) * real::log2(f64::from(h) / total))
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_colour_costs_its_first_pixel_and_the_tables() {
        // White: levels 15; R−G and B−G are 0. Green: the first pixel is a surprise (+15, quiet
        // context), the rest of the first row and column (126 pixels) are predicted in the busiest
        // context, the inner 63² in the quiet one.
        let white = code_length(&vec![1.0; 3 * PIXELS]);
        let l = real::log2;
        let (quiet, busy) = (3970.0f64, 126.0f64);
        let quiet = l(quiet + 1.0) + l(quiet) - 3969.0 * l(3969.0 / quiet);
        let green = quiet + 0.5 * l(busy + 1.0);
        let zero_plane = 0.5 * l(4097.0);
        assert!((white - green - 2.0 * zero_plane).abs() < 1e-9, "{white}");
    }

    #[test]
    fn noise_is_longer_than_a_ramp_and_a_ramp_longer_than_one_colour() {
        let mut rng = crate::math::SimRng::new(3, "test", 0);
        let noise: Vec<f64> = (0..3 * PIXELS).map(|_| rng.uniform()).collect();
        let ramp: Vec<f64> = (0..3 * PIXELS).map(|i| (i % SIDE) as f64 / 63.0).collect();
        let flat = vec![0.3; 3 * PIXELS];
        let [n, r, f] = [&noise, &ramp, &flat].map(|p| code_length(p));
        assert!(n > 30.0 * r && r > 2.0 * f && f > 0.0, "{n} {r} {f}");
    }
}
