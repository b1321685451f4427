//! `picloom compare`: the main job.

use super::interrupt;
use super::output::Output;
use crate::experiment::compare::{CompareConfig, CompareObserver, Profile, compare};
use crate::figures::compare::write_comparison;
use crate::genome::{self, Genome};
use crate::network::files::create_folder;
use crate::score::DlJudge;
use crate::train::TrainState;
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
    /// Folder for the report and everything it is drawn from
    #[arg(long, default_value = "picloom-compare")]
    out: PathBuf,
}

/// The genome that is compared when none is named.
const DEFAULT: (&str, &str) =
    ("genomes/bred_moth.json", include_str!("../../genomes/bred_moth.json"));

pub fn run(args: CompareArgs, out: &Output) -> anyhow::Result<()> {
    interrupt::listen();
    let (genome, name): (Genome, String) = match &args.genome {
        Some(path) => (genome::read(path)?, path.display().to_string()),
        None => (genome::from_json(DEFAULT.1)?, DEFAULT.0.to_string()),
    };
    let mut config = CompareConfig::of(args.profile);
    if let Some(steps) = args.steps {
        config.steps = steps;
    }
    for seed in &mut config.seeds {
        *seed += args.seed;
    }
    create_folder(&args.out)?;
    let judge = DlJudge::default();
    let mut progress = Progress { bar: out.progress(config.steps, "steps"), said: String::new() };
    let compared = compare(&genome, &name, &config, &judge, &args.out.join("runs"), &mut progress);
    progress.bar.finish_and_clear();
    let comparison = compared?;
    let command = command_line(&args);
    let report = write_comparison(&comparison, &args.out, &command)?;
    let mut text =
        format!("{:<10} {:>4} {:>6} {:>8}  score (95 % interval)\n", "arm", "seed", "kept", "R²");
    for r in &comparison.record.arms {
        let score = match (r.score.score, r.score.interval) {
            (Some(s), Some((low, high))) => format!("{s:.3} ({low:.3} to {high:.3})"),
            _ => "none".into(),
        };
        let unfit = if r.score.counts { "" } else { "  UNFIT: does not count" };
        let seed = r.seed.map_or("-".into(), |s| s.to_string());
        text +=
            &format!("{:<10} {seed:>4} {:>6} {:>8.4}  {score}{unfit}\n", r.arm, r.kept, r.fit.r2);
    }
    text += &format!("\nreport: {}", report.display());
    out.result(&comparison.record, &text)
}

fn command_line(args: &CompareArgs) -> String {
    let mut command = String::from("picloom compare");
    if let Some(genome) = &args.genome {
        command += &format!(" {}", genome.display());
    }
    command += &format!(" --profile {}", format!("{:?}", args.profile).to_lowercase());
    if let Some(steps) = args.steps {
        command += &format!(" --steps {steps}");
    }
    if args.seed != 0 {
        command += &format!(" --seed {}", args.seed);
    }
    command
}

struct Progress {
    bar: ProgressBar,
    said: String,
}

impl CompareObserver for Progress {
    fn part(&mut self, part: usize, parts: usize, what: &str) {
        self.said = format!("{part}/{parts} {what}");
        self.bar.set_position(0);
        self.bar.set_message(self.said.clone());
        if self.bar.is_hidden() {
            eprintln!("{}", self.said);
        }
    }

    fn step(&mut self, state: &TrainState, steps: u64) -> bool {
        if state.step.is_multiple_of(64) {
            self.bar.set_length(steps);
            self.bar.set_position(state.step);
        }
        !interrupt::asked()
    }
}
