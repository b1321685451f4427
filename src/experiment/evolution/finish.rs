//! The end of a run: the best genomes with their provenance, the gallery sheet, the result.

use super::config::EvolutionConfig;
use super::family::ShownFamily;
use super::job::{EvolutionError, EvolutionJob};
use super::judge::PictureJudge;
use super::record::{champion, size_of};
use super::result::{EvolutionResult, StopCause, with_provenance};
use super::sheet::{draw, genome_sheet, grid_sheet};
use crate::base::files::{create_folder, write_atomic};
use crate::evolve::{DISTINCT, Ranked, Search, Sketch};
use crate::genome::{Genome, to_json};
use std::path::Path;
use std::time::{Duration, Instant};

/// Side of the best picture in pixels.
const BEST: usize = 512;
/// The best picture of a search under way is drawn once in this time at most.
const NOW_AND_THEN: Duration = Duration::from_secs(2);

/// The best genome of a run under way: how well it fits, and its files.
pub(super) struct Best<'a> {
    job: &'a EvolutionJob,
    folder: &'a Path,
    judge: &'a PictureJudge,
    /// Fitness and R² of the last one that was measured.
    measured: Option<(f64, Option<f64>)>,
    /// Fitness of the one whose files are there, and when they were written.
    left: Option<(f64, Instant)>,
}

impl<'a> Best<'a> {
    pub(super) fn new(job: &'a EvolutionJob, folder: &'a Path, judge: &'a PictureJudge) -> Self {
        Best { job, folder, judge, measured: None, left: None }
    }

    /// R² of the best picture until now, where the search has a target.
    pub(super) fn r2(&mut self, search: &Search) -> Option<f64> {
        let best = champion(search)?;
        match self.measured {
            Some((fitness, r2)) if fitness == best.fitness => r2,
            _ => {
                let r2 = self.judge.r2(&best.genome);
                self.measured = Some((best.fitness, r2));
                r2
            }
        }
    }

    /// Writes the files of a better one, unless it is too soon.
    pub(super) fn leave_now_and_then(&mut self, search: &Search) -> Result<(), EvolutionError> {
        let Some(best) = champion(search) else { return Ok(()) };
        let is_due = self
            .left
            .is_none_or(|(fitness, when)| best.fitness > fitness && when.elapsed() >= NOW_AND_THEN);
        if is_due { self.leave(search) } else { Ok(()) }
    }

    /// Writes `best.json` and `best.png`.
    pub(super) fn leave(&mut self, search: &Search) -> Result<(), EvolutionError> {
        let Some(best) = champion(search) else { return Ok(()) };
        write_best(&self.job.config, self.folder, best)?;
        self.left = Some((best.fitness, Instant::now()));
        Ok(())
    }
}

fn write_best(
    config: &EvolutionConfig,
    folder: &Path,
    best: &Ranked,
) -> Result<(), EvolutionError> {
    let genome = with_provenance(config, best);
    let picture = draw(&genome, BEST, config.coords);
    let picture = picture.to_png(&[("picloom config", &config.hash())]);
    write_atomic(&folder.join("best.json"), to_json(&genome).as_bytes())?;
    write_atomic(&folder.join("best.png"), &picture)?;
    Ok(())
}

/// Largest number of genomes on a gallery sheet.
const GALLERY: usize = 40;

pub(super) fn finish(
    job: &EvolutionJob,
    folder: &Path,
    judge: &PictureJudge,
    search: &Search,
    evaluations: u64,
    cause: StopCause,
) -> Result<EvolutionResult, EvolutionError> {
    let config = &job.config;
    let ranked = gallery(search);
    let genomes_folder = folder.join("genomes");
    create_folder(&genomes_folder)?;
    let mut files = Vec::new();
    let mut shown = Vec::new();
    for (i, ranked) in ranked.iter().enumerate() {
        let genome = with_provenance(config, ranked);
        let name = format!("{i:03}.json");
        write_atomic(&genomes_folder.join(&name), to_json(&genome).as_bytes())?;
        files.push(format!("genomes/{name}"));
        shown.push(genome);
    }
    let sheet = match search {
        Search::MapElites(map) => {
            let kept = |id: u64| ranked.iter().any(|ranked| ranked.birth.id == id);
            let cells: Vec<(Vec<usize>, &Genome)> = map
                .grid()
                .iter()
                .filter(|(_, elite)| kept(elite.ranked.birth.id))
                .map(|(cell, elite)| (cell.clone(), &elite.ranked.genome))
                .collect();
            let shape: Vec<usize> = map.axes().iter().map(|a| a.cells).collect();
            grid_sheet(&cells, &shape, 96, config.coords)
        }
        _ => genome_sheet(&shown, 8, 128, config.coords),
    };
    let hash = config.hash();
    let texts = [("picloom config", hash.as_str())];
    write_atomic(&folder.join("gallery.png"), &sheet.to_png(&texts))?;

    let best = ranked.first();
    if let Some(best) = best {
        write_best(config, folder, best)?;
    }
    let mse = best
        .zip(job.target.as_ref())
        .map(|(best, target)| target.mse(&judge.picture(&best.genome)));
    let r2 = best.and_then(|best| judge.r2(&best.genome));
    let (best_links, best_hidden) = best.map_or((0, 0), |b| size_of(&b.genome));
    let result = EvolutionResult {
        config_hash: hash,
        search: config.search,
        cause,
        generations: search.generation(),
        evaluations,
        gradients: evaluations * config.refine.gradients(),
        best_fitness: best.map(|b| b.fitness),
        best_links,
        best_hidden,
        best_mse: mse,
        best_r2: r2,
        best_held_out_r2: best
            .zip(ShownFamily::of(config).expect("a valid config"))
            .map(|(best, family)| family.held_out_r2(&best.genome, config)),
        genomes: files,
    };
    let json = serde_json::to_string_pretty(&result).expect("a result is plain data") + "\n";
    write_atomic(&folder.join("result.json"), json.as_bytes())?;
    Ok(result)
}

/// The genomes worth keeping, best first, of those that draw the same picture the best: target: the champion and the
/// generation that was judged last; novelty: the most novel of the archive; MAP-Elites: the best cells.
fn gallery(search: &Search) -> Vec<Ranked> {
    let mut ranked: Vec<Ranked> = match search {
        // An elite may be both champion and member.
        Search::Target(population) => {
            population.champion().into_iter().chain(population.judged()).cloned().collect()
        }
        Search::Novelty(novelty) => novelty.archive().iter().map(|a| a.ranked.clone()).collect(),
        Search::MapElites(map) => map.grid().values().map(|e| e.ranked.clone()).collect(),
    };
    ranked.sort_by(|a, b| b.fitness.total_cmp(&a.fitness).then(a.birth.id.cmp(&b.birth.id)));
    let most = if matches!(search, Search::MapElites(_)) { usize::MAX } else { GALLERY };
    let mut shown: Vec<Sketch> = Vec::new();
    ranked.retain(|r| {
        let sketch = (shown.len() < most).then(|| Sketch::of(&r.genome));
        let is_new = |sketch: &Sketch| shown.iter().all(|other| other.distance(sketch) > DISTINCT);
        let new = sketch.filter(is_new);
        let is_kept = new.is_some();
        shown.extend(new);
        is_kept
    });
    ranked
}
