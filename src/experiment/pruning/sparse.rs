//! Weight-sparse training as a run: the links are chosen after every step, from the run's own
//! initial weights, see [`crate::prune::sparse_training`].

use crate::math::choice::OutOfRange;
use crate::network::{Mask, Network, Weights};
use crate::prune::sparse_training::Schedule;
use crate::prune::{PruneError, Rule, Scope, alive};
use crate::train::Constraint;

/// The schedule, bound to a network and a length of training.
#[derive(Debug)]
pub(super) struct TopK {
    network: Network,
    /// Links that may be chosen, all of them alive.
    candidates: Mask,
    schedule: Schedule,
    steps: u64,
}

impl TopK {
    /// Down to the count of `rule` among `candidates` in half of `steps` steps.
    pub(super) fn new(
        network: &Network,
        candidates: &Mask,
        rule: Rule,
        min_inputs: usize,
        steps: u64,
    ) -> Result<Self, PruneError> {
        if min_inputs == 0 {
            let (what, expected) = ("min_inputs of sparse-training", "1 or more");
            return Err(OutOfRange { what, expected, found: 0.0 }.into());
        }
        let candidates = alive(network, candidates);
        let target = rule
            .quotas(network, &candidates.0, Scope::Global)?
            .ok_or(PruneError::Missing {
                method: "sparse-training",
                what: "a budget: it has no scores to hold against a threshold",
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
    pub(super) fn candidates(&self) -> &Mask {
        &self.candidates
    }

    /// K.
    pub(super) fn target(&self) -> usize {
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
