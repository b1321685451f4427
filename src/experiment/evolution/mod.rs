//! An evolution run: genomes rendered and judged on all cores, generation by generation, saved
//! after each, resumed to the same bits.
//!
//! In: an [`EvolutionConfig`], a target picture if the search has one, a folder. Out: the folder:
//! `config.toml`, `target.npz` and `ancestors/` (what it begins from), `metrics.jsonl` (a [`GenerationRecord`] a line),
//! `lineage.jsonl` (the births of all survivors), `checkpoint.json`, now and then `best.json` and `best.png`, the best
//! genome so far and its picture, and at the end `gallery.png`, `genomes/*.json`, `result.json`. It prints nothing; an
//! [`EvolutionObserver`] is told.

mod ancestry;
mod by_eye;
mod config;
mod descriptors;
mod family;
mod finish;
mod fitness;
mod inputs;
mod judge;
mod record;
mod refine;
mod session;
mod sheet;
mod speed;
mod store;

pub use ancestry::{AncestryError, ancestry};
pub use by_eye::{BreederKind, DecisionRecord, EyeResult, VlmSection, breed_by_eye};
pub use config::{
    EvolutionConfig, FitnessConfig, MapElitesSection, Measure, NoveltySection, RefineConfig,
    RefineMode, SearchKind,
};
pub use descriptors::{Descriptor, describe};
pub use finish::{EvolutionResult, StopCause};
pub use fitness::{Likeness, ssim};
pub use inputs::{Ancestors, ancestor_file};
pub use judge::PictureJudge;
pub use record::{EvolutionObserver, GenerationRecord, Unwatched};
pub use refine::{Refined, refine};
pub use session::{
    BreedError, BreedReport, BreedRequest, SESSION_FILE, breed, keep, open, read_session, save,
};
pub use sheet::{draw, genome_sheet, grid_sheet, side_of};
pub use speed::{EvolveSpeed, bench_evolve};

use crate::evolve::{
    BreedingError, MapElites, Novelty, Population, Search, SessionError, TellError,
};
use crate::genome::ReadGenomeError;
use crate::math::hash::sha256_of_floats;
use crate::math::refusal::Refusal;
use crate::math::text::portable;
use crate::network::Picture;
use crate::network::files::{LARGEST_CONFIG, WriteError, read_text, write_atomic};
use crate::run::folder::{FolderKind, Marker};
use crate::run::{Target, load_target, write_target};
use family::ShownFamily;
use finish::Best;
use inputs::kept_target;
use std::path::{Path, PathBuf};
use std::time::Instant;
use store::Store;

