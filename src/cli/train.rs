//! `picloom train`: one wiring on one picture, into a run folder.

use super::interrupt::{self, Interrupted};
use super::names::lay;
use super::names::one_of;
use super::output::Output;
use super::progress::Bar;
use super::source::{Usage, check_size, fit_help};
use crate::math::choice::Choice;
use crate::network::lock::FolderLock;
use crate::network::weight_files::read_weights;
use crate::network::{Arch, Coords, Mask, Model, Network, Squaring, Wiring, read_genome};
use crate::run::{
    RunResult, TrainJob, finished, load_mask, load_target, read_train_config, train_run,
};
use crate::train::schedule::Shape;
use crate::train::{
    GradientRule, Init, LogLine, OptimizerConfig, Plateau, StopReason, TrainConfig, TrainObserver,
    TrainState,
};
use clap::Args;
use std::path::{Path, PathBuf};

#[derive(Args)]
pub struct TrainArgs {
    /// Genome whose wiring is trained (.json, .zip, .xml)
    #[arg(long, required_unless_present = "arch", conflicts_with = "arch")]
    genome: Option<PathBuf>,
    /// How the genome is wired
    #[arg(long, default_value = "dense", conflicts_with = "arch", value_parser = one_of::<Wiring>())]
    wiring: Wiring,
    /// Arch string of a layered network instead of a genome
    #[arg(long)]
    arch: Option<Arch>,
    /// Mask of links that may be non-zero (mask.json of a run), with --arch
    #[arg(long, requires = "arch", conflicts_with = "genome")]
    mask: Option<PathBuf>,
    /// Picture or genome to draw
    #[arg(long, value_name = "IMG|GENOME")]
    target: PathBuf,
    #[arg(long, help = fit_help(), value_parser = one_of::<Squaring>())]
    fit: Option<Squaring>,
    /// Side of the picture in pixels
    #[arg(long, default_value_t = 128)]
    size: usize,
    /// Coordinate convention
    #[arg(long, default_value = "fer", value_parser = one_of::<Coords>())]
    coords: Coords,
    /// Initial weights: a file (.npz, .safetensors) or a scheme such as lecun-truncated, he, xavier
    /// [default: lecun-truncated]
    #[arg(long, value_name = "FILE|SCHEME")]
    init: Option<String>,
    /// Folder of the run
    #[arg(long)]
    out: PathBuf,
    /// Go on from the folder's checkpoint
    #[arg(long)]
    resume: bool,
    #[command(flatten)]
    settings: TrainSettings,
}

/// Training settings shared by `train` and `prune`; the defaults are FER's recipe.
#[derive(Args, Clone)]
#[command(next_help_heading = "Training")]
pub struct TrainSettings {
    /// TOML file of settings, as `[train]` in a run's config.toml, which may be given whole; options
    /// go before it
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Optimizer steps [default: 100000]
    #[arg(long)]
    steps: Option<u64>,
    #[arg(long, help = optimizer_help())]
    optimizer: Option<OptimizerConfig>,
    /// Learning rate [default: 0.003]
    #[arg(long)]
    lr: Option<f64>,
    /// Learning-rate schedule [default: constant]
    #[arg(long, value_parser = one_of::<Shape>())]
    schedule: Option<Shape>,
    /// Steps of linear warm-up [default: 0]
    #[arg(long)]
    warm_up: Option<usize>,
    /// Where the cosine ends, as a share of --lr [default: 0]
    #[arg(long, value_name = "SHARE")]
    floor: Option<f64>,
    /// Gradient rule: normalize (FER), raw, or clip-norm:C [default: normalize]
    #[arg(long)]
    gradient: Option<GradientRule>,
    /// Factor on the initial weights [default: 1]
    #[arg(long)]
    init_scale: Option<f64>,
    /// Pixels of a minibatch [default: all]
    #[arg(long)]
    batch: Option<usize>,
    /// Pixels that training may see at all [default: all]
    #[arg(long)]
    subsample: Option<usize>,
    /// Stop at this loss; with --batch, that of all pixels is looked at every 50 steps
    #[arg(long)]
    target_loss: Option<f64>,
    /// Stop when the loss has not fallen by --least-fall of itself in this many steps
    #[arg(long, value_name = "STEPS")]
    plateau: Option<u64>,
    /// Least relative fall of the loss that --plateau counts [default: 0.001]
    #[arg(long, value_name = "SHARE", requires = "plateau")]
    least_fall: Option<f64>,
    /// Steps at the loss of the best constant colour after which an attempt has collapsed [default:
    /// 500]
    #[arg(long, value_name = "STEPS")]
    collapse_after: Option<u64>,
    /// New attempts after a collapse into one colour [default: 5]
    #[arg(long)]
    restarts: Option<u32>,
    /// Keep the weights that first reach these R², rising: 0.9,0.95,0.97,0.99 (reached-R2.safetensors)
    #[arg(long, value_name = "R2", value_delimiter = ',')]
    checkpoints: Vec<f64>,
    /// After a collapse, training from given weights begins again at the rate times this [default: it ends]
    #[arg(long, value_name = "FACTOR")]
    retry_lr: Option<f64>,
    /// Log every N steps [default: 10]
    #[arg(long)]
    log_every: Option<u64>,
    /// Seed [default: 0]
    #[arg(long)]
    seed: Option<u64>,
}

