//! Between Python's values and the crate's.

use crate::errors::{expect, parsed, refused};
use numpy::ndarray::{Array2, Array3};
use numpy::{IntoPyArray, PyArray2, PyArray3, PyReadonlyArray3, PyUntypedArrayMethods};
use picloom::base::memory;
use picloom::base::settings::Settings;
use picloom::base::text::json_flaw;
use picloom::evolve::{EvolveConfig, Preset, preset_of};
use picloom::experiment::target_spec;
use picloom::genome::Palette;
use picloom::network::kernel::Renderer;
use picloom::network::{Framing, Model, Picture, Size};
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyDict};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Side of a picture where nothing says otherwise, in pixels; the command line's.
pub(crate) const SIZE: usize = 128;

/// Refuses sizes that make no picture.
pub(crate) fn check_size(size: usize) -> PyResult<usize> {
    target_spec::check_size(size).map_err(refused).map(|()| size)
}

/// A record as plain dicts, lists, numbers and strings.
pub(crate) fn plain<'py>(py: Python<'py>, record: &impl Serialize) -> PyResult<Bound<'py, PyAny>> {
    let text = serde_json::to_string(record).map_err(refused)?;
    py.import("json")?.call_method1("loads", (text,))
}

/// Reads Python's plain values and NumPy's; others count as their text. Unknown keys are refused
/// where the type refuses them.
pub(crate) fn of_plain<T: DeserializeOwned>(value: &Bound<'_, PyAny>) -> PyResult<T> {
    let py = value.py();
    let plain = py.eval(c"lambda x: x.tolist() if hasattr(x, 'tolist') else str(x)", None, None)?;
    let plain = [("default", plain)].into_py_dict(py)?;
    let text: String =
        py.import("json")?.call_method("dumps", (value,), Some(&plain))?.extract()?;
    serde_json::from_str(&text).map_err(|e| refused(json_flaw(text.as_bytes(), &e)))
}

/// Keyword arguments laid over the defaults, by the names of settings; None is not given.
pub(crate) fn settings<C: Settings + Default>(given: Option<&Bound<'_, PyDict>>) -> PyResult<C> {
    C::default().with(&keywords(given)?).map_err(refused)
}

/// Keyword arguments as a table; None is not given.
pub(crate) fn keywords(given: Option<&Bound<'_, PyDict>>) -> PyResult<toml::Table> {
    let Some(given) = given else { return Ok(toml::Table::new()) };
    let some = given.copy()?;
    for (key, value) in given {
        if value.is_none() {
            some.del_item(key)?;
        }
    }
    of_plain(some.as_any())
}

/// Takes those that are settings of a `C` by their names.
pub(crate) fn named<C: Settings>(settings: &mut toml::Table) -> toml::Table {
    let names = C::settings().into_iter().map(|row| row.name);
    names.filter_map(|name| settings.remove_entry(name)).collect()
}

/// Draws a network, by the settings of [`Framing`]; `size` is one of them.
pub(crate) fn drawn<'py>(
    py: Python<'py>,
    (model, palette): (&Model, Palette),
    size: Option<Bound<'py, PyAny>>,
    coords: &str,
    settings: Option<Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyArray3<f32>>> {
    let given = settings.unwrap_or_else(|| PyDict::new(py));
    given.set_item("size", size)?;
    let canvas =
        self::settings::<Framing>(Some(&given))?.canvas(256, parsed(coords)?).in_palette(palette);
    let Size { width, height } = canvas.size;
    // The picture is held whole, as floats.
    memory::ensure("size", &[(canvas.size.pixels(), "pixels")], 12).map_err(refused)?;
    canvas.ensure("size").map_err(refused)?;
    let rgb = py.detach(|| canvas.draw(&Renderer::new(&model.network, &model.weights), 0..height));
    Ok(picture_array(py, Picture { width, height, rgb }))
}

/// (S, S, 3) without a copy.
pub(crate) fn picture_array(py: Python<'_>, picture: Picture) -> Bound<'_, PyArray3<f32>> {
    let shape = (picture.height, picture.width, 3);
    Array3::from_shape_vec(shape, picture.rgb).expect("three numbers a pixel").into_pyarray(py)
}

/// (rows, columns) of row-major values, without a copy.
pub(crate) fn matrix<T: numpy::Element>(
    py: Python<'_>,
    shape: (usize, usize),
    values: Vec<T>,
) -> Bound<'_, PyArray2<T>> {
    Array2::from_shape_vec(shape, values).expect("rows × columns values").into_pyarray(py)
}

/// A column of a table: one entry an item.
pub(crate) fn column<'py, I, T: numpy::Element>(
    py: Python<'py>,
    items: &[I],
    of: impl Fn(&I) -> T,
) -> Bound<'py, numpy::PyArray1<T>> {
    items.iter().map(of).collect::<Vec<T>>().into_pyarray(py)
}

/// A picture from an array of (rows, columns, 3): floats in [0, 1], or bytes.
pub(crate) fn picture_of_array(given: &Bound<'_, PyAny>) -> PyResult<Picture> {
    let numpy = given.py().import("numpy")?;
    let array = numpy.call_method1("asarray", (given,))?;
    if let Ok(bytes) = array.extract::<PyReadonlyArray3<u8>>() {
        return picture(
            bytes.shape(),
            bytes.as_array().iter().map(|&v| f32::from(v) / 255.0).collect(),
        );
    }
    let floats = array
        .call_method1("astype", (numpy.getattr("float32")?,))?
        .extract::<PyReadonlyArray3<f32>>()
        .map_err(|_| {
            let shape = array.getattr("shape").map_or("none".into(), |shape| shape.to_string());
            refused(format!(
                "expected a picture: an array (rows, columns, 3), a Genome, or a path; found shape {shape}"
            ))
        })?;
    let values: Vec<f32> = floats.as_array().iter().copied().collect();
    let odd = values.iter().copied().find(|v| !(0.0..=1.0).contains(v));
    expect(odd.is_none(), "", "a picture with values in [0, 1]", odd.unwrap_or_default())?;
    picture(floats.shape(), values)
}

fn picture(shape: &[usize], rgb: Vec<f32>) -> PyResult<Picture> {
    match *shape {
        [height, width, 3] if height > 0 && width > 0 => Ok(Picture { width, height, rgb }),
        _ => Err(refused(format!("expected a picture (rows, columns, 3), found shape {shape:?}"))),
    }
}

/// A preset with settings laid over it: nested as in a run's `config.toml`, or by their names.
pub(crate) fn evolve_config(preset: Preset, settings: toml::Table) -> PyResult<EvolveConfig> {
    let preset = preset_of(&settings, preset).map_err(refused)?;
    config_over(EvolveConfig::preset(preset), settings)
}

/// The same over a config.
pub(crate) fn config_over(base: EvolveConfig, mut settings: toml::Table) -> PyResult<EvolveConfig> {
    let named = named::<EvolveConfig>(&mut settings);
    let config = base.over(settings).map_err(refused)?;
    let config = config.with(&named).map_err(refused)?;
    config.validate().map_err(refused)?;
    Ok(config)
}
