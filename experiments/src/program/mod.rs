//! `picloom-experiments`: the paper's studies, from the specs beside this package to verdicts, figures and a report.
//! Options, exit codes and ways to print are those of `picloom`.

mod claims;
mod figures;
mod judge;
mod whole;

use clap::{Parser, Subcommand};
use picloom::cli::{EXIT_CODES, Everywhere, Output, Program, StudyCommand, run_program};
use std::path::PathBuf;
use std::process::ExitCode;

/// Re-examine a paper on compositionality: run its studies, decide its claims, draw its figures.
#[derive(Parser)]
#[command(name = "picloom-experiments", version, about, after_help = EXIT_CODES)]
struct Cli {
    #[command(flatten)]
    everywhere: Everywhere,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    #[command(flatten)]
    Study(Box<StudyCommand>),
    /// Decide the claims of the study from its records
    Claims(claims::ClaimsArgs),
    /// Draw the paper's figures from records
    Figures(figures::FiguresArgs),
    /// Write every figure and verdict into one page
    Report(figures::ReportArgs),
    /// Draw the target pictures into a folder
    Targets {
        /// The folder
        dir: PathBuf,
    },
    /// Fit the embedded judge again, and report on judges
    #[command(subcommand)]
    Judge(judge::JudgeCommand),
}

/// Runs the command line and returns the exit code.
pub fn main() -> ExitCode {
    crate::measures::add();
    run_program::<Cli>(std::env::args_os().collect())
}

impl Program for Cli {
    fn everywhere(&self) -> &Everywhere {
        &self.everywhere
    }

    fn work(self, out: &Output) -> anyhow::Result<()> {
        match self.command {
            Command::Study(command) => whole::run(*command, out),
            Command::Claims(args) => claims::run(args, out),
            Command::Figures(args) => figures::run(args, out),
            Command::Report(args) => figures::report(&args, out),
            Command::Targets { dir } => {
                let files = crate::targets::write_all(&dir)?;
                out.result(&files, &format!("{} pictures in {}", files.len(), dir.display()))
            }
            Command::Judge(command) => judge::run(command, out),
        }
    }
}
