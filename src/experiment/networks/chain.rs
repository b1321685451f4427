//! One chain: its arms trained, pruned, scored and measured, in order.

use super::arm::{ArmSpec, ArmWiring, Level, level_name, levels};
use super::job::{Job, is_finished};
use super::plan::Chain;
use super::record::{About, NetworkResult, NetworkRow, ReachedScore, Scored, Training};
use super::source::{Source, family_target};
use super::views::write_views;
use crate::base::SimRng;
use crate::base::command::CommandError;
use crate::base::files::WriteError;
use crate::base::hash::json_id;
use crate::base::refusal::Refusal;
use crate::base::text::{fixed, portable};
use crate::experiment::curve::{Curve, surviving};
use crate::experiment::pruning::{PruneRunError, prune_run};
use crate::experiment::watched::Watched;
use crate::genome::Genome;
use crate::network::transform::parts as parts_of;
use crate::network::{Coords, Mask, Model, Network, Picture, TrainedWiring, Weights};
use crate::probe::{Delta, View};
use crate::prune::guard::alive;
use crate::prune::{PruneError, PrunePlan, Rule, round_mask};
use crate::run::{FamilyTarget, LoadedRun, RunError, Target, TrainJob, load_run, read_metrics};
use crate::score::measures::command::{MeasureChoice, Named};
use crate::score::measures::disentanglement::{self, Disentanglement, NULL};
use crate::score::measures::function::FunctionalModules;
use crate::score::measures::modules::NetworkModules;
use crate::score::measures::own::{Subject, with_key};
use crate::score::measures::recombination::{self, Recombination};
use crate::score::measures::sparsity::compositional_sparsity;
use crate::score::measures::summary::Summary;
use crate::score::{Exhibit, FIT_GATE, Judge, JudgeError, Protocol};
use crate::study::cells::without_path;
use crate::study::workers::{Ask, News};
use crate::train::{Reached, StopReason, TrainConfig};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Why an arm has no result.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)]
pub(crate) enum ArmError {
    #[error(transparent)]
    Run(#[from] RunError),
    #[error(transparent)]
    Prune(#[from] PruneRunError),
    #[error(transparent)]
    Judge(JudgeError),
    #[error(transparent)]
    Refused(#[from] Refusal),
    #[error(transparent)]
    Write(#[from] WriteError),
    #[error("arm {0} of the chain failed")]
    Before(String),
    /// The arm asks for a parent that learned the picture (`if_learned`).
    #[error("{arm} did not learn the picture (R² {}; {FIT_GATE} counts), so nothing is pruned from it", fixed(*r2, 3))]
    Unlearned { arm: String, r2: f64 },
    /// Stopped at a checkpoint.
    #[error("interrupted")]
    Interrupted,
}

impl From<JudgeError> for ArmError {
    fn from(error: JudgeError) -> Self {
        match error {
            JudgeError::Command(CommandError::Stopped) => ArmError::Interrupted,
            other => ArmError::Judge(other),
        }
    }
}

impl ArmError {
    /// True if the other arms need not be tried: somebody asked to stop, or another worker has taken over.
    fn ends_work(&self) -> bool {
        match self {
            ArmError::Interrupted => true,
            ArmError::Run(error) | ArmError::Prune(PruneRunError::Run(error)) => {
                matches!(error, RunError::TakenOver(_))
            }
            _ => false,
        }
    }
}

/// A network of a chain, made.
pub(crate) struct Made<'a> {
    /// Name of its arm.
    pub arm: &'a str,
    /// Level of pruning, from 1; 0: not pruned.
    pub level: usize,
    /// Links kept by the rule.
    pub kept: usize,
    /// The network.
    pub model: &'a Model,
    /// Its run, with the folder; `None` for the evolved network.
    pub run: Option<(&'a LoadedRun, &'a Path)>,
}

/// Why a chain lacks a network, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Missing {
    /// It could not be made or measured.
    Failed(String),
    /// It is not to be made ([`ArmSpec::if_learned`]); nothing failed.
    LeftOut(String),
}

/// The networks of a chain, by arm and level, in order.
pub(super) fn networks(chain: &Chain) -> Vec<(&ArmSpec, usize)> {
    chain.key.arms.iter().flat_map(|arm| levels(arm).map(move |level| (arm, level))).collect()
}

/// Makes the networks of a chain from its source, in the study's `folder`; scores and measures each, arm by arm, and returns
/// their rows; `None` if `ask` stopped it. Arms without a parent are trained side by side first. Networks that are finished
/// there are not computed again. An arm that fails gives rows with the reason.
pub(crate) fn run_chain(
    (chain, source): (&Chain, &Source),
    folder: &Path,
    judge: &dyn Judge,
    ask: Ask<'_>,
) -> Option<Vec<NetworkRow>> {
    let arms: Vec<&ArmSpec> = chain.key.arms.iter().collect();
    let mut worker = Worker::new(chain, source, folder, ask);
    let chain = (chain, Some(source.about(&chain.key.target)));
    worker.train_roots(&arms);
    let mut rows: Vec<NetworkRow> = Vec::new();
    for arm in arms {
        // What is trained has been said to begin.
        if arm.wiring.is_none_or(|wiring| wiring == ArmWiring::Evolved) {
            worker.begin(arm);
        }
        let before = rows.len();
        let scoring = chain.0.costs(arm).scoring / levels(arm).count() as f64;
        let outcome = worker.arm(arm, &mut |made| {
            let result = Measuring::of(chain.0, source, made).measure(made, judge, folder, ask)?;
            rows.push(row(chain, made.arm.into(), made.level, Ok(result)));
            ask.tell(News::Did { cost: scoring, now: true });
            Ok(())
        });
        match outcome {
            Ok(()) => {}
            Err(error) if error.ends_work() => return None,
            Err(error) => {
                let says = without_path(&error.to_string(), folder);
                // What follows from an arm that is left out is left out too.
                let is_left_out =
                    |of: &String| rows.iter().any(|row| row.arm == *of && row.not_made.is_some());
                let error = match &error {
                    ArmError::Unlearned { .. } => Missing::LeftOut(says),
                    ArmError::Before(of) if is_left_out(of) => {
                        Missing::LeftOut(format!("it follows {of}, which is left out"))
                    }
                    _ => Missing::Failed(says),
                };
                let left = levels(arm).skip(rows.len() - before);
                let failed = |level| row(chain, arm.name.clone(), level, Err(error.clone()));
                rows.extend(left.map(failed));
            }
        }
    }
    Some(rows)
}

/// A row of the record; `about` are the numbers of its target.
pub(super) fn row(
    (chain, about): (&Chain, Option<About>),
    arm: String,
    level: usize,
    result: Result<NetworkResult, Missing>,
) -> NetworkRow {
    let key = &chain.key;
    let (result, error, not_made) = match result {
        Ok(result) => (Some(Box::new(result)), None, None),
        Err(Missing::Failed(why)) => (None, Some(why), None),
        Err(Missing::LeftOut(why)) => (None, None, Some(why)),
    };
    NetworkRow {
        target: key.target.name.clone(),
        about,
        variant: key.variant.name.clone(),
        offset: key.offset,
        layers: key.layers,
        arm,
        level,
        seed: key.seed,
        result,
        error,
        not_made,
    }
}

/// Networks of a chain that are still to be trained, and about how long what is left of it takes in seconds of one core.
pub(super) fn left(chain: &Chain, folder: &Path) -> (usize, f64) {
    let arms = &chain.key.arms;
    // Nothing is there of a study that has not begun: its networks need not be built to be looked for.
    let may_be = folder.exists() && arms.iter().any(ArmSpec::is_trained);
    let source = may_be.then(|| chain.source.load().ok()).flatten();
    let mut worker = source.as_ref().map(|source| {
        let ask = Ask::new(&|_| true);
        Worker::new(chain, source, folder, ask)
    });
    arms.iter().fold((0, 0.0), |(networks, seconds), arm| {
        let costs = chain.costs(arm);
        let mut is_there = |worker: &mut Worker<'_>| matches!(worker.is_there(arm), Ok(true));
        match !arm.is_trained() || worker.as_mut().is_some_and(&mut is_there) {
            true => (networks, seconds + costs.scoring),
            false => (networks + levels(arm).count(), seconds + costs.scoring + costs.training),
        }
    })
}

struct Worker<'a> {
    chain: &'a Chain,
    source: &'a Source,
    folder: &'a Path,
    ask: Ask<'a>,
    /// The result of training each arm without a parent, by job: the run's folder, `None` if
    /// stopped.
    attempts: BTreeMap<String, Result<Option<PathBuf>, RunError>>,
    /// Trained networks by arm, and by `ARM-LEVEL`, for arms that come from them.
    trained: BTreeMap<String, LoadedRun>,
    /// Links kept by (arm, level from 1), for arms that match them.
    kept: BTreeMap<(String, usize), Mask>,
}

/// Is given every network made.
type ChainObserver<'a> = dyn FnMut(&Made<'_>) -> Result<(), ArmError> + 'a;

