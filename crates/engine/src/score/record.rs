//! The record of one scored network.

use super::measures::command::Named;
use super::{CompositionalScore, Corrected, Exhibit, JudgeUsage, Judged, Measurement};
use crate::network::Coords;
use crate::probe::{SampledShare, Selection};
use crate::train::Unfinished;
use serde::Serialize;

/// `picloom-score/1`: a score, how it was taken, and every verdict.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ScoreRecord {
    /// `picloom-score/1`.
    pub format: &'static str,
    /// Version of this crate.
    pub version: &'static str,
    /// The network's name.
    pub network: String,
    /// Where its training stands, if that is not finished.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unfinished: Option<Unfinished>,
    /// Side of the network's own picture in pixels: the fit is measured there.
    pub size: usize,
    /// Side of the pictures that were judged, in pixels: `size`, or 64 where that is larger.
    pub judged_at: usize,
    /// Coordinate convention.
    pub coords: Coords,
    /// Links of the topology, W.
    pub links: usize,
    /// Links that may be non-zero.
    pub kept: usize,
    /// `all`, a number of weights, or link numbers.
    pub samples: String,
    /// Seed of the sample.
    pub seed: u64,
    /// SHA-256 of the embedded judge's model as JSON; `None` for the other judges.
    pub judge_model_sha256: Option<String>,
    /// The score.
    #[serde(flatten)]
    pub score: CompositionalScore,
    /// Of a sample of the weights: the score with its sampling error alone.
    pub sampled: Option<SampledShare>,
    /// The score corrected by labels of some of its pictures.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub corrected: Option<Corrected>,
    /// Measures of one's own.
    #[serde(skip_serializing_if = "Named::is_empty")]
    pub own: Named,
    /// The usage of a judge that works through a server.
    pub judge_usage: Option<JudgeUsage>,
    /// Each perturbation with its verdict.
    pub perturbations: Vec<Judged>,
}

impl ScoreRecord {
    /// Of what was `found` of an exhibit, whose links `selection` chose with `seed`. Identity and usage
    /// of the judge are the caller's to add.
    pub fn of(
        network: &str,
        exhibit: &Exhibit,
        found: &Measurement,
        selection: &Selection,
        seed: u64,
    ) -> Self {
        ScoreRecord {
            format: "picloom-score/1",
            version: env!("CARGO_PKG_VERSION"),
            network: network.into(),
            unfinished: None,
            size: exhibit.size(),
            judged_at: exhibit.view().size(),
            coords: exhibit.view().coords(),
            links: found.links,
            kept: found.kept,
            samples: selection.to_string(),
            seed,
            judge_model_sha256: None,
            score: found.score.clone(),
            sampled: match selection {
                Selection::Sample(_) => found.score.sampled,
                _ => None,
            },
            corrected: None,
            own: Named::new(),
            judge_usage: None,
            perturbations: found.judged.clone(),
        }
    }
}
