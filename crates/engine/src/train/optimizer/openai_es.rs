//! OpenAI's evolution strategy: the gradient is estimated from losses only,
//! `g = 1/(2Nσ)·Σᵢ (r(w + σεᵢ) - r(w - σεᵢ))·εᵢ`, and a first-order base steps along it.
//!
//! ε: N normal vectors over the living links a step, each used with both signs. r: the ranks of the 2N
//! losses, from -½ (lowest) to ½; equal losses share the mean of their ranks `[ours]`, so that a flat loss
//! has no direction. One step is one generation of 2N + 1 losses; the one more is that of the weights,
//! which the [`Step`] reports. The gradient rule acts on the estimate, whose norm the [`Step`] carries:
//! ranks have no unit, so it is no slope of the loss. Reference: Salimans et al. 2017, "Evolution
//! Strategies as a Scalable Alternative to Reinforcement Learning".

use super::adam::AdamConfig;
use super::first_order::FirstOrder;
use super::noise::{Noise, rank};
use super::rule::GradientRule;
use super::sam::SamBase;
use super::step::{Evaluate, Scalar, Step, mask_and_norm, settle};
use crate::base::choice::options;
use crate::network::Mask;
use serde::{Deserialize, Serialize};

options! {
    /// Settings of OpenAI's evolution strategy.
    pub struct OpenAiEsConfig {
        /// N, pairs of candidates a step.
        population: usize = 16, range: Range::between(1.0, 1e6), source: "ours";
        /// σ, standard deviation of the candidates around the weights.
        sigma: f64 = 0.02, range: Range::POSITIVE, source: "Salimans et al.'s configuration";
        /// What makes the step, named by base.name; a base without settings has its own defaults.
        base: SamBase = SamBase::Adam(AdamConfig::default()), source: "Salimans et al.";
    }
}

/// State of OpenAI's evolution strategy: that of its base and of its random stream.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub(crate) struct OpenAiEs<T: Scalar> {
    config: OpenAiEsConfig,
    pub(super) noise: Noise,
    pub(super) base: FirstOrder<T>,
    #[serde(skip)]
    work: Work<T>,
}

/// Buffers of a step.
#[derive(Clone, Debug, Default, PartialEq)]
struct Work<T> {
    /// Indices of the living links, (n,).
    living: Vec<usize>,
    /// ε, (N, n).
    normals: Vec<f64>,
    /// (W,).
    trial: Vec<T>,
    /// (2N,): the two of a pair beside each other.
    losses: Vec<f64>,
    order: Vec<usize>,
    ranks: Vec<f64>,
}

impl<T: Scalar> OpenAiEs<T> {
    pub(super) fn new(config: OpenAiEsConfig, weights: usize) -> Self {
        let base = config.base.begin(weights);
        OpenAiEs { config, noise: Noise::new(0, 0), base, work: Work::default() }
    }

    /// One generation; `gradient` is scratch, (W,).
    pub(super) fn step(
        &mut self,
        weights: &mut [T],
        gradient: &mut [T],
        mask: &Mask,
        lr: f64,
        rule: GradientRule,
        evaluate: &mut dyn Evaluate<T>,
    ) -> Step {
        let loss = evaluate.loss(weights);
        let mut step = Step { loss, gradient_norm: 0.0, evaluations: 1, stuck: false };
        if !loss.is_finite() {
            return step;
        }
        let OpenAiEsConfig { population, sigma, .. } = self.config;
        let Work { living, normals, trial, losses, order, ranks } = &mut self.work;
        living.clear();
        living.extend((0..weights.len()).filter(|&i| mask.0[i]));
        let n = living.len();
        let mut rng = self.noise.next("openai-es");
        normals.clear();
        normals.extend((0..population * n).map(|_| rng.normal()));
        trial.clear();
        trial.extend_from_slice(weights);
        losses.clear();
        for pair in 0..population {
            for signed in [sigma, -sigma] {
                for (&i, e) in living.iter().zip(&normals[pair * n..]) {
                    trial[i] = T::narrow(weights[i].wide() + signed * e);
                }
                losses.push(evaluate.loss(trial));
            }
        }
        step.evaluations += losses.len();
        centred_ranks(losses, order, ranks);
        gradient.fill(T::default());
        for (k, &i) in living.iter().enumerate() {
            let pairs = ranks.chunks_exact(2).zip(normals.chunks_exact(n));
            let sum: f64 = pairs.map(|(r, e)| (r[0] - r[1]) * e[k]).sum();
            gradient[i] = T::narrow(sum / (2.0 * population as f64 * sigma));
        }
        step.gradient_norm = mask_and_norm(gradient, mask);
        if rule.apply(gradient, step.gradient_norm) {
            self.base.update(weights, gradient, mask, lr);
            settle(weights, mask);
        }
        step
    }
}

/// Ranks of `losses` from -½ to ½ into `ranks`; equal losses share their mean.
fn centred_ranks(losses: &mut [f64], order: &mut Vec<usize>, ranks: &mut Vec<f64>) {
    rank(losses, order);
    ranks.clear();
    ranks.resize(losses.len(), 0.0);
    let last = (losses.len() - 1) as f64;
    let mut place = 0;
    for equal in order.chunk_by(|&a, &b| losses[a] == losses[b]) {
        let mean = place as f64 + (equal.len() - 1) as f64 / 2.0;
        equal.iter().for_each(|&i| ranks[i] = mean / last - 0.5);
        place += equal.len();
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Layout, Optimizer, OptimizerConfig};
    use super::*;
    use crate::base::SimRng;

    #[test]
    fn equal_losses_share_the_mean_of_their_ranks() {
        let (mut order, mut ranks) = (Vec::new(), Vec::new());
        centred_ranks(&mut [3.0, 1.0, 1.0, f64::NAN, 2.0], &mut order, &mut ranks);
        assert_eq!(ranks, [0.25, -0.375, -0.375, 0.5, 0.0]);
        centred_ranks(&mut [7.0, 7.0], &mut order, &mut ranks);
        assert_eq!(ranks, [0.0, 0.0]);
    }

    #[test]
    fn one_pair_by_hand() {
        // L = w₀ + 10w₂ with link 1 removed: of one pair the ranks are ±½ by the sign of ε₀ + 10ε₂, so
        // g = ±ε/(2σ), and plain SGD moves by lr·g.
        let config: OptimizerConfig =
            "openai-es:population=1,sigma=0.5,base.name=sgd".parse().unwrap();
        let mut optimizer =
            Optimizer::<f64>::new(&config, &Layout::vector(3)).unwrap().seeded(9, 2);
        let mask = Mask(vec![true, false, true]);
        let mut w = [1.0, 0.0, 2.0];
        let step =
            optimizer.step(&mut w, &mask, 0.1, GradientRule::Raw, &mut |w, _| w[0] + 10.0 * w[2]);
        let mut rng = SimRng::new(9, "openai-es", 2 << 48);
        let e = [rng.normal(), rng.normal()];
        let sign = (e[0] + 10.0 * e[1]).signum();
        assert_eq!((step.loss, step.evaluations), (21.0, 3));
        assert!((step.gradient_norm - e[0].hypot(e[1])).abs() < 1e-12, "{step:?}");
        assert!((w[0] - (1.0 - 0.1 * sign * e[0])).abs() < 1e-12, "{w:?}");
        assert!((w[2] - (2.0 - 0.1 * sign * e[1])).abs() < 1e-12 && w[1] == 0.0, "{w:?}");
    }
}