impl<'a> Worker<'a> {
    fn new(chain: &'a Chain, source: &'a Source, folder: &'a Path, ask: Ask<'a>) -> Self {
        let (attempts, trained, kept) = Default::default();
        Worker { chain, source, folder, ask, attempts, trained, kept }
    }
}

impl Worker<'_> {
    /// Tells that the work on an arm begins.
    fn begin(&self, arm: &ArmSpec) {
        let seed = self.chain.key.seed.map_or(String::new(), |seed| format!(", seed {seed}"));
        self.ask.begin(&format!("{}{seed}", arm.name));
    }

    /// Tells that a part of the work is done, and whether it was done now.
    fn did(&self, cost: f64, now: bool) {
        self.ask.tell(News::Did { cost, now });
    }

    /// Trains the arms that need no other arm, as many at a time as there are threads.
    fn train_roots(&mut self, arms: &[&ArmSpec]) {
        let mut jobs = BTreeMap::new();
        for &arm in arms {
            for (_, wiring) in arm.wirings() {
                let ArmWiring::Trained(wiring) = wiring else { continue };
                let job = self.trainings(arm, wiring);
                jobs.entry(job.id()).or_insert((Vec::new(), job)).0.push(arm);
            }
        }
        let (folder, ask) = (self.folder, self.ask);
        let jobs: Vec<_> = jobs.into_iter().collect();
        let this = &*self;
        let attempts = jobs.into_par_iter().map(|(id, (arms, job))| {
            arms.iter().for_each(|arm| this.begin(arm));
            let now = !job.is_begun(folder);
            let result = job.run(folder, ask);
            // Arms that are trained alike are trained once.
            for (i, arm) in arms.iter().enumerate() {
                let networks = levels(arm).count() as f64;
                this.did(this.chain.costs(arm).training / networks, now && i == 0);
            }
            (id, result)
        });
        self.attempts = attempts.collect();
    }

    /// Makes the networks of one arm.
    fn arm(&mut self, arm: &ArmSpec, look: &mut ChainObserver<'_>) -> Result<(), ArmError> {
        match arm.wiring {
            Some(ArmWiring::Evolved) => self.untrained_arm(arm, &self.evolved(), look),
            None if arm.transform.is_some() => {
                let from = arm.from.as_ref().expect("verified: a parent");
                // Only the evolved network needs no seed, and only its units have nodes with labels.
                let evolved = self.source.evolved.as_ref();
                let evolved = evolved.filter(|_| self.chain.key.seed.is_none());
                let (model, parts) = match (evolved, self.trained.get(from)) {
                    (Some((genome, layered)), _) => (self.evolved(), parts_of(genome, layered)),
                    (None, Some(run)) => (run.model.clone(), Vec::new()),
                    (None, None) => return Err(ArmError::Before(from.clone())),
                };
                let transform = arm.transform.expect("asked");
                self.untrained_arm(arm, &transform.apply(&model, &parts, self.chain.seed())?, look)
            }
            Some(_) => {
                for (level, wiring) in arm.wirings() {
                    let ArmWiring::Trained(wiring) = wiring else { continue };
                    let (run, folder) = self.train(arm, wiring)?;
                    let (arm_name, model) = (&arm.name, &run.model);
                    let (kept, run_at) = (model.mask.kept(), Some((&run, folder.as_path())));
                    look(&Made { arm: arm_name, level, kept, model, run: run_at })?;
                    self.trained.insert(level_name(&arm.name, level), run);
                }
                Ok(())
            }
            None if arm.trains_on() => self.train_on(arm, look),
            None => self.prune(arm, look),
        }
    }

    /// Goes on training another arm's network.
    fn train_on(&self, arm: &ArmSpec, look: &mut ChainObserver<'_>) -> Result<(), ArmError> {
        let job = self.training_on(arm, &self.parent(arm)?);
        let now = !job.is_begun(self.folder);
        let folder = job.run(self.folder, self.ask)?.ok_or(ArmError::Interrupted)?;
        self.did(self.chain.costs(arm).training, now);
        let run = load_run(&folder)?;
        let (model, run_at) = (&run.model, Some((&run, folder.as_path())));
        look(&Made { arm: &arm.name, level: 0, kept: model.mask.kept(), model, run: run_at })
    }

    /// The further training of another arm's network.
    fn training_on(&self, arm: &ArmSpec, parent: &LoadedRun) -> Job {
        let Model { network, mask, weights } = parent.model.clone();
        Job(vec![self.job_of(arm, self.source.of_arm(arm), (network, mask), Some(weights), None)])
    }

    /// The evolved network, layered.
    fn evolved(&self) -> Model {
        let (_, layered) = self.source.evolved.as_ref().expect("planned so");
        Model::new(layered.network.clone(), layered.weights.clone())
    }

    /// Shows a network that no run made.
    fn untrained_arm(
        &self,
        arm: &ArmSpec,
        model: &Model,
        look: &mut ChainObserver<'_>,
    ) -> Result<(), ArmError> {
        look(&Made { arm: &arm.name, level: 0, kept: model.mask.kept(), model, run: None })
    }

    fn train(
        &mut self,
        arm: &ArmSpec,
        wiring: TrainedWiring,
    ) -> Result<(LoadedRun, PathBuf), ArmError> {
        let job = self.trainings(arm, wiring);
        let attempt = self.attempts.remove(&job.id());
        let folder = attempt.unwrap_or_else(|| job.run(self.folder, self.ask))?;
        let folder = folder.ok_or(ArmError::Interrupted)?;
        Ok((load_run(&folder)?, folder))
    }

    /// The trainings of an arm without a parent.
    fn trainings(&self, arm: &ArmSpec, wiring: TrainedWiring) -> Job {
        let source = self.source;
        let before = arm.pretrained_on(&self.chain.key.target, source.arch.factors);
        let size = arm.size.unwrap_or(self.chain.key.size);
        let before = before.map(|(family, spec)| family_target(family, spec, size));
        let targets: Vec<Target> = before.collect();
        let all = targets.iter().chain([self.source.of_arm(arm)]);
        Job(all.map(|target| self.job(arm, wiring, target)).collect())
    }

    /// The training of an arm without a parent.
    fn job(&self, arm: &ArmSpec, wiring: TrainedWiring, target: &Target) -> TrainJob {
        let source = self.source;
        let (mut wired, mut genome, mut start) = (None, None, None);
        if wiring.needs_genome() {
            let (g, _) = source.evolved.as_ref().expect("planned so");
            genome = (wiring == TrainedWiring::Graph).then_some(g);
            let model = wiring.model(g, self.chain.seed()).expect("planned so");
            let mut rng = SimRng::new(self.chain.seed(), "noise", 0);
            start = arm.noise.map(|noise| noisy(&model, noise, &mut rng));
            wired = Some((model.network, model.mask));
        }
        let wired = wired.unwrap_or_else(|| {
            let network = self.chain.arch_of(arm).expect("planned so").network();
            let mask = Mask::all(network.weight_count());
            (network, mask)
        });
        self.job_of(arm, target, wired, start, genome)
    }

    /// The training of a network by the recipe of an arm.
    fn job_of(
        &self,
        arm: &ArmSpec,
        target: &Target,
        wired: (Network, Mask),
        start: Option<Weights>,
        genome: Option<&Genome>,
    ) -> TrainJob {
        let mut train = self.recipe(arm, wired.0.arch.is_some());
        // The same R² of another picture is another loss.
        let variance = target.trained().variance() / self.source.target.trained().variance();
        train.target_loss = train.target_loss.map(|loss| loss * variance);
        let job = TrainJob::new(&arm.name, target, Coords::default(), wired, start, genome, train);
        debug_assert_eq!(job.config.size, arm.size.unwrap_or(self.chain.key.size));
        job
    }

    /// The recipe of an arm; graphs have no dense blocks to draw orthogonal matrices for.
    fn recipe(&self, arm: &ArmSpec, layered: bool) -> TrainConfig {
        let mut train = arm.train.over(&self.chain.key.train);
        if !layered {
            train.init.scheme = crate::train::Init::default().scheme;
        }
        if let Some(steps) = arm.steps {
            train.steps = steps;
        }
        if let Some(text) = &arm.optimizer {
            train.optimizer = text.parse().expect("verified: an optimizer");
        }
        train
    }

    /// How an arm is pruned from its parent, and after which round each level is reached.
    fn plan(&self, arm: &ArmSpec, parent: &LoadedRun) -> Result<(PrunePlan, Vec<usize>), ArmError> {
        let (mut rules, mut pattern) = (Vec::new(), Vec::new());
        // Rounds that were made once a level is reached.
        let mut ends = Vec::new();
        let mut left = parent.model.mask.kept();
        for (k, level) in arm.levels.iter().enumerate() {
            let budget = match level {
                Level::Share(share) => (share * parent.model.mask.0.len() as f64).round() as usize,
                Level::Budget(budget) => *budget,
                Level::Evolved(times) => self.chain.evolved_times(*times).min(left),
                Level::Match(other) => {
                    let mask = self.kept.get(&(other.clone(), k + 1));
                    let mask = mask.ok_or_else(|| ArmError::Before(other.clone()))?;
                    if arm.copies() {
                        pattern.push(mask.clone());
                    }
                    mask.kept()
                }
                Level::Threshold(threshold) => {
                    let rounds = arm.rounds.unwrap_or(1);
                    rules.extend(std::iter::repeat_n(Rule::Threshold(*threshold), rounds));
                    ends.push(rules.len());
                    continue;
                }
            };
            rules.extend(arm.rounds_to(left, budget));
            ends.push(rules.len());
            left = budget.min(left).max(1);
        }
        let evolved = self.source.evolved.as_ref();
        let plan = PrunePlan {
            method: arm.method.expect("verified: a method"),
            rules,
            retrain: arm.retrain.expect("resolved"),
            train: self.recipe(arm, parent.model.network.arch.is_some()),
            evolved: evolved
                .filter(|(_, layered)| layered.network.arch == parent.model.network.arch)
                .map(|(_, layered)| Mask::non_zero(&layered.weights)),
            pattern,
            orphans: arm.orphans,
        };
        Ok((plan, ends))
    }

    /// The run of the network that an arm comes from.
    fn parent(&self, arm: &ArmSpec) -> Result<LoadedRun, ArmError> {
        let from = arm.from.as_ref().expect("verified: a parent");
        let parent = self.trained.get(from).ok_or_else(|| ArmError::Before(from.clone()))?;
        let fit = parent.result.fit;
        if arm.if_learned && !fit.passes_gate() {
            return Err(ArmError::Unlearned { arm: from.clone(), r2: fit.r2 });
        }
        Ok(parent.clone())
    }

    /// Whether the networks of an arm that is trained are there; then they count as trained.
    fn is_there(&mut self, arm: &ArmSpec) -> Result<bool, ArmError> {
        for (level, wiring) in arm.wirings() {
            let ArmWiring::Trained(wiring) = wiring else { continue };
            let Some(folder) = self.trainings(arm, wiring).finished(self.folder) else {
                return Ok(false);
            };
            self.trained.insert(level_name(&arm.name, level), load_run(&folder)?);
        }
        if arm.wiring.is_some() {
            return Ok(true);
        }
        let parent = self.parent(arm)?;
        if arm.trains_on() {
            return Ok(self.training_on(arm, &parent).is_begun(self.folder));
        }
        let (plan, _) = self.plan(arm, &parent)?;
        match is_finished(&self.folder.join(plan_id(&parent, arm, &plan))) {
            true => self.prune(arm, &mut |_| Ok(())).map(|()| true),
            false => Ok(false),
        }
    }

    fn prune(&mut self, arm: &ArmSpec, look: &mut ChainObserver<'_>) -> Result<(), ArmError> {
        let parent = self.parent(arm)?;
        let (mut plan, ends) = self.plan(arm, &parent)?;
        let mut now = true;
        let (out, result, records) = loop {
            let out = self.folder.join(plan_id(&parent, arm, &plan));
            now &= !is_finished(&out);
            match prune_run(&parent, &plan, &out, true, &mut Watched(self.ask)) {
                Ok((result, records)) => break (out, result, records),
                // So few links may leave an output without a path, or be less than whole units: then the fewest.
                Err(PruneRunError::Rounds(PruneError::Unreachable { reached, .. }))
                    if raise(&mut plan.rules, reached) => {}
                Err(error) => return Err(error.into()),
            }
        };
        if result.train.stop == StopReason::Interrupted {
            return Err(ArmError::Interrupted);
        }
        self.did(self.chain.costs(arm).training, now);
        let mut mask = parent.model.mask.clone();
        let mut made = 0;
        for (level, &round) in (1..).zip(&ends) {
            let folder = if round == plan.rules.len() {
                out.clone()
            } else {
                out.join(format!("round-{round}"))
            };
            let run = load_run(&folder)?;
            for record in &records[made..round] {
                mask = round_mask(&mask, record);
            }
            made = round;
            self.kept.insert((arm.name.clone(), level), mask.clone());
            let kept = records[round - 1].kept;
            let (arm, model) = (&arm.name, &run.model);
            look(&Made { arm, level, kept, model, run: Some((&run, &folder)) })?;
            self.trained.insert(level_name(arm, level), run);
        }
        Ok(())
    }
}

