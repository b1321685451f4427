//! Can a target-driven search find again what was found without a target?
//!
//! In: a [`ReevolutionSpec`] (`experiments/objective_reevolution.toml`). Out: a row for each
//! target, arm and seed. Reference: Woolley & Stanley 2011, "On the deleterious effects of a priori
//! objectives on evolution and representation": NEAT driven by likeness did not re-evolve
//! Picbreeder pictures, and what it found was larger.

use super::evolution::{EvolutionConfig, EvolutionError, EvolutionJob, PictureJudge};
use crate::evolve::{Evolver, Feedback, Preset, Search};
use crate::genome::{self, GenomeInfo};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// The study, as its TOML file says it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReevolutionSpec {
    /// Always `objective_reevolution`.
    pub kind: String,
    /// Genome files to find again. Those that begin with `archive:` are looked up in the reference
    /// data, and left out where there is none.
    pub targets: Vec<String>,
    /// First seed.
    pub seed: u64,
    /// Runs of each target and arm, with seeds `seed`, `seed` + 1, ….
    pub seeds: u64,
    /// A run counts as re-evolved from this r² on; 0.95 is the fit gate of the score.
    pub found_at: f64,
    /// Searches to compare, each laid over the defaults of an evolution run.
    pub arm: Vec<ReevolutionArm>,
}

/// One way to search.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReevolutionArm {
    /// Its name in the table.
    pub name: String,
    /// Keys of an evolution config.
    pub config: toml::Table,
}

/// One run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReevolutionRow {
    /// The genome that should be found again.
    pub target: String,
    /// Its hidden nodes.
    pub target_hidden: usize,
    /// Its links.
    pub target_links: usize,
    /// How it was searched.
    pub arm: String,
    /// Seed.
    pub seed: u64,
    /// Genomes judged.
    pub evaluations: u64,
    /// MSE of the best genome's picture.
    pub mse: f64,
    /// 1 − MSE / variance of the target about its best constant colour.
    pub r2: f64,
    /// True if `r2` reached `found_at`.
    pub found: bool,
    /// Hidden nodes of the best genome.
    pub hidden: usize,
    /// Its enabled links.
    pub links: usize,
}

/// Why a study could not be run.
#[derive(Debug, thiserror::Error)]
pub enum ReevolutionError {
    /// The spec is not one.
    #[error("expected an objective_reevolution spec, found: {0}")]
    Spec(String),
    /// An arm cannot run.
    #[error("arm {arm:?} on {target}: {source}")]
    Arm {
        /// The arm.
        arm: String,
        /// The target.
        target: String,
        /// What is wrong.
        source: EvolutionError,
    },
}

impl ReevolutionSpec {
    /// A spec from TOML text.
    ///
    /// # Errors
    /// Not TOML, unknown keys (in the arms' configs too).
    pub fn from_toml(text: &str) -> Result<Self, ReevolutionError> {
        let fail = |e: String| ReevolutionError::Spec(e.trim().replace('\n', " "));
        let spec: ReevolutionSpec = toml::from_str(text).map_err(|e| fail(e.to_string()))?;
        for arm in &spec.arm {
            EvolutionConfig::over_defaults(Preset::Neat, arm.config.clone()).map_err(fail)?;
        }
        Ok(spec)
    }
}

/// Runs every target × arm × seed, in that order; `archive` is the folder of the reference data.
///
/// # Errors
/// A target that cannot be read, an arm with impossible values.
pub fn run(
    spec: &ReevolutionSpec,
    archive: Option<&Path>,
) -> Result<Vec<ReevolutionRow>, ReevolutionError> {
    let mut runs = Vec::new();
    for target in &spec.targets {
        let path = match (target.strip_prefix("archive:"), archive) {
            (None, _) => target.clone(),
            (Some(inside), Some(folder)) => folder.join(inside).display().to_string(),
            (Some(_), None) => continue,
        };
        for arm in &spec.arm {
            runs.extend((0..spec.seeds).map(|i| (target, path.clone(), arm, spec.seed + i)));
        }
    }
    runs.into_par_iter()
        .map(|(target, path, arm, seed)| {
            one(spec, arm, &path, seed)
                .map(|row| ReevolutionRow { target: target.clone(), ..row })
                .map_err(|source| ReevolutionError::Arm {
                    arm: arm.name.clone(),
                    target: target.clone(),
                    source,
                })
        })
        .collect()
}

fn one(
    spec: &ReevolutionSpec,
    arm: &ReevolutionArm,
    path: &str,
    seed: u64,
) -> Result<ReevolutionRow, EvolutionError> {
    let mut config = EvolutionConfig::over_defaults(Preset::Neat, arm.config.clone())
        .map_err(|problem| EvolutionError::ConfigFile { path: arm.name.clone().into(), problem })?;
    config.seed = seed;
    config.target = Some(path.to_string());
    let job = EvolutionJob::new(config)?;
    let info = GenomeInfo::of(&genome::read(Path::new(path))?);
    let picture = job.target.as_ref().expect("a target was read");
    let judge = PictureJudge::new(&job.config, Some(picture));
    let mut search = job.search();
    let mut evaluations = 0;
    for _ in 0..job.config.generations {
        let judged = judge.judge(search.ask());
        evaluations += judged.len() as u64;
        search.tell(Feedback::Judged(judged))?;
    }
    let Search::Target(population) = &search else {
        return Err(EvolutionError::ConfigFile {
            path: arm.name.clone().into(),
            problem: format!("expected search = \"target\", found {:?}", job.config.search.name()),
        });
    };
    let best = &population.champion().expect("a generation was judged").genome;
    let mse = picture.mse(&judge.picture(best));
    let r2 = 1.0 - mse / picture.variance().max(f64::MIN_POSITIVE);
    let found = GenomeInfo::of(best);
    Ok(ReevolutionRow {
        target: path.to_string(),
        target_hidden: info.hidden,
        target_links: info.links,
        arm: arm.name.clone(),
        seed,
        evaluations,
        mse,
        r2,
        found: r2 >= spec.found_at,
        hidden: found.hidden,
        links: found.links - found.disabled,
    })
}
