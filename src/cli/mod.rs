//! The command line: clap structs → calls. The only place that prints.
//!
//! A program of its own with more kinds of study is a [`Program`] too ([`run_program`]): its options everywhere,
//! its exit codes and its ways to print are these.
//!
//! Exit codes: 0 done, 1 the work failed, 2 bad usage, 130 stopped. With `--json`, stdout is one JSON document
//! and people's text goes to stderr; with `--quiet` nothing but errors goes there.

mod animate;
pub mod bench;
mod collection;
mod compare;
mod completions;
mod contrast;
mod decide;
mod distil;
mod emit;
mod eval;
mod evolve;
mod examples;
mod experiment;
mod export;
mod family;
mod figures;
mod genome;
mod interrupt;
mod judge;
mod maps;
mod names;
mod new;
mod output;
mod page;
mod plot;
mod progress;
mod prune;
mod regime;
mod render;
mod score;
mod settings;
mod source;
#[cfg(feature = "studio")]
mod studio;
mod study;
mod sweep;
mod template;
mod train;
mod whole;

pub use experiment::{StudyCommand, tell, with_study};
pub use output::{Output, ascii_controls, plain, shortened};
pub use progress::{Bar, duration};
pub use source::Usage;
pub use study::StudyArgs;

use crate::base::allocator::Allocator;
use crate::base::refusal::Refusal;
use crate::experiment::kinds::KINDS;
use clap::error::{ContextKind, ErrorKind};
use clap::{Args, ColorChoice, CommandFactory, Parser, Subcommand};
use output::tell_error;
use std::ffi::OsString;
use std::num::{IntErrorKind, ParseIntError};
use std::process::ExitCode;

/// The exit codes, for the help of a program.
pub const EXIT_CODES: &str = "Exit codes: 0 done, 1 the work failed, 2 wrong use, 130 stopped.";

/// Heading of the options that every command has.
const EVERYWHERE: &str = "Everywhere";

/// Evolve, retrain, prune and score picture-drawing networks.
#[derive(Parser)]
#[command(name = "picloom", version, about, long_about = None, after_help = EXIT_CODES)]
struct Cli {
    #[command(flatten)]
    everywhere: Everywhere,
    #[command(subcommand)]
    command: Command,
}

/// The options that every command of every program has.
#[derive(Args, Clone, Debug)]
pub struct Everywhere {
    /// Print one JSON document on stdout; text for people goes to stderr
    #[arg(long, global = true, help_heading = EVERYWHERE)]
    json: bool,
    /// Nothing on stderr but errors: no progress, no remarks
    #[arg(long, global = true, help_heading = EVERYWHERE)]
    quiet: bool,
    /// Colours in messages; auto: on a terminal, unless NO_COLOR is set
    #[arg(long, global = true, help_heading = EVERYWHERE, value_name = "WHEN", default_value = "auto")]
    color: ColorChoice,
    /// Worker threads [default: one per core]. Results do not depend on it
    #[arg(long, global = true, help_heading = EVERYWHERE, value_name = "N", value_parser = threads)]
    threads: Option<usize>,
}

/// A command line, parsed: what it says of printing, and the work.
pub trait Program: Parser {
    /// The command as clap has it, with all that its help says.
    fn whole() -> clap::Command {
        Self::command()
    }

    /// The options that every command has.
    fn everywhere(&self) -> &Everywhere;

    /// Does the work.
    ///
    /// # Errors
    /// The work failed, was stopped, or the use was wrong.
    fn work(self, out: &Output) -> anyhow::Result<()>;
}

