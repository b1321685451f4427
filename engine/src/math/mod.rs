//! Numbers only: activations, colour, samplers, options by name. Knows nothing of genomes, networks or files.

pub mod activation;
pub mod assignment;
pub mod choice;
pub mod clock;
pub mod color;
pub mod command;
pub mod hash;
pub(crate) mod lanes;
pub mod memory;
pub mod names;
pub mod real;
pub mod refusal;
pub mod rng;
pub mod settings;
pub mod stats;
pub mod text;

pub use activation::Activation;
pub use names::Named;
pub use rng::SimRng;
