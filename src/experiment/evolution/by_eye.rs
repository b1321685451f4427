//! Breeding by eye: a model that looks at the sheet of each generation chooses parents, publishes
//! or stops; no human and no target (as picbreeder-vlm does, arXiv 2605.23908).
//!
//! In: a job with `search = "vlm"`, a folder, a [`Breeder`]. Out: the folder: `config.toml`,
//! `sheets/NNN.png` (what was looked at), `decisions.jsonl` (a [`DecisionRecord`] a line: what was
//! decided and why), `published/NNN.json` and `.png`; and at the end `session.toml` (which a person can
//! go on with: `--search interactive --script`), `lineage.jsonl`, the last sheet's `sheet.png` and
//! `genomes/NN.json`, `result.json`.
//!
//! `decisions.jsonl` is the state: a run that died is replayed from it and asks only for what
//! follows. Given the same answers (a mock, or a model's from its cache) all bytes are the same.

use super::config::{EvolutionConfig, SearchKind, VlmSection};
use super::decision::DecisionRecord;
use super::job::{EvolutionError, EvolutionJob, read_config};
use super::record::EvolutionObserver;
use super::result::StopCause;
use super::session::{SESSION_FILE, save};
use super::sheet::{draw, genome_sheet};
use super::store;
use crate::base::files::{LARGEST_STATE, create_folder, read_text, write_atomic};
use crate::base::folder::FolderKind;
use crate::evolve::{Breeding, BreedingError, Selection, Session};
use crate::genome::to_json;
use crate::score::{Breeder, Choice, Decision};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// Pictures a row of the sheet that is looked at.
const COLUMNS: usize = 5;
/// Side of a published picture in pixels.
const PUBLISHED: usize = 512;

/// `result.json` of a run bred by eye. Equal runs give equal bytes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EyeResult {
    /// Identity of the run.
    pub config_hash: String,
    /// Who decided.
    pub breeder: String,
    /// Why it ended.
    pub cause: StopCause,
    /// Sheets looked at.
    pub generations: u64,
    /// Published genome files, relative to the folder, in order.
    pub published: Vec<String>,
    /// The last reason given.
    pub last_reason: Option<String>,
}

/// A run under way.
struct Run<'a> {
    config: &'a EvolutionConfig,
    section: VlmSection,
    folder: &'a Path,
    hash: String,
    breeding: Breeding,
    decisions: Vec<DecisionRecord>,
    cause: Option<StopCause>,
}

/// Breeds in `folder` until the breeder has published enough or stops, or the generations are
/// over; or goes on with the run that is there.
///
/// # Errors
/// A file cannot be written, the breeder gave no usable answer; with `resume`, the folder holds no
/// such run; without, it holds one. The decisions made so far stand.
pub fn breed_by_eye(
    job: &EvolutionJob,
    folder: &Path,
    resume: bool,
    breeder: &dyn Breeder,
    observer: &mut dyn EvolutionObserver,
) -> Result<EyeResult, EvolutionError> {
    FolderKind::Evolution.ensure(folder)?;
    let config = &job.config;
    let journal = folder.join("decisions.jsonl");
    let kept = begin(job, folder, &journal, resume)?;
    let name = breeder.name();
    let session = Session::new(config.evolve.clone(), config.seed, config.ancestors.clone());
    let mut run = Run {
        config,
        section: config.vlm.clone().unwrap_or_default(),
        folder,
        hash: config.hash(),
        breeding: Breeding::new(session, &job.ancestors.genomes)?,
        decisions: Vec::new(),
        cause: None,
    };
    for record in kept {
        let asked = run.record(&name, record.choice.clone())?;
        if asked != record {
            return Err(EvolutionError::Checkpoint {
                path: journal,
                problem: format!(
                    "generation {}: expected a decision of {name} that leads on from those before, found one of {}",
                    asked.generation, record.breeder
                ),
            });
        }
        run.apply(record)?;
    }
    while run.cause.is_none() && run.breeding.now().generation() < config.generations {
        let generation = run.breeding.now().generation();
        let sheet = run.sheet();
        let png = sheet.to_png(&[("picloom config", &run.hash)]);
        let path = folder.join("sheets").join(format!("{generation:03}.png"));
        write_atomic(&path, &png)?;
        let before: Vec<Choice> = run.decisions.iter().map(|d| d.choice.clone()).collect();
        let count = run.breeding.now().genomes().len();
        let choice = breeder.choose(&sheet, count, generation as usize, &before)?;
        let record = run.record(&name, choice)?;
        run.apply(record)?;
        // Last: a decision counts once all that follows from it is there.
        write_atomic(&journal, lines(&run.decisions).as_bytes())?;
        observer.decided(&run.decisions[run.decisions.len() - 1]);
        if run.cause.is_none() && observer.stop() {
            return Ok(run.result(name, StopCause::Interrupted));
        }
    }
    let cause = run.cause.unwrap_or(StopCause::Generations);
    run.finish(name, cause)
}