#[derive(Subcommand)]
enum Command {
    /// Compare a genome's evolved network with networks trained on its picture, networks trained on a
    /// picture, or finished runs
    Compare(compare::CompareArgs),
    /// Look at, draw and convert genomes
    Genome(genome::GenomeArgs),
    /// Draw families of pictures: one scene under every combination of two or three factors
    Family(family::FamilyArgs),
    /// Evolve genomes by target, novelty, quality-diversity or hand
    Evolve(Box<evolve::EvolveArgs>),
    /// Train a wiring on a picture
    Train(train::TrainArgs),
    /// Measure how well a network draws a picture
    Eval(eval::EvalArgs),
    /// Remove links and retrain
    Prune(prune::PruneArgs),
    /// Draw what a network draws, at any size: PNG, JPEG, TIFF
    Render(render::RenderArgs),
    /// Make a film: between genomes, along a lineage, of a weight, a zoom
    Animate(Box<animate::AnimateArgs>),
    /// Write a network for other programs: weights, ONNX, a shader, Graphviz
    Export(export::ExportArgs),
    /// Draw what every unit of a network sees
    Maps(maps::MapsArgs),
    /// Change weights one by one and draw the pictures
    Sweep(sweep::SweepArgs),
    /// Score how compositional a network is
    Score(Box<score::ScoreArgs>),
    /// Fit and test the judges behind the score
    Judge(judge::JudgeArgs),
    /// Compare groups of networks in a table of results, with intervals and a verdict
    Contrast(Box<contrast::ContrastArgs>),
    /// Run studies from their specs
    Experiment(experiment::ExperimentArgs),
    /// Find the depth and the number of links at which a picture's score is highest
    Regime(regime::RegimeArgs),
    /// Find the fewest links with which descent learns a picture
    Distil(distil::DistilArgs),
    /// Draw a figure of any table of results, or the loss curves of runs
    Plot(Box<plot::PlotArgs>),
    /// Breed, look inside, compare and train in the browser, on this machine
    #[cfg(feature = "studio")]
    Studio(studio::StudioArgs),
    /// Write the page that needs nothing installed: one file, or a site
    Page(page::PageArgs),
    /// Time training steps and pictures on this machine
    Bench(bench::BenchArgs),
    /// Print what a shell needs to complete commands, options and their values
    Completions(completions::CompletionsArgs),
    /// Write a manual page for every command
    Man(completions::ManArgs),
}

impl Program for Cli {
    fn whole() -> clap::Command {
        examples::add(examples::grouped(Cli::command()))
    }

    fn everywhere(&self) -> &Everywhere {
        &self.everywhere
    }

    fn work(self, out: &Output) -> anyhow::Result<()> {
        match self.command {
            Command::Compare(args) => compare::run(args, out),
            Command::Genome(args) => genome::run(args, out),
            Command::Family(args) => family::run(args, out),
            Command::Evolve(args) => evolve::run(*args, out),
            Command::Train(args) => train::run(args, out),
            Command::Eval(args) => eval::run(args, out),
            Command::Prune(args) => prune::run(args, out),
            Command::Render(args) => render::run(args, out),
            Command::Animate(args) => animate::run(*args, out),
            Command::Export(args) => export::run(args, out),
            Command::Maps(args) => maps::run(args, out),
            Command::Sweep(args) => sweep::run(args, out),
            Command::Score(args) => score::run(*args, out),
            Command::Judge(args) => judge::run(args, out),
            Command::Regime(args) => regime::run(args, out),
            Command::Distil(args) => distil::run(args, out),
            Command::Contrast(args) => contrast::run(*args, out),
            Command::Experiment(args) => experiment::run(args, &KINDS, out),
            Command::Plot(args) => plot::run(*args, out),
            #[cfg(feature = "studio")]
            Command::Studio(args) => studio::run(args, out),
            Command::Page(args) => page::run(args, out),
            Command::Bench(args) => bench::run(args, out),
            Command::Completions(args) => completions::print(args, command()),
            Command::Man(args) => completions::write_pages(&args, command(), out),
        }
    }
}

/// Lets options take negative numbers, so that the error can name the expected range.
fn negatives_are_values(command: clap::Command) -> clap::Command {
    let of = |arg: clap::Arg| {
        if arg.get_action().takes_values() && !arg.is_positional() {
            arg.allow_negative_numbers(true)
        } else {
            arg
        }
    };
    command.mut_args(of).mut_subcommands(negatives_are_values)
}

/// Rewrites clap's error about a value that is no number, in words of numbers, not of the parser.
fn told_in_numbers(error: clap::Error) -> clap::Error {
    let source = std::error::Error::source(&error);
    let Some(source) = source.and_then(|source| source.downcast_ref::<ParseIntError>()) else {
        return error;
    };
    let told = |kind| error.get(kind).map(ToString::to_string).unwrap_or_default();
    let (arg, value) = (told(ContextKind::InvalidArg), told(ContextKind::InvalidValue));
    let expected = match source.kind() {
        IntErrorKind::PosOverflow => "a smaller number",
        _ if value.starts_with('-') => "a whole number of at least 0",
        _ => "a whole number",
    };
    let text = format!("invalid value '{value}' for '{arg}': expected {expected}\n");
    clap::Error::raw(ErrorKind::ValueValidation, text)
}

