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
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("Error", py.get_type::<errors::Error>())?;
    module.add_class::<genome::Genome>()?;
    module.add_class::<model::Model>()?;
    module.add_class::<search::Search>()?;
    module.add_class::<breeding::Breeding>()?;
    module.add_class::<train::Trainer>()?;
    module.add_class::<train::TrainReport>()?;
    module.add_class::<prune::PruneReport>()?;
    module.add_function(wrap_pyfunction!(model::coordinates, module)?)?;
    module.add_function(wrap_pyfunction!(model::export, module)?)?;
    module.add_function(wrap_pyfunction!(family::families, module)?)?;
    module.add_function(wrap_pyfunction!(family::family, module)?)?;
    module.add_function(wrap_pyfunction!(family::conditions, module)?)?;
    module.add_function(wrap_pyfunction!(train::train, module)?)?;
    module.add_function(wrap_pyfunction!(prune::prune, module)?)?;
    module.add_function(wrap_pyfunction!(probe::sweep, module)?)?;
    module.add_function(wrap_pyfunction!(probe::strip, module)?)?;
    module.add_function(wrap_pyfunction!(probe::score, module)?)?;
    module.add_function(wrap_pyfunction!(study::depth_sweep, module)?)?;
    module.add_function(wrap_pyfunction!(study::predict_depth, module)?)?;
    module.add_function(wrap_pyfunction!(study::load_run, module)?)?;
    module.add_function(wrap_pyfunction!(study::run_study, module)?)?;
    module.add_function(wrap_pyfunction!(study::study_status, module)?)?;
    module.add_function(wrap_pyfunction!(page_with, module)?)?;
    Ok(())
}
