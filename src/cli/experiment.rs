//! `picloom experiment`: studies from their specs.

use super::decide;
use super::emit;
use super::figures;
use super::interrupt;
use super::names::one_of;
use super::new;
use super::output::Output;
use super::settings::{Laid, of_profile};
use super::source::{check_size, fit_help};
use super::study::{self, Said, StudyArgs, WorkerArgs};
use super::template::{make, write_spec};
use super::whole;
use crate::experiment::depth::{DepthModel, Sweep, depth_curves, png_ratio};
use crate::experiment::networks::{NetworksRecord, NetworksSpec, StudySettings};
use crate::experiment::template::{Changes, Subject, Template};
use crate::network::{Coords, Squaring};
use crate::run::load_target;
use crate::study::Record;
use crate::study::kinds::Kind;

use clap::{Args, Subcommand};
use serde_json::json;
use std::path::{Path, PathBuf};

/// Arguments of `picloom experiment`.
#[derive(Args)]
pub(super) struct ExperimentArgs {
    #[command(subcommand)]
    command: ExperimentCommand,
}

#[derive(Subcommand)]
enum ExperimentCommand {
    #[command(flatten)]
    Study(StudyCommand),
    /// Write a commented spec to begin a study from
    New(new::NewArgs),
    /// Draw the figures of a spec from its table of results; without [[figures]] the usual ones
    Figures(Box<figures::FiguresArgs>),
    /// Write one page of a study: its question, arms, contrasts, figures, and how to repeat it
    Report(figures::ReportArgs),
    /// Simulate how often the contrasts of a spec would find an effect, before it is run
    Power(decide::PowerArgs),
    /// Train networks of several depths on one picture, and score them by depth
    DepthSweep(Box<DepthSweepArgs>),
    /// Predict from how well a picture compresses at which depth its score is highest
    PredictDepth {
        /// Picture, or a genome
        picture: PathBuf,
        /// Record of a depth study [default: the one that came with the program]
        #[arg(long, value_name = "RECORD")]
        from: Option<PathBuf>,
        #[arg(long, help = fit_help(), value_parser = one_of::<Squaring>())]
        fit: Option<Squaring>,
    },
}

/// The commands on studies that every program has, for its own kinds.
#[derive(Subcommand)]
pub enum StudyCommand {
    /// List the studies of a folder
    List {
        /// Folder of specs
        #[arg(default_value = "experiments")]
        folder: PathBuf,
    },
    /// Run every cell of a study that is not finished, beside other workers if there are
    Run {
        /// The study
        #[command(flatten)]
        study: StudyArgs,
        /// The worker
        #[command(flatten)]
        worker: WorkerArgs,
        /// Only say how many cells there are to run, and about how long they take
        #[arg(long)]
        dry_run: bool,
    },
    /// Count the cells that are done, failed, held by a worker, or free
    Status(StudyArgs),
    /// Decide the contrasts of a spec on its table of results
    Decide(decide::ResultsArgs),
    /// Write the finished cells as a table, and say how many are missing
    Collect {
        /// The study
        #[command(flatten)]
        study: StudyArgs,
        /// Folder for the table, rows.csv.gz, and study.json; of a whole study one folder a part [default: the study's
        /// own, in the store]
        #[arg(long)]
        out: Option<PathBuf>,
        /// Columns that the table in --out keeps, with commas between [default: all]
        #[arg(long, value_delimiter = ',', requires = "out")]
        columns: Vec<String>,
    },
    /// Write the script that starts workers by Slurm, HyperQueue, Kubernetes or GNU parallel
    Emit(Box<emit::EmitArgs>),
}

#[derive(Args)]
#[command(mut_args(of_profile))]
struct DepthSweepArgs {
    /// Picture, or a genome
    picture: PathBuf,
    /// Numbers of hidden layers
    #[arg(long, value_delimiter = ',', default_values_t = usual_depths())]
    depths: Vec<usize>,
    /// Seeds of the trainings
    #[arg(long, value_delimiter = ',', default_values_t = usual().seeds)]
    seeds: Vec<u64>,
    /// Optimizer steps of each training and retraining
    #[arg(long, default_value_t = usual().steps)]
    steps: u64,
    /// Side of the picture in pixels
    #[arg(long, default_value_t = usual().size)]
    size: usize,
    #[command(flatten)]
    own: Laid<StudySettings>,
    #[arg(long, help = fit_help(), value_parser = one_of::<Squaring>())]
    fit: Option<Squaring>,
    /// Folder of the run store
    #[arg(long, default_value = "runs")]
    runs: PathBuf,
    /// Write the spec of this sweep for `picloom experiment run`, and sweep nothing
    #[arg(long, value_name = "FILE", conflicts_with = "runs")]
    spec: Option<PathBuf>,
}

/// The sweep without options.
fn usual() -> NetworksSpec {
    Template::DepthSweep.spec(&Changes::default()).expect("the embedded spec is sound")
}

