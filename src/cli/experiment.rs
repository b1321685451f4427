//! `picloom experiment`: studies from their specs.

use super::interrupt::{self, Interrupted};
use super::names::one_of;
use super::output::Output;
use super::plan::write_spec;
use super::progress::{Bar, duration};
use super::source::{check_size, fit_help};
use super::study;
use crate::experiment::cells::study_folder;
use crate::experiment::claims::StudySpec;
use crate::experiment::depth::{DepthModel, Sweep, depth_curves, png_ratio};
use crate::experiment::depth_sweep::DepthSweep;
use crate::experiment::folder::Holding;
use crate::experiment::kinds::{Study, read_study};
use crate::experiment::networks::{NetworksRecord, NetworksSpec};
use crate::experiment::record::ROWS;
use crate::experiment::regime::power::{STUDIES, power};
use crate::experiment::regime::rules::MARGIN;
use crate::experiment::spec::{Spec, SpecError, Title, left_out, read_spec};
use crate::experiment::workers::{Progress, StudyObserver};
use crate::experiment::{Record, load_target};
use crate::figures::study::score_by_depth_of;
use crate::figures::{Provenance, save};
use crate::network::lock::FolderLock;
use crate::network::{Coords, Squaring};
use crate::score::JudgeChoice;
use clap::{Args, Subcommand};
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
    Run {
        #[command(flatten)]
        study: StudyArgs,
        /// Only say how many cells there are to run, and about how long they take
        #[arg(long)]
        dry_run: bool,
    },
    /// Count finished, failed and waiting cells
    Status(StudyArgs),
    /// Write the finished runs as a table
    Collect {
        #[command(flatten)]
        study: StudyArgs,
        /// Folder for the table, rows.csv.gz, and study.json; of a whole study one folder a part
        #[arg(long)]
        out: PathBuf,
        /// Also if cells are still to come: to look at, not to decide on
        #[arg(long)]
        so_far: bool,
    },
    /// Simulate how often the rules that a study is decided by would find an effect, before it is run
    Power {
        /// Spec of a study of networks (.toml)
        spec: PathBuf,
        /// Profile: standard, or one of the spec's
        #[arg(long)]
        profile: Option<String>,
        /// Folder of a result whose variances are taken; may be given for several [default: those of the spec]
        #[arg(long, value_name = "FOLDER")]
        pilot: Vec<PathBuf>,
        /// The smallest difference of scores that matters to the rules of the regime map
        #[arg(long, default_value_t = MARGIN, value_parser = margin)]
        margin: f64,
    },
    /// Train networks of several depths on one picture, and score them by depth
    DepthSweep(Box<DepthSweepArgs>),
    /// Predict from how well a picture compresses at which depth its score is highest
    PredictDepth {
        /// Picture, or a genome
        picture: PathBuf,
        /// Folder of a depth study's result [default: the one that came with the program]
        #[arg(long, value_name = "RECORD")]
        from: Option<PathBuf>,
        #[arg(long, help = fit_help(), value_parser = one_of::<Squaring>())]
        fit: Option<Squaring>,
    },
}

