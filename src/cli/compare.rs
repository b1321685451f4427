//! `picloom compare`: the main job.

use super::interrupt::{self, Interrupted};
use super::output::Output;
use super::progress::duration;
use super::settings::{Laid, of_profile};
use super::source::{Usage, fit_help};
use super::study::{Watch, wall};
use super::template::{tell_replaced, write_spec};
use super::train::tell_palette;
use crate::base::lock::FolderLock;
use crate::base::text::{portable, word};
use crate::experiment::compare::{CompareError, Comparison, compare, compare_runs};
use crate::experiment::networks::StudySettings;
use crate::experiment::template::{Changes, Subject, Template};
use crate::figures::compare::write_comparison;
use crate::network::Squaring;
use crate::run::is_genome_file;
use crate::study::kinds::Study;
use clap::Args;
use clap::builder::PossibleValuesParser;
use serde_json::json;
use std::path::{Path, PathBuf};

#[derive(Args)]
#[command(mut_args(of_profile))]
pub(super) struct CompareArgs {
    /// Genome file (.json, .zip, .xml), a genome that comes with the program by its name (`picloom genome
    /// list`) [default: bred_moth], a picture file, or two or more folders of finished runs
    #[arg(value_name = "GENOME|PICTURE|RUN RUN")]
    subjects: Vec<PathBuf>,
    /// quick (64², minutes), standard (128², 3 seeds) or paper (256², 100 000 steps, 5 seeds)
    #[arg(long, default_value = "quick", value_parser = PossibleValuesParser::new(Template::Compare.profiles()))]
    profile: String,
    /// Optimizer steps of each training, instead of the profile's
    #[arg(long)]
    steps: Option<u64>,
    /// First seed, as many as the profile has; of runs: seed of the weights that are changed
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Seeds of the trainings, instead of the profile's: 0,1,2
    #[arg(long, value_delimiter = ',', conflicts_with = "seed")]
    seeds: Vec<u64>,
    #[arg(long, help = fit_help(), value_parser = super::names::one_of::<Squaring>())]
    fit: Option<Squaring>,
    #[command(flatten)]
    own: Laid<StudySettings>,
    /// Folder for the report and everything it is drawn from [default: picloom-compare, with the name of
    /// the genome or picture if one is given]
    #[arg(long)]
    out: Option<PathBuf>,
    /// Write the spec of this comparison for `picloom experiment run`, and compare nothing
    #[arg(long, value_name = "FILE", conflicts_with = "out")]
    spec: Option<PathBuf>,
}

/// The genome that is compared when none is named.
const DEFAULT: &str = "genomes/bred_moth.json";

pub(super) fn run(args: CompareArgs, out: &Output) -> anyhow::Result<()> {
    let is_picture = |path: &Path| !is_genome_file(path);
    if args.fit.is_some() && !matches!(args.subjects.as_slice(), [one] if is_picture(one)) {
        return Err(Usage("--fit: expected a picture to compare on, found none".into()).into());
    }
    let changes = changes(&args)?;
    if let Some(path) = &args.spec {
        let [subject] = args.subjects.as_slice() else {
            return Err(Usage("--spec: expected one genome or picture".into()).into());
        };
        let (json, text) = write_spec(Template::Compare, subject, args.fit, &changes, path)?;
        return out.result(&json, &text);
    }
    let subject = match args.subjects.as_slice() {
        [] => Subject::read(Path::new(DEFAULT), args.fit)?,
        [one] if one.is_dir() => {
            let text = format!("expected two or more runs, found only {}", one.display());
            return Err(Usage(text).into());
        }
        [one] => {
            tell_palette(one, out)?;
            Subject::read(one, args.fit)?
        }
        runs => return side_by_side(&args, runs, &changes, out),
    };
    let single = Template::Compare.of(subject, &changes)?;
    let folder = folder(&args);
    let _lock = FolderLock::take(&folder)?;
    interrupt::saves();
    tell_replaced(&single, &folder, out);
    let left = wall(single.study.status(&folder.join("runs"))?.core_seconds_left);
    if left > 0.0 {
        let threads = rayon::current_num_threads();
        out.note(&format!("about {} on {threads} threads", duration(left)));
    }
    let mut watch = Watch::new(out, single.study.count(), single.study.called(), None);
    let compared = compare(&single, &folder, &mut watch);
    watch.bar.finish_and_clear();
    match compared {
        Err(CompareError::Interrupted) => Err(Interrupted.into()),
        other => report(&other?, &folder, &args, out),
    }
}

