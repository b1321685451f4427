//! How a network without a parent is made: trained, or trained on other pictures first.

use crate::base::hash::json_id;
use crate::experiment::watched::Watched;
use crate::run::{RunError, TrainJob, load_run, train_run};
use crate::study::workers::Ask;
use crate::train::StopReason;
use std::path::{Path, PathBuf};

/// The trainings that make a network without a parent, each but the first from the weights that the one before
/// ended with.
pub(super) struct Job(pub Vec<TrainJob>);

impl Job {
    /// True if its first run is finished.
    pub(super) fn is_begun(&self, study: &Path) -> bool {
        is_finished(&study.join(self.0[0].config.run_id()))
    }

    /// The folder of its last run, if that is finished.
    pub(super) fn finished(&self, study: &Path) -> Option<PathBuf> {
        let [only] = &self.0[..] else { return None };
        Some(study.join(only.config.run_id())).filter(|folder| is_finished(folder))
    }

    /// Equal for jobs that make the same network.
    pub(super) fn id(&self) -> String {
        match &self.0[..] {
            [only] => only.config.run_id(),
            all => json_id(&all.iter().map(|job| &job.config).collect::<Vec<_>>()),
        }
    }

    /// Makes it in the study's folder, or resumes it there, and returns the folder of its run;
    /// `None` if it was interrupted.
    pub(super) fn run(self, study: &Path, ask: Ask<'_>) -> Result<Option<PathBuf>, RunError> {
        let mut last: Option<PathBuf> = None;
        for job in self.0 {
            let job = match &last {
                Some(before) => job.starting_from(load_run(before)?.model.weights),
                None => job,
            };
            let folder = study.join(job.config.run_id());
            let result = train_run(&folder, job, true, &mut Watched(ask))?;
            if result.train.stop == StopReason::Interrupted {
                return Ok(None);
            }
            last = Some(folder);
        }
        Ok(last)
    }
}

/// Whether the folder of a run holds a finished one.
pub(super) fn is_finished(folder: &Path) -> bool {
    folder.join("result.json").exists()
}
