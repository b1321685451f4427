//! Activations, their vector form, colour, and the best pairing of rows with columns.

pub mod activation;
pub mod assignment;
pub mod color;
pub(crate) mod lanes;

pub use activation::Activation;
