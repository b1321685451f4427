//! A training study as a grid: a run a cell.

use super::newton_schulz::newton_schulz;
use super::spec::{Optimizers, RowResult, RunKey, Training, TrainingRecord};
use picloom::base::refusal::Refusal;
use picloom::base::stats::median;
use picloom::base::text::portable;
use picloom::experiment::Watched;
use picloom::experiment::cost;
use picloom::experiment::curve::{Curve, surviving};
use picloom::experiment::target_spec::{TargetSpec, check_size, places_of};
use picloom::network::{Coords, Mask, Model, Wiring, read_genome};
use picloom::run::{
    RunConfig, RunError, RunResult, Target, TrainJob, load_target, read_metrics, train_run,
};
use picloom::study::grid::Grid;
use picloom::study::spec::{Places, SpecError, check_cells, check_names, check_seeds};
use picloom::study::workers::Ask;
use picloom::train::{LogLine, OptimizerConfig, Schedule, StopReason, TrainConfig};
use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use toml::de::{DeTable, DeValue};

/// One run of a study.
#[derive(Clone, Debug)]
pub(crate) struct Run {
    /// Its learning rate; `None` for L-BFGS.
    pub lr: Option<f64>,
    /// Its seed.
    pub seed: u64,
    of: Arc<RunsOf>,
}

/// The common part of runs that differ in rate and seed.
#[derive(Debug)]
struct RunsOf {
    target: String,
    wiring: Wiring,
    base: Arc<TrainJob>,
    /// Their training but for rate and seed.
    train: TrainConfig,
}

impl Serialize for Run {
    /// As its config, which says all.
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.config().serialize(to)
    }
}

impl Run {
    /// The resolved config.
    pub(crate) fn config(&self) -> RunConfig {
        let schedule = self.lr.map_or_else(Schedule::default, Schedule::constant);
        let train = TrainConfig { seed: self.seed, schedule, ..self.of.train.clone() };
        RunConfig { train, ..self.of.base.config.clone() }
    }

    /// Its optimizer.
    pub(crate) fn optimizer(&self) -> &OptimizerConfig {
        &self.of.train.optimizer
    }

    /// The id, a hash of the config: the name of its folder.
    pub(crate) fn run_id(&self) -> String {
        self.config().run_id()
    }

    /// The run, ready to be trained.
    pub(crate) fn job(&self) -> TrainJob {
        TrainJob { config: self.config(), ..(*self.of.base).clone() }
    }

    /// For people: `face dense muon:steps=20 lr 0.001 seed 2`.
    pub(crate) fn label(&self) -> String {
        let lr = self.lr.map_or(String::new(), |lr| format!(" lr {lr}"));
        let (target, wiring) = (&self.of.target, &self.of.base.config.arm);
        format!("{target} {wiring} {}{lr} seed {}", self.optimizer(), self.seed)
    }
}

/// Points of a thinned curve, before the last.
const POINTS: usize = 30;

fn row_result(result: &RunResult, lines: &[LogLine]) -> RowResult {
    let train = &result.train;
    let lines = surviving(lines);
    let mut late: Vec<f64> = lines
        .iter()
        .filter(|line| 10 * line.step >= 9 * train.steps)
        .map(|line| line.loss)
        .collect();
    late.extend(Some(train.final_loss).filter(|loss| loss.is_finite()));
    let evaluations = train.all_evaluations();
    RowResult {
        reason: train.stop,
        kept: result.kept,
        steps: train.steps,
        evaluations,
        final_loss: train.final_loss,
        late_loss: median(&late).unwrap_or(train.final_loss),
        r2: result.fit.r2,
        collapses: train.collapses.len(),
        curve: Curve::of(&lines, train, POINTS).after(evaluations - train.evaluations),
    }
}

