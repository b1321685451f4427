//! Gradient descent: `train`, and `Trainer`, which can be interrupted and goes on.

use crate::convert::{column, plain, settings};
use crate::errors::{parsed, refused};
use crate::family::conditioned;
use crate::model::{Model, Numbers, weights_of};
use crate::target::target;
use crate::watched::{Caller, watched};
use numpy::PyArrayLike2;
use picloom::network::kernel::render;
use picloom::network::{Coords, Picture, PixelInputs};
use picloom::score::Fit;
use picloom::train::{
    LogLine, Problem, TrainConfig, TrainObserver, TrainState, Trainer as AnyTrainer,
};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Who is told how far the work is: a function of (what is done, a number), or a bar as tqdm's, with
/// `update`. None if nobody is.
///
/// # Errors
/// Python's, when it is asked whether it is a bar.
#[expect(clippy::type_complexity, reason = "a closure: its type has no shorter name")]
pub(crate) fn listener(
    told: Option<Bound<'_, PyAny>>,
) -> PyResult<Option<impl FnMut(Python<'_>, (u64, f64)) -> PyResult<bool> + Send + use<>>> {
    let Some(told) = told else { return Ok(None) };
    let (is_bar, told, mut shown) = (told.hasattr("update")?, told.unbind(), 0);
    Ok(Some(move |py: Python<'_>, (done, value): (u64, f64)| {
        let told = told.bind(py);
        if is_bar {
            // A new attempt begins at 0 again; a bar does not go back.
            told.call_method1("update", (done.saturating_sub(shown),))?;
            shown = shown.max(done);
            return Ok(true);
        }
        let answer = told.call1((done, value))?;
        Ok(!answer.is(pyo3::types::PyBool::new(py, false)))
    }))
}

/// How well a network draws what it was trained on.
pub(crate) fn fit_of(
    model: &picloom::network::Model,
    inputs: &PixelInputs,
    target: &Picture,
) -> Fit {
    let rgb = render(&model.network, &model.weights, inputs);
    Fit::of(&Picture { rgb, ..target.clone() }, target)
}

/// Keeps the logged steps and passes them on.
pub(crate) struct Observer<'a, 'c> {
    pub caller: &'a Caller<'c, (u64, f64)>,
    pub history: &'a mut Vec<LogLine>,
}

impl TrainObserver for Observer<'_, '_> {
    fn logged(&mut self, line: &LogLine) {
        self.history.push(*line);
        self.caller.tell((line.step, line.loss));
    }

    fn step_done(&mut self, _: &TrainState) -> bool {
        self.caller.going_on()
    }
}

/// The logged steps as a dict of arrays, (logged steps,) each.
pub(crate) fn history<'py>(py: Python<'py>, lines: &[LogLine]) -> PyResult<Bound<'py, PyDict>> {
    let table = PyDict::new(py);
    table.set_item("attempt", column(py, lines, |l| l.attempt))?;
    table.set_item("step", column(py, lines, |l| l.step))?;
    table.set_item("loss", column(py, lines, |l| l.loss))?;
    table.set_item("grad_norm", column(py, lines, |l| l.grad_norm))?;
    table.set_item("lr", column(py, lines, |l| l.lr))?;
    table.set_item("evaluations", column(py, lines, |l| l.evaluations))?;
    table.set_item("seconds", column(py, lines, |l| l.seconds))?;
    Ok(table)
}

/// The result of a training.
#[pyclass(module = "picloom", frozen)]
pub struct TrainReport {
    /// The trained network.
    #[pyo3(get)]
    pub model: Py<Model>,
    /// Steps of the last attempt.
    #[pyo3(get)]
    pub steps: u64,
    /// Gradient evaluations of the last attempt; of an evolution strategy, losses.
    #[pyo3(get)]
    evaluations: u64,
    /// Mean squared error over all pixels and channels after the last step; NaN if it diverged.
    #[pyo3(get)]
    final_loss: f64,
    /// Share of the target's variance that is explained: 1 is perfect.
    #[pyo3(get)]
    r2: f64,
    pub report: picloom::train::TrainReport,
    history: Vec<LogLine>,
    /// The training problem: pruning goes back to it.
    pub problem: Problem,
    pub config: TrainConfig,
}

#[pymethods]
impl TrainReport {
    /// Why it ended: "step-limit", "target-loss", "plateau", "collapsed", "diverged", "interrupted".
    #[getter]
    fn stop(&self, py: Python<'_>) -> PyResult<String> {
        plain(py, &self.report.stop)?.get_item("reason")?.extract()
    }

