//! `picloom judge`: is a judge right? And the `--judge` options that other commands share.

mod sheets;

use super::output::Output;
use super::source::Usage;
use crate::figures::{Provenance, judge as judge_figures, save, svg_to_png};
use crate::network::files::write_atomic;
use crate::run::folder::FolderKind;
use crate::score::calibrate::{
    Calibration, LabelSet, Report, calibrate, compare_judges, read_labels, test_judge,
};
use crate::score::dl::Version;
use crate::score::judges::{BuildJudgeError, Dl, Vlm};
use crate::score::{Judge, JudgeChoice, JudgeUsage};
use anyhow::Context;
use clap::{Args, Subcommand};
use serde::Serialize;
use std::path::{Path, PathBuf};

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
    Test(Box<TestArgs>),
    /// Draw numbered perturbations of several networks, shuffled, to label without knowing the network
    Sheets(sheets::SheetsArgs),
    /// Merge numbered answers with their key into a labelled set
    Labels(sheets::LabelsArgs),
}

#[derive(Args)]
struct CalibrateArgs {
    /// Labelled sets (columns image, base, label; paths relative to the file)
    #[arg(required = true, value_name = "LABELS.csv")]
    labels: Vec<PathBuf>,
    /// Ridge of the logistic fit [default: the version's]
    #[arg(long)]
    ridge: Option<f64>,
    /// What the judge measures: 2, 3 or 4 [default: 4]
    #[arg(long, value_name = "N")]
    features: Option<usize>,
    /// Model file to write (.json), or a folder for the model, report.json and its figures
    #[arg(long, default_value = "judge-model.json")]
    out: PathBuf,
}

#[derive(Args)]
struct TestArgs {
    /// Labelled sets (columns image, base, label; paths relative to the file)
    #[arg(required = true, value_name = "LABELS.csv")]
    labels: Vec<PathBuf>,
    #[command(flatten)]
    judge: JudgeArg,
    /// Compare with this judge instead of the labels
    #[arg(long, value_name = "NAME")]
    against: Option<JudgeChoice>,
    /// Folder for report.json, the reliability diagram, the ROC curve and the worst mistakes
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// Which judge, and how it is set up.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "The judge")]
pub struct JudgeArg {
    #[arg(long, default_value = "dl", value_name = "NAME", help = judge_help())]
    judge: JudgeChoice,
    /// Model file for the judge dl, from `picloom judge calibrate` (default: the shipped one)
    #[arg(long = "judge-model", visible_alias = "model", value_name = "FILE")]
    model: Option<PathBuf>,
    #[command(flatten)]
    vlm: VlmArgs,
}

/// The judges by name, as the table has them.
fn judge_help() -> String {
    let rows = JudgeChoice::TABLE.iter().map(|row| format!("{}, {}", row.name, row.says));
    format!("Who judges the pictures: {}", rows.collect::<Vec<_>>().join("; "))
}

/// How a vision-language server is reached.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "A vision-language model")]
pub struct VlmArgs {
    /// Base URL of the server of --judge vlm
    #[arg(long, default_value = "http://localhost:11434/v1", value_name = "URL")]
    vlm_url: String,
    /// Its model, by the server's name for it
    #[arg(long, value_name = "NAME")]
    vlm_model: Option<String>,
    /// Environment variable that holds the server's key, if it wants one
    #[arg(long, default_value = "PICLOOM_VLM_KEY", value_name = "VARIABLE")]
    vlm_key: String,
    /// Votes a picture, every other one with the pictures swapped
    #[arg(long, default_value_t = 2, value_name = "N")]
    vlm_votes: usize,
    /// Sampling temperature, or `server` for the server's own
    #[arg(long, default_value = "0", value_name = "T")]
    vlm_temperature: String,
    /// Requests under way at once
    #[arg(long, default_value_t = 4, value_name = "N")]
    vlm_at_a_time: usize,
    /// Attempts a question
    #[arg(long, default_value_t = 5, value_name = "N")]
    vlm_attempts: u32,
    /// Seconds an attempt may take
    #[arg(long, default_value_t = 120.0, value_name = "SECONDS")]
    vlm_timeout: f64,
    /// Folder of the answers and of the log exchanges.jsonl
    #[arg(long, default_value = "runs/vlm", value_name = "DIR")]
    vlm_cache: PathBuf,
}

impl VlmArgs {
    /// True if one is not the default.
    fn has_any(&self) -> anyhow::Result<bool> {
        let named = VlmArgs { vlm_model: Some(String::new()), ..self.clone() }.options()?;
        Ok(self.vlm_model.is_some() || Vlm { model: None, ..named } != Vlm::default())
    }

