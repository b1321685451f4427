//! Can a target-driven search find again what was found without a target?
//!
//! In: `experiments/objective_reevolution.toml` ([`Reevolution`]). Out: a [`ReevolutionRecord`]
//! with a row for each target, arm and seed. Reference: Woolley & Stanley 2011, "On the deleterious effects of a priori
//! objectives on evolution and representation": NEAT driven by likeness did not re-evolve
//! Picbreeder pictures, and what it found was larger.

use picloom::base::hash::sha256_hex;
use picloom::base::refusal::Refusal;
use picloom::base::text::portable;
use picloom::evolve::{Preset, Search};
use picloom::experiment::cost;
use picloom::experiment::evolution::{
    EvolutionConfig, EvolutionError, EvolutionJob, PictureJudge, SearchKind,
};
use picloom::experiment::target_spec::places_of;
use picloom::genome::{self, Genome, GenomeInfo};
use picloom::study::columns;
use picloom::study::grid::{Grid, GridRecord, GridStudy, axis};
use picloom::study::spec::{SpecError, check_cells};
use picloom::study::workers::Ask;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// The study, as its TOML file says it.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reevolution {
    /// Genome files to find again. Those that begin with `archive:` are looked up in the reference
    /// data, and left out where there is none.
    pub targets: Vec<PathBuf>,
    /// First seed.
    pub seed: u64,
    /// Runs of each target and arm, with seeds `seed`, `seed` + 1, ….
    #[serde(deserialize_with = "axis::count")]
    pub seeds: u64,
    /// A run counts as re-evolved from this r² on; 0.95 is the fit gate of the score.
    pub found_at: f64,
    /// Searches to compare, each laid over the defaults of an evolution run.
    pub arm: Vec<ReevolutionArm>,
}

/// The study in one profile.
pub type ReevolutionStudy = GridStudy<Reevolution>;

/// Its record: one row a run, by target, arm and seed.
pub type ReevolutionRecord = GridRecord<Reevolution>;

/// One way to search.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReevolutionArm {
    /// Its name in the table.
    pub name: String,
    /// Keys of an evolution config.
    pub config: toml::Table,
}

/// All that decides the outcome of a run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ReevolutionCell {
    /// The genome that should be found again, as the spec names it.
    pub target: String,
    /// SHA-256 of its JSON.
    pub genome_sha256: String,
    /// How it is searched.
    pub arm: ReevolutionArm,
    /// Seed.
    pub seed: u64,
    /// r² from which on it counts as found.
    pub found_at: f64,
}

columns! {
    /// Which run.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub struct ReevolutionKey {
        /// Name of the genome whose picture is the target.
        pub target: String,
        /// Its hidden nodes.
        pub target_hidden: usize,
        /// Its links.
        pub target_links: usize,
        /// How it was searched.
        pub arm: String,
        /// Seed of the search.
        pub seed: u64,
    }
}

columns! {
    /// The result of a run.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub struct ReevolutionResult {
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
}

/// The genomes of the targets that are here, and the names of those that are not.
#[derive(Clone, Debug)]
pub struct Targets {
    found: Vec<(String, PathBuf, Genome)>,
    left_out: Vec<String>,
}

impl Targets {
    fn get(&self, cell: &ReevolutionCell) -> &(String, PathBuf, Genome) {
        let is_it = |genome: &Genome| sha256_hex(genome::to_json(genome)) == cell.genome_sha256;
        let found = self.found.iter().find(|target| target.0 == cell.target && is_it(&target.2));
        found.expect("cells name targets of the spec")
    }
}

fn config(arm: &ReevolutionArm) -> Result<EvolutionConfig, EvolutionError> {
    let config = EvolutionConfig::over_defaults(Preset::Neat, arm.config.clone());
    config.map_err(|problem| EvolutionError::ConfigFile { path: arm.name.clone().into(), problem })
}

/// Searches once; `None` if `ask` stopped it.
fn search(
    cell: &ReevolutionCell,
    target: &Path,
    ask: Ask<'_>,
) -> Result<Option<ReevolutionResult>, EvolutionError> {
    let mut config = config(&cell.arm)?;
    config.seed = cell.seed;
    config.target = Some(target.display().to_string());
    let job = EvolutionJob::new(config)?;
    let picture = job.target.as_ref().expect("a target was read");
    let judge = PictureJudge::new(&job.config, Some(picture));
    let mut search = job.search();
    let mut evaluations = 0;
    for _ in 0..job.config.generations {
        if !ask.going_on() {
            return Ok(None);
        }
        let judged = judge.judge(search.ask());
        evaluations += judged.len() as u64;
        search.tell(judged)?;
    }
    let Search::Target(population) = &search else {
        unreachable!("checked when the spec was read");
    };
    let best = &population.champion().expect("a generation was judged").genome;
    let mse = picture.mse(&judge.picture(best));
    let r2 = 1.0 - mse / picture.variance().max(f64::MIN_POSITIVE);
    let found = GenomeInfo::of(best);
    Ok(Some(ReevolutionResult {
        evaluations,
        mse,
        r2,
        found: r2 >= cell.found_at,
        hidden: found.hidden,
        links: found.links - found.disabled,
    }))
}

