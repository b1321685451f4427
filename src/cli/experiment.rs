//! `picloom experiment`: studies from their specs.

use super::interrupt::{self, Interrupted};
use super::output::Output;
use super::study;
use crate::experiment::claims::StudySpec;
use crate::experiment::depth::{DepthModel, png_ratio};
use crate::experiment::kinds::{Study, read_study};
use crate::experiment::networks::NetworksRecord;
use crate::experiment::spec::{Spec, SpecError, Title};
use crate::experiment::workers::{Progress, StudyObserver};
use crate::experiment::{Record, load_target};
use crate::network::Coords;
use crate::network::files::write_atomic;
use crate::network::lock::FolderLock;
use clap::{Args, Subcommand};
use indicatif::ProgressBar;
use serde_json::json;
use std::path::{Path, PathBuf};

#[derive(Args)]
pub struct ExperimentArgs {
    #[command(subcommand)]
    command: ExperimentCommand,
}

#[derive(Subcommand)]
enum ExperimentCommand {
    /// List the studies of a folder
    List {
        /// Folder of specs
        #[arg(default_value = "experiments")]
        folder: PathBuf,
    },
    /// Run every cell of a study that is not finished
    Run(StudyArgs),
    /// Count finished, failed and waiting cells
    Status(StudyArgs),
    /// Write the finished runs as a table
    Collect {
        #[command(flatten)]
        study: StudyArgs,
        /// CSV file, one row a run; of a whole study the folder of its records, one folder a part
        #[arg(long)]
        out: PathBuf,
        /// Also the record, from which figures are drawn (figures/STUDY/record.json)
        #[arg(long)]
        record: Option<PathBuf>,
    },
    /// Predict from how well a picture compresses at which depth its score is highest
    PredictDepth {
        /// Picture, or a genome
        picture: PathBuf,
        /// Record of a depth study
        #[arg(long, default_value = "figures/depth/record.json", value_name = "RECORD")]
        from: PathBuf,
    },
}

#[derive(Args)]
pub(super) struct StudyArgs {
    /// Spec (.toml)
    pub(super) spec: PathBuf,
    /// Profile: standard, or one of the spec's
    #[arg(long)]
    pub(super) profile: Option<String>,
    /// Folder of the run store
    #[arg(long, default_value = "runs")]
    pub(super) runs: PathBuf,
}

impl StudyArgs {
    fn study(&self) -> Result<Box<dyn Study>, SpecError> {
        read_study(&self.spec, self.profile.as_deref(), &self.runs)
    }

    /// True for the whole study, which is made of others.
    fn is_whole(&self) -> Result<bool, SpecError> {
        Ok(Title::read(&self.spec)?.kind == StudySpec::KIND)
    }
}

pub fn run(args: ExperimentArgs, out: &Output) -> anyhow::Result<()> {
    let (json, text) = match args.command {
        ExperimentCommand::List { folder } => list(&folder)?,
        ExperimentCommand::PredictDepth { picture, from } => predict_depth(&picture, &from)?,
        ExperimentCommand::Run(args) => {
            interrupt::saves();
            let (json, text) =
                if args.is_whole()? { study::run(&args, out)? } else { run_one(&args, out)? };
            out.result(&json, &text)?;
            return match json["failed"].as_u64() {
                Some(failed) if failed > 0 => {
                    anyhow::bail!("{failed} failed; `picloom experiment status` says why")
                }
                _ => Ok(()),
            };
        }
        ExperimentCommand::Status(args) => match args.is_whole()? {
            true => study::status(&args)?,
            false => status_one(&args)?,
        },
        ExperimentCommand::Collect { study, out: csv, record } => match study.is_whole()? {
            true => study::collect(&study, &csv)?,
            false => collect_one(&study, &csv, record.as_deref())?,
        },
    };
    out.result(&json, &text)
}

/// What a command has to say: for programs, and for people.
pub(super) type Said = (serde_json::Value, String);

fn list(folder: &Path) -> anyhow::Result<Said> {
    let entries = std::fs::read_dir(folder)
        .map_err(|e| anyhow::anyhow!("{}: expected a folder of specs: {e}", folder.display()))?;
    let mut paths = Vec::new();
    for entry in entries {
        let path = entry?.path();
        if path.extension().is_some_and(|e| e == "toml") {
            paths.push(path);
        }
    }
    paths.sort();
    let (mut rows, mut text) = (Vec::new(), String::new());
    for path in paths {
        let title = Title::read(&path)?;
        text += &format!("{} ({})\n  {}\n", path.display(), title.kind, title.question);
        rows.push(json!({
            "spec": path, "kind": title.kind, "about": title.question, "profiles": title.profiles,
        }));
    }
    Ok((rows.into(), text))
}

