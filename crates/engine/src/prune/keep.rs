//! Where rounds go as they come: the rounds themselves know of no folder.

use super::context::PruneError;
use super::methods::Method;
use super::plan::{PrunePlan, RoundRecord, Trained};
use super::retrain::Retrain;
use super::select::Rule;
use super::swarm::Search;
use crate::network::{Mask, Weights};
use crate::train::{
    Constraint, Problem, StopReason, TrainConfig, TrainObserver, TrainReport, Trainer,
};
use std::sync::Arc;

/// The inputs of a round's choice.
#[derive(Clone, Copy)]
pub(super) struct Choosing<'a> {
    pub trained: &'a Trained,
    pub plan: &'a PrunePlan,
    /// Round, from 1.
    pub number: usize,
    pub rule: Rule,
    /// (W,) links kept so far.
    pub mask: &'a Mask,
    /// (W,) weights now.
    pub weights: &'a Weights,
}

/// The training of a round.
#[derive(Clone, Debug)]
pub struct RoundJob {
    /// Round, from 1.
    pub number: usize,
    /// Network, live links, pixels, target, start.
    pub problem: Problem,
    /// Settings.
    pub config: TrainConfig,
    /// The constraint on the weights after every step.
    pub constraint: Option<Arc<dyn Constraint>>,
    /// The method that chose the links.
    pub method: Method,
    /// The rule of this round.
    pub rule: Rule,
    /// Where this training starts.
    pub retrain: Retrain,
    /// Links kept, dead ones included.
    pub kept: usize,
}

/// The outcome of a round's training.
#[derive(Clone, Debug, PartialEq)]
pub struct Retrained {
    /// Why it ended.
    pub report: TrainReport,
    /// The network, unless it was interrupted.
    pub done: Option<Links>,
}

/// Links and weights at the end of a round.
#[derive(Clone, Debug, PartialEq)]
pub struct Links {
    /// (W,) links that were trained last.
    pub live: Mask,
    /// (W,) links that a constraint kept, dead ones included; `live` where there is none.
    pub kept: Mask,
    /// (W,) weights.
    pub weights: Weights,
}

impl RoundJob {
    /// Trains in memory.
    ///
    /// # Errors
    /// Training cannot begin.
    pub(crate) fn train(self, observer: &mut dyn TrainObserver) -> Result<Retrained, PruneError> {
        let mut trainer = Trainer::new(self.problem, self.config)?;
        if let Some(constraint) = &self.constraint {
            trainer = trainer.constrained(constraint.clone());
        }
        let report = trainer.run(observer);
        let mut weights = trainer.state().weights.clone();
        let live = trainer.problem().mask.clone();
        let (kept, live) = match &self.constraint {
            Some(constraint) => constraint.finish(&weights),
            None => (live.clone(), live),
        };
        live.apply(&mut weights);
        let done = report.stop != StopReason::Interrupted;
        Ok(Retrained { report, done: done.then_some(Links { live, kept, weights }) })
    }
}

/// Watches rounds, trains them, and keeps what it likes of them.
pub trait Keeper {
    /// Why it, or a round, fails.
    type Error: From<PruneError>;

    /// Who is told of every step of every training, and may interrupt.
    fn steps(&mut self) -> &mut dyn TrainObserver;

    /// Trains a round, or goes on, or has it trained already.
    ///
    /// # Errors
    /// Training cannot begin; its own.
    fn train(&mut self, job: RoundJob) -> Result<Retrained, Self::Error> {
        Ok(job.train(self.steps())?)
    }

    /// A round whose links are chosen and trained, or whose training was interrupted.
    ///
    /// # Errors
    /// Its own.
    fn round(&mut self, _record: &RoundRecord) -> Result<(), Self::Error> {
        Ok(())
    }

    /// A round that was interrupted before its training: the job it would go on from the network
    /// before it.
    fn interrupted(&mut self, _job: RoundJob) {}

    /// A search under this key, as it was saved.
    ///
    /// # Errors
    /// Its own; another search is saved there.
    fn load_search(&mut self, _round: usize, _key: &str) -> Result<Option<Search>, Self::Error> {
        Ok(None)
    }

    /// Keeps a search as it stands.
    ///
    /// # Errors
    /// Its own.
    fn save_search(&mut self, _round: usize, _search: &Search) -> Result<(), Self::Error> {
        Ok(())
    }
}

/// Keeps nothing; the observer inside is told of the steps.
pub struct InMemory<'a>(pub &'a mut dyn TrainObserver);

impl Keeper for InMemory<'_> {
    type Error = PruneError;

    fn steps(&mut self) -> &mut dyn TrainObserver {
        self.0
    }
}
