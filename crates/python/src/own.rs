//! Python functions in the place of pruning methods, judges and measures. They are asked what a program is asked
//! (docs/PLUGINS.md), with NumPy arrays in the place of files.

use crate::convert::{of_plain, picture_array, plain};
use crate::errors::{failed, parsed, refused};
use numpy::ndarray::ArrayD;
use numpy::{IntoPyArray, PyArrayDyn};
use picloom::base::SimRng;
use picloom::base::refusal::Refusal;
use picloom::network::Picture;
use picloom::probe::View;
use picloom::prune::{EdgeContext, LinkScorer, Question as MethodQuestion, Rule};
use picloom::prune::{add_method, remove_method};
use picloom::score::judges::verdicts;
use picloom::score::measures::command::{MeasureChoice, Named, NamedArray, Question, checked};
use picloom::score::{BaseReading, Judge, JudgeChoice, JudgeError, Verdict};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// A question as a dict: lists of numbers are arrays, and so are `arrays`.
fn question<'py>(
    py: Python<'py>,
    asked: &impl Serialize,
    arrays: Vec<NamedArray>,
) -> PyResult<Bound<'py, PyDict>> {
    let question = plain(py, asked)?.cast_into::<PyDict>()?;
    let numpy = py.import("numpy")?;
    for key in ["layers", "sources", "targets", "weights", "alive", "gradient"] {
        if let Some(list) = question.get_item(key)? {
            question.set_item(key, numpy.call_method1("asarray", (list,))?)?;
        }
    }
    for (name, shape, values) in arrays {
        question.set_item(name, array(py, shape, values))?;
    }
    Ok(question)
}

fn array(py: Python<'_>, shape: Vec<usize>, values: Vec<f32>) -> Bound<'_, PyArrayDyn<f32>> {
    ArrayD::from_shape_vec(shape, values).expect("one value a place").into_pyarray(py)
}

/// What a function answered, or a `ValueError` that says what was expected of the `role`.
fn answer<T: DeserializeOwned>(
    role: &str,
    expected: &str,
    given: &Bound<'_, PyAny>,
) -> PyResult<T> {
    let found = |error: PyErr| refused(Refusal::new(role, expected, error.to_string()));
    of_plain(given).map_err(found)
}

/// A pruning method for as long as this lives. It has a name of its own, so that several prune at a time.
pub(crate) struct OwnMethod(String, Raised);

/// The exception that a function raised.
type Raised = Arc<Mutex<Option<PyErr>>>;

struct Scorer(Py<PyAny>, Raised);

impl OwnMethod {
    /// Takes a function from the settings of a pruning and puts the name of a method there.
    pub(crate) fn take(settings: &Bound<'_, PyDict>) -> PyResult<Option<Self>> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let Some(method) = settings.get_item("method")?.filter(|method| method.is_callable())
        else {
            return Ok(None);
        };
        let name = format!("python-{}", NUMBER.fetch_add(1, Ordering::Relaxed));
        let raised = Raised::default();
        add_method(&name, Scorer(method.unbind(), raised.clone())).map_err(refused)?;
        settings.set_item("method", format!("own:{name}"))?;
        Ok(Some(OwnMethod(name, raised)))
    }

    /// The exception that the function raised, if it did.
    pub(crate) fn raised(&self) -> Option<PyErr> {
        self.1.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl Drop for OwnMethod {
    fn drop(&mut self) {
        remove_method(&self.0);
    }
}

impl LinkScorer for Scorer {
    fn scores(
        &self,
        round: &EdgeContext<'_>,
        rule: Rule,
        rng: &mut SimRng,
    ) -> Result<Vec<f64>, String> {
        let asked = MethodQuestion::of("own", round, rule, rng).map_err(|e| e.to_string())?;
        let maps =
            round.maps.map(|m| ("maps".to_string(), vec![m.units, m.pixels], m.values.clone()));
        let found = Python::attach(|py| {
            let found = self.0.call1(py, (question(py, &asked, maps.into_iter().collect())?,))?;
            answer("method", "a number for each link", found.bind(py))
        });
        found.map_err(|error| {
            let text = error.to_string();
            *self.1.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
            text
        })
    }
}

/// A judge by its text, or a function of (base, pictures) that gives N probabilities.
pub(crate) fn judge(given: Option<&Bound<'_, PyAny>>) -> PyResult<Box<dyn Judge>> {
    let Some(given) = given else { return JudgeChoice::default().build().map_err(refused) };
    if given.is_callable() {
        let name = given.getattr("__name__").map_or("function".into(), |name| name.to_string());
        return Ok(Box::new(Function(given.clone().unbind(), name)));
    }
    parsed::<JudgeChoice>(given.extract()?)?.build().map_err(refused)
}

struct Function(Py<PyAny>, String);

struct Reading<'a>(&'a Py<PyAny>, &'a Picture);

impl Judge for Function {
    fn name(&self) -> String {
        format!("python/{}", self.1)
    }

    fn read_base<'a>(&'a self, base: &'a Picture) -> Box<dyn BaseReading + 'a> {
        Box::new(Reading(&self.0, base))
    }

    fn takes_many(&self) -> bool {
        true
    }
}

impl BaseReading for Reading<'_> {
    fn judge(&self, perturbed: &Picture) -> Result<Verdict, JudgeError> {
        Ok(self.judge_many(std::slice::from_ref(perturbed))?.remove(0))
    }

    fn judge_many(&self, pictures: &[Picture]) -> Result<Vec<Verdict>, JudgeError> {
        let ask = |py: Python<'_>| {
            let shape = vec![pictures.len(), self.1.height, self.1.width, 3];
            let all = pictures.iter().flat_map(|picture| picture.rgb.iter().copied()).collect();
            let base = picture_array(py, self.1.clone());
            let found = self.0.call1(py, (base, array(py, shape, all)))?;
            let expected = format!("{} probabilities", pictures.len());
            let found = answer("judge", &expected, found.bind(py))?;
            verdicts("judge", found, pictures.len()).map_err(refused)
        };
        Python::attach(ask).map_err(|error| JudgeError::Other(Box::new(error)))
    }
}

/// Why there is no score, with the exception of a function as it was raised.
pub(crate) fn raised(error: JudgeError) -> PyErr {
    match error {
        JudgeError::Other(inner) => inner.downcast::<PyErr>().map_or_else(failed, |error| *error),
        other => failed(other),
    }
}

/// Measures by a program's text, or by a function that gives a dict of numbers.
pub(crate) fn measures(
    given: &Bound<'_, PyAny>,
    (view, target): (&View, Option<&Picture>),
    seed: u64,
) -> PyResult<Named> {
    let py = given.py();
    if !given.is_callable() {
        let choice = parsed::<MeasureChoice>(given.extract()?)?.found().map_err(refused)?;
        return py.detach(|| choice.of(view, target, seed)).map_err(failed);
    }
    let asked = question(py, &Question::of(view, seed), Question::arrays(view, target))?;
    let found = answer("measure", "a dict of numbers by their names", &given.call1((asked,))?)?;
    checked(found).map_err(|refusal| refused(refusal.within("measure")))
}
