//! Reference perturbations of the base itself: what the description length and the colours of
//! *this* picture do under a clean change (a smooth warp) and a dirty one (a smear or an
//! inversion in soft patches) of the same RMSE. They give `dl` and `cond` a scale that fits the
//! picture, so that one threshold serves every target (METHODS §6.4). \[ours\]
//!
//! The fields are fixed sums of six cosines; no randomness, the same for every base.

use super::canonical::{PIXELS, SIDE, rms};
use crate::math::real;
use std::f64::consts::{PI, TAU};
use std::sync::LazyLock;

/// RMSEs at which references are made; between them the readings are interpolated, beyond them
/// held.
pub const GRID: [f64; 7] = [0.06, 0.10, 0.14, 0.18, 0.22, 0.26, 0.30];
const STEP: f64 = 0.04;

/// Scales of the dirty fields, in waves a picture.
const DIRTY: [f64; 6] = [2.0, 3.5, 5.0, 3.0, 7.0, 4.5];

/// The grid interval of `rmse`: (lower node, weight of the upper node in [0, 1]).
pub fn place(rmse: f64) -> (usize, f64) {
    let e = rmse.clamp(GRID[0], GRID[GRID.len() - 1]);
    let lower = (((e - GRID[0]) / STEP) as usize).min(GRID.len() - 2);
    (lower, (e - GRID[lower]) / (GRID[lower + 1] - GRID[lower]))
}

/// A smooth field over the picture, (N²,), of about unit variance: six plane waves of frequencies
/// 0.6–1.4 × `frequency`, their angles, phases and frequencies from three low-discrepancy
/// sequences (the golden ratio, and the plastic number's, Roberts 2018) started at 6·`number`.
fn field(number: usize, frequency: f64) -> Vec<f64> {
    let line: Vec<f64> = (0..SIDE).map(|i| -1.0 + 2.0 * i as f64 / (SIDE - 1) as f64).collect();
    let mut out = vec![0.0; PIXELS];
    for j in 0..6 {
        let i = (6 * number + j + 1) as f64;
        let angle = TAU * (i * 0.618_033_988_749_894_9).fract();
        let phase = TAU * (i * 0.754_877_666_246_692_7).fract();
        let wave = frequency * (0.6 + 0.8 * (i * 0.569_840_290_998_053_2).fract());
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

/// The fields of all references, made once a process.
struct Fields {
    /// (rows moved, columns moved) of each clean reference, at amount 1: pixels.
    clean: [(Vec<f64>, Vec<f64>); 4],
    /// Strength of each dirty reference at amount 1.
    dirty: [Vec<f64>; 6],
}

static FIELDS: LazyLock<Fields> = LazyLock::new(|| {
    let pixels = SIDE as f64 / 32.0;
    let moved =
        |number: usize| -> Vec<f64> { field(number, 1.0).iter().map(|v| v * pixels).collect() };
    Fields {
        clean: std::array::from_fn(|k| (moved(2 * k), moved(2 * k + 1))),
        dirty: std::array::from_fn(|k| {
            let patches = field(40 + k, 1.2);
            field(20 + k, DIRTY[k])
                .iter()
                .zip(patches)
                .map(|(v, patch)| v * (0.5 + patch).clamp(0.0, 1.0))
                .collect()
        }),
    }
});

/// What a reference stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A smooth warp: the parts moved.
    Clean,
    /// A smear (odd) or a soft-edged inversion (even).
    Dirty,
}

/// Calls `see` with each clean reference of `base`, (3, N²), at this RMSE: four smooth warps. One that
/// cannot reach the RMSE is taken as far as it goes.
pub fn clean(base: &[f64], rmse: f64, mut see: impl FnMut(&[f64])) {
    let mut out = vec![0.0; base.len()];
    for (down, right) in &FIELDS.clean {
        solve(base, rmse, &mut out, |amount, out| {
            warp(base, down, right, amount, out);
        });
        see(&out);
    }
}

/// Calls `see` with each reference of `base`, (3, N²), at this RMSE: four clean ones, then six
/// dirty ones. A reference that cannot reach the RMSE is taken as far as it goes.
pub fn references(base: &[f64], rmse: f64, mut see: impl FnMut(&[f64], Kind)) {
    clean(base, rmse, |rgb| see(rgb, Kind::Clean));
    let mut out = vec![0.0; base.len()];
    for (k, strength) in FIELDS.dirty.iter().enumerate() {
        solve(base, rmse, &mut out, |amount, out| {
            let pairs = base.chunks_exact(PIXELS).zip(out.chunks_exact_mut(PIXELS));
            for (base, out) in pairs {
                for ((out, &b), &z) in out.iter_mut().zip(base).zip(strength) {
                    *out = if k % 2 == 1 {
                        (b + amount * 0.3 * z).clamp(0.0, 1.0)
                    } else {
                        let t = (amount * 0.5 * z.abs()).clamp(0.0, 1.0);
                        b * (1.0 - t) + (1.0 - b) * t
                    };
                }
            }
        });
        see(&out, Kind::Dirty);
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
        let mut kinds = Vec::new();
        references(&base, 0.14, |picture, kind| {
            let found = rms(picture, &base);
            assert!((found - 0.14).abs() < 0.01, "{kind:?} {found}");
            kinds.push(kind);
        });
        assert_eq!(kinds, [[Kind::Clean; 4].as_slice(), &[Kind::Dirty; 6]].concat());
    }

    #[test]
    fn a_picture_of_one_colour_has_references_too() {
        let base = vec![0.5; 3 * PIXELS];
        references(&base, 0.3, |picture, _| assert!(picture.iter().all(|v| v.is_finite())));
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
