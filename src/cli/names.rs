//! Parsers of the names that options take: help and completions list them, a wrong one is told the
//! nearest. And what an option does to a setting.

use crate::math::Named;
use clap::builder::{PossibleValuesParser, TypedValueParser};

/// The parser of an enumeration's names.
pub fn one_of<T: Named>() -> impl TypedValueParser<Value = T> {
    PossibleValuesParser::new(T::ALL.iter().map(|value| value.name()))
        .try_map(|name| T::named(&name))
}

/// Sets what an option says; one that is not given leaves the setting as it is.
pub fn lay<T>(setting: &mut T, given: Option<T>) {
    if let Some(given) = given {
        *setting = given;
    }
}
