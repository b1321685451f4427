//! A network's score from its judged perturbations, and how far it may be off.
//!
//! The score is the mean P(clean) over the changes of all non-zero weights. Three things are not known of
//! it, and its interval carries all three:
//! 1. *sampling*: only some weights were moved ([`crate::probe::sampled_share`], Student's t);
//! 2. *pictures*: a P of ½ says that the picture is one or the other; over M pictures Σ P(1 − P)/M² is left;
//! 3. *the judge*: its mean over a network is off by τ, a standard deviation between networks that was
//!    measured on networks of targets left out of its fit ([`Judge::score_error`](super::Judge::score_error)).
//!
//! Labels of some of the pictures do away with 2 and 3 ([`Corrected`]).
//!
//! The interval says how well the score is known, not what it means: a network that has not learned its picture has a
//! high score with a narrow interval ([`FIT_GATE`](super::FIT_GATE)).
//!
//! Source of the correction: Angelopoulos et al., *Prediction-powered inference*, Science 382 (2023): the mean
//! of the predictions, plus the mean of label − prediction over a random labelled part. \[ours\]: weights
//! are the draws, both signs of one together; labels may stand for several changes (Hájek).

use super::judge::{Judged, Label};
use crate::base::refusal::Refusal;
use crate::base::stats::{normal_quantile, student_quantile};
use crate::network::Model;
use crate::probe::{Drawn, SampledShare, sampled_share};
use serde::{Deserialize, Serialize};

const LEVEL: f64 = 0.95;
/// Fewest labels that correct a score.
pub(crate) const FEWEST_LABELS: usize = 10;

/// Perturbations by what the judge called them. In files `[clean, damaged, silent, unclear]`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "[usize; 4]", into = "[usize; 4]")]
pub struct Calls {
    /// Clean ones.
    pub clean: usize,
    /// Those of which the judge is not sure.
    pub unclear: usize,
    /// Damaged ones.
    pub damaged: usize,
    /// Those without effect; not judged.
    pub silent: usize,
}

impl From<Calls> for [usize; 4] {
    fn from(c: Calls) -> Self {
        [c.clean, c.damaged, c.silent, c.unclear]
    }
}

impl From<[usize; 4]> for Calls {
    fn from([clean, damaged, silent, unclear]: [usize; 4]) -> Self {
        Calls { clean, unclear, damaged, silent }
    }
}

impl Calls {
    /// Judged ones.
    pub fn judged(&self) -> usize {
        self.clean + self.unclear + self.damaged
    }

    /// Share of the judged ones that are clean, the paper's score; `None` if none was judged.
    pub(crate) fn clean_share(&self) -> Option<f64> {
        (self.judged() > 0).then(|| self.clean as f64 / self.judged() as f64)
    }
}

impl std::ops::AddAssign for Calls {
    fn add_assign(&mut self, other: Self) {
        self.clean += other.clean;
        self.unclear += other.unclear;
        self.damaged += other.damaged;
        self.silent += other.silent;
    }
}

/// A score and its errors, see [`CompositionalScore`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Estimate {
    pub score: f64,
    pub sampling_error: Option<f64>,
    pub judge_error: f64,
    pub interval: Option<(f64, f64)>,
    pub sampled: Option<SampledShare>,
}

impl Estimate {
    /// Of the judged sweep of `model` by a judge of error τ, `between`; `None` if nothing was
    /// judged.
    pub(super) fn of(model: &Model, judged: &[Judged], between: f64) -> Option<Self> {
        let p: Vec<f64> =
            judged.iter().filter_map(|j| Some(j.verdict.as_ref()?.p_damaged)).collect();
        if p.is_empty() {
            return None;
        }
        let sampled = share(model, judged);
        let plain = p.iter().map(|p| 1.0 - p).sum::<f64>() / p.len() as f64;
        let score = sampled.map_or(plain, |s| s.share);
        // Pictures there would be if every weight were moved.
        let (drawn, all) = sampled.map_or((1, 1), |s| (s.drawn, s.population));
        let pictures = p.len() as f64 * all as f64 / drawn as f64;
        let doubt = p.iter().map(|p| p * (1.0 - p)).sum::<f64>() / p.len() as f64 / pictures;
        let judge_error = (between * between + doubt).sqrt();
        let z = normal_quantile(0.5 + LEVEL / 2.0);
        Some(Estimate {
            score,
            sampling_error: sampled.map(|s| s.standard_error),
            judge_error,
            interval: sampled.map(|s| around(score, s.half.hypot(z * judge_error))),
            sampled,
        })
    }
}

