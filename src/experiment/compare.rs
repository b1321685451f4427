//! The main job: one genome's evolved network against networks trained on its picture; or, of a picture that no
//! genome draws, the trained networks alone; or finished runs side by side.
//!
//! In: a study of one subject (`assets/compare.toml`), or run folders. Out: the table of a networks study, and what a
//! report shows of each network beside it.

use super::networks::NetworksRecord;
use super::networks::chain::{Made, Measuring};
use super::networks::plan::judge;
use super::networks::record::{Change, NetworkRow};
use super::networks::spec::{BASE, NetworksSpec};
use super::networks::views::changes_beside;
use super::template::{Single, Subject};
use crate::base::folder::{FolderKind, Marker};
use crate::base::hash::sha256_hex;
use crate::base::refusal::Refusal;
use crate::base::table::Table;
use crate::base::text::{fixed, portable, word};
use crate::network::{Arch, Coords, Model, Picture, Wiring};
use crate::probe::{self, View};
use crate::run::{LoadedRun, RunError, load_run, read_metrics};
use crate::score::{Exhibit, FIT_GATE, Protocol};
use crate::study::cells::{CellStudy, run_cells, study_folder};
use crate::study::kinds::Study;
use crate::study::record::{Record, RecordError, damaged};
use crate::study::spec::SpecError;
use crate::study::workers::{Ask, News, StudyObserver};
use crate::train::LogLine;
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};

/// The arms of a comparison that have every link: the others are scored beside them, or pruned from them.
const DENSE: [&str; 2] = ["dense", "dense-l1"];

/// Networks compared: their rows, and what is shown of each.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// The numbers.
    pub record: NetworksRecord,
    /// How they were made, as `study.json` says it; empty for finished runs.
    pub made: Map<String, Value>,
    /// The genome or picture that they were trained on; `None` for finished runs.
    pub subject: Option<Subject>,
    /// Steps of the profile; the record has those that were made.
    pub usual_steps: u64,
    /// One of every arm that has a network, in the order of the record: of the first seed that has one.
    pub networks: Vec<Shown>,
}

/// The network of one arm, for the report.
#[derive(Clone, Debug)]
pub struct Shown {
    /// Its arm; of a run the name of its folder, or the path where two have the same name.
    pub arm: String,
    /// The network of a run in words; empty if the arm says it.
    pub made: String,
    /// Its target.
    pub target: Picture,
    /// The network as it was judged.
    pub view: View,
    /// Some changed weights, spread over the layers, with what the network then draws.
    pub changed: Vec<(Change, Picture)>,
    /// Logged losses of training.
    pub curve: Vec<LogLine>,
}

