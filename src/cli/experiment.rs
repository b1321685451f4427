//! `picloom experiment`: studies from their specs.

use super::cell_study::{self, Action, act};
use super::interrupt;
use super::networks;
use super::output::Output;
use super::study;
use crate::experiment::depth::{DepthModel, png_ratio};
use crate::experiment::load_target;
use crate::experiment::networks::{NetworksRecord, NetworksSpec};
use crate::experiment::newton_schulz::newton_schulz;
use crate::experiment::reevolution::{self, ReevolutionSpec};
use crate::experiment::spec::{Plan, Spec, kind};
use crate::experiment::study::{CellState, StudyRecord, collect, run_study, state, study_folder};
use crate::experiment::workers::{Progress, StudyObserver};
use crate::experiment::xor::{self, XorSpec};
use crate::network::Coords;
use crate::network::files::write_atomic;
use anyhow::Context;
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
    fn plan(&self) -> anyhow::Result<Plan> {
        Ok(Plan::read(&self.spec, self.profile.as_deref())?)
    }
}

pub fn run(args: ExperimentArgs, out: &Output) -> anyhow::Result<()> {
    match args.command {
        ExperimentCommand::List { folder } => list(&folder, out),
        ExperimentCommand::Run(args) => run_all(&args, out),
        ExperimentCommand::Status(args) => status(&args, out),
        ExperimentCommand::PredictDepth { picture, from } => predict_depth(&picture, &from, out),
        ExperimentCommand::Collect { study, out: csv, record } => {
            let (json, text) = match kind(&study.spec)?.as_deref() {
                Some("study") => study::collect(&study, &csv)?,
                _ => collect_one(&study, &csv, record.as_deref())?,
            };
            out.result(&json, &text)
        }
    }
}

fn list(folder: &std::path::Path, out: &Output) -> anyhow::Result<()> {
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
        let kind = kind(&path)?;
        let (about, profiles): (String, Vec<String>) = match kind.as_deref() {
            Some("training") => {
                let spec = Spec::read(&path)?;
                (spec.question, spec.profiles.into_keys().collect())
            }
            Some("networks") => {
                let spec = NetworksSpec::read(&path)?;
                (spec.question, spec.profiles.into_keys().collect())
            }
            other => {
                let kind = other.unwrap_or("unknown");
                let about = format!("a study of its own kind, {kind}: see its page");
                (about, vec![])
            }
        };
        text += &format!("{}\n  {about}\n", path.display());
        rows.push(json!({ "spec": path, "kind": kind, "about": about, "profiles": profiles }));
    }
    out.result(&rows, &text)
}

/// What a command has to say: for programs, and for people.
pub(super) type Said = (serde_json::Value, String);

fn run_all(args: &StudyArgs, out: &Output) -> anyhow::Result<()> {
    interrupt::listen();
    let (json, text) = match kind(&args.spec)?.as_deref() {
        Some("study") => study::run(args, out)?,
        _ => run_one(args, out)?,
    };
    out.result(&json, &text)?;
    match json["failed"].as_u64() {
        Some(failed) if failed > 0 => {
            anyhow::bail!("{failed} runs failed; `picloom experiment status` says why")
        }
        _ => Ok(()),
    }
}

/// Runs one study, of whatever kind.
pub(super) fn run_one(args: &StudyArgs, out: &Output) -> anyhow::Result<Said> {
    let kind = kind(&args.spec)?;
    let profile = args.profile.as_deref();
    if let Some(said) = cell_study::run(kind.as_deref(), &args.spec, profile, &args.runs, out)? {
        return Ok(said);
    }
    match kind.as_deref() {
        Some("xor") => run_xor(&args.spec),
        Some("objective_reevolution") => run_reevolution(&args.spec),
        Some("networks") => networks::run(args, out),
        _ => run_training(args, out),
    }
}

fn run_training(args: &StudyArgs, out: &Output) -> anyhow::Result<Said> {
    let plan = args.plan()?;
    let mut watch = Watch::new(out, plan.runs.len(), "runs");
    let ran = run_study(&plan, &args.runs, &mut watch);
    watch.bar.finish_and_clear();
    let folder = study_folder(&plan, &args.runs);
    let Some(record) = ran? else {
        anyhow::bail!(
            "interrupted; the same command goes on from the checkpoints in {}",
            folder.display()
        );
    };
    let failed = record.runs.iter().filter(|row| row.result.is_none());
    let json = json!({
        "study": record.study, "profile": record.profile, "runs": record.runs.len(),
        "failed": failed.count(), "record": folder.join("record.json"),
        "newton_schulz": newton_schulz(&record).ok(),
    });
    Ok((json, summary(&record, &folder.join("record.json"))))
}

/// Geometric mean losses by target, optimizer and rate, and the finding on Newton–Schulz steps.
fn summary(record: &StudyRecord, path: &std::path::Path) -> String {
    let mut text = format!(
        "{:<10} {:<32} {:>8} {:>6} {:>12} {:>8}\n",
        "target", "optimizer", "rate", "seed", "late loss", "R²"
    );
    for row in &record.runs {
        let lr = row.lr.map_or("-".into(), |lr| lr.to_string());
        let (loss, r2) = match &row.result {
            Some(r) => (format!("{:.3e}", r.late_loss), format!("{:.4}", r.r2)),
            None => ("failed".into(), String::new()),
        };
        text += &format!(
            "{:<10} {:<32} {lr:>8} {:>6} {loss:>12} {r2:>8}\n",
            row.target, row.optimizer, row.seed
        );
    }
    if let Ok(found) = newton_schulz(record) {
        let s = found.slope;
        text += &format!(
            "\nlog₂ loss for each doubling of Newton–Schulz steps: {:.4} [{:.4}, {:.4}], {} units: {:?}\n",
            s.estimate, s.low, s.high, found.units, found.finding
        );
        if let Some(s) = found.slope_same_start {
            text += &format!(
                "the same without cells with restarts: {:.4} [{:.4}, {:.4}]\n",
                s.estimate, s.low, s.high
            );
        }
        let (a, b) = (found.most_over_five, found.exact_over_most);
        text += &format!(
            "most steps / 5 steps: {:.4} [{:.4}, {:.4}]; exact polar / most steps: {:.4} [{:.4}, {:.4}]\n",
            a.estimate, a.low, a.high, b.estimate, b.low, b.high
        );
    }
    text + &format!("\nrecord: {}", path.display())
}