/// How a network is measured.
pub(in crate::experiment) struct Measuring<'a> {
    /// Its target; of a family under its first condition.
    pub target: &'a Picture,
    /// Pictures that few weights are to lead to.
    pub relatives: &'a [Picture],
    /// The family of pictures that it should draw, if it is one.
    pub family: Option<&'a FamilyTarget>,
    /// Where its pixels lie.
    pub coords: Coords,
    /// How its weights are changed.
    pub protocol: Protocol,
    /// Seed of the other measures.
    pub seed: u64,
    /// δ of the second score.
    pub fixed_delta: Option<f64>,
    /// Whether the program's measures with the key `mechanisms` are taken, also on the way.
    pub mechanisms: bool,
    /// Whether those with the key `organisation` are.
    pub organisation: bool,
    /// Who takes measures of one's own, also on the way.
    pub measure: Option<MeasureChoice>,
    /// The genome of the evolved network, whose links may have labels.
    pub genome: Option<&'a Genome>,
    /// Pictures that are kept: name of their files, changed weights, whether maps too.
    pub views: Option<(String, usize, bool)>,
}

impl<'a> Measuring<'a> {
    fn of(chain: &'a Chain, source: &'a Source, made: &Made<'_>) -> Self {
        let (key, arm) = (&chain.key, made.arm);
        let name = level_name(arm, made.level);
        let target = chain.key.arms.iter().find(|own| own.name == arm);
        let target = target.map_or(&source.target, |own| source.of_arm(own));
        let named = |names: &[String]| names.iter().any(|other| *other == name || other == arm);
        let with_maps = named(&key.show_maps);
        let file = format!("{}.{name}.{}", key.target.name, key.layers);
        Measuring {
            target: &target.picture,
            relatives: &source.relatives,
            family: target.family.as_ref(),
            coords: Coords::default(),
            protocol: chain.protocol(),
            seed: chain.seed(),
            fixed_delta: key.fixed_delta,
            mechanisms: key.mechanisms,
            organisation: key.organisation,
            measure: key.measure,
            genome: source.evolved.as_ref().filter(|_| chain.is_evolved(arm)).map(|(own, _)| own),
            views: (named(&key.show) || with_maps).then_some((file, key.show_changes, with_maps)),
        }
    }

