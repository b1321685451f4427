//! Works through the cells of a study: as many at a time as there are worker threads, in order.
//!
//! The result of a cell does not depend on how many there are. A cell that fails does not stop the
//! others; an observer is told how far the work is and may stop it at the next checkpoint.

use picloom_base::files::WriteError;
use serde::Serialize;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Instant;

/// How far a study is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Progress {
    /// All cells.
    pub total: usize,
    /// Cells finished, now or earlier.
    pub done: usize,
    /// Cells that were finished before this call.
    pub found: usize,
    /// Cells that failed in this call.
    pub failed: usize,
    /// Estimate of the wall time left in seconds, learned from what is finished; `None` before
    /// that, and at the end.
    pub seconds_left: Option<f64>,
    /// Wall time of this call in seconds, for a second of the cost of what it has finished.
    pub pace: Option<f64>,
}

/// Watches a study. What is computed does not depend on it.
pub trait StudyObserver: Send {
    /// A cell has been finished, found finished, or has failed (then `error` says why).
    fn cell(&mut self, _progress: &Progress, _label: &str, _error: Option<&str>) {}

    /// A part of a cell has been finished: what is left is known better.
    fn part(&mut self, _progress: &Progress) {}

    /// Other workers have the only cells that are left, so many: now they are waited for.
    fn waits(&mut self, _cells: usize) {}

    /// Now and then while a cell is worked on.
    fn news(&mut self, _news: News<'_>) {}

    /// Now and then while cells are worked on. Returns false to stop all of them at a checkpoint.
    fn going_on(&mut self) -> bool {
        true
    }
}

/// Watches nothing.
impl StudyObserver for () {}

/// How the work on a cell ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Finished.
    Done,
    /// Failed, with the reason.
    Failed(String),
    /// Stopped at a checkpoint, because somebody asked.
    Interrupted,
    /// Another worker has it: nothing was done.
    Elsewhere,
    /// Another worker has just finished it: nothing was done.
    Found,
}

/// Why the work ended before its time.
#[derive(Debug, thiserror::Error)]
pub enum WorkError {
    /// A file cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// Worker threads cannot be started.
    #[error("cannot start worker threads: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
}

/// The label and cost of a cell to be computed.
pub struct Task {
    /// For people: `face dense muon:steps=20 lr 0.001 seed 2`.
    pub label: String,
    /// How long it takes, in seconds of one core, about: for the estimate of what is left.
    pub cost: f64,
}

/// Works on the cells of the numbers `waiting`, at most `at_a_time`; those `found` finished are only
/// counted. What is said of a cell is asked when it is needed. False if it was stopped.
///
/// # Errors
/// `work` cannot write a file, threads cannot be started.
pub fn work_through(
    [found, waiting]: [&[usize]; 2],
    task: impl Fn(usize) -> Task + Sync,
    at_a_time: usize,
    work: impl Fn(usize, Ask<'_>) -> Result<Outcome, WriteError> + Sync,
    observer: &mut dyn StudyObserver,
) -> Result<bool, WorkError> {
    let mut progress = Progress { total: found.len() + waiting.len(), ..Progress::default() };
    for &number in found {
        progress.done += 1;
        progress.found += 1;
        observer.cell(&progress, &task(number).label, None);
    }
    let costs: Vec<f64> = waiting.iter().map(|number| task(*number).cost).collect();
    let most = rayon::current_num_threads().min(waiting.len()).min(at_a_time);
    let workers = most.min(useful(&costs)).max(1);
    let threads = (rayon::current_num_threads() / workers).max(1);
    let pool = || rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pools: Vec<_> = (0..workers).map(|_| pool()).collect::<Result<_, _>>()?;
    let shared = Shared {
        next: AtomicUsize::new(0),
        stopped: AtomicBool::new(false),
        watched: Mutex::new(Watched {
            observer,
            progress,
            failure: None,
            cost_made: 0.0,
            cost_left: costs.iter().sum(),
            started: Instant::now(),
        }),
    };
    let (work, task) = (&work, &task);
    std::thread::scope(|scope| {
        for pool in &pools {
            scope.spawn(|| {
                pool.install(|| {
                    while !shared.stopped.load(Ordering::Relaxed) {
                        let next = shared.next.fetch_add(1, Ordering::Relaxed);
                        let Some(&number) = waiting.get(next) else {
                            return;
                        };
                        let told = Mutex::new(0.0);
                        let going_on = |news: News<'_>| shared.hear(news, &told);
                        let outcome = work(number, Ask::new(&going_on));
                        let mut rest = task(number);
                        rest.cost -= *told.lock().expect("no worker panicked");
                        if !shared.over(&rest, outcome) {
                            return;
                        }
                    }
                });
            });
        }
    });
    let watched = shared.watched.into_inner().expect("no worker panicked");
    match watched.failure {
        Some(error) => Err(error.into()),
        None => Ok(!shared.stopped.into_inner()),
    }
}

/// Cells at a time that end together: beside a long cell a short one would soon leave its threads idle, so that
/// the long one had better have them all.
fn useful(costs: &[f64]) -> usize {
    let longest = costs.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
    (costs.iter().sum::<f64>() / longest).round() as usize
}

/// Work that must be done, as a share of what is left, before it says how long the rest takes.
const LEARNED: f64 = 0.05;

/// The state shared by the workers.
struct Shared<'a> {
    next: AtomicUsize,
    stopped: AtomicBool,
    watched: Mutex<Watched<'a>>,
}

