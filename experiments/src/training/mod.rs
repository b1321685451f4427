//! Training studies (`kind = "training"`): grids of optimizers, learning rates and seeds.
//!
//! In: `experiments/NAME.toml` ([`TrainingSpec`]). Out: a run folder `RUNS/STUDY/RUN_ID` a cell, which
//! goes on from its checkpoint, and a [`TrainingRecord`].

pub mod newton_schulz;
pub mod record;
pub mod spec;

pub use record::{RowResult, RunRow, TrainingRecord};
pub use spec::{Run, TrainingSpec, TrainingStudy};

use picloom::experiment::cells::{CellState, CellStudy, unfinished, without_path};
use picloom::experiment::cost;
use picloom::experiment::record::{Record, RecordError};
use picloom::experiment::workers::Ask;
use picloom::network::files::WriteError;
use picloom::run::{RunError, finished, read_metrics, train_run};
use picloom::train::StopReason;
use std::borrow::Cow;
use std::path::Path;

impl CellStudy for TrainingStudy {
    type Cell = Run;
    type Outcome = RowResult;
    type Record = TrainingRecord;

    const CELLS: &'static str = "runs";

    fn name(&self) -> &str {
        &self.spec.name
    }

    fn profile(&self) -> &str {
        &self.profile
    }

    fn count(&self) -> usize {
        self.runs.len()
    }

    fn cell(&self, number: usize) -> Cow<'_, Run> {
        Cow::Borrowed(&self.runs[number])
    }

    fn id(&self, run: &Run) -> String {
        run.run_id()
    }

    fn label(&self, run: &Run) -> String {
        run.label()
    }

    fn cost(&self, run: &Run) -> f64 {
        let (links, config) = (run.of.base.problem.network.weight_count(), run.config());
        cost::training(config.train.steps, links, config.size)
    }

    fn step_cost(&self, run: &Run) -> Option<f64> {
        Some(self.cost(run) / run.config().train.steps.max(1) as f64)
    }

    fn compute(
        &self,
        run: &Run,
        folder: &Path,
        mut ask: Ask<'_>,
    ) -> Result<Option<RowResult>, String> {
        let folder = folder.join(run.run_id());
        let text = |e: RunError| e.to_string();
        let result = train_run(&folder, run.job(), true, &mut ask).map_err(text)?;
        if result.train.stop == StopReason::Interrupted {
            return Ok(None);
        }
        Ok(Some(record::row_result(&result, &read_metrics(&folder).map_err(text)?)))
    }

    /// As the run's folder says.
    fn state(&self, run: &Run, folder: &Path) -> Result<CellState<RowResult>, RecordError> {
        let id = run.run_id();
        let at = folder.join(&id);
        let left = finished(&at, &run.config()).and_then(|result| {
            let row = |r| Ok(record::row_result(&r, &read_metrics(&at)?));
            result.map(row).transpose()
        });
        Ok(match left {
            Ok(Some(outcome)) => CellState::Done(outcome),
            Ok(None) => unfinished(folder, &id, at.join("checkpoint.json").exists()),
            Err(error) => {
                let error = without_path(&error.to_string(), folder);
                CellState::Failed { error, outcome: None }
            }
        })
    }

    /// The run's folder has it.
    fn keep(&self, _: &Run, _: RowResult, _: &Path) -> Result<(), WriteError> {
        Ok(())
    }

    fn record(&self, outcomes: Vec<Result<RowResult, String>>) -> TrainingRecord {
        let row = |(run, outcome): (&Run, Result<RowResult, String>)| RunRow {
            run_id: run.run_id(),
            target: run.of.target.clone(),
            wiring: run.of.wiring.name().into(),
            optimizer: run.optimizer().to_string(),
            lr: run.lr,
            seed: run.seed,
            error: outcome.as_ref().err().cloned(),
            result: outcome.ok(),
        };
        let spec = &self.spec;
        TrainingRecord {
            format: TrainingRecord::FORMAT.into(),
            study: spec.name.clone(),
            question: spec.question.clone(),
            rules: spec.rules.clone(),
            profile: self.profile.clone(),
            size: spec.size,
            runs: self.runs.iter().zip(outcomes).map(row).collect(),
        }
    }
}