/// Runs one study, of whatever kind.
pub(super) fn run_one(args: &StudyArgs, out: &Output) -> anyhow::Result<Said> {
    let study = args.study()?;
    let _lock = FolderLock::take(&args.runs.join(study.name()))?;
    let mut watch = Watch::new(out, study.count(), study.called());
    let ran = study.run(&args.runs, &mut watch);
    watch.bar.finish_and_clear();
    let Some(found) = ran? else {
        return Err(Interrupted.into());
    };
    let path = found.folder.join("record.json");
    let mut json = json!({
        "study": study.name(), "profile": study.profile(), "cells": study.count(),
        "failed": watch.failed, "record": path,
    });
    if let (Some(all), serde_json::Value::Object(more)) = (json.as_object_mut(), found.findings) {
        all.extend(more);
    }
    Ok((json, format!("{}\nrecord: {}", found.summary, path.display())))
}

/// Writes what the cells of one study left as a table, and its record.
pub(super) fn collect_one(
    args: &StudyArgs,
    csv: &Path,
    record: Option<&Path>,
) -> anyhow::Result<Said> {
    let study = args.study()?;
    let beside = record.map(|path| path.parent().unwrap_or(Path::new(".")));
    let found = study.collect(&args.runs, beside)?;
    write_atomic(csv, found.table.as_bytes())?;
    let mut text = format!("{}: {}", study.name(), csv.display());
    if let Some(path) = record {
        write_atomic(path, found.record.as_bytes())?;
        text += &format!("\nrecord: {}", path.display());
    }
    Ok((json!({ "cells": study.count(), "csv": csv, "record": record }), text))
}

/// Counts the cells of one study.
pub(super) fn status_one(args: &StudyArgs) -> anyhow::Result<Said> {
    let status = args.study()?.status(&args.runs)?;
    let mut text = format!(
        "{} ({}): {} of {} {} finished, {} failed, {} begun, {} waiting\n",
        status.study,
        status.profile,
        status.done,
        status.total,
        status.cells,
        status.failed.len(),
        status.begun,
        status.waiting
    );
    for failed in &status.failed {
        text += &format!("failed: {} ({})\n  {}\n", failed.cell, failed.id, failed.error);
    }
    Ok((json!(status), text))
}

fn predict_depth(picture: &Path, from: &Path) -> anyhow::Result<Said> {
    let record = NetworksRecord::read(from)?;
    let model = DepthModel::of_record(&record)
        .map_err(|e| anyhow::anyhow!("{}: cannot predict depths: {e}", from.display()))?;
    let target = load_target(picture, model.size, Coords::default())?;
    let ratio = png_ratio(&target.picture);
    let layers = model.layers(ratio);
    let error = model
        .error
        .map_or(String::new(), |e| format!(" (off by {e:.1} on average, on targets left out)"));
    let text = format!(
        "{}: PNG bytes / raw bytes {ratio:.3} at {}²\npredicted: {layers} hidden layers{error}",
        picture.display(),
        model.size
    );
    let json = json!({ "picture": picture, "ratio": ratio, "layers": layers, "model": model });
    Ok((json, text))
}

/// Shows how far a study is.
pub(super) struct Watch {
    pub(super) bar: ProgressBar,
    /// Cells that failed.
    pub(super) failed: usize,
    every: usize,
    what: &'static str,
}

impl Watch {
    pub(super) fn new(out: &Output, cells: usize, what: &'static str) -> Self {
        Watch { bar: out.progress(cells as u64, what), failed: 0, every: (cells / 20).max(1), what }
    }
}

impl StudyObserver for Watch {
    fn cell(&mut self, progress: &Progress, label: &str, error: Option<&str>) {
        let over = progress.done + progress.failed;
        self.failed = progress.failed;
        let left = progress
            .seconds_left
            .map_or(String::new(), |seconds| format!(", about {:.0} s left", seconds));
        self.bar.set_position(over as u64);
        self.bar.set_message(format!("{label}{left}"));
        if let Some(error) = error {
            self.bar.suspend(|| eprintln!("failed: {label}: {error}"));
        }
        if self.bar.is_hidden() && over.is_multiple_of(self.every) {
            eprintln!("{over}/{} {}{left}", progress.total, self.what);
        }
    }

    fn going_on(&mut self) -> bool {
        !interrupt::asked()
    }
}
