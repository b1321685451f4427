//! Who chooses the parents when no human does: a model that looks at the sheet of a generation, or
//! a seeded mock. In: the sheet. Out: a choice with its reason. It does not know any genome; the
//! command line hands its choices to `evolve`.

use super::judge::{JudgeError, JudgeUsage};
use crate::base::SimRng;
use crate::network::Picture;
use serde::{Deserialize, Serialize};

/// A decision about a generation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Decision {
    /// Breed these pictures, ascending, at least one.
    Select(Vec<usize>),
    /// This picture is worth showing: publish it and end.
    Publish(usize),
    /// Nothing here is worth breeding.
    Stop,
}

/// A decision and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Choice {
    /// The decision.
    pub decision: Decision,
    /// Why, in the chooser's words.
    pub reason: String,
}

/// Chooses parents by looking.
pub trait Breeder: Sync {
    /// Name and version for records.
    fn name(&self) -> String;

    /// Looks at the `sheet` of a generation of `count` numbered pictures; `before` are its earlier
    /// choices in this run.
    ///
    /// # Errors
    /// A model could not be asked or gave no usable answer.
    fn choose(
        &self,
        sheet: &Picture,
        count: usize,
        generation: usize,
        before: &[Choice],
    ) -> Result<Choice, JudgeError>;

    /// Requests, tokens and seconds so far; `None` for breeders that use no server.
    fn usage(&self) -> Option<JudgeUsage> {
        None
    }
}

/// Seeded choices, for tests of the plumbing: one or two pictures a generation, and the first of
/// generation `generations` is published. The choice depends on the seed, the generation and the
/// sheet.
#[derive(Clone, Copy, Debug)]
pub struct MockBreeder {
    /// Seed.
    pub seed: u64,
    /// Generation in which it publishes.
    pub generations: usize,
}

impl Breeder for MockBreeder {
    fn name(&self) -> String {
        format!("mock/{}", self.seed)
    }

    fn choose(
        &self,
        sheet: &Picture,
        count: usize,
        generation: usize,
        _before: &[Choice],
    ) -> Result<Choice, JudgeError> {
        let decision = if count == 0 {
            Decision::Stop
        } else if generation >= self.generations {
            Decision::Publish(0)
        } else {
            let hash = sheet
                .to_bytes()
                .iter()
                .fold(generation as u64, |h, &b| h.wrapping_mul(31) ^ u64::from(b));
            let mut rng = SimRng::new(self.seed, "mock-breeder", hash);
            let mut chosen = vec![rng.below(count), rng.below(count)];
            chosen.sort_unstable();
            chosen.dedup();
            Decision::Select(chosen)
        };
        Ok(Choice { decision, reason: format!("a seeded toss in generation {generation}") })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mock_breeder_selects_then_publishes_and_repeats_itself() {
        let mock = MockBreeder { seed: 5, generations: 3 };
        let sheet = Picture::filled(6, 4, [0.3; 3]);
        let choose = |generation| mock.choose(&sheet, 15, generation, &[]).unwrap().decision;
        for generation in 0..3 {
            let Decision::Select(chosen) = choose(generation) else {
                panic!("generation {generation} must select");
            };
            assert!(!chosen.is_empty() && chosen.iter().all(|&c| c < 15));
            assert_eq!(Decision::Select(chosen), choose(generation));
        }
        assert_eq!(choose(3), Decision::Publish(0));
        let empty = mock.choose(&sheet, 0, 0, &[]).unwrap();
        assert_eq!(empty.decision, Decision::Stop);
    }
}