/// The options as changes to the comparison.
fn changes(args: &CompareArgs) -> anyhow::Result<Changes> {
    let profile = Some(args.profile.clone());
    let mut seeds = args.seeds.clone();
    seeds.sort_unstable();
    seeds.dedup();
    if seeds.is_empty() && args.seed != 0 {
        let usual = Changes { profile: profile.clone(), ..Changes::default() };
        let usual = Template::Compare.spec(&usual)?.seeds;
        seeds = usual.iter().map(|seed| seed + args.seed).collect();
    }
    let seeds = (!seeds.is_empty()).then_some(seeds);
    let own = args.own.by_key()?;
    Ok(Changes { profile, steps: args.steps, seeds, own, ..Changes::default() })
}

/// Writes the report, and says what came out.
fn report(
    comparison: &Comparison,
    folder: &Path,
    args: &CompareArgs,
    out: &Output,
) -> anyhow::Result<()> {
    let report = write_comparison(comparison, folder, &command_line(args))?;
    let mut json = json!(comparison.record);
    json["report"] = json!(report.to_string_lossy());
    out.result(&json, &format!("{}\nreport: {}", comparison.summary(), report.display()))
}

/// Compares finished runs.
fn side_by_side(
    args: &CompareArgs,
    runs: &[PathBuf],
    changes: &Changes,
    out: &Output,
) -> anyhow::Result<()> {
    if let Some(file) = runs.iter().find(|path| !path.is_dir()) {
        let file = file.display();
        let text = format!(
            "expected one genome, one picture or folders of runs, found {file} among several"
        );
        return Err(Usage(text).into());
    }
    let trains = args.own.has("log_every") || args.own.has("target_r2");
    if args.steps.is_some() || !args.seeds.is_empty() || trains {
        let text = "--steps, --seeds, --log-every and --target-r2 are of trainings: finished runs are not trained again";
        return Err(Usage(text.into()).into());
    }
    let folder = folder(args);
    let _lock = FolderLock::take(&folder)?;
    let bar = out.progress(runs.len() as u64, "runs");
    let mut begin = |name: &str| {
        bar.inc(1);
        bar.set_message(name.to_string());
    };
    let asked = Template::Compare.spec(changes)?;
    let compared = compare_runs(runs, &asked, args.seed, &folder, &mut begin);
    bar.finish_and_clear();
    report(&compared?, &folder, args, out)
}

/// Where the report goes: each subject has a folder of its own.
fn folder(args: &CompareArgs) -> PathBuf {
    let default = || match args.subjects.as_slice() {
        [] => PathBuf::from("picloom-compare"),
        [one] => {
            let stem = one.file_stem().unwrap_or_default().to_string_lossy();
            PathBuf::from(format!("picloom-compare-{stem}"))
        }
        _ => PathBuf::from("picloom-compare-runs"),
    };
    args.out.clone().unwrap_or_else(default)
}

fn command_line(args: &CompareArgs) -> String {
    let mut command = String::from("picloom compare");
    for subject in &args.subjects {
        command += &format!(" {}", word(portable(subject)));
    }
    command += &format!(" --profile {}", args.profile);
    if let Some(steps) = args.steps {
        command += &format!(" --steps {steps}");
    }
    if args.seed != 0 {
        command += &format!(" --seed {}", args.seed);
    }
    if !args.seeds.is_empty() {
        let seeds: Vec<String> = args.seeds.iter().map(ToString::to_string).collect();
        command += &format!(" --seeds {}", seeds.join(","));
    }
    if let Some(fit) = args.fit {
        command += &format!(" --fit {}", fit.name());
    }
    command += &args.own.command_line();
    if let Some(folder) = &args.out {
        command += &format!(" --out {}", word(portable(folder)));
    }
    command
}
