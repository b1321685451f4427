//! MAP-Elites: a grid over descriptors, each cell keeping the best genome that fell into it.
//!
//! Reference: Mouret & Clune 2015, "Illuminating search spaces by mapping elites".

use super::population::{first_brood, inherit};
use super::{Birth, Breeder, Brood, EvolveConfig, Judged, Parent, Parts, Ranked, SearchState};
use crate::base::SimRng;
use crate::base::settings::Value;
use crate::genome::Genome;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// One axis of the grid.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Axis {
    /// Name of the descriptor, as the one who computes descriptors knows it.
    pub descriptor: String,
    /// Lower end; values below fall into the first cell.
    pub low: f64,
    /// Upper end, above `low`; values above fall into the last cell.
    pub high: f64,
    /// Cells, ≥ 1.
    pub cells: usize,
}

impl Value for Axis {
    fn python() -> String {
        "tuple[str, float, float, int]".into()
    }

    fn parse(text: &str) -> Result<Self, String> {
        Err(format!("expected a table of descriptor, low, high and cells, found {text:?}"))
    }

    fn of(value: &toml::Value) -> Result<Self, String> {
        value.clone().try_into().map_err(|error: toml::de::Error| error.to_string())
    }

    fn toml(&self) -> Option<toml::Value> {
        toml::Value::try_from(self).ok()
    }

    fn text(&self) -> Option<String> {
        let Axis { descriptor, low, high, cells } = self;
        Some(format!("{descriptor} {low} to {high} in {cells} cells"))
    }
}

impl Axis {
    /// True if it has cells and a width.
    fn is_sound(&self) -> bool {
        self.cells > 0 && self.low < self.high && (self.high - self.low).is_finite()
    }

    /// The cell of a value, 0..cells.
    pub(crate) fn cell(&self, value: f64) -> usize {
        let place = (value - self.low) / (self.high - self.low) * self.cells as f64;
        (place.max(0.0) as usize).min(self.cells - 1)
    }
}

/// The occupant of a cell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Elite {
    /// It, and its quality.
    pub ranked: Ranked,
    /// Where it lies.
    pub descriptor: Vec<f64>,
}

/// The state of MAP-Elites.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MapElites {
    axes: Vec<Axis>,
    breeder: Breeder,
    brood: Brood,
    #[serde(with = "super::stored::pairs")]
    grid: BTreeMap<Vec<usize>, Elite>,
}

impl MapElites {
    /// An empty grid and the first batch: `reproduction.population` founders or ancestors' children.
    ///
    /// # Panics
    /// If there are no axes, or one has no cells or no width.
    pub fn new(axes: Vec<Axis>, config: EvolveConfig, seed: u64, ancestors: &[Genome]) -> Self {
        assert!(!axes.is_empty(), "a grid has at least one axis");
        assert!(
            axes.iter().all(|a| a.cells > 0 && a.high > a.low),
            "an axis has cells and a width"
        );
        let mut breeder = Breeder::new(config, seed, ancestors);
        let brood = first_brood(&mut breeder, ancestors, None);
        MapElites { axes, breeder, brood, grid: BTreeMap::new() }
    }

    /// The axes, in the order of descriptors.
    pub fn axes(&self) -> &[Axis] {
        &self.axes
    }

    /// Occupied cells, by coordinates in the order of the axes.
    pub fn grid(&self) -> &BTreeMap<Vec<usize>, Elite> {
        &self.grid
    }

    /// Occupied cells, as a share of all, in [0, 1].
    pub fn coverage(&self) -> f64 {
        let cells: usize = self.axes.iter().map(|a| a.cells).product();
        self.grid.len() as f64 / cells as f64
    }
}

impl SearchState for MapElites {
    fn breeder(&self) -> &Breeder {
        &self.breeder
    }

    fn brood(&self) -> &Brood {
        &self.brood
    }

