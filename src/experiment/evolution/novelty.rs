//! Novelty search on pictures.

use super::config::EvolutionConfig;
use super::descriptors::Descriptor;
use super::stored::StoredSearch;
use crate::base::refusal::Refusal;
use crate::evolve::{self, Search};
use crate::genome::Genome;

/// Distance to what was seen.
pub(super) struct Novelty;

impl StoredSearch for Novelty {
    fn check(&self, config: &EvolutionConfig) -> Result<(), Refusal> {
        let some = !config.novelty.descriptors.is_empty();
        Refusal::unless(some, "novelty.descriptors", "at least one", "none")
    }

    fn descriptors(&self, config: &EvolutionConfig) -> Vec<Descriptor> {
        config.novelty.descriptors.clone()
    }

    fn begin(&self, config: &EvolutionConfig, ancestors: &[Genome]) -> Search {
        let (numbers, evolve) = (config.novelty.search.clone(), config.evolve.clone());
        Search::Novelty(evolve::Novelty::new(numbers, evolve, config.seed, ancestors))
    }

    fn fitness_in_words(&self, _config: &EvolutionConfig) -> String {
        "the distance to the most similar pictures".into()
    }
}
