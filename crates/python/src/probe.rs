//! Sweeps, strips and scores: change weights, look, judge.

use crate::convert::{check_size, column, plain};
use crate::errors::{expect, failed, parsed, refused};
use crate::model::Model;
use crate::own::{judge, measures, raised};
use crate::target::target;
use crate::train::listener;
use crate::watched::watched;
use numpy::ndarray::Array4;
use numpy::{IntoPyArray, PyArray4};
use picloom::network::{Coords, Picture};
use picloom::probe::{Delta, View, WeightSweep};
use picloom::score::card::CardRecord;
use picloom::score::{Exhibit, Measurement, Protocol, ScoreRecord};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::atomic::{AtomicU64, Ordering};

/// Links that are swept before the caller is asked whether to go on.
const PART: usize = 32;

/// `view.sweep`, in parts, so that it can be stopped; `None` if it was.
fn swept(
    py: Python<'_>,
    view: &View,
    links: &[usize],
    delta: Delta,
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<Option<WeightSweep>> {
    let hear = listener(progress)?;
    let all = links.len().max(1) as f64;
    watched(
        py,
        |caller| {
            let done = AtomicU64::new(0);
            let told = |_| {
                let done = done.fetch_add(1, Ordering::Relaxed) + 1;
                caller.tell((done, done as f64 / all));
            };
            let mut whole = view.sweep(&[], delta, &|_| {});
            for part in links.chunks(PART) {
                if !caller.going_on() {
                    return None;
                }
                whole.perturbations.extend(view.sweep(part, delta, &told).perturbations);
            }
            whole.weights = links.len();
            Some(whole)
        },
        hear,
    )
}

/// Changes weights one at a time, down and up, until the picture has changed by the same amount.
///
/// Parameters
/// ----------
/// model : Model
/// size : int
///     Side of the pictures in pixels.
/// coords : str
///     "fer" (-1 to 1 across the picture) or "picbreeder".
/// progress : callable or tqdm bar, optional
///     Called with (weights done, their share).
/// **settings
///     `samples`, "all", an int or a sequence of int: which of the non-zero weights, so many drawn within layers by `seed`, or
///     these links. `delta`, "effect:E", until the RMSE between the pictures is E (± 15 %), or "fixed:D", by D (docs/SETTINGS.md).
///
/// Returns
/// -------
/// dict of arrays, one entry a perturbation, by link, downwards first
///     `link`; `layer`, of the link's target, 1 = first hidden; `delta`, the signed change of the weight; `rmse`, its
///     effect on the picture, in [0, 1]; `silent`, True if no change of up to 16 reaches 60 % of the effect.
///
/// Raises
/// ------
/// ValueError
///     A setting cannot be; no such link.
/// picloom.Error
///     progress answered False.
#[pyfunction]
#[pyo3(signature = (model, *, size = 128, coords = "fer", progress = None, **settings))]
pub(crate) fn sweep<'py>(
    py: Python<'py>,
    model: &Model,
    size: usize,
    coords: &str,
    progress: Option<Bound<'py, PyAny>>,
    settings: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyDict>> {
    let protocol: Protocol = crate::convert::settings(settings)?;
    let links = protocol.samples.links(&model.0, protocol.seed).map_err(refused)?;
    let (size, coords) = (check_size(size)?, parsed(coords)?);
    let view = py.detach(|| View::new(&model.0, size, coords));
    let swept = swept(py, &view, &links, protocol.delta, progress)?.ok_or_else(stopped)?;
    let rows = &swept.perturbations;
    let table = PyDict::new(py);
    table.set_item("link", column(py, rows, |p| p.link))?;
    table.set_item("layer", column(py, rows, |p| p.layer))?;
    table.set_item("delta", column(py, rows, |p| p.delta))?;
    table.set_item("rmse", column(py, rows, |p| p.rmse))?;
    table.set_item("silent", column(py, rows, |p| p.silent))?;
    Ok(table)
}

fn stopped() -> PyErr {
    failed("stopped by its progress function")
}

/// The pictures of one link at `steps` weights from w - span to w + span.
///
/// Parameters
/// ----------
/// model : Model
///     The network.
/// link : int
///     Which, below W.
/// span : float
///     How far the weight is moved.
/// steps : int
///     K, pictures.
/// size : int
///     Side in pixels.
/// coords : str
///     "fer" (-1 to 1 across the picture) or "picbreeder".
///
/// Returns
/// -------
/// (steps, size, size, 3) float32 in [0, 1]
///
/// Raises
/// ------
/// ValueError
///     No such link, a span that is not finite, no such size.
#[pyfunction]
#[pyo3(signature = (model, link, *, span = 2.0, steps = 9, size = 128, coords = "fer"))]
pub(crate) fn strip<'py>(
    py: Python<'py>,
    model: &Model,
    link: usize,
    span: f64,
    steps: usize,
    size: usize,
    coords: &str,
) -> PyResult<Bound<'py, PyArray4<f32>>> {
    let (size, coords): (usize, Coords) = (check_size(size)?, parsed(coords)?);
    let links = model.0.weights.0.len();
    expect(link < links, "", format!("link numbers below {links}"), link)?;
    expect(span.is_finite(), "span", "a finite number", span)?;
    let pictures = py.detach(|| View::new(&model.0, size, coords).strip(link, span, steps));
    let rgb: Vec<f32> = pictures.into_iter().flat_map(|p: Picture| p.rgb).collect();
    Ok(Array4::from_shape_vec((steps, size, size, 3), rgb).expect("three a pixel").into_pyarray(py))
}

