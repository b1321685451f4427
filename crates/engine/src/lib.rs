//! The engine of Picloom: from genomes to scores. The package `picloom` re-exports every room of it.
//!
//! | room | central types |
//! |---|---|
//! | [`genome`] | [`Genome`](genome::Genome), its nodes and connections; files of other programs |
//! | [`evolve`] | [`Session`](evolve::Session), [`Breeding`](evolve::Breeding): ask for genomes, tell which were good |
//! | [`network`] | [`Network`](network::Network), [`Weights`](network::Weights), [`Mask`](network::Mask): together a [`Model`](network::Model) |
//! | [`train`] | [`TrainConfig`](train::TrainConfig), [`Trainer`](train::Trainer), [`TrainReport`](train::TrainReport) |
//! | [`prune`] | [`Method`](prune::Method) and what it is asked, an [`EdgeContext`](prune::EdgeContext) |
//! | [`probe`] | a [`View`](probe::View) of a model, and the sweep of its weights |
//! | [`score`] | [`Judge`](score::Judge), [`Measurement`](score::Measurement) |
//! | [`page`] | [`Shelf`](page::Shelf): what the page in the browser asks, from files or from memory |
//!
//! It stores no runs, writes no tables and draws no figures.
#![warn(missing_docs)]

#[doc(no_inline)]
pub use picloom_base as base;

pub mod evolve;
pub mod genome;
pub mod math;
pub mod network;
pub mod page;
pub mod probe;
pub mod prune;
pub mod score;
pub mod train;
