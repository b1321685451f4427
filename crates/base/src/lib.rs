//! The base that every package of Picloom stands on. Of genomes, networks and studies it knows the
//! names of their files and folders only.
//!
//! - [`refusal::Refusal`]: a refused input: where, what was expected, what was found, what to do.
//! - [`settings`], [`choice`], [`names`]: options declared once; flags, files, checks and pages come from them.
//! - [`folder`]: the marker that says what a folder holds.
//! - [`files`], [`lock`], [`process`], [`memory`], [`command`], [`clock`]: the machine.
//! - [`rng::SimRng`], [`stats`], [`real`]: numbers with the same bits everywhere.
//! - [`hash`], [`text`]: ids and words.
//! - [`table`]: rows of results; [`png`]: pixels as bytes; [`tone`]: two colours for two signs.
#![warn(missing_docs)]

pub mod allocator;
pub mod choice;
pub mod clock;
pub mod command;
pub mod files;
pub mod folder;
pub mod hash;
pub mod lock;
pub mod memory;
pub mod names;
mod plain;
pub mod png;
pub mod process;
pub mod real;
pub mod refusal;
pub mod rng;
pub mod settings;
pub mod stats;
pub mod table;
pub mod text;
pub mod tone;

pub use names::Named;
pub use rng::SimRng;
