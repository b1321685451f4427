//! L-BFGS: `w += t·d`, `d = -H·g` by the two-loop recursion over the last pairs
//! s = w' - w, y = g' - g; t by a strong Wolfe search.
//!
//! Uses the raw gradient (a gradient rule would falsify the curvature) and no learning rate: the
//! first trial is t = 1, and min(1, 1/‖g‖₁) while there is no curvature (as in torch). H₀ = sᵀy/yᵀy.
//! Meant for one fixed loss: minibatches would mix their curvatures. References: Nocedal & Wright
//! 2006, algorithms 7.4 and 7.5. While the history fills, a step allocates its pair. When neither the
//! curvature's direction nor the gradient's leads lower, the [`Step`] says that it is stuck.

use super::line_search::{Trial, Wolfe, strong_wolfe};
use super::step::{Evaluate, Scalar, Step, mask_and_norm, settle};
use crate::base::choice::options;
use crate::base::refusal::Refusal;
use crate::network::Mask;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// Pairs with sᵀy at or below this carry no usable curvature [METHODS §4].
const LEAST_CURVATURE: f64 = 1e-10;

options! {
    /// Settings of L-BFGS.
    pub struct LbfgsConfig with wolfe {
        /// Pairs remembered.
        history: usize = 10, range: Range::between(1.0, 1000.0), source: "METHODS §4: 10 to 100";
        /// c₁, sufficient decrease; below c₂.
        c1: f64 = 1e-4, range: Range::INSIDE, source: "Nocedal & Wright";
        /// c₂, curvature.
        c2: f64 = 0.9, range: Range::INSIDE, source: "Nocedal & Wright";
        /// Evaluations that one line search may use.
        max_evaluations: usize = 25, range: Range::at_least(1.0), source: "torch";
    }
}

impl LbfgsConfig {
    fn wolfe(&self) -> Result<(), Refusal> {
        Refusal::unless(self.c1 < self.c2, "c1", "a number below c2", self.c1)
    }
}

/// One remembered pair.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
struct Pair<T: Scalar> {
    s: Vec<T>,
    y: Vec<T>,
    /// sᵀy > 0.
    curvature: f64,
}

/// Loss and masked gradient where the last step ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
struct Point<T: Scalar> {
    weights: Vec<T>,
    loss: f64,
    gradient: Vec<T>,
}

/// State of L-BFGS.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub(crate) struct Lbfgs<T: Scalar> {
    config: LbfgsConfig,
    /// Oldest first.
    pairs: VecDeque<Pair<T>>,
    /// Known if the last step ended somewhere finite.
    here: Option<Point<T>>,
    #[serde(skip)]
    work: Work<T>,
}

/// Buffers of a step, each (W,).
#[derive(Clone, Debug, PartialEq)]
struct Work<T: Scalar> {
    direction: Vec<f64>,
    trial: Vec<T>,
    kept: Point<T>,
    alphas: Vec<f64>,
    /// A pair whose buffers the next one may use.
    spare: Option<Pair<T>>,
}

impl<T: Scalar> Default for Work<T> {
    fn default() -> Self {
        Work {
            direction: Vec::new(),
            trial: Vec::new(),
            kept: Point { weights: Vec::new(), loss: 0.0, gradient: Vec::new() },
            alphas: Vec::new(),
            spare: None,
        }
    }
}

impl<T: Scalar> Work<T> {
    fn prepare(&mut self, weights: usize, history: usize) {
        self.direction.resize(weights, 0.0);
        self.trial.resize(weights, T::default());
        self.kept.weights.resize(weights, T::default());
        self.kept.gradient.resize(weights, T::default());
        self.alphas.resize(history, 0.0);
    }
}

fn dot<T: Scalar>(a: &[T], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.wide() * b).sum()
}

impl<T: Scalar> Lbfgs<T> {
    pub(super) fn new(config: LbfgsConfig, weights: usize) -> Self {
        let mut work = Work::default();
        work.prepare(weights, config.history);
        Lbfgs { pairs: VecDeque::with_capacity(config.history), config, here: None, work }
    }

