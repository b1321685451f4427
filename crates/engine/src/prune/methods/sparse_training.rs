//! Weight-sparse training: the largest |w| of each matrix, after every step.
//!
//! Gao et al., *Weight-sparse transformers have interpretable circuits* (2025). Adam on all
//! weights; after every step each matrix keeps its k largest |w| and the rest are set to 0 (they may
//! come back: their gradient is not masked); k falls linearly from dense to target between 1 % and
//! 50 % of training; every unit keeps at least two inputs; the learning rate is multiplied by √(k_final/k_t).
//!
//! [`Schedule`] is that loop's arithmetic, `TopK` the constraint on a training run.

use super::magnitude::Magnitude;
use crate::base::SimRng;
use crate::base::choice::options;
use crate::base::refusal::Refusal;
use crate::network::{Mask, Network, Weights};
use crate::prune::context::{EdgeContext, EdgeScores, PruneError, budget_above, budget_below};
use crate::prune::guard::alive;
use crate::prune::round::{Prunes, Round};
use crate::prune::select::{Quotas, Rule, Scope, layer_of_links, proportional, sizes, top};
use crate::train::Constraint;
use serde::{Deserialize, Serialize};

/// A schedule and its constraint.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Schedule {
    /// K, links left at the end.
    pub target: usize,
    /// Inputs every unit keeps (all it has, where it has fewer).
    pub min_inputs: usize,
    /// Share of training at which k begins to fall, in [0, 1]. Default: 0.01.
    pub begin: f64,
    /// Share of training at which it reaches the target, in [`begin`, 1]. Default: 0.5.
    pub end: f64,
}

impl Schedule {
    /// The published schedule down to `target` links.
    pub fn new(target: usize) -> Self {
        Schedule { target, min_inputs: SparseTraining::default().min_inputs, begin: 0.01, end: 0.5 }
    }

    /// k after `step` of `steps` steps, from `dense` links: linear between begin and end.
    pub fn links_at(&self, dense: usize, step: u64, steps: u64) -> usize {
        let share = if steps == 0 { 1.0 } else { step as f64 / steps as f64 };
        if share >= self.end || dense <= self.target {
            return self.target;
        }
        let gone = ((share - self.begin) / (self.end - self.begin)).clamp(0.0, 1.0);
        dense - ((dense - self.target) as f64 * gone).round() as usize
    }

    /// √(k_final/k_t), the factor on the learning rate at `links` left; 1 at the target.
    pub(crate) fn lr_factor(&self, links: usize) -> f64 {
        (self.target as f64 / links.max(1) as f64).sqrt()
    }

    /// Keeps exactly `links` of the links of `mask`, sets the other weights to 0 and returns what is
    /// kept. `weights` is (W,).
    ///
    /// # Errors
    /// `BudgetBelow` when `links` is less than every unit's `min_inputs` need, `BudgetAbove`.
    pub(crate) fn project(
        &self,
        network: &Network,
        mask: &Mask,
        weights: &mut Weights,
        links: usize,
    ) -> Result<Mask, PruneError> {
        let quotas = Self::quotas(network, mask, links, self.min_inputs)?;
        let (context_weights, none) = (weights.clone(), vec![false; mask.0.len()]);
        let context = EdgeContext::new(network, &context_weights, mask);
        context.check()?;
        let scores = EdgeScores::of(mask, |i| context.weight(i).abs());
        let scores = Self::row_bumped(&context, self.min_inputs, scores);
        let kept = Mask(top(&scores.dense("sparse-training")?, &mask.0, &quotas, &none));
        kept.apply(weights);
        Ok(kept)
    }

