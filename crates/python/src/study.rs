//! Folders of results: runs, studies that workers share, and the depth sweep of a picture.

use crate::convert::{check_size, keywords, picture_array, plain};
use crate::errors::{failed, of_file, parsed, refused};
use crate::genome::Genome;
use crate::model::Model;
use crate::train::{history, listener};
use crate::watched::{Caller, watched};
use picloom::base::settings::Settings;
use picloom::experiment::depth::{DepthModel, Sweep, depth_curves, png_ratio};
use picloom::experiment::kinds::KINDS;
use picloom::experiment::networks::{NetworksRecord, StudySettings};
use picloom::experiment::template::{Changes, Subject, Template};
use picloom::network::Coords;
use picloom::run::{load_run as load, read_metrics};
use picloom::study::Record;
use picloom::study::cells::{Worker, study_folder};
use picloom::study::kinds::{Study, begin, read_study};
use picloom::study::spec::SpecFile;
use picloom::study::whole::parts;
use picloom::study::workers::{Progress, StudyObserver};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::path::PathBuf;

/// A finished run read back from its folder.
///
/// Parameters
/// ----------
/// folder : path
///     The run.
///
/// Returns
/// -------
/// dict
///     `config`, `result` (plain dicts), `model`, `target` (S, S, 3), `history` (as `TrainReport.history`), `genome`
///     (of a graph, else None).
///
/// Raises
/// ------
/// FileNotFoundError, ValueError
///     There is no such folder, or it holds no finished run.
#[pyfunction]
pub(crate) fn load_run(py: Python<'_>, folder: PathBuf) -> PyResult<Bound<'_, PyDict>> {
    let run = load(&folder).map_err(|e| of_file(&folder, e))?;
    let metrics = read_metrics(&folder).map_err(|e| of_file(&folder, e))?;
    let found = PyDict::new(py);
    found.set_item("config", plain(py, &run.config)?)?;
    found.set_item("result", plain(py, &run.result)?)?;
    found.set_item("model", Model(run.model))?;
    found.set_item("target", picture_array(py, run.target))?;
    found.set_item("history", history(py, &metrics)?)?;
    found.set_item("genome", run.genome.map(Genome))?;
    Ok(found)
}

const STOPPED: &str = "stopped by its progress function; the same call goes on";

/// Passes a study's progress on: cells finished, and their share.
struct Watch<'a, 'c>(&'a Caller<'c, (u64, f64)>);

impl StudyObserver for Watch<'_, '_> {
    fn cell(&mut self, progress: &Progress, _: &str, _: Option<&str>) {
        let ended = progress.done + progress.failed;
        self.0.tell((ended as u64, ended as f64 / progress.total.max(1) as f64));
    }

    fn going_on(&mut self) -> bool {
        self.0.going_on()
    }
}

/// Works through a study, until each of its cells is finished or has failed, here or elsewhere.
///
/// Any number of processes, on any machines that see the store, may work on one study: no cell is done twice. A call
/// that was ended goes on where it stood.
///
/// Parameters
/// ----------
/// spec : path
///     Spec (.toml); that of a whole study stands for its parts, one after the other.
/// store : path
///     Folder that all workers share.
/// profile : str, optional
///     "standard", or a profile of the spec.
/// shard : tuple of int
///     (i, n) for share i of n of the cells, from (1, n) to (n, n).
/// progress : callable or tqdm bar, optional
///     Called with (cells of a study finished, their share).
///
/// Returns
/// -------
/// dict
///     `done`, cells finished by this call; `failed`, cells of the shard that failed meanwhile (`study_status` says why);
///     `missing`, cells of other shards that are still to come; `rows`, the path of the table by the name of each
///     study of which no cell is missing: `read_rows` reads it.
///
/// Raises
/// ------
/// ValueError, FileNotFoundError
///     The spec cannot be used, or needs the record of a study that was not run; there is no such shard.
/// picloom.Error
///     The store cannot be written; progress answered False.
#[pyfunction]
#[pyo3(signature = (spec, store, *, profile = None, shard = (1, 1), progress = None))]
pub(crate) fn run_study<'py>(
    py: Python<'py>,
    spec: PathBuf,
    store: PathBuf,
    profile: Option<&str>,
    shard: (usize, usize),
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let shard = parsed(&format!("{}/{}", shard.0, shard.1))?;
    let parts = parts(&KINDS, &spec, profile, &store).map_err(|e| of_file(&spec, e))?;
    let (mut done, mut failures, mut missing) = (0, 0, 0);
    let rows = PyDict::new(py);
    for part in parts {
        let path = part.file.path();
        let study =
            read_study(&KINDS, &part.file, profile, &store).map_err(|e| of_file(path, e))?;
        let analysis = part.file.analysis().map_err(refused)?;
        let folder = begin(study.as_ref(), &analysis, &store).map_err(failed)?;
        let worker = Worker { shard: part.shard(shard), ..Worker::new() };
        let hear = listener(progress.clone())?;
        let worked = watched(py, |caller| study.work(&store, &worker, &mut Watch(caller)), hear)?;
        let worked = worked.map_err(failed)?.ok_or_else(|| failed(STOPPED))?;
        (done, failures) = (done + worked.done, failures + worked.failed);
        missing += worked.missing;
        if worked.record.is_some() {
            rows.set_item(study.name(), folder.join("rows.csv.gz"))?;
        }
    }
    let found = PyDict::new(py);
    found.set_item("done", done)?;
    found.set_item("failed", failures)?;
    found.set_item("missing", missing)?;
    found.set_item("rows", rows)?;
    Ok(found)
}