fn around(score: f64, half: f64) -> (f64, f64) {
    ((score - half).clamp(0.0, 1.0), (score + half).clamp(0.0, 1.0))
}

/// The mean P(clean) over all non-zero weights of `model`.
fn share(model: &Model, judged: &[Judged]) -> Option<SampledShare> {
    let mut population = vec![0; model.network.depth()];
    for (link, &weight) in model.weights.0.iter().enumerate() {
        if weight != 0.0 {
            population[model.layer_of(link) - 1] += 1;
        }
    }
    let mut asked = vec![0; population.len()];
    let drawn: Vec<Drawn> = judged
        .chunk_by(|a, b| a.perturbation.link == b.perturbation.link)
        .map(|pair| {
            let layer = pair[0].perturbation.layer - 1;
            asked[layer] += 1;
            let p = pair.iter().filter_map(|j| Some(j.verdict.as_ref()?.p_damaged));
            Drawn { layer, clean: p.clone().map(|p| 1.0 - p).sum(), scored: p.count() }
        })
        .collect();
    // Zero weights that were asked for by name count too.
    population.iter_mut().zip(asked).for_each(|(all, asked)| *all = asked.max(*all));
    sampled_share(&population, &drawn)
}

/// A label of one perturbation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PictureLabel {
    /// The link that was moved.
    pub link: usize,
    /// The change of its weight, signed.
    pub delta: f64,
    /// The viewer's label.
    pub label: Label,
    /// Changes it stands for, > 0.
    pub weight: f64,
}

/// A score corrected by labels of a random part of its pictures: without bias whatever the judge.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Corrected {
    /// Labels.
    pub labels: usize,
    /// Mean of label − P(clean): what the judge was off.
    pub correction: f64,
    /// The corrected score, in [0, 1].
    pub score: f64,
    /// Its 95 % interval: of the weights not moved and of the pictures not labelled.
    pub interval: (f64, f64),
}

impl Corrected {
    /// Corrects the score of what was `judged`, by labels of a random part of the pictures.
    ///
    /// # Errors
    /// Fewer than [`FEWEST_LABELS`]; one is of a link, sign or change (beyond 5 %) that was not judged.
    pub(super) fn of(
        score: f64,
        sampled: Option<SampledShare>,
        judged: &[Judged],
        labels: &[PictureLabel],
    ) -> Result<Self, Refusal> {
        let n = labels.len();
        if n < FEWEST_LABELS {
            let expected = format!("labels of {FEWEST_LABELS} changes or more");
            return Err(Refusal::new("", expected, n.to_string()).as_failure());
        }
        let mut off = Vec::with_capacity(n);
        for l in labels {
            let p = p_of(judged, l).map_err(|why| {
                let found = format!("link {} by {}: {why}", l.link, l.delta);
                Refusal::new("", "labels of changes that are judged here", found)
                    .advising("draw the sheets at the same --size and --delta")
                    .as_failure()
            })?;
            let clean = f64::from(u8::from(l.label == Label::Clean));
            off.push((l.weight, clean - (1.0 - p)));
        }
        let total: f64 = off.iter().map(|(w, _)| w).sum();
        let correction = off.iter().map(|(w, d)| w * d).sum::<f64>() / total;
        let squares = off.iter().map(|(w, d)| (w * (d - correction)) * (w * (d - correction)));
        let pictures = judged.iter().filter(|j| j.verdict.is_some()).count();
        let left = 1.0 - n as f64 / pictures.max(n) as f64;
        let variance = squares.sum::<f64>() / (total * total) * n as f64 / (n - 1) as f64 * left;
        let half = student_quantile(0.5 + LEVEL / 2.0, (n - 1) as f64) * variance.sqrt();
        let sampling = sampled.map_or(0.0, |s| s.half);
        let score = score + correction;
        Ok(Corrected {
            labels: n,
            correction,
            score: score.clamp(0.0, 1.0),
            interval: around(score, half.hypot(sampling)),
        })
    }
}

