//! Clean reference changes of the base itself: what smooth warps of *this* picture do to the measures at an RMSE. They
//! give the judge a scale that fits the picture. \[ours\]
//!
//! The warps are fixed sums of six cosines; no randomness, the same for every base.

use super::canonical::{PIXELS, SIDE, rms};
use crate::base::real;
use std::f64::consts::{PI, TAU};
use std::sync::LazyLock;

/// RMSEs at which references are made; between them the readings are interpolated, beyond them
/// held.
pub(super) const GRID: [f64; 7] = [0.06, 0.10, 0.14, 0.18, 0.22, 0.26, 0.30];
const STEP: f64 = 0.04;

/// The grid interval of `rmse`: (lower node, weight of the upper node in [0, 1]).
pub(super) fn place(rmse: f64) -> (usize, f64) {
    let e = rmse.clamp(GRID[0], GRID[GRID.len() - 1]);
    let lower = (((e - GRID[0]) / STEP) as usize).min(GRID.len() - 2);
    (lower, (e - GRID[lower]) / (GRID[lower + 1] - GRID[lower]))
}

/// A smooth field over the picture, (N²,), of about unit variance: six plane waves of frequencies
/// 0.6–1.4, their angles, phases and frequencies from three low-discrepancy
/// sequences (the golden ratio, and the plastic number's, Roberts 2018) started at 6·`number`.
fn field(number: usize) -> Vec<f64> {
    let line: Vec<f64> = (0..SIDE).map(|i| -1.0 + 2.0 * i as f64 / (SIDE - 1) as f64).collect();
    let mut out = vec![0.0; PIXELS];
    for j in 0..6 {
        let i = (6 * number + j + 1) as f64;
        let angle = TAU * (i * 0.618_033_988_749_894_9).fract();
        let phase = TAU * (i * 0.754_877_666_246_692_7).fract();
        let wave = 0.6 + 0.8 * (i * 0.569_840_290_998_053_2).fract();
        let (cos, sin) = (real::cos(angle), real::sin(angle));
        for (k, out) in out.iter_mut().enumerate() {
            let along = cos * line[k % SIDE] + sin * line[k / SIDE];
            *out += real::cos(PI * wave * along + phase);
        }
    }
    let scale = 3.0f64.sqrt();
    out.iter_mut().for_each(|v| *v /= scale);
    out
}

/// (rows moved, columns moved) of each warp at amount 1, in pixels. Made once a process.
static WARPS: LazyLock<[(Vec<f64>, Vec<f64>); 4]> = LazyLock::new(|| {
    let pixels = SIDE as f64 / 32.0;
    let moved = |number| -> Vec<f64> { field(number).iter().map(|v| v * pixels).collect() };
    std::array::from_fn(|k| (moved(2 * k), moved(2 * k + 1)))
});

/// Calls `see` with each clean reference of `base`, (3, N²), at this RMSE: four smooth warps. One that
/// cannot reach the RMSE is taken as far as it goes.
pub(super) fn clean(base: &[f64], rmse: f64, mut see: impl FnMut(&[f64])) {
    let mut out = vec![0.0; base.len()];
    for (down, right) in &*WARPS {
        solve(base, rmse, &mut out, |amount, out| {
            warp(base, down, right, amount, out);
        });
        see(&out);
    }
}

/// Leaves in `out` the picture of the least amount found with RMS ≥ `rmse`: growing by 1.7 up to
/// eight times, then nine halvings.
fn solve(base: &[f64], rmse: f64, out: &mut [f64], draw: impl Fn(f64, &mut [f64])) {
    let mut reaches = |amount: f64| {
        draw(amount, out);
        rms(out, base) >= rmse
    };
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..8 {
        if reaches(high) {
            break;
        }
        high *= 1.7;
    }
    for _ in 0..9 {
        let middle = (low + high) / 2.0;
        if reaches(middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    draw(high, out);
}

/// Each pixel takes the colour found `amount`·(down, right) away, bilinear, edges held.
fn warp(base: &[f64], down: &[f64], right: &[f64], amount: f64, out: &mut [f64]) {
    let last = (SIDE - 1) as f64;
    for i in 0..PIXELS {
        let y = ((i / SIDE) as f64 + amount * down[i]).clamp(0.0, last);
        let x = ((i % SIDE) as f64 + amount * right[i]).clamp(0.0, last);
        let (y0, x0) = ((y as usize).min(SIDE - 2), (x as usize).min(SIDE - 2));
        let (fy, fx) = (y - y0 as f64, x - x0 as f64);
        let corner = y0 * SIDE + x0;
        for plane in 0..3 {
            let at = |offset: usize| base[plane * PIXELS + corner + offset];
            out[plane * PIXELS + i] = at(0) * (1.0 - fy) * (1.0 - fx)
                + at(1) * (1.0 - fy) * fx
                + at(SIDE) * fy * (1.0 - fx)
                + at(SIDE + 1) * fy * fx;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_have_the_rmse_that_was_asked_for() {
        let base: Vec<f64> = (0..3 * PIXELS)
            .map(|i| {
                let (dy, dx) = ((i % PIXELS / SIDE) as f64 - 30.0, (i % SIDE) as f64 - 34.0);
                if dy * dy + dx * dx < 300.0 { 0.9 } else { 0.15 }
            })
            .collect();
        let mut count = 0;
        clean(&base, 0.14, |picture| {
            let found = rms(picture, &base);
            assert!((found - 0.14).abs() < 0.01, "{found}");
            count += 1;
        });
        assert_eq!(count, 4);
    }

    #[test]
    fn a_picture_of_one_colour_has_references_too() {
        let base = vec![0.5; 3 * PIXELS];
        clean(&base, 0.3, |picture| assert!(picture.iter().all(|v| v.is_finite())));
    }

    #[test]
    fn places_on_the_grid() {
        assert_eq!(place(0.0), (0, 0.0));
        assert_eq!(place(9.0).0, 5);
        assert!((place(9.0).1 - 1.0).abs() < 1e-12);
        let (lower, share) = place(0.15);
        assert!(lower == 2 && (share - 0.25).abs() < 1e-9);
    }
}
