//! Growth: from inputs linked to outputs, a trained network gets the link or the unit that promises most, is trained
//! again, and so on (METHODS §8b). In: pixels, a picture, a [`GrowConfig`], a [`TrainConfig`]. Out: a genome with
//! trained weights, and a [`Stage`] for each addition.
//!
//! In a stage the gradient proposes ([`Places::proposals`]): absent links by |∂L/∂w| at w = 0, units by GradMax
//! [Evci et al. 2022], units with random inputs by the gradient of their outgoing links at 0. To first order a GradMax
//! unit is worth no more than the links that it makes up for, so gradients cannot compare a link to a unit: every
//! proposal is trained for a few steps on the same pixels, and so is the network as it is. The proposal counts whose
//! loss then lies lowest below that of the network as it is, per link \[ours\].

mod config;
mod place;
#[cfg(test)]
mod tests;

pub use config::{FIRST_LINKS, GrowBy, GrowConfig};
pub use place::{Addition, GradMax, Kind, Places, SOURCES, TARGETS, grad_max};

use super::{
    LogLine, Problem, StopReason, TrainConfig, TrainError, TrainObserver, TrainState, Trainer,
};
use crate::base::SimRng;
use crate::base::refusal::Refusal;
use crate::genome::{
    ConnectionGene, Genome, InnovationId, Input, NodeGene, NodeId, Output, Provenance, Role,
    from_json, to_json,
};
use crate::math::Activation;
use crate::network::{Mask, Picture, PixelInputs, Weights, compile, with_weights};
use rayon::prelude::*;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Pixels that proposals are tried on, at most \[ours\].
const TRIAL_PIXELS: usize = 1024;

/// One stage: what was added, and the network after it was trained.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stage {
    /// What was added.
    #[serde(flatten)]
    pub added: Kind,
    /// Nodes that its links come from.
    pub from: Vec<NodeId>,
    /// Nodes that its links go to.
    pub to: Vec<NodeId>,
    /// Norm of the gradient with respect to its weights that begin at 0; none in a random growth.
    pub promise: Option<f64>,
    /// Fall of the loss per link in its trial; none in a random growth.
    pub fall: Option<f64>,
    /// Links after it.
    pub links: usize,
    /// Hidden units after it.
    pub units: usize,
    /// MSE over all pixels, after training.
    pub loss: f64,
    /// R² over all pixels, after training.
    pub r2: f64,
    /// Steps of its training.
    pub steps: u64,
    /// Gradient evaluations of its training and its trials.
    pub evaluations: u64,
}

/// Why a growth ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GrowStop {
    /// R² is that of [`GrowConfig::until_r2`].
    Reached,
    /// No further addition keeps within [`GrowConfig::most_links`].
    MostLinks,
    /// No proposal lowered the loss.
    NothingHelps,
    /// The growth whose counts a random one has ended here.
    AsOther,
    /// The first network drew one colour, or diverged.
    NoStart,
}

impl GrowStop {
    /// The same of a training.
    pub fn as_training(self) -> StopReason {
        match self {
            GrowStop::Reached => StopReason::TargetLoss,
            GrowStop::MostLinks | GrowStop::AsOther => StopReason::StepLimit,
            GrowStop::NothingHelps => StopReason::Plateau,
            GrowStop::NoStart => StopReason::Collapsed,
        }
    }
}

/// A network as it grew so far.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Grown {
    /// The genome, with trained weights.
    #[serde(serialize_with = "genome_text", deserialize_with = "text_genome")]
    pub genome: Genome,
    /// Its stages.
    pub stages: Vec<Stage>,
    /// Logged steps, counted over all stages.
    pub log: Vec<LogLine>,
    /// Why it ended; none while it grows.
    pub stop: Option<GrowStop>,
}

fn genome_text<S: Serializer>(genome: &Genome, to: S) -> Result<S::Ok, S::Error> {
    to_json(genome).serialize(to)
}

fn text_genome<'de, D: Deserializer<'de>>(from: D) -> Result<Genome, D::Error> {
    from_json(&String::deserialize(from)?).map_err(serde::de::Error::custom)
}

impl Grown {
    fn new(config: &GrowConfig, seed: u64, factors: usize) -> Self {
        let genome = first_genome(config.by, seed, factors);
        Grown { genome, stages: Vec::new(), log: Vec::new(), stop: None }
    }

    /// R² after the last stage; −∞ before the first.
    pub fn r2(&self) -> f64 {
        self.stages.last().map_or(f64::NEG_INFINITY, |stage| stage.r2)
    }