    /// The options of the table that these are.
    pub fn options(&self) -> anyhow::Result<Vlm> {
        if self.vlm_model.is_none() {
            return Err(Usage("--judge vlm needs --vlm-model NAME (docs/JUDGES.md)".into()).into());
        }
        let temperature = match self.vlm_temperature.as_str() {
            "server" => None,
            text => match text.parse::<f64>() {
                Ok(t) if (0.0..=2.0).contains(&t) => Some(t),
                _ => {
                    let expected = "--vlm-temperature: expected 0 to 2 or server, found";
                    return Err(Usage(format!("{expected} {text:?}")).into());
                }
            },
        };
        let waits = std::time::Duration::try_from_secs_f64(self.vlm_timeout);
        if !waits.is_ok_and(|t| !t.is_zero()) {
            let expected = "--vlm-timeout: expected seconds above 0, found";
            return Err(Usage(format!("{expected} {}", self.vlm_timeout)).into());
        }
        Ok(Vlm {
            url: self.vlm_url.clone(),
            model: self.vlm_model.clone(),
            key: self.vlm_key.clone(),
            votes: self.vlm_votes,
            temperature,
            at_a_time: self.vlm_at_a_time,
            attempts: self.vlm_attempts,
            timeout: self.vlm_timeout,
            cache: self.vlm_cache.clone(),
        })
    }
}

impl JudgeArg {
    /// The chosen judge.
    pub fn build(&self) -> anyhow::Result<Box<dyn Judge>> {
        let plain = JudgeChoice::Dl(Dl::default());
        if self.model.is_some() && self.judge != plain {
            return Err(Usage("--judge-model is for --judge dl without options".into()).into());
        }
        let with_options =
            matches!(&self.judge, JudgeChoice::Vlm(options) if *options != Vlm::default());
        if with_options && self.vlm.has_any()? {
            let text = "--judge vlm:… has its options there: --vlm-… are for --judge vlm";
            return Err(Usage(text.into()).into());
        }
        self.named(&self.judge)
    }

