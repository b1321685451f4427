//! The search towards a picture, or towards a family of pictures.

use super::config::EvolutionConfig;
use super::stored::StoredSearch;
use crate::evolve::{Population, Preset, Search};
use crate::genome::Genome;

/// Likeness to a target picture.
pub(super) struct Target;

impl StoredSearch for Target {
    fn preset(&self) -> Preset {
        Preset::Drawing
    }

    fn needs_target(&self, _config: &EvolutionConfig) -> bool {
        true
    }

    fn begin(&self, config: &EvolutionConfig, ancestors: &[Genome]) -> Search {
        Search::Target(Population::new(config.evolve.clone(), config.seed, ancestors))
    }
}