struct Watched<'a> {
    observer: &'a mut dyn StudyObserver,
    progress: Progress,
    failure: Option<WriteError>,
    cost_made: f64,
    cost_left: f64,
    started: Instant,
}

impl Watched<'_> {
    /// Counts work that has been done, and learns from it how long the rest takes.
    fn made(&mut self, cost: f64) {
        self.cost_made += cost;
        self.cost_left -= cost;
        let rate = self.started.elapsed().as_secs_f64() / self.cost_made.max(1e-300);
        let Progress { total, done, failed, .. } = self.progress;
        self.progress.pace = Some(rate);
        // The first small part says little of the rest.
        let is_known = done + failed < total && self.cost_made > LEARNED * self.cost_left;
        self.progress.seconds_left = is_known.then_some((rate * self.cost_left).max(0.0));
    }
}

impl Shared<'_> {
    /// Counts a cell, whose cost is that of its parts that were not told; false if the work is to stop.
    fn over(&self, task: &Task, outcome: Result<Outcome, WriteError>) -> bool {
        let mut watched = self.watched.lock().expect("no worker panicked");
        let error = match outcome {
            Ok(Outcome::Done) => {
                watched.progress.done += 1;
                None
            }
            Ok(Outcome::Failed(error)) => {
                watched.progress.failed += 1;
                Some(error)
            }
            Ok(outcome @ (Outcome::Elsewhere | Outcome::Found)) => {
                watched.cost_left -= task.cost;
                if outcome == Outcome::Found {
                    watched.progress.done += 1;
                    watched.progress.found += 1;
                    let progress = watched.progress;
                    watched.observer.cell(&progress, &task.label, None);
                }
                return true;
            }
            Ok(Outcome::Interrupted) => {
                self.stopped.store(true, Ordering::Relaxed);
                return false;
            }
            Err(error) => {
                watched.failure.get_or_insert(error);
                self.stopped.store(true, Ordering::Relaxed);
                return false;
            }
        };
        watched.made(task.cost);
        let progress = watched.progress;
        watched.observer.cell(&progress, &task.label, error.as_deref());
        true
    }

    /// Tells the observer; false once somebody asked to stop. The cost of finished parts of the cell is added to `told`.
    fn hear(&self, news: News<'_>, told: &Mutex<f64>) -> bool {
        let mut watched = self.watched.lock().expect("no worker panicked");
        match news {
            News::Did { cost, now } => {
                *told.lock().expect("no worker panicked") += cost;
                match now {
                    true => watched.made(cost),
                    false => watched.cost_left -= cost,
                }
                let progress = watched.progress;
                watched.observer.part(&progress);
            }
            other => watched.observer.news(other),
        }
        if !watched.observer.going_on() {
            self.stopped.store(true, Ordering::Relaxed);
        }
        !self.stopped.load(Ordering::Relaxed)
    }
}

/// An event while a cell is computed; of several at a time, of any of them.
#[derive(Clone, Copy, Debug)]
pub enum News<'a> {
    /// A part of it begins, in words.
    Begins(&'a str),
    /// So many steps of it are done.
    Steps(u64),
    /// A part of it is finished that was thought to take so many seconds of one core.
    Did {
        /// The seconds.
        cost: f64,
        /// False if it was finished before.
        now: bool,
    },
    /// It goes on.
    GoesOn,
}

/// Asks now and then whether the work shall go on, and before files are written whether they may be.
#[derive(Clone, Copy)]
pub struct Ask<'a> {
    going_on: &'a (dyn Fn(News<'_>) -> bool + Sync),
    may_write: &'a (dyn Fn() -> bool + Sync),
}

impl<'a> Ask<'a> {
    /// Tells the news to `going_on`, which says whether to go on. Files may always be written.
    pub fn new(going_on: &'a (dyn Fn(News<'_>) -> bool + Sync)) -> Self {
        Ask { going_on, may_write: &|| true }
    }

    /// The same of work whose files may be written while `may_write` says so.
    pub fn writing(self, may_write: &'a (dyn Fn() -> bool + Sync)) -> Self {
        Ask { may_write, ..self }
    }

    /// False once somebody asked to stop.
    pub(crate) fn going_on(&self) -> bool {
        self.tell(News::GoesOn)
    }

    /// Tells the news; false once somebody asked to stop.
    pub fn tell(&self, news: News<'_>) -> bool {
        (self.going_on)(news)
    }

    /// Whether files may be written.
    pub fn may_write(&self) -> bool {
        (self.may_write)()
    }

    /// Tells that a part of the work begins.
    pub fn begin(&self, what: &str) {
        self.tell(News::Begins(what));
    }
}
