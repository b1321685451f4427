//! How a network without a parent is made: trained, trained on other pictures first, or grown.

use crate::base::hash::json_id;
use crate::experiment::workers::Ask;
use crate::run::{GrowJob, RunError, TrainJob, grow_run, load_run, train_run};
use crate::train::StopReason;
use std::path::{Path, PathBuf};

/// How a network without a parent is made.
pub(super) enum Job {
    /// Trainings, each but the first from the weights that the one before ended with.
    Train(Vec<TrainJob>),
    /// A growth.
    Grow(Box<GrowJob>),
}

impl Job {
    /// True if its first run is finished.
    pub fn is_begun(&self, study: &Path) -> bool {
        let first = match self {
            Job::Train(jobs) => jobs[0].config.run_id(),
            Job::Grow(job) => job.config.run_id(),
        };
        is_finished(&study.join(first))
    }

    /// Equal for jobs that make the same network.
    pub fn id(&self) -> String {
        match self {
            Job::Train(jobs) => match &jobs[..] {
                [only] => only.config.run_id(),
                all => json_id(&all.iter().map(|job| &job.config).collect::<Vec<_>>()),
            },
            Job::Grow(job) => job.config.run_id(),
        }
    }

    /// Makes it in the study's folder, or resumes it there, and returns the folder of its run;
    /// `None` if it was interrupted.
    pub fn run(self, study: &Path, ask: Ask<'_>) -> Result<Option<PathBuf>, RunError> {
        match self {
            Job::Train(jobs) => {
                let mut last: Option<PathBuf> = None;
                for job in jobs {
                    let job = match &last {
                        Some(before) => job.from_weights(load_run(before)?.model.weights),
                        None => job,
                    };
                    let folder = study.join(job.config.run_id());
                    let result = train_run(&folder, job, true, &mut { ask })?;
                    if result.train.stop == StopReason::Interrupted {
                        return Ok(None);
                    }
                    last = Some(folder);
                }
                Ok(last)
            }
            Job::Grow(job) => {
                let folder = study.join(job.config.run_id());
                let result = grow_run(&folder, &job, true, &mut { ask }, &mut |_| {})?;
                let ended = result.is_some_and(|made| made.train.stop != StopReason::Interrupted);
                Ok(ended.then_some(folder))
            }
        }
    }
}

/// Whether the folder of a run holds a finished one.
pub(super) fn is_finished(folder: &Path) -> bool {
    folder.join("result.json").exists()
}
