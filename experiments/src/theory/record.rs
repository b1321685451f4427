//! The record of the theory study: its rows, its files, where its curves are largest.

use super::study::MethodsValue;
use crate::volume::sample::Estimate;
use crate::volume::sensitivity::Volume;
use picloom::experiment::record::Record;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A ratio over depth; every list has one entry a depth, six significant digits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CurveValues {
    /// The depths L.
    pub layers: Vec<usize>,
    /// The ratio; none where the family is empty.
    pub value: Vec<Option<f64>>,
    /// Lower ends of the 95 % intervals; equal to the value where it is exact.
    pub low: Vec<Option<f64>>,
    /// Upper ends.
    pub high: Vec<Option<f64>>,
    /// Masks drawn; 0: exact.
    pub samples: Vec<usize>,
}

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

/// A curve of the record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CurveRow {
    /// `literal`, `random-mask`, `budget` or `parts`.
    pub group: String,
    /// Its name within `parts`; else empty.
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub name: String,
    /// Which ratio.
    pub volume: Volume,
    /// W.
    pub width: usize,
    /// P.
    pub parts: usize,
    /// The values; none if the cell failed.
    pub values: Option<CurveValues>,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub error: Option<String>,
}

/// A meeting of the record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MeetingRow {
    /// W.
    pub width: usize,
    /// L.
    pub layers: usize,
    /// P.
    pub parts: usize,
    /// Edge probability.
    pub p: f64,
    /// What METHODS §9 gives for it; none: a case of the grid.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub methods: Option<MethodsValue>,
    /// The values; none if the cell failed.
    pub values: Option<MeetingValues>,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub error: Option<String>,
}

/// The record of the theory study.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TheoryRecord {
    /// `picloom-theory/1`.
    pub format: String,
    /// Name of the study.
    pub study: String,
    /// What is asked.
    pub question: String,
    /// Decision rules by claim, as they stood in the spec.
    pub rules: BTreeMap<String, String>,
    /// The profile.
    pub profile: String,
    /// Curves over depth.
    pub curves: Vec<CurveRow>,
    /// Where theory and Monte Carlo meet.
    pub meetings: Vec<MeetingRow>,
}

impl TheoryRecord {
    /// The curves of a group with values.
    pub fn group<'a>(&'a self, group: &'a str) -> impl Iterator<Item = (&'a CurveRow, Peak)> + 'a {
        self.curves
            .iter()
            .filter(move |c| c.group == group)
            .filter_map(|c| Some((c, Peak::of(c.values.as_ref()?)?)))
    }
}

/// Where a curve over depth is largest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Peak {
    /// The depth of the largest value; the shallowest of equals.
    pub layers: usize,
    /// The value there, > 0.
    pub value: f64,
    /// Shallowest depth whose interval reaches the lower end of the peak's.
    pub from: usize,
    /// Deepest such depth.
    pub to: usize,
    /// Draws that hit at the peak; none of an exact curve.
    pub hits: Option<usize>,
}

impl Peak {
    /// The middle of the depths that are not told apart from the best.
    pub fn middle(&self) -> f64 {
        (self.from + self.to) as f64 / 2.0
    }

    /// The peak of a curve; none if no value is positive.
    pub fn of(curve: &CurveValues) -> Option<Self> {
        let at = (0..curve.layers.len())
            .filter(|&i| curve.value[i].is_some_and(|v| v > 0.0))
            .reduce(|a, b| if curve.value[b] > curve.value[a] { b } else { a })?;
        let low = curve.low[at]?;
        let near = |i: &usize| curve.high[*i].is_some_and(|high| high >= low);
        let all = || (0..curve.layers.len()).filter(near);
        Some(Peak {
            layers: curve.layers[at],
            value: curve.value[at]?,
            from: all().map(|i| curve.layers[i]).min()?,
            to: all().map(|i| curve.layers[i]).max()?,
            hits: (curve.samples[at] > 0).then(|| {
                (curve.value[at].unwrap_or(0.0) * curve.samples[at] as f64).round() as usize
            }),
        })
    }
}

impl Record for TheoryRecord {
    const FORMAT: &'static str = "picloom-theory/1";

    const LISTS: &'static [&'static str] = &["curves", "meetings"];

    const COLUMNS: &'static [(&'static str, &'static str)] = &[
        ("group", "What the curve belongs to."),
        ("name", "Its name."),
        ("width", "W, units of a layer."),
        ("parts", "P, parts."),
    ];

    fn summary(&self) -> String {
        let mut text = String::from("METHODS §9          theirs      exact     direct [95 %]\n");
        for row in &self.meetings {
            let (Some(m), Some(v)) = (&row.methods, &row.values) else {
                continue;
            };
            let d = v.direct.probability;
            text += &format!(
                "({}, {}, {}, {:<4}) {}{:>12.6e} {:>12} {:.6e} [{:.6e}, {:.6e}]\n",
                row.width,
                row.layers,
                row.parts,
                row.p,
                if m.approximate { "≈" } else { " " },
                m.probability,
                v.exact.map_or("–".into(), |e| format!("{e:.6e}")),
                d.estimate,
                d.low,
                d.high
            );
        }
        text += "\nfixed budget: best depth (depths whose intervals reach it)\n";
        for (row, peak) in self.group("budget") {
            if let Volume::Budget { edges } = row.volume {
                text += &format!(
                    "W {:>3} K {edges:>3} P {}: L {} ({}–{}), {:.4}\n",
                    row.width, row.parts, peak.layers, peak.from, peak.to, peak.value
                );
            }
        }
        text + "\n" + &super::findings::summary(self)
    }
}
