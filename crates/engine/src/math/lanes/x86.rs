//! [`Lanes`] on AVX-512 and on AVX2 with fused multiply-add.
// SAFETY of the whole file: see `super`. Loads and stores go through `&Block`, which is valid and
// aligned to 64 bytes.

use super::vector::{Block, LANES, Lanes};
use std::arch::x86_64::*;

/// One 512-bit register.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(super) struct V512(__m512);

impl Lanes for V512 {
    const HELD: usize = 32;
    type Register = __m512;
    #[inline(always)]
    fn fma_register(y: __m512, x: __m512, sum: __m512) -> __m512 {
        unsafe { _mm512_fmadd_ps(y, x, sum) }
    }
    #[inline(always)]
    fn splat(value: f32) -> Self {
        unsafe { V512(_mm512_set1_ps(value)) }
    }
    #[inline(always)]
    fn load(block: &Block) -> Self {
        unsafe { V512(_mm512_load_ps(block.0.as_ptr())) }
    }
    #[inline(always)]
    fn store(self, block: &mut Block) {
        unsafe { _mm512_store_ps(block.0.as_mut_ptr(), self.0) }
    }
    #[inline(always)]
    fn add(self, b: Self) -> Self {
        unsafe { V512(_mm512_add_ps(self.0, b.0)) }
    }
    #[inline(always)]
    fn sub(self, b: Self) -> Self {
        unsafe { V512(_mm512_sub_ps(self.0, b.0)) }
    }
    #[inline(always)]
    fn mul(self, b: Self) -> Self {
        unsafe { V512(_mm512_mul_ps(self.0, b.0)) }
    }
    #[inline(always)]
    fn div(self, b: Self) -> Self {
        unsafe { V512(_mm512_div_ps(self.0, b.0)) }
    }
    #[inline(always)]
    fn fma(self, b: Self, c: Self) -> Self {
        unsafe { V512(_mm512_fmadd_ps(self.0, b.0, c.0)) }
    }
    #[inline(always)]
    fn max(self, b: Self) -> Self {
        unsafe { V512(_mm512_max_ps(self.0, b.0)) }
    }
    #[inline(always)]
    fn min(self, b: Self) -> Self {
        unsafe { V512(_mm512_min_ps(self.0, b.0)) }
    }
    #[inline(always)]
    fn abs(self) -> Self {
        unsafe { V512(_mm512_abs_ps(self.0)) }
    }
    #[inline(always)]
    fn copysign(self, sign: Self) -> Self {
        unsafe {
            let mask = _mm512_set1_epi32(i32::MIN);
            // Bit select: mask ? sign : self.
            V512(_mm512_castsi512_ps(_mm512_ternarylogic_epi32::<0xCA>(
                mask,
                _mm512_castps_si512(sign.0),
                _mm512_castps_si512(self.0),
            )))
        }
    }
    #[inline(always)]
    fn floor(self) -> Self {
        unsafe { V512(_mm512_roundscale_ps::<0x09>(self.0)) }
    }
    #[inline(always)]
    fn gt(self, b: Self, yes: Self, no: Self) -> Self {
        unsafe {
            let mask = _mm512_cmp_ps_mask::<_CMP_GT_OQ>(self.0, b.0);
            V512(_mm512_mask_blend_ps(mask, no.0, yes.0))
        }
    }
    #[inline(always)]
    fn scale_exponent(self, magic: Self) -> Self {
        unsafe {
            let n = _mm512_slli_epi32::<23>(_mm512_castps_si512(magic.0));
            V512(_mm512_castsi512_ps(_mm512_add_epi32(_mm512_castps_si512(self.0), n)))
        }
    }
    #[inline(always)]
    fn flip_sign(self, magic: Self) -> Self {
        unsafe {
            let n = _mm512_slli_epi32::<31>(_mm512_castps_si512(magic.0));
            V512(_mm512_castsi512_ps(_mm512_xor_si512(_mm512_castps_si512(self.0), n)))
        }
    }
    #[inline(always)]
    fn reduce(vectors: &[Self; LANES]) -> Self {
        // A transposing tree: each step folds two vectors into one. Position q + 4s of the first
        // row ends in lane 4q + s.
        #[inline(always)]
        fn fold8(a: __m512, b: __m512) -> __m512 {
            unsafe {
                _mm512_add_ps(
                    _mm512_shuffle_f32x4::<0x44>(a, b),
                    _mm512_shuffle_f32x4::<0xEE>(a, b),
                )
            }
        }
        #[inline(always)]
        fn fold4(a: __m512, b: __m512) -> __m512 {
            unsafe {
                _mm512_add_ps(
                    _mm512_shuffle_f32x4::<0x88>(a, b),
                    _mm512_shuffle_f32x4::<0xDD>(a, b),
                )
            }
        }
        #[inline(always)]
        fn fold2(a: __m512, b: __m512) -> __m512 {
            unsafe {
                _mm512_add_ps(_mm512_shuffle_ps::<0x44>(a, b), _mm512_shuffle_ps::<0xEE>(a, b))
            }
        }
        #[inline(always)]
        fn fold1(a: __m512, b: __m512) -> __m512 {
            unsafe {
                _mm512_add_ps(_mm512_shuffle_ps::<0x88>(a, b), _mm512_shuffle_ps::<0xDD>(a, b))
            }
        }
        #[inline(always)]
        fn four(v: &[V512; LANES], s: usize) -> __m512 {
            fold4(fold8(v[s].0, v[4 + s].0), fold8(v[8 + s].0, v[12 + s].0))
        }
        V512(fold1(
            fold2(four(vectors, 0), four(vectors, 1)),
            fold2(four(vectors, 2), four(vectors, 3)),
        ))
    }
}

