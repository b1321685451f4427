//! From perturbed pictures to a score. In: a sweep, a judge, the target. Out: the compositional
//! score with its interval, and whether it counts. It does not know how the network came to be.

pub mod breeder;
pub mod calibrate;
pub mod card;
pub mod dl;
pub mod dl_threshold;
mod judge;
pub mod judges;
mod measurement;
pub mod measures;
mod record;
#[cfg(feature = "vlm")]
pub mod vlm;

pub use breeder::{Breeder, Choice, Decision, MockBreeder};
pub use dl::{DlJudge, DlModel};
pub use dl_threshold::DlThreshold;
pub use judge::{
    BaseReading, Judge, JudgeError, JudgeIdentity, JudgeUsage, Label, MockJudge, Verdict,
};
pub use judges::JudgeChoice;
pub use measurement::{Measurement, Protocol};
pub use record::ScoreRecord;

use crate::math::stats::wilson;
use crate::network::Picture;
use crate::probe::{Perturbation, View, WeightSweep};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Least share of the target's variance that a network must explain for its score to count
/// \[ours\]: one that has not learned its picture draws simple pictures, and those survive
/// perturbation.
pub const FIT_GATE: f64 = 0.95;

/// How well a network draws its target.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fit {
    /// Mean squared error over pixels and channels; NaN (in JSON null) of a network that diverged.
    #[serde(deserialize_with = "crate::math::text::number_or_null")]
    pub mse: f64,
    /// 1 − MSE / Var(target about its best constant colour); 1 is perfect, 0 as good as the best
    /// constant, below 0 worse. A constant target gives 1 if it is met exactly, else −∞ … 0.
    pub r2: f64,
}

impl Fit {
    /// The fit of `drawn` to `target`, pictures of one size.
    pub fn of(drawn: &Picture, target: &Picture) -> Self {
        let mse = drawn.mse(target);
        let variance = target.variance();
        let r2 = if mse == 0.0 { 1.0 } else { 1.0 - mse / variance.max(f64::MIN_POSITIVE) };
        Fit { mse, r2: r2.max(-1e9) }
    }

    /// Peak signal-to-noise ratio in dB, for a peak of 1; infinite at MSE 0.
    pub fn psnr(&self) -> f64 {
        if self.mse > 0.0 { -10.0 * crate::math::real::log10(self.mse) } else { f64::INFINITY }
    }

    /// True if a score of this network counts.
    pub fn passes_gate(&self) -> bool {
        self.r2 >= FIT_GATE
    }
}

/// One judged perturbation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Judged {
    /// What was changed.
    #[serde(flatten)]
    pub perturbation: Perturbation,
    /// What the judge said; none for silent weights.
    pub verdict: Option<Verdict>,
}

/// The compositional score of one network: the share of perturbations after which the picture
/// still makes sense (METHODS §6.2).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CompositionalScore {
    /// Name and version of the judge.
    pub judge: String,
    /// `fixed:D` or `effect:E`.
    pub delta: String,
    /// Perturbations judged coherent.
    pub coherent: usize,
    /// Perturbations judged fractured.
    pub fractured: usize,
    /// Perturbations without effect; not scored.
    pub silent: usize,
    /// coherent / (coherent + fractured); none if nothing could be judged.
    pub score: Option<f64>,
    /// 95 % Wilson interval of the score.
    pub interval: Option<(f64, f64)>,
    /// The same per layer of the perturbed weight, first hidden layer first: (coherent, fractured,
    /// silent).
    pub layers: Vec<(usize, usize, usize)>,
    /// Fit to the target; none if no target was given.
    pub fit: Option<Fit>,
    /// False if the fit is below the gate: the number is shown, but does not count.
    pub counts: bool,
    /// Non-zero weights of the network, and how many of them were perturbed.
    pub non_zero: usize,
    /// Weights perturbed.
    pub weights: usize,
}

/// Judges every perturbation of a sweep of `view`.
///
/// `target` gates the score. Returns the score and each verdict in the order of the sweep. Does not
/// depend on the number of threads.
///
/// # Errors
/// The judge could not judge a picture. Nothing is scored then: a share of what happened to be
/// answered would be another number. (What `vlm` was answered stays in its cache, so a second
/// attempt asks only for the rest.)
pub fn score(
    view: &View,
    sweep: &WeightSweep,
    judge: &dyn Judge,
    target: Option<&Picture>,
) -> Result<(CompositionalScore, Vec<Judged>), JudgeError> {
    let reading = judge.read_base(view.picture());
    let judge_all = || -> Result<Vec<Judged>, JudgeError> {
        view.changed(sweep, |_, picture| reading.judge(picture))
            .map(|(perturbation, verdict)| {
                Ok(Judged { perturbation, verdict: verdict.transpose()? })
            })
            .collect()
    };
    let judged = with_threads(judge.at_a_time(), judge_all)?;

    let mut layers = vec![(0, 0, 0); view.model().network.depth()];
    for j in &judged {
        let place = &mut layers[j.perturbation.layer - 1];
        match j.verdict.as_ref().map(|v| v.label) {
            Some(Label::Coherent) => place.0 += 1,
            Some(Label::Fractured) => place.1 += 1,
            None => place.2 += 1,
        }
    }
    let sum = |f: fn(&(usize, usize, usize)) -> usize| layers.iter().map(f).sum::<usize>();
    let (coherent, fractured, silent) = (sum(|l| l.0), sum(|l| l.1), sum(|l| l.2));
    let total = coherent + fractured;
    let fit = target.map(|target| Fit::of(view.picture(), target));
    let score = CompositionalScore {
        judge: judge.name(),
        delta: sweep.delta.clone(),
        coherent,
        fractured,
        silent,
        score: (total > 0).then(|| coherent as f64 / total as f64),
        interval: share_interval(coherent, total),
        layers,
        fit,
        counts: fit.is_none_or(|fit| fit.passes_gate()),
        non_zero: sweep.non_zero,
        weights: sweep.weights,
    };
    Ok((score, judged))
}

/// Runs `work` on so many threads of its own, or on the shared ones. Threads of its own let a judge
/// that waits for answers wait for more of them than there are cores.
fn with_threads<T: Send>(threads: Option<usize>, work: impl FnOnce() -> T + Send) -> T {
    let pool = threads.and_then(|n| rayon::ThreadPoolBuilder::new().num_threads(n).build().ok());
    match pool {
        Some(pool) => pool.install(work),
        None => work(),
    }
}

/// 95 % Wilson interval of a share; none of nothing.
pub fn share_interval(coherent: usize, total: usize) -> Option<(f64, f64)> {
    let interval = wilson(coherent, total, 0.95).ok()?;
    Some((interval.low, interval.high))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fit_is_measured_against_the_best_constant_colour() {
        let target = Picture { width: 2, height: 1, rgb: vec![0.0, 0.0, 0.0, 1.0, 1.0, 1.0] };
        assert_eq!(Fit::of(&target, &target).r2, 1.0);
        let grey = Picture::filled(2, 1, [0.5; 3]);
        let fit = Fit::of(&grey, &target);
        assert!((fit.mse - 0.25).abs() < 1e-12 && fit.r2.abs() < 1e-12 && !fit.passes_gate());
    }
}