fn predict_depth(picture: &Path, from: &Path, out: &Output) -> anyhow::Result<()> {
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
    out.result(&json, &text)
}

fn status(args: &StudyArgs, out: &Output) -> anyhow::Result<()> {
    let (json, text) = match kind(&args.spec)?.as_deref() {
        Some("study") => study::status(args)?,
        _ => status_one(args)?,
    };
    out.result(&json, &text)
}

/// Writes the finished runs of one study, of whatever kind, as a table, and its record.
pub(super) fn collect_one(
    args: &StudyArgs,
    csv: &Path,
    record: Option<&Path>,
) -> anyhow::Result<Said> {
    let kind = kind(&args.spec)?;
    let action = Action::Collect { csv, record };
    let profile = args.profile.as_deref();
    if let Some(said) = act(kind.as_deref(), &args.spec, profile, &args.runs, action)? {
        return Ok(said);
    }
    if kind.as_deref() == Some("networks") {
        return networks::collected(args, csv, record);
    }
    let collected = collect(&args.plan()?, &args.runs)?;
    write_atomic(csv, collected.to_csv().as_bytes())?;
    let mut text = format!("{} runs: {}", collected.runs.len(), csv.display());
    if let Some(path) = record {
        write_atomic(path, collected.to_json().as_bytes())?;
        text += &format!("\nrecord: {}", path.display());
    }
    let json = json!({ "runs": collected.runs.len(), "csv": csv, "record": record });
    Ok((json, text))
}

/// Counts the cells of one study, of whatever kind.
pub(super) fn status_one(args: &StudyArgs) -> anyhow::Result<Said> {
    let kind = kind(&args.spec)?;
    let profile = args.profile.as_deref();
    let action = Action::Status;
    if let Some(said) = act(kind.as_deref(), &args.spec, profile, &args.runs, action)? {
        return Ok(said);
    }
    if kind.as_deref() == Some("networks") {
        return networks::status(args);
    }
    let plan = args.plan()?;
    let (mut done, mut begun, mut waiting) = (0, 0, 0);
    let mut failed = Vec::new();
    for run in &plan.runs {
        match state(&plan, &args.runs, run) {
            CellState::Done(_) => done += 1,
            CellState::Begun => begun += 1,
            CellState::Waiting => waiting += 1,
            CellState::Failed(error) => {
                failed.push(json!({ "run_id": run.run_id(), "run": run.label(), "error": error }));
            }
        }
    }
    let mut text = format!(
        "{} ({}): {done} of {} runs finished, {} failed, {begun} begun, {waiting} waiting\n",
        plan.spec.name,
        plan.profile,
        plan.runs.len(),
        failed.len()
    );
    for failure in &failed {
        text += &format!(
            "failed: {} ({})\n  {}\n",
            failure["run"], failure["run_id"], failure["error"]
        );
    }
    let json = json!({
        "study": plan.spec.name, "profile": plan.profile, "total": plan.runs.len(),
        "done": done, "begun": begun, "waiting": waiting, "failed": failed,
    });
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

/// NEAT's classic check: `experiments/xor.toml`.
fn run_xor(path: &Path) -> anyhow::Result<Said> {
    let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
    let fail = |e: String| anyhow::anyhow!("{}: {e}", path.display());
    let spec = XorSpec::from_toml(&text).map_err(fail)?;
    let report = xor::run(&spec);
    let text = format!(
        "solved {} of {} runs\nmean over solved runs: {:.1} generations, {:.0} evaluations, {:.2} hidden nodes\npublished (Stanley, Miikkulainen 2002): 32 generations, 4755 evaluations, 2.35 hidden nodes",
        report.solved,
        spec.runs,
        report.mean_generations,
        report.mean_evaluations,
        report.mean_hidden
    );
    Ok((serde_json::to_value(&report)?, text))
}

/// Does likeness lead back to an evolved picture? Targets `archive:…` need `PICLOOM_ARCHIVE`.
fn run_reevolution(path: &Path) -> anyhow::Result<Said> {
    let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
    let spec = ReevolutionSpec::from_toml(&text).with_context(|| path.display().to_string())?;
    let archive = std::env::var_os("PICLOOM_ARCHIVE").map(PathBuf::from);
    let rows = reevolution::run(&spec, archive.as_deref())?;
    let mut text =
        format!("{:<28} {:<36} {:>4} {:>8} {:>7}\n", "target", "arm", "seed", "r2", "found");
    for row in &rows {
        let found = if row.found { "yes" } else { "no" };
        text += &format!(
            "{:<28} {:<36} {:>4} {:>8.4} {found:>7}\n",
            row.target, row.arm, row.seed, row.r2
        );
    }
    Ok((serde_json::to_value(&rows)?, text))
}