/// How surely the picture still makes sense after a change of one weight: the judge's mean P(clean).
///
/// Parameters
/// ----------
/// model : Model
/// target : array, Genome or path, optional
///     What it should draw: a score counts only of a network that has learned its picture.
/// judge : str or callable, optional
///     As `--judge`: "dl" (default), "dl-threshold:threshold=0.2", "mock". A function is called with (base, pictures), (H, W, 3) and
///     (N, H, W, 3), and gives N probabilities that a picture is damaged.
/// measure : str or callable, optional
///     As `--measure`. A function gives a dict of numbers from a dict: what a program is asked (docs/PLUGINS.md), with
///     `picture`, `target` and `maps`.
/// size : int, optional
///     Side in pixels. Default: that of the target, else 128. Pictures are judged at 64 or more, whatever it is.
/// coords : str
///     "fer" (-1 to 1 across the picture) or "picbreeder".
/// name : str
///     What the record calls the network.
/// all : bool
///     Every other measure, too, as `picloom score --all`.
/// evolved : Model, optional
///     With `all`: the evolved network behind a trained one, to compare with.
/// progress : callable or tqdm bar, optional
///     Called with (weights done, their share).
/// **settings
///     `samples`, `delta` and `seed`, as in `sweep`.
///
/// Returns
/// -------
/// dict
///     The record of `picloom score`: `score`, `interval` (95 %), counts, `layers`, `fit`, `counts`, and every
///     perturbation with its verdict; `own`, what `measure` gave. With `all` the card: that record as `score`, and `measures`, a list of dicts
///     with `name`, `value`, `low`, `high`, `null` (weights shuffled within layers), `evolved` and `recommended`.
///
/// Raises
/// ------
/// ValueError, FileNotFoundError
///     A setting cannot be; no such target.
/// picloom.Error
///     progress answered False; the judge cannot be asked.
#[pyfunction]
#[pyo3(signature = (model, target = None, *, judge = None, measure = None, size = None, coords = "fer", name = "given", all = false, evolved = None, progress = None, **settings))]
#[expect(clippy::too_many_arguments, reason = "keyword arguments in Python")]
pub(crate) fn score<'py>(
    py: Python<'py>,
    model: &Model,
    target: Option<&Bound<'py, PyAny>>,
    judge: Option<&Bound<'py, PyAny>>,
    measure: Option<&Bound<'py, PyAny>>,
    size: Option<usize>,
    coords: &str,
    name: &str,
    all: bool,
    evolved: Option<&Model>,
    progress: Option<Bound<'py, PyAny>>,
    settings: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let coords: Coords = parsed(coords)?;
    let protocol: Protocol = crate::convert::settings(settings)?;
    let target = target.map(|given| self::target(given, size, coords, None)).transpose()?;
    let own = target.as_ref().map_or(crate::convert::SIZE, |picture| picture.width);
    let size = check_size(size.unwrap_or(own))?;
    let judge = self::judge(judge)?;
    let links = protocol.samples.links(&model.0, protocol.seed).map_err(refused)?;
    let exhibit = py.detach(|| Exhibit::new(&model.0, size, coords, target.as_ref()));
    let view = exhibit.view();
    let swept = swept(py, view, &links, protocol.delta, progress)?.ok_or_else(stopped)?;
    let found = py.detach(|| Measurement::of(&exhibit, swept, judge.as_ref())).map_err(raised)?;
    let take = |measure| measures(measure, (view, target.as_ref()), protocol.seed);
    let record = ScoreRecord {
        own: measure.map(take).transpose()?.unwrap_or_default(),
        judge_model_sha256: judge.identity().sha256,
        judge_usage: judge.usage(),
        ..ScoreRecord::of(name, &exhibit, &found, &protocol.samples, protocol.seed)
    };
    if !all {
        return plain(py, &record);
    }
    let (view, sweep) = (exhibit.view(), &found.sweep);
    let behind = evolved.map(|model| &model.0);
    let card = py.detach(|| CardRecord::of((view, sweep), record, judge.as_ref(), behind));
    plain(py, &card.map_err(raised)?)
}