    /// Steps of all stages.
    pub fn steps(&self) -> u64 {
        self.stages.iter().map(|stage| stage.steps).sum()
    }
}

/// The first network: every input linked to every output, weights 0.
fn first_genome(by: GrowBy, seed: u64, factors: usize) -> Genome {
    let outputs = [Output::Hue, Output::Saturation, Output::Brightness];
    let inputs = Input::with_factors(factors);
    let count = inputs.len() as u64;
    let roles = inputs.into_iter().map(Role::Input).chain(outputs.map(Role::Output));
    let node = |(id, role)| NodeGene::new(NodeId(id), role, Activation::Identity);
    let nodes = (0..).zip(roles).map(node).collect();
    let link = |k: u64| {
        let (source, target) = (NodeId((k % count) as u32), NodeId((count + k / count) as u32));
        ConnectionGene::new(InnovationId(k), source, target, 0.0)
    };
    let provenance = Provenance {
        made_by: format!("picloom grow --by {by}"),
        seed: Some(seed),
        ..Provenance::default()
    };
    let links = (0..3 * count).map(link).collect();
    Genome::new(nodes, links, provenance).expect("inputs and outputs, fully linked")
}

/// Everything that changes during a growth. Serialised, it is a checkpoint.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct GrowState {
    /// The growth by gradient whose counts a random one has; it grows first.
    pub lead: Option<Grown>,
    /// The growth itself.
    pub own: Grown,
}

/// What a call of [`Growth::stage`] did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// A stage is done.
    Stage,
    /// There are no more.
    Done(GrowStop),
    /// The observer asked to stop; the stage is not there.
    Interrupted,
}

/// A growth.
///
/// ```
/// use picloom_engine::genome::from_json;
/// use picloom_engine::network::{Coords, Model, PixelInputs, Wiring};
/// use picloom_engine::train::grow::{GrowConfig, Growth};
///
/// let genome = from_json(include_str!("../../../../../genomes/target_letter_a.json"))?;
/// let picture = Model::of_genome(&genome, Wiring::Graph).picture(16, Coords::Fer);
/// let config = GrowConfig { most_links: 20, steps: 50, ..GrowConfig::default() };
/// let inputs = PixelInputs::full(16, Coords::Fer);
/// let mut growth = Growth::new(inputs, picture, config, GrowConfig::recipe())?;
/// growth.run(&mut ())?;
/// let grown = &growth.state().own;
/// assert!(grown.genome.connections().len() <= 20);
/// assert!(grown.r2() > grown.stages[0].r2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Growth {
    inputs: PixelInputs,
    target: Picture,
    config: GrowConfig,
    train: TrainConfig,
    state: GrowState,
}

impl Growth {
    /// Prepares a growth from its beginning. `train` holds the settings of every stage; its `steps` are not used, and
    /// its seed is that of everything drawn.
    ///
    /// # Errors
    /// A setting outside its range, or a picture of one colour.
    pub fn new(
        inputs: PixelInputs,
        target: Picture,
        config: GrowConfig,
        train: TrainConfig,
    ) -> Result<Self, TrainError> {
        let lead = GrowConfig { by: GrowBy::Gradient, ..config.clone() };
        let lead =
            (config.by == GrowBy::Random).then(|| Grown::new(&lead, train.seed, inputs.factors()));
        let own = Grown::new(&config, train.seed, inputs.factors());
        Growth::resume(inputs, target, config, train, GrowState { lead, own })
    }

    /// Goes on from a state of the same growth.
    ///
    /// # Errors
    /// As [`Growth::new`]; the state is of the other way to grow.
    pub fn resume(
        inputs: PixelInputs,
        target: Picture,
        config: GrowConfig,
        train: TrainConfig,
        state: GrowState,
    ) -> Result<Self, TrainError> {
        config.check(&train, inputs.pixels())?;
        let expected = "a picture of more than one colour";
        Refusal::unless(target.variance() > 1e-12, "target of a growth", expected, "one colour")?;
        let fits = state.lead.is_some() == (config.by == GrowBy::Random);
        Refusal::unless(fits, "state of a growth", format!("one by {}", config.by), "another")?;
        let train = TrainConfig { steps: config.steps, ..train };
        Ok(Growth { inputs, target, config, train, state })
    }

    /// The state now: serialise it for a checkpoint.
    pub fn state(&self) -> &GrowState {
        &self.state
    }

