//! The random streams of the evolution strategies.

use crate::base::SimRng;
use serde::{Deserialize, Serialize};

/// Streams keyed by (seed, purpose, attempt and generation): a resumed run draws the same numbers, and
/// another attempt draws other ones.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Noise {
    seed: u64,
    #[serde(deserialize_with = "crate::base::text::count::<31, _, _>")]
    attempt: u32,
    /// Generations drawn.
    #[serde(deserialize_with = "crate::base::text::count::<53, _, _>")]
    generation: u64,
}

impl Noise {
    pub(super) fn new(seed: u64, attempt: u32) -> Self {
        Noise { seed, attempt, generation: 0 }
    }

    /// The stream of the next generation.
    pub(super) fn next(&mut self, purpose: &str) -> SimRng {
        let index = (u64::from(self.attempt) << 48) | self.generation;
        self.generation += 1;
        SimRng::new(self.seed, purpose, index)
    }
}

/// Puts the indices of `losses` into `order`, lowest loss first; equal losses by index. A loss that is not
/// finite is the highest.
pub(super) fn rank(losses: &mut [f64], order: &mut Vec<usize>) {
    losses.iter_mut().filter(|loss| !loss.is_finite()).for_each(|loss| *loss = f64::INFINITY);
    order.clear();
    order.extend(0..losses.len());
    order.sort_unstable_by(|&a, &b| losses[a].total_cmp(&losses[b]).then(a.cmp(&b)));
}
