//! Plans: studies as files of cells, and shares of them worked on here.

use crate::convert::plain;
use crate::errors::{failed, of_file, parsed};
use crate::study::Watch;
use crate::train::listener;
use crate::watched::watched;
use picloom::experiment::cells::{TRIES, Worker};
use picloom::experiment::kinds::KINDS;
use picloom::experiment::plan::{self, Plan, PlanError, Planned, Share};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::path::{Path, PathBuf};

fn read(path: &Path) -> PyResult<Plan> {
    Plan::read(path).map_err(|e| of_file(path, e))
}

/// Plans studies: one cell a line, with all that a worker needs.
///
/// Parameters
/// ----------
/// specs : sequence of path
///     Specs (.toml); that of a whole study stands for its parts.
/// out : path
///     The plan (.jsonl).
/// profile : str, optional
///     "standard", or a profile of the specs.
/// runs : path
///     Folder of the run store with records that decide cells of the plan.
///
/// Returns
/// -------
/// dict
///     `cells`, their number; `core_seconds`, about how long they take on one core; `parts`, the studies.
///
/// Raises
/// ------
/// ValueError, FileNotFoundError
///     A spec cannot be used.
/// picloom.Error
///     The plan cannot be written.
#[pyfunction]
#[pyo3(name = "plan", signature = (specs, out, *, profile = None, runs = PathBuf::from("runs")))]
pub fn make<'py>(
    py: Python<'py>,
    specs: Vec<PathBuf>,
    out: PathBuf,
    profile: Option<&str>,
    runs: PathBuf,
) -> PyResult<Bound<'py, PyDict>> {
    let missing = specs.iter().find(|spec| !spec.exists());
    let refused = |e: PlanError| of_file(missing.unwrap_or(&PathBuf::from(".")), e);
    let planned = Planned::new(&KINDS, &specs, profile, &runs).map_err(refused)?;
    planned.write(&out).map_err(failed)?;
    let found = PyDict::new(py);
    found.set_item("cells", planned.plan.cells)?;
    found.set_item("core_seconds", planned.plan.core_seconds)?;
    found.set_item("parts", plain(py, &planned.plan.parts)?)?;
    Ok(found)
}

/// Works through a share of a plan, until each of its cells is finished or set aside, here or elsewhere.
///
/// Any number of processes, on any machines that see the store, may work on one plan: no cell is done twice. A call that
/// was ended goes on where it stood.
///
/// Parameters
/// ----------
/// plan : path
///     The plan (.jsonl).
/// store : path
///     Folder that all workers share.
/// share : tuple of int
///     (i, n) for share i of n, from (1, n) to (n, n). With as many shares as the plan has cells, each is one cell.
/// retry : bool
///     Also try cells again that were set aside.
/// progress : callable or tqdm bar, optional
///     Called with (cells of a study finished, their share).
///
/// Returns
/// -------
/// dict
///     `done`, cells finished by this call; `set_aside`, cells of the share that failed three times (`status` says why).
///
/// Raises
/// ------
/// ValueError, FileNotFoundError
///     There is no such plan or share.
/// picloom.Error
///     The store holds another plan, or cannot be written; progress answered False.
#[pyfunction]
#[pyo3(signature = (plan, store, *, share = (1, 1), retry = false, progress = None))]
pub fn run<'py>(
    py: Python<'py>,
    plan: PathBuf,
    store: PathBuf,
    share: (usize, usize),
    retry: bool,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let plan = read(&plan)?;
    let share: Share = parsed(&format!("{}/{}", share.0, share.1))?;
    if retry {
        plan.try_again(&store).map_err(failed)?;
    }
    let worker = Worker { tries: Some(TRIES), ..Worker::new() };
    let hear = listener(progress)?;
    let ended = watched(
        py,
        |caller| plan::work(&KINDS, &plan, &store, share, &worker, &mut Watch(caller)),
        hear,
    )?;
    let ended = ended.map_err(failed)?;
    if ended.is_stopped {
        return Err(failed("stopped by its progress function; the same call goes on"));
    }
    let found = PyDict::new(py);
    found.set_item("done", ended.done)?;
    found.set_item("set_aside", ended.aside)?;
    Ok(found)
}

/// How far a plan is, by the names of files in its store; nothing is written there.
///
/// Parameters
/// ----------
/// plan : path
///     The plan (.jsonl).
/// store : path
///     Folder that all workers share.
///
/// Returns
/// -------
/// dict
///     `cells`, `done`, `waiting` (numbers), `running` and `failed` (dicts, one a cell), `core_seconds_left`, `seconds_left`.
///
/// Raises
/// ------
/// ValueError, FileNotFoundError
///     There is no such plan.
#[pyfunction]
pub fn status<'py>(py: Python<'py>, plan: PathBuf, store: PathBuf) -> PyResult<Bound<'py, PyAny>> {
    let read = read(&plan)?;
    let found = py.detach(|| plan::status(&KINDS, &read, &plan, &store));
    plain(py, &found.map_err(|e| of_file(&plan, e))?)
}

/// Writes `study.json` and `rows.csv.gz` of every study of a plan into its folder of the store.
///
/// Parameters
/// ----------
/// plan : path
///     The plan (.jsonl).
/// store : path
///     Folder that all workers share.
///
/// Returns
/// -------
/// dict
///     The path of its table by the name of each study: `read_rows` reads it.
///
/// Raises
/// ------
/// ValueError, FileNotFoundError
///     There is no such plan.
/// picloom.Error
///     A cell is neither finished nor set aside; files cannot be written.
#[pyfunction]
pub fn collect<'py>(
    py: Python<'py>,
    plan: PathBuf,
    store: PathBuf,
) -> PyResult<Bound<'py, PyDict>> {
    let read = read(&plan)?;
    let found = PyDict::new(py);
    for (study, collected) in py.detach(|| plan::collect(&KINDS, &read, &store)).map_err(failed)? {
        found.set_item(study, collected.folder.join("rows.csv.gz"))?;
    }
    Ok(found)
}
