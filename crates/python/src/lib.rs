//! Picloom as a Python extension, `picloom._core`: classes and functions that translate, nothing that
//! computes. What is better said in Python (PyTorch, flax, tables) is beside it in `lib/picloom`.
//!
//! Long calls run without the interpreter's lock, end soon after Ctrl-C and tell progress from the
//! thread that called ([`watched`]). Arrays that are made here are handed over without a copy.

#![warn(unreachable_pub)]

mod breeding;
mod convert;
mod errors;
mod family;
mod genome;
mod model;
mod own;
mod probe;
mod prune;
mod search;
mod study;
mod target;
mod train;
mod watched;

use picloom::site::{Engine, Site};
use pyo3::prelude::*;

/// The page of one file with these networks, a JSON list of what links carry.
#[pyfunction]
fn page_with(networks: &str) -> String {
    Site::new(Engine::own()).with_networks(networks).page()
}

#[pymodule]
mod _core {
    #[pymodule_export]
    use super::{
        breeding::Breeding,
        errors::Error,
        family::{conditions, families, family},
        genome::Genome,
        model::{Model, coordinates, export},
        page_with,
        probe::{score, strip, sweep},
        prune::{PruneReport, prune},
        search::Search,
        study::{depth_sweep, load_run, predict_depth, run_study, study_status},
        train::{TrainReport, Trainer},
    };

    #[expect(non_upper_case_globals, reason = "as Python packages name it")]
    #[pymodule_export]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