/// Why a comparison ended early.
#[derive(Debug, thiserror::Error)]
pub enum CompareError {
    /// Somebody asked to stop; the same command goes on from the checkpoint.
    #[error("interrupted: the same command goes on from here")]
    Interrupted,
    /// A network could not be made or judged.
    #[error("{0}")]
    Arm(String),
    /// A folder cannot be written, or holds something else.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// A run cannot be read.
    #[error(transparent)]
    Run(#[from] RunError),
    /// The judge cannot be asked.
    #[error(transparent)]
    Settings(#[from] SpecError),
}

/// Refuses the folder of another comparison, and marks it as one of this.
fn claim(out: &Path, name: &str, sha256: String) -> Result<(), RecordError> {
    let marker = Marker::new(FolderKind::Comparison).about(sha256, name);
    marker.ensure(out)?;
    Ok(marker.write(out)?)
}

/// Runs the study of a comparison in `out/runs` and writes its table and its spec into `out`. Finished networks are
/// not computed again and unfinished ones go on.
///
/// # Errors
/// A folder cannot be written or holds something else, a comparison of another genome for example; a network cannot
/// be made; interruption.
pub fn compare(
    single: &Single,
    out: &Path,
    observer: &mut dyn StudyObserver,
) -> Result<Comparison, CompareError> {
    let Single { study, subject, usual_steps, .. } = single;
    claim(out, &portable(&subject.path), subject.sha256.clone())?;
    single.write_into(out).map_err(RecordError::from)?;
    let runs = out.join("runs");
    let record = run_cells(study, &runs, observer)?.ok_or(CompareError::Interrupted)?;
    Study::collect(study, &runs, out)?;
    save_changes(&record, out)?;
    let failed = record.rows.iter().find_map(|row| Some((row, row.error.as_ref()?)));
    if let Some((row, error)) = failed {
        return Err(CompareError::Arm(format!("{}: {error}", row.arm)));
    }
    let (folder, source) = (study_folder(study, &runs), study.chains[0].source.load()?);
    let mut networks: Vec<Shown> = Vec::new();
    for row in &record.rows {
        let Some(result) = &row.result else { continue };
        if networks.iter().any(|shown| shown.arm == row.arm) {
            continue;
        }
        let (model, curve) = match (&result.path, &subject.genome) {
            (Some(path), _) => {
                let run = folder.join(path);
                (load_run(&run)?.model, read_metrics(&run)?)
            }
            (None, Some(genome)) => (Model::of_genome(genome, Wiring::Layerized), Vec::new()),
            (None, None) => continue,
        };
        let view = Exhibit::new(&model, record.size, Coords::default(), None).into_view();
        let (made, target) = (String::new(), source.target.picture.clone());
        let (arm, changed) = (row.arm.clone(), changed(row, &view));
        networks.push(Shown { arm, made, target, view, changed, curve });
    }
    let subject = Some(subject.clone());
    let made = study.made();
    Ok(Comparison { record, made, subject, usual_steps: *usual_steps, networks })
}

/// The pictures of the changed weights that a row names, drawn anew.
fn changed(row: &NetworkRow, view: &View) -> Vec<(Change, Picture)> {
    let views = row.result.as_ref().and_then(|result| result.views.as_ref());
    let mut painter = view.painter();
    let changes = views.map_or(&[][..], |views| &views.changes).iter();
    let draw = |change: &Change| {
        let by = probe::Change::By { link: change.link, delta: change.delta };
        (*change, painter.draw(by).clone())
    };
    changes.map(draw).collect()
}

/// Measures finished runs, one after the other, as `asked` and each on the picture that it was trained on, and writes
/// their table into `out`; `begin` is told the name of each before it is measured.
///
/// # Errors
/// A folder is no finished run, `out` holds something else, the judge gave no answer.
pub(crate) fn compare_runs(
    folders: &[PathBuf],
    asked: &NetworksSpec,
    seed: u64,
    out: &Path,
    begin: &mut dyn FnMut(&str),
) -> Result<Comparison, CompareError> {
    let mut asked = asked.clone();
    let judge = judge(&mut asked, out)?;
    let runs: Vec<LoadedRun> = folders.iter().map(|f| load_run(f)).collect::<Result<_, _>>()?;
    let names = names(folders);
    let mut ids: Vec<&str> = runs.iter().map(|run| run.result.run_id.as_str()).collect();
    ids.sort_unstable();
    claim(out, &names.join(", "), sha256_hex(ids.join("\n")))?;
    let going_on = |_: News<'_>| true;
    let one_size = runs.windows(2).all(|pair| pair[0].config.size == pair[1].config.size);
    let (mut rows, mut networks) = (Vec::new(), Vec::new());
    for (number, ((folder, run), arm)) in folders.iter().zip(&runs).zip(names).enumerate() {
        begin(&arm);
        let LoadedRun { config, model, target, .. } = run;
        let measuring = Measuring {
            family: None,
            target,
            relatives: &[],
            coords: config.coords,
            protocol: Protocol::sampled(asked.own.sample, asked.own.effect, seed),
            seed,
            fixed_delta: asked.own.fixed_delta,
            mechanisms: asked.own.mechanisms,
            organisation: asked.own.organisation,
            measure: asked.own.measure,
            genome: None,
            views: Some(((number + 1).to_string(), asked.show.changes, false)),
        };
        let kept = config.pruned.as_ref().map_or(model.mask.kept(), |pruned| pruned.kept);
        let made = Made { arm: &arm, level: 0, kept, model, run: Some((run, folder)) };
        let measured = measuring.measure(&made, &*judge, out, Ask::new(&going_on));
        let result = measured.map_err(|error| CompareError::Arm(format!("{arm}: {error}")))?;
        let row = NetworkRow {
            target: match one_size {
                true => config.target.clone(),
                false => format!("{} at {}²", config.target, config.size),
            },
            about: None,
            variant: BASE.into(),
            offset: 0,
            layers: model.network.depth().saturating_sub(1),
            arm: arm.clone(),
            level: 0,
            seed: Some(config.train.seed),
            result: Some(Box::new(result)),
            error: None,
            not_made: None,
        };
        let view = measuring.exhibit(model).into_view();
        let arch = config.arch.as_ref().map_or("a genome's own graph".into(), Arch::to_string);
        networks.push(Shown {
            made: format!("{}, {arch}", config.arm),
            target: target.clone(),
            changed: changed(&row, &view),
            view,
            curve: read_metrics(folder)?,
            arm,
        });
        rows.push(row);
    }
    let record = NetworksRecord {
        format: NetworksRecord::FORMAT.into(),
        study: "runs".into(),
        question: "Which of these networks stays a picture when a weight moves?".into(),
        size: runs.iter().map(|run| run.config.size).max().unwrap_or(0),
        steps: runs.iter().map(|run| run.config.train.steps).max().unwrap_or(0),
        sample: asked.own.sample,
        effect: asked.own.effect,
        fixed_delta: asked.own.fixed_delta,
        judge: judge.name(),
        rows,
        ..NetworksRecord::default()
    };
    record.save(out).map_err(RecordError::from)?;
    save_changes(&record, out)?;
    let usual_steps = record.steps;
    Ok(Comparison { record, made: Map::new(), subject: None, usual_steps, networks })
}

/// The table of the changed weights of every network that is shown.
pub(crate) const CHANGES: &str = "changes.csv.gz";

/// Puts the changed weights of the shown networks under each other, as [`CHANGES`].
fn save_changes(record: &NetworksRecord, out: &Path) -> Result<(), RecordError> {
    let mut all = Vec::new();
    for row in &record.rows {
        let Some(views) = row.result.as_ref().and_then(|result| result.views.as_ref()) else {
            continue;
        };
        let path = out.join(changes_beside(&views.sweep));
        if let Some(table) = path.exists().then(|| Table::read(&path)) {
            let fail = |r: Refusal| damaged(&path, "a table of changed weights", r.found);
            let seed = row.seed.map_or(String::new(), |seed| seed.to_string());
            all.push(table.map_err(fail)?.with_constant("seed", &seed));
        }
    }
    if all.is_empty() {
        return Ok(());
    }
    Ok(Table::concat(all).write(&out.join(CHANGES))?)
}

/// Names of the folders, of runs in a store those of their arms; where two have the same, the paths.
pub(crate) fn names(folders: &[PathBuf]) -> Vec<String> {
    let short = |path: &PathBuf| {
        let name = path.file_name()?.to_string_lossy().into_owned();
        let is_id = name.len() == 16 && name.bytes().all(|byte| byte.is_ascii_hexdigit());
        Marker::read(path).and_then(|marker| marker.of).filter(|_| is_id).or(Some(name))
    };
    let all: Vec<Option<String>> = folders.iter().map(short).collect();
    let name = |(path, name): (&PathBuf, &Option<String>)| match name {
        Some(name) if all.iter().flatten().filter(|other| *other == name).count() == 1 => {
            name.clone()
        }
        _ => portable(path),
    };
    folders.iter().zip(&all).map(name).collect()
}

impl Comparison {
    /// Why the comparison, or a part of it, could not be made, and what may help; `None` if every dense network, from
    /// which the others follow, was learned by some seed.
    pub(crate) fn obstacle(&self) -> Option<String> {
        let subject = self.subject.as_ref()?;
        let (mut unlearned, mut collapsed) = (Vec::new(), false);
        for arm in DENSE {
            let of_arm = self.record.rows.iter().filter(|row| row.arm == arm);
            let results = || of_arm.clone().filter_map(|row| row.result.as_deref());
            if results().any(|result| result.fit) {
                continue;
            }
            let best = results().map(|result| result.r2).fold(f64::NEG_INFINITY, f64::max);
            unlearned.push(format!("{arm} (R² {})", fixed(best, 3)));
            collapsed |= results()
                .filter_map(|result| result.train.as_ref())
                .any(|train| train.collapses > 0);
        }
        if unlearned.is_empty() {
            return None;
        }
        let what = match unlearned.len() == DENSE.len() {
            true => "The comparison could not be made",
            false => "A part of the comparison could not be made",
        };
        let mut text = format!(
            "{what}: {} did not learn the picture, and only a network that did (R² ≥ {FIT_GATE}) is scored against others or pruned.",
            unlearned.join(" and ")
        );
        if collapsed {
            text += " Attempts became one colour; each began again at half the rate.";
        }
        let path = word(portable(&subject.path));
        text += &format!(
            " More steps may do: picloom compare {path} --steps {}",
            2 * self.record.steps
        );
        Some(text)
    }

    /// The arms that were not made, each with the reason, once.
    pub(crate) fn not_made(&self) -> Vec<String> {
        let mut all = Vec::new();
        for row in &self.record.rows {
            let Some(why) = &row.not_made else { continue };
            let line = format!("{}: not made; {why}", row.arm);
            if !all.contains(&line) {
                all.push(line);
            }
        }
        all
    }

    /// The scores of all networks, for people; first what could not be made.
    pub fn summary(&self) -> String {
        let obstacle = self.obstacle().map(|obstacle| format!("{obstacle}\n"));
        let parts = obstacle.into_iter().chain([self.record.summary()]).chain(self.not_made());
        parts.collect::<Vec<_>>().join("\n")
    }
}