/// Makes the folder, or reads what was decided in it.
fn begin(
    job: &EvolutionJob,
    folder: &Path,
    journal: &Path,
    resume: bool,
) -> Result<Vec<DecisionRecord>, EvolutionError> {
    let config = &job.config;
    let own = folder.join("config.toml");
    let mut kept = Vec::new();
    if resume {
        let theirs = read_config(&own, Some(config.evolve.preset))?;
        if theirs.hash() != config.hash() {
            return Err(EvolutionError::OtherConfig {
                path: own,
                difference: store::difference(config, &theirs),
            });
        }
        // None: stopped before the first decision.
        if journal.exists() {
            kept = read_decisions(journal)?;
        }
    } else if own.exists() {
        return Err(EvolutionError::Occupied { path: own });
    }
    job.begin(folder)?;
    create_folder(&folder.join("sheets"))?;
    Ok(kept)
}

fn read_decisions(path: &Path) -> Result<Vec<DecisionRecord>, EvolutionError> {
    let unreadable =
        |problem: String| EvolutionError::Checkpoint { path: path.to_path_buf(), problem };
    let text = read_text(path, LARGEST_STATE)
        .map_err(|e| unreadable(format!("cannot read decisions: {e}")))?;
    text.lines()
        .enumerate()
        .map(|(i, line)| {
            serde_json::from_str(line)
                .map_err(|e| unreadable(format!("line {}: expected a decision, found: {e}", i + 1)))
        })
        .collect()
}

fn lines<T: Serialize>(records: &[T]) -> String {
    let line = |r| serde_json::to_string(r).expect("records are plain data") + "\n";
    records.iter().map(line).collect()
}

