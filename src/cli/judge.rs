//! `picloom judge`: is a judge right? And the `--judge` options that other commands share.

mod sheets;

use super::output::Output;
use super::source::Usage;
use crate::score::judges::{BuildJudgeError, Dl, Vlm};
use crate::score::labels::{LabelSet, Report, compare_judges, read_labels, test_judge};
use crate::score::{Judge, JudgeChoice, JudgeUsage};
use clap::{Args, Subcommand};
use serde::Serialize;
use std::path::PathBuf;

#[derive(Args)]
pub struct JudgeArgs {
    #[command(subcommand)]
    command: JudgeCommand,
}

#[derive(Subcommand)]
enum JudgeCommand {
    /// Compare a judge with labels, or with another judge
    Test(Box<TestArgs>),
    /// Draw numbered perturbations of several networks, shuffled, to label without knowing the network
    Sheets(sheets::SheetsArgs),
    /// Merge numbered answers with their key into a labelled set
    Labels(sheets::LabelsArgs),
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
}

/// Which judge, and how it is set up.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "The judge")]
pub struct JudgeArg {
    #[arg(long, default_value = "dl", value_name = "NAME", help = judge_help())]
    judge: JudgeChoice,
    /// Model file for the judge dl, from `picloom-experiments judge fit` (default: the shipped one)
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
            JudgeChoice::Dl(Dl { model: None }) => {
                JudgeChoice::Dl(Dl { model: self.model.clone() })
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
        JudgeCommand::Test(args) => run_test(&args, out),
        JudgeCommand::Sheets(args) => sheets::run_sheets(&args, out),
        JudgeCommand::Labels(args) => sheets::run_labels(&args, out),
    }
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
    let sets: Vec<LabelSet> =
        args.labels.iter().map(|path| read_labels(path)).collect::<Result<_, _>>()?;
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
    let text = format!(
        "{}{} pictures in {seconds:.2} s, reading them included\n{}",
        report.table(),
        report.pooled.pictures,
        usage_text(judge.usage().as_ref())
    );
    out.result(&TestRecord { report, seconds, usage: judge.usage() }, &text)
}
