//! `prune`: rounds of choosing links and training what is left.

use crate::convert::{keywords, named, plain};
use crate::errors::{expect, failed, parsed, refused};
use crate::genome::Genome;
use crate::model::{Model, Numbers, weights_of};
use crate::own::OwnMethod;
use crate::target::target;
use crate::train::{Observer, TrainReport, fit_of, listener};
use crate::watched::watched;
use picloom::base::settings::Settings;
use picloom::experiment::PruneParent;
use picloom::network::{Coords, Mask, layered_arch, layerize};
use picloom::prune::schedule::Aim;
use picloom::prune::{Began, InMemory, RoundRecord, Trained, rounds};
use picloom::run::Target;
use picloom::train::{StopReason, TrainConfig};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The result of a pruning.
#[pyclass(module = "picloom", frozen)]
pub struct PruneReport {
    /// The pruned and retrained network.
    #[pyo3(get)]
    model: Py<Model>,
    rounds: Vec<RoundRecord>,
    /// Links kept by the last round.
    #[pyo3(get)]
    kept: usize,
    /// Mean squared error to the target after the last retraining.
    #[pyo3(get)]
    final_loss: f64,
    /// Share of the target's variance that is explained.
    #[pyo3(get)]
    r2: f64,
}

#[pymethods]
impl PruneReport {
    /// The rounds as dicts: rule, links kept and alive, score of every link, what changed, what it took.
    #[getter]
    fn rounds<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        plain(py, &self.rounds)
    }

    fn __repr__(&self) -> String {
        let PruneReport { rounds, kept, r2, .. } = self;
        format!("PruneReport(rounds={}, kept={kept}, r2={r2:.4})", rounds.len())
    }
}

/// The parent of a pruning: a training, which can be rewound, or a model with its target.
fn parent(
    trained: &Bound<'_, PyAny>,
    target: Option<&Bound<'_, PyAny>>,
    size: Option<usize>,
    coords: Coords,
    initial: Option<Numbers<'_>>,
) -> PyResult<Trained> {
    if let Ok(report) = trained.cast::<TrainReport>() {
        let report = report.get();
        if target.is_some() || size.is_some() || initial.is_some() {
            let text =
                "a TrainReport knows its target, size and first weights; expected none of them";
            return Err(refused(text));
        }
        let problem = &report.problem;
        return Ok(Trained {
            name: "given".into(),
            model: report.model.get().0.clone(),
            inputs: problem.inputs.clone(),
            target: problem.target.clone(),
            train: report.config.clone(),
            steps: report.steps,
            attempt: report.report.earlier().len() as u32,
            began: problem.start.clone().map_or(Began::Drawn, Began::Given),
            continues: false,
            moving_links: false,
        });
    }
    let model =
        trained.cast::<Model>().map_err(|_| refused("expected a Model or a TrainReport"))?;
    let model = &model.get().0;
    let target = target.ok_or_else(|| refused("expected a target for a Model, found none"))?;
    let picture = self::target(target, size, coords, None)?;
    let initial = initial.map(|given| weights_of(&model.network, &given)).transpose()?;
    let target = Target::of_picture("given".into(), picture);
    Ok(PruneParent::given(model.clone(), initial, &target, coords).trained)
}

/// Prunes a network and retrains what is left, in rounds.
///
/// Parameters
/// ----------
/// trained : TrainReport or Model
///     A report knows its target and where its training began, so that it can be rewound; a model needs `target`, and
///     `initial`, its (W,) weights before training, for methods that go back to them.
/// target : array, Genome or path, optional
///     As in `train`.
/// evolved : Genome, optional
///     Whose layered wiring is the mask of the method "evolved".
/// initial : (W,) array, optional
///     Of a model: its weights before training.
/// size, coords
///     As in `train`.
/// progress
///     As in `train`.
/// **settings
///     `method`, `budget`, `threshold`, `rounds`, `retrain`, … as the options of `picloom prune`, and settings of each
///     retraining as in `train`. `method` may be a function that gives (W,) scores, a larger one stays, from a dict: what a
///     program is asked (docs/PLUGINS.md), with `maps`.
///
/// Returns
/// -------
/// PruneReport
///
/// Raises
/// ------
/// ValueError
///     A setting cannot be, the method lacks something, or the training cannot be gone back to.
/// picloom.Error
///     `progress` ended it.
#[pyfunction]
#[pyo3(signature = (trained, target = None, *, evolved = None, initial = None, size = None, coords = "fer", progress = None, **settings))]
#[expect(clippy::too_many_arguments, reason = "keyword arguments in Python")]
pub(crate) fn prune(
    py: Python<'_>,
    trained: &Bound<'_, PyAny>,
    target: Option<&Bound<'_, PyAny>>,
    evolved: Option<&Genome>,
    initial: Option<Numbers<'_>>,
    size: Option<usize>,
    coords: &str,
    progress: Option<Bound<'_, PyAny>>,
    settings: Option<&Bound<'_, PyDict>>,
) -> PyResult<PruneReport> {
    let settings = settings.map_or_else(|| Ok(PyDict::new(py)), |given| given.copy())?;
    let own = OwnMethod::take(&settings)?;
    let trained = parent(trained, target, size, parsed(coords)?, initial)?;
    let evolved = match evolved {
        None => None,
        Some(genome) => {
            let arch = layered_arch(&genome.0);
            let is_it = trained.model.network.arch.as_ref() == Some(&arch);
            let expected = "a genome whose layered network is the one pruned";
            expect(is_it, "evolved", expected, format!("arch {arch}"))?;
            Some(Mask::non_zero(&layerize(&genome.0).weights))
        }
    };
    let mut settings = keywords(Some(&settings))?;
    let aim = Aim::default().with(&named::<Aim>(&mut settings)).map_err(refused)?;
    let train = TrainConfig::default().with(&settings).map_err(refused)?;
    let mut plan = aim.plan(&trained.model, train).map_err(refused)?;
    // Controls that copy another arm's masks are for studies.
    plan.evolved = evolved;
    let hear = listener(progress)?;
    let work = |caller: &crate::watched::Caller<(u64, f64)>| {
        let mut observer = Observer { caller, history: &mut Vec::new() };
        self::rounds(&trained, &plan, &mut InMemory(&mut observer))
    };
    let (rounds, last) = watched(py, work, hear)?.map_err(|error| {
        own.as_ref().and_then(OwnMethod::raised).unwrap_or_else(|| refused(error))
    })?;
    let Some(links) = last else {
        return Err(failed(format!("{:?}: no round was finished", StopReason::Interrupted)));
    };
    let model = picloom::network::Model {
        network: trained.model.network.clone(),
        mask: links.live,
        weights: links.weights,
    };
    let fit = fit_of(&model, &trained.inputs, &trained.target);
    Ok(PruneReport {
        kept: rounds.last().map_or(0, |round: &RoundRecord| round.kept),
        final_loss: fit.mse,
        r2: fit.r2,
        model: Py::new(py, Model(model))?,
        rounds,
    })
}