    /// A judge, with the options of the command line where it has none of its own.
    fn named(&self, choice: &JudgeChoice) -> anyhow::Result<Box<dyn Judge>> {
        let choice = match choice {
            JudgeChoice::Dl(Dl { model: None, version: None }) => {
                JudgeChoice::Dl(Dl { model: self.model.clone(), version: None })
            }
            JudgeChoice::Vlm(options) if *options == Vlm::default() => {
                JudgeChoice::Vlm(self.vlm.options()?)
            }
            other => other.clone(),
        };
        choice.build().map_err(|error| match error {
            BuildJudgeError::Options(text) => Usage(text).into(),
            other => other.into(),
        })
    }
}

pub fn run(args: JudgeArgs, out: &Output) -> anyhow::Result<()> {
    match args.command {
        JudgeCommand::Calibrate(args) => run_calibrate(&args, out),
        JudgeCommand::Test(args) => run_test(&args, out),
        JudgeCommand::Sheets(args) => sheets::run_sheets(&args, out),
        JudgeCommand::Labels(args) => sheets::run_labels(&args, out),
    }
}

fn read_sets(paths: &[PathBuf]) -> anyhow::Result<Vec<LabelSet>> {
    Ok(paths.iter().map(|p| read_labels(p)).collect::<Result<_, _>>()?)
}

fn run_calibrate(args: &CalibrateArgs, out: &Output) -> anyhow::Result<()> {
    if let Some(ridge) = args.ridge.filter(|r| !(r.is_finite() && *r > 0.0)) {
        return Err(Usage(format!("--ridge: expected a number above 0, found {ridge}")).into());
    }
    let file = args.out.extension().is_some_and(|e| e == "json");
    if !file {
        FolderKind::JudgeReport.ensure(&args.out)?;
    }
    let version = match args.features {
        None => Version::default(),
        Some(n) => Version::of(n)
            .ok_or_else(|| Usage(format!("--features: expected 2, 3 or 4, found {n}")))?,
    };
    let sets = read_sets(&args.labels)?;
    // File names only: where the files lay on this machine is nobody's business.
    let files: Vec<&str> = sets.iter().map(|s| s.file.as_str()).collect();
    let command = format!(
        "picloom judge calibrate {} --ridge {} --features {}",
        files.join(" "),
        args.ridge.unwrap_or(version.ridge()),
        version.number()
    );
    let calibration = calibrate(&sets, version, args.ridge, &today()?, &command)?;
    let json = serde_json::to_string_pretty(&calibration.model)? + "\n";
    let mut written = Vec::new();
    let model = if file {
        args.out.clone()
    } else {
        let shown = calibration.left_out.as_ref();
        let shown = shown.unwrap_or(&calibration.in_sample);
        written = write_report(&calibration, shown, &args.out, &command)?;
        args.out.join("judge-model.json")
    };
    write_atomic(&model, json.as_bytes())?;
    let text = calibration_table(&calibration)
        + &format!("\nmodel  {}\n", model.display())
        + &written_text(&written);
    out.result(&calibration, &text)
}

/// Writes `report.json`, and the diagrams of `shown`, into a folder.
fn write_report(
    record: &impl Serialize,
    shown: &Report,
    folder: &Path,
    command: &str,
) -> anyhow::Result<Vec<PathBuf>> {
    FolderKind::JudgeReport.mark(folder)?;
    let path = folder.join("report.json");
    let json = serde_json::to_string(record)? + "\n";
    write_atomic(&path, json.as_bytes())?;
    let provenance =
        Provenance::none().with("command", command).with("version", env!("CARGO_PKG_VERSION"));
    let mut written = vec![path];
    for (name, svg) in
        [("reliability", judge_figures::reliability(shown)), ("roc", judge_figures::roc(shown))]
    {
        let (svg, png) = save(&svg, &folder.join(name), &provenance)?;
        written.extend([svg, png]);
    }
    if !shown.mistakes.is_empty() {
        let sheet = judge_figures::worst_mistakes(shown)?;
        let path = folder.join("mistakes.png");
        write_atomic(&path, &svg_to_png(&sheet, 1.0, &provenance).map_err(anyhow::Error::msg)?)?;
        written.push(path);
    }
    Ok(written)
}

fn written_text(paths: &[PathBuf]) -> String {
    let lines = paths.iter().map(|p| format!("wrote  {}\n", p.display()));
    lines.collect()
}

fn calibration_table(calibration: &Calibration) -> String {
    let model = &calibration.model;
    let mut text = String::from("feature              mean    spread   weight\n");
    for term in &model.terms {
        text += &format!(
            "{:<16} {:>8.4} {:>9.4} {:>8.4}\n",
            term.feature, term.mean, term.spread, term.weight
        );
    }
    text += &format!("constant {:>35.4}\n\n", model.intercept);
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
    usage: Option<JudgeUsage>,
}

/// What a judge that asks a server has used, for people; nothing for the others.
pub fn usage_text(usage: Option<&JudgeUsage>) -> String {
    let Some(u) = usage else {
        return String::new();
    };
    let seconds = |s: Option<f64>| s.map_or("none".to_string(), |s| format!("{s:.2} s"));
    format!(
        "questions {} ({} from the cache), requests {} ({} failed), tokens {} in, {} out, median {}, longest {}\n",
        u.questions,
        u.from_cache,
        u.requests,
        u.failed,
        u.prompt_tokens,
        u.completion_tokens,
        seconds(u.median_seconds),
        seconds(u.longest_seconds)
    )
}

fn run_test(args: &TestArgs, out: &Output) -> anyhow::Result<()> {
    if let Some(folder) = &args.out {
        FolderKind::JudgeReport.ensure(folder)?;
    }
    let sets = read_sets(&args.labels)?;
    // The options of the command line may be those of the other judge.
    let judge = match &args.against {
        None => args.judge.build()?,
        Some(_) => args.judge.named(&args.judge.judge)?,
    };
    let started = std::time::Instant::now();
    let report = match &args.against {
        None => test_judge(&sets, judge.as_ref())?,
        Some(name) => compare_judges(&sets, judge.as_ref(), args.judge.named(name)?.as_ref())?,
    };
    let seconds = started.elapsed().as_secs_f64();
    let text = report.table()
        + &format!(
            "{} pictures in {seconds:.2} s, reading them included\n",
            report.pooled.pictures
        )
        + &usage_text(judge.usage().as_ref());
    let record = TestRecord { report, seconds, usage: judge.usage() };
    let written = match &args.out {
        Some(folder) => {
            let files: Vec<&str> = sets.iter().map(|s| s.file.as_str()).collect();
            let command = format!("picloom judge test {}", files.join(" "));
            write_report(&record, &record.report, folder, &command)?
        }
        None => Vec::new(),
    };
    out.result(&record, &(text + &written_text(&written)))
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
