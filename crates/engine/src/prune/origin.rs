//! The weights a run had at a step of its own training: what rewinding goes back to.
//!
//! A run is a function of its config, so its weights at step s are those of the same training
//! stopped after s steps, bit for bit: nothing needs to be saved beside the run. Only weights that
//! training was given to begin from are in the folder (`start.safetensors`).

use super::context::PruneError;
use super::plan::{Began, Trained};
use crate::base::SimRng;
use crate::base::refusal::Refusal;
use crate::network::Weights;
use crate::train::{LogLine, Problem, StopReason, TrainObserver, TrainState, Trainer, init};
use std::collections::BTreeMap;

/// Where a run came from.
pub(super) struct Origin<'a> {
    run: &'a Trained,
    known: BTreeMap<u64, Weights>,
    /// Gradient evaluations spent on replaying.
    pub(super) gradients: u64,
}

impl<'a> Origin<'a> {
    pub(super) fn of(run: &'a Trained) -> Self {
        Origin { run, known: BTreeMap::new(), gradients: 0 }
    }

    /// The (W,) weights after `step` steps of the attempt that gave the run; `None` if the observer
    /// interrupted the replay.
    pub(super) fn at(
        &mut self,
        step: u64,
        observer: &mut dyn TrainObserver,
    ) -> Result<Option<Weights>, PruneError> {
        if let Some(weights) = self.known.get(&step) {
            return Ok(Some(weights.clone()));
        }
        let found = match step {
            0 => Some(self.initial()?),
            _ => self.replay(step, observer)?,
        };
        if let Some(weights) = &found {
            self.known.insert(step, weights.clone());
        }
        Ok(found)
    }

    /// The weights before any training. For a run that was pruned these are no random weights
    /// unless it was rewound or drawn anew.
    pub(super) fn untrained(&self) -> Result<Weights, PruneError> {
        if self.run.continues {
            return Err(self.refuse(
                "a run that begins untrained",
                "one that goes on from a pruned network; prune its parent instead",
            ));
        }
        self.initial()
    }

    /// The weights at step 0.
    pub(super) fn initial(&self) -> Result<Weights, PruneError> {
        let run = self.run;
        match &run.began {
            Began::Given(start) => Ok(start.clone()),
            Began::Lost => Err(self.refuse(
                "the weights it began from (start.safetensors in its folder, or --initial)",
                "none",
            )),
            Began::Drawn => {
                let mut rng = SimRng::new(run.train.seed, "init", u64::from(run.attempt));
                Ok(init(&run.model.network, &run.model.mask, &run.train.init, &mut rng)?)
            }
        }
    }

    fn replay(
        &mut self,
        step: u64,
        observer: &mut dyn TrainObserver,
    ) -> Result<Option<Weights>, PruneError> {
        let run = self.run;
        let last = run.steps;
        if step > last {
            return Err(self.refuse(
                &format!("a step to rewind to of 0 to {last}, those it made"),
                &step.to_string(),
            ));
        }
        if run.moving_links {
            return Err(self.refuse(
                "a run on fixed links, whose steps can be made again",
                "one of sparse-training; rewind to step 0",
            ));
        }
        let problem = Problem {
            network: run.model.network.clone(),
            mask: run.model.mask.clone(),
            inputs: run.inputs.clone(),
            target: run.target.clone(),
            // Without a given start a collapse leads to the next attempt, as it did in the run.
            start: match run.began {
                Began::Drawn => None,
                _ => Some(self.initial()?),
            },
        };
        let mut stop = StopAt { attempt: run.attempt, step, weights: None, inner: observer };
        let mut trainer = Trainer::new(problem, run.train.clone())?;
        let report = trainer.run(&mut stop);
        self.gradients += report.all_evaluations();
        if stop.weights.is_none() && report.stop != StopReason::Interrupted {
            return Err(self.refuse(
                "the same steps when it is trained again",
                &format!("an end after {}; was it made on another CPU?", report.steps),
            ));
        }
        Ok(stop.weights)
    }

    fn refuse(&self, expected: &str, found: &str) -> PruneError {
        Refusal::new(format!("run {}", self.run.name), expected, found).as_failure().into()
    }
}

/// Ends training at a step and keeps the weights there.
struct StopAt<'a> {
    attempt: u32,
    step: u64,
    weights: Option<Weights>,
    inner: &'a mut dyn TrainObserver,
}

impl TrainObserver for StopAt<'_> {
    fn logged(&mut self, line: &LogLine) {
        self.inner.logged(line);
    }

    fn step_done(&mut self, state: &TrainState) -> bool {
        if (state.attempt, state.step) == (self.attempt, self.step) {
            self.weights = Some(state.weights.clone());
            return false;
        }
        self.inner.step_done(state)
    }
}
