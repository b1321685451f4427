//! The command line: clap structs → calls. The only place that prints.
//!
//! Exit codes: 0 done, 1 the work failed, 2 bad usage, 130 interrupted. With `--json`, stdout is one
//! JSON document and people's text goes to stderr.

pub mod bench;
mod claims;
mod compare;
mod eval;
mod evolve;
mod experiment;
mod figures;
mod genome;
mod interrupt;
mod judge;
mod maps;
mod output;
mod prune;
mod score;
mod source;
mod study;
mod sweep;
mod train;

use clap::{Parser, Subcommand};
use output::Output;
use std::ffi::OsString;
use std::process::ExitCode;

/// Evolve, retrain, prune and score picture-drawing networks.
#[derive(Parser)]
#[command(name = "picloom", version, about, long_about = None)]
struct Cli {
    /// Print one JSON document on stdout; text for people goes to stderr.
    #[arg(long, global = true)]
    json: bool,
    /// Worker threads (default: one a core). Results do not depend on it.
    #[arg(long, global = true, value_name = "N")]
    threads: Option<usize>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Compare a genome's evolved network with networks trained on its picture
    Compare(compare::CompareArgs),
    /// Look at, draw and convert genomes
    Genome(genome::GenomeArgs),
    /// Evolve genomes by target, novelty, quality-diversity or hand
    Evolve(Box<evolve::EvolveArgs>),
    /// Train a wiring on a picture
    Train(train::TrainArgs),
    /// Measure how well a network draws a picture
    Eval(eval::EvalArgs),
    /// Remove links and retrain
    Prune(prune::PruneArgs),
    /// Draw what every unit of a network sees
    Maps(maps::MapsArgs),
    /// Change weights one by one and draw the pictures
    Sweep(sweep::SweepArgs),
    /// Score how compositional a network is
    Score(score::ScoreArgs),
    /// Fit and test the judges behind the score
    Judge(judge::JudgeArgs),
    /// Run studies from their specs
    Experiment(experiment::ExperimentArgs),
    /// Draw figures from committed records
    Figures(figures::FiguresArgs),
    /// Decide the claims of the study from its records
    Claims(claims::ClaimsArgs),
    /// Time training steps and pictures on this machine
    Bench(bench::BenchArgs),
}

/// Runs the command line and returns the exit code.
pub fn main() -> ExitCode {
    run(std::env::args_os())
}

/// Runs these arguments, the program's name first, as the program does: bad usage ends the process.
///
/// The thread that calls joins the worker threads, and may call again: their number is that of
/// its first call.
pub fn run<T: Into<OsString> + Clone>(arguments: impl IntoIterator<Item = T>) -> ExitCode {
    let arguments: Vec<OsString> = arguments.into_iter().map(Into::into).collect();
    let cli = Cli::parse_from(&arguments);
    if let Err(e) = join_workers(cli.threads) {
        eprintln!("error: {e}");
        return ExitCode::from(1);
    }
    interrupt::listen(&arguments);
    let out = Output { json: cli.json };
    let result = match cli.command {
        Command::Compare(args) => compare::run(args, &out),
        Command::Genome(args) => genome::run(args, &out),
        Command::Evolve(args) => evolve::run(*args, &out),
        Command::Train(args) => train::run(args, &out),
        Command::Eval(args) => eval::run(args, &out),
        Command::Prune(args) => prune::run(args, &out),
        Command::Maps(args) => maps::run(args, &out),
        Command::Sweep(args) => sweep::run(args, &out),
        Command::Score(args) => score::run(args, &out),
        Command::Judge(args) => judge::run(args, &out),
        Command::Experiment(args) => experiment::run(args, &out),
        Command::Figures(args) => figures::run(args, &out),
        Command::Claims(args) => claims::run(args, &out),
        Command::Bench(args) => bench::run(args, &out),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) if error.is::<interrupt::Interrupted>() => {
            interrupt::tell();
            ExitCode::from(interrupt::CODE)
        }
        Err(error) => {
            eprintln!("error: {}", output::shortened(&output::plain(&told_once(&error))));
            ExitCode::from(if error.is::<source::Usage>() { 2 } else { 1 })
        }
    }
}

/// Starts the worker threads, this one among them. A parallel pass of work that runs outside of them
/// would be queued under a lock and waited for asleep, and the queue allocates; a training step is
/// one or more such passes.
fn join_workers(threads: Option<usize>) -> Result<(), String> {
    if rayon::current_thread_index().is_some() {
        return Ok(());
    }
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads.unwrap_or(0))
        .use_current_thread()
        .build_global()
        .map_err(|e| {
            let threads = threads.map_or("worker".into(), |n| n.to_string());
            format!("cannot start {threads} threads: {e}")
        })
}

/// An error and its causes, without those that the message before has already told.
fn told_once(error: &anyhow::Error) -> String {
    let mut text = String::new();
    for cause in error.chain().map(ToString::to_string) {
        if text.is_empty() {
            text = cause;
        } else if !text.contains(&cause) {
            text += &format!(": {cause}");
        }
    }
    text
}

/// True if whoever read our output has left (`picloom … | head`).
fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error
        .downcast_ref::<std::io::Error>()
        .is_some_and(|e| e.kind() == std::io::ErrorKind::BrokenPipe)
}
