//! `picloom train`: one wiring on one picture, into a run folder.

use super::interrupt::{self, Interrupted};
use super::output::Output;
use super::source::{Usage, check_size};
use crate::experiment::{RunResult, TrainJob, finished, load_mask, load_target, train_run};
use crate::network::lock::FolderLock;
use crate::network::weight_files::read_weights;
use crate::network::{Arch, Coords, Mask, Model, Network, Wiring, read_genome};
use crate::train::schedule::Shape;
use crate::train::{
    GradientRule, Init, LogLine, OptimizerConfig, Plateau, Schedule, StopReason, TrainConfig,
    TrainObserver, TrainState,
};
use clap::Args;
use indicatif::ProgressBar;
use std::path::{Path, PathBuf};

#[derive(Args)]
pub struct TrainArgs {
    /// Genome whose wiring is trained (.json, .zip, .xml)
    #[arg(long, required_unless_present = "arch", conflicts_with = "arch")]
    genome: Option<PathBuf>,
    /// How the genome is wired: graph, layerized or dense
    #[arg(long, default_value = "dense", conflicts_with = "arch")]
    wiring: Wiring,
    /// Arch string of a layered network instead of a genome
    #[arg(long)]
    arch: Option<Arch>,
    /// Mask of links that may be non-zero (mask.json of a run), with --arch
    #[arg(long, requires = "arch")]
    mask: Option<PathBuf>,
    /// Picture or genome to draw
    #[arg(long, value_name = "IMG|GENOME")]
    target: PathBuf,
    /// Side of the picture in pixels
    #[arg(long, default_value_t = 128)]
    size: usize,
    /// Coordinate convention: fer or picbreeder
    #[arg(long, default_value = "fer")]
    coords: Coords,
    #[command(flatten)]
    settings: TrainSettings,
    /// Initial weights: a file (.npz, .safetensors) or a scheme such as lecun-truncated, he, xavier
    #[arg(long, default_value = "lecun-truncated", value_name = "FILE|SCHEME")]
    init: String,
    /// Folder of the run
    #[arg(long)]
    out: PathBuf,
    /// Go on from the folder's checkpoint
    #[arg(long)]
    resume: bool,
}

/// Training settings shared by `train` and `prune`; the defaults are FER's recipe.
#[derive(Args, Clone)]
pub struct TrainSettings {
    /// Optimizer steps
    #[arg(long, default_value_t = 100_000)]
    pub steps: u64,
    /// Optimizer: sgd, adam, adamw, rmsprop, lion, sam, lbfgs, muon; settings as muon:steps=20. lbfgs
    /// searches its own rate along the raw gradient: --lr, --schedule and --gradient do not act on it
    #[arg(long, default_value = "adam")]
    pub optimizer: OptimizerConfig,
    /// Learning rate
    #[arg(long, default_value_t = 3e-3)]
    pub lr: f64,
    /// Learning-rate schedule: constant or cosine
    #[arg(long, default_value = "constant")]
    pub schedule: Shape,
    /// Steps of linear warm-up
    #[arg(long, default_value_t = 0)]
    pub warm_up: usize,
    /// Where the cosine ends, as a share of --lr
    #[arg(long, default_value_t = 0.0, value_name = "SHARE")]
    pub floor: f64,
    /// Gradient rule: normalize (FER), raw, or clip-norm:C
    #[arg(long, default_value = "normalize")]
    pub gradient: GradientRule,
    /// Factor on the initial weights
    #[arg(long, default_value_t = 1.0)]
    pub init_scale: f64,
    /// Pixels of a minibatch (default: all)
    #[arg(long)]
    pub batch: Option<usize>,
    /// Pixels that training may see at all (default: all)
    #[arg(long)]
    pub subsample: Option<usize>,
    /// Stop at this loss; with --batch, that of all pixels is looked at every 50 steps
    #[arg(long)]
    pub target_loss: Option<f64>,
    /// Stop when the loss has not fallen by --least-fall of itself in this many steps
    #[arg(long, value_name = "STEPS")]
    pub plateau: Option<u64>,
    /// Least relative fall of the loss that --plateau counts
    #[arg(long, default_value_t = 1e-3, value_name = "SHARE", requires = "plateau")]
    pub least_fall: f64,
    /// Steps at the loss of the best constant colour after which an attempt has collapsed
    #[arg(long, default_value_t = 500, value_name = "STEPS")]
    pub collapse_after: u64,
    /// New attempts after a collapse into one colour
    #[arg(long, default_value_t = 5)]
    pub restarts: u32,
    /// Log every N steps
    #[arg(long, default_value_t = 10)]
    pub log_every: u64,
    /// Seed
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
}

impl TrainSettings {
    /// The config, with an init scheme.
    pub fn config(&self, init: Init) -> TrainConfig {
        TrainConfig {
            steps: self.steps,
            seed: self.seed,
            gradient: self.gradient,
            log_every: self.log_every,
            batch: self.batch,
            subsample: self.subsample,
            target_loss: self.target_loss,
            restarts: self.restarts,
            optimizer: self.optimizer.clone(),
            schedule: Schedule {
                lr: self.lr,
                shape: self.schedule,
                warm_up: self.warm_up,
                floor: self.floor,
            },
            init,
            plateau: self.plateau.map(|window| Plateau { window, improvement: self.least_fall }),
            collapse_after: self.collapse_after,
        }
    }
}

pub fn run(args: TrainArgs, out: &Output) -> anyhow::Result<()> {
    let size = check_size(args.size)?;
    let target = load_target(&args.target, size, args.coords)?;
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
    let is_file = args.init.ends_with(".npz") || args.init.ends_with(".safetensors");
    let (start, init) = if is_file {
        if args.settings.init_scale != 1.0 {
            return Err(Usage(format!(
                "--init-scale: expected an --init scheme to scale, found the file {}",
                args.init
            ))
            .into());
        }
        let mut start = read_weights(args.init.as_ref(), &network)?;
        mask.apply(&mut start);
        (Some(start), Init::default())
    } else {
        let scheme = args
            .init
            .parse()
            .map_err(|e| Usage(format!("--init: {e}; or a .npz or .safetensors file")))?;
        (None, Init { scheme, scale: args.settings.init_scale })
    };
    let config = args.settings.config(init);
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
    let mut progress = TrainProgress::new(out, args.settings.steps, &args.out);
    let result = train_run(&args.out, job, args.resume, &mut progress)?;
    progress.bar.finish_and_clear();
    report(&args.out, &result, out)
}

/// Shows the loss, and stops the training when asked to.
pub struct TrainProgress {
    /// The bar.
    pub bar: ProgressBar,
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
        match train.collapses.len() {
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
    Ok(())
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
