//! `picloom-experiments judge`: the embedded judge fitted again, and reports on judges.

use crate::judge::{FullReport, RIDGE, draw, figures, fit, report, rows_of};
use clap::{Args, Subcommand};
use picloom::base::files::write_atomic;
use picloom::base::folder::FolderKind;
use picloom::cli::Output;
use picloom::figures::{Provenance, save, svg_to_png};
use picloom::score::JudgeChoice;
use picloom::score::labels::{LabelSet, read_labels};
use serde::Serialize;
use std::path::{Path, PathBuf};

/// The commands that use the labelled pictures.
#[derive(Subcommand)]
pub(super) enum JudgeCommand {
    /// Draw the project's own labelled pictures from their networks
    Pictures(PicturesArgs),
    /// Fit the embedded judge to labelled pictures, with every target left out once
    Fit(FitArgs),
    /// Say how well a judge agrees with labels, also within networks, with diagrams
    Report(ReportArgs),
}

/// Which pictures are drawn.
#[derive(Args)]
pub(super) struct PicturesArgs {
    /// Folder of the networks and of the changes
    #[arg(long, default_value = "experiments/labels", value_name = "FOLDER")]
    labels: PathBuf,
    /// Folder for the sets: first/labels.csv, second/labels2.csv, third/labels3.csv and their pictures
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

/// How the judge is fitted.
#[derive(Args)]
pub(super) struct FitArgs {
    /// Labelled sets (columns image, base, label; paths relative to the file)
    #[arg(required = true, value_name = "LABELS.csv")]
    labels: Vec<PathBuf>,
    /// Ridge of the logistic fit
    #[arg(long, default_value_t = RIDGE)]
    ridge: f64,
    /// Day of the fit, for the model's provenance
    #[arg(long, value_name = "YYYY-MM-DD")]
    date: String,
    /// Folder for judge-model.json, report.json and the diagrams
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

/// Which judge is reported on.
#[derive(Args)]
pub(super) struct ReportArgs {
    /// Labelled sets (columns image, base, label; paths relative to the file)
    #[arg(required = true, value_name = "LABELS.csv")]
    labels: Vec<PathBuf>,
    /// The judge: dl, dl:model=FILE, dl-threshold, vlm:model=NAME, mock
    #[arg(long, default_value = "dl", value_name = "NAME")]
    judge: JudgeChoice,
    /// Folder for report.json and the diagrams
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// Draws, fits or reports.
pub(super) fn run(command: JudgeCommand, out: &Output) -> anyhow::Result<()> {
    match command {
        JudgeCommand::Pictures(args) => {
            let sets = draw::draw_sets(&args.labels, &args.out)?;
            let shown: Vec<String> = sets.iter().map(|s| s.display().to_string()).collect();
            out.result(&sets, &format!("wrote  {}", shown.join("\n       ")))
        }
        JudgeCommand::Fit(args) => run_fit(&args, out),
        JudgeCommand::Report(args) => run_report(&args, out),
    }
}

fn read_sets(paths: &[PathBuf]) -> anyhow::Result<Vec<LabelSet>> {
    Ok(paths.iter().map(|path| read_labels(path)).collect::<Result<_, _>>()?)
}

/// The command, with file names only: where the files lay on this machine is nobody's business.
fn command_of(name: &str, sets: &[LabelSet]) -> String {
    let files: Vec<&str> = sets.iter().map(|s| s.file.as_str()).collect();
    format!("picloom-experiments judge {name} {}", files.join(" "))
}

fn run_fit(args: &FitArgs, out: &Output) -> anyhow::Result<()> {
    FolderKind::JudgeReport.ensure(&args.out)?;
    let sets = read_sets(&args.labels)?;
    let command = format!("{} --ridge {}", command_of("fit", &sets), args.ridge);
    let fitted = fit(&sets, args.ridge, &args.date, &command)?;
    let mut written = write(&fitted, &sets, &fitted.left_out, &args.out, &command)?;
    let model = args.out.join("judge-model.json");
    let json = serde_json::to_string_pretty(&fitted.model)? + "\n";
    write_atomic(&model, json.as_bytes())?;
    written.push(model);
    out.result(&fitted, &shown(&fitted.left_out, &written))
}

fn run_report(args: &ReportArgs, out: &Output) -> anyhow::Result<()> {
    if let Some(folder) = &args.out {
        FolderKind::JudgeReport.ensure(folder)?;
    }
    let sets = read_sets(&args.labels)?;
    let found = report(&sets, args.judge.build()?.as_ref())?;
    let written = match &args.out {
        Some(folder) => write(&found, &sets, &found, folder, &command_of("report", &sets))?,
        None => Vec::new(),
    };
    out.result(&found, &shown(&found, &written))
}

fn shown(found: &FullReport, written: &[PathBuf]) -> String {
    let lines: String = written.iter().map(|p| format!("wrote  {}\n", p.display())).collect();
    format!("{}\n{}{lines}", found.report.table(), found.within.table()).trim_end().to_string()
}

/// Writes `report.json` and the diagrams into a folder.
fn write(
    record: &impl Serialize,
    sets: &[LabelSet],
    found: &FullReport,
    folder: &Path,
    command: &str,
) -> anyhow::Result<Vec<PathBuf>> {
    FolderKind::JudgeReport.mark(folder)?;
    let path = folder.join("report.json");
    write_atomic(&path, (serde_json::to_string(record)? + "\n").as_bytes())?;
    let provenance =
        Provenance::none().with("command", command).with("version", env!("CARGO_PKG_VERSION"));
    let mut written = vec![path];
    let rows = rows_of(sets);
    let charts =
        [("reliability", figures::reliability(&found.report)), ("roc", figures::roc(&rows, found))];
    for (name, svg) in charts {
        let (svg, png) = save(&svg, &folder.join(name), &provenance)?;
        written.extend([svg, png]);
    }
    let sheet = svg_to_png(&figures::worst_mistakes(&rows, found)?, 1.0, &provenance);
    let path = folder.join("mistakes.png");
    write_atomic(&path, &sheet.map_err(anyhow::Error::msg)?)?;
    written.push(path);
    Ok(written)
}
