//! The measures that only the paper's studies ask for.

mod structural;
