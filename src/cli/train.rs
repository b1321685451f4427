//! `picloom train`: one wiring on one picture, into a run folder.

use super::interrupt::{self, Interrupted};
use super::names::one_of;
use super::output::{Output, tell_begins};
use super::progress::Bar;
use super::settings::Laid;
use super::source::{Usage, check_size, fit_help};
use crate::base::lock::FolderLock;
use crate::base::refusal::Refusal;
use crate::genome::{self, Inputs};
use crate::network::weight_files::read_weights;
use crate::network::{
    Arch, Coords, Mask, Model, Network, Squaring, TrainedWiring, Wiring, layered_arch, read_genome,
};
use crate::run::{
    RunResult, TrainJob, finished, is_genome_file, load_mask, load_target, read_train_config,
    train_run,
};
use crate::train::{Init, LogLine, StopReason, TrainConfig, TrainObserver, TrainState};
use clap::Args;
use std::path::{Path, PathBuf};

#[derive(Args)]
pub(super) struct TrainArgs {
    /// Genome whose wiring is trained (.json, .zip, .xml)
    #[arg(long, conflicts_with = "arch")]
    genome: Option<PathBuf>,
    /// How the genome is wired: graph, layerized (its links in layers), dense (every link of the layers),
    /// rewired (every unit keeps its numbers of links), connected (every layer keeps its numbers of links and
    /// units), random (every layer keeps its number of links), or evolved+N%, rewired+N%, connected+N%,
    /// random+N% (N % more links, drawn at random)
    #[arg(long, default_value = "dense", conflicts_with = "arch")]
    wiring: TrainedWiring,
    /// Arch string of a layered network instead of a genome
    #[arg(long)]
    arch: Option<Arch>,
    /// What a dense network reads instead of x, y, d and bias: functions such as "abs(x),y,sin(3d),x*y,bias" (docs/METHODS.md §1)
    #[arg(long)]
    inputs: Option<Inputs>,
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
    /// Go on from the folder's checkpoint, or with more --steps than the folder's run had
    #[arg(long)]
    resume: bool,
    #[command(flatten)]
    settings: TrainSettings,
}

/// Training settings shared by `train` and `prune`; the defaults are FER's recipe.
#[derive(Args, Clone)]
#[command(next_help_heading = "Training")]
pub(super) struct TrainSettings {
    /// TOML file of settings, as `[train]` in a run's config.toml, which may be given whole; options
    /// go before it
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    #[command(flatten)]
    options: Laid<TrainConfig>,
}

impl TrainSettings {
    /// The defaults, over them the file, over it the options.
    pub(super) fn config(&self) -> anyhow::Result<TrainConfig> {
        self.config_over(TrainConfig::default())
    }

    /// The same with other settings where there is no file.
    pub(super) fn config_over(&self, usual: TrainConfig) -> anyhow::Result<TrainConfig> {
        let base = self.config.as_deref().map(read_train_config).transpose()?;
        Ok(self.options.over(&base.unwrap_or(usual))?)
    }
}

/// Says that training has every colour, where the picture is that of a genome with a palette.
pub(super) fn tell_palette(target: &Path, out: &Output) -> anyhow::Result<()> {
    let genome = is_genome_file(target).then(|| genome::read(target)).transpose()?;
    if let Some(genome) = genome.filter(|genome| !genome.palette.is_free()) {
        let (file, palette) = (target.display(), genome.palette);
        out.note(&format!("{file} is drawn in the palette {palette}; networks learn it in every colour, as they draw themselves"));
    }
    Ok(())
}

/// The arch with the inputs of the command line.
fn reading(arch: Arch, inputs: &Option<Inputs>) -> Result<Arch, Refusal> {
    let Some(inputs) = inputs else { return Ok(arch) };
    let expected = "a network without inputs of its own";
    Refusal::unless(arch.inputs.is_default(), "--inputs", expected, &arch.inputs)?;
    arch.reading(inputs.clone())
}

