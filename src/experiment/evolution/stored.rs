//! A search as its runs are stored.

use super::config::{EvolutionConfig, RefineMode};
use super::descriptors::Descriptor;
use super::sheet::genome_sheet;
use crate::base::refusal::Refusal;
use crate::evolve::{Preset, Ranked, Search};
use crate::genome::Genome;
use crate::network::{Coords, Picture};

/// Genomes in the gallery of a search, at most.
const GALLERY: usize = 40;

/// A search as its runs are stored: what it asks of a config, what is measured of its pictures, and what its files and
/// messages say. A new search is a file with a type that implements this, and a row of [`SearchKind`](super::SearchKind) and of its table.
pub trait StoredSearch: Sync {
    /// The preset whose numbers it has where none is named.
    fn preset(&self) -> Preset {
        Preset::Picbreeder
    }

    /// The numbers of evolution that it begins with.
    fn defaults(&self, preset: Preset) -> EvolutionConfig {
        EvolutionConfig::new(preset)
    }

    /// Refuses values of its own settings.
    ///
    /// # Errors
    /// The first impossible value, by its key.
    fn check(&self, _config: &EvolutionConfig) -> Result<(), Refusal> {
        Ok(())
    }

    /// True if it needs a target picture.
    fn needs_target(&self, config: &EvolutionConfig) -> bool {
        config.refine.mode != RefineMode::None
    }

    /// True if somebody looks at sheets of its pictures; else numbers are measured of each.
    fn is_looked_at(&self) -> bool {
        false
    }

    /// The descriptors that are measured of each picture.
    fn descriptors(&self, _config: &EvolutionConfig) -> Vec<Descriptor> {
        Vec::new()
    }

    /// The descriptor that is the fitness; `None` if that is likeness to the target.
    fn quality(&self, _config: &EvolutionConfig) -> Option<Descriptor> {
        None
    }

    /// Generation 0.
    ///
    /// # Panics
    /// If somebody looks at its pictures: see `breed` and `breed_by_eye`.
    fn begin(&self, _config: &EvolutionConfig, _ancestors: &[Genome]) -> Search {
        panic!("a search that somebody looks at runs through `breed` or `breed_by_eye`")
    }

    /// Genomes in the gallery, at most.
    fn most_shown(&self) -> usize {
        GALLERY
    }

    /// The gallery of these genomes of the search, best first.
    fn gallery(&self, _search: &Search, shown: &[Ranked], coords: Coords) -> Picture {
        let genomes: Vec<Genome> = shown.iter().map(|ranked| ranked.genome.clone()).collect();
        genome_sheet(&genomes, 8, 128, coords)
    }

    /// The fitness, in words.
    fn fitness_in_words(&self, config: &EvolutionConfig) -> String {
        config.fitness.in_words()
    }

    /// How full its store of genomes is, in words.
    fn filled_in_words(&self, filled: f64) -> String {
        format!("{filled:.0} pictures in the archive")
    }

    /// Title of the chart of how full its store of genomes is, and the name of its axis.
    fn filled_chart(&self) -> [&'static str; 2] {
        ["Archive over generations", "genomes"]
    }
}