/// Two 256-bit registers: lanes 0–7 and 8–15.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(super) struct V256(__m256, __m256);

macro_rules! both {
    ($op:ident, $($v:ident),+) => { unsafe { V256($op($($v.0),+), $op($($v.1),+)) } };
}

impl Lanes for V256 {
    const HELD: usize = 8;
    type Register = __m256;
    #[inline(always)]
    fn fma_register(y: __m256, x: __m256, sum: __m256) -> __m256 {
        unsafe { _mm256_fmadd_ps(y, x, sum) }
    }
    #[inline(always)]
    fn splat(value: f32) -> Self {
        unsafe {
            let v = _mm256_set1_ps(value);
            V256(v, v)
        }
    }
    #[inline(always)]
    fn load(block: &Block) -> Self {
        let p = block.0.as_ptr();
        unsafe { V256(_mm256_load_ps(p), _mm256_load_ps(p.add(8))) }
    }
    #[inline(always)]
    fn store(self, block: &mut Block) {
        let p = block.0.as_mut_ptr();
        unsafe {
            _mm256_store_ps(p, self.0);
            _mm256_store_ps(p.add(8), self.1);
        }
    }
    #[inline(always)]
    fn add(self, b: Self) -> Self {
        both!(_mm256_add_ps, self, b)
    }
    #[inline(always)]
    fn sub(self, b: Self) -> Self {
        both!(_mm256_sub_ps, self, b)
    }
    #[inline(always)]
    fn mul(self, b: Self) -> Self {
        both!(_mm256_mul_ps, self, b)
    }
    #[inline(always)]
    fn div(self, b: Self) -> Self {
        both!(_mm256_div_ps, self, b)
    }
    #[inline(always)]
    fn fma(self, b: Self, c: Self) -> Self {
        both!(_mm256_fmadd_ps, self, b, c)
    }
    #[inline(always)]
    fn max(self, b: Self) -> Self {
        both!(_mm256_max_ps, self, b)
    }
    #[inline(always)]
    fn min(self, b: Self) -> Self {
        both!(_mm256_min_ps, self, b)
    }
    #[inline(always)]
    fn abs(self) -> Self {
        let sign = Self::splat(-0.0);
        both!(_mm256_andnot_ps, sign, self)
    }
    #[inline(always)]
    fn copysign(self, sign: Self) -> Self {
        let mask = Self::splat(-0.0);
        let sign = both!(_mm256_and_ps, mask, sign);
        let size = both!(_mm256_andnot_ps, mask, self);
        both!(_mm256_or_ps, sign, size)
    }
    #[inline(always)]
    fn floor(self) -> Self {
        both!(_mm256_floor_ps, self)
    }
    #[inline(always)]
    fn gt(self, b: Self, yes: Self, no: Self) -> Self {
        unsafe {
            V256(
                _mm256_blendv_ps(no.0, yes.0, _mm256_cmp_ps::<_CMP_GT_OQ>(self.0, b.0)),
                _mm256_blendv_ps(no.1, yes.1, _mm256_cmp_ps::<_CMP_GT_OQ>(self.1, b.1)),
            )
        }
    }
    #[inline(always)]
    fn scale_exponent(self, magic: Self) -> Self {
        #[inline(always)]
        fn one(v: __m256, magic: __m256) -> __m256 {
            unsafe {
                let n = _mm256_slli_epi32::<23>(_mm256_castps_si256(magic));
                _mm256_castsi256_ps(_mm256_add_epi32(_mm256_castps_si256(v), n))
            }
        }
        V256(one(self.0, magic.0), one(self.1, magic.1))
    }
    #[inline(always)]
    fn flip_sign(self, magic: Self) -> Self {
        #[inline(always)]
        fn one(v: __m256, magic: __m256) -> __m256 {
            unsafe {
                let n = _mm256_slli_epi32::<31>(_mm256_castps_si256(magic));
                _mm256_castsi256_ps(_mm256_xor_si256(_mm256_castps_si256(v), n))
            }
        }
        V256(one(self.0, magic.0), one(self.1, magic.1))
    }
    #[inline(always)]
    fn reduce(vectors: &[Self; LANES]) -> Self {
        // Fold by 8 within each vector, then a transposing tree over eight of them: position
        // q + 2s (q < 2, s < 4) of the eight ends in lane 4q + s.
        #[inline(always)]
        fn half(v: &[__m256; 8]) -> __m256 {
            #[inline(always)]
            fn fold4(a: __m256, b: __m256) -> __m256 {
                unsafe {
                    _mm256_add_ps(
                        _mm256_permute2f128_ps::<0x20>(a, b),
                        _mm256_permute2f128_ps::<0x31>(a, b),
                    )
                }
            }
            #[inline(always)]
            fn fold2(a: __m256, b: __m256) -> __m256 {
                unsafe {
                    _mm256_add_ps(_mm256_shuffle_ps::<0x44>(a, b), _mm256_shuffle_ps::<0xEE>(a, b))
                }
            }
            unsafe {
                let x = fold2(fold4(v[0], v[4]), fold4(v[1], v[5]));
                let y = fold2(fold4(v[2], v[6]), fold4(v[3], v[7]));
                _mm256_add_ps(_mm256_shuffle_ps::<0x88>(x, y), _mm256_shuffle_ps::<0xDD>(x, y))
            }
        }
        let fold8 = |v: V256| unsafe { _mm256_add_ps(v.0, v.1) };
        let v = vectors;
        V256(
            half(&[
                fold8(v[0]),
                fold8(v[1]),
                fold8(v[2]),
                fold8(v[3]),
                fold8(v[4]),
                fold8(v[5]),
                fold8(v[6]),
                fold8(v[7]),
            ]),
            half(&[
                fold8(v[8]),
                fold8(v[9]),
                fold8(v[10]),
                fold8(v[11]),
                fold8(v[12]),
                fold8(v[13]),
                fold8(v[14]),
                fold8(v[15]),
            ]),
        )
    }
}
