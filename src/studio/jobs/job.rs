//! One piece of long work: what is to be done, and how it stands.

use crate::network::{Coords, Network, Weights, Wiring};
use crate::page::NetworkRequest;
use crate::score::FIT_GATE;
use crate::studio::answer::Rejection;
use crate::studio::names;
use crate::train::LogLine;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// The work of a job, in the page's own form.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub(crate) enum Work {
    /// A wiring on a picture, from random weights.
    Train {
        /// Genome, run or file of weights whose wiring it is.
        id: String,
        /// How a genome is wired.
        wiring: Wiring,
        /// Picture or genome to draw; `None` for the one of the network.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        target: Option<String>,
        /// Optimizer steps.
        steps: u64,
        /// Side of the picture in pixels.
        size: usize,
        /// As `picloom train --optimizer` has it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        optimizer: Option<String>,
        /// Learning rate.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        lr: Option<f64>,
        /// Of the first weights.
        #[serde(default)]
        seed: u64,
    },
    /// A finished run, one round, going on from its weights.
    Prune {
        /// The run.
        id: String,
        /// As `picloom prune --method` has it.
        method: String,
        /// Links to keep.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        budget: Option<usize>,
        /// Or the least score to keep.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        threshold: Option<f64>,
        /// Steps of the retraining; `None` for as many as the run had.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        steps: Option<u64>,
    },
    /// A search towards a picture.
    Evolve {
        /// The picture, or a genome whose picture it is.
        id: String,
        /// Generations.
        generations: u64,
        /// Side of the judged pictures in pixels.
        size: usize,
        /// Of the search.
        #[serde(default)]
        seed: u64,
    },
}

impl Work {
    /// `train`, `prune` or `evolve`.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Work::Train { .. } => "train",
            Work::Prune { .. } => "prune",
            Work::Evolve { .. } => "evolve",
        }
    }

    /// The network it is of; of a search its picture.
    pub(crate) fn id(&self) -> &str {
        match self {
            Work::Train { id, .. } | Work::Prune { id, .. } | Work::Evolve { id, .. } => id,
        }
    }

    /// For people: what is done, and the picture that a training learns. `name` is the network's.
    pub(crate) fn title(&self, name: &str) -> String {
        match self {
            Work::Train { target, wiring, .. } => {
                let picture = target.as_deref().map_or(name.into(), names::of_file);
                let kind = match wiring {
                    Wiring::Dense => "a dense network",
                    Wiring::Layerized => "the evolved wiring in layers",
                    Wiring::Graph => "this wiring",
                };
                match target {
                    None => format!("{picture}: train {kind}"),
                    Some(_) => format!("{picture}: train {kind} of {name}"),
                }
            }
            Work::Prune { method, budget: Some(links), .. } => {
                format!("{name}: prune by {method} to {links} links")
            }
            Work::Prune { method, .. } => format!("{name}: prune by {method}"),
            Work::Evolve { .. } => format!("{name}: evolve towards it"),
        }
    }

    /// Steps it takes, as far as they are known.
    pub(crate) fn steps(&self) -> u64 {
        match self {
            Work::Train { steps, .. } => *steps,
            Work::Prune { steps, .. } => steps.unwrap_or(0),
            Work::Evolve { generations, .. } => *generations,
        }
    }

    /// The same for so many more steps or generations.
    ///
    /// # Errors
    /// A pruning has an end.
    pub(crate) fn longer(&self, more: u64) -> Result<Work, Rejection> {
        let mut work = self.clone();
        match &mut work {
            Work::Train { steps, .. } => *steps = steps.saturating_add(more),
            Work::Evolve { generations, .. } => *generations = generations.saturating_add(more),
            Work::Prune { .. } => {
                return Err(Rejection::bad(
                    "more: expected a training or a search, found a pruning",
                ));
            }
        }
        Ok(work)
    }

    /// The network.
    pub(crate) fn network(&self) -> NetworkRequest {
        match self {
            Work::Train { id, wiring, .. } => NetworkRequest { id: id.clone(), wiring: *wiring },
            Work::Prune { id, .. } | Work::Evolve { id, .. } => NetworkRequest::graph(id),
        }
    }
}

/// Where jobs and their runs lie, as an id.
pub(crate) const RUNS: &str = "runs/studio";
/// Points of a curve that are sent.
const MOST_POINTS: usize = 1000;

/// All jobs, and the one thread's line.
#[derive(Default)]
pub(crate) struct Jobs {
    pub all: Mutex<Vec<Arc<Job>>>,
    pub line: Mutex<VecDeque<Arc<Job>>>,
    pub called: Condvar,
    pub ended: AtomicBool,
}

/// One piece of long work.
pub(crate) struct Job {
    pub name: String,
    /// Its work, for people.
    pub title: String,
    pub work: Work,
    pub stop: AtomicBool,
    pub state: Mutex<State>,
}

