//! How long a plan takes on machines like this one: some cells of each study, measured for a few seconds.
//!
//! The estimate of a cell counts steps, pixels and links; what one of them takes differs between
//! machines by more than anything else. So cells of each study, short ones and long ones, are begun on one
//! core, in a folder of its own, and the study's estimate is scaled by what they took: those that end in their time
//! as a whole, the others by their training steps. What is measured is the time that a core
//! worked for this process, where the system says it: other programs on the machine change it little.

use super::Planned;
use crate::experiment::cells::Worker;
use crate::experiment::record::RecordError;
use crate::experiment::workers::{News, StudyObserver, WorkError};
use crate::network::process::core_seconds;
use serde::Serialize;
use std::collections::BTreeSet;
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

/// Cells of a study that are begun, if they do not end before.
const CELLS: u32 = 5;

/// Time that each of them has at least.
const PART: Duration = Duration::from_secs(1);

/// Seconds of a core that say something.
const LEAST: f64 = 0.1;

/// Time between two looks at the core's.
const HEARD_EVERY: Duration = Duration::from_millis(50);

/// Seconds that a core has worked for this process; where the system does not say, seconds since then.
fn core_time(since: Instant) -> f64 {
    core_seconds().unwrap_or_else(|| since.elapsed().as_secs_f64())
}

/// Watches a cell until its time is over.
struct Watch<'a> {
    begun: Instant,
    ends: Instant,
    /// Step and core time at which its first training was heard of, and the last.
    steps: Option<[(u64, f64); 2]>,
    /// When the last was.
    heard: Instant,
    going_on: &'a mut (dyn FnMut() -> bool + Send),
}

impl<'a> Watch<'a> {
    fn new(ends: Instant, going_on: &'a mut (dyn FnMut() -> bool + Send)) -> Self {
        let begun = Instant::now();
        Watch { begun, ends, steps: None, heard: begun, going_on }
    }
}

impl StudyObserver for Watch<'_> {
    fn news(&mut self, news: News<'_>) {
        // Seldom: the system counts hundredths of seconds, and asking it takes time too.
        if let News::Training(state) = news
            && (self.steps.is_none() || self.heard.elapsed() >= HEARD_EVERY)
        {
            let now = (state.step, core_time(self.begun));
            self.heard = Instant::now();
            match &mut self.steps {
                // A second training begins at 0 again.
                Some([_, last]) if state.step > last.0 => *last = now,
                Some(_) => {}
                None => self.steps = Some([now, now]),
            }
        }
    }

    fn going_on(&mut self) -> bool {
        Instant::now() < self.ends && (self.going_on)()
    }
}

impl Planned {
    /// Measures cells of each study for `time` at most; none if `going_on` says no. `scratch` is a folder
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
            let begun = Instant::now();
            // Of the cells that were measured: what they take, and what was estimated.
            let (mut takes, mut cost) = (0.0, 0.0);
            for cell in spread(&costs) {
                let limit = begun + time;
                let part = (time / CELLS).max(PART);
                let mut watch = Watch::new(limit.min(Instant::now() + part), going_on);
                let before = core_time(begun);
                let worker = Worker::new();
                let went = pool.install(|| study.pass(scratch, &[cell], &worker, &mut watch))?;
                let whole = (went.done == 1).then(|| core_time(begun) - before);
                let step = step_seconds(watch.steps).zip(study.step_cost(cell));
                let by_step = step.map(|(took, cost)| costs[cell] * took / cost.max(1e-12));
                if let Some(took) = whole.or(by_step) {
                    (takes, cost) = (takes + took, cost + costs[cell]);
                }
                if !going_on() {
                    return Ok(None);
                }
                if Instant::now() >= limit {
                    break;
                }
            }
            let factor = (takes >= LEAST && cost > 0.0).then(|| takes / cost);
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

/// Cells by cost, so that any first few of them are spread evenly over it.
fn spread(costs: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..costs.len()).collect();
    order.sort_by(|a, b| costs[*a].total_cmp(&costs[*b]));
    // Multiples of the golden ratio, from the middle on; some hundred are enough.
    let place = |k: usize| (0.5 + 0.618_033_988_749_895 * k as f64).fract() * order.len() as f64;
    let mut seen = BTreeSet::new();
    let places = (0..4 * order.len().min(256)).map(|k| place(k) as usize);
    places.filter(|k| seen.insert(*k)).map(|k| order[k]).collect()
}

/// Seconds of a training step, from two moments at least a few steps, and ten ticks, apart.
fn step_seconds(steps: Option<[(u64, f64); 2]>) -> Option<f64> {
    let [(first, then), (last, now)] = steps?;
    (last >= first + 16 && now >= then + LEAST).then(|| (now - then) / (last - first) as f64)
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
