//! The range of a setting, and what is said outside of it.

/// A setting outside its range.
#[derive(Debug, thiserror::Error, PartialEq)]
#[error("{setting}: expected {expected}, found {found}")]
pub struct SettingError {
    setting: &'static str,
    expected: &'static str,
    found: f64,
}

/// Errors with `expected` unless `ok`.
pub(super) fn require(
    ok: bool,
    setting: &'static str,
    expected: &'static str,
    found: f64,
) -> Result<(), SettingError> {
    if ok { Ok(()) } else { Err(SettingError { setting, expected, found }) }
}

/// A decay rate: in [0, 1).
pub(super) fn require_rate(setting: &'static str, found: f64) -> Result<(), SettingError> {
    require((0.0..1.0).contains(&found), setting, "a rate in [0, 1)", found)
}

/// A finite number that is not negative.
pub(super) fn require_not_negative(setting: &'static str, found: f64) -> Result<(), SettingError> {
    require(found.is_finite() && found >= 0.0, setting, "a finite number ≥ 0", found)
}

/// A finite number above 0.
pub(super) fn require_positive(setting: &'static str, found: f64) -> Result<(), SettingError> {
    require(found.is_finite() && found > 0.0, setting, "a finite number > 0", found)
}
