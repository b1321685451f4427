//! Activations, their vector form, colour, and the best pairing of rows with columns.

pub(crate) mod activation;
pub(crate) mod assignment;
pub(crate) mod color;
pub(crate) mod lanes;

pub use activation::Activation;