#[derive(Args)]
struct DepthSweepArgs {
    /// Picture, or a genome
    picture: PathBuf,
    /// Numbers of hidden layers
    #[arg(long, value_delimiter = ',', default_values_t = DepthSweep::default().depths)]
    depths: Vec<usize>,
    /// Seeds of the trainings
    #[arg(long, value_delimiter = ',', default_values_t = DepthSweep::default().seeds)]
    seeds: Vec<u64>,
    /// Optimizer steps of each training and retraining
    #[arg(long, default_value_t = DepthSweep::default().steps)]
    steps: u64,
    /// Side of the picture in pixels
    #[arg(long, default_value_t = DepthSweep::default().size)]
    size: usize,
    /// Weights changed in each network, sampled within layers
    #[arg(long, default_value_t = DepthSweep::default().sample.unwrap_or(120), value_name = "N")]
    samples: usize,
    /// Who judges, with options as in dl-threshold:threshold=0.2 [default: dl]
    #[arg(long, value_name = "NAME[:OPTIONS]")]
    judge: Option<JudgeChoice>,
    #[arg(long, help = fit_help(), value_parser = one_of::<Squaring>())]
    fit: Option<Squaring>,
    /// Folder of the run store
    #[arg(long, default_value = "runs")]
    runs: PathBuf,
    /// Write the spec of this sweep for `picloom plan`, and sweep nothing
    #[arg(long, value_name = "FILE", conflicts_with = "runs")]
    spec: Option<PathBuf>,
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
        ExperimentCommand::PredictDepth { picture, from, fit } => {
            predict_depth(&picture, from.as_deref(), fit)?
        }
        ExperimentCommand::Power { spec, profile, pilot, margin } => {
            power_of(&spec, profile.as_deref(), &pilot, margin)?
        }
        ExperimentCommand::DepthSweep(args) => {
            interrupt::saves();
            depth_sweep(*args, out)?
        }
        ExperimentCommand::Run { study: args, dry_run: true, .. } => match args.is_whole()? {
            true => study::preview(&args)?,
            false => preview_one(&args)?,
        },
        ExperimentCommand::Run { study: args, .. } => {
            interrupt::saves();
            match args.is_whole()? {
                true => study::run(&args, out)?,
                false => run_one(&args, None, out)?,
            }
        }
        ExperimentCommand::Status(args) => match args.is_whole()? {
            true => study::status(&args)?,
            false => status_one(&args)?,
        },
        ExperimentCommand::Collect { study, out: to, so_far } => match study.is_whole()? {
            true => study::collect(&study, &to, so_far)?,
            false => collect_one(&study, &to, so_far)?,
        },
    };
    out.result(&json, &text)?;
    match json["failed"].as_u64() {
        Some(failed) if failed > 0 => {
            anyhow::bail!("{failed} failed; `picloom experiment status` says why")
        }
        _ => Ok(()),
    }
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
        let title = match Title::read(&path) {
            Ok(title) => title,
            Err(problem) => {
                text += &format!("{problem}\n");
                rows.push(json!({ "spec": path, "problem": problem.to_string() }));
                continue;
            }
        };
        text += &format!("{} ({})\n  {}\n", path.display(), title.kind, title.question);
        rows.push(json!({
            "spec": path, "kind": title.kind, "about": title.question, "profiles": title.profiles,
        }));
    }
    Ok((rows.into(), text))
}

/// Wall seconds of so many seconds of one core, by all threads.
fn wall(core_seconds: f64) -> f64 {
    core_seconds / rayon::current_num_threads() as f64
}

/// What running a study would do.
pub(super) fn preview_one(args: &StudyArgs) -> anyhow::Result<Said> {
    let study = args.study()?;
    let status = study.status(&args.runs)?;
    let (to_do, seconds) = (status.total - status.done, wall(status.core_seconds_left));
    let text = format!(
        "{} ({}): {to_do} of {} {} to run, about {} on {} threads",
        status.study,
        status.profile,
        status.total,
        status.cells,
        duration(seconds),
        rayon::current_num_threads()
    );
    let json = json!({
        "study": status.study, "profile": status.profile, "cells": status.total,
        "to_run": to_do, "core_seconds": status.core_seconds_left, "seconds": seconds,
        "left_out": study.left_out(),
    });
    Ok((json, with_left_out(text, study.as_ref())))
}

/// A text, and below it which targets are not here.
fn with_left_out(text: String, study: &dyn Study) -> String {
    format!("{}\n{}", text.trim_end(), left_out(study.left_out())).trim_end().into()
}

/// Runs one study, of whatever kind; `whole` is the study that it is a part of.
pub(super) fn run_one(
    args: &StudyArgs,
    whole: Option<&Whole>,
    out: &Output,
) -> anyhow::Result<Said> {
    run_study(args.study()?.as_ref(), &args.runs, whole, out)
}

