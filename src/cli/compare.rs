//! `picloom compare`: the main job.

use super::interrupt::{self, Interrupted};
use super::output::Output;
use crate::experiment::Record;
use crate::experiment::compare::{CompareConfig, CompareError, Profile, compare};
use crate::experiment::workers::{self, News, StudyObserver};
use crate::figures::compare::write_comparison;
use crate::genome::{self, Genome};
use crate::network::lock::FolderLock;
use crate::network::{Wiring, read_genome};
use crate::score::JudgeChoice;
use clap::Args;
use indicatif::ProgressBar;
use std::path::PathBuf;

#[derive(Args)]
pub struct CompareArgs {
    /// Genome file (.json, .zip, .xml); default: one that comes with the program
    genome: Option<PathBuf>,
    /// quick (64², minutes), standard (128², 3 seeds) or paper (256², 100 000 steps, 5 seeds)
    #[arg(long, default_value = "quick")]
    profile: Profile,
    /// Optimizer steps of each training, instead of the profile's
    #[arg(long)]
    steps: Option<u64>,
    /// First seed
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Who judges, with options as in dl-threshold:threshold=0.2 [default: dl]
    #[arg(long, value_name = "NAME[:OPTIONS]")]
    judge: Option<JudgeChoice>,
    /// Folder for the report and everything it is drawn from
    #[arg(long, default_value = "picloom-compare")]
    out: PathBuf,
}

/// The genome that is compared when none is named.
const DEFAULT: (&str, &str) =
    ("genomes/bred_moth.json", include_str!("../../genomes/bred_moth.json"));

pub fn run(args: CompareArgs, out: &Output) -> anyhow::Result<()> {
    let (genome, name): (Genome, String) = match &args.genome {
        Some(path) => (read_genome(path, Wiring::Dense)?, path.display().to_string()),
        None => (genome::from_json(DEFAULT.1)?, DEFAULT.0.to_string()),
    };
    let mut config = CompareConfig::of(args.profile);
    if let Some(steps) = args.steps {
        config.steps = steps;
    }
    if let Some(judge) = &args.judge {
        config.judge = judge.clone();
    }
    for seed in &mut config.seeds {
        *seed += args.seed;
    }
    let _lock = FolderLock::take(&args.out)?;
    interrupt::saves();
    let parts = 1 + 5 * config.seeds.len();
    let bar = out.progress(config.steps, "steps");
    let mut progress = Progress { bar, steps: config.steps, part: 0, parts };
    let compared = compare(&genome, &name, &config, &args.out, &mut progress);
    progress.bar.finish_and_clear();
    let comparison = match compared {
        Err(CompareError::Interrupted) => return Err(Interrupted.into()),
        other => other?,
    };
    let report = write_comparison(&comparison, &args.out, &command_line(&args))?;
    let text = format!("{}\nreport: {}", comparison.record.summary(), report.display());
    out.result(&comparison.record, &text)
}

fn command_line(args: &CompareArgs) -> String {
    let mut command = String::from("picloom compare");
    if let Some(genome) = &args.genome {
        command += &format!(" {}", genome.display());
    }
    command += &format!(" --profile {}", args.profile.name());
    if let Some(steps) = args.steps {
        command += &format!(" --steps {steps}");
    }
    if args.seed != 0 {
        command += &format!(" --seed {}", args.seed);
    }
    if let Some(judge) = &args.judge {
        command += &format!(" --judge {judge}");
    }
    command
}

struct Progress {
    bar: ProgressBar,
    /// Steps of a training.
    steps: u64,
    /// Networks begun, of all.
    part: usize,
    parts: usize,
}

impl StudyObserver for Progress {
    fn cell(&mut self, progress: &workers::Progress, _label: &str, _error: Option<&str>) {
        if progress.done == progress.found {
            // A chain that was finished before: the evolved network alone, or the five of a seed.
            self.part += if self.part == 0 { 1 } else { 5 };
        }
    }

    fn news(&mut self, news: News<'_>) {
        match news {
            News::Begins(what) => {
                self.part += 1;
                let said = format!("{}/{} {what}", self.part, self.parts);
                self.bar.set_position(0);
                self.bar.set_message(said.clone());
                if self.bar.is_hidden() {
                    eprintln!("{said}");
                }
            }
            News::Training(state) if state.step.is_multiple_of(64) => {
                self.bar.set_length(self.steps);
                self.bar.set_position(state.step);
            }
            _ => {}
        }
    }

    fn going_on(&mut self) -> bool {
        !interrupt::asked()
    }
}
