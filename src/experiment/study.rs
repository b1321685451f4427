//! Runs a plan, cell by cell, and keeps a record of it that is small enough for git.
//!
//! Every run has its folder `RUNS/STUDY/RUN_ID`; a finished one is never computed again, an
//! unfinished one goes on from its checkpoint. Cells are started in the plan's order, as many at a
//! time as there are worker threads; what comes out does not depend on how many. A cell that fails
//! leaves `RUNS/STUDY/failed/RUN_ID.json` and does not stop the others; the next call tries it again.

use super::run::{RunError, RunResult, finished, read_metrics, train_run};
use super::spec::{Plan, Run};
use super::workers::{Ask, Cell, Outcome, StudyObserver, WorkError, work_through};
use crate::math::stats::median;
use crate::network::files::{WriteError, create_folder, write_atomic};
use crate::train::{LogLine, StopReason, TrainReport};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// `record.json` of a study. Equal plans give equal bytes; there are no wall times in it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StudyRecord {
    /// `picloom-training/1`.
    pub format: String,
    /// Name of the study.
    pub study: String,
    /// What is asked.
    pub question: String,
    /// Decision rules by claim, as they stood in the spec.
    pub rules: BTreeMap<String, String>,
    /// The profile.
    pub profile: String,
    /// Side of the pictures in pixels.
    pub size: usize,
    /// One row a run, in the plan's order.
    pub runs: Vec<RunRow>,
}

/// One run of a study.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunRow {
    /// Hash of its config.
    pub run_id: String,
    /// Name of the target.
    pub target: String,
    /// `graph`, `layerized` or `dense`.
    pub wiring: String,
    /// The optimizer as text.
    pub optimizer: String,
    /// Learning rate; none for L-BFGS.
    pub lr: Option<f64>,
    /// Seed.
    pub seed: u64,
    /// What came out; none if the cell failed.
    pub result: Option<RowResult>,
    /// Why the cell failed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub error: Option<String>,
}

/// What came out of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RowResult {
    /// Why it ended.
    #[serde(flatten)]
    pub stop: StopReason,
    /// Links that may be non-zero.
    pub kept: usize,
    /// Steps of the last attempt.
    pub steps: u64,
    /// Gradient evaluations of all attempts.
    pub evaluations: u64,
    /// Plain MSE after the last step.
    pub final_loss: f64,
    /// Median of the losses logged in the last tenth of the steps: a constant rate makes the
    /// very last loss noisy.
    pub late_loss: f64,
    /// R² to the target after the last step, ≤ 1.
    pub r2: f64,
    /// Attempts that collapsed before.
    pub collapses: usize,
    /// Loss while training.
    pub curve: Curve,
}

/// A loss curve of a few points, four significant digits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Curve {
    /// Steps made.
    pub step: Vec<u64>,
    /// Gradient evaluations made, those of attempts before included; none if they equal the steps.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub evaluations: Option<Vec<u64>>,
    /// Plain MSE there.
    pub loss: Vec<f64>,
}

impl Curve {
    /// (gradient evaluations, loss) of every point.
    pub fn by_evaluations(&self) -> impl Iterator<Item = (u64, f64)> + '_ {
        let at = self.evaluations.as_ref().unwrap_or(&self.step);
        at.iter().copied().zip(self.loss.iter().copied())
    }

    /// `points` evenly chosen points of the logged losses of one attempt, then the final one.
    pub fn of(lines: &[LogLine], train: &TrainReport, points: usize) -> Self {
        let count = lines.len().min(points);
        let chosen = (0..count).map(|i| {
            let at = i * lines.len().saturating_sub(1) / count.saturating_sub(1).max(1);
            (lines[at].step, lines[at].evaluations, lines[at].loss)
        });
        let points: Vec<(u64, u64, f64)> = chosen
            .filter(|p| p.0 < train.steps)
            .chain([(train.steps, train.evaluations, train.final_loss)])
            .collect();
        let by = |f: fn(&(u64, u64, f64)) -> u64| points.iter().map(f).collect::<Vec<_>>();
        let (step, evaluations) = (by(|p| p.0), by(|p| p.1));
        Curve {
            evaluations: (evaluations != step).then_some(evaluations),
            step,
            loss: points.iter().map(|p| four_digits(p.2)).collect(),
        }
    }

    /// The same curve when `earlier` evaluations had been made before it.
    fn after(self, earlier: u64) -> Self {
        if earlier == 0 {
            return self;
        }
        let own = self.evaluations.unwrap_or_else(|| self.step.clone());
        Curve { evaluations: Some(own.into_iter().map(|e| e + earlier).collect()), ..self }
    }

    /// (steps, loss) of every point.
    pub fn by_steps(&self) -> impl Iterator<Item = (u64, f64)> + '_ {
        self.step.iter().copied().zip(self.loss.iter().copied())
    }
}

/// Points of a thinned curve, before the last.
const POINTS: usize = 60;