    fn flaw(&self) -> Option<&'static str> {
        let in_grid = |cell: &Vec<usize>| {
            cell.len() == self.axes.len() && cell.iter().zip(&self.axes).all(|(c, a)| *c < a.cells)
        };
        let elites = self.grid.values().map(|elite| &elite.ranked.genome);
        if let Some(flaw) = self.breeder.flaw(&self.brood) {
            Some(flaw)
        } else if !self.axes.iter().all(Axis::is_sound) || self.axes.is_empty() {
            Some("axes")
        } else if !self.grid.keys().all(in_grid) {
            Some("cells of the grid")
        } else if !self.breeder.is_above(elites) {
            Some("numbers of new genes above those of the elites")
        } else {
            None
        }
    }

    fn descriptor_length(&self, _judged: &[Judged]) -> Option<usize> {
        Some(self.axes.len())
    }

    fn advance(&mut self, judged: &[Judged]) -> Vec<Birth> {
        let limit = self.breeder.config.mutation.weight_limit;
        let mut entered = BTreeMap::new();
        let brood = std::mem::take(&mut self.brood);
        let generation = self.breeder.generation();
        for ((mut genome, birth), judged) in brood.genomes.into_iter().zip(brood.births).zip(judged)
        {
            let cell: Vec<usize> = self
                .axes
                .iter()
                .zip(&judged.descriptor)
                .map(|(axis, &value)| axis.cell(value))
                .collect();
            let better = self.grid.get(&cell).is_none_or(|e| judged.fitness > e.ranked.fitness);
            if better {
                inherit(&mut genome, judged, limit);
                entered.insert(birth.id, birth.clone());
                self.grid.insert(
                    cell,
                    Elite {
                        ranked: Ranked { genome, birth, fitness: judged.fitness },
                        descriptor: judged.descriptor.clone(),
                    },
                );
            }
        }

        let mut rng = SimRng::new(self.breeder.seed, "select", generation);
        self.breeder.begin_generation();
        let elites: Vec<&Elite> = self.grid.values().collect();
        let config = self.breeder.config.clone();
        let mut next = Brood::default();
        for _ in 0..config.reproduction.population {
            let mut chosen = vec![rng.below(elites.len())];
            if rng.chance(config.crossover.rate) {
                let father = rng.below(elites.len());
                if father != chosen[0] {
                    chosen.push(father);
                }
            }
            let parents: Vec<Parent> = chosen
                .into_iter()
                .map(|e| Parent {
                    genome: &elites[e].ranked.genome,
                    id: elites[e].ranked.birth.id,
                    fitness: elites[e].ranked.fitness,
                })
                .collect();
            next.push(self.breeder.child(&parents, config.mutation.slider, Parts::Both, None));
        }
        self.brood = next;
        // Whoever entered a cell was recorded then, and only those are ever parents.
        entered.into_values().collect()
    }

    fn champion(&self) -> Option<&Ranked> {
        self.found().into_iter().max_by(|a, b| a.fitness.total_cmp(&b.fitness))
    }

    fn found(&self) -> Vec<&Ranked> {
        self.grid.values().map(|elite| &elite.ranked).collect()
    }

    fn filled(&self) -> Option<f64> {
        Some(self.coverage())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evolve::Preset;

    #[test]
    fn a_cell_keeps_its_best_and_values_outside_fall_into_the_outer_cells() {
        let axis = Axis { descriptor: "links".into(), low: 0.0, high: 10.0, cells: 5 };
        let cells: Vec<_> = [-3.0, 0.0, 1.99, 2.0, 9.99, 10.0, 55.0].map(|v| axis.cell(v)).to_vec();
        assert_eq!(cells, [0, 0, 0, 1, 4, 4, 4]);

        let config = EvolveConfig::preset(Preset::Picbreeder);
        let mut map = MapElites::new(vec![axis], config, 3, &[]);
        let told = |values: &[(f64, f64)]| -> Vec<Judged> {
            (0..15)
                .map(|i| {
                    let (fitness, place) = values[i % values.len()];
                    Judged { fitness, descriptor: vec![place], learned: None }
                })
                .collect()
        };
        let births = map.advance(&told(&[(1.0, 1.0), (2.0, 1.5), (0.5, 7.0)]));
        // In order: 1.0 enters, 2.0 replaces it, 0.5 takes another cell; equals do not replace.
        assert_eq!(births.iter().map(|b| b.id).collect::<Vec<_>>(), [0, 1, 2]);
        assert_eq!(map.grid()[&vec![0]].ranked.fitness, 2.0);
        assert_eq!(map.coverage(), 0.4);
        assert!(map.advance(&told(&[(0.1, 1.0)])).is_empty());
        assert_eq!(map.grid()[&vec![0]].ranked.birth.id, 1);
        assert_eq!(map.flaw(), None);
        map.axes[0].cells = 0;
        assert_eq!(map.flaw(), Some("axes"));
    }
}
