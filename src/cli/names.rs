//! Parsers of the names that options take: help and completions list them, a wrong one is told the
//! nearest.

use crate::base::Named;
use clap::builder::{PossibleValuesParser, TypedValueParser};

/// The parser of an enumeration's names.
pub(crate) fn one_of<T: Named>() -> impl TypedValueParser<Value = T> {
    PossibleValuesParser::new(T::ALL.iter().map(|value| value.name()))
        .try_map(|name| T::named(&name))
}
