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
    /// The number; none if this network has no such number.
    pub value: Option<f64>,
    /// Which values can be, e.g. `0 to 1`.
    pub range: String,
    /// The same number of the same network with its weights shuffled within layers; none if it was
    /// not taken.
    pub shuffled: Option<f64>,
    /// The same number of the evolved network behind a trained one; none if there is none.
    pub evolved: Option<f64>,
    /// What the number is compared with, in words.
    pub reference: String,
}

impl Measure {
    /// A number that is compared with nothing but its `reference`.
    pub fn alone(
        key: &str,
        name: &str,
        value: Option<f64>,
        range: &str,
        reference: impl Into<String>,
    ) -> Self {
        let (key, name, range) = (key.into(), name.into(), range.into());
        let reference = reference.into();
        Measure { key, name, value, range, shuffled: None, evolved: None, reference }
    }
}

/// What a record keeps.
pub(super) fn kept(found: &impl Serialize) -> Value {
    serde_json::to_value(found).expect("a measure is plain data")
}
