//! Transcendental functions with the same bits on every platform (the `libm` crate, in Rust).
//!
//! `std` calls the platform's C library, whose last digits differ between systems. Anything that
//! can reach a record goes through here; a clippy rule (`clippy.toml`) enforces it.

pub use libm::{
    atan2, cos, exp, expm1, lgamma as ln_gamma, log as ln, log1p as ln_1p, log2, log10, pow, sin,
    sqrt, tanh,
};
