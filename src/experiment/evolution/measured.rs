//! A run of a search whose pictures are measured, generation by generation.

use super::family::ShownFamily;
use super::job::{EvolutionError, EvolutionJob};
use super::judge::PictureJudge;
use super::record::{Asked, EvolutionObserver, GenerationRecord, size_of};
use super::result::{EvolutionResult, StopCause, with_provenance};
use super::run::{Run, to_end};
use super::sheet::draw;
use super::store::Store;
use crate::base::files::{create_folder, write_atomic, write_json};
use crate::base::folder::FolderKind;
use crate::evolve::{DISTINCT, Ranked, Search, Sketch};
use crate::genome::to_json;
use std::path::Path;
use std::time::{Duration, Instant};

/// Side of the best picture in pixels.
const BEST: usize = 512;
/// The best picture of a search under way is drawn once in this time at most.
const NOW_AND_THEN: Duration = Duration::from_secs(2);

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
    let judge = PictureJudge::new(&job.config, job.target.as_ref());
    let (store, search, evaluations) = Store::open(folder, job, resume)?;
    let (measured, left, shown) = (None, None, None);
    let run = Measured { job, folder, judge, store, search, evaluations, measured, left, shown };
    to_end(run, job.config.generations, observer)
}

/// The run under way.
struct Measured<'a> {
    job: &'a EvolutionJob,
    folder: &'a Path,
    judge: PictureJudge,
    store: Store<'a>,
    search: Search,
    /// Genomes judged.
    evaluations: u64,
    /// Fitness and R² of the best genome that was measured last.
    measured: Option<(f64, Option<f64>)>,
    /// Fitness of the best genome whose files are there, and when they were written.
    left: Option<(f64, Instant)>,
    /// Fitness of the best genome that the observer was shown.
    shown: Option<f64>,
}

impl Run for Measured<'_> {
    type Result = EvolutionResult;

    fn generation(&self) -> u64 {
        self.search.generation()
    }

    /// A run that was cut off after its goal was reached makes no more generations.
    fn cause(&self) -> Option<StopCause> {
        let config = &self.job.config;
        let best = self.search.state().champion().map(|best| best.fitness);
        let spent = self.evaluations * (1 + config.refine.gradients());
        if best.zip(config.stop_at).is_some_and(|(best, goal)| best >= goal) {
            Some(StopCause::Reached)
        } else if config.budget.is_some_and(|budget| spent >= budget) {
            Some(StopCause::Budget)
        } else {
            None
        }
    }

    fn step(&mut self, observer: &mut dyn EvolutionObserver) -> Result<(), EvolutionError> {
        let begun = Instant::now();
        let judged = self.judge.judge(self.search.ask());
        self.evaluations += judged.len() as u64;
        let asked = Asked::of(&self.search);
        let births = self.search.tell(judged.clone())?;
        let r2 = self.r2();
        let record = GenerationRecord {
            evaluations: self.evaluations,
            survivors: births.len(),
            ..asked.record(&judged, &self.search, r2)
        };
        self.store.save(&record, &births, &self.search, self.evaluations)?;
        self.leave_now_and_then()?;
        observer.generation(&record, begun.elapsed().as_secs_f64());
        if let Some(best) = self.search.state().champion()
            && self.shown.replace(best.fitness) != Some(best.fitness)
        {
            observer.best(&best.genome);
        }
        Ok(())
    }

    /// Leaves the best genomes with their provenance, the gallery, and the result.
    fn finish(&mut self, cause: StopCause) -> Result<EvolutionResult, EvolutionError> {
        if cause == StopCause::Interrupted {
            self.leave_best()?;
            let best_r2 = self.r2();
            return Ok(EvolutionResult { best_r2, ..self.result(cause, None, Vec::new()) });
        }
        let config = &self.job.config;
        let shown = self.gallery();
        let genomes = self.folder.join("genomes");
        create_folder(&genomes)?;
        let mut files = Vec::new();
        for (i, ranked) in shown.iter().enumerate() {
            let name = format!("{i:03}.json");
            let genome = with_provenance(config, ranked);
            write_atomic(&genomes.join(&name), to_json(&genome).as_bytes())?;
            files.push(format!("genomes/{name}"));
        }
        let sheet = config.search.stored().gallery(&self.search, &shown, config.coords);
        let png = sheet.to_png(&[("picloom config", &config.hash())]);
        write_atomic(&self.folder.join("gallery.png"), &png)?;
        if let Some(best) = shown.first() {
            self.write_best(best)?;
        }
        let result = self.result(cause, shown.first(), files);
        write_json(&self.folder.join("result.json"), &result)?;
        Ok(result)
    }
}

