//! Long work: training, pruning, evolving. One job computes at a time, the others wait.
//!
//! A job's work lies in `runs/studio/JOB.json`, its results in its run folder: a server that is killed loses nothing,
//! and the next one shows its jobs as stopped, to go on to the same bits.

pub(super) mod job;
mod score;
mod work;

pub(super) use job::{Jobs, RUNS, Work};
pub(super) use score::{SCORES, file, kept_score, score, shown};
pub(super) use work::target_of;

use super::answer::{Answer, Nothing, Rejection, json_of, made};
use super::builtin::Builtin;
use super::names;
use super::state::{Studio, locked};
use crate::base::choice::Choice;
use crate::base::files::write_json;
use crate::base::hash::json_id;
use crate::base::settings::Setting;
use crate::experiment::evolution::EvolutionResult;
use crate::network::kernel::render;
use crate::network::{Picture, PixelInputs};
use crate::prune::Method;
use crate::prune::methods::{MethodRow, Need};
use crate::run::{RunConfig, RunResult, read_metrics, shipped};
use crate::train::OptimizerConfig;
use job::{Job, Status};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};

/// Jobs that may wait.
const MOST_WAITING: usize = 100;

/// `JOB.json`.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    format: String,
    work: Work,
}

const FORMAT: &str = "picloom-job/1";

/// The jobs that earlier servers left below the root.
pub(super) fn found(studio: &Studio) {
    let Ok(folder) = studio.root.path(RUNS) else { return };
    let text = |path: &Path| studio.root.text(path).ok().flatten();
    let entries = studio.root.entries(&folder).into_iter();
    let mut names: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    // As they were begun.
    names.sort_by_key(|path| (path.metadata().and_then(|data| data.modified()).ok(), path.clone()));
    for path in names.iter().filter(|path| path.extension().is_some_and(|e| e == "json")) {
        let file: Option<File> = text(path).and_then(|text| serde_json::from_str(&text).ok());
        let Some(file) = file.filter(|file| file.format == FORMAT) else { continue };
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let run = folder.join(&name);
        let is_whole = studio.root.whole(&format!("{RUNS}/{name}")).is_ok();
        let lines = is_whole.then(|| read_metrics(&run).ok()).flatten().unwrap_or_default();
        let attempt = lines.last().map_or(0, |line| line.attempt);
        let curve = lines.iter().filter(|line| line.attempt == attempt && line.loss.is_finite());
        let result: Option<RunResult> =
            text(&run.join("result.json")).and_then(|text| serde_json::from_str(&text).ok());
        let evolved: Option<EvolutionResult> =
            text(&run.join("result.json")).and_then(|text| serde_json::from_str(&text).ok());
        let done = result.is_some() || evolved.is_some();
        // What it was not told, it has found out.
        let found_out = || {
            let config = text(&run.join("config.toml"))?;
            Some(toml::from_str::<RunConfig>(&config).ok()?.train.steps)
        };
        let best = match file.work {
            Work::Evolve { .. } => work::best_of(studio, &run),
            _ => None,
        };
        let job = Job::new(name, studio.title_of(&file.work), file.work);
        let mut state = job.state();
        state.curve = curve.map(|line| (line.step, line.loss)).collect();
        state.step = state.curve.last().map_or(0, |point| point.0);
        state.r2 = result.as_ref().map(|result| result.fit.r2);
        state.r2 = state.r2.or_else(|| evolved?.best_r2);
        state.best = best;
        state.error = result.as_ref().and_then(work::failure_of);
        state.status = match (&state.error, done) {
            (Some(_), _) => Status::Failed,
            (None, true) => Status::Finished,
            (None, false) => Status::Stopped,
        };
        if state.steps == 0 {
            state.steps = found_out().unwrap_or(0);
        }
        if done {
            state.step = state.steps;
        }
        drop(state);
        locked(&studio.jobs.all).push(Arc::new(job));
    }
}

