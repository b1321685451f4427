//! Measures that only the paper's studies ask for (METHODS §7).

pub mod structural;