impl Grid for Reevolution {
    const KIND: &'static str = "objective_reevolution";
    const FORMAT: &'static str = "picloom-reevolution/1";
    const CELLS: &'static str = "runs";
    type Inputs = Targets;
    type Cell = ReevolutionCell;
    type Key = ReevolutionKey;
    type Found = ReevolutionResult;

    fn check(&self) -> Result<(), Refusal> {
        let (targets, arms) = (self.targets.len() as u64, self.arm.len() as u64);
        let axes = [(targets, "targets"), (arms, "arms"), (self.seeds, "seeds")];
        check_cells("targets, arm, seeds", &axes)?;
        for arm in &self.arm {
            let found = match EvolutionConfig::over_defaults(Preset::Neat, arm.config.clone()) {
                Ok(config) if config.search == SearchKind::Target => continue,
                Ok(config) => format!("search = {:?}", config.search.name()),
                Err(problem) => problem,
            };
            let expected = "a config of evolution, search = \"target\"";
            Refusal::unless(false, format!("arm {:?}", arm.name), expected, found)?;
        }
        Ok(())
    }

    fn inputs(&self, path: &Path) -> Result<Targets, SpecError> {
        let places = places_of(path);
        let (mut found, mut left_out) = (Vec::new(), Vec::new());
        for target in &self.targets {
            let name = portable(target);
            let Some(file) = places.find(target) else {
                left_out.push(name);
                continue;
            };
            let genome = genome::read(&file).map_err(SpecError::of_target(path, &name))?;
            found.push((name, file, genome));
        }
        Ok(Targets { found, left_out })
    }

    fn left_out(targets: &Targets) -> &[String] {
        &targets.left_out
    }

    fn cells(&self, targets: &Targets) -> Vec<ReevolutionCell> {
        let mut cells = Vec::new();
        for (target, _, genome) in &targets.found {
            for arm in &self.arm {
                cells.extend((self.seed..self.seed + self.seeds).map(|seed| ReevolutionCell {
                    target: target.clone(),
                    genome_sha256: sha256_hex(genome::to_json(genome)),
                    arm: arm.clone(),
                    seed,
                    found_at: self.found_at,
                }));
            }
        }
        cells
    }

    fn label(cell: &ReevolutionCell) -> String {
        format!("{}, {}, seed {}", cell.target, cell.arm.name, cell.seed)
    }

    fn cost(cell: &ReevolutionCell) -> f64 {
        config(&cell.arm).map_or(0.0, |config| {
            let population = config.evolve.reproduction.population;
            cost::search(config.generations, population, config.size * config.size)
        })
    }

    fn key(targets: &Targets, cell: &ReevolutionCell) -> ReevolutionKey {
        let info = GenomeInfo::of(&targets.get(cell).2);
        ReevolutionKey {
            target: cell.target.clone(),
            target_hidden: info.hidden,
            target_links: info.links,
            arm: cell.arm.name.clone(),
            seed: cell.seed,
        }
    }

    fn compute(
        targets: &Targets,
        cell: &ReevolutionCell,
        _: &Path,
        ask: Ask<'_>,
    ) -> Result<Option<ReevolutionResult>, String> {
        search(cell, &targets.get(cell).1, ask).map_err(|e| e.to_string())
    }

    fn summary(record: &ReevolutionRecord) -> String {
        let mut text =
            format!("{:<28} {:<36} {:>4} {:>8} {:>7}\n", "target", "arm", "seed", "r2", "found");
        for row in &record.rows {
            let (r2, found) = match &row.result {
                Some(r) => (format!("{:.4}", r.r2), if r.found { "yes" } else { "no" }),
                None => ("-".into(), "failed"),
            };
            text +=
                &format!("{:<28} {:<36} {:>4} {r2:>8} {found:>7}\n", row.target, row.arm, row.seed);
        }
        text
    }

    fn findings(record: &ReevolutionRecord) -> Value {
        json!({ "rows": record.rows })
    }
}
