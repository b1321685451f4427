//! How long a plan takes on machines like this one: a cell of each study, measured for a few seconds.
//!
//! The estimate of a cell counts steps, pixels and links; what one of them takes differs between
//! machines by more than anything else. So one cell of each study (the one in the middle by cost) is begun on
//! one core, in a folder of its own, and the study's estimate is scaled by what its training steps took.
//! Cells that train nothing are measured whole, if they end in time.

use super::Planned;
use crate::experiment::cells::Worker;
use crate::experiment::record::RecordError;
use crate::experiment::workers::{News, StudyObserver, WorkError};
use serde::Serialize;
use std::path::Path;
use std::time::{Duration, Instant};

/// How long the cells of a study take.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Estimate {
    /// The study.
    pub study: String,
    /// Cells.
    pub cells: usize,
    /// All of them, in seconds of one core of this machine.
    pub core_seconds: f64,
    /// The longest.
    pub longest: f64,
    /// What was measured, as a multiple of what was estimated; none if it did not get that far.
    pub factor: Option<f64>,
    /// Memory of a worker with one cell at a time, in MB, at most until now; none where that cannot be seen.
    pub memory_mb: Option<f64>,
}

/// Watches a cell until its time is over.
struct Watch<'a> {
    begun: Instant,
    time: Duration,
    /// Step and moment at which its first training was heard of, and the last.
    steps: Option<[(u64, Instant); 2]>,
    going_on: &'a mut (dyn FnMut() -> bool + Send),
}

impl StudyObserver for Watch<'_> {
    fn news(&mut self, news: News<'_>) {
        if let News::Training(state) = news {
            let now = (state.step, Instant::now());
            match &mut self.steps {
                // A second training begins at 0 again.
                Some([_, last]) if state.step > last.0 => *last = now,
                Some(_) => {}
                None => self.steps = Some([now, now]),
            }
        }
    }

    fn going_on(&mut self) -> bool {
        self.begun.elapsed() < self.time && (self.going_on)()
    }
}

impl Planned {
    /// Measures a cell of each study for `time` at most; none if `going_on` says no. `scratch` is a folder
    /// for what is begun.
    ///
    /// # Errors
    /// The folder cannot be written, no thread can be started.
    pub fn measure(
        &self,
        time: Duration,
        scratch: &Path,
        going_on: &mut (dyn FnMut() -> bool + Send),
    ) -> Result<Option<Vec<Estimate>>, RecordError> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
        let pool = pool.map_err(|e| RecordError::Work(WorkError::Threads(e)))?;
        let mut estimates = Vec::new();
        for study in &self.studies {
            let mut costs = Vec::new();
            study.lines(&mut |line| costs.push(line.core_seconds));
            let mut order: Vec<usize> = (0..costs.len()).collect();
            order.sort_by(|a, b| costs[*a].total_cmp(&costs[*b]));
            let factor = match order.get(order.len() / 2) {
                None => None,
                Some(&middle) => {
                    let mut watch = Watch { begun: Instant::now(), time, steps: None, going_on };
                    let worker = Worker::new();
                    let went =
                        pool.install(|| study.pass(scratch, &[middle], &worker, &mut watch))?;
                    let whole = watch.begun.elapsed().as_secs_f64() / costs[middle].max(1e-9);
                    let step = step_seconds(watch.steps).zip(study.step_cost(middle));
                    if went.is_stopped && !(watch.going_on)() {
                        return Ok(None);
                    }
                    let by_step = step.map(|(took, cost)| took / cost.max(1e-12));
                    by_step.or((went.done == 1).then_some(whole))
                }
            };
            let scale = factor.unwrap_or(1.0);
            estimates.push(Estimate {
                study: study.name().into(),
                cells: costs.len(),
                core_seconds: scale * costs.iter().sum::<f64>(),
                longest: scale * costs.iter().copied().fold(0.0, f64::max),
                factor,
                memory_mb: peak_memory(),
            });
        }
        Ok(Some(estimates))
    }
}

/// Seconds of a training step, from two moments at least a few steps apart.
fn step_seconds(steps: Option<[(u64, Instant); 2]>) -> Option<f64> {
    let [(first, then), (last, now)] = steps?;
    (last >= first + 16).then(|| now.duration_since(then).as_secs_f64() / (last - first) as f64)
}

/// The most memory this process has had, in MB.
fn peak_memory() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().strip_suffix(" kB")?.trim().parse::<f64>().ok()? / 1024.0)
}

/// Wall seconds of all cells on so many cores, each with one cell at a time: not below the longest.
pub fn wall(estimates: &[Estimate], cores: usize) -> f64 {
    let all: f64 = estimates.iter().map(|e| e.core_seconds).sum();
    estimates.iter().map(|e| e.longest).fold(all / cores as f64, f64::max)
}
