//! Sixteen floats: where they lie in memory, what can be done with them, and the plain implementation.

/// Lanes of a vector, on every path.
pub(crate) const LANES: usize = 16;

/// Sixteen floats on a cache line: the unit of every buffer of the kernel.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(64))]
pub(crate) struct Block(pub [f32; LANES]);

/// All zero.
pub(crate) const ZERO: Block = Block([0.0; LANES]);

/// The floats of blocks, in order.
pub(crate) fn floats(blocks: &[Block]) -> &[f32] {
    // SAFETY: Block is repr(C) around [f32; 16], its size is 64 bytes (no padding), so n blocks are
    // 16 n floats in place.
    unsafe { std::slice::from_raw_parts(blocks.as_ptr().cast(), blocks.len() * LANES) }
}

/// The floats of blocks, in order.
pub(crate) fn floats_mut(blocks: &mut [Block]) -> &mut [f32] {
    // SAFETY: as in `floats`; the borrow is exclusive.
    unsafe { std::slice::from_raw_parts_mut(blocks.as_mut_ptr().cast(), blocks.len() * LANES) }
}

/// Asks for these blocks to be brought into the second-level cache. A hint: nothing else changes.
#[inline(always)]
pub(crate) fn prefetch(blocks: &[Block]) {
    #[cfg(target_arch = "x86_64")]
    for block in blocks {
        use std::arch::x86_64::{_MM_HINT_T1, _mm_prefetch};
        // SAFETY: part of SSE, which every x86-64 has; a hint on a valid address.
        unsafe { _mm_prefetch::<_MM_HINT_T1>(std::ptr::from_ref(block).cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = blocks;
}

/// Sixteen floats and what can be done with them. Each operation is per lane and rounds once.
pub(crate) trait Lanes: Copy {
    /// Vectors of 16 lanes that the registers hold: 32 on AVX-512, 8 on AVX2, 4 of 128 bits (the shape of register blocks).
    const HELD: usize;
    /// One register; a vector is `REGISTERS` of them.
    type Register: Copy;
    /// Registers of a vector.
    const REGISTERS: usize = size_of::<Block>() / size_of::<Self::Register>();
    /// y · x + sum of one register, rounded once.
    fn fma_register(y: Self::Register, x: Self::Register, sum: Self::Register) -> Self::Register;
    /// The same value in every lane.
    fn splat(value: f32) -> Self;
    /// R × C vectors of zeros; `[[L::splat(0.0); C]; R]` would be loops over memory in what is built for size.
    #[inline(always)]
    fn zeros<const R: usize, const C: usize>() -> [[Self; C]; R] {
        // SAFETY: every implementation is an array of floats, whose 0.0 is zero bits.
        unsafe { std::mem::zeroed() }
    }
    /// From memory.
    fn load(block: &Block) -> Self;
    /// To memory.
    fn store(self, block: &mut Block);
    /// self + b
    fn add(self, b: Self) -> Self;
    /// self − b
    fn sub(self, b: Self) -> Self;
    /// self · b
    fn mul(self, b: Self) -> Self;
    /// self / b
    fn div(self, b: Self) -> Self;
    /// self · b + c, rounded once.
    fn fma(self, b: Self, c: Self) -> Self;
    /// self if self > b, else b. With a NaN on either side: b.
    fn max(self, b: Self) -> Self;
    /// self if self < b, else b. With a NaN on either side: b.
    fn min(self, b: Self) -> Self;
    /// |self|
    fn abs(self) -> Self;
    /// |self| with the sign of `sign`.
    fn copysign(self, sign: Self) -> Self;
    /// Largest integer not above.
    fn floor(self) -> Self;
    /// `yes` where self > b, else (also for NaN) `no`.
    fn gt(self, b: Self, yes: Self, no: Self) -> Self;
    /// self · 2ⁿ, where `magic` = n + 1.5·2²³; no care for overflow and subnormals.
    fn scale_exponent(self, magic: Self) -> Self;
    /// self · (−1)ⁿ, where `magic` = n + 1.5·2²³.
    fn flip_sign(self, magic: Self) -> Self;
    /// Lane j of the result is the sum of `vectors[j]`, by the tree (i, i + 8), (i, i + 4), (i, i + 2), (0, 1).
    fn reduce(vectors: &[Self; LANES]) -> Self;
}

/// Adding then subtracting it rounds |x| < 2²² to the nearest integer, ties to even.
pub(super) const MAGIC: f32 = 12_582_912.0;

/// Plain arrays: runs everywhere, fast where the compiler knows a fused multiply-add.
#[cfg_attr(all(target_arch = "wasm32", target_feature = "simd128"), allow(dead_code))]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Portable([f32; LANES]);

#[cfg_attr(all(target_arch = "wasm32", target_feature = "simd128"), allow(dead_code))]
impl Portable {
    #[inline(always)]
    fn map(self, f: impl Fn(f32) -> f32) -> Self {
        Portable(self.0.map(f))
    }

    #[inline(always)]
    fn zip(self, b: Self, f: impl Fn(f32, f32) -> f32) -> Self {
        Portable(std::array::from_fn(|i| f(self.0[i], b.0[i])))
    }
}

impl Lanes for Portable {
    const HELD: usize = 8;
    type Register = Self;
    #[inline(always)]
    fn fma_register(y: Self, x: Self, sum: Self) -> Self {
        y.fma(x, sum)
    }
    #[inline(always)]
    fn splat(value: f32) -> Self {
        Portable([value; LANES])
    }
    #[inline(always)]
    fn load(block: &Block) -> Self {
        Portable(block.0)
    }
    #[inline(always)]
    fn store(self, block: &mut Block) {
        block.0 = self.0;
    }
    #[inline(always)]
    fn add(self, b: Self) -> Self {
        self.zip(b, |a, b| a + b)
    }
    #[inline(always)]
    fn sub(self, b: Self) -> Self {
        self.zip(b, |a, b| a - b)
    }
    #[inline(always)]
    fn mul(self, b: Self) -> Self {
        self.zip(b, |a, b| a * b)
    }
    #[inline(always)]
    fn div(self, b: Self) -> Self {
        self.zip(b, |a, b| a / b)
    }
    #[inline(always)]
    fn fma(self, b: Self, c: Self) -> Self {
        Portable(std::array::from_fn(|i| self.0[i].mul_add(b.0[i], c.0[i])))
    }
    #[inline(always)]
    fn max(self, b: Self) -> Self {
        self.zip(b, |a, b| if a > b { a } else { b })
    }
    #[inline(always)]
    fn min(self, b: Self) -> Self {
        self.zip(b, |a, b| if a < b { a } else { b })
    }
    #[inline(always)]
    fn abs(self) -> Self {
        self.map(f32::abs)
    }
    #[inline(always)]
    fn copysign(self, sign: Self) -> Self {
        self.zip(sign, f32::copysign)
    }
    #[inline(always)]
    fn floor(self) -> Self {
        self.map(f32::floor)
    }
    #[inline(always)]
    fn gt(self, b: Self, yes: Self, no: Self) -> Self {
        Portable(std::array::from_fn(|i| if self.0[i] > b.0[i] { yes.0[i] } else { no.0[i] }))
    }
    #[inline(always)]
    fn scale_exponent(self, magic: Self) -> Self {
        self.zip(magic, |a, m| f32::from_bits(a.to_bits().wrapping_add(m.to_bits() << 23)))
    }
    #[inline(always)]
    fn flip_sign(self, magic: Self) -> Self {
        self.zip(magic, |a, m| f32::from_bits(a.to_bits() ^ (m.to_bits() << 31)))
    }
    #[inline(always)]
    fn reduce(vectors: &[Self; LANES]) -> Self {
        Portable(vectors.map(|v| sum(&v.0)))
    }
}

/// Sum of sixteen floats by the tree of [`Lanes::reduce`].
#[cfg_attr(all(target_arch = "wasm32", target_feature = "simd128"), allow(dead_code))]
pub(super) fn sum(v: &[f32; LANES]) -> f32 {
    let mut v = *v;
    for half in [8, 4, 2, 1] {
        for i in 0..half {
            v[i] += v[i + half];
        }
    }
    v[0]
}
