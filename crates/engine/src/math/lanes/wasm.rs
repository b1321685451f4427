//! [`Lanes`] on WebAssembly's 128-bit vectors.
//!
//! With `relaxed-simd` a multiply-add rounds as the processor does it: once where it fuses, which gives the bits of
//! every other path, else twice. Without the feature it always rounds twice.
// SAFETY of the whole file: the module is only compiled where the target has the features. Loads and stores go
// through `&Block`, which is valid.

use super::vector::{Block, LANES, Lanes};
use std::arch::wasm32::*;

/// Four 128-bit registers: lanes 0–3, 4–7, 8–11, 12–15.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(super) struct V128([v128; 4]);

/// a · b + c of four lanes.
#[inline(always)]
fn madd(a: v128, b: v128, c: v128) -> v128 {
    #[cfg(target_feature = "relaxed-simd")]
    return f32x4_relaxed_madd(a, b, c);
    #[cfg(not(target_feature = "relaxed-simd"))]
    return f32x4_add(f32x4_mul(a, b), c);
}

impl V128 {
    #[inline(always)]
    fn map(self, f: impl Fn(v128) -> v128) -> Self {
        let [a, b, c, d] = self.0;
        V128([f(a), f(b), f(c), f(d)])
    }

    #[inline(always)]
    fn zip(self, with: Self, f: impl Fn(v128, v128) -> v128) -> Self {
        let ([a, b, c, d], [p, q, r, s]) = (self.0, with.0);
        V128([f(a, p), f(b, q), f(c, r), f(d, s)])
    }
}

impl Lanes for V128 {
    const HELD: usize = 4;
    type Register = v128;
    #[inline(always)]
    fn fma_register(y: v128, x: v128, sum: v128) -> v128 {
        madd(y, x, sum)
    }
    #[inline(always)]
    fn splat(value: f32) -> Self {
        // `[v; 4]` would be a loop over memory in what is built for size.
        let v = f32x4_splat(value);
        V128([v, v, v, v])
    }
    #[inline(always)]
    fn load(block: &Block) -> Self {
        let p: *const v128 = block.0.as_ptr().cast();
        unsafe {
            V128([v128_load(p), v128_load(p.add(1)), v128_load(p.add(2)), v128_load(p.add(3))])
        }
    }
    #[inline(always)]
    fn store(self, block: &mut Block) {
        let p: *mut v128 = block.0.as_mut_ptr().cast();
        unsafe {
            v128_store(p, self.0[0]);
            v128_store(p.add(1), self.0[1]);
            v128_store(p.add(2), self.0[2]);
            v128_store(p.add(3), self.0[3]);
        }
    }
    #[inline(always)]
    fn add(self, b: Self) -> Self {
        self.zip(b, |a, b| f32x4_add(a, b))
    }
    #[inline(always)]
    fn sub(self, b: Self) -> Self {
        self.zip(b, |a, b| f32x4_sub(a, b))
    }
    #[inline(always)]
    fn mul(self, b: Self) -> Self {
        self.zip(b, |a, b| f32x4_mul(a, b))
    }
    #[inline(always)]
    fn div(self, b: Self) -> Self {
        self.zip(b, |a, b| f32x4_div(a, b))
    }
    #[inline(always)]
    fn fma(self, b: Self, c: Self) -> Self {
        let ([p, q, r, s], [t, u, v, w], [x, y, z, last]) = (self.0, b.0, c.0);
        V128([madd(p, t, x), madd(q, u, y), madd(r, v, z), madd(s, w, last)])
    }
    #[inline(always)]
    fn max(self, b: Self) -> Self {
        // The second unless the first is less: with a NaN, `b`.
        b.zip(self, |b, a| f32x4_pmax(b, a))
    }
    #[inline(always)]
    fn min(self, b: Self) -> Self {
        b.zip(self, |b, a| f32x4_pmin(b, a))
    }
    #[inline(always)]
    fn abs(self) -> Self {
        self.map(|a| f32x4_abs(a))
    }
    #[inline(always)]
    fn copysign(self, sign: Self) -> Self {
        self.zip(sign, |a, sign| v128_bitselect(sign, a, i32x4_splat(i32::MIN)))
    }
    #[inline(always)]
    fn floor(self) -> Self {
        self.map(|a| f32x4_floor(a))
    }
    #[inline(always)]
    fn gt(self, b: Self, yes: Self, no: Self) -> Self {
        let greater = self.zip(b, |a, b| f32x4_gt(a, b));
        let ([p, q, r, s], [t, u, v, w], [i, j, k, l]) = (yes.0, no.0, greater.0);
        V128([
            v128_bitselect(p, t, i),
            v128_bitselect(q, u, j),
            v128_bitselect(r, v, k),
            v128_bitselect(s, w, l),
        ])
    }
    #[inline(always)]
    fn scale_exponent(self, magic: Self) -> Self {
        self.zip(magic, |a, n| i32x4_add(a, i32x4_shl(n, 23)))
    }
    #[inline(always)]
    fn flip_sign(self, magic: Self) -> Self {
        self.zip(magic, |a, n| v128_xor(a, i32x4_shl(n, 31)))
    }
    #[inline(always)]
    fn reduce(vectors: &[Self; LANES]) -> Self {
        // Fold by 8 and by 4 within each vector, then a transposing tree over four of them.
        #[inline(always)]
        fn fold4(v: V128) -> v128 {
            f32x4_add(f32x4_add(v.0[0], v.0[2]), f32x4_add(v.0[1], v.0[3]))
        }
        #[inline(always)]
        fn fold2(a: v128, b: v128) -> v128 {
            f32x4_add(i32x4_shuffle::<0, 1, 4, 5>(a, b), i32x4_shuffle::<2, 3, 6, 7>(a, b))
        }
        #[inline(always)]
        fn four(v: &[V128]) -> v128 {
            let x = fold2(fold4(v[0]), fold4(v[1]));
            let y = fold2(fold4(v[2]), fold4(v[3]));
            f32x4_add(i32x4_shuffle::<0, 2, 4, 6>(x, y), i32x4_shuffle::<1, 3, 5, 7>(x, y))
        }
        let v = vectors;
        V128([four(&v[..4]), four(&v[4..8]), four(&v[8..12]), four(&v[12..])])
    }
}