    /// Attempts that collapsed into one colour before: dicts of attempt, step, evaluations, loss.
    #[getter]
    fn collapses<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        plain(py, &self.report.collapses)
    }

    /// The logged steps: a dict of arrays (one entry a logged step) attempt, step, loss (MSE before
    /// the step), grad_norm (before normalising), lr, evaluations, seconds.
    #[getter(history)]
    fn history_arrays<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        history(py, &self.history)
    }

    /// All settings, resolved, nested as in a run's config.toml.
    #[getter(config)]
    fn config_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        plain(py, &self.config)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let loss = format!("{:.4e}, r2={:.4}", self.final_loss, self.r2);
        Ok(format!("TrainReport({:?}, steps={}, final_loss={loss})", self.stop(py)?, self.steps))
    }
}

/// A training in progress. Interrupted by Ctrl-C or by its progress function, `run` goes on to the
/// same bits.
#[pyclass(module = "picloom")]
pub struct Trainer {
    trainer: AnyTrainer,
    config: TrainConfig,
    history: Vec<LogLine>,
}

#[pymethods]
impl Trainer {
    /// Prepares a training; the parameters are those of `train`.
    #[new]
    #[pyo3(signature = (model, target, *, conditions = None, size = None, coords = "fer", fit = None, start = None, **settings))]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments in Python")]
    fn new(
        model: &Model,
        target: &Bound<'_, PyAny>,
        conditions: Option<PyArrayLike2<'_, f64, numpy::AllowTypeChange>>,
        size: Option<usize>,
        coords: &str,
        fit: Option<&str>,
        start: Option<Numbers<'_>>,
        settings: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Trainer> {
        let coords: Coords = parsed(coords)?;
        let (inputs, target) = match conditions {
            None => {
                let target = self::target(target, size, coords, fit)?;
                (PixelInputs::full(target.width, coords), target)
            }
            Some(conditions) => {
                let factors = model.0.network.factors();
                let rows = conditions.as_array().rows().into_iter().map(|z| z.to_vec()).collect();
                let set = conditioned(target, rows, factors, size, coords)?;
                (set.inputs(coords), set.pictures)
            }
        };
        let config: TrainConfig = self::settings(settings)?;
        let mut start = start.map(|given| weights_of(&model.0.network, &given)).transpose()?;
        start.iter_mut().for_each(|start| model.0.mask.apply(start));
        let problem = Problem {
            network: model.0.network.clone(),
            mask: model.0.mask.clone(),
            inputs,
            target,
            start,
        };
        let trainer = AnyTrainer::new(problem, config.clone()).map_err(refused)?;
        Ok(Trainer { trainer, config, history: Vec::new() })
    }

    /// Trains until there is a reason to stop.
    ///
    /// `progress` is called now and then from this thread: with (step, loss), or, if it has `update`
    /// (a tqdm bar), with the steps made since. If it answers False, or raises, training ends.
    ///
    /// Parameters
    /// ----------
    /// progress : callable or tqdm bar, optional
    ///     As in `train`.
    ///
    /// Returns
    /// -------
    /// TrainReport
    ///
    /// Raises
    /// ------
    /// KeyboardInterrupt
    ///     Ctrl-C, at the next step; `run` goes on.
    #[pyo3(signature = (progress = None))]
    fn run(&mut self, py: Python<'_>, progress: Option<Bound<'_, PyAny>>) -> PyResult<TrainReport> {
        let hear = listener(progress)?;
        let Trainer { trainer, history, .. } = self;
        let report = watched(py, |caller| trainer.run(&mut Observer { caller, history }), hear)?;
        let problem = self.trainer.problem().clone();
        let model = picloom::network::Model {
            network: problem.network.clone(),
            mask: problem.mask.clone(),
            weights: self.trainer.state().weights.clone(),
        };
        Ok(TrainReport {
            r2: fit_of(&model, &problem.inputs, &problem.target).r2,
            steps: report.steps,
            evaluations: report.evaluations,
            final_loss: report.final_loss,
            model: Py::new(py, Model(model))?,
            report,
            history: self.history.clone(),
            problem,
            config: self.config.clone(),
        })
    }

    /// (W,) the weights now.
    #[getter]
    fn weights<'py>(&self, py: Python<'py>) -> Bound<'py, numpy::PyArray1<f32>> {
        numpy::IntoPyArray::into_pyarray(self.trainer.state().weights.0.clone(), py)
    }

    /// Steps made in this attempt.
    #[getter]
    fn step(&self) -> u64 {
        self.trainer.state().step
    }
}