/// Network, mask and picture of a target. The config names the target as the spec does, so that its
/// hash does not depend on where the repository stands.
fn base_job(
    places: &Places,
    target: &TargetSpec,
    wiring: Wiring,
    size: usize,
) -> Result<TrainJob, RunError> {
    let coords = Coords::default();
    let drawn = target.drawn().filter(|_| target.family.is_none()).ok_or_else(|| {
        let expected = "one picture, for this kind of study trains no families";
        Refusal::new(format!("target {}", target.name), expected, "a family")
    })?;
    let picture = load_target(&places.file(drawn), size, coords, target.fit)?.picture;
    let (wired, genome) = match (&target.genome, &target.arch) {
        (Some(path), _) => {
            let genome = read_genome(&places.file(path), wiring)?;
            let Model { network, mask, .. } = Model::of_genome(&genome, wiring);
            ((network, mask), (wiring == Wiring::Graph).then_some(genome))
        }
        (None, arch) => {
            let network = arch.as_ref().expect("verified: an arch").network();
            let mask = Mask::all(network.weight_count());
            ((network, mask), None)
        }
    };
    let target = Target::of_picture(portable(drawn), picture);
    let train = TrainConfig::default();
    Ok(TrainJob::new(wiring.name(), &target, coords, wired, None, genome.as_ref(), train))
}

/// The rest of a run's config, by target and wiring in the order of the spec.
pub(crate) type Bases = Vec<(String, Wiring, Arc<TrainJob>)>;

impl Grid for Training {
    const KIND: &'static str = "training";
    const FORMAT: &'static str = "picloom-training/1";
    const CELLS: &'static str = "runs";
    const KEEPS_FOLDERS: bool = true;
    type Inputs = Bases;
    type Cell = Run;
    type Key = RunKey;
    type Found = RowResult;

    /// A profile's seeds, rates and steps replace those of every grid too.
    fn adapt(spec: &mut DeTable<'_>, changes: &DeTable<'_>) {
        let grids = spec.get_mut("grids").map(toml::Spanned::get_mut);
        let Some(DeValue::Array(grids)) = grids else { return };
        for grid in grids.iter_mut() {
            for key in ["seeds", "lrs", "steps"].iter().filter(|key| changes.contains_key(**key)) {
                if let DeValue::Table(grid) = grid.get_mut() {
                    grid.remove(*key);
                }
            }
        }
    }

    fn check(&self) -> Result<(), Refusal> {
        check_names("targets", &self.targets.iter().map(|t| &t.name).collect::<Vec<_>>())?;
        check_names("grids", &self.grids.iter().map(|g| &g.name).collect::<Vec<_>>())?;
        for target in &self.targets {
            target.check()?;
            let fits = target.arch.is_none() || self.wirings == [Wiring::Dense];
            let key = format!("target {}", target.name);
            let expected = "wirings = [\"dense\"] for a target with an arch";
            Refusal::unless(fits, key, expected, format!("{:?}", self.wirings))?;
        }
        for Optimizers { name, lrs, seeds, steps, optimizers, .. } in &self.grids {
            let lrs = lrs.as_deref().unwrap_or(&self.lrs);
            let rates = !lrs.is_empty() && lrs.iter().all(|lr| lr.is_finite() && *lr > 0.0);
            let key = format!("grid {name}, lrs");
            Refusal::unless(rates, key, "finite numbers > 0", format!("{lrs:?}"))?;
            let seeds = seeds.as_deref().unwrap_or(&self.seeds);
            check_seeds(format!("grid {name}, seeds"), seeds)?;
            let axes = [
                ((self.targets.len() * self.wirings.len()) as u64, "wired targets"),
                (optimizers.len() as u64, "optimizers"),
                (lrs.len() as u64, "rates"),
                (seeds.len() as u64, "seeds"),
            ];
            check_cells(format!("grid {name}"), &axes)?;
            Refusal::unless(*steps != Some(0), format!("grid {name}, steps"), "at least 1", "0")?;
        }
        check_size(self.size)
    }

