//! The whole walk over one network: sweep it, judge the pictures, count its links.

use super::{
    CompositionalScore, Corrected, Exhibit, Judge, JudgeError, Judged, PictureLabel, score,
};
use crate::base::SimRng;
use crate::base::refusal::Refusal;
use crate::base::settings::settings;
use crate::network::Model;
use crate::probe::{Delta, Selection, WeightSweep, spread};
use crate::prune::alive;

settings! {
    /// How networks are measured, so that they can be compared.
    #[derive(Clone, Debug, PartialEq)]
    #[serde(deny_unknown_fields, default)]
    pub struct Protocol: flags "The sweep" {
        /// Weights to change: all, a number (sampled within layers), or link numbers (0,17,42).
        samples: Selection = Selection::All, value: "all|N|IDS";
        /// How far: effect:E (until the RMSE between the pictures is E), or fixed:D.
        delta: Delta = Delta::default(), source: "ours";
        /// Seed of the sample.
        seed: u64 = 0;
    }
}

impl Protocol {
    /// `sample` weights, sampled within layers (none: all), each moved until the picture differs by the
    /// RMSE `effect`.
    pub fn sampled(sample: Option<usize>, effect: f64, seed: u64) -> Self {
        let samples = sample.map_or(Selection::All, Selection::Sample);
        Protocol { samples, delta: Delta::Effect(effect), seed }
    }

    /// Sweeps and scores a network. One without non-zero weights has a score of nothing.
    ///
    /// # Errors
    /// The judge could not judge a picture.
    ///
    /// # Panics
    /// If the selection names a link that is not there ([`Selection::links`] refuses those).
    pub fn measure(&self, exhibit: &Exhibit, judge: &dyn Judge) -> Result<Measurement, JudgeError> {
        let (mut rng, view) = (SimRng::new(self.seed, "sweep-sample", 0), exhibit.view());
        let links = self.samples.draw(view.model(), &mut rng);
        Measurement::of(exhibit, view.sweep(&links, self.delta, &|_| {}), judge)
    }
}

/// The score of one network, and the sweep behind it.
#[derive(Clone, Debug, PartialEq)]
pub struct Measurement {
    /// Links of the topology, W.
    pub links: usize,
    /// Links of the mask.
    pub kept: usize,
    /// Kept links on a path from an input to an output.
    pub alive: usize,
    /// The changes.
    pub sweep: WeightSweep,
    /// The compositional score, with the fit to the target.
    pub score: CompositionalScore,
    /// Each perturbation with its verdict, in the order of the sweep.
    pub judged: Vec<Judged>,
}

impl Measurement {
    /// Scores a sweep of an exhibit's view; its fit gates the score.
    ///
    /// # Errors
    /// The judge could not judge a picture.
    pub fn of(
        exhibit: &Exhibit,
        sweep: WeightSweep,
        judge: &dyn Judge,
    ) -> Result<Self, JudgeError> {
        let Model { network, mask, weights } = exhibit.view().model();
        let (score, judged) = score(exhibit, &sweep, judge)?;
        Ok(Measurement {
            links: weights.0.len(),
            kept: mask.kept(),
            alive: alive(network, mask).kept(),
            sweep,
            score,
            judged,
        })
    }

    /// The score corrected by labels of a random part of the pictures.
    ///
    /// # Errors
    /// Fewer than `FEWEST_LABELS`; one is of a link, sign or change (beyond 5 %) that was not judged.
    pub fn corrected(&self, labels: &[PictureLabel]) -> Result<Corrected, Refusal> {
        let score = self.score.score.unwrap_or_default();
        Corrected::of(score, self.score.sampled, &self.judged, labels)
    }

    /// At most `count` perturbations with a verdict, evenly spread over layers and signs: those
    /// that a page shows.
    pub fn shown(&self, count: usize) -> Vec<&Judged> {
        let judged: Vec<&Judged> = self.judged.iter().filter(|j| j.verdict.is_some()).collect();
        spread(&judged, count).copied().collect()
    }
}
