//! The record of a generation, and its observers.

use super::decision::DecisionRecord;
use crate::evolve::{Judged, Search};
use crate::genome::{Genome, Role};
use serde::{Deserialize, Serialize};

/// One line of `metrics.jsonl`. Equal runs give equal bytes: no wall times.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GenerationRecord {
    /// The generation judged, from 0.
    pub generation: u64,
    /// Genomes judged so far, this generation included.
    pub evaluations: u64,
    /// Best fitness of this generation (novelty: best novelty).
    pub best: f64,
    /// Median fitness of this generation (novelty: of novelty).
    pub median: f64,
    /// Best fitness of the run (MAP-Elites: of the grid).
    pub best_ever: f64,
    /// R² of the best picture of the run to its target; `None` if the search has no target.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub best_r2: Option<f64>,
    /// Enabled links of the genome that draws it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub best_ever_links: Option<usize>,
    /// (number, members) of each species, oldest first; empty without species.
    pub species: Vec<(u64, usize)>,
    /// Compatibility threshold, if there are species.
    pub threshold: Option<f64>,
    /// Mean enabled links a genome.
    pub links: f64,
    /// Mean hidden nodes a genome.
    pub hidden: f64,
    /// Enabled links of the best genome of this generation.
    pub best_links: usize,
    /// Its hidden nodes.
    pub best_hidden: usize,
    /// MAP-Elites: share of cells occupied. Novelty: size of the archive.
    pub filled: Option<f64>,
    /// Genomes that entered the lineage.
    pub survivors: usize,
}

/// Watches a run. All methods have empty defaults.
pub trait EvolutionObserver {
    /// A generation was judged and saved; `seconds` is its wall time.
    fn generation(&mut self, record: &GenerationRecord, seconds: f64) {
        let _ = (record, seconds);
    }

    /// A search towards a picture found a better one than before, or has gone on with one.
    fn best(&mut self, genome: &Genome) {
        let _ = genome;
    }

    /// Bred by eye: a decision was made and saved.
    fn decided(&mut self, record: &DecisionRecord) {
        let _ = record;
    }

    /// Asked after each generation; true ends the run there, to be resumed later.
    fn stop(&mut self) -> bool {
        false
    }
}

/// Watches nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unwatched;

impl EvolutionObserver for Unwatched {}

/// (enabled links, hidden nodes).
pub(super) fn size_of(genome: &Genome) -> (usize, usize) {
    (
        genome.connections().filter(|c| c.enabled).count(),
        genome.nodes().filter(|n| n.role == Role::Hidden).count(),
    )
}

/// A generation before it is judged.
pub(super) struct Asked {
    /// Links and hidden nodes of each genome.
    sizes: Vec<(usize, usize)>,
    /// (number, members) of each species.
    species: Vec<(u64, usize)>,
    threshold: Option<f64>,
}

impl Asked {
    /// The generation that `search` asks.
    pub(super) fn of(search: &Search) -> Self {
        let (state, threshold) = (search.state(), search.state().species_threshold());
        let species = if threshold.is_some() { state.species() } else { &[] };
        Asked {
            sizes: search.ask().iter().map(size_of).collect(),
            species: species.iter().map(|species| (species.id, species.members.len())).collect(),
            threshold,
        }
    }

    /// The record of the generation, which `search` was told these judgements of; evaluations and survivors are left out.
    pub(super) fn record(
        self,
        judged: &[Judged],
        search: &Search,
        best_r2: Option<f64>,
    ) -> GenerationRecord {
        let state = search.state();
        let scores = state.scores(judged);
        let mut order: Vec<usize> = (0..scores.len()).collect();
        order.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]).then(a.cmp(&b)));
        let mean = |f: fn(&(usize, usize)) -> usize| {
            self.sizes.iter().map(|s| f(s) as f64).sum::<f64>() / self.sizes.len() as f64
        };
        let middle = scores.len() / 2;
        let median = if scores.len() % 2 == 1 {
            scores[order[middle]]
        } else {
            0.5 * (scores[order[middle - 1]] + scores[order[middle]])
        };
        let (best, champion) = (order[0], state.champion());
        GenerationRecord {
            generation: search.generation() - 1,
            evaluations: 0,
            best: scores[best],
            median,
            best_ever: champion.map_or(scores[best], |champion| champion.fitness),
            best_r2,
            best_ever_links: best_r2.and(champion).map(|champion| size_of(&champion.genome).0),
            links: mean(|s| s.0),
            hidden: mean(|s| s.1),
            best_links: self.sizes[best].0,
            best_hidden: self.sizes[best].1,
            filled: state.filled(),
            survivors: 0,
            species: self.species,
            threshold: self.threshold,
        }
    }
}