/// Why a run could not begin, or ended. The last checkpoint stands.
#[derive(Debug, thiserror::Error)]
pub enum EvolutionError {
    /// The config file cannot be read, or is not one.
    #[error("{path}: {problem}")]
    ConfigFile {
        /// The file.
        path: PathBuf,
        /// A description: expected, found.
        problem: String,
    },
    /// The target or an ancestor cannot be read.
    #[error(transparent)]
    Target(#[from] crate::run::RunError),
    /// An ancestor cannot be read.
    #[error(transparent)]
    Genome(#[from] ReadGenomeError),
    /// A file cannot be written (full disk, no permission).
    #[error(transparent)]
    Write(#[from] WriteError),
    /// An impossible value, or a folder that holds something else.
    #[error("{0}")]
    Refused(#[from] Refusal),
    /// The folder holds a run already.
    #[error(
        "{path}: this folder holds a run already: resume it (--resume) or choose another folder"
    )]
    Occupied {
        /// Its checkpoint.
        path: PathBuf,
    },
    /// The folder holds another run.
    #[error("{path}: the run in this folder has another config: {difference}")]
    OtherConfig {
        /// Its checkpoint.
        path: PathBuf,
        /// The first key that differs.
        difference: String,
    },
    /// The checkpoint cannot be read.
    #[error("{path}: {problem}")]
    Checkpoint {
        /// The file.
        path: PathBuf,
        /// A description: expected, found.
        problem: String,
    },
    /// The breeder could not be asked, or gave no usable answer.
    #[error(transparent)]
    Breeder(Box<crate::score::JudgeError>),
    /// A judgement was refused: a picture whose measure is not finite.
    #[error(transparent)]
    Tell(#[from] TellError),
    /// The session of a run by eye cannot begin.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// A choice on a sheet was refused.
    #[error(transparent)]
    Breeding(#[from] BreedingError),
}

impl From<crate::score::JudgeError> for EvolutionError {
    fn from(error: crate::score::JudgeError) -> Self {
        EvolutionError::Breeder(Box::new(error))
    }
}

/// A run that is ready to begin.
#[derive(Clone, Debug)]
pub struct EvolutionJob {
    /// The resolved config.
    pub config: EvolutionConfig,
    /// The target at the config's size.
    pub target: Option<Picture>,
    /// The genomes that generation 0 begins from.
    pub ancestors: Ancestors,
}

impl EvolutionJob {
    /// Validates the config, reads its target and ancestors, and notes the target's hash.
    ///
    /// # Errors
    /// An impossible value, or a file that cannot be read; the machine has no memory for it.
    pub fn new(config: EvolutionConfig) -> Result<Self, EvolutionError> {
        Self::of_file(config, Path::new(""))
    }

    /// The same of a config that was read from `file`: what a run keeps of its beginning is looked for beside it.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn of_file(mut config: EvolutionConfig, file: &Path) -> Result<Self, EvolutionError> {
        config.validate()?;
        let beside = file.parent().unwrap_or(Path::new(""));
        let family = ShownFamily::of(&config)?;
        let kept = kept_target(&config, beside, family.as_ref());
        let target = match (&config.target, kept) {
            (None, _) => None,
            (Some(path), Some(kept)) => Some(Target::of_picture(portable(Path::new(path)), kept)),
            (Some(path), None) => Some(match &family {
                Some(family) => Target::of_picture(path.clone(), family.seen(&config).pictures),
                None => {
                    let (size, coords) = (config.size, config.coords);
                    load_target(Path::new(path), size, coords, config.target_fit)?
                }
            }),
        };
        config.target_sha256 = target.as_ref().map(|t| sha256_of_floats(&t.picture.rgb));
        config.target = target.as_ref().map(|t| t.name.clone());
        let target = target.map(|target| target.picture);
        let ancestors = Ancestors::read(&config.ancestors, |name| ancestor_file(file, name))?;
        config.ancestors.clone_from(&ancestors.names);
        if let Some(family) = &family {
            family.be_heard(&mut config, &ancestors.genomes)?;
        }
        config.check_memory(&ancestors.genomes)?;
        Ok(EvolutionJob { config, target, ancestors })
    }

    /// Writes the beginning of the run into its `folder`: what its config names is found there, then the config.
    fn begin(&self, folder: &Path) -> Result<(), WriteError> {
        let name = self.config.search.name();
        Marker::new(FolderKind::Evolution).about(self.config.hash(), name).write(folder)?;
        if let Some(target) = &self.target {
            write_target(folder, target)?;
        }
        self.ancestors.keep(folder)?;
        let text = toml::to_string(&self.config).expect("a config is plain data");
        write_atomic(&folder.join("config.toml"), text.as_bytes())
    }

    /// Generation 0 of the config's search.
    ///
    /// # Panics
    /// For searches that somebody looks at: see [`breed`] and [`breed_by_eye`].
    pub fn search(&self) -> Search {
        let (evolve, seed) = (self.config.evolve.clone(), self.config.seed);
        let ancestors = &self.ancestors.genomes;
        match self.config.search {
            SearchKind::Target => Search::Target(Population::new(evolve, seed, ancestors)),
            SearchKind::Novelty => {
                let numbers = self.config.novelty.search.clone();
                Search::Novelty(Novelty::new(numbers, evolve, seed, ancestors))
            }
            SearchKind::MapElites => {
                let axes = self.config.map_elites.axes.clone();
                Search::MapElites(MapElites::new(axes, evolve, seed, ancestors))
            }
            SearchKind::Interactive => panic!("interactive searches run through `breed`"),
            SearchKind::Vlm => panic!("searches by eye run through `breed_by_eye`"),
        }
    }
}

/// Runs a job in `folder` to its last generation, or goes on with the run that is there.
///
/// The bytes of everything written are a function of the job alone: not of the number of threads,
/// and not of when the run was interrupted and resumed.
///
/// # Errors
/// A file cannot be written; with `resume`, the folder holds no run of this config; without, it
/// holds one. The last checkpoint stands; a run that died before its first begins anew.
pub fn evolve(
    job: &EvolutionJob,
    folder: &Path,
    resume: bool,
    observer: &mut dyn EvolutionObserver,
) -> Result<EvolutionResult, EvolutionError> {
    FolderKind::Evolution.ensure(folder)?;
    let config = &job.config;
    let judge = PictureJudge::new(config, job.target.as_ref());
    let (mut store, mut search, mut evaluations) = if resume && !Store::is_only_begun(folder) {
        Store::resume(folder, config)?
    } else {
        (Store::create(folder, job)?, job.search(), 0)
    };
    // A run that was cut off after its goal was reached makes no more generations.
    let is_reached = |search: &Search| {
        config
            .stop_at
            .is_some_and(|goal| record::best_ever(search).is_some_and(|best| best >= goal))
    };
    let gradients = config.refine.gradients();
    let is_spent = |evaluations: u64| {
        config.budget.is_some_and(|budget| evaluations * (1 + gradients) >= budget)
    };
    let mut best = Best::new(job, folder, &judge);
    let mut shown = None;
    let end = |search: &Search, evaluations: u64| match is_reached(search) {
        true => StopCause::Reached,
        false if is_spent(evaluations) => StopCause::Budget,
        false => StopCause::Generations,
    };
    let mut cause = end(&search, evaluations);
    while cause == StopCause::Generations && search.generation() < config.generations {
        let begun = Instant::now();
        let judged = judge.judge(search.ask());
        evaluations += judged.len() as u64;
        let (asked, species) = (search.ask().to_vec(), record::species_of(&search));
        let births = search.tell(judged.clone())?;
        let (survivors, r2) = (births.len(), best.r2(&search));
        let record = record::record(&asked, species, &judged, &search, evaluations, survivors, r2);
        store.save(&record, &births, &search, evaluations)?;
        best.leave_now_and_then(&search)?;
        observer.generation(&record, begun.elapsed().as_secs_f64());
        if let Some(found) = record::champion(&search)
            && shown.replace(found.fitness) != Some(found.fitness)
        {
            observer.best(&found.genome);
        }
        cause = end(&search, evaluations);
        if cause == StopCause::Generations && observer.stop() {
            best.leave(&search)?;
            let result = EvolutionResult::interrupted(config, &search, evaluations);
            return Ok(EvolutionResult { best_r2: r2, ..result });
        }
    }
    finish::finish(job, folder, &judge, &search, evaluations, cause)
}

/// Reads a config file over the defaults of `preset`; of the preset of the file's search where none is given. A preset
/// that the file names comes first.
///
/// # Errors
/// The file cannot be read, is not TOML, has unknown keys or values of the wrong type.
pub fn read_config(
    path: &Path,
    preset: Option<crate::evolve::Preset>,
) -> Result<EvolutionConfig, EvolutionError> {
    let fail = |problem: String| EvolutionError::ConfigFile { path: path.to_path_buf(), problem };
    let text =
        read_text(path, LARGEST_CONFIG).map_err(|e| fail(format!("cannot read config: {e}")))?;
    let one_line = |e: String| e.trim().replace('\n', " ");
    let table: toml::Table = text
        .parse()
        .map_err(|e: toml::de::Error| fail(one_line(format!("expected TOML, found: {e}"))))?;
    let search = table.get("search").and_then(toml::Value::as_str);
    let search = search.and_then(|name| name.parse::<SearchKind>().ok()).unwrap_or_default();
    let preset = preset.unwrap_or(search.preset());
    EvolutionConfig::over_defaults(preset, table).map_err(|e| fail(one_line(e)))
}