/// What people look for under another program's name, and how it is said here.
const ELSEWHERE: [(&str, &str); 3] = [
    ("--weight-decay", "--optimizer adamw:weight_decay=0.01"),
    ("--l1", "--penalty l1:strength=1e-4"),
    ("--l2", "--penalty l2:strength=1e-4"),
];

/// Answers an option that another program has.
fn told_elsewhere(error: clap::Error) -> clap::Error {
    let found = error.get(ContextKind::InvalidArg).map(ToString::to_string).unwrap_or_default();
    let name = found.split(['=', ' ']).next().unwrap_or_default();
    match ELSEWHERE.iter().find(|(other, _)| *other == name) {
        Some((_, here)) if error.kind() == ErrorKind::UnknownArgument => {
            let text = format!(
                "unexpected argument '{name}' found: it is written {here} (docs/SETTINGS.md)\n"
            );
            clap::Error::raw(ErrorKind::UnknownArgument, text)
        }
        _ => error,
    }
}

/// The command line as clap has it: its commands, options and help.
pub fn command() -> clap::Command {
    Cli::whole()
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
    run_program::<Cli>(arguments.into_iter().map(Into::into).collect())
}

/// Runs a program on its arguments, its own name first: bad usage ends the process.
pub fn run_program<P: Program>(arguments: Vec<OsString>) -> ExitCode {
    Allocator::keep_freed();
    let command = negatives_are_values(P::whole()).color(wanted_colour(&arguments));
    let parsed = command.try_get_matches_from(&arguments);
    let parsed = parsed
        .map_err(told_in_numbers)
        .map_err(told_elsewhere)
        .and_then(|matches| P::from_arg_matches(&matches));
    let program = parsed.unwrap_or_else(|error| error.exit());
    let Everywhere { json, quiet, color, threads } = program.everywhere().clone();
    anstream::ColorChoice::write_global(match color {
        ColorChoice::Auto => anstream::ColorChoice::Auto,
        ColorChoice::Always => anstream::ColorChoice::Always,
        ColorChoice::Never => anstream::ColorChoice::Never,
    });
    interrupt::listen(&arguments);
    let out = Output { json, quiet };
    if let Err(e) = join_workers(threads, &out) {
        tell_error(&e);
        return ExitCode::from(1);
    }
    source::tell_series(&arguments, &out);
    match program.work(&out) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) if error.is::<interrupt::Interrupted>() => {
            interrupt::tell();
            ExitCode::from(interrupt::CODE)
        }
        Err(error) => {
            tell_error(&told_once(&error));
            ExitCode::from(if is_wrong_use(&error) { 2 } else { 1 })
        }
    }
}

/// The value of `--color`, which clap's own messages need before it has parsed anything.
fn wanted_colour(arguments: &[OsString]) -> ColorChoice {
    let words: Vec<&str> = arguments.iter().filter_map(|word| word.to_str()).collect();
    let joined = words.iter().find_map(|word| word.strip_prefix("--color="));
    let apart = || words.windows(2).find(|two| two[0] == "--color").map(|two| two[1]);
    match joined.or_else(apart) {
        Some("always") => ColorChoice::Always,
        Some("never") => ColorChoice::Never,
        _ => ColorChoice::Auto,
    }
}

/// Worker threads that are started, at the most: more only cost memory.
const MOST_THREADS: usize = 256;

fn threads(text: &str) -> Result<usize, String> {
    let number = text.parse().ok().filter(|n| *n > 0);
    number.ok_or_else(|| format!("expected a number of threads from 1 up, found {text:?}"))
}

/// Starts the worker threads, this one among them. A parallel pass of work that runs outside of them
/// would be queued under a lock and waited for asleep, and the queue allocates; a training step is
/// one or more such passes.
fn join_workers(wanted: Option<usize>, out: &Output) -> Result<(), String> {
    if rayon::current_thread_index().is_some() {
        return Ok(());
    }
    let threads = wanted.map(|n| n.min(MOST_THREADS));
    if threads < wanted {
        out.note(&format!("--threads: {MOST_THREADS}, the most there can be"));
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

/// True for wrong use of the command, whichever room noticed it: a cause says so.
fn is_wrong_use(error: &anyhow::Error) -> bool {
    error.is::<source::Usage>()
        || error.chain().filter_map(|e| e.downcast_ref::<Refusal>()).any(|found| found.is_usage)
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
    let mut causes = error.chain().filter_map(|cause| cause.downcast_ref::<std::io::Error>());
    causes.any(|cause| cause.kind() == std::io::ErrorKind::BrokenPipe)
}