    fn inputs(&self, path: &Path) -> Result<Bases, SpecError> {
        let places = places_of(path);
        let mut bases = Vec::new();
        for target in &self.targets {
            for &wiring in &self.wirings {
                let base = base_job(&places, target, wiring, self.size);
                let base = base.map_err(SpecError::of_target(path, &target.name))?;
                bases.push((target.name.clone(), wiring, Arc::new(base)));
            }
        }
        Ok(bases)
    }

    fn cells(&self, bases: &Bases) -> Vec<Run> {
        let (mut runs, mut seen) = (Vec::new(), BTreeSet::new());
        for (target, wiring, base) in bases {
            for grid in &self.grids {
                for optimizer in &grid.optimizers {
                    let lrs = grid.lrs.as_ref().unwrap_or(&self.lrs).iter();
                    let lrs: Vec<Option<f64>> = match optimizer {
                        OptimizerConfig::Lbfgs(_) => vec![None],
                        _ => lrs.copied().map(Some).collect(),
                    };
                    let of = Arc::new(RunsOf {
                        target: target.clone(),
                        wiring: *wiring,
                        base: Arc::clone(base),
                        train: TrainConfig {
                            steps: grid.steps.unwrap_or(self.steps),
                            gradient: self.gradient,
                            log_every: self.log_every,
                            optimizer: optimizer.clone(),
                            ..TrainConfig::default()
                        },
                    });
                    for lr in lrs {
                        for &seed in grid.seeds.as_ref().unwrap_or(&self.seeds) {
                            runs.push(Run { lr, seed, of: Arc::clone(&of) });
                        }
                    }
                }
            }
        }
        runs.retain(|run| seen.insert(run.run_id()));
        runs
    }

    fn notes(&self) -> Map<String, Value> {
        Map::from_iter([("size".into(), self.size.into())])
    }

    fn id(run: &Run) -> Option<String> {
        Some(run.run_id())
    }

    fn label(run: &Run) -> String {
        run.label()
    }

    fn cost(run: &Run) -> f64 {
        let (links, config) = (run.of.base.problem.network.weight_count(), run.config());
        cost::training(config.train.steps as f64, links, config.size)
    }

    fn key(_: &Bases, run: &Run) -> RunKey {
        RunKey {
            target: run.of.target.clone(),
            wiring: run.of.wiring.name().into(),
            optimizer: run.optimizer().to_string(),
            lr: run.lr,
            seed: run.seed,
            run_id: run.run_id(),
        }
    }

    fn compute(
        _: &Bases,
        run: &Run,
        folder: &Path,
        ask: Ask<'_>,
    ) -> Result<Option<RowResult>, String> {
        let text = |e: RunError| e.to_string();
        let result = train_run(folder, run.job(), true, &mut Watched(ask)).map_err(text)?;
        if result.train.stop == StopReason::Interrupted {
            return Ok(None);
        }
        Ok(Some(row_result(&result, &read_metrics(folder).map_err(text)?)))
    }

    /// Late losses by target, optimizer and rate, and the finding on Newton–Schulz steps.
    fn summary(record: &TrainingRecord) -> String {
        let mut text = format!(
            "{:<10} {:<32} {:>8} {:>6} {:>12} {:>8}\n",
            "target", "optimizer", "rate", "seed", "late loss", "R²"
        );
        for row in &record.rows {
            let lr = row.lr.map_or("-".into(), |lr| lr.to_string());
            let (loss, r2) = match &row.result {
                Some(r) => (format!("{:.3e}", r.late_loss), format!("{:.4}", r.r2)),
                None => ("failed".into(), String::new()),
            };
            text += &format!(
                "{:<10} {:<32} {lr:>8} {:>6} {loss:>12} {r2:>8}\n",
                row.target, row.optimizer, row.seed
            );
        }
        match newton_schulz(record) {
            Ok(found) => text + "\n" + &found.text(),
            Err(_) => text,
        }
    }

    fn findings(record: &TrainingRecord) -> Value {
        json!({ "runs": record.rows.len(), "newton_schulz": newton_schulz(record).ok() })
    }
}
