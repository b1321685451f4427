//! Species: genomes grouped by compatibility distance, so that new structure competes with its own kind.
//!
//! Reference: Stanley & Miikkulainen 2002 §3.3.

use super::{SpeciesConfig, compatibility_distance};
use crate::genome::Genome;
use serde::{Deserialize, Serialize};

/// A group of compatible genomes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Species {
    /// Number within the run, from 0, in order of appearance.
    pub id: u64,
    /// A member of the previous generation; membership is distance to it.
    pub representative: Genome,
    /// Members, as indices of the current generation, in order.
    pub members: Vec<usize>,
    /// Best fitness it ever had; `None` before it was judged.
    pub best: Option<f64>,
    /// Generation in which it appeared.
    pub born: u64,
    /// Generation in which `best` last rose.
    pub improved: u64,
}

/// Sorts `genomes` into `species`: each into the first whose representative is nearer than
/// `threshold`, else into a new one. Species without members are removed.
///
/// `next_id` numbers new species. O(N · species · genes).
pub(crate) fn speciate(
    genomes: &[Genome],
    species: &mut Vec<Species>,
    next_id: &mut u64,
    threshold: f64,
    generation: u64,
    config: &SpeciesConfig,
) {
    for s in species.iter_mut() {
        s.members.clear();
    }
    for (i, genome) in genomes.iter().enumerate() {
        let home = species.iter_mut().find(|s| {
            !config.enabled || compatibility_distance(genome, &s.representative, config) < threshold
        });
        match home {
            Some(s) => s.members.push(i),
            None => {
                species.push(Species {
                    id: *next_id,
                    representative: genome.clone(),
                    members: vec![i],
                    best: None,
                    born: generation,
                    improved: generation,
                });
                *next_id += 1;
            }
        }
    }
    species.retain(|s| !s.members.is_empty());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::SimRng;
    use crate::evolve::{EvolveConfig, Preset, first_genome};
    use crate::genome::InnovationId;

    #[test]
    fn far_weights_make_two_species_and_empty_ones_vanish() {
        let config = EvolveConfig::preset(Preset::Neat);
        let genome = first_genome(&config, &mut SimRng::new(2, "test", 0));
        let at = |w: f64| {
            let mut moved = genome.clone();
            for i in 0..12 {
                moved.set_weight(InnovationId(i), w).unwrap();
            }
            moved
        };
        // δ = 0.4 · 8 = 3.2 ≥ 3 between the ends, 0.04 within.
        let genomes = [at(0.0), at(8.0), at(0.1), at(7.9)];
        let (mut species, mut next) = (Vec::new(), 0);
        speciate(&genomes, &mut species, &mut next, 3.0, 0, &config.species);
        let members: Vec<_> = species.iter().map(|s| s.members.clone()).collect();
        assert_eq!(members, [vec![0, 2], vec![1, 3]]);
        speciate(&genomes[1..2], &mut species, &mut next, 3.0, 1, &config.species);
        assert_eq!((species.len(), species[0].id, next), (1, 1, 2));
        let mut one = config.species.clone();
        one.enabled = false;
        let (mut species, mut next) = (Vec::new(), 0);
        speciate(&genomes, &mut species, &mut next, 3.0, 0, &one);
        assert_eq!(species.len(), 1);
    }
}
