//! `grow`: a network that gets links and units while it learns a picture.

use crate::convert::{keywords, named, plain};
use crate::errors::{failed, parsed, refused};
use crate::genome::Genome;
use crate::model::Model;
use crate::target::target;
use crate::train::{Observer, history, listener};
use crate::watched::watched;
use picloom::base::settings::Settings;
use picloom::network::{Coords, PixelInputs, Wiring};
use picloom::train::StopReason;
use picloom::train::grow::{GrowConfig, Grown, Growth};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// What came of a growth.
#[pyclass(module = "picloom", frozen)]
pub struct GrowReport {
    /// The grown genome, with its trained weights.
    #[pyo3(get)]
    genome: Py<Genome>,
    /// Its network.
    #[pyo3(get)]
    model: Py<Model>,
    grown: Grown,
}

#[pymethods]
impl GrowReport {
    /// Why it ended: "reached", "most-links", "nothing-helps", "as-other" or "no-start".
    #[getter]
    fn stop(&self, py: Python<'_>) -> PyResult<String> {
        plain(py, &self.grown.stop)?.extract()
    }

    /// The stages as dicts: what was added, from and to which nodes, links, units, loss and r2 after it, steps.
    #[getter]
    fn stages<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        plain(py, &self.grown.stages)
    }

    /// Links at the end.
    #[getter]
    fn links(&self) -> usize {
        self.grown.genome.connections().len()
    }

    /// Share of the target's variance that is explained: 1 is perfect.
    #[getter]
    fn r2(&self) -> f64 {
        self.grown.r2()
    }

    /// The logged steps of all stages, as of `train`.
    #[getter(history)]
    fn history_arrays<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        history(py, &self.grown.log)
    }

    fn __repr__(&self) -> String {
        format!("GrowReport(links={}, r2={:.4})", self.links(), self.r2())
    }
}

/// Grows a network that draws `target`: from inputs linked to outputs it gets links and units, the ones that promise
/// most or drawn ones, and is trained after each.
///
/// Parameters
/// ----------
/// target : array, Genome or path
///     (S, S, 3), floats in [0, 1] or bytes; a genome, or the path of one or of a picture, is drawn at `size`.
/// size : int, optional
///     Side of the picture in pixels. Default: that of the array, else 64.
/// coords : str
///     "fer" or "picbreeder".
/// fit : str, optional
///     What becomes of a picture that is not square: "crop", "pad" or "squash".
/// progress : callable or tqdm bar, optional
///     As in `train`, over the steps of each stage.
/// **settings
///     `by`, `until_r2`, `most_links`, `steps` of a stage, … as the options of `picloom grow`, and settings of each
///     training as in `train`, with a rate of .03 and a cosine.
///
/// Returns
/// -------
/// GrowReport
///
/// Raises
/// ------
/// ValueError
///     A setting is unknown, outside its range, or none of a growth; the target is none, or of one colour.
/// picloom.Error
///     `progress` ended it.
/// KeyboardInterrupt
///     Ctrl-C, at the next step.
#[pyfunction]
#[pyo3(signature = (target, *, size = None, coords = "fer", fit = None, progress = None, **settings))]
pub fn grow(
    py: Python<'_>,
    target: &Bound<'_, PyAny>,
    size: Option<usize>,
    coords: &str,
    fit: Option<&str>,
    progress: Option<Bound<'_, PyAny>>,
    settings: Option<&Bound<'_, PyDict>>,
) -> PyResult<GrowReport> {
    let coords: Coords = parsed(coords)?;
    let is_array = target.hasattr("shape")?;
    let size = size.or((!is_array).then_some(64));
    let target = self::target(target, size, coords, fit)?;
    let mut settings = keywords(settings)?;
    let config =
        GrowConfig::default().with(&named::<GrowConfig>(&mut settings)).map_err(refused)?;
    let train = GrowConfig::recipe().with(&settings).map_err(refused)?;
    let inputs = PixelInputs::full(target.width, coords);
    let mut growth = Growth::new(inputs, target, config, train).map_err(refused)?;
    let hear = listener(progress)?;
    let work = |caller: &crate::watched::Caller<(u64, f64)>| {
        growth.run(&mut Observer { caller, history: &mut Vec::new() })
    };
    let stop = watched(py, work, hear)?.map_err(refused)?;
    if stop.is_none() {
        return Err(failed(format!("{:?}: the growth was not finished", StopReason::Interrupted)));
    }
    let grown = growth.state().own.clone();
    let model = picloom::network::Model::of_genome(&grown.genome, Wiring::Graph);
    Ok(GrowReport {
        genome: Py::new(py, Genome(grown.genome.clone()))?,
        model: Py::new(py, Model(model))?,
        grown,
    })
}