/// The optimizers by name, as the table has them.
fn optimizer_help() -> String {
    format!(
        "Optimizer: {}; settings as muon:steps=20. lbfgs searches its own rate along the raw gradient: --lr, --schedule and --gradient do not act on it [default: adam]",
        <OptimizerConfig as Choice>::names().join(", ")
    )
}

impl TrainSettings {
    /// The defaults, over them the file, over it the options.
    pub fn config(&self) -> anyhow::Result<TrainConfig> {
        let mut config = match &self.config {
            Some(path) => read_train_config(path)?,
            None => TrainConfig::default(),
        };
        let set = &mut config;
        lay(&mut set.steps, self.steps);
        lay(&mut set.optimizer, self.optimizer.clone());
        lay(&mut set.schedule.lr, self.lr);
        lay(&mut set.schedule.shape, self.schedule);
        lay(&mut set.schedule.warm_up, self.warm_up);
        lay(&mut set.schedule.floor, self.floor);
        lay(&mut set.gradient, self.gradient);
        lay(&mut set.init.scale, self.init_scale);
        set.batch = self.batch.or(set.batch);
        set.subsample = self.subsample.or(set.subsample);
        set.target_loss = self.target_loss.or(set.target_loss);
        if let Some(window) = self.plateau {
            let of_file = set.plateau.map(|plateau| plateau.improvement);
            let improvement = self.least_fall.or(of_file).unwrap_or(1e-3);
            set.plateau = Some(Plateau { window, improvement });
        }
        lay(&mut set.collapse_after, self.collapse_after);
        lay(&mut set.restarts, self.restarts);
        if !self.checkpoints.is_empty() {
            set.checkpoints.clone_from(&self.checkpoints);
        }
        set.retry_lr = self.retry_lr.or(set.retry_lr);
        lay(&mut set.log_every, self.log_every);
        lay(&mut set.seed, self.seed);
        Ok(config)
    }
}

