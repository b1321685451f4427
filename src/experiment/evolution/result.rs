//! The result of a run, and genomes that say how they were made.

use super::config::EvolutionConfig;
use super::kind::SearchKind;
use crate::base::text::portable;
use crate::evolve::Ranked;
use crate::genome::Genome;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Why a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopCause {
    /// All generations were run.
    Generations,
    /// The best fitness reached `stop_at`.
    Reached,
    /// As many genomes were judged and gradients computed as `budget` allows.
    Budget,
    /// The breeder published as many pictures as were asked for.
    Published,
    /// The breeder found nothing worth breeding.
    Stopped,
    /// The observer asked for it; the run can be resumed.
    Interrupted,
}

/// `result.json` of a run. Equal runs give equal bytes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EvolutionResult {
    /// Identity of the run.
    pub config_hash: String,
    /// Which search.
    pub search: SearchKind,
    /// Why it ended.
    pub cause: StopCause,
    /// Generations judged.
    pub generations: u64,
    /// Genomes judged.
    pub evaluations: u64,
    /// Gradients computed by `refine`, at most; a search costs these and its evaluations.
    pub gradients: u64,
    /// Best fitness (likeness, novelty or quality).
    pub best_fitness: Option<f64>,
    /// Enabled links of the best genome.
    pub best_links: usize,
    /// Hidden nodes of the best genome.
    pub best_hidden: usize,
    /// MSE of the best genome's picture to the target, where there is one.
    pub best_mse: Option<f64>,
    /// 1 − MSE / variance of the target about its best constant colour.
    pub best_r2: Option<f64>,
    /// The same on the combinations of a family that were held out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub best_held_out_r2: Option<f64>,
    /// Genome files written, relative to the folder, best first.
    pub genomes: Vec<String>,
}

/// The genome with its provenance written in: search, seed, generation, parents, operators,
/// config hash, fitness.
pub(super) fn with_provenance(config: &EvolutionConfig, ranked: &Ranked) -> Genome {
    let Ranked { genome, birth, fitness } = ranked;
    let mut genome = birth.sign(genome, config.search.name(), &config.hash());
    let notes = &mut genome.provenance.notes;
    notes.insert("fitness".into(), format!("{fitness:.6}"));
    notes.insert("preset".into(), config.evolve.preset.name().into());
    if let Some(target) = &config.target {
        notes.insert("target".into(), portable(Path::new(target)));
    }
    if let Some(sha256) = &config.target_sha256 {
        notes.insert("target_sha256".into(), sha256.clone());
    }
    genome
}
