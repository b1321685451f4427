//! Vectors of 16 floats: one trait, the same bits from every implementation (AVX-512, AVX2, portable). WebAssembly's
//! vectors give them where the processor fuses a multiply-add.
//!
//! Every operation is one IEEE operation a lane (`fma` rounds once), and sums over lanes follow one
//! fixed tree, so code generic over [`Lanes`] gives identical bits whichever path runs it. What
//! this module does not fix is the payload of a NaN.
//!
//! The methods compile to single instructions only inside a function that enables the
//! instruction set and inlines everything between; `per_isa!` writes such functions.
// SAFETY of this module: the operations of the wide vectors need their CPU features. Nothing outside
// this module can name those types: the only code that runs on them is what `Isa::run` was given, and an
// `Isa` other than the portable one exists only where detection found the features (`Isa::available`).
#![allow(unsafe_code)]

pub(crate) mod activate;
mod vector;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod wasm;
#[cfg(target_arch = "x86_64")]
mod x86;

#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
pub(crate) use vector::Portable;
pub(crate) use vector::{Block, LANES, Lanes, ZERO, floats, floats_mut, prefetch};

/// An instruction set this CPU has: the value is proof of detection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Isa(Path);

/// The code paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Path {
    #[cfg(target_arch = "x86_64")]
    Avx512,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    Simd128,
    #[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
    Portable,
}

impl Isa {
    /// Instruction sets that this CPU can run, best first; the portable path is last and always
    /// there, except where a WebAssembly module was built with vectors.
    pub fn available() -> Vec<Isa> {
        let mut paths = Vec::new();
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
                if is_x86_feature_detected!("avx512f") {
                    paths.push(Isa(Path::Avx512));
                }
                paths.push(Isa(Path::Avx2));
            }
        }
        #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
        paths.push(Isa(Path::Simd128));
        #[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
        paths.push(Isa(Path::Portable));
        paths
    }

    /// The fastest path of this CPU. Detected once.
    pub fn best() -> Isa {
        static BEST: std::sync::OnceLock<Isa> = std::sync::OnceLock::new();
        *BEST.get_or_init(|| Isa::available()[0])
    }

    /// `avx512`, `avx2`, `simd128` or `portable`.
    pub fn name(self) -> &'static str {
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            Path::Avx512 => "avx512",
            #[cfg(target_arch = "x86_64")]
            Path::Avx2 => "avx2",
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            Path::Simd128 => "simd128",
            #[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
            Path::Portable => "portable",
        }
    }
}

/// Work that runs on vectors of any instruction set. `run` and what it calls must be
/// `#[inline(always)]`; `per_isa!` writes implementations.
pub(crate) trait Work {
    /// The result.
    type Output;
    /// Does it with the vectors `L`.
    fn run<L: Lanes>(self) -> Self::Output;
}

impl Isa {
    /// Does the work with this instruction set enabled.
    #[inline(always)]
    pub(crate) fn run<W: Work>(self, work: W) -> W::Output {
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx512f,avx2,fma")]
        fn avx512<W: Work>(work: W) -> W::Output {
            work.run::<x86::V512>()
        }
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx2,fma")]
        fn avx2<W: Work>(work: W) -> W::Output {
            work.run::<x86::V256>()
        }
        match self.0 {
            // SAFETY: an `Isa` of this path exists only where the CPU has the features.
            #[cfg(target_arch = "x86_64")]
            Path::Avx512 => unsafe { avx512(work) },
            // SAFETY: likewise.
            #[cfg(target_arch = "x86_64")]
            Path::Avx2 => unsafe { avx2(work) },
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            Path::Simd128 => work.run::<wasm::V128>(),
            #[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
            Path::Portable => work.run::<Portable>(),
        }
    }
}

/// Writes a function `name(isa, arguments…)` that runs the generic `body::<L>(arguments…)` with the
/// instruction set of `isa` enabled. `body` and what it calls must be `#[inline(always)]`.
macro_rules! per_isa {
    ($(#[$meta:meta])* $vis:vis fn $name:ident($($arg:ident : $ty:ty),* $(,)?) -> $ret:ty = $body:ident) => {
        $(#[$meta])*
        #[allow(clippy::too_many_arguments)]
        $vis fn $name(isa: $crate::math::lanes::Isa, $($arg: $ty),*) -> $ret {
            /// The arguments.
            struct Call<A>(A);
            impl $crate::math::lanes::Work for Call<($($ty,)*)> {
                type Output = $ret;
                #[inline(always)]
                fn run<L: $crate::math::lanes::Lanes>(self) -> $ret {
                    let Call(($($arg,)*)) = self;
                    $body::<L>($($arg),*)
                }
            }
            isa.run(Call(($($arg,)*)))
        }
    };
    ($(#[$meta:meta])* $vis:vis fn $name:ident($($arg:ident : $ty:ty),* $(,)?) = $body:ident) => {
        $crate::math::lanes::per_isa! {
            $(#[$meta])* $vis fn $name($($arg: $ty),*) -> () = $body
        }
    };
}
pub(crate) use per_isa;

/// Writes a body once for each index below a constant of at most 4, 6 or 24: no loop is left, so that an array of vectors
/// stays in registers where the compiler does not unroll (it does not where it builds for size, as for the page).
macro_rules! each {
    ($i:ident < $n:tt of 4 => $body:block) => { $crate::math::lanes::each!($i $n $body 0 1 2 3) };
    ($i:ident < $n:tt of 6 => $body:block) => { $crate::math::lanes::each!($i $n $body 0 1 2 3 4 5) };
    ($i:ident < $n:tt of 24 => $body:block) => {
        $crate::math::lanes::each!($i $n $body 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23)
    };
    ($i:ident $n:tt $body:block $($at:literal)*) => { $(
        if $at < $n {
            let $i: usize = $at;
            $body
        }
    )* };
}
pub(crate) use each;
