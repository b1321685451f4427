//! Matches errors by their fields; their texts stand in `tests/golden/messages.txt`.

use picloom::base::refusal::Refusal;
use std::error::Error;

/// The refusal that an error is, or that caused it.
#[track_caller]
pub(crate) fn refusal_of<'a>(error: &'a (dyn Error + 'static)) -> &'a Refusal {
    std::iter::successors(Some(error), |error| (*error).source())
        .find_map(|error| error.downcast_ref())
        .unwrap_or_else(|| panic!("expected a refusal, found {error:?}: {error}"))
}

/// The error refuses the input whose place ends so: a file's path and the words before a name are left out. Expected
/// and found begin so: lists of names and hints may follow.
#[track_caller]
pub(crate) fn assert_refused(error: &(dyn Error + 'static), [at, expected, found]: [&str; 3]) {
    let refusal = refusal_of(error);
    let is_that = refusal.at.ends_with(at)
        && refusal.expected.starts_with(expected)
        && refusal.found.starts_with(found);
    assert!(is_that, "expected {:?}, found {refusal:?}", [at, expected, found]);
}
