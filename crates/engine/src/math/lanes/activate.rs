//! Activations on [`Lanes`]: value and slope from one pass.
//!
//! Polynomials are our own minimax fits (Remez, weighted by relative error) \[ours\]; arguments are
//! reduced by Cody and Waite's splitting of the constant (*Software Manual for the Elementary
//! Functions*, 1980), exact to the last bit thanks to the fused multiply-add.
//!
//! Accuracy, held by tests against f64: values within 3 ulp, or 1.5e-7 absolute near a zero that is
//! not at z = 0, for |z| ≤ 1e4; slopes within 3e-7 absolute. NaN stays NaN. Odd functions are odd
//! to the bit. sin and cos treat |z| beyond 1e6 as 1e6 with z's sign: bounded, never wild.

use super::vector::{Lanes, MAGIC};
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
    let magic = z.fma(L::splat(std::f32::consts::FRAC_1_PI), L::splat(-shift)).add(L::splat(MAGIC));
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
pub(crate) fn value_and_slope<L: Lanes>(activation: Activation, z: L) -> (L, L) {
    match activation {
        Activation::Abs => (z.abs(), z.gt(L::splat(0.0), L::splat(1.0), L::splat(-1.0))),
        Activation::Cache | Activation::Identity => (z, L::splat(1.0)),
        Activation::Cos => {
            let (s, c) = sin_cos(z, 0.5);
            let minus = L::splat(-1.0);
            (s.mul(minus), c.mul(minus))
        }
        Activation::Gaussian => {
            let e = exp2_of_negative(z.mul(z).mul(L::splat(-std::f32::consts::LOG2_E)));
            (e.fma(L::splat(2.0), L::splat(-1.0)), z.mul(e).mul(L::splat(-4.0)))
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
        Activation::Square => (z.mul(z), z.add(z)),
        Activation::Tanh => {
            let a = tanh_of_half(z.add(z));
            (a, a.mul(L::splat(-1.0)).fma(a, L::splat(1.0)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::lanes::{Block, Isa, LANES, per_isa};

    per_isa! {
        fn run(activation: Activation, z: &Block, a: &mut Block, d: &mut Block) = run_on
    }

    #[inline(always)]
    fn run_on<L: Lanes>(activation: Activation, z: &Block, a: &mut Block, d: &mut Block) {
        let (value, slope) = value_and_slope(activation, L::load(z));
        value.store(a);
        slope.store(d);
    }

    /// (f(z), f′(z)) on every instruction set this CPU has, which must agree to the bit.
    fn at(activation: Activation, z: [f32; LANES]) -> ([f32; LANES], [f32; LANES]) {
        let on = |isa: Isa| {
            let (mut a, mut d) = (Block::default(), Block::default());
            run(isa, activation, &Block(z), &mut a, &mut d);
            (a.0, d.0)
        };
        let sets = Isa::available();
        let first = on(sets[0]);
        for &isa in &sets[1..] {
            let other = on(isa);
            for i in 0..LANES {
                let same =
                    |x: f32, y: f32| x.to_bits() == y.to_bits() || (x.is_nan() && y.is_nan());
                assert!(
                    same(first.0[i], other.0[i]) && same(first.1[i], other.1[i]),
                    "{activation}({:e}): {} differs from {}",
                    z[i],
                    isa.name(),
                    sets[0].name()
                );
            }
        }
        first
    }

    fn ulp(x: f64) -> f64 {
        let x = (x.abs() as f32).max(f32::MIN_POSITIVE);
        f64::from(f32::from_bits(x.to_bits() + 1) - x)
    }

    #[test]
    fn values_and_slopes_are_those_of_the_reference() {
        for &activation in Activation::ALL {
            let (mut worst_value, mut worst_slope) = (0.0f64, 0.0f64);
            // Dense near 0, then by factors up to 1e4, both signs.
            for k in 0..12_000u32 {
                let z: [f32; LANES] = std::array::from_fn(|i| {
                    let t = (k * LANES as u32 + i as u32) as f32 / 192_000.0;
                    let size = if k % 2 == 0 {
                        t * 12.0
                    } else {
                        1e-6 * crate::base::real::pow(1e10, f64::from(t)) as f32
                    };
                    if i % 2 == 0 { size } else { -size }
                });
                let (a, d) = at(activation, z);
                for i in 0..LANES {
                    let exact = activation.value(f64::from(z[i]));
                    let error = (f64::from(a[i]) - exact).abs();
                    let allowed =
                        (3.0 * ulp(exact)).max(if z[i].abs() > 1.0 { 1.5e-7 } else { 0.0 });
                    let allowed = match activation {
                        // Their zeros off 0 lie within |z| < 1 too.
                        Activation::Gaussian | Activation::Cos => allowed.max(1.5e-7),
                        _ => allowed,
                    };
                    assert!(
                        error <= allowed,
                        "{activation}({:e}) = {:e}, exactly {exact:e}",
                        z[i],
                        a[i]
                    );
                    worst_value = worst_value.max(error);
                    let exact = activation.derivative(f64::from(z[i]));
                    let error = (f64::from(d[i]) - exact).abs();
                    assert!(
                        error <= 3e-7,
                        "{activation}'({:e}) = {:e}, exactly {exact:e}",
                        z[i],
                        d[i]
                    );
                    worst_slope = worst_slope.max(error);
                }
            }
            println!("{activation}: value {worst_value:.1e}, slope {worst_slope:.1e}");
        }
    }

    #[test]
    fn no_number_stays_no_number_and_large_sums_stay_bounded() {
        let mut z = [0.0; LANES];
        z[..6].copy_from_slice(&[f32::NAN, 1e30, -1e30, f32::INFINITY, f32::NEG_INFINITY, 2e6]);
        for &activation in Activation::ALL {
            let (a, _) = at(activation, z);
            assert!(a[0].is_nan(), "{activation}(NaN) = {}", a[0]);
            if activation.is_bounded() {
                for i in 1..6 {
                    assert!(a[i].abs() <= 1.0, "{activation}({:e}) = {}", z[i], a[i]);
                }
            }
        }
    }

    #[test]
    fn odd_functions_are_odd_to_the_bit() {
        for activation in [Activation::Sin, Activation::Tanh, Activation::Sigmoid] {
            for k in 0..2000u16 {
                let z: [f32; LANES] =
                    std::array::from_fn(|i| f32::from(k) * 0.37 + i as f32 * 0.013);
                let (a, _) = at(activation, z);
                let (b, _) = at(activation, z.map(|z| -z));
                assert_eq!(a, b.map(|b| -b), "{activation}");
            }
        }
    }

    #[test]
    fn sums_over_lanes_follow_one_tree_on_every_path() {
        per_isa! {
            fn reduce(v: &[Block; LANES], out: &mut Block) = reduce_on
        }
        #[inline(always)]
        fn reduce_on<L: Lanes>(v: &[Block; LANES], out: &mut Block) {
            let mut vectors = [L::splat(0.0); LANES];
            for (vector, block) in vectors.iter_mut().zip(v) {
                *vector = L::load(block);
            }
            L::reduce(&vectors).store(out);
        }
        let v: [Block; LANES] = std::array::from_fn(|j| {
            Block(std::array::from_fn(|i| {
                (1.0 + (i * 37 + j * 11) as f32 * 0.1).recip()
                    * if (i + j) % 3 == 0 { -1.0 } else { 1.0 }
            }))
        });
        for isa in Isa::available() {
            let mut out = Block::default();
            reduce(isa, &v, &mut out);
            for j in 0..LANES {
                let expected = crate::math::lanes::vector::sum(&v[j].0);
                assert_eq!(out.0[j].to_bits(), expected.to_bits(), "{} lane {j}", isa.name());
            }
        }
    }
}