impl Measured<'_> {
    /// R² of the best picture until now, where the search has a target.
    fn r2(&mut self) -> Option<f64> {
        let best = self.search.state().champion()?;
        match self.measured {
            Some((fitness, r2)) if fitness == best.fitness => r2,
            _ => {
                let r2 = self.judge.r2(&best.genome);
                self.measured = Some((best.fitness, r2));
                r2
            }
        }
    }

    /// Writes the files of a better genome than before, unless it is too soon.
    fn leave_now_and_then(&mut self) -> Result<(), EvolutionError> {
        let Some(best) = self.search.state().champion() else { return Ok(()) };
        let is_due = self
            .left
            .is_none_or(|(fitness, when)| best.fitness > fitness && when.elapsed() >= NOW_AND_THEN);
        if is_due { self.leave_best() } else { Ok(()) }
    }

    /// Writes `best.json` and `best.png`.
    fn leave_best(&mut self) -> Result<(), EvolutionError> {
        let Some(best) = self.search.state().champion() else { return Ok(()) };
        self.write_best(best)?;
        self.left = Some((best.fitness, Instant::now()));
        Ok(())
    }

    fn write_best(&self, best: &Ranked) -> Result<(), EvolutionError> {
        let config = &self.job.config;
        let genome = with_provenance(config, best);
        let picture = draw(&genome, BEST, config.coords);
        let picture = picture.to_png(&[("picloom config", &config.hash())]);
        write_atomic(&self.folder.join("best.json"), to_json(&genome).as_bytes())?;
        write_atomic(&self.folder.join("best.png"), &picture)?;
        Ok(())
    }

    /// The best genome of each distinct picture, best first.
    fn gallery(&self) -> Vec<Ranked> {
        let mut ranked = self.search.state().found();
        ranked.sort_by(|a, b| b.fitness.total_cmp(&a.fitness).then(a.birth.id.cmp(&b.birth.id)));
        let most = self.job.config.search.stored().most_shown();
        let mut sketches: Vec<Sketch> = Vec::new();
        ranked.retain(|ranked| {
            let sketch = (sketches.len() < most).then(|| Sketch::of(&ranked.genome));
            let is_new = |sketch: &Sketch| sketches.iter().all(|s| s.distance(sketch) > DISTINCT);
            let new = sketch.filter(is_new);
            let is_kept = new.is_some();
            sketches.extend(new);
            is_kept
        });
        ranked.into_iter().cloned().collect()
    }

    /// The result with this best genome and these files.
    fn result(
        &self,
        cause: StopCause,
        best: Option<&Ranked>,
        genomes: Vec<String>,
    ) -> EvolutionResult {
        let config = &self.job.config;
        let of_target = best.zip(self.job.target.as_ref());
        let (best_links, best_hidden) = best.map_or((0, 0), |best| size_of(&best.genome));
        let of_family = best.zip(ShownFamily::of(config).expect("a valid config"));
        EvolutionResult {
            config_hash: config.hash(),
            search: config.search,
            cause,
            generations: self.search.generation(),
            evaluations: self.evaluations,
            gradients: self.evaluations * config.refine.gradients(),
            best_fitness: best.map(|best| best.fitness),
            best_links,
            best_hidden,
            best_mse: of_target.map(|(best, target)| target.mse(&self.judge.picture(&best.genome))),
            best_r2: best.and_then(|best| self.judge.r2(&best.genome)),
            best_held_out_r2: of_family
                .map(|(best, family)| family.held_out_r2(&best.genome, config)),
            genomes,
        }
    }
}
