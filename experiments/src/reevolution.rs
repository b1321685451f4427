//! Can a target-driven search find again what was found without a target?
//!
//! In: `experiments/objective_reevolution.toml` ([`ReevolutionStudy`]). Out: a [`ReevolutionRecord`]
//! with a row for each target, arm and seed. Reference: Woolley & Stanley 2011, "On the deleterious effects of a priori
//! objectives on evolution and representation": NEAT driven by likeness did not re-evolve
//! Picbreeder pictures, and what it found was larger.

use picloom::evolve::{Evolver, Feedback, Preset, Search};
use picloom::experiment::cells::CellStudy;
use picloom::experiment::cost;
use picloom::experiment::evolution::{
    EvolutionConfig, EvolutionError, EvolutionJob, PictureJudge, SearchKind,
};
use picloom::experiment::record::Record;
use picloom::experiment::spec::{Places, Spec, SpecError, SpecFile, check_name};
use picloom::experiment::workers::Ask;
use picloom::genome::{self, Genome, GenomeInfo};
use picloom::math::hash::sha256_hex;
use picloom::math::refusal::Refusal;
use picloom::run::RunError;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::borrow::Cow;
use std::path::{Path, PathBuf};

/// The study, as its TOML file says it.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReevolutionSpec {
    /// Name of the study. Default: objective_reevolution.
    #[serde(default = "name")]
    pub name: String,
    /// What is asked, in one sentence.
    #[serde(default)]
    pub question: String,
    /// Genome files to find again. Those that begin with `archive:` are looked up in the reference
    /// data, and left out where there is none.
    pub targets: Vec<PathBuf>,
    /// First seed.
    pub seed: u64,
    /// Runs of each target and arm, with seeds `seed`, `seed` + 1, ….
    pub seeds: u64,
    /// A run counts as re-evolved from this r² on; 0.95 is the fit gate of the score.
    pub found_at: f64,
    /// Searches to compare, each laid over the defaults of an evolution run.
    pub arm: Vec<ReevolutionArm>,
}

fn name() -> String {
    ReevolutionSpec::KIND.into()
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

/// What decides a run.
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

/// One run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
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
    /// What came out; none if it failed.
    pub result: Option<ReevolutionResult>,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub error: Option<String>,
}

/// What came out of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
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

/// The record of the study.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReevolutionRecord {
    /// `picloom-reevolution/1`.
    pub format: String,
    /// Name of the study.
    pub study: String,
    /// What is asked.
    pub question: String,
    /// The profile.
    pub profile: String,
    /// One row a run, by target, arm and seed.
    pub rows: Vec<ReevolutionRow>,
}

impl Spec for ReevolutionSpec {
    const KIND: &'static str = "objective_reevolution";

    fn check(&self) -> Result<(), Refusal> {
        check_name("name", &self.name)?;
        for arm in &self.arm {
            let config = EvolutionConfig::over_defaults(Preset::Neat, arm.config.clone());
            let key = format!("arm {:?}", arm.name);
            let found = match config {
                Ok(config) if config.search == SearchKind::Target => continue,
                Ok(config) => format!("search = {:?}", config.search.name()),
                Err(problem) => problem,
            };
            let expected = "a config of evolution, search = \"target\"";
            Refusal::unless(false, key, expected, found)?;
        }
        Ok(())
    }
}

/// The study in one profile, its genomes read.
#[derive(Clone, Debug)]
pub struct ReevolutionStudy {
    /// What the spec says.
    pub spec: ReevolutionSpec,
    /// The profile.
    pub profile: String,
    targets: Vec<(String, PathBuf, Genome)>,
    left_out: Vec<String>,
}

impl ReevolutionStudy {
    /// Reads the spec at `path` in a profile; `None` is `standard`.
    ///
    /// # Errors
    /// Not readable, of another kind, no such profile, unknown keys (in the arms' configs too), a
    /// target that cannot be read.
    pub fn read(path: &Path, profile: Option<&str>) -> Result<Self, SpecError> {
        Self::of(&SpecFile::read(path)?, profile)
    }

    /// The same of a spec that is read.
    ///
    /// # Errors
    /// As there.
    pub fn of(file: &SpecFile<'_>, profile: Option<&str>) -> Result<Self, SpecError> {
        let (spec, profile): (ReevolutionSpec, String) = file.spec(profile)?;
        let path = file.path();
        let places = Places::of(path);
        let (mut targets, mut left_out) = (Vec::new(), Vec::new());
        for target in &spec.targets {
            let name = target.display().to_string();
            let Some(file) = places.find(target) else {
                left_out.push(name);
                continue;
            };
            let genome = genome::read(&file).map_err(|e| SpecError::Target {
                path: path.to_path_buf(),
                target: name.clone(),
                source: Box::new(RunError::Genome(e)),
            })?;
            targets.push((name, file, genome));
        }
        Ok(ReevolutionStudy { spec, profile, targets, left_out })
    }

