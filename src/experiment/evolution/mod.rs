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
mod decision;
mod descriptors;
mod family;
mod finish;
mod fitness;
mod inputs;
mod job;
mod judge;
mod record;
mod refine;
mod result;
mod session;
mod sheet;
mod speed;
mod store;

pub use ancestry::{AncestryError, ancestry};
pub use by_eye::{EyeResult, breed_by_eye};
pub use config::{
    BreederKind, EvolutionConfig, FitnessConfig, MapElitesSection, Measure, NoveltySection,
    RefineConfig, RefineMode, SearchKind, VlmSection,
};
pub use decision::DecisionRecord;
pub use descriptors::{Descriptor, describe};
pub use fitness::{Likeness, ssim};
pub use inputs::{Ancestors, ancestor_file};
pub use job::{EvolutionError, EvolutionJob, read_config};
pub use judge::PictureJudge;
pub use record::{EvolutionObserver, GenerationRecord, Unwatched};
pub use refine::{Refined, refine};
pub use result::{EvolutionResult, StopCause};
pub use session::{
    BreedError, BreedReport, BreedRequest, SESSION_FILE, breed, open, read_session, save,
};
pub use sheet::{draw, genome_sheet, grid_sheet, side_of};
pub use speed::{EvolveSpeed, bench_evolve};

use crate::base::folder::FolderKind;
use crate::evolve::Search;
use finish::Best;
use std::path::Path;
use std::time::Instant;
use store::Store;

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