/// Runs a study that has been read.
pub(super) fn run_study(
    study: &dyn Study,
    runs: &Path,
    whole: Option<&Whole>,
    out: &Output,
) -> anyhow::Result<Said> {
    Holding::ask_store(runs)?;
    let _lock = FolderLock::take(&runs.join(study.name()))?;
    let mut watch = Watch::new(out, study.count(), study.called(), whole.cloned());
    let ran = study.run(runs, &mut watch);
    watch.bar.finish_and_clear();
    let Some((found, findings)) = ran? else {
        return Err(Interrupted.into());
    };
    let path = found.folder.join(ROWS);
    let mut json = json!({
        "study": study.name(), "profile": study.profile(), "cells": study.count(),
        "failed": watch.failed, "rows": path,
    });
    if let (Some(all), serde_json::Value::Object(more)) = (json.as_object_mut(), findings) {
        all.extend(more);
    }
    Ok((json, format!("{}\nrows: {}", found.summary, path.display())))
}

/// Writes the table of one study, and `study.json`.
pub(super) fn collect_one(args: &StudyArgs, to: &Path, so_far: bool) -> anyhow::Result<Said> {
    let study = args.study()?;
    study.collect(&args.runs, to, so_far)?;
    let rows = to.join(ROWS);
    let text = format!("{}: {}", study.name(), rows.display());
    let json = json!({ "cells": study.count(), "rows": rows, "left_out": study.left_out() });
    Ok((json, with_left_out(text, study.as_ref())))
}

/// Counts the cells of one study.
pub(super) fn status_one(args: &StudyArgs) -> anyhow::Result<Said> {
    let study = args.study()?;
    let status = study.status(&args.runs)?;
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
    let mut json = json!(status);
    json["left_out"] = json!(study.left_out());
    Ok((json, with_left_out(text, study.as_ref())))
}

/// Runs the sweep, draws it, and says which depth is best.
fn depth_sweep(args: DepthSweepArgs, out: &Output) -> anyhow::Result<Said> {
    let sweep = DepthSweep {
        depths: args.depths,
        seeds: args.seeds,
        steps: args.steps,
        size: check_size(args.size)?,
        sample: Some(args.samples),
        judge: args.judge.unwrap_or_default(),
        fit: args.fit,
    };
    if let Some(path) = &args.spec {
        return write_spec(&args.picture, sweep, path);
    }
    let study = sweep.study(&args.picture, &args.picture)?;
    let (mut json, mut text) = run_study(&study, &args.runs, None, out)?;
    let folder = study_folder(&study, &args.runs);
    let record = NetworksRecord::read(&folder)?;
    let provenance = Provenance::none()
        .with("command", "picloom experiment depth-sweep")
        .with("picture", args.picture.display());
    let drawing = score_by_depth_of(&record)?;
    let (svg, png) = save(&drawing.svg, &folder.join("score-by-depth"), &provenance)?;
    for (arm, sweep) in [("dense", Sweep::DENSE), ("sp", Sweep::SP)] {
        let curves = depth_curves(&record, sweep);
        let curve = curves.first().ok_or_else(|| anyhow::anyhow!("no {arm} network was made"))?;
        json[arm] =
            json!({ "best": curve.best, "chosen": curve.chosen, "at_edge": curve.at_edge() });
        text += &match curve.chosen {
            Some(layers) => format!("\n{arm}: best at {layers} hidden layers"),
            None => format!("\n{arm}: no depth counts, too few networks learned the picture"),
        };
        if curve.chosen.is_some() && curve.at_edge() {
            text += " (the end of the sweep: no peak is shown)";
        }
    }
    json["figure"] = json!([svg, png]);
    text += &format!("\nfigure: {}", png.display());
    Ok((json, text))
}

/// Reads a difference of scores that matters.
fn margin(text: &str) -> Result<f64, String> {
    let found = text.parse().ok().filter(|margin| (0.0..1.0).contains(margin));
    found.ok_or_else(|| format!("expected a difference of scores in [0, 1), found {text}"))
}

