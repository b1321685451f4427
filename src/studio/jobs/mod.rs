//! Long work: training, pruning, scoring. One job computes at a time, the others wait.
//!
//! What a job is lies in `runs/studio/JOB.json`, what it has come to in its run folder or its part of a
//! sweep: a server that is killed loses nothing, and the next one shows its jobs as stopped, to go on
//! to the same bits.

mod events;
mod score;
mod work;

pub use events::events;
pub use score::{kept_score, score};

use super::answer::{Answer, Refusal, json_of, made, of_bytes};
use super::networks::{checked, pixels};
use super::server::Studio;
use crate::experiment::{RunResult, read_metrics};
use crate::math::hash::short_id;
use crate::network::files::{read_text, write_atomic};
use crate::network::kernel::render;
use crate::network::{Coords, Network, Picture, PixelInputs, Weights, Wiring};
use crate::train::LogLine;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
pub use work::Work;

/// Where jobs and their runs lie, as an id.
const RUNS: &str = "runs/studio";
/// Points of a curve that are sent, and jobs that may wait.
const MOST_POINTS: usize = 1000;
const MOST_WAITING: usize = 100;

/// All jobs, and the one thread's line.
#[derive(Default)]
pub struct Jobs {
    all: Mutex<Vec<Arc<Job>>>,
    line: Mutex<VecDeque<Arc<Job>>>,
    called: Condvar,
    ended: AtomicBool,
}

/// One piece of long work.
pub struct Job {
    name: String,
    work: Work,
    stop: AtomicBool,
    state: Mutex<State>,
}

/// How a job stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Status {
    Queued,
    Running,
    Stopped,
    Finished,
    Failed,
}

impl Status {
    /// True if nothing more comes of it by itself.
    fn is_over(self) -> bool {
        !matches!(self, Status::Queued | Status::Running)
    }
}

struct State {
    status: Status,
    step: u64,
    steps: u64,
    /// Logged steps of this attempt: (step, loss).
    curve: Vec<(u64, f64)>,
    r2: Option<f64>,
    error: Option<String>,
    /// Weights of a moment ago, and how many there were before.
    drawn: Option<(Arc<Drawn>, Weights)>,
    drawings: u64,
}

/// What the weights of a job belong to.
struct Drawn {
    network: Network,
    coords: Coords,
    /// Variance of the target, which R² is measured by.
    variance: f64,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Job {
    fn state(&self) -> MutexGuard<'_, State> {
        locked(&self.state)
    }

    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::SeqCst)
    }

    /// A step was logged.
    fn logged(&self, line: &LogLine, variance: f64) {
        let mut state = self.state();
        // A new attempt begins at its first step again, a killed one at its last checkpoint.
        while state.curve.last().is_some_and(|last| last.0 >= line.step) {
            state.curve.pop();
        }
        state.curve.push((line.step, line.loss));
        state.step = line.step;
        state.r2 = Some(1.0 - line.loss / variance.max(f64::MIN_POSITIVE));
    }

    fn shown(&self, with_curve: bool) -> Shown {
        let state = self.state();
        let thin = state.curve.len().div_ceil(MOST_POINTS).max(1);
        let last = state.curve.len().saturating_sub(1);
        let curve = state.curve.iter().enumerate();
        let curve = curve.filter(|(i, _)| i % thin == 0 || *i == last).map(|(_, point)| *point);
        Shown {
            job: self.name.clone(),
            kind: self.work.kind(),
            id: self.work.id().into(),
            name: self.work.title(),
            wiring: match self.work {
                Work::Train { wiring, .. } | Work::Score { wiring, .. } => Some(wiring),
                Work::Prune { .. } => None,
            },
            target: match &self.work {
                Work::Train { id, target, .. } => target.clone().or_else(|| Some(id.clone())),
                _ => None,
            },
            status: state.status,
            step: state.step,
            steps: state.steps,
            loss: state.curve.last().map(|point| point.1),
            r2: state.r2,
            run: match self.work {
                Work::Score { .. } => None,
                _ => (state.status == Status::Finished).then(|| format!("{RUNS}/{}", self.name)),
            },
            can_resume: matches!(state.status, Status::Stopped | Status::Failed),
            error: state.error.clone(),
            curve: with_curve.then(|| curve.collect()),
        }
    }
}

