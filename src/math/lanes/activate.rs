//! Activations on [`Lanes`]: value and slope from one pass.
//!
//! Polynomials are our own minimax fits (Remez, weighted by relative error) [ours]; arguments are
//! reduced by Cody and Waite's splitting of the constant (*Software Manual for the Elementary
//! Functions*, 1980), exact to the last bit thanks to the fused multiply-add.
//!
//! Accuracy, held by tests against f64: values within 3 ulp, or 1.5e-7 absolute near a zero that is
//! not at z = 0, for |z| ≤ 1e4; slopes within 3e-7 absolute. NaN stays NaN. Odd functions are odd
//! to the bit. sin and cos treat |z| beyond 1e6 as 1e6 with z's sign: bounded, never wild.

use super::{Lanes, MAGIC};
use crate::math::Activation;

/// 2ˣ for x ≤ 0; below −126 it stays at 2⁻¹²⁶.
#[inline(always)]
fn exp2_of_negative<L: Lanes>(x: L) -> L {
    let x = L::splat(-126.0).max(x);
    let magic = x.add(L::splat(MAGIC));
    let f = x.sub(magic.sub(L::splat(MAGIC)));
    let p = L::splat(0.000_154_763_02);
    let p = p.fma(f, L::splat(0.001_340_027));
    let p = p.fma(f, L::splat(0.009_618_004));
    let p = p.fma(f, L::splat(0.055_503_28));
    let p = p.fma(f, L::splat(0.240_226_5));
    let p = p.fma(f, L::splat(std::f32::consts::LN_2));
    let p = p.fma(f, L::splat(1.0));
    p.scale_exponent(magic)
}

/// eˣ − 1 for 0 ≤ x; above 40 it stays at e⁴⁰ − 1.
#[inline(always)]
fn expm1_of_positive<L: Lanes>(x: L) -> L {
    let x = L::splat(40.0).min(x);
    let magic = x.fma(L::splat(std::f32::consts::LOG2_E), L::splat(MAGIC));
    let n = magic.sub(L::splat(MAGIC));
    let r = n.fma(L::splat(-std::f32::consts::LN_2), x);
    let r = n.fma(L::splat(1.904_654_2e-9), r);
    let p = L::splat(0.001_394_643_9);
    let p = p.fma(r, L::splat(0.008_366_577));
    let p = p.fma(r, L::splat(0.041_666_28));
    let p = p.fma(r, L::splat(0.166_665_43));
    let p = p.fma(r, L::splat(0.5));
    let p = p.mul(r).fma(r, r);
    // 2ⁿ (1 + p) − 1
    let power = L::splat(1.0).scale_exponent(magic);
    power.fma(p, power.sub(L::splat(1.0)))
}

/// tanh(x / 2), odd to the bit.
#[inline(always)]
fn tanh_of_half<L: Lanes>(x: L) -> L {
    let e = expm1_of_positive(x.abs());
    e.div(e.add(L::splat(2.0))).copysign(x)
}

/// (sin r, cos r) (−1)ⁿ where z = r + (n + shift) π, |r| ≤ π/2; `shift` is 0 or 1/2.
#[inline(always)]
fn sin_cos<L: Lanes>(z: L, shift: f32) -> (L, L) {
    let limit = L::splat(1e6);
    let z = limit.min(L::splat(-1e6).max(z));
    let magic = z
        .fma(L::splat(std::f32::consts::FRAC_1_PI), L::splat(-shift))
        .add(L::splat(MAGIC));
    let n = magic.sub(L::splat(MAGIC)).add(L::splat(shift));
    let r = n.fma(L::splat(-std::f32::consts::PI), z);
    let r = n.fma(L::splat(8.742_278e-8), r);
    let r = n.fma(L::splat(3.430_249e-15), r);
    let t = r.mul(r);
    let s = L::splat(2.608_861_2e-6);
    let s = s.fma(t, L::splat(-0.000_198_110_84));
    let s = s.fma(t, L::splat(0.008_333_088));
    let s = s.fma(t, L::splat(-0.166_666_6));
    let s = s.mul(t).fma(r, r);
    let c = L::splat(-2.607_638_4e-7);
    let c = c.fma(t, L::splat(2.476_184_6e-5));
    let c = c.fma(t, L::splat(-0.001_388_840_3));
    let c = c.fma(t, L::splat(0.041_666_64));
    let c = c.fma(t, L::splat(-0.5));
    let c = c.fma(t, L::splat(1.0));
    (s.flip_sign(magic), c.flip_sign(magic))
}

/// (f(z), f′(z)) of sixteen sums. The slope of a linear activation is 1.
#[inline(always)]
pub fn value_and_slope<L: Lanes>(activation: Activation, z: L) -> (L, L) {
    match activation {
        Activation::Cache | Activation::Identity => (z, L::splat(1.0)),
        Activation::Cos => {
            let (s, c) = sin_cos(z, 0.5);
            let minus = L::splat(-1.0);
            (s.mul(minus), c.mul(minus))
        }
        Activation::Gaussian => {
            let e = exp2_of_negative(z.mul(z).mul(L::splat(-std::f32::consts::LOG2_E)));
            (
                e.fma(L::splat(2.0), L::splat(-1.0)),
                z.mul(e).mul(L::splat(-4.0)),
            )
        }
        Activation::Relu => {
            let zero = L::splat(0.0);
            (zero.max(z), z.gt(zero, L::splat(1.0), zero))
        }
        Activation::Sigmoid => {
            let a = tanh_of_half(z);
            let half = L::splat(0.5);
            (a, a.mul(L::splat(-0.5)).fma(a, half))
        }
        Activation::Sin => sin_cos(z, 0.0),
        Activation::Tanh => {
            let a = tanh_of_half(z.add(z));
            (a, a.mul(L::splat(-1.0)).fma(a, L::splat(1.0)))
        }
    }
}