/// Simulates the rules of a study on its design.
fn power_of(
    spec: &Path,
    profile: Option<&str>,
    pilots: &[PathBuf],
    margin: f64,
) -> anyhow::Result<Said> {
    let (spec, profile): (NetworksSpec, String) = read_spec(spec, profile)?;
    let pilots: Vec<NetworksRecord> =
        pilots.iter().map(|path| NetworksRecord::read(path)).collect::<Result<_, _>>()?;
    let report = power(&spec, &pilots, margin, STUDIES);
    let left_out = match report.left_out.as_slice() {
        [] => String::new(),
        names => format!(
            "not simulated, without a --pilot record whose means they are: {}",
            names.join(", ")
        ),
    };
    if report.rules.is_empty() {
        let why =
            if left_out.is_empty() { "no rule is decided on such a study" } else { &left_out };
        anyhow::bail!("{}: expected a study of rules to simulate, found: {why}", spec.name);
    }
    let mut text = format!("{} ({profile}): {}", spec.name, report.table());
    match report.weak().as_slice() {
        [] => {
            text += "\nevery rule of the table finds an effect of .15 (an equivalence: that there is none) in at least 80 % of the studies"
        }
        weak => {
            text += &format!(
                "\nbelow 80 % at an effect of .15 (an equivalence: at none): {}; more targets help most",
                weak.join(", ")
            );
        }
    }
    if !left_out.is_empty() {
        text += &format!("\n{left_out}");
    }
    Ok((json!({ "study": spec.name, "profile": profile, "power": report }), text))
}

fn predict_depth(
    picture: &Path,
    from: Option<&Path>,
    fit: Option<Squaring>,
) -> anyhow::Result<Said> {
    let model = match from {
        Some(path) => DepthModel::of_record(&NetworksRecord::read(path)?)
            .map_err(|e| anyhow::anyhow!("{}: cannot predict depths: {e}", path.display()))?,
        None => DepthModel::shipped(),
    };
    let target = load_target(picture, model.size, Coords::default(), fit)?;
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

/// How far the study is that a study is a part of, in seconds of one core that its parts were thought
/// to take before it began.
#[derive(Clone, Debug, Default)]
pub(super) struct Whole {
    /// All its parts.
    pub(super) total: f64,
    /// The parts after this one.
    pub(super) ahead: f64,
}

/// Shows how far a study is, or a worker with the study it is at.
pub(super) struct Watch {
    pub(super) bar: Bar,
    /// Cells that failed.
    pub(super) failed: usize,
    whole: Option<Whole>,
}

impl Watch {
    pub(super) fn new(
        out: &Output,
        cells: usize,
        what: &'static str,
        whole: Option<Whole>,
    ) -> Self {
        Watch { bar: out.progress(cells as u64, what).without_estimate(), failed: 0, whole }
    }

    /// `about 12 min left; of the study 31 %, about 2 h 5 min left`.
    fn left(&self, progress: &Progress) -> String {
        let (Some(left), Some(pace)) = (progress.seconds_left, progress.pace) else {
            return String::new();
        };
        let mut text = format!(", about {} left", duration(left));
        if let Some(whole) = self.whole.as_ref().filter(|whole| whole.total > 0.0) {
            let ahead = left / pace + whole.ahead;
            let share = 100.0 * (1.0 - ahead / whole.total).clamp(0.0, 1.0);
            let left = duration(left + pace * whole.ahead);
            text += &format!("; of the study {share:.0} %, about {left} left");
        }
        text
    }
}

impl StudyObserver for Watch {
    fn cell(&mut self, progress: &Progress, label: &str, error: Option<&str>) {
        self.failed = progress.failed;
        self.bar.set_length(progress.total as u64);
        self.bar.set_position((progress.done + progress.failed) as u64);
        self.bar.set_message(format!("{label}{}", self.left(progress)));
        if let Some(error) = error {
            self.bar.say(&format!("failed: {label}: {error}"));
        }
    }

    fn going_on(&mut self) -> bool {
        !interrupt::asked()
    }
}