/// Works through the line until [`Jobs::end`].
pub(super) fn work(studio: &Studio) {
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

impl Jobs {
    fn get(&self, name: &str) -> Result<Arc<Job>, Rejection> {
        let all = locked(&self.all);
        let found = all.iter().find(|job| job.name == name).cloned();
        found.ok_or_else(|| Rejection::none(format!("{name}: expected a job, found none")))
    }

    /// Refuses one more job than may wait, of which `waiting` do.
    fn has_room(waiting: usize) -> Result<(), Rejection> {
        match waiting >= MOST_WAITING {
            true => Err(Rejection::large(format!("expected at most {MOST_WAITING} jobs to wait"))),
            false => Ok(()),
        }
    }

    /// Puts a job into the line, unless it is there or done.
    fn call(&self, job: &Arc<Job>) -> Result<(), Rejection> {
        let mut line = locked(&self.line);
        let mut state = job.state();
        if matches!(state.status, Status::Stopped | Status::Failed) {
            Jobs::has_room(line.len())?;
            job.stop.store(false, Ordering::SeqCst);
            state.status = Status::Queued;
            state.error = None;
            line.push_back(job.clone());
            self.called.notify_all();
        }
        Ok(())
    }

    /// Stops whatever computes, at its next checkpoint, and lets the thread end.
    pub(super) fn end(&self) {
        self.ended.store(true, Ordering::SeqCst);
        for job in locked(&self.all).iter() {
            job.stop.store(true, Ordering::SeqCst);
        }
        // With the line in hand: else the thread could look, and begin to wait after the call.
        let _line = locked(&self.line);
        self.called.notify_all();
    }
}

/// `POST /api/jobs`. Equal work is one job: a finished one is answered as it is.
pub(super) fn begin(studio: &Studio, wanted: Work) -> Answer {
    let content = work::check(studio, &wanted)?;
    let name = format!("{}-{}", wanted.kind(), &json_id(&(&wanted, content))[..10]);
    let known = locked(&studio.jobs.all).iter().find(|job| job.name == name).cloned();
    let job = match known {
        Some(job) => job,
        None => {
            Jobs::has_room(locked(&studio.jobs.line).len())?;
            write_job(studio, &name, &wanted)?;
            let job = Arc::new(Job::new(name.clone(), studio.title_of(&wanted), wanted));
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
    made(&json!({ "job": name }))
}

/// `/api/jobs`: all, the newest first.
pub(super) fn list(studio: &Studio, _: Nothing) -> Answer {
    let all = locked(&studio.jobs.all).clone();
    json_of(&all.iter().rev().map(|job| job.shown(false)).collect::<Vec<_>>())
}

/// `/api/jobs/JOB`.
pub(super) fn show(studio: &Studio, name: &str, _: Nothing) -> Answer {
    json_of(&studio.jobs.get(name)?.shown(true))
}

/// `POST …/stop`.
pub(super) fn stop(studio: &Studio, name: &str, _: Nothing) -> Answer {
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

/// How much longer a job goes on that was finished.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Longer {
    /// Steps or generations; 0 for a job that was stopped.
    #[serde(default)]
    more: u64,
}

/// `POST …/resume`.
pub(super) fn resume(studio: &Studio, name: &str, Longer { more }: Longer) -> Answer {
    let mut job = studio.jobs.get(name)?;
    if more > 0 && job.state().status == Status::Finished {
        let work = job.work.longer(more)?;
        work::check(studio, &work)?;
        write_job(studio, name, &work)?;
        let longer = Arc::new(job.with(work));
        let mut all = locked(&studio.jobs.all);
        let place = all.iter().position(|known| Arc::ptr_eq(known, &job));
        let place = place.ok_or_else(|| Rejection::bad(format!("{name}: it goes on already")))?;
        all[place] = longer.clone();
        job = longer;
    }
    studio.jobs.call(&job)?;
    json_of(&job.shown(true))
}

/// Forgets a job that stands still, by the id of its run: the paths of what it leaves. `None` for the id of no run here.
///
/// # Errors
/// It waits or works.
pub(super) fn let_go(studio: &Studio, id: &str) -> Result<Option<Vec<PathBuf>>, Rejection> {
    let Some(name) = id.strip_prefix(RUNS).and_then(|rest| rest.strip_prefix('/')) else {
        return Ok(None);
    };
    let job = studio.jobs.get(name)?;
    if matches!(job.state().status, Status::Queued | Status::Running) {
        return Err(Rejection::bad(format!(
            "{name}: expected a job that stands still; stop it first"
        )));
    }
    locked(&studio.jobs.all).retain(|known| !Arc::ptr_eq(known, &job));
    let folder = studio.root.path(RUNS)?;
    Ok(Some(vec![folder.join(name), folder.join(format!("{name}.json"))]))
}

fn write_job(studio: &Studio, name: &str, work: &Work) -> Result<(), Rejection> {
    let file = File { format: FORMAT.into(), work: work.clone() };
    let path = studio.root.made(RUNS)?.join(format!("{name}.json"));
    write_json(&path, &file).map_err(Rejection::unwritten)
}

impl Studio {
    /// The title of work: after its network, or its picture.
    fn title_of(&self, work: &Work) -> String {
        let shipped = || match self.builtin(work.id())? {
            Builtin::Trained => Some(names::of_run_and_picture(&shipped::run().ok()?.config)),
            Builtin::Genome(_) => None,
        };
        let run = || {
            let config = self.root.path(work.id()).ok()?.join("config.toml");
            let config = self.root.text(&config).ok()??;
            Some(names::of_run_and_picture(&toml::from_str::<RunConfig>(&config).ok()?))
        };
        let name = shipped().or_else(run).unwrap_or_else(|| names::of_file(work.id()));
        work.title(&name)
    }
}

/// The choices of a form.
#[derive(Serialize)]
struct Choices {
    optimizers: Vec<Offered>,
    methods: Vec<Offered>,
}

#[derive(Serialize)]
struct Offered {
    name: &'static str,
    /// Its effect, as a formula.
    formula: &'static str,
    settings: Vec<OfferedSetting>,
}

#[derive(Serialize)]
struct OfferedSetting {
    name: String,
    means: String,
    default: String,
    range: String,
    /// Every value, where there are few.
    names: Vec<&'static str>,
}

/// `/api/choices`: every optimizer and pruning method with its settings, from the program's own tables. Left out are
/// methods that need more than a form asks for, and those that run a program.
pub(super) fn choices(_: &Studio, _: Nothing) -> Answer {
    let settings = |all: Vec<Setting>| {
        let of = |setting: Setting| OfferedSetting {
            default: setting.defaults[0].clone().unwrap_or_default(),
            range: setting.kind.range.clone(),
            names: setting.kind.names.clone(),
            name: setting.path,
            means: setting.means,
        };
        all.into_iter().map(of).collect()
    };
    let optimizers = OptimizerConfig::TABLE.iter().map(|row| Offered {
        name: row.name,
        formula: row.formula,
        settings: settings(OptimizerConfig::options_of(row.name)),
    });
    let asks_for_more = |row: &MethodRow| {
        matches!(row.name, "cmd" | "own")
            || row.needs.iter().any(|need| matches!(need, Need::Evolved | Need::Pattern))
    };
    let methods = Method::TABLE.iter().filter(|row| !asks_for_more(row)).map(|row| Offered {
        name: row.name,
        formula: row.formula,
        settings: settings(Method::options_of(row.name)),
    });
    json_of(&Choices { optimizers: optimizers.collect(), methods: methods.collect() })
}

/// Draws the network of a run's job as it last was; `None` if no job of this server works on it.
pub(super) fn drawn_now(studio: &Studio, run: &str, size: usize) -> Option<Picture> {
    let name = run.strip_prefix(RUNS)?.strip_prefix('/')?;
    let (of, weights) = studio.jobs.get(name).ok()?.state().drawn.clone()?;
    let rgb = render(&of.network, &weights, &PixelInputs::full(size, of.coords));
    Some(Picture { width: size, height: size, rgb })
}
