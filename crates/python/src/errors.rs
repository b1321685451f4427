//! The crate's errors as Python's: what was given is wrong (`ValueError`), a file is not there
//! (`FileNotFoundError`), or the work failed (`picloom.Error`). The messages are the program's.

use picloom::base::refusal::Refusal;
use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyFileNotFoundError, PyValueError};
use pyo3::prelude::*;
use std::fmt::Display;
use std::path::Path;
use std::str::FromStr;

create_exception!(
    picloom,
    Error,
    PyException,
    "The work failed; the message says what and what to do."
);

/// The error of an argument that is not valid.
pub(crate) fn refused(error: impl Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// Refuses an argument unless `holds`.
pub(crate) fn expect(
    holds: bool,
    at: &str,
    expected: impl Into<String>,
    found: impl Display,
) -> PyResult<()> {
    Refusal::unless(holds, at, expected, found).map_err(refused)
}

/// The work failed.
pub(crate) fn failed(error: impl Display) -> PyErr {
    Error::new_err(error.to_string())
}

/// The error of a file that is missing or damaged.
pub(crate) fn of_file(path: &Path, error: impl Display) -> PyErr {
    if path.exists() { refused(error) } else { PyFileNotFoundError::new_err(error.to_string()) }
}

/// A name or choice from its text.
pub(crate) fn parsed<T: FromStr<Err: Display>>(text: &str) -> PyResult<T> {
    text.parse().map_err(refused)
}
