//! The table of the searches, and what a config of one cannot be.

use super::config::{EvolutionConfig, SHEET_PIXEL};
use super::interactive::Interactive;
use super::kind::SearchKind;
use super::map_elites::MapElites;
use super::novelty::Novelty;
use super::stored::StoredSearch;
use super::target::Target;
use super::vlm::Vlm;
use crate::base::memory;
use crate::base::refusal::Refusal;
use crate::base::settings::Settings;
use crate::genome::Genome;

impl SearchKind {
    /// The part that is its own.
    pub fn stored(self) -> &'static dyn StoredSearch {
        match self {
            SearchKind::Target => &Target,
            SearchKind::Novelty => &Novelty,
            SearchKind::MapElites => &MapElites,
            SearchKind::Interactive => &Interactive,
            SearchKind::Vlm => &Vlm,
        }
    }
}

/// Bytes of a gene in a search, measured: in its genome, in what is judged and what is bred, and in the checkpoint's text.
const GENE: usize = 400;
/// Genes of a founder, about.
const FEWEST_GENES: usize = 12;
/// Bytes of a pixel of a picture that is judged: inputs, colours, what likeness and descriptors make of them.
const JUDGED_PIXEL: usize = 200;
impl EvolutionConfig {
    /// Refuses values that cannot be.
    ///
    /// # Errors
    /// The first impossible value, by its key.
    pub fn validate(&self) -> Result<(), Refusal> {
        self.check_ranges()?;
        SearchKind::ALL.iter().try_for_each(|search| search.stored().check(self))?;
        self.evolve.validate()?;
        let (palette, search) = (self.evolve.start.palette, self.search.stored());
        Refusal::unless(
            palette.is_free() || search.is_looked_at(),
            "evolve.start.palette",
            "free where pictures are judged by numbers: choose a palette when you breed from what was found",
            palette,
        )?;
        let has_target = self.target.is_some() || !search.needs_target(self);
        Refusal::unless(has_target, "target", "a picture or genome file (--target)", "none")
    }

    /// Refuses a search that the machine has no memory for: its genomes, and the pictures that are
    /// drawn at a time.
    ///
    /// # Errors
    /// If one of them is too large, with the product.
    pub(crate) fn check_memory(&self, ancestors: &[Genome]) -> Result<(), Refusal> {
        let of = |genome: &Genome| genome.nodes().len() + genome.connections().len();
        let genes = ancestors.iter().map(of).max().unwrap_or(0).max(FEWEST_GENES);
        let population = self.evolve.reproduction.population;
        memory::ensure("population", &[(population, "genomes"), (genes, "genes")], GENE)?;
        let (side, most, bytes) = match self.search.stored().is_looked_at() {
            true => (self.sheets().cell, population, SHEET_PIXEL),
            false => (self.size, population.min(rayon::current_num_threads()), JUDGED_PIXEL),
        };
        let pixels = side.saturating_mul(side);
        memory::ensure("population, size", &[(pixels, "pixels"), (most, "pictures")], bytes)
    }
}