    /// Makes all stages. Gives the reason of the end, or none if the observer asked to stop.
    ///
    /// # Errors
    /// A stage cannot be trained.
    pub fn run(
        &mut self,
        observer: &mut dyn TrainObserver,
    ) -> Result<Option<GrowStop>, TrainError> {
        loop {
            match self.stage(observer)? {
                Progress::Stage => {}
                Progress::Done(stop) => return Ok(Some(stop)),
                Progress::Interrupted => return Ok(None),
            }
        }
    }

    /// Makes the next stage; of a random growth first all those of the growth whose counts it has.
    ///
    /// # Errors
    /// It cannot be trained.
    pub fn stage(&mut self, observer: &mut dyn TrainObserver) -> Result<Progress, TrainError> {
        let (before, pattern) = match &self.state.lead {
            Some(lead) if lead.stop.is_none() => (lead, None),
            lead => (&self.state.own, lead.as_ref()),
        };
        if let Some(stop) = before.stop {
            return Ok(Progress::Done(stop));
        }
        let leads = pattern.is_none() && self.state.lead.is_some();
        let mut next = before.clone();
        let chosen = match self.choice(before, pattern)? {
            Ok(chosen) => chosen,
            Err(stop) => {
                next.stop = Some(stop);
                return Ok(self.keep(next, leads));
            }
        };
        let Some(stage) = self.trained(&mut next, chosen, observer)? else {
            return Ok(Progress::Interrupted);
        };
        let failed = stage.is_none() && next.stages.is_empty();
        next.stages.extend(stage);
        let others = pattern.map(|lead| lead.stages.len());
        next.stop = match others {
            _ if failed => Some(GrowStop::NoStart),
            Some(count) => (next.stages.len() >= count).then_some(GrowStop::AsOther),
            None => (next.r2() >= self.config.until_r2).then_some(GrowStop::Reached),
        };
        Ok(self.keep(next, leads))
    }

    fn keep(&mut self, grown: Grown, leads: bool) -> Progress {
        let stop = grown.stop.filter(|_| !leads);
        match leads {
            true => self.state.lead = Some(grown),
            false => self.state.own = grown,
        }
        stop.map_or(Progress::Stage, Progress::Done)
    }

    /// What the next stage adds, with the fall per link in its trial and the evaluations of the trials; or why there is
    /// no next one.
    #[allow(clippy::type_complexity)]
    fn choice(
        &self,
        grown: &Grown,
        pattern: Option<&Grown>,
    ) -> Result<Result<(Option<Addition>, Option<f64>, u64), GrowStop>, TrainError> {
        let number = grown.stages.len();
        if let Some(pattern) = pattern
            && number >= pattern.stages.len()
        {
            return Ok(Err(GrowStop::AsOther));
        }
        if number == 0 {
            return Ok(Ok((None, None, 0)));
        }
        let places = Places::of(&grown.genome);
        let seed = self.train.seed;
        if let Some(pattern) = pattern {
            let kind = pattern.stages[number].added;
            let drawn = places.draw(kind, &mut SimRng::new(seed, "grow place", number as u64));
            return Ok(drawn.map(|drawn| (Some(drawn), None, 0)).ok_or(GrowStop::AsOther));
        }
        let most = self.config.most_links - grown.genome.connections().len();
        if most == 0 {
            return Ok(Err(GrowStop::MostLinks));
        }
        let mut rng = SimRng::new(seed, "grow draw", number as u64);
        let lr = self.train.schedule.lr;
        let pixels = (&self.inputs, &self.target.rgb[..]);
        let mut tried = places.proposals(&self.config, pixels, (lr, most), &mut rng);
        let none = Refusal::new("growth", "a proposal", "none");
        let genomes: Vec<Genome> = [grown.genome.clone()]
            .into_iter()
            .chain(tried.iter().map(|addition| addition.to(&grown.genome)))
            .collect();
        let trials: Result<Vec<(f64, u64)>, TrainError> =
            genomes.par_iter().with_max_len(1).map(|genome| self.trial(genome)).collect();
        let trials = trials?;
        let evaluations = trials.iter().map(|(_, evaluations)| evaluations).sum();
        let Some(((base, _), losses)) = trials.split_first() else { return Err(none.into()) };
        let mut best: Option<(usize, f64)> = None;
        for (k, (addition, (loss, _))) in tried.iter().zip(losses).enumerate() {
            let fall = (base - loss) / addition.kind.links() as f64;
            if fall > best.map_or(0.0, |(_, fall)| fall) {
                best = Some((k, fall));
            }
        }
        let Some((k, fall)) = best else { return Ok(Err(GrowStop::NothingHelps)) };
        Ok(Ok((Some(tried.swap_remove(k)), Some(fall), evaluations)))
    }

