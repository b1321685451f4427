//! Pictures to be drawn, from whatever Python has: an array, a genome, a file of either.

use crate::convert::{SIZE, check_size, picture_of_array};
use crate::errors::{of_file, parsed, refused};
use crate::genome::Genome;
use picloom::network::{Coords, Model, Picture, Squaring, Wiring};
use picloom::run::load_target;
use pyo3::prelude::*;
use pyo3::types::PyString;
use std::path::PathBuf;

/// The picture to draw: from a picture array, a genome, or a file of either.
///
/// Files and genomes are drawn at `size` (default 128); an array has its own size, and is resampled if
/// another is wanted.
pub(crate) fn target(
    given: &Bound<'_, PyAny>,
    size: Option<usize>,
    coords: Coords,
    fit: Option<&str>,
) -> PyResult<Picture> {
    let size = size.map(check_size).transpose()?;
    if let Ok(genome) = given.cast::<Genome>() {
        let model = Model::of_genome(&genome.get().0, Wiring::Graph);
        return Ok(model.picture(size.unwrap_or(SIZE), coords));
    }
    if given.is_instance_of::<PyString>() || given.hasattr("__fspath__")? {
        let path: PathBuf = given.extract()?;
        let fit = fit.map(parsed::<Squaring>).transpose()?;
        let target = load_target(&path, size.unwrap_or(SIZE), coords, fit);
        return Ok(target.map_err(|e| of_file(&path, e))?.picture);
    }
    let picture = picture_of_array(given)?;
    let (width, height) = (picture.width, picture.height);
    match (size, fit) {
        (_, Some(how)) => Ok(picture.squared(size.unwrap_or(width.min(height)), parsed(how)?)),
        (_, None) if width != height => Err(refused(format!(
            "expected a square picture, found {width} × {height} pixels; choose what becomes of it with fit: {}",
            Squaring::CHOICES
        ))),
        (Some(size), None) => Ok(picture.resized(size)),
        (None, None) => Ok(picture),
    }
}