/// A job as the page shows it.
#[derive(Serialize)]
struct Shown {
    job: String,
    kind: &'static str,
    id: String,
    name: String,
    wiring: Option<Wiring>,
    /// What a training learns to draw: a picture, or the network whose own picture it is.
    target: Option<String>,
    status: Status,
    step: u64,
    steps: u64,
    loss: Option<f64>,
    r2: Option<f64>,
    run: Option<String>,
    can_resume: bool,
    error: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    curve: Option<Vec<(u64, f64)>>,
}

/// `JOB.json`.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    format: String,
    work: Work,
}

const FORMAT: &str = "picloom-job/1";

impl Jobs {
    /// The jobs that earlier servers left below the root.
    pub fn found(studio: &Studio) {
        let Ok(folder) = studio.root.path(RUNS) else { return };
        let entries = std::fs::read_dir(&folder).into_iter().flatten().flatten();
        let mut names: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
        names.sort();
        for path in names.iter().filter(|path| path.extension().is_some_and(|e| e == "json")) {
            let file: Option<File> =
                read_text(path).ok().and_then(|text| serde_json::from_str(&text).ok());
            let Some(file) = file.filter(|file| file.format == FORMAT) else { continue };
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let run = folder.join(&name);
            let lines = read_metrics(&run).unwrap_or_default();
            let attempt = lines.last().map_or(0, |line| line.attempt);
            let curve = lines.iter().filter(|line| line.attempt == attempt);
            let result: Option<RunResult> = read_text(&run.join("result.json"))
                .ok()
                .and_then(|text| serde_json::from_str(&text).ok());
            let done = match &file.work {
                Work::Score { .. } => studio.score_of(&file.work).is_some(),
                _ => result.is_some(),
            };
            let job = Job::new(name, file.work);
            let mut state = job.state();
            state.curve = curve.map(|line| (line.step, line.loss)).collect();
            state.step = state.curve.last().map_or(0, |point| point.0);
            state.r2 = result.map(|result| result.fit.r2);
            state.status = if done { Status::Finished } else { Status::Stopped };
            if done {
                state.step = state.steps;
            }
            drop(state);
            locked(&studio.jobs.all).push(Arc::new(job));
        }
    }

    fn get(&self, name: &str) -> Result<Arc<Job>, Refusal> {
        let all = locked(&self.all);
        let found = all.iter().find(|job| job.name == name).cloned();
        found.ok_or_else(|| Refusal::none(format!("{name}: expected a job, found none")))
    }

    /// Puts a job into the line, unless it is there or done.
    fn call(&self, job: &Arc<Job>) -> Result<(), Refusal> {
        let mut line = locked(&self.line);
        if line.len() >= MOST_WAITING {
            return Err(Refusal::large(format!("expected at most {MOST_WAITING} jobs to wait")));
        }
        let mut state = job.state();
        if matches!(state.status, Status::Stopped | Status::Failed) {
            job.stop.store(false, Ordering::SeqCst);
            state.status = Status::Queued;
            state.error = None;
            line.push_back(job.clone());
            self.called.notify_all();
        }
        Ok(())
    }

    /// Works through the line until [`end`](Self::end).
    pub fn work(studio: &Studio) {
        let jobs = &studio.jobs;
        loop {
            let mut line = locked(&jobs.line);
            let job = loop {
                if jobs.ended.load(Ordering::SeqCst) {
                    return;
                }
                match line.pop_front() {
                    Some(job) => break job,
                    None => line = jobs.called.wait(line).unwrap_or_else(PoisonError::into_inner),
                }
            };
            drop(line);
            {
                let mut state = job.state();
                if job.is_stopped() {
                    state.status = Status::Stopped;
                    continue;
                }
                state.status = Status::Running;
            }
            let done = studio.long_work.run(|| work::run(studio, &job));
            let mut state = job.state();
            (state.status, state.error) = match done {
                Ok(true) => (Status::Finished, None),
                Ok(false) => (Status::Stopped, None),
                Err(why) => (Status::Failed, Some(why)),
            };
            if state.status == Status::Finished {
                state.step = state.step.max(state.steps);
            }
        }
    }