    /// Links to keep of each matrix: in proportion to its size, but never below its units' minimum.
    ///
    /// # Errors
    /// As [`Self::project`].
    pub(crate) fn quotas(
        network: &Network,
        mask: &Mask,
        links: usize,
        min_inputs: usize,
    ) -> Result<Quotas, PruneError> {
        let kept = mask.kept();
        if links > kept {
            return Err(budget_above(kept, links));
        }
        let group = layer_of_links(network);
        let size = sizes(&group, &mask.0);
        let mut floor = vec![0; size.len()];
        for unit in network.units.iter().filter(|u| !u.links.is_empty()) {
            let fan_in = mask.0[unit.links.clone()].iter().filter(|&&m| m).count();
            floor[group[unit.links.start]] += fan_in.min(min_inputs);
        }
        let needed: usize = floor.iter().sum();
        if links < needed {
            let why = "the inputs every unit keeps in sparse training; lower min_inputs";
            return Err(budget_below(needed, why, links));
        }
        // Matrices whose share is below their floor get the floor; the others share the rest.
        let mut fixed = vec![false; size.len()];
        let quota = loop {
            let free: Vec<usize> =
                (0..size.len()).map(|g| if fixed[g] { 0 } else { size[g] }).collect();
            let spent: usize = (0..size.len()).filter(|&g| fixed[g]).map(|g| floor[g]).sum();
            let shares = proportional(&free, links - spent);
            let low: Vec<usize> =
                (0..size.len()).filter(|&g| !fixed[g] && shares[g] < floor[g]).collect();
            if low.is_empty() {
                break (0..size.len())
                    .map(|g| if fixed[g] { floor[g] } else { shares[g] })
                    .collect();
            }
            for g in low {
                fixed[g] = true;
            }
        };
        Ok(Quotas { group, quota })
    }

    /// Scores in which each unit's `min_inputs` best links stand above all others.
    fn row_bumped(context: &EdgeContext, min_inputs: usize, mut scores: EdgeScores) -> EdgeScores {
        let bump = 1.0 + scores.0.iter().flatten().fold(0.0f64, |m, s| m.max(s.abs()));
        for unit in &context.network.units {
            let mut row: Vec<(f64, usize)> =
                unit.links.clone().filter_map(|i| Some((scores.0[i]?, i))).collect();
            row.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
            for (score, i) in row.into_iter().take(min_inputs) {
                scores.0[i] = Some(score + bump);
            }
        }
        scores
    }
}

options! {
    /// Options of `sparse-training`.
    #[derive(Copy)]
    pub struct SparseTraining {
        /// Inputs every unit keeps (all it has, where it has fewer).
        min_inputs: usize = 2, source: "Gao et al.";
    }
}

impl Prunes for SparseTraining {
    fn scores(&self, round: &Round, rng: &mut SimRng) -> Result<EdgeScores, PruneError> {
        let sizes = Magnitude {}.scores(round, rng)?;
        Ok(Schedule::row_bumped(&round.context, self.min_inputs, sizes))
    }

    fn quotas(&self, round: &Round, _: &mut SimRng) -> Result<Option<Quotas>, PruneError> {
        let network = round.context.network;
        let quotas = round.rule.quotas(network, &round.candidates.0, Scope::Layer)?;
        Ok(match quotas {
            Some(quotas) if !matches!(round.rule, Rule::Layerwise { .. }) => {
                let (links, mask) = (quotas.total(), round.candidates);
                Some(Schedule::quotas(network, mask, links, self.min_inputs)?)
            }
            quotas => quotas,
        })
    }
}

/// The schedule, bound to a network and a length of training.
#[derive(Debug)]
pub(in crate::prune) struct TopK {
    network: Network,
    /// Links that may be chosen, all of them alive.
    candidates: Mask,
    schedule: Schedule,
    steps: u64,
}

impl TopK {
    /// Down to the count of `rule` among `candidates` in half of `steps` steps.
    pub(in crate::prune) fn new(
        network: &Network,
        candidates: &Mask,
        rule: Rule,
        min_inputs: usize,
        steps: u64,
    ) -> Result<Self, PruneError> {
        if min_inputs == 0 {
            let (what, expected) = ("min_inputs of sparse-training", "1 or more");
            return Err(Refusal::new(what, expected, "0").into());
        }
        let candidates = alive(network, candidates);
        let target = rule
            .quotas(network, &candidates.0, Scope::Global)?
            .ok_or_else(|| {
                let refusal = Refusal::new("sparse-training", "a budget", "none").as_failure();
                refusal.advising("it has no scores to hold against a threshold")
            })?
            .total();
        // Refuses a count that cannot be met before any step is made.
        Schedule::quotas(network, &candidates, target, min_inputs)?;
        Ok(TopK {
            network: network.clone(),
            candidates,
            schedule: Schedule { min_inputs, ..Schedule::new(target) },
            steps,
        })
    }

