//! A number of a network as records and cards keep it.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One number of a network, with what to compare it with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Measure {
    /// Short name for records, words joined by `-`.
    pub key: String,
    /// Name for people.
    pub name: String,
    /// The number; `None` if it is undefined for this network.
    pub value: Option<f64>,
    /// Which values can be, e.g. `0 to 1`.
    pub range: String,
    /// The lower end of its 95 % interval, if it has one.
    pub low: Option<f64>,
    /// The upper end.
    pub high: Option<f64>,
    /// The same number of the same links with their weights shuffled within layers; `None` if it
    /// was not taken.
    pub null: Option<f64>,
    /// The same number of the evolved network behind a trained one; `None` without one.
    pub evolved: Option<f64>,
    /// The values to compare the number with, in words.
    pub reference: String,
    /// Whether it is recommended beside the score (docs/MEASURE.md).
    #[serde(default)]
    pub recommended: bool,
}

impl Measure {
    /// A number that is compared with nothing but its `reference`.
    pub(crate) fn alone(
        key: &str,
        name: &str,
        value: Option<f64>,
        range: &str,
        reference: impl Into<String>,
    ) -> Self {
        let (key, name, range) = (key.into(), name.into(), range.into());
        let reference = reference.into();
        let none = None;
        Measure {
            key,
            name,
            value,
            range,
            low: none,
            high: none,
            null: none,
            evolved: none,
            reference,
            recommended: false,
        }
    }
}

/// The measure as a record's value.
pub(super) fn kept(found: &impl Serialize) -> Value {
    serde_json::to_value(found).expect("a measure is plain data")
}