    /// The loss of all pixels after a short training of a genome, and its evaluations. Not finite: it diverged.
    fn trial(&self, genome: &Genome) -> Result<(f64, u64), TrainError> {
        let pixels = self.inputs.pixels();
        let train = TrainConfig {
            steps: self.config.trial_steps,
            log_every: self.config.trial_steps,
            subsample: (pixels > TRIAL_PIXELS).then_some(TRIAL_PIXELS),
            batch: None,
            ..self.train.clone()
        };
        let report = Trainer::new(self.problem(genome, true), train)?.run(&mut ());
        Ok((report.final_loss, report.evaluations))
    }

    fn problem(&self, genome: &Genome, begun: bool) -> Problem {
        let (network, weights) = compile(genome);
        Problem {
            mask: Mask::all(network.weight_count()),
            network,
            inputs: self.inputs.clone(),
            target: self.target.clone(),
            start: begun.then_some(weights),
        }
    }

    /// Trains a stage into `next`, whose stage is given back; none inside if its first training failed, none outside if
    /// it was interrupted. A training that ends above the loss it began with is not kept.
    #[allow(clippy::type_complexity)]
    fn trained(
        &self,
        next: &mut Grown,
        (addition, fall, tried): (Option<Addition>, Option<f64>, u64),
        observer: &mut dyn TrainObserver,
    ) -> Result<Option<Option<Stage>>, TrainError> {
        let begun = addition.is_some();
        if let Some(addition) = &addition {
            next.genome = addition.to(&next.genome);
        }
        let offset = next.steps();
        let mut trainer = Trainer::new(self.problem(&next.genome, begun), self.train.clone())?;
        let seconds = next.log.last().map_or(0.0, |line| line.seconds);
        let first = next.log.len();
        let mut watch = Watch { log: &mut next.log, first, offset, seconds, attempt: 0, observer };
        let report = trainer.run(&mut watch);
        if report.stop == StopReason::Interrupted {
            return Ok(None);
        }
        let failed = matches!(report.stop, StopReason::Collapsed | StopReason::Diverged { .. });
        if failed && !begun {
            return Ok(Some(None));
        }
        let (network, before) = compile(&next.genome);
        let loss_of = |weights: &Weights| {
            let rgb = crate::network::kernel::render(&network, weights, &self.inputs);
            Picture { rgb, ..self.target.clone() }.mse(&self.target)
        };
        let (mut weights, mut loss) = (trainer.state().weights.clone(), report.final_loss);
        let first = if begun { loss_of(&before) } else { f64::INFINITY };
        // Not a number is not below either.
        if failed || loss.is_nan() || loss > first {
            (weights, loss) = (before, first);
        }
        next.genome = with_weights(&next.genome, &weights)
            .map_err(|error| Refusal::new("growth", "finite weights", error.to_string()))?;
        let hidden = next.genome.nodes().filter(|node| node.role == Role::Hidden).count();
        let ids = |list: &[(NodeId, f64)]| list.iter().map(|(id, _)| *id).collect();
        let by_chance = fall.is_none();
        Ok(Some(Some(Stage {
            added: addition.as_ref().map_or(Kind::Start, |addition| addition.kind),
            from: addition.as_ref().map_or(Vec::new(), |addition| ids(&addition.sources)),
            to: addition.as_ref().map_or(Vec::new(), |addition| ids(&addition.targets)),
            promise: addition.as_ref().filter(|_| !by_chance).map(|addition| addition.promise),
            fall,
            links: next.genome.connections().len(),
            units: hidden,
            loss,
            r2: 1.0 - loss / self.target.variance(),
            steps: report.steps,
            evaluations: report.all_evaluations() + tried,
        })))
    }
}

/// Counts the logged steps over all stages, without attempts that collapsed; passes everything on.
struct Watch<'a> {
    log: &'a mut Vec<LogLine>,
    /// Lines, steps and wall time before this stage.
    first: usize,
    offset: u64,
    seconds: f64,
    attempt: u32,
    observer: &'a mut dyn TrainObserver,
}

impl TrainObserver for Watch<'_> {
    fn logged(&mut self, line: &LogLine) {
        if line.attempt != self.attempt {
            self.attempt = line.attempt;
            self.log.truncate(self.first);
        }
        let (step, seconds) = (self.offset + line.step, self.seconds + line.seconds);
        let line = LogLine { attempt: 0, step, seconds, ..*line };
        self.observer.logged(&line);
        self.log.push(line);
    }

    fn step_done(&mut self, state: &TrainState) -> bool {
        self.observer.step_done(state)
    }
}
