//! `picloom judge`: is a judge right? And the `--judge` options that other commands share.

use super::output::Output;
use super::source::Usage;
use crate::network::files::write_atomic;
use crate::score::calibrate::{
    Calibration, LabelSet, RIDGE, Report, calibrate, compare_judges, read_labels, test_judge,
};
use crate::score::{DlJudge, DlModel, DlThreshold, Judge, MockJudge};
use anyhow::Context;
use clap::{Args, Subcommand, ValueEnum};
use serde::Serialize;
use std::path::PathBuf;

#[derive(Args)]
pub struct JudgeArgs {
    #[command(subcommand)]
    command: JudgeCommand,
}

#[derive(Subcommand)]
enum JudgeCommand {
    /// Fit the embedded judge to labelled pictures, with every target left out once
    Calibrate(CalibrateArgs),
    /// Compare a judge with labels, or with another judge
    Test(TestArgs),
}

#[derive(Args)]
struct CalibrateArgs {
    /// Labelled sets (columns image, base, label; paths relative to the file)
    #[arg(required = true, value_name = "LABELS.csv")]
    labels: Vec<PathBuf>,
    /// Ridge of the logistic fit
    #[arg(long, default_value_t = RIDGE)]
    ridge: f64,
    /// Model file to write
    #[arg(long, default_value = "judge-model.json")]
    out: PathBuf,
}

#[derive(Args)]
struct TestArgs {
    /// Labelled sets (columns image, base, label; paths relative to the file)
    #[arg(required = true, value_name = "LABELS.csv")]
    labels: Vec<PathBuf>,
    #[command(flatten)]
    judge: JudgeChoice,
    /// Compare with this judge instead of the labels
    #[arg(long, value_enum)]
    against: Option<JudgeName>,
}

/// The judges by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum JudgeName {
    /// Embedded: four features, description length first
    Dl,
    /// Embedded: one threshold on the PNG size, a baseline
    DlThreshold,
    /// Seeded coin tosses, to test the plumbing
    Mock,
}

/// Which judge, and how it is set up.
#[derive(Args, Clone, Debug)]
pub struct JudgeChoice {
    /// Who judges the pictures
    #[arg(long, value_enum, default_value_t = JudgeName::Dl)]
    judge: JudgeName,
    /// Model file for the judge dl, from `picloom judge calibrate` (default: the shipped one)
    #[arg(long = "judge-model", visible_alias = "model", value_name = "FILE")]
    model: Option<PathBuf>,
}

impl JudgeChoice {
    /// The chosen judge.
    pub fn build(&self) -> anyhow::Result<Box<dyn Judge>> {
        if self.model.is_some() && self.judge != JudgeName::Dl {
            return Err(Usage("--judge-model is for --judge dl".into()).into());
        }
        self.named(self.judge)
    }

    fn named(&self, name: JudgeName) -> anyhow::Result<Box<dyn Judge>> {
        Ok(match name {
            JudgeName::Dl => match &self.model {
                Some(path) => Box::new(DlJudge {
                    model: DlModel::read(path)?,
                }),
                None => Box::new(DlJudge::default()),
            },
            JudgeName::DlThreshold => Box::new(DlThreshold::default()),
            JudgeName::Mock => Box::new(MockJudge { seed: 0 }),
        })
    }
}

pub fn run(args: JudgeArgs, out: &Output) -> anyhow::Result<()> {
    match args.command {
        JudgeCommand::Calibrate(args) => run_calibrate(&args, out),
        JudgeCommand::Test(args) => run_test(&args, out),
    }
}

fn read_sets(paths: &[PathBuf]) -> anyhow::Result<Vec<LabelSet>> {
    Ok(paths
        .iter()
        .map(|p| read_labels(p))
        .collect::<Result<_, _>>()?)
}

fn run_calibrate(args: &CalibrateArgs, out: &Output) -> anyhow::Result<()> {
    let sets = read_sets(&args.labels)?;
    // File names only: where the files lay on this machine is nobody's business.
    let files: Vec<&str> = sets.iter().map(|s| s.file.as_str()).collect();
    let command = format!(
        "picloom judge calibrate {} --ridge {}",
        files.join(" "),
        args.ridge
    );
    let calibration = calibrate(&sets, args.ridge, &today()?, &command)?;
    let json = serde_json::to_string_pretty(&calibration.model)? + "\n";
    write_atomic(&args.out, json.as_bytes())?;
    let text = calibration_table(&calibration) + &format!("\nmodel  {}\n", args.out.display());
    out.result(&calibration, &text)
}

fn calibration_table(calibration: &Calibration) -> String {
    let model = &calibration.model;
    let mut text = String::from("feature      mean    spread   weight\n");
    for term in &model.terms {
        text += &format!(
            "{:<8} {:>8.4} {:>9.4} {:>8.4}\n",
            term.feature, term.mean, term.spread, term.weight
        );
    }
    text += &format!("constant {:>27.4}\n\n", model.intercept);
    text += &calibration.in_sample.table();
    text += "\n";
    match &calibration.left_out {
        Some(report) => text += &report.table(),
        None => text += "one target only: nothing could be left out\n",
    }
    text
}

#[derive(Serialize)]
struct TestRecord {
    #[serde(flatten)]
    report: Report,
    seconds: f64,
}

fn run_test(args: &TestArgs, out: &Output) -> anyhow::Result<()> {
    let sets = read_sets(&args.labels)?;
    let judge = args.judge.build()?;
    let started = std::time::Instant::now();
    let report = match args.against {
        None => test_judge(&sets, judge.as_ref())?,
        Some(name) => compare_judges(&sets, judge.as_ref(), args.judge.named(name)?.as_ref())?,
    };
    let seconds = started.elapsed().as_secs_f64();
    let text = report.table()
        + &format!(
            "{} pictures in {seconds:.2} s, reading them included\n",
            report.pooled.pictures
        );
    out.result(&TestRecord { report, seconds }, &text)
}

/// Today, UTC, as YYYY-MM-DD.
fn today() -> anyhow::Result<String> {
    let since = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .context("the clock stands before 1970")?;
    Ok(date_of_day(since.as_secs() / 86_400))
}

/// The date of a day counted from 1970-01-01.
fn date_of_day(mut day: u64) -> String {
    let leap = |year: u64| {
        year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
    };
    let mut year = 1970;
    while day >= 365 + u64::from(leap(year)) {
        day -= 365 + u64::from(leap(year));
        year += 1;
    }
    let february = 28 + u64::from(leap(year));
    let mut month = 1;
    for days in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
        if day < days {
            break;
        }
        day -= days;
        month += 1;
    }
    format!("{year:04}-{month:02}-{:02}", day + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_have_dates() {
        assert_eq!(date_of_day(0), "1970-01-01");
        assert_eq!(date_of_day(19_782), "2024-02-29");
        assert_eq!(date_of_day(20_777), "2026-11-20");
        assert_eq!(date_of_day(11_016), "2000-02-29");
    }
}
