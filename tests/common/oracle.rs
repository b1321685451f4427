//! Numbers of oracles: JSON that other programs wrote.

use serde_json::Value;

pub(crate) fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("expected a number, found {value}"))
}

pub(crate) fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(number).collect()
}

pub(crate) fn indices(value: &Value) -> Vec<usize> {
    numbers(value).into_iter().map(|v| v as usize).collect()
}

/// Numbers in [−1, 1] to this, larger ones to this share of themselves.
#[track_caller]
pub(crate) fn close(what: &str, found: f64, expected: f64, tolerance: f64) {
    let is_close = (found - expected).abs() <= tolerance * expected.abs().max(1.0);
    assert!(is_close, "{what}: expected {expected}, found {found}");
}
