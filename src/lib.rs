//! Evolve, retrain, prune and score picture-drawing networks.
//!
//! The rooms, in the order data flows through them (a room uses itself and those before it):
//! [`math`] → [`genome`] → [`evolve`] → [`network`] → [`train`] → [`prune`] → [`probe`] →
//! [`score`] → [`experiment`] → [`figures`] → [`studio`] → [`cli`].
//!
//! ```
//! use picloom::genome::from_json;
//! use picloom::network::{Coords, compile, kernel::picture, layerize};
//!
//! let genome = from_json(include_str!("../genomes/bred_moth.json"))?;
//! let (network, weights) = compile(&genome);
//! let drawn = picture(&network, &weights, 32, Coords::Fer);
//! let twin = layerize(&genome);
//! let same = picture(&twin.network, &twin.weights, 32, Coords::Fer);
//! assert!(drawn.mse(&same) < 1e-9);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![warn(missing_docs)]

pub mod cli;
pub mod evolve;
pub mod experiment;
pub mod figures;
pub mod genome;
pub mod math;
pub mod network;
pub mod probe;
pub mod prune;
pub mod score;
pub mod studio;
pub mod train;
