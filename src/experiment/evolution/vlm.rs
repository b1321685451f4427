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

use super::config::{EvolutionConfig, VlmSection};
use super::decision::DecisionRecord;
use super::interactive::{SESSION_FILE, save, write_genomes};
use super::job::{EvolutionError, EvolutionJob, read_config};
use super::kind::SearchKind;
use super::record::EvolutionObserver;
use super::result::StopCause;
use super::run::{Run, to_end};
use super::sheet::{draw, genome_sheet};
use super::stored::StoredSearch;
use crate::base::files::{
    LARGEST_STATE, create_folder, json_lines, of_json_lines, read_text, write_atomic, write_json,
};
use crate::base::folder::FolderKind;
use crate::base::refusal::Refusal;
use crate::evolve::{Breeding, Selection, Session, not_on_sheet};
use crate::genome::to_json;
use crate::network::Picture;
use crate::score::{Breeder, Choice, Decision};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Selections of a model that looks at the sheets.
pub(super) struct Vlm;

impl StoredSearch for Vlm {
    fn is_looked_at(&self) -> bool {
        true
    }
}

/// Pictures a row of the sheet that is looked at.
const COLUMNS: usize = 5;
/// Side of a published picture in pixels.
const PUBLISHED: usize = 512;

/// `result.json` of a run bred by eye. Equal runs give equal bytes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct EyeResult {
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
struct ByEye<'a> {
    config: &'a EvolutionConfig,
    sheets: VlmSection,
    folder: &'a Path,
    breeder: &'a dyn Breeder,
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
pub(crate) fn breed_by_eye(
    job: &EvolutionJob,
    folder: &Path,
    resume: bool,
    breeder: &dyn Breeder,
    observer: &mut dyn EvolutionObserver,
) -> Result<EyeResult, EvolutionError> {
    FolderKind::Evolution.ensure(folder)?;
    let config = &job.config;
    let kept = begin(job, folder, resume)?;
    let session = Session::new(config.evolve.clone(), config.seed, config.ancestors.clone());
    let breeding = Breeding::new(session, &job.ancestors.genomes)?;
    let (sheets, decisions, cause) = (config.sheets(), Vec::new(), None);
    let mut run = ByEye { config, sheets, folder, breeder, breeding, decisions, cause };
    for record in kept {
        let asked = run.record(record.choice.clone())?;
        if asked != record {
            let at = format!("generation {}", asked.generation);
            let expected =
                format!("a decision of {} that leads on from those before", asked.breeder);
            let refusal = Refusal::new(at, expected, format!("one of {}", record.breeder));
            return Err(refusal.in_file(&folder.join(JOURNAL)).into());
        }
        run.apply(record).map_err(|error| match error {
            EvolutionError::Refused(refusal) => refusal.in_file(&folder.join(JOURNAL)).into(),
            other => other,
        })?;
    }
    to_end(run, config.generations, observer)
}

/// The file of the decisions, a line each.
const JOURNAL: &str = "decisions.jsonl";

/// Makes the folder, or reads what was decided in it.
fn begin(
    job: &EvolutionJob,
    folder: &Path,
    resume: bool,
) -> Result<Vec<DecisionRecord>, EvolutionError> {
    let config = &job.config;
    let (own, journal) = (folder.join("config.toml"), folder.join(JOURNAL));
    let mut kept = Vec::new();
    if resume {
        let theirs = read_config(&own, Some(config.evolve.preset))?;
        if theirs.hash() != config.hash() {
            return Err(EvolutionError::other_config(&own, config, &theirs));
        }
        // None: stopped before the first decision.
        if journal.exists() {
            kept = read_decisions(&journal)?;
        }
    } else if own.exists() {
        return Err(EvolutionError::occupied(folder));
    }
    job.begin(folder)?;
    create_folder(&folder.join("sheets"))?;
    Ok(kept)
}

fn read_decisions(path: &Path) -> Result<Vec<DecisionRecord>, EvolutionError> {
    let text =
        read_text(path, LARGEST_STATE).map_err(|e| Refusal::unreadable(path, "decisions", &e))?;
    Ok(of_json_lines(&text, "a decision").map_err(|refusal| refusal.in_file(path))?)
}