    /// A network as the judge is shown it; the other measures are taken of the same view.
    pub(crate) fn exhibit(&self, model: &Model) -> Exhibit {
        let shown = self.family.map(|family| model.at(&family.seen.conditions[0]));
        let model = shown.as_ref().unwrap_or(model);
        Exhibit::new(model, self.target.width, self.coords, Some(self.target))
    }

    /// The numbers of the measures that the program has added with a key, if the study asks for them: each by the name of
    /// its column, without the key before it.
    fn added(
        &self,
        key: &str,
        asked: bool,
        (model, view): (&Model, &View),
        judge: &dyn Judge,
    ) -> Result<BTreeMap<String, f64>, JudgeError> {
        let subject = Subject {
            model,
            view,
            target: self.target,
            relatives: self.relatives,
            family: self.family.map(|family| (&family.seen, &family.held_out)),
            genome: self.genome,
            judge,
            delta: self.protocol.delta,
            seed: self.seed,
        };
        let mut found = BTreeMap::new();
        for measures in with_key(key).into_iter().filter(|_| asked) {
            for (column, value) in measures.of(&subject)? {
                let name = column.strip_prefix(key).and_then(|name| name.strip_prefix('_'));
                found.insert(name.unwrap_or(column).to_string(), value);
            }
        }
        Ok(found)
    }