/// Counts the cells of a study by their state; nothing is written.
///
/// Parameters
/// ----------
/// spec : path
///     Spec (.toml) of one study.
/// store : path
///     Folder that all workers share.
/// profile : str, optional
///     "standard", or a profile of the spec.
///
/// Returns
/// -------
/// dict
///     `total`, `done`, `free` (numbers of cells), `failed` and `held` (dicts, one a cell), `core_seconds_left`.
///
/// Raises
/// ------
/// ValueError, FileNotFoundError
///     The spec cannot be used, or needs the record of a study that was not run.
#[pyfunction]
#[pyo3(signature = (spec, store, *, profile = None))]
pub(crate) fn study_status<'py>(
    py: Python<'py>,
    spec: PathBuf,
    store: PathBuf,
    profile: Option<&str>,
) -> PyResult<Bound<'py, PyAny>> {
    let file = SpecFile::read(&spec).map_err(|e| of_file(&spec, e))?;
    let study = read_study(&KINDS, &file, profile, &store).map_err(|e| of_file(&spec, e))?;
    plain(py, &py.detach(|| study.status(&store)).map_err(failed)?)
}

/// Trains networks of several depths on one picture and scores them by depth.
///
/// A call that was ended goes on where it stood; one that is finished is only read.
///
/// Parameters
/// ----------
/// picture : path
///     Picture or genome.
/// depths, seeds : sequence of int, optional
///     Numbers of hidden layers, and seeds of the trainings. Default: those of `picloom experiment depth-sweep`.
/// steps, size : int, optional
///     Steps of each training, side in pixels.
/// fit : str, optional
///     What becomes of a picture that is not square: "crop", "pad" or "squash".
/// runs : path
///     Folder of the run store.
/// progress : callable or tqdm bar, optional
///     Called with (networks done, their share).
/// **settings
///     Settings of a study: `samples=60`, `judge="mock"`, … (docs/SETTINGS.md).
///
/// Returns
/// -------
/// dict
///     `record`, the path of the study's record; `dense` and `sp`, the curves of the dense and the pruned networks:
///     `points` (layers, scores by seed), `best` and `chosen` (hidden layers, or None).
///
/// Raises
/// ------
/// ValueError, FileNotFoundError
///     A setting is outside its range, or there is no such picture.
/// picloom.Error
///     The folder cannot be written, or progress answered False.
#[pyfunction]
#[pyo3(signature = (picture, *, depths = None, seeds = None, steps = None, size = None, fit = None, runs = PathBuf::from("runs"), progress = None, **settings))]
#[expect(clippy::too_many_arguments, reason = "keyword arguments in Python")]
pub(crate) fn depth_sweep<'py>(
    py: Python<'py>,
    picture: PathBuf,
    depths: Option<Vec<usize>>,
    seeds: Option<Vec<u64>>,
    steps: Option<u64>,
    size: Option<usize>,
    fit: Option<&str>,
    runs: PathBuf,
    progress: Option<Bound<'py, PyAny>>,
    settings: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyDict>> {
    size.map(check_size).transpose()?;
    let changes = Changes {
        depths,
        seeds,
        steps,
        size,
        own: StudySettings::by_key(&keywords(settings)?).map_err(refused)?,
        ..Changes::default()
    };
    let fit = fit.map(parsed).transpose()?;
    let subject = Subject::read(&picture, fit).map_err(|e| of_file(&picture, e))?;
    let single = Template::DepthSweep.of(subject, &changes).map_err(|e| of_file(&picture, e))?;
    let study = single.study;
    let folder = study_folder(&study, &runs);
    let hear = listener(progress)?;
    let worker = Worker::new();
    let ran = watched(py, |caller| Study::work(&study, &runs, &worker, &mut Watch(caller)), hear)?;
    if ran.map_err(failed)?.is_none() {
        return Err(failed(STOPPED));
    }
    let record = NetworksRecord::read(&folder).map_err(failed)?;
    let found = PyDict::new(py);
    found.set_item("rows", folder.join("rows.csv.gz"))?;
    for (arm, sweep) in [("dense", Sweep::DENSE), ("sp", Sweep::SP)] {
        let curves = depth_curves(&record, sweep);
        found.set_item(arm, plain(py, &curves.first())?)?;
    }
    Ok(found)
}

/// Predicts from how well a picture compresses at which depth its score is highest.
///
/// Parameters
/// ----------
/// picture : array, Genome or path
///     As the target of `train`.
/// fit : str, optional
///     What becomes of a picture that is not square: "crop", "pad" or "squash".
///
/// Returns
/// -------
/// dict
///     `layers`, the predicted number of hidden layers; `ratio`, PNG bytes / raw bytes; `error`, the mean error in
///     layers on targets left out.
///
/// Raises
/// ------
/// ValueError, FileNotFoundError
///     There is no such picture, or it is not square.
#[pyfunction]
#[pyo3(signature = (picture, *, fit = None))]
pub(crate) fn predict_depth<'py>(
    py: Python<'py>,
    picture: &Bound<'py, PyAny>,
    fit: Option<&str>,
) -> PyResult<Bound<'py, PyAny>> {
    let model = DepthModel::shipped();
    let target = crate::target::target(picture, Some(model.size), Coords::default(), fit)?;
    let ratio = png_ratio(&target);
    let layers = model.layers(ratio);
    plain(py, &serde_json::json!({ "ratio": ratio, "layers": layers, "error": model.error }))
}
