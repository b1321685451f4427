//! From perturbed pictures to a score. In: a network as it is shown ([`Exhibit`]), a sweep of it, a judge. Out: the compositional
//! score with its interval, and whether it counts. It does not know how the network came to be.
//!
//! **What it does not mean.** The score describes the pictures around a network, not its parts. It stays the same when
//! all relays of a layer are mixed with each other, which leaves the picture and entangles every unit. It is no measure
//! of modularity, factorisation or reuse. It is high before training, too: networks with random weights score .85, more
//! than evolved ones do on average. So nothing is compared below R² .90. docs/JUDGES.md has the numbers.

pub(crate) mod breeder;
pub mod card;
pub mod dl;
mod estimate;
mod exhibit;
mod judge;
pub mod judges;
pub mod labels;
mod measurement;
pub mod measures;
mod record;
#[cfg(feature = "vlm")]
pub mod vlm;

pub use breeder::{Breeder, Choice, Decision, MockBreeder};
pub use dl::{DlJudge, DlModel};
use estimate::Estimate;
pub use estimate::{Calls, Corrected, PictureLabel};
pub use exhibit::{Exhibit, JUDGED_AT};
pub use judge::{
    BaseReading, Call, Judge, JudgeError, JudgeIdentity, JudgeUsage, Judged, Label, MockJudge,
    UNCLEAR, Verdict,
};
pub use judges::JudgeChoice;
pub use judges::dl_threshold::{self, DlThreshold};
pub use measurement::{Measurement, Protocol};
pub use record::ScoreRecord;

use crate::network::Picture;
use crate::probe::{SampledShare, View, WeightSweep};
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
    #[serde(deserialize_with = "crate::base::text::number_or_null")]
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
        if self.mse > 0.0 { -10.0 * crate::base::real::log10(self.mse) } else { f64::INFINITY }
    }

    /// True if a score of this network counts.
    pub fn passes_gate(&self) -> bool {
        self.r2 >= FIT_GATE
    }
}

/// The compositional score of one network: how many perturbations leave a picture that still makes
/// sense (METHODS §6.2), as the judge's mean P(clean).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CompositionalScore {
    /// Name and version of the judge.
    pub judge: String,
    /// `fixed:D` or `effect:E`.
    pub delta: String,
    /// Perturbations judged clean.
    pub clean: usize,
    /// Perturbations of which the judge is not sure.
    pub unclear: usize,
    /// Perturbations judged damaged.
    pub damaged: usize,
    /// Perturbations without effect; not scored.
    pub silent: usize,
    /// Mean P(clean), in [0, 1]; `None` if nothing could be judged.
    pub score: Option<f64>,
    /// 95 % interval of the score: of the weights not moved, and of the judge.
    pub interval: Option<(f64, f64)>,
    /// Clean share: `clean` over the judged ones, in [0, 1]. The paper's score.
    pub clean_share: Option<f64>,
    /// Standard error of the score from the weights not moved; `None` if too few were moved.
    pub sampling_error: Option<f64>,
    /// Standard error of the score from the judge.
    pub judge_error: Option<f64>,
    /// The score with its sampling error alone; `None` if too few weights were moved. Not in files.
    #[serde(skip)]
    pub sampled: Option<SampledShare>,
    /// Calls of the perturbations by layer of the perturbed weight, first hidden layer first.
    pub layers: Vec<Calls>,
    /// Fit to the target; `None` if no target was given.
    pub fit: Option<Fit>,
    /// False if the fit is below the gate: the number is shown, but does not count.
    pub counts: bool,
    /// Non-zero weights of the network, and how many of them were perturbed.
    pub non_zero: usize,
    /// Weights perturbed.
    pub weights: usize,
}

/// Judges every perturbation of a sweep of an exhibit's view; its fit gates the score.
///
/// Returns the score and each verdict in the order of the sweep. Does not depend on the number of threads.
///
/// # Errors
/// The judge could not judge a picture. Nothing is scored then: a share of what happened to be
/// answered would be another number. (What `vlm` was answered stays in its cache, so a second
/// attempt asks only for the rest.)
pub fn score(
    exhibit: &Exhibit,
    sweep: &WeightSweep,
    judge: &dyn Judge,
) -> Result<(CompositionalScore, Vec<Judged>), JudgeError> {
    let (view, fit) = (exhibit.view(), exhibit.fit());
    let reading = judge.read_base(view.picture());
    let judge_all = || -> Result<Vec<Judged>, JudgeError> {
        if judge.takes_many() {
            return judge_many(view, sweep, &*reading);
        }
        view.changed(sweep, |_, picture| reading.judge(picture))
            .map(|(perturbation, verdict)| {
                Ok(Judged { perturbation, verdict: verdict.transpose()? })
            })
            .collect()
    };
    let judged = with_threads(judge.at_a_time(), judge_all)?;

    let mut layers = vec![Calls::default(); view.model().network.depth()];
    for j in &judged {
        let calls = &mut layers[j.perturbation.layer - 1];
        match j.verdict.as_ref().map(|v| v.call) {
            Some(Call::Clean) => calls.clean += 1,
            Some(Call::Unclear) => calls.unclear += 1,
            Some(Call::Damaged) => calls.damaged += 1,
            None => calls.silent += 1,
        }
    }
    let mut all = Calls::default();
    layers.iter().for_each(|calls| all += *calls);
    let estimate = Estimate::of(view.model(), &judged, judge.score_error());
    let score = CompositionalScore {
        judge: judge.name(),
        delta: sweep.delta.clone(),
        clean: all.clean,
        unclear: all.unclear,
        damaged: all.damaged,
        silent: all.silent,
        score: estimate.map(|e| e.score),
        interval: estimate.and_then(|e| e.interval),
        clean_share: all.clean_share(),
        sampling_error: estimate.and_then(|e| e.sampling_error),
        judge_error: estimate.map(|e| e.judge_error),
        sampled: estimate.and_then(|e| e.sampled),
        layers,
        fit,
        counts: fit.is_none_or(|fit| fit.passes_gate()),
        non_zero: sweep.non_zero,
        weights: sweep.weights,
    };
    Ok((score, judged))
}

/// Numbers of the pictures that a judge is handed at once, about.
const AT_ONCE: usize = 1 << 24;

/// Pictures of so many pixels that a judge is handed at once.
fn at_once(pixels: usize) -> usize {
    (AT_ONCE / (3 * pixels)).max(1)
}

/// Judges a sweep in parts, each of many pictures at once.
fn judge_many(
    view: &View,
    sweep: &WeightSweep,
    reading: &dyn BaseReading,
) -> Result<Vec<Judged>, JudgeError> {
    let most = at_once(view.size() * view.size());
    let mut judged = Vec::with_capacity(sweep.perturbations.len());
    for part in sweep.perturbations.chunks(most) {
        let part = WeightSweep { perturbations: part.to_vec(), ..sweep.clone() };
        let drawn: Vec<_> = view.changed(&part, |_, picture| picture.clone()).collect();
        let (changes, pictures): (Vec<_>, Vec<_>) = drawn.into_iter().unzip();
        let pictures: Vec<Picture> = pictures.iter().flatten().cloned().collect();
        let mut verdicts = match pictures.is_empty() {
            true => Vec::new(),
            false => reading.judge_many(&pictures)?,
        }
        .into_iter();
        judged.extend(changes.into_iter().map(|perturbation| {
            let verdict = (!perturbation.silent).then(|| verdicts.next()).flatten();
            Judged { perturbation, verdict }
        }));
    }
    Ok(judged)
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