/// Why a study has no record.
#[derive(Debug, thiserror::Error)]
pub enum StudyError {
    /// A file cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// The record cannot be read.
    #[error("{path}: expected a record of a training study, found: {problem}")]
    Record {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        problem: String,
    },
    /// The cells cannot be worked through.
    #[error(transparent)]
    Work(#[from] WorkError),
    /// Some cells are neither finished nor failed.
    #[error(
        "study {study}, profile {profile}: expected {total} finished runs in {folder}, found {done}; go on with `picloom experiment run`"
    )]
    Unfinished {
        /// Name of the study.
        study: String,
        /// The profile.
        profile: String,
        /// Folder of its runs.
        folder: PathBuf,
        /// Cells.
        total: usize,
        /// Cells finished or failed.
        done: usize,
    },
}

/// How a run ended as a cell of a study.
#[derive(Clone, Debug, PartialEq)]
pub enum CellState {
    /// Finished, with its result.
    Done(Box<RunResult>),
    /// Failed, with the reason.
    Failed(String),
    /// Begun and interrupted; goes on from its checkpoint.
    Begun,
    /// Not begun.
    Waiting,
}

#[derive(Serialize, Deserialize)]
struct Failure {
    run: String,
    error: String,
}

/// The folder of a study's runs.
pub fn study_folder(plan: &Plan, runs: &Path) -> PathBuf {
    runs.join(&plan.spec.name)
}

/// The state of a cell, read from its folder.
pub fn state(plan: &Plan, runs: &Path, run: &Run) -> CellState {
    let (folder, id) = (study_folder(plan, runs), run.run_id());
    match finished(&folder.join(&id), &run.config) {
        Ok(Some(result)) => CellState::Done(Box::new(result)),
        Err(error) => CellState::Failed(without_path(&error, &folder)),
        Ok(None) => {
            let failure = std::fs::read(failure_path(&folder, &id)).ok();
            let failure = failure.and_then(|b| serde_json::from_slice::<Failure>(&b).ok());
            match failure {
                Some(failure) => CellState::Failed(failure.error),
                None if folder.join(&id).join("checkpoint.json").exists() => CellState::Begun,
                None => CellState::Waiting,
            }
        }
    }
}

fn failure_path(folder: &Path, id: &str) -> PathBuf {
    folder.join("failed").join(format!("{id}.json"))
}

/// The message of an error, with paths from the study's folder on.
fn without_path(error: &RunError, folder: &Path) -> String {
    let prefix = format!("{}{}", folder.display(), std::path::MAIN_SEPARATOR);
    error.to_string().replace(&prefix, "")
}

/// Runs every cell of `plan` that is not finished under `runs`; `None` if the observer stopped it.
///
/// Writes `RUNS/STUDY/record.json` at the end.
///
/// # Errors
/// Files cannot be written, threads not started. A failing cell is no error: its row says why.
pub fn run_study(
    plan: &Plan,
    runs: &Path,
    observer: &mut dyn StudyObserver,
) -> Result<Option<StudyRecord>, StudyError> {
    let folder = study_folder(plan, runs);
    create_folder(&folder)?;
    let is_done = |run: &&Run| matches!(state(plan, runs, run), CellState::Done(_));
    let (done, waiting): (Vec<&Run>, Vec<&Run>) = plan.runs.iter().partition(is_done);
    let completed =
        work_through(&done, &waiting, |run, ask| train_cell(&folder, run, ask), observer)?;
    if !completed {
        return Ok(None);
    }
    let record = collect(plan, runs)?;
    write_atomic(&folder.join("record.json"), record.to_json().as_bytes())?;
    Ok(Some(record))
}

impl Cell for Run {
    fn label(&self) -> String {
        Run::label(self)
    }

    fn cost(&self) -> f64 {
        self.config.train.steps as f64
    }
}

/// Trains one run; a failure leaves a file that says why.
fn train_cell(folder: &Path, run: &Run, ask: &mut Ask<'_, '_>) -> Result<Outcome, WriteError> {
    let id = run.run_id();
    let failure = failure_path(folder, &id);
    let error = match train_run(&folder.join(&id), run.job(), true, ask) {
        Ok(result) if result.train.stop == StopReason::Interrupted => {
            return Ok(Outcome::Interrupted);
        }
        Ok(_) => {
            let _ = std::fs::remove_file(&failure);
            return Ok(Outcome::Done);
        }
        Err(error) => without_path(&error, folder),
    };
    let file = Failure { run: run.label(), error: error.clone() };
    let json = serde_json::to_vec_pretty(&file).expect("a failure is plain data");
    create_folder(&folder.join("failed"))?;
    write_atomic(&failure, &json)?;
    Ok(Outcome::Failed(error))
}