/// How a job stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Status {
    Queued,
    Running,
    Stopped,
    Finished,
    Failed,
}

/// The progress of a job.
pub(crate) struct State {
    pub status: Status,
    pub step: u64,
    pub steps: u64,
    /// Logged steps of this attempt: (step, loss).
    pub curve: Vec<(u64, f64)>,
    pub r2: Option<f64>,
    /// The best genome of a search, by id.
    pub best: Option<String>,
    pub error: Option<String>,
    /// Weights of a moment ago.
    pub drawn: Option<(Arc<Drawn>, Weights)>,
}

/// The network that a job's weights belong to.
pub(crate) struct Drawn {
    pub network: Network,
    pub coords: Coords,
    /// Variance of the target, which R² is measured by.
    pub variance: f64,
}

impl Job {
    /// Nothing of it is done yet.
    pub(crate) fn new(name: String, title: String, work: Work) -> Self {
        let state = State {
            status: Status::Stopped,
            step: 0,
            steps: work.steps(),
            curve: Vec::new(),
            r2: None,
            best: None,
            error: None,
            drawn: None,
        };
        Job { name, title, work, stop: AtomicBool::new(false), state: Mutex::new(state) }
    }

    /// The same with other work, stopped where this one stands.
    pub(crate) fn with(&self, work: Work) -> Self {
        let State { step, curve, r2, best, drawn, .. } = &*self.state();
        let longer = Job::new(self.name.clone(), self.title.clone(), work);
        let mut state = longer.state();
        (state.step, state.r2) = (*step, *r2);
        (state.curve, state.best, state.drawn) = (curve.clone(), best.clone(), drawn.clone());
        drop(state);
        longer
    }

    /// How it stands, to be read or changed.
    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// True if it was asked to stop.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::SeqCst)
    }

    /// A step was logged.
    pub(crate) fn logged(&self, line: &LogLine, variance: f64) {
        let mut state = self.state();
        // A new attempt begins at its first step again, a killed one at its last checkpoint.
        while state.curve.last().is_some_and(|last| last.0 >= line.step) {
            state.curve.pop();
        }
        state.curve.push((line.step, line.loss));
        state.step = line.step;
        state.r2 = Some(1.0 - line.loss / variance.max(f64::MIN_POSITIVE));
    }

    /// For the page.
    pub(crate) fn shown(&self, with_curve: bool) -> Shown {
        let state = self.state();
        let thin = state.curve.len().div_ceil(MOST_POINTS).max(1);
        let last = state.curve.len().saturating_sub(1);
        let curve = state.curve.iter().enumerate();
        let curve = curve.filter(|(i, _)| i % thin == 0 || *i == last).map(|(_, point)| *point);
        Shown {
            job: self.name.clone(),
            kind: self.work.kind(),
            id: self.work.id().into(),
            name: self.title.clone(),
            wiring: match self.work {
                Work::Train { wiring, .. } => Some(wiring),
                Work::Prune { .. } | Work::Evolve { .. } => None,
            },
            target: match &self.work {
                Work::Train { id, target, .. } => target.clone().or_else(|| Some(id.clone())),
                Work::Evolve { id, .. } => Some(id.clone()),
                Work::Prune { .. } => None,
            },
            status: state.status,
            step: state.step,
            steps: state.steps,
            loss: state.curve.last().map(|point| point.1),
            r2: state.r2,
            fit: match (&self.work, state.status) {
                (Work::Train { .. } | Work::Prune { .. }, Status::Finished) => {
                    state.r2.map(|r2| r2 >= FIT_GATE)
                }
                _ => None,
            },
            run: match self.work {
                Work::Evolve { .. } => state.best.clone(),
                _ => (state.status == Status::Finished).then(|| format!("{RUNS}/{}", self.name)),
            },
            can_resume: matches!(state.status, Status::Stopped | Status::Failed),
            can_go_on: state.status == Status::Finished && self.work.longer(0).is_ok(),
            error: state.error.clone(),
            curve: with_curve.then(|| curve.collect()),
        }
    }
}

/// A job as the page shows it.
#[derive(Serialize)]
pub(crate) struct Shown {
    job: String,
    kind: &'static str,
    id: String,
    name: String,
    wiring: Option<Wiring>,
    /// The target of a training: a picture, or the network whose own picture it is.
    target: Option<String>,
    status: Status,
    step: u64,
    steps: u64,
    loss: Option<f64>,
    r2: Option<f64>,
    /// Whether it learned its picture, of a training or pruning that is finished.
    fit: Option<bool>,
    run: Option<String>,
    can_resume: bool,
    /// Whether it is finished, and can be made longer.
    can_go_on: bool,
    error: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    curve: Option<Vec<(u64, f64)>>,
}
