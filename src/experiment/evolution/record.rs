//! The record of a generation, and its observers.

use super::decision::DecisionRecord;
use crate::evolve::{Judged, Ranked, Search};
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

/// The best genome of a search until now; `None` before the first judged generation.
pub(super) fn champion(search: &Search) -> Option<&Ranked> {
    match search {
        Search::Target(p) => p.champion(),
        Search::Novelty(n) => n.population().champion(),
        Search::MapElites(m) => {
            let elites = m.grid().values().map(|elite| &elite.ranked);
            elites.max_by(|a, b| a.fitness.total_cmp(&b.fitness))
        }
    }
}

/// Its fitness.
pub(super) fn best_ever(search: &Search) -> Option<f64> {
    champion(search).map(|best| best.fitness)
}

/// The record of a generation. `asked` and `judged` are before the tell, `search` after it.
pub(super) fn record(
    asked: &[Genome],
    species: (Vec<(u64, usize)>, Option<f64>),
    judged: &[Judged],
    search: &Search,
    evaluations: u64,
    survivors: usize,
    best_r2: Option<f64>,
) -> GenerationRecord {
    let own: Vec<f64> = match search {
        Search::Novelty(novelty) => novelty.scores().to_vec(),
        _ => judged.iter().map(|j| j.fitness).collect(),
    };
    let mut order: Vec<usize> = (0..own.len()).collect();
    order.sort_by(|&a, &b| own[b].total_cmp(&own[a]).then(a.cmp(&b)));
    let sizes: Vec<(usize, usize)> = asked.iter().map(size_of).collect();
    let mean = |f: fn(&(usize, usize)) -> usize| {
        sizes.iter().map(|s| f(s) as f64).sum::<f64>() / sizes.len() as f64
    };
    let middle = own.len() / 2;
    let median = if own.len() % 2 == 1 {
        own[order[middle]]
    } else {
        0.5 * (own[order[middle - 1]] + own[order[middle]])
    };
    GenerationRecord {
        generation: search.generation() - 1,
        evaluations,
        best: own[order[0]],
        median,
        best_ever: best_ever(search).unwrap_or(own[order[0]]),
        best_r2,
        best_ever_links: best_r2.and_then(|_| champion(search)).map(|best| size_of(&best.genome).0),
        species: species.0,
        threshold: species.1,
        links: mean(|s| s.0),
        hidden: mean(|s| s.1),
        best_links: sizes[order[0]].0,
        best_hidden: sizes[order[0]].1,
        filled: match search {
            Search::MapElites(m) => Some(m.coverage()),
            Search::Novelty(n) => Some(n.archive().len() as f64),
            _ => None,
        },
        survivors,
    }
}

/// (number, members) of each species of the generation asked, and the threshold.
pub(super) fn species_of(search: &Search) -> (Vec<(u64, usize)>, Option<f64>) {
    let population = match search {
        Search::Target(p) => p,
        Search::Novelty(n) => n.population(),
        _ => return (Vec::new(), None),
    };
    if !population.has_species() {
        return (Vec::new(), None);
    }
    let members = population.species().iter().map(|s| (s.id, s.members.len()));
    (members.collect(), Some(population.threshold()))
}