    /// The mechanisms that may bias descent at a network.
    fn mechanisms(
        &self,
        network: (&Model, &View),
        judge: &dyn Judge,
    ) -> Result<BTreeMap<String, Option<f64>>, JudgeError> {
        let found = self.added("mechanisms", self.mechanisms, network, judge)?;
        Ok(found.into_iter().map(|(name, value)| (name, Some(value))).collect())
    }

    /// Measures of one's own.
    fn own(&self, view: &View) -> Result<Named, JudgeError> {
        let take = |measure: MeasureChoice| measure.of(view, Some(self.target), self.seed);
        Ok(self.measure.map(take).transpose()?.unwrap_or_default())
    }

    /// Scores of a network where its training first reached each R² that was asked for.
    fn reached(&self, judge: &dyn Judge, made: &Made<'_>) -> Result<Vec<ReachedScore>, ArmError> {
        let Some((run, folder)) = made.run else { return Ok(Vec::new()) };
        let mut scores = Vec::new();
        for &Reached { level, r2, step, .. } in &run.result.train.reached {
            let Some(model) = run.reached(folder, level)? else { continue };
            let exhibit = self.exhibit(&model);
            let score = Scored::of(&self.protocol.measure(&exhibit, judge)?.score);
            let mechanisms = self.mechanisms((&model, exhibit.view()), judge)?;
            let (r2, step, own) = (Some(r2), Some(step), self.own(exhibit.view())?);
            scores.push(ReachedScore { level, r2, step, score, mechanisms, own });
        }
        Ok(scores)
    }

