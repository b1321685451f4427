//! MAP-Elites on pictures.

use super::config::{EvolutionConfig, MapElitesSection};
use super::descriptors::Descriptor;
use super::sheet::grid_sheet;
use super::stored::StoredSearch;
use crate::base::refusal::Refusal;
use crate::evolve::{self, Axis, Ranked, Search};
use crate::genome::Genome;
use crate::network::{Coords, Picture};

/// The best of each cell of a descriptor grid.
pub(super) struct MapElites;

impl StoredSearch for MapElites {
    fn check(&self, config: &EvolutionConfig) -> Result<(), Refusal> {
        let MapElitesSection { axes, quality } = &config.map_elites;
        let few = (1..=4).contains(&axes.len());
        Refusal::unless(few, "map_elites.axes", "1 to 4 axes", axes.len())?;
        for Axis { descriptor, low, high, cells } in axes {
            let is_scalar = descriptor.parse().is_ok_and(Descriptor::is_scalar);
            let (key, expected) = ("map_elites.axes.descriptor", "the name of a scalar descriptor");
            Refusal::unless(is_scalar, key, expected, format!("{descriptor:?}"))?;
            let has_width = low.is_finite() && high.is_finite() && high > low;
            let found = format!("{low} to {high}");
            Refusal::unless(has_width, "map_elites.axes", "low below high", found)?;
            let fits = (1..=1000).contains(cells);
            Refusal::unless(fits, "map_elites.axes.cells", "1 to 1000", cells)?;
        }
        let is_scalar = quality.is_none_or(Descriptor::is_scalar);
        Refusal::unless(is_scalar, "map_elites.quality", "a scalar descriptor", "thumbnail")
    }

    fn needs_target(&self, config: &EvolutionConfig) -> bool {
        config.map_elites.quality.is_none()
    }

    fn descriptors(&self, config: &EvolutionConfig) -> Vec<Descriptor> {
        let axes = config.map_elites.axes.iter();
        axes.map(|axis| axis.descriptor.parse().expect("a valid config")).collect()
    }

    fn quality(&self, config: &EvolutionConfig) -> Option<Descriptor> {
        config.map_elites.quality
    }

    fn begin(&self, config: &EvolutionConfig, ancestors: &[Genome]) -> Search {
        let (axes, evolve) = (config.map_elites.axes.clone(), config.evolve.clone());
        Search::MapElites(evolve::MapElites::new(axes, evolve, config.seed, ancestors))
    }

    fn most_shown(&self) -> usize {
        usize::MAX
    }

    /// The grid, each cell with its elite.
    fn gallery(&self, search: &Search, shown: &[Ranked], coords: Coords) -> Picture {
        let Search::MapElites(map) = search else { unreachable!("a search of this kind") };
        let is_shown = |id: u64| shown.iter().any(|ranked| ranked.birth.id == id);
        let elites = map.grid().iter().map(|(cell, elite)| (cell, &elite.ranked));
        let cells: Vec<(Vec<usize>, &Genome)> = elites
            .filter(|(_, elite)| is_shown(elite.birth.id))
            .map(|(cell, elite)| (cell.clone(), &elite.genome))
            .collect();
        let shape: Vec<usize> = map.axes().iter().map(|axis| axis.cells).collect();
        grid_sheet(&cells, &shape, 96, coords)
    }

    fn fitness_in_words(&self, config: &EvolutionConfig) -> String {
        let quality = config.map_elites.quality.map(|quality| format!("its {quality}"));
        quality.unwrap_or_else(|| config.fitness.in_words())
    }

    fn filled_in_words(&self, filled: f64) -> String {
        format!("{:.0} % of the cells filled", 100.0 * filled)
    }

    fn filled_chart(&self) -> [&'static str; 2] {
        ["Cells filled over generations", "share of cells"]
    }
}
