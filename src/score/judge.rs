//! Judges: base picture, perturbed picture → coherent or fractured, with a confidence.

use crate::math::SimRng;
use crate::network::Picture;
use serde::{Deserialize, Serialize};

/// What a perturbed picture looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Label {
    /// Still a clean picture: itself or a meaningful variation.
    Coherent,
    /// Damaged: smears, blotches, ghost edges, noise, broken symmetry.
    Fractured,
}

/// A judge's answer about one picture.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// Coherent or fractured.
    pub label: Label,
    /// How sure the judge is of the label, in [0.5, 1].
    pub confidence: f64,
    /// The judge's own number behind it (for `dl` the logarithm of the description-length ratio).
    pub evidence: f64,
}

/// Decides whether perturbed pictures still make sense.
pub trait Judge: Sync {
    /// Name and version for records, e.g. `dl/1`.
    fn name(&self) -> String;

    /// Reads the unperturbed picture once; the answer judges pictures against it.
    fn read_base<'a>(&'a self, base: &'a Picture) -> Box<dyn BaseReading + 'a>;
}

/// A judge that has seen the base picture.
pub trait BaseReading: Sync {
    /// Judges a perturbed picture of the same size as the base.
    fn judge(&self, perturbed: &Picture) -> Verdict;
}

/// Seeded coin tosses, for tests of the plumbing. The toss depends on the picture only.
#[derive(Clone, Copy, Debug)]
pub struct MockJudge {
    /// Seed of the tosses.
    pub seed: u64,
}

impl Judge for MockJudge {
    fn name(&self) -> String {
        format!("mock/{}", self.seed)
    }

    fn read_base<'a>(&'a self, _base: &'a Picture) -> Box<dyn BaseReading + 'a> {
        Box::new(*self)
    }
}

impl BaseReading for MockJudge {
    fn judge(&self, perturbed: &Picture) -> Verdict {
        let hash = perturbed
            .to_bytes()
            .iter()
            .fold(0u64, |h, &b| h.wrapping_mul(31) ^ u64::from(b));
        let toss = SimRng::new(self.seed, "mock-judge", hash).uniform();
        let label = if toss < 0.5 {
            Label::Coherent
        } else {
            Label::Fractured
        };
        Verdict {
            label,
            confidence: 0.5 + (toss - 0.5).abs(),
            evidence: toss,
        }
    }
}
