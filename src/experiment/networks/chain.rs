//! One chain: its arms trained, pruned, scored and measured, in order.

use super::plan::Chain;
use super::record::{NetworkResult, NetworkRow, Training};
use super::spec::{ArmSpec, ArmWiring, Level};
use super::views::write_views;
use crate::experiment::pruning::{PruneRunError, prune_run};
use crate::experiment::run::{LoadedRun, RunError, TrainJob, load_run, read_metrics, train_run};
use crate::experiment::study::{Curve, surviving};
use crate::math::SimRng;
use crate::math::hash::short_id;
use crate::network::files::WriteError;
use crate::network::{Coords, Mask, Model, Wiring};
use crate::probe::{Delta, Selection, View};
use crate::prune::{PruneError, PrunePlan, RoundsError, Rule};
use crate::score::measures::modules::NetworkModules;
use crate::score::measures::sparsity::compositional_sparsity;
use crate::score::measures::summary::Summary;
use crate::score::{Fit, Judge, JudgeError, Protocol};
use crate::train::{StopReason, TrainConfig, TrainObserver};
use std::collections::BTreeMap;
use std::path::Path;

/// Why an arm has no result.
#[derive(Debug, thiserror::Error)]
enum ArmError {
    #[error(transparent)]
    Run(#[from] RunError),
    #[error(transparent)]
    Prune(#[from] PruneRunError),
    #[error(transparent)]
    Judge(#[from] JudgeError),
    #[error(transparent)]
    Write(#[from] WriteError),
    #[error("arm {0} of the chain failed")]
    Before(String),
    /// Stopped at a checkpoint.
    #[error("interrupted")]
    Interrupted,
}

/// Runs the arms of `chain` in the study's `folder`; none if the observer stopped it.
///
/// An arm that fails gives a row that says why.
pub fn run_chain(
    chain: &Chain,
    folder: &Path,
    judge: &dyn Judge,
    observer: &mut dyn TrainObserver,
) -> Option<Vec<NetworkRow>> {
    let mut worker =
        Worker { chain, folder, judge, trained: BTreeMap::new(), kept: BTreeMap::new() };
    let mut rows = Vec::new();
    for arm in &chain.key.arms {
        let mut done = Vec::new();
        let outcome = worker.arm(arm, observer, &mut done);
        let levels = arm.levels.len().max(1);
        let made = done.len();
        rows.append(&mut done);
        match outcome {
            Ok(()) => {}
            Err(ArmError::Interrupted) => return None,
            Err(error) => {
                let prefix = format!("{}{}", folder.display(), std::path::MAIN_SEPARATOR);
                let error = error.to_string().replace(&prefix, "");
                for k in made..levels {
                    let level = if arm.levels.is_empty() { 0 } else { k + 1 };
                    rows.push(worker.row(arm, level, Err(error.clone())));
                }
            }
        }
    }
    Some(rows)
}

struct Worker<'a> {
    chain: &'a Chain,
    folder: &'a Path,
    judge: &'a dyn Judge,
    /// Trained networks by arm, for arms that are pruned from them.
    trained: BTreeMap<String, LoadedRun>,
    /// Links kept by (arm, level from 1), for arms that match them.
    kept: BTreeMap<(String, usize), usize>,
}

impl Worker<'_> {
    fn row(
        &self,
        arm: &ArmSpec,
        level: usize,
        result: Result<NetworkResult, String>,
    ) -> NetworkRow {
        let key = &self.chain.key;
        let (result, error) = match result {
            Ok(result) => (Some(Box::new(result)), None),
            Err(error) => (None, Some(error)),
        };
        NetworkRow {
            target: key.target.name.clone(),
            variant: key.variant.name.clone(),
            offset: key.offset,
            layers: key.layers,
            arm: arm.name.clone(),
            level,
            seed: key.seed,
            result,
            error,
        }
    }

    /// The rows of one arm.
    fn arm(
        &mut self,
        arm: &ArmSpec,
        observer: &mut dyn TrainObserver,
        rows: &mut Vec<NetworkRow>,
    ) -> Result<(), ArmError> {
        match arm.wiring {
            Some(ArmWiring::Evolved) => {
                let (_, layered) = self.chain.source.evolved.as_ref().expect("planned so");
                let model = Model::new(layered.network.clone(), layered.weights.clone());
                let result = self.look(arm, 0, &model, None)?;
                rows.push(self.row(arm, 0, Ok(result)));
                Ok(())
            }
            Some(wiring) => {
                let run = self.train(arm, wiring, observer)?;
                let folder = self.folder.join(&run.result.run_id);
                let result = self.look(arm, 0, &run.model, Some((&run, &folder)))?;
                rows.push(self.row(arm, 0, Ok(result)));
                self.trained.insert(arm.name.clone(), run);
                Ok(())
            }
            None => self.prune(arm, observer, rows),
        }
    }

    fn train(
        &self,
        arm: &ArmSpec,
        wiring: ArmWiring,
        observer: &mut dyn TrainObserver,
    ) -> Result<LoadedRun, ArmError> {
        let (key, source) = (&self.chain.key, &self.chain.source);
        let (mut wired, mut genome) = (None, None);
        if wiring != ArmWiring::Dense {
            let (g, _) = source.evolved.as_ref().expect("planned so");
            let as_run = match wiring {
                ArmWiring::Graph => Wiring::Graph,
                _ => Wiring::Layerized,
            };
            genome = (wiring == ArmWiring::Graph).then_some(g);
            let Model { network, mask, .. } = Model::of_genome(g, as_run);
            wired = Some((network, mask));
        }
        let wired = wired.unwrap_or_else(|| {
            let network = self.chain.arch().network();
            let mask = Mask::all(network.weight_count());
            (network, mask)
        });
        let train = self.recipe(arm, wired.0.arch.is_some());
        let job =
            TrainJob::new(&arm.name, &source.target, Coords::default(), wired, None, genome, train);
        debug_assert_eq!(job.config.size, key.size);
        let folder = self.folder.join(job.config.run_id());
        let result = train_run(&folder, job, true, observer)?;
        if result.train.stop == StopReason::Interrupted {
            return Err(ArmError::Interrupted);
        }
        Ok(load_run(&folder)?)
    }

    /// The recipe of an arm; graphs have no dense blocks to draw orthogonal matrices for.
    fn recipe(&self, arm: &ArmSpec, layered: bool) -> TrainConfig {
        let mut train = self.chain.key.train.clone();
        if !layered {
            train.init =
                crate::train::Init { scheme: crate::train::Init::default().scheme, ..train.init };
        }
        if let Some(steps) = arm.steps {
            train.steps = steps;
        }
        train
    }

    fn prune(
        &mut self,
        arm: &ArmSpec,
        observer: &mut dyn TrainObserver,
        rows: &mut Vec<NetworkRow>,
    ) -> Result<(), ArmError> {
        let from = arm.from.as_ref().expect("verified: a parent");
        let parent = self.trained.get(from);
        let parent = parent.ok_or_else(|| ArmError::Before(from.clone()))?.clone();
        let mut rules = Vec::new();
        let mut left = parent.model.mask.kept();
        for (k, level) in arm.levels.iter().enumerate() {
            let budget = match level {
                Level::Share(share) => (share * parent.model.mask.0.len() as f64).round() as usize,
                Level::Budget(budget) => *budget,
                Level::Match(other) => *self
                    .kept
                    .get(&(other.clone(), k + 1))
                    .ok_or_else(|| ArmError::Before(other.clone()))?,
                Level::Threshold(threshold) => {
                    rules.extend(std::iter::repeat_n(Rule::Threshold(*threshold), arm.rounds));
                    continue;
                }
            };
            for round in 1..=arm.rounds {
                let share = round as f64 / arm.rounds as f64;
                let ratio = (budget as f64 / left as f64).min(1.0);
                let count = left as f64 * crate::math::real::pow(ratio, share);
                let count = if round == arm.rounds { budget } else { count.round() as usize };
                rules.push(Rule::Budget(count));
            }
            left = budget.min(left).max(1);
        }
        let evolved = self.chain.source.evolved.as_ref();
        let mut plan = PrunePlan {
            method: arm.method.expect("verified: a method"),
            rules,
            retrain: arm.retrain,
            train: self.recipe(arm, parent.model.network.arch.is_some()),
            evolved: evolved
                .filter(|(_, layered)| layered.network.arch == parent.model.network.arch)
                .map(|(_, layered)| Mask::non_zero(&layered.weights)),
        };
        let (out, result, records) = loop {
            let out = self.folder.join(plan_id(&parent, arm, &plan));
            match prune_run(&parent, &plan, &out, true, observer) {
                Ok((result, records)) => break (out, result, records),
                // A method that removes whole units may not reach so few links: then the fewest.
                Err(PruneRunError::Rounds(RoundsError::Prune(PruneError::Unreachable {
                    reached,
                    ..
                }))) if raise(&mut plan.rules, reached) => {}
                Err(error) => return Err(error.into()),
            }
        };
        if result.train.stop == StopReason::Interrupted {
            return Err(ArmError::Interrupted);
        }
        for level in 1..=arm.levels.len() {
            let round = level * arm.rounds;
            let folder = if round == plan.rules.len() {
                out.clone()
            } else {
                out.join(format!("round-{round}"))
            };
            let run = load_run(&folder)?;
            let mut result = self.look(arm, level, &run.model, Some((&run, &folder)))?;
            result.kept = records[round - 1].kept;
            self.kept.insert((arm.name.clone(), level), result.kept);
            rows.push(self.row(arm, level, Ok(result)));
        }
        Ok(())
    }

    /// Scores and measures one network.
    fn look(
        &self,
        arm: &ArmSpec,
        level: usize,
        model: &Model,
        run: Option<(&LoadedRun, &Path)>,
    ) -> Result<NetworkResult, ArmError> {
        let key = &self.chain.key;
        let seed = key.seed.unwrap_or(0);
        let view = View::new(model, key.size, Coords::default());
        let protocol = Protocol {
            selection: key.sample.map_or(Selection::All, Selection::Sample),
            delta: Delta::Effect(key.effect),
            seed,
        };
        let target = &self.chain.source.target.picture;
        let found = protocol.measure(&view, self.judge, Some(target))?;
        let fit = Fit::of(view.picture(), target);
        let name = match level {
            0 => arm.name.clone(),
            level => format!("{}-{level}", arm.name),
        };
        let named = |names: &[String]| names.contains(&name) || names.contains(&arm.name);
        let with_maps = named(&key.show_maps);
        let views = if named(&key.show) || with_maps {
            let file = format!("{}.{name}.{}", key.target.name, key.layers);
            Some(write_views(self.folder, &file, &view, &found, with_maps)?)
        } else {
            None
        };
        Ok(NetworkResult {
            run_id: run.map(|(run, _)| run.result.run_id.clone()),
            links: found.links,
            kept: found.kept,
            alive: found.alive,
            mse: fit.mse,
            r2: fit.r2,
            fit: fit.passes_gate(),
            train: match run {
                Some((run, folder)) => Some(training(run, folder)?),
                None => None,
            },
            non_zero: found.score.non_zero,
            perturbed: found.score.weights,
            coherent: found.score.coherent,
            fractured: found.score.fractured,
            silent: found.score.silent,
            by_layer: found.score.layers,
            measures: Summary::of(&view, &mut SimRng::new(seed, "measures", 0)),
            sparsity: compositional_sparsity(&model.network, &model.mask),
            modules: NetworkModules::of(&model.network, &model.mask),
            views,
        })
    }
}

/// Raises every budget below `fewest` to it; false if there was none.
fn raise(rules: &mut [Rule], fewest: usize) -> bool {
    let mut raised = false;
    for rule in rules {
        if let Rule::Budget(budget) = rule
            && *budget < fewest
        {
            *budget = fewest;
            raised = true;
        }
    }
    raised
}

/// Name of the folder of a pruned arm: a hash of what decides it.
fn plan_id(parent: &LoadedRun, arm: &ArmSpec, plan: &PrunePlan) -> String {
    let rules: Vec<String> = plan.rules.iter().map(|r| format!("{r:?}")).collect();
    let decided = (&parent.result.run_id, arm, &plan.train, rules);
    let json = serde_json::to_string(&decided).expect("a plan is plain data");
    short_id(json)
}

/// Points of a kept loss curve, before the last.
const POINTS: usize = 16;

fn training(run: &LoadedRun, folder: &Path) -> Result<Training, ArmError> {
    let lines = surviving(&read_metrics(folder)?);
    let train = &run.result.train;
    let first = lines.iter().find(|line| line.step == 0);
    Ok(Training {
        stop: train.stop,
        steps: train.steps,
        evaluations: train.evaluations,
        collapses: train.collapses.len(),
        first_loss: first.map(|line| line.loss),
        curve: Curve::of(&lines, train, POINTS),
    })
}