    /// How a network is organised: disentanglement, with its null where the network is shown, and the measures that the
    /// program has added.
    fn organised(
        &self,
        network: (&Model, &View),
        judge: &dyn Judge,
    ) -> Result<BTreeMap<String, f64>, JudgeError> {
        let mut found = self.added("organisation", self.organisation, network, judge)?;
        let key = disentanglement::KEY;
        let own = Disentanglement::of(network.1, self.seed).map(|own| own.value);
        found.extend(own.map(|value| (key.to_string(), value)));
        // Ten times as long: for networks that are shown, and where all measures are asked for.
        if self.organisation || self.views.is_some() {
            let null = Disentanglement::shuffled(network.1, self.seed);
            found.extend(null.map(|null| (format!("{key}{NULL}"), null)));
        }
        Ok(found)
    }

    /// Scores and measures one network; pictures go to `folder` if `ask` allows it.
    pub(crate) fn measure(
        &self,
        made: &Made<'_>,
        judge: &dyn Judge,
        folder: &Path,
        ask: Ask<'_>,
    ) -> Result<NetworkResult, ArmError> {
        let Made { model, .. } = made;
        let exhibit = self.exhibit(model);
        let found = self.protocol.measure(&exhibit, judge)?;
        let seen = self.family.map(|family| recombination::fit(model, &family.seen, self.coords));
        let (view, fit) = (exhibit.view(), seen.or(exhibit.fit()).expect("it has a target"));
        let alive = self.family.map(|_| alive(&model.network, &model.mask).kept());
        let views = self.views.as_ref().map(|(file, changes, with_maps)| {
            let shown = (*changes, *with_maps);
            write_views((folder, file), (made.arm, view, &found), shown, ask)
        });
        let mut organisation = self.organised((model, view), judge)?;
        let plasticity = organisation.remove("plasticity");
        Ok(NetworkResult {
            run_id: made.run.map(|(run, _)| run.result.run_id.clone()),
            path: made.run.and_then(|(_, at)| Some(portable(at.strip_prefix(folder).ok()?))),
            links: model.network.weight_count(),
            kept: made.kept,
            alive: alive.unwrap_or(found.alive),
            mse: fit.mse,
            r2: fit.r2,
            fit: fit.passes_gate(),
            train: made.run.map(|(run, folder)| training(run, folder)).transpose()?,
            non_zero: found.score.non_zero,
            perturbed: found.score.weights,
            score: Scored::of(&found.score),
            clean: found.score.clean,
            unclear: found.score.unclear,
            damaged: found.score.damaged,
            silent: found.score.silent,
            reached: self.reached(judge, made)?,
            fixed: match self.fixed_delta {
                None => None,
                Some(delta) => {
                    let fixed = Protocol { delta: Delta::Fixed(delta), ..self.protocol.clone() };
                    Scored::of(&fixed.measure(&exhibit, judge)?.score)
                }
            },
            by_layer: found.score.layers,
            measures: Summary::of(view, &mut SimRng::new(self.seed, "measures", 0)),
            mechanisms: self.mechanisms((model, view), judge)?,
            sparsity: Some(compositional_sparsity(&model.network, &model.mask)),
            modules: NetworkModules::of(&model.network, &model.mask),
            recombination: self.family.filter(|family| !family.held_out.conditions.is_empty()).map(
                |FamilyTarget { seen, held_out }| Recombination {
                    plasticity,
                    ..Recombination::of(model, seen, held_out, self.coords)
                },
            ),
            function: FunctionalModules::of(view, &mut SimRng::new(self.seed, "function", 0)),
            organisation,
            own: self.own(view)?,
            views: views.transpose()?,
        })
    }
}

/// The weights of `model`, those that are not zero with normal noise of `share` times their root mean square.
/// The same stream gives the same directions at every share.
fn noisy(model: &Model, share: f64, rng: &mut SimRng) -> Weights {
    let squares: f64 = model.weights.0.iter().map(|&w| f64::from(w).powi(2)).sum();
    let scale = share * (squares / model.non_zero().max(1) as f64).sqrt();
    let moved = model.weights.0.iter().map(|&w| match w {
        0.0 => 0.0,
        w => w + (scale * rng.normal()) as f32,
    });
    Weights(moved.collect())
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
    json_id(&(&parent.result.run_id, arm, &plan.train, &plan.rules, &plan.pattern))
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