pub fn run(args: TrainArgs, out: &Output) -> anyhow::Result<()> {
    let size = check_size(args.size)?;
    let target = load_target(&args.target, size, args.coords, args.fit)?;
    let mut genome_of_graph = None;
    let (arm, network, mask): (&str, Network, Mask) = match (&args.genome, &args.arch) {
        (Some(path), _) => {
            let genome = read_genome(path, args.wiring)?;
            let Model { network, mask, .. } = Model::of_genome(&genome, args.wiring);
            genome_of_graph = (args.wiring == Wiring::Graph).then_some(genome);
            (args.wiring.name(), network, mask)
        }
        (None, Some(arch)) => {
            let network = arch.network();
            match &args.mask {
                Some(path) => ("masked", network.clone(), load_mask(path, &network)?),
                None => {
                    let mask = Mask::all(network.weight_count());
                    ("dense", network, mask)
                }
            }
        }
        (None, None) => {
            return Err(Usage("expected --genome or --arch, found neither".into()).into());
        }
    };
    let mut config = args.settings.config()?;
    let is_file = |init: &&String| init.ends_with(".npz") || init.ends_with(".safetensors");
    let start = match args.init.as_ref().filter(is_file) {
        Some(file) => {
            if args.settings.init_scale.is_some() {
                return Err(Usage(format!(
                    "--init-scale: expected an --init scheme to scale, found the file {file}"
                ))
                .into());
            }
            let mut start = read_weights(file.as_ref(), &network)?;
            mask.apply(&mut start);
            config.init = Init::default();
            Some(start)
        }
        None => {
            if let Some(scheme) = &args.init {
                config.init.scheme = scheme
                    .parse()
                    .map_err(|e| Usage(format!("--init: {e}; or a .npz or .safetensors file")))?;
            }
            None
        }
    };
    let steps = config.steps;
    let job = TrainJob::new(
        arm,
        &target,
        args.coords,
        (network, mask),
        start,
        genome_of_graph.as_ref(),
        config,
    );
    // A finished run is only read, perhaps where nothing can be written.
    let _lock = match finished(&args.out, &job.config)? {
        Some(_) => None,
        None => Some(FolderLock::take(&args.out)?),
    };
    let mut progress = TrainProgress::new(out, steps, &args.out);
    let result = train_run(&args.out, job, args.resume, &mut progress)?;
    progress.bar.finish_and_clear();
    report(&args.out, &result, out)
}

/// Shows the loss, and stops the training when asked to.
pub struct TrainProgress {
    /// The bar.
    pub bar: Bar,
}

impl TrainProgress {
    /// A bar of `steps` steps; from now on the run in `folder` can be stopped at any of them.
    pub fn new(out: &Output, steps: u64, folder: &Path) -> Self {
        interrupt::saves_for_resume(folder);
        TrainProgress { bar: out.progress(steps, "steps") }
    }
}

impl TrainObserver for TrainProgress {
    fn logged(&mut self, line: &LogLine) {
        let again = if line.attempt > 0 {
            format!(", attempt {}", line.attempt + 1)
        } else {
            String::new()
        };
        self.bar.set_message(format!("loss {:.3e}{again}", line.loss));
    }

    fn step_done(&mut self, state: &TrainState) -> bool {
        if state.step.is_multiple_of(64) {
            self.bar.set_position(state.step);
        }
        !interrupt::asked()
    }
}

fn report(folder: &Path, result: &RunResult, out: &Output) -> anyhow::Result<()> {
    let train = &result.train;
    let stop = describe(&train.stop);
    let text = format!(
        "run {} ({}): {stop} after {} steps{}\n{} of {} links kept\nloss {:.4e}, r2 {:.4}\n{}",
        result.run_id,
        result.arm,
        train.steps,
        match train.earlier().len() {
            0 => String::new(),
            n => format!(" ({n} collapsed attempt{} before)", if n == 1 { "" } else { "s" }),
        },
        result.kept,
        result.links,
        train.final_loss,
        result.fit.r2,
        folder.display(),
    );
    out.result(result, &text)?;
    if train.stop == StopReason::Interrupted {
        return Err(Interrupted.into());
    }
    diverged(&train.stop)
}

/// Training that diverged has failed: nothing can be said of its weights.
pub fn diverged(stop: &StopReason) -> anyhow::Result<()> {
    match stop {
        StopReason::Diverged { step, .. } => anyhow::bail!(
            "training diverged at step {step}: its loss or weights are no finite numbers; take a smaller --lr"
        ),
        _ => Ok(()),
    }
}

/// A stop reason in words.
pub fn describe(stop: &StopReason) -> String {
    match stop {
        StopReason::StepLimit => "all steps made".into(),
        StopReason::TargetLoss => "target loss reached".into(),
        StopReason::Plateau => "loss no longer falling".into(),
        StopReason::Collapsed => "collapsed into one colour".into(),
        StopReason::Diverged { step, .. } => format!("diverged at step {step}"),
        StopReason::Interrupted => "interrupted".into(),
    }
}