    fn target(&self, cell: &ReevolutionCell) -> &(String, PathBuf, Genome) {
        let found = self.targets.iter().find(|target| target.0 == cell.target);
        found.expect("cells name targets of the spec")
    }
}

fn fail(arm: &ReevolutionArm, problem: String) -> EvolutionError {
    EvolutionError::ConfigFile { path: arm.name.clone().into(), problem }
}

fn config(arm: &ReevolutionArm) -> Result<EvolutionConfig, EvolutionError> {
    let config = EvolutionConfig::over_defaults(Preset::Neat, arm.config.clone());
    config.map_err(|problem| fail(arm, problem))
}

/// Searches once; none if `ask` said no.
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
        search.tell(Feedback::Judged(judged))?;
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

impl CellStudy for ReevolutionStudy {
    type Cell = ReevolutionCell;
    type Outcome = ReevolutionResult;
    type Record = ReevolutionRecord;

    const CELLS: &'static str = "runs";

    fn left_out(&self) -> &[String] {
        &self.left_out
    }

    fn name(&self) -> &str {
        &self.spec.name
    }

    fn profile(&self) -> &str {
        &self.profile
    }

    fn count(&self) -> usize {
        self.targets.len() * self.spec.arm.len() * self.spec.seeds as usize
    }

    /// By target, arm and seed.
    fn cell(&self, number: usize) -> Cow<'_, ReevolutionCell> {
        let spec = &self.spec;
        let (run, seed) = (number / spec.seeds as usize, number as u64 % spec.seeds);
        let (target, _, genome) = &self.targets[run / spec.arm.len()];
        Cow::Owned(ReevolutionCell {
            target: target.clone(),
            genome_sha256: sha256_hex(genome::to_json(genome)),
            arm: spec.arm[run % spec.arm.len()].clone(),
            seed: spec.seed + seed,
            found_at: spec.found_at,
        })
    }

    fn label(&self, cell: &ReevolutionCell) -> String {
        format!("{}, {}, seed {}", cell.target, cell.arm.name, cell.seed)
    }

    fn cost(&self, cell: &ReevolutionCell) -> f64 {
        config(&cell.arm).map_or(0.0, |config| {
            let population = config.evolve.reproduction.population;
            cost::search(config.generations, population, config.size * config.size)
        })
    }

    fn compute(
        &self,
        cell: &ReevolutionCell,
        _folder: &Path,
        ask: Ask<'_>,
    ) -> Result<Option<ReevolutionResult>, String> {
        search(cell, &self.target(cell).1, ask).map_err(|e| e.to_string())
    }

    fn record(&self, outcomes: Vec<Result<ReevolutionResult, String>>) -> ReevolutionRecord {
        let row = |(cell, outcome): (Cow<'_, ReevolutionCell>, Result<_, String>)| {
            let info = GenomeInfo::of(&self.target(&cell).2);
            ReevolutionRow {
                target: cell.target.clone(),
                target_hidden: info.hidden,
                target_links: info.links,
                arm: cell.arm.name.clone(),
                seed: cell.seed,
                error: outcome.as_ref().err().cloned(),
                result: outcome.ok(),
            }
        };
        ReevolutionRecord {
            format: ReevolutionRecord::FORMAT.into(),
            study: self.spec.name.clone(),
            question: self.spec.question.clone(),
            profile: self.profile.clone(),
            rows: self.cells().zip(outcomes).map(row).collect(),
        }
    }
}

impl Record for ReevolutionRecord {
    const FORMAT: &'static str = "picloom-reevolution/1";

    const LISTS: &'static [&'static str] = &["rows"];

    const COLUMNS: &'static [(&'static str, &'static str)] = &[
        ("target", "Name of the genome whose picture is the target."),
        ("target_hidden", "Its hidden nodes."),
        ("target_links", "Its links."),
        ("arm", "How it was searched."),
        ("seed", "Seed of the search."),
        ("evaluations", "Genomes judged."),
        ("mse", "MSE of the best genome."),
        ("r2", "Its R²."),
        ("found", "Whether R² reached the bound."),
        ("hidden", "Hidden nodes of the best genome."),
        ("links", "Its enabled links."),
        ("error", "Why there is no result."),
    ];

    fn summary(&self) -> String {
        let mut text =
            format!("{:<28} {:<36} {:>4} {:>8} {:>7}\n", "target", "arm", "seed", "r2", "found");
        for row in &self.rows {
            let (r2, found) = match &row.result {
                Some(r) => (format!("{:.4}", r.r2), if r.found { "yes" } else { "no" }),
                None => ("-".into(), "failed"),
            };
            text +=
                &format!("{:<28} {:<36} {:>4} {r2:>8} {found:>7}\n", row.target, row.arm, row.seed);
        }
        text
    }

    fn findings(&self) -> Value {
        json!({ "rows": self.rows })
    }
}