/// The record of a study whose cells are all finished or failed.
///
/// # Errors
/// Some are not.
pub fn collect(plan: &Plan, runs: &Path) -> Result<StudyRecord, StudyError> {
    let folder = study_folder(plan, runs);
    let mut rows = Vec::with_capacity(plan.runs.len());
    for run in &plan.runs {
        let outcome = match state(plan, runs, run) {
            CellState::Done(result) => {
                let metrics = read_metrics(&folder.join(run.run_id()));
                metrics
                    .map(|lines| row_result(&result, &lines))
                    .map_err(|error| without_path(&error, &folder))
            }
            CellState::Failed(error) => Err(error),
            CellState::Begun | CellState::Waiting => continue,
        };
        let (result, error) = match outcome {
            Ok(result) => (Some(result), None),
            Err(error) => (None, Some(error)),
        };
        rows.push(RunRow {
            run_id: run.run_id(),
            target: run.target.clone(),
            wiring: run.wiring.name().into(),
            optimizer: run.optimizer.to_string(),
            lr: run.lr,
            seed: run.seed,
            result,
            error,
        });
    }
    if rows.len() < plan.runs.len() {
        return Err(StudyError::Unfinished {
            study: plan.spec.name.clone(),
            profile: plan.profile.clone(),
            folder,
            total: plan.runs.len(),
            done: rows.len(),
        });
    }
    Ok(StudyRecord {
        format: FORMAT.into(),
        study: plan.spec.name.clone(),
        question: plan.spec.question.clone(),
        rules: plan.spec.rules.clone(),
        profile: plan.profile.clone(),
        size: plan.size,
        runs: rows,
    })
}

const FORMAT: &str = "picloom-training/1";

fn row_result(result: &RunResult, lines: &[LogLine]) -> RowResult {
    let train = &result.train;
    let lines = surviving(lines);
    let mut late: Vec<f64> = lines
        .iter()
        .filter(|line| 10 * line.step >= 9 * train.steps)
        .map(|line| line.loss)
        .collect();
    late.push(train.final_loss);
    let earlier = train.earlier_evaluations();
    RowResult {
        stop: train.stop,
        kept: result.kept,
        steps: train.steps,
        evaluations: earlier + train.evaluations,
        final_loss: train.final_loss,
        late_loss: median(&late).unwrap_or(train.final_loss),
        r2: result.fit.r2,
        collapses: train.collapses.len(),
        curve: Curve::of(&lines, train, POINTS).after(earlier),
    }
}

/// The logged losses of the last attempt that are numbers.
pub(super) fn surviving(lines: &[LogLine]) -> Vec<LogLine> {
    let attempt = lines.last().map_or(0, |line| line.attempt);
    lines.iter().filter(|line| line.attempt == attempt && line.loss.is_finite()).copied().collect()
}

/// The nearest number of four significant decimal digits.
fn four_digits(value: f64) -> f64 {
    format!("{value:.3e}").parse().unwrap_or(value)
}

fn compact(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("records are plain data")
}

impl StudyRecord {
    /// JSON, one run a line.
    pub fn to_json(&self) -> String {
        let rows: Vec<String> = self.runs.iter().map(compact).collect();
        let head = [
            ("format", compact(&self.format)),
            ("study", compact(&self.study)),
            ("question", compact(&self.question)),
            ("rules", compact(&self.rules)),
            ("profile", compact(&self.profile)),
            ("size", compact(&self.size)),
        ];
        let mut json = String::from("{\n");
        for (key, value) in head {
            json += &format!("\"{key}\": {value},\n");
        }
        json + "\"runs\": [\n" + &rows.join(",\n") + "\n]\n}\n"
    }

    /// Reads a record.
    ///
    /// # Errors
    /// Not readable, or of another format.
    pub fn read(path: &Path) -> Result<Self, StudyError> {
        let fail = |problem: String| StudyError::Record { path: path.to_path_buf(), problem };
        let text = std::fs::read_to_string(path).map_err(|e| fail(e.to_string()))?;
        let record: Self = serde_json::from_str(&text).map_err(|e| fail(e.to_string()))?;
        if record.format != FORMAT {
            return Err(fail(format!("format {:?}, expected {FORMAT:?}", record.format)));
        }
        Ok(record)
    }

    /// A table of the runs without their curves, one row a run.
    pub fn to_csv(&self) -> String {
        let mut csv = String::from(
            "study,profile,target,wiring,optimizer,lr,seed,run_id,stop,steps,evaluations,final_loss,late_loss,r2,collapses,error\n",
        );
        for row in &self.runs {
            let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
            let lr = row.lr.map_or(String::new(), |lr| lr.to_string());
            let result = row.result.as_ref().map_or(",,,,,,".into(), |r| {
                let stop = serde_json::to_value(r.stop).expect("a reason is plain data");
                let stop = stop["reason"].as_str().unwrap_or_default().to_string();
                format!(
                    "{stop},{},{},{},{},{},{}",
                    r.steps, r.evaluations, r.final_loss, r.late_loss, r.r2, r.collapses
                )
            });
            csv += &format!(
                "{},{},{},{},{},{lr},{},{},{result},{}\n",
                self.study,
                self.profile,
                quoted(&row.target),
                row.wiring,
                quoted(&row.optimizer),
                row.seed,
                row.run_id,
                row.error.as_deref().map_or(String::new(), quoted),
            );
        }
        csv
    }
}