    /// Lengths of the state vectors; each should be W.
    pub(super) fn lengths(&self) -> Vec<usize> {
        let here = self.here.iter().flat_map(|p| [p.weights.len(), p.gradient.len()]);
        let pairs = self.pairs.iter().flat_map(|p| [p.s.len(), p.y.len()]);
        here.chain(pairs).collect()
    }

    /// One step; `gradient` is scratch, (W,). When no trial along d or along -g lowers the loss the
    /// weights stay where they are.
    pub(super) fn step(
        &mut self,
        weights: &mut [T],
        gradient: &mut [T],
        mask: &Mask,
        evaluate: &mut dyn Evaluate<T>,
    ) -> Step {
        self.work.prepare(weights.len(), self.config.history);
        let mut evaluations = 0;
        let mut here = match self.here.take() {
            Some(here) if here.weights == *weights => here,
            // The first step, or somebody moved the weights: nothing remembered holds here.
            _ => {
                self.pairs.clear();
                let loss = evaluate.loss_and_gradient(weights, gradient);
                evaluations += 1;
                Point { weights: weights.to_vec(), loss, gradient: gradient.to_vec() }
            }
        };
        let gradient_norm = mask_and_norm(&mut here.gradient, mask);
        let mut step = Step { loss: here.loss, gradient_norm, evaluations, stuck: true };
        if !step.is_finite() {
            step.stuck = false;
            return step;
        }
        // Along the curvature's direction; where that leads nowhere, once more along the gradient.
        for _ in 0..2 {
            let fresh = self.pairs.is_empty();
            self.find_direction(&here.gradient);
            let start = Trial {
                t: 0.0,
                value: here.loss,
                slope: dot(&here.gradient, &self.work.direction),
            };
            let count = &mut step.evaluations;
            if start.slope < 0.0 && self.search(&here, start, gradient, mask, evaluate, count) {
                self.remember(&mut here);
                weights.copy_from_slice(&here.weights);
                settle(weights, mask);
                step.stuck = false;
                break;
            }
            self.pairs.clear();
            if fresh {
                break;
            }
        }
        self.here = Some(here);
        step
    }

    /// d = -H·g into `work.direction`.
    fn find_direction(&mut self, gradient: &[T]) {
        let Work { direction, alphas, .. } = &mut self.work;
        for (d, g) in direction.iter_mut().zip(gradient) {
            *d = -g.wide();
        }
        for (pair, alpha) in self.pairs.iter().zip(alphas.iter_mut()).rev() {
            *alpha = dot(&pair.s, direction) / pair.curvature;
            for (d, y) in direction.iter_mut().zip(&pair.y) {
                *d -= *alpha * y.wide();
            }
        }
        if let Some(last) = self.pairs.back() {
            let square: f64 = last.y.iter().map(|y| y.wide() * y.wide()).sum();
            let scale = last.curvature / square;
            direction.iter_mut().for_each(|d| *d *= scale);
        }
        for (pair, alpha) in self.pairs.iter().zip(alphas.iter()) {
            let beta = dot(&pair.y, direction) / pair.curvature;
            for (d, s) in direction.iter_mut().zip(&pair.s) {
                *d += (*alpha - beta) * s.wide();
            }
        }
    }