impl Run for ByEye<'_> {
    type Result = EyeResult;

    fn generation(&self) -> u64 {
        self.breeding.now().generation()
    }

    fn cause(&self) -> Option<StopCause> {
        self.cause
    }

    fn step(&mut self, observer: &mut dyn EvolutionObserver) -> Result<(), EvolutionError> {
        let generation = self.generation();
        let sheet = self.sheet();
        self.write_picture(&sheet, &format!("sheets/{generation:03}.png"))?;
        let before: Vec<Choice> = self.decisions.iter().map(|d| d.choice.clone()).collect();
        let count = self.breeding.now().genomes().len();
        let choice = self.breeder.choose(&sheet, count, generation as usize, &before)?;
        let record = self.record(choice)?;
        self.apply(record.clone())?;
        // Last: a decision counts once all that follows from it is there.
        write_atomic(&self.folder.join(JOURNAL), json_lines(&self.decisions).as_bytes())?;
        observer.decided(&record);
        Ok(())
    }

    /// Leaves the last sheet, the session, and the result.
    fn finish(&mut self, cause: StopCause) -> Result<EyeResult, EvolutionError> {
        let result = EyeResult {
            config_hash: self.config.hash(),
            breeder: self.breeder.name(),
            cause,
            generations: self.decisions.len() as u64,
            published: self.published().cloned().collect(),
            last_reason: self.decisions.last().map(|d| d.choice.reason.clone()),
        };
        if cause == StopCause::Interrupted {
            return Ok(result);
        }
        let (folder, now) = (self.folder, self.breeding.now());
        write_genomes(now, SearchKind::Vlm, &result.config_hash, folder)?;
        self.write_picture(&self.sheet(), "sheet.png")?;
        save(&self.breeding, &folder.join(SESSION_FILE))?;
        let mut lineage = self.breeding.lineage();
        // What was published last was chosen too, and nothing was bred from it.
        if let (Some(StopCause::Published), Some(last)) = (self.cause, self.decisions.last()) {
            let new = now
                .births()
                .iter()
                .filter(|b| last.births.contains(&b.id))
                .filter(|b| lineage.iter().all(|l| l.id != b.id));
            lineage.extend(new.cloned().collect::<Vec<_>>());
        }
        write_atomic(&folder.join("lineage.jsonl"), json_lines(&lineage).as_bytes())?;
        write_json(&folder.join("result.json"), &result)?;
        Ok(result)
    }
}

impl ByEye<'_> {
    fn sheet(&self) -> Picture {
        let genomes = self.breeding.now().genomes();
        genome_sheet(genomes, COLUMNS, self.sheets.cell, self.config.coords)
    }

    /// Writes a picture of the run to `name` in its folder.
    fn write_picture(&self, picture: &Picture, name: &str) -> Result<(), EvolutionError> {
        let png = picture.to_png(&[("picloom config", &self.config.hash())]);
        Ok(write_atomic(&self.folder.join(name), &png)?)
    }

    fn published(&self) -> impl Iterator<Item = &String> {
        self.decisions.iter().filter_map(|d| d.published.as_ref())
    }

    /// A choice on this sheet as it is recorded.
    fn record(&self, choice: Choice) -> Result<DecisionRecord, EvolutionError> {
        let births = self.breeding.now().births();
        let chosen: &[usize] = match &choice.decision {
            Decision::Select(chosen) => chosen,
            Decision::Publish(picture) => std::slice::from_ref(picture),
            Decision::Stop => &[],
        };
        if let Some(&found) = chosen.iter().find(|&&p| p >= births.len()) {
            return Err(not_on_sheet(births.len(), found).into());
        }
        let number = self.published().count();
        Ok(DecisionRecord {
            generation: self.breeding.now().generation(),
            breeder: self.breeder.name(),
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
            Decision::Select(chosen) => self.select(chosen, &record.choice.reason)?,
            Decision::Stop => self.cause = Some(StopCause::Stopped),
            &Decision::Publish(picture) => {
                let name = record.published.as_ref().expect("publications have files");
                self.publish(picture, &record, name)?;
                if self.published().count() + 1 >= self.sheets.publish {
                    self.cause = Some(StopCause::Published);
                } else {
                    self.select(&[picture], &record.choice.reason)?;
                }
            }
        }
        self.decisions.push(record);
        Ok(())
    }

    fn select(&mut self, chosen: &[usize], why: &str) -> Result<(), EvolutionError> {
        let selection = Selection { why: why.to_string(), ..Selection::of(chosen) };
        self.breeding.select(selection).map_err(Refusal::as_failure)?;
        Ok(())
    }

    /// Writes the genome to `name`, with who published it and why, and its picture.
    fn publish(
        &self,
        picture: usize,
        record: &DecisionRecord,
        name: &str,
    ) -> Result<(), EvolutionError> {
        create_folder(&self.folder.join("published"))?;
        let now = self.breeding.now();
        let (genome, birth) = (&now.genomes()[picture], &now.births()[picture]);
        let mut genome = birth.sign(genome, SearchKind::Vlm.name(), &self.config.hash());
        let notes = &mut genome.provenance.notes;
        notes.insert("breeder".into(), record.breeder.clone());
        notes.insert("reason".into(), record.choice.reason.clone());
        let drawn = draw(&genome, PUBLISHED, self.config.coords);
        self.write_picture(&drawn, &name.replace(".json", ".png"))?;
        write_atomic(&self.folder.join(name), to_json(&genome).as_bytes())?;
        Ok(())
    }
}
