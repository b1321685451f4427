//! `picloom judge`: is a judge right? And the `--judge` options that other commands share.

mod sheets;

use super::output::Output;
use super::settings::Laid;
use super::source::Usage;
use crate::score::judges::{BuildJudgeError, Dl, Vlm};
use crate::score::labels::{LabelSet, compare_judges, read_labels, test_judge};
use crate::score::{Judge, JudgeChoice, JudgeUsage};
use clap::{Args, Subcommand};
use serde_json::json;
use std::path::PathBuf;

#[derive(Args)]
pub(super) struct JudgeArgs {
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
pub(super) struct JudgeArg {
    #[arg(long, default_value = "dl", value_name = "NAME", help = judge_help())]
    judge: JudgeChoice,
    /// Model file for the judge dl, from `picloom-experiments judge fit` (default: the shipped one)
    #[arg(long = "judge-model", visible_alias = "model", value_name = "FILE")]
    model: Option<PathBuf>,
    #[command(flatten)]
    vlm: Laid<Vlm>,
}

/// The judges by name, as the table has them.
fn judge_help() -> String {
    let rows = JudgeChoice::TABLE.iter().map(|row| format!("{}, {}", row.name, row.says));
    format!("Who judges the pictures: {}", rows.collect::<Vec<_>>().join("; "))
}

/// The options of a vision-language server, which needs a model. `wants` is what asks for one: `--judge vlm`.
pub(super) fn server(options: &Laid<Vlm>, wants: &str) -> Result<Vlm, Usage> {
    match options.has("vlm_model") {
        true => options.over(&Vlm::default()),
        false => Err(Usage(format!("{wants} needs --vlm-model NAME (docs/JUDGES.md)"))),
    }
}

impl JudgeArg {
    /// Its name and options.
    pub(super) fn choice(&self) -> &JudgeChoice {
        &self.judge
    }

    /// True if options stand beside its name.
    pub(super) fn has_more(&self) -> bool {
        self.model.is_some() || !self.vlm.is_empty()
    }

    /// The chosen judge.
    pub(super) fn build(&self) -> anyhow::Result<Box<dyn Judge>> {
        let plain = JudgeChoice::Dl(Dl::default());
        if self.model.is_some() && self.judge != plain {
            return Err(Usage("--judge-model is for --judge dl without options".into()).into());
        }
        let with_options =
            matches!(&self.judge, JudgeChoice::Vlm(options) if *options != Vlm::default());
        if with_options && !self.vlm.is_empty() {
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
                JudgeChoice::Vlm(server(&self.vlm, "--judge vlm")?)
            }
            other => other.clone(),
        };
        choice.build().map_err(|error| match error {
            BuildJudgeError::Options(text) => Usage(text).into(),
            other => other.into(),
        })
    }
}

pub(super) fn run(args: JudgeArgs, out: &Output) -> anyhow::Result<()> {
    match args.command {
        JudgeCommand::Test(args) => run_test(&args, out),
        JudgeCommand::Sheets(args) => sheets::run_sheets(&args, out),
        JudgeCommand::Labels(args) => sheets::run_labels(&args, out),
    }
}

/// The usage of a judge that works through a server, for people; empty for the others.
pub(super) fn usage_text(usage: Option<&JudgeUsage>) -> String {
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
    let mut json = serde_json::to_value(&report)?;
    (json["seconds"], json["usage"]) = (json!(seconds), json!(judge.usage()));
    out.result(&json, &text)
}