    /// Stops whatever computes, at its next checkpoint, and lets the thread end.
    pub fn end(&self) {
        self.ended.store(true, Ordering::SeqCst);
        for job in locked(&self.all).iter() {
            job.stop.store(true, Ordering::SeqCst);
        }
        self.called.notify_all();
    }
}

impl Job {
    fn new(name: String, work: Work) -> Self {
        let state = State {
            status: Status::Stopped,
            step: 0,
            steps: work.steps(),
            curve: Vec::new(),
            r2: None,
            error: None,
            drawn: None,
            drawings: 0,
        };
        Job { name, work, stop: AtomicBool::new(false), state: Mutex::new(state) }
    }
}

#[derive(Serialize)]
struct Begun {
    job: String,
}

/// `POST /api/jobs`. Equal work is one job: a finished one is answered as it is.
pub fn begin(studio: &Studio, wanted: Work) -> Answer {
    wanted.check(studio)?;
    let text = serde_json::to_string(&wanted).map_err(Refusal::failed)?;
    let name = format!("{}-{}", wanted.kind(), &short_id(text)[..10]);
    let known = locked(&studio.jobs.all).iter().find(|job| job.name == name).cloned();
    let job = match known {
        Some(job) => job,
        None => {
            let file = File { format: FORMAT.into(), work: wanted.clone() };
            let text = serde_json::to_string_pretty(&file).map_err(Refusal::failed)? + "\n";
            let path = studio.root.made(RUNS)?.join(format!("{name}.json"));
            write_atomic(&path, text.as_bytes()).map_err(Refusal::failed)?;
            let job = Arc::new(Job::new(name.clone(), wanted));
            let mut all = locked(&studio.jobs.all);
            // Two may have asked at once.
            match all.iter().find(|job| job.name == name).cloned() {
                Some(known) => known,
                None => {
                    all.push(job.clone());
                    job
                }
            }
        }
    };
    studio.jobs.call(&job)?;
    made(&Begun { job: name })
}

/// `/api/jobs`: all, the newest first.
pub fn list(studio: &Studio, _: super::server::Nothing) -> Answer {
    let all = locked(&studio.jobs.all).clone();
    json_of(&all.iter().rev().map(|job| job.shown(false)).collect::<Vec<_>>())
}

/// `/api/jobs/JOB`.
pub fn show(studio: &Studio, name: &str, _: super::server::Nothing) -> Answer {
    json_of(&studio.jobs.get(name)?.shown(true))
}

/// `POST …/stop`.
pub fn stop(studio: &Studio, name: &str, _: super::server::Nothing) -> Answer {
    let job = studio.jobs.get(name)?;
    job.stop.store(true, Ordering::SeqCst);
    let mut line = locked(&studio.jobs.line);
    if let Some(place) = line.iter().position(|waiting| Arc::ptr_eq(waiting, &job)) {
        line.remove(place);
        job.state().status = Status::Stopped;
    }
    drop(line);
    json_of(&job.shown(true))
}

/// `POST …/resume`.
pub fn resume(studio: &Studio, name: &str, _: super::server::Nothing) -> Answer {
    let job = studio.jobs.get(name)?;
    studio.jobs.call(&job)?;
    json_of(&job.shown(true))
}

/// How the picture is asked for.
#[derive(Deserialize)]
pub struct AskedPicture {
    size: Option<usize>,
    #[serde(default)]
    raw: u8,
}

/// `/api/jobs/JOB/picture`: what the network drew a moment ago.
pub fn picture(studio: &Studio, name: &str, asked: AskedPicture) -> Answer {
    let size = checked(asked.size.unwrap_or(128), 512)?;
    let drawn = studio.jobs.get(name)?.state().drawn.clone();
    let Some((of, weights)) = drawn else {
        // Nothing yet, which is no fault.
        return Ok(of_bytes("application/octet-stream", Vec::new()));
    };
    let rgb = render(&of.network, &weights, &PixelInputs::full(size, of.coords));
    Ok(pixels(&Picture { width: size, height: size, rgb }, asked.raw == 1))
}
