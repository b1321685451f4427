//! Families of pictures: what they draw, and which combinations of their factors training sees.

use crate::convert::picture_array;
use crate::errors::{expect, parsed, refused};
use numpy::{PyArray2, PyArray3, PyArrayLike1};
use picloom::network::family::{Conditioned, Family, Support};
use picloom::network::{Coords, Picture};
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyDict};

/// The families of pictures and what their factors change, z1 first.
///
/// Returns
/// -------
/// dict of str to list of str
#[pyfunction]
pub(crate) fn families(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let named = |family: &Family| (family.name(), family.factors().to_vec());
    Family::ALL.iter().map(named).into_py_dict(py)
}

fn factors_of(family: Family, z: &[f64]) -> PyResult<()> {
    let (name, expected) = (family.name(), family.factors().len());
    expect(z.len() == expected, name, format!("{expected} values, one a factor"), z.len())
}

/// The picture of a family where its factors have these values.
///
/// Parameters
/// ----------
/// name : str
///     One of `families()`.
/// z : sequence of float
///     One value a factor, in [-1, 1].
/// size : int
///     Side in pixels.
/// coords : str
///     "fer" or "picbreeder".
///
/// Returns
/// -------
/// (size, size, 3) array of float32 in [0, 1]
///
/// Raises
/// ------
/// ValueError
///     No such family, or another number of values than factors.
#[pyfunction]
#[pyo3(signature = (name, z, *, size = 64, coords = "fer"))]
pub(crate) fn family<'py>(
    py: Python<'py>,
    name: &str,
    z: PyArrayLike1<'_, f64, numpy::AllowTypeChange>,
    size: usize,
    coords: &str,
) -> PyResult<Bound<'py, PyArray3<f32>>> {
    let family: Family = parsed(name)?;
    let z = z.as_array().to_vec();
    factors_of(family, &z)?;
    let size = crate::convert::check_size(size)?;
    Ok(picture_array(py, family.picture(&z, size, parsed(coords)?)))
}

/// Which combinations of factors training sees, and which are held out.
///
/// Parameters
/// ----------
/// factors : int
///     1 to 4.
/// support : str
///     "random:SHARE", "connected", "minimal" or "disconnected".
/// values : int
///     Values of each factor, evenly from -1 to 1: 2 to 16.
/// seed : int
///     Of a random support.
///
/// Returns
/// -------
/// tuple of two (C, factors) arrays: seen, held out
///
/// Raises
/// ------
/// ValueError
///     No such support, or a number outside its range.
#[pyfunction]
#[pyo3(signature = (factors, support = "random:0.6", *, values = 5, seed = 0))]
#[expect(clippy::type_complexity, reason = "two arrays")]
pub(crate) fn conditions<'py>(
    py: Python<'py>,
    factors: usize,
    support: &str,
    values: usize,
    seed: u64,
) -> PyResult<(Bound<'py, PyArray2<f64>>, Bound<'py, PyArray2<f64>>)> {
    let support: Support = parsed(support)?;
    let is_so = (1..=4).contains(&factors) && (2..=16).contains(&values);
    expect(is_so, "", "1 to 4 factors of 2 to 16 values", format!("{factors} of {values}"))?;
    let found = support.conditions(factors, values, seed);
    let array = |rows: &[Vec<f64>]| PyArray2::from_vec2(py, rows).map_err(refused);
    Ok((array(&found.seen)?, array(&found.held_out)?))
}

/// The pictures that a training under conditions sees. `target` is the name of a family or an array of (C, S, S, 3).
pub(crate) fn conditioned(
    target: &Bound<'_, PyAny>,
    conditions: Vec<Vec<f64>>,
    factors: usize,
    size: Option<usize>,
    coords: Coords,
) -> PyResult<Conditioned> {
    let is_so = !conditions.is_empty() && conditions.iter().all(|z| z.len() == factors);
    let expected = format!("conditions of {factors} values, one a factor of the model");
    expect(is_so, "", expected, "others or none")?;
    if let Ok(name) = target.extract::<String>() {
        let family: Family = parsed(&name)?;
        factors_of(family, &conditions[0])?;
        let size = crate::convert::check_size(size.unwrap_or(64))?;
        return Ok(Conditioned::of(conditions, |z| family.picture(z, size, coords)));
    }
    let count = target.len()?;
    let expected = format!("{} pictures, one a condition", conditions.len());
    expect(count == conditions.len(), "", expected, count)?;
    let pictures: Vec<Picture> = (0..count)
        .map(|i| crate::target::target(&target.get_item(i)?, size, coords, None))
        .collect::<PyResult<_>>()?;
    let side = pictures[0].width;
    let other = pictures.iter().map(|picture| picture.width).find(|width| *width != side);
    let found = format!("{side} and {}", other.unwrap_or_default());
    expect(other.is_none(), "", "pictures of one size", found)?;
    let rgb = pictures.into_iter().flat_map(|picture| picture.rgb).collect();
    let pictures = Picture { width: side, height: side * count, rgb };
    Ok(Conditioned { conditions, pictures })
}