/// P(damaged) of the picture that a label is of.
fn p_of(judged: &[Judged], label: &PictureLabel) -> Result<f64, String> {
    let one = judged
        .iter()
        .find(|j| {
            let p = &j.perturbation;
            p.link == label.link && (p.delta < 0.0) == (label.delta < 0.0)
        })
        .ok_or("a change that is not in this sweep")?;
    let delta = one.perturbation.delta;
    if (delta - label.delta).abs() > 0.05 * delta.abs() {
        return Err(format!("here it is changed by {delta}"));
    }
    let verdict = one.verdict.as_ref().ok_or("a change without effect")?;
    Ok(verdict.p_damaged)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::SimRng;
    use crate::network::{Arch, Model, Weights};
    use crate::probe::Perturbation;
    use crate::score::judge::Verdict;

    fn judged(link: usize, sign: f64, p: f64) -> Judged {
        let perturbation = Perturbation { link, layer: 1, delta: sign, rmse: 0.18, silent: false };
        Judged { perturbation, verdict: Some(Verdict::from_probability(p)) }
    }

    /// Four inputs' weights into each of `units` units, all one; the outputs' are left at zero.
    fn model(units: usize) -> Model {
        let network = format!("1;identity:{units}").parse::<Arch>().unwrap().network();
        let mut weights = vec![0.0; network.weight_count()];
        weights[..4 * units].fill(1.0);
        Model::new(network, Weights(weights))
    }

    fn corrected(
        e: &Estimate,
        judged: &[Judged],
        labels: &[PictureLabel],
    ) -> Result<Corrected, Refusal> {
        Corrected::of(e.score, e.sampled, judged, labels)
    }

    #[test]
    fn errors_of_a_full_sweep_are_the_judges_alone() {
        let model = model(1);
        let all: Vec<Judged> =
            (0..4).flat_map(|l| [judged(l, 1.0, 0.5), judged(l, -1.0, 0.1)]).collect();
        let e = Estimate::of(&model, &all, 0.09).unwrap();
        assert!((e.score - 0.7).abs() < 1e-12 && e.sampling_error == Some(0.0));
        // Doubt: mean of ¼ and .09 over 8 pictures.
        let expected = (0.09f64 * 0.09 + 0.17 / 8.0).sqrt();
        assert!((e.judge_error - expected).abs() < 1e-12);
        let (low, high) = e.interval.unwrap();
        assert!((e.score - low - 1.959_963_984_540_054 * expected).abs() < 1e-9 && high == 1.0);
        // Half of the weights: the rest is unknown.
        let half = Estimate::of(&model, &all[..4], 0.0).unwrap();
        assert!(half.interval.unwrap().1 > half.score);
        let one = Estimate::of(&model, &all[..2], 0.0).unwrap();
        assert!(one.interval.is_none(), "one weight of four tells no error");
        assert!(Estimate::of(&model, &[], 0.1).is_none());
    }

    #[test]
    fn labels_undo_a_judges_bias_and_the_interval_holds_what_it_says() {
        let model = model(60);
        let mut rng = SimRng::new(4, "test", 0);
        // Truth 1 − q; the judge calls all of it .25 worse than it is.
        let truth: Vec<(Judged, bool)> = (0..240)
            .flat_map(|l| [(l, 1.0), (l, -1.0)])
            .map(|(link, sign)| {
                let q = 0.7 * rng.uniform();
                (judged(link, sign, q + 0.25), rng.chance(q))
            })
            .collect();
        let share = truth.iter().filter(|(_, f)| !f).count() as f64 / truth.len() as f64;
        let all: Vec<Judged> = truth.iter().map(|(j, _)| j.clone()).collect();
        let e = Estimate::of(&model, &all, 0.0).unwrap();
        assert!(e.interval.unwrap().1 < share, "without labels it is wrong and sure");
        let (mut held, mut sum, repeats) = (0, 0.0, 500);
        for _ in 0..repeats {
            let mut order: Vec<usize> = (0..truth.len()).collect();
            rng.shuffle(&mut order);
            let labels: Vec<PictureLabel> = order[..60]
                .iter()
                .map(|&i| {
                    let (j, damaged) = &truth[i];
                    let label = if *damaged { Label::Damaged } else { Label::Clean };
                    let Perturbation { link, delta, .. } = j.perturbation;
                    PictureLabel { link, delta, label, weight: 1.0 }
                })
                .collect();
            let c = corrected(&e, &all, &labels).unwrap();
            sum += c.score;
            held += usize::from((c.interval.0..=c.interval.1).contains(&share));
        }
        let (mean, coverage) = (sum / f64::from(repeats), held as f64 / f64::from(repeats));
        assert!((mean - share).abs() < 0.01, "{mean} {share}");
        assert!((0.92..=0.98).contains(&coverage), "{coverage}");
    }

    #[test]
    fn labels_of_other_changes_are_refused() {
        let model = model(3);
        let all: Vec<Judged> =
            (0..12).flat_map(|l| [judged(l, 1.0, 0.2), judged(l, -1.0, 0.2)]).collect();
        let e = Estimate::of(&model, &all, 0.1).unwrap();
        let label = |link, delta| PictureLabel { link, delta, label: Label::Clean, weight: 1.0 };
        let good: Vec<PictureLabel> = (0..12).map(|l| label(l, 1.0)).collect();
        assert!(corrected(&e, &all, &good).is_ok());
        assert_eq!(corrected(&e, &all, &good[..9]).unwrap_err().found, "9");
        for wrong in [label(99, 1.0), label(0, -1.2)] {
            let mut bad = good.clone();
            bad[3] = wrong;
            let error = corrected(&e, &all, &bad).unwrap_err().to_string();
            assert!(error.contains("judged here, found link"), "{error}");
        }
    }

    #[test]
    fn a_correction_beyond_the_ends_leaves_an_interval_within_them() {
        // The labelled half is called damaged and is not: corrected by .9, the score would be 1.4.
        let model = model(6);
        let all: Vec<Judged> =
            (0..24).flat_map(|l| [judged(l, 1.0, 0.9), judged(l, -1.0, 0.1)]).collect();
        let e = Estimate::of(&model, &all, 0.0).unwrap();
        let labels: Vec<PictureLabel> = (0..24)
            .map(|link| PictureLabel { link, delta: 1.0, label: Label::Clean, weight: 1.0 })
            .collect();
        let found = corrected(&e, &all, &labels).unwrap();
        assert_eq!((found.score, found.interval), (1.0, (1.0, 1.0)));
    }

    #[test]
    fn calls_are_four_numbers_in_files() {
        let clear: Calls = serde_json::from_str("[3,1,2,0]").unwrap();
        assert_eq!(clear, Calls { clean: 3, unclear: 0, damaged: 1, silent: 2 });
        assert_eq!(serde_json::to_string(&clear).unwrap(), "[3,1,2,0]");
        assert!(serde_json::from_str::<Calls>("[3,1,2]").is_err());
        let new = Calls { unclear: 4, ..clear };
        assert_eq!((new.judged(), new.clean_share()), (8, Some(0.375)));
        assert_eq!(Calls::default().clean_share(), None);
    }
}