    /// Searches along `work.direction`; true if `work.kept` is now a better point.
    fn search(
        &mut self,
        here: &Point<T>,
        start: Trial,
        gradient: &mut [T],
        mask: &Mask,
        evaluate: &mut dyn Evaluate<T>,
        evaluations: &mut usize,
    ) -> bool {
        let first = if self.pairs.is_empty() {
            let sum: f64 = here.gradient.iter().map(|g| g.wide().abs()).sum();
            1.0f64.min(1.0 / sum)
        } else {
            1.0
        };
        let wolfe = Wolfe {
            c1: self.config.c1,
            c2: self.config.c2,
            max_evaluations: self.config.max_evaluations,
        };
        struct Walk<'a, T: Scalar> {
            work: &'a mut Work<T>,
            gradient: &'a mut [T],
            loss: f64,
            evaluate: &'a mut dyn Evaluate<T>,
            evaluations: &'a mut usize,
        }
        let mut walk =
            Walk { work: &mut self.work, gradient, loss: f64::NAN, evaluate, evaluations };
        let found = strong_wolfe(
            &mut walk,
            start,
            first,
            wolfe,
            |walk, t| {
                let Work { direction, trial, .. } = &mut *walk.work;
                for ((x, w), d) in trial.iter_mut().zip(&here.weights).zip(&*direction) {
                    *x = T::narrow(w.wide() + t * d);
                }
                walk.loss = walk.evaluate.loss_and_gradient(trial, walk.gradient);
                *walk.evaluations += 1;
                mask_and_norm(walk.gradient, mask);
                Trial { t, value: walk.loss, slope: dot(walk.gradient, direction) }
            },
            |walk| {
                let Work { trial, kept, .. } = &mut *walk.work;
                kept.weights.copy_from_slice(trial);
                kept.gradient.copy_from_slice(walk.gradient);
                kept.loss = walk.loss;
            },
        );
        found.is_some()
    }

    /// Moves `here` to `work.kept` and remembers the pair between them, in place of the oldest if the
    /// history is full. A pair without usable curvature leaves the history as it is.
    fn remember(&mut self, here: &mut Point<T>) {
        let kept = &self.work.kept;
        let mut pair = self.work.spare.take().unwrap_or_else(|| Pair {
            s: vec![T::default(); here.weights.len()],
            y: vec![T::default(); here.weights.len()],
            curvature: 0.0,
        });
        pair.curvature = 0.0;
        for i in 0..here.weights.len() {
            pair.s[i] = T::narrow(kept.weights[i].wide() - here.weights[i].wide());
            pair.y[i] = T::narrow(kept.gradient[i].wide() - here.gradient[i].wide());
            pair.curvature += pair.s[i].wide() * pair.y[i].wide();
        }
        if pair.curvature > LEAST_CURVATURE {
            if self.pairs.len() == self.config.history {
                self.work.spare = self.pairs.pop_front();
            }
            self.pairs.push_back(pair);
        } else {
            self.work.spare = Some(pair);
        }
        here.weights.copy_from_slice(&kept.weights);
        here.gradient.copy_from_slice(&kept.gradient);
        here.loss = kept.loss;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_two_loop_recursion_satisfies_the_secant_equation() {
        // With the pairs of a quadratic, H·y = s for the newest pair: g = -y gives d = s.
        let mut lbfgs = Lbfgs::<f64>::new(LbfgsConfig::default(), 3);
        let hessian = [1.0, 4.0, 9.0];
        for s in [[1.0, 0.5, -0.2], [0.3, -1.0, 0.4]] {
            let y: Vec<f64> = s.iter().zip(hessian).map(|(s, h)| s * h).collect();
            let curvature = dot(&s, &y);
            lbfgs.pairs.push_back(Pair { s: s.to_vec(), y, curvature });
        }
        let minus_y: Vec<f64> = lbfgs.pairs[1].y.iter().map(|y| -y).collect();
        lbfgs.find_direction(&minus_y);
        for (d, s) in lbfgs.work.direction.iter().zip([0.3, -1.0, 0.4]) {
            assert!((d - s).abs() < 1e-14, "{d} {s}");
        }
    }

    #[test]
    fn a_full_history_keeps_its_pairs_when_a_step_has_no_curvature() {
        let one = LbfgsConfig { history: 1, ..LbfgsConfig::default() };
        let mut lbfgs = Lbfgs::<f64>::new(one, 2);
        let mut here = Point { weights: vec![0.0, 0.0], loss: 1.0, gradient: vec![1.0, 1.0] };
        let to = |lbfgs: &mut Lbfgs<f64>, here: &mut Point<f64>, x: f64, g: f64| {
            lbfgs.work.kept.weights = vec![x, 0.0];
            lbfgs.work.kept.gradient = vec![g, 1.0];
            lbfgs.remember(here);
            lbfgs.pairs.iter().map(|p| p.s[0]).collect::<Vec<_>>()
        };
        assert_eq!(to(&mut lbfgs, &mut here, 1.0, 3.0), [1.0]);
        assert_eq!(to(&mut lbfgs, &mut here, 2.0, 3.0), [1.0], "y = 0");
        assert_eq!(to(&mut lbfgs, &mut here, 4.0, 2.0), [1.0], "sᵀy < 0");
        assert_eq!(to(&mut lbfgs, &mut here, 7.0, 5.0), [3.0]);
        assert_eq!(here.weights, [7.0, 0.0]);
    }
}
