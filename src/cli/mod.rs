//! The command line: clap structs → calls. The only place that prints.
//!
//! Exit codes: 0 done, 1 the work failed, 2 bad usage. With `--json`, stdout is one JSON document
//! and people's text goes to stderr.

pub mod bench;
mod cell_study;
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
mod networks;
mod output;
mod prune;
mod score;
mod source;
mod study;
mod sweep;
mod train;

use clap::{Parser, Subcommand};
use output::Output;
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
    let cli = Cli::parse();
    if let Some(threads) = cli.threads
        && let Err(e) = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build_global()
    {
        eprintln!("error: cannot start {threads} threads: {e}");
        return ExitCode::from(1);
    }
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
        Err(error) => {
            eprintln!("error: {}", told_once(&error));
            ExitCode::from(if error.is::<source::Usage>() { 2 } else { 1 })
        }
    }
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