impl Run<'_> {
    fn sheet(&self) -> crate::network::Picture {
        let genomes = self.breeding.now().genomes();
        genome_sheet(genomes, COLUMNS, self.section.cell, self.config.coords)
    }

    fn published(&self) -> impl Iterator<Item = &String> {
        self.decisions.iter().filter_map(|d| d.published.as_ref())
    }

    /// A choice on this sheet as it is recorded.
    fn record(&self, breeder: &str, choice: Choice) -> Result<DecisionRecord, EvolutionError> {
        let births = self.breeding.now().births();
        let chosen: &[usize] = match &choice.decision {
            Decision::Select(chosen) => chosen,
            Decision::Publish(picture) => std::slice::from_ref(picture),
            Decision::Stop => &[],
        };
        if let Some(&found) = chosen.iter().find(|&&p| p >= births.len()) {
            let last = births.len().saturating_sub(1);
            return Err(BreedingError::NotOnSheet { last, found }.into());
        }
        let number = self.published().count();
        Ok(DecisionRecord {
            generation: self.breeding.now().generation(),
            breeder: breeder.to_string(),
            pictures: births.len(),
            births: chosen.iter().map(|&p| births[p].id).collect(),
            published: matches!(choice.decision, Decision::Publish(_))
                .then(|| format!("published/{number:03}.json")),
            choice,
        })
    }

    /// Does what was decided.
    fn apply(&mut self, record: DecisionRecord) -> Result<(), EvolutionError> {
        match &record.choice.decision {
            Decision::Select(chosen) => self.select(chosen.clone(), &record.choice.reason)?,
            Decision::Stop => self.cause = Some(StopCause::Stopped),
            &Decision::Publish(picture) => {
                let name = record.published.as_ref().expect("publications have files");
                self.publish(picture, &record, &self.folder.join(name))?;
                if self.published().count() + 1 >= self.section.publish {
                    self.cause = Some(StopCause::Published);
                } else {
                    self.select(vec![picture], &record.choice.reason)?;
                }
            }
        }
        self.decisions.push(record);
        Ok(())
    }

    fn select(&mut self, chosen: Vec<usize>, why: &str) -> Result<(), EvolutionError> {
        self.breeding.select(Selection { why: why.to_string(), ..Selection::of(&chosen) })?;
        Ok(())
    }

    /// Writes the genome, with who published it and why, and its picture.
    fn publish(
        &self,
        picture: usize,
        record: &DecisionRecord,
        path: &Path,
    ) -> Result<(), EvolutionError> {
        create_folder(&self.folder.join("published"))?;
        let genome = &self.breeding.now().genomes()[picture];
        let birth = &self.breeding.now().births()[picture];
        let mut genome = birth.sign(genome, SearchKind::Vlm.name(), &self.hash);
        let notes = &mut genome.provenance.notes;
        notes.insert("breeder".into(), record.breeder.clone());
        notes.insert("reason".into(), record.choice.reason.clone());
        let drawn = draw(&genome, PUBLISHED, self.config.coords);
        let png: PathBuf = path.with_extension("png");
        write_atomic(&png, &drawn.to_png(&[("picloom config", &self.hash)]))?;
        write_atomic(path, to_json(&genome).as_bytes())?;
        Ok(())
    }

    fn result(&self, breeder: String, cause: StopCause) -> EyeResult {
        EyeResult {
            config_hash: self.hash.clone(),
            breeder,
            cause,
            generations: self.decisions.len() as u64,
            published: self.published().cloned().collect(),
            last_reason: self.decisions.last().map(|d| d.choice.reason.clone()),
        }
    }

    fn finish(&self, breeder: String, cause: StopCause) -> Result<EyeResult, EvolutionError> {
        let folder = self.folder;
        let genomes = folder.join("genomes");
        create_folder(&genomes)?;
        let sheet = self.breeding.now().genomes().iter().zip(self.breeding.now().births());
        for (i, (genome, birth)) in sheet.enumerate() {
            let genome = birth.sign(genome, SearchKind::Vlm.name(), &self.hash);
            let path = genomes.join(format!("{i:02}.json"));
            write_atomic(&path, to_json(&genome).as_bytes())?;
        }
        let png = self.sheet().to_png(&[("picloom config", &self.hash)]);
        write_atomic(&folder.join("sheet.png"), &png)?;
        save(&self.breeding, &folder.join(SESSION_FILE))?;
        let mut lineage = self.breeding.lineage();
        // What was published last was chosen too, and nothing was bred from it.
        if let (Some(StopCause::Published), Some(last)) = (self.cause, self.decisions.last()) {
            let births = self.breeding.now().births().iter();
            let new = births
                .filter(|b| last.births.contains(&b.id))
                .filter(|b| lineage.iter().all(|l| l.id != b.id));
            lineage.extend(new.cloned().collect::<Vec<_>>());
        }
        write_atomic(&folder.join("lineage.jsonl"), lines(&lineage).as_bytes())?;
        let result = self.result(breeder, cause);
        let json = serde_json::to_string_pretty(&result).expect("a result is plain data") + "\n";
        write_atomic(&folder.join("result.json"), json.as_bytes())?;
        Ok(result)
    }
}
