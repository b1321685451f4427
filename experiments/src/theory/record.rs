//! The record of the theory study: its rows, where its curves are largest.

use super::spec::{MethodsValue, TheoryRecord};
use crate::volume::sample::Estimate;
use crate::volume::sensitivity::Volume;
use picloom::study::columns;
use picloom::study::grid::Columns;
use serde::{Deserialize, Serialize};

/// Which cell a row is of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "list")]
pub(crate) enum TheoryKey {
    /// A curve over depth.
    #[serde(rename = "curves")]
    Curve(CurveKey),
    /// Where theory and Monte Carlo meet.
    #[serde(rename = "meetings")]
    Meeting(MeetingKey),
}

impl Columns for TheoryKey {
    fn columns() -> Vec<(&'static str, &'static str)> {
        let list =
            ("list", "curves: a ratio over depth; meetings: theory and Monte Carlo in one place.");
        [vec![list], CurveKey::columns(), MeetingKey::columns()].concat()
    }
}

columns! {
    /// Which curve.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub struct CurveKey {
        /// What the curve belongs to: `literal`, `random-mask`, `budget` or `parts`.
        pub group: String,
        /// Its name within `parts`; else empty.
        #[serde(skip_serializing_if = "String::is_empty", default)]
        pub name: String,
        /// Which ratio.
        pub volume: Volume,
        /// W, units of a layer.
        pub width: usize,
        /// P, parts.
        pub parts: usize,
    }
}

columns! {
    /// Which meeting.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub struct MeetingKey {
        /// W, units of a layer.
        pub width: usize,
        /// L, hidden layers.
        pub layers: usize,
        /// P, parts.
        pub parts: usize,
        /// Edge probability.
        pub p: f64,
        /// What METHODS §9 gives for it; empty: a case of the grid.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        pub methods: Option<MethodsValue>,
    }
}

/// The result of a cell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum TheoryFound {
    /// Of a curve.
    Curve(CurveValues),
    /// Of a meeting.
    Meeting(MeetingValues),
}

impl Columns for TheoryFound {
    fn columns() -> Vec<(&'static str, &'static str)> {
        [CurveValues::columns(), MeetingValues::columns()].concat()
    }
}

columns! {
    /// A ratio over depth; every list has one entry a depth, six significant digits.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    #[serde(deny_unknown_fields)]
    pub struct CurveValues {
        /// The depths L of a curve.
        pub depths: Vec<usize>,
        /// The ratio by depth; null where the family is empty.
        pub value: Vec<Option<f64>>,
        /// Lower ends of the 95 % intervals; equal to the value where it is exact.
        pub low: Vec<Option<f64>>,
        /// Upper ends.
        pub high: Vec<Option<f64>>,
        /// Masks drawn; 0: exact.
        pub samples: Vec<usize>,
    }
}

columns! {
    /// Theory and Monte Carlo in one place.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    #[serde(deny_unknown_fields)]
    pub struct MeetingValues {
        /// ln E\[N\] by transfer matrix.
        pub ln_expected: f64,
        /// Exact Pr, where that is feasible.
        pub exact: Option<f64>,
        /// Pr by direct sampling.
        pub direct: Estimate,
        /// Pr by Karp and Luby's estimator.
        pub karp_luby: Estimate,
    }
}

/// A curve of the record and its values. The values are `None` if the cell failed.
pub(crate) type Curve<'a> = (&'a CurveKey, Option<&'a CurveValues>);

/// The curves, in order.
pub(crate) fn curves(record: &TheoryRecord) -> impl Iterator<Item = Curve<'_>> {
    record.rows.iter().filter_map(|row| match (&row.key, &row.result) {
        (TheoryKey::Curve(key), Some(TheoryFound::Curve(values))) => Some((key, Some(values))),
        (TheoryKey::Curve(key), _) => Some((key, None)),
        _ => None,
    })
}

/// The meetings that have values, in order.
pub(crate) fn meetings(
    record: &TheoryRecord,
) -> impl Iterator<Item = (&MeetingKey, &MeetingValues)> {
    record.rows.iter().filter_map(|row| match (&row.key, &row.result) {
        (TheoryKey::Meeting(key), Some(TheoryFound::Meeting(values))) => Some((key, values)),
        _ => None,
    })
}

/// The curves of a group that have a peak.
pub(crate) fn peaks<'a>(
    record: &'a TheoryRecord,
    group: &'a str,
) -> impl Iterator<Item = (&'a CurveKey, &'a CurveValues, Peak)> {
    let of_group = curves(record).filter(move |curve| curve.0.group == group);
    of_group.filter_map(|(key, values)| Some((key, values?, Peak::of(values?)?)))
}

/// Where a curve over depth is largest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Peak {
    /// The depth of the largest value; the shallowest of equals.
    pub layers: usize,
    /// The value there, > 0.
    pub value: f64,
    /// Shallowest depth whose interval reaches the lower end of the peak's.
    pub from: usize,
    /// Deepest such depth.
    pub to: usize,
    /// Draws that hit at the peak; `None` for an exact curve.
    pub hits: Option<usize>,
}

impl Peak {
    /// The middle of the depths that are not told apart from the best.
    pub(crate) fn middle(&self) -> f64 {
        (self.from + self.to) as f64 / 2.0
    }

    /// The peak of a curve; `None` if no value is positive.
    pub(crate) fn of(curve: &CurveValues) -> Option<Self> {
        let at = (0..curve.depths.len())
            .filter(|&i| curve.value[i].is_some_and(|v| v > 0.0))
            .reduce(|a, b| if curve.value[b] > curve.value[a] { b } else { a })?;
        let low = curve.low[at]?;
        let near = |i: &usize| curve.high[*i].is_some_and(|high| high >= low);
        let all = || (0..curve.depths.len()).filter(near);
        Some(Peak {
            layers: curve.depths[at],
            value: curve.value[at]?,
            from: all().map(|i| curve.depths[i]).min()?,
            to: all().map(|i| curve.depths[i]).max()?,
            hits: (curve.samples[at] > 0).then(|| {
                (curve.value[at].unwrap_or(0.0) * curve.samples[at] as f64).round() as usize
            }),
        })
    }
}