pub(super) fn run(args: TrainArgs, out: &Output) -> anyhow::Result<()> {
    let size = check_size(args.size)?;
    let target = load_target(&args.target, size, args.coords, args.fit)?;
    tell_palette(&args.target, out)?;
    let mut genome_of_graph = None;
    let (arm, network, mask): (String, Network, Mask) = match (&args.genome, &args.arch) {
        (Some(path), _) => {
            let is_graph = args.wiring == TrainedWiring::Graph;
            let read_as = if is_graph { Wiring::Graph } else { Wiring::Dense };
            let genome = read_genome(path, read_as)?;
            let seed = args.settings.config()?.seed;
            let (network, mask) = match args.inputs {
                None => {
                    let Model { network, mask, .. } = args.wiring.model(&genome, seed)?;
                    (network, mask)
                }
                Some(_) => {
                    let fits = args.wiring == TrainedWiring::Dense;
                    let expected = "--wiring dense: other wirings have their genome's inputs";
                    Refusal::unless(fits, "--inputs", expected, args.wiring)?;
                    let network = reading(layered_arch(&genome), &args.inputs)?.network();
                    let mask = Mask::all(network.weight_count());
                    (network, mask)
                }
            };
            genome_of_graph = is_graph.then_some(genome);
            (args.wiring.to_string(), network, mask)
        }
        (None, Some(arch)) => {
            let network = reading(arch.clone(), &args.inputs)?.network();
            match &args.mask {
                Some(path) => ("masked".into(), network.clone(), load_mask(path, &network)?),
                None => {
                    let mask = Mask::all(network.weight_count());
                    ("dense".into(), network, mask)
                }
            }
        }
        (None, None) => {
            return Err(Usage(
                "expected --genome GENOME, or --arch such as \"6;gaussian:4,sin:4\", found neither"
                    .into(),
            )
            .into());
        }
    };
    let mut config = args.settings.config()?;
    let is_file = |init: &&String| init.ends_with(".npz") || init.ends_with(".safetensors");
    let start = match args.init.as_ref().filter(is_file) {
        Some(file) => {
            if args.settings.options.has("init_scale") {
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
    let mut job = TrainJob::new(
        &arm,
        &target,
        args.coords,
        (network, mask),
        start,
        genome_of_graph.as_ref(),
        config,
    );
    job.keeps_state = true;
    tell_begins(&args.out, args.resume, out);
    // A finished run is only read, perhaps where nothing can be written.
    let _lock = match finished(&args.out, &job.config, args.resume)? {
        Some(_) => None,
        None => Some(FolderLock::take(&args.out)?),
    };
    let mut progress = TrainProgress::new(out, steps, &args.out);
    let result = train_run(&args.out, job, args.resume, &mut progress)?;
    progress.bar.finish_and_clear();
    report(&args.out, &result, out)
}

/// Shows the loss, and stops the training when asked to.
pub(super) struct TrainProgress {
    /// The bar.
    pub bar: Bar,
}

impl TrainProgress {
    /// A bar of `steps` steps; from now on the run in `folder` can be stopped at any of them.
    pub(super) fn new(out: &Output, steps: u64, folder: &Path) -> Self {
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
pub(super) fn diverged(stop: &StopReason) -> anyhow::Result<()> {
    match stop {
        StopReason::Diverged { step, .. } => anyhow::bail!(
            "training diverged at step {step}: its loss or weights are no finite numbers; take a smaller --lr"
        ),
        _ => Ok(()),
    }
}

/// A stop reason in words.
pub(super) fn describe(stop: &StopReason) -> String {
    match stop {
        StopReason::StepLimit => "all steps made".into(),
        StopReason::TargetLoss => "target loss reached".into(),
        StopReason::Plateau => "loss no longer falling".into(),
        StopReason::Collapsed => "collapsed into one colour".into(),
        StopReason::Diverged { step, .. } => format!("diverged at step {step}"),
        StopReason::Interrupted => "interrupted".into(),
    }
}