    /// Links that may be chosen.
    pub(in crate::prune) fn candidates(&self) -> &Mask {
        &self.candidates
    }

    /// K.
    pub(in crate::prune) fn target(&self) -> usize {
        self.schedule.target
    }

    fn links_at(&self, step: u64) -> usize {
        let dense = self.candidates.kept();
        self.schedule.links_at(dense, step, self.steps)
    }
}

impl Constraint for TopK {
    fn lr_factor(&self, step: u64) -> f64 {
        self.schedule.lr_factor(self.links_at(step))
    }

    fn project(&self, step: u64, weights: &mut Weights) {
        let links = self.links_at(step);
        if links < self.candidates.kept() {
            // Fails on weights that are not finite only: the count was tried in `new`.
            let _ = self.schedule.project(&self.network, &self.candidates, weights, links);
        }
    }

    fn settled(&self, step: u64) -> bool {
        self.links_at(step) == self.target()
    }

    fn finish(&self, weights: &Weights) -> (Mask, Mask) {
        let finite = |w: &f32| if w.is_finite() { *w } else { 0.0 };
        let mut weights = Weights(weights.0.iter().map(finite).collect());
        let kept = self
            .schedule
            .project(&self.network, &self.candidates, &mut weights, self.target())
            .unwrap_or_else(|_| self.candidates.clone());
        let live = alive(&self.network, &kept);
        (kept, live)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::Arch;

    #[test]
    fn k_falls_linearly_from_dense_to_target_over_the_published_window() {
        let s = Schedule::new(100);
        assert_eq!(s.links_at(1080, 0, 1000), 1080);
        assert_eq!(s.links_at(1080, 10, 1000), 1080);
        // Half-way between 1 % and 50 % is 25.5 %.
        assert_eq!(s.links_at(1080, 255, 1000), 590);
        assert_eq!(s.links_at(1080, 500, 1000), 100);
        assert_eq!(s.links_at(1080, 1000, 1000), 100);
        assert_eq!(s.links_at(1080, 0, 0), 100);
        assert!((s.lr_factor(400) - 0.5).abs() < 1e-15);
        assert_eq!(s.lr_factor(100), 1.0);
    }

    #[test]
    fn projection_keeps_exactly_k_and_two_inputs_a_unit() {
        // 1 hidden layer of 3: 12 + 9 = 21 links; 6 units need 12.
        let network = "1;cache:3".parse::<Arch>().unwrap().network();
        let mask = Mask::all(21);
        let mut weights = Weights((0..21).map(|i| (i + 1) as f32).collect());
        let s = Schedule::new(13);
        let kept = s.project(&network, &mask, &mut weights, 13).unwrap();
        assert_eq!(kept.kept(), 13);
        // 13·12/21 = 7.43 and 13·9/21 = 5.57: shares 7 and 6; each row's two largest come first,
        // then the largest of the matrix: weight 10 (row 2 of the first), no weight in the head.
        let expected: Vec<usize> = vec![2, 3, 6, 7, 9, 10, 11, 13, 14, 16, 17, 19, 20];
        let found: Vec<usize> = (0..21).filter(|&i| kept.0[i]).collect();
        assert_eq!(found, expected);
        assert_eq!((weights.0[2], weights.0[0]), (3.0, 0.0));
        let error = s.project(&network, &mask, &mut weights, 11).unwrap_err();
        assert_eq!(
            error.to_string(),
            "expected a budget of at least 12 links (the inputs every unit keeps in sparse training; lower min_inputs), found 11"
        );
    }
}