fn usual_depths() -> Vec<usize> {
    let NetworksSpec { targets, offsets, .. } = usual();
    let layers = targets[0].arch.as_ref().map_or(0, |arch| arch.layers);
    offsets.iter().map(|&offset| layers.saturating_add_signed(offset as isize)).collect()
}

/// Does it, for studies of these kinds.
pub(super) fn run(args: ExperimentArgs, kinds: &[Kind], out: &Output) -> anyhow::Result<()> {
    let words = "picloom experiment";
    let said = match args.command {
        ExperimentCommand::Study(command) => with_study(command, kinds, words, out)?,
        ExperimentCommand::PredictDepth { picture, from, fit } => {
            predict_depth(&picture, from.as_deref(), fit)?
        }
        ExperimentCommand::New(args) => new::run(&args)?,
        ExperimentCommand::Figures(args) => figures::run(&args)?,
        ExperimentCommand::Report(args) => figures::report(&args)?,
        ExperimentCommand::Power(args) => decide::simulate(&args)?,
        ExperimentCommand::DepthSweep(args) => depth_sweep(*args, out)?,
    };
    tell(&said, words, out)
}

/// Prints what a command has to say; fails if cells of its study did. `words` are the program's, before `status`.
pub fn tell((json, text): &Said, words: &str, out: &Output) -> anyhow::Result<()> {
    out.result(json, text)?;
    match json["failed"].as_u64() {
        Some(failed) if failed > 0 => {
            anyhow::bail!("{failed} failed; `{words} status SPEC` says why")
        }
        _ => Ok(()),
    }
}

/// Does what a command says with its study, which is of one of these kinds. `words` are the program's, before `run`.
pub fn with_study(
    command: StudyCommand,
    kinds: &[Kind],
    words: &str,
    out: &Output,
) -> anyhow::Result<Said> {
    match command {
        StudyCommand::List { folder } => study::list(&folder),
        StudyCommand::Run { study: args, dry_run: true, .. } => whole::preview(&args, kinds),
        StudyCommand::Run { study: args, worker, .. } => {
            interrupt::saves();
            whole::run(&args, kinds, worker, out)
        }
        StudyCommand::Status(args) => whole::status(&args, kinds),
        StudyCommand::Decide(args) => decide::run(&args, out),
        StudyCommand::Collect { study: args, out: to, columns } => {
            whole::collect(&args, kinds, to.as_deref(), &columns)
        }
        StudyCommand::Emit(args) => emit::run(*args, kinds, words),
    }
}

/// Runs the sweep, draws it, and says which depth is best.
fn depth_sweep(args: DepthSweepArgs, out: &Output) -> anyhow::Result<Said> {
    let changes = Changes {
        profile: None,
        depths: Some(args.depths),
        seeds: Some(args.seeds),
        steps: Some(args.steps),
        size: Some(check_size(args.size)?),
        own: args.own.by_key()?,
        arms: None,
    };
    if let Some(path) = &args.spec {
        return write_spec(Template::DepthSweep, &args.picture, args.fit, &changes, path);
    }
    let single = Template::DepthSweep.of(Subject::read(&args.picture, args.fit)?, &changes)?;
    let (folder, (mut json, mut text)) = make(&single, &args.runs, out)?;
    let record = NetworksRecord::read(&folder)?;
    for (arm, sweep) in [("dense", Sweep::DENSE), ("sp", Sweep::SP)] {
        let curves = depth_curves(&record, sweep);
        let curve = curves.first().ok_or_else(|| anyhow::anyhow!("no {arm} network was made"))?;
        json[arm] =
            json!({ "best": curve.best, "chosen": curve.chosen, "at_edge": curve.at_edge() });
        text += &match curve.chosen {
            Some(layers) => format!("\n{arm}: best at {layers} hidden layers"),
            None => format!("\n{arm}: no depth counts, too few networks learned the picture"),
        };
        if curve.chosen.is_some() && curve.at_edge() {
            text += " (the end of the sweep: no peak is shown)";
        }
    }
    Ok((json, text))
}

fn predict_depth(
    picture: &Path,
    from: Option<&Path>,
    fit: Option<Squaring>,
) -> anyhow::Result<Said> {
    let model = match from {
        Some(path) => DepthModel::of_record(&NetworksRecord::read(path)?)
            .map_err(|e| anyhow::anyhow!("{}: cannot predict depths: {e}", path.display()))?,
        None => DepthModel::shipped(),
    };
    let target = load_target(picture, model.size, Coords::default(), fit)?;
    let ratio = png_ratio(&target.picture);
    let layers = model.layers(ratio);
    let error = model
        .error
        .map_or(String::new(), |e| format!(" (off by {e:.1} on average, on targets left out)"));
    let text = format!(
        "{}: PNG bytes / raw bytes {ratio:.3} at {}²\npredicted: {layers} hidden layers{error}",
        picture.display(),
        model.size
    );
    let json = json!({ "picture": picture.to_string_lossy(), "ratio": ratio, "layers": layers, "model": model });
    Ok((json, text))
}
